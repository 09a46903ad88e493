/* The best fields for one view. Each rule is an interval or a congruence once type, swizzle and
 * structure are fixed, so the nearest legal values are closed forms in the limits; what a closed
 * form proposes, the checker confirms. */
#include "solve/fields.h"

#include "core/arith.h"
#include "core/layout.h"
#include "expr/field.h"

#include <string.h>

#define WIDEST_BITS 64u /* of the widest element there is */

static bool has_one(const struct view *v, uint32_t dim)
{
    return v->desc.dim[dim] == 1;
}

/* Whether a stride, rounded up, is below what the map can say. */
static bool stride_fits(const struct draft *d, uint64_t s)
{
    struct tmap_desc probe = d->l->plain;
    if (s > UINT64_MAX - d->l->stride_unit) return false;
    probe.stride_bytes[0] = round_up(s, d->l->stride_unit);
    return s < (UINT64_C(1) << 32) || tmap_verdict_of(d->objective->checker, &probe) == TMAP_LEGAL;
}

/* What a stride that is a plan's own choice is rounded up to. A tile's synthesis ranks whole
 * sectors, a repair the least change of the tensor ("pad K to 136"). */
static uint32_t row_unit(const struct draft *d)
{
    const uint32_t unit = d->l->stride_unit;
    return d->objective->any_layout && unit < SECTOR_BYTES ? SECTOR_BYTES : unit;
}

/* Strides of size-1 dimensions are canonical for nothing; any other that is off needs the copy. */
static bool settle_strides(struct draft *d)
{
    const uint32_t unit = row_unit(d);
    struct tmap_desc *desc = &d->p->desc;
    for (uint32_t i = 0; i + 1 < desc->rank; i++) {
        const uint64_t s = desc->stride_bytes[i];
        const bool sayable = stride_fits(d, s);
        if (s % d->l->stride_unit == 0 && sayable) continue;
        if (!has_one(d->v, i + 1)) return false;
        desc->stride_bytes[i] = sayable ? round_up(s, unit) : unit;
        cut_note(d, TMAP_REWRITE_CANONICAL, (int)i + 1, s, desc->stride_bytes[i]);
    }
    return true;
}

static bool has_whole_groups(const struct draft *d)
{
    return d->p->desc.dim[0] % d->l->dim_unit == 0;
}

/* A row of a copy can hold more elements than the tensor's, zeros, where the type comes in groups.
 */
static void pad_dim(struct draft *d)
{
    uint64_t *dim = &d->p->desc.dim[0];
    const uint64_t was = *dim;
    if (has_whole_groups(d)) return;
    *dim = round_up(was, d->l->dim_unit);
    cut_note(d, TMAP_REWRITE_PAD, 0, was, *dim);
}

/* Bytes of a row of the tensor, its elements side by side; UINT64_MAX: more than can be counted. */
static uint64_t row_bytes(const struct tmap_desc *desc)
{
    const uint32_t slice = layout_slice_bytes(desc->interleave);
    uint64_t bits = slice ? slice * 8 : layout_gmem_bits(desc->dtype);
    return __builtin_mul_overflow(desc->dim[0], bits, &bits) ? UINT64_MAX : ceil_div(bits, 8);
}

/* A dense copy with rows rounded up; what was broadcast stays so. */
static bool settle_copy(struct draft *d)
{
    struct tmap_desc *desc = &d->p->desc;
    const uint64_t row = desc->rank > 1 ? desc->stride_bytes[0] : row_bytes(desc);
    pad_dim(d);
    uint64_t at = row_bytes(desc);
    if (at == UINT64_MAX) return false;
    for (uint32_t i = 0; i + 1 < desc->rank; i++) {
        at = round_up(at, row_unit(d));
        if (desc->stride_bytes[i] == 0 && desc->dim[i + 1] != 1) continue;
        desc->stride_bytes[i] = at;
        if (__builtin_mul_overflow(at, desc->dim[i + 1], &at)) return false;
    }
    desc->address = round_up(desc->address, d->l->address_unit * 8u); /* stands for the new one */
    desc->flags &= ~(uint32_t)TMAP_HAS_ALLOCATION;
    d->p->allocation_bytes = at;
    d->p->cost.kind = TMAP_PLAN_PADDING;
    d->p->cost.copied_bytes = d->objective->tensor_bytes;
    cut_note(d, TMAP_REWRITE_COPY, -1, row, desc->rank > 1 ? desc->stride_bytes[0] : at);
    return true;
}

/* A map that begins up to address_unit - 1 bytes before the tensor: the tile then starts inside the
 * box. Loads only, and only where the bytes before the tensor are known to be readable. */
