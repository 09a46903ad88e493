/* Products whose even and odd rows of D are tiled apart (kernels/gemm/apart.c) on the emulator,
 * against plain sums: with as many odd rows as even ones and with one less, by every kind of kernel
 * that has the way. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_instances.h"

static struct tmap_gemm *suite;

static const struct apart_case {
    const char *source;
    int32_t kind, out, m, n, k;
    struct tmap_gemm_config request;
} cases[] = {
    {"bf16", GEMM_BF16, GEMM_OUT_BF16, 300, 136, 64, {.tile_m = 64, .tile_n = 64}},
    {"bf16", GEMM_BF16, GEMM_OUT_BF16, 301, 136, 100, {.tile_m = 64, .tile_n = 64}},
    /* Shared operands; tiles of a cluster that lie outside D. */
    {"bf16",
     GEMM_BF16,
     GEMM_OUT_BF16,
     391,
     72,
     64,
     {.tile_m = 64, .tile_n = 64, .cluster_m = 2, .cluster_n = 1}},
    {"bf16",
     GEMM_BF16,
     GEMM_OUT_BF16,
     259,
     328,
     64,
     {.tile_m = 128, .tile_n = 128, .cluster_m = 1, .cluster_n = 4}},
    /* Pingpong, tall, high, narrow; two panels a group. */
    {"bf16",
     GEMM_BF16,
     GEMM_OUT_BF16,
     515,
     392,
     64,
     {.tile_m = 128, .tile_n = 192, .pingpong = 1, .clusters = 3, .cluster_m = 1, .cluster_n = 1}},
    {"bf16", GEMM_BF16, GEMM_OUT_BF16, 387, 264, 64, {.tile_m = 192, .tile_n = 256}},
    {"bf16_high", GEMM_BF16, GEMM_OUT_BF16, 513, 136, 64, {.tile_m = 256, .tile_n = 128}},
    {"bf16_widths", GEMM_BF16, GEMM_OUT_BF16, 258, 24, 64, {.tile_m = 128, .tile_n = 48}},
    {"bf16", GEMM_BF16, GEMM_OUT_F32, 257, 132, 64, {.tile_m = 128, .tile_n = 128}},
    {"bf16_majors", GEMM_BF16, GEMM_OUT_BF16, 265, 136, 72, {.tile_m = 128, .tile_n = 64}},
    {"tf32", GEMM_TF32, GEMM_OUT_F32, 261, 140, 32, {.tile_m = 128, .tile_n = 64}},
    {"s8", GEMM_S8, GEMM_OUT_S32, 132, 68, 128, {.tile_m = 64, .tile_n = 64}},
    {"e4m3_promoted", GEMM_E4M3, GEMM_OUT_BF16, 263, 136, 256, {.tile_m = 128, .tile_n = 128}},
};

static void test_case(void **state)
{
    const struct apart_case *x = *state;
    char source[64];
    const struct tmap_gemm_problem p = {.kind = x->kind,
                                        .out = x->out,
                                        .m = x->m,
                                        .n = x->n,
                                        .k = x->k,
                                        .batch = 1,
                                        .alpha = 1,
                                        .b = {.mn_major = strcmp(x->source, "bf16_majors") == 0},
                                        .precise = x->kind == GEMM_E4M3};
    struct tmap_gemm_config request = x->request;
    struct tmap_gemm_plan plan;
    struct gemm_params params;
    snprintf(source, sizeof source, "src/kernels/gemm/sm90/%s", x->source);
    request.swapped = -1;
    request.apart = 1;
    assert_true(emulated_gemm_right(suite, source, &p, &request, &plan));
    assert_int_equal(plan.config.apart, 1);
    memcpy(&params, plan.params, sizeof params);
    assert_int_equal(params.odd_left, x->out == GEMM_OUT_BF16 ? 8 : 4);
    assert_int_equal(params.odd_first, x->m % 2);
}

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[CASES];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].source,
                                       .test_func = test_case,
                                       .initial_state = (void *)(uintptr_t)&cases[i]};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    if (!emulated_ptx("src/kernels/gemm/sm90/bf16")) return emulated_skip("rows apart");
    emulated_unload();
    return cmocka_run_group_tests_name("rows apart", tests, NULL, NULL);
}
