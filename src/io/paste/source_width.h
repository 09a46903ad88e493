/* source_width.h : how wide the types of pasted C and C++ are, and whether a value fits: what does
 * not is cut, or wraps, and is not known. */
#ifndef TMAP_IO_SOURCE_WIDTH_H
#define TMAP_IO_SOURCE_WIDTH_H

#include "io/paste/source_text.h"

/* io_source_fits() : whether a value is unchanged by the type in [at, end), "unsigned char" or
 *  "const T" whose T the text defines; true where it has no type that is known. */
bool io_source_fits(const struct io_source *s, const char *at, const char *end, int64_t value);

/* io_source_is_wide() : whether that type has 64 bits, or is not known. */
bool io_source_is_wide(const struct io_source *s, const char *at, const char *end);

/* io_source_holds() : whether the name that is declared at `at` keeps the value that it is set to.
 * io_source_is_declared_wide() : whether it has 64 bits, or may have; value: whether that one has,
 *  which a name without a type takes over. */
bool io_source_holds(const struct io_source *s, const char *at, int64_t value);
bool io_source_is_declared_wide(const struct io_source *s, const char *at, bool value);

/* io_source_behind_cast() : behind a cast: names, stars and an array's brackets up to ")", and an
 *  operand behind it; at itself where there is none. */
const char *io_source_behind_cast(const char *at, const char *end);

/* io_source_cast() : the same of several casts and a reference's "&"; at itself where there are
 * none. */
const char *io_source_cast(const char *at, const char *end);

#endif
