/* source_value.h : the constants of a piece of C or C++ that somebody pasted: what a name is set
 * to, worked out from literals, other names, sizeof and casts. No compiler: what is not plain, or
 * is set twice to different things, has no value. */
#ifndef TMAP_IO_SOURCE_VALUE_H
#define TMAP_IO_SOURCE_VALUE_H

#include "expr/values.h"
#include "io/paste/source_text.h"

/* io_source_value() : the value of an expression; which: the enumeration whose names it may hold.
 *  False where it has none. */
bool io_source_value(struct io_source *s, const char *at, const char *end, enum values which,
                     int64_t *out);

/* io_source_list() : the values of an array: written there, or its name, perhaps with "+ 1" or a
 * cast. unknown: a bit for each entry without a value, which is 0 then. count may be above cap,
 * which then says how many are written. False where there is no such array. (source_list.c) */
bool io_source_list(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count, unsigned *unknown);

/* io_source_changes() : whether the text changes a name, or an entry of it, where it stands:
 * "name += 1", "name[0]++", or hands it to somebody who may (source_escape.h). Nothing that it is
 * set to is its value, then. list: the name of an array. */
bool io_source_changes(const struct io_source *s, const char *name, bool list);

/* io_source_setting() : another setting of the name, from *at on: what it is set to, from *from to
 *  *to; an entry's ("name[2] = ...") where index is not negative. False where there is none.
 *  (source_setting.c) */
bool io_source_setting(struct io_source *s, const char *name, int index, const char **at,
                       const char **from, const char **to);

/* io_source_tuple_attribute() : of N in "M, N = x.shape", the tensor's second size; false where the
 * name is of no such tuple. */
bool io_source_tuple_attribute(struct io_source *s, const char *name, int64_t *out);

#endif
