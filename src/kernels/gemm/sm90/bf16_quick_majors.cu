// The bf16 GEMM kernels with a bias and an activation (quick.cuh) of operands that are contiguous
// along M or N, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_quick_majors
#include "quick.cuh"
