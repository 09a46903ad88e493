/* What tmap_certify_minimal() and tmap_certify_tile() say of plans that are dearer, illegal, in
 * pieces, or of slices; and of searches that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmap/solve.h"
#include "tmap/symbolic.h"

#include <stdio.h>
#include <string.h>

enum { EVENTS = 1 << 14 };

static struct tmap_symbolic *s;
static struct tmap_checker checker;
static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
static struct tmap_search_event events[EVENTS];
static struct tmap_search_log account;
static bool no_z3;

static void use_target(const char *arch)
{
    struct tmap_target target = tmap_default_target();
    if (arch) assert_int_equal(tmap_target_from(NULL, NULL, NULL, arch, &target), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
}

static int open_all(void **state)
{
    (void)state;
    use_target(NULL);
    if (tmap_symbolic_open(NULL, &s) != TMAP_OK) return -1;
    no_z3 = strstr(tmap_symbolic_solvers(s), "no Z3") != NULL;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    tmap_symbolic_close(s);
    return 0;
}

static struct tmap_plan plan_of(const struct tmap_desc *d, const struct tmap_request *request)
{
    struct tmap_repair_report report;
    struct tmap_plan plan;
    account = (struct tmap_search_log){events, EVENTS, 0};
    const enum tmap_status said =
        tmap_repair(&checker, d, request, workspace, sizeof workspace, &plan, 1, &report, &account);
    if (said != TMAP_OK) fail_msg("%d: %s", (int)said, report.reason);
    return plan;
}

static struct tmap_minimal minimal(const struct tmap_desc *d, const struct tmap_plan *plan)
{
    struct tmap_minimal m = {0};
    const enum tmap_status said = tmap_certify_minimal(s, &checker, d, plan, &account, &m);
    if (said != TMAP_OK) fail_msg("%d: %s", (int)said, tmap_symbolic_why(s));
    assert_int_equal(m.views, m.proved + m.refuted + m.undecided);
    return m;
}

/* Slices of 16 bytes: 300 rows, and of every second one. */
static const struct tmap_desc slices = {.dtype = TMAP_BFLOAT16,
                                        .rank = 4,
                                        .interleave = TMAP_INTERLEAVE_16B,
                                        .address = 1 << 20,
                                        .dim = {64, 600, 8, 4},
                                        .stride_bytes = {1024, 614400, 4915200},
                                        .box = {16, 300, 1, 1},
                                        .elem_stride = {1, 1, 1, 1}};

static void plans_of_slices_are_least(void **state)
{
    (void)state;
    if (no_z3) skip();
    for (int k = 0; k < 4; k++) {
        const struct tmap_request request = {.op = k == 3 ? TMAP_OP_STORE : TMAP_OP_LOAD};
        struct tmap_desc d = slices;
        if (k == 1) d.elem_stride[1] = 2;
        if (k == 1) d.box[1] = 600;
        if (k == 2) d.flags = TMAP_HAS_ALLOCATION;
        d.allocation_base = d.address;
        d.allocation_bytes = 4 * d.stride_bytes[2];
        struct tmap_plan plan = plan_of(&d, &request);
        const struct tmap_minimal least = minimal(&d, &plan);
        print_message("# %d: %zu views, %zu proved, %zu undecided, %zu refuted\n", k, least.views,
                      least.proved, least.undecided, least.refuted);
        assert_int_equal(least.refuted, 0);
        plan.cost.extra_instructions++;
        assert_true(minimal(&d, &plan).refuted > 0);
    }
}

/* Pixels in pieces are not asked about: their one view is undecided. */
static void pixels_in_pieces_are_undecided(void **state)
{
    const struct tmap_desc walk = {.kind = TMAP_IM2COL,
                                   .dtype = TMAP_BFLOAT16,
                                   .rank = 4,
                                   .address = 1 << 20,
                                   .dim = {64, 100, 100, 8},
                                   .stride_bytes = {128, 12800, 1280000},
                                   .elem_stride = {1, 1, 1, 1},
                                   .channels = 64,
                                   .pixels = 2048};
    (void)state;
    if (no_z3) skip();
    const struct tmap_plan plan = plan_of(&walk, NULL);
    assert_true(plan.dim[1].copies > 1);
    const struct tmap_minimal m = minimal(&walk, &plan);
    assert_true(m.views == 1 && m.undecided == 1);
}

/* A type that comes in groups of 128, in rows of 1000: a copy's rows have 24 zeros more, and no row
 * of the tensor itself will do, whatever its stride. A store of all of a row ends in the zeros. */
