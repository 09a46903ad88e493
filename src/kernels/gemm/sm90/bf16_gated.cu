// The bf16 GEMM kernels with an epilogue: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_gated
#include "finished.cuh"
