/* What the model of a product's time makes of it: what has been measured to be quicker is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/gemm_suite.h"
#include "driver/rng.h"

static const struct tmap_gemm_config nothing;

/* Of a device that does not say how fast its memory is the model takes an H200's, and that its
 * errors (residual.c) are not known. */
static struct tmap_gemm *alone(struct tmap_gemm *suite)
{
    suite->gpu.memory_bytes_per_us = 0;
    return suite;
}
static struct tmap_gemm *model_alone(void)
{
    return alone(pretend());
}

static struct gemm_choice pick_scaled(int32_t m, int32_t n, int32_t k,
                                      const struct tmap_gemm_config *request)
{
    struct gemm_choice choice = {0};
    struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, m, n, k);
    p.block_scale = (struct tmap_gemm_block_scale){
        .a = 16, .b = 16, .lda = (m + 3) / 4 * 4, .ldb = (k + 127) / 128};
    assert_true(gemm_enumerate(model_alone(), &p, request, &choice, 1) > 0);
    return choice;
}

/* Rows of a shared operand beyond its end are filled with zeros at some 20 clocks each: of 128 by
 * 64 columns the pair took 16.9 us where single blocks took 12.5 (docs/EXPERIMENTS.md). */
static void few_rows_are_not_shared(void **state)
{
    (void)state;
    static const int32_t rows[] = {16, 48, 80};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gemm_choice choice = pick_scaled(rows[i], 8192, 3584, &nothing);
        assert_int_equal(choice.config.tile_n, 64);
        assert_int_equal(choice.config.cluster_n, 1);
    }
    const struct tmap_gemm_config pairs = {.tile_n = 64, .cluster_m = 1, .cluster_n = 2};
    const struct tmap_gemm_config single = {.tile_n = 64, .cluster_m = 1, .cluster_n = 1};
    assert_true(pick_scaled(80, 8192, 3584, &pairs).cost_us >
                1.1 * pick_scaled(80, 8192, 3584, &single).cost_us);
    assert_true(pick_scaled(128, 8192, 3584, &pairs).cost_us <
                1.1 * pick_scaled(128, 8192, 3584, &single).cost_us);
}

/* Dealt out by k-blocks so that each cluster gets a whole tile, tiles are handed over to nobody. */
static void a_stream_of_whole_tiles_costs_no_parts(void **state)
{
    (void)state;
    const struct tmap_gemm_config dealt = {
        .tile_n = 256, .cluster_m = 2, .cluster_n = 1, .clusters = 66, .stream_k = 66};
    const struct tmap_gemm_config whole = {
        .tile_n = 256, .cluster_m = 2, .cluster_n = 1, .stream_k = -1};
    const double us = pick_scaled(2816, 3072, 1024, &dealt).cost_us;
    assert_true(us < 1.1 * pick_scaled(2816, 3072, 1024, &whole).cost_us);
}

/* What `count` tiles of 16 columns of a promoted product take by clusters of so many. */
static double us_of_tiles(int32_t count, int32_t blocks)
{
    const struct tmap_gemm_config request = {.tile_m = 128,
                                             .tile_n = 16,
                                             .cluster_m = blocks,
                                             .cluster_n = 1,
                                             .split_k = 1,
                                             .stream_k = -1,
                                             .swapped = 1};
    struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, 15, 128 * count, 3584);
    struct gemm_choice choice = {0};
    p.precise = 1;
    assert_true(gemm_enumerate(alone(pretend_h200()), &p, &request, &choice, 1) > 0);
    assert_int_equal(choice.config.clusters, count / blocks);
    return choice.cost_us;
}

/* 15 x 8192 x 3584 by 16 clusters of four takes 14.4 us, by 32 pairs 11.1 (H200). */
static void a_sixteenth_cluster_of_four_shares_its_ways(void **state)
{
    (void)state;
    assert_true(us_of_tiles(64, 4) > 1.15 * us_of_tiles(60, 4));
    assert_true(us_of_tiles(64, 2) < 1.08 * us_of_tiles(60, 2));
    assert_true(us_of_tiles(64, 4) > us_of_tiles(64, 2));
}

