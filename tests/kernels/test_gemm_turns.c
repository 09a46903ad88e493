/* Places of clusters: every place is taken once, and the clusters of a GPC lie side by side; and
 * which plans make use of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../support/gemm_suite.h"

enum { SMS = 132, MOST = 132 };

static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8};

static void test_every_place_once(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        for (int32_t clusters = 1; clusters <= MOST / sizes[i]; clusters++) {
            const struct gemm_turns t = gemm_turns_of(SMS, sizes[i], clusters);
            bool taken[MOST] = {false};
            for (int32_t c = 0; c < clusters; c++) {
                const int32_t place = gemm_place(t, c);
                assert_in_range(place, 0, clusters - 1);
                assert_false(taken[place]);
                taken[place] = true;
            }
        }
}

/* The first SM of each of 64 pairs, as an H200 started them (2026-11-28). */
static const int32_t started[] = {124, 126, 128, 130, 0,   2,   4,   6,   8,   10,  12,  14, 16,
                                  18,  20,  22,  24,  26,  28,  30,  32,  34,  36,  38,  40, 42,
                                  44,  46,  48,  50,  52,  54,  56,  58,  60,  62,  64,  66, 68,
                                  70,  72,  74,  76,  78,  80,  82,  84,  86,  88,  90,  92, 94,
                                  96,  98,  100, 102, 104, 106, 108, 110, 112, 114, 116, 118};

/* By clusters of 16 blocks: SMs 0, 1, 16, 17 ... 49 and 124 to 131 are one GPC's; 2, 3, 18, 19 ...
 * 51 and 64, 65, 78, 79 ... 107 the next one's; and so on. */
static int32_t gpc_of(int32_t sm)
{
    return sm < 64 ? sm % 16 / 2 : sm < 120 ? 1 + (sm - 64) % 14 / 2 : 0;
}

static void test_gpcs_side_by_side(void **state)
{
    (void)state;
    const struct gemm_turns t = gemm_turns_of(SMS, 2, 64);
    int32_t cluster_at[64];
    for (int32_t c = 0; c < 64; c++) cluster_at[gemm_place(t, c)] = c;
    for (int32_t place = 0; place < 64; place++)
        assert_int_equal(gpc_of(started[cluster_at[place]]), place / 8);
}

static void test_unknown_devices(void **state)
{
    (void)state;
    const struct gemm_turns none = {0}, other = gemm_turns_of(114, 2, 57);
    assert_memory_equal(&other, &none, sizeof none);
    for (int32_t c = 0; c < 57; c++) assert_int_equal(gemm_place(other, c), c);
}

/* The model's choice. */
static struct tmap_gemm_config chosen(int32_t m, int32_t n, int32_t k,
                                      const struct tmap_gemm_config *request)
{
    const struct tmap_gemm *suite = pretend();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, m, n, k);
    struct gemm_choice choice;
    p.out = TMAP_GEMM_OUT_BF16;
    assert_true(gemm_enumerate(suite, &p, request, &choice, 1) > 0);
    return choice.config;
}

/* Where all tiles are under way at once, clusters whose blocks share B alone walk along N, so that
 * neighbours ask for the same rows of A; those that share A, or have more tiles, along M. */
static void test_single_rounds_share_what_no_multicast_brings(void **state)
{
    (void)state;
    static const struct {
        int32_t m, n, k, cluster_m, cluster_n;
        bool along_n;
    } cases[] = {{2000, 1000, 10000, 2, 1, true},
                 {2000, 1000, 10000, 1, 2, false},
                 {2000, 1000, 10000, 1, 1, false},
                 {1500, 600, 8192, 4, 1, true},
                 {4000, 2000, 10000, 2, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct tmap_gemm_config request = {.tile_m = 128,
                                                 .tile_n = 128,
                                                 .cluster_m = cases[i].cluster_m,
                                                 .cluster_n = cases[i].cluster_n,
                                                 .split_k = 1,
                                                 .swapped = -1,
                                                 .stream_k = -1};
        const struct tmap_gemm_config config = chosen(cases[i].m, cases[i].n, cases[i].k, &request);
        assert_int_equal(config.group == 1, cases[i].along_n);
    }
}

/* What takes milliseconds waits for its predecessor, for its clusters' places; not where the
 * request says how, and a stream's clusters have none. */
static void test_long_products_wait(void **state)
{
    (void)state;
    static const struct tmap_gemm_config requests[] = {
        {0}, {.overlap = 1}, {.stream_k = 32}, {.cluster_m = 1, .cluster_n = 1}};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const struct tmap_gemm_config config = chosen(16384, 16384, 16384, &requests[i]);
        assert_int_equal(config.overlap, i == 0 ? -1 : requests[i].overlap);
        assert_int_equal(gemm_asked_of_b(pretend(), &config) < 1, i == 0);
    }
}

/* What is bound by multiplies is late: pairs along N, whose clusters a GPC has side by side along
 * M, and no more of them than have turns. */
static void test_multiplies_are_late(void **state)
{
    (void)state;
    const struct tmap_gemm_config none = {0};
    const struct tmap_gemm_config config = chosen(4096, 4096, 4096, &none);
    assert_int_equal(config.overlap, GEMM_LATE);
    assert_true(gemm_can_merge_b(&config));
    assert_int_equal(config.group, GEMM_PAIRS_OF_A_GPC);
    assert_int_equal(config.clusters, 64);
    assert_true(gemm_asked_of_b(pretend(), &config) < 1);
}

/* 128 x 256 in pairs along N. */
static const struct tmap_gemm_config along_n = {.tile_m = 128,
                                                .tile_n = 256,
                                                .cluster_m = 1,
                                                .cluster_n = 2,
                                                .split_k = 1,
                                                .swapped = -1,
                                                .stream_k = -1};

