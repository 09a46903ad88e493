// The activations of epilogue.def: functions of one number, and of a thread's numbers.
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

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

// x (1 + tanh t) / 2 by the hardware's tanh, one instruction, whose relative error is 2^-11 (PTX
// ISA): so the result is off by |x| 2^-12 at most, an eighth of a bf16's rounding of x and half of
// fp16's.
PTX_FN float half_tanh(float x, float t)
{
    float tanh;
    asm("tanh.approx.f32 %0, %1;" : "=f"(tanh) : "f"(t));
    const float half = 0.5f * x;
    return fmaf(half, tanh, half);
}

// The same two functions for D in 16 bits: a sigmoid of t is (1 + tanh(t / 2)) / 2.
struct quick_swish {
    float linear, cubic;

    PTX_FN quick_swish(bool gelu)
        : linear(gelu ? 0.797884561f : 0.5f), cubic(gelu ? 0.0356774081f : 0.0f)
    {
    }
    PTX_FN float operator()(float x) const { return half_tanh(x, x * fmaf(cubic, x * x, linear)); }
};

// And erf: (1 + erf(x / sqrt 2)) / 2 is (1 + tanh(x P(x^2))) / 2, P of degree 2 fitted so that the
// largest error of the product with x is 2.6e-5; x^2 is held below where P turns.
struct quick_erf {
    PTX_FN float operator()(float x) const
    {
        const float s = fminf(x * x, 20.0f);
        return half_tanh(x, x * fmaf(fmaf(-3.51516893e-4f, s, 0.0370056470f), s, 0.797507883f));
    }
};

// x (1 + erf(x / sqrt 2)) / 2 by Abramowitz and Stegun's 7.1.26, whose error is below 1.5e-7:
// erfc(z) = t (a1 + t (a2 + ...)) exp(-z^2), t = 1 / (1 + 0.3275911 z), for z >= 0.
struct gelu_erf {
    PTX_FN float operator()(float x) const
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
};

template <int REGS, class F> PTX_FN void each(float (&v)[REGS], const F &f)
{
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] = f(v[i]);
}

// Of a long chain, so many at a time: a branch that is always taken is where the assembler stops
// interleaving them, which cost more registers than there are.
template <int REGS, class F>
PTX_FN void each_in_turn(float (&v)[REGS], const gemm_params &p, const F &f)
{
    constexpr int AT_ONCE = 8;
#pragma unroll
    for (int first = 0; first < REGS; first += AT_ONCE) {
        int32_t rows = p.m;
        ptx::settle(rows);
        if (rows > 0) {
#pragma unroll
            for (int i = first; i < first + AT_ONCE && i < REGS; i++) v[i] = f(v[i]);
        }
    }
}

struct rectify {
    PTX_FN float operator()(float x) const { return relu(x); }
};
