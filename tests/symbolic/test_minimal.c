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

/* Slices that stay slices. */
static void plans_that_keep_slices_are_least(void **state)
{
    struct tmap_desc d = slices;
    (void)state;
    if (no_z3) skip();
    d.box[0] = d.box[1] = 8;
    struct tmap_plan plan = plan_of(&d, NULL);
    assert_int_equal(plan.desc.interleave, TMAP_INTERLEAVE_16B);
    const struct tmap_minimal least = minimal(&d, &plan);
    assert_true(least.views > 0 && least.proved == least.views);
    plan.cost.extra_instructions++;
    assert_true(minimal(&d, &plan).refuted > 0);
}

/* Plans that leave the tile where it is requested, by a layout that is not their box's: rows longer
 * than a span in slabs; a group of a padded type that the tile does not fill. Said to change it,
 * they are beaten by themselves. */
static void a_layout_that_is_kept_is_known(void **state)
{
    static const struct tmap_desc long_rows = {.dtype = TMAP_FLOAT32,
                                               .rank = 2,
                                               .address = UINT64_C(1) << 40,
                                               .dim = {4401, 64},
                                               .stride_bytes = {17616},
                                               .box = {0, 8},
                                               .elem_stride = {1, 1},
                                               .swizzle = TMAP_SWIZZLE_128B},
                                  padded = {.dtype = TMAP_16U4_ALIGN16B,
                                            .rank = 2,
                                            .address = UINT64_C(1) << 40,
                                            .dim = {1024, 67},
                                            .stride_bytes = {512},
                                            .box = {0, 301},
                                            .elem_stride = {1, 1}};
    const struct {
        const char *arch;
        const struct tmap_desc *desc;
        struct tmap_request request;
        uint32_t tile, box; /* along dimension 0; in two copies */
    } cases[] = {{NULL, &long_rows, {.keep_swizzle = true}, 60, 32},
                 /* of two pieces of 24 each the second is elsewhere */
                 {NULL, &long_rows, {.keep_swizzle = true}, 44, 32},
                 {"sm_100a", &padded, {.grain = {128, 301}, .no_im2col = true}, 100, 128}};
    (void)state;
    if (no_z3) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_desc d = *cases[i].desc;
        d.box[0] = cases[i].tile;
        use_target(cases[i].arch);
        struct tmap_plan plan = plan_of(&d, &cases[i].request);
        assert_int_equal(plan.desc.box[0], cases[i].box);
        assert_int_equal(plan.copies, 2);
        assert_int_equal(plan.cost.layout_changes, 0);
        const struct tmap_minimal least = minimal(&d, &plan);
        assert_true(least.views > 0 && least.proved == least.views);
        plan.cost.layout_changes++;
        assert_true(minimal(&d, &plan).refuted > 0);
    }
    use_target(NULL);
}

/* Rows under another swizzle, or none, lie elsewhere: 16 of 64 bytes cost two changes of the layout
 * where shared memory has no room for them a span apart. */
static void rows_of_another_pitch_move(void **state)
{
    const struct tmap_desc d = {.dtype = TMAP_FLOAT32,
                                .rank = 3,
                                .address = UINT64_C(1) << 40,
                                .dim = {129, 256, 256},
                                .stride_bytes = {528, 135168},
                                .box = {16, 8, 256},
                                .elem_stride = {1, 1, 1},
                                .swizzle = TMAP_SWIZZLE_128B};
    (void)state;
    if (no_z3) skip();
    struct tmap_plan plan = plan_of(&d, NULL);
    assert_int_equal(plan.copies, 1);
    assert_int_equal(plan.cost.layout_changes, 2);
    const struct tmap_minimal least = minimal(&d, &plan);
    assert_true(least.views > 0 && least.proved == least.views);
}

/* All 301 slices of a row, stored by two copies of 152: nothing is written beyond the row, and each
 * slice is 16 whole bytes, so that no second map is needed. Of five dimensions slices stay slices.
 */
static void slices_may_pass_the_end_of_their_row(void **state)
{
    const struct tmap_request store = {.op = TMAP_OP_STORE, .no_copy = true};
    const struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                                .rank = 5,
                                .interleave = TMAP_INTERLEAVE_16B,
                                .address = 1 << 20,
                                .dim = {301, 8, 2, 8, 4},
                                .stride_bytes = {4816, 38528, 77056, 616448},
                                .box = {301, 8, 1, 1, 1},
                                .elem_stride = {1, 1, 1, 1, 1}};
    (void)state;
    if (no_z3) skip();
    struct tmap_plan plan = plan_of(&d, &store);
    assert_int_equal(plan.desc.interleave, TMAP_INTERLEAVE_16B);
    assert_true(plan.copies == 2 && plan.dim[0].step == 152 && plan.cost.extra_maps == 0);
    const struct tmap_minimal least = minimal(&d, &plan);
    assert_true(least.views > 0 && least.proved == least.views);
    plan.cost.extra_maps++;
    assert_true(minimal(&d, &plan).refuted > 0);
}

