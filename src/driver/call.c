#include "driver/call.h"

#include <stdalign.h>
#include <string.h>

#define ARRAY CALL_MAX_RANK

struct arrays {
    uint64_t dim[ARRAY], stride[ARRAY];
    uint32_t box[ARRAY], elem_stride[ARRAY];
    int lower[ARRAY], upper[ARRAY];
};

static void fill(struct arrays *a, const struct tmap_desc *d)
{
    /* For a rank past ours the further entries repeat the last legal-looking ones. */
    for (int i = 0; i < ARRAY; i++) {
        const int at = i < TMAP_MAX_RANK ? i : TMAP_MAX_RANK - 1;
        a->dim[i] = d->dim[at];
        a->box[i] = d->box[at];
        a->elem_stride[i] = d->elem_stride[at];
        a->stride[i] = d->stride_bytes[i < TMAP_MAX_RANK - 1 ? i : TMAP_MAX_RANK - 2];
        a->lower[i] = d->lower[i < TMAP_MAX_SPATIAL ? i : TMAP_MAX_SPATIAL - 1];
        a->upper[i] = d->upper[i < TMAP_MAX_SPATIAL ? i : TMAP_MAX_SPATIAL - 1];
    }
}

static const void *unless(uint32_t flags, uint32_t bit, const void *at)
{
    return flags & bit ? NULL : at;
}

bool call_can_be_asked(const struct tmap_desc *desc)
{
    if (desc->rank > CALL_MAX_RANK) return false;
    return desc->kind != TMAP_IM2COL || !(desc->flags & (TMAP_NULL_LOWER | TMAP_NULL_UPPER));
}

void call_encode(const struct tmap_libcuda *api, const struct tmap_desc *d, uint8_t dirt,
                 struct call_result *out)
{
    struct arrays a;
    alignas(128) struct tmap_map map;
    void *address = (void *)(uintptr_t)d->address;
    void *at = d->flags & TMAP_NULL_MAP ? NULL : &map;
    fill(&a, d);
    memset(&map, dirt, sizeof map);
    const uint64_t *dim = unless(d->flags, TMAP_NULL_DIM, a.dim);
    const uint64_t *stride = unless(d->flags, TMAP_NULL_STRIDE, a.stride);
    const uint32_t *box = unless(d->flags, TMAP_NULL_BOX, a.box);
    const uint32_t *es = unless(d->flags, TMAP_NULL_ELEM_STRIDE, a.elem_stride);
    const int *lower = unless(d->flags, TMAP_NULL_LOWER, a.lower);
    const int *upper = unless(d->flags, TMAP_NULL_UPPER, a.upper);
    out->code = CALL_NO_FUNCTION;
    if (!call_can_be_asked(d))
        out->code = CALL_NOT_ASKED;
    else if (d->kind == TMAP_TILED)
        out->code =
            api->tensor_map_encode_tiled(at, d->dtype, d->rank, address, dim, stride, box, es,
                                         d->interleave, d->swizzle, d->l2_promotion, d->oob_fill);
    else if (d->kind == TMAP_IM2COL)
        out->code = api->tensor_map_encode_im2col(
            at, d->dtype, d->rank, address, dim, stride, lower, upper, d->channels, d->pixels, es,
            d->interleave, d->swizzle, d->l2_promotion, d->oob_fill);
    else if (d->kind == TMAP_IM2COL_WIDE && api->tensor_map_encode_im2col_wide)
        out->code = api->tensor_map_encode_im2col_wide(
            at, d->dtype, d->rank, address, dim, stride, d->lower[0], d->upper[0], d->channels,
            d->pixels, es, d->interleave, d->mode, d->swizzle, d->l2_promotion, d->oob_fill);
    out->map = map;
}

bool call_left_alone(const struct call_result *result, uint8_t dirt)
{
    struct tmap_map before;
    memset(&before, dirt, sizeof before);
    return memcmp(&before, &result->map, sizeof before) == 0;
}
