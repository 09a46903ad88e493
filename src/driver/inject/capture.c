/* capture.c : the arguments of a call into a record. */
#include "driver/inject/inject.h"

#include <string.h>

static void copy_arrays(struct tmap_desc *d, const struct encode_call *c)
{
    const size_t rank = c->rank <= TMAP_MAX_RANK ? c->rank : 0; /* else nobody knows the lengths */
    if (!c->dim) d->flags |= TMAP_NULL_DIM;
    if (!c->stride) d->flags |= TMAP_NULL_STRIDE;
    if (!c->elem_stride) d->flags |= TMAP_NULL_ELEM_STRIDE;
    if (c->dim) memcpy(d->dim, c->dim, rank * sizeof *c->dim);
    if (c->stride && rank > 1) memcpy(d->stride_bytes, c->stride, (rank - 1) * sizeof *c->stride);
    if (c->elem_stride) memcpy(d->elem_stride, c->elem_stride, rank * sizeof *c->elem_stride);
    if (d->kind == TMAP_TILED && !c->box) d->flags |= TMAP_NULL_BOX;
    if (d->kind == TMAP_TILED && c->box) memcpy(d->box, c->box, rank * sizeof *c->box);
}

static void copy_corners(struct tmap_desc *d, const struct encode_call *c)
{
    if (d->kind == TMAP_IM2COL_WIDE) {
        d->lower[0] = c->lower_width;
        d->upper[0] = c->upper_width;
    }
    if (d->kind != TMAP_IM2COL) return;
    if (!c->lower) d->flags |= TMAP_NULL_LOWER;
    if (!c->upper) d->flags |= TMAP_NULL_UPPER;
    for (uint32_t i = 0; i + 2 < c->rank && c->rank <= TMAP_MAX_RANK; i++) {
        if (c->lower) d->lower[i] = c->lower[i];
        if (c->upper) d->upper[i] = c->upper[i];
    }
}

void capture_encode(enum trace_how how, int kind, const struct encode_call *c, int result)
{
    struct trace_record r = {.what = TRACE_ENCODE, .how = how, .result = result};
    struct tmap_desc *d = &r.of.desc;
    d->kind = kind;
    d->dtype = c->dtype;
    d->rank = c->rank;
    d->flags = c->map ? 0 : TMAP_NULL_MAP;
    d->address = (uint64_t)(uintptr_t)c->address;
    d->interleave = c->interleave;
    d->swizzle = c->swizzle;
    d->l2_promotion = c->l2_promotion;
    d->oob_fill = c->oob_fill;
    d->channels = c->channels;
    d->pixels = c->pixels;
    d->mode = c->mode;
    copy_arrays(d, c);
    copy_corners(d, c);
    r.map_address = (uint64_t)(uintptr_t)c->map;
    if (result == 0 && c->map) memcpy(&r.map, c->map, sizeof r.map);
    sink_send(&r);
}

void capture_replace(enum trace_how how, void *map, void *address, int result)
{
    struct trace_record r = {.what = TRACE_REPLACE_ADDRESS,
                             .how = how,
                             .result = result,
                             .map_address = (uint64_t)(uintptr_t)map,
                             .of.address = (uint64_t)(uintptr_t)address};
    if (result == 0 && map) memcpy(&r.map, map, sizeof r.map);
    sink_send(&r);
}

void capture_tiled(enum trace_how how, const struct tiled_params *p, int result)
{
    const struct encode_call c = {.map = p->map,
                                  .dtype = p->dtype,
                                  .rank = p->rank,
                                  .address = p->address,
                                  .dim = p->dim,
                                  .stride = p->stride,
                                  .box = p->box,
                                  .elem_stride = p->elem_stride,
                                  .interleave = p->interleave,
                                  .swizzle = p->swizzle,
                                  .l2_promotion = p->l2_promotion,
                                  .oob_fill = p->oob_fill};
    capture_encode(how, TMAP_TILED, &c, result);
}

void capture_im2col(enum trace_how how, const struct im2col_params *p, int result)
{
    const struct encode_call c = {.map = p->map,
                                  .dtype = p->dtype,
                                  .rank = p->rank,
                                  .address = p->address,
                                  .dim = p->dim,
                                  .stride = p->stride,
                                  .elem_stride = p->elem_stride,
                                  .lower = p->lower,
                                  .upper = p->upper,
                                  .channels = p->channels,
                                  .pixels = p->pixels,
                                  .interleave = p->interleave,
                                  .swizzle = p->swizzle,
                                  .l2_promotion = p->l2_promotion,
                                  .oob_fill = p->oob_fill};
    capture_encode(how, TMAP_IM2COL, &c, result);
}

void capture_wide(enum trace_how how, const struct wide_params *p, int result)
{
    const struct encode_call c = {.map = p->map,
                                  .dtype = p->dtype,
                                  .rank = p->rank,
                                  .address = p->address,
                                  .dim = p->dim,
                                  .stride = p->stride,
                                  .elem_stride = p->elem_stride,
                                  .lower_width = p->lower_width,
                                  .upper_width = p->upper_width,
                                  .channels = p->channels,
                                  .pixels = p->pixels,
                                  .interleave = p->interleave,
                                  .mode = p->mode,
                                  .swizzle = p->swizzle,
                                  .l2_promotion = p->l2_promotion,
                                  .oob_fill = p->oob_fill};
    capture_encode(how, TMAP_IM2COL_WIDE, &c, result);
}
