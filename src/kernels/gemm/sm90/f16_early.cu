// The f16 GEMM kernels for a promise about B (early.cuh), compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_early
#include "early.cuh"
