// The producer: one thread keeps the ring full.
#pragma once

#include "apart.cuh"
#include "kernels/gemm/schedule.cuh"

// A piece of a k-major operand: one box.
PTX_FN void load_box(const gemm_map &map, uint32_t to, uint32_t bar, int32_t k, int32_t row,
                     int32_t batch, bool shared, uint32_t mask, uint64_t policy)
{
    const int32_t c[3] = {k, row, batch};
    if (shared)
        ptx::tma_load_3d_multicast_hint(to, &map, bar, c, mask, policy);
    else
        ptx::tma_load_3d_hint(to, &map, bar, c, policy);
}

// An mn-major operand of ROWS rows (of M or N) comes in boxes of 64, dealt out among the sharers;
// of the last one a width between leaves some unread.
template <int ROWS, int BK>
PTX_FN void load_boxes(const gemm_map &map, uint32_t to, uint32_t bar, int32_t k, int32_t row,
                       int32_t batch, uint32_t part, int32_t sharers, uint32_t mask,
                       uint64_t policy)
{
#pragma unroll 1
    for (int32_t box = part; box < (ROWS + 63) / 64; box += sharers) {
        const int32_t c[3] = {row + box * 64, k, batch};
        if (sharers > 1)
            ptx::tma_load_3d_multicast_hint(to + box * BK * 128, &map, bar, c, mask, policy);
        else
            ptx::tma_load_3d_hint(to + box * BK * 128, &map, bar, c, policy);
    }
}

// In blocks.cuh: the scales of a tile's k-blocks to their slots.
template <class S> struct source;
template <class S, bool BLOCKS = S::BLOCKS> struct scale_loads {
};
template <class S> PTX_FN const gemm_blocks &blocks_of(const gemm_params &p);

// Where B's rows come from its two halves (gated.cuh): which half.
template <class S, bool GATED = S::GATED> struct halves {
};
// Of cluster_m blocks that share B each loads a piece: both halves, one, or half of one.
template <class S> struct halves<S, true> {
    int32_t half;

    // b_row: of the tile in the product, and `down` of the piece in it; gives that of D.
    PTX_FN int32_t begin_half(int32_t b_row, int32_t down)
    {
        half = down >= S::BN / 2;
        return (b_row - down) / 2 + down - half * (S::BN / 2);
    }
    PTX_FN void load_half(const gemm_params &p, const source<S> &from, uint32_t bar, uint32_t there,
                          int32_t k) const
    {
        const uint32_t mask = p.cluster_m > 1 ? from.b_mask : 0;
        if constexpr (S::B_MN) {
            load_half_boxes(p, from, bar, from.b_to + there, k, mask);
        } else {
            const int32_t c[4] = {k, from.b_row, half + (FAULT(p, 104) ? 1 : 0), from.batch};
            ptx::tma_load_4d_hint(from.b_to + there, &p.b, bar, c, mask, p.load_policy);
        }
    }
    // B by rows of N: boxes of 64 columns, the first ones of one half, the others of the other.
    PTX_FN void load_half_boxes(const gemm_params &p, const source<S> &from, uint32_t bar,
                                uint32_t to, int32_t k, uint32_t mask) const
    {
        constexpr int EACH = S::BN / 128;
        static_assert(S::BN % 128 == 0, "halves are whole boxes");
#pragma unroll 1
        for (int32_t box = from.b_part; box < 2 * EACH; box += p.cluster_m) {
            const int32_t of = box / EACH + (FAULT(p, 104) ? 1 : 0);
            const int32_t c[4] = {from.b_row + box % EACH * 64, k, of, from.batch};
            ptx::tma_load_4d_hint(to + box * S::BK * 128, &p.b, bar, c, mask, p.load_policy);
        }
    }
};

// In convolution.cuh, where A's rows are pixels: which of them, and which tap is loaded next.
template <class S, bool IM2COL = S::IM2COL> struct taps {
};

