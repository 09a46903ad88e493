// The multiplying thread: of a pair, the even block's. Matrix and instruction descriptors are those
// of the PTX ISA, tcgen05, "matrix descriptor" and "instruction descriptor".
#pragma once

#include "layout.cuh"
#include "kernels/gemm/walk.cuh"

// 64 bits: address / 16 at 0, leading offset / 16 at 16, stride offset / 16 at 32, the constant 1
// at 46, layout at 61 (2 = 128-byte swizzle). A k-major operand repeats every 8 rows of 128 bytes
// (stride offset); an mn-major one every 8 k (stride offset) and every span of m or n (leading).
template <bool MN, int BK> PTX_FN constexpr uint64_t matrix_descriptor()
{
    const uint64_t stride = 8 * TENSOR_SPAN_BYTES, leading = MN ? BK * TENSOR_SPAN_BYTES : 16;
    return leading >> 4 << 16 | stride >> 4 << 32 | 1ull << 46 | 2ull << 61;
}
// What a multiply's step along K (32 bytes of each k-major row, or its rows of an mn-major operand)
// adds to the descriptor.
template <bool MN, int BK> PTX_FN constexpr uint32_t descriptor_step()
{
    return (MN ? BK / 4 * TENSOR_SPAN_BYTES : 32) >> 4;
}

template <int KIND> PTX_FN constexpr int tensor_kind_of()
{
    return KIND == GEMM_TF32  ? ptx::TENSOR_TF32
           : KIND == GEMM_S8  ? ptx::TENSOR_I8
           : KIND <= GEMM_F16 ? ptx::TENSOR_F16
                              : ptx::TENSOR_F8F6F4;
}

// 32 bits: D's type at 4 (1 f32, 2 s32), A's at 7 and B's at 10 (gemm_params.types), mn-major at 15
// and 16, N / 8 at 17, M / 16 at 24.
template <class S> PTX_FN constexpr uint32_t instruction_descriptor()
{
    return (S::INTEGERS ? 2u : 1u) << 4 | (uint32_t)S::A_MN << 15 | (uint32_t)S::B_MN << 16 |
           (uint32_t)S::BN / 8 << 17 | (uint32_t)S::TILE_M / 16 << 24;
}

// What planted faults change of the descriptors and of the first multiply.
struct multiply_fault {
    uint64_t matrix_xor, b_more;
    uint32_t shape_xor;
    bool adds;

    PTX_FN multiply_fault(const gemm_params &p)
        : matrix_xor(FAULT(p, 61)   ? 1ull << 46 // no constant, as on Hopper
                     : FAULT(p, 62) ? 3ull << 61 // Hopper's number of the swizzle
                                    : 0),
          b_more(FAULT(p, 15) ? (uint64_t)64 << 32 : 0), shape_xor(FAULT(p, 52)   ? 1 << 7
                                                                   : FAULT(p, 53) ? 1 << 17
                                                                   : FAULT(p, 54) ? 1 << 16
                                                                                  : 0),
          adds(FAULT(p, 49))
    {
    }
};

// 64 bits for a tile of scale factors: rows of 16 bytes one after the other, unswizzled, eight of
// them from one stride to the next.
PTX_FN uint64_t scales_descriptor(uint32_t at)
{
    return (uint64_t)(at & 0x3ffff) >> 4 | 8ull << 32 | 8ull << 16 | 1ull << 46;
}

template <int KIND> PTX_FN constexpr int scaled_kind_of()
{
    return KIND == GEMM_MXF8   ? ptx::TENSOR_MXF8
           : KIND == GEMM_MXF4 ? ptx::TENSOR_MXF4
                               : ptx::TENSOR_NVF4;
}

// Columns of tensor memory with a slot's scale factors: of A a tile after the other along K, four
// columns each; of B, behind them, all rows' of one tile along K and then of the next.
template <class S> struct scale_columns {
    static constexpr uint32_t A_STEP = 4, B_STEP = 4 * S::B_SCALES;
    uint32_t a, b;

    PTX_FN scale_columns(const gemm_params &p, uint32_t columns, int32_t slot)
        : a(columns + (FAULT(p, 73) ? 0 : S::SUM_COLUMNS) + slot * 4 * S::SCALE_TILES),
          b(a + (FAULT(p, 74) ? 0 : A_STEP * S::SCALE_DEPTH))
    {
    }
    PTX_FN void fill(const gemm_params &p, uint32_t scales) const
    {
#pragma unroll
        for (uint32_t k = 0; k < S::SCALE_DEPTH; k++)
#pragma unroll
            for (uint32_t row = 0; row <= S::B_SCALES; row++) {
                const uint32_t tile = row * S::SCALE_DEPTH + (FAULT(p, 77) ? 0 : k);
                ptx::tensor_copy_scales<S::CTAS>(
                    row == 0 ? a + k * A_STEP : b + k * B_STEP + 4 * (row - 1),
                    scales_descriptor(scales + tile * GEMM_SCALE_BYTES));
            }
    }
};

