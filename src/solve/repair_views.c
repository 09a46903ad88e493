/* The views of a search: each is kept once, in the caller's memory; what follows from one by one
 * more rewrite; and what the log is told. */
#include "solve/repair_views.h"

#include "core/arith.h"
#include "core/layout.h"
#include "solve/im2col.h"
#include "solve/tile_layout.h"

#include <string.h>

#define MAX_REWRITES 6
#define MOST_VIEWS 1200u /* one descriptor in a hundred has more: its search is not closed */
#define MOST_PIECE 1000u /* of a split, or its cofactor: the pieces tried */

static void note_event(struct search *s, const struct tmap_search_event *event)
{
    struct tmap_search_log *l = s->log;
    if (l && l->count < l->capacity) l->events[l->count] = *event;
    if (l) l->count++;
}

static void note_limits(struct search *s, unsigned set, struct limits *l)
{
    struct tmap_search_event e = {.kind = TMAP_SEARCH_LIMITS, .number = set};
    if (!s->log) return;
    e.u.limits = (struct tmap_search_limits){.known = l->known,
                                             .max_box = l->max_box,
                                             .inner_unit = l->inner_unit,
                                             .coord_unit = l->coord_unit};
    for (int32_t w = 0; w < SWIZZLES; w++)
        e.u.limits.max_inner[w] = l->known ? limits_inner(&s->objective, l, w) : 0;
    note_event(s, &e);
}

void search_note_cost(struct search *s, enum tmap_search_kind kind, uint32_t state,
                      const struct tmap_cost *c)
{
    const struct tmap_search_event e = {.kind = kind, .number = state, .u.cost = *c};
    note_event(s, &e);
}

void search_note_objective(struct search *s)
{
    const struct tmap_request *w = s->objective.request;
    const struct tmap_search_event e = {.kind = TMAP_SEARCH_OBJECTIVE,
                                        .u.objective = {.useful_bytes = s->objective.useful_bytes,
                                                        .tensor_bytes = s->objective.tensor_bytes,
                                                        .swizzle = s->objective.desc->swizzle,
                                                        .stores = s->objective.stores,
                                                        .keep_swizzle = w && w->keep_swizzle,
                                                        .no_copy = w && w->no_copy,
                                                        .decided = s->decision->decided}};
    note_event(s, &e);
}

struct limits *search_limits(struct search *s, const struct view *v)
{
    struct limit_sets *t = s->sets;
    unsigned i = 0;
    while (i < t->count && (t->dtype[i] != v->desc.dtype || t->interleave[i] != v->desc.interleave))
        i++;
    if (i < t->count) return &t->limits[i];
    if (i == LIMIT_SETS) i--;
    t->count = i + 1;
    t->dtype[i] = v->desc.dtype;
    t->interleave[i] = v->desc.interleave;
    limits_of(s->objective.checker, &v->desc, &t->limits[i]);
    note_limits(s, i, &t->limits[i]);
    return &t->limits[i];
}

static uint32_t whole(const struct view *v, uint32_t i)
{
    const struct digit *d = &v->digit[i];
    return (d->div == 1 && d->mod == 0) + 2u * (d->div == v->part.div && d->mod == 0 && !v->parted);
}

/* Rows that the request has in slabs, one span each: copies that lie end to end. */
static void cut_into_slabs(const struct search *s, struct tmap_plan *p)
{
    const uint32_t slab = layout_span_elements(s->objective.desc->swizzle, p->desc.dtype);
    struct tmap_layout l;
    if (!slab || p->desc.interleave || p->desc.box[0] <= slab) return;
    p->dim[0].copies = ceil_div(p->desc.box[0], slab);
    p->dim[0].step = p->desc.box[0] = slab;
    layout_of(&p->desc, &l);
    p->slot_bytes = l.footprint_bytes;
}

/* Whether the structure alone, whatever the boxes, lays the tile out in another way than requested.
 */
static bool moves_tile(struct search *s, const struct view *v)
{
    struct tmap_plan whole;
    fields_of_view(v, search_limits(s, v)->inner_unit, &whole);
    cut_into_slabs(s, &whole);
    return !tile_layout_kept(&s->objective, &whole);
}

static uint64_t stride_of(const struct tmap_desc *d, uint32_t i)
{
    return i ? d->stride_bytes[i - 1] : layout_gmem_bits(d->dtype) / 8;
}

