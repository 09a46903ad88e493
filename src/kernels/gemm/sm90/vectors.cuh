// What an epilogue reads of vectors: the rows and columns of a thread's sums.
#pragma once

#include "epilogue.cuh"

// This thread's two rows of a vector; 0 beyond its end.
PTX_FN void load_rows(float (&x)[2], uint64_t vector, int32_t type, int32_t row, int32_t end)
{
#pragma unroll
    for (int half = 0; half < 2; half++) x[half] = number_at(vector, type, row + half * 8, end);
}

// Two neighbouring columns of every eight. What lies beyond the vector's end is not read: 0.
template <int N>
PTX_FN void load_cols(float (&x)[N], uint64_t vector, int32_t type, int32_t col, int32_t end)
{
    if (type == GEMM_OUT_F32) {
        vector += (int64_t)col * 4;
#pragma unroll
        for (int i = 0; i < N; i += 2, col += 8, vector += 32)
            ptx::load_global_pair(vector, col + 1 < end, col + 1 == end, x[i], x[i + 1]);
        return;
    }
    vector += (int64_t)col * 2;
    uint32_t both[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; i++, col += 8, vector += 16)
        both[i] = ptx::load_global_if(vector, col + 1 < end, col + 1 == end);
    if (type == GEMM_OUT_BF16) {
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            x[i * 2] = __uint_as_float(both[i] << 16);
            x[i * 2 + 1] = __uint_as_float(both[i] & 0xffff0000);
        }
    } else {
#pragma unroll
        for (int i = 0; i < N / 2; i++)
            asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
                : "=f"(x[i * 2]), "=f"(x[i * 2 + 1])
                : "r"(both[i]));
    }
}

// A column vector spread over a warp's lanes: lane l holds columns 64 r + 2 l and the next of a
// tile. Eight columns j's two of a lane are another lane's, 4 (j mod 8) + l mod 4.
template <class S> struct spread {
    static constexpr int SPANS = (S::BN + 63) / 64;
    float x[SPANS][2];

    PTX_FN void all(float v)
    {
#pragma unroll
        for (int r = 0; r < SPANS; r++) x[r][0] = x[r][1] = v;
    }
    // Of numbers from column `first` on; 0 beyond the vector's end.
    PTX_FN void load(uint64_t vector, int32_t type, int32_t first, int32_t end)
    {
        int32_t col = first + this_thread() % 32 * 2;
        const bool wide = type == GEMM_OUT_F32;
        vector += (int64_t)col << (wide ? 2 : 1);
        if (wide) {
#pragma unroll
            for (int r = 0; r < SPANS; r++, col += 64, vector += 256)
                ptx::load_global_pair(vector, col + 1 < end, col + 1 == end, x[r][0], x[r][1]);
        } else {
#pragma unroll
            for (int r = 0; r < SPANS; r++, col += 64, vector += 128)
                x[r][0] =
                    __uint_as_float(ptx::load_global_if(vector, col + 1 < end, col + 1 == end));
        }
    }
    // What was loaded of 16-bit numbers is two in the first's place until it is asked for.
    PTX_FN void widen(int32_t type)
    {
#pragma unroll
        for (int r = 0; r < SPANS; r++) {
            const uint32_t both = __float_as_uint(x[r][0]);
            if (type == GEMM_OUT_BF16) {
                x[r][0] = __uint_as_float(both << 16);
                x[r][1] = __uint_as_float(both & 0xffff0000);
            } else if (type == GEMM_OUT_F16) {
                asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
                    : "=f"(x[r][0]), "=f"(x[r][1])
                    : "r"(both));
            }
        }
    }
    // The same of 16-bit numbers that have not been widened: by one shuffle.
    template <int TYPE> PTX_FN void pair_of(int j, uint32_t quarter, float &a, float &b) const
    {
        const uint32_t both =
            __float_as_uint(__shfl_sync(0xffffffff, x[j / 8][0], j % 8 * 4 + quarter));
        a = number_of(both & 0xffff, TYPE);
        b = TYPE == GEMM_OUT_BF16 ? __uint_as_float(both & 0xffff0000)
                                  : number_of(both >> 16, TYPE);
    }
    // Those of this thread in its accumulators 4 j to 4 j + 3; a constant j.
    PTX_FN void pair(int j, uint32_t quarter, float &a, float &b) const
    {
        const uint32_t from = j % 8 * 4 + quarter;
        a = __shfl_sync(0xffffffff, x[j / 8][0], from);
        b = __shfl_sync(0xffffffff, x[j / 8][1], from);
    }
};

// In gated.cuh, where a tile's columns are of two halves.
template <class S> struct gated_columns;

// A vector of columns from D's column `first` on.
template <class S>
PTX_FN void load_columns(spread<S> &to, const gemm_params &p, const gemm_epilogue &e,
                         uint64_t vector, int32_t type, int32_t first, int32_t end)
{
    if constexpr (S::GATED)
        gated_columns<S>(p, e).load(to, vector, type, first, end);
    else
        to.load(vector, type, first, end);
}

template <class S>
PTX_FN void load_bias(spread<S> &bias, const gemm_params &p, const gemm_epilogue &e, int32_t first)
{
    const int32_t type = FAULT(p, 165) ? GEMM_OUT_F16 : e.bias_type;
    load_columns(bias, p, e, e.col_bias, type, first, p.n - (FAULT(p, 166) ? 1 : 0));
    bias.widen(type);
}

// What a tile's end reads of a vector comes to the L1 cache under the last multiplies, so
// that it need not be kept in registers meanwhile: they are the sums'.
template <class S> PTX_FN void warm_vectors(const gemm_params &p, const place &tile)
{
    const gemm_epilogue &e = epilogue_of(p);
    spread<S> unused;
    if (e.steps >> GEMM_STEP_col_bias & 1)
        load_columns(unused, p, e, e.col_bias, e.bias_type, tile.col, p.n);
    if (e.steps >> GEMM_STEP_col_scale & 1)
        load_columns(unused, p, e, e.col_scale, GEMM_OUT_F32, tile.col, p.n);
    float rows[2];
    const fragment f;
    const int32_t row = tile.row + f.warp * 16 + f.lane / 4;
    if (e.steps >> GEMM_STEP_row_bias & 1) load_rows(rows, e.row_bias, e.bias_type, row, p.m);
    if (e.steps >> GEMM_STEP_row_scale & 1) load_rows(rows, e.row_scale, GEMM_OUT_F32, row, p.m);
}
