/* What tmap_certify_moves() says of plans that a repair never gives, of little memory and of few
 * operations: nothing is proved that is not so, and a question that fails is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/field.h"
#include "support/needs.h"
#include "symbolic/ration.h"
#include "tmap/solve.h"
#include "tmap/symbolic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ration ration = {.left = -1};

/* --- requests and their plans ------------------------------------------------------------------
 */

static struct tmap_symbolic *s;
static struct tmap_checker checker;
static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static int open_all(void **state)
{
    const struct tmap_symbolic_options options = {
        .allocator = {ration_allocate, ration_release, &ration}};
    const struct tmap_target target = tmap_default_target();
    (void)state;
    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return -1;
    return tmap_symbolic_open(&options, &s);
}

static void use_blackwell(void)
{
    struct tmap_target target;
    assert_int_equal(tmap_target_from(NULL, NULL, NULL, "sm_100a", &target), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
}

static int close_all(void **state)
{
    (void)state;
    tmap_symbolic_close(s);
    return ration.live != 0;
}

/* Boxes of 300 rows, of which a copy takes 256 at most. */
static const struct tmap_desc tall = {.dtype = TMAP_BFLOAT16,
                                      .rank = 2,
                                      .address = 1 << 20,
                                      .dim = {4096, 8100},
                                      .stride_bytes = {8192},
                                      .box = {64, 300},
                                      .elem_stride = {1, 1}};
static const struct tmap_request load = {.op = TMAP_OP_LOAD}, store = {.op = TMAP_OP_STORE};

static struct tmap_plan plan_of(const struct tmap_desc *d, const struct tmap_request *request)
{
    struct tmap_repair_report report;
    struct tmap_plan plan;
    const enum tmap_status said =
        tmap_repair(&checker, d, request, workspace, sizeof workspace, &plan, 1, &report, NULL);
    if (said != TMAP_OK) fail_msg("%d: %s", (int)said, report.reason);
    return plan;
}

static enum tmap_proof proof_of(const struct tmap_desc *d, const struct tmap_request *request,
                                const struct tmap_plan *plan)
{
    enum tmap_proof proof = (enum tmap_proof)77;
    const enum tmap_status said = tmap_certify_moves(s, &checker, d, request, plan, &proof);
    if (said != TMAP_OK) fail_msg("%d: %s", (int)said, tmap_symbolic_why(s));
    return proof;
}

/* --- tests -------------------------------------------------------------------------------------
 */

/* Each block of memory is refused once; what failed is over, so a cancel that comes after it is
 * of no later question. */
static void without_memory_a_question_is_over(void **state)
{
    const struct tmap_plan plan = plan_of(&tall, &load);
    enum tmap_proof proof = (enum tmap_proof)77;
    long refused = 0;
    (void)state;
    for (bool done = false; !done; refused++) {
        const long before = ration.live;
        ration.left = refused;
        const enum tmap_status said = tmap_certify_moves(s, &checker, &tall, &load, &plan, &proof);
        done = ration.left >= 0;
        ration.left = -1;
        assert_int_equal(said, done ? TMAP_OK : TMAP_E_MEMORY);
        assert_int_equal(proof, done ? TMAP_PROVED : (enum tmap_proof)77);
        assert_int_equal(ration.live, before);
        if (done) break;
        assert_non_null(strstr(tmap_symbolic_why(s), "memory"));
        tmap_symbolic_cancel(s);
        assert_int_equal(proof_of(&tall, &load, &plan), TMAP_PROVED);
    }
    assert_true(refused > 1);
}

struct recorded {
    long proved, refuted, undecided;
};

static void count(void *user, const struct tmap_question *q)
{
    struct recorded *r = user;
    assert_string_equal(q->solver, "isl");
    r->proved += q->answer == TMAP_PROVED;
    r->refuted += q->answer == TMAP_REFUTED;
    r->undecided += q->answer == TMAP_UNDECIDED;
}

/* From one operation of isl's to enough: no proof, or the proof; and so it is recorded. */
static void few_operations_are_no_proof(void **state)
{
    const struct tmap_plan plan = plan_of(&tall, &load);
    long proved = 0, undecided = 0;
    struct recorded r = {0, 0, 0};
    (void)state;
    tmap_symbolic_record(s, count, &r);
    for (uint64_t most = 1; most < 1000000; most += 1 + most / 8) {
        tmap_symbolic_budget(s, most, 0);
        const enum tmap_proof proof = proof_of(&tall, &load, &plan);
        assert_int_not_equal(proof, TMAP_REFUTED);
        proved += proof == TMAP_PROVED;
        undecided += proof == TMAP_UNDECIDED;
    }
    tmap_symbolic_budget(s, 0, 0);
    assert_true(proved && undecided && r.proved && r.undecided && !r.refuted);
    struct tmap_plan wrong = plan;
    wrong.dim[1].step--;
    assert_int_equal(proof_of(&tall, &load, &wrong), TMAP_REFUTED);
    assert_true(r.refuted > 0);
    tmap_symbolic_record(s, NULL, NULL);
}

/* The plan sees the rows as groups of 150, of which a tile has two: a store of a third one writes
 * rows of the next tile, and a load of it only brings them. Beyond the 150 of a group is nothing.
 */
static void a_store_of_more_than_the_tile_is_refuted(void **state)
{
    const struct tmap_request *const request[] = {&load, &store};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct tmap_plan right = plan_of(&tall, request[k]);
        struct tmap_plan more = right, beyond = right;
        assert_true(right.desc.rank == 3 && right.desc.dim[1] == 150 && right.desc.box[1] == 150);
        more.dim[2].copies++;
        beyond.dim[1].copies++;
        assert_int_equal(proof_of(&tall, request[k], &right), TMAP_PROVED);
        assert_int_equal(proof_of(&tall, request[k], &beyond), TMAP_PROVED);
        assert_int_equal(proof_of(&tall, request[k], &more), k ? TMAP_REFUTED : TMAP_PROVED);
    }
}

