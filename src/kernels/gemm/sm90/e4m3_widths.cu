// The e4m3 GEMM kernels of widths between the common ones, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3_widths
#include "instances.cuh"
