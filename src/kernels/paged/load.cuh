// The warp that loads: a box of K and one of V for every page, or part of one, that a slot holds.
#pragma once

#include "layout.cuh"

namespace paged
{

// The page that holds a lane's box, and the box's first token in it; a box behind the last token is
// of the page behind the last one, which the copy engine fills with zeros and no table is asked
// for.
struct box_place {
    int32_t page;
    uint32_t token;

    PTX_FN box_place(const paged_params &p, const work &w, uint32_t first)
    {
        const int64_t row = (int64_t)w.request * p.table_stride;
        const uint32_t at = first / p.page_size;
        token = first - at * p.page_size;
        page = (int32_t)p.pages;
        if (first < w.end) page = p.table[row + at + (PAGED_FAULT(p, 5) && at > 0 ? -1 : 0)];
        if (page < 0) page = (int32_t)p.pages;
    }
};

template <class S>
PTX_FN void load_box(const paged_params &p, const work &w, const box_place &from, uint32_t slot,
                     uint32_t bar, uint32_t box)
{
    const uint32_t bytes = (PAGED_SPAN_BYTES * S::PIECES) << p.box_log2;
    const int32_t head = (int32_t)(PAGED_FAULT(p, 7) ? (w.head + 1) % p.kv_heads : w.head);
    const int32_t of_k[5] = {0, (int32_t)from.token, 0, head, from.page};
    const int32_t of_v[5] = {0, (int32_t)from.token, 0, (int32_t)w.head, from.page};
    ptx::tma_load_hint<5>(slot + box * bytes, &p.k, bar, of_k, p.load_policy);
    ptx::tma_load_hint<5>(slot + S::HALF_BYTES + box * bytes, &p.v, bar, of_v, p.load_policy);
}

// Each lane has every 32nd box of a slot. Its next page is asked for before it waits for a slot.
template <class S> PTX_FN void load(const paged_params &p, const work &w, const shared<S> &s)
{
    const uint32_t lane = threadIdx.x % 32, boxes = PAGED_TOKENS >> p.box_log2;
    const ptx::watch watch = watch_of(p);
    position at = {0, 1};
    box_place next(p, w, w.first + (lane << p.box_log2));
    for (uint32_t i = 0, tiles = w.tiles(); i < tiles; i++) {
        const uint32_t first = w.first + i * PAGED_TOKENS;
        const box_place now = next;
        next = box_place(p, w, first + PAGED_TOKENS + (lane << p.box_log2));
        ptx::mbarrier_wait(s.empty(at.slot), at.parity, watch, PAGED_EMPTY, at.slot);
        const uint32_t tx =
            p.tx_bytes + (PAGED_FAULT(p, 2) ? 16 : 0) - (PAGED_FAULT(p, 1) ? 16 : 0);
        if (lane == 0) ptx::mbarrier_arrive_expect_tx(s.full(at.slot), tx);
        __syncwarp();
        const uint32_t slot = s.slots + at.slot * S::SLOT_BYTES;
        if (lane < boxes) load_box<S>(p, w, now, slot, s.full(at.slot), lane);
        if (lane + 32 < boxes) {
            const box_place more(p, w, first + ((lane + 32) << p.box_log2));
            load_box<S>(p, w, more, slot, s.full(at.slot), lane + 32);
        }
        at.advance(p);
    }
}

} // namespace paged
