// Kernels whose PTX tests/kernels/order.py reads: one of each way to the epilogue.
#include "kernels/gemm/sm90/groups.cuh"
#include "kernels/gemm/sm90/pingpong.cuh"

GEMM_KERNEL(order_sum, GEMM_BF16, 2, 128)
GEMM_KERNEL(order_promote, GEMM_E4M3, 2, 64, 0, 0, 1)
GEMM_PINGPONG_KERNEL(order_pingpong, GEMM_BF16, 1, 128)

extern "C" __global__ __launch_bounds__(384,
                                        1) void order_group(const __grid_constant__ gemm_params p)
{
    gemm_group<shape<GEMM_TF32, 2, 64>>(p);
}
