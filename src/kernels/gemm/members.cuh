// Many products in one launch: tiles are numbered member by member, each with parameters of its own
// in device memory, tensor maps among them, which make_group.cuh has made there.
#pragma once

#include "kernels/gemm/schedule.cuh"

PTX_FN const gemm_params &member_of(const gemm_params &p, int32_t i)
{
    return *(const gemm_params *)(p.group_memory + (uint64_t)i * GEMM_PARAM_BYTES);
}

// A cluster's tiles, every p.clusters-th, and whose they are.
struct group_list {
    int32_t next, member, begin, end; // the member's tiles, counted over the group

    PTX_FN group_list(int32_t cluster) : next(cluster), member(-1), begin(0), end(0) {}
    PTX_FN bool take(const gemm_params &p, work &w)
    {
        const int32_t *ends =
            (const int32_t *)(p.group_memory + (uint64_t)p.members * GEMM_PARAM_BYTES);
        while (next >= end && member < p.members) {
            begin = end;
            end = ++member < p.members ? ends[member] : end;
        }
        if (member >= p.members) return false;
        w = {next - begin, 0, member_of(p, member).k_blocks};
        next += p.clusters;
        return true;
    }
};
