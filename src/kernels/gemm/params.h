/* What the host hands to a GEMM kernel: one struct, by value, read by C and by CUDA. */
#ifndef TMAP_KERNELS_GEMM_PARAMS_H
#define TMAP_KERNELS_GEMM_PARAMS_H

#include <stdint.h>

#include "kernels/gemm/turns.h"

/* Multiplicands, and the same by the words that the tables of kernels use. */
enum gemm_kind {
#define KIND(word, NAME, ...) GEMM_##NAME,
#include "kernels/gemm/kinds.def"
    GEMM_KINDS,
    GEMM_E2M1 = GEMM_MXF4 /* a type without a kind of its own */
};
enum {
#define KIND(word, NAME, ...) GEMM_KIND_##word = GEMM_##NAME,
#include "kernels/gemm/kinds.def"
};

enum gemm_out {
    GEMM_OUT_BF16,
    GEMM_OUT_F16,
    GEMM_OUT_F32,
    GEMM_OUT_S32,
    GEMM_OUT_E4M3, /* these two of a kernel with an epilogue only, which is told apart */
    GEMM_OUT_E5M2,
    GEMM_OUTS
};

/* How D gets to memory from the sums: element by element where that must be, by panels of shared
 * memory, or from registers. */
enum { GEMM_NOT_PLAIN, GEMM_BY_PANELS, GEMM_FROM_REGISTERS };

/* Of which 4 bytes rows of D are written the straight way, too (epilogue.cuh), by tiles of two
 * warpgroups and so many columns without an epilogue. Narrower and higher kernels have no register
 * for it; of widths between, kinds that mostly store 2 bytes do without. */
#define GEMM_PLAIN_WIDE(kind, wgs, bn)                                                             \
    ((bn) < 128 || (wgs) > 2 ? GEMM_OUTS                                                           \
     : (kind) == GEMM_S8     ? GEMM_OUT_S32                                                        \
     : (kind) == GEMM_TF32   ? GEMM_OUT_F32                                                        \
     : (bn) % 64             ? GEMM_OUTS                                                           \
                             : GEMM_OUT_F32)

/* Where so many clusters share each tile, they add its parts together (sm90/together.cuh). From how
 * many on it is faster was measured: docs/EXPERIMENTS.md. They are at most as many as a warp has
 * lanes; their blocks at most as many as a Hopper GPU has SMs. */
enum { GEMM_TOGETHER = 5, GEMM_TOGETHER_MOST = 32 };
enum { GEMM_TOGETHER_BLOCKS = 144, GEMM_TOGETHER_WGS = 3 };
/* A workspace begins with so many bytes of flags, before the partial tiles. In them lies what
 * sharers tell each other by: a word for each warpgroup that has begun; then for each warpgroup a
 * word for each sharer. */
enum { GEMM_BEGUN_AT = 8192, GEMM_TOGETHER_AT = 10240, GEMM_FLAG_BYTES = 65536 };

/* A tensor map, 128 bytes, 128-byte aligned. */
struct
#ifdef __CUDACC__
    alignas(128)
#endif
        gemm_map {
    uint64_t word[16];
};

