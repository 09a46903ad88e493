// What fills the ring of a product of weights of 4 or 8 bits (mixed.cuh): the kernel's shape, where
// everything lies in shared memory, and the loads of one thread.
#pragma once

#include "kernels/gemm/ring.cuh"
#include "kernels/gemm/schedule.cuh"
#include "kernels/ptx/warp.cuh"
#include "mixed_numbers.cuh"

template <int KIND_, int WEIGHT_, int COLS_, int WARPS_> struct mixed_shape {
    static constexpr int KIND = KIND_, WEIGHT = WEIGHT_, COLS = COLS_, WARPS = WARPS_;
    static constexpr int BITS = weight_bits_of(WEIGHT);
    static constexpr int BK = 128 * 8 / BITS; // of a k-block
    static constexpr int BOXES = BK / 64;     // of activations, 128 bytes wide
    // Of an eight that a lane has: all, or where there are many sums half of them. So many warps
    // have all of the tile's rows; others have the same rows and another part of every k-block.
    static constexpr int ROWS = COLS <= MIXED_WHOLE_COLS ? 8 : 4, ACROSS = MIXED_ROWS / 8 / ROWS;
    static constexpr int DEEP = WARPS / ACROSS;
    static constexpr int TILES = ROWS / 2, STRIPS = COLS / 8;     // of the multiply, 16 by 8
    static constexpr int SUMS = TILES * STRIPS * 4;               // of a lane
    static constexpr int CHUNKS = 128 / MIXED_CHUNK_BYTES / DEEP; // of a row that a warp has
    static constexpr int PAIRS = 32 / BITS / 2;                   // in a word of weights
    // The warps that multiply have most of the registers; of the last four one thread loads.
    static constexpr int THREADS = WARPS * 32 + 128;
    static constexpr int FEW_REGISTERS = WARPS > 8 ? 32 : 40;
    static constexpr int MANY_REGISTERS = WARPS > 8 ? 112 : 232;
    // More than the launch gives its threads, in eights, would be waited for without end.
    static_assert(FEW_REGISTERS * 128 + MANY_REGISTERS * WARPS * 32 <=
                      65536 / THREADS / 8 * 8 * THREADS,
                  "what some warps take others have given back");
};

struct mixed_smem {
    uint32_t base;
    int32_t stages, stage_bytes;

    PTX_FN uint32_t slot(int32_t i) const { return base + i * stage_bytes; }
    PTX_FN uint32_t full(int32_t i) const { return base + stages * stage_bytes + 16 * i; }
    PTX_FN uint32_t empty(int32_t i) const { return full(i) + 8; }
    // Where warps that share a tile's K add up.
    PTX_FN uint32_t exchange() const { return full(stages); }
};

// --- loads --------------------------------------------------------------------------------------

// What a slot has of the weights and of their scales and zeros. All its bytes are announced.
template <class S>
PTX_FN void load_weights(const gemm_params &p, const gemm_mixed &q, const mixed_smem &smem,
                         const tile &t, int32_t k_block, int32_t slot)
{
    const uint32_t bar = smem.full(slot), to = smem.slot(slot);
    const int32_t w[3] = {k_block * 128, t.n * (MIXED_ROWS / 8), 0};
    ptx::mbarrier_arrive_expect_tx(bar, p.tx_bytes);
    ptx::tma_load_hint<3>(to, &p.a, bar, w, q.weights_policy);
    if (q.group_chunks == 0) return;
    const int32_t c[2] = {t.n * MIXED_ROWS, (k_block + (FAULT(p, 119) ? 1 : 0)) * q.groups};
    ptx::tma_load_hint<2>(to + q.scales_at, &q.scales, bar, c, q.weights_policy);
    if (q.has_zeros) ptx::tma_load_hint<2>(to + q.zeros_at, &q.zeros, bar, c, q.weights_policy);
}

