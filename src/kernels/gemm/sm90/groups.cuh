// The kernels that multiply a group's members (members.cuh).
#pragma once

#include "kernel.cuh"
#include "kernels/gemm/members.cuh"

template <class S>
PTX_FN void produce_group(const gemm_params &p, const shared_layout<S> &smem,
                          const cluster_place &at, int32_t cluster, const ptx::watch &watch)
{
    ring_position ring;
    group_list list(cluster);
    work w;
    int32_t acquired = -1;
#pragma unroll 1
    while (list.take(p, w)) {
        const gemm_params &q = member_of(p, list.member);
        source<S> from(q, smem, at, tile_of(q, w.index));
        if (acquired != list.member) {
            ptx::tensormap_acquire(&q.a);
            ptx::tensormap_acquire(&q.b);
            acquired = list.member;
        }
#pragma unroll 1
        for (int32_t k_block = 0; k_block < w.k_end; k_block++) {
            ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_EMPTY,
                                     ring.slot);
            ptx::mbarrier_arrive_expect_tx(smem.full(ring.slot), S::STAGE_BYTES);
            from.load(k_block * S::BK, ring.slot);
            ring.advance(p.stages);
        }
    }
    drain(p, smem, ring, watch);
}

// The tile's sums to its member's D. What it needs to know is asked for here: kept through the
// multiplies it would cost registers.
template <class S>
PTX_FN void store_of_member(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const shared_layout<S> &smem, int32_t wg, int32_t member, int32_t index,
                            bool fresh)
{
    const gemm_params &q = member_of(p, member);
    const work w = {index, 0, 0};
    if (threadIdx.x % 128 == 0 && fresh) ptx::tensormap_acquire(&q.d);
    const place at = place_of<S>(q, w, wg);
    if (!S::PROMOTE && q.plain && !q.ragged)
        store_plain<S>(acc, q, smem.staging(wg), wg, at);
    else
        store_tile<S>(acc, q, smem.staging(wg), wg, at);
}

template <class S>
PTX_FN void consume_group(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers,
                          int32_t cluster, const ptx::watch &watch)
{
    const int32_t wg = threadIdx.x / 128 - 1;
    ring_position ring;
    typename S::acc_t acc[S::REGS];
    group_list list(cluster);
    work w;
    int32_t acquired = -1;
    begin_turns<S>(wg);
#pragma unroll 1
    while (list.take(p, w)) {
        sum_tile<S>(acc, p, smem, fillers, wg, w.k_end, ring, watch);
        store_of_member<S>(acc, p, smem, wg, list.member, w.index, acquired != list.member);
        acquired = list.member;
    }
    end_turns<S>(wg);
    if (threadIdx.x % 128 == 0) ptx::bulk_wait_read<0>();
}

template <class S> PTX_FN void gemm_group(const gemm_params &p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<S> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels, p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const int32_t cluster_size = p.cluster_m * p.cluster_n;
    const int32_t cluster = blockIdx.x / cluster_size;
    const cluster_place at(p);

    begin<S>(p, smem, cluster_size, watch);
    ptx::grid_wait(); // for the members' parameters
    if (threadIdx.x < 128) {
        if constexpr (S::MOVE_REGISTERS) ptx::registers_lower<S::FEW_REGISTERS>();
        if (threadIdx.x / 32 == 0 && ptx::elect_one())
            produce_group<S>(p, smem, at, cluster, watch);
        __syncwarp();
    } else {
        if constexpr (S::MOVE_REGISTERS) ptx::registers_raise<S::MANY_REGISTERS>();
        consume_group<S>(p, smem, at.fillers(), cluster, watch);
    }
}
