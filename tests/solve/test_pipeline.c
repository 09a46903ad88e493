/* Budgets of shared memory against the table of stages that published kernels use. */
#include "support/checkers.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct tmap_desc tile(int32_t dtype, uint32_t columns, uint32_t rows, int32_t swizzle)
{
    struct tmap_desc d = {.kind = TMAP_TILED, .dtype = dtype, .rank = 2, .address = 1 << 20};
    d.dim[0] = 8192;
    d.dim[1] = 8192;
    d.stride_bytes[0] = 8192 * 4;
    d.box[0] = columns;
    d.box[1] = rows;
    d.elem_stride[0] = d.elem_stride[1] = 1;
    d.swizzle = swizzle;
    return d;
}

static const struct row {
    const char *arch;
    int32_t dtype;
    uint32_t k, m, n;
    uint64_t reserve; /* staging of the epilogue, and 1536 bytes for barriers and alignment */
    uint32_t stages;
} rows[] = {
    {"sm_90a", TMAP_BFLOAT16, 64, 128, 256, 65536 + 1536, 3},
    {"sm_90a", TMAP_BFLOAT16, 64, 128, 256, 16384 + 1536, 4},
    {"sm_90a", TMAP_BFLOAT16, 64, 128, 192, 49152 + 1536, 4},
    {"sm_90a", TMAP_BFLOAT16, 64, 128, 128, 32768 + 1536, 6},
    {"sm_90a", TMAP_BFLOAT16, 64, 64, 256, 32768 + 1536, 4},
    {"sm_90a", TMAP_UINT8, 128, 128, 256, 65536 + 1536, 3},
    {"sm_90a", TMAP_TFLOAT32, 32, 128, 256, 32768 + 1536, 4},
    {"sm_100a", TMAP_BFLOAT16, 64, 128, 256, 32768 + 1536, 4},
    {"sm_100a", TMAP_BFLOAT16, 64, 128, 128, 32768 + 1536, 6},
    {"sm_120a", TMAP_BFLOAT16, 64, 128, 128, 1536, 3},
    {"sm_120a", TMAP_BFLOAT16, 64, 256, 128, 1536, 2},
};

static void test_published_stages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct tmap_checker c = checker_on(rows[i].arch);
        const struct tmap_desc loads[2] = {
            tile(rows[i].dtype, rows[i].k, rows[i].m, TMAP_SWIZZLE_128B),
            tile(rows[i].dtype, rows[i].k, rows[i].n, TMAP_SWIZZLE_128B)};
        const struct tmap_pipeline p = {
            .loads = loads, .load_count = 2, .reserve_bytes = rows[i].reserve};
        struct tmap_budget b;
        size_t found;
        assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_OK);
        assert_int_equal(b.max_stages, rows[i].stages);
        assert_int_equal(b.stages, rows[i].stages);
        assert_int_equal(b.verdict, TMAP_LEGAL);
        assert_int_equal(b.stage_tx_bytes, (rows[i].m + rows[i].n) * 128);
    }
}

/* No region overlaps another, each is aligned, all are inside. */
static void test_regions(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    /* 48-byte rows under a 128-byte swizzle: the footprint is more than the bytes that move */
    const struct tmap_desc loads[2] = {tile(TMAP_BFLOAT16, 24, 20, TMAP_SWIZZLE_128B),
                                       tile(TMAP_BFLOAT16, 64, 100, TMAP_SWIZZLE_NONE)};
    const struct tmap_desc store = tile(TMAP_BFLOAT16, 32, 64, TMAP_SWIZZLE_64B);
    const struct tmap_pipeline p = {
        .loads = loads, .load_count = 2, .store = &store, .stages = 3, .store_stages = 2};
    struct tmap_region r[16];
    struct tmap_budget b;
    size_t found;
    (void)state;
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, r, 16, NULL, 0, &found), TMAP_OK);
    assert_int_equal(b.region_count, 3 * 2 + 2 + 1);
    assert_int_equal(b.stage_tx_bytes, 20 * 48 + 100 * 128);
    for (size_t i = 0; i < b.region_count; i++) {
        assert_int_equal(r[i].offset_bytes % r[i].align_bytes, 0);
        assert_true(r[i].offset_bytes + r[i].bytes <= b.shared_bytes);
        if (i) assert_true(r[i - 1].offset_bytes + r[i - 1].bytes <= r[i].offset_bytes);
    }
    assert_true(r[0].bytes > 20 * 48);
}