/* A tensor that begins between two units of memory: its map begins before it. */
static void a_map_may_begin_before_the_tensor(void **state)
{
    const struct tmap_desc odd = {.dtype = TMAP_FLOAT32,
                                  .rank = 1,
                                  .address = (1 << 20) + 4,
                                  .dim = {100},
                                  .box = {100},
                                  .elem_stride = {1}};
    (void)state;
    if (no_z3) skip();
    struct tmap_plan plan = plan_of(&odd, NULL);
    assert_int_equal(plan.dim[0].shift, 1);
    const struct tmap_minimal least = minimal(&odd, &plan);
    assert_true(least.views > 0 && least.proved == least.views);
    plan.cost.extra_instructions++;
    assert_true(minimal(&odd, &plan).refuted > 0);
}

/* --- accounts that say something else ----------------------------------------------------------
 */

static void of_a_store(struct tmap_search_event *e)
{
    if (e->kind == TMAP_SEARCH_OBJECTIVE) e->u.objective.stores = true;
}

static void of_a_piece(struct tmap_search_event *e)
{
    if (e->kind == TMAP_SEARCH_STATE) e->u.state.is_piece = true;
}

static void anywhere(struct tmap_search_event *e)
{
    if (e->kind == TMAP_SEARCH_STATE || e->kind == TMAP_SEARCH_IM2COL) e->u.state.dim[0].grain = 0;
}

static void without_a_step(struct tmap_search_event *e)
{
    if (e->kind == TMAP_SEARCH_STATE) e->u.state.dim[1].elem_stride = 0;
}

static void without_a_type(struct tmap_search_event *e)
{
    if (e->kind == TMAP_SEARCH_STATE) e->u.state.dtype = 99;
}

/* Counts of a plan that is said to cost one instruction more, by an account that was changed. */
static struct tmap_minimal dearer(const struct tmap_desc *d, const struct tmap_request *request,
                                  void (*const change[2])(struct tmap_search_event *))
{
    struct tmap_plan plan = plan_of(d, request);
    plan.cost.extra_instructions++;
    for (size_t i = 0; i < account.count; i++)
        for (int k = 0; k < 2; k++)
            if (change[k]) change[k](&events[i]);
    const struct tmap_minimal m = minimal(d, &plan);
    assert_true(m.views > 0);
    return m;
}

/* Tiles that begin at multiples of 60 elements, of which no copy does: a load brings some elements
 * before them, which a store may not, nor a piece of a dimension. A step of 0 elements, or a type
 * that there is not, has no legal map. */
static void what_the_account_says_is_asked(void **state)
{
    static const struct tmap_desc tiled = {.dtype = TMAP_BFLOAT16,
                                           .rank = 2,
                                           .address = 1 << 20,
                                           .dim = {1024, 64},
                                           .stride_bytes = {2048},
                                           .box = {60, 8},
                                           .elem_stride = {1, 1}};
    static const struct {
        void (*change[2])(struct tmap_search_event *);
        bool beaten;
    } table[] = {
        {{NULL, NULL}, true},
        {{of_a_store, NULL}, false},
        {{of_a_piece, NULL}, false},
        {{anywhere, NULL}, true},
        {{of_a_store, anywhere}, false},
        {{without_a_step, NULL}, false},
        {{without_a_type, NULL}, false},
    };
    const struct tmap_request load = {.op = TMAP_OP_LOAD, .no_copy = true};
    struct tmap_desc walk = tiled;
    (void)state;
    if (no_z3) skip();
    walk.kind = TMAP_IM2COL;
    walk.rank = 4;
    walk.dim[1] = walk.dim[2] = walk.dim[3] = 16;
    walk.stride_bytes[1] = 16 * 2048;
    walk.stride_bytes[2] = 16 * 16 * 2048;
    walk.elem_stride[2] = walk.elem_stride[3] = 1;
    walk.channels = 60;
    walk.pixels = 32;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int k = 0; k < (i < 2 || i == 3 || i == 4 ? 2 : 1); k++) {
            const struct tmap_minimal m = dearer(k ? &walk : &tiled, &load, table[i].change);
            if ((m.refuted > 0) != table[i].beaten || (!table[i].beaten && m.proved != m.views))
                fail_msg("%zu, %d: of %zu views %zu proved, %zu refuted", i, k, m.views, m.proved,
                         m.refuted);
        }
    }
}

/* --- tiles -------------------------------------------------------------------------------------
 */

