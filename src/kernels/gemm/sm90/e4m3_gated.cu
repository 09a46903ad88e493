// The e4m3 GEMM kernels with an epilogue: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3_gated
#include "finished.cuh"
