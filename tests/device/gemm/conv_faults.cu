// Convolutions with planted faults (gemm_params.fault; tests/support/conv_faults.def): each must be
// caught. The tests load them; no plan ever does.
#define GEMM_FAULTS
#include "kernels/gemm/sm90/convolution.cuh"

GEMM_CONV_KERNEL(conv_faulty_2x64, shape<GEMM_BF16, 2, 64>)
GEMM_CONV_KERNEL(conv_faulty_2x64_data, shape<GEMM_BF16, 2, 64, false, true>)
GEMM_CONV_PATCH_KERNEL(conv_faulty_2x64_patch, shape<GEMM_BF16, 2, 64>)
