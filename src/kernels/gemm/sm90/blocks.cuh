// Scales of blocks: of 1 x 128 of A and of 128 x 128 of B (DeepGEMM's form). A k-block is 128 of K
// in e4m3, so its sum leaves the tensor core, is scaled and added in fp32: promote.cuh with a
// multiplication.
//
// A's scales of a tile's rows come by the copy engine into the slot, behind the operands, and B's,
// one for as many columns as surely have the same, are stored there by the loading thread. A
// warpgroup's warps read them before they meet for the turn at the tensor core: so all have when
// one of them gives the slot back.
#pragma once

#include "blocks_ahead.cuh"
#include "kernel.cuh"
#include "kernels/gemm/epilogue.h"

template <class SHAPE> struct block_scaled : SHAPE {
    static constexpr bool BLOCKS = true;
    static constexpr int LOADERS = 1;
    static constexpr int STAGE_BYTES = SHAPE::STAGE_BYTES + GEMM_BLOCKS_BYTES;
    // Columns that have one scale: tiles begin at multiples of BN, blocks at multiples of 128.
    static constexpr int LOWEST_BIT = SHAPE::BN & -SHAPE::BN;
    static constexpr int ALIKE = LOWEST_BIT < GEMM_SCALE_BLOCK ? LOWEST_BIT : GEMM_SCALE_BLOCK;
    static constexpr int SCALES = SHAPE::BN / ALIKE;
    // Read a k-block ahead: blocks_ahead.cuh.
    static constexpr bool AHEAD = ALIKE < 64 || SHAPE::BN > SHAPE::CHAIN;
    static_assert(SHAPE::PROMOTE && SHAPE::BK == GEMM_SCALE_BLOCK,
                  "a k-block is a block of scales");
    static_assert(SHAPE::BM * 4 <= GEMM_B_SCALES_AT, "A's scales end before B's");
    static_assert(GEMM_B_SCALES_AT + (SCALES + 3) / 4 * 16 <= GEMM_BLOCKS_BYTES, "B's fit");
};

template <class S> PTX_FN const gemm_blocks &blocks_of(const gemm_params &p)
{
    return reinterpret_cast<const gemm_epilogue_params &>(p).blocks;
}

// What a tile's k-blocks have in common is worked out before the first, and B's scales are asked
// for a k-block ahead: one thread loads, and every instruction of its loop delays the next load
// (docs/GEMM.md).
template <class S> struct scale_loads<S, true> {
    // Blocks of 128 that a tile's columns are of.
    static constexpr int AT_MOST = (GEMM_SCALE_BLOCK - S::ALIKE + S::BN - 1) / GEMM_SCALE_BLOCK + 1;
    uint64_t b;         // the first of this tile's scales of B that is next
    int32_t left, rows; // scales of B from there on along K, and below
    int32_t row, block; // of A's that are next, in the map
    uint32_t inside;    // columns of the first block before the tile's first
    uint32_t x[AT_MOST];

    PTX_FN void begin(const source<S> &from, const gemm_blocks &of, uint64_t b_at, int32_t k)
    {
        const gemm_params &p = *from.params;
        const int32_t first = from.b_row - from.b_part * (S::BN >> (31 - __clz(p.cluster_m)));
        const int32_t b_row = first / GEMM_SCALE_BLOCK,
                      col = k / GEMM_SCALE_BLOCK + (FAULT(p, 82) ? 1 : 0);
        b = b_at + b_row * of.b_row_bytes + col * 4ll;
        left = of.b_cols - col;
        rows = of.b_rows - b_row;
        inside = (first + (FAULT(p, 84) ? S::ALIKE : 0)) & (GEMM_SCALE_BLOCK - S::ALIKE);
        row = from.a_row - from.a_part * (S::BM >> (31 - __clz(p.cluster_n)));
        block = k / GEMM_SCALE_BLOCK + (FAULT(p, 80) ? 1 : 0);
        ask(of);
    }
    PTX_FN void ask(const gemm_blocks &of)
    {
#pragma unroll
        for (int i = 0; i < AT_MOST; i++)
            x[i] = ptx::load_global_if(b + i * of.b_row_bytes, left > 0 && rows > i, false);
    }
    PTX_FN void step(const gemm_blocks &of, int32_t blocks)
    {
        b += blocks * 4;
        left -= blocks;
        block += blocks;
        ask(of);
    }
    // to: the slot's place for scales, or so many bytes behind it as the member is.
    PTX_FN void put_b(uint32_t to) const
    {
#pragma unroll
        for (int i = 0; i < S::SCALES; i++) {
            const uint32_t of = (inside + i * S::ALIKE) / GEMM_SCALE_BLOCK;
            uint32_t scale = x[0];
#pragma unroll
            for (int j = 1; j < AT_MOST; j++)
                if (of == j) scale = x[j];
            ptx::store_shared_32(to + GEMM_B_SCALES_AT + i * 4, scale);
        }
    }
    PTX_FN void load_a(const gemm_blocks &of, uint32_t to, uint32_t bar, uint64_t policy) const
    {
        const int32_t c[2] = {row, block};
        ptx::tma_load_hint<2>(to, &of.a, bar, c, policy);
    }
};

template <class S> struct slot_scales<S, true, false> {
    uint32_t base;
    float row[2], col[S::SCALES];

    PTX_FN slot_scales(const shared_layout<S> &smem, int32_t) : base(smem.scales(0)) {}
    // This thread's place is asked for anew: the widest tile has no register to keep it in.
    PTX_FN void read(const gemm_params &p, int32_t slot)
    {
        if (FAULT(p, 83)) slot = slot > 0 ? slot - 1 : 0;
        const uint32_t at = base + slot * S::STAGE_BYTES;
        const uint32_t thread = this_thread() - 128;
        const uint32_t own = at + thread / 32 * 64 + thread % 32 / 4 * 4;
        row[0] = __uint_as_float(ptx::load_shared_32(own));
        row[1] = FAULT(p, 81) ? row[0] : __uint_as_float(ptx::load_shared_32(own + 32));
#pragma unroll
        for (int i = 0; i < S::SCALES; i++)
            col[i] = __uint_as_float(ptx::load_shared_32(at + GEMM_B_SCALES_AT + i * 4));
    }
    // sum += row col part, left between the waits as add() is.
    template <int C, int REGS, int PARTS>
    PTX_FN void add(float (&sum)[REGS], const float (&part)[PARTS]) const
    {
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            const float x = row[i / 2 % 2] * col[(C * PARTS + i) * 2 / S::ALIKE];
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(sum[C * PARTS + i])
                         : "f"(part[i]), "f"(x));
        }
    }
};

#define GEMM_SCALED_KERNEL(NAME, ...)                                                              \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<block_scaled<__VA_ARGS__>>(p.product);                                                \
    }

#ifdef GEMM_ONLY
#define GEMM_SCALED(kind, wgs, bn)                                                                 \
    GEMM_SCALED_KERNEL(gemm_##kind##_##wgs##x##bn##_blocks,                                        \
                       shape<GEMM_KIND_##kind, wgs, bn, false, false, true>)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)
#include "instances.def"
#endif
