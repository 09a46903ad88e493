/* Conversions of pairs: halves of single precision, formats of 4, 6 and 8 bits, scales of powers of
 * two, and packed integers. */
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

enum { RELU = 1, FINITE = 2 };

struct pair {
    const char *text, *shape, *target;
    const struct float_format *to, *from; /* NULL: ue8m0 */
    int to_bits, from_bits;               /* of each number's place */
    enum rounding rounding;
    unsigned flags;
};

#define HALF "rrr"
#define SMALL "hrr"
#define OF_PAIR "hr"
#define TO_PAIR "rh"
static const struct pair pairs[] = {
    {"cvt.rn.f16x2.f32", HALF, "sm_90a", &format_f16, &format_f32, 16, 32, 0, 0},
    {"cvt.rz.f16x2.f32", HALF, "sm_90a", &format_f16, &format_f32, 16, 32, ROUND_ZERO, 0},
    {"cvt.rn.relu.f16x2.f32", HALF, "sm_90a", &format_f16, &format_f32, 16, 32, 0, RELU},
    {"cvt.rn.satfinite.f16x2.f32", HALF, "sm_90a", &format_f16, &format_f32, 16, 32, 0, FINITE},
    {"cvt.rz.relu.satfinite.f16x2.f32", HALF, "sm_90a", &format_f16, &format_f32, 16, 32,
     ROUND_ZERO, RELU | FINITE},
    {"cvt.rn.bf16x2.f32", HALF, "sm_90a", &format_bf16, &format_f32, 16, 32, 0, 0},
    {"cvt.rz.bf16x2.f32", HALF, "sm_90a", &format_bf16, &format_f32, 16, 32, ROUND_ZERO, 0},
    {"cvt.rz.relu.bf16x2.f32", HALF, "sm_90a", &format_bf16, &format_f32, 16, 32, ROUND_ZERO, RELU},
    {"cvt.rn.satfinite.bf16x2.f32", HALF, "sm_90a", &format_bf16, &format_f32, 16, 32, 0, FINITE},
    {"cvt.rn.satfinite.e4m3x2.f32", SMALL, "sm_90a", &format_e4m3, &format_f32, 8, 32, 0, FINITE},
    {"cvt.rn.satfinite.relu.e4m3x2.f32", SMALL, "sm_90a", &format_e4m3, &format_f32, 8, 32, 0,
     RELU | FINITE},
    {"cvt.rn.satfinite.e5m2x2.f32", SMALL, "sm_90a", &format_e5m2, &format_f32, 8, 32, 0, FINITE},
    {"cvt.rn.satfinite.e4m3x2.f16x2", OF_PAIR, "sm_90a", &format_e4m3, &format_f16, 8, 16, 0,
     FINITE},
    {"cvt.rn.satfinite.relu.e5m2x2.f16x2", OF_PAIR, "sm_90a", &format_e5m2, &format_f16, 8, 16, 0,
     RELU | FINITE},
    {"cvt.rn.f16x2.e4m3x2", TO_PAIR, "sm_90a", &format_f16, &format_e4m3, 16, 8, 0, 0},
    {"cvt.rn.relu.f16x2.e4m3x2", TO_PAIR, "sm_90a", &format_f16, &format_e4m3, 16, 8, 0, RELU},
    {"cvt.rn.f16x2.e5m2x2", TO_PAIR, "sm_90a", &format_f16, &format_e5m2, 16, 8, 0, 0},
    {"cvt.rn.satfinite.e2m3x2.f32", SMALL, "sm_100a", &format_e2m3, &format_f32, 8, 32, 0, FINITE},
    {"cvt.rn.satfinite.e3m2x2.f32", SMALL, "sm_100a", &format_e3m2, &format_f32, 8, 32, 0, FINITE},
    {"cvt.rn.satfinite.relu.e3m2x2.f32", SMALL, "sm_100a", &format_e3m2, &format_f32, 8, 32, 0,
     RELU | FINITE},
    {"cvt.rn.satfinite.e2m1x2.f32", SMALL, "sm_100a", &format_e2m1, &format_f32, 4, 32, 0, FINITE},
    {"cvt.rn.f16x2.e2m3x2", TO_PAIR, "sm_100a", &format_f16, &format_e2m3, 16, 8, 0, 0},
    {"cvt.rn.f16x2.e3m2x2", TO_PAIR, "sm_100a", &format_f16, &format_e3m2, 16, 8, 0, 0},
    {"cvt.rn.relu.f16x2.e2m1x2", TO_PAIR, "sm_100a", &format_f16, &format_e2m1, 16, 4, 0, RELU},
    {"cvt.rz.satfinite.ue8m0x2.f32", SMALL, "sm_100a", NULL, &format_f32, 8, 32, ROUND_ZERO,
     FINITE},
    {"cvt.rp.satfinite.ue8m0x2.f32", SMALL, "sm_100a", NULL, &format_f32, 8, 32, ROUND_UP, FINITE},
    {"cvt.rz.satfinite.ue8m0x2.bf16x2", OF_PAIR, "sm_100a", NULL, &format_bf16, 8, 16, ROUND_ZERO,
     FINITE},
    {"cvt.rp.satfinite.ue8m0x2.bf16x2", OF_PAIR, "sm_100a", NULL, &format_bf16, 8, 16, ROUND_UP,
     FINITE},
    {"cvt.rn.bf16x2.ue8m0x2", TO_PAIR, "sm_100a", &format_bf16, NULL, 16, 8, 0, 0},
};

