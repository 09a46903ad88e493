// The bf16 GEMM kernels of mma.sync with an epilogue: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_epilogue
#include "finished.cuh"
