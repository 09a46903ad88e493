/* Repair on named cases and on random illegal descriptors. TMAP_DEEP=1000000 for the long run. */
#include "support/checkers.h"
#include "support/log_check.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static struct tmap_desc base(void)
{
    struct tmap_desc d = {.kind = TMAP_TILED,
                          .dtype = TMAP_BFLOAT16,
                          .rank = 2,
                          .address = 0x7f0000000000,
                          .dim = {4096, 4096},
                          .stride_bytes = {8192},
                          .box = {64, 128},
                          .elem_stride = {1, 1}};
    return d;
}

static struct tmap_plan repair_one(const struct tmap_desc *d, const struct tmap_request *w)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_plan p;
    struct tmap_repair_report r;
    uint64_t seed = 5;
    assert_int_equal(tmap_repair(&c, d, w, workspace, sizeof workspace, &p, 1, &r, NULL), TMAP_OK);
    assert_int_equal(r.found, 1);
    assert_true(r.closed);
    if (!p.skip) {
        const char *wrong = plan_is_wrong(&c, d, &p, &seed, 8, 4096);
        if (wrong) fail_msg("%s", wrong);
    }
    return p;
}

static void assert_steps(const struct tmap_plan *p, const char *wanted)
{
    char got[256] = "";
    for (uint32_t i = 0; i < p->step_count; i++) {
        if (i) strcat(got, " ");
        strcat(got, tmap_rewrite_name(p->step[i].rewrite));
    }
    assert_string_equal(got, wanted);
}

static void test_size_one_stride(void **state)
{
    struct tmap_desc d = base();
    (void)state;
    d.dim[1] = 1;
    d.stride_bytes[0] = 2;
    const struct tmap_plan p = repair_one(&d, NULL);
    assert_steps(&p, "canonical_stride");
    assert_int_equal(p.cost.kind, TMAP_PLAN_FREE);
    assert_int_equal(p.desc.stride_bytes[0], 16);
}

static void test_empty_tensor(void **state)
{
    struct tmap_desc d = base();
    (void)state;
    d.dim[1] = 0;
    d.address = 0;
    const struct tmap_plan p = repair_one(&d, NULL);
    const uint32_t tile[TMAP_MAX_RANK] = {0};
    int64_t at[TMAP_MAX_RANK] = {1, 1};
    struct tmap_desc out;
    uint32_t copy;
    uint64_t offset;
    assert_steps(&p, "skip");
    assert_int_equal(p.cost.kind, TMAP_PLAN_FREE);
    tmap_plan_coords(&p, at, 0, at); /* there are no copies: nothing divides by them */
    assert_int_equal(at[0], 0);
    tmap_plan_desc(&p, 3, &out);
    assert_false(tmap_plan_place(&p, &d, at, tile, &copy, &offset));
}

/* What a caller gives may be anything. */
static void test_any_argument(void **state)
{
    struct tmap_desc d = base();
    const uint32_t tile[TMAP_MAX_RANK] = {5};
    int64_t at[TMAP_MAX_RANK] = {INT64_MAX, INT64_MAX};
    uint32_t copy;
    uint64_t offset;
    (void)state;
    d.box[1] = 512;
    const struct tmap_plan p = repair_one(&d, NULL);
    assert_false(tmap_plan_place(&p, &d, at, tile, &copy, &offset));
    tmap_plan_coords(&p, at, 0, at);
    d.rank = 99;
    at[0] = at[1] = 0;
    assert_false(tmap_plan_place(&p, &d, at, tile, &copy, &offset));
    assert_false(tmap_plan_place(NULL, NULL, NULL, NULL, NULL, NULL));
    tmap_plan_coords(NULL, at, 0, at);
    tmap_plan_desc(NULL, 0, NULL);
    assert_non_null(tmap_plan_check(NULL, NULL, NULL));
    assert_int_equal(tmap_plan_step_text(NULL, NULL, 0), 0);
}

