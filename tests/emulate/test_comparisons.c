/* setp, set, selections, signs, minima and maxima, and classes of floating numbers: every
 * comparison of every type, alone and with a second predicate, against plain C. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/lane_ops.h"
#include "support/ptx_run.h"
#include "support/rounding.h"

enum kind { UNSIGNED, SIGNED, BITS, FLOATING };

struct type {
    const char *name;
    enum kind kind;
    int bits, halves;
    char letter;
    const struct float_format *format;
};
static const struct type types[] = {{"u16", UNSIGNED, 16, 1, 'h', NULL},
                                    {"u32", UNSIGNED, 32, 1, 'r', NULL},
                                    {"u64", UNSIGNED, 64, 1, 'd', NULL},
                                    {"s16", SIGNED, 16, 1, 'h', NULL},
                                    {"s32", SIGNED, 32, 1, 'r', NULL},
                                    {"s64", SIGNED, 64, 1, 'd', NULL},
                                    {"b16", BITS, 16, 1, 'h', NULL},
                                    {"b32", BITS, 32, 1, 'r', NULL},
                                    {"b64", BITS, 64, 1, 'd', NULL},
                                    {"f16", FLOATING, 16, 1, 'h', &format_f16},
                                    {"bf16", FLOATING, 16, 1, 'h', &format_bf16},
                                    {"f32", FLOATING, 32, 1, 'r', &format_f32},
                                    {"f64", FLOATING, 64, 1, 'd', &format_f64},
                                    {"f16x2", FLOATING, 16, 2, 'r', &format_f16},
                                    {"bf16x2", FLOATING, 16, 2, 'r', &format_bf16}};
enum { TYPES = sizeof types / sizeof *types };

/* Which of less, equal, greater, unordered make it true; of which kinds it is. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
static const struct comparison {
    const char *name;
    int when;
    unsigned kinds; /* bits by kind */
} comparisons[] = {{"eq", EQUAL, 15},
                   {"ne", LESS | GREATER, 15},
                   {"lt", LESS, 11},
                   {"le", LESS | EQUAL, 11},
                   {"gt", GREATER, 11},
                   {"ge", GREATER | EQUAL, 11},
                   {"lo", LESS, 1},
                   {"ls", LESS | EQUAL, 1},
                   {"hi", GREATER, 1},
                   {"hs", GREATER | EQUAL, 1},
                   {"equ", EQUAL | UNORDERED, 8},
                   {"neu", LESS | GREATER | UNORDERED, 8},
                   {"ltu", LESS | UNORDERED, 8},
                   {"leu", LESS | EQUAL | UNORDERED, 8},
                   {"gtu", GREATER | UNORDERED, 8},
                   {"geu", GREATER | EQUAL | UNORDERED, 8},
                   {"num", LESS | EQUAL | GREATER, 8},
                   {"nan", UNORDERED, 8}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* How c is combined: not at all, and, or with its negation, xor. */
static const struct {
    const char *word, *operand;
} combined[] = {{"", ""}, {".and", ", $C"}, {".or", ", !$C"}, {".xor", ", $C"}};

struct asked {
    const struct type *type;
    const struct comparison *comparison;
    int combine;
    bool ftz, second; /* the second predicate of a pair */
};

static uint64_t flushed(const struct type *t, uint64_t code)
{
    return float_subnormal(t->format, code) ? code & (uint64_t)1 << (t->bits - 1) : code;
}

static int order(const struct type *t, uint64_t a, uint64_t b, bool ftz)
{
    if (t->kind == FLOATING) {
        const long double x = float_value(t->format, ftz ? flushed(t, a) : a);
        const long double y = float_value(t->format, ftz ? flushed(t, b) : b);
        return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    if (t->kind == SIGNED) a ^= (uint64_t)1 << (t->bits - 1), b ^= (uint64_t)1 << (t->bits - 1);
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static uint64_t compared(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct asked *q = with;
    const struct type *t = q->type;
    const int at = t->halves == 2 && q->second ? 16 : 0;
    const uint64_t mask = t->bits == 64 ? UINT64_MAX : ((uint64_t)1 << t->bits) - 1;
    bool r = order(t, in[0] >> at & mask, in[1] >> at & mask, q->ftz) & q->comparison->when;
    if (q->second && t->halves == 1) r = !r;
    return q->combine == 1   ? r & in[2]
           : q->combine == 2 ? r | !in[2]
           : q->combine == 3 ? r ^ in[2]
                             : r;
}

/* --- operands: few numbers, so that some are equal */

static void draw(const struct type *t, struct lane_case cases[LANE_CASES])
{
    uint64_t edge[24] = {0,
                         1,
                         2,
                         0x7fff,
                         0x8000,
                         0xffff,
                         0x7fffffff,
                         0x80000000,
                         0xffffffff,
                         0x7fffffffffffffff,
                         0x8000000000000000,
                         0xffffffffffffffff};
    size_t n = 12;
    if (t->kind == FLOATING) {
        const struct float_format *f = t->format;
        const uint64_t sign = (uint64_t)1 << (t->bits - 1),
                       one = f->infinity / 2 & ~(sign - 1 - f->infinity);
        const uint64_t plain[] = {0,
                                  1,
                                  ((uint64_t)1 << f->mantissa_bits) - 1,
                                  (uint64_t)1 << f->mantissa_bits,
                                  one,
                                  one + 1,
                                  f->largest,
                                  f->infinity,
                                  f->nan & (sign - 1)};
        for (n = 0; n < 18; n += 2) edge[n] = plain[n / 2], edge[n + 1] = plain[n / 2] | sign;
    }
    lane_draw(cases, edge, n, 3);
    for (int i = 0; i < LANE_CASES; i++)
        for (int s = 0; s < LANE_SOURCES; s++) {
            const uint64_t r = cases[i].in[s];
            cases[i].in[s] = edge[(r ^ r >> 33) % n];
            if (t->halves == 2) cases[i].in[s] |= edge[(r >> 5 ^ r >> 41 ^ (uint64_t)i) % n] << 16;
            if (s == 2) cases[i].in[s] = (uint64_t)i >> 3;
        }
}

static size_t tried, wrong;

static void check(const struct asked *q)
{
    struct lane_case cases[LANE_CASES];
    char text[120];
    const char shape[] = {'p', q->type->letter, q->type->letter, 'p', 0};
    snprintf(text, sizeof text, "setp.%s%s%s.%s %s, $A, $B%s", q->comparison->name,
             combined[q->combine].word, q->ftz ? ".ftz" : "", q->type->name,
             q->second              ? "%p19|$D"
             : q->type->halves == 2 ? "$D|%p19"
                                    : "$D",
             combined[q->combine].operand);
    draw(q->type, cases);
    tried++;
    wrong += !lane_check("sm_90a", text, shape, cases, compared, q);
}

/* It is compared into one predicate, and set() gives no float of it (test_odd_forms.c). */
static bool one_half(const struct type *t)
{
    return t->kind == FLOATING && t->bits == 16 && t->halves == 1;
}

static void every_comparison(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int c = 0; c < COMPARISONS; c++)
            for (int how = 0; how < 8; how++)
                if (comparisons[c].kinds >> types[t].kind & 1 && !(how & 4 && one_half(&types[t])))
                    check(&(struct asked){&types[t], &comparisons[c], how & 3, false, how & 4});
    for (int t = 0; t < TYPES; t++)
        for (int c = 0; c < COMPARISONS; c += 3)
            if (types[t].kind == FLOATING && comparisons[c].kinds & 8 && types[t].bits < 64 &&
                types[t].format != &format_bf16)
                check(&(struct asked){&types[t], &comparisons[c], c & 3, true, false});
    print_message("# %zu comparisons, %d threads each\n", tried, LANE_CASES);
    assert_int_equal(wrong, 0);
}

/* What a type does not have is refused, at its line. */
static void no_such_comparison(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int c = 0; c < COMPARISONS; c++) {
            char text[400];
            struct ptx_run run;
            if (comparisons[c].kinds >> types[t].kind & 1) continue;
            snprintf(text, sizeof text,
                     ".version 9.0\n.target sm_90a\n.visible .entry k(.param .u64 p) {\n"
                     ".reg .pred %%p<3>; .reg .b16 %%h<3>; .reg .b32 %%r<3>; .reg .b64 %%d<3>;\n"
                     "setp.%s.%s %%p1, %%%c1, %%%c2;\nret;\n}\n",
                     comparisons[c].name, types[t].name, types[t].letter, types[t].letter);
            assert_false(ptx_run_quietly(text, &run));
            assert_int_equal(run.load, TMAP_E_ARGUMENT);
            assert_int_equal(run.error.line, 5);
            assert_non_null(strstr(run.error.text, "has no such comparison"));
        }
}

/* --- set: all ones or 1.0 */

struct asked_set {
    struct asked q;
    bool to_float;
};

static uint64_t set_to(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct asked_set *s = with;
    return compared(in, &s->q) ? (s->to_float ? 0x3f800000 : 0xffffffff) : 0;
}

static void sets(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < TYPES; t++)
        for (int c = 0; c < COMPARISONS; c++)
            for (int how = 0; how < 4; how++) {
                const struct asked_set s = {{&types[t], &comparisons[c], how, false, false},
                                            how & 1};
                const char shape[] = {'r', types[t].letter, types[t].letter, 'p', 0};
                struct lane_case cases[LANE_CASES];
                char text[120];
                if (!(comparisons[c].kinds >> types[t].kind & 1) || types[t].halves == 2) continue;
                if (how & 1 && one_half(&types[t])) continue;
                snprintf(text, sizeof text, "set.%s%s.%s.%s $D, $A, $B%s", comparisons[c].name,
                         combined[how].word,
                         how & 1   ? "f32"
                         : how & 2 ? "s32"
                                   : "u32",
                         types[t].name, combined[how].operand);
                draw(&types[t], cases);
                wrong += !lane_check("sm_90a", text, shape, cases, set_to, &s);
            }
    assert_int_equal(wrong, 0);
}

