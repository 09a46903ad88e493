// Convolution as an implicit product: A's rows are the output's pixels, and k runs over the
// filter's taps and, within each, over the channels. The matrix of patches exists in shared memory
// only: an im2col map walks the pixels of a tile, and each tap is an offset of that walk (PTX ISA,
// "im2col mode"). B is the filters, rank 3: channels, taps, filters. The map has rank 5 for images
// too: with the four-dimensional form in the loading loop ptxas 13.0 serialises the multiplies of
// the other warps (C7520), with this one it does not.
//
// Forward, a filter's channels are contiguous and B is k-major. For the gradient of the data the
// same filters are read along the other channels (B_MN) and their taps backwards.
#pragma once

#include "finished.cuh"

//
// Where a pixel has fewer channels than a k-block, of 8 or 32, the k-block has several taps: each a
// box of its own, in a swizzle as wide as the pixel. A filter's taps lie one after the other, so B
// is a plain matrix then.
template <class SHAPE, int CHANNELS = SHAPE::BK> struct convolved : finished<SHAPE> {
    static constexpr bool IM2COL = true;
    static constexpr int LOADERS = 1;
    static constexpr int CHANNELS_AT_ONCE = SHAPE::BK;
    static constexpr int TAP_BYTES = CHANNELS * 2, TAPS = SHAPE::BK / CHANNELS;
    static constexpr bool SPLITS = finished<SHAPE>::SPLITS && TAPS == 1;
    // The loading thread keeps a pixel and a tap, for which 24 registers are too few.
    static constexpr int FEW_REGISTERS = 40, MANY_REGISTERS = 232;
    static constexpr bool SECOND = SHAPE::ADDS_C && !SHAPE::PINGPONG; // a register too many
    static constexpr bool NARROW = false;                             // and here
};

PTX_FN const gemm_conv &conv_of(const gemm_params &p)
{
    return reinterpret_cast<const gemm_epilogue_params &>(p).conv;
}

