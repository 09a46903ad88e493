// The GEMM kernels for tensor memory of .kind::tf32: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_tf32
#include "instances.cuh"
