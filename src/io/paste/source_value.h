/* source_value.h : the constants of a piece of C or C++ that somebody pasted: what a name is set
 * to, worked out from literals, other names, sizeof and casts. No compiler: what is not plain, or
 * is set twice to different things, has no value. */
#ifndef TMAP_IO_SOURCE_VALUE_H
#define TMAP_IO_SOURCE_VALUE_H

#include "expr/values.h"

/* A piece of source, comments blanked out. */
struct io_source {
    const char *text, *end;
    bool python;     /* statements end with their line; ** and //; tuples are set at once */
    const char *use; /* where the values are used: what is declared in another block is not meant */
    int looks;       /* for names that may still be made: each reads the whole text */
    char missing[96]; /* the names without a value, "M, K" */
    /* "name.shape[index]" and the like of a tensor; NULL where there are none */
    bool (*attribute)(struct io_source *s, const char *name, const char *attribute, int index,
                      int64_t *out);
};

/* io_source_value() : the value of an expression; which: the enumeration whose names it may hold.
 *  False where it has none. */
bool io_source_value(struct io_source *s, const char *at, const char *end, enum values which,
                     int64_t *out);

/* io_source_list() : the values of an array: written there, or its name, perhaps with "+ 1" or a
 * cast. unknown: a bit for each entry without a value, which is 0 then. count may be above cap,
 * which then says how many are written. False where there is no such array. (source_list.c) */
bool io_source_list(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count, unsigned *unknown);

/* io_source_setting() : another setting of the name, from *at on: what it is set to, from *from to
 *  *to; an entry's ("name[2] = ...") where index is not negative. False where there is none. */
bool io_source_setting(struct io_source *s, const char *name, int index, const char **at,
                       const char **from, const char **to);

/* io_source_cast() : behind casts and a reference's "&"; at itself where there are none. */
const char *io_source_cast(const char *at, const char *end);

/* io_source_word() : a name at *at, of a qualified one ("a::b") the last part; false where none
 *  begins. io_source_miss() : this name has no value. */
enum { IO_SOURCE_NAME = 64 };
bool io_source_word(const char **at, const char *end, char name[IO_SOURCE_NAME]);
void io_source_miss(struct io_source *s, const char *name);

/* io_source_bytes() : of an element of a C type; 0 for another name. io_source_type() : name
 * becomes the type that the text says it is by "using" or "typedef"; false where it says two.
 * (source_type.c) */
int io_source_bytes(const char *type);
bool io_source_type(const struct io_source *s, char name[IO_SOURCE_NAME]);

/* io_source_piece() : the end of the argument that begins at `at`: a comma or bracket that is no
 * part of it, or a semicolon; end where there is none. */
const char *io_source_piece(const char *at, const char *end);

#endif
