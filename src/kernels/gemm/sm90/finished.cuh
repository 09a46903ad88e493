// Kernels whose sums go through the steps of epilogue.def; the name says the row:
// gemm_bf16_2x256_epilogue, gemm_bf16_pingpong_2x192_epilogue, gemm_bf16_2x256_gated.
#pragma once

#include "gated.cuh"
#include "pingpong.cuh"

// Planted faults take the registers of the long activations.
#ifdef GEMM_FAULTS
enum { FAULTS = 1 };
#else
enum { FAULTS = 0 };
#endif

template <class SHAPE> struct finished : SHAPE {
    static constexpr bool EPILOGUE = true, NARROW = true;
    static constexpr bool SPLITS = SHAPE::SPLITS && SHAPE::REGS < GEMM_WIDE_SUMS;
    // Activations good to fp32, for D in it, are long: in the kernels of few sums alone.
    static constexpr bool PRECISE = !SHAPE::PINGPONG && SHAPE::REGS <= GEMM_PRECISE_SUMS && !FAULTS;
    static constexpr bool STORES_ITSELF = false;
    static constexpr bool SECOND = true; // a second output
};

template <class SHAPE> struct gated : finished<SHAPE> {
    static constexpr bool GATED = true, SPLITS = false, SECOND = false, ADDS_C = false;
    static constexpr int D_COLUMNS = SHAPE::BN / 2;
};

#define GEMM_FINISHED_KERNEL(NAME, ...)                                                            \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<finished<__VA_ARGS__>>(p.product);                                                    \
    }

#define GEMM_GATED_KERNEL(NAME, ...)                                                               \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<gated<__VA_ARGS__>>(p.product);                                                       \
    }

#ifdef GEMM_ONLY
#define GEMM_GATED(kind, wgs, bn)                                                                  \
    GEMM_GATED_KERNEL(gemm_##kind##_##wgs##x##bn##_gated, shape<GEMM_KIND_##kind, wgs, bn>)
#define GEMM_GATED_PINGPONG(kind, slabs, bn)                                                       \
    GEMM_GATED_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_gated,                               \
                      pingpong_shape<GEMM_KIND_##kind, slabs, bn>)
#define GEMM_EPILOGUE(kind, wgs, bn)                                                               \
    GEMM_FINISHED_KERNEL(gemm_##kind##_##wgs##x##bn##_epilogue, shape<GEMM_KIND_##kind, wgs, bn>)
#define GEMM_EPILOGUE_PINGPONG(kind, slabs, bn)                                                    \
    GEMM_FINISHED_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_epilogue,                         \
                         pingpong_shape<GEMM_KIND_##kind, slabs, bn>)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)
#include "instances.def"
#endif
