// The GEMM kernels for tensor memory with scale factors and an epilogue: the rows of instances.def,
// compiled.
#define GEMM_ONLY
#define GEMM_ONLY_mx_epilogue
#include "compose.cuh"
