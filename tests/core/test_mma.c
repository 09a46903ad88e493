/* Matrix descriptors and bank conflicts of loaded boxes, against values worked by hand from the PTX
 * ISA's canonical layouts; those of wgmma are what the GEMM kernels ran with on an H200. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tmap/tmap.h"

static struct tmap_desc box_of(int32_t dtype, uint32_t columns, uint32_t rows, int32_t swizzle)
{
    return (struct tmap_desc){.dtype = dtype,
                              .rank = 2,
                              .address = 0x7f0000000000,
                              .dim = {8192, 8192},
                              .stride_bytes = {65536},
                              .box = {columns, rows},
                              .elem_stride = {1, 1},
                              .swizzle = swizzle};
}

static struct tmap_checker checker_for(const char *arch)
{
    struct tmap_target target;
    struct tmap_checker c;
    assert_int_equal(tmap_target_from(NULL, NULL, NULL, arch, &target), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    return c;
}

enum { W = TMAP_CONSUMER_WGMMA, T = TMAP_CONSUMER_TCGEN05, K = TMAP_K_MAJOR, MN = TMAP_MN_MAJOR };
enum { NONE = 0, S32 = 1, S64 = 2, S128 = 3, ATOM32 = 4 };

static const struct {
    const char *arch;
    int consumer, major, dtype;
    uint32_t columns, rows;
    int swizzle;
    uint32_t code, lbo, sbo, k_elements, k_step, k_steps;
} readable[] = {
    {"sm_90a", W, K, TMAP_BFLOAT16, 64, 128, S128, 1, 16, 1024, 16, 32, 4},
    {"sm_90a", W, K, TMAP_BFLOAT16, 32, 128, S64, 2, 16, 512, 16, 32, 2},
    {"sm_90a", W, K, TMAP_BFLOAT16, 16, 128, S32, 3, 16, 256, 16, 32, 1},
    {"sm_90a", W, K, TMAP_UINT8, 128, 64, S128, 1, 16, 1024, 32, 32, 4},
    {"sm_90a", W, K, TMAP_TFLOAT32, 32, 64, S128, 1, 16, 1024, 8, 32, 4},
    {"sm_90a", W, K, TMAP_BFLOAT16, 8, 128, NONE, 0, 2048, 128, 16, 4096, 0},
    {"sm_90a", W, MN, TMAP_BFLOAT16, 64, 64, S128, 1, 8192, 1024, 16, 2048, 4},
    {"sm_90a", W, MN, TMAP_FLOAT16, 32, 16, S64, 2, 1024, 512, 16, 1024, 1},
    {"sm_100a", T, K, TMAP_BFLOAT16, 64, 128, S128, 2, 16, 1024, 16, 32, 4},
    {"sm_100a", T, K, TMAP_BFLOAT16, 16, 128, S32, 6, 16, 256, 16, 32, 1},
    {"sm_103a", T, MN, TMAP_TFLOAT32, 32, 32, ATOM32, 1, 4096, 1024, 8, 1024, 4},
};

static void fields_of_what_can_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
        const struct tmap_checker c = checker_for(readable[i].arch);
        const struct tmap_desc d =
            box_of(readable[i].dtype, readable[i].columns, readable[i].rows, readable[i].swizzle);
        struct tmap_mma m;
        assert_int_equal(tmap_mma_of(&c, &d, (enum tmap_consumer)readable[i].consumer,
                                     (enum tmap_major)readable[i].major, &m, NULL),
                         TMAP_OK);
        assert_int_equal(m.layout_code, readable[i].code);
        assert_int_equal(m.lbo_bytes, readable[i].lbo);
        assert_int_equal(m.sbo_bytes, readable[i].sbo);
        assert_int_equal(m.k_elements, readable[i].k_elements);
        assert_int_equal(m.k_step_bytes, readable[i].k_step);
        assert_int_equal(m.k_steps, readable[i].k_steps);
        const uint64_t top = readable[i].consumer == W
                                 ? (uint64_t)m.layout_code << 62
                                 : (uint64_t)m.layout_code << 61 | UINT64_C(1) << 46;
        assert_true(m.word == (top | (uint64_t)(m.lbo_bytes >> 4) << 16 |
                               (uint64_t)(m.sbo_bytes >> 4) << 32));
    }
}

static const struct {
    const char *arch, *rule;
    int consumer, major, dtype;
    uint32_t columns, rows;
    int swizzle;
} refused[] = {
    {"sm_90a", "TMA174", W, K, TMAP_BFLOAT16, 32, 64, S128},
    {"sm_90a", "TMA175", W, K, TMAP_BFLOAT16, 64, 64, NONE},
    {"sm_90a", "TMA176", W, K, TMAP_BFLOAT16, 64, 60, S128},
    {"sm_90a", "TMA177", W, MN, TMAP_UINT8, 128, 64, S128},
    {"sm_90a", "TMA171", T, K, TMAP_BFLOAT16, 64, 64, S128},
    {"sm_90", "TMA171", W, K, TMAP_BFLOAT16, 64, 64, S128},
    {"sm_120a", "TMA171", T, K, TMAP_BFLOAT16, 64, 64, S128},
    {"sm_100a", "TMA172", T, K, TMAP_BFLOAT16, 64, 64, 6},
    {"sm_100a", "TMA178", T, MN, TMAP_TFLOAT32, 32, 64, S128},
};

static void refusals_name_the_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct tmap_checker c = checker_for(refused[i].arch);
        const struct tmap_desc d =
            box_of(refused[i].dtype, refused[i].columns, refused[i].rows, refused[i].swizzle);
        struct tmap_mma m;
        struct tmap_violation why;
        assert_int_equal(tmap_mma_of(&c, &d, (enum tmap_consumer)refused[i].consumer,
                                     (enum tmap_major)refused[i].major, &m, &why),
                         TMAP_E_ILLEGAL);
        assert_string_equal(tmap_row_id(why.row), refused[i].rule);
    }
}

static const struct {
    uint32_t columns, rows;
    int swizzle;
    uint32_t row, column, matrix, vector; /* ways */
} conflicts[] = {
    {64, 64, NONE, 1, 32, 8, 1}, /* a row is all 32 banks: a column is one bank */
    {64, 64, S128, 1, 4, 1, 1},  /* eight rows spread over eight 16-byte columns */
    {32, 64, S64, 1, 4, 1, 1},
    {16, 64, S32, 1, 4, 1, 1},
    {32, 64, NONE, 1, 16, 4, 1},
    {16, 64, NONE, 1, 8, 2, 1},
    {8, 64, NONE, 1, 4, 1, 1},
    {24, 64, NONE, 1, 4, 1, 1}, /* 48-byte rows walk through the banks by themselves */
};

