// Geometry of one copy: bytes signalled, shared rows, pitch, alignment, swizzle.
//
// Where it comes from: the tx bytes and the pitch of narrow rows were measured on an H200 (8000
// random loads completed with exactly these bytes); the driver's own figure inside the map rounds
// the element strides down instead of up and is not used. The shared alignment of 128 bytes is the
// PTX ISA's and faults when broken; the pattern alignment is eight spans (PTX ISA, swizzle modes).
#include "core/layout.h"
#include "expr/tables.h"

#include <string.h>

#define SMEM_ALIGN_BYTES 128u // PTX ISA: shared address of every tensor copy
#define WIDE_128_PIXELS 128u  // PTX ISA: im2col::w::128 always moves that many
#define PATTERN_ROWS 8u       // a swizzle repeats after eight spans

// The rows' own tables; what no enum has is 0, as callers ask about descriptors not yet judged.
static uint32_t entry(enum table_id table, int32_t index)
{
    return index >= 0 && index < TABLE_ENTRIES ? table_at(table, index) : 0;
}

uint32_t layout_smem_bits(int32_t dtype)
{
    return entry(TABLE_SIZE_BITS, dtype);
}
uint32_t layout_gmem_bits(int32_t dtype)
{
    return entry(TABLE_GMEM_BITS, dtype);
}
uint32_t layout_slice_bytes(int32_t interleave)
{
    return entry(TABLE_SLICE, interleave);
}
uint32_t layout_span_elements(int32_t swizzle, int32_t dtype)
{
    const uint32_t bits = layout_smem_bits(dtype);
    return bits ? layout_swizzle_span(swizzle) * 8 / bits : 0;
}

uint32_t layout_swizzle_span(int32_t swizzle)
{
    return entry(TABLE_SPAN, swizzle);
}

uint32_t layout_swizzle_atom(int32_t swizzle)
{
    switch (swizzle) {
// clang-format off
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) \
    case value: return atom_bytes;
#include "rules/enums.def"
    // clang-format on
    default:
        return 0;
    }
}

// The 128-byte line number, modulo the atoms in a span, is XORed onto the atom number. With a span
// of 32 or 64 bytes that is Swizzle<1,4,3> or Swizzle<2,4,3>; the atoms of 32 and 64 bytes follow
// the PTX ISA's table of swizzle atomicity (not seen on Hopper, whose driver refuses them).
uint64_t tmap_swizzle_address(int32_t swizzle, uint64_t address)
{
    const uint32_t span = layout_swizzle_span(swizzle), atom = layout_swizzle_atom(swizzle);
    if (span == 0) return address;
    const uint64_t line = address / SMEM_ALIGN_BYTES;
    uint64_t to = address ^ ((line % (span / atom)) * atom);
    if (swizzle == TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B) to ^= (line % 2) * 8;
    return to;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t ab;
    return __builtin_mul_overflow(a, b, &ab) ? UINT64_MAX : ab;
}

// The last byte that any row writes, for a base where the pattern starts. A swizzle moves bytes
// within their span: rows that fill it end where they would, and narrower ones each have a span of
// their own, so that the last row holds the last byte; slices share one, and then the last pattern
// is looked at whole. Rows wider than the span, and boxes that no memory could hold, are illegal;
// they are measured all the same, without their pattern.
static uint64_t last_byte(const struct tmap_desc *d, const struct tmap_layout *l)
{
    const uint64_t before = product(l->rows > 0 ? l->rows - 1 : 0, l->pitch_bytes);
    const uint64_t end = before > UINT64_MAX - l->row_bytes ? UINT64_MAX : before + l->row_bytes;
    const uint32_t span = layout_swizzle_span(d->swizzle);
    /* what stays together: an atom, but for the swizzle that also exchanges its halves of 16 bytes
     */
    const bool flips = d->swizzle == TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    const uint32_t atom = flips ? 8 : layout_swizzle_atom(d->swizzle);
    uint64_t last = end;
    const uint64_t look = l->pitch_bytes < span ? (uint64_t)PATTERN_ROWS * SMEM_ALIGN_BYTES : 0;
    if (l->row_bytes >= span || end == UINT64_MAX) return last;
    for (uint64_t row = before > look ? before - look : 0; row <= before; row += l->pitch_bytes)
        for (uint32_t at = 0; at < l->row_bytes; at += atom) {
            const uint64_t to = tmap_swizzle_address(d->swizzle, row + at);
            const uint32_t piece = l->row_bytes - at < atom ? l->row_bytes - at : atom;
            if (to + piece > last) last = to + piece;
        }
    return last;
}

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return b && a ? (a - 1) / b + 1 : a;
}

