// One kernel per row of instances.def; the name says the row: warps_bf16_2x128.
#include "kernel.cuh"

#define GEMM_WARPS(kind, wgs, bn)                                                                  \
    GEMM_KERNEL(warps_##kind##_##wgs##x##bn, GEMM_KIND_##kind, wgs, bn)
#include "instances.def"