static void conflicts_of_bf16_boxes(void **state)
{
    (void)state;
    const struct tmap_checker c = checker_for("sm_90a");
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        const struct tmap_desc d =
            box_of(TMAP_BFLOAT16, conflicts[i].columns, conflicts[i].rows, conflicts[i].swizzle);
        const uint32_t expected[] = {conflicts[i].row, conflicts[i].column, conflicts[i].matrix,
                                     conflicts[i].vector};
        for (int a = TMAP_ACCESS_ROW; a <= TMAP_ACCESS_VECTOR; a++) {
            uint32_t ways = 0;
            assert_int_equal(tmap_bank_conflicts(&c, &d, (enum tmap_access)a, &ways), TMAP_OK);
            if (ways != expected[a])
                fail_msg("%u x %u swizzle %d access %d: %u ways", conflicts[i].columns,
                         conflicts[i].rows, conflicts[i].swizzle, a, ways);
        }
    }
}

/* The advice for ldmatrix is given where, and only where, the counted reads take more than one
 * cycle. */
static void advice_is_the_count(void **state)
{
    (void)state;
    const struct tmap_checker c = checker_for("sm_100a");
    const struct tmap_use use = {.op = TMAP_OP_LOAD, .consumer = TMAP_CONSUMER_LDMATRIX};
    long advised = 0, free = 0;
    for (uint32_t columns = 8; columns <= 128; columns += 8)
        for (uint32_t rows = 7; rows <= 17; rows++)
            for (int32_t swizzle = NONE; swizzle <= TMAP_SWIZZLE_128B_ATOM_64B; swizzle++) {
                const struct tmap_desc d = box_of(TMAP_BFLOAT16, columns, rows, swizzle);
                struct tmap_violation v[8];
                uint32_t ways = 0;
                size_t found = 0, about = 0;
                if (tmap_verdict_of(&c, &d) != TMAP_LEGAL) continue;
                assert_int_equal(tmap_bank_conflicts(&c, &d, TMAP_ACCESS_MATRIX, &ways), TMAP_OK);
                assert_int_equal(tmap_advise_use(&c, &d, &use, v, 8, &found), TMAP_OK);
                for (size_t i = 0; i < found && i < 8; i++)
                    about += strcmp(tmap_row_id(v[i].row), "TMA179") == 0;
                if (about != (rows >= 8 && ways > 1))
                    fail_msg("%u x %u swizzle %d: %u ways", columns, rows, swizzle, ways);
                advised += about != 0;
                free += about == 0;
            }
    assert_true(advised > 50 && free > 50);
}

