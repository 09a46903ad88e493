// Groups with planted faults (gemm_params.fault; tests/support/routed_faults.def): each must be
// caught. The tests load them; no plan ever does.
#define GEMM_FAULTS
#include "kernels/gemm/make_routed.cuh"
#include "kernels/gemm/sm90/groups_blocks.cuh"

#define FAULTY_GROUP(NAME, ...)                                                                    \
    extern "C" __global__ __launch_bounds__((shape<__VA_ARGS__>::THREADS), 1) void NAME(           \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        gemm_group<shape<__VA_ARGS__>>(p);                                                         \
    }

GEMM_MAKE_ROUTED(make_routed_faulty)
FAULTY_GROUP(gemm_group_faulty_2x128, GEMM_BF16, 2, 128)
FAULTY_GROUP(gemm_group_faulty_2x256_11, GEMM_BF16, 2, 256, true, true)
GEMM_GROUP_BLOCKS_KERNEL(gemm_group_faulty_2x64_blocks, shape<GEMM_E4M3, 2, 64, false, false, true>)
