// Which tile comes next, for each of a block's parts by itself: its own product's tiles, or those
// of a group's members. A walk has
//   take(p, w)  the next piece of work; false: there is none
//   of(p)       whose tile it is: the product's parameters, or a member's in device memory
//   is_new()    once for each member: its maps are to be acquired
//   of_warps()  the same walk, by the whole warps that store
//   PARTS       whether a tile's k-blocks may be several clusters'
//   ASKS        whether a warp asks for the tiles (sm100/dynamic.cuh)
#pragma once

#include "kernels/gemm/members.cuh"

struct static_walk : worklist {
    static constexpr bool PARTS = true, ASKS = false;

    template <class... REST>
    PTX_FN static_walk(const gemm_params &p, int32_t cluster, const REST &...)
        : worklist(p, cluster)
    {
    }
    PTX_FN const static_walk &of_warps() const { return *this; }
    PTX_FN const gemm_params &of(const gemm_params &p) const { return p; }
    PTX_FN bool is_new() { return false; }
};

struct member_walk : group_list {
    static constexpr bool PARTS = false, ASKS = false;
    int32_t acquired;

    template <class... REST>
    PTX_FN member_walk(const gemm_params &, int32_t cluster, const REST &...)
        : group_list(cluster), acquired(-1)
    {
    }
    PTX_FN const member_walk &of_warps() const { return *this; }
    PTX_FN const gemm_params &of(const gemm_params &p) const { return member_of(p, member); }
    PTX_FN bool is_new()
    {
        const bool other = acquired != member;
        acquired = member;
        return other;
    }
};
