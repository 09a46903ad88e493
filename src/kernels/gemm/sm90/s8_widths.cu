// The s8 GEMM kernels of widths between the common ones, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_s8_widths
#include "instances.cuh"
