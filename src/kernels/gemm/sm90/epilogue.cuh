// From the accumulators to D: scale, add C, convert, lay out in 128-byte-swizzled panels of shared
// memory, store them with the copy engine; 64 columns of the accumulators at a time.
//
// Thread t of a warpgroup (warp w = t / 32, lane l) holds rows 16 w + l / 4 and that + 8, columns
// 8 j + 2 (l % 4) and that + 1, as acc[4 j + 0..3] (PTX ISA, wgmma's D fragment).
#pragma once

#include "kernels/gemm/steps.cuh"
#include "apart.cuh"
#include "wide.cuh"

// Of a branch at a tile's end: the way that most tiles take lies straight, since what is jumped to
// is fetched only then.
#define OFTEN(condition) __builtin_expect(!!(condition), 1)

// Group G's columns, and its accumulators a thread; the last group may be narrower.
template <class S, int G> struct group {
    static constexpr int LEFT = S::BN - G * 64, COLUMNS = LEFT < 64 ? LEFT : 64, REGS = COLUMNS / 2;
};

// A tile as D has it: of a gate's, half of the columns.
template <class S> struct halved : S {
    static constexpr int BN = S::BN / 2, REGS = S::REGS / 2;
    static constexpr bool GATED = false, PARTIAL = BN > 64 && BN % 64 != 0;
};
template <class S, bool GATED = S::GATED> struct stored {
    using as = S;
};
template <class S> struct stored<S, true> {
    using as = halved<S>;
};

// v := v + beta C, element by element, inside D only.
template <int REGS, class BETA>
PTX_FN void add_c(float (&v)[REGS], const gemm_params &p, const BETA &beta, int32_t row,
                  int32_t col, int32_t batch)
{
    const c_reader c(p.out);
    const int32_t bytes = c.wide ? 4 : 2;
    const int64_t row_bytes = (p.transposed ? 1 : p.c_row_stride) * bytes;
    const int64_t col_bytes = (p.transposed ? p.c_row_stride : 1) * bytes;
    uint64_t at =
        (uint64_t)p.c + batch * p.c_batch_stride * bytes + row * row_bytes + col * col_bytes;
#pragma unroll
    for (int i = 0; i < REGS; i++) {
        const int32_t down = (i & 2) * 4, across = i & 1;
        const bool inside = row + down < p.m && col + across < p.n;
        v[i] = c.add(v[i], c.load(at + down * row_bytes + across * col_bytes, inside), beta);
        if (i % 4 == 3) {
            at += 8 * col_bytes;
            col += 8;
        }
    }
}

// Or the sums would keep their registers all along: a multiply reads them, if only to discard.
template <class T, int REGS> PTX_FN void forget(T (&acc)[REGS])
{
#pragma unroll
    for (int i = 0; i < REGS; i++) acc[i] = 0;
}

// acc := alpha acc in place, as a float's bits; a sum of integers stays one when D is of integers.
PTX_FN void scale(float &x, const gemm_params &p)
{
    x *= p.alpha;
}
PTX_FN void scale(int32_t &x, const gemm_params &p)
{
    x = p.out == GEMM_OUT_S32 ? x * (int32_t)p.alpha : __float_as_int(p.alpha * (float)x);
}

// In compose.cuh: the kernel's epilogue, where it has one.
template <class S> PTX_FN void compose_eight(float (&v)[4], const gemm_params &p, const place &at);
template <class S, int REGS>
PTX_FN void activate(float (&v)[REGS], const gemm_params &p, const place &at,
                     const float *d_scale = nullptr);
// In quick.cuh: what becomes of a tile's sums, or of eight columns of them.
template <class S, int REGS>
PTX_FN void enliven(float (&v)[REGS], const gemm_params &p, const place &tile);
// What a tile's end reads; of kernels without an epilogue, nothing.
template <class S, bool FINISHES = S::EPILOGUE> struct tile_operands {
};
template <class S>
PTX_FN void finish_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                        int32_t wg, const place &tile, tile_operands<S> &with);
template <class S>
PTX_FN void finish_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                        int32_t wg, const place &tile);

