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

static struct tmap_gemm *suite;

/* clusters: below the product's tiles there are two rounds of them. */
static void test_places(const char *source, int32_t m, int32_t n,
                        const struct tmap_gemm_config *request)
{
    struct tmap_gemm_problem p = {
        .kind = TMAP_GEMM_BF16, .m = m, .n = n, .k = 128, .batch = 1, .alpha = 1};
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    struct gemm_params params;
    assert_true(emulated_ptx(source));
    memset(suite->functions, 0, sizeof suite->functions);
    assert_true(emulated_product_make(suite, &p, 1, &product));
    if (tmap_gemm_make_plan(suite, &product.problem, request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", source, why.text);
    memcpy(&params, plan.params, sizeof params);
    assert_int_not_equal(params.turns.end, 0);
    assert_int_not_equal(gemm_place(params.turns, params.turns.lone + 1), params.turns.lone + 1);
    assert_true(emulated_gemm_clean(suite, &product.problem, request, TMAP_EMULATE_RANDOM, 3));
    assert_int_equal(emulated_product_wrong(&product), 0);
    emulated_product_free(suite, &product);
    emulated_unload();
}

static void test_pairs(void **state)
{
    (void)state;
    const struct tmap_gemm_config request = {.tile_m = 64,
                                             .tile_n = 64,
                                             .cluster_m = 1,
                                             .cluster_n = 2,
                                             .split_k = 1,
                                             .stream_k = -1,
                                             .swapped = -1,
                                             .clusters = 14,
                                             .overlap = -1};
    test_places("src/kernels/gemm/sm90/bf16", 128, 64 * 2 * 10, &request);
}

static void test_split(void **state)
{
    (void)state;
    const struct tmap_gemm_config request = {.tile_m = 64,
                                             .tile_n = 64,
                                             .cluster_m = 1,
                                             .cluster_n = 2,
                                             .split_k = 2,
                                             .stream_k = -1,
                                             .swapped = -1,
                                             .overlap = -1};
    test_places("src/kernels/gemm/sm90/bf16", 64, 64 * 2 * 11, &request);
}

static void test_tall(void **state)
{
    (void)state;
    const struct tmap_gemm_config request = {.tile_m = 192,
                                             .tile_n = 256,
                                             .cluster_m = 1,
                                             .cluster_n = 2,
                                             .split_k = 1,
                                             .stream_k = -1,
                                             .swapped = -1,
                                             .overlap = -1};
    test_places("src/kernels/gemm/sm90/bf16", 192, 512 * 13, &request);
}

static void test_pingpong(void **state)
{
    (void)state;
    const struct tmap_gemm_config request = {.tile_m = 64,
                                             .tile_n = 128,
                                             .cluster_m = 2,
                                             .cluster_n = 1,
                                             .split_k = 1,
                                             .stream_k = -1,
                                             .swapped = -1,
                                             .pingpong = 1,
                                             .clusters = 13,
                                             .overlap = -1};
    test_places("src/kernels/gemm/sm90/bf16", 128, 128 * 30, &request);
}

int main(void)
{
    static const int32_t resident[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_tall),
        cmocka_unit_test(test_pingpong),
    };
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    if (!emulated_ptx("src/kernels/gemm/sm90/bf16")) {
        printf("1..1\nok 1 # SKIP places by GPC: no PTX of the kernels in this build (nvcc)\n");
        return 0;
    }
    emulated_unload();
    suite->gpu.sm_count = 132;
    memcpy(suite->resident, resident, sizeof suite->resident);
    return cmocka_run_group_tests_name("places by GPC", tests, NULL, NULL);
}