// What a tile's k-blocks have in common, worked out before the first: one thread loads, and every
// instruction of its loop delays the next load. Rows of M or N are shared among the blocks of a
// cluster that each load their piece for all.
template <class S> struct source : taps<S>, halves<S> {
    const gemm_params *params;
    uint32_t a_part, b_part;     // which piece is this block's
    int32_t a_row, b_row, batch; // where it begins
    uint32_t a_to, b_to, full;   // where it goes in slot 0, and the barrier
    uint32_t a_mask, b_mask;

    PTX_FN source() {}
    PTX_FN source(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                  const tile &t)
        : params(&p), a_part(at.col), b_part(at.row)
    {
        // Sharers are a power of two, and a shift takes no time that the first load would wait.
        const int32_t a_down = S::A_MN ? 0 : a_part * (S::BM >> (31 - __clz(p.cluster_n)));
        const int32_t b_down = S::B_MN ? 0 : b_part * (S::BN >> (31 - __clz(p.cluster_m)));
        a_row = (t.m * p.cluster_m + at.row) * S::BM;
        b_row = (t.n * p.cluster_n + at.col) * S::BN;
        begin_tile<S>(p, t.batch, a_row, b_row);
        a_row = load_inside<S>(p, a_row + a_down);
        b_row += b_down;
        if constexpr (S::GATED) b_row = this->begin_half(b_row, b_down);
        batch = t.batch;
        a_to = smem.a(0) + a_down * 128;
        b_to = smem.b(0) + b_down * S::B_ROW_BYTES;
        full = smem.full(0);
        a_mask = at.a_mask;
        b_mask = at.b_mask;
        if (FAULT(p, 7)) b_mask &= ~(1u << (p.cluster_m - 1));
    }
    PTX_FN void load(int32_t k, int32_t slot)
    {
        if constexpr (S::IM2COL) {
            this->load_tap(*params, *this, full + 16 * slot, slot * S::STAGE_BYTES);
        } else {
            load_a(k, slot);
            load_b(k, slot);
        }
    }
    PTX_FN void load_a(int32_t k, int32_t slot) const
    {
        const gemm_params &p = *params;
        const uint32_t bar = full + 16 * slot, there = slot * S::STAGE_BYTES;
        if constexpr (S::A_MN)
            load_boxes<S::BM, S::BK>(p.a, a_to + there, bar, k, a_row, batch, a_part, p.cluster_n,
                                     a_mask, p.load_policy);
        else
            load_box(p.a, a_to + there, bar, k, a_row, batch, p.cluster_n > 1, a_mask,
                     p.load_policy);
    }
    PTX_FN void load_b(int32_t k, int32_t slot) const
    {
        const gemm_params &p = *params;
        const uint32_t bar = full + 16 * slot, there = slot * S::STAGE_BYTES;
        if constexpr (S::GATED)
            this->load_half(p, *this, bar, there, k);
        else if constexpr (S::B_MN)
            load_boxes<S::BN, S::BK>(p.b, b_to + there, bar, k, b_row, batch, b_part, p.cluster_m,
                                     b_mask, p.load_policy);
        else
            load_box(p.b, b_to + there, bar, k, b_row, batch, p.cluster_m > 1, b_mask,
                     p.load_policy);
    }
    // Of a promise (load_early()): the operand that nobody writes any more, or the other one, both
    // k-major.
    PTX_FN void load_promised(bool promised, int32_t k, int32_t slot) const
    {
        const gemm_params &p = *params;
        const uint32_t bar = full + 16 * slot, there = slot * S::STAGE_BYTES;
        if (promised == (p.early < 0))
            load_box(p.a, a_to + there, bar, k, a_row, batch, p.cluster_n > 1, a_mask,
                     p.load_policy);
        else
            load_box(p.b, b_to + there, bar, k, b_row, batch, p.cluster_m > 1, b_mask,
                     p.load_policy);
    }
};

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

// A tile's loads, or a part's along K.
template <class S> struct errand {
    source<S> from;
    int32_t k, step, left;

    PTX_FN errand() {}
    PTX_FN errand(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                  const work &w)
        : from(p, smem, at, tile_of(p, w.index)), left(w.k_end - w.k_begin)
    {
        const bool flipped = p.flip_k && w.index / p.clusters & 1;
        // The blocks of a split read side by side, so that together they read whole lines of
        // memory.
        k = ((flipped ? w.k_end - 1 : w.k_begin) * p.split + (int32_t)at.part) * S::BK;
        step = (flipped ? -S::BK : S::BK) * p.split;
        if constexpr (S::IM2COL) from.begin(p, from.a_row, k);
    }
    // Now, not where the compiler finds room for it.
    PTX_FN void settle()
    {
        ptx::settle(from.a_row), ptx::settle(from.b_row), ptx::settle(from.batch);
        ptx::settle(from.a_to), ptx::settle(from.b_to), ptx::settle(from.full);
        ptx::settle(from.a_mask), ptx::settle(from.b_mask);
        ptx::settle(k), ptx::settle(step), ptx::settle(left);
        if constexpr (S::IM2COL) from.settle();
    }
};

