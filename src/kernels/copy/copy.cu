// The copy kernels that move bytes from global memory to global memory through shared memory and
// never touch them with a thread. One thread a block; see ring.cuh.
#include "kernels/copy/ring.cuh"

namespace copy
{

// Contiguous bytes, in slots of stage_bytes; the last one may be shorter.
struct bulk : shared_order {
    PTX_FN uint32_t bytes(const copy_params &p, uint32_t t) const
    {
        const uint64_t left = p.bytes - (uint64_t)t * p.stage_bytes;
        return left < p.stage_bytes ? (uint32_t)left : p.stage_bytes;
    }
    PTX_FN void load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar) const
    {
        const uint64_t at = (uint64_t)t * p.stage_bytes;
        ptx::bulk_load_hint(slot, (const void *)(p.src_address + at), bytes(p, t), bar,
                            p.load_policy);
    }
    PTX_FN void store(const copy_params &p, uint32_t t, uint32_t slot) const
    {
        const uint64_t at = (uint64_t)t * p.stage_bytes;
        ptx::bulk_store_hint((void *)(p.dst_address + at), slot, bytes(p, t), p.store_policy);
    }
};

// Boxes of one tensor to the same place in another. ADD: adds to what is there.
template <int RANK, bool ADD> struct tile : shared_order {
    PTX_FN uint32_t bytes(const copy_params &p, uint32_t) const { return p.tx_bytes; }
    PTX_FN void load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar) const
    {
        int32_t c[RANK];
        coords_of<RANK>(p, t, c);
        ptx::tma_load_hint<RANK>(slot, &p.src, bar, c, p.load_policy);
    }
    PTX_FN void store(const copy_params &p, uint32_t t, uint32_t slot) const
    {
        int32_t c[RANK];
        coords_of<RANK>(p, t, c);
        if (planted(p, COPY_FAULT_ROW)) c[RANK - 1]++;
        if constexpr (ADD)
            ptx::tma_reduce_add_hint<RANK>(&p.dst, slot, c, p.store_policy);
        else
            ptx::tma_store_hint<RANK>(&p.dst, slot, c, p.store_policy);
    }
};

// A matrix whose rows are wider than the swizzle's span, as {span, rows, panels}: a box is some
// rows of some panels, each panel a swizzled tile of its own. Panels run fastest, as the rows lie.
struct panels : shared_order {
    PTX_FN uint32_t bytes(const copy_params &p, uint32_t) const { return p.tx_bytes; }
    PTX_FN void at(const copy_params &p, uint32_t t, int32_t (&c)[3]) const
    {
        const uint32_t row = divide(p.tiles[2], t);
        c[0] = 0;
        c[1] = (int32_t)(row * p.step[1]);
        c[2] = (int32_t)((t - row * p.tiles[2].divisor) * p.step[2]);
    }
    PTX_FN void load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar) const
    {
        int32_t c[3];
        at(p, t, c);
        ptx::tma_load_hint<3>(slot, &p.src, bar, c, p.load_policy);
    }
    PTX_FN void store(const copy_params &p, uint32_t t, uint32_t slot) const
    {
        int32_t c[3];
        at(p, t, c);
        ptx::tma_store_hint<3>(&p.dst, slot, c, p.store_policy);
    }
};

// Convolution patches as the rows of a matrix: row = output pixel, columns = taps by channels.
// Tiles run over channel blocks, then taps, then blocks of pixels, so that a row is finished while
// its input is still in L2. The output is a tensor {channels, taps, pixels}.
template <int RANK> struct im2col : shared_order {
    PTX_FN uint32_t bytes(const copy_params &p, uint32_t) const { return p.tx_bytes; }
    PTX_FN void split(const copy_params &p, uint32_t t, uint32_t &channel, uint32_t &tap,
                      uint32_t &pixel) const
    {
        const uint32_t q = divide(p.tiles[0], t);
        channel = (t - q * p.tiles[0].divisor) * p.step[0];
        const uint32_t block = divide(p.tiles[1], q);
        tap = q - block * p.tiles[1].divisor;
        pixel = block * p.step[2];
    }
    PTX_FN void load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar) const
    {
        uint32_t channel, tap, pixel;
        split(p, t, channel, tap, pixel);
        int32_t c[RANK];
        uint16_t o[RANK - 2];
        c[0] = (int32_t)channel;
#pragma unroll
        for (int j = 0; j < RANK - 2; j++) {
            const uint32_t next = divide(p.box_extent[j], pixel);
            const uint32_t at = pixel - next * p.box_extent[j].divisor;
            c[1 + j] = p.lower[j] + (int32_t)(at * p.pixel_step[j]);
            pixel = next;
            const uint32_t rest = tap / p.taps[j];
            o[j] = (uint16_t)((tap - rest * p.taps[j]) * p.tap_step[j]);
            tap = rest;
        }
        c[RANK - 1] = (int32_t)pixel;
        ptx::tma_load_im2col<RANK>(slot, &p.src, bar, c, o);
    }
    PTX_FN void store(const copy_params &p, uint32_t t, uint32_t slot) const
    {
        uint32_t channel, tap, pixel;
        split(p, t, channel, tap, pixel);
        const int32_t c[3] = {(int32_t)channel, (int32_t)tap, (int32_t)pixel};
        ptx::tma_store_hint<3>(&p.dst, slot, c, p.store_policy);
    }
};

