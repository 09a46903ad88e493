// The bf16 convolutions: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_bf16_conv
#include "convolution.cuh"
