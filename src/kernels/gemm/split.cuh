// Split K: the blocks of a cluster each sum a part of K of the same tile; the first one adds the
// parts in the order of their rank, so that the result does not depend on who came first.
#pragma once

#include "layout.cuh"

// The parts travel through the ring, which is idle by now, thread by thread: thread t's i-th four
// registers lie at 16 (i * threads + t).
template <class S> PTX_FN uint32_t part_address(uint32_t ring, int32_t i)
{
    return ring + 16 * (i * S::WGS * 128 + (threadIdx.x - 128));
}

template <class S> PTX_FN void leave_part(const typename S::acc_t (&acc)[S::REGS], uint32_t ring)
{
#pragma unroll
    for (int i = 0; i < S::REGS / 4; i++) {
        uint32_t x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) memcpy(&x[j], &acc[i * 4 + j], 4);
        ptx::store_shared_128(part_address<S>(ring, i), x[0], x[1], x[2], x[3]);
    }
}

template <class S>
PTX_FN void add_parts(typename S::acc_t (&acc)[S::REGS], uint32_t ring, int32_t parts)
{
#pragma unroll 1
    for (int32_t part = 1; part < parts; part++) {
#pragma unroll
        for (int i = 0; i < S::REGS / 4; i++) {
            uint32_t x[4];
            ptx::load_cluster_128(ptx::map_to_rank(part_address<S>(ring, i), part), x);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                typename S::acc_t y;
                memcpy(&y, &x[j], 4);
                acc[i * 4 + j] += y;
            }
        }
    }
}
