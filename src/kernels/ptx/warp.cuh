// A warp's own multiply of 16-bit operands, and what turns numbers for it.
#pragma once

#include "ptx.cuh"

namespace ptx
{

// Four 8 x 8 matrices, each turned over its diagonal: B's fragments of rows along K.
PTX_FN void ldmatrix_x4_trans(uint32_t (&v)[4], uint32_t addr)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(addr)
                 : "memory");
}

// d = c + 16 rows of A by 8 columns of B, 16 of K.
template <bool BF16>
PTX_FN void mma_16x8x16(float *d, const float *c, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
#define PTX_MMA(TYPE)                                                                              \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                            \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"        \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c[0]),        \
                   "f"(c[1]), "f"(c[2]), "f"(c[3]))
    if constexpr (BF16)
        PTX_MMA("bf16");
    else
        PTX_MMA("f16");
#undef PTX_MMA
}
template <bool BF16>
PTX_FN void mma_16x8x16(float *d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    mma_16x8x16<BF16>(d, d, a, b0, b1);
}

// Two numbers in one register, lo in the lower half.
template <bool BF16> PTX_FN uint32_t pack_16(float lo, float hi)
{
    uint32_t bits;
    if constexpr (BF16)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(hi), "f"(lo));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(hi), "f"(lo));
    return bits;
}

// 2^x to 2^-22; 0 of minus infinity.
PTX_FN float exp2_approx(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

} // namespace ptx
