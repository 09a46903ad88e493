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

// All of the tile's columns, or as many as there are sums from `column` on (k-major B).
template <class S, int REGS>
PTX_FN void multiply_slot(typename S::acc_t (&acc)[REGS], const shared_layout<S> &smem, int32_t wg,
                          int32_t slot, bool first, int32_t column = 0, uint64_t fault = 0)
{
    uint64_t a = matrix_descriptor<S::A_MN>(smem.a(slot) + wg * S::SPAN, S::SPAN);
    uint64_t b = matrix_descriptor<S::B_MN>(smem.b(slot) + column * 128, S::SPAN) + fault;
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; step++) {
        mma<S::KIND, S::A_MN, S::B_MN>(acc, a, b, !first || step > 0);
        a += descriptor_step<S::A_MN>();
        b += descriptor_step<S::B_MN>();
    }
    ptx::wgmma_commit();
}

// Returns with the last group in flight, and its slot; finish() ends it. What the caller computes
// in between costs no time.
template <class S>
PTX_FN int32_t multiply(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                        const shared_layout<S> &smem, uint32_t fillers, int32_t wg,
                        int32_t k_blocks, ring_position &ring, const ptx::watch &watch)
{
    int32_t previous = 0;
#pragma unroll 1
    for (int32_t k_block = 0; k_block < k_blocks; k_block++) {
        if (!FAULT(p, 16))
            ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL,
                                     ring.slot);
        if (FAULT(p, 13)) release<S>(p, smem, fillers, ring.slot);
        if (DELAY(p, DELAY_MULTIPLY)) ptx::pause_us(5);
        if (DELAY(p, DELAY_LAST_GROUP) && wg == 1 && k_block == k_blocks - 1) ptx::pause_us(50);
        multiply_slot<S>(acc, smem, wg, ring.slot, k_block == 0, 0,
                         FAULT(p, 15) ? (uint64_t)64 << 32 : 0);
        ptx::wgmma_wait<1>();
        if (k_block > 0 && !FAULT(p, 13)) release<S>(p, smem, fillers, previous);
        previous = ring.slot;
        ring.advance(p.stages);
        if (FAULT(p, 5)) ring.parity = 0;
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
