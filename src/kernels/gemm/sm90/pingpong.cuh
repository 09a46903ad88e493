// Two tiles at a time: each of the two multiplying warpgroups has a tile of its own, and while one
// multiplies the other scales, converts and stores, so that the tensor core never waits for the end
// of a tile. (CUTLASS's KernelTmaWarpSpecializedPingpong is the idea's best known form.)
//
// The ring is filled tile by tile, as ever; a warpgroup takes every second tile's slots and passes
// over the others, which count arrivals of one warpgroup of every reading block. Without more order
// both would multiply as soon as slots come, each at half the rate, and end together; so
//   turn[wg]   an arrival of each of the other warpgroup's warps, when it has issued its tile's
//   last
//              multiply. One warp's is not enough: of a tile of one k-block none waits for another,
//              so one that is late would be two turns behind (tests/emulate/test_turns.c).
#pragma once

#include "kernel.cuh"

// A warpgroup's own tile is 64 * SLABS rows by BN columns.
template <int KIND_, int SLABS_, int BN_, bool B_MN_ = false, bool A_MN_ = false>
struct pingpong_shape : shape<KIND_, SLABS_, BN_, A_MN_, B_MN_> {
    static constexpr int SLABS = SLABS_, WARPGROUPS = 2, READERS = 1, THREADS = 3 * 128;
    static constexpr bool PINGPONG = true, SPLITS = false;
    static constexpr int LOADERS = 1;
    static constexpr bool MOVE_REGISTERS = SLABS_ * BN_ / 2 > 64;
    // 128 * 24 + 256 * 240 <= 65536: 192 sums a thread just fit.
    static constexpr int FEW_REGISTERS = 24, MANY_REGISTERS = 240;
    static constexpr bool ADDS_C = SLABS_ * BN_ < 2 * GEMM_MANY_SUMS;
    static constexpr bool STORES_ITSELF = ADDS_C;
};

template <class S> PTX_FN void init_turns(const shared_layout<S> &smem)
{
    for (int32_t wg = 0; wg < S::WARPGROUPS; wg++) ptx::mbarrier_init(smem.turn(wg), 4);
}

// The sums of one tile: a slab's 64 rows lie where its thread's fragment says.
template <class S> struct tile_sums {
    typename S::acc_t of[S::SLABS][S::REGS];

    PTX_FN void hold_all()
    {
#pragma unroll
        for (int slab = 0; slab < S::SLABS; slab++) hold(of[slab]);
    }
};

// As reader, for all slabs of a tile.
template <class S> struct tile_reader {
    static constexpr uint32_t STEP = S::STAGE_BYTES >> 4, SLAB = S::SPAN >> 4;
    uint32_t a, b; // low words of slot 0's matrix descriptors
    shifted<S> boxes;

    PTX_FN tile_reader(const gemm_params &p, const shared_layout<S> &smem)
    {
        if constexpr (S::SHIFTS > 1) boxes.begin(p);
        a = ptx::uniform((uint32_t)matrix_descriptor<S::A_MN>(smem.a(0), S::SPAN));
        b = ptx::uniform((uint32_t)matrix_descriptor<S::B_MN>(smem.b(0), S::SPAN));
    }
    PTX_FN void multiply(tile_sums<S> &sums, int32_t slot, bool first) const
    {
        const uint64_t high_a = matrix_descriptor<S::A_MN>(0, S::SPAN) >> 32 << 32;
        const uint64_t high_b = matrix_descriptor<S::B_MN>(0, S::SPAN) >> 32 << 32;
        const uint32_t from_a = a + slot * STEP, from_b = b + slot * STEP;
        ptx::wgmma_fence();
        if constexpr (S::SHIFTS > 1) {
#pragma unroll
            for (int slab = 0; slab < S::SLABS; slab++)
                boxes.multiply(sums.of[slab], from_a + slab * boxes.second, from_b, first);
        } else
#pragma unroll
            for (int slab = 0; slab < S::SLABS; slab++)
#pragma unroll
                for (int step = 0; step < 4; step++)
                    mma<S::KIND, S::A_MN, S::B_MN>(
                        sums.of[slab],
                        high_a |
                            (uint32_t)(from_a + slab * SLAB + step * descriptor_step<S::A_MN>()),
                        high_b | (uint32_t)(from_b + step * descriptor_step<S::B_MN>()),
                        !first || step > 0);
        ptx::wgmma_commit();
    }
};

