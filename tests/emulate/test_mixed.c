/* The products of weights in 4 or 8 bits on the emulator, against sums by the definition: drawn
 * shapes of every kernel, under all three schedules; and the faults that can be planted in them,
 * each of which has to show.
 *
 * TMAP_EMULATE_SHAPES says how many shapes (60). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"
#include "support/emulated_instances.h"
#include "support/mixed_fault.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;

/* An operand that an earlier launch may not write any more is read before its end, if asked for. */
static bool is_early(const struct mixed_case *c, const struct tmap_emulate_finding *f)
{
    const struct tmap_mixed_problem *p = &c->problem;
    const uint64_t begin[] = {p->weights, p->scales, p->zeros};
    bool there = false;
    for (int i = 0; i < 3; i++)
        there |= begin[i] && f->address >= begin[i] && f->address - begin[i] < c->bytes[1 + i];
    return there && strstr(f->text, "read of global") && strstr(f->text, "griddepcontrol.wait");
}

static bool is_clean(const struct mixed_case *c, const struct tmap_gemm_plan *plan)
{
    size_t early = 0;
    for (size_t i = 0; i < emulator->findings && i < EMULATED_FINDINGS; i++)
        early += is_early(c, &emulator->finding[i]);
    if (plan->config.overlap <= 0) return emulator->findings == 0;
    return early > 0 && early == emulator->findings;
}

/* True when the result is right and the emulator has nothing to say. */
static bool right(struct mixed_case *c, struct tmap_gemm_plan *plan, uint64_t seed, bool tell)
{
    const struct tmap_mixed_problem *p = &c->problem;
    int32_t first[2] = {0};
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    const bool ran = tmap_gemm_run(plan, NULL) == TMAP_OK;
    const uint64_t wrong = ran ? mixed_case_wrong(suite, c, UINT64_MAX, first) : 1;
    if (ran && is_clean(c, plan) && !wrong) return true;
    if (!tell) return false;
    emulated_print();
    print_message("# seed %u: kind %d weight %d out %d m %d n %d k %d group %d scales %d zeros %d, "
                  "tile %d stages %d clusters %d: ran %d, %llu wrong, first %d %d\n",
                  (unsigned)seed, p->kind, p->weight, p->out, p->m, p->n, p->k, p->group,
                  p->scales != 0, p->zeros != 0, plan->config.tile_n, plan->config.stages,
                  plan->config.clusters, ran, (unsigned long long)wrong, first[0], first[1]);
    return false;
}

static void one(uint64_t seed)
{
    uint64_t r = seed * 7919;
    const struct tmap_mixed_problem shape = mixed_case_draw(&r, 4e6);
    const struct tmap_gemm_config request = {
        .tile_n = rng_step(&r) % 4 ? 0 : 8 << rng_step(&r) % 4,
        .stages = rng_step(&r) % 3 ? 0 : 1 + (int32_t)(rng_step(&r) % 3),
        .clusters = rng_step(&r) % 2 ? 0 : 1 + (int32_t)(rng_step(&r) % 7),
        .overlap = (int32_t)(rng_step(&r) % 3) - 1};
    struct tmap_gemm_refusal refusal = {0};
    struct tmap_gemm_plan plan;
    struct mixed_case c;
    assert_true(mixed_case_make(suite, &shape, (enum mixed_fill)(seed / 3 % 2), seed, &c));
    if (rng_step(&r) % 2) c.problem.next = &c.problem; /* as if it came again */
    if (tmap_mixed_make_plan(suite, &c.problem, &request, &plan, &refusal) != TMAP_OK)
        fail_msg("no plan: %s", refusal.text);
    if (!right(&c, &plan, seed, true)) fail();
    mixed_case_free(suite, &c);
}

static void drawn_shapes(void **state)
{
    const uint64_t shapes = emulated_shapes(60);
    (void)state;
    for (uint64_t seed = 0; seed < shapes; seed++) one(seed);
    print_message("# %u shapes\n", (unsigned)shapes);
}

static bool right_with(uint32_t fault, int32_t weight, uint64_t seed)
{
    const struct tmap_mixed_problem shape = mixed_fault_shape(weight);
    const struct tmap_gemm_config request = mixed_fault_request();
    struct tmap_gemm_plan plan;
    struct mixed_case c;
    assert_true(mixed_case_make(suite, &shape, MIXED_INTEGERS, seed, &c));
    assert_int_equal(tmap_mixed_make_plan(suite, &c.problem, &request, &plan, NULL), TMAP_OK);
    assert_true(mixed_fault_plant(&suite->checker, fault, &plan));
    plan.function =
        emulated_function(weight == TMAP_MIXED_U4 ? "mixed_faulty_u4_16" : "mixed_faulty_s8_16");
    assert_non_null(plan.function);
    const bool good = right(&c, &plan, seed, fault == 0);
    mixed_case_free(suite, &c);
    return good;
}

static void every_fault_is_found(void **state)
{
    (void)state;
    emulated_unload();
    assert_true(emulated_ptx("src/kernels/gemm/sm90/mixed_bf16"));
    assert_true(emulated_ptx("tests/device/gemm/mixed_faults"));
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_true(right_with(0, TMAP_MIXED_U4, seed));
        assert_true(right_with(0, TMAP_MIXED_S8, seed));
    }
    for (size_t i = 0; i < sizeof mixed_faults / sizeof *mixed_faults; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            if (right_with(mixed_faults[i].id, mixed_faults[i].weight, seed))
                fail_msg("not found: %s", mixed_faults[i].name);
    emulated_unload();
}

/* Boxes of the next problem that a launch asks of the L2 cache: how often each, by its tile of N
 * and its k-block. */
