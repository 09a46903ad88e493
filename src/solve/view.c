/* The rewrites of views. In each comment, x is an element's index and c a tile's coordinate. */
#include "solve/view.h"

#include "core/layout.h"

#include <string.h>

void view_note(struct view *v, enum tmap_rewrite rewrite, int index, uint64_t from, uint64_t to)
{
    if (v->step_count < VIEW_STEPS)
        v->step[v->step_count] =
            (struct tmap_plan_step){(uint8_t)rewrite, (int8_t)index, 0, from, to};
    v->step_count++;
}

/* The tile covers the whole dimension, so its coordinate can only be 0; else tiles form a grid. */
static uint64_t default_grain(const struct tmap_desc *d, uint32_t i)
{
    return d->box[i] >= d->dim[i] ? 0 : d->box[i];
}

uint64_t view_grain(const struct tmap_desc *desc, const struct tmap_request *request, uint32_t i)
{
    return request && request->grain[i] ? request->grain[i] : default_grain(desc, i);
}

void view_of(const struct tmap_desc *desc, const struct tmap_request *request, struct view *out)
{
    memset(out, 0, sizeof *out);
    out->desc = *desc;
    out->part.div = 1;
    if (desc->kind == TMAP_TILED) { /* what it does not use may hold anything */
        memset(out->desc.lower, 0, sizeof out->desc.lower);
        memset(out->desc.upper, 0, sizeof out->desc.upper);
        out->desc.channels = out->desc.pixels = 0;
        out->desc.mode = 0;
    }
    for (uint32_t i = desc->rank; i < TMAP_MAX_RANK; i++) {
        out->desc.dim[i] = out->desc.elem_stride[i] = 0;
        out->desc.stride_bytes[i - 1] = 0;
    }
    for (uint32_t i = 0; i < desc->rank; i++) {
        out->tile[i] = desc->box[i];
        out->grain[i] = view_grain(desc, request, i);
        out->digit[i].coef[i] = 1;
        out->digit[i].div = 1;
    }
    if (desc->interleave) out->tile[desc->rank - 2] = 1; /* one slice, always */
}

/* A stride of 2^61 bytes and more, which no map can say, counts as LONGEST_BITS. */
#define LONGEST_BITS (UINT64_MAX / 8 * 8)
uint64_t view_stride_bits(const struct view *v, uint32_t i)
{
    if (i == 0) return layout_gmem_bits(v->desc.dtype);
    const uint64_t bytes = v->desc.stride_bytes[i - 1];
    return bytes < LONGEST_BITS / 8 ? bytes * 8 : LONGEST_BITS;
}

/* Dimension i, which is not the innermost. */
static void remove_dim(struct view *v, uint32_t i)
{
    const uint32_t rank = v->desc.rank;
    for (uint32_t k = i; k + 1 < rank; k++) {
        v->desc.dim[k] = v->desc.dim[k + 1];
        v->desc.elem_stride[k] = v->desc.elem_stride[k + 1];
        v->tile[k] = v->tile[k + 1];
        v->grain[k] = v->grain[k + 1];
        v->digit[k] = v->digit[k + 1];
    }
    for (uint32_t k = i - 1; k + 2 < rank; k++)
        v->desc.stride_bytes[k] = v->desc.stride_bytes[k + 1];
    v->desc.rank--;
    v->desc.dim[rank - 1] = v->tile[rank - 1] = v->grain[rank - 1] = 0;
    v->desc.elem_stride[rank - 1] = 0;
    v->desc.stride_bytes[rank - 2] = 0;
    memset(&v->digit[rank - 1], 0, sizeof v->digit[0]);
}

/* A dimension of size 1 with a tile of 1: x = 0 always, so its term of the address is 0. */
bool view_drop(const struct view *v, uint32_t i, struct view *out)
{
    if (i == 0 || v->desc.dim[i] != 1 || v->tile[i] != 1 || v->grain[i] != 0) return false;
    *out = *v;
    remove_dim(out, i);
    view_note(out, TMAP_REWRITE_DROP, (int)i, 1, 0);
    return true;
}

static bool plain(const struct view *v, uint32_t i)
{
    return v->digit[i].div == 1 && v->digit[i].mod == 0 && v->desc.elem_stride[i] == 1;
}

/* stride[i + 1] = dim[i] * stride[i]: x[i] + dim[i] * x[i + 1] names the same byte. The tile must
 * take all of dimension i, so that it is one run. Sizes, tiles and coefficients fit: a tensor or a
 * tile of more than 2^61 bytes has no plan. */
