/* source_value.h : the constants of a piece of C or C++ that somebody pasted: what a name is set
 * to, worked out from literals, other names, sizeof and casts. No compiler: what is not plain, or
 * is set twice to different things, has no value. */
#ifndef TMAP_IO_SOURCE_VALUE_H
#define TMAP_IO_SOURCE_VALUE_H

#include "expr/values.h"

/* A piece of source, comments blanked out. */
struct io_source {
    const char *text, *end;
    int looks;        /* for names that may still be made: each reads the whole text */
    char missing[96]; /* the names without a value, "M, K" */
};

/* io_source_value() : the value of an expression; which: the enumeration whose names it may hold.
 *  False where it has none. */
bool io_source_value(struct io_source *s, const char *at, const char *end, enum values which,
                     int64_t *out);

/* io_source_list() : the values of an array: its name, perhaps with "+ 1" or a cast; false where
 * one has none, or there are more than cap. */
bool io_source_list(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count);

/* io_source_piece() : the end of the argument that begins at `at`: a comma or bracket that is no
 * part of it, or a semicolon; end where there is none. */
const char *io_source_piece(const char *at, const char *end);

#endif
