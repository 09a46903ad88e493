/* What the host hands to a kernel whose sums go through an epilogue: after a product's own
 * parameters, one struct by value, read by C and by CUDA. */
#ifndef TMAP_KERNELS_GEMM_EPILOGUE_H
#define TMAP_KERNELS_GEMM_EPILOGUE_H

#include "kernels/gemm/params.h"

enum gemm_step {
#define STEP(word, member, bytes) GEMM_STEP_##word,
#include "kernels/gemm/epilogue.def"
    GEMM_STEPS
};

enum gemm_activation {
#define ACTIVATION(word, NAME) GEMM_ACTIVATION_##NAME,
#include "kernels/gemm/epilogue.def"
    GEMM_ACTIVATIONS
};

enum gemm_gate {
#define GATE(word, NAME) GEMM_GATE_##NAME,
#include "kernels/gemm/epilogue.def"
    GEMM_GATES
};

/* Rows and columns are the kernel's: a swapped product's are exchanged. Addresses of device memory,
 * 0 where a step is not wanted. */
struct gemm_epilogue {
    uint32_t steps; /* a bit each of enum gemm_step */
    int32_t activation, bias_type;
    int32_t narrow; /* enum gemm_out of 8 bits that D has, for which the product says bf16; or 0 */
    uint64_t alpha, beta, row_scale, col_scale, row_bias, col_bias, amax, d_scale;
    int32_t gate, reserved;
};

/* Scales of blocks: of A's rows by a map of rank 2 (M, k-blocks), and B's by address. */
struct gemm_blocks {
    struct gemm_map a;
    uint64_t b;
    int64_t b_row_bytes;
    int32_t b_rows, b_cols; /* blocks of N, of K */
};

/* Of a product whose A is an activation tensor seen through an im2col map of rank 5; axes in the
 * order W, H, D. */
struct gemm_conv {
    int32_t taps, channel_blocks;
    int32_t out[3], stride[3], lower[3]; /* an output pixel's tap 0 is at lower + stride pixel */
    int32_t dilation[3], end[3];         /* end: the offset after the last tap's */
    /* Of patches (sm90/patches.cuh): out is tiles, stride a tile's extent. */
    int32_t images, beside[4]; /* of a tile; from its first 64 pixels to the second, N among them */
    uint32_t second, groups;   /* the same, and from 8 pixels to the next, in 16 bytes of A */
};

/* The product's maps, and so its parameters, are aligned on the device: so is what follows them. */
#ifdef __CUDACC__
#define GEMM_ALIGNED alignas(128)
#else
#define GEMM_ALIGNED _Alignas(128)
#endif
struct gemm_epilogue_params {
    struct gemm_params product;
    GEMM_ALIGNED struct gemm_epilogue epilogue;
    union {
        GEMM_ALIGNED struct gemm_blocks blocks;
        struct gemm_conv conv;
    };
    /* The product again, whose D is the second output: of it the stores alone read. */
    GEMM_ALIGNED struct gemm_params second;
};
#undef GEMM_ALIGNED

#endif
