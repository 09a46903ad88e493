// The s8 GEMM kernels of mma.sync: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_s8
#include "instances.cuh"
