// The e4m3 GEMM kernels of mma.sync: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3
#include "instances.cuh"
