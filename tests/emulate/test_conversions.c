/* cvt between every two types that PTX lets meet, in every rounding and with every flag, against
 * plain clamping and support/rounding.h. */
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

enum { FTZ = 1, SAT = 2, RELU = 4, FINITE = 8 };

struct type {
    const char *name;
    int bits;
    bool is_signed;
    const struct float_format *format; /* NULL: an integer */
    char letter;
};
static const struct type types[] = {
    {"u8", 8, false, NULL, 'r'},         {"s8", 8, true, NULL, 'r'},
    {"u16", 16, false, NULL, 'h'},       {"s16", 16, true, NULL, 'h'},
    {"u32", 32, false, NULL, 'r'},       {"s32", 32, true, NULL, 'r'},
    {"u64", 64, false, NULL, 'd'},       {"s64", 64, true, NULL, 'd'},
    {"f16", 16, true, &format_f16, 'h'}, {"bf16", 16, true, &format_bf16, 'h'},
    {"f32", 32, true, &format_f32, 'r'}, {"f64", 64, true, &format_f64, 'd'}};
enum { TYPES = sizeof types / sizeof *types, INTEGERS = 8 };

struct conversion {
    const struct type *to, *from;
    enum rounding rounding;
    bool to_integer; /* of a floating number: rounds to a whole one first */
    unsigned flags;
};

/* --- what is expected */

