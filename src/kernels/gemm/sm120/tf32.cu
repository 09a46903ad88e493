// The tf32 GEMM kernels of mma.sync: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_tf32
#include "instances.cuh"
