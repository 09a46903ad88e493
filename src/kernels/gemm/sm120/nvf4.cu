// The GEMM kernels of mma.sync of e2m1 with a scale factor for 16: the rows of instances.def.
#define GEMM_ONLY
#define GEMM_ONLY_nvf4
#include "instances.cuh"
