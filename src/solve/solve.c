/* Synthesis: each swizzle that the consumer can read is repaired into a legal plan, and the plans
 * are ranked. The search over structure and fields is repair's; here is what consumers need. */
#include "core/layout.h"
#include "expr/row.h"
#include "solve/search.h"

#include <stdio.h>
#include <string.h>

#define OPTIONS 4 /* plans of one swizzle to choose from */

static bool is_mma(uint32_t consumer)
{
    return consumer == TMAP_CONSUMER_WGMMA || consumer == TMAP_CONSUMER_TCGEN05;
}

static struct tmap_use reader_of(const struct tmap_tile_request *request)
{
    return (struct tmap_use){.op = request->op,
                             .flags = TMAP_USE_COORD,
                             .multicast = request->multicast,
                             .consumer = request->consumer,
                             .major = request->major};
}

/* Whether the consumer can read what the plan's copies leave, and the target copies so: the rows
 * about uses say. */
static bool serves(const struct tmap_checker *c, const struct tmap_plan *p,
                   const struct tmap_use *reader)
{
    struct tmap_use use = *reader;
    struct tmap_violation v[1];
    size_t found = 1; /* and stays so where the question is refused */
    use.coord_count = p->desc.rank;
    tmap_check_use(c, &p->desc, &use, v, 1, &found, NULL);
    return found == 0;
}

/* Cycles beyond the first when eight rows are read, 16 bytes each: an MMA takes them as the box has
 * them; of ldmatrix the search has counted them. */
static uint32_t conflicts_of(const struct tmap_checker *c, const struct tmap_plan *plan,
                             uint32_t consumer)
{
    uint32_t ways = 1;
    if (!is_mma(consumer)) return plan->cost.layout_changes;
    tmap_bank_conflicts(c, &plan->desc, TMAP_ACCESS_MATRIX, &ways);
    return ways - 1;
}

/* What a box takes of dimension i, beyond whose end no memory is read. */
static uint64_t in_bounds(const struct tmap_desc *d, uint32_t i)
{
    return d->box[i] < d->dim[i] ? d->box[i] : d->dim[i];
}

/* Rows that follow one another without a gap are one run. */
static uint64_t partial_sectors(const struct tmap_desc *d)
{
    uint64_t run = in_bounds(d, 0) * layout_gmem_bits(d->dtype) / 8;
    uint64_t odd = d->address % SECTOR_BYTES;
    for (uint32_t i = 0; i + 1 < d->rank; i++) {
        if (d->stride_bytes[i] == run)
            run *= in_bounds(d, i + 1);
        else
            odd |= d->stride_bytes[i] % SECTOR_BYTES;
    }
    return (odd || run % SECTOR_BYTES) ? 2 : 0;
}

static int compare(const struct tmap_tile_plan *a, const struct tmap_tile_plan *b)
{
#define BY(field)                                                                                  \
    if (a->field != b->field) return a->field < b->field ? -1 : 1
    BY(kind);
    BY(plan.cost.copied_bytes);
    BY(instructions);
    BY(plan.cost.extra_maps);
    BY(conflicts);
    BY(shared_bytes);
    BY(partial_sectors);
    BY(plan.cost.wasted_traffic_bytes);
    BY(rows);
    BY(plan.desc.rank);
    BY(plan.desc.swizzle);
#undef BY
    return 0;
}

static void keep(struct tmap_tile_plan *plans, size_t cap, size_t *found,
                 const struct tmap_tile_plan *p)
{
    size_t at = 0;
    while (at < *found && compare(&plans[at], p) <= 0) at++;
    if (at == cap) return;
    if (*found == cap) (*found)--;
    memmove(&plans[at + 1], &plans[at], (*found - at) * sizeof *p);
    plans[at] = *p;
    (*found)++;
}

static struct tmap_tile_plan measured(const struct tmap_checker *c, const struct tmap_plan *plan,
                                      const struct tmap_tile_request *request)
{
    struct tmap_tile_plan t = {
        .plan = *plan, .kind = plan->cost.kind, .instructions = plan->copies};
    struct tmap_layout l, end;
    struct tmap_desc last;
    tmap_plan_desc(plan, plan->copies - 1, &last);
    layout_of(&plan->desc, &l);
    layout_of(&last, &end);
    t.conflicts = conflicts_of(c, plan, request->consumer);
    t.plan.cost.layout_changes = 0;
    t.shared_bytes = (plan->copies - 1) * plan->slot_bytes + end.footprint_bytes;
    t.partial_sectors = partial_sectors(&plan->desc);
    t.rows = l.rows * plan->copies;
    return t;
}

/* Why nothing serves: what the consumer has against the plan that there would be without it. */
static void explain(const struct tmap_checker *c, const struct tmap_tile_request *request,
                    const struct tmap_use *reader, struct work *work, void *workspace, size_t bytes,
                    char *reason, size_t size)
{
    struct limit_sets sets = LIMIT_SETS_BEGIN(work->left);
    const struct tmap_request how = {
        .op = request->op, .keep_swizzle = true, .any_layout = true, .no_im2col = true};
    snprintf(reason, size, "no swizzle that this consumer reads fits the tile");
    for (int32_t w = 0; w < SWIZZLES; w++) {
        struct tmap_use use = *reader;
        struct tmap_plan plan;
        struct tmap_repair_report r;
        struct tmap_violation v[1];
        size_t found = 0;
        const struct tmap_desc d = search_request(request, w);
        const struct search_problem problem = {.checker = c,
                                               .desc = &d,
                                               .request = &how,
                                               .sets = &sets,
                                               .workspace = workspace,
                                               .workspace_bytes = bytes,
                                               .plans = &plan,
                                               .cap = 1,
                                               .report = &r};
        const enum tmap_status s = search_plans(&problem);
        if (s == TMAP_E_NO_PLAN && w == 0) snprintf(reason, size, "%s", r.reason);
        if (s != TMAP_OK) continue;
        if (plan.skip) {
            snprintf(reason, size, "the tensor is empty: launch nothing");
            return;
        }
        use.coord_count = plan.desc.rank;
        tmap_check_use(c, &plan.desc, &use, v, 1, &found, NULL);
        if (found) snprintf(reason, size, "%s: %s", tmap_row_id(v[0].row), row_table[v[0].row].fix);
    }
}

