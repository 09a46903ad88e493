// The GEMM kernels for tensor memory of .kind::f8f6f4 with an epilogue: the rows of instances.def,
// compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f8f6f4_epilogue
#include "compose.cuh"
