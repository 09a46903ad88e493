/* Repair of im2col maps: strides and base as for tiled ones, the swizzle, and the channels copied
 * in several pieces, from a coordinate that may be. Corners and pixel counts say what a convolution
 * reads: those are not changed. */
#include "solve/im2col.h"

#include "core/layout.h"
#include "expr/field.h"

#include <string.h>

#define SWIZZLES 7

static uint64_t round_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b * b;
}

static void note(struct tmap_plan *p, enum tmap_rewrite rewrite, int index, uint64_t from,
                 uint64_t to)
{
    if (p->step_count < TMAP_PLAN_STEPS)
        p->step[p->step_count++] =
            (struct tmap_plan_step){(uint8_t)rewrite, (int8_t)index, 0, from, to};
    p->cost.steps++;
}

static bool settle_strides(struct tmap_plan *p, const struct limits *l)
{
    for (uint32_t i = 0; i + 1 < p->desc.rank; i++) {
        const uint64_t s = p->desc.stride_bytes[i];
        if (s % l->stride_unit == 0) continue;
        if (p->desc.dim[i + 1] != 1) return false;
        p->desc.stride_bytes[i] = round_up(s, l->stride_unit);
        note(p, TMAP_REWRITE_CANONICAL, (int)i + 1, s, p->desc.stride_bytes[i]);
    }
    return p->desc.address % l->address_unit == 0;
}

