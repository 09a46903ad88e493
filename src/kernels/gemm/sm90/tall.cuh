// The tall tile, 192 x 256 by three consumers: 22 % fewer bytes an operation than 128 x 256. Beside
// 3 * 128 sums a thread there are no registers for a producer (a scheduler of the SM has 512 a
// lane: 3 * 168, and the multiply alone wants 154 of the launch's own count), so one thread of the
// first consumer loads between its multiplies. What it must remember, and every warp's place in the
// work, lie in shared memory meanwhile.
#pragma once

#include "kernel.cuh"

// A small struct to shared memory and back, the same one by every lane of a warp.
template <class T> PTX_FN void store_shared(uint32_t addr, const T &x)
{
    uint32_t word[(sizeof x + 3) / 4];
    memcpy(word, &x, sizeof x);
#pragma unroll
    for (int i = 0; i < sizeof word / 4; i++) ptx::store_shared_32(addr + 4 * i, word[i]);
}
template <class T> PTX_FN T load_shared(uint32_t addr)
{
    T x;
    uint32_t word[(sizeof x + 3) / 4];
#pragma unroll
    for (int i = 0; i < sizeof word / 4; i++) word[i] = ptx::load_shared_32(addr + 4 * i);
    memcpy(&x, word, sizeof x);
    return x;
}

// What is still to be loaded: the cluster's work, k-block by k-block, and the slot that comes next.
// Operands are k-major; a block loads its piece of one that it shares.
template <class S> struct feeder {
    uint32_t row, col, masks;    // of A in the lower half, of B in the upper
    uint32_t a_offset, b_offset; // of the pieces, in a slot
    int32_t m, n, batch;
    worklist list;
    int32_t k, left; // the coordinate, and the k-blocks of this tile
    ring_position ring;

    PTX_FN feeder(const gemm_params &p)
        : list(p, gemm_place(p.turns, ptx::cluster_index())), left(0)
    {
        const cluster_place at(p);
        row = at.row;
        col = at.col;
        masks = at.a_mask | at.b_mask << 16;
        a_offset = at.col * (S::BM / p.cluster_n) * 128;
        b_offset = at.row * (S::BN / p.cluster_m) * 128;
    }
    PTX_FN bool take(const gemm_params &p)
    {
        work w;
        if (!list.take(p, w)) return false;
        const tile t = tile_of(p, w.index);
        m = (t.m * p.cluster_m + row) * S::BM;
        n = (t.n * p.cluster_n + col) * S::BN;
        begin_tile<S>(p, t.batch, m, n);
        m = load_inside<S>(p, m + a_offset / 128);
        n += b_offset / 128;
        batch = t.batch;
        k = w.k_begin * S::BK;
        left = w.k_end - w.k_begin;
        return true;
    }
    static PTX_FN void copy(const gemm_map &map, uint32_t dst, uint32_t bar, const int32_t (&c)[3],
                            int32_t sharers, uint32_t mask, uint64_t policy)
    {
        if (sharers > 1)
            ptx::tma_load_3d_multicast_hint(dst, &map, bar, c, mask, policy);
        else
            ptx::tma_load_3d_hint(dst, &map, bar, c, policy);
    }
    // One thread: the next k-block, as soon as its slot has been given back. How soon decides how
    // full the ring is, so everything is computed before the wait.
    PTX_FN void feed(const gemm_params &p, const shared_layout<S> &smem, const ptx::watch &watch)
    {
        if (left == 0 && !take(p)) return;
        int32_t a[3] = {k, m, batch}, b[3] = {k, n, batch};
        uint32_t a_to = smem.a(ring.slot) + a_offset, b_to = smem.b(ring.slot) + b_offset;
        uint32_t share = masks, full = smem.full(ring.slot);
        const uint32_t parity = ring.parity ^ 1, slot = ring.slot;
        k += S::BK;
        left--;
        ring.advance(p.stages);
        ptx::settle(a[0]), ptx::settle(a[1]), ptx::settle(a[2]), ptx::settle(b[1]),
            ptx::settle(share);
        ptx::settle(a_to), ptx::settle(b_to), ptx::settle(full);
        ptx::mbarrier_wait_often(full + 8, parity, watch, GEMM_EMPTY, slot);
        ptx::mbarrier_arrive_expect_tx(full, p.tx_bytes);
        copy(p.a, a_to, full, a, p.cluster_n, share & 0xffff, p.load_policy);
        copy(p.b, b_to, full, b, p.cluster_m, share >> 16, p.load_policy);
    }
};

