// The producer: one thread keeps the ring full.
#pragma once

#include "layout.cuh"
#include "schedule.cuh"

// One operand's part of a stage. ROWS rows (of M or N) are shared among `sharers` blocks that each
// load their piece for all. A k-major piece is one box of ROWS / sharers rows; an mn-major operand
// comes in boxes of 64 columns, dealt out in turn.
template <int ROWS, int BK, bool MN_MAJOR>
PTX_FN void load_operand(const gemm_map &map, uint32_t dst, uint32_t bar, int32_t k, int32_t first,
                         int32_t batch, uint32_t part, int32_t sharers, uint32_t mask,
                         uint64_t policy)
{
    if constexpr (MN_MAJOR) {
#pragma unroll 1
        for (int32_t box = part; box < ROWS / 64; box += sharers) {
            const int32_t c[3] = {first + box * 64, k, batch};
            const uint32_t to = dst + box * BK * 128;
            if (sharers > 1)
                ptx::tma_load_3d_multicast_hint(to, &map, bar, c, mask, policy);
            else
                ptx::tma_load_3d_hint(to, &map, bar, c, policy);
        }
    } else {
        // Sharers are a power of two; a division here, every k-block, left the ring empty.
        const int32_t rows = ROWS >> (31 - __clz(sharers));
        const int32_t c[3] = {k, first + (int32_t)part * rows, batch};
        const uint32_t to = dst + part * rows * 128;
        if (sharers > 1)
            ptx::tma_load_3d_multicast_hint(to, &map, bar, c, mask, policy);
        else
            ptx::tma_load_3d_hint(to, &map, bar, c, policy);
    }
}

template <class S>
PTX_FN void load_stage(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                       const tile &t, int32_t k_block, int32_t slot)
{
    const uint32_t bar = smem.full(slot);
    const int32_t m = (t.m * p.cluster_m + at.row) * S::BM;
    const int32_t n = (t.n * p.cluster_n + at.col) * S::BN;
    const int32_t k = (at.k_part(p) * p.k_blocks + k_block) * S::BK;
    uint32_t a_mask = at.a_mask, b_mask = at.b_mask;
    if (FAULT(p, 7)) b_mask &= ~(1u << (p.cluster_m - 1));
    load_operand<S::BM, S::BK, S::A_MN>(p.a, smem.a(slot), bar, k, m, t.batch, at.col, p.cluster_n,
                                        a_mask, p.load_policy);
    load_operand<S::BN, S::BK, S::B_MN>(p.b, smem.b(slot), bar, k, n, t.batch, at.row, p.cluster_m,
                                        b_mask, p.load_policy);
}

// A block may not leave while a peer can still arrive on its barriers: wait until every slot has
// been given back.
template <class S>
PTX_FN void drain(const gemm_params &p, const shared_layout<S> &smem, ring_position ring,
                  const ptx::watch &watch)
{
#pragma unroll 1
    for (int32_t i = 0; i < p.stages; i++) {
        ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_DRAIN,
                                 ring.slot);
        ring.advance(p.stages);
    }
}

template <class S>
PTX_FN void produce(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                    int32_t cluster, const ptx::watch &watch)
{
    ring_position ring;
    const uint32_t bytes = S::STAGE_BYTES + (FAULT(p, 4) ? 16 : 0) - (FAULT(p, 3) ? 16 : 0);
    worklist list(p, cluster);
    work w;
#pragma unroll 1
    while (list.take(p, w)) {
        const tile t = tile_of(p, w.index);
        const bool flipped = p.flip_k && w.index / p.clusters & 1;
#pragma unroll 1
        for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
            ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_EMPTY,
                                     ring.slot);
            ptx::mbarrier_arrive_expect_tx(smem.full(ring.slot), bytes);
            const int32_t k = flipped ? w.k_end - 1 - (k_block - w.k_begin) : k_block;
            load_stage<S>(p, smem, at, t, FAULT(p, 14) && k == 3 ? 2 : k, ring.slot);
            ring.advance(p.stages);
        }
    }
    if (!FAULT(p, 12)) drain(p, smem, ring, watch);
}
