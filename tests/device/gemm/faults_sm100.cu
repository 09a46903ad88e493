// The kernels for tensor memory with planted faults (gemm_params.fault): each must be caught. The
// tests load them; no plan ever does.
#define GEMM_FAULTS
#include "kernels/gemm/sm100/compose.cuh"
#include "kernels/gemm/sm100/dynamic.cuh"
#include "kernels/gemm/make_scaled_group.cuh"

GEMM_KERNEL(tensor_faulty_1x128, GEMM_BF16, 1, 128)
GEMM_FINISHED_KERNEL(tensor_faulty_1x128_epilogue, GEMM_BF16, 1, 128)
GEMM_GATED_KERNEL(tensor_faulty_1x128_gated, GEMM_BF16, 1, 128)
GEMM_KERNEL(tensor_faulty_2x128, GEMM_BF16, 2, 128)
GEMM_KERNEL_OF(member_walk, tensor_group_faulty_2x256, GEMM_BF16, 2, 256)
GEMM_KERNEL_OF(dynamic_walk<S>, tensor_dynamic_faulty_2x256, GEMM_BF16, 2, 256)
GEMM_KERNEL(tensor_scaled_faulty_1x128, GEMM_MXF8, 1, 128)
GEMM_KERNEL(tensor_nvf4_faulty_1x128, GEMM_NVF4, 1, 128)
GEMM_KERNEL(tensor_mxf4_faulty_1x128, GEMM_MXF4, 1, 128)
GEMM_KERNEL(tensor_scaled_faulty_2x256, GEMM_MXF8, 2, 256)
GEMM_KERNEL_OF(member_walk, tensor_group_scaled_faulty_2x256, GEMM_MXF8, 2, 256)
GEMM_KERNEL_OF(member_walk, tensor_group_mxf4_faulty_1x128, GEMM_MXF4, 1, 128)
GEMM_MAKE_SCALED(make_scaled_faulty)
