// The kernel: warp 0 loads, warp 1 multiplies, warps 4 to 7 store; blocks stay and take tile after
// tile, and one accumulator is stored while the other is summed.
//
//   full[slot]    the even block's: one arrival of its loading thread, and the bytes of both
//   blocks;
//                 with scale factors, whose copies tell their own block alone, also one of the odd
//                 block's relay, which waits for that one's own full[slot]
//   empty[slot]   a commit of every pair that multiplies what this block loads
//   summed[i]     a commit: the sums are in accumulator i of both blocks
//   read[i]       the even block's: every storing warp of both has read accumulator i
#pragma once

#include "epilogue.cuh"
#include "load.cuh"
#include "multiply.cuh"

template <class S> PTX_FN void init_barriers(const gemm_params &p, const shared_layout<S> &smem)
{
    const uint32_t readers = FAULT(p, 110) ? 1 : p.cluster_m + p.cluster_n - 1;
    const bool told = S::RELAYS && ptx::cluster_rank() % 2 == 0; // of the odd block's factors
    for (int32_t slot = 0; slot < p.stages; slot++) {
        ptx::mbarrier_init(smem.full(slot), told && !FAULT(p, 94) ? 2 : 1);
        ptx::mbarrier_init(smem.empty(slot), readers + (FAULT(p, 6) ? 1 : 0));
    }
    for (int32_t i = 0; i < TENSOR_BUFFERS; i++) {
        ptx::mbarrier_init(smem.summed(i), 1);
        ptx::mbarrier_init(smem.read(i), TENSOR_STORE_WARPS * S::CTAS - (FAULT(p, 56) ? 1 : 0));
    }
    if (!FAULT(p, 2)) ptx::fence_mbarrier_init();
}

PTX_FN void meet_all(int32_t cluster_size)
{
    if (cluster_size > 1)
        ptx::cluster_sync();
    else
        __syncthreads();
}

// Barriers made, tensor memory taken, and both known to everyone.
template <class S>
PTX_FN uint32_t begin(const gemm_params &p, const shared_layout<S> &smem, int32_t cluster_size,
                      const ptx::watch &watch)
{
    const int32_t warp = threadIdx.x / 32;
    if (threadIdx.x == 64) init_barriers<S>(p, smem);
    if (warp == 3) refuse_mismatch(p, S::TILE_M, S::BN, S::STAGE_BYTES, smem.base, watch);
    if (warp == 1) {
        if (FAULT(p, 50))
            ptx::tensor_alloc<S::CTAS, S::COLUMNS / 2>(smem.columns());
        else
            ptx::tensor_alloc<S::CTAS, S::COLUMNS>(smem.columns());
        ptx::tensor_alloc_no_more<S::CTAS>();
    }
    const uint32_t early = FAULT(p, 60) ? ptx::load_shared_32(smem.columns()) : 0;
    ptx::tensor_fence_before();
    if (FAULT(p, 9))
        __syncthreads();
    else
        meet_all(cluster_size);
    ptx::tensor_fence_after();
    return FAULT(p, 60) ? early : ptx::load_shared_32(smem.columns());
}

template <class S, class WALK> PTX_FN void gemm(const gemm_params &p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<S> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const int32_t cluster_size = p.cluster_m * p.cluster_n * S::CTAS;
    const int32_t cluster = blockIdx.x / cluster_size, warp = threadIdx.x / 32;
    const cluster_place<S> at(p);
    WALK list(p, cluster, (uint32_t)cluster_size, smem, watch);

    ptx::grid_let_next_start();
    if (threadIdx.x == 96) {
        ptx::prefetch_tensormap(&p.a);
        ptx::prefetch_tensormap(&p.b);
        ptx::prefetch_tensormap(&p.d);
    }
    if constexpr (WALK::ASKS)
        if (threadIdx.x == 64) list.init_barriers(); // begin() fences them with the others
    const uint32_t columns = begin<S>(p, smem, cluster_size, watch);
    ptx::grid_wait();

    if (warp == 0) {
        if (ptx::elect_one()) produce<S>(p, smem, at, list, watch);
    } else if (warp == 1) {
        if ((at.half == 0 || FAULT(p, 47)) && ptx::elect_one())
            multiply<S>(p, smem, at, columns, list, watch);
        if constexpr (S::RELAYS)
            if (at.half == 1 && ptx::elect_one()) relay_scales<S>(p, smem, at, list, watch);
    } else if (warp >= 4) {
        epilogue<S>(p, smem, at, columns, watch).run(list.of_warps(), cluster);
    } else if (WALK::ASKS && warp == 2 && at.rank == 0) {
        if constexpr (WALK::ASKS)
            if (ptx::elect_one()) list.ask(p);
    }
    __syncwarp();
    if (FAULT(p, 40) && warp == 1) ptx::tensor_free<S::CTAS, S::COLUMNS>(columns);
    ptx::tensor_fence_before();
    // Nobody leaves while another may still arrive on its barriers, or read its tensor memory.
    meet_all(FAULT(p, 44) ? 1 : cluster_size);
    ptx::tensor_fence_after();
    if (warp == 1 && !FAULT(p, 40) && !FAULT(p, 41)) ptx::tensor_free<S::CTAS, S::COLUMNS>(columns);
}

// WALK may name the shape, S.
#define GEMM_KERNEL_OF(WALK, NAME, ...)                                                            \
    extern "C" __global__ __launch_bounds__(TENSOR_THREADS, 1) void NAME(                          \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        using S = shape<__VA_ARGS__>;                                                              \
        gemm<S, WALK>(p);                                                                          \
    }
#define GEMM_KERNEL(NAME, ...) GEMM_KERNEL_OF(static_walk, NAME, __VA_ARGS__)
