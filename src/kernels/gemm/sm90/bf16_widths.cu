// The bf16 GEMM kernels of widths between the common ones, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_widths
#include "instances.cuh"
