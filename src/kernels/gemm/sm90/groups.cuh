// The kernels that multiply a group's members (members.cuh).
#pragma once

#include "kernel.cuh"
#include "kernels/gemm/members.cuh"

// In groups_blocks.cuh: a member's scales of blocks to a slot, and a tile's sums with them.
template <class S> PTX_FN const gemm_blocks &group_blocks_of(const gemm_params &p);
template <class S> PTX_FN uint32_t scales_down_of(const gemm_params &q);
template <class S>
PTX_FN void begin_member_scales(scale_loads<S> &scales, const gemm_params &p, const source<S> &from,
                                int32_t k);
template <class S>
PTX_FN void sum_scaled_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const gemm_params &q, const shared_layout<S> &smem, uint32_t fillers,
                            int32_t wg, int32_t k_blocks, ring_position &ring,
                            const ptx::watch &watch);

// Of a k-block.
template <class S>
constexpr int GROUP_TX_BYTES = S::BLOCKS ? S::A_BYTES + S::B_BYTES + (S::BM + GEMM_ROWS_AT_ONCE) * 4
                                         : S::STAGE_BYTES;

// A member along K begins at any number of it, but a copy's innermost coordinate is a multiple of
// 16 bytes (TMA132). So operands of rows of K are loaded from there, and what is another member's
// is made zero, in both: it may be no number.
template <class S> constexpr int K_AT_ONCE = S::A_MN || S::B_MN ? 1 : S::BK / 8;

template <class S>
PTX_FN void produce_group(const gemm_params &p, const shared_layout<S> &smem,
                          const cluster_place &at, int32_t cluster, const ptx::watch &watch)
{
    ring_position ring;
    group_list list(cluster);
    work w;
    int32_t acquired = -1;
    scale_loads<S> scales;
#pragma unroll 1
    while (list.take(p, w)) {
        const gemm_params &q = member_of(p, list.member);
        source<S> from(q, smem, at, tile_of(q, w.index));
        if (acquired != list.member) {
            ptx::tensormap_acquire(&q.a);
            ptx::tensormap_acquire(&q.b);
            acquired = list.member;
        }
        int32_t k = q.first_k / K_AT_ONCE<S> * K_AT_ONCE<S>;
        if constexpr (S::BLOCKS) begin_member_scales<S>(scales, p, from, k);
#pragma unroll 1
        for (int32_t k_block = 0; k_block < w.k_end; k_block++, k += S::BK) {
            ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_EMPTY,
                                     ring.slot);
            if constexpr (S::BLOCKS) scales.put_b(smem.scales(ring.slot) + scales_down_of<S>(q));
            ptx::mbarrier_arrive_expect_tx(smem.full(ring.slot), GROUP_TX_BYTES<S>);
            if constexpr (S::BLOCKS)
                scales.load_a(group_blocks_of<S>(p), smem.scales(ring.slot), smem.full(ring.slot),
                              q.load_policy);
            from.load(k, ring.slot);
            if constexpr (S::BLOCKS) scales.step(group_blocks_of<S>(p), 1);
            ring.advance(p.stages);
        }
    }
    drain(p, smem, ring, watch);
}

// The tile's sums to its member's D. What it needs to know is asked for here: kept through the
// multiplies it would cost registers. What members share comes from the kernel's own parameters: to
// ask memory for it at each tile's end was an eighth of the time of short K (docs/GROUPS.md).
template <class S>
PTX_FN void store_of_member(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const shared_layout<S> &smem, int32_t wg, int32_t member, int32_t index,
                            bool fresh)
{
    const gemm_params &q = member_of(p, member);
    const work w = {index, 0, 0};
    if (threadIdx.x % 128 == 0 && fresh) ptx::tensormap_acquire(&q.d);
    place at = place_of<S>(q, w, wg);
    at.batch = member;
    if (!S::PROMOTE && p.plain && !q.ragged)
        store_plain<S>(acc, p, smem.staging(wg), wg, at);
    else
        store_tile<S>(acc, q, smem.staging(wg), wg, at);
}

