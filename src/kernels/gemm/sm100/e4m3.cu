// The e4m3 GEMM kernels for tensor memory: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3
#include "instances.cuh"