/* Rows that begin inside a sector of 32 bytes cost a sector more of every second one. */
static void torn_rows_of_operands_cost_more(void **state)
{
    (void)state;
    const struct tmap_gemm_config same = {
        .tile_m = 128, .tile_n = 160, .pingpong = 1, .cluster_m = 2, .cluster_n = 1};
    struct gemm_choice whole, torn;
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 5144, 1840, 4056);
    p.out = TMAP_GEMM_OUT_BF16;
    p.a.ld = p.b.ld = 4064;
    assert_true(gemm_enumerate(model_alone(), &p, &same, &whole, 1) > 0);
    p.a.ld = p.b.ld = 4056;
    assert_true(gemm_enumerate(model_alone(), &p, &same, &torn, 1) > 0);
    assert_true(torn.cost_us > 1.05 * whole.cost_us);
    /* D's even and odd rows apart do not make A's whole */
    const struct tmap_gemm_config apart = {
        .tile_m = 128, .tile_n = 192, .pingpong = 1, .cluster_m = 2, .cluster_n = 1, .apart = 1};
    struct tmap_gemm_problem halves = product(TMAP_GEMM_BF16, 4728, 26248, 344);
    halves.out = TMAP_GEMM_OUT_BF16;
    halves.d.ld = 26248;
    halves.a.ld = halves.b.ld = 352;
    assert_true(gemm_enumerate(model_alone(), &halves, &apart, &whole, 1) > 0);
    halves.a.ld = 344;
    assert_true(gemm_enumerate(model_alone(), &halves, &apart, &torn, 1) > 0);
    assert_true(torn.cost_us > 1.02 * whole.cost_us);
    /* of fewer loads an operation it loses less: 158 us by 128 x 160 in turns, 132 by 192 x 136 */
    assert_true(gemm_enumerate(model_alone(), &p, &nothing, &torn, 1) > 0);
    assert_true(torn.config.pingpong <= 0);
}

/* The model's choice for a bf16 product of so many rows, columns and elements of K. */
static struct tmap_gemm_config pick_plain(const int32_t *shape)
{
    struct gemm_choice first = {0};
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, shape[0], shape[1], shape[2]);
    p.out = TMAP_GEMM_OUT_BF16;
    assert_true(gemm_enumerate(alone(pretend_h200()), &p, &nothing, &first, 1) > 0);
    return first.config;
}

/* A tile of 120 or 152 columns of 2 bytes begins inside a sector, every second time: 63032 x 224 x
 * 72 took 19.6 us by 256 x 120, 17.1 by tiles that do not; 22296 x 304 x 296 15.6 by 192 x 152 and
 * 14.2 (H200). Where D is written column by column, they lie along its rows. */
static void tiles_do_not_begin_inside_a_sector(void **state)
{
    (void)state;
    static const int32_t shapes[][3] = {{63032, 224, 72}, {22296, 304, 296}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct tmap_gemm_config c = pick_plain(shapes[i]);
        assert_true(c.swapped > 0 || c.tile_n % 16 == 0);
    }
}

/* What clusters of eight save is little with one k-block a tile: 44078 x 3424 x 64 took 100 us by
 * four by two of 128 x 192 in turns, 84 by pairs; 2147 x 23256 x 64 43 by two by four, 37 by pairs
 * (H200). */
static void short_tiles_are_not_shared_by_eight(void **state)
{
    (void)state;
    static const int32_t shapes[][3] = {{44078, 3424, 64}, {2147, 23256, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct tmap_gemm_config c = pick_plain(shapes[i]);
        assert_true(c.cluster_m * c.cluster_n <= 2);
    }
}

/* One warpgroup's tiles gain little where L2 is asked once for what a GPC's pairs want: 1334 x 576
 * x 7168 took 31 us by pairs of 64 x 96, 24 by shares of 128 x 96; 1974 x 576 x 7168 34 by pairs of
 * 64 x 144, 30 by shares of 128 x 144 (H200). */
static void low_tiles_are_not_taken_for_merging(void **state)
{
    (void)state;
    static const int32_t shapes[][3] = {{1334, 576, 7168}, {1974, 576, 7168}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_true(pick_plain(shapes[i]).tile_m > 64);
}

/* Fewer bytes an operation are worth more than fewer clocks where a product keeps the device at its
 * power limit: 16384 cubed took 12.3 ms by the tall tile and 12.6 to 13.1 by the pick before. Of 20
 * shorter ones 128 x 256 and its like took 0.97 of the tall tile's time (H200). */
static void only_products_at_the_power_limit_take_the_tall_tile(void **state)
{
    (void)state;
    static const struct {
        int32_t m, n, k;
        bool tall;
    } cases[] = {{20000, 6144, 6144, false},
                 {16384, 16384, 16384, true},
                 {8192, 57344, 8192, true},
                 {8192, 8192, 8192, false},
                 {4096, 4096, 4096, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gemm_choice first;
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, cases[i].m, cases[i].n, cases[i].k);
        p.out = TMAP_GEMM_OUT_BF16;
        assert_true(gemm_enumerate(model_alone(), &p, &nothing, &first, 1) > 0);
        assert_int_equal(gemm_is_tall(first.instance), cases[i].tall);
    }
}

/* 778 x 8192 x 28672 by pairs along N: all tiles dealt out 867 us, those that are left after whole
 * rounds 660 (H200, 2026-11-30). Of a short K the cache has it all. */
static void streams_of_large_operands_cost_more(void **state)
{
    (void)state;
    double us[2][2]; /* by K, and by how many tiles are dealt out */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            struct gemm_choice first;
            const struct tmap_gemm_config request = {.tile_m = 128,
                                                     .tile_n = 256,
                                                     .cluster_m = 1,
                                                     .cluster_n = 2,
                                                     .swapped = -1,
                                                     .stream_k = j ? 112 : 46};
            struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 778, 8192, i ? 28672 : 1024);
            p.out = TMAP_GEMM_OUT_BF16;
            assert_true(gemm_enumerate(alone(pretend_h200()), &p, &request, &first, 1) > 0);
            us[i][j] = first.cost_us;
        }
    assert_true(us[1][1] > us[1][0] * 1.03);
    assert_true(us[1][1] / us[1][0] > us[0][1] / us[0][0]);
}