/* What else a kernel keeps lies behind the barriers, and is listed as far as there is room. */
static void test_the_rest_of_shared_memory(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B);
    const struct tmap_pipeline p = {
        .loads = &load, .load_count = 1, .stages = 2, .reserve_bytes = 1000};
    struct tmap_region r[4] = {{0}};
    struct tmap_budget b;
    size_t found;
    (void)state;
    for (size_t room = 0; room <= 4; room++) {
        r[3].bytes = 0;
        assert_int_equal(tmap_pipeline_budget(&c, &p, &b, r, room, NULL, 0, &found), TMAP_OK);
        assert_int_equal(b.region_count, 4);
        assert_int_equal(r[3].bytes, room == 4 ? 1000 : 0);
    }
    assert_int_equal(r[3].kind, TMAP_REGION_REST);
    assert_true(r[3].offset_bytes == r[2].offset_bytes + r[2].bytes);
    assert_int_equal(r[3].offset_bytes + r[3].bytes, b.shared_bytes);
}

/* Two loads a stage, of which the caller's array ends between. */
static void test_regions_of_half_a_stage(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_desc loads[2] = {tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B),
                                       tile(TMAP_BFLOAT16, 64, 32, TMAP_SWIZZLE_128B)};
    const struct tmap_pipeline p = {.loads = loads, .load_count = 2, .stages = 2};
    struct tmap_region r[4] = {{0}};
    struct tmap_budget b;
    size_t found;
    (void)state;
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, r, 3, NULL, 0, &found), TMAP_OK);
    assert_int_equal(b.region_count, 5);
    assert_true(r[2].stage == 1 && r[2].index == 0 && r[2].bytes == 8192);
    assert_int_equal(r[3].bytes, 0);
}

/* How many stages fit, and the columns that are allocated, are facts of the chip: the driver's
 * contract, which asks neither row, has the same. */
static void test_what_fits_under_each_contract(void **state)
{
    static const enum tmap_contract contracts[] = {TMAP_CONTRACT_SAFE, TMAP_CONTRACT_DOCUMENTED,
                                                   TMAP_CONTRACT_DRIVER, TMAP_CONTRACT_HARDWARE};
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 256, TMAP_SWIZZLE_128B);
    const struct tmap_pipeline p = {.loads = &load, .load_count = 1, .tmem_columns = 192};
    const struct tmap_target target = checker_on("sm_100a").target;
    (void)state;
    for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++) {
        struct tmap_checker c;
        struct tmap_budget b;
        size_t found;
        assert_int_equal(tmap_checker_prepare(&target, contracts[i], &c), TMAP_OK);
        assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_OK);
        assert_int_equal(b.max_stages, 7);
        assert_int_equal(b.stages, 7);
        assert_int_equal(b.tmem_columns, 256);
    }
}

/* A target that no source covers has no layouts, and so no sums. */
static void test_an_uncovered_target(void **state)
{
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B);
    const struct tmap_pipeline p = {.loads = &load, .load_count = 1, .stages = 2};
    struct tmap_target t = tmap_default_target();
    struct tmap_pipeline_box box;
    struct tmap_checker c;
    struct tmap_budget b;
    size_t found;
    (void)state;
    t.driver = 9999;
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_E_TARGET);
    t = tmap_default_target();
    t.arch = 0;
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_E_TARGET);
    assert_int_equal(tmap_pipeline_nearest(&c, &p, &box), TMAP_E_TARGET);
}

static void test_what_does_not_fit(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 256, TMAP_SWIZZLE_128B);
    struct tmap_pipeline p = {.loads = &load, .load_count = 1, .stages = 8};
    struct tmap_violation v[4];
    struct tmap_budget b;
    size_t found;
    (void)state;
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, v, 4, &found), TMAP_OK);
    assert_int_equal(b.verdict, TMAP_ILLEGAL);
    assert_int_equal(b.max_stages, 7);
    assert_int_equal(found, 1);
    assert_string_equal(tmap_row_id(v[0].row), "TMA181");
    p.stages = 2;
    p.expect_tx = 32768 / 2; /* half of what lands */
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, v, 4, &found), TMAP_OK);
    assert_int_equal(b.verdict, TMAP_ILLEGAL);
    p.expect_tx = 0;
    p.tmem_columns = 192;
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, v, 4, &found), TMAP_OK);
    assert_string_equal(tmap_row_id(v[0].row), "TMA185"); /* Hopper has none */
    const struct tmap_checker sm100 = checker_on("sm_100a");
    assert_int_equal(tmap_pipeline_budget(&sm100, &p, &b, NULL, 0, v, 4, &found), TMAP_OK);
    assert_string_equal(tmap_row_id(v[0].row), "TMA186");
    assert_int_equal(b.tmem_columns, 256);
}

