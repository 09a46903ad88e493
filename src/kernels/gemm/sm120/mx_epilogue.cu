// The GEMM kernels of mma.sync with scale factors and an epilogue: the rows of instances.def,
// compiled.
#define GEMM_ONLY
#define GEMM_ONLY_mx_epilogue
#include "finished.cuh"
