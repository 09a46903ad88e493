// The multiplying warps: mma.sync on fragments read by ldmatrix from the ring's slots. Every type
// is read alike, as bytes: 32 of each row are one multiply's K (PTX ISA, fragments of mma.m16n8k16
// and their kin), and a thread gets the same rows and columns of the sums as wgmma's would.
#pragma once

#include "kernels/gemm/sm90/layout.cuh"
#include "kernels/ptx/warp.cuh"

#define WARP_MMA(SHAPE_TYPES, C)                                                                   \
    asm volatile("mma.sync.aligned." SHAPE_TYPES " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
                 "{%0, %1, %2, %3};"                                                               \
                 : C(d[0]), C(d[1]), C(d[2]), C(d[3])                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

// d (+)= 16 rows of A by 8 columns of B; d: four of the thread's sums.
template <int KIND, class T>
PTX_FN void warp_mma(T *d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if constexpr (KIND <= GEMM_F16) ptx::mma_16x8x16<KIND == GEMM_BF16>(d, a, b0, b1);
    if constexpr (KIND == GEMM_TF32) WARP_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", "+f");
    if constexpr (KIND == GEMM_E4M3) WARP_MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32", "+f");
    if constexpr (KIND == GEMM_E5M2) WARP_MMA("m16n8k32.row.col.f32.e5m2.e5m2.f32", "+f");
    if constexpr (KIND == GEMM_E4M3_E5M2) WARP_MMA("m16n8k32.row.col.f32.e4m3.e5m2.f32", "+f");
    if constexpr (KIND == GEMM_S8) WARP_MMA("m16n8k32.row.col.s32.s8.s8.s32", "+r");
}
#undef WARP_MMA

// Where this lane's 16 bytes lie in a k-major tile of 128-byte rows under the 128-byte swizzle:
// ldmatrix takes matrix i's rows from lanes 8 i to 8 i + 7. `down`: of rows 8 apart first.
struct lane_rows {
    uint32_t row, chunk;

    PTX_FN lane_rows(bool down)
    {
        const uint32_t lane = threadIdx.x % 32, i = lane / 8;
        row = (down ? i % 2 : i / 2) * 8 + lane % 8;
        chunk = down ? i / 2 : i % 2;
    }
    PTX_FN uint32_t at(uint32_t tile, uint32_t step) const
    {
        return tile + row * 128 + (((step * 2 + chunk) ^ (row & 7)) * 16);
    }
};

// One slot's 128 bytes of K into the warp's 16 rows by BN columns.
template <class S>
PTX_FN void multiply_slot(typename S::acc_t (&acc)[S::REGS], uint32_t a_rows, uint32_t b_rows)
{
    const lane_rows of_a(true), of_b(false);
#pragma unroll
    for (uint32_t step = 0; step < 4; step++) {
        uint32_t a[4];
        ptx::ldmatrix_x4(a, of_a.at(a_rows, step));
#pragma unroll
        for (int n = 0; n < S::BN; n += 16) {
            uint32_t b[4];
            ptx::ldmatrix_x4(b, of_b.at(b_rows + n * 128, step));
            warp_mma<S::KIND>(acc + n / 2, a, b[0], b[1]);
            warp_mma<S::KIND>(acc + n / 2 + 4, a, b[2], b[3]);
        }
    }
}

#define SCALED_MMA(SHAPE_KIND_TYPES)                                                               \
    asm volatile("mma.sync.aligned." SHAPE_KIND_TYPES                                              \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, "               \
                 "%10, {%12, 0}, %11, {%12, 0};"                                                   \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(a_factors),   \
                   "r"(b_factors), "n"(BYTE))

// d += 16 rows of A by 8 columns of B, 32 bytes of K, each block of it times its row's and its
// column's factor: one, two or four of those in the words, from BYTE on. Of A two lanes of every
// four have one of the two rows' words (PTX ISA, "scaling matrix" of mma.sync), of B one has the
// column's.
template <int KIND, uint32_t BYTE>
PTX_FN void warp_mma_scaled(float *d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                            uint32_t a_factors, uint32_t b_factors)
{
    if constexpr (KIND == GEMM_MXF8)
        SCALED_MMA("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32."
                   "ue8m0");
    if constexpr (KIND == GEMM_MXF8_E4M3_E5M2)
        SCALED_MMA("m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32."
                   "ue8m0");
    if constexpr (KIND == GEMM_MXF4)
        SCALED_MMA("m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0");
    if constexpr (KIND == GEMM_NVF4)
        SCALED_MMA("m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32."
                   "ue4m3");
}
#undef SCALED_MMA

// B's factors are read where they are used, at constant distances: kept, they or their addresses
// would be spilled. a_scales, b_scales: those of the lane's row, and of its column among the first
// eight, in the slot's first tile of factors. A step uses a DEPTH-th of a tile's four.
template <class S, uint32_t STEP>
PTX_FN void multiply_scaled_step(float (&acc)[S::REGS], const gemm_params &p, uint32_t a_rows,
                                 uint32_t b_rows, uint32_t &a_factors, uint32_t a_scales,
                                 uint32_t b_scales)
{
    const lane_rows of_a(true), of_b(false);
    constexpr uint32_t DEPTH = scale_depth_of(S::KIND), TILE = STEP * DEPTH / 4;
    constexpr uint32_t BYTE = STEP * DEPTH % 4;
    static_assert(S::BN <= GEMM_SCALE_ROWS, "one row of tiles has B's factors");
    if (BYTE == 0)
        a_factors = ptx::load_shared_32(a_scales + (FAULT(p, 80) ? 0 : TILE) * GEMM_SCALE_BYTES);
    if (FAULT(p, 82)) a_factors = (a_factors & 0xffff) * 0x10001;
    const uint32_t tile = b_scales + TILE * GEMM_SCALE_BYTES;
    uint32_t a[4];
    ptx::ldmatrix_x4(a, of_a.at(a_rows, STEP));
#pragma unroll
    for (int n = 0; n < S::BN; n += 16) {
        uint32_t b[4];
        const uint32_t more = FAULT(p, 84) ? 0 : 8;
        ptx::ldmatrix_x4(b, of_b.at(b_rows + n * 128, STEP));
        warp_mma_scaled<S::KIND, BYTE>(acc + n / 2, a, b[0], b[1], a_factors,
                                       ptx::load_shared_32(tile + n % 32 * 16 + n / 32 * 4));
        warp_mma_scaled<S::KIND, BYTE>(
            acc + n / 2 + 4, a, b[2], b[3], a_factors,
            ptx::load_shared_32(tile + (n + more) % 32 * 16 + n / 32 * 4));
    }
}

// One slot, whose scale factors are at `scales`; the warp's rows begin at `first` of the tile, the
// tile at `column` of D: a tile of factors has those of 128 columns. The warp meets between steps
// so that ptxas does not read ahead: it spilled.
template <class S>
PTX_FN void multiply_scaled(float (&acc)[S::REGS], const gemm_params &p, uint32_t a_rows,
                            uint32_t b_rows, uint32_t scales, uint32_t first, uint32_t column)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t row = first + lane / 4 + (FAULT(p, 83) ? 0 : lane % 2 * 8);
    const uint32_t a_scales = scales + row % 32 * 16 + row / 32 * 4;
    const uint32_t b_tiles = FAULT(p, 81) ? 0 : S::A_SCALES * scale_depth_of(S::KIND);
    const uint32_t half = S::BN == GEMM_SCALE_ROWS || FAULT(p, 85) ? 0 : column % GEMM_SCALE_ROWS;
    const uint32_t b_scales = scales + b_tiles * GEMM_SCALE_BYTES + lane / 4 * 16 + half / 32 * 4;
    uint32_t a_factors;
    multiply_scaled_step<S, 0>(acc, p, a_rows, b_rows, a_factors, a_scales, b_scales);
    __syncwarp();
    multiply_scaled_step<S, 1>(acc, p, a_rows, b_rows, a_factors, a_scales, b_scales);
    __syncwarp();
    multiply_scaled_step<S, 2>(acc, p, a_rows, b_rows, a_factors, a_scales, b_scales);
    __syncwarp();
    multiply_scaled_step<S, 3>(acc, p, a_rows, b_rows, a_factors, a_scales, b_scales);
}
