// What an epilogue reads of vectors: rows and columns of a thread's sums, and when it is asked for.
#pragma once

#include "epilogue.cuh"

PTX_FN float load_if(uint64_t address, bool wide, bool half)
{
    return __uint_as_float(ptx::load_global_if(address, wide, half));
}

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

    // Of the i-th of a lane's numbers, beyond its first.
    static PTX_FN constexpr int column(int i) { return i / 2 * 64 + i % 2; }

    // Each number by itself: two loads of one register would wait for each other.
    PTX_FN void ask(uint64_t vector, int32_t type, int32_t first, int32_t end)
    {
        const int32_t col = first + this_thread() % 32 * 2;
        if (type == GEMM_OUT_F32) {
            vector += (int64_t)col * 4;
#pragma unroll
            for (int i = 0; i < 2 * SPANS; i++)
                x[i / 2][i % 2] = load_if(vector + column(i) * 4, col + column(i) < end, false);
        } else {
            vector += (int64_t)col * 2;
#pragma unroll
            for (int i = 0; i < 2 * SPANS; i++)
                x[i / 2][i % 2] = load_if(vector + column(i) * 2, false, col + column(i) < end);
        }
    }
    // What has been asked for, as floats.
    PTX_FN void receive(int32_t type)
    {
        if (type == GEMM_OUT_F32) return;
#pragma unroll
        for (int i = 0; i < 2 * SPANS; i++)
            x[i / 2][i % 2] = number_of(__float_as_uint(x[i / 2][i % 2]), type);
    }
    // Of 16-bit numbers, two in the first's place; 0 beyond the vector's end.
    PTX_FN void load(uint64_t vector, int32_t first, int32_t end)
    {
        int32_t col = first + this_thread() % 32 * 2;
        vector += (int64_t)col * 2;
#pragma unroll
        for (int r = 0; r < SPANS; r++, col += 64, vector += 128)
            x[r][0] = load_if(vector, col + 1 < end, col + 1 == end);
    }
    // The two each in its place, as floats.
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
PTX_FN void ask_columns(spread<S> &to, const gemm_params &p, const gemm_epilogue &e,
                        uint64_t vector, int32_t type, int32_t first, int32_t end)
{
    if constexpr (S::GATED)
        gated_columns<S>(p, e).ask(to, vector, type, first, end);
    else
        to.ask(vector, type, first, end);
}

PTX_FN place own_place(const place &tile)
{
    const fragment f;
    return {(int32_t)(tile.row + f.warp * 16 + f.lane / 4), (int32_t)(tile.col + f.lane % 4 * 2),
            tile.batch};
}

// What a tile's end reads beside its sums. Where there are registers for it (S::KEEPS) it is asked
// for when the tile begins: at the end each of three vectors would be a wait for memory, one after
// the other, that no multiply hides.
template <class S> struct tile_operands<S, true> {
    spread<S> scale, bias;
    float row_scale[2], alpha, d_scale;

    PTX_FN void ask(const gemm_params &p, const place &tile)
    {
        const gemm_epilogue &e = epilogue_of(p);
        ask_scales(p, e, tile);
        ask_rest(p, e, tile);
    }
    PTX_FN void ask_scales(const gemm_params &p, const gemm_epilogue &e, const place &tile)
    {
        const int32_t first = FAULT(p, 162) ? max(tile.col - 2, 0) : tile.col;
        if (wants<S>(e, GEMM_STEP_col_scale))
            ask_columns(scale, p, e, e.col_scale, GEMM_OUT_F32, first, p.n);
        row_scale[0] = row_scale[1] = 1;
        if (wants<S>(e, GEMM_STEP_row_scale)) {
            const int32_t row = own_place(tile).row;
            const uint64_t from = e.row_scale + (int64_t)row * 4;
            row_scale[0] = load_if(from, row < p.m, false);
            row_scale[1] = load_if(from + 32, row + 8 < p.m, false);
        }
        if (S::SPARES && wants<S>(e, GEMM_STEP_alpha) && e.alpha) alpha = scalar_at(e.alpha);
    }
    // The parameters' alpha times that of device memory.
    PTX_FN float all_of_alpha(const gemm_params &p, const gemm_epilogue &e) const
    {
        float all = 1;
        if (wants<S>(e, GEMM_STEP_alpha)) all = p.alpha;
        if (wants<S>(e, GEMM_STEP_alpha) && e.alpha && !FAULT(p, 160))
            all *= S::SPARES ? alpha : scalar_at(e.alpha);
        return all;
    }
    PTX_FN void ask_rest(const gemm_params &p, const gemm_epilogue &e, const place &tile)
    {
        if (wants<S>(e, GEMM_STEP_col_bias)) ask_bias(p, e, tile);
        if (wants<S>(e, GEMM_STEP_d_scale)) d_scale = scalar_at(e.d_scale);
    }
    PTX_FN void ask_bias(const gemm_params &p, const gemm_epilogue &e, const place &tile)
    {
        const int32_t type = FAULT(p, 165) ? GEMM_OUT_F16 : e.bias_type;
        ask_columns(bias, p, e, e.col_bias, type, tile.col, p.n - (FAULT(p, 166) ? 1 : 0));
    }
};
