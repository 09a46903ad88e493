// The GEMM kernels of mma.sync of e2m1 with a scale factor for 32: the rows of instances.def.
#define GEMM_ONLY
#define GEMM_ONLY_mxf4
#include "instances.cuh"