/* --- minima, maxima, signs */

enum { FTZ = 1, NAN_WINS = 2, XORSIGN = 4 };
struct extreme {
    const struct type *type;
    bool max;
    unsigned flags;
    int sources;
};

/* -0 is below +0. */
static uint64_t extreme_of(const struct extreme *e, uint64_t a, uint64_t b)
{
    const struct type *t = e->type;
    const uint64_t top = (uint64_t)1 << (t->bits - 1);
    if (e->flags & FTZ) a = flushed(t, a), b = flushed(t, b);
    const uint64_t sign = (a ^ b) & top;
    if (e->flags & XORSIGN) a &= ~top, b &= ~top;
    const long double x = float_value(t->format, a), y = float_value(t->format, b);
    uint64_t r =
        x < y || (x == y && signbit(x) && !signbit(y)) ? (e->max ? b : a) : (e->max ? a : b);
    if ((isnan(x) && isnan(y)) || (e->flags & NAN_WINS && (isnan(x) || isnan(y))))
        return t->bits == 64 ? LANE_ANY : t->format->nan;
    if (isnan(x) || isnan(y)) r = isnan(x) ? b : a;
    return e->flags & XORSIGN ? (r & ~top) | sign : r;
}

static uint64_t extremes(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct extreme *e = with;
    const uint64_t mask = e->type->bits == 64 ? UINT64_MAX : ((uint64_t)1 << e->type->bits) - 1;
    uint64_t r = 0;
    for (int i = 0; i < e->type->halves; i++) {
        const int at = i * e->type->bits;
        uint64_t v = extreme_of(e, in[0] >> at & mask, in[1] >> at & mask);
        if (e->sources == 3) v = extreme_of(e, v, in[2] >> at & mask);
        if (v == LANE_ANY) return v;
        r |= v << at;
    }
    return r;
}