// Group G of alpha acc + beta C.
template <class S, int G>
PTX_FN void take(float (&v)[group<S, G>::REGS], const typename S::acc_t (&acc)[S::REGS],
                 const gemm_params &p, const place &at)
{
#pragma unroll
    for (int i = 0; i < group<S, G>::REGS; i++) v[i] = as_float(acc[G * 32 + i]);
    const fragment f;
    if (S::ADDS_C && !S::EPILOGUE && p.beta != 0.0f)
        add_c(v, p, own_beta{p}, at.row + f.warp * 16 + f.lane / 4,
              at.col + G * 64 + f.lane % 4 * 2, at.batch);
}

// --- into panels of 128 bytes by 64 rows: rows of D, or columns when D is transposed ---

template <int REGS> PTX_FN void stage_16(const float (&v)[REGS], uint32_t panel, int32_t out)
{
    const fragment f;
    const uint32_t row = f.warp * 16 + f.lane % 16, half = f.lane / 16;
#pragma unroll
    for (int q = 0; q < REGS / 8; q++) {
        const float *x = v + q * 8;
        const uint32_t chunk = (q * 2 + half) ^ (row & 7);
        ptx::stmatrix_x4(panel + row * 128 + chunk * 16, pack_16(x[0], x[1], out),
                         pack_16(x[2], x[3], out), pack_16(x[4], x[5], out),
                         pack_16(x[6], x[7], out));
    }
    if constexpr (REGS % 8) { // 8 columns are left
        const float *x = v + REGS - 4;
        ptx::stmatrix_x2(panel + row * 128 + ((REGS / 4 - 1) ^ (row & 7)) * 16,
                         pack_16(x[0], x[1], out), pack_16(x[2], x[3], out));
    }
}

// 32 columns a panel, so a group fills two.
template <int REGS, int SPAN> PTX_FN void stage_32(const float (&v)[REGS], uint32_t panels)
{
    const fragment f;
#pragma unroll
    for (int i = 0; i < REGS; i += 2) {
        const uint32_t row = f.warp * 16 + f.lane / 4 + (i & 2) * 4;
        const uint32_t chunk = (i / 4 % 4 * 2 + f.lane % 4 / 2) ^ (row & 7);
        ptx::store_shared_64(panels + i / 16 * SPAN + row * 128 + chunk * 16 + f.lane % 2 * 8,
                             __float_as_uint(v[i]), __float_as_uint(v[i + 1]));
    }
}

template <int REGS>
PTX_FN void stage_16_transposed(const float (&v)[REGS], uint32_t panel, int32_t out)
{
    const fragment f;
    const uint32_t column = f.lane / 16 * 8 + f.lane % 8, side = f.lane / 8 % 2;
#pragma unroll
    for (int q = 0; q < REGS / 8; q++) {
        const float *x = v + q * 8;
        const uint32_t row = q * 16 + column;
        const uint32_t chunk = (f.warp * 2 + side) ^ (row & 7);
        ptx::stmatrix_x4_trans(panel + row * 128 + chunk * 16, pack_16(x[0], x[1], out),
                               pack_16(x[2], x[3], out), pack_16(x[4], x[5], out),
                               pack_16(x[6], x[7], out));
    }
    if constexpr (REGS % 8) {
        const float *x = v + REGS - 4;
        const uint32_t row = REGS / 8 * 16 + column, chunk = (f.warp * 2 + side) ^ (row & 7);
        ptx::stmatrix_x2_trans(panel + row * 128 + chunk * 16, pack_16(x[0], x[1], out),
                               pack_16(x[2], x[3], out));
    }
}