/* 2^(code - 127), of which the least and the largest stand for what is beyond them; 255 is NaN. */
static uint64_t scale_of(long double v, enum rounding r)
{
    uint64_t code = 0;
    if (isnan(v)) return 255;
    v = fabsl(v);
    while (code < 254 &&
           (r == ROUND_UP ? ldexpl(1, (int)code - 127) < v : ldexpl(1, (int)code - 126) <= v))
        code++;
    return code;
}

static uint64_t one(const struct pair *p, uint64_t code)
{
    long double v = p->from       ? float_value(p->from, code)
                    : code == 255 ? NAN
                                  : ldexpl(1, (int)code - 127);
    if (p->flags & RELU && v <= 0) v = 0;
    return p->to ? float_round(p->to, exact_of(v), p->rounding, p->flags & FINITE)
                 : scale_of(v, p->rounding);
}

/* The first operand, or the upper half, is the upper number. */
static uint64_t expected(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct pair *p = with;
    const uint64_t mask = ((uint64_t)1 << p->from_bits) - 1;
    const uint64_t high = p->from_bits == 32 ? in[0] : in[0] >> p->from_bits & mask;
    const uint64_t low = p->from_bits == 32 ? in[1] : in[0] & mask;
    return one(p, high) << p->to_bits | one(p, low);
}

static const uint64_t edges[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x43e00000, 0x43e80000,
    0x43e7ffff, 0xc3f00000, 0x47600000, 0x47700000, 0x40f00000, 0x41e00000, 0x41f00000,
    0x40d00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x477fefff, 0x477ff000, 0x477fffff,
    0x33000000, 0x33000001, 0x7f7fffff, 0x00400000, 0x00400001, 0x00000001, 0x003fffff,
    0x00800000, 0x3b000000, 0x3a800000, 0x7bff7c00, 0x7e00fc00};

/* Single precision near what small formats have: their codes, and half-way between. */
static void draw(const struct pair *p, struct lane_case cases[LANE_CASES])
{
    lane_draw(cases, edges, sizeof edges / sizeof *edges, 5);
    if (p->from_bits != 32) {
        if (p->from_bits < 16 || !p->from)
            for (uint64_t i = 0; i < LANE_CASES; i++) cases[i].in[0] = i | (i * 7 % 256) << 8;
        return;
    }
    for (int i = 0; i < LANE_CASES; i++)
        for (int s = 0; s < 2; s++)
            if ((i + s) % 2) {
                const uint64_t r = cases[i].in[2 + s];
                const long double v = ldexpl((long double)(r % 2048), (int)(r >> 32) % 31 - 20);
                cases[i].in[s] = float_round(&format_f32, exact_of(r >> 40 & 1 ? -v : v), 0, false);
            }
}

