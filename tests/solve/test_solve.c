/* Synthesis: what MMA descriptors can read, and the best fields against every field there is. */
#include "support/checkers.h"
#include "core/layout.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static struct tmap_tile_request request_of(int32_t dtype, uint32_t inner, uint32_t rows,
                                           uint32_t consumer, uint32_t major)
{
    struct tmap_tile_request w = {.consumer = consumer, .major = major, .tile = {inner, rows}};
    w.tensor.dtype = dtype;
    w.tensor.rank = 2;
    w.tensor.address = 1 << 30;
    w.tensor.dim[0] = w.tensor.dim[1] = 8192;
    w.tensor.stride_bytes[0] = (uint64_t)8192 * layout_gmem_bits(dtype) / 8;
    return w;
}

/* What an MMA can read: M- or N-major only 16-bit operands on Hopper, 32-bit ones on Blackwell only
 * in 32-byte atoms. Otherwise the widest span that the tile fills. -1: nothing. */
static int32_t swizzle_for(int32_t dtype, bool blackwell, bool mn, uint32_t wide)
{
    const uint32_t bits = layout_smem_bits(dtype);
    if (mn && !blackwell && bits != 16) return -1;
    if (mn && bits == 32) return wide < 128 ? -1 : TMAP_SWIZZLE_128B_ATOM_32B;
    return wide >= 128 ? TMAP_SWIZZLE_128B : wide == 64 ? TMAP_SWIZZLE_64B : TMAP_SWIZZLE_32B;
}

static void test_swizzle_for_mma(void **state)
{
    static const int32_t types[] = {TMAP_BFLOAT16, TMAP_FLOAT16, TMAP_TFLOAT32, TMAP_UINT8};
    static const uint32_t bytes[] = {32, 64, 128, 256, 512};
    (void)state;
    for (size_t i = 0; i < 4 * 4 * 5; i++) {
        const uint32_t wide = bytes[i / 16], major = i / 4 % 2;
        const bool blackwell = i / 8 % 2;
        const uint32_t consumer = blackwell ? TMAP_CONSUMER_TCGEN05 : TMAP_CONSUMER_WGMMA;
        const struct tmap_checker c = checker_on(blackwell ? "sm_100a" : "sm_90a");
        const int32_t dtype = types[i % 4], want = swizzle_for(dtype, blackwell, major, wide);
        const struct tmap_tile_request w =
            request_of(dtype, wide * 8 / layout_smem_bits(dtype), 64, consumer, major);
        struct tmap_tile_plan p;
        size_t found;
        char reason[160];
        const enum tmap_status s =
            tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason);
        assert_int_equal(s, want < 0 ? TMAP_E_NO_PLAN : TMAP_OK);
        if (want < 0) continue;
        assert_int_equal(p.plan.desc.swizzle, want);
        assert_int_equal(p.instructions, 1);
        assert_int_equal(p.plan.tx_bytes, wide * 64);
    }
}

static void test_no_operand(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_tile_request w =
        request_of(TMAP_UINT8, 128, 64, TMAP_CONSUMER_WGMMA, TMAP_MN_MAJOR);
    struct tmap_tile_plan p;
    size_t found;
    char reason[160];
    (void)state;
    assert_int_equal(
        tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason),
        TMAP_E_NO_PLAN);
    w = request_of(TMAP_BFLOAT16, 64, 64, TMAP_CONSUMER_TCGEN05, TMAP_K_MAJOR);
    assert_int_equal(
        tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason),
        TMAP_E_NO_PLAN);
    assert_true(strlen(reason) > 8);
    assert_int_equal(
        tmap_solve(&c, NULL, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason),
        TMAP_E_ARGUMENT);
}

/* No reader's fault: there is nothing to copy. */
static void test_empty(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    (void)state;
    for (uint32_t consumer = TMAP_CONSUMER_NONE; consumer <= TMAP_CONSUMER_WGMMA; consumer++) {
        struct tmap_tile_request w = request_of(TMAP_BFLOAT16, 64, 64, consumer, TMAP_K_MAJOR);
        struct tmap_tile_plan p;
        size_t found;
        char reason[160];
        w.tensor.dim[1] = 0;
        assert_int_equal(
            tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason),
            TMAP_E_NO_PLAN);
        assert_int_equal(found, 0);
        assert_string_equal(reason, "the tensor is empty: launch nothing");
    }
}

