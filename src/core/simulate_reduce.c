// How a reduction combines one element in global memory with one from shared memory.
//
// Integer operations are those of the PTX ISA's red instruction. The float ones were read off an
// H200: additions round to nearest even and keep subnormals; what they do with NaNs is below.
#include "core/simulate.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

struct float_form {
    uint32_t exponent_bits, mantissa_bits;
};

static double half_value(uint64_t bits, struct float_form f)
{
    const int32_t bias = (1 << (f.exponent_bits - 1)) - 1;
    const uint64_t mantissa = bits & ((1ull << f.mantissa_bits) - 1);
    const int32_t exponent = (int32_t)(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
    const double sign = bits >> (f.exponent_bits + f.mantissa_bits) & 1 ? -1 : 1;
    if (exponent == (1 << f.exponent_bits) - 1)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp((double)mantissa, 1 - bias - (int)f.mantissa_bits);
    return sign * ldexp((double)(mantissa | 1ull << f.mantissa_bits),
                        exponent - bias - (int)f.mantissa_bits);
}

// To nearest even. A sum of two such numbers is exact in a double, so this is the only rounding.
static uint64_t half_bits(double v, struct float_form f)
{
    const int32_t bias = (1 << (f.exponent_bits - 1)) - 1;
    const uint64_t top = (1ull << f.exponent_bits) - 1;
    const uint64_t sign = (uint64_t)(signbit(v) != 0) << (f.exponent_bits + f.mantissa_bits);
    if (v == 0) return sign;
    if (isinf(v)) return sign | top << f.mantissa_bits;
    int exponent;
    frexp(v, &exponent);
    exponent -= 1;
    if (exponent < 1 - bias) exponent = 1 - bias;
    const double scaled = fabs(ldexp(v, (int)f.mantissa_bits - exponent));
    uint64_t m = (uint64_t)scaled;
    const double rest = scaled - (double)m;
    if (rest > 0.5 || (rest == 0.5 && (m & 1))) m++;
    const uint64_t hidden = 1ull << f.mantissa_bits;
    uint64_t bits =
        m < hidden ? m : ((uint64_t)(exponent + bias) << f.mantissa_bits) + (m - hidden);
    if (bits > top << f.mantissa_bits) bits = top << f.mantissa_bits;
    return sign | bits;
}

static const struct float_form half_form = {5, 10}, bfloat_form = {8, 7};
#define HALF_NAN 0x7fffu

static uint64_t reduce_half(uint32_t op, struct float_form f, uint64_t a, uint64_t b)
{
    const double x = half_value(a, f), y = half_value(b, f);
    if (op == TMAP_OP_REDUCE_ADD) {
        const double sum = x + y;
        return isnan(sum) ? HALF_NAN : half_bits(sum, f);
    }
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? HALF_NAN : isnan(x) ? b : a;
    if (x == y) return op == TMAP_OP_REDUCE_MIN ? (a | b) : (a & b); // only zeros differ in bits
    return (op == TMAP_OP_REDUCE_MIN) == (x < y) ? a : b;
}

static uint32_t flush(uint32_t v, bool ftz)
{
    return ftz && (v & 0x7f800000) == 0 ? v & 0x80000000 : v;
}

static uint64_t add_float(uint64_t a, uint64_t b, bool ftz)
{
    float x, y;
    const uint32_t a32 = flush((uint32_t)a, ftz), b32 = flush((uint32_t)b, ftz);
    memcpy(&x, &a32, 4);
    memcpy(&y, &b32, 4);
    const float sum = x + y;
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    return isnan(sum) ? 0x7fffffffu : flush(bits, ftz);
}

static bool is_nan64(uint64_t v)
{
    return (v & INT64_MAX) > 0x7ff0000000000000u;
}

static uint64_t add_double(uint64_t a, uint64_t b)
{
    double x, y;
    if (is_nan64(b)) return b; // as it is, not made quiet
    if (is_nan64(a)) return a;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    const double sum = x + y;
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    return isnan(sum) ? 0xfff8000000000000u : bits;
}

static bool less(int32_t dtype, uint64_t a, uint64_t b)
{
    if (dtype == TMAP_INT32) return (int32_t)a < (int32_t)b;
    if (dtype == TMAP_INT64) return (int64_t)a < (int64_t)b;
    return a < b;
}

static uint64_t reduce_integer(uint32_t op, int32_t dtype, uint64_t old, uint64_t value)
{
    switch (op) {
    case TMAP_OP_REDUCE_ADD:
        return old + value;
    case TMAP_OP_REDUCE_MIN:
        return less(dtype, value, old) ? value : old;
    case TMAP_OP_REDUCE_MAX:
        return less(dtype, old, value) ? value : old;
    case TMAP_OP_REDUCE_INC:
        return old >= value ? 0 : old + 1;
    case TMAP_OP_REDUCE_DEC:
        return old == 0 || old > value ? value : old - 1;
    case TMAP_OP_REDUCE_AND:
        return old & value;
    case TMAP_OP_REDUCE_OR:
        return old | value;
    default:
        return old ^ value;
    }
}

uint64_t sim_reduce(uint32_t op, int32_t dtype, uint64_t old, uint64_t value)
{
    switch (dtype) {
    case TMAP_FLOAT16:
        return reduce_half(op, half_form, old, value);
    case TMAP_BFLOAT16:
        return reduce_half(op, bfloat_form, old, value);
    case TMAP_FLOAT32:
    case TMAP_TFLOAT32:
        return add_float(old, value, false);
    case TMAP_FLOAT32_FTZ:
    case TMAP_TFLOAT32_FTZ:
        return add_float(old, value, true);
    case TMAP_FLOAT64:
        return add_double(old, value);
    default:
        return reduce_integer(op, dtype, old, value);
    }
}
