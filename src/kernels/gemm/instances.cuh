// One kernel per row of instances.def; the name says the row: gemm_bf16_2x256_000.
#include "kernel.cuh"

#define GEMM_KIND_bf16 GEMM_BF16
#define GEMM_KIND_f16 GEMM_F16
#define GEMM_KIND_tf32 GEMM_TF32
#define GEMM_KIND_e4m3 GEMM_E4M3
#define GEMM_KIND_e5m2 GEMM_E5M2
#define GEMM_KIND_s8 GEMM_S8

#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)                                          \
    GEMM_KERNEL(gemm_##kind##_##wgs##x##bn##_##a_mn##b_mn##promote, GEMM_KIND_##kind, wgs, bn,     \
                a_mn, b_mn, promote)
#include "instances.def"