/* The fewest copies of equal boxes that cover the tile, over every box and swizzle there is. */
static uint64_t fewest_by_trying(const struct tmap_checker *c, const struct tmap_tile_request *w)
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
                const struct tmap_tile_request w = request_of(types[t], inner, rows, 0, 0);
                struct tmap_tile_plan p;
                size_t found;
                char reason[160];
                assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found,
                                            reason, sizeof reason),
                                 TMAP_OK);
                const uint64_t best = fewest_by_trying(&c, &w);
                assert_true(p.instructions <= best);
                fewer += p.instructions < best;
                tried++;
            }
    print_message("# %u requests: %u of them need fewer copies in another view\n", tried, fewer);
    assert_true(fewer < tried);
}

/* Of as many copies those come first whose boxes are all alike: a smaller last one needs a map of
 * its own. */
static void test_fewer_maps_first(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    struct tmap_tile_request w = request_of(TMAP_UINT8, 496, 374, TMAP_CONSUMER_NONE, TMAP_K_MAJOR);
    struct tmap_tile_plan p[16];
    size_t found;
    unsigned more = 0;
    (void)state;
    w.op = TMAP_OP_STORE;
    w.tensor.dim[0] = w.tensor.stride_bytes[0] = 992;
    w.tensor.dim[1] = 374;
    assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, p, 16, &found, NULL, 0),
                     TMAP_OK);
    for (size_t i = 1; i < found; i++) {
        const uint32_t before = p[i - 1].plan.cost.extra_maps, maps = p[i].plan.cost.extra_maps;
        if (p[i].kind != p[i - 1].kind || p[i].instructions != p[i - 1].instructions) continue;
        assert_true(before <= maps);
        more += before < maps;
    }
    assert_true(more > 0);
}

/* Of plans that are alike in copies, conflicts and memory that which moves less comes first: with
 * one swizzle the search finds it first, with another after the other. */
static void test_less_traffic_first(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_tile_request tiles[] = {{.tensor = {.dtype = TMAP_FLOAT32,
                                                          .rank = 3,
                                                          .address = 1 << 30,
                                                          .dim = {28, 88, 35},
                                                          .stride_bytes = {128, 11312}},
                                               .tile = {28, 88, 35},
                                               .consumer = TMAP_CONSUMER_LDMATRIX},
                                              {.tensor = {.dtype = TMAP_UINT32,
                                                          .rank = 2,
                                                          .address = 1 << 30,
                                                          .dim = {78, 2},
                                                          .stride_bytes = {312}},
                                               .tile = {78, 2},
                                               .consumer = TMAP_CONSUMER_LDMATRIX}};
    struct tmap_tile_plan p[28];
    size_t found;
    (void)state;
    for (int k = 0; k < 2; k++) {
        unsigned more = 0;
        assert_int_equal(
            tmap_solve(&c, &tiles[k], workspace, sizeof workspace, p, 28, &found, NULL, 0),
            TMAP_OK);
        for (size_t i = 1; i < found; i++) {
            const struct tmap_tile_plan *a = &p[i - 1], *b = &p[i];
            if (a->kind != b->kind || a->instructions != b->instructions ||
                a->conflicts != b->conflicts || a->shared_bytes != b->shared_bytes ||
                a->partial_sectors != b->partial_sectors)
                continue;
            assert_true(a->plan.cost.wasted_traffic_bytes <= b->plan.cost.wasted_traffic_bytes);
            more += a->plan.cost.wasted_traffic_bytes < b->plan.cost.wasted_traffic_bytes;
        }
        assert_true(more > 0);
    }
}

/* Of plans that are alike up to shared memory those come first that read whole sectors. */
static void test_whole_sectors_first(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    struct tmap_tile_request w =
        request_of(TMAP_UINT8, 928, 25, TMAP_CONSUMER_LDMATRIX, TMAP_K_MAJOR);
    struct tmap_tile_plan p[16];
    size_t found;
    unsigned more = 0;
    (void)state;
    w.op = TMAP_OP_STORE;
    w.tensor.dim[0] = w.tensor.stride_bytes[0] = 928;
    w.tensor.dim[1] = 25;
    assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, p, 16, &found, NULL, 0),
                     TMAP_OK);
    for (size_t i = 1; i < found; i++) {
        const struct tmap_tile_plan *a = &p[i - 1], *b = &p[i];
        if (a->kind != b->kind || a->instructions != b->instructions ||
            a->plan.cost.extra_maps != b->plan.cost.extra_maps || a->conflicts != b->conflicts ||
            a->shared_bytes != b->shared_bytes)
            continue;
        assert_true(a->partial_sectors <= b->partial_sectors);
        more += a->partial_sectors < b->partial_sectors;
    }
    assert_true(more > 0);
}

