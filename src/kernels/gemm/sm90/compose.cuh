// The steps of epilogue.def, composed: what becomes of a thread's sums before they are stored.
//
// v[i] is of row `row` or the eighth after it, (i & 2) * 4, and of column `col` + 8 (i / 4) + (i &
// 1): the fragment of epilogue.cuh. A step that the plan does not want costs one uniform branch.
#pragma once

#include "epilogue.cuh"
#include "kernels/gemm/epilogue.h"

// The epilogue follows the product's parameters (struct gemm_epilogue_params).
PTX_FN const gemm_epilogue &epilogue_of(const gemm_params &p)
{
    return reinterpret_cast<const gemm_epilogue_params &>(p).epilogue;
}

PTX_FN float number_of(uint32_t bits, int32_t type)
{
    float half;
    asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }" : "=f"(half) : "r"(bits));
    if (type == GEMM_OUT_F32) return __uint_as_float(bits);
    return type == GEMM_OUT_BF16 ? __uint_as_float(bits << 16) : half;
}

// A number of device memory that every thread reads.
PTX_FN float scalar_at(uint64_t address)
{
    return __uint_as_float(ptx::load_global_if(address, true, false));
}

// This thread's two rows of a vector; 0 beyond its end.
PTX_FN void load_rows(float (&x)[2], uint64_t vector, int32_t type, int32_t row, int32_t end)
{
    const bool wide = type == GEMM_OUT_F32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int32_t r = row + half * 8;
        x[half] = number_of(ptx::load_global_if(vector + ((int64_t)r << (wide ? 2 : 1)),
                                                wide && r < end, !wide && r < end),
                            type);
    }
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

// --- the steps, by their words ---

template <class S, int REGS>
PTX_FN void step_alpha(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                       const place &at)
{
    float alpha = p.alpha;
    if (e.alpha && !FAULT(p, 60)) alpha *= scalar_at(e.alpha);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= alpha;
}

template <class S, int REGS>
PTX_FN void step_row_scale(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                           const place &at)
{
    float x[2];
    load_rows(x, e.row_scale, GEMM_OUT_F32, at.row, p.m);
    if (FAULT(p, 61)) x[1] = x[0];
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= x[i / 2 % 2];
}

template <class S, int REGS>
PTX_FN void step_col_scale(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                           const place &at)
{
    float x[REGS / 2];
    load_cols(x, e.col_scale, GEMM_OUT_F32, FAULT(p, 62) ? max(at.col - 2, 0) : at.col, p.n);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= x[i / 4 * 2 + i % 2];
}

template <class S, int REGS>
PTX_FN void step_addend(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                        const place &at)
{
    const float beta = e.beta ? scalar_at(e.beta) * p.beta : p.beta;
    add_c(v, p, FAULT(p, 63) ? p.beta : beta, at.row, at.col, at.batch);
}

template <class S, int REGS>
PTX_FN void step_row_bias(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                          const place &at)
{
    float x[2];
    load_rows(x, e.row_bias, e.bias_type, FAULT(p, 64) ? at.col : at.row, p.m);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] += x[i / 2 % 2];
}

template <class S, int REGS>
PTX_FN void step_col_bias(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                          const place &at)
{
    float x[REGS / 2];
    load_cols(x, e.col_bias, FAULT(p, 65) ? GEMM_OUT_F16 : e.bias_type, at.col,
              p.n - (FAULT(p, 66) ? 1 : 0));
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] += x[i / 4 * 2 + i % 2];
}

// The values as they are now, to a matrix like D, element by element.
template <class S, int REGS>
PTX_FN void step_second(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                        const place &at)
{
    const fragment f;
    const uint64_t to = e.second + at.batch * e.second_batch_bytes;
    const int64_t row_bytes = FAULT(p, 69) ? p.d_row_bytes : e.second_row_bytes;
    place eight = at;
#pragma unroll
    for (int i = 0; i < REGS; i += 4, eight.col += 8) {
        const float quad[4] = {v[i], v[i + 1], v[i + 2], v[i + 3]};
        store_quad(p, f, quad, to, row_bytes, eight.row, eight.col);
    }
}

// x / (1 + exp(-t)) by the two approximations that are good to 2^-22 (PTX ISA, ex2 and rcp); the
// hardware's tanh, one instruction, is good to 2^-11 only.
PTX_FN float times_sigmoid(float x, float t)
{
    float e, r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(t * -1.44269504f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(1.0f + e));
    return x * r;
}

PTX_FN float relu(float x)
{
    float y; // keeps a NaN
    asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
    return y;
}