/* Short products are not late, nor those of a short K, of few rows, of rows of D that end inside 16
 * bytes, or of other types; nor what the request wants otherwise, or in an order in which nothing
 * merges. */
static void test_others_are_not_late(void **state)
{
    (void)state;
    static const struct {
        int32_t m, n, k, kind, group, overlap, expected;
    } cases[] = {{4096, 4096, 4096, TMAP_GEMM_BF16, 0, 0, GEMM_LATE},
                 {4096, 4096, 4096, TMAP_GEMM_F16, 16, 0, GEMM_LATE},
                 {4096, 4096, 4096, TMAP_GEMM_BF16, 4, 0, 0},
                 {4096, 4096, 4096, TMAP_GEMM_BF16, 0, 1, 1},
                 {4096, 4096, 4096, TMAP_GEMM_E4M3, 0, 0, 0},
                 {4096, 4096, 4096, TMAP_GEMM_TF32, 0, 0, 0},
                 {1024, 1024, 4096, TMAP_GEMM_BF16, 0, 0, 0},
                 {8192, 8192, 512, TMAP_GEMM_BF16, 0, 0, 0},
                 {4096, 4088, 4096, TMAP_GEMM_BF16, 0, 0, GEMM_LATE},
                 {4096, 4090, 4096, TMAP_GEMM_BF16, 0, 0, 0},
                 {8192, 8192, 512, TMAP_GEMM_BF16, 0, GEMM_LATE, GEMM_LATE},
                 {896, 16384, 4096, TMAP_GEMM_BF16, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_gemm_config request = along_n;
        struct tmap_gemm_problem p = product(cases[i].kind, cases[i].m, cases[i].n, cases[i].k);
        struct gemm_choice choice;
        request.group = cases[i].group, request.overlap = cases[i].overlap;
        assert_true(gemm_enumerate(pretend(), &p, &request, &choice, 1) > 0);
        assert_int_equal(choice.config.overlap, cases[i].expected);
    }
}

/* Where nothing has turns there is no late plan: of single blocks, or a stream. */
static void test_late_needs_turns(void **state)
{
    (void)state;
    static const struct tmap_gemm_config requests[] = {
        {.cluster_m = 1, .cluster_n = 1, .overlap = GEMM_LATE},
        {.stream_k = 32, .overlap = GEMM_LATE}};
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4096, 4096, 4096);
    struct gemm_choice choice;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        assert_int_equal(gemm_enumerate(pretend(), &p, &requests[i], &choice, 1), 0);
}

/* Groups of as many rows as a GPC has pairs, or all rows where those would be fewer than two; as
 * many clusters as are asked for. */
static void test_pairs_walk_along_m(void **state)
{
    (void)state;
    static const struct {
        int32_t rows, asked, group, clusters;
    } cases[] = {{8, 0, 8, 64},  {9, 0, 9, 66},   {15, 0, 15, 66}, {16, 0, 8, 64},
                 {17, 0, 8, 64}, {32, 66, 8, 66}, {32, 0, 8, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_gemm_config request = along_n;
        request.clusters = cases[i].asked;
        const struct tmap_gemm_config config = chosen(128 * cases[i].rows, 8192, 4096, &request);
        assert_int_equal(config.overlap, GEMM_LATE);
        assert_int_equal(config.group, cases[i].group);
        assert_int_equal(config.clusters, cases[i].clusters);
    }
}

/* 64 of 66 clusters, unless that takes a round more. */
static void test_as_many_as_have_turns(void **state)
{
    (void)state;
    static const struct {
        int64_t tiles;
        int32_t clusters;
    } cases[] = {{64, 64}, {65, 66}, {66, 66}, {128, 64}, {130, 66}, {256, 64}, {2752, 66}};
    struct tmap_gemm_config c = along_n;
    c.clusters = 66, c.group = GEMM_PAIRS_OF_A_GPC, c.overlap = GEMM_LATE;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(gemm_clusters_in_turn(pretend(), &c, cases[i].tiles), cases[i].clusters);
    c.overlap = 0;
    assert_int_equal(gemm_clusters_in_turn(pretend(), &c, 64), 66);
}

/* Where the order is not known in which clusters start, waiting gains nothing. */
static void test_unknown_devices_do_not_wait(void **state)
{
    (void)state;
    const struct tmap_gemm_config none = {0};
    struct tmap_gemm *suite = pretend();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 16384, 16384, 16384);
    struct gemm_choice choice;
    suite->gpu.sm_count = 114;
    for (int size = 1; size <= GEMM_MAX_CLUSTER; size++) suite->resident[size] = 114 / size;
    assert_true(gemm_enumerate(suite, &p, &none, &choice, 1) > 0);
    assert_int_equal(choice.config.overlap, 0);
    choice.config.overlap = -1;
    assert_false(gemm_has_turns(suite, &choice.config));
    assert_true(gemm_asked_of_b(suite, &choice.config) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_place_once),
        cmocka_unit_test(test_gpcs_side_by_side),
        cmocka_unit_test(test_unknown_devices),
        cmocka_unit_test(test_single_rounds_share_what_no_multicast_brings),
        cmocka_unit_test(test_long_products_wait),
        cmocka_unit_test(test_multiplies_are_late),
        cmocka_unit_test(test_others_are_not_late),
        cmocka_unit_test(test_late_needs_turns),
        cmocka_unit_test(test_pairs_walk_along_m),
        cmocka_unit_test(test_as_many_as_have_turns),
        cmocka_unit_test(test_unknown_devices_do_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
