/* Plans with im2col maps, their copies run and compared with a plain walk over the tensor: of
 * random im2col requests, whose channels and pixels are too many for a map, and of tiled tiles
 * longer than a box. */
#include "core/layout.h"
#include "support/checkers.h"
#include "support/repair_support.h"
#include "support/tile_walk.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
static uint8_t shared[1 << 18];

static uint64_t rnd(uint64_t *s, uint64_t n)
{
    return next_random(s) % n;
}

static void run_copies(const struct tmap_checker *c, const struct tmap_plan *p,
                       const int64_t *coord)
{
    const struct tmap_memory m = {.read = tile_read, .smem = shared, .smem_bytes = sizeof shared};
    uint64_t tx_bytes = 0;
    for (uint32_t n = 0; n < p->copies; n++) {
        int64_t at[TMAP_MAX_RANK];
        struct tmap_desc own;
        struct tmap_use use = {.flags = TMAP_USE_COORD | TMAP_USE_SMEM,
                               .coord_count = p->desc.rank,
                               .smem = n * p->slot_bytes};
        struct tmap_outcome out;
        tmap_plan_coords(p, coord, n, at);
        tmap_plan_desc(p, n, &own);
        for (uint32_t i = 0; i < p->desc.rank; i++) use.coord[i] = (int32_t)at[i];
        assert_int_equal(tmap_simulate(c, &own, &use, &m, &out), TMAP_OK);
        tx_bytes += out.tx_bytes;
    }
    assert_int_equal(tx_bytes, p->tx_bytes);
}

static void check_element(const struct tmap_desc *d, const struct tmap_plan *p,
                          const int64_t *coord, const uint32_t *tile, bool in, uint64_t address)
{
    const uint32_t bytes = layout_gmem_bits(d->dtype) / 8;
    uint64_t offset;
    uint32_t copy;
    assert_true(tmap_plan_place(p, d, coord, tile, &copy, &offset));
    for (uint32_t b = 0; b < bytes; b++)
        assert_int_equal(shared[tmap_swizzle_address(p->desc.swizzle, offset + b)],
                         in ? tile_byte(address + b) : 0);
}

static void check_walk(const struct tmap_checker *c, const struct tmap_desc *d,
                       const struct tmap_plan *p, uint64_t *s)
{
    int64_t coord[TMAP_MAX_RANK] = {0};
    struct tile_walk w;
    uint64_t address = 0;
    coord[0] = p->grain[0] ? (int64_t)(rnd(s, d->dim[0] / p->grain[0] + 1) * p->grain[0]) : 0;
    for (uint32_t i = 1; i < d->rank; i++) {
        const int64_t low = i + 1 < d->rank ? d->lower[i - 1] : 0;
        const int64_t end = (int64_t)d->dim[i] + (i + 1 < d->rank ? d->upper[i - 1] : 0);
        coord[i] = low + (int64_t)rnd(s, (uint64_t)(end - low));
    }
    run_copies(c, p, coord);
    tile_walk_start(&w, d, coord);
    do {
        const bool in = tile_address(d, w.x, &address);
        check_element(d, p, coord, w.tile, in, address);
    } while (tile_walk_next(&w));
}

static void test_requests_in_pieces(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    uint64_t seed = 8;
    long ran = 0, pixels = 0, channels = 0;
    (void)state;
    for (long i = 0; i < 4000 && ran < 400; i++) {
        const struct tmap_desc d = random_im2col_pieces(&seed);
        struct tmap_plan p;
        struct tmap_repair_report r;
        if (tmap_verdict_of(&c, &d) == TMAP_LEGAL ||
            tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL) != TMAP_OK)
            continue;
        assert_int_equal(tmap_verdict_of(&c, &p.desc), TMAP_LEGAL);
        if (p.cost.kind != TMAP_PLAN_FREE || p.copies * p.slot_bytes > 200000) continue;
        check_walk(&c, &d, &p, &seed);
        ran++;
        pixels += p.dim[1].copies > 1;
        channels += p.dim[0].copies > 1;
    }
    print_message("# %ld plans: pixels in pieces in %ld, channels in %ld\n", ran, pixels, channels);
    assert_true(ran == 400 && pixels > 50 && channels > 50);
}