static void test_box_over_256(void **state)
{
    struct tmap_desc d = base();
    const struct tmap_request tiled = {.no_im2col = true};
    (void)state;
    d.box[1] = 512;
    struct tmap_plan p = repair_one(&d, NULL);
    assert_steps(&p, "split"); /* one instruction, the same layout */
    assert_int_equal(p.copies, 1);
    assert_int_equal(p.desc.rank, 3);
    d.dim[1] = 4095; /* not a whole number of pieces: a walk, or two copies */
    p = repair_one(&d, NULL);
    assert_steps(&p, "im2col");
    assert_int_equal(p.copies, 1);
    p = repair_one(&d, &tiled);
    assert_steps(&p, "split_box");
    assert_int_equal(p.copies, 2);
    assert_int_equal(p.desc.box[1], 256);
    d.elem_stride[1] = 6; /* rows 0 to 252 of 257: one box takes them */
    d.box[1] = 257;
    assert_int_equal(repair_one(&d, &tiled).copies, 1);
    d.elem_stride[1] = 1;
    d.box[1] = 512;
    /* above it one plane: the copies lie end to end, as the tile would; two planes lie apart */
    d.rank = 3;
    d.dim[1] = 4093; /* a prime: no pieces */
    d.dim[2] = 8;
    d.box[2] = d.elem_stride[2] = 1;
    d.stride_bytes[1] = d.stride_bytes[0] * d.dim[1];
    assert_int_equal(repair_one(&d, &tiled).cost.layout_changes, 0);
    d.box[1] = 300;
    d.box[2] = 2;
    assert_int_equal(repair_one(&d, &tiled).cost.layout_changes, 1);
}

static void test_wide_inner_box(void **state)
{
    struct tmap_desc d = base();
    const struct tmap_request keep = {.keep_swizzle = true};
    (void)state;
    d.box[0] = 128;
    d.swizzle = TMAP_SWIZZLE_128B;
    struct tmap_plan p = repair_one(&d, &keep);
    assert_int_equal(p.copies, 1);
    assert_int_equal(p.desc.swizzle, TMAP_SWIZZLE_128B);
    assert_int_equal(p.desc.rank, 3);
    p = repair_one(&d, NULL);
    assert_steps(&p, "split"); /* two slabs, one instruction */
    assert_int_equal(p.desc.box[2], 2);
}

static void test_odd_rows_need_padding(void **state)
{
    struct tmap_desc d = base();
    (void)state;
    d.dtype = TMAP_FLOAT32; /* tilelang#460: N = 1733 */
    d.dim[0] = 1733;
    d.dim[1] = 512;
    d.stride_bytes[0] = 6932;
    d.box[0] = 32;
    const struct tmap_plan p = repair_one(&d, NULL);
    assert_steps(&p, "copy");
    assert_int_equal(p.cost.kind, TMAP_PLAN_PADDING);
    assert_int_equal(p.desc.stride_bytes[0], 6944); /* 1736 floats */
    assert_int_equal(p.cost.copied_bytes, 1733 * 512 * 4);
}

/* Rows of 64 bytes under a swizzle of 128 bytes: merged, two would share a line, which changes the
 * layout; pieces of the rows do not. */
static void test_layout_comes_first(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_desc d = base();
    struct tmap_plan p[16];
    struct tmap_repair_report r;
    (void)state;
    d.dtype = TMAP_FLOAT32;
    d.dim[0] = d.box[0] = 16;
    d.dim[1] = d.box[1] = 512;
    d.stride_bytes[0] = 64;
    d.swizzle = TMAP_SWIZZLE_128B;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, p, 16, &r, NULL),
                     TMAP_OK);
    assert_true(r.closed);
    assert_steps(&p[0], "split");
    assert_int_equal(p[0].cost.layout_changes, 0);
    for (size_t i = 0; i < r.found; i++)
        if (p[i].step[0].rewrite == TMAP_REWRITE_MERGE && p[i].desc.box[0] == 32)
            assert_int_equal(p[i].cost.layout_changes, 1);
    /* 48 bytes a row, end to end, and a stride that means nothing: mended before all is one run */
    d = (struct tmap_desc){.dtype = TMAP_UINT8,
                           .rank = 3,
                           .address = 1 << 20,
                           .dim = {48, 96, 1},
                           .stride_bytes = {48, 4613},
                           .box = {48, 64, 1},
                           .elem_stride = {1, 1, 1}};
    p[0] = repair_one(&d, NULL);
    assert_steps(&p[0], "canonical_stride");
}

/* One row in pieces of a span: each lies where it is requested, and is longer than it need be. */
static void test_pieces_fill_the_span(void **state)
{
    const struct tmap_request kept = {.keep_swizzle = true};
    const struct tmap_desc d = {.dtype = TMAP_FLOAT32,
                                .rank = 1,
                                .address = UINT64_C(1) << 40,
                                .dim = {109},
                                .box = {109},
                                .elem_stride = {1},
                                .swizzle = TMAP_SWIZZLE_128B};
    (void)state;
    const struct tmap_plan p = repair_one(&d, &kept);
    assert_int_equal(p.copies, 4);
    assert_int_equal(p.desc.box[0], 32);
    assert_int_equal(p.cost.layout_changes, 0);
}

