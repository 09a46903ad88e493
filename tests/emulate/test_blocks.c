/* The e4m3 products with scales of blocks on the emulator, against plain sums in double: every
 * instance, with drawn shapes and configurations (clusters, splits, streams), under all three
 * schedules; faults planted in the scales' way; and maps that a row forbids.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (3). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_instances.h"
#include "support/splitmix.h"

enum { BLOCK = 128 };

static struct tmap_gemm *suite;
static struct emulated *emulator;

static uint32_t draw(uint64_t *r, uint32_t below)
{
    return (uint32_t)(splitmix(r) >> 33) % below;
}

/* Of the integers that operands hold here. */
static double e4m3(uint8_t bits)
{
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const double v = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    return bits & 0x80 ? -v : v;
}

struct scaled {
    struct emulated_product product;
    float *a, *b; /* in emulated device memory */
};

static float *scales(uint64_t *address, int64_t count, uint64_t *seed)
{
    if (suite->gpu.api.mem_alloc(address, (uint64_t)count * 4)) abort();
    float *x = (float *)(uintptr_t)*address;
    for (int64_t i = 0; i < count; i++) x[i] = (const float[]){0.25f, 0.5f, 2}[draw(seed, 3)];
    return x;
}

/* What element i has to be, from the operands and scales as they lie in memory. */
static void expect(struct scaled *x)
{
    const struct tmap_gemm_problem *p = &x->product.problem;
    const uint8_t *a = (const uint8_t *)(uintptr_t)p->a.address;
    const uint8_t *b = (const uint8_t *)(uintptr_t)p->b.address;
    for (int64_t i = 0; i < (int64_t)p->m * p->n; i++) {
        const int64_t row = i / p->n, col = i % p->n;
        double sum = 0;
        for (int64_t k = 0; k < p->k; k++)
            sum += e4m3(a[row * p->a.ld + k]) * e4m3(b[col * p->b.ld + k]) *
                   (double)x->a[k / BLOCK * p->block_scale.lda + row] *
                   (double)x->b[col / BLOCK * p->block_scale.ldb + k / BLOCK];
        x->product.expected[i] = sum;
        x->product.size[i] = fabs(sum) * (p->out == TMAP_GEMM_OUT_BF16 ? 0x1p-8 : 0x1p-22) + 1e-6;
    }
}

static void make(const struct tmap_gemm_problem *shape, uint64_t seed, struct scaled *x)
{
    if (!emulated_product_make(suite, shape, seed, &x->product)) fail_msg("memory");
    struct tmap_gemm_problem *p = &x->product.problem;
    struct tmap_gemm_block_scale *s = &p->block_scale;
    s->lda = (p->m + 3) / 4 * 4 + 4;
    s->ldb = (p->k + BLOCK - 1) / BLOCK + 1;
    x->a = scales(&s->a, (p->k + BLOCK - 1) / BLOCK * s->lda, &seed);
    x->b = scales(&s->b, (p->n + BLOCK - 1) / BLOCK * s->ldb, &seed);
    expect(x);
}

static void unmake(struct scaled *x)
{
    suite->gpu.api.mem_free(x->product.problem.block_scale.a);
    suite->gpu.api.mem_free(x->product.problem.block_scale.b);
    emulated_product_free(suite, &x->product);
}

static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, uint64_t *r)
{
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .out = draw(r, 2) ? TMAP_GEMM_OUT_F32 : TMAP_GEMM_OUT_BF16,
                                  .m = 1 + (int32_t)draw(r, 2u * 64 * (uint32_t)g->wgs),
                                  .n = 1 + (int32_t)draw(r, 2u * (uint32_t)g->bn),
                                  .k = 1 + (int32_t)draw(r, 700),
                                  .batch = 1,
                                  .alpha = 1};
    p.d.mn_major = draw(r, 4) == 0;
    return p;
}

