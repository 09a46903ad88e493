/* A dozen of our own kernels as nvcc left them, kept as data (tests/data/emulate/kernels): what a
 * machine without nvcc runs on the emulator, against plain copies and sums, at both extremes of
 * time and at random ones. test_kept.sh compares the data with the sources. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_suites.h"

enum { SEEDS = 24 };

static void load(const char *kernel)
{
    char path[128];
    snprintf(path, sizeof path, "tests/data/emulate/kernels/%s.ptx", kernel);
    if (!emulated_load(path)) fail_msg("%s cannot be loaded", path);
}

static const struct kept_copy {
    const char *kernel;
    int32_t kind;
    uint32_t rank;
} copies[] = {
    {"copy_tile_2", TMAP_COPY_TILE, 2},
    {"copy_im2col_4", TMAP_COPY_IM2COL, 4},
    {"copy_multicast", TMAP_COPY_BROADCAST, 3},
    {"copy_transpose_4", TMAP_COPY_TRANSPOSE, 2},
};

/* False when the plan of this problem takes another kernel, which is not there. */
static bool copies_right(struct tmap_copy *suite, const struct kept_copy *k, uint64_t seed)
{
    struct emulated *emulator = emulated_state();
    struct emulated_copy c;
    struct tmap_copy_plan plan = {0};
    emulated_copy_draw(suite, k->kind, k->rank, seed, &c);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    const enum tmap_status made = tmap_copy_make_plan(suite, &c.problem, &c.config, &plan, NULL);
    assert_true(made == TMAP_OK || made == TMAP_E_DRIVER);
    if (made == TMAP_OK) {
        const enum tmap_status ran = tmap_copy_run(&plan, NULL);
        const uint64_t wrong = emulated_copy_wrong(&c);
        if (ran != TMAP_OK || emulator->findings || wrong != c.dst_bytes) {
            emulated_print();
            fail_msg("%s, seed %u: status %d, %zu findings, byte %llu is wrong", plan.kernel,
                     (unsigned)seed, ran, emulator->findings, (unsigned long long)wrong);
        }
        tmap_copy_release(&plan);
    }
    emulated_copy_free(suite, &c);
    return made == TMAP_OK;
}

static void kept_copies(void **state)
{
    struct tmap_copy *suite = emulated_copy_suite();
    (void)state;
    assert_non_null(suite);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        uint32_t ran = 0;
        load(copies[i].kernel);
        for (uint64_t seed = 0; seed < SEEDS; seed++) ran += copies_right(suite, &copies[i], seed);
        if (ran < 3) fail_msg("%s is taken %u times", copies[i].kernel, ran);
        emulated_unload();
    }
    emulated_close();
}

static const struct kept_product {
    const char *kernel;
    int cc_major;
    int32_t kind, out, m, n, k;
} products[] = {
    {"gemm_bf16_1x16_000", 9, TMAP_GEMM_BF16, TMAP_GEMM_OUT_F32, 100, 40, 200},
    {"tensor_f16_1x128_00", 10, TMAP_GEMM_BF16, TMAP_GEMM_OUT_BF16, 200, 150, 130},
    {"tensor_f16_1x128_00", 10, TMAP_GEMM_F16, TMAP_GEMM_OUT_F32, 90, 300, 200},
    {"tensor_dynamic_f16_1x128", 10, TMAP_GEMM_BF16, TMAP_GEMM_OUT_F32, 300, 300, 70},
    {"tensor_f8f6f4_2x128_00", 10, TMAP_GEMM_E4M3, TMAP_GEMM_OUT_F32, 300, 130, 200},
    {"tensor_mxf8f6f4_1x128_00", 10, TMAP_GEMM_MXF8, TMAP_GEMM_OUT_F32, 150, 140, 300},
    {"warps_bf16_1x64", 12, TMAP_GEMM_BF16, TMAP_GEMM_OUT_F32, 100, 70, 150},
    {"warps_s8_1x64", 12, TMAP_GEMM_S8, TMAP_GEMM_OUT_S32, 70, 130, 200},
    {"warps_mxf8_2x128", 12, TMAP_GEMM_MXF8, TMAP_GEMM_OUT_F32, 140, 130, 300},
};

static const struct gemm_instance *instance_of(const struct kept_product *k)
{
    for (size_t i = 0; i < gemm_instance_count; i++)
        if (gemm_instances[i].kind == k->kind && strcmp(gemm_instances[i].name, k->kernel) == 0)
            return &gemm_instances[i];
    fail_msg("no instance is called %s", k->kernel);
    return NULL;
}

static void product_right(struct tmap_gemm *suite, const struct kept_product *k, uint64_t seed)
{
    const struct gemm_instance *g = instance_of(k);
    const struct tmap_gemm_config request = {
        .tile_m = gemm_tile_m(g), .tile_n = g->bn, .dynamic = gemm_is_dynamic(g), .swapped = -1};
    const struct tmap_gemm_problem shape = {
        .kind = k->kind, .out = k->out, .m = k->m, .n = k->n, .k = k->k, .batch = 1, .alpha = 1};
    struct emulated *emulator = emulated_state();
    struct emulated_product p;
    struct tmap_gemm_config config;
    struct tmap_gemm_plan plan;
    assert_true(emulated_product_make(suite, &shape, seed, &p));
    if (!emulated_gemm_pick(suite, &p.problem, &request, g, (uint32_t)(seed * 7919), &config))
        fail_msg("%s: no configuration", k->kernel);
    assert_int_equal(tmap_gemm_make_plan(suite, &p.problem, &config, &plan, NULL), TMAP_OK);
    assert_ptr_equal(plan.function, emulated_function(k->kernel));
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.tensor_fences = true;
    emulator->how.residents = gemm_is_dynamic(g) ? plan.cluster * (1 + (uint32_t)(seed % 2)) : 0;
    const enum tmap_status ran = tmap_gemm_run(&plan, NULL);
    const uint64_t wrong = emulated_product_wrong(&p);
    if (ran != TMAP_OK || emulator->findings || wrong) {
        emulated_print();
        fail_msg("%s, seed %u: status %d, %zu findings, %llu wrong", k->kernel, (unsigned)seed, ran,
                 emulator->findings, (unsigned long long)wrong);
    }
    emulated_product_free(suite, &p);
}

static void kept_products(void **state)
{
    const int cc_major = *(const int *)*state;
    struct tmap_gemm *suite = emulated_gemm_suite_for(cc_major, 0);
    assert_non_null(suite);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (products[i].cc_major != cc_major) continue;
        load(products[i].kernel);
        memset(suite->functions, 0, sizeof suite->functions);
        for (uint64_t seed = 0; seed < 6; seed++) product_right(suite, &products[i], seed);
        emulated_unload();
    }
    emulated_close();
}

int main(void)
{
    static int chips[] = {9, 10, 12};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_copies),
        {"kept products, 9.0", kept_products, NULL, NULL, &chips[0]},
        {"kept products, 10.0", kept_products, NULL, NULL, &chips[1]},
        {"kept products, 12.0", kept_products, NULL, NULL, &chips[2]}};
    return cmocka_run_group_tests_name("kept kernels", tests, NULL, NULL);
}