// Pages by a table of indices, one after another in the destination. The page is a dimension of the
// source's map, or an address computed from the index.
template <bool AS_DIMENSION> struct gather : shared_order {
    PTX_FN uint32_t bytes(const copy_params &p, uint32_t) const { return p.tx_bytes; }
    PTX_FN void load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar) const
    {
        const uint32_t page = divide(p.tiles[0], t);
        const uint32_t part = t - page * p.tiles[0].divisor;
        const int32_t from = __ldg(p.index + page);
        if constexpr (AS_DIMENSION) {
            const int32_t c[3] = {0, (int32_t)(part * p.step[1]), from};
            ptx::tma_load_hint<3>(slot, &p.src, bar, c, p.load_policy);
        } else {
            const uint64_t at = (uint64_t)from * p.page_bytes + (uint64_t)part * p.tx_bytes;
            ptx::bulk_load_hint(slot, (const void *)(p.src_address + at), p.tx_bytes, bar,
                                p.load_policy);
        }
    }
    PTX_FN void store(const copy_params &p, uint32_t t, uint32_t slot) const
    {
        const uint64_t at = (uint64_t)t * p.tx_bytes;
        ptx::bulk_store_hint((void *)(p.dst_address + at), slot, p.tx_bytes, p.store_policy);
    }
};

} // namespace copy

using namespace copy;

#define SMEM_BASE()                                                                                \
    extern __shared__ __align__(1024) uint8_t smem[];                                              \
    const uint32_t base = ptx::smem_addr(smem)

extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_bulk)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    if (threadIdx.x != 0) return;
    check_plan(p, base, 0, 0);
    ring(bulk{}, p, base);
    leave(p);
}

#define COPY_TILE(RANK)                                                                            \
    extern "C" __global__ void __launch_bounds__(32)                                               \
        COPY_KERNEL(copy_tile_##RANK)(const __grid_constant__ copy_params p)                       \
    {                                                                                              \
        SMEM_BASE();                                                                               \
        if (threadIdx.x != 0) return;                                                              \
        check_plan(p, base, 1, 0);                                                                 \
        ptx::prefetch_tensormap(&p.src);                                                           \
        ptx::prefetch_tensormap(&p.dst);                                                           \
        ring(tile<RANK, false>{}, p, base);                                                        \
        leave(p);                                                                                  \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(32)                                               \
        COPY_KERNEL(copy_add_##RANK)(const __grid_constant__ copy_params p)                        \
    {                                                                                              \
        SMEM_BASE();                                                                               \
        if (threadIdx.x != 0) return;                                                              \
        check_plan(p, base, 1, 0);                                                                 \
        ring(tile<RANK, true>{}, p, base);                                                         \
        leave(p);                                                                                  \
    }
COPY_TILE(1)
COPY_TILE(2)
COPY_TILE(3)
COPY_TILE(4)
COPY_TILE(5)

extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_panels)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    if (threadIdx.x != 0) return;
    check_plan(p, base, 1, 0);
    ptx::prefetch_tensormap(&p.src);
    ptx::prefetch_tensormap(&p.dst);
    ring(panels{}, p, base);
    leave(p);
}

#define COPY_IM2COL(RANK)                                                                          \
    extern "C" __global__ void __launch_bounds__(32)                                               \
        COPY_KERNEL(copy_im2col_##RANK)(const __grid_constant__ copy_params p)                     \
    {                                                                                              \
        SMEM_BASE();                                                                               \
        if (threadIdx.x != 0) return;                                                              \
        check_plan(p, base, 1, 0);                                                                 \
        ring(im2col<RANK>{}, p, base);                                                             \
        leave(p);                                                                                  \
    }
COPY_IM2COL(3)
COPY_IM2COL(4)
COPY_IM2COL(5)

extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_gather_dim)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    if (threadIdx.x != 0) return;
    check_plan(p, base, 1, 0);
    ring(gather<true>{}, p, base);
    leave(p);
}

extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_gather_index)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    if (threadIdx.x != 0) return;
    check_plan(p, base, 0, 0);
    ring(gather<false>{}, p, base);
    leave(p);
}
