// The loading thread: it keeps the ring full.
#pragma once

#include "layout.cuh"
#include "kernels/gemm/scales.cuh"
#include "kernels/gemm/walk.cuh"

// Boxes of one operand: rows of K, or (mn-major) spans of M or N, of which every sharer loads its
// own for all. The pair's even block counts the bytes of both.
template <class S, int ROWS, bool MN> struct operand_source {
    const gemm_map *map;
    int32_t row, batch, sharers;
    uint32_t part, mask, to; // of slot 0

    PTX_FN void box(int32_t k, int32_t at, uint32_t dst, uint32_t bar, uint64_t policy) const
    {
        const int32_t inner = MN ? at : k, outer = MN ? k : at;
        const int32_t c[3] = {inner, outer, batch};
        if constexpr (S::CTAS == 2) {
            if (sharers > 1)
                ptx::tma_load_3d_pair_multicast(dst, map, bar, c, mask, policy);
            else
                ptx::tma_load_3d_pair(dst, map, bar, c, policy);
        } else if (sharers > 1) {
            ptx::tma_load_3d_multicast_hint(dst, map, bar, c, mask, policy);
        } else {
            ptx::tma_load_3d_hint(dst, map, bar, c, policy);
        }
    }
    PTX_FN void load(int32_t k, uint32_t there, uint32_t bar, uint64_t policy) const
    {
        if constexpr (!MN) {
            const int32_t down = part * (ROWS / sharers);
            box(k, row + down, to + there + down * TENSOR_SPAN_BYTES, bar, policy);
        } else {
#pragma unroll 1
            for (int32_t i = part; i < ROWS / S::BK; i += sharers)
                box(k, row + i * S::BK, to + there + i * S::BK * TENSOR_SPAN_BYTES, bar, policy);
        }
    }
};

// B of a gate, a map of rank 4: K, column of D, half, batch. The first half of a tile's columns is
// of one half, the second of the other; so of a pair each block has one half's.
template <class S> struct gate_source {
    const gemm_map *map;
    int32_t col, batch, sharers; // col: of D, the tile's first
    uint32_t block, part, mask, to;

    PTX_FN void load(const gemm_params &p, int32_t k, uint32_t there, uint32_t bar) const
    {
        const int32_t down = part * (S::B_ROWS / sharers), row = block * S::B_ROWS + down;
        const int32_t half = row >= S::D_COLUMNS;
        const int32_t c[4] = {k, col + row - half * S::D_COLUMNS, half + (FAULT(p, 104) ? 1 : 0),
                              batch};
        const uint32_t dst = to + there + down * TENSOR_SPAN_BYTES;
        if constexpr (S::CTAS == 1)
            ptx::tma_load_4d_hint(dst, map, bar, c, sharers > 1 ? mask : 0, p.load_policy);
        else if (sharers > 1)
            ptx::tma_load_4d_pair_multicast(dst, map, bar, c, mask, p.load_policy);
        else
            ptx::tma_load_4d_pair(dst, map, bar, c, p.load_policy);
    }
};

// q: the parameters of whose tile it is.
template <class S>
PTX_FN void load_tile(const gemm_params &p, const gemm_params &q, const shared_layout<S> &smem,
                      const cluster_place<S> &at, const work &w, ring_position &ring,
                      const ptx::watch &watch)
{
    const tile t = tile_of(q, w.index);
    const int32_t a_row = (t.m * p.cluster_m + at.row) * S::TILE_M + at.half * S::BM;
    const int32_t b_row = (t.n * p.cluster_n + at.col) * S::BN + at.half * S::B_ROWS;
    const operand_source<S, S::BM, S::A_MN> a = {&q.a,   a_row,     t.batch,  p.cluster_n,
                                                 at.col, at.a_mask, smem.a(0)};
    const operand_source<S, S::B_ROWS, S::B_MN> b = {
        &q.b,     b_row, t.batch, p.cluster_m, at.row, FAULT(p, 7) ? at.b_mask & 1 : at.b_mask,
        smem.b(0)};
    const gate_source<S> gate = {&q.b,    (int32_t)(t.n * p.cluster_n + at.col) * S::D_COLUMNS,
                                 t.batch, p.cluster_m,
                                 at.half, at.row,
                                 b.mask,  smem.b(0)};
    const uint32_t scales = S::RELAYS ? S::SCALE_BYTES : 0;
    const uint32_t bytes = (FAULT(p, 58) ? 1 : S::CTAS) * (p.tx_bytes - scales) + scales +
                           (FAULT(p, 4) ? 16 : 0) - (FAULT(p, 3) ? 16 : 0);
#pragma unroll 1
    for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
        const uint32_t own = smem.full(ring.slot);
        const uint32_t bar =
            S::CTAS == 1 || FAULT(p, 30) ? own : ptx::map_to_rank(own, at.rank & ~1u);
        if (!FAULT(p, 59) || at.half == 0)
            ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_EMPTY,
                                     ring.slot);
        if (at.half == 0)
            ptx::mbarrier_arrive_expect_tx(own, bytes);
        else if (S::RELAYS)
            ptx::mbarrier_arrive_expect_tx(own, scales);
        const int32_t k = (FAULT(p, 14) && k_block == 3 ? 2 : k_block) * S::BK;
        const uint32_t there = ring.slot * S::STAGE_BYTES;
        a.load(k, there, bar, p.load_policy);
        if constexpr (S::GATED)
            gate.load(p, k, there, bar);
        else
            b.load(k, there, bar, p.load_policy);
        if constexpr (S::SCALED)
            load_scales<S::B_SCALES, S::SCALE_DEPTH>(
                p, q, a_row, b_row - (FAULT(p, 92) ? 0 : at.half * S::B_ROWS), t.batch,
                FAULT(p, 75) ? 0 : k_block, smem.scales(ring.slot), own);
        ring.advance(p.stages);
    }
}

template <class S, class WALK>
PTX_FN void produce(const gemm_params &p, const shared_layout<S> &smem, const cluster_place<S> &at,
                    WALK list, const ptx::watch &watch)
{
    ring_position ring;
    work w;
#pragma unroll 1
    while (list.take(p, w)) {
        const gemm_params &q = FAULT(p, 63) ? member_of(p, 0) : list.of(p);
        if (list.is_new()) {
            ptx::tensormap_acquire(&q.a);
            ptx::tensormap_acquire(&q.b);
        }
        load_tile<S>(p, q, smem, at, w, ring, watch);
    }
}

// By one thread of a pair's odd block: its scale factors are there, so the even one may multiply.
template <class S, class WALK>
PTX_FN void relay_scales(const gemm_params &p, const shared_layout<S> &smem,
                         const cluster_place<S> &at, WALK list, const ptx::watch &watch)
{
    ring_position ring;
    work w;
#pragma unroll 1
    while (list.take(p, w))
#pragma unroll 1
        for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
            const uint32_t own = smem.full(ring.slot);
            if (!FAULT(p, 93))
                ptx::mbarrier_wait_often(own, ring.parity, watch, GEMM_FULL, ring.slot);
            if (!FAULT(p, 94)) ptx::mbarrier_arrive_cluster(ptx::map_to_rank(own, at.rank & ~1u));
            ring.advance(p.stages);
        }
}
