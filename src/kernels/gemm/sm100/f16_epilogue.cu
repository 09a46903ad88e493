// The GEMM kernels for tensor memory of .kind::f16 with an epilogue: the rows of instances.def,
// compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_epilogue
#include "compose.cuh"
