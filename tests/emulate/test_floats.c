/* The emulator's floating arithmetic in every type, rounding and flag: each result against the two
 * neighbours of the exact one (support/rounding.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/lane_ops.h"
#include "support/rounding.h"

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };
enum { FTZ = 1, SAT = 2, RELU = 4 };

struct op {
    enum operation operation;
    const struct float_format *format;
    enum rounding rounding;
    unsigned flags;
    int lanes; /* numbers in a register */
    int bits;  /* of each */
};

/* --- what is expected */

static struct exact exactly(enum operation o, long double a, long double b, long double c)
{
    switch (o) {
    case ADD:
        return exact_sum(a, b);
    case SUB:
        return exact_sum(a, -b);
    case MUL:
        return exact_product(a, b);
    case FMA:
        return exact_fma(a, b, c);
    case DIV:
        return exact_quotient(a, b);
    case RCP:
        return exact_quotient(1, a);
    default:
        return exact_root(a);
    }
}

static uint64_t flushed(const struct op *op, uint64_t code)
{
    if (!(op->flags & FTZ) || !float_subnormal(op->format, code)) return code;
    return code & (uint64_t)1 << (op->bits - 1);
}

/* In double precision an operand's NaN goes on, quiet; of two nobody says which. */
static uint64_t nan_of(const struct op *op, const uint64_t code[3], int sources)
{
    uint64_t found = 0;
    if (op->bits != 64) return op->format->nan;
    for (int i = 0; i < sources; i++) {
        if (!isnan(float_value(op->format, code[i]))) continue;
        if (found && found != (code[i] | (uint64_t)1 << 51)) return LANE_ANY;
        found = code[i] | (uint64_t)1 << 51;
    }
    return found ? found : op->format->nan;
}

static int sources_of(enum operation o)
{
    return o == FMA ? 3 : o >= RCP ? 1 : 2;
}

static uint64_t one(const struct op *op, uint64_t a, uint64_t b, uint64_t c)
{
    const struct float_format *f = op->format;
    struct exact x = exactly(op->operation, float_value(f, flushed(op, a)),
                             float_value(f, flushed(op, b)), float_value(f, flushed(op, c)));
    if (x.value == 0 && x.rest == 0 && op->operation != MUL && op->operation != DIV &&
        op->operation != RCP && !signbit(x.value) && op->rounding == ROUND_DOWN)
        return LANE_ANY; /* +0 or -0, by which zeros they were */
    if (isnan(x.value) && !(op->flags & SAT))
        return nan_of(op, (const uint64_t[]){a, b, c}, sources_of(op->operation));
    if (op->flags & RELU && x.value < 0) x = exact_of(0);
    if (op->flags & SAT) {
        if (isnan(x.value) || x.value <= 0) return 0;
        if (x.value >= 1) x = exact_of(1);
    }
    /* An H200 flushes halves that are subnormal before they are rounded. */
    if (op->flags & FTZ && op->bits == 16 && fabsl(x.value) < 0x1p-14L)
        return signbit(x.value) ? 0x8000 : 0;
    return flushed(op, float_round(f, x, op->rounding, false));
}

static uint64_t expected(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct op *op = with;
    const uint64_t mask = op->bits == 64 ? UINT64_MAX : ((uint64_t)1 << op->bits) - 1;
    uint64_t r = 0;
    for (int i = 0; i < op->lanes; i++) {
        const int at = i * op->bits;
        const uint64_t v = one(op, in[0] >> at & mask, in[1] >> at & mask, in[2] >> at & mask);
        if (v == LANE_ANY) return v;
        r |= v << at;
    }
    return r;
}

/* --- operands: edges of the format, and numbers near 1, whose sums and products round */

static size_t edges_of(const struct float_format *f, uint64_t edge[32])
{
    const uint64_t sign = (uint64_t)1 << (f->exponent_bits + f->mantissa_bits);
    const uint64_t one = (uint64_t)((1 << (f->exponent_bits - 1)) - 1) << f->mantissa_bits;
    const uint64_t least = (uint64_t)1 << f->mantissa_bits; /* normal */
    const uint64_t plain[] = {0,
                              1,
                              least - 1,
                              least,
                              least + 1,
                              one,
                              one + 1,
                              one - 1,
                              one + least / 2,
                              f->largest,
                              f->infinity,
                              f->nan & (sign - 1),
                              least / 2,
                              one + 3 * least};
    size_t n = 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        edge[n++] = plain[i], edge[n++] = plain[i] | sign;
    return n;
}

