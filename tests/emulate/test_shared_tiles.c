/* Tiles that several clusters share along K, by the real kernels on the emulator: evenly, where
 * clusters of one stretch of K have neighbouring numbers, and unevenly, where a cluster ends one
 * tile and begins another; and by so many that they add its parts together, whether all of them
 * run at one time or only a few. No race, no deadlock, no flag left behind for the second launch,
 * and the right sums. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_instances.h"

static struct tmap_gemm *suite;

/* Of so many tiles of clusters, one cluster along M and tiles along N; k-blocks that do not divide
 * by the sharers. deep: clusters that share each tile, or 1 where shares are uneven. */
static void test_sharing(const char *source, enum tmap_gemm_kind kind,
                         struct tmap_gemm_config request, int32_t tiles, int32_t clusters,
                         int32_t deep)
{
    const int32_t span = kind == TMAP_GEMM_BF16 ? 64 : 128;
    const struct tmap_gemm_problem p = {.kind = kind,
                                        .out = TMAP_GEMM_OUT_BF16,
                                        .m = request.tile_m * request.cluster_m - 5,
                                        .n = request.tile_n * request.cluster_n * tiles - 8,
                                        .k = span * (deep < GEMM_TOGETHER ? 17 : 4 * deep + 1) - 24,
                                        .batch = 1,
                                        .alpha = 1,
                                        .precise = kind == TMAP_GEMM_E4M3};
    struct tmap_gemm_plan plan;
    struct gemm_params params;
    request.swapped = -1;
    request.pingpong = -1;
    request.clusters = clusters;
    request.stream_k = TMAP_GEMM_STREAM_K_ANY;
    if (request.split_k == 0) request.split_k = 1;
    for (int launch = 0; launch < 2; launch++)
        assert_true(emulated_gemm_right(suite, source, &p, &request, &plan));
    memcpy(&params, plan.params, sizeof params);
    assert_int_equal(params.deep, deep);
    assert_int_equal(params.together > 0, deep >= GEMM_TOGETHER && request.split_k == 1);
    assert_int_equal(params.clusters, clusters);
    assert_int_equal(params.stream_tiles, tiles);
}

#define BF16 "src/kernels/gemm/sm90/bf16"
#define WIDTHS BF16 "_widths"
#define HIGH BF16 "_high"
#define PROMOTED "src/kernels/gemm/sm90/e4m3_promoted"
#define REQUEST(m, n, cm, cn)                                                                      \
    (struct tmap_gemm_config)                                                                      \
    {                                                                                              \
        .tile_m = m, .tile_n = n, .cluster_m = cm, .cluster_n = cn                                 \
    }

static void test_single_blocks(void **state)
{
    (void)state;
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 1, 1), 2, 6, 3);
    test_sharing(WIDTHS, TMAP_GEMM_BF16, REQUEST(128, 80, 1, 1), 3, 6, 2);
}

static void test_clusters(void **state)
{
    (void)state;
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 1, 2), 2, 8, 4);
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 2, 2), 2, 4, 2);
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 2, 4), 1, 3, 3);
}

static void test_tall(void **state)
{
    (void)state;
    test_sharing(HIGH, TMAP_GEMM_BF16, REQUEST(192, 88, 1, 1), 2, 6, 3);
    test_sharing(HIGH, TMAP_GEMM_BF16, REQUEST(192, 192, 1, 2), 1, 2, 2);
}

static void test_promoted(void **state)
{
    (void)state;
    test_sharing(PROMOTED, TMAP_GEMM_E4M3, REQUEST(128, 64, 1, 1), 2, 6, 3);
    test_sharing(PROMOTED, TMAP_GEMM_E4M3, REQUEST(64, 48, 1, 1), 2, 10, 5);
}

static void test_split(void **state)
{
    (void)state;
    struct tmap_gemm_config request = REQUEST(64, 64, 1, 1);
    request.split_k = 2;
    test_sharing(BF16, TMAP_GEMM_BF16, request, 2, 8, 4);
}

/* Five clusters of three tiles: two of them end in the middle of one. */
static void test_uneven(void **state)
{
    (void)state;
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 1, 1), 3, 5, 1);
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 1, 2), 3, 5, 1);
}

/* So many blocks at one time: of those that share a tile some have not begun when others end. */
static void test_together(void **state)
{
    (void)state;
    struct emulated *emulator = emulated_state();
    for (uint32_t residents = 0; residents <= 8; residents += 2) {
        emulator->how.residents = residents;
        test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 64, 1, 1), 2, 10, 5);
        test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(128, 64, 1, 2), 1, 7, 7);
    }
    emulator->how.residents = 3;
    test_sharing(BF16, TMAP_GEMM_BF16, REQUEST(64, 16, 1, 1), 1, 32, 32);
    emulator->how.residents = 0;
    test_sharing(WIDTHS, TMAP_GEMM_BF16, REQUEST(128, 88, 2, 1), 1, 6, 6);
    test_sharing(HIGH, TMAP_GEMM_BF16, REQUEST(192, 104, 1, 1), 1, 9, 9);
    test_sharing(PROMOTED, TMAP_GEMM_E4M3, REQUEST(128, 64, 1, 1), 1, 5, 5);
}

/* One cluster adds the parts of all where rows of D end inside 16 bytes, and in kernels of four
 * warpgroups. */
static void test_by_one(void **state)
{
    static const struct {
        const char *source;
        int32_t tile_m, tile_n, n;
    } cases[] = {{BF16, 64, 64, 61}, {HIGH, 256, 120, 112}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tmap_gemm_problem p = {.kind = TMAP_GEMM_BF16,
                                            .out = TMAP_GEMM_OUT_BF16,
                                            .m = cases[i].tile_m - 4,
                                            .n = cases[i].n,
                                            .k = 64 * 4 * GEMM_TOGETHER,
                                            .batch = 1,
                                            .alpha = 1};
        struct tmap_gemm_config request = REQUEST(cases[i].tile_m, cases[i].tile_n, 1, 1);
        struct tmap_gemm_plan plan;
        struct gemm_params params;
        request.clusters = GEMM_TOGETHER;
        request.stream_k = TMAP_GEMM_STREAM_K_ANY;
        request.split_k = 1;
        request.swapped = -1;
        for (int launch = 0; launch < 2; launch++)
            assert_true(emulated_gemm_right(suite, cases[i].source, &p, &request, &plan));
        memcpy(&params, plan.params, sizeof params);
        assert_int_equal(params.deep, GEMM_TOGETHER);
        assert_int_equal(params.together, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_blocks), cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_tall),          cmocka_unit_test(test_promoted),
        cmocka_unit_test(test_split),         cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_together),      cmocka_unit_test(test_by_one),
    };
    suite = emulated_h200_suite(BF16, "shared tiles");
    if (!suite) return 0;
    return cmocka_run_group_tests_name("shared tiles", tests, NULL, NULL);
}
