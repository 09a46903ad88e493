// The e4m3 GEMM kernels whose sums leave the tensor core every 128 of K, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3_promoted
#include "instances.cuh"
