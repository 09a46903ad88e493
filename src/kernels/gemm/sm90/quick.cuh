// Kernels of the epilogue that most layers have: D = act(A B + bias), D and the bias of 16 bits.
// They are the plain kernels with little more code. A tile's end is code that has to be fetched
// (docs/GEMM.md), and the bias is no part of it: the sums begin with it, while the first operands
// are on their way. The name says the row: gemm_bf16_2x256_quick.
#pragma once

#include "compose.cuh"
#include "pingpong.cuh"

template <class SHAPE> struct quick : SHAPE {
    static constexpr bool QUICK = true, ADDS_C = false;
    // Not where sums fill the registers while the turn is awaited.
    static constexpr bool BEGINS = SHAPE::ADDS_C;
};

struct gemm_quick_params {
    gemm_params product;
    alignas(128) gemm_epilogue epilogue;
};
static_assert(offsetof(gemm_quick_params, epilogue) == offsetof(gemm_epilogue_params, epilogue),
              "the first part of what every kernel with an epilogue takes");

// A tile's biases, as a thread of one of its warpgroups has them.
template <class S> struct bias_of {
    spread<S> cols;
    float rows[2];

    PTX_FN bias_of(const gemm_params &p, const place &tile)
    {
        const gemm_epilogue &e = epilogue_of(p);
        const fragment f;
        rows[0] = rows[1] = 0;
        if (e.col_bias) cols.load(e.col_bias, tile.col, p.n);
        if (e.row_bias)
            load_rows(rows, e.row_bias, e.bias_type, tile.row + f.warp * 16 + f.lane / 4, p.m);
    }
    template <int TYPE> PTX_FN void columns_to(float (&acc)[S::REGS]) const
    {
        const uint32_t quarter = this_thread() % 4;
#pragma unroll
        for (int j = 0; j < S::REGS / 4; j++) {
            float a, b;
            cols.template pair_of<TYPE>(j, quarter, a, b);
            acc[4 * j] = a + rows[0], acc[4 * j + 1] = b + rows[0];
            acc[4 * j + 2] = a + rows[1], acc[4 * j + 3] = b + rows[1];
        }
    }
    PTX_FN void to(float (&acc)[S::REGS], const gemm_params &p) const
    {
        const gemm_epilogue &e = epilogue_of(p);
        if (!e.col_bias) {
#pragma unroll
            for (int i = 0; i < S::REGS; i++) acc[i] = rows[i / 2 % 2];
        } else if (e.bias_type == GEMM_OUT_BF16 || FAULT(p, 131)) {
            columns_to<GEMM_OUT_BF16>(acc);
        } else {
            columns_to<GEMM_OUT_F16>(acc);
        }
    }
    // The same to what has been summed; one way for both types, or registers would be lost.
    PTX_FN void add_to(float (&acc)[S::REGS], const gemm_params &p)
    {
        const gemm_epilogue &e = epilogue_of(p);
        if (e.col_bias) {
            cols.widen(e.bias_type);
            add_columns(acc, cols);
        }
        if (e.row_bias) {
#pragma unroll
            for (int i = 0; i < S::REGS; i++) acc[i] += rows[i / 2 % 2];
        }
    }
};

template <class S>
PTX_FN bool begin_sums(typename S::acc_t (&acc)[S::REGS], const gemm_params &p, const work &w,
                       int32_t wg)
{
    const bool first = p.split == 1 || cluster_place(p).part == 0 || FAULT(p, 130);
    if (w.k_begin > 0 || (S::SPLITS && !first)) return false;
    bias_of<S>(p, place_of<S>(p, w, wg)).to(acc, p);
    hold(acc);
    return true;
}

template <class S, int REGS>
PTX_FN void enliven(float (&v)[REGS], const gemm_params &p, const place &tile)
{
    if constexpr (!S::BEGINS) bias_of<S>(p, tile).add_to(v, p);
    const int32_t activation = epilogue_of(p).activation;
    const bool gelu = activation == GEMM_ACTIVATION_GELU_TANH;
    if (activation == GEMM_ACTIVATION_NONE) return;
    if (OFTEN(gelu || activation == GEMM_ACTIVATION_SILU))
        each(v, quick_swish(gelu));
    else if (activation == GEMM_ACTIVATION_RELU)
        each(v, rectify());
    else
        each(v, quick_erf());
}

#define GEMM_QUICK_KERNEL(NAME, ...)                                                               \
    extern "C" __global__ __launch_bounds__((__VA_ARGS__::THREADS), 1) void NAME(                  \
        const __grid_constant__ gemm_quick_params p)                                               \
    {                                                                                              \
        gemm<quick<__VA_ARGS__>>(p.product);                                                       \
    }

#ifdef GEMM_ONLY
#define GEMM_QUICK_TILE(kind, wgs, bn)                                                             \
    GEMM_QUICK_KERNEL(gemm_##kind##_##wgs##x##bn##_quick, shape<GEMM_KIND_##kind, wgs, bn>)
#define GEMM_QUICK_PINGPONG(kind, slabs, bn)                                                       \
    GEMM_QUICK_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_quick,                               \
                      pingpong_shape<GEMM_KIND_##kind, slabs, bn>)
#define GEMM_QUICK_MAJORS(kind, wgs, bn, a_mn, b_mn)                                               \
    GEMM_QUICK_KERNEL(gemm_##kind##_##wgs##x##bn##_quick_##a_mn##b_mn,                             \
                      shape<GEMM_KIND_##kind, wgs, bn, a_mn, b_mn>)
#define GEMM_QUICK_PINGPONG_MAJORS(kind, slabs, bn, a_mn, b_mn)                                    \
    GEMM_QUICK_KERNEL(gemm_##kind##_pingpong_##slabs##x##bn##_quick_##a_mn##b_mn,                  \
                      pingpong_shape<GEMM_KIND_##kind, slabs, bn, b_mn, a_mn>)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)
#define GEMM_PINGPONG(kind, slabs, bn)
#include "instances.def"
#endif