/* Three rows of 16 bytes are fewer words than lanes; they follow each other. */
static void a_box_smaller_than_an_access(void **state)
{
    (void)state;
    const struct tmap_checker c = checker_for("sm_90a");
    const struct tmap_desc d = box_of(TMAP_BFLOAT16, 8, 3, NONE);
    for (int a = TMAP_ACCESS_ROW; a <= TMAP_ACCESS_VECTOR; a++) {
        uint32_t ways = 0;
        assert_int_equal(tmap_bank_conflicts(&c, &d, (enum tmap_access)a, &ways), TMAP_OK);
        assert_int_equal(ways, 1);
    }
}

static void misuse_leaves_outputs_alone(void **state)
{
    (void)state;
    const struct tmap_checker c = checker_for("sm_90a");
    struct tmap_desc d = box_of(TMAP_BFLOAT16, 64, 64, S128);
    struct tmap_mma m = {.layout_code = 77};
    uint32_t ways = 77;
    assert_int_equal(tmap_mma_of(&c, &d, TMAP_CONSUMER_LDMATRIX, TMAP_K_MAJOR, &m, NULL),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_mma_of(NULL, &d, TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR, &m, NULL),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_mma_of(&c, NULL, TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR, &m, NULL),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_mma_of(&c, &d, TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR, NULL, NULL),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_mma_of(&c, &d, (enum tmap_consumer)(TMAP_CONSUMER_TCGEN05 + 1),
                                 TMAP_K_MAJOR, &m, NULL),
                     TMAP_E_ARGUMENT);
    d.box[0] = 0;
    assert_int_equal(tmap_mma_of(&c, &d, TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR, &m, NULL),
                     TMAP_E_ILLEGAL);
    assert_int_equal(tmap_bank_conflicts(&c, &d, TMAP_ACCESS_ROW, &ways), TMAP_E_ILLEGAL);
    assert_int_equal(tmap_bank_conflicts(&c, &d, (enum tmap_access)9, &ways), TMAP_E_ARGUMENT);
    assert_int_equal(m.layout_code, 77);
    assert_int_equal(ways, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_what_can_be_read),
        cmocka_unit_test(refusals_name_the_row),
        cmocka_unit_test(conflicts_of_bf16_boxes),
        cmocka_unit_test(advice_is_the_count),
        cmocka_unit_test(a_box_smaller_than_an_access),
        cmocka_unit_test(misuse_leaves_outputs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