struct gemm_params {
    struct gemm_map a, b, d;
    union {
        struct gemm_map d_end; /* D in boxes of a tile's last columns, where those are fewer than
                                  64; or as far as the first tile of odd rows reaches (apart.c) */
        struct {               /* or, after Hopper, where the scale factors are: GEMM_SCALE_BYTES */
            uint64_t a_scales, b_scales;
            int32_t scale_tiles; /* along K */
        };
        struct { /* or, in a group of routed members with scales of blocks, where this one's are:
                    B's, and in the map of A's the first row and block of K */
            uint64_t b_blocks;
            int32_t first_row, first_block;
        };
    };
    /* Shape. Tiles are counted in units of a whole cluster's tile. */
    int32_t m, n, batch;
    int32_t k_blocks; /* of one split part */
    int32_t tiles_m, tiles_n;
    int32_t total; /* cluster tiles over the batch */
    int32_t group; /* cluster tiles of M walked before N advances */
    /* Configuration. */
    int32_t stages, panels; /* of the ring; of 8 KiB, of the output, a warpgroup */
    int32_t own_panels;     /* as many, or 0: they lie in the ring, which is idle by then */
    int32_t cluster_m, cluster_n;
    int32_t split;        /* blocks of a cluster that share one tile along K */
    int32_t deep;         /* clusters that share each tile, where all are shared alike; else 1 */
    int32_t together;     /* they add its parts together (sm90/together.cuh), and a warpgroup's
                             place in the ring has room for so many times 8 columns of each */
    int32_t clusters;     /* launched; the persistent stride */
    int32_t stream_tiles; /* the first so many tiles are dealt out by k-blocks, not whole */
    int32_t stream_share, stream_rest; /* k-blocks of every cluster, one more of the first `rest`;
                                          where `deep` is above 1, of those of one tile */
    uint64_t parts, flags; /* device addresses: a partial tile for every block; GEMM_FLAG_BYTES */
    int32_t transposed;    /* D is written column by column */
    int32_t out;           /* enum gemm_out */
    /* What the kernel was compiled for, as the host believes it: a mismatch is refused. */
    int32_t tile_m, tile_n, stage_bytes;
    /* What a stage's copies bring: less than the stage where an operand has fewer rows than a tile.
     */
    int32_t tx_bytes;
    /* D = alpha A B + beta C, C of D's type. */
    float alpha, beta;
    int64_t c_row_stride, c_batch_stride; /* elements */
    const void *c;
    /* D for ordinary stores. The copy engine clips a row at 16 bytes, not at an element: seen on an
     * H200, docs/GEMM.md. So where a row of D ends inside 16 bytes (ragged), threads write the
     * panels that reach the end. Strides in bytes. */
    void *d_address;
    int64_t d_row_bytes, d_batch_bytes;
    int32_t ragged;
    int32_t direct; /* D is stored by the warps, not by the copy engine */
    int32_t hand;   /* a warp beside the producer stores: store_warp.cuh */
    int32_t plain;  /* D is written the straight way (epilogue.cuh), if not GEMM_NOT_PLAIN */
    int32_t flip_k; /* odd rounds walk K backwards, into what L2 still holds */
    uint64_t load_policy, store_policy; /* L2 eviction, as the copy instructions encode it */
    volatile uint32_t *mailbox;
    uint32_t limit_ms;
    uint32_t fault; /* a planted fault, in builds that have them; above 16 bits a delay */
    /* A group's: so many members; at group_memory the parameters of each, made by
     * groups.cu, then the tiles up to and with each. */
    int32_t members;
    union {
        uint64_t group_memory;
        /* Or, of a single product, which place each cluster takes; kernels of groups read the
         * address alone. */
        struct gemm_turns turns;
    };
    union {
        uint32_t types; /* for tensor memory: the operands', as in the instruction descriptor */
        int32_t early;  /* of wgmma: so many slots of B, or where negative of A, are filled before
                           the predecessor has ended, by kernels of early.cuh */
        struct {        /* of wgmma's plain kernels, where odd rows of D are a batch of their own
                           (apart.c): its tiles begin so many columns earlier; it is the first
                           batch, not the second, and its rows begin with 1 */
            uint16_t odd_left, odd_first;
        };
    };
    int32_t first_k; /* of a routed member's, in the operands' maps */
};

/* Scale factors of 128 rows and four blocks of K: a tile of 32 rows of 16 bytes, of which byte 4 i
 * + j is the factor of row 32 i + the tile's and block j (the layout that tcgen05.mma has in tensor
 * memory, PTX ISA "block scaling", and cublasLt in memory). Tiles lie one after the other, along K,
 * then rows by rows, then matrix by matrix. */
enum { GEMM_SCALE_ROWS = 128, GEMM_SCALE_BYTES = 512 };

/* From one member's parameters in device memory to the next; maps are at multiples of 128. */
enum { GEMM_PARAM_BYTES = 768 };

/* The copy engine clips a stored row at this granularity: see d_address. */
enum { GEMM_CLIP_BYTES = 16 };

/* One product of a group as the kernel sees it, from which its parameters are made on the device.
 */
struct gemm_member {
    int32_t m, n, k, element_bytes; /* elements of the map, of which two of 4 bits are one */
    uint64_t a, b, c, d;
    int64_t a_row_bytes, b_row_bytes, d_row_bytes, c_row_stride;
};
/* Where its scale factors are, of kinds that have them; behind all the members. */
struct gemm_member_scales {
    uint64_t a, b;
    int64_t tiles; /* along K */
};

/* Barrier ids that the watchdog names. */
enum gemm_barrier {
    GEMM_FULL = 1,
    GEMM_EMPTY = 2,
    GEMM_DRAIN = 3,
    GEMM_PART = 4,
    GEMM_TURN = 5,
    GEMM_ANSWER = 6
};

#endif
