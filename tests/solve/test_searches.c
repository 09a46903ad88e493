/* Searches at the edges of what they are asked: layouts that do not count, logs and workspaces of
 * any size, types that a target refuses, strides of single bytes, very long tiles. */
#include "support/checkers.h"
#include "support/log_check.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define EVENTS (1 << 15)

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
static struct tmap_search_event events[EVENTS];

static struct tmap_desc base(void)
{
    return (struct tmap_desc){.kind = TMAP_TILED,
                              .dtype = TMAP_BFLOAT16,
                              .rank = 2,
                              .address = 0x7f0000000000,
                              .dim = {4096, 4096},
                              .stride_bytes = {8192},
                              .box = {64, 128},
                              .elem_stride = {1, 1}};
}

/* The best plan, which is right. */
static struct tmap_plan plan_on(const struct tmap_checker *c, const struct tmap_desc *d,
                                const struct tmap_request *how, struct tmap_search_log *log)
{
    struct tmap_plan p;
    struct tmap_repair_report r;
    uint64_t seed = 5;
    assert_int_equal(tmap_repair(c, d, how, workspace, sizeof workspace, &p, 1, &r, log), TMAP_OK);
    const char *wrong = plan_is_wrong(c, d, &p, &seed, 8, 4096);
    if (wrong) fail_msg("%s", wrong);
    return p;
}

/* Rows of 256 bytes are too long for the swizzle of 128. Where any layout will do another swizzle
 * changes nothing that counts, tiled or im2col. */
static void test_any_layout(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request any = {.any_layout = true};
    struct tmap_desc d = base(), walk = base();
    (void)state;
    d.box[0] = 128;
    d.swizzle = TMAP_SWIZZLE_128B;
    walk.kind = TMAP_IM2COL;
    walk.rank = 4;
    walk.dim[0] = 128, walk.dim[1] = walk.dim[2] = 32, walk.dim[3] = 8;
    walk.stride_bytes[0] = 256, walk.stride_bytes[1] = 8192, walk.stride_bytes[2] = 262144;
    walk.elem_stride[2] = walk.elem_stride[3] = 1;
    walk.channels = 128;
    walk.pixels = 64;
    walk.swizzle = TMAP_SWIZZLE_128B;
    memset(walk.box, 0, sizeof walk.box);
    const struct tmap_desc *const asked[] = {&d, &walk};
    for (int i = 0; i < 2; i++) {
        struct tmap_plan p;
        struct tmap_repair_report r;
        assert_int_equal(
            tmap_repair(&c, asked[i], &any, workspace, sizeof workspace, &p, 1, &r, NULL), TMAP_OK);
        assert_null(tmap_plan_check(asked[i], &any, &p));
        assert_int_equal(tmap_verdict_of(&c, &p.desc), TMAP_LEGAL);
        assert_int_equal(p.cost.layout_changes, 0);
        assert_int_equal(p.copies, 1);
        assert_int_equal(p.desc.swizzle, TMAP_SWIZZLE_NONE);
    }
}

/* ldmatrix reads the rows of a tile that takes every ninth one; conflicts are counted of these. */
static void test_strided_rows_of_a_reader(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request how = {.consumer = TMAP_CONSUMER_LDMATRIX, .any_layout = true};
    struct tmap_plan p[16];
    struct tmap_repair_report r;
    struct tmap_desc d = base();
    unsigned compared = 0;
    (void)state;
    d.box[0] = 32;
    d.box[1] = 144;
    d.elem_stride[1] = 9; /* no map has more than 8 */
    assert_int_equal(tmap_repair(&c, &d, &how, workspace, sizeof workspace, p, 16, &r, NULL),
                     TMAP_OK);
    for (size_t i = 0; i < r.found; i++) {
        uint64_t seed = i;
        const char *wrong = plan_is_wrong(&c, &d, &p[i], &seed, 4, 4096);
        if (wrong) fail_msg("plan %zu: %s", i, wrong);
        uint32_t ways = 0;
        assert_int_equal(p[i].desc.elem_stride[1], 1);
        if (p[i].copies > 1 || p[i].desc.rank != 2) continue;
        assert_int_equal(tmap_bank_conflicts(&c, &p[i].desc, TMAP_ACCESS_MATRIX, &ways), TMAP_OK);
        assert_int_equal(p[i].cost.layout_changes, ways - 1);
        compared++;
    }
    assert_true(compared > 0);
}

/* No map can say an element stride of 0: where the contract does not ask, 1 is proposed all the
 * same, for the caller to confirm. */