// The feeder's memory, and who may touch it.
template <class S> PTX_FN feeder<S> *feeder_of(const shared_layout<S> &smem)
{
    static_assert(sizeof(feeder<S>) <= shared_layout<S>::FEEDER_BYTES, "notes() has that room");
    return (feeder<S> *)__cvta_shared_to_generic(smem.notes());
}
PTX_FN bool is_first_warp()
{
    return __shfl_sync(0xffffffff, threadIdx.x / 32, 0) == 0;
}
template <class S>
PTX_FN void refill(const gemm_params &p, const shared_layout<S> &smem, const ptx::watch &watch)
{
    if (!is_first_warp()) return;
    if (ptx::elect_one()) feeder_of(smem)->feed(p, smem, watch);
    __syncwarp();
}
template <class S>
PTX_FN void fill_ring(const gemm_params &p, const shared_layout<S> &smem, const ptx::watch &watch)
{
    if (!is_first_warp()) return;
    if (ptx::elect_one()) {
        *feeder_of(smem) = feeder<S>(p);
#pragma unroll 1
        for (int32_t i = 0; i < p.stages; i++) feeder_of(smem)->feed(p, smem, watch);
    }
    __syncwarp();
}

// As multiply() and finish(), with a refill after every slot given back.
template <class S>
PTX_FN void multiply_tall(float (&acc)[S::REGS], const gemm_params &p, const shared_layout<S> &smem,
                          uint32_t fillers, int32_t wg, int32_t k_blocks, ring_position &ring,
                          const ptx::watch &watch)
{
    const reader<S> from(p, smem, fillers, wg);
#pragma unroll 1
    for (int32_t k_block = 0; k_block < k_blocks; k_block++) {
        ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL, ring.slot);
        from.multiply(acc, ring.slot, k_block == 0);
        ptx::wgmma_wait<1>();
        if (k_block > 0) {
            release<S>(p, smem, fillers, ring.before(p.stages));
            refill<S>(p, smem, watch);
        }
        ring.advance(p.stages);
    }
    ptx::wgmma_wait<0>();
    hold(acc);
    release<S>(p, smem, fillers, ring.before(p.stages));
    refill<S>(p, smem, watch);
}

// A warpgroup whose rows all lie outside D only gives the slots back: the tensor core's time and
// power go to the others.
template <class S>
PTX_FN void pass(const gemm_params &p, const shared_layout<S> &smem, uint32_t fillers,
                 int32_t k_blocks, ring_position &ring, const ptx::watch &watch)
{
#pragma unroll 1
    for (int32_t k_block = 0; k_block < k_blocks; k_block++) {
        ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL, ring.slot);
        release<S>(p, smem, fillers, ring.slot);
        refill<S>(p, smem, watch);
        ring.advance(p.stages);
    }
}

// What a warp has to do, out of the registers while it multiplies. A lane that is ahead must not
// write the next tile's where another has yet to read this one's.
struct agenda {
    int32_t cluster;
    worklist list;
    work w;
    place d;

    template <class S> PTX_FN void keep(const shared_layout<S> &smem) const
    {
        __syncwarp();
        store_shared(smem.agenda(this_thread() / 32), *this);
        __syncwarp();
    }
    template <class S> PTX_FN void recall(const shared_layout<S> &smem)
    {
        *this = load_shared<agenda>(smem.agenda(this_thread() / 32));
    }
};

template <class S>
PTX_FN void consume_tall(const gemm_params &p, const shared_layout<S> &smem,
                         const ptx::watch &watch)
{
    const cluster_place here(p);
    const uint32_t fillers = here.fillers();
    ring_position ring;
    float acc[S::REGS];
    agenda todo;
    todo.cluster = gemm_place(p.turns, ptx::cluster_index());
    todo.list = worklist(p, todo.cluster);
#pragma unroll 1
    while (todo.list.take(p, todo.w)) {
        const int32_t wg = this_thread() / 128, count = todo.w.k_end - todo.w.k_begin;
        todo.d = place_of<S>(p, todo.w, wg);
        todo.keep<S>(smem);
        if (todo.d.row >= p.m || todo.d.col >= p.n) {
            pass<S>(p, smem, fillers, count, ring, watch);
        } else {
            multiply_tall<S>(acc, p, smem, fillers, wg, count, ring, watch);
            todo.recall<S>(smem);
            shared_layout<S> there = smem; // worked out here: kept, it would be a register too many
            ptx::settle(there.base);
            const int32_t wg = this_thread() / 128;
            if (p.plain && count == p.k_blocks)
                store_plain<S>(acc, p, there.staging(wg), wg, todo.d);
            else
                deliver<S>(acc, p, there, todo.cluster, wg, todo.w, todo.d, watch);
        }
        todo.recall<S>(smem);
    }
}

template <class S> PTX_FN void gemm_tall(const gemm_params &p)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const shared_layout<S> smem = {ptx::smem_addr(dynamic_smem), p.stages, p.panels, p.own_panels};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    prepare<S>(p, smem, p.cluster_m * p.cluster_n, watch);
    fill_ring<S>(p, smem, watch);
    consume_tall<S>(p, smem, watch);
    if (is_first_warp() && ptx::elect_one()) drain<S>(p, smem, feeder_of(smem)->ring, watch);
    if (threadIdx.x % 128 == 0) ptx::bulk_wait_read<0>();
}
