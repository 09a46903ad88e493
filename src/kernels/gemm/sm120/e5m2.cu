// The e5m2 GEMM kernels of mma.sync: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e5m2
#include "instances.cuh"
