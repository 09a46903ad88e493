// The steps of epilogue.def, composed: what becomes of a thread's sums before they are stored.
//
// v[i] is of row `row` or the eighth after it, (i & 2) * 4, and of column `col` + 8 (i / 4) + (i &
// 1): the fragment of epilogue.cuh. A whole tile goes through a step at a time, and whether a step
// is wanted is asked once a tile: code at a tile's end is cold, and what it jumps over has to be
// fetched (docs/GEMM.md, "the end of a tile is cold code").
#pragma once

#include "epilogue.cuh"
#include "narrow.cuh"

// Planted faults take the registers of the long activations.
#ifdef GEMM_FAULTS
enum { FAULTS = 1 };
#else
enum { FAULTS = 0 };
#endif

template <class SHAPE> struct finished : SHAPE {
    static constexpr bool EPILOGUE = true, NARROW = true;
    static constexpr bool SPLITS = SHAPE::SPLITS && SHAPE::REGS < GEMM_WIDE_SUMS;
    // Activations good to fp32, for D in it, are long: in the kernels of few sums alone.
    static constexpr bool PRECISE = !SHAPE::PINGPONG && SHAPE::REGS <= GEMM_PRECISE_SUMS && !FAULTS;
    static constexpr bool STORES_ITSELF = false;
    static constexpr bool SECOND = true; // a second output
};

template <class SHAPE> struct gated : finished<SHAPE> {
    static constexpr bool GATED = true, SPLITS = false, SECOND = false, ADDS_C = false;
    static constexpr int D_COLUMNS = SHAPE::BN / 2;
};

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

// --- the steps, by their words ---

template <class S, int REGS>
PTX_FN void step_row_scale(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                           const place &at)
{
    float x[2];
    load_rows(x, e.row_scale, GEMM_OUT_F32, at.row, p.m);
    if (FAULT(p, 161)) x[1] = x[0];
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= x[i / 2 % 2];
}

template <class S, int REGS>
PTX_FN void step_col_scale(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                           const place &at)
{
    float x[REGS / 2];
    load_cols(x, e.col_scale, GEMM_OUT_F32, FAULT(p, 162) ? max(at.col - 2, 0) : at.col, p.n);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= x[i / 4 * 2 + i % 2];
}

template <class S, int REGS>
PTX_FN void step_addend(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                        const place &at)
{
    const float beta = e.beta ? scalar_at(e.beta) * p.beta : p.beta;
    add_c(v, p, FAULT(p, 163) ? p.beta : beta, at.row, at.col, at.batch);
}

template <class S, int REGS>
PTX_FN void step_row_bias(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                          const place &at)
{
    float x[2];
    load_rows(x, e.row_bias, e.bias_type, FAULT(p, 164) ? at.col : at.row, p.m);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] += x[i / 2 % 2];
}

template <class S, int REGS>
PTX_FN void step_col_bias(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                          const place &at)
{
    float x[REGS / 2];
    load_cols(x, e.col_bias, FAULT(p, 165) ? GEMM_OUT_F16 : e.bias_type, at.col,
              p.n - (FAULT(p, 166) ? 1 : 0));
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] += x[i / 4 * 2 + i % 2];
}

template <class S, int REGS>
PTX_FN void step_amax(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                      const place &at)
{
    float largest = 0;
    const int32_t rows = FAULT(p, 168) ? 1 << 30 : p.m - at.row;
    const int32_t cols = FAULT(p, 168) ? 1 << 30 : p.n - at.col;
    const int32_t most_cols = (REGS - 1) / 4 * 8 + 1;
    if (rows > 8 && cols > most_cols) {
#pragma unroll
        for (int i = 0; i < REGS; i++) keep_larger(largest, fabsf(v[i]));
    } else {
#pragma unroll
        for (int i = 0; i < REGS; i++) {
            const bool inside = (i & 2) * 4 < rows && i / 4 * 8 + (i & 1) < cols;
            keep_larger(largest, inside ? fabsf(v[i]) : 0);
        }
    }
    raise_amax(e, largest);
}

