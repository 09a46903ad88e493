// The consumers' main loop over K. One group of multiplies stays in flight: the slot given back in
// round i is round i-1's, so that the tensor cores never drain between k-blocks.
#pragma once

#include "layout.cuh"

// Every warp says that it is done with a slot to every block that fills it.
template <class S>
PTX_FN void release(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers,
                    int32_t slot)
{
    const uint32_t lane = threadIdx.x % 32;
    if (fillers >> lane & 1) {
        if (p.cluster_m * p.cluster_n == 1)
            ptx::mbarrier_arrive(smem.empty(slot));
        else
            ptx::mbarrier_arrive_cluster(ptx::map_to_rank(smem.empty(slot), lane));
    }
}

// A k-block of several taps (convolution.cuh) has them one after the other, each of a row of
// TAP_BYTES for every pixel, in the swizzle of so many bytes; without one, of 16, the leading
// offset leads to the next tap.
template <class S> PTX_FN uint64_t tap_descriptor(uint32_t addr)
{
    constexpr uint64_t layout = S::TAP_BYTES == 64 ? 2 : S::TAP_BYTES == 32 ? 3 : 0;
    constexpr uint64_t leading_bytes = S::TAP_BYTES == 16 ? S::BM * 16 : 16;
    return (uint64_t)((addr & 0x3ffff) >> 4) | (leading_bytes >> 4) << 16 |
           (uint64_t)(8 * S::TAP_BYTES >> 4) << 32 | layout << 62;
}
template <class S> PTX_FN constexpr uint32_t tap_step(int step)
{
    const int k_bytes = step * 32, tap = k_bytes / S::TAP_BYTES;
    return (uint32_t)(tap * S::BM * S::TAP_BYTES + k_bytes % S::TAP_BYTES) >> 4;
}

// In patches.cuh, where several taps read one box of pixels.
template <class S, bool SHIFTED = (S::SHIFTS > 1)> struct shifted {
};

// What stays the same from slot to slot: the descriptors and barriers of slot 0, to which a slot
// adds a multiple. Everything is the same in all lanes, and the compiler knows it (a vote's
// result), so that it lies in uniform registers and one multiply's step costs two additions.
template <class S> struct reader {
    static constexpr uint32_t STEP = S::STAGE_BYTES >> 4;
    uint32_t a, b; // low words of the matrix descriptors
    uint32_t full, empty;
    shifted<S> boxes;
    bool shared, tells; // whether `empty` is another block's, and whether this lane arrives there

    PTX_FN reader(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers, int32_t wg)
    {
        const uint32_t lane = threadIdx.x % 32;
        shared = p.cluster_m * p.cluster_n > 1;
        tells = fillers >> lane & 1;
        empty = shared ? ptx::map_to_rank(smem.empty(0), lane) : smem.empty(0);
        int32_t same = 0;
#pragma unroll
        for (int i = 1; i < S::WGS; i++) same += __any_sync(0xffffffff, wg >= i);
        a = (uint32_t)matrix_descriptor<S::A_MN>(smem.a(0) + same * S::SPAN, S::SPAN);
        b = (uint32_t)matrix_descriptor<S::B_MN>(smem.b(0), S::SPAN);
        if constexpr (S::TAP_BYTES < GEMM_SPAN_BYTES)
            a = (uint32_t)tap_descriptor<S>(smem.a(0) + same * 64 * S::TAP_BYTES);
        if constexpr (S::SHIFTS > 1) {
            boxes.begin(p);
            a = (uint32_t)matrix_descriptor<false>(smem.a(0), S::SPAN) + same * boxes.second;
        }
        full = smem.full(0);
    }
    PTX_FN void give_back(int32_t slot) const
    {
        if (!tells) return;
        if (shared)
            ptx::mbarrier_arrive_cluster(empty + 16 * slot);
        else
            ptx::mbarrier_arrive(empty + 16 * slot);
    }
    PTX_FN void give_back_if(bool any, int32_t slot) const
    {
        ptx::mbarrier_arrive_if(any && tells && !shared, empty + 16 * slot);
        ptx::mbarrier_arrive_cluster_if(any && tells && shared, empty + 16 * slot);
    }
    PTX_FN void multiply(typename S::acc_t (&acc)[S::REGS], int32_t slot, bool first,
                         uint64_t fault = 0) const
    {
        const uint64_t high = matrix_descriptor<S::A_MN>(0, S::SPAN) >> 32 << 32;
        uint32_t from_a = a + slot * STEP, from_b = b + slot * STEP;
        if constexpr (S::TALL) { // what it recalls from shared memory, the compiler does not know
            from_a = __reduce_or_sync(0xffffffff, from_a);
            from_b = __reduce_or_sync(0xffffffff, from_b);
        }
        ptx::wgmma_fence();
        if constexpr (S::SHIFTS > 1) {
            boxes.multiply(acc, from_a, from_b, first);
        } else
#pragma unroll
            for (int step = 0; step < 4; step++) {
                uint64_t high_a = high;
                if constexpr (S::TAP_BYTES < GEMM_SPAN_BYTES) {
                    high_a = tap_descriptor<S>(0) >> 32 << 32;
                    from_a = a + slot * STEP + tap_step<S>(step);
                }
                mma<S::KIND, S::A_MN, S::B_MN>(acc, high_a | from_a, (high | from_b) + fault,
                                               !first || step > 0);
                from_a += descriptor_step<S::A_MN>();
                from_b += descriptor_step<S::B_MN>();
            }
        ptx::wgmma_commit();
    }
};

