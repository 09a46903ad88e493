// Weights of 4 and 8 bits as pairs of numbers of 16: whole words at once, by what their bits are in
// the significand of another number.
#pragma once

#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/kinds.cuh"
#include "kernels/gemm/mixed.h"

// Bits of a weight.
PTX_FN constexpr int32_t weight_bits_of(int32_t weight)
{
    int32_t size = 0;
#define WEIGHT(word, NAME, bits, zeros)                                                            \
    if (weight == MIXED_##NAME) size = bits;
#include "kernels/gemm/mixed.def"
    return size;
}

// (x & mask) | bits.
PTX_FN uint32_t mask_or(uint32_t x, uint32_t mask, uint32_t bits)
{
    uint32_t y;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(y) : "r"(x), "r"(mask), "r"(bits));
    return y;
}

#define PAIR_OP(NAME, OP)                                                                          \
    template <int KIND> PTX_FN uint32_t NAME(uint32_t a, uint32_t b)                               \
    {                                                                                              \
        uint32_t y;                                                                                \
        if constexpr (KIND == GEMM_BF16)                                                           \
            asm(OP ".bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));                              \
        else                                                                                       \
            asm(OP ".f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));                               \
        return y;                                                                                  \
    }
PAIR_OP(pair_sub, "sub.rn")
PAIR_OP(pair_mul, "mul.rn")
#undef PAIR_OP

// Numbers whose last bit of the significand is 1: an unsigned number written there is added.
template <int KIND> constexpr uint32_t MAGIC = KIND == GEMM_BF16 ? 0x43004300 : 0x64006400;

// Of signed bytes in the low halves' low bytes. bf16 has room for seven bits: the eighth makes of
// 128 a 256 to take away.
template <int KIND> PTX_FN uint32_t signed_pair(uint32_t x)
{
    return pair_sub<KIND>(mask_or(x, 0x007f007f, MAGIC<KIND>), mask_or(x, 0x00800080, MAGIC<KIND>));
}

// Of e4m3 in the halves' high bytes: exponents of another bias, which a multiplication mends, also
// of what has none. (0x7f counts as 480.)
template <int KIND> PTX_FN uint32_t e4m3_pair(uint32_t x)
{
    constexpr bool BRAIN = KIND == GEMM_BF16;
    const uint32_t magnitude = BRAIN ? x >> 4 & 0x07f007f0 : x >> 1 & 0x3f803f80;
    return pair_mul<KIND>(mask_or(x, 0x80008000, magnitude), BRAIN ? 0x7b807b80 : 0x5c005c00);
}

// The pairs in a word of weights: elements i and i + PAIRS of its neighbours along K. bias: what
// unpack_bias() made of the row's zero.
template <class S>
PTX_FN void unpack(uint32_t (&pair)[S::PAIRS], uint32_t word, uint32_t bias, const gemm_params &p)
{
    if (S::WEIGHT == MIXED_S8 && S::KIND == GEMM_F16) word ^= 0x80808080;
#pragma unroll
    for (int i = 0; i < S::PAIRS; i++) {
        if constexpr (S::WEIGHT == MIXED_U4) {
            pair[i] = pair_sub<S::KIND>(
                mask_or(word >> (FAULT(p, 110) ? 4 * (i ^ 1) : 4 * i), 0x000f000f, MAGIC<S::KIND>),
                bias);
        } else if constexpr (S::WEIGHT == MIXED_E4M3) {
            pair[i] = e4m3_pair<S::KIND>(i ? word : word << 8);
        } else if constexpr (S::KIND == GEMM_F16) {
            pair[i] = pair_sub<S::KIND>(mask_or(word >> 8 * i, 0x00ff00ff, MAGIC<S::KIND>), bias);
        } else {
            pair[i] = pair_sub<S::KIND>(
                signed_pair<S::KIND>(word >> 8 * i & (FAULT(p, 120) ? 0xff7fff7f : ~0u)), bias);
        }
    }
}

// What unpack() takes away of row `row`'s weights: the zero, and the number it was written on.
template <class S> PTX_FN uint32_t unpack_bias(uint32_t zeros, int row)
{
    const uint32_t select = row | row << 8 | 0x4040;
    if constexpr (S::WEIGHT == MIXED_E4M3) return 0;
    if constexpr (S::WEIGHT == MIXED_S8 && S::KIND == GEMM_BF16)
        return signed_pair<S::KIND>(__byte_perm(zeros, 0, select));
    if constexpr (S::WEIGHT == MIXED_S8) zeros ^= 0x80808080;
    return __byte_perm(zeros, MAGIC<S::KIND> >> 8, select);
}

// A zero where none is given.
template <class S> constexpr uint32_t NO_ZEROS = S::WEIGHT == MIXED_U4 ? 0x08080808 : 0;

template <int KIND> PTX_FN void two_floats(uint32_t x, float &low, float &high)
{
    if constexpr (KIND == GEMM_BF16) {
        low = __uint_as_float(x << 16);
        high = __uint_as_float(x & 0xffff0000);
    } else {
        asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
            : "=f"(low), "=f"(high)
            : "r"(x));
    }
}

template <int KIND> PTX_FN uint32_t two_halves(float low, float high)
{
    uint32_t x;
    if constexpr (KIND == GEMM_BF16)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    return x;
}
