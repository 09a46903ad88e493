// The kernels of mma.sync that multiply a group, and those that make its members'
// parameters.
#include "kernel.cuh"
#include "kernels/gemm/make_scaled_group.cuh"

#define GEMM_WARPS_GROUP(kind, wgs, bn)                                                            \
    GEMM_KERNEL_OF(member_walk, warps_group_##kind##_##wgs##x##bn, GEMM_KIND_##kind, wgs, bn)
#include "groups.def"

GEMM_MAKE_SCALED(make_scaled_group)
