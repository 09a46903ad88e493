// The e4m3 GEMM kernels of mma.sync with an epilogue: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e4m3_epilogue
#include "finished.cuh"