// Which of the two this is.
PTX_FN int32_t this_side()
{
    return this_thread() / 128 - 1;
}

// As multiply(), of so many k-blocks between the turn's coming and its handing over: then every
// multiply of the tile is summed or in flight, and the other warpgroup's queue up behind.
template <class S>
PTX_FN void multiply_in_turn(tile_sums<S> &sums, const gemm_params &p, const shared_layout<S> &smem,
                             uint32_t fillers, uint32_t parity, const int32_t &k_blocks,
                             ring_position &ring, const ptx::watch &watch, bool begun)
{
    const tile_reader<S> from(p, smem);
    const int32_t side = this_side();
    ptx::mbarrier_wait_often(smem.turn(side), parity, watch, GEMM_TURN, side);
    int32_t k_block = 0;
    if constexpr (S::BEGINS) { // as multiply() does
        ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL, ring.slot);
        from.multiply(sums, ring.slot, !begun);
        ring.advance(p.stages);
        k_block = 1;
    }
#pragma unroll 1
    for (; k_block < k_blocks; k_block++) {
        ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL, ring.slot);
        from.multiply(sums, ring.slot, !S::BEGINS && k_block == 0);
        ptx::wgmma_wait<1>();
        if (k_block > 0) release<S>(p, smem, fillers, ring.before(p.stages));
        ring.advance(p.stages);
    }
    if (this_thread() % 32 == 0 && !FAULT(p, 42)) ptx::mbarrier_arrive(smem.turn(1 - this_side()));
}

// While the other warpgroup multiplies.
template <class S>
PTX_FN void store_in_turn(tile_sums<S> &sums, const gemm_params &p, const shared_layout<S> &smem,
                          int32_t index)
{
    const int32_t side = this_side();
    place d = place_of<S>(p, {index, 0, p.k_blocks}, 0);
    if (DELAY(p, DELAY_EPILOGUE) && side == 0) ptx::pause_us(50);
#pragma unroll
    for (int slab = 0; slab < S::SLABS; slab++, d.row += 64) {
        const uint32_t staging = smem.staging(FAULT(p, 44) ? 0 : side);
        if constexpr (S::QUICK) enliven<S>(sums.of[slab], p, d);
        if constexpr (S::EPILOGUE)
            finish_tile<S>(sums.of[slab], p, staging, side, d);
        else if (p.plain)
            store_plain<S>(sums.of[slab], p, staging, side, d);
        else
            store_tile<S>(sums.of[slab], p, staging, side, d);
        if constexpr (S::GATED) forget(sums.of[slab]);
    }
}

template <class S>
PTX_FN void consume_in_turns(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers,
                             int32_t cluster, const ptx::watch &watch)
{
    const int32_t between = FAULT(p, 41) ? 0 : p.k_blocks;   // slots of the other's tile
    uint32_t parity = this_side() == (FAULT(p, 40) ? 1 : 0); // the first turn needs no handing over
    int32_t index = cluster + this_side() * p.clusters;
    ring_position ring;
    tile_sums<S> sums;
    if (this_side() == 1) ring.skip(between, p.stages);
#pragma unroll 1
    for (; index < p.total; index += 2 * p.clusters) {
        bool begun = false;
        if constexpr (S::BEGINS)
#pragma unroll
            for (int slab = 0; slab < S::SLABS; slab++)
                begun = begin_sums<S>(sums.of[slab], p, {index, 0, p.k_blocks}, slab);
        multiply_in_turn<S>(sums, p, smem, fillers, parity, p.k_blocks, ring, watch, begun);
        ptx::wgmma_wait<0>();
        sums.hold_all();
        release<S>(p, smem, fillers, ring.before(p.stages));
        ring.skip(between, p.stages);
        parity ^= 1;
        store_in_turn<S>(sums, p, smem, index);
    }
    if (this_thread() % 128 == 0) ptx::bulk_wait_read<0>();
}

#define GEMM_PINGPONG_KERNEL(NAME, ...)                                                            \
    extern "C" __global__ __launch_bounds__((pingpong_shape<__VA_ARGS__>::THREADS), 1) void NAME(  \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        gemm<pingpong_shape<__VA_ARGS__>>(p);                                                      \
    }