static void extents_tiled(const struct tmap_desc *d, bool sliced, struct tmap_layout *l)
{
    for (uint32_t i = 0; i < d->rank && i < TMAP_MAX_RANK; i++)
        l->extent[i] = ceil_div(d->box[i], i == 0 && !sliced ? 1 : d->elem_stride[i]);
    if (sliced && d->rank >= 2 && d->rank <= TMAP_MAX_RANK)
        l->extent[d->rank - 2] = 1; // whatever its box: seen for boxes of 1 to 256
}

static void extents_im2col(const struct tmap_desc *d, bool sliced, struct tmap_layout *l)
{
    const bool fixed = d->kind == TMAP_IM2COL_WIDE && d->mode == TMAP_WIDE_W128;
    l->extent[0] = sliced ? 1 : d->channels;
    l->extent[1] = fixed ? WIDE_128_PIXELS : d->pixels;
    for (uint32_t i = 2; i < d->rank && i < TMAP_MAX_RANK; i++) l->extent[i] = 1;
}

uint64_t layout_halo_rows(const struct tmap_desc *d, const struct tmap_use *use)
{
    if (d->kind != TMAP_IM2COL_WIDE || use->op != TMAP_OP_LOAD || !(use->flags & TMAP_USE_OFFSET))
        return 0;
    const bool fixed = d->mode == TMAP_WIDE_W128;
    return (uint64_t)use->offset[0] * (fixed ? WIDE_128_PIXELS / LAYOUT_HALO_EVERY : 1);
}

uint64_t layout_counted_bytes(const struct tmap_desc *d, uint64_t bytes)
{
    const uint64_t gmem = layout_gmem_bits(d->dtype), smem = layout_smem_bits(d->dtype);
    return d->interleave || gmem == smem ? bytes : bytes / smem * gmem + bytes % smem * gmem / smem;
}

void layout_of(const struct tmap_desc *d, struct tmap_layout *out)
{
    struct tmap_layout l;
    memset(&l, 0, sizeof l);
    const uint32_t slice = layout_slice_bytes(d->interleave);
    const uint32_t span = layout_swizzle_span(d->swizzle);
    if (d->kind == TMAP_TILED)
        extents_tiled(d, slice != 0, &l);
    else
        extents_im2col(d, slice != 0, &l);
    const uint64_t dense_bytes = (uint64_t)l.extent[0] * layout_smem_bits(d->dtype) / 8;
    l.row_bytes = slice ? slice : dense_bytes < UINT32_MAX ? (uint32_t)dense_bytes : UINT32_MAX;
    l.pitch_bytes = span > l.row_bytes && !slice ? span : l.row_bytes;
    l.rows = 1;
    for (uint32_t i = slice ? 0 : 1; i < d->rank && i < TMAP_MAX_RANK; i++)
        l.rows = product(l.rows, l.extent[i]);
    l.tx_bytes = layout_counted_bytes(d, product(l.rows, l.row_bytes));
    l.align_bytes = SMEM_ALIGN_BYTES;
    l.pattern_bytes = span ? PATTERN_ROWS * span : SMEM_ALIGN_BYTES;
    l.footprint_bytes = last_byte(d, &l);
    *out = l;
}
