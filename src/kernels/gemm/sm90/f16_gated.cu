// The f16 GEMM kernels with an epilogue: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_gated
#include "finished.cuh"