/* Rows of 130 bytes, whole rows requested: seen as one run, no byte moves. */
static void test_whole_rows_merge(void **state)
{
    struct tmap_desc d = base();
    (void)state;
    d.dim[0] = d.box[0] = 65;
    d.stride_bytes[0] = 130;
    d.dim[1] = 4096;
    d.box[1] = 64;
    const struct tmap_plan p = repair_one(&d, NULL);
    assert_int_equal(p.cost.kind, TMAP_PLAN_FREE);
    assert_int_equal(p.step[0].rewrite, TMAP_REWRITE_MERGE);
}

static void test_base_off(void **state)
{
    struct tmap_desc d = base();
    const struct tmap_request store = {.op = TMAP_OP_STORE};
    (void)state;
    d.address += 8;
    const struct tmap_plan p = repair_one(&d, NULL);
    assert_int_equal(p.step[0].rewrite, TMAP_REWRITE_SHIFT_BASE);
    assert_int_equal(p.desc.address, 0x7f0000000000);
    assert_steps(&p, "shift_base grow_box");
    const struct tmap_plan q = repair_one(&d, &store);
    assert_steps(&q, "copy");
}

static void test_values_without_meaning(void **state)
{
    struct tmap_desc d = base();
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    d.oob_fill = TMAP_OOB_NAN;
    d.dtype = TMAP_UINT16;
    p = repair_one(&d, NULL);
    assert_steps(&p, "choose");
    assert_int_equal(p.cost.kind, TMAP_PLAN_DECISION);
    d = base();
    d.dtype = 99;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(r.reason, "TMA005"));
    d = base();
    d.rank = 0;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(r.reason, "TMA002"));
}

/* A split that nothing asks for is no alternative, whatever number it gives the other dimensions.
 */
static void test_no_pointless_split(void **state)
{
    const struct tmap_desc d = {.address = UINT64_C(0x7f0000000000),
                                .rank = 3,
                                .dim = {48, 96, 1},
                                .stride_bytes = {48, 4613},
                                .box = {48, 64, 1},
                                .elem_stride = {1, 1, 1}};
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_plan p[8];
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, p, 8, &r, NULL),
                     TMAP_OK);
    assert_true(r.found >= 2);
    for (size_t i = 0; i < r.found; i++)
        assert_false(p[i].step[0].rewrite == TMAP_REWRITE_SPLIT &&
                     p[i].step[1].rewrite == TMAP_REWRITE_CANONICAL && p[i].step_count == 2);
}

/* The atoms of Blackwell are not Hopper's: 128B is as wide, and comes before no swizzle at all. */
static void test_atom_becomes_128b(void **state)
{
    struct tmap_desc d = base();
    const struct tmap_checker c = checker_on("sm_90a");
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    for (d.swizzle = TMAP_SWIZZLE_128B_ATOM_32B; d.swizzle <= TMAP_SWIZZLE_128B_ATOM_64B;
         d.swizzle++) {
        assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                         TMAP_OK);
        assert_int_equal(p.desc.swizzle, TMAP_SWIZZLE_128B);
        assert_int_equal(p.step_count, 1);
    }
}

static void test_alternatives_are_ranked(void **state)
{
    struct tmap_desc d = base();
    const struct tmap_checker c = checker_on(NULL);
    struct tmap_plan p[8];
    struct tmap_repair_report r;
    (void)state;
    d.box[0] = 128;
    d.swizzle = TMAP_SWIZZLE_128B;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, p, 8, &r, NULL),
                     TMAP_OK);
    assert_true(r.found >= 2);
    for (size_t i = 1; i < r.found; i++)
        assert_true(tmap_cost_compare(&p[i - 1].cost, &p[i].cost) <= 0);
}

/* Rows of 128 elements under the 128-byte swizzle are no operand of wgmma; slabs are. A plan
 * without the swizzle would be legal too, and nothing that wgmma reads. */
static void test_consumer_keeps_reading(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_request reader = {.consumer = TMAP_CONSUMER_WGMMA, .major = TMAP_K_MAJOR};
    const struct tmap_request nobody = {.consumer = 99};
    struct tmap_desc d = base();
    struct tmap_plan p[8];
    struct tmap_repair_report r;
    (void)state;
    d.box[0] = 128;
    d.swizzle = TMAP_SWIZZLE_128B;
    assert_int_equal(tmap_repair(&c, &d, &reader, workspace, sizeof workspace, p, 8, &r, NULL),
                     TMAP_OK);
    for (size_t i = 0; i < r.found; i++) {
        struct tmap_mma mma;
        assert_int_equal(tmap_mma_of(&c, &p[i].desc, TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR, &mma, NULL),
                         TMAP_OK);
    }
    assert_steps(&p[0], "split");
    assert_int_equal(tmap_repair(&c, &d, &nobody, workspace, sizeof workspace, p, 8, &r, NULL),
                     TMAP_E_ARGUMENT);
}

