// A tile whose K many clusters share (gemm_params.together): each of them sums a share of its
// columns. From GEMM_TOGETHER sharers on that takes less time than one block needs to read the
// others' parts, while their multiprocessors rest. The sums are added in the same order as one
// block adds them, so the result is the same to the bit.
//
// Who waits here for a block that has not begun might hold the multiprocessor that it needs. So a
// block says when it begins, stays only where all have begun, and with its part says whether it
// stays; of those that stay, all see the same ones. The highest always stays: it waits for lower
// ones only, which the hardware starts no later. Where nobody else does, it sums all.
#pragma once

#include "split.cuh"

// Kernels that have it (gemm_has_together() on the host). Beside an epilogue's operands, blocks'
// scales, a tall tile or four warpgroups there are no registers for it. Of operands whose rows are
// not along K, and of early loads, few products are so shared, and a fifth of a kernel's code is
// this.
template <class S>
constexpr bool TOGETHER =
    !S::EPILOGUE && !S::QUICK && !S::BLOCKS && !S::AHEAD && !S::TALL && !S::PINGPONG && !S::EARLY &&
    !S::A_MN && !S::B_MN && S::WGS <= GEMM_TOGETHER_WGS;

// Values of a flag of a part.
enum { PART_LEFT = 1, PART_STAYED = 2 };

// The words between the blocks of one rank that share a tile, for one warpgroup of them.
template <class S> struct circle {
    int32_t sharers, own; // own: of this block, the lowest cluster's is 0
    uint64_t begun, step; // the word of the lowest that says it has begun, to the next one's
    uint64_t flags;       // of parts, [reader][writer]

    PTX_FN circle(const gemm_params &p, int32_t cluster, uint32_t rank, int32_t wg)
    {
        const int32_t members = p.cluster_m * p.cluster_n;
        sharers = p.deep;
        own = cluster / p.stream_tiles;
        const int32_t tile = cluster - own * p.stream_tiles;
        const int64_t place = (int64_t)(tile * members + rank) * S::WGS + wg;
        begun = p.flags + GEMM_BEGUN_AT + place * 4;
        step = (uint64_t)p.stream_tiles * members * S::WGS * 4;
        flags = p.flags + GEMM_TOGETHER_AT + place * sharers * sharers * 4;
    }
    PTX_FN uint64_t flag(int32_t reader, int32_t writer) const
    {
        return flags + (reader * sharers + writer) * 4;
    }
};

// Says that this warpgroup has begun.
template <class S>
PTX_FN void begin_together(const gemm_params &p, int32_t cluster, uint32_t rank, int32_t wg)
{
    const circle<S> all(p, cluster, rank, wg);
    if (this_thread() % 128 == 0) ptx::store_relaxed(all.begun + all.own * all.step, 1);
}

// Leaves the part, and tells every sharer so and whether this block stays; then clears the word
// that says it has begun. A sharer whose word is clear may have told already, hence another look.
template <class S>
PTX_FN bool leave_and_tell(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                           const circle<S> &all, const parcel<S> &to, int32_t wg)
{
    const int32_t lane = this_thread() % 32;
    const bool speaks = p.together && this_thread() % 128 < 32 && lane < all.sharers;
    uint32_t there = 1;
    if (speaks && lane != all.own && all.own < all.sharers - 1)
        there = ptx::load_relaxed(all.begun + lane * all.step);
    if (FAULT(p, 18) && speaks) ptx::store_release(all.flag(lane, all.own), PART_STAYED);
    if (FAULT(p, 18) && !p.together && this_thread() % 128 == 0) ptx::store_release(to.flag, 1);
    if (DELAY(p, DELAY_PART) && (!p.together || all.own == 0)) ptx::pause_us(50);
    store_part<S>(acc, to);
    if (!there) there = ptx::load_relaxed(all.flag(all.own, lane));
    const bool stays = ptx::named_barrier_all(1 + wg, 128, there);
    const bool first = this_thread() % 128 == 0;
    if (speaks) ptx::store_release(all.flag(lane, all.own), stays ? PART_STAYED : PART_LEFT);
    if (first && !p.together) ptx::store_release(to.flag, PART_LEFT);
    if (first && p.together) ptx::store_relaxed(all.begun + all.own * all.step, 0);
    return stays && p.together;
}

// What each of those that stay sums: every count-th quad, from its turn on.
struct share {
    int32_t turn, count;
};

