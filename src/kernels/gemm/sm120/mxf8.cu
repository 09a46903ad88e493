// The GEMM kernels of mma.sync of e4m3 with scale factors: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_mxf8
#include "instances.cuh"
