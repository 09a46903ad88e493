// Elements of C and D.
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

// Of a thread's, a warpgroup's or a block's part of D, in elements.
struct place {
    int32_t row, col, batch;
};

PTX_FN uint32_t pack_16(float lo, float hi, int32_t out)
{
    uint32_t bits;
    if (out == GEMM_OUT_BF16)
        asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(hi), "f"(lo));
    else
        asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(hi), "f"(lo));
    return bits;
}

// To the nearest that the type has, the largest where that is too small; a NaN stays one.
PTX_FN uint16_t pack_8(float lo, float hi, int32_t type)
{
    uint16_t bits;
    if (type == GEMM_OUT_E4M3)
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(hi), "f"(lo));
    else
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(hi), "f"(lo));
    return bits;
}

// Of a byte of a panel; 16 bytes at a time change places, four in every second row's.
PTX_FN uint32_t narrow_offset(uint32_t row, uint32_t byte)
{
    return row * 64 + (((byte / 16) ^ (row / 2 & 3)) * 16) + byte % 16;
}

// What reading C takes: the widths as predicates, so that no element costs a branch.
struct c_reader {
    bool wide, bf16, integers;

    PTX_FN c_reader(int32_t out)
        : wide(out >= GEMM_OUT_F32), bf16(out == GEMM_OUT_BF16), integers(out == GEMM_OUT_S32)
    {
    }
    // One element of C as a float (an integer's bits where D is of integers); 0 outside D.
    PTX_FN float load(uint64_t address, bool inside) const
    {
        const uint32_t x = ptx::load_global_if(address, inside && wide, inside && !wide);
        float f;
        asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }" : "=f"(f) : "r"(x));
        const float narrow = bf16 ? __uint_as_float(x << 16) : f;
        return wide ? __uint_as_float(x) : narrow;
    }
    // v + beta c
    PTX_FN float add(float v, float c, float beta) const
    {
        const int32_t sum = __float_as_int(v) + (int32_t)beta * __float_as_int(c);
        return integers ? __int_as_float(sum) : fmaf(beta, c, v);
    }
};

// The beta of the parameters, read where it is used.
struct own_beta {
    const gemm_params &p;
    PTX_FN operator float() const { return p.beta; }
};
