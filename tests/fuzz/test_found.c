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

/* 131072 rows were compared with those of each plan that there is, uncounted: 11 s. */
static void comparing_layouts_is_work(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(COUNTED)
    enum { MOST_SECONDS = 15 };
#else
    enum { MOST_SECONDS = 5 };
#endif
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_DOCUMENTED);
    const struct tmap_desc d = {.kind = TMAP_TILED,
                                .dtype = TMAP_UINT8,
                                .rank = 3,
                                .interleave = TMAP_INTERLEAVE_16B,
                                .address = UINT64_C(0x7f0000000000),
                                .dim = {1024, 69, 131168},
                                .stride_bytes = {4135, 282624},
                                .box = {6, 3, 131072},
                                .elem_stride = {4, 1, 1}};
    struct tmap_plan plan[4];
    struct tmap_repair_report r;
    const clock_t from = clock();
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, plan, 4, &r, NULL),
                     TMAP_OK);
    assert_true((clock() - from) / CLOCKS_PER_SEC < MOST_SECONDS);
    assert_false(r.closed);
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

/* Members that a tiled descriptor does not use were taken over into im2col plans. */
static void what_a_kind_does_not_use_changes_nothing(void **state)
{
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_DRIVER);
    struct tmap_plan plan[2][3];
    struct tmap_repair_report r[2];
    (void)state;
    for (int wild = 0; wild < 2; wild++) {
        struct tmap_desc d = plain();
        d.dim[0] = 1024;
        d.dim[1] = 512;
        d.stride_bytes[0] = 2048;
        d.box[0] = 60;
        d.box[1] = 257;
        d.swizzle = TMAP_SWIZZLE_128B;
        if (wild) d.lower[0] = d.upper[1] = 5, d.channels = d.pixels = 7, d.mode = 1;
        assert_int_equal(
            tmap_repair(&c, &d, NULL, workspace, sizeof workspace, plan[wild], 3, &r[wild], NULL),
            TMAP_OK);
        assert_int_equal(r[wild].dropped, 0);
    }
    assert_int_equal(r[0].found, r[1].found);
    for (size_t i = 0; i < r[0].found; i++) { /* not their bytes: padding may differ */
        const struct tmap_plan *a = &plan[0][i], *b = &plan[1][i];
        assert_int_equal(tmap_cost_compare(&a->cost, &b->cost), 0);
        assert_memory_equal(&a->desc, &b->desc, sizeof a->desc);
        assert_int_equal(a->copies, b->copies);
        assert_int_equal(a->tx_bytes, b->tx_bytes);
        assert_memory_equal(a->grain, b->grain, sizeof a->grain);
    }
}

/* 61 channels of 4 bits are no whole bytes, and were counted in two ways. */
static void channels_are_whole_bytes(void **state)
{
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_DOCUMENTED);
    const struct tmap_desc d = {.kind = TMAP_IM2COL,
                                .dtype = TMAP_16U4_ALIGN8B,
                                .rank = 4,
                                .address = 0x7f0000000000,
                                .dim = {64, 56, 56, 8},
                                .stride_bytes = {128, 7168, 401408},
                                .elem_stride = {1, 1, 1, 1, 1},
                                .swizzle = TMAP_SWIZZLE_128B,
                                .lower = {-1, -1},
                                .upper = {-1, -1},
                                .channels = 61,
                                .pixels = 128};
    struct tmap_plan plan[3];
    struct tmap_repair_report r;
    (void)state;
    const enum tmap_status s =
        tmap_repair(&c, &d, NULL, workspace, sizeof workspace, plan, 3, &r, NULL);
    assert_true(s == TMAP_OK || s == TMAP_E_NO_PLAN);
    assert_int_equal(r.dropped, 0);
}

/* A number of a plan was divided by; whatever stands there, the plan is judged. */
static void plans_of_any_numbers_are_judged(void **state)
{
    static const uint32_t values[] = {0, 1, 3, 1u << 16, 1u << 31, UINT32_MAX};
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_SAFE);
    struct tmap_desc d = plain();
    struct tmap_plan plan[3];
    struct tmap_repair_report r;
    const int64_t coord[TMAP_MAX_RANK] = {64, 7, -1, INT64_MAX, INT64_MIN};
    int64_t at[TMAP_MAX_RANK];
    uint64_t random = 1;
    uint32_t copy;
    uint64_t offset;
    (void)state;
    d.box[0] = 600; /* cut, split, rounded: many kinds of steps */
    d.stride_bytes[0] = 130;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, plan, 3, &r, NULL),
                     TMAP_OK);
    for (size_t k = 0; k < r.found; k++)
        for (size_t word = 0; word < offsetof(struct tmap_plan, slot_bytes) / 4; word++)
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                struct tmap_plan p = plan[k];
                struct tmap_desc of;
                if (word == offsetof(struct tmap_plan, skip) / 4) continue; /* a bool */
                memcpy((char *)&p + 4 * word, &values[v], sizeof values[v]);
                random = random * 6364136223846793005u + 1442695040888963407u;
                const size_t second = (random >> 40) % (offsetof(struct tmap_plan, skip) / 4);
                if (v % 2) memcpy((char *)&p + 4 * second, &values[random >> 33 & 3], 4);
                tmap_plan_check(&d, NULL, &p);
                tmap_plan_coords(&p, coord, 5, at);
                tmap_plan_desc(&p, 5, &of);
                tmap_plan_place(&p, &d, coord, (uint32_t[TMAP_MAX_RANK]){1, 1, 1, 1, 1}, &copy,
                                &offset);
            }
}