static bool configure(const struct gemm_instance *g, const struct tmap_gemm_problem *p, uint64_t *r,
                      struct tmap_gemm_config *out)
{
    const struct tmap_gemm_config request = {
        .tile_m = 64 * g->wgs, .tile_n = g->bn, .store_warp = draw(r, 3) ? 0 : -1};
    return emulated_gemm_pick(suite, p, &request, g, draw(r, 1u << 31), out);
}

static void one(const struct gemm_instance *g, uint64_t seed)
{
    uint64_t r = seed * 977 + (uint64_t)(g - gemm_instances);
    struct scaled x;
    struct tmap_gemm_config config;
    const struct tmap_gemm_problem p = shape_of(g, &r);
    make(&p, seed, &x);
    if (!configure(g, &x.product.problem, &r, &config)) fail_msg("%s: no configuration", g->name);
    const bool clean = emulated_gemm_clean(suite, &x.product.problem, &config,
                                           (enum tmap_emulate_schedule)(seed % 3), seed);
    const double worst = emulated_product_worst(&x.product);
    if (!clean || !(worst <= 1)) {
        fail_msg("%s %dx%dx%d seed %u: worst %g; cluster %dx%d split %d "
                 "stream %d direct %d",
                 g->name, p.m, p.n, p.k, (unsigned)seed, worst, config.cluster_m, config.cluster_n,
                 config.split_k, config.stream_k, config.direct);
    }
    unmake(&x);
}

static void instances(void **state)
{
    const uint64_t shapes = emulated_shapes(3);
    (void)state;
    assert_true(emulated_ptx("src/kernels/gemm/sm90/e4m3_blocks"));
    const size_t seen = emulated_each_instance(suite, shapes, one);
    print_message("# %zu instances, %u shapes each\n", seen, (unsigned)shapes);
    assert_true(seen > 0);
    emulated_unload();
}

static void refused(const struct tmap_gemm_problem *p, enum tmap_status status, const char *words)
{
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    assert_int_equal(tmap_gemm_make_plan(suite, p, NULL, &plan, &why), status);
    if (!strstr(why.text, words)) fail_msg("'%s' does not say %s", why.text, words);
    if (status == TMAP_E_ILLEGAL) assert_int_equal(why.operand, 'S');
}

/* A's scales are a tensor map: its rows forbid what the copy engine cannot read. */
static void scales_keep_the_rows(void **state)
{
    struct tmap_gemm_problem shape = {.kind = TMAP_GEMM_E4M3,
                                      .out = TMAP_GEMM_OUT_BF16,
                                      .m = 200,
                                      .n = 200,
                                      .k = 300,
                                      .batch = 1,
                                      .alpha = 1};
    struct scaled x;
    (void)state;
    assert_true(emulated_ptx("src/kernels/gemm/sm90/e4m3_blocks"));
    make(&shape, 1, &x);
    struct tmap_gemm_problem *p = &x.product.problem;
    const struct tmap_gemm_block_scale good = p->block_scale;
    p->block_scale.lda = 201, refused(p, TMAP_E_ILLEGAL, "TMA"), p->block_scale = good;
    p->block_scale.a += 4, refused(p, TMAP_E_ILLEGAL, "TMA"), p->block_scale = good;
    p->block_scale.b += 2, refused(p, TMAP_E_ARGUMENT, "b is not"), p->block_scale = good;
    p->block_scale.b = 0, refused(p, TMAP_E_ARGUMENT, "only one"), p->block_scale = good;
    p->block_scale.lda = 196, refused(p, TMAP_E_ARGUMENT, "lda"), p->block_scale = good;
    p->block_scale.ldb = 2, refused(p, TMAP_E_ARGUMENT, "ldb"), p->block_scale = good;
    p->batch = 2, refused(p, TMAP_E_ARGUMENT, "batch"), p->batch = 1;
    p->kind = TMAP_GEMM_E5M2, refused(p, TMAP_E_ARGUMENT, "e4m3"), p->kind = TMAP_GEMM_E4M3;
    p->epilogue.activation = TMAP_GEMM_RELU, refused(p, TMAP_E_ARGUMENT, "epilogue");
    p->epilogue.activation = 0;
    unmake(&x);
    emulated_unload();
}

