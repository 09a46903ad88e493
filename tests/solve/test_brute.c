/* Repair against brute force (tests/support/brute.h) on small instances. TMAP_BRUTE=N instances
 * from TMAP_SEED; TMAP_FROM=K begins at the K-th, so that a long run can be cut into pieces. */
#include "core/layout.h"
#include "support/brute.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define DEPTH 3
#define ROW 16u

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b * b;
}

static struct tmap_desc small_desc(uint64_t *s)
{
    static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32, TMAP_UINT64};
    struct tmap_desc d = {.kind = TMAP_TILED, .address = 1 << 20};
    d.dtype = types[next_random(s) % 4];
    d.rank = 1 + (uint32_t)(next_random(s) % 3);
    d.swizzle = (int32_t)(next_random(s) % 4);
    if (next_random(s) % 4 == 0) d.address += next_random(s) % 16;
    if (d.rank == 3 && next_random(s) % 12 == 0) d.interleave = 1 + (int32_t)(next_random(s) % 2);
    uint64_t at = layout_gmem_bits(d.dtype) / 8;
    if (d.interleave) at = layout_slice_bytes(d.interleave);
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = next_random(s) % 4 ? 1 + next_random(s) % 24 : 1;
        d.box[i] = (uint32_t)(next_random(s) % 3 ? 1 + next_random(s) % 12 : d.dim[i]);
        if (next_random(s) % 24 == 0) d.box[i] = 257 + (uint32_t)(next_random(s) % 260);
        d.elem_stride[i] = i && next_random(s) % 10 == 0 ? 2 + (uint32_t)(next_random(s) % 9) : 1;
        at *= d.dim[i];
        if (next_random(s) % 2) at = up(at, ROW);
        if (i + 1 < d.rank) d.stride_bytes[i] = d.dim[i] == 1 && next_random(s) % 2 ? 6 : at;
        if (i + 1 < d.rank && d.dim[i] == 1 && next_random(s) % 4 == 0)
            d.stride_bytes[i] = layout_gmem_bits(d.dtype) / 8;
    }
    return d;
}

/* The cheapest so far. */
struct best {
    struct tmap_cost cost;
    bool any;
};

static void consider(struct brute *b, const struct candidate *x)
{
    struct best *best = b->user;
    struct tmap_cost c = {.kind = x->p->copied, .copied_bytes = x->p->copied ? b->tensor : 0};
    c.extra_instructions = x->copies - 1;
    c.extra_maps = (uint32_t)x->maps - 1;
    c.layout_changes = x->desc->swizzle != b->request.swizzle;
    c.wasted_traffic_bytes = x->moved_bytes > b->useful ? x->moved_bytes - b->useful : 0;
    c.wasted_shared_bytes = x->shared_bytes > b->useful ? x->shared_bytes - b->useful : 0;
    if ((best->any && tmap_cost_compare(&c, &best->cost) >= 0) || !brute_legal(b, x, NULL)) return;
    c.layout_changes += !brute_keeps_layout(b, x);
    if (best->any && tmap_cost_compare(&c, &best->cost) >= 0) return;
    best->cost = c;
    best->any = true;
}

/* Whether what is known beats all with so many copies. */
static bool skip_it(const struct brute *b, const struct place *p, uint64_t copies)
{
    const struct best *best = b->user;
    struct tmap_cost c = {.kind = p->copied, .copied_bytes = p->copied ? b->tensor : 0};
    c.extra_instructions = copies - 1;
    return best->any && tmap_cost_compare(&c, &best->cost) > 0;
}

/* --- the comparison ------------------------------------------------------------------------- */

static void say(const char *who, const struct tmap_cost *c)
{
    print_error("  %s: kind %u, copied %llu, %llu more copies, %u maps, layout %u, traffic %llu, "
                "shared %llu\n",
                who, c->kind, (unsigned long long)c->copied_bytes,
                (unsigned long long)c->extra_instructions, c->extra_maps, c->layout_changes,
                (unsigned long long)c->wasted_traffic_bytes,
                (unsigned long long)c->wasted_shared_bytes);
}

