// The kernel that makes a group's members' parameters, and their tensor maps, on the device.
#pragma once

#include "kernels/gemm/params.h"
#include "kernels/ptx/ptx.cuh"

static_assert(sizeof(gemm_params) <= GEMM_PARAM_BYTES, "members lie one after the other");

// Where the members come from. One has
//   sizes(i)      M and N of a member
//   at(i)         all of it
//   end_k(x)      where its K ends, along the operands' maps
//   a_rows(x), b_rows(x)  the operands' rows that may be read: at least the member's
//   a_mn(), b_mn()        whether an operand's rows are of M or N, not of K
//   more(q, x, i) sets what only some kernels know
// These are as the host wrote them.
struct written_members {
    const gemm_member *member;

    __device__ const gemm_member &sizes(int32_t i) const { return member[i]; }
    __device__ const gemm_member &at(int32_t i) const { return member[i]; }
    __device__ static int32_t end_k(const gemm_member &x) { return x.k; }
    __device__ static int32_t a_rows(const gemm_member &x) { return x.m; }
    __device__ static int32_t b_rows(const gemm_member &x) { return x.n; }
    __device__ static constexpr bool a_mn() { return false; }
    __device__ static constexpr bool b_mn() { return false; }
    __device__ static void more(gemm_params &, const gemm_member &, int32_t) {}
};

// The members' tiles up to and with member i, by the whole block.
template <class MEMBERS>
__device__ static int32_t tiles_until(const gemm_params &like, const MEMBERS &members, int32_t i)
{
    __shared__ int32_t all;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    const int32_t rows = like.tile_m * like.cluster_m, cols = like.tile_n * like.cluster_n;
    int32_t mine = 0;
    for (int32_t j = threadIdx.x; j <= i; j += blockDim.x) {
        const auto &x = members.sizes(j);
        mine += (x.m + rows - 1) / rows * ((x.n + cols - 1) / cols);
    }
    mine = __reduce_add_sync(0xffffffff, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(&all, mine);
    __syncthreads();
    return all;
}

// One warp's tensor map: the group's, with this member's address, extents and row stride.
__device__ static void patch(gemm_map *to, gemm_map &room, const gemm_map &like, uint64_t address,
                             int32_t inner, int32_t rows, int64_t row_bytes)
{
    const uint32_t lane = threadIdx.x % 32, map = ptx::smem_addr(&room);
    if (lane < 16) room.word[lane] = like.word[lane];
    __syncwarp();
    if (lane == 0) {
        ptx::tensormap_set_address(map, (const void *)address);
        ptx::tensormap_set_dim<0>(map, inner);
        ptx::tensormap_set_dim<1>(map, rows);
        ptx::tensormap_set_stride<0>(map, row_bytes);
        ptx::tensormap_set_stride<1>(map, row_bytes); // of the batch, which is one matrix
    }
    __syncwarp();
    ptx::tensormap_publish(to, map);
}

// An operand's: its rows are of K, or (mn) there is one for every K.
__device__ static void patch_operand(gemm_map *to, gemm_map &room, const gemm_map &like,
                                     uint64_t address, int32_t k, int32_t rows, bool mn,
                                     int64_t row_bytes)
{
    patch(to, room, like, address, mn ? rows : k, mn ? k : rows, row_bytes);
}

template <class MEMBERS, class MEMBER>
__device__ static void patch_maps(gemm_params &q, const gemm_params &like, const MEMBERS &members,
                                  const MEMBER &x)
{
    __shared__ alignas(128) gemm_map room[3];
    const int32_t warp = threadIdx.x / 32, k = members.end_k(x);
    if (x.m == 0 || x.n == 0) return; // has no tiles, so no copies
    if (warp == 0)
        patch_operand(&q.a, room[0], like.a, x.a, k, members.a_rows(x), members.a_mn(),
                      x.a_row_bytes);
    if (warp == 1)
        patch_operand(&q.b, room[1], like.b, x.b, k, members.b_rows(x), members.b_mn(),
                      x.b_row_bytes);
    if (warp == 2)
        patch(&q.d, room[2], like.d, x.d, like.transposed ? x.m : x.n, like.transposed ? x.n : x.m,
              x.d_row_bytes);
}

// What differs between members, beside the maps.
__device__ static void set_member(gemm_params &q, const gemm_params &like, const gemm_member &x)
{
    const int32_t rows = like.tile_m * like.cluster_m, cols = like.tile_n * like.cluster_n;
    const int32_t span = 128 / x.element_bytes, out_bytes = like.out >= GEMM_OUT_F32 ? 4 : 2;
    q.m = x.m;
    q.n = x.n;
    q.k_blocks = (x.k + span - 1) / span;
    q.tiles_m = (x.m + rows - 1) / rows;
    q.tiles_n = (x.n + cols - 1) / cols;
    q.total = q.tiles_m * q.tiles_n;
    q.group = min(like.group, max(q.tiles_m, 1));
    q.c = (const void *)x.c;
    q.c_row_stride = x.c_row_stride;
    q.d_address = (void *)x.d;
    q.d_row_bytes = x.d_row_bytes;
    q.ragged = (like.transposed ? x.m : x.n) * out_bytes % GEMM_CLIP_BYTES != 0;
}

// By a block, member i's.
template <class MEMBERS>
__device__ static void make_member(const gemm_params &like, const MEMBERS &members, int32_t i)
{
    gemm_params &q = *(gemm_params *)(like.group_memory + (uint64_t)i * GEMM_PARAM_BYTES);
    const uint32_t maps = 3 * sizeof(gemm_map) / 8;
    ptx::grid_let_next_start();
    for (uint32_t j = maps + threadIdx.x; j < sizeof(gemm_params) / 8; j += blockDim.x)
        ((uint64_t *)&q)[j] = ((const uint64_t *)&like)[j];
    __syncthreads();
    const auto &x = members.at(i);
    if (threadIdx.x == 0) {
        set_member(q, like, x);
        members.more(q, x, i);
    }
    patch_maps(q, like, members, x);
    const int32_t tiles = tiles_until(like, members, i);
    if (threadIdx.x == 0)
        ((int32_t *)(like.group_memory + (uint64_t)like.members * GEMM_PARAM_BYTES))[i] = tiles;
}

extern "C" __global__
    __launch_bounds__(128) void make_group(const __grid_constant__ gemm_params like,
                                           const gemm_member *members)
{
    make_member(like, written_members{members}, blockIdx.x);
}