/* 450 rows in three groups of 150, of which a tile has two: a store beyond the last one is of no
 * row where the tile is the first, but where it is another. Where the tile's first row is the first
 * of no group, nothing is known of the rows beyond a group either. */
static void a_store_beyond_the_tensor_is_refuted_for_some_tile(void **state)
{
    struct tmap_desc three = tall;
    (void)state;
    three.dim[1] = 450;
    const struct tmap_plan right = plan_of(&three, &store);
    struct tmap_plan more = right, beyond = right;
    assert_true(right.desc.rank == 3 && right.desc.dim[2] == 3 && right.dim[1].mod == 150);
    assert_int_equal(proof_of(&three, &store, &right), TMAP_PROVED);
    more.dim[2].copies = 4;
    assert_int_equal(proof_of(&three, &store, &more), TMAP_REFUTED);
    beyond.dim[1].copies++;
    assert_int_equal(proof_of(&three, &store, &beyond), TMAP_PROVED);
    beyond.grain[1] = 100;
    assert_int_equal(proof_of(&three, &store, &beyond), TMAP_REFUTED);
}

/* Rows of 101 bytes, all of which a box of 112 takes: a load may, and what hardware writes of whole
 * 16 bytes is beyond the row; rows of 112 bytes are whole. Of slices a store brings no more than
 * there are. */
static void a_store_ends_where_the_row_does(void **state)
{
    const struct tmap_desc bytes = {.dtype = TMAP_UINT8,
                                    .rank = 1,
                                    .address = 1 << 20,
                                    .dim = {101},
                                    .box = {101},
                                    .elem_stride = {1}};
    const struct tmap_desc slices = {.dtype = TMAP_BFLOAT16,
                                     .rank = 3,
                                     .interleave = TMAP_INTERLEAVE_16B,
                                     .address = 1 << 20,
                                     .dim = {64, 8, 4},
                                     .stride_bytes = {1024, 8192},
                                     .box = {8, 8, 2},
                                     .elem_stride = {1, 1, 1}};
    struct tmap_plan plan = plan_of(&bytes, &load);
    struct tmap_desc whole = bytes;
    (void)state;
    assert_int_equal(plan.desc.box[0], 112);
    assert_int_equal(proof_of(&bytes, &load, &plan), TMAP_PROVED);
    assert_int_equal(proof_of(&bytes, &store, &plan), TMAP_REFUTED);
    whole.dim[0] = whole.box[0] = 112;
    plan = plan_of(&whole, &load);
    plan.desc.box[0] = plan.dim[0].step = 128;
    assert_int_equal(proof_of(&whole, &store, &plan), TMAP_PROVED);
    plan = plan_of(&slices, &store);
    assert_int_equal(plan.desc.interleave, TMAP_INTERLEAVE_16B);
    assert_int_equal(proof_of(&slices, &store, &plan), TMAP_PROVED);
    plan.dim[1].copies = 9;
    assert_int_equal(proof_of(&slices, &store, &plan), TMAP_REFUTED);
}

