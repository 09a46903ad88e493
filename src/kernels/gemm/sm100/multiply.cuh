// The multiplying thread: of a pair, the even block's. Matrix and instruction descriptors are those
// of the PTX ISA, tcgen05, "matrix descriptor" and "instruction descriptor".
#pragma once

#include "layout.cuh"
#include "kernels/gemm/schedule.cuh"

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

// 32 bits: D's type at 4 (1 f32, 2 s32), A's at 7 and B's at 10, mn-major at 15 and 16, N / 8 at
// 17, M / 16 at 24.
template <class S> PTX_FN constexpr uint32_t instruction_descriptor()
{
    const uint32_t type = S::KIND == GEMM_TF32                          ? 2
                          : S::KIND == GEMM_F16 || S::KIND == GEMM_E4M3 ? 0
                                                                        : 1;
    return (S::INTEGERS ? 2u : 1u) << 4 | type << 7 | type << 10 | (uint32_t)S::A_MN << 15 |
           (uint32_t)S::B_MN << 16 | (uint32_t)S::BN / 8 << 17 | (uint32_t)S::TILE_M / 16 << 24;
}

template <class S>
PTX_FN void multiply_slot(const shared_layout<S> &smem, int32_t slot, uint32_t d, bool first,
                          uint64_t fault)
{
    const uint64_t a = matrix_descriptor<S::A_MN, S::BK>() | (smem.a(slot) & 0x3ffff) >> 4;
    const uint64_t b =
        (matrix_descriptor<S::B_MN, S::BK>() | (smem.b(slot) & 0x3ffff) >> 4) + fault;
#pragma unroll
    for (uint32_t step = 0; step < 4; step++)
        ptx::tensor_mma<S::CTAS, tensor_kind_of<S::KIND>()>(
            d, a + step * descriptor_step<S::A_MN, S::BK>(),
            b + step * descriptor_step<S::B_MN, S::BK>(), instruction_descriptor<S>(),
            !first || step > 0);
}

// The slot goes back to whoever fills it, here and in other blocks, once the multiplies before this
// have read it.
template <class S> PTX_FN void give_back(uint32_t empty, bool shared, const cluster_place<S> &at)
{
    if (S::CTAS == 2 || shared)
        ptx::tensor_commit_multicast<S::CTAS>(empty, at.fillers);
    else
        ptx::tensor_commit<S::CTAS>(empty);
}

template <class S>
PTX_FN void multiply(const gemm_params &p, const shared_layout<S> &smem, const cluster_place<S> &at,
                     uint32_t columns, worklist list, const ptx::watch &watch)
{
    const bool shared = p.cluster_m * p.cluster_n > 1;
    ring_position ring;
    buffer_position acc;
    work w;
#pragma unroll 1
    while (list.take(p, w)) {
        const uint32_t d = columns + acc.buffer * S::BN;
        if (!FAULT(p, 31))
            ptx::mbarrier_wait_often(smem.read(acc.buffer), acc.parity ^ 1, watch, GEMM_DRAIN,
                                     acc.buffer);
        if (!FAULT(p, 32)) ptx::tensor_fence_after();
#pragma unroll 1
        for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
            if (!FAULT(p, 16))
                ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL,
                                         ring.slot);
            ptx::tensor_fence_after();
            if (FAULT(p, 13)) give_back<S>(smem.empty(ring.slot), shared, at);
            if (FAULT(p, 33) && k_block == w.k_end - 1) {
                if constexpr (S::CTAS == 2)
                    ptx::tensor_commit_multicast<S::CTAS>(smem.summed(acc.buffer), at.pair_mask);
                else
                    ptx::tensor_commit<S::CTAS>(smem.summed(acc.buffer));
            }
            multiply_slot<S>(smem, ring.slot, d, k_block == w.k_begin,
                             FAULT(p, 15) ? (uint64_t)64 << 32 : 0);
            if (!FAULT(p, 13)) give_back<S>(smem.empty(ring.slot), shared, at);
            ring.advance(p.stages);
            if (FAULT(p, 5)) ring.parity = 0;
        }
        if (!FAULT(p, 33)) {
            if constexpr (S::CTAS == 2)
                ptx::tensor_commit_multicast<S::CTAS>(smem.summed(acc.buffer), at.pair_mask);
            else
                ptx::tensor_commit<S::CTAS>(smem.summed(acc.buffer));
        }
        acc.advance();
        if (FAULT(p, 34)) acc.parity = 0;
    }
}
