// fp8's main loop. The tensor core keeps fewer bits than fp32 inside a running sum of fp8 products,
// so every k-block's sum leaves it and is added in full fp32 while other multiplies run: where
// registers hold two sets of partial sums, this warpgroup's next chain of them, else the other
// warpgroup's. Those take turns at issuing their chains: left to themselves they issue at the same
// time, wait at the same time and add at the same time (docs/GEMM.md).
#pragma once

#include "multiply.cuh"

// Whether two sets of partial sums fit beside the promoted ones, without spills; the model has the
// same rule (promoted_clocks() of model_promoted.h).
template <class S>
constexpr bool TWO_SETS = S::PROMOTE && !S::BLOCKS && S::WGS <= 2 && S::BN <= GEMM_TWO_SETS_COLUMNS;

// Warpgroup w waits at barrier TURN + w until the one before it has issued its chain.
enum { TURN = 9, TAKERS = 256 };

PTX_FN void take_turn(int32_t wg)
{
    ptx::named_barrier_sync(TURN + wg, TAKERS);
}
template <class S> PTX_FN void hand_over(int32_t wg)
{
    if constexpr (S::WGS == 2)
        ptx::named_barrier_arrive(TURN + 1 - wg, TAKERS);
    else
        ptx::named_barrier_arrive(TURN + (wg == S::WGS - 1 ? 0 : wg + 1), TAKERS);
}

// Before the first tile and after the last one: the first turn is warpgroup 0's, and so is what the
// last one hands over.
template <class S> PTX_FN void begin_turns(int32_t wg)
{
    if (S::PROMOTE && !TWO_SETS<S> && wg == S::WGS - 1) hand_over<S>(wg);
}
template <class S> PTX_FN void end_turns(int32_t wg)
{
    if (S::PROMOTE && !TWO_SETS<S> && wg == 0) take_turn(wg);
}

// sum[AT + i] += part[i]. The statement is volatile so that the compiler leaves it between the
// waits: moved behind the next one, nothing would overlap.
template <int AT, int REGS, int PARTS>
PTX_FN void add(float (&sum)[REGS], const float (&part)[PARTS])
{
#pragma unroll
    for (int i = 0; i < PARTS; i++)
        asm volatile("add.f32 %0, %0, %1;" : "+f"(sum[AT + i]) : "f"(part[i]));
}

// In blocks.cuh: a k-block's scales as this thread's rows see them.
template <class S, bool BLOCKS = S::BLOCKS, bool AHEAD = S::AHEAD> struct slot_scales {
    PTX_FN slot_scales(const shared_layout<S> &, int32_t) {}
};

// One chain of a k-block's multiplies, from the low words of its first column's matrix descriptors.
template <class S, int PARTS>
PTX_FN void multiply_chain(float (&part)[PARTS], uint32_t a, uint32_t b)
{
    constexpr int STEPS = 4, UNITS = descriptor_step<false>();
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        mma<S::KIND, false, false>(part, k_major_descriptor(a + step * UNITS),
                                   k_major_descriptor(b + step * UNITS), step > 0);
    }
    ptx::wgmma_commit();
}

