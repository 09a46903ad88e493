/* Repair: the decisions that a meaningless request needs, then an exact search over views, fewest
 * rewrites first, each view with its best fields. */
#include "core/arith.h"
#include "core/layout.h"
#include "solve/decide.h"
#include "solve/fields.h"
#include "solve/im2col.h"
#include "solve/rank.h"
#include "solve/repair_views.h"
#include "solve/self_check.h"

#include <stdio.h>
#include <string.h>

#define SHALLOW 2 /* rewrites within which alternatives are looked for */

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
    search_note_cost(s, TMAP_SEARCH_PLAN, state, &p->cost);
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
    struct limits *l = search_limits(s, v);
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
            search_note_cost(s, TMAP_SEARCH_LEAF, state, &c);
            return false;
        }
    }
    return true;
}

/* A store's boxes are whole units of rows, and together exactly the tile, unless it reaches beyond
 * the tensor: so it is whole units too. */
static bool whole_units(struct search *s, const struct view *start)
{
    const struct limits *l = search_limits(s, start);
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
    search_note_objective(s);
    fields_measure_kept(&s->objective, search_limits(s, &start));
    search_add(s, &start);
    s->pieces = !whole_units(s, &start);
    for (uint32_t i = 0; i < s->count && !s->pieces && s->objective.work->left; i++) {
        const struct view *v = &s->views[i];
        const struct tmap_cost bound = fields_bound(&s->objective, search_limits(s, v), v);
        if (!may_help(s, bound, false, false)) {
            search_note_cost(s, TMAP_SEARCH_PRUNED, i, &bound);
            continue;
        }
        search_note_cost(s, TMAP_SEARCH_VIEW, i, &bound);
        try_view(s, i, v, &bound);
        if (may_lead(s, i, v, &bound)) search_add_successors(s, &s->views[i]);
    }
    s->full = s->full || s->objective.work->left == 0;
    r->closed = !s->full && s->objective.useful_bytes <= search_limits(s, &start)->max_bytes;
    r->states = s->count;
    r->found = s->found;
}

static void run_im2col(struct search *s, struct tmap_repair_report *r)
{
    struct view start;
    view_of(&s->decision->desc, s->objective.request, &start);
    search_note_objective(s);
    struct limits *l = search_limits(s, &start);
    fields_measure_kept(&s->objective, l);
    search_note_im2col(s, s->objective.desc);
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
    if (!search_take_workspace(&s, p->workspace, p->workspace_bytes)) return TMAP_E_ROOM;
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