static void say_request(const struct tmap_desc *d, const struct tmap_plan *p)
{
    char text[200];
    print_error("  type %d, address %llx, swizzle %d, interleave %d\n", d->dtype,
                (unsigned long long)d->address, d->swizzle, d->interleave);
    for (uint32_t i = 0; i < d->rank; i++)
        print_error(
            "  dim %llu stride %llu box %u element stride %u\n", (unsigned long long)d->dim[i],
            (unsigned long long)(i ? d->stride_bytes[i - 1] : 0), d->box[i], d->elem_stride[i]);
    for (uint32_t i = 0; i < p->step_count; i++) {
        tmap_plan_step_text(&p->step[i], text, sizeof text);
        print_error("    %s\n", text);
    }
}

struct tally {
    long equal, deeper, unreachable, open;
};

/* The search may only be better, and only by what brute force does not try. */
static bool compare_one(struct brute *b, struct tally *t)
{
    const struct tmap_request request = {.op = b->op, .no_im2col = true};
    const struct best *best = b->user;
    struct tmap_plan p;
    struct tmap_repair_report r;
    const enum tmap_status s =
        tmap_repair(&b->c, &b->request, &request, workspace, sizeof workspace, &p, 1, &r, NULL);
    if (s == TMAP_E_NO_PLAN && !best->any) {
        t->unreachable++;
        return true;
    }
    if (s == TMAP_OK && p.cost.kind == TMAP_PLAN_DECISION) return true;
    if ((s == TMAP_OK && !r.closed) || (s == TMAP_E_BUDGET && !best->any)) {
        t->open++;
        return true;
    }
    p.cost.steps = best->cost.steps;
    const int order = s != TMAP_OK ? 1 : best->any ? tmap_cost_compare(&p.cost, &best->cost) : -1;
    const bool beyond = s == TMAP_OK && (p.copies > BRUTE_COPIES || brute_rewrites(&p) > DEPTH);
    if (order == 0) t->equal++;
    if (order < 0 && beyond) t->deeper++;
    if (order == 0 || (order < 0 && beyond)) return true;
    say("search", &p.cost);
    if (best->any) say("brute force", &best->cost);
    say_request(&b->request, &p);
    return false;
}

static long number(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

static void test_equals_brute_force(void **state)
{
    const long n = number("TMAP_BRUTE", 400), first = number("TMAP_FROM", 1);
    const struct tmap_target t = tmap_default_target();
    struct best best;
    struct brute b = {.list = malloc(BRUTE_VIEWS * sizeof *b.list),
                      .depth = DEPTH,
                      .swizzles = 4,
                      .every_box = true,
                      .consider = consider,
                      .skip = skip_it,
                      .user = &best};
    struct tally tally = {0};
    uint64_t seed = (uint64_t)number("TMAP_SEED", 77);
    long wrong = 0;
    (void)state;
    assert_non_null(b.list);
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &b.c), TMAP_OK);
    for (long i = 0; i < n;) {
        b.request = small_desc(&seed);
        b.op = next_random(&seed) % 3 == 0 ? TMAP_OP_STORE : TMAP_OP_LOAD;
        if (tmap_verdict_of(&b.c, &b.request) == TMAP_LEGAL) continue;
        if (++i < first) continue;
        best.any = false;
        brute_run(&b);
        if (compare_one(&b, &tally)) continue;
        print_error("  instance %ld\n", i);
        wrong++;
    }
    print_message("# %ld instances: cost equal in %ld; %ld need more rewrites or copies than brute "
                  "force tries, %ld have no plan, %ld searches not closed\n",
                  n - first + 1, tally.equal, tally.deeper, tally.unreachable, tally.open);
    assert_int_equal(wrong, 0);
    assert_true(tally.equal * 10 > (n - first + 1) * 6 &&
                (tally.open + tally.deeper) * 20 <= n - first + 1);
    free(b.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
