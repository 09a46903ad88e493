// What kinds.def says of a kind, for the kernels.
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

// Tiles of scale factors that a row of 128 bytes of K needs; 0: the kind has none.
PTX_FN constexpr int32_t scale_depth_of(int32_t kind)
{
    int32_t depth = 0;
#define KIND(word, NAME, element_bits, a, b, dtype, out, scale_block)                              \
    if (kind == GEMM_##NAME && scale_block)                                                        \
        depth = 128 * 8 / element_bits / (scale_block ? scale_block : 1) / 4;
#include "kernels/gemm/kinds.def"
    return depth;
}

// Of a multiplicand.
PTX_FN constexpr int32_t element_bits_of(int32_t kind)
{
    int32_t bits = 0;
#define KIND(word, NAME, element_bits, ...)                                                        \
    if (kind == GEMM_##NAME) bits = element_bits;
#include "kernels/gemm/kinds.def"
    return bits;
}

// Of K in a row of 128 bytes, in elements of the map, of which two of 4 bits are one.
PTX_FN constexpr int32_t map_span_of(int32_t kind)
{
    return 128 * 8 / (element_bits_of(kind) < 8 ? 8 : element_bits_of(kind));
}