static void note_state(struct search *s, uint32_t number, const struct view *v)
{
    struct tmap_search_event e = {.kind = TMAP_SEARCH_STATE, .number = number};
    struct view pair;
    if (!s->log) return;
    const uint32_t slice = view_slices(v, &pair) ? layout_slice_bytes(v->desc.interleave) : 0;
    const bool pairs = !v->desc.interleave && (view_widen(v, &pair) || view_bytes(v, &pair));
    e.u.state =
        (struct tmap_search_state){.rank = v->desc.rank,
                                   .rewrites = v->step_count,
                                   .limits = (uint32_t)(search_limits(s, v) - s->sets->limits),
                                   .pairs = v->desc.interleave ? slice ? slice : 2 : pairs,
                                   .dtype = v->desc.dtype,
                                   .interleave = v->desc.interleave,
                                   .address = v->desc.address,
                                   .layout_changes = moves_tile(s, v),
                                   .is_piece = v->digit[0].mod != 0,
                                   .tile_rows = fields_rows_are_the_tiles(v)};
    for (uint32_t i = 0; i < v->desc.rank; i++)
        e.u.state.dim[i] =
            (struct tmap_search_dim){v->desc.dim[i], stride_of(&v->desc, i), v->tile[i],
                                     v->grain[i],    v->desc.elem_stride[i], whole(v, i)};
    note_event(s, &e);
}

bool search_take_workspace(struct search *s, void *workspace, size_t bytes)
{
    size_t slots = 16, views = bytes / (sizeof(struct view) + 2 * sizeof(uint32_t));
    if (!workspace || (uintptr_t)workspace % sizeof(uint64_t)) return false;
    if (views > MOST_VIEWS) views = MOST_VIEWS;
    while (slots < views + views / 3) slots *= 2;
    if (slots * sizeof(uint32_t) + sizeof(struct view) > bytes) return false;
    s->table = workspace;
    s->slots = slots;
    memset(s->table, 0, slots * sizeof(uint32_t));
    s->views = (struct view *)(void *)((char *)workspace + slots * sizeof(uint32_t));
    s->capacity = (bytes - slots * sizeof(uint32_t)) / sizeof(struct view);
    if (s->capacity > views) s->capacity = views;
    return true;
}

void search_add(struct search *s, const struct view *v)
{
    size_t slot = view_hash(v) & (s->slots - 1);
    if (v->step_count > MAX_REWRITES) return;
    for (; s->table[slot]; slot = (slot + 1) & (s->slots - 1))
        if (view_equal(&s->views[s->table[slot] - 1], v)) return;
    if (s->count == s->capacity) {
        s->full = true;
        return;
    }
    s->views[s->count] = *v;
    note_state(s, s->count, v);
    s->table[slot] = ++s->count;
}

/* Whether legal fields for this view need a copy of the tensor, or a shifted base. */
static bool copies_tensor(const struct view *v, const struct limits *l)
{
    for (uint32_t i = 0; i + 1 < v->desc.rank; i++)
        if (v->desc.stride_bytes[i] % l->stride_unit && v->desc.dim[i + 1] != 1) return true;
    return v->desc.address % l->address_unit;
}

/* The pieces are counted next to the dimension, or outside of all others, or inside of one that is
 * cut: elsewhere costs the same. Where no layout costs anything one place will do; a reader wants
 * the pieces of rows outside, ldmatrix of rows that are cut perhaps not. */
static void add_split(struct search *s, const struct view *v, uint32_t i, uint64_t size)
{
    struct view next;
    const struct limits *l = search_limits(s, v);
    const uint32_t rank = v->desc.rank;
    const bool inside = v->tile[rank - 1] > l->max_box;
    for (uint32_t place = i + 1; place <= rank; place++) {
        const bool outside = place == rank || (inside && place + 1 == rank);
        const bool wanted = s->objective.reader ? place == (i ? i + 1 : rank) ||
                                                      (inside && reads_rows(&s->objective))
                            : s->objective.any_layout ? place == i + 1
                                                      : place == i + 1 || (i == 0 && outside);
        if (wanted && view_split(v, i, size, place, &next)) search_add(s, &next);
    }
}

/* Pieces of every size that dimension, tile and coordinates have in common, a multiple of unit. */
static void add_pieces(struct search *s, const struct view *v, uint32_t i, uint64_t unit)
{
    const uint64_t common = gcd(gcd(v->desc.dim[i], v->tile[i]), v->grain[i]);
    for (uint64_t size = 1; size <= MOST_PIECE && size <= common / size; size++) {
        if (common % size) continue;
        if (size > 1 && size % unit == 0) add_split(s, v, i, size);
        if (common / size != size && common / size % unit == 0) add_split(s, v, i, common / size);
    }
}

/* The greatest piece, a multiple of unit and at most `most`, that leaves at most max_box others:
 * the dimension is settled then, and no other piece would cost less. 0: there is none. */