static void test_misuse(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_desc bad = tile(TMAP_BFLOAT16, 64, 257, TMAP_SWIZZLE_128B);
    struct tmap_pipeline p = {.loads = &bad, .load_count = 1};
    struct tmap_budget b;
    size_t found;
    (void)state;
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_E_ILLEGAL);
    p.load_count = 0;
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_E_ARGUMENT);
    const struct tmap_desc good = tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B);
    p = (struct tmap_pipeline){.loads = &good, .load_count = 1, .store = &bad};
    assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_E_ILLEGAL);
}

/* 4 stages of 64 KiB do not fit; the nearest box does, and one more row does not. */
static void test_nearest_that_fits(void **state)
{
    (void)state;
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_desc loads[2] = {tile(TMAP_BFLOAT16, 64, 256, TMAP_SWIZZLE_128B),
                                 tile(TMAP_BFLOAT16, 64, 256, TMAP_SWIZZLE_128B)};
    const struct tmap_pipeline p = {.loads = loads, .load_count = 2, .stages = 4};
    struct tmap_pipeline_box near;
    struct tmap_budget b;
    size_t found;
    assert_int_equal(tmap_pipeline_nearest(&c, &p, &near), TMAP_OK);
    assert_in_range(near.box, 1, 255);
    for (uint32_t more = 0; more < 2; more++) {
        loads[near.load].box[near.dim] = near.box + more;
        assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_OK);
        assert_int_equal(b.max_stages >= 4, more == 0);
        if (more == 0) assert_int_equal(b.shared_bytes, near.shared_bytes);
    }
    loads[near.load].box[near.dim] = near.box;
    assert_int_equal(tmap_pipeline_nearest(&c, &p, &near), TMAP_E_NO_PLAN);
    assert_int_equal(tmap_pipeline_nearest(&c, NULL, &near), TMAP_E_ARGUMENT);
    const struct tmap_pipeline full = {
        .loads = loads, .load_count = 2, .stages = 4, .reserve_bytes = 232448};
    assert_int_equal(tmap_pipeline_nearest(&c, &full, &near), TMAP_E_NO_PLAN);
    loads[0].box[1] = loads[1].box[1] = 1; /* a single row is not cut */
    assert_int_equal(tmap_pipeline_nearest(&c, &full, &near), TMAP_E_NO_PLAN);
}

/* Columns of tensor memory: accumulators as wide as N, half of that for a pair of 128 rows, and
 * four columns for each 128 rows of A and columns of B and each four scale factors of a row. */
static const struct columns {
    uint32_t group, accumulators;
    struct tmap_tcgen05 mma;
    uint32_t needed, allocated;
} columns[] = {
    {1, 1, {TMAP_MMA_F16, 128, 256, 0, 0, 0, 1, 0, 0, 0}, 256, 256},
    {1, 2, {TMAP_MMA_F16, 64, 48, 0, 0, 0, 1, 0, 0, 0}, 96, 128},
    {1, 2, {TMAP_MMA_F16, 64, 48, 16, 0, 0, 1, 0, 0, 0}, 96, 128},
    {2, 2, {TMAP_MMA_F16, 256, 256, 0, 1, 1, 1, 0, 0, 0}, 512, 512},
    {2, 1, {TMAP_MMA_TF32, 128, 256, 0, 2, 2, 1, 0, 0, 0}, 128, 128},
    {1, 1, {TMAP_MMA_MXF8F6F4, 128, 256, 0, 0, 0, 1, 32, 1, 0}, 256 + 4 + 8, 512},
    {1, 1, {TMAP_MMA_MXF4NVF4, 128, 192, 0, 1, 1, 1, 16, 0, 0}, 192 + 4 * 12, 256},
    {2, 1, {TMAP_MMA_MXF4, 256, 128, 0, 1, 1, 1, 32, 1, 512}, 128 + 4 * 8, 256},
};

static void test_tensor_memory(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 128, TMAP_SWIZZLE_128B);
    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct tmap_pipeline p = {.loads = &load,
                                        .load_count = 1,
                                        .stages = 2,
                                        .cta_group = columns[i].group,
                                        .accumulators = columns[i].accumulators,
                                        .mma = columns[i].mma};
        struct tmap_pipeline_design d[TMAP_PIPELINE_DESIGNS];
        struct tmap_budget b;
        size_t found, count;
        assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_OK);
        assert_int_equal(b.verdict, TMAP_LEGAL);
        assert_int_equal(b.tmem_needed, columns[i].needed);
        assert_int_equal(b.tmem_columns, columns[i].allocated);
        assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
        assert_int_equal(count, 2);
        assert_int_equal(d[0].options.ctas, columns[i].group);
        assert_int_equal(d[1].options.stages, columns[i].accumulators);
        assert_string_equal(d[0].reason, "");
    }
}

