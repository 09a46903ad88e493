/* Plans of drawn requests; see plan_trial.h. */
#include "support/plan_trial.h"
#include "support/repair_support.h"
#include "support/splitmix.h"

#include <stdio.h>
#include <string.h>

/* The state from which request `number` is drawn: any is drawn alone, so that runs can share them
 * out. */
static uint64_t start(struct trials *t, uint64_t seed, uint64_t number)
{
    uint64_t s = seed;
    for (unsigned i = 0; i < DRAW_TARGETS && !t->ready; i++) t->checker[i] = draw_checker(i);
    t->ready = true;
    t->tally.requests++;
    s = splitmix(&s) ^ number;
    return splitmix(&s);
}

static const char *wrong(struct trials *t, uint64_t number, size_t plan, const char *what)
{
    snprintf(t->error, sizeof t->error, "request %llu, plan %zu: %s", (unsigned long long)number,
             plan, what);
    return t->error;
}

/* What a store may write, a load need not be able to read: some types and swizzles are one way. */
static bool loads_too(const struct tmap_checker *c, const struct tmap_plan *p)
{
    const struct tmap_use use = {.op = TMAP_OP_LOAD};
    struct tmap_violation v[1];
    size_t found = 1;
    return tmap_check_use(c, &p->desc, &use, v, 1, &found, NULL) == TMAP_OK && found == 0;
}

static const char *plan_error(struct trials *t, const struct tmap_checker *c,
                              const struct tmap_desc *desc, const struct tmap_request *how,
                              const struct tmap_plan *p, uint64_t *seed)
{
    const struct tmap_desc decided = decided_request(desc, p);
    const char *wrong = tmap_plan_check(desc, how, p);
    t->tally.plans++;
    t->tally.kinds[p->cost.kind]++;
    t->tally.kept += p->cost.layout_changes == 0;
    if (!wrong && has_new_zero_stride(desc, p)) wrong = "a stride of 0";
    if (!wrong && !how->any_layout) wrong = layout_claim_is_wrong(&decided, p);
    if (!wrong && desc->kind == TMAP_TILED && (how->op == TMAP_OP_LOAD || loads_too(c, p)))
        wrong = plan_is_wrong(c, desc, p, seed, 1, 160);
    if (!wrong && desc->kind == TMAP_TILED && how->op == TMAP_OP_STORE)
        wrong = store_is_wrong(c, &decided, p, seed, &t->tally.stores_run);
    return wrong;
}

/* Every box is one that the consumer takes. */
static const char *reader_error(const struct tmap_checker *c, struct tmap_use use,
                                const struct tmap_plan *p)
{
    struct tmap_violation v[1];
    size_t found = 1;
    if (p->desc.kind == TMAP_TILED) use.flags = TMAP_USE_COORD;
    use.coord_count = p->desc.rank;
    if (tmap_check_use(c, &p->desc, &use, v, 1, &found, NULL) != TMAP_OK) return "no use";
    return found ? tmap_row_id(v[0].row) : NULL;
}

const char *try_repair(struct trials *t, uint64_t seed, uint64_t number)
{
    uint64_t s = start(t, seed, number);
    const struct drawn_repair d = draw_repair(&s);
    const struct tmap_checker *c = &t->checker[d.target];
    struct tmap_plan p[TRIAL_PLANS];
    struct tmap_repair_report r;
    const enum tmap_status status = tmap_repair(c, &d.desc, &d.how, t->workspace,
                                                sizeof t->workspace, p, TRIAL_PLANS, &r, NULL);
    if (status != TMAP_OK && status != TMAP_E_NO_PLAN && status != TMAP_E_BUDGET)
        return wrong(t, number, 0, "repair fails");
    if (r.dropped) return wrong(t, number, 0, "a dropped plan");
    t->tally.without += r.found == 0;
    for (size_t i = 0; i < r.found; i++) {
        const struct tmap_use use = {
            .op = d.how.op, .consumer = d.how.consumer, .major = d.how.major};
        const char *e = p[i].skip ? NULL : plan_error(t, c, &d.desc, &d.how, &p[i], &s);
        if (!e && !p[i].skip && use.consumer) e = reader_error(c, use, &p[i]);
        if (e) return wrong(t, number, i, e);
    }
    return NULL;
}

/* The tile as a descriptor, with the swizzle that the plan has. */
static struct tmap_desc requested(const struct tmap_tile_request *w, const struct tmap_plan *p)
{
    struct tmap_desc d = w->tensor;
    d.swizzle = p->desc.swizzle;
    memcpy(d.box, w->tile, sizeof d.box);
    for (uint32_t i = 0; i < d.rank; i++) d.elem_stride[i] = 1;
    return d;
}

const char *try_tile(struct trials *t, uint64_t seed, uint64_t number)
{
    uint64_t s = start(t, ~seed, number);
    const struct drawn_tile d = draw_tile(&s);
    const struct tmap_checker *c = &t->checker[d.target];
    const struct tmap_request how = {.op = d.request.op, .any_layout = true};
    struct tmap_tile_plan p[TRIAL_PLANS];
    size_t found = 0;
    char reason[160] = "";
    const enum tmap_status status = tmap_solve(c, &d.request, t->workspace, sizeof t->workspace, p,
                                               TRIAL_PLANS, &found, reason, sizeof reason);
    if (status != TMAP_OK && status != TMAP_E_NO_PLAN) return wrong(t, number, 0, "solve fails");
    t->tally.without += found == 0;
    for (size_t i = 0; i < found; i++) {
        const struct tmap_desc desc = requested(&d.request, &p[i].plan);
        const char *e = plan_error(t, c, &desc, &how, &p[i].plan, &s);
        const struct tmap_use use = {.op = d.request.op,
                                     .consumer = d.request.consumer,
                                     .major = d.request.major,
                                     .multicast = d.request.multicast};
        if (!e) e = reader_error(c, use, &p[i].plan);
        if (e) return wrong(t, number, i, e);
    }
    return NULL;
}
