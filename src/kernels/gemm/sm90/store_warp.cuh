// A warp beside the producer that stores what one warpgroup of consumers leaves in its panels, so
// that the warpgroup goes on at once: it neither issues the stores nor divides to find their place.
//
//   FREE + wg    the warpgroup's next panels may be written: the warp arrives, the warpgroup waits
//   READY + wg   they have been: the warpgroup arrives, the warp waits
#pragma once

#include "epilogue.cuh"
#include "kernels/gemm/schedule.cuh"

// Where a tile's part of one warpgroup lies in D. Consumers ask while the tile's last multiplies
// run, when the divisions delay nobody; known before the first it would cost registers all along.
template <class S> PTX_FN place place_of(const gemm_params &p, const work &w, int32_t wg)
{
    const cluster_place at(p);
    const tile t = tile_of(p, w.index);
    place d = {(int32_t)(t.m * p.cluster_m + at.row) * S::BM,
               (int32_t)(t.n * p.cluster_n + at.col) * S::D_COLUMNS, t.batch};
    begin_tile<S>(p, t.batch, d.row, d.col);
    d.row += wg * 64;
    asm volatile("" : "+r"(d.row), "+r"(d.col), "+r"(d.batch));
    return d;
}

// In quick.cuh: whether a part's sums begin with a bias, which they then do.
template <class S>
PTX_FN bool begin_sums(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, const work &w,
                       int32_t wg);

// In compose.cuh.
template <class S> PTX_FN bool is_straight(const gemm_params &p);
template <class S> PTX_FN uint32_t panels_apart(const gemm_params &p);

// A whole warp: a tile's groups, as many at a time as there are panels. apart: the warpgroup's next
// panels are others, so it may write them before the copy engine has read these.
template <class S>
PTX_FN void store_rounds(const gemm_params &p, uint32_t staging, int32_t wg, const place &at,
                         bool apart = false)
{
    constexpr int GROUPS = (S::BN + 63) / 64;
    const int32_t batch = p.panels >> (p.out >= GEMM_OUT_F32);
#pragma unroll 1
    for (int32_t g = 0; g < GROUPS; g += batch) {
        ptx::named_barrier_sync(READY + wg, PARTNERS);
        if (apart || FAULT(p, 22)) ptx::named_barrier_pass<PARTNERS>(FREE + wg);
        if (threadIdx.x % 32 == 0) {
            store_groups_at<S>(p, staging, at, g, min(g + batch, GROUPS));
            if (!apart) ptx::bulk_wait_read<0>();
        }
        __syncwarp();
        if (!apart && !FAULT(p, 22)) ptx::named_barrier_pass<PARTNERS>(FREE + wg);
    }
}

// Stores the second output; returns how many bytes behind its panels D's lie. A block that has one
// tile only has it whole (stores_last() in choose.c), so the parameters alone say which way the
// warpgroup goes.
template <class S>
PTX_FN uint32_t store_second(const gemm_params &p, uint32_t staging, int32_t wg, const place &at)
{
    uint32_t apart = 0;
    if constexpr (S::SECOND && S::KEEPS) apart = is_straight<S>(p) ? panels_apart<S>(p) : 0;
    store_rounds<S>(output_of(p, true), staging, wg, at, apart != 0);
    return apart;
}

template <class S>
PTX_FN void store_for(const gemm_params &p, const shared_layout<S> &smem, int32_t cluster,
                      int32_t wg)
{
    worklist list(p, cluster);
    work w;
    ptx::named_barrier_pass<PARTNERS>(FREE + wg);
#pragma unroll 1
    while (list.take(p, w)) {
        if (w.k_end < p.k_blocks) continue; // a part, which another cluster adds
        const place at = place_of<S>(p, w, wg);
        uint32_t staging = smem.staging(wg);
        if constexpr (S::EPILOGUE)
            if (has_second(p)) staging += store_second<S>(p, staging, wg, at);
        store_rounds<typename stored<S>::as>(p, staging, wg, at);
    }
}
