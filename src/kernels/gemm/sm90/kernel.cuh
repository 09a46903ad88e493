// The kernel: a warp of one warpgroup loads, WGS warpgroups multiply, and where the copy engine
// stores all of D a warp beside the first stores for each of them (store_warp.cuh); blocks stay and
// take tile after tile.
//
//   full[slot]   one arrival (the loading thread's) and the slot's bytes
//   empty[slot]  one arrival of every consumer warpgroup of every block that reads what this one
//                loads
#pragma once

#include "epilogue.cuh"
#include "load.cuh"
#include "multiply.cuh"
#include "promote.cuh"
#include "split.cuh"
#include "store_warp.cuh"
#include "together.cuh"

// In compose.cuh.
template <class S> PTX_FN bool is_straight(const gemm_params &p);
template <class S>
PTX_FN void finish_straight(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            uint32_t staging, int32_t wg, const place &tile,
                            tile_operands<S> &with);

// In blocks_ahead.cuh.
template <class S>
PTX_FN void multiply_ahead(float (&sum)[S::REGS], const gemm_params &p,
                           const shared_layout<S> &smem, int32_t wg, int32_t k_blocks,
                           ring_position &ring, const ptx::watch &watch);

// In pingpong.cuh.
template <class S> PTX_FN void init_turns(const shared_layout<S> &smem);
template <class S>
PTX_FN void consume_in_turns(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers,
                             int32_t cluster, const ptx::watch &watch);

// By one warp, a slot a lane.
template <class S> PTX_FN void init_barriers(const gemm_params &p, const shared_layout<S> &smem)
{
    const uint32_t readers = p.cluster_m + p.cluster_n - 1;
    for (int32_t slot = threadIdx.x % 32; slot < p.stages; slot += 32) {
        ptx::mbarrier_init(smem.full(slot), 1);
        ptx::mbarrier_init(smem.empty(slot), S::READERS * readers + (FAULT(p, 6) ? 1 : 0) +
                                                 (S::PINGPONG && FAULT(p, 43) ? readers : 0));
    }
    if constexpr (S::PINGPONG)
        if (threadIdx.x % 32 == 0) init_turns<S>(smem);
    if (!FAULT(p, 2) && !FAULT(p, 9)) ptx::fence_mbarrier_init();
}

// The sum of a tile's part goes to whoever finishes the tile, or is made whole and stored.
template <class S>
PTX_FN void deliver(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                    const shared_layout<S> &smem, int32_t cluster, int32_t wg, const work &w,
                    const place &at, const ptx::watch &watch)
{
    const uint32_t rank = ptx::cluster_rank();
    // Kept, it would be a register too many there.
    if constexpr (S::AHEAD || (S::PROMOTE && S::CHAIN == S::BN)) cluster = ptx::cluster_index();
    if (S::SPLITS && p.split > 1) {
        deliver_part<S>(acc, p, smem.base, wg, w.k_end == p.k_blocks, at, watch);
    } else if (w.k_end < p.k_blocks || (TOGETHER<S> && p.together)) {
        if constexpr (TOGETHER<S>)
            pass_on<S>(acc, p, smem.base, cluster, rank, wg, at, watch);
        else
            send_part<S>(acc, p, cluster, rank, wg);
    } else {
        if (w.k_begin > 0) collect_parts<S>(acc, p, w.index, cluster, rank, wg, watch);
        if constexpr (S::QUICK) enliven<S>(acc, p, at);
        // One call: the compiler writes out what it inlines, and this is most of the kernel.
        store_tile<S>(acc, p, smem.staging(wg), wg, at);
    }
}

// The same where a tile that is whole goes through an epilogue first.
template <class S>
PTX_FN void deliver_finished(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                             const shared_layout<S> &smem, int32_t cluster, int32_t wg,
                             const work &w, const place &at, tile_operands<S> &with,
                             const ptx::watch &watch)
{
    const bool split = S::SPLITS && p.split > 1;
    cluster = ptx::cluster_index(); // kept, a register too many
    if constexpr (S::KEEPS && !S::GATED)
        if (OFTEN(!split && w.k_begin == 0 && w.k_end == p.k_blocks && is_straight<S>(p))) {
            finish_straight<S>(acc, p, smem.staging(wg), wg, at, with);
            return;
        }
    if (!split && w.k_end == p.k_blocks) {
        if (w.k_begin > 0)
            collect_parts<S>(acc, p, w.index, cluster, ptx::cluster_rank(), wg, watch);
        finish_tile<S>(acc, p, smem.staging(wg), wg, at, with);
    } else if (!split) {
        send_part<S>(acc, p, cluster, ptx::cluster_rank(), wg);
    } else {
        deliver_part<S>(acc, p, smem.base, wg, w.k_end == p.k_blocks, at, watch);
    }
}

