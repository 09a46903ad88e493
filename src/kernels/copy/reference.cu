// The references: the same copies by ordinary 16-byte loads and stores, to compare with. Several
// loads are in flight before the first store; both bypass what would only pollute the caches.
#include <stdint.h>

#include "kernels/copy/reference.h"

namespace
{

__device__ __forceinline__ uint4 load16(const void *p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

__device__ __forceinline__ void store16(void *p, const uint4 &v)
{
    asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x),
                 "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

} // namespace

#define UNROLL 4

// One long row: every thread moves UNROLL pieces a step.
extern "C" __global__ void __launch_bounds__(512) reference_dense(reference_params p)
{
    const uint64_t n = p.row_bytes / 16, step = (uint64_t)gridDim.x * blockDim.x;
    const uint4 *from = (const uint4 *)p.src;
    uint4 *to = (uint4 *)p.dst;
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + (UNROLL - 1) * step < n; i += UNROLL * step) {
        uint4 v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) v[k] = load16(from + i + k * step);
#pragma unroll
        for (int k = 0; k < UNROLL; k++) store16(to + i + k * step, v[k]);
    }
    for (; i < n; i += step) store16(to + i, load16(from + i));
}

// Many rows: a warp takes a piece of 512 bytes of four rows at a time.
extern "C" __global__ void __launch_bounds__(256) reference_rows(reference_params p)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
    const uint64_t pieces = (p.row_bytes + 511) / 512;
    const uint64_t jobs = (p.rows + UNROLL - 1) / UNROLL * pieces;
    for (uint64_t j = (uint64_t)blockIdx.x * (blockDim.x / 32) + warp; j < jobs; j += warps) {
        const uint64_t row = j / pieces * UNROLL, at = j % pieces * 512 + lane * 16;
        if (at >= p.row_bytes) continue;
        uint4 v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            if (row + k < p.rows) {
                const uint64_t from = p.index ? (uint64_t)p.index[row + k] : row + k;
                v[k] = load16(p.src + from * p.src_pitch + at);
            }
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            if (row + k < p.rows) store16(p.dst + (row + k) * p.dst_pitch + at, v[k]);
    }
}

// rows x row_bytes / size elements, transposed through a padded shared tile of 64 x 64.
template <class T> __device__ __forceinline__ void transpose_reference(const reference_params &p)
{
    constexpr int V = 16 / sizeof(T), N = 64;
    __shared__ T tile[N][N + 4 / sizeof(T)];
    const uint64_t cols = p.row_bytes / sizeof(T);
    const uint64_t tiles_x = cols / N, tiles = tiles_x * (p.rows / N);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const uint64_t r0 = t / tiles_x * N, c0 = t % tiles_x * N;
        for (int i = threadIdx.x; i < N * N / V; i += blockDim.x) {
            const int r = i / (N / V), c = i % (N / V) * V;
            const uint4 v = load16(p.src + (r0 + r) * p.src_pitch + (c0 + c) * sizeof(T));
            const T *e = (const T *)&v;
#pragma unroll
            for (int k = 0; k < V; k++) tile[r][c + k] = e[k];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < N * N / V; i += blockDim.x) {
            const int c = i / (N / V), r = i % (N / V) * V;
            uint4 v;
            T *e = (T *)&v;
#pragma unroll
            for (int k = 0; k < V; k++) e[k] = tile[r + k][c];
            store16(p.dst + (c0 + c) * p.dst_pitch + (r0 + r) * sizeof(T), v);
        }
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(256) reference_transpose_1(reference_params p)
{
    transpose_reference<uint8_t>(p);
}
extern "C" __global__ void __launch_bounds__(256) reference_transpose_2(reference_params p)
{
    transpose_reference<uint16_t>(p);
}
extern "C" __global__ void __launch_bounds__(256) reference_transpose_4(reference_params p)
{
    transpose_reference<uint32_t>(p);
}

// Adds floats: the reference of reduce-add.
extern "C" __global__ void __launch_bounds__(512) reference_add(reference_params p)
{
    const uint64_t n = p.row_bytes / 16, step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const uint4 a = load16((const uint4 *)p.src + i);
        float4 d = ((float4 *)p.dst)[i];
        d.x += __uint_as_float(a.x);
        d.y += __uint_as_float(a.y);
        d.z += __uint_as_float(a.z);
        d.w += __uint_as_float(a.w);
        ((float4 *)p.dst)[i] = d;
    }
}

// Convolution patches of an NHWC image, stride 1: row = output pixel, columns = taps by channels.
extern "C" __global__ void __launch_bounds__(256) reference_im2col(reference_im2col_params p)
{
    const uint32_t pieces = p.c_bytes / 16, taps = p.taps_h * p.taps_w;
    const uint64_t total = (uint64_t)p.n * p.h * p.w * taps * pieces;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
        const uint32_t piece = (uint32_t)(i % pieces);
        const uint64_t rest = i / pieces, pixel = rest / taps;
        const uint32_t tap = (uint32_t)(rest % taps), x = (uint32_t)(pixel % p.w);
        const uint32_t y = (uint32_t)(pixel / p.w % p.h);
        const int64_t img = (int64_t)(pixel / p.w / p.h);
        const int32_t yy = (int32_t)(y + tap / p.taps_w) - (int32_t)p.pad_h;
        const int32_t xx = (int32_t)(x + tap % p.taps_w) - (int32_t)p.pad_w;
        uint4 v = make_uint4(0, 0, 0, 0);
        if (yy >= 0 && yy < (int32_t)p.h && xx >= 0 && xx < (int32_t)p.w)
            v = load16(p.src + ((img * p.h + yy) * p.w + xx) * p.c_bytes + piece * 16ull);
        store16(p.dst + i * 16, v);
    }
}

// Position hashes, or floats between 1 and 2 made of them.
extern "C" __global__ void reference_fill(fill_params p)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.words; i += step) {
        const uint64_t w = reference_hash(p.seed, i);
        p.at[i] = p.floats ? (w & 0x007fffff007fffff) | 0x3f8000003f800000 : w;
    }
}

// How many 8-byte words differ, and the first of them.
extern "C" __global__ void reference_compare(compare_params p)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.words; i += step) {
        if (p.a[i] == p.b[i]) continue;
        atomicAdd(&p.found[0], 1ull);
        atomicMin(&p.found[1], (unsigned long long)i);
    }
}
