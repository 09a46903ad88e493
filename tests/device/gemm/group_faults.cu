// Groups with planted faults (gemm_params.fault; tests/support/routed_faults.def): each must be
// caught. The tests load them; no plan ever does.
#include "kernels/gemm/faults.cuh"
#undef FAULT // these alone: to ask for others too, the widest tile has no register
#define FAULT(p, n) (is_planted(n) && (p).fault == (n))
__host__ __device__ constexpr bool is_planted(int n)
{
    return n < 0
#define PLANTED(id, form, kernels, blind, name) || n == id
#include "support/routed_faults.def"
        ;
}
#include "kernels/gemm/make_routed.cuh"
#include "kernels/gemm/sm90/groups_blocks.cuh"
#include "kernels/gemm/sm90/groups_in_turns.cuh"

#define FAULTY_GROUP(NAME, ...)                                                                    \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        gemm_group<__VA_ARGS__>(p);                                                                \
    }

GEMM_MAKE_ROUTED(make_routed_faulty)
FAULTY_GROUP(gemm_group_faulty_2x128, shape<GEMM_BF16, 2, 128>)
FAULTY_GROUP(gemm_group_faulty_2x256_11, shape<GEMM_BF16, 2, 256, true, true>)
FAULTY_GROUP(gemm_group_faulty_pingpong_2x192, pingpong_shape<GEMM_BF16, 2, 192, true, true>)
GEMM_GROUP_BLOCKS_KERNEL(gemm_group_faulty_2x64_blocks, shape<GEMM_E4M3, 2, 64, false, false, true>)