static uint64_t low(uint64_t v, int bits)
{
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static bool negative(uint64_t v, const struct type *t)
{
    return t->is_signed && v >> (t->bits - 1) & 1;
}

/* An integer of `from` as a number. */
static long double number(uint64_t v, const struct type *t)
{
    v = low(v, t->bits);
    return negative(v, t) ? (long double)v - ldexpl(1, t->bits) : (long double)v;
}

/* The bits of a whole number in range, to the register's width. */
static uint64_t bits_of(long double v, const struct type *t)
{
    const uint64_t magnitude = (uint64_t)fabsl(v);
    const uint64_t all = v < 0 ? 0 - magnitude : magnitude;
    return low(all, t->letter == 'r' ? 32 : t->bits);
}

static long double clamped(long double v, const struct type *t)
{
    const long double top = ldexpl(1, t->bits - t->is_signed) - 1,
                      bottom = t->is_signed ? -top - 1 : 0;
    return v > top ? top : v < bottom ? bottom : v;
}

static uint64_t between_integers(const struct conversion *c, uint64_t v)
{
    const long double n = number(v, c->from);
    if (c->flags & SAT) return bits_of(clamped(n, c->to), c->to);
    v = low(n < 0 ? 0 - (uint64_t)-n : (uint64_t)n, c->to->bits);
    if (negative(v, c->to) && c->to->letter == 'r') v |= ~low(UINT64_MAX, c->to->bits);
    return low(v, c->to->letter == 'r' ? 32 : 64);
}

static long double whole(long double v, enum rounding r)
{
    if (!isfinite(v) || fabsl(v) > 0x1p63L) return v;
    const long double down = floorl(v), rest = v - down;
    const bool odd = fmodl(down, 2) != 0;
    const bool up = r == ROUND_NEAREST ? rest > 0.5L || (rest == 0.5L && odd)
                    : r == ROUND_UP    ? rest > 0
                    : r == ROUND_ZERO  ? v < 0 && rest > 0
                                       : false;
    return copysignl(down + up, v);
}

static uint64_t flushed(const struct conversion *c, const struct type *t, uint64_t code)
{
    if (!(c->flags & FTZ) || t->format != &format_f32 || !float_subnormal(t->format, code))
        return code;
    return code & 0x80000000;
}

static uint64_t to_float(const struct conversion *c, long double v)
{
    if (c->flags & RELU && v <= 0) v = 0;
    if (c->flags & SAT) v = isnan(v) || v <= 0 ? 0 : v > 1 ? 1 : v;
    const uint64_t code =
        float_round(c->to->format, exact_of(v), c->rounding, (c->flags & FINITE) != 0);
    return flushed(c, c->to, code);
}

static uint64_t expected(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct conversion *c = with;
    if (!c->from->format && !c->to->format) return between_integers(c, in[0]);
    if (!c->from->format) return to_float(c, number(in[0], c->from));
    const uint64_t code = flushed(c, c->from, low(in[0], c->from->bits));
    long double v = float_value(c->from->format, code);
    if (c->to_integer) v = whole(v, c->rounding);
    if (isnan(v) && c->to->bits == 64 && c->to->format) { /* the same NaN, quiet */
        const int more = 52 - c->from->format->mantissa_bits;
        const uint64_t sign = code >> (c->from->bits - 1) << 63;
        const uint64_t behind = code & (((uint64_t)1 << c->from->format->mantissa_bits) - 1);
        return sign | 0x7ff8000000000000 | behind << more;
    }
    if (c->to->format) return to_float(c, v);
    if (isnan(v)) /* PTX ISA, cvt */
        return c->to->bits == 64 || c->from->bits == 64
                   ? bits_of(c->to->is_signed ? -ldexpl(1, c->to->bits - 1)
                                              : ldexpl(1, c->to->bits - 1),
                             c->to)
                   : 0;
    return bits_of(clamped(v, c->to), c->to);
}

/* --- sources */

static size_t edges_of(const struct type *t, uint64_t edge[32])
{
    size_t n = 0;
    if (!t->format) {
        static const uint64_t whole_ones[] = {0,
                                              1,
                                              2,
                                              127,
                                              128,
                                              255,
                                              256,
                                              0x7fff,
                                              0x8000,
                                              0xffff,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x80800001,
                                              0x7f800000,
                                              0x01008001,
                                              65519,
                                              65520,
                                              65535,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0xffffffffffffffff,
                                              0x8080000000000001,
                                              0x8080000000000000,
                                              0x0010000000000001,
                                              0xfffffffffffffbff};
        memcpy(edge, whole_ones, sizeof whole_ones);
        return sizeof whole_ones / sizeof *whole_ones;
    }
    const struct float_format *f = t->format;
    static const long double numbers[] = {
        0,          1,     0.5L,     1.5L,          2.5L,          127.5L,  128,      255.5L,
        65519.996L, 65520, 32767.5L, 2147483648.0L, 4294967295.5L, 0x1p63L, 0x1p-25L, 0x1p-14L};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        edge[n++] =
            float_round(f, exact_of(i % 3 ? numbers[i] : -numbers[i]), ROUND_NEAREST, false);
    edge[n++] = 1, edge[n++] = ((uint64_t)1 << f->mantissa_bits) - 1, edge[n++] = f->largest;
    edge[n++] = f->infinity, edge[n++] = f->infinity | (uint64_t)1 << (t->bits - 1),
    edge[n++] = f->nan;
    return n;
}

/* Random codes of floating numbers lie far from 1: most are moved near it, or near `to`'s edges. */
static void draw(const struct conversion *c, struct lane_case cases[LANE_CASES])
{
    uint64_t edge[32];
    const size_t n = edges_of(c->from, edge);
    lane_draw(cases, edge, n, 77);
    if (!c->from->format) return;
    for (int i = 0; i < LANE_CASES; i++) {
        const uint64_t r = cases[i].in[1];
        const long double near =
            ldexpl((long double)(r >> 11), (int)(r % 41) - 53 - (i % 4 == 3 ? 20 : 0));
        if (i % 2)
            cases[i].in[0] = float_round(c->from->format, exact_of(r & 1024 ? -near : near),
                                         ROUND_NEAREST, false);
    }
}

static size_t tried, wrong;

static void check(const struct conversion *c, const char *how)
{
    struct lane_case cases[LANE_CASES];
    const char shape[3] = {c->to->letter, c->from->letter, 0};
    char text[80];
    snprintf(text, sizeof text, "cvt%s%s%s%s%s.%s.%s", how, c->flags & RELU ? ".relu" : "",
             c->flags & FINITE ? ".satfinite" : "", c->flags & FTZ ? ".ftz" : "",
             c->flags & SAT ? ".sat" : "", c->to->name, c->from->name);
    draw(c, cases);
    tried++;
    wrong += !lane_check("sm_90a", text, shape, cases, expected, c);
}

static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};
static const char *const whole_roundings[] = {".rni", ".rzi", ".rmi", ".rpi"};

