// The f16 GEMM kernels with a gate whose B is contiguous along N, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_gated_majors
#include "finished.cuh"
