/* Plans of drawn requests, of all types, kinds, modes, targets and consumers: each is legal, copies
 * every element from its own address to a place of its own and bit for bit by the simulator, says
 * the truth about the shared layout, has no stride of 0 that the request has not, and passes the
 * self-check. A slice here; `make prove-plans` runs PLANS_REPAIRS and PLANS_SOLVES of them from
 * PLANS_SEED. */
#include "support/plan_draw.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define PLANS 3

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static long number(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

struct tally {
    long requests, without, plans, kinds[3], kept, stores_run;
    struct tmap_checker checker[DRAW_TARGETS];
};

static void start(struct tally *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned i = 0; i < DRAW_TARGETS; i++) t->checker[i] = draw_checker(i);
}

/* What a store may write, a load need not be able to read: some types and swizzles are one way. */
static bool loads_too(const struct tmap_checker *c, const struct tmap_plan *p)
{
    const struct tmap_use use = {.op = TMAP_OP_LOAD};
    struct tmap_violation v[1];
    size_t found = 1;
    return tmap_check_use(c, &p->desc, &use, v, 1, &found, NULL) == TMAP_OK && found == 0;
}

static const char *plan_error(struct tally *t, const struct tmap_checker *c,
                              const struct tmap_desc *desc, const struct tmap_request *how,
                              const struct tmap_plan *p, uint64_t *seed)
{
    const struct tmap_desc decided = decided_request(desc, p);
    const char *wrong = tmap_plan_check(desc, how, p);
    t->plans++;
    t->kinds[p->cost.kind]++;
    t->kept += p->cost.layout_changes == 0;
    if (!wrong && has_new_zero_stride(desc, p)) wrong = "a stride of 0";
    if (!wrong && !how->any_layout) wrong = layout_claim_is_wrong(&decided, p);
    if (!wrong && desc->kind == TMAP_TILED && (how->op == TMAP_OP_LOAD || loads_too(c, p)))
        wrong = plan_is_wrong(c, desc, p, seed, 1, 160);
    if (!wrong && desc->kind == TMAP_TILED && how->op == TMAP_OP_STORE)
        wrong = store_is_wrong(c, &decided, p, seed, &t->stores_run);
    return wrong;
}

static void report(const struct tally *t, const char *what, uint64_t seed)
{
    print_message(
        "# %ld %s from seed %llu: %ld plans (%ld free, %ld padding, %ld decision), %ld keep "
        "the layout; %ld stores run; %ld requests without a plan; 0 wrong\n",
        t->requests, what, (unsigned long long)seed, t->plans, t->kinds[0], t->kinds[1],
        t->kinds[2], t->kept, t->stores_run, t->without);
}

static void test_drawn_repairs(void **state)
{
    const long wanted = number("PLANS_REPAIRS", 2500);
    const uint64_t first = (uint64_t)number("PLANS_SEED", 1);
    uint64_t s = first;
    struct tally t;
    (void)state;
    for (start(&t); t.requests < wanted; t.requests++) {
        const uint64_t here = s;
        const struct drawn_repair d = draw_repair(&s);
        const struct tmap_checker *c = &t.checker[d.target];
        struct tmap_plan p[PLANS];
        struct tmap_repair_report r;
        const enum tmap_status status =
            tmap_repair(c, &d.desc, &d.how, workspace, sizeof workspace, p, PLANS, &r, NULL);
        if (status != TMAP_OK && status != TMAP_E_NO_PLAN && status != TMAP_E_BUDGET)
            fail_msg("repair at %llu: status %d", (unsigned long long)here, status);
        if (r.dropped) fail_msg("repair at %llu: a dropped plan", (unsigned long long)here);
        t.without += r.found == 0;
        for (size_t i = 0; i < r.found; i++) {
            const char *wrong = p[i].skip ? NULL : plan_error(&t, c, &d.desc, &d.how, &p[i], &s);
            if (wrong) fail_msg("repair at %llu, plan %zu: %s", (unsigned long long)here, i, wrong);
        }
    }
    report(&t, "repairs", first);
    assert_true(t.plans > wanted && t.kept > wanted / 4);
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

/* Every box is one that the consumer takes. */
static const char *reader_error(const struct tmap_checker *c, const struct tmap_tile_request *w,
                                const struct tmap_plan *p)
{
    struct tmap_use use = {.op = w->op, .consumer = w->consumer, .major = w->major};
    struct tmap_violation v[1];
    size_t found = 1;
    use.multicast = w->multicast;
    use.flags = TMAP_USE_COORD;
    use.coord_count = p->desc.rank;
    if (tmap_check_use(c, &p->desc, &use, v, 1, &found, NULL) != TMAP_OK) return "no use";
    return found ? tmap_row_id(v[0].row) : NULL;
}

static void test_drawn_tiles(void **state)
{
    const long wanted = number("PLANS_SOLVES", 400);
    const uint64_t first = (uint64_t)number("PLANS_SEED", 1);
    uint64_t s = ~first;
    struct tally t;
    (void)state;
    for (start(&t); t.requests < wanted; t.requests++) {
        const uint64_t here = s;
        const struct drawn_tile d = draw_tile(&s);
        const struct tmap_checker *c = &t.checker[d.target];
        const struct tmap_request how = {.op = d.request.op, .any_layout = true};
        struct tmap_tile_plan p[PLANS];
        size_t found = 0;
        char reason[160] = "";
        const enum tmap_status status = tmap_solve(c, &d.request, workspace, sizeof workspace, p,
                                                   PLANS, &found, reason, sizeof reason);
        if (status != TMAP_OK && status != TMAP_E_NO_PLAN)
            fail_msg("tile at %llu: status %d", (unsigned long long)here, status);
        t.without += found == 0;
        for (size_t i = 0; i < found; i++) {
            const struct tmap_desc desc = requested(&d.request, &p[i].plan);
            const char *wrong = plan_error(&t, c, &desc, &how, &p[i].plan, &s);
            if (!wrong) wrong = reader_error(c, &d.request, &p[i].plan);
            if (wrong) fail_msg("tile at %llu, plan %zu: %s", (unsigned long long)here, i, wrong);
        }
    }
    report(&t, "tiles", first);
    assert_true(t.plans > wanted / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_repairs),
        cmocka_unit_test(test_drawn_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
