// The bf16 GEMM kernels of operands that are contiguous along M or N, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_majors
#include "instances.cuh"
