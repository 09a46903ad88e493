// A tile whose K is summed in parts, by two ways of dealing it out. Neither uses an atomic, and
// both add in one order, so that the result does not depend on who came first.
//
// Split K: the blocks of a cluster each sum a part of K of the same tile; then each of them adds
// the parts of its own share of the tile, in the order of their rank, and stores it.
#pragma once

#include "layout.cuh"
#include "schedule.cuh"

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

// The groups of 64 columns of one warpgroup that block `rank` finishes, a bit for each.
template <class S> PTX_FN uint32_t own_groups(int32_t wg, int32_t rank, int32_t parts)
{
    constexpr int GROUPS = (S::BN + 63) / 64;
    uint32_t own = 0;
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
        own |= (uint32_t)((wg * GROUPS + g) * parts / (S::WGS * GROUPS) == rank) << g;
    return own;
}

// Its registers become the sum of every block's.
template <class S>
PTX_FN void add_parts(typename S::acc_t (&acc)[S::REGS], uint32_t ring, int32_t parts, uint32_t own)
{
#pragma unroll 1
    for (int32_t part = 0; part < parts; part++) {
#pragma unroll
        for (int i = 0; i < S::REGS / 4; i++) {
            if (!(own >> i / 8 & 1)) continue;
            uint32_t x[4];
            ptx::load_cluster_128(ptx::map_to_rank(part_address<S>(ring, i), part), x);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                typename S::acc_t y;
                memcpy(&y, &x[j], 4);
                acc[i * 4 + j] = part == 0 ? y : acc[i * 4 + j] + y;
            }
        }
    }
}

// Stream K: clusters share tiles of the stream (schedule.cuh). A part travels through L2: one slot
// a block, since a cluster leaves at most one; one flag a warpgroup, cleared by the one that read
// it.
template <class S> struct parcel {
    uint64_t data, flag;

    PTX_FN parcel(const gemm_params &p, int32_t cluster, uint32_t rank, int32_t wg)
    {
        const int64_t block = (int64_t)cluster * p.cluster_m * p.cluster_n + rank;
        data = p.parts + (block * S::WGS + wg) * (64 * S::BN * 4) + threadIdx.x % 128 * 16;
        flag = p.flags + (block * S::WGS + wg) * 4;
    }
};

template <class S>
PTX_FN void send_part(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                      int32_t cluster, uint32_t rank, int32_t wg)
{
    const parcel<S> to(p, cluster, rank, wg);
    if (FAULT(p, 18) && threadIdx.x % 128 == 0) ptx::store_release(to.flag, 1);
    if (DELAY(p, DELAY_PART)) ptx::pause_us(50);
#pragma unroll
    for (int i = 0; i < S::REGS / 4; i++) {
        uint32_t x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) memcpy(&x[j], &acc[i * 4 + j], 4);
        ptx::store_global_128(to.data + i * 128 * 16, x[0], x[1], x[2], x[3]);
    }
    __threadfence();
    ptx::named_barrier_sync(1 + wg, 128);
    if (threadIdx.x % 128 == 0) ptx::store_release(to.flag, 1);
}

// Adds the parts of every lower cluster that shares the tile, lowest first.
template <class S>
PTX_FN void collect_parts(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, int32_t index,
                          int32_t cluster, uint32_t rank, int32_t wg, const ptx::watch &watch)
{
    int32_t lowest = cluster;
    while (stream_begin(p, lowest) > index * p.k_blocks) lowest--;
#pragma unroll 1
    for (int32_t c = lowest; c < cluster; c++) {
        const parcel<S> from(p, c, rank, wg);
        if (threadIdx.x % 128 == 0 && !FAULT(p, 17)) ptx::flag_wait(from.flag, watch, GEMM_PART, c);
        ptx::named_barrier_sync(1 + wg, 128);
#pragma unroll
        for (int i = 0; i < S::REGS / 4; i++) {
            uint32_t x[4];
            ptx::load_global_128(from.data + i * 128 * 16, x);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                typename S::acc_t y;
                memcpy(&y, &x[j], 4);
                acc[i * 4 + j] += y;
            }
        }
        if (threadIdx.x % 128 == 0 && !FAULT(p, 19)) ptx::store_release(from.flag, 0);
    }
}