/* Rows that are all one in memory are so in the copy; an index that is always 0 is of no matter. */
static void a_broadcast_stays_one(void **state)
{
    struct tmap_desc ragged = tall;
    (void)state;
    ragged.rank = 4;
    ragged.dim[2] = 16;
    ragged.dim[3] = 1;
    ragged.stride_bytes[0] = 8200;
    ragged.stride_bytes[1] = ragged.stride_bytes[2] = 0;
    ragged.box[1] = 64;
    ragged.box[2] = ragged.box[3] = 1;
    ragged.elem_stride[2] = ragged.elem_stride[3] = 1;
    struct tmap_plan plan = plan_of(&ragged, &load);
    assert_true(plan.cost.copied_bytes > 0 && plan.desc.stride_bytes[1] == 0);
    assert_int_equal(proof_of(&ragged, &load, &plan), TMAP_PROVED);
    plan.dim[2].coef[3] = 16;
    plan.grain[3] = 0;
    assert_int_equal(proof_of(&ragged, &load, &plan), TMAP_PROVED);
}

/* Rows of a padded copy lie apart, and at one place only where the request's do. */
static void rows_of_a_copy_have_places_of_their_own(void **state)
{
    struct tmap_desc ragged = tall;
    (void)state;
    ragged.stride_bytes[0] = 8200;
    ragged.box[1] = 64;
    struct tmap_plan plan = plan_of(&ragged, &load);
    assert_true(plan.cost.copied_bytes > 0);
    assert_int_equal(proof_of(&ragged, &load, &plan), TMAP_PROVED);
    plan.desc.stride_bytes[0] -= 16;
    assert_int_equal(proof_of(&ragged, &load, &plan), TMAP_REFUTED);
    plan.desc.stride_bytes[0] = 0;
    assert_int_equal(proof_of(&ragged, &load, &plan), TMAP_REFUTED);
    plan.dim[1].coef[0] = 1;
    assert_int_equal(proof_of(&ragged, &load, &plan), TMAP_REFUTED);
}

/* Rows of 65 of a type that comes in groups of 128: the zeros behind them in a copy are beyond the
 * tensor, where a store may write. */
static void a_store_may_end_in_the_zeros_of_a_copy(void **state)
{
    const struct tmap_desc row = {.dtype = TMAP_16U6_ALIGN16B,
                                  .rank = 1,
                                  .address = 1 << 20,
                                  .dim = {65},
                                  .box = {111},
                                  .elem_stride = {1}};
    const struct tmap_checker sm90 = checker;
    (void)state;
    use_blackwell();
    struct tmap_plan plan = plan_of(&row, &store);
    assert_true(plan.desc.dim[0] == 128 && plan.desc.box[0] == 128);
    assert_int_equal(proof_of(&row, &store, &plan), TMAP_PROVED);
    plan.dim[0].copies++;
    plan.desc.dim[0] += 128;
    assert_int_equal(proof_of(&row, &store, &plan), TMAP_PROVED);
    plan.desc.dim[0] = 64;
    assert_int_equal(proof_of(&row, &store, &plan), TMAP_REFUTED);
    checker = sm90;
}

/* What a plan decides is the request's: an element stride where there was none, or a NULL pointer;
 * no interleave, which the type does not have. A step for an index that no map has says nothing. */
static void what_a_plan_decides_is_the_requests(void **state)
{
    const struct tmap_checker sm90 = checker;
    struct tmap_desc d[3] = {tall, tall, tall};
    (void)state;
    d[0].box[1] = d[1].box[1] = 64;
    d[0].elem_stride[1] = 0;
    d[1].elem_stride[1] = 7;
    d[1].flags = TMAP_NULL_ELEM_STRIDE;
    d[2] = (struct tmap_desc){.dtype = TMAP_16U6_ALIGN16B,
                              .rank = 4,
                              .interleave = TMAP_INTERLEAVE_32B,
                              .address = 1 << 20,
                              .dim = {1024, 64, 8, 4},
                              .stride_bytes = {2048, 131072, 1048576},
                              .box = {128, 8, 1, 1},
                              .elem_stride = {1, 1, 1, 1}};
    for (int k = 0; k < 3; k++) {
        if (k == 2) use_blackwell();
        struct tmap_plan plan = plan_of(&d[k], &load);
        assert_int_equal(proof_of(&d[k], &load, &plan), TMAP_PROVED);
        plan.step[plan.step_count++] =
            (struct tmap_plan_step){TMAP_REWRITE_CHOOSE, 100, FIELD_BOX, 8, 9};
        assert_int_equal(proof_of(&d[k], &load, &plan), TMAP_PROVED);
    }
    checker = sm90;
}