static void check_extreme(const struct extreme *e, const char *target)
{
    const char l = e->type->letter;
    const char shape[] = {l, l, l, e->sources == 3 ? l : (char)0, 0};
    struct lane_case cases[LANE_CASES];
    char text[80];
    snprintf(text, sizeof text, "%s%s%s%s.%s", e->max ? "max" : "min", e->flags & FTZ ? ".ftz" : "",
             e->flags & NAN_WINS ? ".NaN" : "", e->flags & XORSIGN ? ".xorsign.abs" : "",
             e->type->name);
    draw(e->type, cases);
    if (e->sources == 3)
        for (int i = 0; i < LANE_CASES; i++) cases[i].in[2] = cases[(i * 5 + 3) % LANE_CASES].in[0];
    wrong += !lane_check(target, text, shape, cases, extremes, e);
}

static void minima_and_maxima(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < TYPES; t++)
        for (unsigned flags = 0; flags < 8; flags++)
            for (int max = 0; max < 2; max++) {
                const bool no_flags = types[t].bits == 64 && flags;
                const bool no_ftz = types[t].format == &format_bf16 && flags & FTZ;
                if (types[t].kind != FLOATING || no_flags || no_ftz) continue;
                check_extreme(&(struct extreme){&types[t], max, flags, 2}, "sm_90a");
                if (types[t].format == &format_f32)
                    check_extreme(&(struct extreme){&types[t], max, flags & ~4u, 3}, "sm_100a");
            }
    assert_int_equal(wrong, 0);
}

struct sign {
    const struct type *type;
    bool negates, ftz;
};

