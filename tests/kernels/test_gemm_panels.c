/* How many panels of D and stages of the ring a configuration has, which share memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/gemm_suite.h"

/* Of the configuration that comes first. */
static void expect(const struct tmap_gemm_problem *p, const struct tmap_gemm_config *request,
                   int32_t panels, int32_t stages)
{
    struct gemm_choice first;
    assert_true(gemm_enumerate(pretend(), p, request, &first, 1) > 0);
    assert_int_equal(first.config.panels, panels);
    assert_int_equal(first.config.stages, stages);
}

static void expect_promoted(int32_t tile_m, int32_t tile_n, int32_t out, int32_t k, int32_t panels,
                            int32_t stages)
{
    struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, 4096, 4096, k);
    const struct tmap_gemm_config request = {.tile_m = tile_m, .tile_n = tile_n, .stream_k = -1};
    p.precise = 1;
    p.out = out;
    expect(&p, &request, panels, stages);
}

/* While K is short a promoted tile has a panel for each 64 columns, though a stage be lost; else of
 * 128 x 192 a panel less is a stage more, where D's panels are 16 bits wide. */
static void promoted_panels(void **state)
{
    (void)state;
    expect_promoted(128, 192, TMAP_GEMM_OUT_BF16, 4096, 3, 4);
    expect_promoted(128, 256, TMAP_GEMM_OUT_BF16, 4096, 4, 3);
    expect_promoted(128, 144, TMAP_GEMM_OUT_BF16, 4096, 3, 5);
    expect_promoted(128, 192, TMAP_GEMM_OUT_BF16, 16384, 1, 5);
    expect_promoted(128, 256, TMAP_GEMM_OUT_BF16, 16384, 2, 4);
    expect_promoted(192, 112, TMAP_GEMM_OUT_BF16, 4096, 1, 5);
    expect_promoted(128, 192, TMAP_GEMM_OUT_F32, 4096, 2, 4);
}

static void expect_scaled(int32_t tile_n, int32_t out, int32_t panels, int32_t stages)
{
    struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, 4096, 4096, 4096);
    const struct tmap_gemm_config request = {.tile_n = tile_n, .stream_k = -1};
    p.block_scale = (struct tmap_gemm_block_scale){.a = 16, .b = 16, .lda = 4096, .ldb = 32};
    p.out = out;
    expect(&p, &request, panels, stages);
}

/* With scales of blocks stages give way to a panel for each 64 columns, as long as three are left.
 */
static void stages_give_way_to_panels_with_scales(void **state)
{
    (void)state;
    expect_scaled(128, TMAP_GEMM_OUT_BF16, 2, 5);
    expect_scaled(192, TMAP_GEMM_OUT_BF16, 3, 4);
    expect_scaled(256, TMAP_GEMM_OUT_BF16, 4, 3);
    expect_scaled(256, TMAP_GEMM_OUT_F32, 2, 3);
}

static void one_stage_is_no_ring(void **state)
{
    (void)state;
    struct gemm_choice choice;
    const struct tmap_gemm_config request = {.stages = 1};
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    assert_int_equal(gemm_enumerate(pretend(), &p, &request, &choice, 1), 0);
}

/* Of a pingpong of 128 x 192 that is asked for so many stages, or for none. */
static void expect_pingpong(int32_t k, int32_t asked, int32_t panels, int32_t stages)
{
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4728, 26240, k);
    const struct tmap_gemm_config request = {
        .tile_m = 128, .tile_n = 192, .pingpong = 1, .stages = asked};
    p.out = TMAP_GEMM_OUT_BF16;
    expect(&p, &request, panels, stages);
}

/* The widest pingpongs store a slab at once where a tile has few k-blocks: three panels, and up to
 * a K of 640 16-bit elements, four beside four stages (4728 x 26240 x 344: 180 us for 215, H200).
 */
static void short_pingpongs_store_more_at_once(void **state)
{
    (void)state;
    expect_pingpong(256, 0, 3, 4);
    expect_pingpong(344, 0, 4, 4);
    expect_pingpong(632, 0, 4, 4);
    expect_pingpong(640, 0, 1, 5);
    expect_pingpong(344, 5, 1, 5); /* which leave room for one panel */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promoted_panels),
        cmocka_unit_test(stages_give_way_to_panels_with_scales),
        cmocka_unit_test(one_stage_is_no_ring),
        cmocka_unit_test(short_pingpongs_store_more_at_once),
    };
    return cmocka_run_group_tests_name("gemm_panels", tests, NULL, NULL);
}