static void test_stride_of_no_elements(void **state)
{
    const struct tmap_target t = tmap_default_target();
    struct tmap_request how = {.any_layout = true};
    struct tmap_desc d = base();
    (void)state;
    d.rank = 3;
    d.dim[2] = d.box[2] = 2;
    d.stride_bytes[1] = UINT64_C(8192) * 4096;
    d.box[1] = 300;
    for (how.consumer = 0; how.consumer <= TMAP_CONSUMER_LDMATRIX; how.consumer++)
        for (int contract = 0; contract <= TMAP_CONTRACT_HARDWARE; contract++)
            for (uint32_t i = 1; i < 4; i++) {
                struct tmap_checker c;
                struct tmap_plan p;
                struct tmap_repair_report r;
                for (uint32_t k = 0; k < 3; k++) d.elem_stride[k] = k != i;
                assert_int_equal(tmap_checker_prepare(&t, contract, &c), TMAP_OK);
                assert_int_equal(
                    tmap_repair(&c, &d, &how, workspace, sizeof workspace, &p, 1, &r, NULL),
                    TMAP_OK);
                assert_int_equal(p.step[0].rewrite == TMAP_REWRITE_CHOOSE, i < 3);
                for (uint32_t k = 0; k < p.desc.rank; k++)
                    assert_int_equal(p.desc.elem_stride[k], 1);
            }
}

/* A log that is too small says how much there was, as snprintf() does. */
static void test_log_of_any_size(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_search_log all = {.events = events, .capacity = EVENTS}, few = {.capacity = 3};
    struct tmap_search_event kept[4];
    struct tmap_desc d = base();
    (void)state;
    d.box[1] = 300;
    few.events = kept;
    memset(kept, 0x5a, sizeof kept);
    plan_on(&c, &d, NULL, &all);
    memcpy(&kept[3], &kept[0], sizeof *kept);
    plan_on(&c, &d, NULL, &few);
    assert_true(all.count > 3);
    assert_int_equal(few.count, all.count);
    for (int i = 0; i < 3; i++) assert_int_equal(kept[i].kind, events[i].kind);
    for (size_t i = 0; i < sizeof *kept; i++)
        assert_int_equal(((unsigned char *)&kept[3])[i], 0x5a);
}

/* Of a type that the target refuses the log says that there are no limits; and of 4-bit elements,
 * where the target has them, that pairs are bytes. */
static void test_log_of_types(void **state)
{
    const struct tmap_checker old = checker_on("sm_90a"), later = checker_on("sm_100a");
    struct tmap_search_log log = {.events = events, .capacity = EVENTS};
    struct tmap_plan p;
    struct tmap_repair_report r;
    struct tmap_desc d = base();
    size_t states = 0;
    (void)state;
    d.dtype = TMAP_16U4_ALIGN16B;
    d.box[0] = 128;
    assert_int_equal(tmap_repair(&old, &d, NULL, workspace, sizeof workspace, &p, 1, &r, &log),
                     TMAP_E_NO_PLAN);
    assert_int_equal(events[1].kind, TMAP_SEARCH_LIMITS);
    assert_false(events[1].u.limits.known);
    for (int w = 0; w < TMAP_SEARCH_SWIZZLES; w++)
        assert_int_equal(events[1].u.limits.max_inner[w], 0);
    d.dtype = TMAP_16U4_ALIGN8B;
    d.box[1] = 300;
    d.stride_bytes[0] = 2048;
    log.count = 0;
    plan_on(&later, &d, NULL, &log);
    for (size_t i = 0; i < log.count; i++)
        if (events[i].kind == TMAP_SEARCH_STATE && events[i].u.state.dtype == d.dtype) {
            assert_int_equal(events[i].u.state.pairs, 1);
            states++;
        }
    assert_true(states > 0);
}

/* A workspace of any size: too small, or as many views as it has room for, and no byte behind it.
 */
