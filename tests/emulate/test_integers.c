/* Every instruction of the emulator on integers, bits and predicates (integers.def), on 256
 * threads, by whole warps and by some of their lanes, against plain C. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/lane_ops.h"

__extension__ typedef unsigned __int128 wide;

#define S16(v) ((int64_t)(int16_t)(v))
#define S24(v) ((int64_t)((int32_t)((uint32_t)(v) << 8) >> 8))
#define S32(v) ((int64_t)(int32_t)(v))
#define S64(v) ((int64_t)(v))
enum halfwise { ADD, LEAST, MOST, LEAST_SIGNED, MOST_SIGNED };

static uint64_t one_half(uint64_t x, uint64_t y, enum halfwise how)
{
    const bool less = how < LEAST_SIGNED ? x < y : S16(x) < S16(y);
    if (how == ADD) return (x + y) & 0xffff;
    return (how == LEAST || how == LEAST_SIGNED) == less ? x : y;
}

static uint64_t halves(uint64_t a, uint64_t b, enum halfwise how)
{
    return one_half(a >> 16, b >> 16, how) << 16 | one_half(a & 0xffff, b & 0xffff, how);
}

static uint64_t high(uint64_t a, uint64_t b)
{
    return (uint64_t)((wide)a * b >> 64);
}

/* Of signed factors: each negative one takes the other once too often. */
static uint64_t high_signed(uint64_t a, uint64_t b)
{
    return high(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}

static uint64_t divided(uint64_t a, uint64_t b)
{
    const uint64_t x = a >> 63 ? 0 - a : a, y = b >> 63 ? 0 - b : b;
    return (a ^ b) >> 63 ? 0 - x / y : x / y;
}

/* `length` bits from `at` on; above the field, and beyond the number's own bits, zeros, or where
 * the number is signed the field's last bit that the number has. */
static uint64_t field(uint64_t a, uint64_t bits, uint64_t at, uint64_t length, bool is_signed)
{
    const uint64_t last = at + length > bits ? bits - 1 : at + length - 1;
    uint64_t r = 0;
    if (length == 0) return 0;
    for (uint64_t i = 0; i < 64; i++)
        r |= (at + i <= last ? a >> (at + i) & 1 : is_signed ? a >> last & 1 : 0) << i;
    return r;
}

static uint64_t with_field(uint64_t a, uint64_t b, uint64_t bits, uint64_t at, uint64_t length)
{
    for (uint64_t i = 0; i < length && at + i < bits; i++) {
        const uint64_t one = (uint64_t)1 << (at + i);
        b = a >> i & 1 ? b | one : b & ~one;
    }
    return b;
}

static uint64_t ones(uint64_t a)
{
    uint64_t n = 0;
    for (; a; a &= a - 1) n++;
    return n;
}

/* The number of the highest bit that is set; of 0, -1. */
static uint64_t top(uint64_t a)
{
    uint64_t n = UINT64_MAX;
    for (; a; a >>= 1) n++;
    return n;
}

static uint64_t shift_amount(uint64_t a, uint64_t most)
{
    return a ? most - top(a) : UINT64_MAX;
}

static uint64_t reversed(uint64_t a, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++, a >>= 1) r = r << 1 | (a & 1);
    return r;
}

static uint64_t mask_of(uint64_t at, uint64_t length)
{
    uint64_t r = 0;
    for (uint64_t i = at; i < at + length && i < 32; i++) r |= (uint64_t)1 << i;
    return r;
}

static uint64_t dots(uint64_t a, uint64_t b, uint64_t c, int a_signed, int b_signed)
{
    int64_t sum = (int64_t)c;
    for (int i = 0; i < 32; i += 8) {
        const int64_t x = a >> i & 255, y = b >> i & 255;
        sum += (a_signed && x > 127 ? x - 256 : x) * (b_signed && y > 127 ? y - 256 : y);
    }
    return (uint64_t)sum;
}

static uint64_t byte(uint64_t a, uint64_t b, uint64_t which)
{
    return (which < 4 ? a >> 8 * which : b >> 8 * (which - 4)) & 255;
}

static uint64_t bytes_of(uint64_t a, uint64_t b, uint64_t selector)
{
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t v = byte(a, b, selector >> 4 * i & 7);
        const bool spreads = selector >> (4 * i + 3) & 1;
        r |= (spreads ? (v & 128 ? 255 : 0) : v) << 8 * i;
    }
    return r;
}

static uint64_t window(uint64_t a, uint64_t b, uint64_t first, int step)
{
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) r |= byte(a, b, (first + (uint64_t)(8 + step * i)) % 8) << 8 * i;
    return r;
}

static uint64_t clamped_bytes(uint64_t a, uint64_t least, uint64_t most)
{
    uint64_t r = 0;
    for (uint64_t i = 0; i < 4; i++)
        r |= byte(a, 0, i < least ? least : i > most ? most : i) << 8 * i;
    return r;
}

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define OP(text, shape, expression)                                                                \
    static uint64_t CAT(op_, __LINE__)(uint64_t a, uint64_t b, uint64_t c, uint64_t e)             \
    {                                                                                              \
        (void)a, (void)b, (void)c, (void)e;                                                        \
        return (uint64_t)(expression);                                                             \
    }
#include "integers.def"

static const struct op {
    const char *text, *shape;
    uint64_t (*result)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);
} ops[] = {
#define OP(text, shape, expression) {text, shape, CAT(op_, __LINE__)},
#include "integers.def"
};

static uint64_t of_op(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct op *op = with;
    return op->result(in[0], in[1], in[2], in[3]);
}

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 3,
                                 5,
                                 15,
                                 16,
                                 17,
                                 31,
                                 32,
                                 33,
                                 40,
                                 63,
                                 64,
                                 127,
                                 128,
                                 255,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x10000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 0x8000000080000000,
                                 0x00ff00ff00ff00ff,
                                 0x7fff80007fff8000,
                                 0x0000321000007654};

static void every_operation(void **state)
{
    struct lane_case cases[LANE_CASES];
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        lane_draw(cases, edges, sizeof edges / sizeof *edges, i + 1);
        wrong += !lane_check("sm_90a", ops[i].text, ops[i].shape, cases, of_op, &ops[i]);
    }
    print_message("# %zu instructions, %d threads each\n", sizeof ops / sizeof *ops, LANE_CASES);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests_name("integers of the emulator", tests, NULL, NULL);
}
