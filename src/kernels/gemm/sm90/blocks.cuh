// Scales of blocks: of 1 x 128 of A and of 128 x 128 of B (DeepGEMM's form). A k-block is 128 of K
// in e4m3, so its sum leaves the tensor core, is scaled and added in fp32: promote.cuh with a
// multiplication.
//
// A's scales of a tile's rows come by the copy engine into the slot, behind the operands, and B's
// are stored there by the loading warp, a lane each for as many columns as surely have the same.
// They are read while the slot's multiplies run, and the warp that gives the slot back waits for
// the others to have read them.
#pragma once

#include "kernel.cuh"
#include "kernels/gemm/epilogue.h"

template <class SHAPE> struct block_scaled : SHAPE {
    static constexpr bool BLOCKS = true;
    static constexpr int STAGE_BYTES = SHAPE::STAGE_BYTES + GEMM_BLOCKS_BYTES;
    // Columns that have one scale: tiles begin at multiples of BN, blocks at multiples of 128.
    static constexpr int LOWEST_BIT = SHAPE::BN & -SHAPE::BN;
    static constexpr int ALIKE = LOWEST_BIT < GEMM_SCALE_BLOCK ? LOWEST_BIT : GEMM_SCALE_BLOCK;
    static constexpr int SCALES = SHAPE::BN / ALIKE;
    static_assert(SHAPE::PROMOTE && SHAPE::BK == GEMM_SCALE_BLOCK,
                  "a k-block is a block of scales");
    static_assert(SCALES <= 32, "a lane each");
    static_assert(SHAPE::BM * 4 <= GEMM_B_SCALES_AT, "A's scales end before B's");
};

template <class S> PTX_FN const gemm_blocks &blocks_of(const gemm_params &p)
{
    return reinterpret_cast<const gemm_epilogue_params &>(p).blocks;
}

// What a tile's k-blocks have in common is worked out before the first, and B's scales are asked
// for a k-block ahead: every instruction of the loading warp's loop delays the next load
// (docs/GEMM.md).
template <class S> struct scale_loads<S, true> {
    uint64_t b;         // this lane's next scale of B
    int32_t left;       // scales of B from there on along K
    int32_t row, block; // of A's that are next, in the map
    bool mine;          // this lane has one
    uint32_t x;

    PTX_FN void begin(const source<S> &from, const gemm_blocks &of, uint64_t b_at, int32_t k)
    {
        const gemm_params &p = *from.params;
        const int32_t lane = threadIdx.x % 32;
        const int32_t first = from.b_row - from.b_part * (S::BN >> (31 - __clz(p.cluster_m)));
        const int32_t b_row = (first + S::ALIKE * lane) / GEMM_SCALE_BLOCK,
                      col = k / GEMM_SCALE_BLOCK + (FAULT(p, 82) ? 1 : 0);
        b = b_at + b_row * of.b_row_bytes + col * 4ll;
        left = of.b_cols - col;
        mine = lane < S::SCALES && b_row < of.b_rows;
        row = from.a_row - from.a_part * (S::BM >> (31 - __clz(p.cluster_n)));
        block = k / GEMM_SCALE_BLOCK + (FAULT(p, 80) ? 1 : 0);
        ask();
    }
    PTX_FN void ask() { x = ptx::load_global_if(b, mine && left > 0, false); }
    PTX_FN void step(int32_t blocks)
    {
        b += blocks * 4;
        left -= blocks;
        block += blocks;
        ask();
    }
    // to: the slot's place for scales, or so many bytes behind it as the member is.
    PTX_FN void put_b(const gemm_params &p, uint32_t to) const
    {
        const uint32_t lane = threadIdx.x % 32;
        if (lane < S::SCALES)
            ptx::store_shared_32(to + GEMM_B_SCALES_AT + (FAULT(p, 84) ? lane ^ 1 : lane) * 4, x);
        __syncwarp(); // the lane that says so comes after them
    }
    PTX_FN void load_a(const gemm_blocks &of, uint32_t to, uint32_t bar, uint64_t policy) const
    {
        const int32_t c[2] = {row, block};
        ptx::tma_load_hint<2>(to, &of.a, bar, c, policy);
    }
};

template <class S> struct slot_scales<S, true> {
    uint32_t base, own; // slot 0's, and of this thread's first row
    uint32_t meeting;   // of the warpgroup's warps
    float x[2][S::SCALES];

    PTX_FN slot_scales(const shared_layout<S> &smem, int32_t wg) : meeting(HAVE_READ + wg)
    {
        const uint32_t thread = threadIdx.x - 128;
        base = smem.scales(0);
        own = base + thread / 32 * 64 + thread % 32 / 4 * 4;
        asm volatile("" : "+r"(base), "+r"(own));
    }
    PTX_FN void move(uint32_t bytes) { base += bytes, own += bytes; }
    // The warp that gives slots back (cluster_place).
    static PTX_FN bool speaks() { return this_thread() / 32 % 4 == 0; }
    PTX_FN void await_others(const gemm_params &p) const
    {
        if (speaks() && !FAULT(p, 85)) ptx::named_barrier_sync(meeting, 128);
    }
    // A k-block's, and their products, while its multiplies run; volatile, or they are made later.
    PTX_FN void read(const gemm_params &p, int32_t slot)
    {
        if (FAULT(p, 83)) slot = slot > 0 ? slot - 1 : 0;
        const uint32_t there = slot * S::STAGE_BYTES;
        float row[2], col[S::SCALES];
        row[0] = __uint_as_float(ptx::load_shared_32(own + there));
        row[1] = FAULT(p, 81) ? row[0] : __uint_as_float(ptx::load_shared_32(own + there + 32));
#pragma unroll
        for (int i = 0; i < S::SCALES; i++)
            col[i] = __uint_as_float(ptx::load_shared_32(base + there + GEMM_B_SCALES_AT + i * 4));
#pragma unroll
        for (int i = 0; i < 2 * S::SCALES; i++)
            asm volatile("mul.f32 %0, %1, %2;"
                         : "=f"(x[i % 2][i / 2])
                         : "f"(row[i % 2]), "f"(col[i / 2]));
        if (!speaks() && !FAULT(p, 85)) ptx::named_barrier_arrive(meeting, 128);
    }
    // sum += row col part, left between the waits as add() is.
    template <int C, int REGS, int PARTS>
    PTX_FN void add(float (&sum)[REGS], const float (&part)[PARTS]) const
    {
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            constexpr int FIRST = C * PARTS;
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(sum[FIRST + i])
                         : "f"(part[i]), "f"(x[i / 2 % 2][(FIRST + i) * 2 / S::ALIKE]));
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