static void settle_copy(struct tmap_plan *p, const struct limits *l, uint64_t tensor_bytes)
{
    const uint64_t was = p->desc.rank > 1 ? p->desc.stride_bytes[0] : 0;
    const uint32_t slice = layout_slice_bytes(p->desc.interleave);
    uint64_t at = p->desc.dim[0] * (slice ? slice * 8 : layout_gmem_bits(p->desc.dtype)) / 8;
    for (uint32_t i = 0; i + 1 < p->desc.rank; i++) {
        at = round_up(at, l->stride_unit);
        p->desc.stride_bytes[i] = at;
        at *= p->desc.dim[i + 1];
    }
    p->desc.address = round_up(p->desc.address, l->address_unit * 8u);
    p->allocation_bytes = at;
    p->cost.kind = TMAP_PLAN_PADDING;
    p->cost.copied_bytes = tensor_bytes;
    note(p, TMAP_REWRITE_COPY, -1, was, p->desc.stride_bytes[0]);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Where tiles start between two legal coordinates, the copies start before the tile. */
static bool settle_coord(const struct aim *aim, const struct limits *l, struct tmap_plan *p,
                         uint32_t *wanted)
{
    const uint64_t grain = p->grain[0];
    if (p->desc.interleave || grain % l->coord_unit == 0) return true;
    if (aim->stores) return false;
    *wanted += l->coord_unit - (uint32_t)gcd(grain, l->coord_unit);
    p->dim[0].round = l->coord_unit;
    note(p, TMAP_REWRITE_ROUND_COORD, 0, grain, l->coord_unit);
    return true;
}

/* A load may bring more channels than are wanted. A store may where they are all there are: nothing
 * is written beyond the tensor, if its rows are whole units (docs/SIMULATOR.md). */
static bool may_pass(const struct aim *aim, const struct limits *l, const struct tmap_plan *p)
{
    const uint64_t channels = p->desc.dim[0];
    return !aim->stores ||
           (p->grain[0] == 0 && aim->desc->channels >= channels && channels % l->inner_unit == 0);
}

/* A copy brings one slice whatever channels says (src/core/layout.c), so any legal number does. */
static bool settle_slices(const struct aim *aim, struct tmap_plan *p, uint32_t unit)
{
    p->desc.channels = (uint32_t)round_up(aim->desc->channels, unit);
    if (tmap_verdict_of(aim->checker, &p->desc) != TMAP_LEGAL) p->desc.channels = unit;
    p->copies = p->dim[0].step = 1;
    return tmap_verdict_of(aim->checker, &p->desc) == TMAP_LEGAL;
}

/* The fewest pieces of the channels, all equal, that make the map legal. */
static bool settle_channels(const struct aim *aim, const struct limits *l, struct tmap_plan *p,
                            uint32_t wanted)
{
    const uint32_t bits = layout_smem_bits(p->desc.dtype);
    const uint32_t unit = bits && bits < 128 ? 128 / bits : 1; /* tried, never trusted */
    if (p->desc.interleave) return settle_slices(aim, p, unit);
    for (uint32_t n = 1; n <= wanted; n++) {
        const uint32_t piece = (uint32_t)round_up((wanted + n - 1) / n, unit);
        p->desc.channels = piece;
        p->copies = p->dim[0].copies = n;
        p->dim[0].step = piece;
        const bool serves = (uint64_t)n * piece == wanted || may_pass(aim, l, p);
        if (serves && tmap_verdict_of(aim->checker, &p->desc) == TMAP_LEGAL) return true;
        if (piece <= unit) break;
    }
    return false;
}

static void sum_costs(const struct aim *aim, struct tmap_plan *p)
{
    struct tmap_layout l;
    layout_of(&p->desc, &l);
    const uint64_t useful = aim->useful_bytes;
    if (p->copies > 1)
        note(p, TMAP_REWRITE_SPLIT_BOX, 0, aim->desc->channels, p->desc.channels);
    else if (p->desc.interleave && p->desc.channels != aim->desc->channels) {
        note(p, TMAP_REWRITE_IGNORED, -1, aim->desc->channels, p->desc.channels);
        p->step[p->step_count - 1].field = FIELD_CHANNELS;
    } else if (p->desc.channels != aim->desc->channels)
        note(p, TMAP_REWRITE_GROW_BOX, 0, aim->desc->channels, p->desc.channels);
    p->slot_bytes = round_up(l.footprint_bytes, l.align_bytes);
    p->tx_bytes = l.tx_bytes * p->copies;
    p->cost.extra_instructions = p->copies - 1;
    p->cost.wasted_traffic_bytes = p->tx_bytes > useful ? p->tx_bytes - useful : 0;
    const uint64_t shared = (p->copies - 1) * p->slot_bytes + l.footprint_bytes;
    p->cost.wasted_shared_bytes = shared > useful ? shared - useful : 0;
    p->cost.layout_changes = (uint32_t)(p->desc.swizzle != aim->desc->swizzle) +
                             (uint32_t)(p->copies > 1) + (uint32_t)(p->dim[0].round > 1);
}

uint64_t im2col_grain(const struct aim *aim, uint32_t i)
{
    if (aim->wish && aim->wish->grain[i]) return aim->wish->grain[i];
    if (i > 0 || aim->desc->interleave) return 1;
    return aim->desc->channels >= aim->desc->dim[0] ? 0 : aim->desc->channels;
}

bool im2col_best(const struct aim *aim, const struct limits *l, int32_t swizzle, bool copy,
                 struct tmap_plan *p)
{
    uint32_t wanted = aim->desc->channels;
    memset(p, 0, sizeof *p);
    p->desc = *aim->desc;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        p->dim[i] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1};
        p->dim[i].coef[i] = 1;
        p->grain[i] = im2col_grain(aim, i);
    }
    if (swizzle != p->desc.swizzle)
        note(p, TMAP_REWRITE_SWIZZLE, -1, (uint64_t)p->desc.swizzle, (uint64_t)swizzle);
    p->desc.swizzle = swizzle;
    if (p->desc.elem_stride[0] != 1 && p->desc.interleave == TMAP_INTERLEAVE_NONE)
        p->desc.elem_stride[0] = 1;
    if (copy)
        settle_copy(p, l, aim->tensor_bytes);
    else if (!settle_strides(p, l))
        return false;
    if (!settle_coord(aim, l, p, &wanted) || !settle_channels(aim, l, p, wanted)) return false;
    sum_costs(aim, p);
    return true;
}
