// Matrix products for chips whose tensor core is the warp's (sm_120a, sm_121a): one thread loads,
// the warps of WGS warpgroups multiply 16 rows of the tile each, and store. No cluster: the copy
// engine has no multicast worth the name there, and a load written for clusters is a call into the
// driver (docs/OPCODES.md), so every copy is .shared::cta.
//
//   full[slot]   the loading thread's arrival and the slot's bytes
//   empty[slot]  an arrival of every multiplying warp
#pragma once

#include "kernels/gemm/sm90/epilogue.cuh"
#include "kernels/gemm/sm90/split.cuh"
#include "kernels/gemm/scales.cuh"
#include "kernels/gemm/walk.cuh"
#include "multiply.cuh"

// A k-block of B; of a gate's both halves, of which D has the columns (sm90/gated.cuh).
template <class S>
PTX_FN void load_b(const gemm_params &p, const gemm_params &q, const tile &t, int32_t k,
                   uint32_t to, uint32_t bar)
{
    if constexpr (S::GATED) {
        const int32_t c[4] = {k, t.n * S::D_COLUMNS, FAULT(p, 104) ? 1 : 0, t.batch};
        ptx::tma_load_4d_hint(to, &q.b, bar, c, 0, p.load_policy);
    } else {
        const int32_t c[3] = {k, t.n * S::BN, t.batch};
        ptx::tma_load_3d_hint(to, &q.b, bar, c, p.load_policy);
    }
}

template <class S, class WALK>
PTX_FN void produce(const gemm_params &p, const shared_layout<S> &smem, WALK list,
                    const ptx::watch &watch)
{
    ring_position ring;
    work w;
#pragma unroll 1
    while (list.take(p, w)) {
        const gemm_params &q = FAULT(p, 63) ? member_of(p, 0) : list.of(p);
        const tile t = tile_of(q, w.index);
        if (list.is_new()) {
            ptx::tensormap_acquire(&q.a);
            ptx::tensormap_acquire(&q.b);
        }
#pragma unroll 1
        for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
            const uint32_t bar = smem.full(ring.slot);
            const int32_t a[3] = {k_block * S::BK, t.m * S::BM, t.batch};
            if (!FAULT(p, 12))
                ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_EMPTY,
                                         ring.slot);
            ptx::mbarrier_arrive_expect_tx(bar, p.tx_bytes + (FAULT(p, 4) ? 16 : 0) -
                                                    (FAULT(p, 3) ? 16 : 0));
            ptx::tma_load_3d_hint(smem.a(ring.slot), &q.a, bar, a, p.load_policy);
            load_b<S>(p, q, t, k_block * S::BK, smem.b(ring.slot), bar);
            if constexpr (S::SCALED)
                load_scales<S::B_SCALES, scale_depth_of(S::KIND)>(
                    p, q, t.m * S::BM, t.n * S::BN, t.batch, FAULT(p, 75) ? 0 : k_block,
                    smem.scales(ring.slot), bar);
            ring.advance(p.stages);
        }
    }
}

// The sums of k-blocks of the ring, a warp's own. column: of D, the tile's first.
template <class S>
PTX_FN void sum_blocks(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                       const shared_layout<S> &smem, int32_t column, int32_t k_blocks,
                       ring_position &ring, const ptx::watch &watch)
{
    const uint32_t warp = threadIdx.x / 32 - 4, rows = warp * 16 * 128;
#pragma unroll
    for (int i = 0; i < S::REGS; i++) acc[i] = 0;
#pragma unroll 1
    for (int32_t k_block = 0; k_block < k_blocks; k_block++) {
        if (!FAULT(p, 16))
            ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL,
                                     ring.slot);
        if (FAULT(p, 13) && threadIdx.x % 32 == 0) ptx::mbarrier_arrive(smem.empty(ring.slot));
        if constexpr (S::SCALED)
            multiply_scaled<S>(acc, p, smem.a(ring.slot) + rows, smem.b(ring.slot),
                               smem.scales(ring.slot), warp * 16, column);
        else
            multiply_slot<S>(acc, smem.a(ring.slot) + rows, smem.b(ring.slot));
        __syncwarp();
        if (!FAULT(p, 13) && threadIdx.x % 32 == 0) ptx::mbarrier_arrive(smem.empty(ring.slot));
        ring.advance(p.stages);
        if (FAULT(p, 5)) ring.parity = 0;
    }
}

template <class S, class WALK>
PTX_FN void consume(const gemm_params &p, const shared_layout<S> &smem, WALK list, int32_t cluster,
                    const ptx::watch &watch)
{
    const int32_t wg = threadIdx.x / 128 - 1;
    typename S::acc_t acc[S::REGS];
    ring_position ring;
    work w;
#pragma unroll 1
    while (list.take(p, w)) {
        const gemm_params &q = FAULT(p, 64) ? member_of(p, 0) : list.of(p);
        const tile t = tile_of(q, w.index);
        const place d = {t.m * S::BM + wg * 64, t.n * S::D_COLUMNS, t.batch};
        sum_blocks<S>(acc, p, smem, d.col, w.k_end - w.k_begin, ring, watch);
        if (WALK::PARTS && w.k_end < p.k_blocks) {
            send_part<S>(acc, p, cluster, 0, wg);
            continue;
        }
        if (list.is_new() && threadIdx.x % 128 == 0) ptx::tensormap_acquire(&q.d);
        if (WALK::PARTS && w.k_begin > 0) collect_parts<S>(acc, p, w.index, cluster, 0, wg, watch);
        if constexpr (S::EPILOGUE)
            finish_tile<S>(acc, q, smem.staging(wg), wg, d);
        else
            store_tile<S>(acc, q, smem.staging(wg), wg, d);
    }
    await_panels(p, wg); // what the last stores read does not outlive this block
}

template <class S, class WALK> PTX_FN void gemm_by_warps(const gemm_params &p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<S> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels, p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const int32_t cluster = blockIdx.x;
    const WALK list(p, cluster);
    ptx::grid_let_next_start();
    if (threadIdx.x == 0) {
        refuse_mismatch(p, S::BM, S::BN, S::STAGE_BYTES, smem.base, watch);
        ptx::prefetch_tensormap(&p.a);
        ptx::prefetch_tensormap(&p.b);
        ptx::prefetch_tensormap(&p.d);
        for (int32_t slot = 0; slot < p.stages; slot++) {
            ptx::mbarrier_init(smem.full(slot), 1);
            ptx::mbarrier_init(smem.empty(slot), S::WGS * 4 + (FAULT(p, 6) ? 1 : 0));
        }
        if (!FAULT(p, 2)) ptx::fence_mbarrier_init();
    }
    __syncthreads();
    ptx::grid_wait();
    if (threadIdx.x >= 128)
        consume<S>(p, smem, list, cluster, watch);
    else if (threadIdx.x < 32 && ptx::elect_one())
        produce<S>(p, smem, list, watch);
}

#define GEMM_KERNEL_OF(WALK, NAME, ...)                                                            \
    extern "C" __global__ __launch_bounds__((shape<__VA_ARGS__>::THREADS), 1) void NAME(           \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        gemm_by_warps<shape<__VA_ARGS__>, WALK>(p);                                                \
    }
#define GEMM_KERNEL(NAME, ...) GEMM_KERNEL_OF(static_walk, NAME, __VA_ARGS__)
