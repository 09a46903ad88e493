// The kernels for tensor memory that multiply a group, and those that make its members'
// parameters.
#define GEMM_ONLY
#include "kernel.cuh"
#include "kernels/gemm/make_scaled_group.cuh"

#define GEMM_TENSOR_GROUP(kind, code, ctas, bn)                                                    \
    GEMM_KERNEL_OF(member_walk, tensor_group_##code##_##ctas##x##bn, GEMM_KIND_##kind, ctas, bn)
#include "groups.def"

GEMM_MAKE_SCALED(make_scaled_group)
