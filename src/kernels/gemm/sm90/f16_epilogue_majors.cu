// The f16 GEMM kernels with an epilogue of operands that are contiguous along M or N, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_epilogue_majors
#include "finished.cuh"
