// The f16 GEMM kernels that load B, or A of an exchanged product, before their predecessor has ended,
// compiled.
#define GEMM_ONLY
#define GEMM_ONLY_f16_early
#include "early.cuh"