// Sums up to p.together quads of the parts, every of.count-th from `first` on, and stores them. The
// parts lie `step` bytes apart from `from` on, and are added the highest first and then from the
// lowest on. All come to shared memory first, where `room` is this thread's: so many loads at a
// time no registers hold.
template <class S>
PTX_FN void sum_quads(const gemm_params &p, uint64_t from, uint64_t step, int32_t sharers,
                      int32_t first, const share &of, uint32_t room, const place &at)
{
    constexpr uint32_t QUAD = 128 * 16;
    const int32_t end = min(S::REGS / 4, first + p.together * of.count);
    uint32_t quad = room;
#pragma unroll 1
    for (int32_t i = first; i < end; i += of.count) {
        uint64_t part = from + i * QUAD;
#pragma unroll 2
        for (int32_t n = 0; n < sharers; n++, part += step, quad += QUAD)
            ptx::copy_async_16(quad, part);
    }
    ptx::copy_async_wait();
    const uint32_t last = (sharers - 1) * QUAD;
    quad = room;
#pragma unroll 1
    for (int32_t i = first; i < end; i += of.count, quad += last + QUAD) {
        typename S::acc_t sum[4];
        uint32_t x[4];
        ptx::load_shared_128(quad + last, x);
        memcpy(sum, x, 16);
#pragma unroll 1
        for (uint32_t part = 0; part < last; part += 4 * QUAD) {
            uint32_t y[4][4] = {}; // not to be kept where they are not loaded
#pragma unroll
            for (int n = 0; n < 4; n++)
                if (part + n * QUAD < last) ptx::load_shared_128(quad + part + n * QUAD, y[n]);
#pragma unroll
            for (int n = 0; n < 4; n++)
                if (part + n * QUAD < last) add_quad<S>(sum, y[n]);
        }
        store_eight_whole<S>(sum, p, at, i);
    }
}

// Clears the flags that this block reads. The highest clears those of blocks that did not stay: as
// they come, since all writers have told the highest, but perhaps not yet these blocks.
template <class S>
PTX_FN void clear_flags(const gemm_params &p, const circle<S> &all, uint32_t who,
                        const ptx::watch &watch)
{
    const int32_t lane = this_thread() % 32;
    if (this_thread() % 128 >= 32 || lane >= all.sharers) return;
    if (!FAULT(p, 19)) ptx::store_global_32(all.flag(all.own, lane), 0);
    if (all.own < all.sharers - 1) return;
#pragma unroll 1
    for (int32_t reader = 0; reader < all.own; reader++)
        if (!(who >> reader & 1)) {
            ptx::flag_wait(all.flag(reader, lane), watch, GEMM_PART, lane);
            ptx::store_global_32(all.flag(reader, lane), 0);
        }
}

// A part of a tile that others share; and where they add its parts together, of those that stay a
// share of the whole. ring: idle by then, but for the other warpgroups' operands.
template <class S>
PTX_FN void pass_on(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t ring,
                    int32_t cluster, uint32_t rank, int32_t wg, const place &at,
                    const ptx::watch &watch)
{
    if (S::WGS > 1 && p.own_panels && p.together) ptx::named_barrier_sync(CONSUMERS, S::WGS * 128);
    // Else the compiler works out before the tile what follows from them.
    ptx::settle(cluster);
    ptx::settle(rank);
    ptx::settle(wg);
    const circle<S> all(p, cluster, rank, wg);
    if (leave_and_tell<S>(acc, p, all, parcel<S>(p, cluster, rank, wg), wg)) {
        const int32_t lane = this_thread() % 32;
        uint32_t flag = FAULT(p, 17) && lane < all.sharers ? PART_STAYED : 0;
        if (lane < all.sharers && !FAULT(p, 17))
            flag = ptx::flag_wait(all.flag(all.own, lane), watch, GEMM_PART, lane);
        const uint32_t who = __ballot_sync(0xffffffff, flag == PART_STAYED);
        __syncwarp(); // what one lane has acquired all may read
        const share of = {__popc(who & ((1u << all.own) - 1)), __popc(who)};
        const uint32_t room =
            ring + (wg * p.together * all.sharers * 128 + this_thread() % 128) * 16;
        const parcel<S> lowest(p, cluster - all.own * p.stream_tiles, rank, wg);
        const uint64_t step = all.step * (64 * S::BN); // of words, of parts
#pragma unroll 1
        for (int32_t i = FAULT(p, 23) && of.turn == 1 ? of.count + 1 : of.turn; i < S::REGS / 4;
             i += p.together * of.count)
            sum_quads<S>(p, lowest.data, step, all.sharers, i, of, room, at);
        ptx::named_barrier_sync(1 + wg, 128); // all warps have read the flags
        clear_flags<S>(p, all, who, watch);
    }
    forget(acc);
}
