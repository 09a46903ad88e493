// GEMM kernels with planted faults (gemm_params.fault): each must be caught, by a wrong value, by
// the watchdog, or by the driver. The tests load them; no plan ever does.
#define GEMM_FAULTS
#include "kernels/gemm/sm90/blocks.cuh"
#include "kernels/gemm/sm90/finished.cuh"
#include "kernels/gemm/sm90/quick.cuh"

GEMM_KERNEL(gemm_faulty_2x128, GEMM_BF16, 2, 128)
GEMM_PINGPONG_KERNEL(gemm_faulty_pingpong_1x128, GEMM_BF16, 1, 128)
GEMM_FINISHED_KERNEL(gemm_faulty_1x64_epilogue, shape<GEMM_BF16, 1, 64>)
GEMM_GATED_KERNEL(gemm_faulty_1x64_gated, shape<GEMM_BF16, 1, 64>)
GEMM_GATED_KERNEL(gemm_faulty_1x128_gated_01, shape<GEMM_BF16, 1, 128, false, true>)
GEMM_QUICK_KERNEL(gemm_faulty_1x64_quick, shape<GEMM_BF16, 1, 64>)
GEMM_SCALED_KERNEL(gemm_faulty_2x96_blocks, shape<GEMM_E4M3, 2, 96, false, false, true>)