static bool settle_address(struct draft *d)
{
    struct tmap_desc *desc = &d->p->desc;
    const uint64_t off = desc->address % d->l->address_unit;
    const uint32_t bits = layout_gmem_bits(desc->dtype);
    if (off == 0) return true;
    if (d->objective->stores || d->objective->reader || desc->interleave || off * 8 % bits ||
        d->v->digit[0].mod)
        return false;
    if ((desc->flags & TMAP_HAS_ALLOCATION) && desc->address - off < desc->allocation_base)
        return false;
    const uint64_t shift = off * 8 / bits;
    desc->address -= off;
    desc->dim[0] += shift;
    d->tile[0] += shift;
    d->p->dim[0].shift = (uint32_t)shift;
    cut_note(d, TMAP_REWRITE_SHIFT_BASE, 0, off, shift);
    return true;
}

/* Where tiles start between two legal coordinates, the box starts before the tile. */
static bool settle_coord(struct draft *d)
{
    const uint32_t unit = d->l->coord_unit;
    const uint64_t grain = d->v->grain[0];
    d->p->dim[0].round = 1;
    if (grain % unit == 0) return true;
    if (d->v->desc.interleave && d->v->desc.kind != TMAP_TILED) return false; /* one slice */
    if (d->objective->stores || d->objective->reader) return false;
    if (d->v->desc.interleave && gcd(grain, unit) % d->v->desc.elem_stride[0])
        return false; /* the copy would step over the tile's first element */
    d->tile[0] += unit - gcd(grain, unit);
    d->p->dim[0].round = unit;
    cut_note(d, TMAP_REWRITE_ROUND_COORD, 0, grain, unit);
    return true;
}

static void note_boxes(struct draft *d)
{
    cut_take_boxes(d, d->p);
    for (uint32_t i = 0; i < d->v->desc.rank; i++) {
        const struct tmap_plan_dim *dim = &d->p->dim[i];
        if (dim->copies > 1)
            cut_note(d, TMAP_REWRITE_SPLIT_BOX, (int)i, d->v->tile[i], dim->step);
        else if (dim->step != d->v->tile[i])
            cut_note(d, TMAP_REWRITE_GROW_BOX, (int)i, d->v->tile[i], dim->step);
        if (dim->tail) cut_note(d, TMAP_REWRITE_LAST_BOX, (int)i, dim->step, dim->tail);
    }
}

/* What the copies move and where they land. */
static void measure(struct draft *d)
{
    struct tmap_plan *p = d->p;
    struct tmap_layout l;
    layout_of(&p->desc, &l);
    p->copies = (uint32_t)(p->cost.extra_instructions + 1);
    p->slot_bytes = round_up(l.footprint_bytes, l.align_bytes);
    p->tx_bytes = cut_bytes(d);
}

static void take_part(const struct view *v, struct tmap_plan *p)
{
    p->part_of = v->part.div;
    memcpy(p->part_coef, v->part.coef, sizeof p->part_coef);
    p->part_slice = v->part.slice;
}

void fields_of_view(const struct view *v, uint32_t inner_unit, struct tmap_plan *p)
{
    memset(p, 0, sizeof *p);
    p->desc = v->desc;
    p->copies = 1;
    take_part(v, p);
    for (uint32_t i = 0; i < v->desc.rank; i++) {
        struct tmap_plan_dim *dim = &p->dim[i];
        const uint64_t box = i ? v->tile[i] : round_up(v->tile[0], inner_unit ? inner_unit : 1);
        view_take_digit(v, i, dim);
        dim->round = dim->copies = 1;
        dim->step = p->desc.box[i] = box < UINT32_MAX ? (uint32_t)box : UINT32_MAX;
    }
}

static void start_plan(struct draft *d, int32_t swizzle)
{
    struct tmap_plan *p = d->p;
    memset(p, 0, sizeof *p);
    p->desc = d->v->desc;
    p->step_count = d->v->step_count < VIEW_STEPS ? d->v->step_count : VIEW_STEPS;
    memcpy(p->step, d->v->step, sizeof d->v->step);
    take_part(d->v, p);
    p->cost.steps = d->v->step_count;
    for (uint32_t i = 0; i < d->objective->desc->rank; i++)
        p->grain[i] = view_grain(d->objective->desc, d->objective->request, i);
    if (p->desc.swizzle != swizzle)
        cut_note(d, TMAP_REWRITE_SWIZZLE, -1, (uint64_t)p->desc.swizzle, (uint64_t)swizzle);
    if (d->objective->desc->swizzle != swizzle && !d->objective->any_layout)
        p->cost.layout_changes++;
    p->desc.swizzle = swizzle;
    memcpy(d->tile, d->v->tile, sizeof d->tile);
}

bool fields_rows_are_the_tiles(const struct view *v)
{
    for (int k = 1; k < TMAP_MAX_RANK; k++)
        if (v->digit[0].coef[k]) return false;
    return v->desc.rank < 2 || v->digit[1].coef[0] == 0;
}

