// One warpgroup's multiply: D[64][N] (+)= A[64][32 bytes] B[N][32 bytes], operands in shared
// memory. The text of the instruction for every N and kind that the suite uses (PTX ISA,
// wgmma.mma_async).
#pragma once

#include "kernels/ptx/ptx.cuh"
#include "kernels/gemm/params.h"

// The accumulators' operand numbers, ten at a time: TEN(3) is %30 to %39.
#define TEN(p)                                                                                     \
    "%" #p "0, %" #p "1, %" #p "2, %" #p "3, %" #p "4, %" #p "5, %" #p "6, %" #p "7, %" #p         \
    "8, %" #p "9, "
#define REGS_4 "%0, %1, %2, %3"
#define REGS_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define REGS_16 TEN() "%10, %11, %12, %13, %14, %15"
#define REGS_32 TEN() TEN(1) TEN(2) "%30, %31"
#define REGS_40 TEN() TEN(1) TEN(2) "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39"
#define REGS_48 TEN() TEN(1) TEN(2) TEN(3) "%40, %41, %42, %43, %44, %45, %46, %47"
#define REGS_64 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63"
#define REGS_80                                                                                    \
    TEN()                                                                                          \
    TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define REGS_112                                                                                   \
    TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) "%110, %111"
#define REGS_96                                                                                    \
    TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) "%90, %91, %92, %93, %94, %95"
#define REGS_128                                                                                   \
    TEN()                                                                                          \
    TEN(1)                                                                                         \
    TEN(2)                                                                                         \
    TEN(3)                                                                                         \
    TEN(4)                                                                                         \
    TEN(5)                                                                                         \
    TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127"

#define REGS_56 TEN() TEN(1) TEN(2) TEN(3) TEN(4) "%50, %51, %52, %53, %54, %55"
#define REGS_72 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) "%70, %71"
#define REGS_88 REGS_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define REGS_104                                                                                   \
    TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) "%100, %101, %102, %103"
#define REGS_120 REGS_112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define REGS_24 REGS_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define REGS_36 REGS_32 ", %32, %33, %34, %35"
#define REGS_44 REGS_40 ", %40, %41, %42, %43"
#define REGS_52 REGS_48 ", %48, %49, %50, %51"
#define REGS_60 REGS_56 ", %56, %57, %58, %59"
#define REGS_68 REGS_64 ", %64, %65, %66, %67"
#define REGS_76 REGS_72 ", %72, %73, %74, %75"
#define REGS_84 REGS_80 ", %80, %81, %82, %83"
#define REGS_92 REGS_88 ", %88, %89, %90, %91"
#define REGS_100 REGS_96 ", %96, %97, %98, %99"
#define REGS_108 REGS_104 ", %104, %105, %106, %107"
#define REGS_116 REGS_112 ", %112, %113, %114, %115"

#define V4(C, i) C(d[i]), C(d[i + 1]), C(d[i + 2]), C(d[i + 3])
#define V8(C, i) V4(C, i), V4(C, i + 4)
#define V16(C, i) V8(C, i), V8(C, i + 8)
#define V32(C, i) V16(C, i), V16(C, i + 16)
#define V40(C, i) V32(C, i), V8(C, i + 32)
#define V48(C, i) V32(C, i), V16(C, i + 32)
#define V64(C, i) V32(C, i), V32(C, i + 32)
#define V56(C, i) V48(C, i), V8(C, i + 48)
#define V72(C, i) V64(C, i), V8(C, i + 64)
#define V80(C, i) V64(C, i), V16(C, i + 64)
#define V96(C, i) V64(C, i), V32(C, i + 64)
#define V88(C, i) V80(C, i), V8(C, i + 80)
#define V104(C, i) V96(C, i), V8(C, i + 96)
#define V112(C, i) V96(C, i), V16(C, i + 96)
#define V120(C, i) V112(C, i), V8(C, i + 112)
#define V128(C, i) V64(C, i), V64(C, i + 64)
#define V24(C, i) V16(C, i), V8(C, i + 16)
#define V36(C, i) V32(C, i), V4(C, i + 32)
#define V44(C, i) V40(C, i), V4(C, i + 40)
#define V52(C, i) V48(C, i), V4(C, i + 48)
#define V60(C, i) V56(C, i), V4(C, i + 56)
#define V68(C, i) V64(C, i), V4(C, i + 64)
#define V76(C, i) V72(C, i), V4(C, i + 72)
#define V84(C, i) V80(C, i), V4(C, i + 80)
#define V92(C, i) V88(C, i), V4(C, i + 88)
#define V100(C, i) V96(C, i), V4(C, i + 96)
#define V108(C, i) V104(C, i), V4(C, i + 104)
#define V116(C, i) V112(C, i), V4(C, i + 112)

// P, A and B are the operand numbers that follow the R accumulators.
#define WGMMA(R, SHAPE, TYPES, TAIL, VALUES, A, B, P, ...)                                         \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #P ", 0;\n"                                    \
                 "wgmma.mma_async.sync.aligned." SHAPE TYPES " {" REGS_##R "}, %" #A ", %" #B      \
                                                                           ", p" TAIL "; }"        \
                 : VALUES                                                                          \
                 : "l"(a), "l"(b), "r"(accumulate)__VA_ARGS__)

#define TRANSPOSES , "n"(TRANS_A), "n"(TRANS_B)

