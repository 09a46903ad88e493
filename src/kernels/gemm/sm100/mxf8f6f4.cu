// The GEMM kernels for tensor memory of .kind::mxf8f6f4: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_mxf8f6f4
#include "instances.cuh"
