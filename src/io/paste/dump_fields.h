/* dump_fields.h : the fields of a descriptor in lines of text, found by the names that programs
 * print (dump_names.def). */
#ifndef TMAP_IO_DUMP_FIELDS_H
#define TMAP_IO_DUMP_FIELDS_H

#include "io/paste/dump.h"

enum field {
    DTYPE,
    RANK,
    ADDRESS,
    MAP_ADDRESS, /* of the descriptor itself */
    DIM,
    STRIDE_RAW, /* the first entry is the element's own */
    STRIDE,
    BOX,
    ELEM_STRIDE,
    INTERLEAVE,
    SWIZZLE,
    L2,
    OOB,
    LOWER,
    UPPER,
    CHANNELS,
    PIXELS,
    ELEM_BYTES,      /* of an element, where its type is not said */
    STRIDE_ELEMENTS, /* strides in elements */
    RANK_HINT,       /* "rank", which may be a process's */
    FIELDS
};

/* The numbers found for one field. */
struct numbers {
    int64_t number[TMAP_MAX_RANK];
    int count;   /* -1: the field is not there */
    bool longer; /* more follow than a map has dimensions */
};

/* io_dump_none() : no field is there. */
void io_dump_none(struct numbers fields[FIELDS]);

/* io_dump_name() : the i-th name that counts in a dump, or in a listing that has no marker, and the
 * field it is of; NULL behind the last. */
const char *io_dump_name(enum io_dump from, size_t i, enum field *field);

/* io_dump_line() : what a line says of each field that was not there before. The first mention of a
 *  field counts, and those that go on with its list ("dim[0] = 1, dim[1] = 2"). */
void io_dump_line(const char *line, const char *end, enum io_dump from,
                  struct numbers fields[FIELDS]);

/* io_dump_number() : one number at *at, wrapping as 64 bits do; false where none begins. */
bool io_dump_number(const char **at, const char *end, int64_t *out);

/* io_dump_word() : where a whole word stands; NULL where it does not. */
const char *io_dump_word(const char *at, const char *end, const char *word);

/* io_dump_is_word() : a character of a word. */
bool io_dump_is_word(char c);

#endif