#define DEFINE_MMA(N, R, A, B, P, TA, TB)                                                          \
    template <int KIND, int TRANS_A, int TRANS_B, class T>                                         \
    PTX_FN void mma(T(&d)[R], uint64_t a, uint64_t b, uint32_t accumulate)                         \
    {                                                                                              \
        if constexpr (KIND == GEMM_BF16)                                                           \
            WGMMA(R, "m64n" #N "k16", ".f32.bf16.bf16", ", 1, 1, %" #TA ", %" #TB, V##R("+f", 0),  \
                  A, B, P, TRANSPOSES);                                                            \
        if constexpr (KIND == GEMM_F16)                                                            \
            WGMMA(R, "m64n" #N "k16", ".f32.f16.f16", ", 1, 1, %" #TA ", %" #TB, V##R("+f", 0), A, \
                  B, P, TRANSPOSES);                                                               \
        if constexpr (KIND == GEMM_TF32)                                                           \
            WGMMA(R, "m64n" #N "k8", ".f32.tf32.tf32", ", 1, 1", V##R("+f", 0), A, B, P);          \
        if constexpr (KIND == GEMM_E4M3)                                                           \
            WGMMA(R, "m64n" #N "k32", ".f32.e4m3.e4m3", ", 1, 1", V##R("+f", 0), A, B, P);         \
        if constexpr (KIND == GEMM_E5M2)                                                           \
            WGMMA(R, "m64n" #N "k32", ".f32.e5m2.e5m2", ", 1, 1", V##R("+f", 0), A, B, P);         \
        if constexpr (KIND == GEMM_S8)                                                             \
            WGMMA(R, "m64n" #N "k32", ".s32.s8.s8", "", V##R("+r", 0), A, B, P);                   \
    }

DEFINE_MMA(16, 8, 8, 9, 10, 11, 12)
DEFINE_MMA(32, 16, 16, 17, 18, 19, 20)
DEFINE_MMA(48, 24, 24, 25, 26, 27, 28)
DEFINE_MMA(64, 32, 32, 33, 34, 35, 36)
DEFINE_MMA(72, 36, 36, 37, 38, 39, 40)
DEFINE_MMA(80, 40, 40, 41, 42, 43, 44)
DEFINE_MMA(88, 44, 44, 45, 46, 47, 48)
DEFINE_MMA(96, 48, 48, 49, 50, 51, 52)
DEFINE_MMA(104, 52, 52, 53, 54, 55, 56)
DEFINE_MMA(112, 56, 56, 57, 58, 59, 60)
DEFINE_MMA(120, 60, 60, 61, 62, 63, 64)
DEFINE_MMA(128, 64, 64, 65, 66, 67, 68)
DEFINE_MMA(136, 68, 68, 69, 70, 71, 72)
DEFINE_MMA(144, 72, 72, 73, 74, 75, 76)
DEFINE_MMA(152, 76, 76, 77, 78, 79, 80)
DEFINE_MMA(160, 80, 80, 81, 82, 83, 84)
DEFINE_MMA(168, 84, 84, 85, 86, 87, 88)
DEFINE_MMA(176, 88, 88, 89, 90, 91, 92)
DEFINE_MMA(184, 92, 92, 93, 94, 95, 96)
DEFINE_MMA(192, 96, 96, 97, 98, 99, 100)
DEFINE_MMA(200, 100, 100, 101, 102, 103, 104)
DEFINE_MMA(208, 104, 104, 105, 106, 107, 108)
DEFINE_MMA(216, 108, 108, 109, 110, 111, 112)
DEFINE_MMA(224, 112, 112, 113, 114, 115, 116)
DEFINE_MMA(232, 116, 116, 117, 118, 119, 120)
DEFINE_MMA(240, 120, 120, 121, 122, 123, 124)
DEFINE_MMA(256, 128, 128, 129, 130, 131, 132)

// The accumulator's type by kind.
template <int KIND> struct accumulator {
    using type = float;
};
template <> struct accumulator<GEMM_S8> {
    using type = int32_t;
};

// Nothing that reads or writes the accumulators may cross this: the compiler does not know that a
// multiply in flight still owns them.
template <int N> PTX_FN void hold(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i])::"memory");
}
template <int N> PTX_FN void hold(int32_t (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+r"(d[i])::"memory");
}

// --- the matrix descriptor ---
// 64 bits: address / 16 at 0, leading offset / 16 at 16, stride offset / 16 at 32, layout at 62
// (1 = 128-byte swizzle). A k-major operand repeats every 8 rows of 128 bytes (stride offset); an
// mn-major one every 8 k (stride offset) and every 64 elements of m or n (leading offset).
template <bool MN_MAJOR> PTX_FN uint64_t matrix_descriptor(uint32_t addr, uint32_t span_bytes)
{
    const uint64_t atom_bytes = 1024;
    const uint64_t leading_bytes = MN_MAJOR ? span_bytes : 16;
    return (uint64_t)((addr & 0x3ffff) >> 4) | (leading_bytes >> 4) << 16 |
           (atom_bytes >> 4) << 32 | (uint64_t)1 << 62;
}

// A k-major operand's descriptor from its low word, which alone depends on the address: in 16-byte
// units, so an offset is an addition.
PTX_FN uint64_t k_major_descriptor(uint32_t low)
{
    return matrix_descriptor<false>(0, 0) >> 32 << 32 | low;
}

// What one multiply's step along K (32 bytes of each k-major row, 16 rows of an mn-major operand)
// adds to the descriptor.
template <bool MN_MAJOR> PTX_FN constexpr uint64_t descriptor_step()
{
    return (MN_MAJOR ? 16 * 128 : 32) >> 4;
}
