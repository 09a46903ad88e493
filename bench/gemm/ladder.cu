// The first rungs: kernels that each lack what the next one adds (docs/EXPERIMENTS.md has the gain
// of every step). All compute fp32 D = A B^T of bf16 with one warpgroup, and hold tails by the maps
// alone.
//   ladder_64x64x32_1    the conservative one: small tile, one buffer, 4 warps
//   ladder_64x256x64_1   a tile as wide as the tensor core takes
//   ladder_64x256x64_4   four buffers: the next loads run under the multiplies
// From there on it is kernel.cuh, whose rungs are configurations.
#include "kernels/gemm/sm90/layout.cuh"

// One span (64 or 128 bytes) of every row is a stage.
template <int BN, int SPAN_BYTES, int STAGES> struct rung {
    static constexpr int A_BYTES = 64 * SPAN_BYTES, STAGE_BYTES = A_BYTES + BN * SPAN_BYTES;
    static constexpr int STEPS = SPAN_BYTES / 32, BK = SPAN_BYTES / 2;
    // Layout 1 is the 128-byte swizzle, 2 the 64-byte one; the atom is 8 rows.
    static constexpr uint64_t LAYOUT = SPAN_BYTES == 128 ? 1 : 2;

    static PTX_FN uint64_t descriptor(uint32_t addr)
    {
        return (uint64_t)((addr & 0x3ffff) >> 4) | (uint64_t)1 << 16 |
               (uint64_t)(8 * SPAN_BYTES >> 4) << 32 | LAYOUT << 62;
    }
};

template <class R, int BN>
PTX_FN void fetch(const gemm_params &p, uint32_t slot, uint32_t bar, int32_t k)
{
    const int32_t a[3] = {k, (int32_t)blockIdx.y * 64, 0}, b[3] = {k, (int32_t)blockIdx.x * BN, 0};
    ptx::mbarrier_arrive_expect_tx(bar, R::STAGE_BYTES);
    ptx::tma_load<3>(slot, &p.a, bar, a);
    ptx::tma_load<3>(slot + R::A_BYTES, &p.b, bar, b);
}

template <int BN, int SPAN_BYTES, int STAGES> PTX_FN void climb(const gemm_params &p)
{
    using R = rung<BN, SPAN_BYTES, STAGES>;
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    __shared__ __align__(8) uint64_t full[STAGES];
    const uint32_t base = ptx::smem_addr(dynamic_smem), bar = ptx::smem_addr(full);
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    float acc[BN / 2];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) ptx::mbarrier_init(bar + 8 * i, 1);
        ptx::fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES && i < p.k_blocks; i++)
            fetch<R, BN>(p, base + i * R::STAGE_BYTES, bar + 8 * i, i * R::BK);
#pragma unroll 1
    for (int32_t k_block = 0; k_block < p.k_blocks; k_block++) {
        const int32_t slot = k_block % STAGES;
        const uint32_t at = base + slot * R::STAGE_BYTES;
        ptx::mbarrier_wait_often(bar + 8 * slot, k_block / STAGES & 1, watch, GEMM_FULL, slot);
        ptx::wgmma_fence();
#pragma unroll
        for (int step = 0; step < R::STEPS; step++)
            mma<GEMM_BF16, 0, 0>(acc, R::descriptor(at) + 2 * step,
                                 R::descriptor(at + R::A_BYTES) + 2 * step, k_block + step > 0);
        ptx::wgmma_commit();
        ptx::wgmma_wait<0>();
        hold(acc);
        __syncthreads(); // all four warps have read the slot
        if (threadIdx.x == 0 && k_block + STAGES < p.k_blocks)
            fetch<R, BN>(p, at, bar + 8 * slot, (k_block + STAGES) * R::BK);
    }
    const int32_t lane = threadIdx.x % 32, row = blockIdx.y * 64 + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < BN / 2; i++) {
        const int32_t r = row + (i & 2) * 4,
                      c = blockIdx.x * BN + i / 4 * 8 + lane % 4 * 2 + (i & 1);
        if (r < p.m && c < p.n)
            *(float *)((uint8_t *)p.d_address + r * p.d_row_bytes + (int64_t)c * 4) = acc[i];
    }
}

extern "C" __global__
    __launch_bounds__(128) void ladder_64x64x32_1(const __grid_constant__ gemm_params p)
{
    climb<64, 64, 1>(p);
}
extern "C" __global__
    __launch_bounds__(128) void ladder_64x256x64_1(const __grid_constant__ gemm_params p)
{
    climb<256, 128, 1>(p);
}
extern "C" __global__
    __launch_bounds__(128) void ladder_64x256x64_4(const __grid_constant__ gemm_params p)
{
    climb<256, 128, 4>(p);
}
