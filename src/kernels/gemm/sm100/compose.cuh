// The steps of epilogue.def, composed for tensor memory: what becomes of a thread's sums before
// they are stored. A thread has columns of one row, v[i] of column at.col + i (epilogue.cuh). Of a
// vector of columns each lane reads one number, and shuffles hand it out.
#pragma once

#include "kernel.cuh"
#include "kernels/gemm/steps.cuh"

template <class SHAPE> struct finished : SHAPE {
    // Registers are plenty, whatever the tile: the sums are in tensor memory.
    static constexpr bool EPILOGUE = true, ADDS_C = true, NARROW = true, PRECISE = true;
};

template <int N> PTX_FN void bits_of(uint32_t (&bits)[N], const float (&v)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) bits[i] = __float_as_uint(v[i]);
}

// Of a gate: a tile's sums of one half of B, and what becomes of two of them.
template <class SHAPE> struct gated : finished<SHAPE> {
    static constexpr bool GATED = true;
    static constexpr int D_COLUMNS = SHAPE::BN / 2;
};
template <class S, int HALF_> struct half_of : S {
    static constexpr int HALF = HALF_;
};

// --- the steps that know rows and columns, by their words ---

// This thread's number of the row.
PTX_FN float of_row(uint64_t vector, int32_t type, int32_t row, const gemm_params &p)
{
    return number_at(vector, type, row, p.m);
}

// Of 32 columns of D, the lane's; of a gate's, a half's, whose vector has numbers for both halves.
template <class S>
PTX_FN float of_columns(uint64_t vector, int32_t type, int32_t col, int32_t end,
                        const gemm_params &p, const gemm_epilogue &e)
{
    const int32_t own = col + threadIdx.x % 32;
    if constexpr (!S::GATED) {
        return number_at(vector, type, own, end);
    } else {
        const bool pairs = e.gate == GEMM_GATE_PAIRS;
        const int32_t half = FAULT(p, 108) ? 0 : S::HALF;
        return number_at(vector, type, pairs ? 2 * own + half : own + half * p.n,
                         own < end ? INT32_MAX : 0);
    }
}

template <class S, int N>
PTX_FN void step_row_scale(float (&v)[N], const gemm_params &p, const gemm_epilogue &e,
                           const place &at)
{
    const float x = of_row(e.row_scale, GEMM_OUT_F32, FAULT(p, 161) ? at.row & ~1 : at.row, p);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] *= x;
}

template <class S, int N>
PTX_FN void step_col_scale(float (&v)[N], const gemm_params &p, const gemm_epilogue &e,
                           const place &at)
{
    const int32_t col = FAULT(p, 162) ? max(at.col - 1, 0) : at.col;
    const float own = of_columns<S>(e.col_scale, GEMM_OUT_F32, col, p.n, p, e);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] *= __shfl_sync(0xffffffff, own, i);
}

template <class S, int N>
PTX_FN void step_addend(float (&v)[N], const gemm_params &p, const gemm_epilogue &e,
                        const place &at)
{
    const float beta = e.beta && !FAULT(p, 163) ? scalar_at(e.beta) * p.beta : p.beta;
    uint32_t bits[N];
    bits_of(bits, v);
    add_c(bits, p, beta, at.row, at.col, at.batch);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = __uint_as_float(bits[i]);
}

template <class S, int N>
PTX_FN void step_row_bias(float (&v)[N], const gemm_params &p, const gemm_epilogue &e,
                          const place &at)
{
    const float x = of_row(e.row_bias, e.bias_type, FAULT(p, 164) ? at.col : at.row, p);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] += x;
}

template <class S, int N>
PTX_FN void step_col_bias(float (&v)[N], const gemm_params &p, const gemm_epilogue &e,
                          const place &at)
{
    const int32_t type = FAULT(p, 165) ? GEMM_OUT_F16 : e.bias_type;
    const float own = of_columns<S>(e.col_bias, type, at.col, p.n - (FAULT(p, 166) ? 1 : 0), p, e);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] += __shfl_sync(0xffffffff, own, i);
}

