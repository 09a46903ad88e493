// A tile whose K is summed in parts, by two ways of dealing it out. Neither uses an atomic, and
// both add in one order, so that the result does not depend on who came first.
//
// Split K: blocks of a cluster each sum every split-th k-block of the same tile; then each of them
// adds the parts of its own share of the tile, in the order of their rank. Where a cluster has
// several tiles, the blocks of one part of K share operands by multicast. Deep: several clusters
// share the tile, and the blocks of the highest of them add what those of the lower ones left in
// L2. The highest waits for lower ones only, which the hardware starts no later. (Many that share
// a tile add its parts together: together.cuh.)
#pragma once

#include "quads.cuh"
#include "kernels/gemm/schedule.cuh"

// The parts travel through the ring, which is idle by now, thread by thread: thread t's i-th four
// registers, 8 columns of its warpgroup's rows, lie at 16 (i * threads + t). (this_thread(): what
// the compiler can work out before the tile would cost registers while it multiplies.)
template <class S> PTX_FN uint32_t own_quads()
{
    return 16 * (this_thread() - 128);
}
template <class S> PTX_FN constexpr uint32_t quad_offset(int32_t i)
{
    return 16 * S::WGS * 128 * i;
}

template <class S> PTX_FN void leave_part(const typename S::acc_t (&acc)[S::REGS], uint32_t ring)
{
    const uint32_t to = ring + own_quads<S>();
#pragma unroll
    for (int i = 0; i < S::REGS / 4; i++) {
        uint32_t x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) memcpy(&x[j], &acc[i * 4 + j], 4);
        ptx::store_shared_128(to + quad_offset<S>(i), x[0], x[1], x[2], x[3]);
    }
}

template <class S> PTX_FN void add_quad(typename S::acc_t (&sum)[4], const uint32_t (&x)[4])
{
#pragma unroll
    for (int j = 0; j < 4; j++) {
        typename S::acc_t y;
        memcpy(&y, &x[j], 4);
        sum[j] += y;
    }
}

// Of how many quads the loads are on their way before the first is added: as many as there are
// registers for beside the sums, which the compiler keeps. (Here and below what may be loaded or
// not is set to 0 before: else the compiler keeps it in registers from one time to the next, and
// all through the multiplies.)
template <class S>
constexpr int AT_ONCE = S::PROMOTE                                                             ? 1
                        : S::REGS > 104 || (S::WGS == 2 && !S::MOVE_REGISTERS && S::REGS > 48) ? 2
                                                                                               : 4;

// The blocks of a cluster that sum parts of one tile: ranks `first`, first + step and so on.
struct partners {
    uint32_t first, step;

    PTX_FN partners(const gemm_params &p)
    {
        step = p.cluster_m * p.cluster_n;
        first = ptx::cluster_rank() & (step - 1);
    }
    PTX_FN uint32_t rank(int32_t part) const { return first + part * step; }
};

// Sums of the blocks' parts, first to end - 1, left where this block's own part of them lay, N at a
// time.
template <class S, int N>
PTX_FN void gather(uint32_t ring, const partners &with, int32_t first, int32_t end, int32_t parts)
{
    constexpr int BLOCKS = AT_ONCE<S> / N;
    ring += own_quads<S>();
#pragma unroll 1
    for (int32_t i = first; i < end; i += N) {
        typename S::acc_t sum[N][4] = {};
#pragma unroll 1
        for (int32_t begin = 0; begin < parts; begin += BLOCKS) {
            uint32_t x[BLOCKS][N][4] = {};
#pragma unroll
            for (int part = 0; part < BLOCKS; part++)
#pragma unroll
                for (int n = 0; n < N; n++)
                    if (begin + part < parts && i + n < end)
                        ptx::load_cluster_128(ptx::map_to_rank(ring, with.rank(begin + part)) +
                                                  quad_offset<S>(i + n),
                                              x[part][n]);
#pragma unroll
            for (int part = 0; part < BLOCKS; part++)
#pragma unroll
                for (int n = 0; n < N; n++)
                    if (begin + part < parts && i + n < end) add_quad<S>(sum[n], x[part][n]);
        }
#pragma unroll
        for (int n = 0; n < N; n++) {
            uint32_t x[4];
            memcpy(x, sum[n], 16);
            if (i + n < end)
                ptx::store_shared_128(ring + quad_offset<S>(i + n), x[0], x[1], x[2], x[3]);
        }
    }
}

