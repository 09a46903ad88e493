/* arguments.h : the arrays of an encode call into a descriptor. entries: how many of them may be
 * read, for a caller's rank may be anything. Inline: the tracer links nothing else of ours. */
#ifndef TMAP_DRIVER_ARGUMENTS_H
#define TMAP_DRIVER_ARGUMENTS_H

#include "tmap/tmap.h"

#include <string.h>

static inline void arguments_arrays(struct tmap_desc *d, size_t entries, const uint64_t *dim,
                                    const uint64_t *stride_bytes, const uint32_t *box,
                                    const uint32_t *elem_stride)
{
    if (!dim) d->flags |= TMAP_NULL_DIM;
    if (!stride_bytes) d->flags |= TMAP_NULL_STRIDE;
    if (!elem_stride) d->flags |= TMAP_NULL_ELEM_STRIDE;
    if (d->kind == TMAP_TILED && !box) d->flags |= TMAP_NULL_BOX;
    if (dim) memcpy(d->dim, dim, entries * sizeof *dim);
    if (stride_bytes && entries > 1)
        memcpy(d->stride_bytes, stride_bytes, (entries - 1) * sizeof *stride_bytes);
    if (elem_stride) memcpy(d->elem_stride, elem_stride, entries * sizeof *elem_stride);
    if (d->kind == TMAP_TILED && box) memcpy(d->box, box, entries * sizeof *box);
}

static inline void arguments_corners(struct tmap_desc *d, size_t entries, const int *lower,
                                     const int *upper)
{
    if (!lower) d->flags |= TMAP_NULL_LOWER;
    if (!upper) d->flags |= TMAP_NULL_UPPER;
    for (size_t i = 0; i + 2 < entries; i++) {
        if (lower) d->lower[i] = lower[i];
        if (upper) d->upper[i] = upper[i];
    }
}

#endif
