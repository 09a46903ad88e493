/* Rings that are filled again and again: products with more than two rings of k-blocks, by each
 * kind of main loop, on the emulator. A slot that is given back before its multiplies have ended
 * shows as a race only then. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_instances.h"

static struct tmap_gemm *suite;

enum { STAGES = 3 };

/* One cluster's tile of a product like `p`, of an odd and of an even number of k-blocks. */
static void test_ring_of(const char *source, struct tmap_gemm_problem p,
                         struct tmap_gemm_config request)
{
    const int32_t span = p.kind == TMAP_GEMM_BF16 ? 64 : 128;
    request.stages = STAGES;
    request.split_k = 1;
    request.stream_k = -1;
    request.swapped = -1;
    p.out = TMAP_GEMM_OUT_BF16;
    p.m = request.tile_m * request.cluster_m - 5;
    p.n = request.tile_n * request.cluster_n - 8;
    p.batch = request.pingpong > 0 ? 3 : 1;
    p.alpha = 1;
    for (int32_t k_blocks = 2 * STAGES + 1; k_blocks <= 2 * STAGES + 2; k_blocks++) {
        struct tmap_gemm_plan plan;
        p.k = span * k_blocks - 16;
        if (request.pingpong > 0) request.clusters = 1;
        assert_true(emulated_gemm_right(suite, source, &p, &request, &plan));
        assert_int_equal(plan.config.stages, STAGES);
        assert_int_equal(plan.config.tile_n, request.tile_n);
    }
}

static void test_ring(const char *source, enum tmap_gemm_kind kind, bool precise,
                      struct tmap_gemm_config request)
{
    const struct tmap_gemm_problem p = {.kind = kind, .precise = precise};
    test_ring_of(source, p, request);
}

#define REQUEST(m, n, cm, cn, turns)                                                               \
    (struct tmap_gemm_config)                                                                      \
    {                                                                                              \
        .tile_m = m, .tile_n = n, .cluster_m = cm, .cluster_n = cn, .pingpong = turns              \
    }

static void test_plain(void **state)
{
    (void)state;
    test_ring(KERNELS("bf16"), TMAP_GEMM_BF16, false, REQUEST(64, 64, 1, 1, -1));
    test_ring(KERNELS("bf16"), TMAP_GEMM_BF16, false, REQUEST(128, 192, 1, 2, -1));
    test_ring(KERNELS("bf16_high"), TMAP_GEMM_BF16, false, REQUEST(192, 88, 1, 1, -1));
    test_ring(KERNELS("bf16"), TMAP_GEMM_BF16, false, REQUEST(192, 256, 1, 1, -1));
}

static void test_in_turns(void **state)
{
    (void)state;
    test_ring(KERNELS("bf16"), TMAP_GEMM_BF16, false, REQUEST(128, 128, 1, 1, 1));
}

/* Operands by rows of M and N, of which one of two blocks loads two boxes and the other one. */
static void test_uneven(void **state)
{
    (void)state;
    const struct tmap_gemm_problem p = {
        .kind = TMAP_GEMM_BF16, .a.mn_major = true, .b.mn_major = true};
    test_ring_of(KERNELS("bf16_majors"), p, REQUEST(192, 64, 1, 2, -1));
    test_ring_of(KERNELS("bf16_majors"), p, REQUEST(128, 160, 2, 1, -1));
}

/* Two sets of partial sums, of one warpgroup and of two; turns; two chains a k-block; three
 * warpgroups. */
static void test_promoted(void **state)
{
    (void)state;
    test_ring(KERNELS("e4m3_promoted"), TMAP_GEMM_E4M3, true, REQUEST(64, 64, 2, 1, -1));
    test_ring(KERNELS("e4m3_promoted"), TMAP_GEMM_E4M3, true, REQUEST(128, 64, 1, 2, -1));
    test_ring(KERNELS("e4m3_promoted"), TMAP_GEMM_E4M3, true, REQUEST(128, 136, 1, 1, -1));
    test_ring(KERNELS("e4m3_promoted"), TMAP_GEMM_E4M3, true, REQUEST(128, 144, 1, 1, -1));
    test_ring(KERNELS("e4m3_promoted"), TMAP_GEMM_E4M3, true, REQUEST(128, 256, 1, 1, -1));
    test_ring(KERNELS("e4m3_high"), TMAP_GEMM_E4M3, true, REQUEST(192, 88, 1, 1, -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_in_turns),
        cmocka_unit_test(test_uneven), cmocka_unit_test(test_promoted)};
    suite = emulated_h200_suite(KERNELS("bf16"), "rings");
    if (!suite) return 0;
    return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
