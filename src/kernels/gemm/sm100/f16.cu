// The GEMM kernels for tensor memory of .kind::f16: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16
#include "instances.cuh"