// Warps 0 and 1 hold the first 32 of the 64 contiguous values and fill the first panel.
template <int REGS, int SPAN>
PTX_FN void stage_32_transposed(const float (&v)[REGS], uint32_t panels)
{
    const fragment f;
    const uint32_t panel = panels + f.warp / 2 * SPAN;
#pragma unroll
    for (int i = 0; i < REGS; i++) {
        const uint32_t row = i / 4 * 8 + f.lane % 4 * 2 + (i & 1);
        const uint32_t byte = (f.warp % 2 * 16 + f.lane / 4 + (i & 2) * 4) * 4;
        ptx::store_shared_32(panel + row * 128 + ((byte / 16) ^ (row & 7)) * 16 + byte % 16,
                             __float_as_uint(v[i]));
    }
}

// --- the order of a panel's life: reusable, written, fenced, stored ---

// The warpgroup's 128 threads meet; barrier 0 is the block's, CONSUMERS all warpgroups'. FREE and
// READY are between a warpgroup and the warp that stores for it, PARTNERS together.
enum { READY = 4, FREE = 6, CONSUMERS = 8, PARTNERS = 128 + 32 };
PTX_FN void meet(int32_t wg)
{
    ptx::named_barrier_sync(1 + wg, 128);
}

PTX_FN void await_panels(const gemm_params &p, int32_t wg)
{
    if (p.hand) {
        ptx::named_barrier_sync(FREE + wg, PARTNERS);
        return;
    }
    if (threadIdx.x % 128 == 0 && !FAULT(p, 8)) ptx::bulk_wait_read<0>();
    meet(wg);
}

PTX_FN void publish_panel(const gemm_params &p, int32_t wg)
{
    if (!FAULT(p, 1)) ptx::fence_proxy_async();
    if (p.hand)
        ptx::named_barrier_pass<PARTNERS>(READY + wg);
    else
        meet(wg);
}

// In patches.cuh, where D's rows are pixels of a patch.
template <class S>
PTX_FN void store_patch(const gemm_params &p, const gemm_map &d, uint32_t panel, bool two,
                        int32_t inner, int32_t row);

// One thread: group g of 64 columns, of 4 bytes two panels of 32. What a tile's last columns are
// less than a panel has a map of its own.
template <class S>
PTX_FN void store_panels(const gemm_params &p, uint32_t panel, const place &at, int32_t g)
{
    constexpr int LEFT = S::PARTIAL ? S::BN % 64 : group<S, 0>::COLUMNS;
    const bool wide = p.out >= GEMM_OUT_F32, columns = S::WRITES_COLUMNS && p.transposed;
    const bool last = S::PARTIAL && g == S::BN / 64;
    const bool halves = wide && !columns; // a panel is 32 columns, or else 64
    const bool two = wide && (columns || (last || !S::PARTIAL ? LEFT : 64) > 32);
    const gemm_map &whole = map_of_tile<S>(p, at.batch, at.col);
    const gemm_map &first = last && !(halves && LEFT >= 32) ? p.d_end : whole;
    const gemm_map &second = last ? p.d_end : whole;
    const int32_t col = at.col + g * 64;
    const int32_t inner = columns ? at.row : col, outer = columns ? col : at.row;
    if constexpr (S::SHIFTS > 1) {
        store_patch<S>(p, first, panel, two, inner, outer);
        return;
    }
    const int32_t batch = S::GROUPED ? 0 : at.batch; // of the map
    const int32_t c[3] = {inner, outer, batch}, next[3] = {inner + 32, outer, batch};
    if (DELAY(p, DELAY_STORES))
        for (int i = 0; i < 32; i++) ptx::tma_store_3d_hint(&first, panel, c, p.store_policy);
    ptx::tma_store_3d_hint(&first, panel, c, p.store_policy);
    if (two) ptx::tma_store_3d_hint(&second, panel + S::SPAN, next, p.store_policy);
}

