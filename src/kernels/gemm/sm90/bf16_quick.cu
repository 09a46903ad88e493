// The bf16 GEMM kernels with a bias and an activation (quick.cuh), compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_quick
#include "quick.cuh"