static uint64_t signs(const uint64_t in[LANE_SOURCES], const void *with)
{
    const struct sign *s = with;
    const struct type *t = s->type;
    const uint64_t top = (uint64_t)1 << (t->bits - 1), mask = top | (top - 1);
    uint64_t r = 0;
    for (int i = 0; i < t->halves; i++) {
        uint64_t v = in[0] >> i * t->bits & mask;
        if (isnan(float_value(t->format, v))) return LANE_ANY;
        if (s->ftz) v = flushed(t, v);
        r |= (s->negates ? v ^ top : v & ~top) << i * t->bits;
    }
    return r;
}

static void abs_and_neg(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < TYPES; t++)
        for (int how = 0; how < 4; how++) {
            const struct sign s = {&types[t], how & 1, how & 2};
            const char shape[] = {types[t].letter, types[t].letter, 0};
            struct lane_case cases[LANE_CASES];
            char text[40];
            if (types[t].kind != FLOATING) continue;
            if (s.ftz && (types[t].bits == 64 || types[t].format == &format_bf16)) continue;
            snprintf(text, sizeof text, "%s%s.%s", s.negates ? "neg" : "abs", s.ftz ? ".ftz" : "",
                     types[t].name);
            draw(&types[t], cases);
            wrong += !lane_check("sm_90a", text, shape, cases, signs, &s);
        }
    assert_int_equal(wrong, 0);
}

/* --- classes, copied signs, choices by a number */

static uint64_t class_of(const uint64_t in[LANE_SOURCES], const void *with)
{
    const char *const *asked = with; /* testp.CLASS.TYPE */
    const struct float_format *f = strstr(*asked, "f64") ? &format_f64 : &format_f32;
    const long double v = float_value(f, in[0]);
    const bool finite = isfinite(v), tiny = float_subnormal(f, in[0]);
    return strstr(*asked, ".infinite")     ? isinf(v)
           : strstr(*asked, ".finite")     ? finite
           : strstr(*asked, ".notanumber") ? isnan(v)
           : strstr(*asked, ".number")     ? !isnan(v)
           : strstr(*asked, ".subnormal")  ? tiny
                                           : finite && !tiny; /* zeros are normal */
}

static uint64_t sign_copied(const uint64_t in[LANE_SOURCES], const void *with)
{
    const uint64_t top = strstr(*(const char *const *)with, "f64") ? (uint64_t)1 << 63 : 1u << 31;
    return (in[0] & top) | (in[1] & (top - 1));
}

static uint64_t chosen(const uint64_t in[LANE_SOURCES], const void *with)
{
    const bool ftz = strstr(*(const char *const *)with, "ftz") != NULL;
    const long double c = float_value(&format_f32, ftz ? flushed(&types[11], in[2]) : in[2]);
    return c >= 0 ? in[0] : in[1];
}

static void classes_and_choices(void **state)
{
    static const struct {
        const char *text, *shape;
        lane_expect *expect;
        int type;
    } rows[] = {
        {"testp.finite.f32", "pr", class_of, 11}, {"testp.infinite.f32", "pr", class_of, 11},
        {"testp.number.f32", "pr", class_of, 11}, {"testp.notanumber.f32", "pr", class_of, 11},
        {"testp.normal.f32", "pr", class_of, 11}, {"testp.subnormal.f32", "pr", class_of, 11},
        {"testp.finite.f64", "pd", class_of, 12}, {"testp.infinite.f64", "pd", class_of, 12},
        {"testp.number.f64", "pd", class_of, 12}, {"testp.notanumber.f64", "pd", class_of, 12},
        {"testp.normal.f64", "pd", class_of, 12}, {"testp.subnormal.f64", "pd", class_of, 12},
        {"copysign.f32", "rrr", sign_copied, 11}, {"copysign.f64", "ddd", sign_copied, 12},
        {"slct.u32.f32", "rrrr", chosen, 11},     {"slct.ftz.f32.f32", "rrrr", chosen, 11},
        {"slct.ftz.u64.f32", "dddr", chosen, 11}};
    struct lane_case cases[LANE_CASES];
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        draw(&types[rows[i].type], cases);
        for (int k = 0; k < LANE_CASES; k++) cases[k].in[2] = cases[(k + 7) % LANE_CASES].in[0];
        wrong += !lane_check("sm_90a", rows[i].text, rows[i].shape, cases, rows[i].expect,
                             &rows[i].text);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_comparison),
                                       cmocka_unit_test(no_such_comparison),
                                       cmocka_unit_test(sets),
                                       cmocka_unit_test(minima_and_maxima),
                                       cmocka_unit_test(abs_and_neg),
                                       cmocka_unit_test(classes_and_choices)};
    return cmocka_run_group_tests_name("comparisons of the emulator", tests, NULL, NULL);
}
