// What kinds.def says of a kind, for the kernels.
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

// Of a multiplicand.
PTX_FN constexpr int32_t element_bits_of(int32_t kind)
{
    int32_t bits = 0;
#define KIND(word, NAME, element_bits, ...)                                                        \
    if (kind == GEMM_##NAME) bits = element_bits;
#include "kernels/gemm/kinds.def"
    return bits;
}
