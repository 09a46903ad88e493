/* Derived quantities: extents, nesting, and what a use needs of its descriptor and its target. */
#include "core/derive.h"
#include "core/forms.h"
#include "core/layout.h"
#include "expr/field.h"
#include "expr/tables.h"
#include "rules/sets.def"

#include <string.h>

static bool measurable(const struct tmap_desc *d)
{
    return d->rank >= 1 && d->rank <= TMAP_MAX_RANK && d->dtype >= 0 && d->dtype < TABLE_ENTRIES;
}

/* Bytes of the innermost dimension, which is dense; a last half byte counts as one. */
static int128 row_bytes(const struct tmap_desc *d)
{
    return ((int128)d->dim[0] * table_gmem_bits[d->dtype] + 7) / 8;
}

static uint64_t saturated(uint128 n)
{
    return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

void derive_extent(const struct tmap_desc *d, struct derived *out)
{
    out->extent_bytes = out->last_byte = 0;
    if (!measurable(d) || d->dim[0] == 0) return;
    const uint128 beyond = (uint128)1 << 65; /* and each term is below 2^128 - 2^65 */
    uint128 sum = (uint128)row_bytes(d);
    for (uint32_t i = 1; i < d->rank; i++) {
        if (d->dim[i] == 0) return;
        if (sum < beyond) sum += (uint128)(d->dim[i] - 1) * d->stride_bytes[i - 1];
    }
    out->extent_bytes = saturated(sum);
    out->last_byte = saturated(sum - 1);
}

/* Dimensions 1.. in order of stride, those of size 1 left out; their number. */
static int by_stride(const struct tmap_desc *d, int order[TMAP_MAX_RANK])
{
    int n = 0;
    for (int i = 1; i < (int)d->rank; i++) {
        if (d->dim[i] <= 1) continue;
        int at = n++;
        for (; at > 0 && d->stride_bytes[order[at - 1] - 1] > d->stride_bytes[i - 1]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}

void derive_nesting(const struct tmap_desc *d, struct derived *out)
{
    out->nested = out->dense = 0;
    if (!measurable(d)) return;
    int order[TMAP_MAX_RANK];
    const int n = by_stride(d, order);
    uint128 block =
        (uint128)row_bytes(d); /* below 2^72; a product of two members is below 2^128 - 2^65 */
    bool nested = true, dense = true;
    for (int k = 0; k < n; k++) {
        const uint64_t stride = d->stride_bytes[order[k] - 1];
        nested = nested && stride >= block;
        dense = dense && stride == block;
        if (block > UINT64_MAX) block = UINT64_MAX; /* beyond any stride */
        block += (uint128)(d->dim[order[k]] - 1) * stride;
    }
    out->nested = nested;
    out->dense = nested && dense;
}

static bool is_reduce(uint32_t op)
{
    return op >= TMAP_OP_REDUCE_ADD && op <= TMAP_OP_REDUCE_XOR;
}

static int load_form(const struct tmap_desc *d, bool cta)
{
    if (d->kind == TMAP_IM2COL)
        return cta ? TMAP_FORM_IM2COL_LOAD_CTA : TMAP_FORM_IM2COL_LOAD_CLUSTER;
    if (d->kind != TMAP_IM2COL_WIDE)
        return cta ? TMAP_FORM_TILE_LOAD_CTA : TMAP_FORM_TILE_LOAD_CLUSTER;
    if (d->mode == TMAP_WIDE_W128)
        return cta ? TMAP_FORM_IM2COL_W128_LOAD_CTA : TMAP_FORM_IM2COL_W128_LOAD_CLUSTER;
    return cta ? TMAP_FORM_IM2COL_W_LOAD_CTA : TMAP_FORM_IM2COL_W_LOAD_CLUSTER;
}

static int store_form(const struct tmap_desc *d, uint32_t op)
{
    if (d->kind == TMAP_IM2COL_WIDE)
        return is_reduce(op) ? TMAP_FORM_IM2COL_W_REDUCE : TMAP_FORM_IM2COL_W_STORE;
    if (!is_reduce(op))
        return d->kind == TMAP_IM2COL ? TMAP_FORM_IM2COL_STORE : TMAP_FORM_TILE_STORE;
    static const int tile[] = {TMAP_FORM_TILE_REDUCE_ADD, TMAP_FORM_TILE_REDUCE_MIN,
                               TMAP_FORM_TILE_REDUCE_MAX, TMAP_FORM_TILE_REDUCE_INC,
                               TMAP_FORM_TILE_REDUCE_DEC, TMAP_FORM_TILE_REDUCE_AND,
                               TMAP_FORM_TILE_REDUCE_OR,  TMAP_FORM_TILE_REDUCE_XOR};
    static const int im2col[] = {TMAP_FORM_IM2COL_REDUCE_ADD, TMAP_FORM_IM2COL_REDUCE_MIN,
                                 TMAP_FORM_IM2COL_REDUCE_MAX, TMAP_FORM_IM2COL_REDUCE_INC,
                                 TMAP_FORM_IM2COL_REDUCE_DEC, TMAP_FORM_IM2COL_REDUCE_AND,
                                 TMAP_FORM_IM2COL_REDUCE_OR,  TMAP_FORM_IM2COL_REDUCE_XOR};
    return (d->kind == TMAP_IM2COL ? im2col : tile)[op - TMAP_OP_REDUCE_ADD];
}

static int prefetch_form(const struct tmap_desc *d)
{
    if (d->kind == TMAP_IM2COL) return TMAP_FORM_IM2COL_PREFETCH;
    if (d->kind != TMAP_IM2COL_WIDE) return TMAP_FORM_TILE_PREFETCH;
    return d->mode == TMAP_WIDE_W128 ? TMAP_FORM_IM2COL_W128_PREFETCH : TMAP_FORM_IM2COL_W_PREFETCH;
}

/* The instruction form of a use; -1 where it is no copy. */
static int form_of(const struct tmap_desc *d, const struct tmap_use *u)
{
    const bool cta = (u->flags & TMAP_USE_CTA_DST) != 0;
    switch (u->op) {
    case TMAP_OP_LOAD:
        return load_form(d, cta);
    case TMAP_OP_GATHER4:
        return cta ? TMAP_FORM_GATHER4_LOAD_CTA : TMAP_FORM_GATHER4_LOAD_CLUSTER;
    case TMAP_OP_SCATTER4:
        return TMAP_FORM_SCATTER4_STORE;
    case TMAP_OP_PREFETCH:
        return prefetch_form(d);
    default:
        return u->op == TMAP_OP_STORE || is_reduce(u->op) ? store_form(d, u->op) : -1;
    }
}

/* Of a multicast: a mask that has a bit for each destination. */
static int multicast_form(const struct tmap_use *u)
{
    if (u->multicast <= 1) return -1;
    return u->multicast > CTA_MASK_BITS ? TMAP_FORM_MOD_MULTICAST_32B : TMAP_FORM_MOD_MULTICAST;
}

/* The least PTX version that has every part of the use's form on the target; 0 where none has. */
static uint32_t form_ptx(const struct tmap_target *target, const struct tmap_desc *d,
                         const struct tmap_use *u)
{
    const int parts[] = {form_of(d, u), multicast_form(u),
                         u->cta_group == 1   ? TMAP_FORM_MOD_CTA_GROUP_1
                         : u->cta_group == 2 ? TMAP_FORM_MOD_CTA_GROUP_2
                                             : -1};
    uint32_t least = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        uint32_t ptx = 0;
        if (parts[i] < 0) continue;
        tmap_form_available((enum tmap_form)parts[i], target, &ptx);
        if (ptx == 0) return 0;
        if (ptx > least) least = ptx;
    }
    return least;
}

static bool has_layout(const struct tmap_desc *d)
{
    const bool sliced = d->interleave != TMAP_INTERLEAVE_NONE;
    return measurable(d) && (unsigned)d->interleave <= TMAP_INTERLEAVE_32B &&
           (unsigned)d->swizzle <= TMAP_SWIZZLE_128B_ATOM_64B &&
           d->rank >= (sliced || d->kind != TMAP_TILED ? 3u : 1u);
}

void derive_use(const struct tmap_target *target, const struct tmap_desc *d,
                const struct tmap_use *u, struct derived *out)
{
    struct tmap_layout layout;
    memset(&layout, 0, sizeof layout);
    memset(out, 0, sizeof *out);
    if (has_layout(d)) layout_of(d, &layout);
    const bool by_row = u->op == TMAP_OP_GATHER4 || u->op == TMAP_OP_SCATTER4;
    const uint64_t rows_factor =
        by_row ? 4 : 1; /* the box is one row, the instruction names four */
    const uint64_t halo = has_layout(d) ? layout_halo_rows(d, u) : 0;
    out->tx_bytes =
        layout.tx_bytes * rows_factor + layout_counted_bytes(d, halo * layout.row_bytes);
    out->footprint_bytes =
        (by_row ? (uint64_t)layout.pitch_bytes * rows_factor : layout.footprint_bytes) +
        halo * layout.pitch_bytes;
    out->pattern_bytes = layout.pattern_bytes;
    out->rows = layout.rows;
    derive_extent(d, out);
    derive_nesting(d, out);
    out->form_ptx = form_ptx(target, d, u);
    tmap_capacity(target->arch, &out->smem_capacity, &out->tmem_capacity);
}

void tmap_derive_use(const struct tmap_target *target, const struct tmap_desc *desc,
                     const struct tmap_use *use, struct derived *out)
{
    derive_use(target, desc, use, out);
}