// Of a slot: scale factors into their columns of tensor memory, then the products that use them.
// Copies and products of one thread come in order; that the slot's columns are free follows from
// the slot being so. In the instruction descriptor: factors of ue8m0 (23; else ue4m3), M / 128 at
// 27, and the first of four factors that a step uses, of A at 29 and of B at 4.
template <class S>
PTX_FN void multiply_scaled(const gemm_params &p, const shared_layout<S> &smem, int32_t slot,
                            uint32_t columns, uint32_t d, bool first)
{
    constexpr uint32_t FACTORS = S::SCALE_DEPTH, UE8M0 = S::KIND != GEMM_NVF4; // of a step
    const scale_columns<S> at(p, columns, slot);
    if (!FAULT(p, 78)) at.fill(p, smem.scales(slot));
    const uint64_t a = matrix_descriptor<S::A_MN, S::BK>() | (smem.a(slot) & 0x3ffff) >> 4;
    const uint64_t b = matrix_descriptor<S::B_MN, S::BK>() | (smem.b(slot) & 0x3ffff) >> 4;
    const uint32_t shape = (uint32_t)S::BN / 8 << 17 | (FAULT(p, 79) ? 1 - UE8M0 : UE8M0) << 23 |
                           (uint32_t)S::TILE_M / 128 << 27;
#pragma unroll
    for (uint32_t step = 0; step < 4; step++) {
        const uint32_t factor = FAULT(p, 76) ? 0 : step * FACTORS % 4;
        const uint32_t tile = FAULT(p, 80) ? 0 : step * FACTORS / 4;
        const uint32_t along = FAULT(p, 81) ? step / 2 : step;
        ptx::tensor_mma_scaled<S::CTAS, scaled_kind_of<S::KIND>()>(
            d, a + along * descriptor_step<S::A_MN, S::BK>(),
            b + along * descriptor_step<S::B_MN, S::BK>(),
            shape | p.types | factor << 4 | factor << 29, at.a + tile * at.A_STEP,
            at.b + tile * at.B_STEP, !first || step > 0);
    }
    if (FAULT(p, 78)) at.fill(p, smem.scales(slot));
}

template <class S>
PTX_FN void multiply_slot(const shared_layout<S> &smem, int32_t slot, uint32_t d, uint32_t types,
                          bool first, const multiply_fault &fault)
{
    const uint64_t a =
        (matrix_descriptor<S::A_MN, S::BK>() | (smem.a(slot) & 0x3ffff) >> 4) ^ fault.matrix_xor;
    const uint64_t b =
        (matrix_descriptor<S::B_MN, S::BK>() | (smem.b(slot) & 0x3ffff) >> 4) + fault.b_more;
#pragma unroll
    for (uint32_t step = 0; step < 4; step++)
        ptx::tensor_mma<S::CTAS, tensor_kind_of<S::KIND>()>(
            d, a + step * descriptor_step<S::A_MN, S::BK>(),
            b + step * descriptor_step<S::B_MN, S::BK>(),
            (instruction_descriptor<S>() | types) ^ fault.shape_xor,
            !first || step > 0 || fault.adds);
}

// The slot goes back to whoever fills it, here and in other blocks, once the multiplies before this
// have read it.
template <class S>
PTX_FN void give_back(const gemm_params &p, uint32_t empty, bool shared, const cluster_place<S> &at)
{
    if (S::CTAS == 2 || shared)
        ptx::tensor_commit_multicast<S::CTAS>(empty, FAULT(p, 46)    ? 1u << at.rank
                                                     : FAULT(p, 111) ? at.pair_mask
                                                                     : at.fillers);
    else
        ptx::tensor_commit<S::CTAS>(empty);
}

// The sums are in the accumulator of every block of the pair, once the multiplies before this are.
template <class S>
PTX_FN void tell_summed(const gemm_params &p, const shared_layout<S> &smem, int32_t buffer,
                        const cluster_place<S> &at)
{
    if (S::CTAS == 2)
        ptx::tensor_commit_multicast<S::CTAS>(smem.summed(buffer),
                                              FAULT(p, 45) ? 1u << at.rank : at.pair_mask);
    else
        ptx::tensor_commit<S::CTAS>(smem.summed(buffer));
}

template <class S, class WALK>
PTX_FN void multiply(const gemm_params &p, const shared_layout<S> &smem, const cluster_place<S> &at,
                     uint32_t columns, WALK list, const ptx::watch &watch)
{
    const bool shared = p.cluster_m * p.cluster_n > 1;
    ring_position ring;
    buffer_position<S::BUFFERS> acc;
    work w;
#pragma unroll 1
    while (list.take(p, w)) {
        const uint32_t d = columns + acc.buffer * (FAULT(p, 48) ? S::BN / 2 : S::BN);
        if (!FAULT(p, 31))
            ptx::mbarrier_wait_often(smem.read(acc.buffer), acc.parity ^ 1, watch, GEMM_DRAIN,
                                     acc.buffer);
        if (!FAULT(p, 32)) ptx::tensor_fence_after();
#pragma unroll 1
        for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
            if (!FAULT(p, 16))
                ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL,
                                         ring.slot);
            if (!FAULT(p, 32)) ptx::tensor_fence_after();
            if (FAULT(p, 13)) give_back<S>(p, smem.empty(ring.slot), shared, at);
            if (FAULT(p, 33) && k_block == w.k_end - 1) tell_summed<S>(p, smem, acc.buffer, at);
            if constexpr (S::SCALED)
                multiply_scaled<S>(p, smem, ring.slot, columns, d, k_block == w.k_begin);
            else
                multiply_slot<S>(smem, ring.slot, d, p.types, k_block == w.k_begin,
                                 multiply_fault(p));
            if (!FAULT(p, 13)) give_back<S>(p, smem.empty(ring.slot), shared, at);
            ring.advance(p.stages);
            if (FAULT(p, 5)) ring.parity = 0;
        }
        if (!FAULT(p, 33)) tell_summed<S>(p, smem, acc.buffer, at);
        acc.advance();
        if (FAULT(p, 34)) acc.parity = 0;
    }
}