static void test_random_descriptors(void **state)
{
    const char *deep = getenv("TMAP_DEEP");
    const long wanted = deep ? atol(deep) : 4000;
    const struct tmap_checker c = checker_on(NULL);
    uint64_t seed = 20261121;
    long kinds[3] = {0}, none = 0, legal = 0;
    (void)state;
    for (long i = 0; i < wanted;) {
        const struct tmap_desc d = random_desc(&seed, UINT64_C(64) << 20);
        struct tmap_plan p;
        struct tmap_repair_report r;
        if (tmap_verdict_of(&c, &d) == TMAP_LEGAL) {
            legal++;
            continue;
        }
        i++;
        const enum tmap_status s =
            tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL);
        if (s == TMAP_E_NO_PLAN) {
            none++;
            continue;
        }
        assert_int_equal(s, TMAP_OK);
        kinds[p.cost.kind]++;
        const char *wrong = p.skip ? NULL : plan_is_wrong(&c, &d, &p, &seed, 2, 48);
        if (wrong) fail_msg("descriptor %ld: %s", i, wrong);
    }
    print_message("# %ld illegal: %ld free, %ld padding, %ld decision, %ld without a plan\n",
                  wanted, kinds[0], kinds[1], kinds[2], none);
    assert_true(kinds[0] > wanted / 10 && kinds[1] > wanted / 50);
    (void)legal;
}

static void test_random_stores(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request how = {.op = TMAP_OP_STORE};
    uint64_t seed = 20261122;
    long ran = 0;
    (void)state;
    for (long i = 0; i < 1000; i++) {
        const struct tmap_desc d = random_desc(&seed, UINT64_C(1) << 15);
        struct tmap_plan p;
        struct tmap_repair_report r;
        if (tmap_repair(&c, &d, &how, workspace, sizeof workspace, &p, 1, &r, NULL) != TMAP_OK)
            continue;
        const char *wrong = p.skip ? NULL : store_is_wrong(&c, &d, &p, &seed, &ran);
        if (wrong) fail_msg("descriptor %ld: %s", i, wrong);
    }
    print_message("# %ld stores run\n", ran);
    assert_true(ran > 100);
}

/* All 301 slices of a row, by boxes of 152: the second passes the row's end, where slices are not
 * written. Slices of a fifth dimension stay slices. */
static void test_store_slices_to_the_end(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request how = {.op = TMAP_OP_STORE, .no_copy = true};
    const struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                                .rank = 5,
                                .interleave = TMAP_INTERLEAVE_16B,
                                .address = 1 << 20,
                                .dim = {301, 2, 2, 2, 3},
                                .stride_bytes = {4816, 9632, 19264, 38528},
                                .box = {301, 2, 1, 1, 1},
                                .elem_stride = {1, 1, 1, 1, 1}};
    struct tmap_plan p;
    struct tmap_repair_report r;
    uint64_t seed = 11;
    long ran = 0;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &how, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_true(p.copies == 2 && p.cost.extra_maps == 0 && p.dim[0].step == 152);
    assert_null(tmap_plan_check(&d, &how, &p));
    const char *wrong = store_is_wrong(&c, &d, &p, &seed, &ran);
    if (wrong) fail_msg("%s", wrong);
    assert_int_equal(ran, 1);
}

/* 257 rows, all of them in the tile: the second box of 129 passes the end, where nothing is
 * written. If there are more rows than the tile takes, it needs a descriptor of its own. */
