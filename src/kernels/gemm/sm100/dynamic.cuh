// Tiles from whoever has not been launched: the grid has a cluster for every tile, and a cluster
// that runs asks for the tile of one that does not yet run, while it works on its own. One warp of
// the cluster's first block asks; every part of every block reads the answer.
//
//   answered[i]   the asking warp's arrival and the answer's 16 bytes
//   answer_read[i]  the first block's: every part of every block has read answer i
#pragma once

#include "kernel.cuh"
#include "kernels/ptx/cancel.cuh"

enum { ANSWER_BYTES = 16 };

// Parts that read an answer: of each block the loading thread and the storing warps, of each pair
// the multiplying thread.
template <class S> PTX_FN uint32_t answer_readers(uint32_t cluster_size)
{
    return cluster_size * (1 + TENSOR_STORE_WARPS) + cluster_size / S::CTAS;
}

template <class S> struct dynamic_walk {
    static constexpr bool PARTS = false, ASKS = true;
    const shared_layout<S> &smem;
    const ptx::watch &watch;
    uint32_t cluster_size;
    int32_t index;
    bool own, warps;
    buffer_position<TENSOR_BUFFERS> turn;

    PTX_FN dynamic_walk(const gemm_params &, int32_t cluster, uint32_t size,
                        const shared_layout<S> &layout, const ptx::watch &w)
        : smem(layout), watch(w), cluster_size(size), index(cluster), own(true), warps(false)
    {
    }
    PTX_FN const gemm_params &of(const gemm_params &p) const { return p; }
    PTX_FN bool is_new() { return false; }
    PTX_FN dynamic_walk of_warps() const
    {
        dynamic_walk w = *this;
        w.warps = true;
        return w;
    }
    // The answer, once it is there; the next may then take its place.
    PTX_FN int32_t read_answer(const gemm_params &p)
    {
        if (!FAULT(p, 71))
            ptx::mbarrier_wait_often(smem.answered(turn.buffer), turn.parity, watch, GEMM_ANSWER,
                                     turn.buffer);
        if (FAULT(p, 66)) tell_read();
        const int32_t x = ptx::cancelled(smem.answer(turn.buffer));
        ptx::fence_proxy_async();
        if (!FAULT(p, 66) && !(warps && FAULT(p, 112))) tell_read();
        turn.advance();
        return x < 0 ? -1 : FAULT(p, 68) ? index : x / (int32_t)cluster_size;
    }
    PTX_FN void tell_read() const
    {
        if (warps) __syncwarp();
        if (!warps || threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive_cluster(ptx::map_to_rank(smem.answer_read(turn.buffer), 0));
    }
    PTX_FN bool take(const gemm_params &p, work &w)
    {
        if (!own) index = read_answer(p);
        own = false;
        w = {index, 0, p.k_blocks};
        return index >= 0;
    }
    PTX_FN void init_barriers() const
    {
        for (int32_t i = 0; i < TENSOR_BUFFERS; i++) {
            ptx::mbarrier_init(smem.answered(i), 1);
            ptx::mbarrier_init(smem.answer_read(i), answer_readers<S>(cluster_size));
        }
    }
    // By one thread of the cluster's first block, until there is nothing left.
    PTX_FN void ask(const gemm_params &p)
    {
        do {
            if (!FAULT(p, 65))
                ptx::mbarrier_wait_often(smem.answer_read(turn.buffer), turn.parity ^ 1, watch,
                                         GEMM_ANSWER, turn.buffer);
            for (uint32_t rank = 0; rank < cluster_size; rank++)
                ptx::mbarrier_arrive_expect_tx_cluster(
                    ptx::map_to_rank(smem.answered(turn.buffer), rank),
                    FAULT(p, 67) ? 0 : ANSWER_BYTES);
            ptx::try_cancel(smem.answer(turn.buffer), smem.answered(turn.buffer),
                            cluster_size > 1 && !FAULT(p, 69));
            ptx::mbarrier_wait_often(smem.answered(turn.buffer), turn.parity, watch, GEMM_ANSWER,
                                     turn.buffer);
            index = ptx::cancelled(smem.answer(turn.buffer));
            ptx::fence_proxy_async();
            turn.advance();
        } while (index >= 0);
    }
};