// Adds what so many lower clusters left, lowest first, a cluster's `step` bytes after the last's.
template <class S>
PTX_FN void collect(typename S::acc_t (&sum)[4], uint64_t from, uint64_t step, int32_t parts)
{
#pragma unroll 1
    for (int32_t begin = 0; begin < parts; begin += AT_ONCE<S>, from += AT_ONCE<S> * step) {
        uint32_t x[AT_ONCE<S>][4] = {};
#pragma unroll
        for (int part = 0; part < AT_ONCE<S>; part++)
            if (begin + part < parts) ptx::load_global_128(from + part * step, x[part]);
#pragma unroll
        for (int part = 0; part < AT_ONCE<S>; part++)
            if (begin + part < parts) add_quad<S>(sum, x[part]);
    }
}

// Where a deep split's parts and flags lie (parcel below: those of tiles without a split): a slot
// for each tile of a cluster, a flag for each warpgroup of a block.
template <class S> struct deep_parcel {
    static constexpr uint64_t BYTES = S::BM * S::BN * 4;
    uint64_t data, flag;

    PTX_FN deep_parcel(const gemm_params &p, int32_t cluster, uint32_t rank, int32_t wg)
    {
        const partners with(p);
        data = p.parts + (cluster * with.step + with.first) * BYTES;
        flag = p.flags + ((cluster * p.split * with.step + rank) * S::WGS + wg) * 4;
    }
    // From one sharer's to the next one's.
    static PTX_FN uint64_t step(const gemm_params &p)
    {
        return p.stream_tiles * partners(p).step * BYTES;
    }
};

// The highest cluster's quads, first to end - 1, with the lower ones' to D, N at a time: where few
// clusters lie below, the loads of several quads are on their way at once.
template <class S, int N>
PTX_FN void collect_share(const gemm_params &p, uint32_t ring, uint64_t from, int32_t first,
                          int32_t end, int32_t below, const place &at)
{
    const uint64_t step = deep_parcel<S>::step(p);
#pragma unroll 1
    for (int32_t i = first; i < end; i += N) {
        const uint32_t offset = own_quads<S>() + quad_offset<S>(i);
        typename S::acc_t sum[N][4];
#pragma unroll
        for (int n = 0; n < N; n++) {
            uint32_t x[4] = {0, 0, 0, 0};
            if (i + n < end) ptx::load_shared_128(ring + offset + quad_offset<S>(n), x);
            memcpy(sum[n], x, 16);
        }
#pragma unroll 1
        for (int32_t part = 0; part < below; part++) {
            uint32_t x[N][4] = {};
#pragma unroll
            for (int n = 0; n < N; n++)
                if (i + n < end)
                    ptx::load_global_128(from + part * step + offset + quad_offset<S>(n), x[n]);
#pragma unroll
            for (int n = 0; n < N; n++)
                if (i + n < end) add_quad<S>(sum[n], x[n]);
        }
#pragma unroll
        for (int n = 0; n < N; n++)
            if (i + n < end) store_eight<S>(sum[n], p, at, i + n);
    }
}
// So many, where there are registers for their sums.
template <class S> constexpr int QUADS = S::EPILOGUE || S::KIND == GEMM_KIND_s8 ? 1 : AT_ONCE<S>;

