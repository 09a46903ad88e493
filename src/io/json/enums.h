/* enums.h : the names of the descriptor's enumerations in JSON, from src/rules/enums.def. */
#ifndef TMAP_IO_ENUMS_H
#define TMAP_IO_ENUMS_H

#include <stdbool.h>
#include <stdint.h>

enum io_enum {
    IO_ENUM_KIND,
    IO_ENUM_DTYPE,
    IO_ENUM_INTERLEAVE,
    IO_ENUM_SWIZZLE,
    IO_ENUM_L2,
    IO_ENUM_OOB,
    IO_ENUM_MODE,
    IO_ENUM_OP,       /* of a use */
    IO_ENUM_FIELD,    /* of tensormap.replace */
    IO_ENUM_CONSUMER, /* who reads the box */
    IO_ENUM_MAJOR
};

/* io_enum_find() : value of a name or an alias, whatever its case; false when there is none. */
bool io_enum_find(enum io_enum which, const char *name, int32_t *out);

/* io_enum_name() : the name that JSON uses; NULL for a value that has none. */
const char *io_enum_name(enum io_enum which, int32_t value);

/* io_enum_at() : the i-th name (aliases not counted); NULL at the end. */
const char *io_enum_at(enum io_enum which, unsigned i);

#endif
