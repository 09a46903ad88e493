// What one kernel is made of: its compile-time choices and where its shared memory goes.
#pragma once

#include "geometry.h"
#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/kinds.cuh"
#include "kernels/gemm/params.h"
#include "kernels/gemm/ring.cuh"
#include "kernels/ptx/tensor.cuh"

// A tile is 128 rows a block by BN columns; a pair of blocks shares one of 256 rows, each with its
// own rows of A and of the sums, and half of B (PTX ISA, tcgen05.mma, .cta_group::2).
template <int KIND_, int CTAS_, int BN_, bool A_MN_ = false, bool B_MN_ = false> struct shape {
    static constexpr int KIND = KIND_, CTAS = CTAS_, BN = BN_, BM = TENSOR_ROWS;
    static constexpr bool A_MN = A_MN_, B_MN = B_MN_;
    static constexpr int TILE_M = BM * CTAS, B_ROWS = BN / CTAS;
    static constexpr int BK = map_span_of(KIND);
    static constexpr int A_BYTES = BM * TENSOR_SPAN_BYTES, B_BYTES = B_ROWS * TENSOR_SPAN_BYTES;
    // Scale factors of a slot: some tiles for A's rows, and as many for every 128 of B's.
    static constexpr int SCALE_DEPTH = scale_depth_of(KIND);
    static constexpr bool SCALED = SCALE_DEPTH != 0;
    static constexpr int B_SCALES = BN / GEMM_SCALE_ROWS;
    static constexpr int SCALE_TILES = (1 + B_SCALES) * SCALE_DEPTH;
    static constexpr int SCALE_BYTES = SCALE_TILES * GEMM_SCALE_BYTES;
    // Of a pair both blocks have their own rows' and all of B's, and the odd one tells of them
    // itself.
    static constexpr bool RELAYS = SCALED && CTAS == 2;
    static constexpr int STAGE_BYTES =
        A_BYTES + B_BYTES +
        (SCALE_BYTES + TENSOR_SLOT_ALIGN - 1) / TENSOR_SLOT_ALIGN * TENSOR_SLOT_ALIGN;
    // Of tensor memory: the sums, then, of every slot of the ring, four columns a tile of factors.
    static constexpr int BUFFERS = SCALED && BN > TENSOR_WIDEST_SCALED ? 1 : TENSOR_BUFFERS;
    static constexpr int SUM_COLUMNS = BUFFERS * BN;
    static constexpr int COLUMNS = SCALED ? TENSOR_COLUMNS : SUM_COLUMNS;
    static constexpr bool INTEGERS = KIND == GEMM_S8;
    static constexpr bool EPILOGUE = false; // what is stored is more than alpha A B + beta C
    static constexpr bool GATED = false;    // two columns of sums make one of D: gated.cuh
    static constexpr int D_COLUMNS = BN;    // of a tile
    static_assert(COLUMNS >= 32 && COLUMNS <= 512 && (COLUMNS & (COLUMNS - 1)) == 0,
                  "a power of two of columns");
};

template <class S> struct shared_layout {
    uint32_t base;
    int32_t stages, panels;

    PTX_FN uint32_t a(int32_t slot) const { return base + slot * S::STAGE_BYTES; }
    PTX_FN uint32_t b(int32_t slot) const { return a(slot) + S::A_BYTES; }
    PTX_FN uint32_t scales(int32_t slot) const { return b(slot) + S::B_BYTES; }
    PTX_FN uint32_t panel(int32_t i) const
    {
        return base + stages * S::STAGE_BYTES + i * TENSOR_PANEL_BYTES;
    }
    PTX_FN uint32_t full(int32_t slot) const { return panel(panels) + TENSOR_SLOT_BYTES * slot; }
    PTX_FN uint32_t empty(int32_t slot) const { return full(slot) + 8; }
    // An accumulator is summed; it has been read.
    PTX_FN uint32_t summed(int32_t buffer) const { return full(stages) + 16 * buffer; }
    PTX_FN uint32_t read(int32_t buffer) const { return summed(buffer) + 8; }
    PTX_FN uint32_t columns() const { return summed(TENSOR_BUFFERS); }
    // Only where tiles are asked for (dynamic.cuh): 16 bytes of answer and two barriers each.
    PTX_FN uint32_t answer(int32_t i) const { return summed(0) + TENSOR_NOTES_BYTES + 32 * i; }
    PTX_FN uint32_t answered(int32_t i) const { return answer(i) + 16; }
    PTX_FN uint32_t answer_read(int32_t i) const { return answer(i) + 24; }
};

// This block's place in its cluster: which of a pair, and which pair (or block) of those that share
// rows and columns.
template <class S> struct cluster_place {
    uint32_t rank, half, row, col;
    uint32_t a_mask, b_mask; // who receives the A and the B that this one loads
    uint32_t pair_mask;      // the blocks of this pair
    uint32_t fillers;        // whoever loads what this pair multiplies

    PTX_FN cluster_place(const gemm_params &p)
    {
        rank = ptx::cluster_rank();
        half = rank % S::CTAS;
        const uint32_t member = rank / S::CTAS;
        row = member & (p.cluster_m - 1); // sharers are a power of two
        col = member >> (31 - __clz(p.cluster_m));
        a_mask = b_mask = 0;
        for (int32_t j = 0; j < p.cluster_n; j++) a_mask |= 1u << (row + j * p.cluster_m) * S::CTAS;
        for (int32_t i = 0; i < p.cluster_m; i++) b_mask |= 1u << (i + col * p.cluster_m) * S::CTAS;
        const uint32_t all = (1u << S::CTAS) - 1;
        pair_mask = all << member * S::CTAS;
        fillers = (a_mask | b_mask) * all;
        a_mask <<= half;
        b_mask <<= half;
    }
};

// An accumulator of the two (or the one there is), and the parity of the round that uses it.
template <int BUFFERS> struct buffer_position {
    int32_t buffer = 0;
    uint32_t parity = 0;

    PTX_FN void advance()
    {
        if (BUFFERS > 1) buffer ^= 1;
        parity ^= buffer == 0;
    }
};
