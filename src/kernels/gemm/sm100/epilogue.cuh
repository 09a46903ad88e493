// From tensor memory to D: 128 bytes of every row at a time are read, scaled, added to C,
// converted, laid out in a 128-byte-swizzled panel of shared memory, and stored by the copy engine.
// Four warps; thread t has row t of the block's 128, in lane t of tensor memory (PTX ISA,
// tcgen05.ld .32x32b).
#pragma once

#include "layout.cuh"
#include "kernels/gemm/output.cuh"
#include "kernels/gemm/walk.cuh"

template <class S>
PTX_FN place place_of(const gemm_params &p, const cluster_place<S> &at, int32_t index)
{
    const tile t = tile_of(p, index);
    return {(t.m * p.cluster_m + (int32_t)at.row) * S::TILE_M + (int32_t)at.half * S::BM,
            (t.n * p.cluster_n + (int32_t)at.col) * S::D_COLUMNS, t.batch};
}

// What the epilogue's warps know of themselves: the row, and barrier 1 for the 128 of them.
struct storer {
    uint32_t row, warp;

    PTX_FN storer() : row(threadIdx.x % 128), warp(threadIdx.x / 32 % 4) {}
    PTX_FN void meet() const { ptx::named_barrier_sync(1, 128); }
    PTX_FN bool speaks() const { return row == 0; }
};

// N columns of this thread's row, as floats' bits, integers as integers': v := alpha v.
template <class S, int N> PTX_FN void scale(uint32_t (&v)[N], const gemm_params &p)
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        if constexpr (S::INTEGERS)
            v[i] = p.out == GEMM_OUT_S32 ? (int32_t)v[i] * (int32_t)p.alpha
                                         : __float_as_uint(p.alpha * (float)(int32_t)v[i]);
        else
            v[i] = __float_as_uint(p.alpha * __uint_as_float(v[i]));
    }
}

// v := v + beta C, inside D only.
template <int N, class BETA>
PTX_FN void add_c(uint32_t (&v)[N], const gemm_params &p, const BETA &beta, int32_t row,
                  int32_t col, int32_t batch)
{
    const c_reader c(p.out);
    const int32_t bytes = c.wide ? 4 : 2;
    const uint64_t at =
        (uint64_t)p.c + (batch * p.c_batch_stride + row * p.c_row_stride + col) * bytes;
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = __float_as_uint(
            c.add(__uint_as_float(v[i]), c.load(at + i * bytes, row < p.m && col + i < p.n), beta));
}

// N columns of a row, from `col` of the panel on, into its 128 bytes: chunks of 16.
template <int N>
PTX_FN void stage(const uint32_t (&v)[N], uint32_t panel, uint32_t row, int32_t col, int32_t out)
{
    const uint32_t line = panel + row * 128;
    if (out >= GEMM_OUT_F32) {
#pragma unroll
        for (int q = 0; q < N; q += 4)
            ptx::store_shared_128(line + ((((col + q) / 4) ^ (row & 7)) * 16), v[q], v[q + 1],
                                  v[q + 2], v[q + 3]);
        return;
    }
#pragma unroll
    for (int q = 0; q < N; q += 8) {
        uint32_t x[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = pack_16(__uint_as_float(v[q + i * 2]), __uint_as_float(v[q + i * 2 + 1]), out);
        ptx::store_shared_128(line + ((((col + q) / 8) ^ (row & 7)) * 16), x[0], x[1], x[2], x[3]);
    }
}

// The same columns to D element by element, inside D only: where a row ends inside 16 bytes.
template <int N>
PTX_FN void store_elements(const uint32_t (&v)[N], const gemm_params &p, int32_t row, int32_t col,
                           int32_t batch)
{
    const int32_t bytes = p.out >= GEMM_OUT_F32 ? 4 : 2;
    uint8_t *to = (uint8_t *)p.d_address + batch * p.d_batch_bytes + row * p.d_row_bytes +
                  (int64_t)col * bytes;
    if (row >= p.m) return;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (col + i >= p.n) break;
        if (bytes == 4)
            ((uint32_t *)to)[i] = v[i];
        else
            ((uint16_t *)to)[i] = (uint16_t)pack_16(__uint_as_float(v[i]), 0, p.out);
    }
}

// A part of a tile's sum on its way to the block that finishes it (schedule.cuh): through L2, four
// columns of all rows after four, one slot and one flag a block.
template <class S> struct parcel {
    uint64_t data, flag;

    PTX_FN parcel(const gemm_params &p, int32_t block, uint32_t row)
    {
        data = p.parts + (uint64_t)block * (S::BM * S::BN * 4) + row * 16;
        flag = p.flags + block * 4;
    }
    template <int N> PTX_FN void put(const uint32_t (&v)[N], int32_t col) const
    {
#pragma unroll
        for (int q = 0; q < N; q += 4)
            ptx::store_global_128(data + (col + q) / 4 * (S::BM * 16), v[q], v[q + 1], v[q + 2],
                                  v[q + 3]);
    }
    template <int N> PTX_FN void add_to(uint32_t (&v)[N], int32_t col) const
    {
#pragma unroll
        for (int q = 0; q < N; q += 4) {
            uint32_t x[4];
            ptx::load_global_128(data + (col + q) / 4 * (S::BM * 16), x);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                uint32_t &to = v[q + i];
                to = S::INTEGERS ? to + x[i]
                                 : __float_as_uint(__uint_as_float(to) + __uint_as_float(x[i]));
            }
        }
    }
};

