// D of 8 bits (e4m3, e5m2): what lies in the panels and how it leaves them. A group's 64 columns
// are 64 bytes, so a panel's rows are of 64 bytes and swizzled by 64 (D's map says the same), and
// the rest of the kernel takes D for one of 16 bits: as many panels, the same coordinates.
#pragma once

#include "epilogue.cuh"

// A thread's two neighbours of every eight columns. A warp's are in distinct banks.
template <int REGS>
PTX_FN void stage_narrow(const float *x, uint32_t panel, int32_t type, bool exchanged)
{
    const fragment f;
    const uint32_t row = f.warp * 16 + f.lane / 4;
#pragma unroll
    for (int i = 0; i < REGS; i += 4) {
        const uint32_t to = panel + narrow_offset(row, i * 2 + f.lane % 4 * 2);
        const float left = exchanged ? x[i + 1] : x[i], right = exchanged ? x[i] : x[i + 1];
        ptx::store_shared_16(to, pack_8(left, right, type));
        ptx::store_shared_16(to + 512, pack_8(x[i + 2], x[i + 3], type)); // row + 8
    }
}

// The same where a panel's rows are D's columns.
template <int REGS>
PTX_FN void stage_narrow_transposed(const float *x, uint32_t panel, int32_t type)
{
    const fragment f;
#pragma unroll
    for (int i = 0; i < REGS; i++) {
        const uint32_t row = i / 4 * 8 + f.lane % 4 * 2 + (i & 1);
        const uint32_t to = panel + narrow_offset(row, f.warp * 16 + f.lane / 4 + (i & 2) * 4);
        ptx::store_shared_8(to, pack_8(x[i], 0, type));
    }
}

// As drain_chunk().
PTX_FN void drain_narrow(uint32_t from, uint8_t *to, int32_t left)
{
    uint32_t x[4];
    ptx::load_shared_128(from, x);
    if (left >= 16) {
        ptx::store_global_128((uint64_t)to, x[0], x[1], x[2], x[3]);
        return;
    }
#pragma unroll
    for (int i = 0; i < 15; i++)
        if (i < left) to[i] = (uint8_t)(x[i / 4] >> i % 4 * 8);
}

// As copy_panels(): a group that D's rows end in; 64 columns are 4 chunks.
PTX_FN void copy_narrow(const gemm_params &p, uint32_t panel, int32_t inner, int32_t outer,
                        int32_t width, int32_t height, int32_t batch)
{
    width = min(width, (p.transposed ? p.m : p.n) - inner);
    height = min(height, (p.transposed ? p.n : p.m) - outer);
    uint8_t *d = (uint8_t *)p.d_address + batch * p.d_batch_bytes + inner;
#pragma unroll 1
    for (int32_t e = threadIdx.x % 128; e < 4 * height; e += 128) {
        const int32_t i = e % 4 * 16, row = e / 4;
        if (i < width)
            drain_narrow(panel + narrow_offset(row, i), d + (outer + row) * p.d_row_bytes + i,
                         width - i);
    }
}

// Groups first to end - 1 of a tile, from as many panels.
template <class S>
PTX_FN void store_narrow_groups_at(const gemm_params &p, uint32_t panels, const place &at,
                                   int32_t first, int32_t end)
{
    static_assert(S::BN % 16 == 0, "a row's chunks of 16 bytes begin at multiples of 16");
    const bool columns = S::WRITES_COLUMNS && p.transposed;
    const int32_t last = columns ? p.m : p.n;
    if (!p.ragged || (columns ? at.row : at.col + (end - 1) * 64) + 64 <= last) {
        if (threadIdx.x % 128 == 0) store_groups_at<S>(p, panels, at, first, end);
        return;
    }
#pragma unroll 1
    for (int32_t g = first; g < end; g++, panels += S::SPAN) {
        const int32_t col = at.col + g * 64, left = min(S::BN - g * 64, 64);
        copy_narrow(p, panels, columns ? at.row : col, columns ? col : at.row, columns ? 64 : left,
                    columns ? left : 64, at.batch);
    }
}

template <class S, bool COLUMNS, int G = 0>
PTX_FN void store_narrow_groups(const float (&acc)[S::REGS], const gemm_params &p, int32_t type,
                                uint32_t staging, int32_t wg, const place &at, int32_t slot = 0)
{
    constexpr bool LAST = (G + 1) * 64 >= S::BN;
    constexpr int REGS = group<S, G>::REGS;
    if (slot == 0) await_panels(p, wg);
    if (COLUMNS)
        stage_narrow_transposed<REGS>(acc + G * 32, staging + slot * S::SPAN, type);
    else
        stage_narrow<REGS>(acc + G * 32, staging + slot * S::SPAN, type, FAULT(p, 103));
    slot++;
    if (LAST || slot == p.panels) {
        publish_panel(p, wg);
        if (!p.hand) store_narrow_groups_at<S>(p, staging, at, G + 1 - slot, G + 1);
        slot = 0;
    }
    if constexpr (!LAST)
        store_narrow_groups<S, COLUMNS, G + 1>(acc, p, type, staging, wg, at, slot);
}

// By rows, as store_at_once(). TYPE: asked before, since each conversion would be two.
template <class S, int TYPE, int G = 0>
PTX_FN void stage_all_narrow(const float (&acc)[S::REGS], const gemm_params &p, uint32_t staging)
{
    stage_narrow<group<S, G>::REGS>(acc + G * 32, staging + G * S::SPAN, TYPE, FAULT(p, 103));
    if constexpr ((G + 1) * 64 < S::BN) stage_all_narrow<S, TYPE, G + 1>(acc, p, staging);
}

template <class S>
PTX_FN void store_narrow_at_once(const float (&acc)[S::REGS], const gemm_params &p, int32_t type,
                                 uint32_t staging, int32_t wg)
{
    ptx::named_barrier_sync(FREE + wg, PARTNERS);
    if (OFTEN(type == GEMM_OUT_E4M3))
        stage_all_narrow<S, GEMM_OUT_E4M3>(acc, p, staging);
    else
        stage_all_narrow<S, GEMM_OUT_E5M2>(acc, p, staging);
    if (!FAULT(p, 1)) ptx::fence_proxy_async();
    ptx::named_barrier_pass<PARTNERS>(READY + wg);
}

template <class S>
PTX_FN void store_narrow(const float (&acc)[S::REGS], const gemm_params &p, int32_t type,
                         uint32_t staging, int32_t wg, const place &at)
{
    if (S::WRITES_COLUMNS && p.transposed)
        store_narrow_groups<S, true>(acc, p, type, staging, wg, at);
    else
        store_narrow_groups<S, false>(acc, p, type, staging, wg, at);
}

// Eight columns of a split's share, straight to D: as store_quad().
PTX_FN void store_narrow_quad(const gemm_params &p, int32_t type, const float (&v)[4],
                              const place &at)
{
    uint8_t *d = (uint8_t *)p.d_address + at.batch * p.d_batch_bytes;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int32_t row = at.row + (i & 2) * 4, col = at.col + (i & 1);
        const int64_t to = p.transposed ? col * p.d_row_bytes + row : row * p.d_row_bytes + col;
        if (row < p.m && col < p.n) d[to] = (uint8_t)pack_8(v[i], 0, type);
    }
}
