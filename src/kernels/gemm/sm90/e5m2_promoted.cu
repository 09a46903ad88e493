// The e5m2 GEMM kernels whose sums leave the tensor core every 128 of K, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e5m2_promoted
#include "instances.cuh"