static void test_store_to_the_end(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request how = {.op = TMAP_OP_STORE, .no_copy = true};
    struct tmap_desc d = base();
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    d.dim[1] = d.box[1] = 257;
    assert_int_equal(tmap_repair(&c, &d, &how, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_steps(&p, "split_box");
    assert_int_equal(p.cost.extra_maps, 0);
    d.dim[1] = 4093; /* a prime: no pieces */
    assert_int_equal(tmap_repair(&c, &d, &how, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_steps(&p, "split_box last_box");
    assert_int_equal(p.cost.extra_maps, 1);
    d.box[1] = 269; /* every fifth row, from two boxes of 135: 27 each, of the 54 there are */
    d.elem_stride[1] = 5;
    assert_int_equal(tmap_repair(&c, &d, &how, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.cost.extra_maps, 0);
    assert_int_equal(p.copies, 2);
    assert_int_equal(p.dim[1].tail, 0);
}

/* A single box of slices need not end where the next strided one begins. */
static void test_strided_slices(void **state)
{
    const struct tmap_desc d = {.kind = TMAP_TILED,
                                .dtype = TMAP_BFLOAT16,
                                .rank = 3,
                                .address = 0x7f0000000000,
                                .dim = {64, 65, 1024},
                                .stride_bytes = {1024, 66560},
                                .box = {128, 300, 1},
                                .elem_stride = {7, 1, 1},
                                .interleave = TMAP_INTERLEAVE_16B};
    const struct tmap_plan p = repair_one(&d, NULL);
    (void)state;
    assert_int_equal(p.desc.box[0], 128);
    assert_int_equal(p.cost.wasted_traffic_bytes, 0);
}

/* No rounding where a strided box would step over the slice that the tile begins with. */
static void test_strided_slices_are_not_rounded(void **state)
{
    const struct tmap_checker c = checker_on("sm_103a");
    const struct tmap_desc d = {.kind = TMAP_TILED,
                                .dtype = TMAP_16U4_ALIGN16B,
                                .rank = 4,
                                .address = UINT64_C(0x10000cc8800),
                                .dim = {384, 103, 1, 1},
                                .stride_bytes = {6144, 632832, 632832},
                                .box = {1, 64, 64, 1},
                                .elem_stride = {8, 1, 1, 1},
                                .interleave = TMAP_INTERLEAVE_16B,
                                .swizzle = TMAP_SWIZZLE_128B_ATOM_32B};
    const struct tmap_request keep = {.keep_swizzle = true};
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &keep, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_E_NO_PLAN);
    assert_int_equal(r.dropped, 0);
}

/* The search's account, read by tests/support/log_check.c; and the reader sees what is missing. */
static void test_search_log(void **state)
{
    enum { EVENTS = 1 << 15 };
    static struct tmap_search_event events[EVENTS];
    static char text[1 << 21];
    const struct tmap_checker c = checker_on(NULL);
    uint64_t seed = 99;
    unsigned checked = 0, open = 0;
    (void)state;
    while (checked < 1500) {
        const struct tmap_desc d = random_desc(&seed, UINT64_C(64) << 20);
        struct tmap_search_log log = {.events = events, .capacity = EVENTS};
        struct tmap_plan p;
        struct tmap_repair_report r;
        if (tmap_verdict_of(&c, &d) == TMAP_LEGAL) continue;
        if (tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, &log) != TMAP_OK ||
            p.skip || p.cost.kind == TMAP_PLAN_DECISION)
            continue;
        if (!r.closed) { /* nothing is claimed */
            open++;
            continue;
        }
        checked++;
        assert_true(log_text(&log, text, sizeof text));
        const char *wrong = log_is_wrong(text);
        if (wrong) fail_msg("log %u: %s", checked, wrong);
        char *last = strstr(text, "\nview 0");
        assert_non_null(last);
        last[1] = 'x'; /* a state that nobody looked at */
        assert_non_null(log_is_wrong(text));
    }
    print_message("# %u logs read; %u searches not closed\n", checked, open);
    assert_true(open < checked); /* most of them: tiles that no shared memory holds */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_one_stride),
        cmocka_unit_test(test_empty_tensor),
        cmocka_unit_test(test_any_argument),
        cmocka_unit_test(test_box_over_256),
        cmocka_unit_test(test_wide_inner_box),
        cmocka_unit_test(test_odd_rows_need_padding),
        cmocka_unit_test(test_layout_comes_first),
        cmocka_unit_test(test_pieces_fill_the_span),
        cmocka_unit_test(test_whole_rows_merge),
        cmocka_unit_test(test_base_off),
        cmocka_unit_test(test_values_without_meaning),
        cmocka_unit_test(test_atom_becomes_128b),
        cmocka_unit_test(test_alternatives_are_ranked),
        cmocka_unit_test(test_no_pointless_split),
        cmocka_unit_test(test_store_to_the_end),
        cmocka_unit_test(test_store_slices_to_the_end),
        cmocka_unit_test(test_strided_slices),
        cmocka_unit_test(test_strided_slices_are_not_rounded),
        cmocka_unit_test(test_consumer_keeps_reading),
        cmocka_unit_test(test_random_stores),
        cmocka_unit_test(test_search_log),
        cmocka_unit_test(test_random_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
