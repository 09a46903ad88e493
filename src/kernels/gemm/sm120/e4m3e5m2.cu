// The GEMM kernels of mma.sync of e4m3 by e5m2: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3e5m2
#include "instances.cuh"
