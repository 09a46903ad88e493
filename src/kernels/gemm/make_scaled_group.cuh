// The same for members whose operands have scale factors, which lie behind the members.
#pragma once

#include "kernels/gemm/faults.cuh"
#include "kernels/gemm/make_group.cuh"

struct scaled_members : written_members {
    const gemm_params &like;
    const gemm_member_scales *scales;

    __device__ scaled_members(const gemm_params &p, const gemm_member *first)
        : written_members{first}, like(p), scales((const gemm_member_scales *)(first + p.members))
    {
    }
    __device__ void more(gemm_params &q, const gemm_member &, int32_t i) const
    {
        const gemm_member_scales &x = scales[FAULT(like, 140) ? 0 : i];
        q.a_scales = x.a;
        q.b_scales = FAULT(like, 141) ? x.a : x.b;
        q.scale_tiles = FAULT(like, 142) ? like.scale_tiles : (int32_t)x.tiles;
    }
};

#define GEMM_MAKE_SCALED(NAME)                                                                     \
    extern "C" __global__ __launch_bounds__(128) void NAME(                                        \
        const __grid_constant__ gemm_params like, const gemm_member *members)                      \
    {                                                                                              \
        make_member(like, scaled_members(like, members), blockIdx.x);                              \
    }
