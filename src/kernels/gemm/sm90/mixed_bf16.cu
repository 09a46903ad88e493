// The products of bf16 by weights of 4 or 8 bits: the rows of mixed.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16
#include "mixed.cuh"
