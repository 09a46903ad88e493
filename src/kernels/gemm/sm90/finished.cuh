// Kernels whose sums go through the steps of epilogue.def; the name says the row:
// gemm_bf16_2x256_epilogue, gemm_bf16_pingpong_2x192_epilogue, gemm_bf16_2x256_gated.
#pragma once

#include "gated.cuh"
#include "pingpong.cuh"

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
#define GEMM_EPILOGUE_MAJORS(kind, wgs, bn, a_mn, b_mn)                                            \
    GEMM_FINISHED_KERNEL(gemm_##kind##_##wgs##x##bn##_epilogue_##a_mn##b_mn,                       \
                         shape<GEMM_KIND_##kind, wgs, bn, a_mn, b_mn>)
#define GEMM_EPILOGUE_PINGPONG_MAJORS(kind, slabs, bn, a_mn, b_mn)                                 \
    GEMM_FINISHED_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_epilogue_##a_mn##b_mn,            \
                         pingpong_shape<GEMM_KIND_##kind, slabs, bn, b_mn, a_mn>)
#define GEMM_GATED_MAJORS(kind, wgs, bn)                                                           \
    GEMM_GATED_KERNEL(gemm_##kind##_##wgs##x##bn##_gated_01,                                       \
                      shape<GEMM_KIND_##kind, wgs, bn, false, true>)
#define GEMM_GATED_PINGPONG_MAJORS(kind, slabs, bn)                                                \
    GEMM_GATED_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_gated_01,                            \
                      pingpong_shape<GEMM_KIND_##kind, slabs, bn, true>)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)
#include "instances.def"
#endif
