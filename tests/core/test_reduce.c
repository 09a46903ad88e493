/* What a reduction writes, number by number: the edges of each type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/simulate.h"

#define NEGATIVE64 UINT64_C(0x8000000000000000)

static const struct {
    uint32_t op;
    int32_t dtype;
    uint64_t old, value, wanted;
} rows[] = {
    {TMAP_OP_REDUCE_AND, TMAP_UINT32, 12, 10, 8},
    {TMAP_OP_REDUCE_OR, TMAP_UINT32, 12, 10, 14},
    {TMAP_OP_REDUCE_XOR, TMAP_UINT32, 12, 10, 6},
    {TMAP_OP_REDUCE_INC, TMAP_UINT32, 9, 9, 0},
    {TMAP_OP_REDUCE_INC, TMAP_UINT32, 8, 9, 9},
    {TMAP_OP_REDUCE_DEC, TMAP_UINT32, 0, 9, 9},
    {TMAP_OP_REDUCE_DEC, TMAP_UINT32, 10, 9, 9},
    {TMAP_OP_REDUCE_DEC, TMAP_UINT32, 9, 9, 8},
    {TMAP_OP_REDUCE_MIN, TMAP_UINT32, 0xffffffff, 1, 1},
    {TMAP_OP_REDUCE_MIN, TMAP_INT32, 0xffffffff, 1, 0xffffffff},
    {TMAP_OP_REDUCE_MAX, TMAP_INT32, 0xffffffff, 1, 1},
    {TMAP_OP_REDUCE_MAX, TMAP_UINT64, NEGATIVE64, 1, NEGATIVE64},
    {TMAP_OP_REDUCE_MAX, TMAP_INT64, NEGATIVE64, 1, 1},
    /* 1.5 + 2.25; infinity - infinity is the one NaN; subnormals, kept or flushed, with a sign */
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT32, 0x3fc00000, 0x40100000, 0x40700000},
    {TMAP_OP_REDUCE_ADD, TMAP_TFLOAT32, 0x3fc00000, 0x40100000, 0x40700000},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT32, 0x7f800000, 0xff800000, 0x7fffffff},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT32, 1, 2, 3},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT32_FTZ, 1, 2, 0},
    {TMAP_OP_REDUCE_ADD, TMAP_TFLOAT32_FTZ, 0x80000001, 0x80000000, 0x80000000},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT32_FTZ, 0x00c00000, 0x80800000, 0},
    /* NaNs of 64 bits stay as they are, the added one first */
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT64, 0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT64, 0x7ff0000000000001, 0x7ff0000000000002, 0x7ff0000000000002},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT64, 0x7ff0000000000001, 0x3ff8000000000000, 0x7ff0000000000001},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT64, 0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000},
    /* 1 + 1, and infinity - infinity, of 16 bits */
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x3c00, 0x3c00, 0x4000},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x7c00, 0xfc00, 0x7fff},
    {TMAP_OP_REDUCE_ADD, TMAP_BFLOAT16, 0x3f80, 0x3f80, 0x4000},
    /* zeros keep a sign that both have; infinity; subnormals; the greatest number's overflow */
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x8000, 0x8000, 0x8000},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x3c00, 0xbc00, 0},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0xfc00, 0x3c00, 0xfc00},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x7e00, 0x3c00, 0x7fff},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 1, 2, 3},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x03ff, 1, 0x0400},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x7bff, 0x7bff, 0x7c00},
    /* 2048 + 1, + 3 and + 1.5: halves to even, above a half upwards, below it down */
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x6800, 0x3c00, 0x6800},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x6800, 0x4200, 0x6802},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x6800, 0x3e00, 0x6801},
    {TMAP_OP_REDUCE_ADD, TMAP_FLOAT16, 0x6800, 0x3800, 0x6800},
    /* the lesser and the greater; of zeros by their sign; a NaN gives way to a number */
    {TMAP_OP_REDUCE_MIN, TMAP_FLOAT16, 0x3c00, 0xc000, 0xc000},
    {TMAP_OP_REDUCE_MIN, TMAP_FLOAT16, 0xc000, 0x3c00, 0xc000},
    {TMAP_OP_REDUCE_MAX, TMAP_BFLOAT16, 0x3f80, 0xc000, 0x3f80},
    {TMAP_OP_REDUCE_MAX, TMAP_BFLOAT16, 0xc000, 0x3f80, 0x3f80},
    {TMAP_OP_REDUCE_MIN, TMAP_FLOAT16, 0, 0x8000, 0x8000},
    {TMAP_OP_REDUCE_MAX, TMAP_FLOAT16, 0x8000, 0, 0},
    {TMAP_OP_REDUCE_MIN, TMAP_FLOAT16, 0x7e00, 0x3c00, 0x3c00},
    {TMAP_OP_REDUCE_MAX, TMAP_FLOAT16, 0x3c00, 0x7e00, 0x3c00},
    {TMAP_OP_REDUCE_MAX, TMAP_FLOAT16, 0x7e00, 0xfe00, 0x7fff},
};

static void each_is_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t mask = rows[i].dtype == TMAP_FLOAT64 || rows[i].dtype == TMAP_INT64 ||
                                      rows[i].dtype == TMAP_UINT64
                                  ? UINT64_MAX
                                  : UINT32_MAX;
        const uint64_t got = sim_reduce(rows[i].op, rows[i].dtype, rows[i].old, rows[i].value);
        if ((got & mask) != rows[i].wanted)
            fail_msg("row %zu: 0x%llx, not 0x%llx", i, (unsigned long long)got,
                     (unsigned long long)rows[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_what_it_says)};
    return cmocka_run_group_tests_name("reductions", tests, NULL, NULL);
}