template <class S, int N>
PTX_FN void step_amax(float (&v)[N], const gemm_params &p, const gemm_epilogue &e, const place &at)
{
    const bool any = FAULT(p, 168);
    const int32_t end = any ? N : at.row < p.m ? p.n - at.col : 0;
    float largest = 0;
#pragma unroll
    for (int i = 0; i < N; i++) keep_larger(largest, i < end ? fabsf(v[i]) : 0);
    raise_amax(e, largest);
}

// The second output is stored between two steps (finish_columns()), and a gate is none of its
// columns'.
template <class S, int N>
PTX_FN void step_second(float (&)[N], const gemm_params &, const gemm_epilogue &, const place &)
{
}
template <class S, int N>
PTX_FN void step_gate(float (&)[N], const gemm_params &, const gemm_epilogue &, const place &)
{
}

// --- their order: epilogue.def's ---

// Those of the steps FIRST to END - 1 that are wanted.
template <class S, int FIRST, int END, int N>
PTX_FN void compose(float (&v)[N], const gemm_params &p, const place &at)
{
    const gemm_epilogue &e = epilogue_of(p);
#define STEP(word, member, bytes)                                                                  \
    if constexpr (GEMM_STEP_##word >= FIRST && GEMM_STEP_##word < END)                             \
        if (wants<S>(e, GEMM_STEP_##word)) step_##word<S>(v, p, e, at);
#include "kernels/gemm/epilogue.def"
}

// --- a tile ---

// D of 8 bits: a panel's rows are of 64 bytes, as Hopper's (sm90/narrow.cuh).
template <int N>
PTX_FN void stage_narrow(const float (&v)[N], uint32_t panel, uint32_t row, int32_t col,
                         int32_t type, bool exchanged)
{
#pragma unroll
    for (int q = 0; q < N; q += 16) {
        uint32_t x[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float *w = v + q + i * 4;
            const uint32_t left = exchanged ? pack_8(w[1], w[0], type) : pack_8(w[0], w[1], type);
            x[i] = left | (uint32_t)pack_8(w[2], w[3], type) << 16;
        }
        ptx::store_shared_128(panel + narrow_offset(row, col + q), x[0], x[1], x[2], x[3]);
    }
}

template <int N>
PTX_FN void store_narrow_elements(const float (&v)[N], const gemm_params &p, int32_t type,
                                  const place &at)
{
    uint8_t *to =
        (uint8_t *)p.d_address + at.batch * p.d_batch_bytes + at.row * p.d_row_bytes + at.col;
    if (at.row >= p.m) return;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (at.col + i >= p.n) break;
        to[i] = (uint8_t)pack_8(v[i], 0, type);
    }
}

// N columns to a panel, from `col` of it on, or past it; to: p, or its like for the second output.
template <class S, int N>
PTX_FN void put(const float (&v)[N], const gemm_params &p, const gemm_params &to, uint32_t panel,
                uint32_t row, int32_t col, const place &at, bool by_elements)
{
    if (const int32_t own = epilogue_of(p).narrow) {
        const int32_t type = FAULT(p, 102) ? GEMM_OUT_E5M2 : own;
        if (by_elements)
            store_narrow_elements(v, to, type, at);
        else
            stage_narrow(v, panel, row, col, type, FAULT(p, 103));
        return;
    }
    uint32_t bits[N];
    bits_of(bits, v);
    if (by_elements)
        store_elements(bits, to, at.row, at.col, at.batch);
    else
        stage(bits, panel, row, col, p.out);
}

// What is measured and scaled of D, then stored.
template <class S>
PTX_FN void finish_output(float (&v)[32], const epilogue<S> &x, int32_t col, const place &at,
                          bool by_elements)
{
    const gemm_params &p = x.p;
    if (FAULT(p, 101)) compose<S, GEMM_STEP_d_scale, GEMM_STEPS>(v, p, at);
    if (!FAULT(p, 109)) compose<S, GEMM_STEP_amax, GEMM_STEP_d_scale>(v, p, at);
    if (!FAULT(p, 101)) compose<S, GEMM_STEP_d_scale, GEMM_STEPS>(v, p, at);
    put<S>(v, p, p, x.smem.panel(x.panel), x.me.row, col, at, by_elements);
}

// 32 columns of the thread's row, of which at.col is the first and `col` the first's place in the
// panels: D's, and the next one for the second output.
template <class S>
PTX_FN void finish_columns(float (&v)[32], const epilogue<S> &x, int32_t col, const place &at,
                           bool by_elements)
{
    const gemm_params &p = x.p;
    if (FAULT(p, 170)) compose<S, GEMM_STEP_activation, GEMM_STEP_gate>(v, p, at);
    compose<S, 0, GEMM_STEP_second>(v, p, at);
    if (has_second(p))
        put<S>(v, p, output_of(p, true), x.panel_after(), x.me.row, col, at, by_elements);
    compose<S, GEMM_STEP_activation, GEMM_STEP_gate>(v, p, at);
    finish_output(v, x, col, at, by_elements);
}

// The same of the sums of both halves: v of the gate's.
template <class S>
PTX_FN void finish_gate(float (&v)[32], float (&w)[32], const epilogue<S> &x, int32_t col,
                        const place &at, bool by_elements)
{
    const gemm_params &p = x.p;
    compose<half_of<S, 0>, 0, GEMM_STEP_second>(v, p, at);
    compose<half_of<S, 1>, 0, GEMM_STEP_second>(w, p, at);
    compose<S, GEMM_STEP_activation, GEMM_STEP_gate>(FAULT(p, 105) ? w : v, p, at);
    if (FAULT(p, 109)) compose<S, GEMM_STEP_amax, GEMM_STEP_d_scale>(v, p, at);
#pragma unroll
    for (int i = 0; i < 32; i++) v[i] *= FAULT(p, 107) ? v[i ^ 1] : w[i];
    if (FAULT(p, 106)) compose<S, GEMM_STEP_activation, GEMM_STEP_gate>(v, p, at);
    finish_output(v, x, col, at, by_elements);
}

template <class S>
PTX_FN void finish_tile(epilogue<S> &x, const place &d, int32_t width, int32_t lowest,
                        int32_t cluster)
{
    const gemm_params &p = x.p;
    const int32_t end = min(S::D_COLUMNS, p.n - d.col);
    const bool two = !S::GATED && has_second(p);
#pragma unroll 1
    for (int32_t col = 0; col < end; col += width) {
        const bool by_elements = p.ragged && col + width > end;
        if (!by_elements) x.await_panel(two);
#pragma unroll 1
        for (int32_t i = 0; i < width; i += 32) {
            const place at = {d.row + (int32_t)x.me.row, d.col + col + i, d.batch};
            float v[32];
            x.sum(v, col + i, lowest, cluster);
            if constexpr (S::GATED) {
                float w[32];
                x.sum(w, S::D_COLUMNS + col + i, lowest, cluster);
                finish_gate(v, w, x, i, at, by_elements);
            } else {
                finish_columns(v, x, i, at, by_elements);
            }
        }
        if (!by_elements) x.store_panel(p, d, col, two ? &output_of(p, true).d : nullptr);
    }
}

#define GEMM_FINISHED_KERNEL(NAME, ...)                                                            \
    extern "C" __global__ __launch_bounds__(TENSOR_THREADS, 1) void NAME(                          \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<finished<shape<__VA_ARGS__>>, static_walk>(p.product);                                \
    }

#define GEMM_GATED_KERNEL(NAME, ...)                                                               \
    extern "C" __global__ __launch_bounds__(TENSOR_THREADS, 1) void NAME(                          \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<gated<shape<__VA_ARGS__>>, static_walk>(p.product);                                   \
    }

#ifdef GEMM_ONLY
#define GEMM_TENSOR_GATED(kind, code, ctas, bn)                                                    \
    GEMM_GATED_KERNEL(tensor_##code##_##ctas##x##bn##_gated, GEMM_KIND_##kind, ctas, bn)
#define GEMM_TENSOR_EPILOGUE(kind, code, ctas, bn)                                                 \
    GEMM_FINISHED_KERNEL(tensor_##code##_##ctas##x##bn##_epilogue, GEMM_KIND_##kind, ctas, bn)
#define GEMM_TENSOR(kind, code, ctas, bn, a_mn, b_mn)
#include "instances.def"
#endif
