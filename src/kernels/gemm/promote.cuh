// fp8's main loop. The tensor core keeps fewer bits than fp32 inside a running sum of fp8 products,
// so every k-block's sum leaves it and is added in full fp32. Two sets of partial sums take turns
// where the registers hold them, so that a chain of multiplies is in flight while the last one's is
// added: one set alone reached 940 of the 1300 TFLOP/s (8192 cubed, H200; docs/GEMM.md).
#pragma once

#include "multiply.cuh"

// sum[AT + i] += part[i]. The statement is volatile so that the compiler leaves it between the
// waits: moved behind the next one, nothing would overlap.
template <int AT, int REGS, int PARTS>
PTX_FN void add(float (&sum)[REGS], const float (&part)[PARTS])
{
#pragma unroll
    for (int i = 0; i < PARTS; i++)
        asm volatile("add.f32 %0, %0, %1;" : "+f"(sum[AT + i]) : "f"(part[i]));
}

// A warpgroup's promoted sums of one tile.
template <class S> struct promotion {
    static constexpr int PARTS = S::CHAIN / 2; // registers of one chain of multiplies
    float (&sum)[S::REGS];
    const gemm_params &p;
    const shared_layout<S> &smem;
    const ptx::watch &watch;
    uint32_t fillers;
    int32_t wg;

    // The k-block in the ring's next slot, which is returned.
    PTX_FN int32_t next(ring_position &ring) const
    {
        const int32_t slot = ring.slot;
        ptx::mbarrier_wait_often(smem.full(slot), ring.parity, watch, GEMM_FULL, slot);
        ring.advance(p.stages);
        return slot;
    }
    // Chain C of a k-block's columns, in flight on return.
    template <int C> PTX_FN void start(float (&part)[PARTS], int32_t slot) const
    {
        multiply_slot<S>(part, smem, wg, slot, true, C * S::CHAIN);
    }
    // Chain C, once all but the IN_FLIGHT last chains are done; then its slot, if it was the last
    // that needs it, goes back.
    template <int C, int IN_FLIGHT>
    PTX_FN void take(float (&part)[PARTS], bool last, int32_t slot) const
    {
        ptx::wgmma_wait<IN_FLIGHT>();
        hold(part);
        if (last) release<S>(p, smem, fillers, slot);
        add<C * PARTS>(sum, part);
    }

    // One chain a k-block: even and odd k-blocks take turns.
    PTX_FN void by_turns(int32_t k_blocks, ring_position &ring) const
    {
        float even[PARTS], odd[PARTS];
#pragma unroll
        for (int i = 0; i < PARTS; i++) odd[i] = 0;
        if (k_blocks % 2) {
            const int32_t slot = next(ring);
            start<0>(even, slot);
            take<0, 0>(even, true, slot);
        }
        int32_t odd_slot = 0;
#pragma unroll 1
        for (int32_t pair = 0; pair < k_blocks / 2; pair++) {
            const int32_t even_slot = next(ring);
            start<0>(even, even_slot);
            take<0, 1>(odd, pair > 0, odd_slot);
            odd_slot = next(ring);
            start<0>(odd, odd_slot);
            take<0, 1>(even, true, even_slot);
        }
        take<0, 0>(odd, k_blocks > 1, odd_slot);
    }
    // Two chains a k-block, which take turns.
    PTX_FN void by_halves(int32_t k_blocks, ring_position &ring) const
    {
        float left[PARTS], right[PARTS];
        int32_t previous = 0;
#pragma unroll
        for (int i = 0; i < PARTS; i++) right[i] = 0;
#pragma unroll 1
        for (int32_t k_block = 0; k_block < k_blocks; k_block++) {
            const int32_t slot = next(ring);
            start<0>(left, slot);
            take<1, 1>(right, k_block > 0, previous);
            start<1>(right, slot);
            take<0, 1>(left, false, slot);
            previous = slot;
        }
        take<1, 0>(right, true, previous);
    }
    // Two chains a k-block and room for one: the other warpgroup fills the gaps.
    PTX_FN void one_by_one(int32_t k_blocks, ring_position &ring) const
    {
        float part[PARTS];
#pragma unroll 1
        for (int32_t k_block = 0; k_block < k_blocks; k_block++) {
            const int32_t slot = next(ring);
            start<0>(part, slot);
            take<0, 0>(part, false, slot);
            start<1>(part, slot);
            take<1, 0>(part, true, slot);
        }
    }
};

template <class S>
PTX_FN void multiply_promoted(float (&sum)[S::REGS], const gemm_params &p,
                              const shared_layout<S> &smem, uint32_t fillers, int32_t wg,
                              int32_t k_blocks, ring_position &ring, const ptx::watch &watch)
{
    const promotion<S> promote = {sum, p, smem, watch, fillers, wg};
#pragma unroll
    for (int i = 0; i < S::REGS; i++) sum[i] = 0;
    if constexpr (S::CHAIN == S::BN)
        promote.by_turns(k_blocks, ring);
    else if constexpr (S::BN <= 192)
        promote.by_halves(k_blocks, ring);
    else
        promote.one_by_one(k_blocks, ring);
}
