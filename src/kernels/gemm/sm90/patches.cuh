// Filters three wide without a stride along W: a tile is a patch of pixels, and its three taps
// along W read one box of them, the patch with a column more on either side, from three places.
// That brings a pixel to shared memory once where im2col boxes bring it three times, and the copy
// engine takes as long for a pixel as the tensor core for 64 columns of it.
//
// A warpgroup's 64 rows are 8 x 8 pixels, or whole rows of the image padded to 16, 32 or 64; the
// second warpgroup's lie beside them along W, H or D, or in the next image. So the multiply finds
// each group of eight rows at the same distance from the one before (the stride of the matrix
// descriptor), and a tap is so many rows further on: the swizzle goes by the address, wherever a
// matrix begins. D's map has the patch as its box, and clips it at the image's end.
#pragma once

// Of 32 channels at once a pixel is 64 bytes, and so is the swizzle.
template <class SHAPE, int CHANNELS = SHAPE::BK> struct patched : convolved<SHAPE> {
    static constexpr int SHIFTS = GEMM_PATCH_TAPS, PIXEL_BYTES = CHANNELS * 2,
                         STEPS = PIXEL_BYTES / 32;
    static constexpr int CHANNELS_AT_ONCE = CHANNELS;
    static constexpr int A_BYTES = GEMM_PATCH_ROWS * PIXEL_BYTES;
    static constexpr int B_ROW_BYTES = PIXEL_BYTES;
    static constexpr int SHIFT_BYTES = SHAPE::B_BYTES * CHANNELS / SHAPE::BK; // a tap's filters
    static constexpr int B_BYTES = SHIFTS * SHIFT_BYTES, STAGE_BYTES = A_BYTES + B_BYTES;
    static constexpr bool SPLITS = false, SECOND = false;
};

template <class S> struct shifted<S, true> {
    uint32_t second, groups; // 16 bytes: to the second slab, and from 8 rows to the next

    PTX_FN void begin(const gemm_params &p)
    {
        second = FAULT(p, 121) ? 0 : ptx::uniform(conv_of(p).second);
        groups = FAULT(p, 123) ? 64 : ptx::uniform(conv_of(p).groups);
    }
    PTX_FN void multiply(typename S::acc_t (&acc)[S::REGS], uint32_t a, uint32_t b,
                         bool first) const
    {
        constexpr uint32_t layout = S::PIXEL_BYTES == 64 ? 2u << 30 : 1u << 30;
        const uint64_t high_a = (uint64_t)(groups | layout) << 32;
        const uint64_t high_b = (uint64_t)(8 * S::PIXEL_BYTES >> 4 | layout) << 32;
#pragma unroll
        for (int i = 0; i < S::SHIFTS; i++)
#pragma unroll
            for (int step = 0; step < S::STEPS; step++)
                mma<S::KIND, false, S::B_MN>(acc,
                                             high_a | (a + i * (S::PIXEL_BYTES >> 4) +
                                                       step * (uint32_t)descriptor_step<false>()),
                                             high_b | (b + i * (S::SHIFT_BYTES >> 4) +
                                                       step * (uint32_t)descriptor_step<S::B_MN>()),
                                             !first || i > 0 || step > 0);
    }
};

template <class S>
PTX_FN void store_patch(const gemm_params &p, const gemm_map &d, uint32_t panel, bool two,
                        int32_t inner, int32_t row)
{
    const gemm_conv &v = conv_of(p);
    const int32_t tile = row / S::BM, slab = FAULT(p, 125) ? 0 : row / 64 % (S::BM / 64);
    int32_t rest = tile, c[5] = {inner};
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const int32_t above = rest / v.out[i];
        c[1 + i] =
            (rest - above * v.out[i]) * (FAULT(p, 127) ? 8 : v.stride[i]) + slab * v.beside[i];
        rest = above;
    }
    c[4] = rest * v.images + slab * v.beside[3];
    ptx::tma_store_hint<5>(&d, panel, c, p.store_policy);
    if (two) {
        c[0] += 32;
        ptx::tma_store_hint<5>(&d, panel + S::SPAN, c, p.store_policy);
    }
}
