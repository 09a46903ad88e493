// Kernels for operands that nothing which may still run writes, as a product promises of B
// (weights, say): the ring takes them before griddepcontrol.wait, and the other operand after it.
// The name says the row: gemm_bf16_2x16_early.
#pragma once

#include "kernel.cuh"

template <class SHAPE> struct early : SHAPE {
    static constexpr bool EARLY = true;
    static constexpr int LOADERS = 1;
};

#define GEMM_EARLY_KERNEL(NAME, ...)                                                               \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        gemm<early<__VA_ARGS__>>(p);                                                               \
    }

#ifdef GEMM_ONLY
#define GEMM_EARLY_TILE(kind, wgs, bn)                                                             \
    GEMM_EARLY_KERNEL(gemm_##kind##_##wgs##x##bn##_early, shape<GEMM_KIND_##kind, wgs, bn>)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)
#include "instances.def"
#endif