/* What is beyond the automaton is said, not left out. */
static void test_designs_say_their_bounds(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 24, 64, TMAP_SWIZZLE_NONE);
    struct tmap_pipeline p = {.loads = &load, .load_count = 1, .consumers = 300};
    struct tmap_pipeline_design d[TMAP_PIPELINE_DESIGNS];
    size_t count;
    (void)state;
    assert_int_equal(tmap_pipeline_designs(&c, &p, 40, d, &count), TMAP_OK);
    assert_true(d->options.stages < d->stages && d->options.consumers < d->consumers);
    assert_int_equal(d->stages, 40);
    assert_int_equal(d->consumers, 300);
    p = (struct tmap_pipeline){
        .loads = &load, .load_count = 1, .cluster = {3, 1}, .shared = {1, 0}};
    assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
    assert_string_equal(d->reason, "the box of load 0 has no 3 equal parts");
    assert_int_equal(tmap_pipeline_designs(&c, &p, 0, d, &count), TMAP_E_ARGUMENT);
}

/* Why there is no design, of operands that warps read and of such that tcgen05 does. */
static void test_pipelines_without_a_design(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B);
    const uint64_t much = UINT64_C(1) << 32;
    const struct {
        struct tmap_pipeline p;
        const char *reason;
    } none[] = {
        {{.cluster = {65536, 65536}}, "the automaton holds"}, /* as 32 bits, none at all */
        {{.cluster = {5, 1}}, "the automaton holds"},
        {{.cluster = {4, 1}, .consumers = 8}, "the automaton holds"},
        {{.expect_tx = much}, "more bytes than a barrier counts"},
        {{.cluster = {4, 1}, .cta_group = 2}, "no design has a cluster of 4 CTAs and tcgen05"},
        {{.tmem_columns = 32, .consumers = 2}, "tcgen05.commit arrives once, not 2 times"},
        {{.cta_group = 2, .expect_tx = 8193}, "the CTAs of a pair expect equal parts"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct tmap_pipeline_design d[TMAP_PIPELINE_DESIGNS];
        struct tmap_pipeline p = none[i].p;
        size_t count;
        p.loads = &load, p.load_count = 1;
        assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
        if (!strstr(d->reason, none[i].reason)) fail_msg("row %zu: '%s'", i, d->reason);
    }
}

/* Loads beyond the masks are nobody else's; of one row everybody along a direction of one has all;
 * and of very many loads a barrier does not count the bytes. */
static void test_many_loads(void **state)
{
    enum { LOADS = 18725 };
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_desc *loads = malloc(LOADS * sizeof *loads);
    struct tmap_pipeline p = {
        .loads = loads, .load_count = 65, .cluster = {2, 1}, .shared = {1, 0}};
    struct tmap_pipeline_design d[TMAP_PIPELINE_DESIGNS];
    size_t count;
    (void)state;
    assert_non_null(loads);
    for (size_t i = 0; i < LOADS; i++) {
        loads[i] = tile(TMAP_BFLOAT16, 64, 256, TMAP_SWIZZLE_128B);
        loads[i].rank = 3;
        loads[i].dim[2] = 64, loads[i].box[2] = 7, loads[i].elem_stride[2] = 1;
        loads[i].stride_bytes[1] = UINT64_C(8192) * 8192 * 4;
    }
    assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
    assert_string_equal(d->reason, "");
    assert_int_equal(d->options.b_tx_bytes, 64 * 2 * 256 * 7);
    loads[0].rank = 1;
    p = (struct tmap_pipeline){
        .loads = loads, .load_count = 2, .cluster = {1, 2}, .shared = {1, 0}};
    assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
    assert_string_equal(d->reason, "");
    loads[0].rank = 3;
    p = (struct tmap_pipeline){.loads = loads, .load_count = LOADS - 1};
    assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
    assert_string_equal(d->reason, "");
    p.load_count = LOADS;
    assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
    assert_string_equal(d->reason, "more bytes than a barrier counts");
    free(loads);
}

