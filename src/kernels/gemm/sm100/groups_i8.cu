// The kernels for tensor memory that multiply a group of integers; groups.cu makes their members'
// parameters.
#define GEMM_ONLY
#define GEMM_ONLY_i8
#include "kernel.cuh"

#define GEMM_TENSOR_GROUP(kind, code, ctas, bn)                                                    \
    GEMM_KERNEL_OF(member_walk, tensor_group_##code##_##ctas##x##bn, GEMM_KIND_##kind, ctas, bn)
#include "groups.def"
