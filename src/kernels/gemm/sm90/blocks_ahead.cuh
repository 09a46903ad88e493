// Scales of blocks in tiles of 256 columns, of which a k-block takes two chains of multiplies, and
// of widths that are not a multiple of 64: read under the additions before a k-block, by as few
// instructions as there can be, and multiplied with each other under its first chain. In tiles of
// 64, 128 and 192 columns that gains nothing (docs/EXPERIMENTS.md).
#pragma once

#include "promote.cuh"

template <class S> struct slot_scales<S, true, true> {
    uint32_t base; // slot 0's
    float row[2], col[(S::SCALES + 3) / 4 * 4], x[2][S::SCALES];

    struct place {
        uint32_t a, b;
    };

    PTX_FN slot_scales(const shared_layout<S> &smem, int32_t) : base(smem.scales(0)) {}
    // This thread's place is asked for anew: the widest tile has no register to keep it in.
    PTX_FN place of(const gemm_params &p, int32_t slot) const
    {
        if (FAULT(p, 83)) slot = slot > 0 ? slot - 1 : 0;
        const uint32_t at = base + slot * S::STAGE_BYTES, thread = this_thread() - 128;
        return {at + thread / 32 * 64 + thread % 32 / 4 * 4, at + GEMM_B_SCALES_AT};
    }
    // A slot's, if it is there.
    PTX_FN void read(const gemm_params &p, const place &from, bool there)
    {
        static_assert(S::SCALES >= 2 && S::SCALES <= 5, "read by as many instructions");
        ptx::load_shared_if(from.a, there, row[0]);
        ptx::load_shared_if(from.a + (FAULT(p, 81) ? 0 : 32), there, row[1]);
        if constexpr (S::SCALES == 2)
            ptx::load_shared_pair_if(from.b, there, col[0], col[1]);
        else
            ptx::load_shared_four_if(from.b, there, col[0], col[1], col[2], col[3]);
        if constexpr (S::SCALES > 4) ptx::load_shared_if(from.b + 16, there, col[4]);
    }
    // Volatile, or they are made later.
    PTX_FN void multiply()
    {
#pragma unroll
        for (int i = 0; i < 2 * S::SCALES; i++)
            asm volatile("mul.f32 %0, %1, %2;"
                         : "=f"(x[i % 2][i / 2])
                         : "f"(row[i % 2]), "f"(col[i / 2]));
    }
    // sum += x part, left between the waits as add() is.
    template <int C, int REGS, int PARTS>
    PTX_FN void add(float (&sum)[REGS], const float (&part)[PARTS]) const
    {
#pragma unroll
        for (int i = 0; i < PARTS; i++)
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(sum[C * PARTS + i])
                         : "f"(part[i]), "f"(x[i / 2 % 2][(C * PARTS + i) * 2 / S::ALIKE]));
    }
};

template <class S> struct promotion_ahead : promotion<S> {
    using base = promotion<S>;
    using base::p, base::ring, base::scales, base::sum;
    using typename base::source;
    static constexpr int PARTS = base::PARTS, LAST = base::LAST;

    PTX_FN promotion_ahead(float (&sum)[S::REGS], const gemm_params &p,
                           const shared_layout<S> &smem, int32_t wg, ring_position &ring,
                           const ptx::watch &watch)
        : base(sum, p, smem, 0, wg, ring, watch)
    {
        const uint32_t lane = threadIdx.x % 32;
        this->full = smem.full(0);
        this->empty = is_filler(p) ? ptx::map_to_rank(smem.empty(0), lane) : 0;
        // Kept, not computed anew in every k-block; the widest tile has no register for both.
        ptx::settle(this->empty);
        if constexpr (S::BN < 192) ptx::settle(this->full);
    }
    // Up to a k-block's last chain, which is in flight on return.
    PTX_FN void begin_last(float (&part)[PARTS])
    {
        scales.multiply();
        if constexpr (LAST > 0) {
            this->end(part, 0);
            const source from = this->here();
            scales.template add<0>(sum, part);
            this->template start<LAST>(part, from);
        }
    }
    PTX_FN void all(int32_t k_blocks)
    {
        float part[PARTS];
        this->await(false);
        scales.read(p, scales.of(p, ring.slot), true);
        this->template start<0>(part, this->here());
#pragma unroll 1
        for (int32_t k_block = 1; k_block < k_blocks; k_block++) {
            begin_last(part);
            const uint32_t signal = this->to_signal();
            ring.advance(p.stages);
            const bool there = this->filled();
            const auto next = scales.of(p, ring.slot);
            this->end(part, signal);
            scales.read(p, next, there);
            const source from = this->here();
            scales.template add<LAST>(sum, part);
            if (!there) {
                this->await(false);
                scales.read(p, scales.of(p, ring.slot), true);
            }
            this->template start<0>(part, from);
        }
        begin_last(part);
        const uint32_t signal = this->to_signal();
        ring.advance(p.stages);
        this->end(part, signal);
        scales.template add<LAST>(sum, part);
    }
};

template <class S>
PTX_FN void multiply_ahead(float (&sum)[S::REGS], const gemm_params &p,
                           const shared_layout<S> &smem, int32_t wg, int32_t k_blocks,
                           ring_position &ring, const ptx::watch &watch)
{
#pragma unroll
    for (int i = 0; i < S::REGS; i++) sum[i] = 0;
    promotion_ahead<S>(sum, p, smem, wg, ring, watch).all(k_blocks);
}
