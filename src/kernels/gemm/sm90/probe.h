/* What the verifier asks of its own kernels (probe.cu): fill operands, compare results. */
#ifndef TMAP_KERNELS_GEMM_PROBE_H
#define TMAP_KERNELS_GEMM_PROBE_H

#include <stdint.h>

/* Element types: the multiplicands' (enum gemm_kind), then the results'. */
enum probe_type {
    PROBE_BF16,
    PROBE_F16,
    PROBE_F32, /* also tf32, whose values are written with the 13 low bits clear */
    PROBE_E4M3,
    PROBE_E5M2,
    PROBE_S8,
    PROBE_S32,
    PROBE_E2M1, /* a multiplicand's, two to a byte; not read on compute capability 9.0 */
    PROBE_TF32 = PROBE_F32
};

/* What an operand holds, as a function of its outer index i (of M or N) and of k. */
enum probe_fill {
    PROBE_NORMAL,   /* standard normal numbers (s8: uniform over the type) */
    PROBE_INTEGERS, /* -4 .. 4 */
    PROBE_SIGNS,    /* -1, 0, 1 */
    PROBE_ZEROS,
    PROBE_IDENTITY,   /* 1 where i == k */
    PROBE_PERMUTED,   /* 1 where k == (i * 5 + 3) mod K */
    PROBE_ONE_HOT,    /* 1 where k == parameter */
    PROBE_K_CONSTANT, /* 1 + k / (128 bytes) mod 4: tells which k-block is missing or doubled */
    PROBE_FILLS
};

/* One stored matrix, batch by batch. */
struct probe_matrix {
    void *data;
    int32_t type;
    int32_t outer, k; /* logical extent: rows or columns, and k (of D: m and n) */
    int32_t batch;
    int32_t outer_inner; /* 1: the outer index is the contiguous one */
    int64_t ld, batch_stride;
};

/* What an epilogue adds to a check. Vectors are NULL where they are not wanted; alpha, beta and
 * scales are of floats. second: its data NULL where there is none. gate: D's columns are of two of
 * B's, 1 as many apart as there are, 2 neighbours. */
struct probe_epilogue {
    int32_t wanted, activation, bias_type; /* enum tmap_gemm_activation, probe_type */
    int32_t gate;
    const void *alpha, *beta, *row_scale, *col_scale, *row_bias, *col_bias, *d_scale;
    struct probe_matrix second;
};

/* Scales of blocks, floats: a[k / 128][row], b[column / 128][k / 128]; NULL: none. */
struct probe_blocks {
    const float *a, *b;
    int64_t lda, ldb;
};

/* A convolution, axes W, H, D: a holds pixels' rows of channels, b filters' rows of taps and within
 * each of channels. taps 0: none. data: the gradient, of which a holds the outputs' gradients. */
struct probe_conv {
    int32_t taps, channels, data; /* channels of the activations */
    int32_t size[3], out[3], filter[3], stride[3], dilation[3], pad[3];
};

struct probe_check {
    struct probe_matrix a, b, d, c; /* d.outer = m, d.k = n */
    struct probe_conv conv;
    struct probe_epilogue epilogue;
    struct probe_blocks blocks;
    float alpha, beta;
    int32_t exact;
    int32_t samples; /* 0: every element; else so many, picked by hash */
    uint32_t seed;
    double relative; /* allowed |error| / (|A| |B|) per element, beside rounding to D's type */
};

/* Written by the comparing kernels; zeroed by the host. */
struct probe_result {
    unsigned long long wrong;
    unsigned long long checked;
    unsigned long long first; /* 1 + linear index of one wrong element */
    double expected, got;
    unsigned long long worst_bits; /* of the largest |error| / allowed, as an ordered double */
    unsigned long long most_bits;  /* and of the largest |expected| */
};

#endif
