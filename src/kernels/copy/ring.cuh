// The ring: one thread keeps loads and stores in flight through a few shared-memory slots.
//
// A slot's life: load, wait for its bytes, store from the same bytes, wait until the store has read
// them, load again. Data never leaves the copy engine, so no proxy fence is needed. What is loaded
// and where it goes is the Op's:
//   uint32_t tiles(p)                     how many tiles this block moves
//   uint32_t load(p, i, slot, bar)        starts the load of its i-th tile; the bytes it will
//   signal void store(p, i, slot)                starts the store
#pragma once

#include "kernels/copy/params.h"
#include "kernels/ptx.cuh"

namespace copy
{

#ifdef COPY_FAULTS
PTX_FN bool planted(const copy_params &p, uint32_t fault)
{
    return p.fault == fault;
}
#else
PTX_FN constexpr bool planted(const copy_params &, uint32_t)
{
    return false;
}
#endif

PTX_FN ptx::watch watch_of(const copy_params &p)
{
    return ptx::watch{p.mailbox, p.limit_ms};
}

PTX_FN uint32_t divide(const copy_divisor &d, uint32_t t)
{
    return (uint32_t)(((uint64_t)t * d.multiplier) >> d.shift);
}

// Of the tensor map itself: what one load signals. Tiled without interleave and with element
// strides of one, or im2col; bit positions as src/core/encode.c writes them.
PTX_FN uint32_t map_tx_bytes(const copy_map &m)
{
    static constexpr uint8_t log_size[] = {0, 1, 2, 2, 3, 3, 1, 2, 2, 3, 1};
    const uint32_t head = (uint32_t)m.word[1], rank = (head >> 4 & 7) + 1;
    uint32_t count = (uint32_t)(m.word[6] >> 56) + 1;
    if (head & 1) {
        count *= (uint32_t)(m.word[7] >> 32) + 1;
    } else {
        for (uint32_t i = 1; i < rank; i++)
            count *= (uint32_t)(m.word[7] >> (8 * (i - 1)) & 0xff) + 1;
    }
    return count << log_size[head >> 7 & 15];
}

// Refuses a plan that does not fit what it is launched with. loads: how many loads of the map fill
// one slot.
PTX_FN void check_plan(const copy_params &p, uint32_t base, uint32_t loads, uint32_t extra_bytes)
{
    const ptx::watch w = watch_of(p);
    const uint32_t ring = p.stages * p.stage_bytes + extra_bytes + 16 * p.stages;
    if (loads && map_tx_bytes(p.src) * loads != p.tx_bytes)
        ptx::report_and_trap(w, 2, COPY_BAD_TX, map_tx_bytes(p.src) * loads, p.tx_bytes);
    if (p.stages == 0 || p.stages > COPY_MAX_STAGES || p.tx_bytes > p.stage_bytes ||
        ring > ptx::dynamic_smem_bytes())
        ptx::report_and_trap(w, 2, COPY_BAD_RING, ring, ptx::dynamic_smem_bytes());
    if (base % 1024 || p.stage_bytes % 128)
        ptx::report_and_trap(w, 2, COPY_BAD_ALIGNMENT, base, p.stage_bytes);
}

struct position {
    uint32_t slot, parity;
};

PTX_FN void advance(position &at, const copy_params &p)
{
    if (++at.slot < p.stages) return;
    at.slot = 0;
    if (!planted(p, COPY_FAULT_PHASE)) at.parity ^= 1;
}

template <class Op>
PTX_FN void start_load(const Op &op, const copy_params &p, uint32_t i, uint32_t base, uint32_t slot)
{
    const uint32_t bar = base + p.stages * p.stage_bytes + 8 * slot;
    uint32_t bytes = op.bytes(p, i);
    if (planted(p, COPY_FAULT_TX_LESS)) bytes -= 16;
    if (planted(p, COPY_FAULT_TX_MORE)) bytes += 16;
    ptx::mbarrier_arrive_expect_tx(bar, bytes);
    op.load(p, i, base + slot * p.stage_bytes, bar);
}

// LAG: how many stores may still be reading when a slot is filled again; the ring keeps
// stages - LAG loads in flight.
template <int LAG, class Op> PTX_FN void run(const Op &op, const copy_params &p, uint32_t base)
{
    const uint32_t n = op.tiles(p), s = p.stages;
    const ptx::watch w = watch_of(p);
    const uint32_t bars = base + s * p.stage_bytes;
    uint32_t refill = 0;
    position at = {0, 0};
    for (uint32_t i = 0; i < s && i < n; i++) start_load(op, p, i, base, i);
    for (uint32_t i = 0; i < n; i++) {
        ptx::mbarrier_wait(bars + 8 * at.slot, at.parity, w, COPY_FULL, at.slot);
        const uint32_t from = planted(p, COPY_FAULT_SLOT) && s > 1 ? (at.slot + 1) % s : at.slot;
        if (!planted(p, COPY_FAULT_LAST_TILE) || i + 1 < n)
            op.store(p, i, base + from * p.stage_bytes);
        ptx::bulk_commit();
        if (i + 1 > LAG) {
            const uint32_t next = i - LAG + s;
            if (!planted(p, COPY_FAULT_EARLY)) ptx::bulk_wait_read<LAG>();
            if (next < n) start_load(op, p, next, base, refill);
            refill = refill + 1 == s ? 0 : refill + 1;
        }
        advance(at, p);
    }
    if (!planted(p, COPY_FAULT_NO_DRAIN)) ptx::bulk_wait<0>();
}

// By thread 0 of the block, from an aligned base.
template <class Op> PTX_FN void ring(const Op &op, const copy_params &p, uint32_t base)
{
    const uint32_t bars = base + p.stages * p.stage_bytes;
    for (uint32_t i = 0; i < p.stages; i++) ptx::mbarrier_init(bars + 8 * i, 1);
    ptx::fence_mbarrier_init();
    if (p.stages >= 4)
        run<2>(op, p, base);
    else if (p.stages >= 2)
        run<1>(op, p, base);
    else
        run<0>(op, p, base);
}

// Block b of the grid moves tiles b, b + grid, ...
PTX_FN uint32_t my_tiles(const copy_params &p)
{
    return p.total > blockIdx.x ? (p.total - blockIdx.x - 1) / gridDim.x + 1 : 0;
}

PTX_FN uint32_t tile_of(uint32_t i)
{
    return blockIdx.x + i * gridDim.x;
}

template <int RANK> PTX_FN void coords_of(const copy_params &p, uint32_t t, int32_t (&c)[RANK])
{
#pragma unroll
    for (int d = 0; d < RANK; d++) {
        const uint32_t q = d + 1 < RANK ? divide(p.tiles[d], t) : 0;
        const uint32_t r = d + 1 < RANK ? t - q * p.tiles[d].divisor : t;
        c[d] = (int32_t)(r * p.step[d]);
        t = q;
    }
}

} // namespace copy