/* Of sm90/blocks.cuh and of the loop around it; from HOST_TX on the host's. */
enum { HOST_TX = 100, HOST_BOX };
static const struct {
    uint32_t id;
    const char *name;
} faults[] = {
    {80, "A's scales of the next k-block"},
    {81, "the second row takes the first one's scale"},
    {82, "B's scale of the next k-block"},
    {83, "scales read from the slot before"},
    {84, "B's scales of the next columns"},
    {HOST_TX, "A's scales not counted in a slot's bytes"},
    {HOST_BOX, "A's scales in boxes of half a tile"},
    {3, "a slot expects 16 bytes too few"},
    {4, "a slot expects 16 bytes too many"},
    {6, "empty barrier waits for one arrival too many"},
    {14, "one k-block loaded twice, one never"},
};

static void plant(struct tmap_gemm_plan *plan, uint32_t id)
{
    struct gemm_epilogue_params p;
    struct tmap_desc desc;
    struct tmap_map map;
    memcpy(&p, plan->params, sizeof p);
    p.product.fault = id < HOST_TX ? id : 0;
    if (id == HOST_TX) p.product.tx_bytes -= 512;
    if (id == HOST_BOX) {
        gemm_describe_scales(&plan->problem, 64, &desc);
        assert_int_equal(tmap_encode(&suite->checker, &desc, &map), TMAP_OK);
        memcpy(p.blocks.a.word, map.word, sizeof map);
    }
    memcpy(plan->params, &p, sizeof p);
    plan->function = emulated_function("gemm_faulty_2x96_blocks");
    assert_non_null(plan->function);
}

static bool right_with(uint32_t fault, uint64_t seed)
{
    const struct tmap_gemm_problem shape = {.kind = TMAP_GEMM_E4M3,
                                            .out = TMAP_GEMM_OUT_F32,
                                            .m = 150,
                                            .n = 180,
                                            .k = 900,
                                            .batch = 1,
                                            .alpha = 1};
    const struct tmap_gemm_config request = {.tile_m = 128,
                                             .tile_n = 96,
                                             .stages = 3,
                                             .cluster_m = 1,
                                             .cluster_n = 1,
                                             .split_k = 1,
                                             .stream_k = -1};
    struct scaled x;
    struct tmap_gemm_plan plan;
    make(&shape, seed, &x);
    assert_int_equal(tmap_gemm_make_plan(suite, &x.product.problem, &request, &plan, NULL),
                     TMAP_OK);
    plant(&plan, fault);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.budget = 6000000;
    const bool ran = tmap_gemm_run(&plan, NULL) == TMAP_OK;
    const bool right = ran && emulator->findings == 0 && emulated_product_worst(&x.product) <= 1;
    if (fault == 0 && !right) emulated_print();
    unmake(&x);
    return right;
}

static void every_fault_is_found(void **state)
{
    (void)state;
    assert_true(emulated_ptx("src/kernels/gemm/sm90/e4m3_blocks"));
    assert_true(emulated_ptx("tests/device/gemm/faults"));
    memset(suite->functions, 0, sizeof suite->functions);
    for (uint64_t seed = 0; seed < 3; seed++) assert_true(right_with(0, seed));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (right_with(faults[i].id, i)) fail_msg("not found: %s", faults[i].name);
    emulated_unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instances),
                                       cmocka_unit_test(scales_keep_the_rows),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/e4m3_blocks"))
        return emulated_skip("scales of blocks");
    emulated_unload();
    const int failed = cmocka_run_group_tests_name("scales of blocks", tests, NULL, NULL);
    emulated_close();
    return failed;
}