static void test_workspace_of_any_size(void **state)
{
    enum { MOST = 8192 };
    static uint64_t room[MOST / sizeof(uint64_t) + 8];
    const struct tmap_checker c = checker_on(NULL);
    unsigned seen[3] = {0};
    struct tmap_desc d = base();
    (void)state;
    d.box[0] = 300, d.box[1] = 300;
    for (size_t bytes = 0; bytes <= MOST; bytes += 8) {
        struct tmap_plan p;
        struct tmap_repair_report r;
        memset(room, 0x5a, sizeof room);
        const enum tmap_status s = tmap_repair(&c, &d, NULL, room, bytes, &p, 1, &r, NULL);
        for (size_t i = bytes; i < bytes + 64; i++) assert_int_equal(((uint8_t *)room)[i], 0x5a);
        seen[0] += s == TMAP_E_ROOM;
        seen[1] += s == TMAP_E_BUDGET;
        seen[2] += s == TMAP_OK;
        assert_true(s == TMAP_E_ROOM || s == TMAP_E_BUDGET || s == TMAP_OK);
        if (s != TMAP_OK) continue;
        uint64_t seed = bytes;
        const char *wrong = plan_is_wrong(&c, &d, &p, &seed, 1, 64);
        if (wrong) fail_msg("%zu bytes: %s", bytes, wrong);
    }
    assert_true(seen[0] > 10 && seen[2] > 500);
    assert_int_equal(seen[0] + seen[1] + seen[2], MOST / 8 + 1);
}

/* Two million rows of a tile: of no box, but of one of another dimension's. */
static void test_very_long_tile(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_desc d = base();
    (void)state;
    d.dim[0] = d.box[0] = 8;
    d.dim[1] = d.box[1] = 1 << 21;
    d.stride_bytes[0] = 16;
    d.l2_promotion = TMAP_L2_NONE;
    const struct tmap_plan p = plan_on(&c, &d, NULL, NULL);
    assert_true(p.copies >= (8u << 21) * 2 / (227 * 1024));
    assert_true(p.copies <= 256);
}

/* Pairs of 16-bit elements one byte apart, of which each begins where the last one ends half: the
 * elements that are side by side become the innermost, and the pairs join the dimension of size 1
 * that was it. Coordinate 0 counts twice, and is 0. */
static void test_stride_of_one_byte(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_search_log log = {.events = events, .capacity = EVENTS};
    struct tmap_desc d = base();
    (void)state;
    d.rank = 3;
    d.dim[0] = 1, d.dim[1] = 2, d.dim[2] = 512;
    d.box[0] = 1, d.box[1] = 2, d.box[2] = 64;
    d.elem_stride[2] = 1;
    d.stride_bytes[0] = 1, d.stride_bytes[1] = 2;
    const struct tmap_plan p = plan_on(&c, &d, NULL, &log);
    assert_int_equal(p.cost.kind, TMAP_PLAN_PADDING);
}

/* Slices take the place of the last dimension but one: no contract gives two dimensions any. */
static void test_slices_of_two_dimensions(void **state)
{
    const struct tmap_target t = tmap_default_target();
    struct tmap_desc d = base();
    (void)state;
    d.interleave = TMAP_INTERLEAVE_16B;
    d.box[0] = 8;
    for (d.rank = 1; d.rank < 3; d.rank++)
        for (int contract = 0; contract <= TMAP_CONTRACT_HARDWARE; contract++) {
            struct tmap_checker c;
            struct tmap_plan p;
            struct tmap_repair_report r;
            assert_int_equal(tmap_checker_prepare(&t, contract, &c), TMAP_OK);
            assert_int_equal(
                tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                TMAP_E_NO_PLAN);
            assert_ptr_equal(strstr(r.reason, "TMA004"), r.reason);
        }
}

/* Before a tensor that begins its allocation there is nothing to read; behind 8 bytes of it a map
 * can begin there. */
static void test_base_in_its_allocation(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_desc d = base();
    (void)state;
    d.flags = TMAP_HAS_ALLOCATION;
    d.allocation_bytes = 1 << 26;
    d.allocation_base = d.address;
    d.address += 8;
    const struct tmap_plan inside = plan_on(&c, &d, NULL, NULL);
    assert_int_equal(inside.cost.kind, TMAP_PLAN_FREE);
    assert_int_equal(inside.desc.address, d.allocation_base);
    d.allocation_base = d.address;
    const struct tmap_plan copied = plan_on(&c, &d, NULL, NULL);
    assert_int_equal(copied.cost.kind, TMAP_PLAN_PADDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_layout),
        cmocka_unit_test(test_strided_rows_of_a_reader),
        cmocka_unit_test(test_stride_of_no_elements),
        cmocka_unit_test(test_log_of_any_size),
        cmocka_unit_test(test_log_of_types),
        cmocka_unit_test(test_workspace_of_any_size),
        cmocka_unit_test(test_very_long_tile),
        cmocka_unit_test(test_stride_of_one_byte),
        cmocka_unit_test(test_slices_of_two_dimensions),
        cmocka_unit_test(test_base_in_its_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