// The first bytes of a row in shared memory, of which 16 lie together in the swizzle.
PTX_FN void clear_front(uint32_t operand, int32_t row, int32_t bytes)
{
    const uint32_t at = operand + row * GEMM_SPAN_BYTES + row % 8 * 16;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int32_t here = bytes - 4 * i;
        const uint32_t kept = here >= 4 ? 0 : here <= 0 ? 0xffffffff : 0xffffffff << 8 * here;
        ptx::store_shared_32(at + 4 * i, ptx::load_shared_32(at + 4 * i) & kept);
    }
}

// Of a member's first k-block, when it is there; by all that multiply, before they do.
template <class S>
PTX_FN void clear_fronts(const gemm_params &p, const shared_layout<S> &smem,
                         const ring_position &ring, int32_t front, const ptx::watch &watch)
{
    const int32_t thread = this_thread() - 128, bytes = front * GEMM_SPAN_BYTES / S::BK;
    ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL, ring.slot);
    if (thread < S::BM) clear_front(smem.a(ring.slot), thread, bytes);
    if (thread < S::BN) clear_front(smem.b(ring.slot), thread, bytes);
    if (!FAULT(p, 113)) ptx::fence_proxy_async();
    ptx::named_barrier_sync(CONSUMERS, S::WGS * 128);
}

// A tile of member q.
template <class S>
PTX_FN void sum_member_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const gemm_params &q, const shared_layout<S> &smem, uint32_t fillers,
                            int32_t wg, int32_t k_blocks, ring_position &ring,
                            const ptx::watch &watch)
{
    if constexpr (S::BLOCKS) {
        sum_scaled_tile<S>(acc, p, q, smem, fillers, wg, k_blocks, ring, watch);
    } else {
        const int32_t front = q.first_k % K_AT_ONCE<S>;
        if (K_AT_ONCE < S >> 1 && front > 0 && !FAULT(p, 112))
            clear_fronts<S>(p, smem, ring, front, watch);
        sum_tile<S>(acc, p, smem, fillers, wg, k_blocks, ring, watch);
    }
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
        sum_member_tile<S>(acc, p, member_of(p, list.member), smem, fillers, wg, w.k_end, ring,
                           watch);
        store_of_member<S>(acc, p, smem, wg, list.member, w.index, acquired != list.member);
        acquired = list.member;
    }
    end_turns<S>(wg);
    if (threadIdx.x % 128 == 0) ptx::bulk_wait_read<0>();
}

// In groups_in_turns.cuh: a tile a warpgroup.
template <class S>
PTX_FN void consume_group_in_turns(const gemm_params &p, const shared_layout<S> &smem,
                                   uint32_t fillers, int32_t cluster, const ptx::watch &watch);

template <class SHAPE> struct grouped : SHAPE {
    static constexpr bool GROUPED = true;
};

template <class SHAPE> PTX_FN void gemm_group(const gemm_params &p)
{
    using S = grouped<SHAPE>;
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<S> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels, p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const int32_t cluster_size = p.cluster_m * p.cluster_n;
    const int32_t cluster = ptx::cluster_index();
    const cluster_place at(p);

    announce<S>(p, smem, cluster_size);
    meet_blocks<S>(p, smem, cluster_size, watch);
    ptx::grid_wait(); // for the members' parameters
    if (threadIdx.x < 128) {
        if constexpr (S::MOVE_REGISTERS) ptx::registers_lower<S::FEW_REGISTERS>();
        if (threadIdx.x / 32 == 0 && ptx::elect_one())
            produce_group<S>(p, smem, at, cluster, watch);
        __syncwarp();
    } else {
        if constexpr (S::MOVE_REGISTERS) ptx::registers_raise<S::MANY_REGISTERS>();
        if constexpr (S::PINGPONG)
            consume_group_in_turns<S>(p, smem, at.fillers(), cluster, watch);
        else
            consume_group<S>(p, smem, at.fillers(), cluster, watch);
    }
}