/* Pixels are cut into equal parts as rows of a box are; and a load that has no layout has none. */
static void test_equal_parts_of_im2col(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_desc loads[2] = {tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B),
                                 {.kind = TMAP_IM2COL, .dtype = TMAP_BFLOAT16, .rank = 3}};
    struct tmap_pipeline_design d[TMAP_PIPELINE_DESIGNS];
    struct tmap_pipeline p = {.loads = loads, .load_count = 2, .shared = {2, 0}};
    size_t count;
    (void)state;
    loads[1].address = 1 << 20;
    loads[1].channels = 64;
    for (uint32_t i = 0; i < 3; i++) {
        loads[1].dim[i] = 64, loads[1].elem_stride[i] = 1;
        if (i) loads[1].stride_bytes[i - 1] = UINT64_C(128) << (6 * (i - 1));
    }
    for (uint32_t pixels = 62; pixels <= 64; pixels++) {
        loads[1].pixels = pixels;
        for (p.cluster[0] = 1; p.cluster[0] <= 2; p.cluster[0]++) {
            const bool uneven = p.cluster[0] == 2 && pixels % 2;
            assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
            assert_string_equal(d->reason, uneven ? "the box of load 1 has no 2 equal parts" : "");
        }
    }
    struct tmap_pipeline_box near; /* a walk has no box to make smaller */
    p = (struct tmap_pipeline){.loads = &loads[1], .load_count = 1, .stages = 30};
    assert_int_equal(tmap_pipeline_nearest(&c, &p, &near), TMAP_E_NO_PLAN);
    p.loads = loads, p.load_count = 2;
    loads[1].channels = 0;
    assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_E_ILLEGAL);
}

/* A pair is refused where there is none, and where there is, its own ring is explored. */
static void test_pairs(void **state)
{
    static const struct {
        const char *arch;
        enum tmap_verdict verdict;
    } on[] = {{"sm_90a", TMAP_ILLEGAL},  {"sm_100", TMAP_ILLEGAL},  {"sm_100a", TMAP_LEGAL},
              {"sm_100f", TMAP_LEGAL},   {"sm_103a", TMAP_LEGAL},   {"sm_110f", TMAP_LEGAL},
              {"sm_120a", TMAP_ILLEGAL}, {"sm_121a", TMAP_ILLEGAL}, {"sm_110", TMAP_ILLEGAL}};
    const struct tmap_desc load = tile(TMAP_BFLOAT16, 64, 64, TMAP_SWIZZLE_128B);
    const struct tmap_pipeline p = {.loads = &load, .load_count = 1, .stages = 2, .cta_group = 2};
    (void)state;
    for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
        const struct tmap_checker c = checker_on(on[i].arch);
        struct tmap_pipeline_design d[TMAP_PIPELINE_DESIGNS];
        struct tmap_budget b;
        size_t found, count;
        assert_int_equal(tmap_pipeline_budget(&c, &p, &b, NULL, 0, NULL, 0, &found), TMAP_OK);
        assert_int_equal(b.verdict, on[i].verdict);
        assert_int_equal(tmap_pipeline_designs(&c, &p, 2, d, &count), TMAP_OK);
        assert_int_equal(d->options.design, TMAP_DESIGN_GEMM_SM100);
        assert_int_equal(d->options.ctas, 2);
    }
    const struct tmap_checker sm100 = checker_on("sm_100a");
    for (uint32_t group = 1; group <= 2; group++) { /* that allocates tensor memory */
        struct tmap_pipeline q = p;
        struct tmap_violation v[2];
        struct tmap_budget b;
        size_t found;
        q.tmem_columns = 32, q.alloc_group = group;
        assert_int_equal(tmap_pipeline_budget(&sm100, &q, &b, NULL, 0, v, 2, &found), TMAP_OK);
        assert_int_equal(b.verdict, group == 2 ? TMAP_LEGAL : TMAP_ILLEGAL);
        if (group == 1) assert_string_equal(tmap_row_id(v[0].row), "TMA194");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_memory),
        cmocka_unit_test(test_designs_say_their_bounds),
        cmocka_unit_test(test_pipelines_without_a_design),
        cmocka_unit_test(test_equal_parts_of_im2col),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_published_stages),
        cmocka_unit_test(test_nearest_that_fits),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_regions_of_half_a_stage),
        cmocka_unit_test(test_what_fits_under_each_contract),
        cmocka_unit_test(test_many_loads),
        cmocka_unit_test(test_the_rest_of_shared_memory),
        cmocka_unit_test(test_an_uncovered_target),
        cmocka_unit_test(test_what_does_not_fit),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
