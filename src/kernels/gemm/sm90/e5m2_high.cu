// The e5m2 GEMM kernels of 192 and 256 rows, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e5m2_high
#include "instances.cuh"
