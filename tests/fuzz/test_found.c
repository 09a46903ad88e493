/* What the fuzzers found, one test each: make fuzz-api and make fuzz (docs/RELIABILITY.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmap/solve.h"

#include <string.h>
#include <time.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static struct tmap_desc plain(void)
{
    return (struct tmap_desc){.dtype = TMAP_BFLOAT16,
                              .rank = 2,
                              .address = 0x7f0000000000,
                              .dim = {64, 64},
                              .stride_bytes = {128},
                              .box = {64, 64},
                              .elem_stride = {1, 1, 1, 1, 1}};
}

static struct tmap_checker checker_of(enum tmap_contract contract)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker c;
    assert_int_equal(tmap_checker_prepare(&target, contract, &c), TMAP_OK);
    return c;
}

/* The contract hardware has no row about ranks, kinds, types, swizzles and interleaves that do not
 * exist. */
static void plans_need_a_tensor_under_every_contract(void **state)
{
    (void)state;
    for (int contract = TMAP_CONTRACT_SAFE; contract <= TMAP_CONTRACT_HARDWARE; contract++) {
        const struct tmap_checker c = checker_of((enum tmap_contract)contract);
        struct tmap_desc d[6] = {plain(), plain(), plain(), plain(), plain(), plain()};
        d[0].rank = 6;
        d[1].rank = 0;
        d[2].kind = 7;
        d[3].dtype = 99;
        d[4].swizzle = 1 << 24;
        d[5].interleave = 1 << 24;
        for (int i = 0; i < 6; i++) {
            struct tmap_plan plan;
            struct tmap_repair_report report;
            assert_int_equal(
                tmap_repair(&c, &d[i], NULL, workspace, sizeof workspace, &plan, 1, &report, NULL),
                TMAP_E_NO_PLAN);
            assert_true(report.reason[0]);
            /* A tile is asked of a tiled map, and solve chooses the swizzle and the interleave. */
            if (d[i].kind != TMAP_TILED || i >= 4) continue;
            struct tmap_tile_request r = {.tensor = d[i], .tile = {16, 16}};
            struct tmap_tile_plan tile;
            size_t found;
            assert_int_equal(
                tmap_solve(&c, &r, workspace, sizeof workspace, &tile, 1, &found, NULL, 0),
                TMAP_E_NO_PLAN);
        }
    }
}

/* extent[rank - 2] of an interleaved tensor lay outside the array. */
static void interleaved_tensors_of_any_rank_have_a_layout(void **state)
{
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_HARDWARE);
    struct tmap_plan plan;
    (void)state;
    memset(&plan, 0, sizeof plan);
    for (uint32_t rank = 0; rank < 9; rank++) {
        struct tmap_desc d = plain();
        struct tmap_layout layout;
        d.interleave = TMAP_INTERLEAVE_32B;
        d.rank = rank < 8 ? rank : UINT32_MAX;
        tmap_layout(&c, &d, &layout);
        plan.desc = plain();
        assert_non_null(tmap_plan_check(&d, NULL, &plan));
    }
}

/* 128 times 2^25 CTAs is 0 in 32 bits, and was divided by. */
static void any_number_of_ctas_is_judged(void **state)
{
    const struct tmap_target target = {1300, 90, 580, TMAP_ARCH(100, 1)};
    const struct tmap_problem p = {.m = 4096,
                                   .n = 4096,
                                   .k = 4096,
                                   .dtype = TMAP_BFLOAT16,
                                   .out_dtype = TMAP_BFLOAT16,
                                   .model = TMAP_MODEL_TCGEN05};
    struct tmap_checker c;
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    for (unsigned bit = 2; bit < 32; bit++) {
        const struct tmap_config config = {128, 128, 64, 2, 4, 1u << bit};
        struct tmap_config_answer answer;
        assert_int_equal(tmap_prune(&c, &p, &config, 1, &answer), TMAP_OK);
        assert_int_equal(answer.verdict, TMAP_ILLEGAL);
    }
}

/* A box beyond every bound was divided by an element stride of 0. */
static void unchecked_bytes_of_anything(void **state)
{
    struct tmap_desc d = plain();
    struct tmap_map map;
    (void)state;
    for (uint32_t box = 0; box < 1024; box++) {
        d.box[1] = box;
        d.elem_stride[1] = 0;
        assert_true(tmap_encode_unchecked(&d, &map));
    }
}

/* 512 rows of 8388608 were cut in every way there is: 38 s. Given up, and said, or planned. */
static void tiles_beyond_use_are_given_up(void **state)
{
    enum { MOST_SECONDS = 15 }; /* of a processor, under the sanitizers too */
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_DOCUMENTED);
    struct tmap_tile_request r[2] = {
        {.tensor = plain(), .tile = {144, 8388608}, .op = TMAP_OP_STORE, .multicast = 4},
        {.tensor = plain(), .tile = {192, 240, 18, 12}, .multicast = 3}};
    r[0].tensor.dim[0] = 1024;
    r[0].tensor.dim[1] = 512;
    r[0].tensor.stride_bytes[0] = 2048;
    r[0].consumer = TMAP_CONSUMER_LDMATRIX;
    r[1].consumer = TMAP_CONSUMER_LDMATRIX;
    r[1].tensor.rank = 4;
    memcpy(r[1].tensor.dim, (uint64_t[5]){64, 256, 56, 8}, sizeof r[1].tensor.dim);
    memcpy(r[1].tensor.stride_bytes, (uint64_t[4]){128, 32768, 1835008}, 4 * sizeof(uint64_t));
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tmap_tile_plan plan;
        size_t found;
        char reason[160] = "";
        const clock_t from = clock();
        const enum tmap_status s =
            tmap_solve(&c, &r[i], workspace, sizeof workspace, &plan, 1, &found, reason, 160);
        assert_true((clock() - from) / CLOCKS_PER_SEC < MOST_SECONDS);
        assert_true(s == TMAP_OK || (s == TMAP_E_BUDGET && strstr(reason, "undecided")));
    }
}

/* The text of a step that no search made read the name of a field that there is not. */
static void steps_of_any_numbers_have_a_text(void **state)
{
    char text[200];
    (void)state;
    for (unsigned rewrite = 0; rewrite < 256; rewrite++)
        for (unsigned field = 0; field < 256; field++) {
            const struct tmap_plan_step step = {(uint8_t)rewrite, -1, (uint8_t)field, 1, 0};
            const size_t n = tmap_plan_step_text(&step, text, sizeof text);
            assert_true(n < sizeof text && strlen(text) == n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_need_a_tensor_under_every_contract),
        cmocka_unit_test(interleaved_tensors_of_any_rank_have_a_layout),
        cmocka_unit_test(any_number_of_ctas_is_judged),
        cmocka_unit_test(unchecked_bytes_of_anything),
        cmocka_unit_test(tiles_beyond_use_are_given_up),
        cmocka_unit_test(steps_of_any_numbers_have_a_text),
    };
    return cmocka_run_group_tests_name("found by fuzzing", tests, NULL, NULL);
}