// So many k-blocks of the ring, summed.
template <class S>
PTX_FN void sum_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                     const shared_layout<S> &smem, uint32_t fillers, int32_t wg, int32_t k_blocks,
                     ring_position &ring, const ptx::watch &watch)
{
    if constexpr (S::PROMOTE) {
        multiply_promoted<S>(acc, p, smem, fillers, wg, k_blocks, ring, watch);
    } else {
        const reader<S> from(p, smem, fillers, wg);
        const int32_t last = multiply<S>(acc, p, from, wg, k_blocks, ring, watch);
        finish<S>(acc, p, smem, fillers, last);
    }
}

template <class S>
PTX_FN void consume(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers,
                    int32_t cluster, const ptx::watch &watch)
{
    int32_t wg = threadIdx.x / 128 - 1;
    ring_position ring;
    typename S::acc_t acc[S::REGS];
    worklist list(p, cluster);
    work w;
    const reader<S> from(p, smem, fillers, wg);
    begin_turns<S>(wg);
    if constexpr (TOGETHER<S>)
        if (p.together) begin_together<S>(p, cluster, ptx::cluster_rank(), wg);
#pragma unroll 1
    while (list.take(p, w)) {
        const int32_t k_blocks = w.k_end - w.k_begin;
        const bool plain = p.plain && k_blocks == p.k_blocks;
        bool begun = false;
        if constexpr (S::BEGINS) begun = begin_sums<S>(acc, p, w, wg);
        tile_operands<S> with;
        if constexpr (S::KEEPS) with.ask(p, place_of<S>(p, w, wg));
        place d;
        if constexpr (S::AHEAD) {
            multiply_ahead<S>(acc, p, smem, wg, k_blocks, ring, watch);
            wg = this_thread() / 128 - 1; // what follows from it is not worked out before
            d = place_of<S>(p, w, wg);
        } else if constexpr (S::PROMOTE) {
            multiply_promoted<S>(acc, p, smem, fillers, wg, k_blocks, ring, watch);
            d = place_of<S>(p, w, wg);
        } else {
            const int32_t last = multiply<S>(acc, p, from, wg, k_blocks, ring, watch, begun);
            d = place_of<S>(p, w, wg);
            finish<S>(acc, p, smem, fillers, last);
        }
        // The panels may lie where the other warpgroup still reads operands.
        if (S::WGS > 1 && !p.own_panels && p.split == 1)
            ptx::named_barrier_sync(CONSUMERS, S::WGS * 128);
        if constexpr (S::EPILOGUE)
            deliver_finished<S>(acc, p, smem, cluster, wg, w, d, with, watch);
        else if (S::QUICK ? OFTEN(plain) : plain) {
            if constexpr (S::QUICK) enliven<S>(acc, p, d);
            store_plain<S>(acc, p, smem.staging(wg), wg, d);
        } else
            deliver<S>(acc, p, smem, cluster, wg, w, d, watch);
        if constexpr (S::GATED) forget(acc);
    }
    end_turns<S>(wg);
    await_panels(p, wg); // what the last stores read does not outlive this block
}

// Barriers made, and the other blocks of the cluster told so. What a thread works out from here to
// meet_blocks(), which waits for theirs, takes no time.
template <class S>
PTX_FN void announce(const gemm_params &p, const shared_layout<S> &smem, int32_t cluster_size)
{
    if (threadIdx.x / 32 == 1) init_barriers<S>(p, smem);
    if (cluster_size > 1 && !FAULT(p, 9)) ptx::cluster_arrive_relaxed();
}
template <class S>
PTX_FN void meet_blocks(const gemm_params &p, const shared_layout<S> &smem, int32_t cluster_size,
                        const ptx::watch &watch)
{
    if (threadIdx.x / 32 == 2) refuse_mismatch(p, S::BM, S::BN, S::STAGE_BYTES, smem.base, watch);
    if (cluster_size > 1 && !FAULT(p, 9))
        ptx::cluster_wait();
    else
        __syncthreads();
}
PTX_FN void prefetch_maps(const gemm_params &p)
{
    if (threadIdx.x != 64) return;
    ptx::prefetch_tensormap(&p.a);
    ptx::prefetch_tensormap(&p.b);
    ptx::prefetch_tensormap(&p.d);
}

