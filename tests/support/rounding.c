#include "support/rounding.h"

#include <math.h>
#include <stddef.h>

const struct float_format format_f64 = {11, 52, 0xfff8000000000000, 0x7ff0000000000000,
                                        0x7fefffffffffffff};
const struct float_format format_f32 = {8, 23, 0x7fffffff, 0x7f800000, 0x7f7fffff};
const struct float_format format_f16 = {5, 10, 0x7fff, 0x7c00, 0x7bff};
const struct float_format format_bf16 = {8, 7, 0x7fff, 0x7f80, 0x7f7f};
const struct float_format format_tf32 = {8, 10, 0x3ffff, 0x3fc00, 0x3fbff};
const struct float_format format_e4m3 = {4, 3, 0x7f, 0, 0x7e};
const struct float_format format_e5m2 = {5, 2, 0x7f, 0x7c, 0x7b};
const struct float_format format_e2m3 = {2, 3, 0x1f, 0, 0x1f};
const struct float_format format_e3m2 = {3, 2, 0x1f, 0, 0x1f};
const struct float_format format_e2m1 = {2, 1, 0x7, 0, 0x7};

static uint64_t sign_of(const struct float_format *f)
{
    return (uint64_t)1 << (f->exponent_bits + f->mantissa_bits);
}

/* Of a code without its sign. */
static long double magnitude(const struct float_format *f, uint64_t code)
{
    const uint64_t one = (uint64_t)1 << f->mantissa_bits;
    const int bias = (1 << (f->exponent_bits - 1)) - 1;
    const int exponent = (int)(code >> f->mantissa_bits);
    const uint64_t mantissa = code & (one - 1);
    return exponent == 0
               ? ldexpl((long double)mantissa, 1 - bias - f->mantissa_bits)
               : ldexpl((long double)(mantissa | one), exponent - bias - f->mantissa_bits);
}

long double float_value(const struct float_format *f, uint64_t code)
{
    const uint64_t sign = sign_of(f), plain = code & (sign - 1);
    long double v = magnitude(f, plain);
    if (plain > f->largest) v = f->infinity && plain == f->infinity ? INFINITY : NAN;
    return code & sign ? -v : v;
}

bool float_subnormal(const struct float_format *f, uint64_t code)
{
    const uint64_t plain = code & (sign_of(f) - 1);
    return plain != 0 && plain >> f->mantissa_bits == 0;
}

static bool at_most(const struct float_format *f, uint64_t code, struct exact x)
{
    const long double v = magnitude(f, code);
    return v < x.value || (v == x.value && x.rest >= 0);
}

/* Of a positive number between the code `low` and the next one. */
static uint64_t choose(const struct float_format *f, uint64_t low, struct exact x, enum rounding r,
                       bool negative)
{
    const long double middle = (magnitude(f, low) + magnitude(f, low + 1)) / 2;
    const int side = x.value > middle ? 1 : x.value < middle ? -1 : x.rest;
    switch (r) {
    case ROUND_NEAREST:
        return low + (side > 0 || (side == 0 && (low & 1)));
    case ROUND_AWAY:
        return low + (side >= 0);
    case ROUND_DOWN:
        return low + negative;
    case ROUND_UP:
        return low + !negative;
    default:
        return low;
    }
}

uint64_t float_round(const struct float_format *f, struct exact x, enum rounding r, bool finite)
{
    const bool negative = signbit(x.value) != 0;
    const uint64_t sign = negative ? sign_of(f) : 0;
    const uint64_t beyond = finite || !f->infinity ? f->largest : f->infinity;
    if (isnan(x.value)) return f->nan;
    if (isinf(x.value)) return sign | beyond;
    if (negative) x = (struct exact){-x.value, -x.rest};
    uint64_t low = 0, high = f->largest + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (at_most(f, middle, x))
            low = middle;
        else
            high = middle;
    }
    if (magnitude(f, low) == x.value && x.rest == 0) return sign | low;
    if (low == f->largest && at_most(f, low + 1, x))
        return sign | (r == ROUND_ZERO || r == (negative ? ROUND_UP : ROUND_DOWN) ? low : beyond);
    const uint64_t code = choose(f, low, x, r, negative);
    return sign | (code > f->largest ? beyond : code);
}

struct exact exact_of(long double value)
{
    return (struct exact){value, 0};
}

static struct exact with_rest(long double value, long double rest)
{
    return (struct exact){value, rest > 0 ? 1 : rest < 0 ? -1 : 0};
}

struct exact exact_sum(long double a, long double b)
{
    const long double s = a + b, back = s - a;
    if (!isfinite(s)) return exact_of(s);
    return with_rest(s, (a - (s - back)) + (b - back));
}

struct exact exact_product(long double a, long double b)
{
    const long double p = a * b;
    return isfinite(p) ? with_rest(p, fmal(a, b, -p)) : exact_of(p);
}

struct exact exact_fma(long double a, long double b, long double c)
{
    return exact_sum(a * b, c);
}

struct exact exact_quotient(long double a, long double b)
{
    const long double q = a / b;
    if (!isfinite(q) || isinf(b) || q == 0) return exact_of(q);
    const long double rest = fmal(-q, b, a);
    return with_rest(q, b < 0 ? -rest : rest);
}

struct exact exact_root(long double a)
{
    const long double q = sqrtl(a);
    return isfinite(q) ? with_rest(q, fmal(-q, q, a)) : exact_of(q);
}
