// The machine's limits, measured with the GEMM's own parts: only the multiplies, on tiles that stay
// in shared memory; only the loads, into a ring that nobody multiplies from.
#include "kernels/gemm/sm90/kernel.cuh"

using wide = shape<GEMM_BF16, 2, 256>;

// One k-block of a warpgroup's rows, in flight on return.
PTX_FN void multiply_slot(float (&acc)[wide::REGS], const shared_layout<wide> &smem, int32_t wg,
                          int32_t slot, bool first)
{
    uint64_t a = matrix_descriptor<false>(smem.a(slot) + wg * wide::SPAN, wide::SPAN);
    uint64_t b = matrix_descriptor<false>(smem.b(slot), wide::SPAN);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; step++) {
        mma<GEMM_BF16, false, false>(acc, a, b, !first || step > 0);
        a += descriptor_step<false>();
        b += descriptor_step<false>();
    }
    ptx::wgmma_commit();
}

// Loads `stages` tiles of real data once, then multiplies them p.k_blocks times over.
extern "C" __global__
__launch_bounds__(wide::THREADS, 1) void ceiling_multiply(const __grid_constant__ gemm_params p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<wide> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels,
                                      p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const cluster_place at(p);
    if (threadIdx.x < 32) init_barriers<wide>(p, smem);
    __syncthreads();
    if (threadIdx.x < 128) {
        ptx::registers_lower<wide::FEW_REGISTERS>();
        if (threadIdx.x / 32 == 0 && ptx::elect_one())
            for (int32_t slot = 0; slot < p.stages; slot++) {
                const tile t = {(int32_t)blockIdx.x, (int32_t)blockIdx.x, 0};
                ptx::mbarrier_arrive_expect_tx(smem.full(slot), wide::STAGE_BYTES);
                source<wide>(p, smem, at, t).load(slot * wide::BK, slot);
            }
    } else {
        ptx::registers_raise<wide::MANY_REGISTERS>();
        float acc[wide::REGS];
        const int32_t wg = threadIdx.x / 128 - 1;
        ring_position ring;
        for (int32_t slot = 0; slot < p.stages; slot++)
            ptx::mbarrier_wait_often(smem.full(slot), 0, watch, GEMM_FULL, slot);
#pragma unroll 1
        for (int32_t k_block = 0; k_block < p.k_blocks; k_block++) {
            multiply_slot(acc, smem, wg, ring.slot, k_block % 64 == 0);
            ptx::wgmma_wait<1>();
            ring.advance(p.stages);
        }
        ptx::wgmma_wait<0>();
        hold(acc);
        float sum = 0;
#pragma unroll
        for (int i = 0; i < wide::REGS; i++) sum += acc[i];
        if (sum == 1e30f) ((float *)p.d_address)[threadIdx.x] = sum;
    }
}

// The GEMM's own traffic, tile by tile, without a multiply.
extern "C" __global__
__launch_bounds__(wide::THREADS, 1) void ceiling_stream(const __grid_constant__ gemm_params p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<wide> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels,
                                      p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const cluster_place at(p);
    const int32_t cluster_size = p.cluster_m * p.cluster_n, cluster = blockIdx.x / cluster_size;
    if (threadIdx.x < 32) init_barriers<wide>(p, smem);
    if (cluster_size > 1)
        ptx::cluster_sync();
    else
        __syncthreads();
    if (threadIdx.x < 128) {
        errands<wide> todo;
        todo.begin(p, smem, at, cluster);
        if (threadIdx.x / 32 == 0 && ptx::elect_one()) produce<wide>(p, smem, at, todo, watch);
        return;
    }
    const uint32_t fillers = at.fillers();
    ring_position ring;
    worklist list(p, cluster);
    work w;
#pragma unroll 1
    while (list.take(p, w))
#pragma unroll 1
        for (int32_t k_block = w.k_begin; k_block < w.k_end; k_block++) {
            ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL,
                                     ring.slot);
            release<wide>(p, smem, fillers, ring.slot);
            ring.advance(p.stages);
        }
}

// Every SM's cycle counter and the time: two of these around a run give its mean clock. A block
// takes a whole SM, so that none is left out.
extern "C" __global__ __launch_bounds__(32, 1) void ceiling_clocks(uint64_t *out)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) {
        out[2 * sm] = clock64();
        out[2 * sm + 1] = ptx::globaltimer_ns();
    }
}