// One 16-byte chunk of a panel to D: whole, or by its elements where D ends inside it.
PTX_FN void drain_chunk(const gemm_params &p, uint32_t from, uint8_t *to, int32_t left)
{
    const int32_t bytes = p.out >= GEMM_OUT_F32 ? 4 : 2;
    uint32_t x[4];
    ptx::load_shared_128(from, x);
    if (left * bytes >= 16) {
        ptx::store_global_128((uint64_t)to, x[0], x[1], x[2], x[3]);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        if (i >= left) break;
        if (bytes == 4 && i < 4) ((uint32_t *)to)[i] = x[i % 4];
        if (bytes == 2) ((uint16_t *)to)[i] = (uint16_t)(x[i / 2] >> i % 2 * 16);
    }
}

// Panels written without the copy engine, inside D only: 64 columns are 8 chunks of a panel, or 16
// of two.
template <int SPAN>
PTX_FN void copy_panels(const gemm_params &p, uint32_t panels, int32_t inner, int32_t outer,
                        int32_t width, int32_t height, int32_t batch)
{
    const int32_t bytes = p.out >= GEMM_OUT_F32 ? 4 : 2, chunks = 4 * bytes;
    width = min(width, (p.transposed ? p.m : p.n) - inner);
    height = min(height, (p.transposed ? p.n : p.m) - outer);
    uint8_t *d = (uint8_t *)p.d_address + batch * p.d_batch_bytes + inner * bytes;
#pragma unroll 1
    for (int32_t e = threadIdx.x % 128; e < chunks * height; e += 128) {
        const int32_t chunk = e % chunks, row = e / chunks, i = chunk * 16 / bytes;
        if (i < width)
            drain_chunk(p, panels + chunk / 8 * SPAN + row * 128 + ((chunk & 7) ^ (row & 7)) * 16,
                        d + (outer + row) * p.d_row_bytes + chunk * 16, width - i);
    }
}

// Stores of 32 rows to one bank, beyond what the block uses of its shared memory: what is written
// next queues up behind them.
PTX_FN void congest()
{
    extern __shared__ __align__(1024) uint8_t whole_smem[];
    const uint32_t at = ptx::smem_addr(whole_smem) + ptx::dynamic_smem_bytes() - 4096;
#pragma unroll 1
    for (int i = 0; i < 64; i++) ptx::store_shared_32(at + threadIdx.x % 32 * 128, threadIdx.x);
}

template <class S, int G>
PTX_FN void stage_group(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                        uint32_t panels, const place &at)
{
    constexpr int REGS = group<S, G>::REGS;
    float v[REGS];
    take<S, G>(v, acc, p, at);
    if (DELAY(p, DELAY_WRITES)) congest();
    const bool wide = p.out >= GEMM_OUT_F32;
    if (S::WRITES_COLUMNS && p.transposed) {
        if (wide)
            stage_32_transposed<REGS, S::SPAN>(v, panels);
        else
            stage_16_transposed(v, panels, p.out);
    } else if (wide)
        stage_32<REGS, S::SPAN>(v, panels);
    else
        stage_16(v, panels, p.out);
}

// All threads: group g, whose panels are written; (inner, outer) are its first elements of D.
template <class S>
PTX_FN void store_group_at(const gemm_params &p, uint32_t panels, const place &at, int32_t g)
{
    constexpr int COLUMNS = group<S, 0>::COLUMNS;
    const bool columns = S::WRITES_COLUMNS && p.transposed;
    const int32_t col = at.col + g * 64;
    const int32_t inner = columns ? at.row : col, outer = columns ? col : at.row;
    if (p.ragged && inner + 64 > (p.transposed ? p.m : p.n)) {
        copy_panels<S::SPAN>(p, panels, inner, outer, columns ? 64 : COLUMNS,
                             columns ? COLUMNS : 64, at.batch);
    } else if (threadIdx.x % 128 == 0) {
        store_panels<S>(p, panels, at, g);
        ptx::bulk_commit();
    }
}

