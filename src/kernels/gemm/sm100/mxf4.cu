// The GEMM kernels for tensor memory of .kind::mxf4 and .kind::mxf4nvf4: the rows of instances.def,
// compiled.
#define GEMM_ONLY
#define GEMM_ONLY_mxf4
#include "instances.cuh"
