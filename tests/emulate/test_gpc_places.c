/* Products whose clusters take places by GPC (kernels/gemm/turns.h) on the emulator, against plain
 * sums: a suite that has as many SMs as the devices whose order is known. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_instances.h"

static const char SOURCE[] = "src/kernels/gemm/sm90/bf16";
static struct tmap_gemm *suite;

/* clusters: below the product's tiles there are two rounds of them. */
static void right_in_turn(int32_t m, int32_t n, const struct tmap_gemm_config *request)
{
    const struct tmap_gemm_problem p = {
        .kind = TMAP_GEMM_BF16, .m = m, .n = n, .k = 128, .batch = 1, .alpha = 1};
    struct tmap_gemm_plan plan;
    struct gemm_params params;
    assert_true(emulated_gemm_right(suite, SOURCE, &p, request, &plan));
    memcpy(&params, plan.params, sizeof params);
    assert_int_not_equal(params.turns.end, 0);
    assert_int_not_equal(gemm_place(params.turns, params.turns.lone + 1), params.turns.lone + 1);
    assert_int_equal(emulated_state()->result.counts.dependents == 0,
                     request->overlap == GEMM_LATE);
}

/* Waiting for the predecessor; and late, so that nothing else begins before the launch has ended.
 */
static void test_places(int32_t m, int32_t n, const struct tmap_gemm_config *request)
{
    struct tmap_gemm_config late = *request;
    late.overlap = GEMM_LATE;
    right_in_turn(m, n, request);
    right_in_turn(m, n, &late);
}

/* Whole tiles by blocks along M and N, launched without overlap. */
static struct tmap_gemm_config request_of(int32_t tile_m, int32_t tile_n, int32_t cluster_m,
                                          int32_t cluster_n)
{
    return (struct tmap_gemm_config){.tile_m = tile_m,
                                     .tile_n = tile_n,
                                     .cluster_m = cluster_m,
                                     .cluster_n = cluster_n,
                                     .split_k = 1,
                                     .stream_k = -1,
                                     .swapped = -1,
                                     .overlap = -1};
}

static void test_pairs(void **state)
{
    (void)state;
    struct tmap_gemm_config request = request_of(64, 64, 1, 2);
    request.clusters = 14;
    test_places(128, 64 * 2 * 10, &request);
}

static void test_split(void **state)
{
    (void)state;
    struct tmap_gemm_config request = request_of(64, 64, 1, 2);
    request.split_k = 2;
    test_places(64, 64 * 2 * 11, &request);
}

static void test_tall(void **state)
{
    (void)state;
    const struct tmap_gemm_config request = request_of(192, 256, 1, 2);
    test_places(192, 512 * 13, &request);
}

static void test_pingpong(void **state)
{
    (void)state;
    struct tmap_gemm_config request = request_of(64, 128, 2, 1);
    request.pingpong = 1;
    request.clusters = 13;
    test_places(128, 128 * 30, &request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_tall),
        cmocka_unit_test(test_pingpong),
    };
    suite = emulated_h200_suite(SOURCE, "places by GPC");
    if (!suite) return 0;
    return cmocka_run_group_tests_name("places by GPC", tests, NULL, NULL);
}