/* What only bf16 and fp16 have: operands by rows of M or N, a second output, a promise, a gate. */
static void draw_16_bits(struct tmap_gemm_problem *p, uint64_t *seed)
{
    p->a.mn_major = rng_step(seed) % 4 == 0, p->b.mn_major = rng_step(seed) % 4 == 0;
    if (p->a.mn_major) p->a.ld = p->m;
    if (p->b.mn_major) p->b.ld = p->n;
    p->b_ready = rng_step(seed) % 5 == 0;
    const bool steps = rng_step(seed) % 4 == 0;
    if (steps) p->epilogue.amax = 4096;
    if (steps && p->beta == 0.0f && !p->a.mn_major && rng_step(seed) % 2 == 0)
        p->epilogue.gate = TMAP_GEMM_GATE_HALVES;
    else if (steps)
        p->epilogue.second = (struct tmap_gemm_matrix){.address = 4096, .ld = p->n};
}

/* Any type, batches, C, an activation; rows of D that are whole sectors or not. */
static struct tmap_gemm_problem drawn(uint64_t *seed)
{
    const int32_t m = 1 << rng_step(seed) % 14, n = 8 << rng_step(seed) % 12,
                  k = 8 << rng_step(seed) % 13;
    struct tmap_gemm_problem p = product(
        (int32_t)(rng_step(seed) % (GEMM_S8 + 1)), m + (int32_t)(rng_step(seed) % m),
        n + 8 * (int32_t)(rng_step(seed) % (n / 8)), k + 8 * (int32_t)(rng_step(seed) % (k / 8)));
    p.precise = rng_step(seed) % 3 == 0;
    if (p.kind != TMAP_GEMM_S8 && rng_step(seed) % 2 == 0) p.out = TMAP_GEMM_OUT_BF16, p.d.ld = p.n;
    if (rng_step(seed) % 5 == 0) p.batch = 1 + (int32_t)(rng_step(seed) % 6);
    const bool activates = p.kind != TMAP_GEMM_S8 && p.kind != TMAP_GEMM_TF32;
    if (rng_step(seed) % 5 == 0) p.beta = 1, p.c = p.d;
    if (p.kind <= TMAP_GEMM_F16) draw_16_bits(&p, seed);
    if (activates && rng_step(seed) % 5 == 0)
        p.epilogue.activation = 1 + (int32_t)(rng_step(seed) % 3);
    return p;
}

/* Whether a configuration is dealt out in that way. */
static bool is_dealt(const struct tmap_gemm *suite, const struct gemm_view *view,
                     const struct gemm_choice *choice, int32_t way)
{
    const struct tmap_gemm_config *c = &choice->config;
    struct gemm_choice again = {.instance = choice->instance,
                                .config = {.cluster_m = c->cluster_m,
                                           .cluster_n = c->cluster_n,
                                           .split_k = c->split_k,
                                           .swapped = c->swapped,
                                           .stream_k = way}};
    return gemm_complete(suite, view, &nothing, &again) && again.config.stream_k == c->stream_k &&
           again.config.clusters == c->clusters;
}

/* As the plan looks at a configuration: whether a bound of the way that it is dealt out in puts it
 * beyond its own cost, or there is no such way. */
static bool is_bounded_wrongly(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                               const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const struct gemm_view view = gemm_view_in(p, choice);
    struct gemm_bound bound = gemm_bound_of(suite, &view, choice->instance);
    const double us = choice->cost_us * (1 + 1e-9);
    gemm_bound_cluster(&bound, c->cluster_m, c->cluster_n);
    if (gemm_cluster_is_slower(&bound, us)) return true;
    gemm_bound_split(&bound, c->split_k);
    int32_t ways = 0;
    for (int32_t way = 0; way <= 3; way++) {
        if (!is_dealt(suite, &view, choice, way)) continue;
        ways++;
        if (way > 0 && gemm_dealing_is_slower(&bound, us)) return true;
        if (gemm_is_slower(&bound, way, us)) return true;
    }
    return ways == 0;
}