// A warpgroup's promoted sums of one tile. Where the next k-block lies, and whether it is there, is
// asked while a chain runs: in turns, between the end of a chain and the start of the next there
// are the additions and nothing else. With two sets a slot is given back once the next one's chain
// is issued, so there must be two.
template <class S> struct promotion {
    static constexpr int PARTS = S::CHAIN / 2, LAST = S::BN / S::CHAIN - 1;
    static constexpr int COLUMN_UNITS = 128 / 16;
    float (&sum)[S::REGS];
    const gemm_params &p;
    const ptx::watch &watch;
    ring_position &ring;
    int32_t wg;
    uint32_t full, empty; // slot 0's barriers; empty: this lane's to signal, or 0
    uint32_t a, b;        // slot 0's descriptors
    slot_scales<S> scales;

    struct source {
        uint32_t a, b;
    };

    PTX_FN promotion(float (&sum)[S::REGS], const gemm_params &p, const shared_layout<S> &smem,
                     uint32_t fillers, int32_t wg, ring_position &ring, const ptx::watch &watch)
        : sum(sum), p(p), watch(watch), ring(ring), wg(wg), scales(smem, wg)
    {
        if constexpr (!S::AHEAD) { // else they are promotion_ahead's
            const uint32_t lane = threadIdx.x % 32;
            full = smem.full(0);
            empty = fillers >> lane & 1 ? ptx::map_to_rank(smem.empty(0), lane) : 0;
            // Kept, not computed anew in every k-block.
            asm volatile("" : "+r"(full), "+r"(empty));
        }
        a = (uint32_t)matrix_descriptor<false>(smem.a(0) + wg * S::SPAN, 0);
        b = (uint32_t)matrix_descriptor<false>(smem.b(0), 0);
    }

    PTX_FN source here() const
    {
        const uint32_t at = ring.slot * (S::STAGE_BYTES / 16);
        return {ptx::uniform(a + at), ptx::uniform(b + at)};
    }
    PTX_FN uint32_t barrier(uint32_t of_slot_0) const
    {
        return of_slot_0 + ring.slot * shared_layout<S>::BARRIERS_BYTES;
    }
    PTX_FN uint32_t to_signal() const { return empty ? barrier(empty) : 0; }
    PTX_FN bool filled() const { return ptx::mbarrier_test(barrier(full), ring.parity); }
    PTX_FN void await(bool filled_already) const
    {
        if (!filled_already)
            ptx::mbarrier_wait_often(barrier(full), ring.parity, watch, GEMM_FULL, ring.slot);
    }

    // Chain C of a k-block, in flight on return.
    template <int C> PTX_FN void start(float (&part)[PARTS], const source &from) const
    {
        take_turn(wg);
        multiply_chain<S>(part, from.a, from.b + C * S::CHAIN * COLUMN_UNITS);
        hand_over<S>(wg);
    }
    // Its end; then its slot goes back, if this lane has someone to tell.
    PTX_FN void end(float (&part)[PARTS], uint32_t signal) const
    {
        ptx::wgmma_wait<0>();
        hold(part);
        if (signal) ptx::mbarrier_arrive_cluster(signal);
    }
    template <int C> PTX_FN void settle(float (&part)[PARTS], uint32_t signal) const
    {
        end(part, signal);
        if constexpr (S::BLOCKS)
            scales.template add<C>(sum, part);
        else
            add<C * PARTS>(sum, part);
    }
    // What comes before a k-block's last chain.
    PTX_FN void up_to_last(float (&part)[PARTS]) const
    {
        if constexpr (LAST > 0) {
            const source from = here();
            settle<0>(part, 0);
            start<LAST>(part, from);
        }
    }
    PTX_FN void all(int32_t k_blocks)
    {
        if constexpr (TWO_SETS<S>)
            in_two_sets(k_blocks);
        else
            in_turns(k_blocks);
    }

    // The last chain issued: the slot that its end gives back; the next one, and whether it is
    // there.
    struct issued {
        uint32_t signal;
        source next;
        bool there;
    };
    PTX_FN issued issue(float (&part)[PARTS], const source &from) const
    {
        multiply_chain<S>(part, from.a, from.b);
        const uint32_t signal = to_signal();
        ring.advance(p.stages);
        return {signal, here(), filled()};
    }
    // The next k-block's chain into one set, then the end of the chain before it in the other.
    PTX_FN issued follow(const issued &last, float (&next)[PARTS], float (&part)[PARTS]) const
    {
        await(last.there);
        const issued now = issue(next, last.next);
        ptx::wgmma_wait<1>();
        hold(part);
        if (last.signal) ptx::mbarrier_arrive_cluster(last.signal);
        add<0>(sum, part);
        return now;
    }
    PTX_FN void in_two_sets(int32_t k_blocks)
    {
        float even[PARTS], odd[PARTS];
        await(false);
        issued last = issue(even, here());
#pragma unroll 1
        for (; k_blocks > 2; k_blocks -= 2) {
            last = follow(last, odd, even);
            last = follow(last, even, odd);
        }
        if (k_blocks == 2) {
            last = follow(last, odd, even);
            settle<0>(odd, last.signal);
        } else {
            settle<0>(even, last.signal);
        }
    }
    PTX_FN void in_turns(int32_t k_blocks)
    {
        static_assert(S::WGS > 1, "only warpgroups that share a tile take turns");
        float part[PARTS];
        await(false);
        if constexpr (S::BLOCKS) scales.read(p, ring.slot);
        start<0>(part, here());
#pragma unroll 1
        for (int32_t k_block = 1; k_block < k_blocks; k_block++) {
            up_to_last(part);
            const uint32_t signal = to_signal();
            ring.advance(p.stages);
            const source from = here();
            const bool there = filled();
            settle<LAST>(part, signal);
            await(there);
            if constexpr (S::BLOCKS) scales.read(p, ring.slot);
            start<0>(part, from);
        }
        up_to_last(part);
        const uint32_t signal = to_signal();
        ring.advance(p.stages);
        settle<LAST>(part, signal);
    }
};

template <class S>
PTX_FN void multiply_promoted(float (&sum)[S::REGS], const gemm_params &p,
                              const shared_layout<S> &smem, uint32_t fillers, int32_t wg,
                              int32_t k_blocks, ring_position &ring, const ptx::watch &watch)
{
#pragma unroll
    for (int i = 0; i < S::REGS; i++) sum[i] = 0;
    promotion<S>(sum, p, smem, fillers, wg, ring, watch).all(k_blocks);
}
