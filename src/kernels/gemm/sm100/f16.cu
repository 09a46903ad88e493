// The f16 GEMM kernels for tensor memory: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16
#include "instances.cuh"
