// Kernels of mma.sync whose sums go through the steps of epilogue.def: a thread has those rows and
// columns that wgmma would give it, so the composition is Hopper's. The name says the row:
// warps_bf16_2x128_epilogue, warps_bf16_2x128_gated.
#pragma once

#include "geometry.h"
#include "kernel.cuh"
#include "kernels/gemm/sm90/gated.cuh"

// Of 128 columns, whose sums leave no register for two ways of writing them, D is written by rows
// alone: by columns it is the product of the exchanged operands.
template <class SHAPE> struct finished_by_warps : finished<SHAPE> {
    static constexpr bool WRITES_COLUMNS = SHAPE::BN <= WARPS_WIDEST_EITHER_WAY;
    static constexpr bool KEEPS = false, SPARES = false;
};

template <class SHAPE> struct gated_by_warps : gated<SHAPE> {
    static constexpr bool WRITES_COLUMNS = finished_by_warps<SHAPE>::WRITES_COLUMNS;
    static constexpr bool KEEPS = false, SPARES = false;
};

#define GEMM_FINISHED_KERNEL(NAME, ...)                                                            \
    extern "C" __global__ __launch_bounds__((shape<__VA_ARGS__>::THREADS), 1) void NAME(           \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm_by_warps<finished_by_warps<shape<__VA_ARGS__>>, static_walk>(p.product);              \
    }

#define GEMM_GATED_KERNEL(NAME, ...)                                                               \
    extern "C" __global__ __launch_bounds__((shape<__VA_ARGS__>::THREADS), 1) void NAME(           \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm_by_warps<gated_by_warps<shape<__VA_ARGS__>>, static_walk>(p.product);                 \
    }

#ifdef GEMM_ONLY
#define GEMM_WARPS_GATED(kind, wgs, bn)                                                            \
    GEMM_GATED_KERNEL(warps_##kind##_##wgs##x##bn##_gated, GEMM_KIND_##kind, wgs, bn)
#define GEMM_WARPS_EPILOGUE(kind, wgs, bn)                                                         \
    GEMM_FINISHED_KERNEL(warps_##kind##_##wgs##x##bn##_epilogue, GEMM_KIND_##kind, wgs, bn)
#define GEMM_WARPS(kind, wgs, bn)
#include "instances.def"
#endif
