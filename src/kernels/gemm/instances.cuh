// One kernel per row of instances.def; the name says the row: gemm_bf16_2x256_000.
#include "tall.cuh"

#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)                                          \
    GEMM_KERNEL(gemm_##kind##_##wgs##x##bn##_##a_mn##b_mn##promote, GEMM_KIND_##kind, wgs, bn,     \
                a_mn, b_mn, promote)
#include "instances.def"