bool fields_settle(struct draft *d, int32_t swizzle, bool copy)
{
    struct tmap_plan *p = d->p;
    start_plan(d, swizzle);
    if (p->desc.elem_stride[0] != 1 && p->desc.interleave == TMAP_INTERLEAVE_NONE) {
        cut_note(d, TMAP_REWRITE_IGNORED, 0, p->desc.elem_stride[0], 1);
        p->step[p->step_count - 1].field = FIELD_ESTRIDE;
        p->desc.elem_stride[0] = 1;
    }
    if (copy ? !settle_copy(d) : !has_whole_groups(d) || !settle_strides(d) || !settle_address(d))
        return false;
    return settle_coord(d);
}

bool fields_best(const struct objective *objective, struct limits *limits, const struct view *view,
                 int32_t swizzle, bool copy, const struct tmap_cost *worst, struct tmap_plan *out)
{
    struct draft d = {.objective = objective, .l = limits, .v = view, .p = out, .worst = worst};
    if (!limits->known || limits_inner(objective, limits, swizzle) == 0) return false;
    if (objective->exact && !fields_rows_are_the_tiles(view)) return false;
    if (!fields_settle(&d, swizzle, copy)) return false;
    if (!cut_best(&d)) return false;
    note_boxes(&d);
    measure(&d);
    return true;
}

/* Whether no rewrite can do away with a stride that is off: merging with a dimension that ends
 * where the next index begins, exchanging one whose elements are side by side, a longer stride. */
static bool stays(const struct view *v, uint32_t i)
{
    const uint64_t stride = view_stride_bits(v, i);
    if (has_one(v, i) || v->desc.elem_stride[i] > 1 || stride <= WIDEST_BITS) return false;
    for (uint32_t k = 0; k < i; k++)
        if (v->tile[k] == v->desc.dim[k] && v->grain[k] == 0 && stride % v->desc.dim[k] == 0 &&
            stride / v->desc.dim[k] == view_stride_bits(v, k))
            return false;
    return true;
}

/* Whether some row of some tile begins between two units of memory: a copy brings whole units into
 * whole units of shared memory, where the rows of the request begin. */
static bool rows_are_off(const struct objective *a, const struct limits *l)
{
    const struct tmap_desc *d = a->desc;
    if (d->address % l->address_unit) return true;
    for (uint32_t i = 0; i < d->rank && d->kind == TMAP_TILED && !d->interleave; i++) {
        const uint64_t grain = view_grain(d, a->request, i), es = i ? d->elem_stride[i] : 1;
        if (i == 0 ? grain % l->coord_unit != 0
                   : d->dim[i] > 1 && (grain % l->stride_unit * d->stride_bytes[i - 1] +
                                       (d->box[i] > es ? es * d->stride_bytes[i - 1] : 0)) %
                                          l->stride_unit)
            return true;
    }
    return false;
}

void fields_measure_kept(struct objective *a, const struct limits *l)
{
    struct tmap_desc rounded = *a->desc;
    struct tmap_layout rows;
    uint32_t *row = rounded.kind == TMAP_TILED ? &rounded.box[0] : &rounded.channels;
    memset(&a->kept, 0, sizeof a->kept);
    if (a->any_layout || !l->known) return;
    a->inner_unit = l->inner_unit;
    if (!rounded.interleave && *row < UINT32_MAX - l->inner_unit)
        *row = (uint32_t)round_up(*row, l->inner_unit);
    layout_of(&rounded, &rows);
    if (rows.tx_bytes > a->useful_bytes)
        a->kept.wasted_traffic_bytes = rows.tx_bytes - a->useful_bytes;
    if (rows.footprint_bytes > a->useful_bytes)
        a->kept.wasted_shared_bytes = rows.footprint_bytes - a->useful_bytes;
    a->kept.layout_changes = rows_are_off(a, l);
}

struct tmap_cost fields_bound(const struct objective *objective, const struct limits *limits,
                              const struct view *view)
{
    struct tmap_cost c = {.steps = view->step_count};
    if (!limits->known) return c; /* the type is refused whatever the units: there are none */
    c.extra_instructions = (objective->useful_bytes - 1) / limits->max_bytes;
    bool off = objective->stores && view->desc.address % limits->address_unit;
    for (uint32_t i = 0; i + 1 < view->desc.rank; i++)
        off = off || (view->desc.stride_bytes[i] % limits->stride_unit && stays(view, i + 1));
    if (off) {
        c.kind = TMAP_PLAN_PADDING;
        c.copied_bytes = objective->tensor_bytes;
    } else if (objective->kept.layout_changes) {
        c.layout_changes = 1;
        return c;
    }
    c.wasted_traffic_bytes = objective->kept.wasted_traffic_bytes;
    c.wasted_shared_bytes = objective->kept.wasted_shared_bytes;
    return c;
}
