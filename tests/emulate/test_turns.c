/* Pingpongs (sm90/pingpong.cuh) whose tiles have one k-block: a warpgroup's multiplies are all
 * issued at once, so nothing but the turn keeps one of its warps from being two turns behind. Many
 * such tiles on one cluster, every warp as late as the random schedule makes it.
 *
 * TMAP_EMULATE_SHAPES says how many products of each instance (60). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/emulated_instances.h"

static struct tmap_gemm *suite;

static void one(const struct gemm_instance *g, uint64_t seed)
{
    if (!g->pingpong) return;
    const struct tmap_gemm_problem p = {.kind = g->kind,
                                        .out = TMAP_GEMM_OUT_BF16,
                                        .m = 64 * g->wgs * 5,
                                        .n = g->bn,
                                        .k = 8 + 8 * (int32_t)(seed % 8),
                                        .batch = 1,
                                        .alpha = 1};
    const struct tmap_gemm_config config = {.tile_m = 64 * g->wgs,
                                            .tile_n = g->bn,
                                            .swapped = -1,
                                            .cluster_m = 1,
                                            .cluster_n = 1,
                                            .clusters = 1,
                                            .pingpong = 1};
    struct emulated_product product;
    assert_true(emulated_product_make(suite, &p, seed, &product));
    const bool clean =
        emulated_gemm_clean(suite, &product.problem, &config, TMAP_EMULATE_RANDOM, seed);
    const uint64_t wrong = emulated_product_wrong(&product);
    if (!clean || wrong)
        fail_msg("%s, K %d, seed %u: %llu wrong", g->name, p.k, (unsigned)seed,
                 (unsigned long long)wrong);
    emulated_product_free(suite, &product);
}

static void tiles_of_one_block(void **state)
{
    (void)state;
    assert_true(emulated_ptx(KERNELS("bf16")));
    assert_true(emulated_each_instance(suite, emulated_shapes(60), one) > 0);
    emulated_unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_of_one_block)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    if (!emulated_ptx(KERNELS("bf16"))) return emulated_skip("turns");
    emulated_unload();
    const int failed = cmocka_run_group_tests_name("turns", tests, NULL, NULL);
    emulated_close();
    return failed;
}