// Tiles so narrow that the loop's own instructions tell: a k-block of 128 x 96 took 566 clocks, its
// multiplies 384. So the next slot is looked at while this one's are under way, no branch gives a
// slot back, and two k-blocks are a round. Kernels with all steps of an epilogue have no register
// left for it.
template <class S>
constexpr bool NARROW_LOOP = !S::TALL && !S::HIGH && !S::EPILOGUE && S::REGS <= 64;

// Returns with the last group in flight, and its slot; finish() ends it. What the caller computes
// in between costs no time. begun: the sums are added to what acc holds.
template <class S>
PTX_FN int32_t multiply(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                        const reader<S> &from, int32_t wg, int32_t k_blocks, ring_position &ring,
                        const ptx::watch &watch, bool begun = false)
{
    constexpr bool NARROW = NARROW_LOOP<S>;
    constexpr int ROUND = NARROW ? 2 : 1;
    int32_t previous = 0, k_block = 0;
    // What else defines the sums must end before a group is in flight, or ptxas lets none be.
    if constexpr (S::BEGINS) {
        ptx::mbarrier_wait_often(from.full + 16 * ring.slot, ring.parity, watch, GEMM_FULL,
                                 ring.slot);
        from.multiply(acc, ring.slot, !begun || FAULT(p, 132));
        previous = ring.slot;
        ring.advance(p.stages);
        k_block = 1;
    }
    bool ready = NARROW && ptx::mbarrier_test(from.full + 16 * ring.slot, ring.parity);
#pragma unroll ROUND
    for (; k_block < k_blocks; k_block++) {
        if (__builtin_expect(!ready, !NARROW) && !FAULT(p, 16))
            ptx::mbarrier_wait_often(from.full + 16 * ring.slot, ring.parity, watch, GEMM_FULL,
                                     ring.slot);
        if (FAULT(p, 13)) from.give_back(ring.slot);
        if (DELAY(p, DELAY_MULTIPLY)) ptx::pause_us(5);
        if (DELAY(p, DELAY_LAST_GROUP) && wg == 1 && k_block == k_blocks - 1) ptx::pause_us(50);
        from.multiply(acc, ring.slot, !S::BEGINS && k_block == 0,
                      FAULT(p, 15) ? (uint64_t)64 << 32 : 0);
        if constexpr (NARROW) {
            const int32_t slot = ring.slot;
            ring.advance(p.stages);
            if (FAULT(p, 5)) ring.parity = 0;
            ready = ptx::mbarrier_test(from.full + 16 * ring.slot, ring.parity);
            ptx::wgmma_wait<1>();
            from.give_back_if(k_block > 0 && !FAULT(p, 13), previous);
            previous = slot;
        } else {
            ptx::wgmma_wait<1>();
            if (k_block > 0 && !FAULT(p, 13)) from.give_back(previous);
            previous = ring.slot;
            ring.advance(p.stages);
            if (FAULT(p, 5)) ring.parity = 0;
        }
    }
    return previous;
}

template <class S>
PTX_FN void finish(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                   const shared_layout<S> &smem, uint32_t fillers, int32_t last)
{
    ptx::wgmma_wait<0>();
    hold(acc);
    if (DELAY(p, DELAY_LEAVING) && ptx::cluster_rank() == 1) ptx::pause_us(50);
    if (!FAULT(p, 13)) release<S>(p, smem, fillers, last);
}
