// Scale factors on their way into shared memory (params.h: GEMM_SCALE_BYTES).
#pragma once

#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

// Those of 128 rows and a k-block: DEPTH tiles, which lie one after the other in memory too. Beyond
// the last tile of K, where the operands are zeros, that tile comes again: any number will do that
// is one.
template <int DEPTH>
PTX_FN void load_row_scales(const gemm_params &p, uint64_t row, int32_t tiles, int32_t first,
                            uint32_t to, uint32_t bar)
{
    const int32_t bytes = DEPTH == 1 || first + DEPTH <= tiles || FAULT(p, 90)
                              ? DEPTH * GEMM_SCALE_BYTES
                              : GEMM_SCALE_BYTES;
#pragma unroll 1
    for (int32_t at = 0; at < DEPTH * GEMM_SCALE_BYTES; at += bytes) {
        const int32_t tile = min(first + at / GEMM_SCALE_BYTES, tiles - 1);
        ptx::bulk_load_hint(to + at, (const void *)(row + (int64_t)tile * GEMM_SCALE_BYTES), bytes,
                            bar, p.load_policy);
    }
}

// Those of a k-block: A's 128 rows', then B_TILES times 128 of B's. Rows beyond the matrix, which a
// cluster's last block may have, are nobody's: any tile will do.
template <int B_TILES, int DEPTH>
PTX_FN void load_scales(const gemm_params &p, const gemm_params &q, int32_t a_row, int32_t b_row,
                        int32_t batch, int32_t k_block, uint32_t to, uint32_t bar)
{
    const int32_t a_tiles = (q.m + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS;
    const int32_t b_tiles = (q.n + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS;
    const int32_t a_tile = min(a_row / GEMM_SCALE_ROWS, a_tiles - 1) + batch * a_tiles;
    const int64_t row_bytes =
        (int64_t)(FAULT(p, 91) ? q.k_blocks * DEPTH : q.scale_tiles) * GEMM_SCALE_BYTES;
    load_row_scales<DEPTH>(p, q.a_scales + a_tile * row_bytes, q.scale_tiles, k_block * DEPTH, to,
                           bar);
#pragma unroll
    for (int32_t i = 0; i < B_TILES; i++) {
        const int32_t b_tile = min(b_row / GEMM_SCALE_ROWS + i, b_tiles - 1) + batch * b_tiles;
        load_row_scales<DEPTH>(p, q.b_scales + b_tile * row_bytes, q.scale_tiles, k_block * DEPTH,
                               to + (i + 1) * DEPTH * GEMM_SCALE_BYTES, bar);
    }
}
