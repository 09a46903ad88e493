// The steps of epilogue.def, composed: what becomes of a thread's sums before they are stored.
//
// v[i] is of row `row` or the eighth after it, (i & 2) * 4, and of column `col` + 8 (i / 4) + (i &
// 1): the fragment of epilogue.cuh. A whole tile goes through a step at a time, and whether a step
// is wanted is asked once a tile: code at a tile's end is cold, and what it jumps over has to be
// fetched (docs/GEMM.md, "the end of a tile is cold code").
#pragma once

#include "narrow.cuh"
#include "vectors.cuh"

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
    static constexpr bool WRITES_COLUMNS =
        SHAPE::WRITES_COLUMNS && (SHAPE::ADDS_C || !SHAPE::PINGPONG);
    static constexpr bool SECOND = true; // a second output
    static constexpr bool KEEPS = !SHAPE::PINGPONG;
    // A few registers to spare: alpha is asked for with the scales, and amax has four chains, of
    // which one would be as long as a thread's sums.
    static constexpr bool SPARES = true;
};

template <class SHAPE> struct gated : finished<SHAPE> {
    static constexpr bool GATED = true, SPLITS = false, SECOND = false, ADDS_C = false;
    static constexpr int D_COLUMNS = SHAPE::BN / 2;
};

enum {
    SCALES = 1u << GEMM_STEP_alpha | 1u << GEMM_STEP_row_scale | 1u << GEMM_STEP_col_scale,
    ASIDE = 1u << GEMM_STEP_addend | 1u << GEMM_STEP_row_bias,
    AFTER = 1u << GEMM_STEP_activation | 1u << GEMM_STEP_amax | 1u << GEMM_STEP_d_scale
};

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
    constexpr int CHAINS = S::SPARES ? 4 : 1;
    float most[CHAINS] = {0};
    const int32_t rows = FAULT(p, 168) ? 1 << 30 : p.m - at.row;
    const int32_t cols = FAULT(p, 168) ? 1 << 30 : p.n - at.col;
    const int32_t most_cols = (REGS - 1) / 4 * 8 + 1;
    if (OFTEN(rows > 8 && cols > most_cols)) {
#pragma unroll
        for (int i = 0; i < REGS; i++) keep_larger(most[i % CHAINS], fabsf(v[i]));
    } else {
#pragma unroll
        for (int i = 0; i < REGS; i++) {
            const bool inside = (i & 2) * 4 < rows && i / 4 * 8 + (i & 1) < cols;
            keep_larger(most[i % CHAINS], inside ? fabsf(v[i]) : 0);
        }
    }
    if constexpr (CHAINS == 4) {
        keep_larger(most[0], most[1]);
        keep_larger(most[2], most[3]);
        keep_larger(most[0], most[2]);
    }
    raise_amax(e, most[0]);
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

// Of what D is to hold, the magnitude and the scale, in device memory or kept.
template <class S, int REGS>
PTX_FN void measure(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e, const place &at,
                    const float *d_scale = nullptr)
{
    if (wants<S>(e, GEMM_STEP_amax) && !FAULT(p, 101)) step_amax<S>(v, p, e, at);
    if (wants<S>(e, GEMM_STEP_d_scale)) {
        const float scale = FAULT(p, 100) ? 1.0f : d_scale ? *d_scale : scalar_at(e.d_scale);
#pragma unroll
        for (int i = 0; i < REGS; i++) v[i] *= scale;
    }
    if (wants<S>(e, GEMM_STEP_amax) && FAULT(p, 101)) step_amax<S>(v, p, e, at);
}

// Before D, after the second output.
template <class S, int REGS>
PTX_FN void activate(float (&v)[REGS], const gemm_params &p, const place &at, const float *d_scale)
{
    const gemm_epilogue &e = epilogue_of(p);
    if (wants<S>(e, GEMM_STEP_activation)) step_activation<S>(v, p, e, at);
    measure<S>(v, p, e, at, d_scale);
}

// --- a warpgroup's rows of a tile, in place; at: of acc[0] ---

