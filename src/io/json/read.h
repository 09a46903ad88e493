/* read.h : the parts of the record reader, for each other. */
#ifndef TMAP_IO_READ_H
#define TMAP_IO_READ_H

#include "expr/values.h"
#include "io/json/record.h"

/* io_get_enum() : a name, an alias or any raw integer. */
bool io_get_enum(const struct io_at *at, const char *key, json_t *value, enum values which,
                 int32_t *out);

/* io_use_from() : one object of "uses"; path is its JSON path. */
bool io_use_from(struct io_record *record, json_t *object, const char *path, unsigned flags,
                 struct tmap_use *out);

/* io_suite_from() : expect, expect_rules, allow. */
bool io_suite_from(struct io_record *record);

#endif
