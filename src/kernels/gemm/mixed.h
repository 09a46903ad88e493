/* What the host hands to a kernel of weights in 4 or 8 bits, after a product's own parameters; one
 * struct, by value, read by C and by CUDA. Of the product's maps `a` is the weights', of rank 3
 * (bytes of K, eights of N, the rows of an eight), and `b` the activations'. */
#ifndef TMAP_KERNELS_GEMM_MIXED_H
#define TMAP_KERNELS_GEMM_MIXED_H

#include "kernels/gemm/params.h"

enum mixed_weight {
#define WEIGHT(word, NAME, bits, zeros) MIXED_##NAME,
#include "kernels/gemm/mixed.def"
    MIXED_WEIGHTS
};
enum {
#define WEIGHT(word, NAME, bits, zeros) MIXED_WEIGHT_##word = MIXED_##NAME,
#include "kernels/gemm/mixed.def"
};

enum {
    MIXED_ROWS = 256,       /* of weights in a tile: columns of D */
    MIXED_EIGHT = 8,        /* of them a lane of the warp has, one after the other in D */
    MIXED_CHUNK_BYTES = 16, /* of a row of weights: what a lane's word is one of four of */
    MIXED_WHOLE_COLS = 16,  /* the widest tile of which a lane has all rows of an eight */
    MIXED_WEIGHTS_BYTES = MIXED_ROWS * 128
};

struct gemm_mixed {
    struct gemm_map scales, zeros; /* a row of N for every group of K */
    uint64_t row_scales;           /* N floats, where there are no groups; or 0 */
    int32_t group_chunks;          /* of a row of weights in a group; 0: there are no groups */
    int32_t group_shift;           /* chunk >> group_shift: the group of it in a k-block */
    int32_t groups;                /* in a k-block */
    int32_t has_zeros;
    int32_t early; /* slots of weights that are loaded before the launch's predecessor has ended */
    int32_t scales_at, zeros_at; /* in a slot; 0 where there are none */
    uint64_t weights_policy;     /* L2 eviction */
};

/* What the next launch multiplies by, and how it deals it out (as in struct gemm_params): of each
 * of its blocks this one brings the first k-blocks to the L2 cache. */
struct gemm_mixed_next {
    struct gemm_map weights, scales, zeros;
    int32_t slots; /* k-blocks of each of its blocks; 0: nothing is brought */
    int32_t clusters, stream_share, stream_rest, k_blocks, tiles_m;
    int32_t groups; /* in a k-block; 0: there are none */
    int32_t has_zeros;
};

#ifdef __CUDACC__
#define GEMM_ALIGNED alignas(128)
#else
#define GEMM_ALIGNED _Alignas(128)
#endif
struct gemm_mixed_params {
    struct gemm_params product;
    GEMM_ALIGNED struct gemm_mixed mixed;
    GEMM_ALIGNED struct gemm_mixed_next next;
};
#undef GEMM_ALIGNED

#endif