/* Every third number is random near 1, so that exponents meet. */
static void draw(const struct op *op, struct lane_case cases[LANE_CASES], uint64_t seed)
{
    uint64_t edge[32];
    const struct float_format *f = op->format;
    const size_t n = edges_of(f, edge);
    const uint64_t bias = (uint64_t)(1 << (f->exponent_bits - 1)) - 1;
    struct lane_case more[LANE_CASES], high[LANE_CASES];
    lane_draw(cases, edge, n, seed);
    lane_draw(more, edge, n, seed + 1000);
    lane_draw(high, edge, n, seed + 2000);
    for (int i = 0; i < LANE_CASES; i++)
        for (int s = 0; s < LANE_SOURCES; s++) {
            const uint64_t r = more[i].in[s], sign = r >> 63 << (op->bits - 1);
            const uint64_t near = (bias - 3 + (r >> 56) % 7) << f->mantissa_bits |
                                  (r & (((uint64_t)1 << f->mantissa_bits) - 1));
            if ((i + s) % 3) cases[i].in[s] = near | sign;
            if (op->lanes == 2)
                cases[i].in[s] = lane_width('h', cases[i].in[s]) | high[i].in[s] << op->bits;
        }
}

static bool check(const struct op *op, const char *text, const char *target)
{
    static const char *const shapes[] = {"ddddd", "rrrrr", "hhhhh"};
    struct lane_case cases[LANE_CASES];
    char shape[8];
    const int bits = op->bits * op->lanes;
    snprintf(shape, sizeof shape, "%.*s", 1 + sources_of(op->operation),
             shapes[bits == 64   ? 0
                    : bits == 32 ? 1
                                 : 2]);
    draw(op, cases, (uint64_t)op->operation * 64 + op->flags * 8 + (uint64_t)op->rounding + 1);
    return lane_check(target, text, shape, cases, expected, op);
}

static const char *const names[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};
static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};

static size_t wrong_ones, tried;

static void try_one(const struct op *op, const char *type, const char *target, bool says_rounding)
{
    char text[80];
    snprintf(text, sizeof text, "%s%s%s%s%s.%s", names[op->operation],
             says_rounding ? roundings[op->rounding] : "", op->flags & FTZ ? ".ftz" : "",
             op->flags & RELU ? ".relu" : "", op->flags & SAT ? ".sat" : "", type);
    tried++;
    wrong_ones += !check(op, text, target);
}

static void single_precision(void **state)
{
    (void)state;
    wrong_ones = 0;
    for (enum operation o = ADD; o <= SQRT; o++)
        for (enum rounding r = ROUND_NEAREST; r <= ROUND_UP; r++)
            for (unsigned flags = 0; flags < (o <= FMA ? 4 : 2); flags++) {
                const struct op op = {o, &format_f32, r, flags, 1, 32};
                try_one(&op, "f32", "sm_90a", true);
                if (r == ROUND_NEAREST && o <= MUL) try_one(&op, "f32", "sm_90a", false);
            }
    assert_int_equal(wrong_ones, 0);
}

static void double_precision(void **state)
{
    (void)state;
    wrong_ones = 0;
    for (enum operation o = ADD; o <= SQRT; o++)
        for (enum rounding r = ROUND_NEAREST; r <= ROUND_UP; r++) {
            const struct op op = {o, &format_f64, r, 0, 1, 64};
            if (o != FMA) try_one(&op, "f64", "sm_90a", true);
        }
    assert_int_equal(wrong_ones, 0);
}

static void sixteen_bits(void **state)
{
    static const struct {
        const char *type;
        const struct float_format *format;
        int lanes;
    } types[] = {{"f16", &format_f16, 1},
                 {"f16x2", &format_f16, 2},
                 {"bf16", &format_bf16, 1},
                 {"bf16x2", &format_bf16, 2}};
    (void)state;
    wrong_ones = 0;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (enum operation o = ADD; o <= FMA; o++)
            for (unsigned flags = 0; flags < 6; flags++) {
                const struct op op = {o, types[t].format, ROUND_NEAREST, flags, types[t].lanes, 16};
                const bool brain = types[t].format == &format_bf16;
                if ((flags & RELU && o != FMA) || (brain && flags & (FTZ | SAT))) continue;
                try_one(&op, types[t].type, "sm_90a", true);
            }
    assert_int_equal(wrong_ones, 0);
}

static void pairs(void **state)
{
    (void)state;
    wrong_ones = 0;
    for (enum operation o = ADD; o <= FMA; o++)
        for (enum rounding r = ROUND_NEAREST; r <= ROUND_UP; r++)
            for (unsigned flags = 0; flags < 2; flags++) {
                const struct op op = {o, &format_f32, r, flags, 2, 32};
                try_one(&op, "f32x2", "sm_100a", true);
            }
    print_message("# %zu instructions, %d threads each\n", tried, LANE_CASES);
    assert_int_equal(wrong_ones, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_precision),
                                       cmocka_unit_test(double_precision),
                                       cmocka_unit_test(sixteen_bits), cmocka_unit_test(pairs)};
    return cmocka_run_group_tests_name("floating arithmetic of the emulator", tests, NULL, NULL);
}