static void tiles_of_every_consumer_are_least(void **state)
{
    static const struct tmap_tile_request requests[] = {
        /* three dimensions */
        {.tensor =
             {.dtype = TMAP_BFLOAT16, .rank = 3, .dim = {64, 8, 16}, .stride_bytes = {128, 1024}},
         .tile = {64, 8, 2},
         .consumer = TMAP_CONSUMER_LDMATRIX},
        /* one of two */
        {.tensor = {.dtype = TMAP_BFLOAT16, .rank = 2, .dim = {4096, 1}, .stride_bytes = {8192}},
         .tile = {64, 1},
         .consumer = TMAP_CONSUMER_LDMATRIX},
        /* rows in two pieces */
        {.tensor = {.dtype = TMAP_BFLOAT16, .rank = 2, .dim = {64, 600}, .stride_bytes = {1024}},
         .tile = {64, 300},
         .consumer = TMAP_CONSUMER_LDMATRIX},
        /* rows without a gap, which are one dimension, too */
        {.tensor = {.dtype = TMAP_BFLOAT16, .rank = 2, .dim = {64, 4096}, .stride_bytes = {128}},
         .tile = {64, 128},
         .consumer = TMAP_CONSUMER_WGMMA},
        /* a prime number of rows, whose last box is smaller */
        {.tensor = {.dtype = TMAP_UINT8, .rank = 2, .dim = {4096, 2570}, .stride_bytes = {4096}},
         .tile = {64, 257},
         .op = TMAP_OP_STORE},
        /* all of a dimension */
        {.tensor = {.dtype = TMAP_UINT8, .rank = 2, .dim = {4096, 60}, .stride_bytes = {4096}},
         .tile = {64, 60},
         .op = TMAP_OP_STORE},
    };
    (void)state;
    if (no_z3) skip();
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct tmap_minimal m = {0};
        struct tmap_tile_plan plan;
        char reason[160] = "";
        size_t found;
        if (tmap_solve(&checker, &requests[i], workspace, sizeof workspace, &plan, 1, &found,
                       reason, sizeof reason) != TMAP_OK)
            fail_msg("%zu: %s", i, reason);
        account = (struct tmap_search_log){events, EVENTS, 0};
        assert_int_equal(tmap_certify_tile(s, &checker, &requests[i], &plan, workspace,
                                           sizeof workspace, &account, &m),
                         TMAP_OK);
        print_message("# %zu: %zu views, %zu proved, %zu undecided, %zu refuted\n", i, m.views,
                      m.proved, m.undecided, m.refuted);
        assert_true(m.views > 0 && m.refuted == 0);
        if (requests[i].op != TMAP_OP_STORE) continue;
        plan.plan.cost.extra_maps++; /* two maps, where one will do */
        assert_int_equal(tmap_certify_tile(s, &checker, &requests[i], &plan, workspace,
                                           sizeof workspace, &account, &m),
                         TMAP_OK);
        assert_true(m.refuted > 0);
    }
}

/* All of a dimension: above the first a store's boxes may pass its end. Of channels, whose rows are
 * whole units or not. */
static void stores_of_whole_dimensions_are_least(void **state)
{
    const struct tmap_request store = {.op = TMAP_OP_STORE};
    const struct tmap_desc rows = {.dtype = TMAP_UINT8,
                                   .rank = 2,
                                   .address = 1 << 20,
                                   .dim = {4096, 60},
                                   .stride_bytes = {4096},
                                   .box = {304, 60},
                                   .elem_stride = {1, 1}};
    struct tmap_desc walk = {.kind = TMAP_IM2COL,
                             .dtype = TMAP_BFLOAT16,
                             .rank = 3,
                             .address = 1 << 20,
                             .dim = {64, 16, 4},
                             .stride_bytes = {128, 2048},
                             .elem_stride = {1, 1, 1},
                             .channels = 64,
                             .pixels = 32};
    (void)state;
    if (no_z3) skip();
    const struct tmap_plan plan = plan_of(&rows, &store);
    const struct tmap_minimal least = minimal(&rows, &plan);
    assert_true(least.views > 0 && least.proved == least.views);
    static void (*const stored[2])(struct tmap_search_event *) = {of_a_store, anywhere};
    assert_int_equal(dearer(&walk, NULL, stored).refuted, 1);
    walk.dim[0] = walk.channels = 60;
    assert_int_equal(dearer(&walk, NULL, stored).proved, 1);
}

/* A tensor of more dimensions than a map has no search, and so no view. */
static void no_search_has_no_view(void **state)
{
    struct tmap_tile_request request = {
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
    request.tensor.rank = 6;
    assert_int_equal(
        tmap_certify_tile(s, &checker, &request, &plan, workspace, sizeof workspace, &account, &m),
        TMAP_OK);
    assert_true(m.views == 0 && m.proved == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_of_slices_are_least),
                                       cmocka_unit_test(pixels_in_pieces_are_undecided),
                                       cmocka_unit_test(rows_of_a_copy_are_whole_groups),
                                       cmocka_unit_test(an_illegal_plan_is_said),
                                       cmocka_unit_test(searches_that_fail_are_said),
                                       cmocka_unit_test(what_is_not_read_is_no_sector),
                                       cmocka_unit_test(plans_that_keep_slices_are_least),
                                       cmocka_unit_test(a_layout_that_is_kept_is_known),
                                       cmocka_unit_test(rows_of_another_pitch_move),
                                       cmocka_unit_test(slices_may_pass_the_end_of_their_row),
                                       cmocka_unit_test(a_map_may_begin_before_the_tensor),
                                       cmocka_unit_test(what_the_account_says_is_asked),
                                       cmocka_unit_test(tiles_of_every_consumer_are_least),
                                       cmocka_unit_test(stores_of_whole_dimensions_are_least),
                                       cmocka_unit_test(no_search_has_no_view)};
    return cmocka_run_group_tests_name("least plans", tests, open_all, close_all);
}
