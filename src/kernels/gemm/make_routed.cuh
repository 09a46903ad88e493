// The same for members whose sizes only the device knows: each cut out of a product's matrices, by
// what a router has left in device memory. Whatever it has left, no member goes beyond them.
#pragma once

#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/make_group.cuh"
#include "kernels/gemm/routing.h"

struct routed_member : gemm_member {
    int32_t first_k, end_k, first_row, rows; // rows: from its first one to the last of all
};

struct routed_members {
    const gemm_params &like;
    const gemm_routing &r;

    __device__ int32_t end(int32_t i) const
    {
        return i < 0 ? 0 : min(max(((const int32_t *)r.ends)[i], 0), r.total);
    }
    __device__ int32_t begin(int32_t i) const
    {
        return r.form == GEMM_FORM_PADDED ? 0 : end(i - 1);
    }

    __device__ bool a_mn() const { return r.a_mn; }
    __device__ bool b_mn() const { return r.b_mn; }
    __device__ int32_t end_k(const routed_member &x) const { return x.end_k; }
    // A tile's rows behind the member's may be the next one's: they become elements that are not
    // stored, and rows that the copy engine fills with zeros are slower (docs/GEMM.md).
    __device__ int32_t a_rows(const routed_member &x) const { return r.swapped ? x.m : x.rows; }
    __device__ int32_t b_rows(const routed_member &x) const { return r.swapped ? x.rows : x.n; }

    // A member of no rows has no tiles; one of no K has its tiles, whose only k-block is all zeros:
    // behind the end of the maps.
    __device__ gemm_member sizes(int32_t i) const
    {
        gemm_member x = r.first;
        if (FAULT(like, 104)) i = max(i - 1, 0);
        const int32_t count = max(end(i) - begin(i), 0);
        if (r.form != GEMM_FORM_K)
            (r.swapped ? x.n : x.m) = FAULT(like, 103) && count > 0 ? count + 1 : count;
        return x;
    }
    __device__ routed_member at(int32_t i) const
    {
        routed_member x;
        (gemm_member &)x = sizes(i);
        const int32_t from = begin(i);
        const int64_t step = FAULT(like, 106) ? 0 : i;
        x.first_k = 0, x.end_k = x.k, x.first_row = 0;
        x.rows = r.form == GEMM_FORM_K ? (r.swapped ? x.n : x.m) : r.total - from;
        x.a += step * r.a_step, x.b += step * r.b_step;
        x.c += step * r.c_step, x.d += step * r.d_step;
        if (r.form == GEMM_FORM_K)
            part_of_k(x, from, end(i));
        else
            move_rows(x, from);
        return x;
    }
    __device__ void part_of_k(routed_member &x, int32_t from, int32_t to) const
    {
        x.end_k = FAULT(like, 101) ? r.total : max(max(from, to), 1);
        x.first_k = to > from ? from : x.end_k;
        if (FAULT(like, 100)) x.first_k &= ~7; // to a multiple of 16 bytes
        const int32_t count = x.end_k - x.first_k / r.k_at_once * r.k_at_once;
        x.k = FAULT(like, 105) ? count : max(count, 1);
    }
    // Rows of the operand, of C and of D: at multiples of 16 bytes where their strides are.
    __device__ void move_rows(routed_member &x, int32_t from) const
    {
        const int64_t token = FAULT(like, 102) && from > 0 ? from - 1 : from;
        x.first_row = FAULT(like, 109) ? 0 : from;
        if (r.swapped)
            x.b += token * x.b_row_bytes;
        else
            x.a += token * x.a_row_bytes;
        x.c += (FAULT(like, 107) ? 0 : from) * x.c_row_stride * r.out_bytes;
        x.d += (FAULT(like, 108) && from > 0 ? from - 1 : from) * x.d_row_bytes;
    }
    __device__ void more(gemm_params &q, const routed_member &x, int32_t i) const
    {
        q.first_k = x.first_k;
        q.first_row = x.first_row;
        q.first_block = i * r.first_block_step;
        q.b_blocks += (FAULT(like, 110) ? 0 : i) * r.b_blocks_step;
    }
};

// One block a member.
#define GEMM_MAKE_ROUTED(NAME)                                                                     \
    extern "C" __global__ __launch_bounds__(128) void NAME(                                        \
        const __grid_constant__ gemm_routed_params p)                                              \
    {                                                                                              \
        make_member(p.product, routed_members{p.product, p.routing}, blockIdx.x);                  \
    }