static void numbers(void **state)
{
    struct lane_case cases[LANE_CASES];
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        draw(&pairs[i], cases);
        wrong +=
            !lane_check(pairs[i].target, pairs[i].text, pairs[i].shape, cases, expected, &pairs[i]);
    }
    assert_int_equal(wrong, 0);
}

/* --- tf32: its code is the upper part of a float's */

static uint64_t as_tf32(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct pair *p = with;
    const long double v = float_value(&format_f32, in[0]);
    if (isnan(v)) /* as an H200 leaves it */
        return p->rounding == ROUND_AWAY ? in[0] & 0xffffe000 : 0x7fffe000;
    return one(p, in[0]) << 13;
}

static void tf32(void **state)
{
    static const struct pair rows[] = {
        {"cvt.rna.tf32.f32", "rr", "sm_90a", &format_tf32, &format_f32, 0, 0, ROUND_AWAY, 0},
        {"cvt.rna.satfinite.tf32.f32", "rr", "sm_90a", &format_tf32, &format_f32, 0, 0, ROUND_AWAY,
         FINITE},
        {"cvt.rn.tf32.f32", "rr", "sm_90a", &format_tf32, &format_f32, 0, 0, 0, 0},
        {"cvt.rn.relu.tf32.f32", "rr", "sm_90a", &format_tf32, &format_f32, 0, 0, 0, RELU},
        {"cvt.rz.tf32.f32", "rr", "sm_90a", &format_tf32, &format_f32, 0, 0, ROUND_ZERO, 0}};
    struct lane_case cases[LANE_CASES];
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lane_draw(cases, edges, sizeof edges / sizeof *edges, 9);
        for (int k = 0; k < LANE_CASES; k += 2) cases[k].in[0] &= 0xfffff000; /* ties */
        wrong += !lane_check("sm_90a", rows[i].text, rows[i].shape, cases, as_tf32, &rows[i]);
    }
    assert_int_equal(wrong, 0);
}

/* --- cvt.pack */

struct packing {
    const char *text, *shape;
    int bits;
    bool is_signed;
};

static uint64_t clamped(uint64_t v, const struct packing *p)
{
    const int64_t n = (int32_t)v, bottom = p->is_signed ? -(1ll << (p->bits - 1)) : 0;
    const int64_t top = bottom + (1ll << p->bits) - 1;
    return (uint64_t)(n < bottom ? bottom : n > top ? top : n) & (uint64_t)((1ll << p->bits) - 1);
}

static uint64_t packed(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct packing *p = with;
    return in[2] << 2 * p->bits | clamped(in[0], p) << p->bits | clamped(in[1], p);
}

static void packs(void **state)
{
    static const struct packing rows[] = {{"cvt.pack.sat.u16.s32", "rrr", 16, false},
                                          {"cvt.pack.sat.s16.s32", "rrr", 16, true},
                                          {"cvt.pack.sat.u8.s32.b32", "rrrr", 8, false},
                                          {"cvt.pack.sat.s8.s32.b32", "rrrr", 8, true}};
    static const uint64_t whole[] = {0,          1,          127,        128,        255,
                                     256,        32767,      32768,      65535,      65536,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0xffffff80, 0xffffff7f,
                                     0xffff8000, 0xffff7fff};
    struct lane_case cases[LANE_CASES];
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lane_draw(cases, whole, sizeof whole / sizeof *whole, 11);
        wrong += !lane_check("sm_90a", rows[i].text, rows[i].shape, cases, packed, &rows[i]);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(tf32),
                                       cmocka_unit_test(packs)};
    return cmocka_run_group_tests_name("small conversions of the emulator", tests, NULL, NULL);
}
