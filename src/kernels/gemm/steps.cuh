// Of the steps of epilogue.def, what every family's kernels have in common: which are wanted, and
// those that need not know of which rows and columns a thread's numbers are.
#pragma once

#include "kernels/gemm/activations.cuh"
#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/output.cuh"

// The epilogue follows the product's parameters (struct gemm_epilogue_params).
PTX_FN const gemm_epilogue &epilogue_of(const gemm_params &p)
{
    return reinterpret_cast<const gemm_epilogue_params &>(p).epilogue;
}

PTX_FN bool has_second(const gemm_params &p)
{
    return epilogue_of(p).steps >> GEMM_STEP_second & 1;
}

// D has 8 bits: which of enum gemm_out, or 0.
template <class S> PTX_FN int32_t narrow_of(const gemm_params &p)
{
    return S::NARROW ? epilogue_of(p).narrow : 0;
}

// Where the second output goes, or D.
PTX_FN const gemm_params &output_of(const gemm_params &p, bool second)
{
    const uint32_t at = second && !FAULT(p, 169) ? offsetof(gemm_epilogue_params, second) : 0;
    return *(const gemm_params *)((const uint8_t *)&p + at);
}

PTX_FN float number_of(uint32_t bits, int32_t type)
{
    float half;
    asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }" : "=f"(half) : "r"(bits));
    if (type == GEMM_OUT_F32) return __uint_as_float(bits);
    return type == GEMM_OUT_BF16 ? __uint_as_float(bits << 16) : half;
}

// A vector's i-th number; 0 beyond its end, where nothing is read.
PTX_FN float number_at(uint64_t vector, int32_t type, int32_t i, int32_t end)
{
    const bool wide = type == GEMM_OUT_F32;
    return number_of(ptx::load_global_if(vector + ((int64_t)i << (wide ? 2 : 1)), wide && i < end,
                                         !wide && i < end),
                     type);
}

// A number of device memory that every thread reads.
PTX_FN float scalar_at(uint64_t address)
{
    return __uint_as_float(ptx::load_global_if(address, true, false));
}

// Kernels without registers for C have none to add; those without D of 8 bits do not scale D.
template <class S> PTX_FN bool wants(const gemm_epilogue &e, int step)
{
    return (S::ADDS_C || step != GEMM_STEP_addend) && (S::NARROW || step != GEMM_STEP_d_scale) &&
           (e.steps >> step & 1);
}

// --- steps, by their words ---

template <class S, int REGS>
PTX_FN void step_alpha(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                       const place &at)
{
    float alpha = p.alpha;
    if (e.alpha && !FAULT(p, 160)) alpha *= scalar_at(e.alpha);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= alpha;
}

template <class S, int REGS>
PTX_FN void step_activation(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                            const place &at)
{
    const bool gelu = e.activation == GEMM_ACTIVATION_GELU_TANH && !FAULT(p, 167);
    const bool erf = e.activation == GEMM_ACTIVATION_GELU_ERF;
    if (e.activation == GEMM_ACTIVATION_RELU)
        each(v, rectify());
    else if ((!S::PRECISE || p.out < GEMM_OUT_F32) && erf)
        each(v, quick_erf());
    else if (!S::PRECISE || p.out < GEMM_OUT_F32)
        each(v, quick_swish(gelu));
    else if (erf)
        each_in_turn(v, p, gelu_erf());
    else
        each_in_turn(v, p, swish(gelu));
}

// By the factor that D is kept with.
template <class S, int REGS>
PTX_FN void step_d_scale(float (&v)[REGS], const gemm_params &p, const gemm_epilogue &e,
                         const place &at)
{
    const float scale = FAULT(p, 100) ? 1.0f : scalar_at(e.d_scale);
#pragma unroll
    for (int i = 0; i < REGS; i++) v[i] *= scale;
}

// amax: magnitudes' bits are in the order of the magnitudes; a NaN's are above an infinity's.
PTX_FN void keep_larger(float &largest, float magnitude)
{
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(largest) : "f"(magnitude));
}
// By a warp, whose lanes have the largest of their own numbers each.
PTX_FN void raise_amax(const gemm_epilogue &e, float largest)
{
    const uint32_t most = __reduce_max_sync(0xffffffff, __float_as_uint(largest) & 0x7fffffff);
    if (threadIdx.x % 32 == 0) atomicMax((uint32_t *)e.amax, most);
}
