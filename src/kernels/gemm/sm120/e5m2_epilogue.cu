// The e5m2 GEMM kernels of mma.sync with an epilogue: the rows of instances.def, compiled.
#define GEMM_ONLY
#define GEMM_ONLY_e5m2_epilogue
#include "finished.cuh"
