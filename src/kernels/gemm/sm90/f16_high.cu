// The f16 GEMM kernels of 192 and 256 rows, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_high
#include "instances.cuh"
