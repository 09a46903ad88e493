// The f16 GEMM kernels of mma.sync: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16
#include "instances.cuh"