// --- without the copy engine: each warp reads back what it wrote, and stores rows itself ---

// Which row and chunk of which panel a lane takes in round i; a warp's own are
//   rows:    its 16 rows, 8 chunks of each, panel by panel
//   columns: of every row the 2 chunks (32-bit: 4 of one panel) that hold its 16 rows of the tile
template <class S, int G>
PTX_FN void drain_group(const gemm_params &p, uint32_t panels, const place &at)
{
    constexpr int COLUMNS = group<S, G>::COLUMNS;
    const fragment f;
    const bool wide = p.out >= GEMM_OUT_F32, columns = S::WRITES_COLUMNS && p.transposed;
    const int32_t bytes = wide ? 4 : 2, per_chunk = 16 / bytes;
    const int32_t lanes = columns ? (wide ? 4 : 2) : 8; // of one row
    const int32_t rounds = columns ? (COLUMNS * lanes + 31) / 32 : (wide && COLUMNS > 32 ? 8 : 4);
    const int32_t inner = columns ? at.row : at.col + G * 64;
    const int32_t outer = columns ? at.col + G * 64 : at.row;
    const int32_t inner_end = columns ? p.m : min(p.n, inner + COLUMNS);
    const int32_t outer_end = columns ? min(p.n, outer + COLUMNS) : p.m;
    uint8_t *d = (uint8_t *)p.d_address + at.batch * p.d_batch_bytes;
#pragma unroll 4
    for (int32_t i = 0; i < rounds; i++) {
        const int32_t step = i * (32 / lanes) + f.lane / lanes;
        const int32_t row = columns ? step : f.warp * 16 + step % 16;
        const int32_t panel = columns ? (wide ? f.warp / 2 : 0) : step / 16;
        const int32_t first = columns ? (wide ? f.warp % 2 * 4 : f.warp * 2) : 0;
        const int32_t chunk = first + f.lane % lanes;
        const int32_t x = inner + panel * 32 + chunk * per_chunk, y = outer + row;
        if (x >= inner_end || y >= outer_end) continue;
        drain_chunk(p, panels + panel * S::SPAN + row * 128 + (chunk ^ (row & 7)) * 16,
                    d + y * p.d_row_bytes + (int64_t)x * bytes, inner_end - x);
    }
}

// Group by group, unrolled by recursion so that the accumulators keep their registers. A group
// takes one panel, or two of 32-bit elements. By the copy engine, as many groups as the panels hold
// (`batch`) are written, then stored; by the warps themselves, two panels take turns.
template <class S, int G = 0>
PTX_FN void store_groups(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                         uint32_t staging, uint32_t step, int32_t batch, int32_t wg,
                         const place &at, int32_t slot = 0)
{
    constexpr bool LAST = (G + 1) * 64 >= S::BN;
    const bool direct = S::STORES_ITSELF && p.direct;
    if (direct)
        __syncwarp();
    else if (slot == 0)
        await_panels(p, wg);
    stage_group<S, G>(acc, p, staging + slot * step, at);
    if (direct) {
        __syncwarp();
        drain_group<S, G>(p, staging + slot * step, at);
    } else if (LAST || slot == batch - 1) {
        publish_panel(p, wg);
        const int32_t stored = p.hand ? 0 : slot + 1;
#pragma unroll 1
        for (int32_t i = 0; i < stored; i++)
            store_group_at<S>(p, staging + i * step, at, G - slot + i);
    }
    slot = slot + 1 < batch ? slot + 1 : 0;
    if constexpr (!LAST) store_groups<S, G + 1>(acc, p, staging, step, batch, wg, at, slot);
}