static bool read_none(void *user, uint64_t address, void *out, size_t bytes)
{
    (void)user;
    (void)address;
    memset(out, 0, bytes);
    return true;
}

/* The end of a box behind the last address wrapped, and a swizzle reached below an odd base. */
static void shared_memory_ends(void **state)
{
    static uint8_t memory[1 << 16];
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_DRIVER);
    static const uint64_t bases[] = {0, 16, 1 << 20, UINT64_MAX - 65535, UINT64_C(3) << 54};
    struct tmap_desc d = plain();
    (void)state;
    for (int32_t swizzle = 0; swizzle < 4; swizzle++)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            for (int64_t at = -144; at <= 144; at += 16) {
                const struct tmap_memory m = {.read = read_none,
                                              .smem = memory + 256,
                                              .smem_base = bases[b],
                                              .smem_bytes = 8192 + 128};
                const struct tmap_use u = {.flags = TMAP_USE_SMEM, .smem = bases[b] + (uint64_t)at};
                struct tmap_outcome out;
                d.swizzle = swizzle;
                d.box[0] = swizzle ? 8u << swizzle : 64;
                memset(memory, 0x77, sizeof memory);
                const enum tmap_status s = tmap_simulate(&c, &d, &u, &m, &out);
                assert_true(s == TMAP_OK || s == TMAP_E_ROOM);
                if (at == 0 && b % 3 == 0 && b < 3) assert_int_equal(s, TMAP_OK);
                for (size_t i = 0; i < sizeof memory; i++)
                    assert_true((i >= 256 && i < 256 + m.smem_bytes) || memory[i] == 0x77);
            }
}

/* wgmma has no code for Blackwell's atoms; under a contract without rows of uses, that was read
 * from behind a table. */
static void every_swizzle_has_a_matrix_descriptor_or_none(void **state)
{
    (void)state;
    for (int contract = TMAP_CONTRACT_SAFE; contract <= TMAP_CONTRACT_HARDWARE; contract++)
        for (int32_t swizzle = -1; swizzle < 9; swizzle++)
            for (int consumer = TMAP_CONSUMER_WGMMA; consumer <= TMAP_CONSUMER_TCGEN05;
                 consumer++) {
                struct tmap_target target = tmap_default_target();
                struct tmap_desc d = plain();
                struct tmap_checker c;
                struct tmap_mma m;
                target.arch = TMAP_ARCH(100, 1);
                d.swizzle = swizzle;
                assert_int_equal(tmap_checker_prepare(&target, (enum tmap_contract)contract, &c),
                                 TMAP_OK);
                const enum tmap_status s =
                    tmap_mma_of(&c, &d, (enum tmap_consumer)consumer, TMAP_K_MAJOR, &m, NULL);
                if (s == TMAP_OK) assert_true(m.layout_code < 8);
                if (swizzle > (consumer == TMAP_CONSUMER_WGMMA ? 3 : 4))
                    assert_int_not_equal(s, TMAP_OK);
            }
}

/* Longer boxes for ldmatrix stepped over elements of a strided dimension, which the self-check
 * refused; element strides that are NULL were "chosen" and then taken to be ones. */
static void what_is_wrong_is_not_proposed(void **state)
{
    const struct tmap_checker c = checker_of(TMAP_CONTRACT_DRIVER);
    struct tmap_desc d[2] = {plain(), plain()};
    const struct tmap_request r[2] = {
        {.grain = {(UINT64_C(1) << 49) - 1}, .consumer = TMAP_CONSUMER_LDMATRIX},
        {.grain = {524289}}};
    (void)state;
    d[0] = (struct tmap_desc){.dtype = TMAP_FLOAT32_FTZ,
                              .rank = 4,
                              .address = 0x7f0000000000,
                              .dim = {1924, 3960, 481, 473},
                              .stride_bytes = {7696, 30476160, 14659032960},
                              .box = {33, 166, 9, 6},
                              .elem_stride = {1, 1, 1, 3}};
    d[1].flags = TMAP_NULL_ELEM_STRIDE;
    d[1].elem_stride[1] = 9;
    for (int i = 0; i < 2; i++) {
        struct tmap_plan plan[2];
        struct tmap_repair_report report;
        assert_int_equal(
            tmap_repair(&c, &d[i], &r[i], workspace, sizeof workspace, plan, 2, &report, NULL),
            TMAP_OK);
        assert_int_equal(report.dropped, 0);
        for (size_t n = 0; n < report.found && n < 2; n++)
            assert_null(tmap_plan_check(&d[i], &r[i], &plan[n]));
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
        cmocka_unit_test(comparing_layouts_is_work),
        cmocka_unit_test(steps_of_any_numbers_have_a_text),
        cmocka_unit_test(what_a_kind_does_not_use_changes_nothing),
        cmocka_unit_test(channels_are_whole_bytes),
        cmocka_unit_test(plans_of_any_numbers_are_judged),
        cmocka_unit_test(shared_memory_ends),
        cmocka_unit_test(every_swizzle_has_a_matrix_descriptor_or_none),
        cmocka_unit_test(what_is_wrong_is_not_proposed),
    };
    return cmocka_run_group_tests_name("found by fuzzing", tests, NULL, NULL);
}
