/* capture.c : the arguments of a call into a record. */
#include "driver/arguments.h"
#include "driver/inject/inject.h"

#include <string.h>

void capture_encode(enum trace_how how, int kind, const struct encode_call *c, int result)
{
    struct trace_record r = {.what = TRACE_ENCODE, .how = how, .result = result};
    struct tmap_desc *d = &r.of.desc;
    const size_t entries = c->rank <= TMAP_MAX_RANK ? c->rank : 0; /* else nobody knows how many */
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
    arguments_arrays(d, entries, c->dim, c->stride, c->box, c->elem_stride);
    if (kind == TMAP_IM2COL) arguments_corners(d, entries, c->lower, c->upper);
    if (kind == TMAP_IM2COL_WIDE) {
        d->lower[0] = c->lower_width;
        d->upper[0] = c->upper_width;
    }
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

/* What every kind of call is given. */
#define PARAMS_OF_ALL                                                                              \
    .map = p->map, .dtype = p->dtype, .rank = p->rank, .address = p->address, .dim = p->dim,       \
    .stride = p->stride, .elem_stride = p->elem_stride, .interleave = p->interleave,               \
    .swizzle = p->swizzle, .l2_promotion = p->l2_promotion, .oob_fill = p->oob_fill

void capture_tiled(enum trace_how how, const struct tiled_params *p, int result)
{
    const struct encode_call c = {PARAMS_OF_ALL, .box = p->box};
    capture_encode(how, TMAP_TILED, &c, result);
}

void capture_im2col(enum trace_how how, const struct im2col_params *p, int result)
{
    const struct encode_call c = {PARAMS_OF_ALL, .lower = p->lower, .upper = p->upper,
                                  .channels = p->channels, .pixels = p->pixels};
    capture_encode(how, TMAP_IM2COL, &c, result);
}

void capture_wide(enum trace_how how, const struct wide_params *p, int result)
{
    const struct encode_call c = {
        PARAMS_OF_ALL,           .lower_width = p->lower_width, .upper_width = p->upper_width,
        .channels = p->channels, .pixels = p->pixels,           .mode = p->mode};
    capture_encode(how, TMAP_IM2COL_WIDE, &c, result);
}