template <class S> struct taps<S, true> {
    int32_t x[3], image;  // where tap 0 of the tile's first pixel lies
    int32_t channel, tap; // of the next k-block
    int32_t offset[3];    // of that tap

    PTX_FN void begin(const gemm_params &p, int32_t row, int32_t k)
    {
        const gemm_conv &v = conv_of(p);
        int32_t rest = FAULT(p, 97) ? row % (v.out[0] * v.out[1]) : row;
        if constexpr (S::SHIFTS > 1) rest /= S::BM; // a tile is a patch
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int32_t above = rest / v.out[i];
            const int32_t lower = FAULT(p, 90) ? 0 : v.lower[i];
            x[i] = lower + (rest - above * v.out[i]) * (FAULT(p, 91) ? 1 : v.stride[i]);
            rest = above;
        }
        image = S::SHIFTS > 1 ? rest * v.images : rest;
        channel = tap = offset[0] = offset[1] = offset[2] = 0;
        if (k > 0) skip(v, k / S::BK * S::TAPS);
    }
    // From the first k-block to a later one.
    PTX_FN void skip(const gemm_conv &v, int32_t k_blocks)
    {
        int32_t rest = tap = k_blocks / v.channel_blocks;
        channel = (k_blocks - tap * v.channel_blocks) * S::CHANNELS_AT_ONCE;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int32_t count = v.end[i] / v.dilation[i], above = rest / count;
            offset[i] = (rest - above * count) * v.dilation[i];
            rest = above;
        }
    }
    PTX_FN void next(const gemm_params &p)
    {
        const gemm_conv &v = conv_of(p);
        if constexpr (S::TAPS == 1) {
            channel += S::CHANNELS_AT_ONCE;
            if (channel < v.channel_blocks * S::CHANNELS_AT_ONCE) return;
            if (!FAULT(p, 95)) channel = 0;
        }
        tap++;
        offset[0] += FAULT(p, 92) ? 1 : v.dilation[0];
        if (offset[0] < v.end[0]) return;
        offset[0] = 0;
        offset[1] += v.dilation[1];
        if (offset[1] < v.end[1]) return;
        offset[1] = 0;
        offset[2] += v.dilation[2];
    }
    // The blocks of a split take k-blocks in turn.
    PTX_FN void advance(const gemm_params &p)
    {
        if constexpr (S::TAPS > 1) return; // load_taps() did
        if constexpr (S::SPLITS) {
#pragma unroll 1
            for (int32_t i = 1; i < p.split; i++) next(p);
        }
        next(p);
    }
    PTX_FN void settle()
    {
        ptx::settle(x[0]), ptx::settle(x[1]), ptx::settle(x[2]), ptx::settle(image);
        ptx::settle(channel), ptx::settle(tap);
        ptx::settle(offset[0]), ptx::settle(offset[1]), ptx::settle(offset[2]);
    }
    PTX_FN void load_tap(const gemm_params &p, const source<S> &from, uint32_t bar, uint32_t there)
    {
        if constexpr (S::TAPS > 1) {
            load_taps(p, from, bar, there);
            return;
        }
        if constexpr (S::SHIFTS > 1) {
            load_shifts(p, from, bar, there);
            return;
        }
        load_pixels(p, from, bar, there);
        const int32_t at =
            (S::B_MN && !FAULT(p, 98) ? conv_of(p).taps - 1 - tap : tap) + (FAULT(p, 94) ? 1 : 0);
        if constexpr (S::B_MN)
            load_filters(p, from, bar, there, at);
        else
            load_box(p.b, from.b_to + there, bar, channel, at, from.b_row, p.cluster_m > 1,
                     from.b_mask, p.load_policy);
    }
    // A box of pixels, and the filters of all the taps that read it.
    PTX_FN void load_shifts(const gemm_params &p, const source<S> &from, uint32_t bar,
                            uint32_t there) const
    {
        const int32_t c[5] = {channel, x[0] + (FAULT(p, 122) ? 1 : 0),
                              x[1] + (FAULT(p, 126) ? 0 : offset[1]), x[2] + offset[2], image};
        ptx::tma_load_5d_hint(from.a_to + there, &p.a, bar, c, p.load_policy);
        const int32_t first = tap * S::SHIFTS, last = conv_of(p).taps - 1 - first;
#pragma unroll 1
        for (int32_t i = 0; i < S::SHIFTS; i++) {
            if constexpr (S::B_MN)
                load_filters(p, from, bar, there + i * S::SHIFT_BYTES, last - i);
            else
                load_box(p.b, from.b_to + there + i * S::SHIFT_BYTES, bar, channel,
                         first + (FAULT(p, 124) ? 0 : i), from.b_row, p.cluster_m > 1, from.b_mask,
                         p.load_policy);
        }
    }
    // Beyond the last tap the filters are zeros, and so are channels that no pixel has.
    PTX_FN void load_taps(const gemm_params &p, const source<S> &from, uint32_t bar, uint32_t there)
    {
        load_box(p.b, from.b_to + there, bar, tap * (S::BK / S::TAPS), from.b_row, 0,
                 p.cluster_m > 1, from.b_mask, p.load_policy);
#pragma unroll 1
        for (int32_t i = 0; i < S::TAPS; i++) {
            if (tap == conv_of(p).taps) {
                channel = S::BK;
                offset[0] = offset[1] = offset[2] = 0;
            }
            load_pixels(p, from, bar, there + i * S::BM * S::TAP_BYTES);
            next(p);
        }
    }
    PTX_FN void load_pixels(const gemm_params &p, const source<S> &from, uint32_t bar,
                            uint32_t there) const
    {
        const uint32_t to = from.a_to + there, mask = p.cluster_n > 1 ? from.a_mask : 0;
        const int32_t c[5] = {channel, x[0], x[1], x[2], FAULT(p, 99) ? image + 1 : image};
        const int32_t w = FAULT(p, 96) ? 0 : FAULT(p, 93) ? offset[1] : offset[0];
        const int32_t h = FAULT(p, 93) ? offset[0] : offset[1];
        const uint16_t o[3] = {(uint16_t)w, (uint16_t)h, (uint16_t)offset[2]};
        ptx::tma_load_im2col_hint(to, &p.a, bar, c, o, mask, p.load_policy);
    }
    // Boxes of 64 channels of the result by the k-block's filters, dealt out among the sharers.
    PTX_FN void load_filters(const gemm_params &p, const source<S> &from, uint32_t bar,
                             uint32_t there, int32_t at) const
    {
#pragma unroll 1
        for (int32_t box = from.b_part; box < (S::BN + 63) / 64; box += p.cluster_m)
            load_box(p.b, from.b_to + there + box * S::SPAN, bar, from.b_row + box * 64, at,
                     channel, p.cluster_m > 1, from.b_mask, p.load_policy);
    }
};

