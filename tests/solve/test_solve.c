/* Synthesis: what MMA descriptors can read, and the best fields against every field there is. */
#include "core/layout.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static struct tmap_checker checker_on(const char *arch)
{
    struct tmap_target t;
    struct tmap_checker c;
    assert_int_equal(tmap_target_from(NULL, NULL, NULL, arch, &t), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    return c;
}

static struct tmap_tile_wish wish_of(int32_t dtype, uint32_t inner, uint32_t rows,
                                     uint32_t consumer)
{
    struct tmap_tile_wish w = {.consumer = consumer, .tile = {inner, rows}};
    w.tensor.dtype = dtype;
    w.tensor.rank = 2;
    w.tensor.address = 1 << 30;
    w.tensor.dim[0] = w.tensor.dim[1] = 8192;
    w.tensor.stride_bytes[0] = (uint64_t)8192 * layout_gmem_bits(dtype) / 8;
    return w;
}

/* Every operand type and major-ness: an MMA needs rows of exactly a span, and gets the widest span
 * that the tile fills. */
static void test_swizzle_for_mma(void **state)
{
    static const int32_t types[] = {TMAP_BFLOAT16, TMAP_FLOAT16, TMAP_TFLOAT32, TMAP_UINT8};
    static const uint32_t consumers[] = {TMAP_CONSUMER_WGMMA_K, TMAP_CONSUMER_WGMMA_MN,
                                         TMAP_CONSUMER_TCGEN05_K, TMAP_CONSUMER_TCGEN05_MN};
    static const uint32_t bytes[] = {32, 64, 128, 256, 512};
    (void)state;
    for (size_t i = 0; i < 4 * 4 * 5; i++) {
        const uint32_t consumer = consumers[i / 4 % 4], wide = bytes[i / 16];
        const bool blackwell = consumer >= TMAP_CONSUMER_TCGEN05_K;
        const struct tmap_checker c = checker_on(blackwell ? "sm_100a" : "sm_90a");
        const int32_t dtype = types[i % 4];
        const struct tmap_tile_wish w =
            wish_of(dtype, wide * 8 / layout_smem_bits(dtype), 64, consumer);
        struct tmap_tile_plan p;
        size_t found;
        char reason[160];
        assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason),
                         TMAP_OK);
        const uint32_t span = wide < 128 ? wide : 128;
        assert_int_equal(layout_swizzle_span(p.plan.desc.swizzle), span);
        assert_int_equal(p.plan.desc.swizzle, span == 128  ? TMAP_SWIZZLE_128B
                                              : span == 64 ? TMAP_SWIZZLE_64B
                                                           : TMAP_SWIZZLE_32B);
        assert_int_equal(p.instructions, 1);
        assert_int_equal(p.conflicts, 0);
        assert_int_equal(p.plan.tx_bytes, wide * 64);
    }
}

static void test_no_operand(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_tile_wish w = wish_of(TMAP_BFLOAT16, 8, 64, TMAP_CONSUMER_WGMMA_K);
    struct tmap_tile_plan p;
    size_t found;
    char reason[160];
    (void)state;
    /* 16-byte rows fill no span */
    assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason),
                     TMAP_E_NO_PLAN);
    w = wish_of(TMAP_BFLOAT16, 64, 64, TMAP_CONSUMER_TCGEN05_K);
    assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(reason, "tcgen05"));
    assert_int_equal(tmap_solve(&c, NULL, workspace, sizeof workspace, &p, 1, &found, reason),
                     TMAP_E_ARGUMENT);
}

/* The fewest copies of equal boxes that cover the tile, over every box and swizzle there is. */
static uint64_t fewest_by_trying(const struct tmap_checker *c, const struct tmap_tile_wish *w)
{
    uint64_t best = UINT64_MAX;
    struct tmap_desc d = w->tensor;
    d.elem_stride[0] = d.elem_stride[1] = 1;
    for (d.swizzle = 0; d.swizzle < 7; d.swizzle++)
        for (d.box[0] = 1; d.box[0] <= w->tile[0] + 16 && d.box[0] <= 300; d.box[0]++)
            for (d.box[1] = 1; d.box[1] <= w->tile[1] && d.box[1] <= 300; d.box[1]++) {
                const uint64_t n = (uint64_t)((w->tile[0] + d.box[0] - 1) / d.box[0]) *
                                   ((w->tile[1] + d.box[1] - 1) / d.box[1]);
                if (n < best && tmap_verdict_of(c, &d) == TMAP_LEGAL) best = n;
            }
    return best;
}

/* Never more copies than the best single descriptor of the same view needs; other views may need
 * fewer still. */
static void test_against_every_box(void **state)
{
    static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32};
    const struct tmap_checker c = checker_on("sm_90a");
    unsigned fewer = 0, tried = 0;
    (void)state;
    for (uint32_t inner = 16; inner <= 528; inner += 64)
        for (uint32_t rows = 1; rows <= 500; rows += 83)
            for (size_t t = 0; t < 3; t++) {
                const struct tmap_tile_wish w = wish_of(types[t], inner, rows, 0);
                struct tmap_tile_plan p;
                size_t found;
                char reason[160];
                assert_int_equal(
                    tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason),
                    TMAP_OK);
                const uint64_t best = fewest_by_trying(&c, &w);
                assert_true(p.instructions <= best);
                fewer += p.instructions < best;
                tried++;
            }
    print_message("# %u wishes: %u of them need fewer copies in another view\n", tried, fewer);
    assert_true(fewer < tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swizzle_for_mma),
        cmocka_unit_test(test_no_operand),
        cmocka_unit_test(test_against_every_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
