// One kernel per row of instances.def; the name says the row: gemm_bf16_2x256_000.
#include "pingpong.cuh"
#include "tall.cuh"

#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)                                          \
    GEMM_KERNEL(gemm_##kind##_##wgs##x##bn##_##a_mn##b_mn##promote, GEMM_KIND_##kind, wgs, bn,     \
                a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)                                                             \
    GEMM_PINGPONG_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn, GEMM_KIND_##kind, slabs, bn)
#define GEMM_PINGPONG_MAJORS(kind, slabs, bn, a_mn, b_mn)                                          \
    GEMM_PINGPONG_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_##a_mn##b_mn, GEMM_KIND_##kind,   \
                         slabs, bn, b_mn, a_mn)
#include "instances.def"
