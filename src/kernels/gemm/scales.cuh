// Scale factors on their way into shared memory (params.h: GEMM_SCALE_BYTES).
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

// Those of a k-block: the tile of A's 128 rows, then B_TILES of B's. Rows beyond the matrix, which
// a cluster's last block may have, are nobody's: any tile will do.
template <int B_TILES>
PTX_FN void load_scales(const gemm_params &p, const gemm_params &q, int32_t a_row, int32_t b_row,
                        int32_t batch, int32_t k_block, uint32_t to, uint32_t bar)
{
    const int32_t a_tiles = (q.m + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS;
    const int32_t b_tiles = (q.n + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS;
    const int32_t a_tile = min(a_row / GEMM_SCALE_ROWS, a_tiles - 1) + batch * a_tiles;
    const uint64_t a = ((int64_t)a_tile * q.k_blocks + k_block) * GEMM_SCALE_BYTES;
    ptx::bulk_load_hint(to, (const void *)(q.a_scales + a), GEMM_SCALE_BYTES, bar, p.load_policy);
#pragma unroll
    for (int32_t i = 0; i < B_TILES; i++) {
        const int32_t b_tile = min(b_row / GEMM_SCALE_ROWS + i, b_tiles - 1) + batch * b_tiles;
        const uint64_t b = ((int64_t)b_tile * q.k_blocks + k_block) * GEMM_SCALE_BYTES;
        ptx::bulk_load_hint(to + (i + 1) * GEMM_SCALE_BYTES, (const void *)(q.b_scales + b),
                            GEMM_SCALE_BYTES, bar, p.load_policy);
    }
}