// Eight columns of a warpgroup's rows, of a split. at: of v[0].
template <class S> PTX_FN void compose_eight(float (&v)[4], const gemm_params &p, const place &at)
{
    const gemm_epilogue &e = epilogue_of(p);
    if (FAULT(p, 170)) step_activation<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_alpha)) step_alpha<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_row_scale)) step_row_scale<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_col_scale)) step_col_scale<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_addend)) step_addend<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_row_bias)) step_row_bias<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_col_bias)) step_col_bias<S>(v, p, e, at);
}

// Of what D is to hold, the magnitude and the scale.
template <class S, int REGS>
PTX_FN void measure(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e, const place &at)
{
    if (wants<S>(e, GEMM_STEP_amax) && !FAULT(p, 101)) step_amax<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_d_scale)) step_d_scale<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_amax) && FAULT(p, 101)) step_amax<S>(v, p, e, at);
}

// Before D, after the second output.
template <class S, int REGS>
PTX_FN void activate(float (&v)[REGS], const gemm_params &p, const place &at)
{
    const gemm_epilogue &e = epilogue_of(p);
    if (wants<S>(e, GEMM_STEP_activation)) step_activation<S>(v, p, e, at);
    measure<S>(v, p, e, at);
}

// --- a warpgroup's rows of a tile, in place; at: of acc[0] ---

// alpha and both scales: a factor for each of the two rows, and one for each column where columns
// have one.
template <class S, int REGS>
PTX_FN void scale_tile(float (&acc)[REGS], const gemm_params &p, const gemm_epilogue &e,
                       const place &at, int32_t first)
{
    float x[2] = {1, 1};
    spread<S> cols;
    const bool by_column = wants<S>(e, GEMM_STEP_col_scale);
    if (by_column)
        load_columns(cols, p, e, e.col_scale, GEMM_OUT_F32,
                     FAULT(p, 162) ? max(first - 2, 0) : first, p.n);
    if (wants<S>(e, GEMM_STEP_row_scale)) load_rows(x, e.row_scale, GEMM_OUT_F32, at.row, p.m);
    if (FAULT(p, 161)) x[1] = x[0];
    if (wants<S>(e, GEMM_STEP_alpha)) step_alpha<S>(x, p, e, at);
#pragma unroll
    for (int i = 0; i < REGS; i++) acc[i] *= x[i / 2 % 2];
    if (!by_column) return;
    const uint32_t quarter = this_thread() % 4;
#pragma unroll
    for (int j = 0; j < REGS / 4; j++) {
        float a, b;
        cols.pair(j, quarter, a, b);
        acc[4 * j] *= a, acc[4 * j + 1] *= b, acc[4 * j + 2] *= a, acc[4 * j + 3] *= b;
    }
}

template <int REGS, class S> PTX_FN void add_columns(float (&acc)[REGS], const spread<S> &cols)
{
    const uint32_t quarter = this_thread() % 4;
#pragma unroll
    for (int j = 0; j < REGS / 4; j++) {
        float a, b;
        cols.pair(j, quarter, a, b);
        acc[4 * j] += a, acc[4 * j + 1] += b, acc[4 * j + 2] += a, acc[4 * j + 3] += b;
    }
}

// C, as many columns at a time as there are registers for.
template <class S, int FIRST, int REGS>
PTX_FN void add_addend(float (&acc)[S::REGS], const gemm_params &p, const gemm_epilogue &e,
                       const place &at)
{
    float v[REGS];
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] = acc[FIRST + i];
    step_addend<S>(v, p, e, {at.row, at.col + FIRST * 2, at.batch});
#pragma unroll
    for (int i = 0; i < REGS; i++) acc[FIRST + i] = v[i];
    constexpr int NEXT = FIRST + REGS, LEFT = S::REGS - NEXT;
    if constexpr (LEFT > 0) add_addend<S, NEXT, (LEFT < REGS ? LEFT : REGS)>(acc, p, e, at);
}

// A sum that most layers have, and its activation, come on a straight way; the rest aside.
enum {
    SELDOM_BEFORE = 1u << GEMM_STEP_alpha | 1u << GEMM_STEP_row_scale | 1u << GEMM_STEP_col_scale |
                    1u << GEMM_STEP_addend | 1u << GEMM_STEP_row_bias
};