static uint64_t settling_piece(const struct view *v, const struct limits *l, uint32_t i,
                               uint64_t unit, uint64_t most)
{
    const uint64_t common = gcd(gcd(v->desc.dim[i], v->tile[i]), v->grain[i]);
    for (uint64_t size = most / unit * unit; size >= 2 && size >= unit; size -= unit)
        if (common % size == 0 && size != v->desc.dim[i])
            return v->tile[i] / size <= l->max_box ? size : 0;
    return 0;
}

/* For an exact reader a row is what it takes, no more and no less. */
static void add_exact_split(struct search *s, const struct view *v, struct limits *l)
{
    const uint64_t common = gcd(gcd(v->desc.dim[0], v->tile[0]), v->grain[0]);
    const uint32_t row = limits_inner(&s->objective, l, v->desc.swizzle);
    if (row && v->tile[0] > row && common % row == 0) add_split(s, v, 0, row);
}

static void add_inner_splits(struct search *s, const struct view *v, struct limits *l)
{
    bool settled = true, wide = false;
    uint32_t last = 0;
    for (int32_t w = 0; w < SWIZZLES; w++) {
        const uint32_t most = limits_inner(&s->objective, l, w);
        if (most == last || most == 0 || v->tile[0] <= most) continue;
        if (s->objective.request && s->objective.request->keep_swizzle && w != v->desc.swizzle)
            continue;
        last = most;
        wide = true;
        const uint64_t size = settling_piece(v, l, 0, l->inner_unit, most);
        if (size) add_split(s, v, 0, size);
        settled = settled && size;
    }
    if (wide && !settled) add_pieces(s, v, 0, copies_tensor(v, l) ? 1 : l->inner_unit);
}

/* Rows of an odd number of units do not collide, so rows of an even number are cut into such. */
static void add_odd_split(struct search *s, const struct view *v, struct limits *l)
{
    const uint64_t common = gcd(gcd(v->desc.dim[0], v->tile[0]), v->grain[0]);
    const uint64_t most = limits_inner(&s->objective, l, v->desc.swizzle) / l->inner_unit;
    if (v->desc.swizzle != TMAP_SWIZZLE_NONE) return;
    for (uint64_t units = (most - 1) | 1; units <= most; units -= 2) {
        const uint64_t size = units * l->inner_unit;
        if (common % size || v->tile[0] / size > l->max_box) continue;
        if (size != v->tile[0]) add_split(s, v, 0, size);
        return;
    }
}

/* Splits help where a box is too small for the tile, or a coordinate falls between two that are
 * legal. In a padded copy every piece starts a row of its own, and need not be whole units. */
static void add_splits(struct search *s, const struct view *v, struct limits *l)
{
    if (!l->known || v->desc.rank == TMAP_MAX_RANK) return;
    for (uint32_t i = 1; i < v->desc.rank; i++) {
        if (v->tile[i] <= l->max_box) continue;
        const uint64_t size = settling_piece(v, l, i, 1, l->max_box);
        if (size)
            add_split(s, v, i, size);
        else
            add_pieces(s, v, i, 1);
    }
    if (reads_rows(&s->objective)) add_odd_split(s, v, l);
    if (s->objective.exact)
        add_exact_split(s, v, l);
    else if (v->grain[0] % l->coord_unit)
        add_pieces(s, v, 0, 1);
    else
        add_inner_splits(s, v, l);
}

void search_add_successors(struct search *s, const struct view *v)
{
    struct view next;
    if (v->desc.interleave) {
        if (view_slices(v, &next)) search_add(s, &next);
        return;
    }
    for (uint32_t i = 0; i < v->desc.rank; i++) {
        if (view_drop(v, i, &next)) search_add(s, &next);
        if (view_merge(v, i, &next)) search_add(s, &next);
        if (view_swap(v, i, &next)) search_add(s, &next);
        if (view_unstride(v, i, &next)) search_add(s, &next);
    }
    if (!s->objective.exact && view_widen(v, &next))
        search_add(s, &next); /* its type counts, then */
    if (!s->objective.exact && view_bytes(v, &next)) search_add(s, &next);
    add_splits(s, v, search_limits(s, v));
}

void search_note_im2col(struct search *s, const struct tmap_desc *d)
{
    struct tmap_search_event e = {
        .kind = TMAP_SEARCH_IM2COL,
        .u.state = {.rank = d->rank, .channels = d->channels, .address = d->address}};
    for (uint32_t i = 0; i < d->rank; i++)
        e.u.state.dim[i] = (struct tmap_search_dim){.size = d->dim[i],
                                                    .stride_bytes = stride_of(d, i),
                                                    .grain = im2col_grain(&s->objective, i),
                                                    .elem_stride = d->elem_stride[i]};
    note_event(s, &e);
}
