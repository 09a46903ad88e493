// The e4m3 GEMM kernels with scales of blocks: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3_blocks
#include "blocks.cuh"
