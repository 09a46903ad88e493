// The e4m3 GEMM kernels of 192 and 256 rows, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3_high
#include "instances.cuh"
