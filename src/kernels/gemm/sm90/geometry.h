/* How a product's shared memory is laid out, for the host that adds it up and the kernels that use
 * it: the ring's slots, each warpgroup's panels of output, every slot's barriers, then what one
 * kind of tile alone has. */
#ifndef TMAP_KERNELS_GEMM_SM90_GEOMETRY_H
#define TMAP_KERNELS_GEMM_SM90_GEOMETRY_H

enum {
    GEMM_SPAN_BYTES = 128, /* of K in a k-block, a row of the 128-byte swizzle */
    GEMM_SLAB_ROWS = 64,   /* of a warpgroup's multiply (wgmma), and of a panel */
    GEMM_PANEL_BYTES = GEMM_SLAB_ROWS * GEMM_SPAN_BYTES,
    GEMM_BLOCKS_BYTES = 1024, /* of a slot, where blocks are scaled: A's rows', then B's at */
    GEMM_B_SCALES_AT = 768,
    GEMM_ROWS_AT_ONCE = 4,    /* of A's scales are 16 bytes, where a copy begins */
    GEMM_SCALE_BLOCK = 128,   /* of K, and of N */
    GEMM_BARRIERS_BYTES = 16, /* a slot's two, full and empty */
    GEMM_TURNS_BYTES = 16,    /* a pingpong's two */
    GEMM_TALL_WGS = 3,        /* warpgroups of the tile without a producer (tall.cuh), */
    GEMM_TALL_COLUMNS = 256,  /* and its width */
    GEMM_FEEDER_BYTES = 80,   /* its loader's notes */
    GEMM_AGENDA_BYTES = 48,   /* and what each of its warps does next */
    GEMM_NOTES_BYTES = GEMM_FEEDER_BYTES + GEMM_TALL_WGS * 4 * GEMM_AGENDA_BYTES,
    GEMM_PATCH_TAPS = 3,   /* of a filter's row, which read one box of pixels (patches.cuh), */
    GEMM_PATCH_ROWS = 160, /* and the most pixels that it has */
    /* Columns of a promoted tile, at most, that has two sets of partial sums. */
    GEMM_TWO_SETS_COLUMNS = 136,
    GEMM_MANY_SUMS = 136,  /* of a thread: leave no register for C or its own stores */
    GEMM_WIDE_SUMS = 128,  /* beside an epilogue: none for a split's parts */
    GEMM_PRECISE_SUMS = 64 /* of a thread, at most, where an activation is good to fp32 */
};

#endif