// A warpgroup's share of the cluster's sum, by way of the ring: to D, or to the highest cluster.
template <class S>
PTX_FN void finish_share(const gemm_params &p, uint32_t ring, int32_t cluster, uint32_t rank,
                         int32_t first, int32_t end, int32_t wg, bool last, const place &at,
                         const ptx::watch &watch)
{
    const int32_t below = p.deep - 1, lowest = cluster - below * p.stream_tiles;
    const int32_t thread = this_thread() % 128;
    const uint32_t quads = own_quads<S>();
    const deep_parcel<S> own(p, cluster, rank, wg), from(p, lowest, rank, wg);
    const uint64_t flag =
        from.flag + thread * p.stream_tiles * (p.cluster_m * p.cluster_n * p.split * S::WGS * 4);
    if (last && below > 0) {
        if (thread < below && !FAULT(p, 17))
            ptx::flag_wait(flag, watch, GEMM_PART, lowest + thread * p.stream_tiles);
        ptx::named_barrier_sync(1 + wg, 128);
    }
    constexpr int N = QUADS<S>;
    if constexpr (N > 1)
        if (last && below > 0 && below <= 2) {
            collect_share<S, N>(p, ring, from.data, first, end, below, at);
            first = end;
        }
#pragma unroll 1
    for (int32_t i = first; i < end; i++) {
        const uint32_t offset = quads + quad_offset<S>(i);
        typename S::acc_t sum[4];
        uint32_t x[4];
        ptx::load_shared_128(ring + offset, x);
        if (last) {
            memcpy(sum, x, 16);
            collect<S>(sum, from.data + offset, deep_parcel<S>::step(p), below);
            store_eight<S>(sum, p, at, i);
        } else {
            ptx::store_global_128(own.data + offset, x[0], x[1], x[2], x[3]);
        }
    }
    if (below > 0) {
        ptx::named_barrier_sync(1 + wg, 128);
        if (last && thread < below && !FAULT(p, 19)) ptx::store_release(flag, 0);
        if (!last && thread == 0) ptx::store_release(own.flag, 1);
    }
}

// A split's part of a tile, summed with the others'.
template <class S>
PTX_FN void deliver_part(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t ring,
                         int32_t wg, bool last, const place &at, const ptx::watch &watch)
{
    const partners with(p);
    const int32_t rank = ptx::cluster_rank(), part = rank >> (31 - __clz(with.step));
    const int32_t cluster = ptx::cluster_index();
    // The parts lie where the other warpgroup may still read operands.
    if (!FAULT(p, 21)) ptx::named_barrier_sync(CONSUMERS, S::WGS * 128);
    if (DELAY(p, DELAY_PART) && (part > 0 || !last)) ptx::pause_us(50);
    leave_part<S>(acc, ring);
    if (!FAULT(p, 20)) ptx::cluster_sync();
    if (FAULT(p, 18) && p.deep > 1 && !last && threadIdx.x % 128 == 0)
        ptx::store_release(deep_parcel<S>(p, cluster, rank, wg).flag, 1);
    const int32_t first = S::REGS / 4 * part / p.split, end = S::REGS / 4 * (part + 1) / p.split;
    if (p.split > 2)
        gather<S, 1>(ring, with, first, end, p.split);
    else
        gather<S, (AT_ONCE<S> + 1) / 2>(ring, with, first, end, p.split);
    // What this thread reads of others has come; nobody leaves while its part may still be read.
    ptx::cluster_arrive_relaxed();
    finish_share<S>(p, ring, cluster, rank, first, end, wg, last, at, watch);
    ptx::cluster_wait();
    forget(acc);
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
PTX_FN void store_part(const typename S::acc_t (&acc)[S::REGS], const parcel<S> &to)
{
#pragma unroll
    for (int i = 0; i < S::REGS / 4; i++) {
        uint32_t x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) memcpy(&x[j], &acc[i * 4 + j], 4);
        ptx::store_global_128(to.data + i * 128 * 16, x[0], x[1], x[2], x[3]);
    }
}

template <class S>
PTX_FN void send_part(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                      int32_t cluster, uint32_t rank, int32_t wg)
{
    const parcel<S> to(p, cluster, rank, wg);
    if (FAULT(p, 18) && threadIdx.x % 128 == 0) ptx::store_release(to.flag, 1);
    if (DELAY(p, DELAY_PART)) ptx::pause_us(50);
    store_part<S>(acc, to);
    ptx::named_barrier_sync(1 + wg, 128);
    if (threadIdx.x % 128 == 0) ptx::store_release(to.flag, 1);
}

template <class S>
PTX_FN void add_to(typename S::acc_t (&acc)[S::REGS], int quad, const uint32_t (&x)[4])
{
#pragma unroll
    for (int j = 0; j < 4; j++) {
        typename S::acc_t y;
        memcpy(&y, &x[j], 4);
        acc[quad * 4 + j] += y;
    }
}

