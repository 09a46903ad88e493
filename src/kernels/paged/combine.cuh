// From the warps' outputs to the head's: through shared memory, and where blocks share a request's
// tokens through the workspace, by whoever comes last.
#pragma once

#include "multiply.cuh"

namespace paged
{

// What the weights against one maximum count against a larger one.
PTX_FN float share_of(float maximum, float most)
{
    return most == minus_infinity() ? 0 : ptx::exp2_approx(maximum - most);
}

PTX_FN float load_shared_float(uint32_t at)
{
    return __uint_as_float(ptx::load_shared_32(at));
}

PTX_FN void warps_sync()
{
    ptx::named_barrier_sync(1, 32 * PAGED_WARPS);
}

template <class S> PTX_FN void leave_outputs(state<S> &x, const shared<S> &s)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    warps_sync(); // all slots are read
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const uint32_t row = lane / 4 + half * 8;
        float sum = x.sum[half];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        if (lane % 4 == 0)
            ptx::store_shared_64(s.maximum(warp, row), __float_as_uint(x.maximum[half]),
                                 __float_as_uint(sum));
#pragma unroll
        for (int i = 0; i < S::DIM / 8; i++)
            ptx::store_shared_64(s.output(warp, row, i * 8 + lane % 4 * 2),
                                 __float_as_uint(x.out[i][half * 2]),
                                 __float_as_uint(x.out[i][half * 2 + 1]));
    }
    warps_sync();
}

// Two neighbouring elements of one head, summed with weights against `maximum`.
struct pair {
    float maximum, sum, x, y;
};

template <class S>
PTX_FN pair of_warps(const paged_params &p, const shared<S> &s, uint32_t row, uint32_t dim)
{
    pair all = {minus_infinity(), 0, 0, 0};
#pragma unroll
    for (int warp = 0; warp < PAGED_WARPS; warp++)
        all.maximum = fmaxf(all.maximum, load_shared_float(s.maximum(warp, row)));
#pragma unroll
    for (int warp = 0; warp < PAGED_WARPS; warp++) {
        const float own = load_shared_float(s.maximum(warp, row));
        const float share =
            PAGED_FAULT(p, 16) && own != minus_infinity() ? 1 : share_of(own, all.maximum);
        all.sum += share * load_shared_float(s.sum(warp, row));
        all.x += share * load_shared_float(s.output(warp, row, dim));
        all.y += share * load_shared_float(s.output(warp, row, dim + 1));
    }
    return all;
}

template <class S>
PTX_FN void write(const paged_params &p, const work &w, uint32_t row, uint32_t dim, const pair &x)
{
    const float scale = x.sum > 0 ? __fdividef(1, x.sum) : 0;
    const int64_t element = (int64_t)w.request * p.output_stride +
                            (int64_t)(w.head * p.group + row) * p.output_head_stride + dim;
    *(uint32_t *)(p.output + (uint64_t)element * 2) =
        ptx::pack_16<S::BF16>(x.x * scale, x.y * scale);
}

template <class S>
PTX_FN float *part_of(const paged_params &p, const work &w, uint32_t split, uint32_t row)
{
    const uint64_t place = ((uint64_t)w.request * p.kv_heads + w.head) * p.splits + split;
    return p.parts + (place * p.group + row) * PAGED_PART(S::DIM);
}

template <class S>
PTX_FN pair of_splits(const paged_params &p, const work &w, uint32_t row, uint32_t dim)
{
    pair all = {minus_infinity(), 0, 0, 0};
    const uint32_t count = w.count - (PAGED_FAULT(p, 13) ? 1 : 0);
#pragma unroll 1
    for (uint32_t i = 0; i < count; i++)
        all.maximum = fmaxf(all.maximum, __ldcg(part_of<S>(p, w, i, row) + S::DIM));
#pragma unroll 1
    for (uint32_t i = 0; i < count; i++) {
        const float *part = part_of<S>(p, w, i, row);
        const float2 xy = __ldcg((const float2 *)(part + dim));
        const float2 rest = __ldcg((const float2 *)(part + S::DIM));
        const float share = share_of(rest.x, all.maximum);
        all.sum += share * rest.y, all.x += share * xy.x, all.y += share * xy.y;
    }
    return all;
}

// Whether all others that share the request's tokens have left their parts; the count is put back
// for the next launch.
template <class S> PTX_FN bool comes_last(const paged_params &p, const work &w, const shared<S> &s)
{
    if (!PAGED_FAULT(p, 17)) __threadfence();
    warps_sync();
    if (threadIdx.x == 0) {
        uint32_t *arrivals = p.arrivals + w.request * p.kv_heads + w.head;
        const bool last = atomicAdd(arrivals, 1u) + 1 == w.count - (PAGED_FAULT(p, 18) ? 1 : 0);
        if (last && !PAGED_FAULT(p, 15)) atomicExch(arrivals, 0u);
        __threadfence();
        ptx::store_shared_32(s.last(), last);
    }
    warps_sync();
    return ptx::load_shared_32(s.last()) != 0;
}

template <class S>
PTX_FN void combine(state<S> &x, const paged_params &p, const work &w, const shared<S> &s)
{
    const uint32_t pairs = p.group * (S::DIM / 2);
    leave_outputs(x, s);
    for (uint32_t i = threadIdx.x; i < pairs; i += 32 * PAGED_WARPS) {
        const uint32_t row = i / (S::DIM / 2), dim = i % (S::DIM / 2) * 2;
        const pair mine = of_warps(p, s, row, dim);
        if (w.count == 1) {
            write<S>(p, w, row, dim, mine);
            continue;
        }
        float *part = part_of<S>(p, w, w.split, row);
        __stcg((float2 *)(part + dim), make_float2(mine.x, mine.y));
        if (dim == 0) __stcg((float2 *)(part + S::DIM), make_float2(mine.maximum, mine.sum));
    }
    if (w.count == 1 || !comes_last(p, w, s)) return;
    for (uint32_t i = threadIdx.x; i < pairs; i += 32 * PAGED_WARPS) {
        const uint32_t row = i / (S::DIM / 2), dim = i % (S::DIM / 2) * 2;
        write<S>(p, w, row, dim, of_splits<S>(p, w, row, dim));
    }
}

} // namespace paged
