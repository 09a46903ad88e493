// The kernels of mma.sync with planted faults (gemm_params.fault): each must be caught. The tests
// load them; no plan ever does.
#define GEMM_FAULTS
#include "kernels/gemm/sm120/finished.cuh"
#include "kernels/gemm/make_scaled_group.cuh"

GEMM_KERNEL(warps_faulty_2x64, GEMM_BF16, 2, 64)
GEMM_FINISHED_KERNEL(warps_faulty_1x64_epilogue, GEMM_BF16, 1, 64)
GEMM_GATED_KERNEL(warps_faulty_1x64_gated, GEMM_BF16, 1, 64)
GEMM_KERNEL_OF(member_walk, warps_group_faulty_2x128, GEMM_BF16, 2, 128)
GEMM_KERNEL(warps_scaled_faulty_2x128, GEMM_MXF8, 2, 128)
GEMM_KERNEL(warps_mxf4_faulty_2x64, GEMM_MXF4, 2, 64)
GEMM_KERNEL(warps_nvf4_faulty_2x64, GEMM_NVF4, 2, 64)
GEMM_KERNEL_OF(member_walk, warps_group_scaled_faulty_2x128, GEMM_MXF8, 2, 128)
GEMM_KERNEL_OF(member_walk, warps_group_mxf4_faulty_2x64, GEMM_MXF4, 2, 64)
GEMM_MAKE_SCALED(make_scaled_faulty)
