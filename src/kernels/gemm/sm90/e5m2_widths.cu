// The e5m2 GEMM kernels of widths between the common ones, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e5m2_widths
#include "instances.cuh"