// alpha and both scales: a factor for each of the two rows, and one for each column where columns
// have one.
template <class S, int REGS>
PTX_FN void scale_tile(float (&acc)[REGS], const gemm_params &p, const gemm_epilogue &e,
                       const tile_operands<S> &with)
{
    float x[2] = {with.row_scale[0], with.row_scale[1]};
    if (FAULT(p, 161)) x[1] = x[0];
    const float alpha = with.all_of_alpha(p, e);
    x[0] *= alpha, x[1] *= alpha;
#pragma unroll
    for (int i = 0; i < REGS; i++) acc[i] *= x[i / 2 % 2];
    if (!wants<S>(e, GEMM_STEP_col_scale)) return;
    const uint32_t quarter = this_thread() % 4;
#pragma unroll
    for (int j = 0; j < REGS / 4; j++) {
        float a, b;
        with.scale.pair(j, quarter, a, b);
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

// Before the bias of columns, which most layers have.
template <class S>
PTX_FN void compose_seldom(float (&acc)[S::REGS], const gemm_params &p, const gemm_epilogue &e,
                           const place &at, const place &tile, tile_operands<S> &with)
{
    constexpr int AT_ONCE = S::REGS < 16 || S::REGS >= GEMM_WIDE_SUMS ? 8 : 16;
    if (e.steps & SCALES) {
        if constexpr (!S::KEEPS) with.ask_scales(p, e, tile);
        scale_tile<S>(acc, p, e, with);
    }
    if constexpr (S::ADDS_C)
        if (wants<S>(e, GEMM_STEP_addend)) {
            add_addend<S, 0, AT_ONCE>(acc, p, e, at);
            if constexpr (S::KEEPS) with.ask_rest(p, e, tile); // C took the registers
        }
    if (wants<S>(e, GEMM_STEP_row_bias)) step_row_bias<S>(acc, p, e, at);
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
                          const place &tile, const place &at, const float *d_scale)
{
    if constexpr (S::SECOND && !S::ADDS_C) { // no register for another way than the straight one
        if (has_second(p)) store_plain<S>(acc, output_of(p, true), staging, wg, tile);
        activate<S>(acc, p, at, d_scale);
        store_finished<S>(acc, p, p, staging, wg, tile);
    } else {
#pragma unroll 1
        for (int32_t left = S::SECOND && has_second(p); left >= 0; left--) {
            const gemm_params &to = S::SECOND ? output_of(p, left) : p;
            if (left == 0) activate<S>(acc, p, at, d_scale);
            store_finished<S>(acc, p, to, staging, wg, tile);
        }
    }
}

template <class S>
PTX_FN void store_gated(float (&acc)[S::REGS], const gemm_params &p, uint32_t staging, int32_t wg,
                        const place &tile, const place &at, const float *d_scale)
{
    const gemm_epilogue &e = epilogue_of(p);
    float v[S::REGS / 2];
    gate_tile<S>(v, acc, p, e, at);
    if (!FAULT(p, 109)) measure<S>(v, p, e, at, d_scale);
    store_finished<halved<S>>(v, p, p, staging, wg, tile);
}

// A warpgroup's rows of a tile.
template <class S>
PTX_FN void finish_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                        int32_t wg, const place &tile, tile_operands<S> &with)
{
    const gemm_epilogue &e = epilogue_of(p);
    const place at = own_place(tile);
    const float *d_scale = S::KEEPS ? &with.d_scale : nullptr;
    if (FAULT(p, 170)) step_activation<S>(acc, p, e, at);
    if (e.steps & (SCALES | ASIDE)) compose_seldom<S>(acc, p, e, at, tile, with);
    if (wants<S>(e, GEMM_STEP_col_bias)) {
        if constexpr (!S::KEEPS) with.ask_bias(p, e, tile);
        with.bias.receive(FAULT(p, 165) ? GEMM_OUT_F16 : e.bias_type);
        add_columns(acc, with.bias);
    }
    if constexpr (S::GATED)
        store_gated<S>(acc, p, staging, wg, tile, at, d_scale);
    else
        store_outputs<S>(acc, p, staging, wg, tile, at, d_scale);
}

// The same where what it reads is not kept.
template <class S>
PTX_FN void finish_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                        int32_t wg, const place &tile)
{
    tile_operands<S> late;
    finish_tile<S>(acc, p, staging, wg, tile, late);
}

// The way of most tiles that fill an SM, and nothing on it that few need: no C, no bias of rows, D
// by rows, in as many panels as it has.
template <class S> PTX_FN bool is_straight(const gemm_params &p)
{
    const gemm_epilogue &e = epilogue_of(p);
    const bool plain = p.plain && p.out == (S::KIND == GEMM_F16 ? GEMM_OUT_F16 : GEMM_OUT_BF16);
    return !(e.steps & ASIDE) && (narrow_of<S>(p) || plain) && !p.transposed && !p.ragged &&
           stores_at_once<S>(p);
}

// On that way, how many bytes behind the second output's panels D's lie; 0: they are the same, and
// D waits until the copy engine has read the second output. The ring of a block that has one tile
// is idle by then, and mostly has room for both.
template <class S> PTX_FN uint32_t panels_apart(const gemm_params &p)
{
    const int32_t bytes = S::WGS * p.panels * S::SPAN;
    return !p.own_panels && 2 * bytes <= p.stages * S::STAGE_BYTES ? bytes : 0;
}

template <class S>
PTX_FN void finish_straight(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            uint32_t staging, int32_t wg, const place &tile, tile_operands<S> &with)
{
    constexpr int OUT = S::KIND == GEMM_F16 ? GEMM_OUT_F16 : GEMM_OUT_BF16;
    const gemm_epilogue &e = epilogue_of(p);
    const place at = own_place(tile);
    if (FAULT(p, 170)) step_activation<S>(acc, p, e, at);
    if (e.steps & SCALES) scale_tile<S>(acc, p, e, with);
    if (wants<S>(e, GEMM_STEP_col_bias)) {
        with.bias.receive(FAULT(p, 165) ? GEMM_OUT_F16 : e.bias_type);
        add_columns(acc, with.bias);
    }
    if constexpr (S::SECOND)
        if (has_second(p)) {
            store_at_once<S, false, OUT>(acc, p, staging, wg);
            if (!FAULT(p, 173)) staging += panels_apart<S>(p);
        }
    if (e.steps & AFTER) activate<S>(acc, p, at, &with.d_scale);
    if constexpr (S::NARROW)
        if (const int32_t type = e.narrow) {
            store_narrow_at_once<S>(acc, p, FAULT(p, 102) ? GEMM_OUT_E5M2 : type, staging, wg);
            return;
        }
    store_at_once<S, false, OUT>(acc, p, staging, wg);
}
