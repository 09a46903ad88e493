// The e5m2 GEMM kernels for tensor memory: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e5m2
#include "instances.cuh"
