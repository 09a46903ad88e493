// Rows of D in 4 bytes, the straight way: by panels of shared memory, or from registers.
#pragma once

#include "kernels/gemm/output.cuh"

// This thread's warp and lane. The empty statement keeps what is computed from them inside the tile
// loop: hoisted out of it, the addresses of every group would fill the registers.
struct fragment {
    uint32_t lane, warp;

    PTX_FN fragment()
    {
        lane = threadIdx.x % 32;
        asm volatile("" : "+r"(lane));
        warp = threadIdx.x / 32 % 4;
    }
};

PTX_FN float as_float(float x)
{
    return x;
}
PTX_FN float as_float(int32_t x)
{
    return __int_as_float(x);
}

template <class T> PTX_FN uint32_t scaled(T x, T alpha)
{
    return __float_as_uint(as_float(x * alpha));
}

// Where a lane's first 8 bytes go: as in stage_32.
PTX_FN uint32_t wide_offset()
{
    const fragment f;
    const uint32_t row = f.warp * 16 + f.lane / 4;
    return row * 128 + ((f.lane % 4 / 2) ^ (row & 7)) * 16 + f.lane % 2 * 8;
}

// alpha is always multiplied by, so that the sums' registers are not read by stores that last.
template <int REGS, int SPAN, class T>
PTX_FN void stage_plain_wide(const T *x, T alpha, uint32_t panels, uint32_t offset)
{
#pragma unroll
    for (int i = 0; i < REGS; i += 2) // two chunks further on, under the swizzle; 8 rows down
        ptx::store_shared_64(panels + i / 16 * SPAN + (offset ^ i / 4 % 4 * 32) + (i & 2) * 512,
                             scaled(x[i], alpha), scaled(x[i + 1], alpha));
}

// From registers, without panels: a sector of 32 bytes of each of 8 rows at a time. It takes longer
// than the panels do, but nothing of shared memory, in which the multiplies read.
template <class S>
PTX_FN void store_registers(const typename S::acc_t (&acc)[S::REGS], const gemm_params &p,
                            const place &at)
{
    const fragment f;
    const int32_t row = at.row + f.warp * 16 + f.lane / 4, col = at.col + f.lane % 4 * 2;
    const uint64_t d =
        (uint64_t)p.d_address + at.batch * p.d_batch_bytes + row * p.d_row_bytes + (int64_t)col * 4;
    const typename S::acc_t alpha = (typename S::acc_t)p.alpha;
#pragma unroll
    for (int i = 0; i < S::REGS; i += 2) {
        const int32_t right = i / 4 * 8, down = (i & 2) * 4;
        if (col + right < p.n && row + down < p.m)
            ptx::store_global_64(d + down * p.d_row_bytes + right * 4, scaled(acc[i], alpha),
                                 scaled(acc[i + 1], alpha));
    }
}
