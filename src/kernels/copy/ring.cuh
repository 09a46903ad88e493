// The ring: one thread keeps loads and stores in flight through a few shared-memory slots.
//
// A slot's life: load, wait for its bytes, store from the same bytes, wait until the store has read
// them, load again. Data never leaves the copy engine, so no proxy fence is needed. What is loaded
// and where it goes is the Op's:
//   uint32_t tiles(p)                     how many tiles this block moves
//   uint32_t load(p, i, slot, bar)        starts the load of its i-th tile; the bytes it will
//   signal void store(p, i, slot)                starts the store
#pragma once

#include "core/bits.h"
#include "kernels/copy/params.h"
#include "kernels/ptx/ptx.cuh"

namespace copy
{

#ifdef COPY_FAULTS
#define COPY_KERNEL(name) faulty_##name
PTX_FN bool planted(const copy_params &p, uint32_t fault)
{
    return p.fault == fault;
}
PTX_FN void dawdle(const copy_params &p)
{
    const uint64_t start = ptx::globaltimer_ns();
    while (ptx::globaltimer_ns() - start < p.delay_ns) {
    }
}
#else
#define COPY_KERNEL(name) name
PTX_FN constexpr bool planted(const copy_params &, uint32_t)
{
    return false;
}
PTX_FN void dawdle(const copy_params &) {}
#endif

PTX_FN ptx::watch watch_of(const copy_params &p)
{
    return ptx::watch{p.mailbox, p.limit_ms};
}

PTX_FN uint32_t divide(const copy_divisor &d, uint32_t t)
{
    return (uint32_t)(((uint64_t)t * d.multiplier) >> d.shift);
}

// Bytes of an element in shared memory, by its type's code in a map.
PTX_FN constexpr uint8_t bytes_of_code(uint32_t wanted)
{
    uint8_t bytes = 0;
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32)   \
    if (wanted == (code)) bytes = (smem_bits) / 8;
#include "rules/enums.def"
    return bytes;
}

// Of the tensor map itself: what one load signals. Tiled without interleave and with element
// strides of one, or im2col. Beyond the rank a box is stored as 1.
PTX_FN uint32_t map_tx_bytes(const copy_map &m)
{
    static constexpr uint8_t bytes[] = {bytes_of_code(0), bytes_of_code(1), bytes_of_code(2),
                                        bytes_of_code(3), bytes_of_code(4), bytes_of_code(5),
                                        bytes_of_code(6), bytes_of_code(7), bytes_of_code(8),
                                        bytes_of_code(9), bytes_of_code(10)};
    map_fields f = {};
#define BITS(member, json, index, when, at, low, width, shift, bias, sign)                         \
    if (MAP_##when & (f.im2col ? MAP_IM2COL : MAP_TILED))                                          \
        f.member += ((m.word[at] >> (low) & (~0ull >> (64 - (width)))) + (bias)) << (shift);
#include "rules/bits.def"
    uint32_t count = f.im2col ? f.channels * (uint32_t)f.pixels : 1;
#pragma unroll
    for (int i = 0; i < TMAP_MAX_RANK; i++) count *= f.im2col ? 1 : f.box[i];
    return count * bytes[f.type_code];
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

// Blocks draw tiles one by one. The last block to leave puts the counters back for the next launch.
struct shared_order {
    PTX_FN uint32_t start(const copy_params &, uint32_t s) const
    {
        return blockIdx.x + s * gridDim.x;
    }
    PTX_FN uint32_t draw(const copy_params &p) const
    {
        return atomicAdd(p.ticket, 1u) + p.stages * gridDim.x;
    }
    PTX_FN uint32_t end(const copy_params &p) const { return p.total; }
};

PTX_FN void leave(const copy_params &p)
{
    if (planted(p, COPY_FAULT_TICKET)) return;
    if (atomicAdd(p.ticket + 1, 1u) + 1 < gridDim.x) return;
    atomicExch(p.ticket, 0u);
    atomicExch(p.ticket + 1, 0u);
}

// Shared memory after the slots: the barriers, then which tile each slot holds.
PTX_FN uint32_t bar_of(const copy_params &p, uint32_t base, uint32_t slot)
{
    return base + p.stages * p.stage_bytes + 8 * slot;
}

PTX_FN uint32_t id_of(const copy_params &p, uint32_t base, uint32_t slot)
{
    return base + p.stages * (p.stage_bytes + 8) + 4 * slot;
}

template <class Op>
PTX_FN void start_load(const Op &op, const copy_params &p, uint32_t t, uint32_t base, uint32_t slot)
{
    ptx::store_shared_32(id_of(p, base, slot), t);
    if (t >= op.end(p)) return;
    uint32_t bytes = op.bytes(p, t);
    if (planted(p, COPY_FAULT_TX_LESS)) bytes -= 16;
    if (planted(p, COPY_FAULT_TX_MORE)) bytes += 16;
    ptx::mbarrier_arrive_expect_tx(bar_of(p, base, slot), bytes);
    op.load(p, t, base + slot * p.stage_bytes, bar_of(p, base, slot));
}

// LAG: how many stores may still be reading when a slot is filled again; the ring keeps
// stages - LAG loads in flight.
template <int LAG, class Op> PTX_FN void run(Op &op, const copy_params &p, uint32_t base)
{
    const uint32_t s = p.stages, end = op.end(p);
    const ptx::watch w = watch_of(p);
    uint32_t refill = 0, stored = 0;
    position at = {0, 0};
    for (uint32_t i = 0; i < s; i++) start_load(op, p, op.start(p, i), base, i);
    uint32_t next = op.draw(p); // always one ahead, so that its latency is never waited for
    for (;;) {
        const uint32_t t = ptx::load_shared_32(id_of(p, base, at.slot));
        if (t >= end) break;
        if (!planted(p, COPY_FAULT_NO_WAIT))
            ptx::mbarrier_wait(bar_of(p, base, at.slot), at.parity, w, COPY_FULL, at.slot);
        const uint32_t from = planted(p, COPY_FAULT_SLOT) && s > 1 ? (at.slot + 1) % s : at.slot;
        if (!planted(p, COPY_FAULT_LAST_TILE) || t + 1 < end)
            op.store(p, t, base + from * p.stage_bytes);
        ptx::bulk_commit();
        if (++stored > LAG) {
            if (!planted(p, COPY_FAULT_EARLY)) ptx::bulk_wait_read<LAG>();
            start_load(op, p, next, base, refill);
            if (next < end) next = op.draw(p);
            refill = refill + 1 == s ? 0 : refill + 1;
        }
        advance(at, p);
    }
    if (!planted(p, COPY_FAULT_NO_DRAIN)) ptx::bulk_wait<0>();
}

// By thread 0 of the block, from an aligned base.
template <class Op> PTX_FN void ring(Op op, const copy_params &p, uint32_t base)
{
    for (uint32_t i = 0; i < p.stages; i++) ptx::mbarrier_init(bar_of(p, base, i), 1);
    if (!planted(p, COPY_FAULT_NO_INIT)) ptx::fence_mbarrier_init();
    if (p.stages >= 2)
        run<1>(op, p, base);
    else
        run<0>(op, p, base);
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