bool view_merge(const struct view *v, uint32_t i, struct view *out)
{
    uint64_t run, grain;
    if (i + 1 >= v->desc.rank || !plain(v, i) || !plain(v, i + 1)) return false;
    if (v->tile[i] != v->desc.dim[i] || v->grain[i] != 0) return false;
    if (__builtin_mul_overflow(v->desc.dim[i], view_stride_bits(v, i), &run) || run == 0 ||
        run == LONGEST_BITS || run != view_stride_bits(v, i + 1) ||
        __builtin_mul_overflow(v->desc.dim[i], v->grain[i + 1], &grain))
        return false;
    *out = *v;
    const uint64_t size = v->desc.dim[i];
    const uint64_t dim = size * v->desc.dim[i + 1], tile = size * v->tile[i + 1];
    struct digit digit = v->digit[i];
    for (int k = 0; k < TMAP_MAX_RANK; k++) digit.coef[k] += size * v->digit[i + 1].coef[k];
    digit.slice += size * v->digit[i + 1].slice;
    const uint64_t stride_bytes = i ? v->desc.stride_bytes[i - 1] : 0;
    remove_dim(out, i + 1);
    out->desc.dim[i] = dim;
    out->tile[i] = tile;
    out->grain[i] = grain;
    out->digit[i] = digit;
    if (i) out->desc.stride_bytes[i - 1] = stride_bytes;
    view_note(out, TMAP_REWRITE_MERGE, (int)i, v->desc.rank, out->desc.rank);
    return true;
}

/* x = size * (x / size) + x % size: the quotient is a dimension of its own. The dimension is a
 * whole number of pieces, and so are tile and coordinates, or the tile stays inside one piece. */
bool view_split(const struct view *v, uint32_t i, uint64_t size, uint32_t place, struct view *out)
{
    const uint32_t rank = v->desc.rank;
    if (rank == TMAP_MAX_RANK || size < 2) return false;
    if (v->desc.elem_stride[i] != 1 || v->desc.dim[i] % size || v->desc.dim[i] == size)
        return false;
    if (v->tile[i] % size || v->grain[i] % size) return false;
    uint64_t far_bits;
    if (__builtin_mul_overflow(size, view_stride_bits(v, i), &far_bits) || far_bits % 8)
        return false;
    struct view w = *v;
    w.desc.rank++;
    for (uint32_t k = rank; k > place; k--) {
        w.desc.dim[k] = w.desc.dim[k - 1];
        w.desc.elem_stride[k] = w.desc.elem_stride[k - 1];
        w.desc.stride_bytes[k - 1] = w.desc.stride_bytes[k - 2];
        w.tile[k] = w.tile[k - 1];
        w.grain[k] = w.grain[k - 1];
        w.digit[k] = w.digit[k - 1];
    }
    w.desc.dim[place] = v->desc.dim[i] / size;
    w.desc.elem_stride[place] = 1;
    w.desc.stride_bytes[place - 1] = far_bits / 8;
    w.tile[place] = v->tile[i] / size;
    w.grain[place] = v->grain[i] / size;
    w.digit[place] = v->digit[i];
    w.digit[place].div *= size;
    w.digit[place].mod = v->digit[i].mod ? v->digit[i].mod / size : 0;
    w.desc.dim[i] = w.tile[i] = size;
    w.grain[i] = 0;
    w.digit[i].mod = size;
    view_note(&w, TMAP_REWRITE_SPLIT, (int)i, v->desc.dim[i], size);
    *out = w;
    return true;
}

/* A dimension of size 1 has no neighbours to be beside, so any other whose elements are side by
 * side can be the innermost: a permutation of the sum that is the address. Once only where the
 * first was widened: what takes its place was not. */
bool view_swap(const struct view *v, uint32_t i, struct view *out)
{
    const struct digit *first = &v->digit[0];
    if (i == 0 || i >= v->desc.rank || v->desc.interleave || v->desc.dim[0] != 1 || first->mod ||
        first->div != v->part.div || v->desc.elem_stride[0] != 1 || !plain(v, i) ||
        view_stride_bits(v, i) != view_stride_bits(v, 0))
        return false;
    *out = *v;
    out->desc.dim[0] = v->desc.dim[i];
    out->tile[0] = v->tile[i];
    out->grain[0] = v->grain[i];
    out->digit[0] = v->digit[i];
    out->desc.dim[i] = 1;
    out->tile[i] = v->tile[0];
    out->grain[i] = v->grain[0];
    out->digit[i] = v->digit[0];
    out->parted = v->part.div > 1;
    view_note(out, TMAP_REWRITE_SWAP, (int)i, 0, 0);
    return true;
}

/* x = es * (x / es) where coordinates are multiples of es: strides es times as long. */
bool view_unstride(const struct view *v, uint32_t i, struct view *out)
{
    const uint64_t es = v->desc.elem_stride[i];
    uint64_t far;
    if (i == 0 || es < 2 || v->desc.interleave || v->grain[i] % es ||
        __builtin_mul_overflow(es, v->desc.stride_bytes[i - 1], &far))
        return false;
    *out = *v;
    out->desc.dim[i] = (v->desc.dim[i] - 1) / es + 1;
    out->desc.stride_bytes[i - 1] = far;
    out->desc.elem_stride[i] = 1;
    out->tile[i] = (v->tile[i] - 1) / es + 1;
    out->grain[i] = v->grain[i] / es;
    out->digit[i].div *= es;
    view_note(out, TMAP_REWRITE_UNSTRIDE, (int)i, es, far);
    return true;
}

/* One step of an interleaved dimension 0 is one slice; of the dimension of slices, the last but
 * one, a copy takes exactly one (docs/LAYOUT.md). */