#include "patches.cuh"

#define GEMM_CONV_KERNEL(NAME, ...)                                                                \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<convolved<__VA_ARGS__>>(p.product);                                                   \
    }
#define GEMM_CONV_FEW_KERNEL(NAME, KIND, WGS, BN, CHANNELS)                                        \
    extern "C" __global__ __launch_bounds__((shape<KIND, WGS, BN>::THREADS), 1) void NAME(         \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<convolved<shape<KIND, WGS, BN>, CHANNELS>>(p.product);                                \
    }

#define GEMM_CONV_PATCH_KERNEL(NAME, ...)                                                          \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<patched<__VA_ARGS__>>(p.product);                                                     \
    }

#define GEMM_CONV_PATCH_FEW_KERNEL(NAME, CHANNELS, ...)                                            \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_epilogue_params p)                                            \
    {                                                                                              \
        gemm<patched<__VA_ARGS__, CHANNELS>>(p.product);                                           \
    }

#ifdef GEMM_ONLY
#define GEMM_CONV_PATCH_FEW(kind, wgs, bn, channels)                                               \
    GEMM_CONV_PATCH_FEW_KERNEL(conv_##kind##_##wgs##x##bn##_of_##channels##_patch, channels,       \
                               shape<GEMM_KIND_##kind, wgs, bn>)
#define GEMM_CONV_PATCH_FEW_PINGPONG(kind, slabs, bn, channels)                                    \
    GEMM_CONV_PATCH_FEW_KERNEL(conv_##kind##_pingpong_##slabs##x##bn##_of_##channels##_patch,      \
                               channels, pingpong_shape<GEMM_KIND_##kind, slabs, bn>)
#define GEMM_CONV_PATCH(kind, wgs, bn, data)                                                       \
    GEMM_CONV_PATCH_KERNEL(conv_##kind##_##wgs##x##bn##_##data##_patch,                            \
                           shape<GEMM_KIND_##kind, wgs, bn, false, data>)
#define GEMM_CONV_PATCH_PINGPONG(kind, slabs, bn, data)                                            \
    GEMM_CONV_PATCH_KERNEL(conv_##kind##_pingpong_##slabs##x##bn##_##data##_patch,                 \
                           pingpong_shape<GEMM_KIND_##kind, slabs, bn, data>)
#define GEMM_CONV(kind, wgs, bn, data)                                                             \
    GEMM_CONV_KERNEL(conv_##kind##_##wgs##x##bn##_##data,                                          \
                     shape<GEMM_KIND_##kind, wgs, bn, false, data>)
#define GEMM_CONV_FEW(kind, wgs, bn, channels)                                                     \
    GEMM_CONV_FEW_KERNEL(conv_##kind##_##wgs##x##bn##_of_##channels, GEMM_KIND_##kind, wgs, bn,    \
                         channels)
#define GEMM_CONV_PINGPONG(kind, slabs, bn, data)                                                  \
    GEMM_CONV_KERNEL(conv_##kind##_pingpong_##slabs##x##bn##_##data,                               \
                     pingpong_shape<GEMM_KIND_##kind, slabs, bn, data>)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)
#include "instances.def"
#endif