/* Whether .sat changes something: else PTX does not have it (test_odd_forms.c). */
static bool limits(const struct type *to, const struct type *from)
{
    if (to->is_signed == from->is_signed) return to->bits < from->bits;
    return !to->is_signed || to->bits <= from->bits;
}

static void integers(void **state)
{
    (void)state;
    wrong = 0;
    for (int to = 0; to < INTEGERS; to++)
        for (int from = 0; from < INTEGERS; from++)
            for (unsigned flags = 0; flags <= SAT; flags += SAT)
                if (!flags || limits(&types[to], &types[from]))
                    check(&(struct conversion){&types[to], &types[from], 0, false, flags}, "");
    assert_int_equal(wrong, 0);
}

static void integers_to_floats(void **state)
{
    (void)state;
    wrong = 0;
    for (int to = INTEGERS; to < TYPES; to++)
        for (int from = 0; from < INTEGERS; from++)
            for (int r = 0; r < 4; r++)
                for (unsigned flags = 0; flags <= SAT; flags += SAT)
                    if (!(flags && types[to].format == &format_bf16))
                        check(&(struct conversion){&types[to], &types[from], (enum rounding)r,
                                                   false, flags},
                              roundings[r]);
    assert_int_equal(wrong, 0);
}

static void floats_to_integers(void **state)
{
    (void)state;
    wrong = 0;
    for (int to = 0; to < INTEGERS; to++)
        for (int from = INTEGERS; from < TYPES; from++)
            for (int r = 0; r < 4; r++)
                for (unsigned flags = 0; flags <= (types[from].format == &format_f32); flags++)
                    check(&(struct conversion){&types[to], &types[from], (enum rounding)r, true,
                                               flags},
                          whole_roundings[r]);
    /* They are limited without a word, so .sat changes nothing. */
    check(&(struct conversion){&types[5], &types[10], ROUND_NEAREST, true, SAT}, ".rni");
    assert_int_equal(wrong, 0);
}

/* To a type that has every number of the other, and to whole numbers of the same type. */
static void floats_widened(void **state)
{
    static const int pairs[][2] = {{10, 8}, {11, 8}, {10, 9}, {11, 9}, {11, 10}};
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check(&(struct conversion){&types[pairs[i][0]], &types[pairs[i][1]], 0, false, 0}, "");
    check(&(struct conversion){&types[10], &types[8], 0, false, SAT}, "");
    check(&(struct conversion){&types[11], &types[10], 0, false, FTZ}, "");
    for (int t = INTEGERS; t < TYPES; t++)
        for (int r = 0; r < 4; r++)
            check(&(struct conversion){&types[t], &types[t], (enum rounding)r, true, 0},
                  whole_roundings[r]);
    check(&(struct conversion){&types[10], &types[10], 0, true, FTZ | SAT}, ".rni");
    assert_int_equal(wrong, 0);
}

static void floats_narrowed(void **state)
{
    static const int pairs[][2] = {{8, 10}, {9, 10}, {8, 11}, {9, 11}, {10, 11}, {8, 9}};
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int r = 0; r < 4; r++) {
            const struct type *to = &types[pairs[i][0]], *from = &types[pairs[i][1]];
            check(&(struct conversion){to, from, (enum rounding)r, false, 0}, roundings[r]);
            if (to->bits == 16 && from->bits == 32 && r < 2) {
                check(&(struct conversion){to, from, (enum rounding)r, false, FINITE},
                      roundings[r]);
                check(&(struct conversion){to, from, (enum rounding)r, false, RELU}, roundings[r]);
                check(&(struct conversion){to, from, (enum rounding)r, false, RELU | FINITE},
                      roundings[r]);
            }
            if (to->format == &format_f16)
                check(&(struct conversion){to, from, (enum rounding)r, false, SAT}, roundings[r]);
            if (to->bits == 32)
                check(&(struct conversion){to, from, (enum rounding)r, false, FTZ | SAT},
                      roundings[r]);
        }
    print_message("# %zu conversions, %d threads each\n", tried, LANE_CASES);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers), cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_integers), cmocka_unit_test(floats_widened),
        cmocka_unit_test(floats_narrowed)};
    return cmocka_run_group_tests_name("conversions of the emulator", tests, NULL, NULL);
}