/* Slices of eight 16-bit numbers, which the plan sees as such, taken as four pairs: which of a pair
 * a number is, its place in the slice says. */
static void numbers_of_a_slice_may_be_pairs(void **state)
{
    const struct tmap_desc slices = {.dtype = TMAP_BFLOAT16,
                                     .rank = 3,
                                     .interleave = TMAP_INTERLEAVE_16B,
                                     .address = 1 << 20,
                                     .dim = {600, 8, 4},
                                     .stride_bytes = {9600, 76800},
                                     .box = {300, 1, 1},
                                     .elem_stride = {1, 1, 1}};
    struct tmap_plan plan = plan_of(&slices, &load);
    struct tmap_plan_dim *numbers = &plan.dim[0];
    (void)state;
    assert_true(plan.desc.interleave == TMAP_INTERLEAVE_NONE && numbers->slice == 1);
    assert_int_equal(plan.desc.box[0], 8);
    plan.desc.dtype = TMAP_UINT32;
    plan.desc.dim[0] = plan.desc.box[0] = numbers->step = 4;
    numbers->div = plan.part_of = 2;
    plan.part_slice = 1;
    assert_null(tmap_plan_check(&slices, &load, &plan));
    assert_int_equal(proof_of(&slices, &load, &plan), TMAP_PROVED);
    plan.part_slice = 0;
    assert_int_equal(proof_of(&slices, &load, &plan), TMAP_REFUTED);
}

/* What cannot be a plan's is an argument that is wrong, and no answer. */
static void plans_that_are_none_are_refused(void **state)
{
    const struct tmap_plan right = plan_of(&tall, &store);
    struct tmap_plan wrong[6];
    (void)state;
    for (size_t i = 0; i < 6; i++) wrong[i] = right;
    wrong[0].skip = true;
    wrong[1].desc.rank = 0;
    wrong[2].desc.rank = TMAP_MAX_RANK + 1;
    wrong[3].step_count = TMAP_PLAN_STEPS + 1;
    wrong[4].dim[1].div = 0;
    wrong[5].dim[0].div = 0;
    for (size_t i = 0; i < 6; i++) {
        enum tmap_proof proof = (enum tmap_proof)77;
        wrong[i].dim[1].mod = 1 << 20;
        assert_int_equal(tmap_certify_moves(s, &checker, &tall, &store, &wrong[i], &proof),
                         TMAP_E_ARGUMENT);
        assert_string_equal(tmap_symbolic_why(s), "no copies, or copies that are not modelled");
        assert_int_equal(proof, (enum tmap_proof)77);
    }
    struct tmap_desc deep = tall;
    enum tmap_proof proof = (enum tmap_proof)77;
    deep.rank = TMAP_MAX_RANK + 1;
    assert_int_equal(tmap_certify_moves(s, &checker, &deep, &store, &right, &proof),
                     TMAP_E_ARGUMENT);
    assert_int_equal(proof, (enum tmap_proof)77);
}

int main(void)
{
    if (lacks_isl("moves of plans")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_a_question_is_over),
        cmocka_unit_test(few_operations_are_no_proof),
        cmocka_unit_test(a_store_of_more_than_the_tile_is_refuted),
        cmocka_unit_test(a_store_beyond_the_tensor_is_refuted_for_some_tile),
        cmocka_unit_test(a_store_ends_where_the_row_does),
        cmocka_unit_test(a_broadcast_stays_one),
        cmocka_unit_test(rows_of_a_copy_have_places_of_their_own),
        cmocka_unit_test(a_store_may_end_in_the_zeros_of_a_copy),
        cmocka_unit_test(what_a_plan_decides_is_the_requests),
        cmocka_unit_test(numbers_of_a_slice_may_be_pairs),
        cmocka_unit_test(plans_that_are_none_are_refused),
    };
    return cmocka_run_group_tests_name("moves of plans", tests, open_all, close_all);
}
