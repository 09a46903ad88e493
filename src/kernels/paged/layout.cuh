// One block's part of decode attention: which tokens of which head, where its shared memory goes,
// and where a lane finds its rows in a slot.
#pragma once

#include "kernels/paged/params.h"
#include "kernels/ptx/warp.cuh"

namespace paged
{

#ifdef PAGED_FAULTS
#define PAGED_FAULT(p, id) ((p).fault == (id))
#else
#define PAGED_FAULT(p, id) false
#endif

// Heads of DIM elements in pieces of a swizzled row each.
template <bool BF16_, int DIM_> struct shape {
    static constexpr bool BF16 = BF16_;
    static constexpr int DIM = DIM_, PIECES = DIM / PAGED_SPAN;
    static constexpr uint32_t SLOT_BYTES = PAGED_SLOT_BYTES(DIM), HALF_BYTES = SLOT_BYTES / 2;
};

// The tokens of one request and one kv head that this block reads: first to end. count: blocks that
// share the request's tokens; one that has none of them has no work.
struct work {
    uint32_t head, split, request, first, end, count;

    PTX_FN work(const paged_params &p)
    {
        head = blockIdx.x % p.kv_heads;
        split = blockIdx.x / p.kv_heads % p.splits;
        request = blockIdx.x / p.kv_heads / p.splits;
        const int32_t given = p.lengths[request];
        uint32_t length = given < 0 ? 0 : (uint32_t)given;
        length = length < p.max_tokens ? length : p.max_tokens;
        count = length ? (length - 1) / p.split_tokens + 1 : 1;
        first = split * p.split_tokens;
        end = split + 1 < count ? first + p.split_tokens : length;
        if (PAGED_FAULT(p, 6) && end == length && end > first) end--;
    }
    PTX_FN uint32_t tiles() const { return (end - first + PAGED_TOKENS - 1) / PAGED_TOKENS; }
    PTX_FN bool idle() const { return split >= count; }
};

// Slots, then barriers, then each warp's maxima and sums, then the word that says who comes last.
// When all slots are read, the warps' outputs lie in them.
template <class S> struct shared {
    uint32_t slots, behind;

    PTX_FN shared(const paged_params &p)
    {
        extern __shared__ uint8_t memory[];
        slots =
            (ptx::smem_addr(memory) + PAGED_SLOT_ALIGN - 1) / PAGED_SLOT_ALIGN * PAGED_SLOT_ALIGN;
        behind = slots + p.stages * S::SLOT_BYTES;
    }
    PTX_FN uint32_t full(uint32_t slot) const { return behind + 16 * slot; }
    PTX_FN uint32_t empty(uint32_t slot) const { return behind + 16 * slot + 8; }
    PTX_FN uint32_t maximum(uint32_t warp, uint32_t row) const
    {
        return behind + 16 * PAGED_MAX_STAGES + (warp * PAGED_ROWS + row) * 8;
    }
    PTX_FN uint32_t sum(uint32_t warp, uint32_t row) const { return maximum(warp, row) + 4; }
    PTX_FN uint32_t last() const { return maximum(PAGED_WARPS, 0); }
    PTX_FN uint32_t output(uint32_t warp, uint32_t row, uint32_t dim) const
    {
        return slots + ((warp * PAGED_ROWS + row) * S::DIM + dim) * 4;
    }
};

// Where a token's row begins in K's or V's half of a slot, and what its 16-byte chunks are
// exchanged with: boxes follow one another, each with all pieces of its tokens. The swizzle goes by
// the address, so it holds for boxes of any number of rows.
template <class S> struct token_rows {
    uint32_t at[S::PIECES], flip[S::PIECES];

    PTX_FN token_rows(const paged_params &p, uint32_t token)
    {
        const uint32_t box = 1u << p.box_log2;
#pragma unroll
        for (uint32_t i = 0; i < S::PIECES; i++) {
            at[i] = ((token >> p.box_log2) * box * S::PIECES + i * box + (token & (box - 1))) *
                    PAGED_SPAN_BYTES;
            flip[i] = at[i] / PAGED_SPAN_BYTES % 8;
            if (PAGED_FAULT(p, 12)) flip[i] ^= 1;
        }
    }
    PTX_FN uint32_t chunk(uint32_t half, uint32_t piece, uint32_t i) const
    {
        return half + at[piece] + (i ^ flip[piece]) * 16;
    }
};

// A slot and the parity of its phase.
struct position {
    uint32_t slot, parity;

    PTX_FN void advance(const paged_params &p)
    {
        if (++slot < p.stages) return;
        slot = 0;
        if (!PAGED_FAULT(p, 3)) parity ^= 1;
    }
};

PTX_FN ptx::watch watch_of(const paged_params &p)
{
    return ptx::watch{p.mailbox, p.limit_ms};
}

} // namespace paged
