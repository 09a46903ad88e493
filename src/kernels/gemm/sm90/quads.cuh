// 8 columns of a warpgroup's rows, straight to D: what a split's block has of a tile is too little
// to be worth panels.
#pragma once

#include "epilogue.cuh"

// In narrow.cuh.
PTX_FN void store_narrow_quad(const gemm_params &p, int32_t type, const float (&v)[4],
                              const place &at);

// Two neighbours of D's contiguous dimension, of which `count` lie inside.
PTX_FN void store_pair(const gemm_params &p, uint64_t to, float x, float y, int32_t count)
{
    const bool wide = p.out >= GEMM_OUT_F32;
    const uint32_t both = pack_16(x, y, p.out);
    if (wide && count > 0) *(float *)to = x;
    if (wide && count > 1) ((float *)to)[1] = y;
    if (!wide && count > 1) *(uint32_t *)to = both;
    if (!wide && count == 1) *(uint16_t *)to = (uint16_t)both;
}

// From one row of D to the next, read where it is used.
struct own_row_bytes {
    const gemm_params &p;
    PTX_FN operator int64_t() const { return p.d_row_bytes; }
};

// The four values of a thread in eight columns, to a matrix that lies as D does.
template <class BYTES>
PTX_FN void store_quad(const gemm_params &p, const fragment &f, const float (&v)[4], uint64_t d,
                       const BYTES &row_bytes, int32_t row, int32_t col)
{
    const int32_t bytes = p.out >= GEMM_OUT_F32 ? 4 : 2;
    if (!p.transposed) {
#pragma unroll
        for (int half = 0; half < 2; half++)
            store_pair(p, d + (row + half * 8) * (int64_t)row_bytes + (int64_t)col * bytes,
                       v[half * 2], v[half * 2 + 1], row + half * 8 < p.m ? p.n - col : 0);
    } else {
        // Neighbours along M are those of lanes 4 apart: each of the two gets a column of both.
        const bool odd = f.lane / 4 % 2;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const float x = v[half * 2], y = v[half * 2 + 1];
            const float other = __shfl_xor_sync(0xffffffff, odd ? x : y, 4);
            const int32_t first = row + half * 8 - odd, column = col + odd;
            store_pair(p, d + column * (int64_t)row_bytes + (int64_t)first * bytes, odd ? other : x,
                       odd ? y : other, column < p.n ? p.m - first : 0);
        }
    }
}

// The sums by alpha, which an epilogue multiplies by itself.
template <class S>
PTX_FN void scale_quad(float (&v)[4], typename S::acc_t (&acc)[4], const gemm_params &p)
{
    if (!S::EPILOGUE && (S::KIND == GEMM_S8 || p.alpha != 1.0f)) {
#pragma unroll
        for (int j = 0; j < 4; j++) scale(acc[j], p);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) v[j] = as_float(acc[j]);
}

// acc holds the i-th four registers' sums.
template <class S>
PTX_FN void store_eight(typename S::acc_t (&acc)[4], const gemm_params &p, const place &at,
                        int32_t i)
{
    const fragment f;
    const int32_t row = at.row + f.warp * 16 + f.lane / 4, col = at.col + i * 8 + f.lane % 4 * 2;
    float v[4];
    scale_quad<S>(v, acc, p);
    if constexpr (S::EPILOGUE) {
        compose_eight<S>(v, p, {row, col, at.batch});
        if (has_second(p)) {
            const gemm_params &q = output_of(p, true);
            store_quad(p, f, v, (uint64_t)q.d_address + at.batch * q.d_batch_bytes,
                       own_row_bytes{q}, row, col);
        }
        activate<S>(v, p, place{row, col, at.batch});
        if (narrow_of<S>(p)) {
            store_narrow_quad(p, narrow_of<S>(p), v, place{row, col, at.batch});
            return;
        }
    } else if constexpr (S::QUICK) {
        if (!FAULT(p, 133)) enliven<S>(v, p, at);
    } else if (p.beta != 0.0f) {
        add_c(v, p, own_beta{p}, row, col, at.batch);
    }
    store_quad(p, f, v, (uint64_t)p.d_address + at.batch * p.d_batch_bytes, own_row_bytes{p}, row,
               col);
}

// The same where D is written by rows that end with whole 16 bytes, and no C is added.
template <class S>
PTX_FN void store_eight_whole(typename S::acc_t (&acc)[4], const gemm_params &p, const place &at,
                              int32_t i)
{
    const fragment f;
    const int32_t row = at.row + f.warp * 16 + f.lane / 4, col = at.col + i * 8 + f.lane % 4 * 2;
    const uint64_t d = (uint64_t)p.d_address + at.batch * p.d_batch_bytes + row * p.d_row_bytes +
                       (int64_t)col * (p.out >= GEMM_OUT_F32 ? 4 : 2);
    float v[4];
    scale_quad<S>(v, acc, p);
#pragma unroll
    for (int half = 0; half < 2; half++)
        if (row + half * 8 < p.m && col < p.n)
            store_pair(p, d + half * 8 * p.d_row_bytes, v[half * 2], v[half * 2 + 1], 2);
}
