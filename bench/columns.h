/* A set of descriptors as columns: a table for each rank. */
#ifndef TMAP_BENCH_COLUMNS_H
#define TMAP_BENCH_COLUMNS_H

#include "core/columns.h"

#include <stdlib.h>

/* The descriptors of one rank: every member a column of its own. */
struct table {
    size_t n;
    struct tmap_columns column;
};

/* Every member of d[i] for i < n, in columns that table_free() gives back: aligned to so many
 * bytes, or with 0 as malloc places them, which is large ones 16 bytes past a page. */
static inline void table_place(const struct tmap_desc *d, size_t n, size_t align, struct table *t)
{
    *t = (struct table){.n = n, .column = {.common = d[0]}};
#define COLUMN(place, type, value)                                                                 \
    {                                                                                              \
        const size_t bytes = n * sizeof(type);                                                     \
        type *entry =                                                                              \
            align ? aligned_alloc(align, (bytes + align - 1) / align * align) : malloc(bytes);     \
        for (size_t k = 0; k < n; k++) entry[k] = d[k].value;                                      \
        (place) = entry;                                                                           \
    }
#define ONE(word, member, type) COLUMN(t->column.member, type, member)
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++) COLUMN(t->column.member[j], type, member[j])
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
#undef COLUMN
}

static inline void table_make(const struct tmap_desc *d, size_t n, struct table *t)
{
    table_place(d, n, 0, t);
}

/* What a search draws stays a column; the rest is the first descriptor's. */
static inline void table_keep_shape(struct table *t)
{
#define FORGET(column) (free((void *)(uintptr_t)(column)), (column) = NULL)
    FORGET(t->column.dtype);
    FORGET(t->column.interleave);
    FORGET(t->column.swizzle);
    FORGET(t->column.l2_promotion);
    FORGET(t->column.oob_fill);
    for (int j = 0; j < TMAP_MAX_RANK; j++) FORGET(t->column.elem_stride[j]);
#undef FORGET
}

static inline void table_free(struct table *t)
{
#define ONE(word, member, type) free((void *)(uintptr_t)t->column.member);
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++) free((void *)(uintptr_t)t->column.member[j]);
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
}

#endif