template <class S>
PTX_FN void load_activations(const gemm_params &p, const mixed_smem &smem, const tile &t,
                             int32_t k_block, int32_t slot)
{
    const uint32_t bar = smem.full(slot), to = smem.slot(slot);
#pragma unroll
    for (int box = 0; box < S::BOXES; box++) {
        const int32_t c[2] = {k_block * S::BK + box * 64, t.m * S::COLS};
        ptx::tma_load_hint<2>(to + MIXED_WEIGHTS_BYTES + box * (S::COLS * 128), &p.b, bar, c,
                              p.load_policy);
    }
}

PTX_FN void prefetch_slot(const gemm_mixed_next &next, int32_t n, int32_t k_block)
{
    const int32_t w[3] = {k_block * 128, n * (MIXED_ROWS / 8), 0};
    ptx::tma_prefetch<3>(&next.weights, w);
    if (next.groups == 0) return;
    const int32_t c[2] = {n * MIXED_ROWS, k_block * next.groups};
    ptx::tma_prefetch<2>(&next.scales, c);
    if (next.has_zeros) ptx::tma_prefetch<2>(&next.zeros, c);
}

// Brings to L2 what a block of the next launch loads first, in that order (worklist): memory would
// rest while this launch's last slots are multiplied and their sums added up.
PTX_FN void prefetch_first(const gemm_mixed_next &next, int32_t block)
{
    const int32_t begin = next.stream_share * block + min(block, next.stream_rest);
    int32_t end = begin + next.stream_share + (block < next.stream_rest);
    int32_t left = next.slots;
#pragma unroll 1
    while (end > begin && left > 0) {
        const int32_t tile = (end - 1) / next.k_blocks, zero = tile * next.k_blocks;
        const int32_t first = max(begin, zero);
#pragma unroll 1
        for (int32_t unit = first; unit < end && left > 0; unit++, left--)
            prefetch_slot(next, tile / next.tiles_m, unit - zero);
        end = first;
    }
}

// Waits until the block's own last bytes have arrived: prefetches before would delay them. They
// arrive whatever the others do, so this wait ends.
PTX_FN void prefetch_next(const gemm_params &p, const gemm_mixed_next &next, const mixed_smem &smem,
                          const ring_position &ring, const ptx::watch &watch)
{
    const int32_t last = ring.before(p.stages);
    const uint32_t parity = last < ring.slot ? ring.parity : ring.parity ^ 1;
    ptx::mbarrier_wait_often(smem.full(last), parity, watch, GEMM_FULL, last);
#pragma unroll 1
    for (int32_t block = blockIdx.x; block < next.clusters; block += p.clusters)
        prefetch_first(next, block);
}

// Keeps the ring full. Where the weights were there before the launch's predecessor, the first
// slots' are asked for before its end; everything else waits for it.
template <class S>
PTX_FN void produce(const gemm_params &p, const gemm_mixed &q, const gemm_mixed_next &next,
                    const mixed_smem &smem, const ptx::watch &watch)
{
    worklist list(p, blockIdx.x);
    ring_position ring;
    work w;
    int32_t early = 0;
    bool more = list.take(p, w);
    if (q.early && more) {
        const tile t = tile_of(p, w.index);
        for (; early < q.early && w.k_begin + early < w.k_end; early++)
            load_weights<S>(p, q, smem, t, w.k_begin + early, early);
    }
    ptx::grid_wait();
#pragma unroll 1
    for (; more; more = list.take(p, w)) {
        const tile t = tile_of(p, w.index);
#pragma unroll 1
        for (int32_t k = w.k_begin; k < w.k_end; k++) {
            if (--early < 0) {
                ptx::mbarrier_wait_often(smem.empty(ring.slot), ring.parity ^ 1, watch, GEMM_EMPTY,
                                         ring.slot);
                load_weights<S>(p, q, smem, t, k, ring.slot);
                early = 0;
            }
            load_activations<S>(p, smem, t, k, ring.slot);
            ring.advance(p.stages);
        }
    }
    if (next.slots > 0) prefetch_next(p, next, smem, ring, watch);
}
