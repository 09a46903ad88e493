/* source_escape.h : the law by which a name of pasted source stays known: each place where it
 * stands only reads it. Where its address, the array itself or a reference goes to somebody who is
 * not known to read only, it may be anything afterwards. */
#ifndef TMAP_IO_SOURCE_ESCAPE_H
#define TMAP_IO_SOURCE_ESCAPE_H

#include "io/paste/source_text.h"

/* io_source_escapes() : C and C++: whether the name at `at`, with what follows it up to `behind`
 *  ("[0]"), may be changed by what stands around it. list: it is an array, whose name alone is its
 *  address. */
bool io_source_escapes(const struct io_source *s, const char *at, const char *behind, bool list);

/* io_source_python_changes() : the same of Python, where a number stays what it is, but a loop or
 *  "as" sets the name and a list may be handed on. */
bool io_source_python_changes(const struct io_source *s, const char *at, const char *behind,
                              bool list);

/* io_source_is_hidden() : C and C++: whether a declaration without a value hides one that has it:
 *  "for (int N : sizes)", "auto [M, N] = ...", "int N;" in an inner block. */
bool io_source_is_hidden(const struct io_source *s, const char *name);

/* io_source_is_set() : whether "=" is at `at`, io_source_is_compound() : "+=", "<<=" or "//="; and
 * no comparison. */
bool io_source_is_set(const char *at, const char *end);
bool io_source_is_compound(const char *at, const char *end);

#endif
