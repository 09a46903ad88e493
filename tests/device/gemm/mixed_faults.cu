// Products of weights in 4 or 8 bits with planted faults (gemm_params.fault;
// tests/support/mixed_faults.def): each must be caught. The tests load them; no plan ever does.
#define GEMM_FAULTS
#include "kernels/gemm/sm90/mixed.cuh"

MIXED_KERNEL(mixed_faulty_u4_16, GEMM_BF16, MIXED_U4, 16, 8)
MIXED_KERNEL(mixed_faulty_s8_16, GEMM_BF16, MIXED_S8, 16, 8)
