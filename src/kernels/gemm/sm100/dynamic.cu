// The kernels for tensor memory whose clusters ask for their next tile.
#define GEMM_ONLY
#include "dynamic.cuh"

#define GEMM_TENSOR_DYNAMIC(kind, code, ctas, bn)                                                  \
    GEMM_KERNEL_OF(dynamic_walk<S>, tensor_dynamic_##code##_##ctas##x##bn, GEMM_KIND_##kind, ctas, \
                   bn)
#include "dynamic.def"
