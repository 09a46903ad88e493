/* Repair of im2col maps: strides and base as for tiled ones, the swizzle, and the channels copied
 * in several pieces. Corners and pixel counts say what a convolution reads: those are not changed.
 */
#include "solve/im2col.h"

#include "core/layout.h"

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
    uint64_t at = p->desc.dim[0] * layout_gmem_bits(p->desc.dtype) / 8;
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

/* The fewest pieces of the channels, all equal, that make the map legal. */
static bool settle_channels(const struct aim *aim, struct tmap_plan *p)
{
    const uint32_t wanted = aim->desc->channels;
    const uint32_t unit = 128 / layout_smem_bits(p->desc.dtype); /* tried, never trusted */
    for (uint32_t n = 1; n <= wanted; n++) {
        const uint32_t piece = (uint32_t)round_up((wanted + n - 1) / n, unit ? unit : 1);
        p->desc.channels = piece;
        p->copies = p->dim[0].copies = n;
        p->dim[0].step = piece;
        if (tmap_verdict_of(aim->checker, &p->desc) == TMAP_LEGAL) return true;
        if (piece <= unit) break;
    }
    return false;
}

static void sum_costs(const struct aim *aim, struct tmap_plan *p)
{
    struct tmap_layout l;
    layout_of(&p->desc, &l);
    const uint64_t useful =
        (uint64_t)aim->desc->channels * aim->desc->pixels * layout_smem_bits(p->desc.dtype) / 8;
    if (p->copies > 1)
        note(p, TMAP_REWRITE_SPLIT_BOX, 0, aim->desc->channels, p->desc.channels);
    else if (p->desc.channels != aim->desc->channels)
        note(p, TMAP_REWRITE_GROW_BOX, 0, aim->desc->channels, p->desc.channels);
    p->slot_bytes = round_up(l.footprint_bytes, l.align_bytes);
    p->tx_bytes = l.tx_bytes * p->copies;
    p->cost.extra_instructions = p->copies - 1;
    p->cost.wasted_traffic_bytes = p->tx_bytes > useful ? p->tx_bytes - useful : 0;
    const uint64_t shared = (p->copies - 1) * p->slot_bytes + l.footprint_bytes;
    p->cost.wasted_shared_bytes = shared > useful ? shared - useful : 0;
    p->cost.layout_changes =
        (uint32_t)(p->desc.swizzle != aim->desc->swizzle) + (uint32_t)(p->copies > 1);
}

/* Channels are fetched in whole tiles, as boxes are; pixels from anywhere. */
static uint64_t grain_of(const struct aim *aim, uint32_t i)
{
    if (aim->wish && aim->wish->grain[i]) return aim->wish->grain[i];
    if (i > 0) return 1;
    return aim->desc->channels >= aim->desc->dim[0] ? 0 : aim->desc->channels;
}

bool im2col_best(const struct aim *aim, const struct limits *l, int32_t swizzle, bool copy,
                 struct tmap_plan *p)
{
    memset(p, 0, sizeof *p);
    p->desc = *aim->desc;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        p->dim[i] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1};
        p->dim[i].coef[i] = 1;
        p->grain[i] = grain_of(aim, i);
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
    if (!settle_channels(aim, p)) return false;
    sum_costs(aim, p);
    return true;
}
