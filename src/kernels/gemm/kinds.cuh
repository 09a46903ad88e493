// What kinds.def says of a kind, for the kernels.
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

// Of a multiplicand.
PTX_FN constexpr int32_t element_bytes_of(int32_t kind)
{
    int32_t bytes = 0;
#define KIND(word, NAME, element_bytes, ...)                                                       \
    if (kind == GEMM_##NAME) bytes = element_bytes;
#include "kernels/gemm/kinds.def"
    return bytes;
}