template <class S>
PTX_FN void compose_seldom(float (&acc)[S::REGS], const gemm_params &p, const gemm_epilogue &e,
                           const place &at, int32_t first)
{
    constexpr int AT_ONCE = S::REGS < 16 ? S::REGS : 16;
    const uint32_t scales =
        1u << GEMM_STEP_alpha | 1u << GEMM_STEP_row_scale | 1u << GEMM_STEP_col_scale;
    if (FAULT(p, 170)) step_activation<S>(acc, p, e, at);
    if (e.steps & scales) scale_tile<S>(acc, p, e, at, first);
    if constexpr (S::ADDS_C)
        if (wants<S>(e, GEMM_STEP_addend)) add_addend<S, 0, AT_ONCE>(acc, p, e, at);
    if (wants<S>(e, GEMM_STEP_row_bias)) step_row_bias<S>(acc, p, e, at);
}

PTX_FN place own_place(const place &tile)
{
    const fragment f;
    return {(int32_t)(tile.row + f.warp * 16 + f.lane / 4), (int32_t)(tile.col + f.lane % 4 * 2),
            tile.batch};
}

// D of whatever type. to: p, or its like for the second output.
template <class S>
PTX_FN void store_finished(float (&v)[S::REGS], const gemm_params &p, const gemm_params &to,
                           uint32_t staging, int32_t wg, const place &tile)
{
    if constexpr (S::NARROW) {
        if (const int32_t type = epilogue_of(p).narrow) {
            store_narrow<S>(v, p, FAULT(p, 102) ? GEMM_OUT_E5M2 : type, staging, wg, tile);
            return;
        }
    }
    if (p.plain)
        store_plain<S>(v, to, staging, wg, tile);
    else
        store_tile<S>(v, to, staging, wg, tile);
}

// In gated.cuh.
template <class S>
PTX_FN void gate_tile(float (&v)[S::REGS / 2], const float (&acc)[S::REGS], const gemm_params &p,
                      const gemm_epilogue &e, const place &at);

// What is composed: stored, twice where there is a second output.
template <class S>
PTX_FN void store_outputs(float (&acc)[S::REGS], const gemm_params &p, uint32_t staging, int32_t wg,
                          const place &tile, const place &at)
{
    if constexpr (S::SECOND && !S::ADDS_C) { // no register for another way than the straight one
        if (has_second(p)) store_plain<S>(acc, output_of(p, true), staging, wg, tile);
        activate<S>(acc, p, at);
        store_finished<S>(acc, p, p, staging, wg, tile);
    } else {
#pragma unroll 1
        for (int32_t left = S::SECOND && has_second(p); left >= 0; left--) {
            const gemm_params &to = S::SECOND ? output_of(p, left) : p;
            if (left == 0) activate<S>(acc, p, at);
            store_finished<S>(acc, p, to, staging, wg, tile);
        }
    }
}

template <class S>
PTX_FN void store_gated(float (&acc)[S::REGS], const gemm_params &p, uint32_t staging, int32_t wg,
                        const place &tile, const place &at)
{
    const gemm_epilogue &e = epilogue_of(p);
    float v[S::REGS / 2];
    gate_tile<S>(v, acc, p, e, at);
    if (!FAULT(p, 109)) measure<S>(v, p, e, at);
    store_finished<halved<S>>(v, p, p, staging, wg, tile);
}

// A warpgroup's rows of a tile.
template <class S>
PTX_FN void finish_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                        int32_t wg, const place &tile)
{
    const gemm_epilogue &e = epilogue_of(p);
    const place at = own_place(tile);
    if (e.steps & SELDOM_BEFORE) compose_seldom<S>(acc, p, e, at, tile.col);
    if (wants<S>(e, GEMM_STEP_col_bias)) {
        spread<S> bias;
        load_bias(bias, p, e, tile.col);
        add_columns(acc, bias);
    }
    if constexpr (S::GATED)
        store_gated<S>(acc, p, staging, wg, tile, at);
    else
        store_outputs<S>(acc, p, staging, wg, tile, at);
}