/* Rows of 224 bytes under a swizzle of 128: two slabs, as requested, not two halves. */
static void test_pieces_are_slabs(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request kept = {.keep_swizzle = true};
    struct tmap_desc d = {.kind = TMAP_IM2COL,
                          .dtype = TMAP_INT32,
                          .rank = 3,
                          .address = UINT64_C(1) << 40,
                          .dim = {56, 8, 3},
                          .stride_bytes = {224, 1792},
                          .elem_stride = {1, 1, 1},
                          .channels = 56,
                          .pixels = 96,
                          .swizzle = TMAP_SWIZZLE_128B};
    struct tmap_plan p;
    struct tmap_repair_report r;
    uint64_t seed = 9;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &kept, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    check_walk(&c, &d, &p, &seed);
    assert_int_equal(p.copies, 2);
    assert_int_equal(p.desc.channels, 32);
    assert_int_equal(p.cost.layout_changes, 0);
    /* one pixel's lie end to end, in whole lines of 128 bytes */
    d.dim[0] = d.channels = 272;
    d.stride_bytes[0] = 1088;
    d.stride_bytes[1] = 8704;
    d.pixels = 1;
    d.swizzle = TMAP_SWIZZLE_32B;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.desc.channels, 160);
    assert_int_equal(p.cost.layout_changes, 1);
}

static struct tmap_desc long_tile(void)
{
    return (struct tmap_desc){.dtype = TMAP_BFLOAT16,
                              .rank = 3,
                              .address = UINT64_C(1) << 40,
                              .dim = {64, 521, 5}, /* a prime, so that there are no pieces */
                              .stride_bytes = {128, 128 * 600},
                              .box = {64, 400, 1},
                              .elem_stride = {1, 1, 1},
                              .swizzle = TMAP_SWIZZLE_128B};
}

/* One instruction for a tile longer than a box; its last 279 rows are beyond the tensor, and the
 * walk does not go on in the next image. */
static void test_long_tile(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request tiled = {.no_im2col = true};
    const struct tmap_desc d = long_tile();
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &tiled, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.copies, 2);
    assert_int_equal(p.desc.kind, TMAP_TILED);
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.copies, 1);
    assert_int_equal(p.desc.kind, TMAP_IM2COL);
    assert_int_equal(p.desc.pixels, 400);
    assert_int_equal(p.step[0].rewrite, TMAP_REWRITE_IM2COL);
    for (int64_t first = 0; first <= 521; first += first == 400 ? 121 : 400) {
        const int64_t coord[TMAP_MAX_RANK] = {0, first, 3};
        run_copies(&c, &p, coord);
        for (uint32_t row = 0; row < 400; row++) {
            const uint32_t tile[TMAP_MAX_RANK] = {row % 64, row};
            const int64_t x[TMAP_MAX_RANK] = {row % 64, first + row, 3};
            uint64_t address = 0;
            const bool in = tile_address(&d, x, &address);
            assert_int_equal(in, first + row < 521);
            check_element(&d, &p, coord, tile, in, address);
        }
    }
}

/* Along the swapped dimension every element is a pixel, and begins a row of its own. */
static void test_walk_of_single_elements(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request request = {.grain = {19}};
    const struct tmap_desc d = {.address = UINT64_C(1) << 40,
                                .rank = 2,
                                .dim = {1, 1},
                                .stride_bytes = {1},
                                .box = {257, 1},
                                .elem_stride = {1, 1}};
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &request, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.desc.kind, TMAP_IM2COL);
    assert_int_equal(p.cost.layout_changes, 1);
}