bool view_slices(const struct view *v, struct view *out)
{
    const uint32_t slice = layout_slice_bytes(v->desc.interleave), rank = v->desc.rank;
    const uint32_t bits = layout_gmem_bits(v->desc.dtype);
    if (slice == 0 || rank < 3 || rank == TMAP_MAX_RANK || bits == 0 || slice * 8 % bits ||
        bits != layout_smem_bits(v->desc.dtype))
        return false;
    *out = *v;
    for (uint32_t k = rank; k > 0; k--) {
        out->desc.dim[k] = v->desc.dim[k - 1];
        out->desc.elem_stride[k] = v->desc.elem_stride[k - 1];
        out->desc.stride_bytes[k - 1] = k > 1 ? v->desc.stride_bytes[k - 2] : slice;
        out->tile[k] = v->tile[k - 1];
        out->grain[k] = v->grain[k - 1];
        out->digit[k] = v->digit[k - 1];
    }
    out->desc.rank++;
    out->desc.interleave = TMAP_INTERLEAVE_NONE;
    out->desc.dim[0] = out->tile[0] = slice * 8 / bits;
    out->desc.elem_stride[0] = 1;
    out->grain[0] = 0;
    out->digit[0] = (struct digit){.slice = 1, .div = 1};
    view_note(out, TMAP_REWRITE_SLICES, 0, slice, out->desc.dim[0]);
    return true;
}

static int32_t twice(int32_t dtype)
{
    switch (layout_smem_bits(dtype)) {
    case 8:
        return TMAP_UINT16;
    case 16:
        return TMAP_UINT32;
    case 32:
        return TMAP_UINT64;
    default:
        return -1;
    }
}

static bool pair_up(const struct view *v, int32_t dtype, enum tmap_rewrite rewrite,
                    struct view *out)
{
    if (v->desc.dim[0] % 2 || v->tile[0] % 2 || v->grain[0] % 2) return false;
    if (v->desc.oob_fill != TMAP_OOB_NONE || v->desc.elem_stride[0] != 1 || v->parted) return false;
    *out = *v;
    out->part.div *= 2;
    memcpy(out->part.coef, v->digit[0].coef, sizeof out->part.coef);
    out->part.slice = v->digit[0].slice;
    out->desc.dtype = dtype;
    out->desc.dim[0] /= 2;
    out->tile[0] /= 2;
    out->grain[0] /= 2;
    out->digit[0].div *= 2;
    if (out->digit[0].mod) out->digit[0].mod /= 2;
    view_note(out, rewrite, 0, (uint64_t)v->desc.dtype, (uint64_t)dtype);
    return true;
}

/* These types change values on the way: rounding to tf32, denormals to zero. */
static bool changes_values(int32_t dtype)
{
    return dtype == TMAP_FLOAT32_FTZ || dtype == TMAP_TFLOAT32 || dtype == TMAP_TFLOAT32_FTZ;
}

/* x / 2 of elements twice as wide: the same bytes, where nothing starts or ends at an odd x. */
bool view_widen(const struct view *v, struct view *out)
{
    const int32_t dtype = twice(v->desc.dtype);
    if (dtype < 0 || changes_values(v->desc.dtype) ||
        layout_gmem_bits(v->desc.dtype) != layout_smem_bits(v->desc.dtype))
        return false;
    return pair_up(v, dtype, TMAP_REWRITE_WIDEN, out);
}

/* 16U4_ALIGN8B lies in shared memory as in global memory: two elements a byte. */
bool view_bytes(const struct view *v, struct view *out)
{
    if (v->desc.dtype != TMAP_16U4_ALIGN8B) return false;
    return pair_up(v, TMAP_UINT8, TMAP_REWRITE_BYTES, out);
}

void view_take_digit(const struct view *v, uint32_t i, struct tmap_plan_dim *dim)
{
    memcpy(dim->coef, v->digit[i].coef, sizeof dim->coef);
    dim->slice = v->digit[i].slice;
    dim->div = v->digit[i].div;
    dim->mod = v->digit[i].mod;
}

/* The tile, the grain and the rest are what the same digits make of the same request. */
bool view_equal(const struct view *a, const struct view *b)
{
    return a->desc.rank == b->desc.rank && a->desc.dtype == b->desc.dtype &&
           memcmp(a->desc.dim, b->desc.dim, sizeof a->desc.dim) == 0 &&
           memcmp(a->desc.stride_bytes, b->desc.stride_bytes, sizeof a->desc.stride_bytes) == 0 &&
           memcmp(a->desc.elem_stride, b->desc.elem_stride, sizeof a->desc.elem_stride) == 0 &&
           memcmp(a->digit, b->digit, sizeof a->digit) == 0;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

uint64_t view_hash(const struct view *v)
{
    uint64_t h = mix(v->desc.rank, (uint64_t)(uint32_t)v->desc.dtype);
    for (uint32_t i = 0; i < v->desc.rank; i++) {
        h = mix(mix(h, v->desc.dim[i]), view_stride_bits(v, i));
        h = mix(mix(h, v->tile[i]), v->digit[i].div);
    }
    return h;
}