// What the producer has to do: the next tile, worked out; nothing left in it when there is none.
// The first is worked out while the other blocks make their barriers: its divisions would keep the
// first load waiting, for which every other thread waits.
template <class S> struct errands {
    worklist list;
    errand<S> next;

    PTX_FN void begin(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                      int32_t cluster)
    {
        list = worklist(p, cluster);
        take(p, smem, at);
        // A pingpong's producer has 24 registers only.
        if constexpr (!S::PINGPONG) next.settle();
    }
    PTX_FN void take(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at)
    {
        work w;
        next.left = 0;
        if (list.take(p, w)) next = errand<S>(p, smem, at, w);
    }
};

// Slots that a promised operand fills before the predecessor has ended. The ring is empty then, and
// a slot's barrier is told at once of all its bytes; produce() adds the other operand.
template <class S> PTX_FN int32_t early_slots(const gemm_params &p, const errand<S> &e)
{
    return S::EARLY ? min(min(p.early < 0 ? -p.early : p.early, p.stages), e.left) : 0;
}
template <class S> PTX_FN void load_early(const gemm_params &p, const errand<S> &e)
{
    const int32_t slots = early_slots(p, e);
#pragma unroll 1
    for (int32_t slot = 0; slot < slots; slot++) {
        ptx::mbarrier_arrive_expect_tx(e.from.full + 16 * slot, p.tx_bytes);
        e.from.load_promised(true, e.k + slot * e.step, slot);
    }
}

// Where two warps load (S::LOADERS), the second loads B. It does not arrive at the slot's barrier:
// the first warp arrives, expects the bytes of both, and drains the ring in the end.
template <class S>
PTX_FN void produce_b(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                      errands<S> &todo, const ptx::watch &watch)
{
    ring_position ring;
#pragma unroll 1
    while (todo.next.left > 0) {
        errand<S> &e = todo.next;
#pragma unroll 1
        for (; e.left > 0; e.left--, e.k += e.step) {
            const uint32_t empty = e.from.full + 16 * ring.slot + 8;
            if (FAULT(p, 134)) e.from.load_b(e.k, ring.slot);
            ptx::mbarrier_wait_often(empty, ring.parity ^ 1, watch, GEMM_EMPTY, ring.slot);
            if (!FAULT(p, 134)) e.from.load_b(e.k, ring.slot);
            ring.advance(p.stages);
        }
        todo.take(p, smem, at);
    }
}

template <class S>
PTX_FN void produce(const gemm_params &p, const shared_layout<S> &smem, const cluster_place &at,
                    errands<S> &todo, const ptx::watch &watch)
{
    ring_position ring;
    scale_loads<S> scales;
    const uint32_t bytes = p.tx_bytes + (FAULT(p, 4) ? 16 : 0) - (FAULT(p, 3) ? 16 : 0);
    int32_t half_full = early_slots(p, todo.next);
#pragma unroll 1
    while (todo.next.left > 0) {
        errand<S> &e = todo.next;
        if constexpr (S::BLOCKS) scales.begin(e.from, blocks_of<S>(p), blocks_of<S>(p).b, e.k);
#pragma unroll 1
        for (; e.left > 0; e.left--, e.k += e.step) {
            const uint32_t bar = e.from.full + 16 * ring.slot;
            if (S::EARLY && half_full > 0) {
                e.from.load_promised(false, e.k, ring.slot);
                ring.advance(p.stages);
                half_full--;
                continue;
            }
            ptx::mbarrier_wait_often(bar + 8, ring.parity ^ 1, watch, GEMM_EMPTY, ring.slot);
            if constexpr (S::BLOCKS) scales.put_b(smem.scales(ring.slot));
            ptx::mbarrier_arrive_expect_tx(bar, bytes);
            if constexpr (S::BLOCKS)
                scales.load_a(blocks_of<S>(p), smem.scales(ring.slot), bar, p.load_policy);
            const int32_t k = FAULT(p, 14) && e.k == 3 * S::BK ? 2 * S::BK : e.k;
            if constexpr (S::LOADERS > 1)
                e.from.load_a(k, ring.slot);
            else
                e.from.load(k, ring.slot);
            if constexpr (S::BLOCKS) scales.step(blocks_of<S>(p), e.step / S::BK);
            if constexpr (S::IM2COL) e.from.advance(p);
            ring.advance(p.stages);
        }
        todo.take(p, smem, at);
    }
    if (!FAULT(p, 12)) drain(p, smem, ring, watch);
}