static void rows_of_a_copy_are_whole_groups(void **state)
{
    const struct tmap_request request = {.op = TMAP_OP_STORE};
    const struct tmap_desc tiled = {.dtype = TMAP_16U4_ALIGN16B,
                                    .rank = 4,
                                    .address = 1 << 20,
                                    .dim = {1000, 16, 16, 4},
                                    .stride_bytes = {512, 8192, 131072},
                                    .box = {128, 8, 8, 1},
                                    .elem_stride = {1, 1, 1, 1}};
    struct tmap_desc walk = tiled, stored = tiled;
    const struct tmap_desc *const all[] = {&tiled, &walk, &stored};
    (void)state;
    if (no_z3) skip();
    walk.kind = TMAP_IM2COL;
    walk.channels = 128;
    walk.pixels = 32;
    stored.dtype = TMAP_16U6_ALIGN16B;
    stored.rank = 1;
    stored.dim[0] = 65;
    stored.box[0] = 111;
    use_target("sm_100a");
    for (int k = 0; k < 3; k++) {
        const struct tmap_desc *d = all[k];
        struct tmap_plan plan = plan_of(d, k == 2 ? &request : NULL);
        assert_true(plan.cost.copied_bytes > 0 && plan.desc.dim[0] == (k == 2 ? 128 : 1024));
        const struct tmap_minimal least = minimal(d, &plan);
        assert_true(least.views > 0 && least.proved == least.views);
        plan.cost.extra_instructions++;
        assert_true(minimal(d, &plan).refuted > 0);
    }
    use_target(NULL);
}

static void an_illegal_plan_is_said(void **state)
{
    struct tmap_minimal m = {77, 77, 77, 77};
    struct tmap_desc tall = slices;
    (void)state;
    if (no_z3) skip();
    struct tmap_plan plan = plan_of(&tall, NULL);
    plan.desc.box[0] = 0;
    assert_int_not_equal(tmap_certify_minimal(s, &checker, &tall, &plan, &account, &m), TMAP_OK);
    assert_string_equal(tmap_symbolic_why(s), "the plan's descriptor is not legal here");
    assert_int_equal(m.views, 77);
}

/* A tile that is requested, and the search's workspace: none, or too little of it. */
static void searches_that_fail_are_said(void **state)
{
    const struct tmap_tile_request request = {
        .tensor = {.dtype = TMAP_BFLOAT16, .rank = 2, .dim = {4096, 8192}, .stride_bytes = {8192}},
        .tile = {128, 256}};
    struct tmap_minimal m = {77, 77, 77, 77};
    struct tmap_tile_plan plan;
    size_t found;
    (void)state;
    if (no_z3) skip();
    assert_int_equal(
        tmap_solve(&checker, &request, workspace, sizeof workspace, &plan, 1, &found, NULL, 0),
        TMAP_OK);
    account = (struct tmap_search_log){events, EVENTS, 0};
    assert_int_equal(tmap_certify_tile(s, &checker, &request, &plan, NULL, 0, &account, &m),
                     TMAP_E_ROOM);
    assert_string_equal(tmap_symbolic_why(s), "the search for a swizzle failed");
    size_t bytes = sizeof workspace;
    enum tmap_status said = TMAP_OK;
    for (bytes = 1 << 11; said != TMAP_E_BUDGET && bytes < sizeof workspace; bytes += bytes / 2)
        said = tmap_certify_tile(s, &checker, &request, &plan, workspace, bytes & ~(size_t)7,
                                 &account, &m);
    assert_int_equal(said, TMAP_E_BUDGET);
    assert_string_equal(tmap_symbolic_why(s), "the search for a swizzle did not close");
    assert_int_equal(m.views, 77);
}

/* Rows of 85 numbers in boxes of 92: where the rows end nothing is read, so rows of a copy that lie
 * 92 apart are no whole sectors of memory either. */
static void what_is_not_read_is_no_sector(void **state)
{
    const struct tmap_tile_request request = {.tensor = {.dtype = TMAP_FLOAT32,
                                                         .rank = 2,
                                                         .address = UINT64_C(1) << 40,
                                                         .dim = {510, 2640},
                                                         .stride_bytes = {2048}},
                                              .tile = {85, 240},
                                              .consumer = TMAP_CONSUMER_LDMATRIX};
    struct tmap_minimal m = {0};
    struct tmap_tile_plan plan;
    size_t found;
    (void)state;
    if (no_z3) skip();
    assert_int_equal(
        tmap_solve(&checker, &request, workspace, sizeof workspace, &plan, 1, &found, NULL, 0),
        TMAP_OK);
    assert_true(plan.plan.desc.box[0] == 92 && plan.partial_sectors == 2);
    account = (struct tmap_search_log){events, EVENTS, 0};
    assert_int_equal(
        tmap_certify_tile(s, &checker, &request, &plan, workspace, sizeof workspace, &account, &m),
        TMAP_OK);
    assert_true(m.views > 0 && m.proved == m.views);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_of_slices_are_least),
                                       cmocka_unit_test(pixels_in_pieces_are_undecided),
                                       cmocka_unit_test(rows_of_a_copy_are_whole_groups),
                                       cmocka_unit_test(an_illegal_plan_is_said),
                                       cmocka_unit_test(searches_that_fail_are_said),
                                       cmocka_unit_test(what_is_not_read_is_no_sector)};
    return cmocka_run_group_tests_name("least plans", tests, open_all, close_all);
}