// One thread: groups first to end - 1 from as many panels, a bulk group.
template <class S>
PTX_FN void store_groups_at(const gemm_params &p, uint32_t panels, const place &at, int32_t first,
                            int32_t end)
{
    const int32_t wide = p.out >= GEMM_OUT_F32;
#pragma unroll 1
    for (int32_t g = first; g < end; g++) {
        store_panels<S>(p, panels, at, g);
        panels += S::SPAN << wide;
    }
    ptx::bulk_commit();
}

// --- the straight way: no C, no element by itself ---
// A tile's end is code that has left the instruction cache since the last one: the way through all
// the checks above takes 300 to 600 clocks for 64 columns, this one 70 to 150 (docs/GEMM.md).

// Where a lane's first 16 bytes go: as in stage_16 and stage_16_transposed.
template <bool COLUMNS> PTX_FN uint32_t plain_offset()
{
    const fragment f;
    const uint32_t row = COLUMNS ? f.lane / 16 * 8 + f.lane % 8 : f.warp * 16 + f.lane % 16;
    const uint32_t chunk = COLUMNS ? f.warp * 2 + f.lane / 8 % 2 : f.lane / 16;
    return row * 128 + (chunk ^ (row & 7)) * 16;
}

template <int REGS, bool COLUMNS, int OUT, class T>
PTX_FN void stage_plain(const T *x, uint32_t panel, uint32_t offset)
{
#pragma unroll
    for (int q = 0; q < REGS / 8; q++) {
        uint32_t pair[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            pair[i] = pack_16(as_float(x[q * 8 + i * 2]), as_float(x[q * 8 + i * 2 + 1]), OUT);
        if (COLUMNS) // 16 rows of the panel further on
            ptx::stmatrix_x4_trans(panel + offset + q * 2048, pair[0], pair[1], pair[2], pair[3]);
        else // two chunks further on, under the swizzle
            ptx::stmatrix_x4(panel + (offset ^ q * 32), pair[0], pair[1], pair[2], pair[3]);
    }
    if constexpr (REGS % 8) { // 8 columns are left: the lanes that place the first 8 of 16
        const T *y = x + REGS - 4;
        const uint32_t left = pack_16(as_float(y[0]), as_float(y[1]), OUT);
        const uint32_t right = pack_16(as_float(y[2]), as_float(y[3]), OUT);
        if (COLUMNS)
            ptx::stmatrix_x2_trans(panel + offset + REGS / 8 * 2048, left, right);
        else
            ptx::stmatrix_x2(panel + (offset ^ REGS / 8 * 32), left, right);
    }
}

template <class S, bool COLUMNS, int OUT, int G = 0>
PTX_FN void store_plain_groups(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                               uint32_t staging, int32_t wg, const place &at, uint32_t offset,
                               int32_t slot = 0)
{
    constexpr bool LAST = (G + 1) * 64 >= S::BN;
    constexpr int REGS = group<S, G>::REGS, WIDE = OUT >= GEMM_OUT_F32;
    const uint32_t panels = staging + slot * (S::SPAN << WIDE);
    if (slot == 0) await_panels(p, wg);
    if (DELAY(p, DELAY_WRITES)) congest();
    if constexpr (WIDE)
        stage_plain_wide<REGS, S::SPAN>(acc + G * 32, (typename S::acc_t)p.alpha, panels, offset);
    else
        stage_plain<REGS, COLUMNS, OUT>(acc + G * 32, panels, offset);
    slot++;
    if (LAST || slot == p.panels >> WIDE) {
        publish_panel(p, wg);
        if (!p.hand && threadIdx.x % 128 == 0)
            store_groups_at<S>(p, staging, at, G + 1 - slot, G + 1);
        slot = 0;
    }
    if constexpr (!LAST)
        store_plain_groups<S, COLUMNS, OUT, G + 1>(acc, p, staging, wg, at, offset, slot);
}

// By the warp that stores, with panels for all of a tile: nothing to ask between two of them.
template <class S> PTX_FN bool stores_at_once(const gemm_params &p)
{
    return p.hand && p.panels >= (S::BN + 63) / 64;
}

template <class S, bool COLUMNS, int OUT, int G = 0>
PTX_FN void stage_all(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                      uint32_t staging, uint32_t offset)
{
    if (DELAY(p, DELAY_WRITES)) congest();
    stage_plain<group<S, G>::REGS, COLUMNS, OUT>(acc + G * 32, staging + G * S::SPAN, offset);
    if constexpr ((G + 1) * 64 < S::BN) stage_all<S, COLUMNS, OUT, G + 1>(acc, p, staging, offset);
}

template <class S, bool COLUMNS, int OUT>
PTX_FN void store_at_once(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                          uint32_t staging, int32_t wg)
{
    const uint32_t offset = plain_offset<COLUMNS>();
    ptx::named_barrier_sync(FREE + wg, PARTNERS);
    stage_all<S, COLUMNS, OUT>(acc, p, staging, offset);
    if (!FAULT(p, 1)) ptx::fence_proxy_async();
    ptx::named_barrier_pass<PARTNERS>(READY + wg);
}

template <class S, bool COLUMNS>
PTX_FN void store_plain_as(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                           uint32_t staging, int32_t wg, const place &at)
{
    if constexpr (S::QUICK && !S::PINGPONG) {
        if (OFTEN(stores_at_once<S>(p))) {
            if (p.out == GEMM_OUT_BF16)
                store_at_once<S, COLUMNS, GEMM_OUT_BF16>(acc, p, staging, wg);
            else
                store_at_once<S, COLUMNS, GEMM_OUT_F16>(acc, p, staging, wg);
            return;
        }
    }
    const uint32_t offset = plain_offset<COLUMNS>();
    if (p.out == GEMM_OUT_BF16)
        store_plain_groups<S, COLUMNS, GEMM_OUT_BF16>(acc, p, staging, wg, at, offset);
    else
        store_plain_groups<S, COLUMNS, GEMM_OUT_F16>(acc, p, staging, wg, at, offset);
}

// Whether alpha changes anything: sums of integers that become integers or floats, or others.
template <class S> PTX_FN bool wants_alpha(const gemm_params &p)
{
    return p.alpha != 1.0f || (S::KIND == GEMM_S8 && p.out != GEMM_OUT_S32);
}

// For whom p.plain is set: whole rows, no C, nobody else's part to add; 16 bits, or 32 where
// S::PLAIN_WIDE says so.
template <class S>
PTX_FN void store_plain(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                        int32_t wg, const place &at)
{
    if constexpr (S::PLAIN_WIDE < GEMM_OUTS && !S::EPILOGUE && !S::BLOCKS) {
        if (S::PINGPONG && p.plain == GEMM_FROM_REGISTERS) {
            store_registers<S>(acc, owner_of<S>(p, at.batch), at);
            return;
        }
        if (p.out == S::PLAIN_WIDE) {
            store_plain_groups<S, false, S::PLAIN_WIDE>(acc, p, staging, wg, at, wide_offset());
            return;
        }
    }
    if (!S::EPILOGUE && !S::QUICK && wants_alpha<S>(p)) {
#pragma unroll
        for (int i = 0; i < S::REGS; i++) scale(acc[i], p);
    }
    if (S::WRITES_COLUMNS && p.transposed)
        store_plain_as<S, true>(acc, p, staging, wg, at);
    else
        store_plain_as<S, false>(acc, p, staging, wg, at);
}

template <class S>
PTX_FN void store_tile(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, uint32_t staging,
                       int32_t wg, const place &at)
{
    const int32_t wide = p.out >= GEMM_OUT_F32;
    if (!S::EPILOGUE && wants_alpha<S>(p)) {
#pragma unroll
        for (int i = 0; i < S::REGS; i++) scale(acc[i], p);
    }
    store_groups<S>(acc, p, staging, S::SPAN << wide, p.panels >> wide, wg, at);
}
