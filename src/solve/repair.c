/* Repair: the decisions that a meaningless request needs, then an exact search over views, fewest
 * rewrites first, each view with its best fields. A view is kept once, in the caller's memory. */
#include "core/arith.h"
#include "core/layout.h"
#include "solve/decide.h"
#include "solve/fields.h"
#include "solve/im2col.h"
#include "solve/rank.h"
#include "solve/search.h"
#include "solve/self_check.h"
#include "solve/tile_layout.h"

#include <stdio.h>
#include <string.h>

#define MAX_REWRITES 6
#define SHALLOW 2        /* rewrites within which alternatives are looked for */
#define MOST_VIEWS 1200u /* one descriptor in a hundred has more: its search is not closed */
#define MOST_PIECE 1000u /* of a split, or its cofactor: the pieces tried */

struct search {
    struct objective objective;
    const struct decision *decision;
    struct limit_sets *sets;
    const struct tmap_cost *limit; /* or NULL */
    struct view *views;
    uint32_t *table;
    size_t slots, capacity;
    uint32_t count;
    bool full;     /* there were more views than there is room for, or more work than is done */
    bool pieces;   /* rows to be stored are not whole units */
    bool too_long; /* the last plan had more steps than there is room for */
    struct tmap_plan *plans;
    size_t cap, found;
    uint32_t dropped; /* plans that the self-check refused */
    struct tmap_search_log *log;
};

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

static void note_cost(struct search *s, enum tmap_search_kind kind, uint32_t state,
                      const struct tmap_cost *c)
{
    const struct tmap_search_event e = {.kind = kind, .number = state, .u.cost = *c};
    note_event(s, &e);
}

static void note_objective(struct search *s)
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

static struct limits *limits_for(struct search *s, const struct view *v)
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

/* Whether the structure alone, whatever the boxes, lays the tile out in another way than requested.
 */
