// Decode attention over paged K and V: a block has the tokens of one request, or some of them, and
// one kv head with all query heads that read it. One warp loads pages by tensor maps into a ring,
// four multiply (docs/PAGED.md).
#pragma once

#include "combine.cuh"
#include "load.cuh"

namespace paged
{

template <class S> PTX_FN void attend(const paged_params &p)
{
    const work w(p);
    const shared<S> s(p);
    if (w.idle()) return;
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < p.stages; i++) {
            ptx::mbarrier_init(s.full(i), 1);
            ptx::mbarrier_init(s.empty(i), PAGED_WARPS);
        }
        ptx::fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x / 32 == PAGED_WARPS) {
        load(p, w, s);
        return;
    }
    state<S> x;
    multiply(x, p, w, s);
    combine(x, p, w, s);
}

} // namespace paged

#ifdef PAGED_FAULTS
#define PAGED_NAME(name) faulty_##name
#else
#define PAGED_NAME(name) name
#endif
#define PAGED_KERNEL(name, BF16, DIM)                                                              \
    extern "C" __global__ __launch_bounds__(PAGED_THREADS, 2) void PAGED_NAME(name)(               \
        const __grid_constant__ paged_params p)                                                    \
    {                                                                                              \
        paged::attend<paged::shape<BF16, DIM>>(p);                                                 \
    }