// SiLU is x / (1 + exp(-x)); of GELU (1 + tanh u) / 2 = 1 / (1 + exp(-2 u)) with
// u = sqrt(2 / pi) (x + 0.044715 x^3): one code, whose factors tell them apart.
struct swish {
    float linear, cubic;

    PTX_FN swish(bool gelu) : linear(gelu ? 1.59576912f : 1.0f), cubic(gelu ? 0.0713548163f : 0.0f)
    {
    }
    PTX_FN float operator()(float x) const
    {
        return times_sigmoid(x, x * fmaf(cubic, x * x, linear));
    }
};

// x (1 + erf(x / sqrt 2)) / 2 by Abramowitz and Stegun's 7.1.26, whose error is below 1.5e-7:
// erfc(z) = t (a1 + t (a2 + ...)) exp(-z^2), t = 1 / (1 + 0.3275911 z), for z >= 0.
PTX_FN float gelu_erf(float x)
{
    const float z = fabsf(x) * 0.707106781f;
    float t, e;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(fmaf(0.3275911f, z, 1.0f)));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(z * z * -1.44269504f));
    float s = fmaf(1.061405429f, t, -1.453152027f);
    s = fmaf(s, t, 1.421413741f);
    s = fmaf(s, t, -0.284496736f);
    s = fmaf(s, t, 0.254829592f);
    const float tail = 0.5f * x * (s * t * e); // x erfc(|x| / sqrt 2) / 2
    return x < 0 ? tail : x - tail;
}

template <class S, int REGS>
PTX_FN void step_activation(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                            const place &at)
{
    if (e.activation == GEMM_ACTIVATION_RELU) {
#pragma unroll
        for (int i = 0; i < REGS; i++) v[i] = relu(v[i]);
    } else if (e.activation == GEMM_ACTIVATION_GELU_ERF) {
#pragma unroll
        for (int i = 0; i < REGS; i++) v[i] = gelu_erf(v[i]);
    } else {
        const swish f(e.activation == GEMM_ACTIVATION_GELU_TANH && !FAULT(p, 67));
#pragma unroll
        for (int i = 0; i < REGS; i++) v[i] = f(v[i]);
    }
}

// Magnitudes' bits are in the order of the magnitudes; a NaN's are above an infinity's.
template <class S, int REGS>
PTX_FN void step_amax(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                      const place &at)
{
    uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < REGS; i++) {
        const int32_t row = at.row + (i & 2) * 4, col = at.col + i / 4 * 8 + (i & 1);
        const bool inside = (row < p.m && col < p.n) || FAULT(p, 68);
        const uint32_t magnitude = __float_as_uint(v[i]) & 0x7fffffff;
        most = inside ? max(most, magnitude) : most;
    }
    most = __reduce_max_sync(0xffffffff, most);
    if (threadIdx.x % 32 == 0) atomicMax((uint32_t *)e.amax, most);
}

// at: of v[0]. Kernels without registers for C have none to add, and no second output.
template <class S, int REGS>
PTX_FN void compose(float (&v)[REGS], const gemm_params &p, const place &at)
{
    const gemm_epilogue &e = epilogue_of(p);
    if (FAULT(p, 70)) step_activation<S>(v, p, e, at);
#define STEP(word, member, bytes)                                                                  \
    if ((S::ADDS_C ||                                                                              \
         (GEMM_STEP_##word != GEMM_STEP_addend && GEMM_STEP_##word != GEMM_STEP_second)) &&        \
        (e.steps >> GEMM_STEP_##word & 1))                                                         \
        step_##word<S>(v, p, e, at);
#include "kernels/gemm/epilogue.def"
}

// A warpgroup's rows of a tile, in place, as many columns at a time as there are registers for what
// is read of a vector.
template <class S, int FIRST, int REGS>
PTX_FN void compose_columns(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const place &at)
{
    float v[REGS];
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] = acc[FIRST + i];
    compose<S>(v, p, {at.row, at.col + FIRST * 2, at.batch});
#pragma unroll
    for (int i = 0; i < REGS; i++) acc[FIRST + i] = v[i];
    constexpr int NEXT = FIRST + REGS, LEFT = S::REGS - NEXT;
    if constexpr (LEFT > 0) compose_columns<S, NEXT, (LEFT < REGS ? LEFT : REGS)>(acc, p, at);
}

template <class S>
PTX_FN void compose_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, const place &at)
{
    constexpr int AT_ONCE = S::REGS < 96 ? 32 : 16;
    const fragment f;
    const place first = {(int32_t)(at.row + f.warp * 16 + f.lane / 4),
                         (int32_t)(at.col + f.lane % 4 * 2), at.batch};
    compose_columns<S, 0, (S::REGS < AT_ONCE ? S::REGS : AT_ONCE)>(acc, p, first);
}