// In compose.cuh: a tile whose sums go through steps.
template <class S> struct epilogue;
template <class S>
PTX_FN void finish_tile(epilogue<S> &x, const place &d, int32_t width, int32_t lowest,
                        int32_t cluster);

// One block's epilogue. Its panels take turns: a store may still read the others. What belongs to
// one member of a group is in q.
template <class S> struct epilogue {
    const gemm_params &p;
    const shared_layout<S> &smem;
    const cluster_place<S> &at;
    const ptx::watch &watch;
    uint32_t columns;
    storer me;
    buffer_position<S::BUFFERS> acc;
    int32_t panel;

    PTX_FN epilogue(const gemm_params &p, const shared_layout<S> &smem, const cluster_place<S> &at,
                    uint32_t columns, const ptx::watch &watch)
        : p(p), smem(smem), at(at), watch(watch), columns(columns), panel(0)
    {
    }
    // N columns of this thread's row of the sums.
    template <int N> PTX_FN void fetch(uint32_t (&v)[N], int32_t col) const
    {
        const uint32_t warp = FAULT(p, 55) ? me.warp ^ 1 : me.warp;
        const uint32_t from = columns + acc.buffer * S::BN + col + (warp * 32 << 16);
        if constexpr (N == 32)
            ptx::tensor_load_32(v, from);
        else
            ptx::tensor_load_8(v, from);
        if (!FAULT(p, 42)) ptx::tensor_load_wait(v);
    }
    PTX_FN void await_sums() const
    {
        if (!FAULT(p, 35))
            ptx::mbarrier_wait_often(smem.summed(acc.buffer), acc.parity, watch, GEMM_TURN,
                                     acc.buffer);
        if (!FAULT(p, 36)) ptx::tensor_fence_after();
    }
    // The multiplying thread may use the accumulator again.
    PTX_FN void release()
    {
        if (!FAULT(p, 43)) tell_read();
        acc.advance();
    }
    PTX_FN void tell_read() const
    {
        if (!FAULT(p, 37)) ptx::tensor_fence_before();
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            const uint32_t bar = smem.read(acc.buffer);
            if (S::CTAS == 1 || (FAULT(p, 38) && at.half))
                ptx::mbarrier_arrive(bar);
            else
                ptx::mbarrier_arrive_cluster(ptx::map_to_rank(bar, at.rank & ~1u));
        }
    }
    PTX_FN int32_t block_of(int32_t cluster) const
    {
        return cluster * p.cluster_m * p.cluster_n * S::CTAS + at.rank;
    }
    PTX_FN void send_part(int32_t cluster)
    {
        const parcel<S> to(p, block_of(cluster), me.row);
        if (FAULT(p, 18) && me.speaks()) ptx::store_release(to.flag, 1);
#pragma unroll 1
        for (int32_t col = 0; col < S::BN; col += 32) {
            uint32_t v[32];
            fetch(v, col);
            to.put(v, col);
        }
        release();
        __threadfence();
        me.meet();
        if (me.speaks()) ptx::store_release(to.flag, 1);
    }
    // The lowest cluster that shares the tile, all of whose parts are there.
    PTX_FN int32_t await_parts(int32_t index, int32_t cluster) const
    {
        int32_t lowest = cluster;
        while (stream_begin(p, lowest) > index * p.k_blocks) lowest--;
        for (int32_t c = lowest; c < cluster; c++)
            if (me.speaks() && !FAULT(p, 17))
                ptx::flag_wait(parcel<S>(p, block_of(c), 0).flag, watch, GEMM_PART, c);
        me.meet();
        return lowest;
    }
    // `width` columns of the tile from `col` on into a panel, the straight way.
    PTX_FN void stage_plain(uint32_t to, int32_t col, int32_t width) const
    {
#pragma unroll 1
        for (int32_t i = 0; i < width; i += 32) {
            uint32_t v[32];
            fetch(v, col + i);
            scale<S>(v, p);
            stage(v, to, me.row, i, p.out);
        }
    }
    // The same with the parts of clusters `lowest` to `cluster` - 1 and with C added, into a panel
    // or past it: eight columns at a time, since all the rest is seldom.
    PTX_FN void stage_any(const gemm_params &q, uint32_t to, const place &d, int32_t col,
                          int32_t width, bool by_elements, int32_t lowest, int32_t cluster) const
    {
#pragma unroll 1
        for (int32_t i = 0; i < width; i += 8) {
            const int32_t row = d.row + me.row, at = d.col + col + i;
            uint32_t v[8];
            fetch(v, col + i);
#pragma unroll 1
            for (int32_t c = lowest; c < cluster; c++)
                parcel<S>(p, block_of(c), me.row).add_to(v, col + i);
            scale<S>(v, p);
            if (p.beta != 0.0f) add_c(v, q, own_beta{q}, row, at, d.batch);
            if (by_elements)
                store_elements(v, q, row, at, d.batch);
            else
                stage(v, to, me.row, i, p.out);
        }
    }
    // The same sums with the others' parts, as numbers.
    template <int N>
    PTX_FN void sum(float (&v)[N], int32_t col, int32_t lowest, int32_t cluster) const
    {
        uint32_t bits[N];
        fetch(bits, col);
#pragma unroll 1
        for (int32_t c = lowest; c < cluster; c++)
            parcel<S>(p, block_of(c), me.row).add_to(bits, col);
#pragma unroll
        for (int i = 0; i < N; i++) v[i] = __uint_as_float(bits[i]);
    }
    PTX_FN int32_t next_panel(int32_t i) const
    {
        return i + 1 == p.panels ? 0 : i + 1;
    }
    // Where a second output's columns are staged beside D's.
    PTX_FN uint32_t panel_after() const
    {
        return smem.panel(FAULT(p, 172) ? panel : next_panel(panel));
    }
    // The oldest store but the last few has read its panel; two: of two outputs.
    PTX_FN void await_panel(bool two = false) const
    {
        if (me.speaks() && !FAULT(p, 8)) {
            if (p.panels > (two && !FAULT(p, 171) ? 3 : 1))
                ptx::bulk_wait_read<1>();
            else
                ptx::bulk_wait_read<0>();
        }
        if (!FAULT(p, 114)) me.meet();
    }
    PTX_FN void store_panel(const gemm_params &q, const place &d, int32_t col,
                            const gemm_map *second = nullptr)
    {
        if (!FAULT(p, 1)) ptx::fence_proxy_async();
        if (!FAULT(p, 113)) me.meet();
        if (me.speaks()) {
            const int32_t c[3] = {d.col + col, d.row, d.batch};
            ptx::tma_store_3d_hint(&q.d, smem.panel(panel), c, p.store_policy);
            if (second) ptx::tma_store_3d_hint(second, panel_after(), c, p.store_policy);
            ptx::bulk_commit();
        }
        if (second) panel = next_panel(panel);
        panel = next_panel(panel);
    }
    // The tile panel by panel, of so many columns each.
    PTX_FN void store_columns(const gemm_params &q, const place &d, int32_t width, int32_t lowest,
                              int32_t cluster)
    {
        const int32_t end = min(S::BN, q.n - d.col);
#pragma unroll 1
        for (int32_t col = 0; col < end; col += width) {
            const bool by_elements = q.ragged && col + width > end;
            const uint32_t to = smem.panel(panel);
            if (!by_elements) await_panel();
            if (p.beta == 0.0f && lowest == cluster && !by_elements)
                stage_plain(to, col, width);
            else
                stage_any(q, to, d, col, width, by_elements, lowest, cluster);
            if (!by_elements) store_panel(q, d, col);
        }
    }
    template <bool PARTS>
    PTX_FN void store_tile(const gemm_params &q, const work &w, int32_t cluster)
    {
        const place d = place_of<S>(q, at, w.index);
        const int32_t width = p.out >= GEMM_OUT_F32 ? 32 : 64;
        const int32_t lowest = PARTS && w.k_begin > 0 ? await_parts(w.index, cluster) : cluster;
        if constexpr (S::EPILOGUE)
            finish_tile(*this, d, width, lowest, cluster);
        else
            store_columns(q, d, width, lowest, cluster);
        release();
        for (int32_t c = lowest; c < cluster; c++)
            if (me.speaks() && !FAULT(p, 19))
                ptx::store_release(parcel<S>(p, block_of(c), 0).flag, 0);
    }
    template <class WALK> PTX_FN void run(WALK list, int32_t cluster)
    {
        work w;
#pragma unroll 1
        while (list.take(p, w)) {
            await_sums();
            if (FAULT(p, 43)) tell_read();
            const gemm_params &q = FAULT(p, 64) ? member_of(p, 0) : list.of(p);
            if (list.is_new() && me.speaks()) ptx::tensormap_acquire(&q.d);
            if (WALK::PARTS && w.k_end < p.k_blocks)
                send_part(cluster);
            else
                store_tile<WALK::PARTS>(q, w, cluster);
        }
        if (me.speaks() && !FAULT(p, 39)) ptx::bulk_wait_read<0>();
    }
};
