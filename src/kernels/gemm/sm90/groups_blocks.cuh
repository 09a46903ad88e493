// Groups whose operands have scales of blocks. A's are one map for all members, in which each has
// its first row and its first block of K; B's lie member by member.
#pragma once

#include "blocks.cuh"
#include "groups.cuh"
#include "kernels/gemm/routing.h"

template <class S> PTX_FN const gemm_blocks &group_blocks_of(const gemm_params &p)
{
    return reinterpret_cast<const gemm_routed_params &>(p).blocks;
}

template <class S> PTX_FN uint32_t scales_down_of(const gemm_params &q)
{
    return (FAULT(q, 111) ? 0 : q.first_row % GEMM_ROWS_AT_ONCE) * 4;
}

template <class S>
PTX_FN void begin_member_scales(scale_loads<S> &scales, const gemm_params &p, const source<S> &from,
                                int32_t k)
{
    const gemm_params &q = *from.params;
    scales.begin(from, group_blocks_of<S>(p), q.b_blocks, k);
    scales.row += q.first_row / GEMM_ROWS_AT_ONCE * GEMM_ROWS_AT_ONCE;
    scales.block += q.first_block;
}

template <class S>
PTX_FN void sum_scaled_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const gemm_params &q, const shared_layout<S> &smem, uint32_t fillers,
                            int32_t wg, int32_t k_blocks, ring_position &ring,
                            const ptx::watch &watch)
{
#pragma unroll
    for (int i = 0; i < S::REGS; i++) acc[i] = 0;
    promotion<S> sums(acc, p, smem, fillers, wg, ring, watch);
    sums.scales.base += scales_down_of<S>(q);
    sums.all(k_blocks);
}

#define GEMM_GROUP_BLOCKS_KERNEL(NAME, ...)                                                        \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_routed_params p)                                              \
    {                                                                                              \
        gemm_group<block_scaled<__VA_ARGS__>>(p.product);                                          \
    }