/* With room for a few views a search is given up, and nothing is said of what it did not see. */
static void test_given_up(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_tile_request w = request_of(TMAP_BFLOAT16, 8, 1 << 21, 0, 0);
    unsigned open = 0, plans = 0;
    (void)state;
    w.tensor.dim[0] = 8, w.tensor.dim[1] = 1 << 21;
    w.tensor.stride_bytes[0] = 16;
    for (size_t bytes = 512; bytes <= 16384; bytes += 512) {
        struct tmap_tile_plan p;
        size_t found = 7;
        char reason[160];
        const enum tmap_status s =
            tmap_solve(&c, &w, workspace, bytes, &p, 1, &found, reason, sizeof reason);
        assert_int_equal(tmap_solve(&c, &w, workspace, bytes, &p, 1, &found, NULL, 0), s);
        open += s == TMAP_E_BUDGET;
        plans += s == TMAP_OK;
        if (s == TMAP_E_BUDGET) assert_non_null(strstr(reason, "undecided"));
        if (s != TMAP_E_ROOM) assert_int_equal(found, s == TMAP_OK);
    }
    assert_true(open > 0 && plans > 0);
}

/* Rows that the plan lays itself begin at whole sectors: 130 elements of 2 bytes go to 288 bytes,
 * not to the 272 that would be legal, and none of them is read in part. */
static void test_copied_rows_of_whole_sectors(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_tile_request w = request_of(TMAP_BFLOAT16, 64, 8, TMAP_CONSUMER_NONE, TMAP_K_MAJOR);
    struct tmap_tile_plan p;
    size_t found;
    char reason[160];
    (void)state;
    w.tensor.dim[0] = 130;
    w.tensor.stride_bytes[0] = 260;
    assert_int_equal(
        tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason),
        TMAP_OK);
    assert_int_equal(p.kind, TMAP_PLAN_PADDING);
    assert_int_equal(p.plan.desc.stride_bytes[0], 288);
    assert_int_equal(p.partial_sectors, 0);
}

/* Of plans that keep the tile's rows as they are, what ldmatrix pays is what the layout says: also
 * under the atoms of 32 and 64 bytes, which do not part eight rows. */
static void test_conflicts_of_every_swizzle(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_tile_request w =
        request_of(TMAP_BFLOAT16, 64, 128, TMAP_CONSUMER_LDMATRIX, TMAP_K_MAJOR);
    struct tmap_tile_plan p[16];
    uint32_t seen = 0;
    size_t found;
    char reason[160];
    (void)state;
    assert_int_equal(tmap_solve(&c, &w, workspace, sizeof workspace, p, sizeof p / sizeof *p,
                                &found, reason, sizeof reason),
                     TMAP_OK);
    for (size_t i = 0; i < found; i++) {
        uint32_t ways = 0;
        if (p[i].plan.copies != 1 || p[i].plan.desc.rank != 2) continue;
        assert_int_equal(tmap_bank_conflicts(&c, &p[i].plan.desc, TMAP_ACCESS_MATRIX, &ways),
                         TMAP_OK);
        assert_int_equal(p[i].conflicts, ways - 1);
        seen |= 1u << p[i].plan.desc.swizzle;
    }
    assert_int_equal(
        seen, 1u << TMAP_SWIZZLE_NONE | 1u << TMAP_SWIZZLE_128B | 1u << TMAP_SWIZZLE_128B_ATOM_32B |
                  1u << TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B | 1u << TMAP_SWIZZLE_128B_ATOM_64B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swizzle_for_mma),
        cmocka_unit_test(test_no_operand),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_against_every_box),
        cmocka_unit_test(test_fewer_maps_first),
        cmocka_unit_test(test_less_traffic_first),
        cmocka_unit_test(test_whole_sectors_first),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_conflicts_of_every_swizzle),
        cmocka_unit_test(test_copied_rows_of_whole_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
