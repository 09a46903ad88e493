// One GEMM kernel with planted faults (gemm_params.fault): each must be caught, by a wrong value,
// by the watchdog, or by the driver. The tests load it; no plan ever does.
#define GEMM_FAULTS
#include "kernel.cuh"

GEMM_KERNEL(gemm_faulty_2x128, GEMM_BF16, 2, 128)
