// A group's tiles two at a time, each a warpgroup's own (pingpong.cuh): members of short K are
// mostly stores, which then run beside the other warpgroup's multiplies.
#pragma once

#include "groups.cuh"
#include "pingpong.cuh"

// As store_of_member(), slab by slab.
template <class S>
PTX_FN void store_in_turn_of_member(tile_sums<S> &sums, const gemm_params &p,
                                    const shared_layout<S> &smem, int32_t member, int32_t index)
{
    const gemm_params &q = member_of(p, member);
    const bool plain = p.plain && !q.ragged;
    const int32_t side = this_side();
    place d = place_of<S>(q, {index, 0, 0}, 0);
    d.batch = member;
#pragma unroll
    for (int slab = 0; slab < S::SLABS; slab++, d.row += 64) {
        if (plain)
            store_plain<S>(sums.of[slab], p, smem.staging(side), side, d);
        else
            store_tile<S>(sums.of[slab], q, smem.staging(side), side, d);
    }
}

// The warpgroups take every second tile of the cluster's list, whosever it is: what is passed over
// in the ring is the other tile's k-blocks, and members have their own number of them.
template <class S>
PTX_FN void consume_group_in_turns(const gemm_params &p, const shared_layout<S> &smem,
                                   uint32_t fillers, int32_t cluster, const ptx::watch &watch)
{
    static_assert(K_AT_ONCE<S> == 1, "whose first k-block may begin with another member's");
    uint32_t tile = 0;
    ring_position ring;
    tile_sums<S> sums;
    group_list list(cluster);
    work w;
    int32_t acquired = -1;
#pragma unroll 1
    for (; list.take(p, w); tile++) {
        if (tile % 2 != this_side()) {
            if (!FAULT(p, 41)) ring.skip(FAULT(p, 135) ? p.k_blocks : w.k_end, p.stages);
            continue;
        }
        // The first turn of all needs no handing over.
        const uint32_t parity = (tile / 2 ^ ~this_side()) & 1;
        multiply_in_turn<S>(sums, p, smem, fillers, parity, w.k_end, ring, watch, false);
        ptx::wgmma_wait<0>();
        sums.hold_all();
        release<S>(p, smem, fillers, ring.before(p.stages));
        if (this_thread() % 128 == 0 && acquired != list.member)
            ptx::tensormap_acquire(&member_of(p, list.member).d);
        acquired = list.member;
        store_in_turn_of_member<S>(sums, p, smem, list.member, w.index);
    }
    if (this_thread() % 128 == 0) ptx::bulk_wait_read<0>();
}
