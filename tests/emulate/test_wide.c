/* D in 4 bytes, on the emulator: by panels the straight way and element by element, from registers,
 * and the last columns of widths between, by rows and by columns. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/emulated_instances.h"

static struct tmap_gemm *suite;

/* Of each kind's own 4 bytes: an integer's, or a float's. */
static int32_t wide_of(int32_t kind)
{
    return kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
}

enum { K_BLOCKS = 3 };

static struct tmap_gemm_problem product(int32_t kind, int32_t m, int32_t n, int32_t k_blocks)
{
    const int32_t span = 1024 / gemm_element_bits(kind);
    return (struct tmap_gemm_problem){.kind = kind,
                                      .out = wide_of(kind),
                                      .m = m,
                                      .n = n,
                                      .k = span * k_blocks,
                                      .batch = 2,
                                      .alpha = kind == TMAP_GEMM_S8 ? 3 : 0.5f,
                                      .precise = kind == TMAP_GEMM_E4M3};
}

/* Two tiles by two, of which the last ends inside D's last rows and its last group of columns. */
static void test_tiles(const char *source, int32_t kind, struct tmap_gemm_config request)
{
    struct tmap_gemm_plan plan;
    request.clusters = request.pingpong > 0 ? 1 : 0;
    request.split_k = 1;
    request.stream_k = -1;
    request.swapped = -1;
    /* A pingpong's widest tiles know rows alone, and so do registers. */
    const bool by_rows = request.panels == 1 || (request.pingpong > 0 && request.tile_n > 128);
    for (int32_t columns = 0; columns < (by_rows ? 1 : 2); columns++) {
        const int32_t rows = columns ? 4 : 5; /* whole 16 bytes of D, which then lie along M */
        struct tmap_gemm_problem p =
            product(kind, 2 * request.tile_m - rows, 2 * request.tile_n - 12, K_BLOCKS);
        p.d.mn_major = columns;
        assert_true(emulated_gemm_right(suite, source, &p, &request, &plan));
        assert_int_equal(plan.config.tile_n, request.tile_n);
        assert_true(plan.config.direct < 0);
    }
}

#define TILE(m, n, turns, panels_)                                                                 \
    (struct tmap_gemm_config)                                                                      \
    {                                                                                              \
        .tile_m = m, .tile_n = n, .cluster_m = 1, .cluster_n = 1, .pingpong = turns,               \
        .panels = panels_                                                                          \
    }

static void test_panels(void **state)
{
    (void)state;
    test_tiles(KERNELS("tf32"), TMAP_GEMM_TF32, TILE(128, 192, 1, 4));
    test_tiles(KERNELS("s8"), TMAP_GEMM_S8, TILE(128, 128, 1, 2));
    test_tiles(KERNELS("bf16"), TMAP_GEMM_BF16, TILE(128, 256, -1, 0));
    test_tiles(KERNELS("e4m3_promoted"), TMAP_GEMM_E4M3, TILE(128, 128, -1, 0));
}

/* The last columns: half a panel and less, a panel, and more than one. */
static void test_widths(void **state)
{
    (void)state;
    test_tiles(KERNELS("s8_widths"), TMAP_GEMM_S8, TILE(128, 208, -1, 0));
    test_tiles(KERNELS("s8_widths"), TMAP_GEMM_S8, TILE(128, 176, 1, 2));
    test_tiles(KERNELS("tf32"), TMAP_GEMM_TF32, TILE(128, 160, -1, 0));
    test_tiles(KERNELS("bf16_widths"), TMAP_GEMM_BF16, TILE(128, 136, -1, 0));
    test_tiles(KERNELS("bf16_widths"), TMAP_GEMM_BF16, TILE(64, 112, -1, 0));
    test_tiles(KERNELS("bf16_high"), TMAP_GEMM_BF16, TILE(192, 88, -1, 0));
    test_tiles(KERNELS("bf16_high"), TMAP_GEMM_BF16, TILE(192, 72, -1, 0));
}

static void test_registers(void **state)
{
    (void)state;
    test_tiles(KERNELS("tf32"), TMAP_GEMM_TF32, TILE(128, 192, 1, 1));
    test_tiles(KERNELS("s8"), TMAP_GEMM_S8, TILE(128, 192, 1, 1));
    test_tiles(KERNELS("bf16"), TMAP_GEMM_BF16, TILE(128, 128, 1, 1));
    test_tiles(KERNELS("s8_widths"), TMAP_GEMM_S8, TILE(128, 176, 1, 1));
}

/* Where a tile has many k-blocks D goes from registers, unless something else is asked for or has
 * to be: C, or D by columns. */
static void test_choice(void **state)
{
    (void)state;
    static const struct tmap_gemm_config nothing = {
        .tile_m = 128, .tile_n = 128, .pingpong = 1, .swapped = -1, .clusters = 1};
    struct gemm_choice choice;
    for (int32_t k_blocks = 15; k_blocks <= 16; k_blocks++) {
        struct tmap_gemm_problem p = product(TMAP_GEMM_S8, 512, 512, k_blocks);
        struct tmap_gemm_config request = nothing;
        p.a.ld = p.b.ld = p.k;
        p.d.ld = p.n;
        assert_true(gemm_enumerate(suite, &p, &request, &choice, 1) > 0);
        assert_int_equal(choice.config.panels, k_blocks < 16 ? 4 : 1);
        request.direct = 1;
        assert_true(gemm_enumerate(suite, &p, &request, &choice, 1) > 0);
        assert_true(choice.config.panels >= 2);
        request.direct = 0;
        p.d.mn_major = 1;
        assert_true(gemm_enumerate(suite, &p, &request, &choice, 1) > 0);
        assert_true(choice.config.panels >= 2);
        request.panels = 1;
        assert_true(gemm_enumerate(suite, &p, &request, &choice, 1) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_panels), cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_choice)};
    suite = emulated_h200_suite(KERNELS("bf16"), "D in 4 bytes");
    if (!suite) return 0;
    return cmocka_run_group_tests_name("D in 4 bytes", tests, NULL, NULL);
}