/* What the bound leaves out would not have been picked: no configuration is modelled as quicker
 * than its bound, over drawn problems of all types. */
static void check_bounds(struct tmap_gemm *suite, uint64_t seed)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    size_t looked = 0;
    for (int i = 0; i < 120; i++) {
        const struct tmap_gemm_problem p = drawn(&seed);
        size_t count = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
        if (count > GEMM_MAX_CHOICES) count = GEMM_MAX_CHOICES;
        for (size_t j = 0; j < count; j++, looked++)
            if (is_bounded_wrongly(suite, &p, &choices[j]))
                fail_msg("%d x %d x %d: %s by clusters of %d x %d, %d parts, stream %d", p.m, p.n,
                         p.k, choices[j].instance->name, choices[j].config.cluster_m,
                         choices[j].config.cluster_n, choices[j].config.split_k,
                         choices[j].config.stream_k);
    }
    assert_true(looked > 10000);
}

static void no_bound_is_above_a_cost(void **state)
{
    (void)state;
    check_bounds(model_alone(), 28112026);
    check_bounds(alone(pretend_h200()), 28112027);
}

/* The most that were found among drawn ones: the dearest would be left out. */
static void all_configurations_fit(void **state)
{
    (void)state;
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct {
        int32_t kind, out, m, n, k;
    } most[] = {{TMAP_GEMM_BF16, TMAP_GEMM_OUT_BF16, 236, 356, 4304},
                {TMAP_GEMM_F16, TMAP_GEMM_OUT_F32, 272, 504, 7776},
                {TMAP_GEMM_BF16, TMAP_GEMM_OUT_BF16, 414, 256, 8240}};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        struct tmap_gemm_problem p = product(most[i].kind, most[i].m, most[i].n, most[i].k);
        const struct tmap_gemm_config apart = {.apart = 1};
        p.out = most[i].out;
        assert_in_range(gemm_enumerate(model_alone(), &p, i == 2 ? &apart : &nothing, choices,
                                       GEMM_MAX_CHOICES),
                        3000, GEMM_MAX_CHOICES);
    }
}

static double us_by_clusters(int32_t n, int32_t group, int32_t clusters)
{
    const struct tmap_gemm_config request = {.tile_m = 256,
                                             .tile_n = 128,
                                             .cluster_m = 2,
                                             .cluster_n = 1,
                                             .group = group,
                                             .clusters = clusters,
                                             .swapped = -1,
                                             .stream_k = -1};
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 58272, n, 96);
    struct gemm_choice choice;
    p.out = TMAP_GEMM_OUT_BF16;
    assert_true(gemm_enumerate(alone(pretend_h200()), &p, &request, &choice, 1) > 0);
    assert_int_equal(choice.config.clusters, clusters);
    return choice.cost_us;
}

/* 66 clusters that go through rows of eleven tiles one after the other: the same six have the end
 * of each, which threads store. 58272 x 1403 x 96 took 96 us so, and 68 by clusters of four
 * (docs/EXPERIMENTS.md). */
static void the_same_clusters_meet_the_ends_of_rows(void **state)
{
    (void)state;
    assert_true(us_by_clusters(1403, 1, 66) > 1.1 * us_by_clusters(1403, 1, 65));
    assert_true(us_by_clusters(1403, 1, 66) > 1.1 * us_by_clusters(1403, 8, 66));
    assert_true(us_by_clusters(1400, 1, 66) < us_by_clusters(1400, 1, 65));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_configurations_fit),
        cmocka_unit_test(few_rows_are_not_shared),
        cmocka_unit_test(a_stream_of_whole_tiles_costs_no_parts),
        cmocka_unit_test(streams_of_large_operands_cost_more),
        cmocka_unit_test(no_bound_is_above_a_cost),
        cmocka_unit_test(a_sixteenth_cluster_of_four_shares_its_ways),
        cmocka_unit_test(torn_rows_of_operands_cost_more),
        cmocka_unit_test(tiles_do_not_begin_inside_a_sector),
        cmocka_unit_test(short_tiles_are_not_shared_by_eight),
        cmocka_unit_test(low_tiles_are_not_taken_for_merging),
        cmocka_unit_test(the_same_clusters_meet_the_ends_of_rows),
        cmocka_unit_test(only_products_at_the_power_limit_take_the_tall_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