static bool moves_tile(struct search *s, const struct view *v)
{
    struct tmap_plan whole;
    fields_of_view(v, limits_for(s, v)->inner_unit, &whole);
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
    e.u.state = (struct tmap_search_state){.rank = v->desc.rank,
                                           .rewrites = v->step_count,
                                           .limits = (uint32_t)(limits_for(s, v) - s->sets->limits),
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

/* What a plan must cost less than, decisions and all; NULL while there is room. */
static const struct tmap_cost *worst_kept(const struct search *s)
{
    const bool full = s->found == s->cap && !s->decision->decided;
    return full ? &s->plans[s->found - 1].cost : s->limit;
}

/* What a plan must beat to be kept. */
static bool worth(const struct search *s, const struct tmap_cost *c)
{
    if (s->limit && tmap_cost_compare(c, s->limit) > 0) return false;
    return s->found < s->cap || tmap_cost_compare(c, &s->plans[s->found - 1].cost) < 0;
}

static void add_decisions(const struct search *s, struct tmap_plan *p)
{
    const struct decision *x = s->decision;
    memmove(p->step + x->step_count, p->step, p->step_count * sizeof *p->step);
    memcpy(p->step, x->step, x->step_count * sizeof *p->step);
    p->step_count += x->step_count;
    p->cost.steps += x->step_count;
    if (x->decided) p->cost.kind = TMAP_PLAN_DECISION;
}

/* A bound on plans of this view, with the decisions made before and a few changes to come. */
static bool may_help(const struct search *s, struct tmap_cost bound, bool copy, bool other_swizzle)
{
    if (copy) {
        bound.kind = TMAP_PLAN_PADDING;
        bound.copied_bytes = s->objective.tensor_bytes;
        bound.layout_changes = 0;
        bound.wasted_traffic_bytes = s->objective.kept.wasted_traffic_bytes;
        bound.wasted_shared_bytes = s->objective.kept.wasted_shared_bytes;
        bound.steps++;
    }
    if (other_swizzle) {
        bound.layout_changes += !s->objective.any_layout;
        bound.wasted_traffic_bytes = bound.wasted_shared_bytes = 0;
        bound.steps++;
    }
    if (s->decision->decided) bound.kind = TMAP_PLAN_DECISION;
    bound.steps += s->decision->step_count;
    return worth(s, &bound);
}

/* What the search proposes is kept when it is cheap enough, and right: an impossible plan never
 * leaves here. */
static void offer(struct search *s, uint32_t state, struct tmap_plan *p)
{
    note_cost(s, TMAP_SEARCH_PLAN, state, &p->cost);
    s->too_long = p->step_count + s->decision->step_count > TMAP_PLAN_STEPS;
    if (s->too_long) return; /* what it decides could not all be said */
    add_decisions(s, p);
    if (!worth(s, &p->cost)) return;
    if (self_check(s->objective.desc, s->objective.request, p))
        s->dropped++;
    else
        rank_plan(s->plans, s->cap, &s->found, p);
}

/* The request's own first; then, for one of the atoms that Blackwell added, its like, 128B, which
 * is as wide and every target has; then the others in their order. */
static int32_t swizzle_in_turn(int32_t own, int32_t k)
{
    const bool atoms = own > TMAP_SWIZZLE_128B && own < SWIZZLES;
    int32_t swizzle = -1;
    if (k == 0) return own;
    if (atoms && k == 1) return TMAP_SWIZZLE_128B;
    for (int32_t left = k - (atoms ? 1 : 0); left > 0; left--) do
            swizzle++;
        while (swizzle == own || (atoms && swizzle == TMAP_SWIZZLE_128B));
    return swizzle;
}

static void try_view(struct search *s, uint32_t state, const struct view *v,
                     const struct tmap_cost *bound)
{
    struct limits *l = limits_for(s, v);
    for (int copy = bound->kind == TMAP_PLAN_FREE ? 0 : 1; copy < 2; copy++) {
        if (copy && s->objective.request && s->objective.request->no_copy) break;
        for (int32_t k = 0; k < SWIZZLES; k++) {
            struct tmap_plan p;
            const int32_t swizzle = swizzle_in_turn(v->desc.swizzle, k);
            if (k && s->objective.request && s->objective.request->keep_swizzle) break;
            if (!may_help(s, *bound, copy, k > 0)) break;
            if (fields_best(&s->objective, l, v, swizzle, copy, worst_kept(s), &p))
                offer(s, state, &p);
            if (im2col_along(&s->objective, l, v, swizzle, copy, &p)) offer(s, state, &p);
        }
    }
}

static void add_view(struct search *s, const struct view *v)
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
    const struct limits *l = limits_for(s, v);
    const uint32_t rank = v->desc.rank;
    const bool inside = v->tile[rank - 1] > l->max_box;
    for (uint32_t place = i + 1; place <= rank; place++) {
        const bool outside = place == rank || (inside && place + 1 == rank);
        const bool wanted = s->objective.reader ? place == (i ? i + 1 : rank) ||
                                                      (inside && reads_rows(&s->objective))
                            : s->objective.any_layout ? place == i + 1
                                                      : place == i + 1 || (i == 0 && outside);
        if (wanted && view_split(v, i, size, place, &next)) add_view(s, &next);
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

static void add_successors(struct search *s, const struct view *v)
{
    struct view next;
    if (v->desc.interleave) {
        if (view_slices(v, &next)) add_view(s, &next);
        return;
    }
    for (uint32_t i = 0; i < v->desc.rank; i++) {
        if (view_drop(v, i, &next)) add_view(s, &next);
        if (view_merge(v, i, &next)) add_view(s, &next);
        if (view_swap(v, i, &next)) add_view(s, &next);
        if (view_unstride(v, i, &next)) add_view(s, &next);
    }
    if (!s->objective.exact && view_widen(v, &next)) add_view(s, &next); /* its type counts, then */
    if (!s->objective.exact && view_bytes(v, &next)) add_view(s, &next);
    add_splits(s, v, limits_for(s, v));
}

/* A view is looked at when it may give a plan to keep; its successors beyond two rewrites only when
 * they may give a better one than the best: alternatives are a by-product. */
static bool may_lead(struct search *s, uint32_t state, const struct view *v,
                     const struct tmap_cost *bound)
{
    struct tmap_cost c = *bound;
    c.steps++;
    if (s->found && v->step_count >= SHALLOW) {
        struct tmap_cost all = c;
        if (s->decision->decided) all.kind = TMAP_PLAN_DECISION;
        all.steps += s->decision->step_count;
        if (tmap_cost_compare(&all, &s->plans[0].cost) >= 0) {
            note_cost(s, TMAP_SEARCH_LEAF, state, &c);
            return false;
        }
    }
    return true;
}

/* A store's boxes are whole units of rows, and together exactly the tile, unless it reaches beyond
 * the tensor: so it is whole units too. */
static bool whole_units(struct search *s, const struct view *start)
{
    const struct limits *l = limits_for(s, start);
    const uint64_t unit_bits = (uint64_t)l->inner_unit * layout_smem_bits(start->desc.dtype);
    if (!s->objective.stores || start->desc.interleave || !l->known) return true;
    if (start->desc.dim[0] % l->dim_unit) return true; /* the padding of a copy may be written */
    for (uint32_t i = 0; i < start->desc.rank; i++)
        if (start->tile[i] > start->desc.dim[i]) return true;
    return s->objective.useful_bytes * 8 % unit_bits == 0;
}

static void run_search(struct search *s, struct tmap_repair_report *r)
{
    struct view start;
    view_of(&s->decision->desc, s->objective.request, &start);
    note_objective(s);
    fields_measure_kept(&s->objective, limits_for(s, &start));
    add_view(s, &start);
    s->pieces = !whole_units(s, &start);
    for (uint32_t i = 0; i < s->count && !s->pieces && s->objective.work->left; i++) {
        const struct view *v = &s->views[i];
        const struct tmap_cost bound = fields_bound(&s->objective, limits_for(s, v), v);
        if (!may_help(s, bound, false, false)) {
            note_cost(s, TMAP_SEARCH_PRUNED, i, &bound);
            continue;
        }
        note_cost(s, TMAP_SEARCH_VIEW, i, &bound);
        try_view(s, i, v, &bound);
        if (may_lead(s, i, v, &bound)) add_successors(s, &s->views[i]);
    }
    s->full = s->full || s->objective.work->left == 0;
    r->closed = !s->full && s->objective.useful_bytes <= limits_for(s, &start)->max_bytes;
    r->states = s->count;
    r->found = s->found;
}

static void note_im2col(struct search *s, const struct tmap_desc *d)
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

static void run_im2col(struct search *s, struct tmap_repair_report *r)
{
    struct view start;
    view_of(&s->decision->desc, s->objective.request, &start);
    note_objective(s);
    struct limits *l = limits_for(s, &start);
    fields_measure_kept(&s->objective, l);
    note_im2col(s, s->objective.desc);
    for (int copy = 0; l->known && copy < 2; copy++)
        for (int32_t w = 0; w < SWIZZLES; w++) {
            struct tmap_plan p;
            if (s->objective.request &&
                ((copy && s->objective.request->no_copy) ||
                 (s->objective.request->keep_swizzle && w != s->objective.desc->swizzle)))
                continue;
            if (!im2col_best(&s->objective, l, w, copy, &p)) continue;
            offer(s, 0, &p);
        }
    r->states = 1;
    r->closed = true;
    r->found = s->found;
}

/* Bytes of the elements of one tile, and of the tensor without what is broadcast. */
static bool measure(struct objective *a)
{
    const struct tmap_desc *d = a->desc;
    const uint32_t slice_bits = layout_slice_bytes(d->interleave) * 8;
    const uint64_t bits = slice_bits ? slice_bits : layout_gmem_bits(d->dtype);
    uint64_t tile = slice_bits ? slice_bits : layout_smem_bits(d->dtype), tensor = bits;
    struct tmap_layout l;
    layout_of(d, &l);
    for (uint32_t i = 0; i < d->rank; i++) {
        const uint64_t cells = l.extent[i];
        const uint64_t dim = i && d->stride_bytes[i - 1] == 0 ? 1 : d->dim[i];
        if (__builtin_mul_overflow(tile, cells, &tile) ||
            __builtin_mul_overflow(tensor, dim, &tensor))
            return false;
    }
    a->useful_bytes = ceil_div(tile, 8);
    a->tensor_bytes = ceil_div(tensor, 8);
    return true;
}

static bool take_workspace(struct search *s, void *workspace, size_t bytes)
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

const char search_given_up[] = "undecided: the search was given up before it found a plan";

static enum tmap_status no_plan(struct tmap_repair_report *r, const char *reason)
{
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    return TMAP_E_NO_PLAN;
}

static enum tmap_status skip_plan(const struct decision *x, struct tmap_plan *plan,
                                  struct tmap_repair_report *r)
{
    memset(plan, 0, sizeof *plan);
    plan->skip = true;
    plan->desc = x->desc;
    plan->step[plan->step_count++] = (struct tmap_plan_step){TMAP_REWRITE_SKIP, -1, 0, 0, 0};
    plan->cost.steps = 1;
    r->found = 1;
    r->closed = true;
    return TMAP_OK;
}

static const char *why_none(const struct search *s)
{
    if (s->objective.desc->kind != TMAP_TILED && s->objective.reader)
        return "no pieces of channels or pixels are such as the consumer can read";
    if (s->objective.desc->kind != TMAP_TILED)
        return "no corner, channel or stride change makes this im2col map legal";
    if (s->too_long) return "too many of its fields mean nothing for a plan to say";
    if (s->pieces) return "a store writes whole units of rows, and this tile is not made of them";
    if (s->objective.reader)
        return "no plan within six rewrites has boxes that the consumer can read";
    if (s->sets->limits[0].known)
        return "no view of this tensor within six rewrites has legal fields";
    return "the target has no legal map for this type and interleave";
}

static struct search begin_search(const struct search_problem *p, const struct decision *x)
{
    const struct tmap_request *request = p->request;
    return (struct search){.objective = {.work = &p->sets->work,
                                         .checker = p->checker,
                                         .desc = &x->desc,
                                         .request = request,
                                         .reader = p->reader,
                                         .exact = p->exact,
                                         .any_layout = request && request->any_layout,
                                         .stores = request && request->op == TMAP_OP_STORE},
                           .decision = x,
                           .sets = p->sets,
                           .limit = p->limit,
                           .plans = p->plans,
                           .cap = p->cap,
                           .log = p->log};
}

/* Of arguments that are there, on a target that is covered. */
static enum tmap_status plans_of(const struct search_problem *p, struct tmap_repair_report *report)
{
    struct decision x;
    decide(p->checker, p->desc, p->request, &x);
    if (x.hopeless) return no_plan(report, x.reason);
    if (x.empty) return skip_plan(&x, p->plans, report);
    struct search s = begin_search(p, &x);
    if (!measure(&s.objective))
        return no_plan(report, "the tile or the tensor has more than 2^61 bytes");
    if (!take_workspace(&s, p->workspace, p->workspace_bytes)) return TMAP_E_ROOM;
    if (x.desc.kind == TMAP_TILED)
        run_search(&s, report);
    else
        run_im2col(&s, report);
    report->dropped = s.dropped;
    if (s.found) return TMAP_OK;
    if (s.dropped) return TMAP_E_INTERNAL;
    const enum tmap_status none = no_plan(report, s.full ? search_given_up : why_none(&s));
    return s.full ? TMAP_E_BUDGET : none;
}

enum tmap_status search_plans(const struct search_problem *p)
{
    struct tmap_repair_report report = {0};
    if (!p->checker || !p->desc || !p->plans || p->cap == 0 || !p->report) return TMAP_E_ARGUMENT;
    if (p->checker->covered != TMAP_OK) return p->checker->covered;
    const enum tmap_status s = plans_of(p, &report);
    if (s != TMAP_E_ROOM) *p->report = report;
    return s;
}
