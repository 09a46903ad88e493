// The GEMM kernels for tensor memory of .kind::i8: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_i8
#include "instances.cuh"