enum { MOST_TILES = 3, MOST_BLOCKS = 28 };
struct boxes {
    int of[MOST_TILES][MOST_BLOCKS];
};
struct asked {
    const struct tmap_mixed_problem *next;
    int32_t groups; /* in a k-block */
    struct boxes weights, scales, zeros;
    int others;
};

static void add_box(void *self, const struct tmap_desc *map, const struct tmap_use *box)
{
    struct asked *a = self;
    const bool weights = map->address == a->next->weights && box->coord[2] == 0;
    const int32_t n = weights ? box->coord[1] / (MIXED_ROWS / 8) : box->coord[0] / MIXED_ROWS;
    const int32_t k = weights ? box->coord[0] / 128 : box->coord[1] / a->groups;
    struct boxes *to = weights                           ? &a->weights
                       : map->address == a->next->scales ? &a->scales
                       : map->address == a->next->zeros  ? &a->zeros
                                                         : NULL;
    if (to && n < MOST_TILES && k < MOST_BLOCKS)
        to->of[n][k]++;
    else
        a->others++;
}

/* A launch of 13 rows and its next one, by tiles of 256 by 16; clusters 0: as many as the emulated
 * device has. With groups there are zeros. */
static const struct chain {
    int32_t weight, group, clusters;
    struct {
        int32_t n, k_blocks;
    } own;
    struct {
        int32_t m, n, k_blocks, clusters;
    } next;
} chains[] = {
    {TMAP_MIXED_U4, 64, 3, {200, 7}, {13, 600, 25, 3}},
    {TMAP_MIXED_U4, 64, 4, {200, 7}, {13, 600, 25, 4}},
    {TMAP_MIXED_U4, 64, 5, {200, 7}, {13, 600, 25, 5}},
    /* whose second block has one k-block of its higher tile, and goes on with the lower */
    {TMAP_MIXED_U4, 64, 6, {200, 7}, {13, 600, 25, 6}},
    {TMAP_MIXED_U4, 64, 8, {200, 7}, {13, 600, 25, 8}},  /* of seven blocks */
    {TMAP_MIXED_S8, 0, 7, {600, 7}, {40, 600, 25, 7}},   /* three tiles of one box */
    {TMAP_MIXED_E4M3, 0, 0, {200, 16}, {9, 200, 28, 7}}, /* of eight blocks */
};

/* An eighth of a block's share, and one at least; a block works from its highest tile down, in each
 * from its lowest k-block up. */
static struct boxes first_of(const struct chain *c)
{
    struct boxes want = {0};
    const int32_t blocks = c->next.clusters, deep = c->next.k_blocks;
    const int32_t tiles_m = (c->next.m + 15) / 16, tiles_n = (c->next.n + 255) / 256;
    const int32_t tiles = tiles_n * tiles_m, units = tiles * deep;
    const int32_t share = units / blocks, rest = units % blocks, most = share + (rest > 0);
    for (int32_t b = 0, begin = 0, end; b < blocks; b++, begin = end) {
        int32_t left = most < 12 ? 1 : (most + 4) / 8;
        end = begin + share + (b < rest);
        for (int32_t tile = tiles - 1; tile >= 0; tile--)
            for (int32_t unit = tile * deep; unit < (tile + 1) * deep; unit++)
                if (unit >= begin && unit < end && left-- > 0)
                    want.of[tile / tiles_m][unit - tile * deep]++;
    }
    return want;
}

static struct tmap_mixed_problem of_chain(const struct chain *c, int32_t n, int32_t k_blocks)
{
    struct tmap_mixed_problem shape = mixed_fault_shape(c->weight);
    shape.n = n, shape.k = k_blocks * (c->weight == TMAP_MIXED_U4 ? 256 : 128);
    shape.group = c->group;
    if (c->group == 0) shape.scales = shape.zeros = 0;
    return shape;
}

static void next_is_asked_for(const struct chain *c, uint64_t seed)
{
    struct tmap_mixed_problem first = of_chain(c, c->own.n, c->own.k_blocks),
                              then = of_chain(c, c->next.n, c->next.k_blocks);
    const struct tmap_gemm_config request = {.tile_n = 16, .stages = 2, .clusters = c->clusters};
    const struct boxes want = first_of(c), none = {0};
    struct tmap_gemm_plan plan;
    struct mixed_case own, next;
    then.m = c->next.m;
    assert_true(mixed_case_make(suite, &first, MIXED_INTEGERS, seed, &own));
    assert_true(mixed_case_make(suite, &then, MIXED_INTEGERS, seed + 1, &next));
    own.problem.next = &next.problem;
    struct asked asked = {.next = &next.problem, .groups = 4};
    assert_int_equal(tmap_mixed_make_plan(suite, &own.problem, &request, &plan, NULL), TMAP_OK);
    emulator->self = &asked, emulator->prefetch = add_box;
    const bool good = right(&own, &plan, seed, true);
    emulator->self = NULL, emulator->prefetch = NULL;
    assert_true(good);
    assert_int_equal(asked.others, 0);
    assert_memory_equal(&asked.weights, &want, sizeof want);
    assert_memory_equal(&asked.scales, c->group ? &want : &none, sizeof want);
    assert_memory_equal(&asked.zeros, c->group ? &want : &none, sizeof want);
    mixed_case_free(suite, &own);
    mixed_case_free(suite, &next);
}

static void first_slots_of_the_next_are_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        next_is_asked_for(&chains[i], (uint64_t)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_shapes),
                                       cmocka_unit_test(first_slots_of_the_next_are_asked_for),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/mixed_bf16") ||
        !emulated_ptx("src/kernels/gemm/sm90/mixed_f16"))
        return emulated_skip("emulated products of few bits");
    const int failed =
        cmocka_run_group_tests_name("emulated products of few bits", tests, NULL, NULL);
    emulated_close();
    return failed;
}