/* Random tiled tiles: what the plan costs is never more than without im2col, and it is right. */
static void test_never_dearer(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request tiled = {.no_im2col = true};
    uint64_t seed = 77;
    long walks = 0;
    (void)state;
    for (long i = 0; i < 3000; i++) {
        const struct tmap_desc d = random_desc(&seed, UINT64_C(64) << 20);
        struct tmap_plan p, q;
        struct tmap_repair_report r;
        if (tmap_verdict_of(&c, &d) == TMAP_LEGAL ||
            tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL) != TMAP_OK ||
            p.desc.kind == TMAP_TILED)
            continue;
        walks++;
        const char *wrong = plan_is_wrong(&c, &d, &p, &seed, 8, 64);
        if (wrong) fail_msg("descriptor %ld: %s", i, wrong);
        if (tmap_repair(&c, &d, &tiled, workspace, sizeof workspace, &q, 1, &r, NULL) == TMAP_OK)
            assert_true(tmap_cost_compare(&p.cost, &q.cost) <= 0);
    }
    print_message("# %ld of 3000 tiles are walks\n", walks);
    assert_true(walks > 5);
}

/* Who reads an im2col tile takes every box of its plan: rows of 64 bf16 are one atom of an MMA,
 * and of 128 none. */
static void test_consumer_keeps_reading(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_request wgmma = {.consumer = TMAP_CONSUMER_WGMMA, .major = TMAP_K_MAJOR};
    const struct tmap_request tcgen05 = {.consumer = TMAP_CONSUMER_TCGEN05};
    const struct tmap_desc d = {.kind = TMAP_IM2COL,
                                .dtype = TMAP_BFLOAT16,
                                .rank = 3,
                                .address = UINT64_C(1) << 40,
                                .dim = {128, 64, 16},
                                .stride_bytes = {256, 16384},
                                .elem_stride = {1, 1, 1},
                                .channels = 128,
                                .pixels = 64,
                                .swizzle = TMAP_SWIZZLE_128B};
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &wgmma, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.desc.channels, 64);
    assert_int_equal(p.copies, 2);
    assert_int_equal(tmap_repair(&c, &d, &tcgen05, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(r.reason, "the consumer can read"));
}

/* An interleave that the type does not have hides the channels: the corner that is beyond them is
 * none of a row of pixels, and nothing but the interleave is chosen. */
static void test_a_corner_beyond_the_channels(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_desc d = {.kind = TMAP_IM2COL_WIDE,
                                .dtype = TMAP_16U6_ALIGN16B,
                                .rank = 3,
                                .address = 1 << 20,
                                .dim = {128, 256, 64},
                                .stride_bytes = {96, 24576},
                                .elem_stride = {1, 1, 1},
                                .lower = {130},
                                .interleave = TMAP_INTERLEAVE_16B,
                                .swizzle = TMAP_SWIZZLE_128B,
                                .channels = 128,
                                .pixels = 64};
    struct tmap_violation v[4];
    struct tmap_plan p;
    struct tmap_repair_report r;
    size_t n;
    (void)state;
    assert_int_equal(tmap_check_with(&c, &d, v, 4, &n, NULL), TMAP_OK);
    assert_int_equal(n, 2);
    assert_string_equal(tmap_row_id(v[1].row), "TMA076");
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.step_count, 1);
    assert_int_equal(p.step[0].rewrite, TMAP_REWRITE_CHOOSE);
    assert_int_equal(p.desc.interleave, TMAP_INTERLEAVE_NONE);
    assert_int_equal(p.desc.lower[0], 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_in_pieces),
        cmocka_unit_test(test_pieces_are_slabs),
        cmocka_unit_test(test_consumer_keeps_reading),
        cmocka_unit_test(test_walk_of_single_elements),
        cmocka_unit_test(test_long_tile),
        cmocka_unit_test(test_a_corner_beyond_the_channels),
        cmocka_unit_test(test_never_dearer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
