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

// a * b + c of the halves.
template <int KIND> PTX_FN uint32_t pair_fma(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t y;
    if constexpr (KIND == GEMM_BF16)
        asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
    else
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
    return y;
}

// What is added is -0.
template <int KIND> PTX_FN uint32_t pair_mul(uint32_t a, uint32_t b)
{
    return pair_fma<KIND>(a, b, 0x80008000);
}

// An unsigned number in a half's low byte is, as one of 16 bits without an exponent, so many of the
// least there are: 2^-133 in bf16, 2^-24 in fp16. The largest power of two makes it so many of
// 2^-6 or 2^-9, and a number 4 bits higher needs a 16th of it. D is multiplied by the rest.
template <int KIND> constexpr uint32_t GROW = KIND == GEMM_BF16 ? 0x7f007f00 : 0x78007800;
template <int KIND> constexpr uint32_t GROW_HIGH = KIND == GEMM_BF16 ? 0x7d007d00 : 0x68006800;
template <class S>
constexpr float UNIT = S::WEIGHT == MIXED_E4M3 ? 1
                       : S::KIND == GEMM_BF16  ? 64
                                               : 512;

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
    if (FAULT(p, 120)) word &= 0x7f7f7f7f;
    if (S::WEIGHT == MIXED_S8) word ^= 0x80808080;
#pragma unroll
    for (int i = 0; i < S::PAIRS; i++) {
        const int at = FAULT(p, 110) ? i ^ 1 : i;
        if constexpr (S::WEIGHT == MIXED_E4M3)
            pair[i] = e4m3_pair<S::KIND>(i ? word : word << 8);
        else if constexpr (S::WEIGHT == MIXED_S8)
            pair[i] = pair_fma<S::KIND>(word >> 8 * i & 0x00ff00ff, GROW<S::KIND>, bias);
        else if (at % 2)
            pair[i] =
                pair_fma<S::KIND>(word >> 4 * (at - 1) & 0x00f000f0, GROW_HIGH<S::KIND>, bias);
        else
            pair[i] = pair_fma<S::KIND>(word >> 4 * at & 0x000f000f, GROW<S::KIND>, bias);
    }
}

// What unpack() adds to row `row`'s weights: the zero taken away.
template <class S> PTX_FN uint32_t unpack_bias(uint32_t zeros, int row)
{
    constexpr uint32_t MINUS = 0x80008000;
    if constexpr (S::WEIGHT == MIXED_E4M3) return 0;
    if (S::WEIGHT == MIXED_S8) zeros ^= 0x80808080;
    return pair_mul<S::KIND>(__byte_perm(zeros, 0, row | row << 8 | 0x4040), GROW<S::KIND> | MINUS);
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