// The successor may come as soon as every block of this launch runs; or, without a trigger, when
// all have ended.
PTX_FN void let_next_start(const gemm_params &p)
{
    if (!p.turns.late) ptx::grid_let_next_start();
}

// Everything before the work: a launch may start under its predecessor's end, so memory is touched
// after the wait only.
template <class S>
PTX_FN void prepare(const gemm_params &p, const shared_layout<S> &smem, int32_t cluster_size,
                    const ptx::watch &watch)
{
    let_next_start(p);
    announce<S>(p, smem, cluster_size);
    prefetch_maps(p);
    meet_blocks<S>(p, smem, cluster_size, watch);
    ptx::grid_wait();
}

// The second of two warps that load is the producer's last; those between store.
template <class S> PTX_FN bool is_loader()
{
    const int32_t warp = threadIdx.x / 32;
    return warp == 0 || (S::LOADERS > 1 && warp == 3);
}

template <class S> PTX_FN void gemm(const gemm_params &p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<S> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels, p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    const int32_t cluster_size = p.cluster_m * p.cluster_n * p.split;
    if (DELAY(p, DELAY_INIT) && ptx::cluster_rank() == 1) ptx::pause_us(50);
    let_next_start(p);
    announce<S>(p, smem, cluster_size);
    const cluster_place at(p);
    const bool producer = threadIdx.x < 128, loads = is_loader<S>();
    errands<S> todo;
    if (loads) todo.begin(p, smem, at, gemm_place(p.turns, ptx::cluster_index()));
    prefetch_maps(p);
    meet_blocks<S>(p, smem, cluster_size, watch);
    if constexpr (S::EARLY) {
        if (loads && ptx::elect_one()) load_early<S>(p, todo.next);
        __syncwarp(); // the others' wait comes after it
    }
    ptx::grid_wait();

    if (producer) {
        if constexpr (S::MOVE_REGISTERS) ptx::registers_lower<S::FEW_REGISTERS>();
        const int32_t warp = threadIdx.x / 32;
        if (loads) {
            if (ptx::elect_one()) {
                if (S::LOADERS > 1 && warp > 0)
                    produce_b<S>(p, smem, at, todo, watch);
                else
                    produce<S>(p, smem, at, todo, watch);
            }
        } else if (!S::PINGPONG && p.hand && warp <= S::WGS) {
            store_for<S>(p, smem, gemm_place(p.turns, ptx::cluster_index()), warp - 1);
        }
        __syncwarp();
        if (S::SPLITS &&
            p.split > 1) { // the consumers' two meetings count every thread of the cluster
            if (!FAULT(p, 20)) ptx::cluster_sync();
            ptx::cluster_sync();
        }
    } else {
        if constexpr (S::MOVE_REGISTERS) ptx::registers_raise<S::MANY_REGISTERS>();
        if constexpr (S::PINGPONG)
            consume_in_turns<S>(p, smem, at.fillers(), gemm_place(p.turns, ptx::cluster_index()),
                                watch);
        else
            consume<S>(p, smem, at.fillers(), gemm_place(p.turns, ptx::cluster_index()), watch);
    }
}

// In tall.cuh.
template <class S> PTX_FN void gemm_tall(const gemm_params &p);

template <class S> PTX_FN void any_gemm(const gemm_params &p)
{
    if constexpr (S::TALL)
        gemm_tall<S>(p);
    else
        gemm<S>(p);
}

#define GEMM_KERNEL(NAME, ...)                                                                     \
    extern "C" __global__ __launch_bounds__((shape<__VA_ARGS__>::THREADS), 1) void NAME(           \
        const __grid_constant__ gemm_params p)                                                     \
    {                                                                                              \
        any_gemm<shape<__VA_ARGS__>>(p);                                                           \
    }
