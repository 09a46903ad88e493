// One kernel per row of instances.def; the name says the row: tensor_f16_1x128_00.
#include "kernel.cuh"

#define GEMM_TENSOR(kind, code, ctas, bn, a_mn, b_mn)                                              \
    GEMM_KERNEL(tensor_##code##_##ctas##x##bn##_##a_mn##b_mn, GEMM_KIND_##kind, ctas, bn, a_mn,    \
                b_mn)
#include "instances.def"
