// What one kernel is made of: its compile-time choices and where its shared memory goes.
#pragma once

#include "geometry.h"
#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/kinds.cuh"
#include "kernels/gemm/ring.cuh"
#include "mma.cuh"

// Warpgroups of consumers share a tile of 64 * WGS rows by BN columns; a k-block is 128 bytes of
// every row (one span of the 128-byte swizzle).
template <int KIND_, int WGS_, int BN_, bool A_MN_ = false, bool B_MN_ = false,
          bool PROMOTE_ = false>
struct shape {
    static constexpr int KIND = KIND_, WGS = WGS_, BN = BN_, BM = 64 * WGS_;
    static constexpr bool A_MN = A_MN_, B_MN = B_MN_;
    static constexpr bool PROMOTE =
        PROMOTE_; // fp8: partial sums leave the tensor core every k-block
    static constexpr int BK = map_span_of(KIND);
    static constexpr int A_BYTES = BM * GEMM_SPAN_BYTES,
                         B_BYTES = (B_MN ? (BN + 63) / 64 * 64 : BN) * GEMM_SPAN_BYTES;
    // Of kinds with scale factors, which no warpgroup multiplies: sm120.
    static constexpr bool SCALED = scale_depth_of(KIND) != 0;
    static constexpr int A_SCALES = (BM + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS,
                         B_SCALES = (BN + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS;
    static constexpr int SCALE_BYTES =
        (A_SCALES + B_SCALES) * scale_depth_of(KIND) * GEMM_SCALE_BYTES;
    static constexpr int STAGE_BYTES = A_BYTES + B_BYTES + SCALE_BYTES;
    static constexpr int SPAN =
        GEMM_PANEL_BYTES; // a 64-row slab of a k-major tile, or 64 columns of an mn-major one
    // No producer: tall.cuh.
    static constexpr bool TALL = WGS == GEMM_TALL_WGS && BN == GEMM_TALL_COLUMNS;
    static constexpr int THREADS = (WGS + !TALL) * 128;
    // Warpgroups that multiply, and how many of them read one slot: all, but in pingpong.cuh.
    static constexpr int WARPGROUPS = WGS, READERS = WGS;
    static constexpr bool PINGPONG = false;
    // Warps that load, one for each operand where there are two: one warp takes 500 clocks for a
    // k-block, and narrow tiles multiply one in less; and an operand by rows of M or N is several
    // boxes.
    static constexpr int LOADERS =
        WGS == 1 || A_MN || B_MN || (WGS == 2 && BN < 160) || (WGS == 3 && BN < 88) ? 2 : 1;
    static constexpr bool BLOCKS = false;  // blocks have scales: blocks.cuh
    static constexpr bool GROUPED = false; // tiles are a group's members', each with a map of D
    static constexpr bool AHEAD = false;   // read a k-block ahead: blocks_ahead.cuh
    static constexpr bool IM2COL = false;  // A's rows are pixels: convolution.cuh
    static constexpr int TAP_BYTES = GEMM_SPAN_BYTES; // of a pixel that a k-block has of one tap
    static constexpr int B_ROW_BYTES = GEMM_SPAN_BYTES;
    static constexpr int SHIFTS = 1;     // taps that read one box of pixels: patches.cuh
    static constexpr bool EARLY = false; // an operand comes before the predecessor's end: early.cuh
    static constexpr bool EPILOGUE = false; // what is stored is more than alpha A B + beta C
    static constexpr bool KEEPS = false;    // what a tile's end reads is asked for at its beginning
    static constexpr bool QUICK = false;    // a bias and an activation alone: quick.cuh
    static constexpr bool BEGINS = false;   // sums begin with the bias
    static constexpr bool NARROW = false;   // D may have 8 bits: narrow.cuh
    static constexpr bool GATED = false;    // two columns of sums make one of D: gated.cuh
    static constexpr int D_COLUMNS = BN;    // of a tile
    static constexpr int REGS = BN / 2;     // accumulators a thread
    // Columns of one chain of promoted multiplies: as wide as registers hold its sums beside the
    // promoted ones, since every chain reads A from shared memory.
    static constexpr int CHAIN = BN <= 192 ? BN : BN / 2;
    static constexpr int PART_REGS = PROMOTE ? CHAIN / 2 : 0; // of one set
    // Registers move from the producer to the consumers where the accumulators need them; the
    // sums fill the register file: 128 * 40 + 256 * 232 <= 65536.
    // Of three and four warpgroups 128 * 56 + 384 * 152 <= 512 * 128, and 128 * 32 + 512 * 112 =
    // 640 * 96, of the launch's own 128 and 96; the multiply wants its sums and 26 of those.
    static constexpr bool HIGH = WGS > 2 && !TALL;
    static constexpr int LEAST_MOVED = KIND == GEMM_S8 ? 40 : 64; // more sums, and 168 do not do
    static constexpr bool MOVE_REGISTERS = HIGH || (WGS == 2 && REGS + PART_REGS > LEAST_MOVED);
    static constexpr int FEW_REGISTERS = WGS == 4 ? 32 : WGS == 3 ? 56 : 40;
    static constexpr int MANY_REGISTERS = WGS == 4 ? 112 : WGS == 3 ? 152 : 232;
    // What needs more registers is left to the others; and a split's parts travel through the ring,
    // which has no room for those of the tallest tile.
    static constexpr bool ADDS_C = !TALL && !HIGH, WRITES_COLUMNS = !TALL, SPLITS = !TALL && !HIGH;
    static constexpr int PLAIN_WIDE = GEMM_PLAIN_WIDE(KIND_, WGS_, BN_);
    // D without the copy engine: drain_group().
    static constexpr bool STORES_ITSELF = !TALL && !HIGH;
    // The last columns have a map of their own.
    static constexpr bool PARTIAL = BN > 64 && BN % 64 != 0;
    using acc_t = typename accumulator<KIND>::type;
};

// The ring, the staging panels, then the barriers; every tile starts at a multiple of 1024 (the
// 128-byte swizzle repeats every 8 rows of absolute address). A block that has one tile only needs
// no panels of its own: by the time it stores, the ring is idle.
template <class S> struct shared_layout {
    uint32_t base;
    int32_t stages, panels, own_panels;

    PTX_FN uint32_t a(int32_t slot) const { return base + slot * S::STAGE_BYTES; }
    PTX_FN uint32_t b(int32_t slot) const { return a(slot) + S::A_BYTES; }
    PTX_FN uint32_t scales(int32_t slot) const { return b(slot) + S::B_BYTES; }
    PTX_FN uint32_t staging(int32_t wg) const
    {
        return base + (own_panels ? stages * S::STAGE_BYTES : 0) + wg * panels * S::SPAN;
    }
    static constexpr int BARRIERS_BYTES = GEMM_BARRIERS_BYTES;
    PTX_FN uint32_t full(int32_t slot) const
    {
        return base + stages * S::STAGE_BYTES + S::WARPGROUPS * own_panels * S::SPAN +
               BARRIERS_BYTES * slot;
    }
    PTX_FN uint32_t empty(int32_t slot) const { return full(slot) + 8; }
    // What a tall tile's registers cannot hold: the loader's notes, and every warp's agenda.
    static constexpr int FEEDER_BYTES = GEMM_FEEDER_BYTES, AGENDA_BYTES = GEMM_AGENDA_BYTES;
    PTX_FN uint32_t notes() const { return full(stages); }
    // A pingpong's: completed when the turn at the tensor core becomes this warpgroup's.
    PTX_FN uint32_t turn(int32_t wg) const { return full(stages) + 8 * wg; }
    PTX_FN uint32_t agenda(int32_t warp) const
    {
        return notes() + FEEDER_BYTES + AGENDA_BYTES * warp;
    }
};

// Read anew where it is needed: kept, it would cost a register.
PTX_FN int32_t this_thread()
{
    int32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

// This block's place in its cluster: which part of K, and in the rectangle of blocks that sum that
// part of neighbouring tiles and share operands by multicast, the row and the column.
struct cluster_place {
    uint32_t rank, part, row, col;
    uint32_t a_mask,
        b_mask; // who receives the A (same row) and B (same column) that this one loads

    PTX_FN cluster_place(const gemm_params &p)
    {
        rank = ptx::cluster_rank();
        const uint32_t down = 31 - __clz(p.cluster_m), all = down + 31 - __clz(p.cluster_n);
        part = rank >> all; // sharers are a power of two
        row = rank & (p.cluster_m - 1);
        col = (rank >> down) & (p.cluster_n - 1);
        const uint32_t first = part << all;
        // Every cluster_m-th, of 1, 2 or 4.
        const uint32_t every = p.cluster_m == 1 ? 0xff : p.cluster_m == 2 ? 0x55 : 0x11;
        a_mask = (every & ((1u << (1 << all)) - 1)) << (first + row);
        b_mask = ((1u << p.cluster_m) - 1) << (first + (col << down));
    }
    // Whom this warp tells that a slot is free. A group of multiplies is its warpgroup's, so its
    // end is the end of all four warps' (PTX ISA, wgmma.commit_group), and the first warp speaks.
    PTX_FN uint32_t fillers() const { return threadIdx.x / 32 % 4 == 0 ? a_mask | b_mask : 0; }
};

// Whether this lane tells the block of its number so, worked out anew: kept, the answer for all
// lanes would be a register.
PTX_FN bool is_filler(const gemm_params &p)
{
    const uint32_t rank = ptx::cluster_rank(), thread = this_thread(), members = p.cluster_m - 1;
    const uint32_t down = 31 - __clz(p.cluster_m), all = down + 31 - __clz(p.cluster_n);
    const uint32_t first = rank >> all << all, other = thread % 32 - first;
    return thread / 32 % 4 == 0 && other >> all == 0 &&
           ((other & members) == (rank & members) || other >> down == (rank - first) >> down);
}

// The delays that make planted faults show (kernels/gemm/faults.cuh). A delay alone must change
// nothing: it is the fault's reference.
enum gemm_delay {
    DELAY_WRITES = 1,      // the panels' last writes queue up behind others
    DELAY_INIT = 2,        // a block of the pair comes late to its barriers
    DELAY_STORES = 8,      // every store is issued many times
    DELAY_LEAVING = 12,    // a block of the pair gives its last slots back late
    DELAY_MULTIPLY = 13,   // consumers wait before they multiply
    DELAY_PART = 17,       // a part's sender is slow
    DELAY_LAST_GROUP = 21, // the second warpgroup multiplies late
    DELAY_EPILOGUE = 40    // a pingpong's first warpgroup is slow to store
};
