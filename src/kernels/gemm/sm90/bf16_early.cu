// The bf16 GEMM kernels for a promise about B (early.cuh), compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_early
#include "early.cuh"