// Parts, one after the other, `step` bytes apart, added as they come: a part's last quads are added
// under the loads of the next one's first.
template <class S>
PTX_FN void add_parts_ahead(typename S::acc_t (&acc)[S::REGS], uint64_t from, uint32_t step,
                            int32_t parts)
{
    constexpr int QUADS = S::REGS / 4, DEPTH = QUADS < 8 ? QUADS : 8;
    constexpr int ROUND = (QUADS + DEPTH - 1) / DEPTH * DEPTH; // so that a quad's place is constant
    uint32_t x[DEPTH][4];
#pragma unroll
    for (int i = 0; i < DEPTH; i++) ptx::load_global_128(from + i * 2048, x[i]);
#pragma unroll 1
    for (; parts > 0; parts--, from += step)
#pragma unroll
        for (int i = 0; i < ROUND; i++) {
            const int next = i + DEPTH;
            if (i < QUADS) add_to<S>(acc, i, x[i % DEPTH]);
            if (next < QUADS)
                ptx::load_global_128(from + next * 2048, x[i % DEPTH]);
            else if (next >= ROUND && next - ROUND < QUADS && parts > 1)
                ptx::load_global_128(from + step + (next - ROUND) * 2048, x[i % DEPTH]);
        }
}

// Beside wide sums and an epilogue's there are too few registers for that, with four warpgroups
// beside any.
template <class S>
constexpr bool ADDS_AHEAD = !S::EPILOGUE && !S::QUICK &&
                            S::REGS <= (S::WGS > 3   ? 0
                                        : S::WGS > 2 ? 88
                                                     : 96);

template <class S>
PTX_FN void add_parts(typename S::acc_t (&acc)[S::REGS], uint64_t from, uint32_t step,
                      int32_t parts)
{
    if constexpr (ADDS_AHEAD<S>) {
        add_parts_ahead<S>(acc, from, step, parts);
    } else {
#pragma unroll 1
        for (; parts > 0; parts--, from += step)
#pragma unroll
            for (int i = 0; i < S::REGS / 4; i++) {
                uint32_t x[4];
                ptx::load_global_128(from + i * 2048, x);
                add_to<S>(acc, i, x);
            }
    }
}

// The clusters below this one that share its tile of the stream.
struct sharers_below {
    int32_t lowest, step, count;

    PTX_FN sharers_below(const gemm_params &p, int32_t index, int32_t cluster)
    {
        step = p.deep > 1 ? p.stream_tiles : 1;
        lowest = p.deep > 1 ? index : cluster;
        if (p.deep == 1)
#pragma unroll 1
            while (stream_begin(p, lowest) > index * p.k_blocks) lowest--;
        count = p.deep > 1 ? p.deep - 1 : cluster - lowest;
    }
};

// Adds the parts of every lower cluster that shares the tile, lowest first. A thread looks after
// each flag: one after the other they would cost more than the parts. It clears what it has
// acquired itself, and nobody sets it again before this launch has ended, so that no fence is
// needed.
template <class S>
PTX_FN void collect_parts(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, int32_t index,
                          int32_t cluster, uint32_t rank, int32_t wg, const ptx::watch &watch)
{
    const sharers_below others(p, index, cluster);
    const parcel<S> from(p, others.lowest, rank, wg);
    const uint32_t step = others.step * p.cluster_m * p.cluster_n * S::WGS; // in warpgroups' parts
#pragma unroll 1
    for (int32_t i = this_thread() % 128; i < others.count; i += 128)
        if (!FAULT(p, 17))
            ptx::flag_wait(from.flag + i * step * 4, watch, GEMM_PART,
                           others.lowest + i * others.step);
    ptx::named_barrier_sync(1 + wg, 128);
    add_parts<S>(acc, from.data, step * (64 * S::BN * 4), others.count);
#pragma unroll 1
    for (int32_t i = this_thread() % 128; i < others.count; i += 128)
        if (!FAULT(p, 19)) ptx::store_global_32(from.flag + i * step * 4, 0);
}
