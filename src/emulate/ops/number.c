// Numbers of 16 bits, to and from single precision.
#include "emulate/ops/ops.h"

#include <math.h>

float emu_from_bfloat(uint32_t bits)
{
    return emu_float(bits << 16);
}

uint32_t emu_to_bfloat(float value)
{
    const uint32_t u = emu_bits(value);
    if (value != value) return 0x7fff;
    return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

uint32_t emu_to_bfloat_zero(float value)
{
    return value != value ? 0x7fff : emu_bits(value) >> 16;
}

// The mantissa with its hidden bit, shifted so that its last bit counts 2^-24 or, for normal
// numbers, 2^(exponent - 10); what falls off decides the rounding.
static uint32_t half_of(float value, bool nearest)
{
    const uint32_t u = emu_bits(value), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
    if (a > 0x7f800000) return 0x7fff;
    if (a == 0x7f800000) return sign | 0x7c00;
    if (a >= 0x477ff000 && nearest) return sign | 0x7c00; // 65520 and more
    if (a >= 0x47800000) return sign | 0x7bff;
    const uint32_t exponent = a >> 23;
    const uint32_t drop = exponent >= 113 ? 13 : 126 - exponent;
    if (drop > 25) return sign;
    const uint32_t m = exponent >= 113 ? (a - (112u << 23)) : ((a & 0x7fffff) | 0x800000);
    uint32_t r = m >> drop;
    const uint32_t rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
    if (nearest && (rest > half || (rest == half && (r & 1)))) r++;
    return sign | r;
}

uint32_t emu_to_half(float value)
{
    return half_of(value, true);
}

uint32_t emu_to_half_zero(float value)
{
    return half_of(value, false);
}

static bool goes_up(double rest, bool odd, enum emu_rounding rounding, bool negative)
{
    switch (rounding) {
    case EMU_NEAREST:
        return rest > 0.5 || (rest == 0.5 && odd);
    case EMU_AWAY:
        return rest >= 0.5;
    default:
        return rest > 0 && rounding == (negative ? EMU_DOWN : EMU_UP);
    }
}

// The number in units of its format's last place: below 2^(mantissa + 1), and where the exponent is
// the least one, a subnormal number's code by itself.
uint32_t emu_round(struct emu_format f, double value, enum emu_rounding rounding, bool finite)
{
    const int bias = (1 << (f.exponent - 1)) - 1;
    const bool negative = signbit(value) != 0;
    const uint32_t sign = negative ? 1u << (f.exponent + f.mantissa) : 0;
    const uint32_t infinity = ((1u << f.exponent) - 1) << f.mantissa;
    const bool inward = rounding == EMU_ZERO || rounding == (negative ? EMU_UP : EMU_DOWN);
    int exponent;
    if (value != value) return (1u << (f.exponent + f.mantissa)) - 1;
    if (value == 0) return sign;
    if (isinf(value)) return sign | (infinity - finite);
    frexp(value, &exponent);
    if (exponent < 2 - bias) exponent = 2 - bias;
    const double scaled = ldexp(fabs(value), (int)f.mantissa + 1 - exponent);
    const uint32_t whole = (uint32_t)scaled;
    const uint32_t code = ((uint32_t)(exponent - 2 + bias) << f.mantissa) + whole +
                          goes_up(scaled - whole, whole & 1, rounding, negative);
    return sign | (code < infinity ? code : infinity - (finite || inward));
}
