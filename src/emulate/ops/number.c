// Numbers of 16 bits, to and from single precision.
#include "emulate/ops/ops.h"

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