/* The search for one swizzle. */
static enum tmap_status plans_with(const struct tmap_checker *checker,
                                   const struct tmap_tile_request *request, int32_t swizzle,
                                   const struct tmap_cost *limit, struct limit_sets *sets,
                                   void *workspace, size_t bytes, struct tmap_plan options[OPTIONS],
                                   struct tmap_repair_report *r, struct tmap_search_log *log)
{
    const struct tmap_request how = {
        .op = request->op, .keep_swizzle = true, .any_layout = true, .no_im2col = true};
    const struct tmap_use reader = reader_of(request);
    const struct tmap_desc d = search_request(request, swizzle);
    const struct search_problem problem = {.checker = checker,
                                           .desc = &d,
                                           .request = &how,
                                           .reader = request->consumer ? &reader : NULL,
                                           .exact = is_mma(request->consumer),
                                           .limit = limit,
                                           .sets = sets,
                                           .workspace = workspace,
                                           .workspace_bytes = bytes,
                                           .plans = options,
                                           .cap = OPTIONS,
                                           .report = r,
                                           .log = log};
    return search_plans(&problem);
}

/* What a plan may cost to be kept beside one that is: what comes first in both orders. */
static struct tmap_cost limit_of(const struct tmap_tile_plan *p, bool exact)
{
    return (struct tmap_cost){.kind = p->kind,
                              .copied_bytes = p->plan.cost.copied_bytes,
                              .extra_instructions = p->instructions - 1,
                              .extra_maps = p->plan.cost.extra_maps,
                              .layout_changes = exact ? UINT32_MAX : p->conflicts,
                              .wasted_traffic_bytes = UINT64_MAX,
                              .wasted_shared_bytes = UINT64_MAX,
                              .steps = UINT32_MAX};
}

enum tmap_status tmap_solve_account(const struct tmap_checker *checker,
                                    const struct tmap_tile_request *request, int32_t swizzle,
                                    void *workspace, size_t bytes, struct tmap_search_log *log,
                                    bool *closed)
{
    struct limit_sets sets = LIMIT_SETS_BEGIN(SEARCH_WORK);
    struct tmap_plan options[OPTIONS];
    struct tmap_repair_report r;
    if (!checker || !request || !log || !closed ||
        !tmap_consumer_name(request->consumer, request->major))
        return TMAP_E_ARGUMENT;
    const enum tmap_status s =
        plans_with(checker, request, swizzle, NULL, &sets, workspace, bytes, options, &r, log);
    if (s != TMAP_OK && s != TMAP_E_NO_PLAN) return s;
    *closed = r.closed;
    return TMAP_OK;
}

enum tmap_status tmap_solve(const struct tmap_checker *checker,
                            const struct tmap_tile_request *request, void *workspace, size_t bytes,
                            struct tmap_tile_plan *plans, size_t cap, size_t *found, char *reason,
                            size_t reason_size)
{
    struct limit_sets sets = LIMIT_SETS_BEGIN(SEARCH_WORK);
    struct tmap_cost limit;
    uint32_t dropped = 0;
    size_t n = 0;
    bool open = false; /* a search that found nothing was given up */
    if (!checker || !request || !plans || cap == 0 || !found || (!reason && reason_size) ||
        !tmap_consumer_name(request->consumer, request->major))
        return TMAP_E_ARGUMENT;
    const struct tmap_use reader = reader_of(request);
    const struct objective ask = {.checker = checker,
                                  .reader = request->consumer ? &reader : NULL,
                                  .exact = is_mma(request->consumer)};
    for (int32_t k = 0; k < SWIZZLES; k++) {
        const int32_t w =
            k < 4 ? 3 - k : k; /* the widest first: what others cost is limited then */
        if (sets.count && sets.limits[0].known && limits_inner(&ask, &sets.limits[0], w) == 0)
            continue; /* refused whatever the tile */
        struct tmap_plan options[OPTIONS];
        struct tmap_repair_report r;
        const enum tmap_status s = plans_with(checker, request, w, n == cap ? &limit : NULL, &sets,
                                              workspace, bytes, options, &r, NULL);
        if (s == TMAP_E_ROOM || s == TMAP_E_ARGUMENT || s == TMAP_E_TARGET) return s;
        open |= (s == TMAP_E_BUDGET) | (sets.work.left == 0);
        dropped += r.dropped;
        for (size_t i = 0; i < r.found; i++) {
            if (options[i].skip || !serves(checker, &options[i], &reader)) continue;
            const struct tmap_tile_plan t = measured(checker, &options[i], request);
            keep(plans, cap, &n, &t);
        }
        if (n == cap) limit = limit_of(&plans[cap - 1], ask.exact);
    }
    *found = n;
    if (n) return TMAP_OK;
    if (dropped) return TMAP_E_INTERNAL;
    if (open) {
        if (reason_size) snprintf(reason, reason_size, "%s", search_given_up);
        return TMAP_E_BUDGET;
    }
    explain(checker, request, &reader, &sets.work, workspace, bytes, reason, reason_size);
    return TMAP_E_NO_PLAN;
}
