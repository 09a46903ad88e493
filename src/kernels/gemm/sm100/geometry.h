/* How a product's shared memory is laid out on the chips with tensor memory, for the host that adds
 * it up and the kernels that use it: the ring's slots, the panels of output, every slot's barriers,
 * then the accumulators' and the address of their columns. */
#ifndef TMAP_KERNELS_GEMM_SM100_GEOMETRY_H
#define TMAP_KERNELS_GEMM_SM100_GEOMETRY_H

enum {
    TENSOR_SPAN_BYTES = 128, /* of K in a k-block, a row of the 128-byte swizzle */
    TENSOR_ROWS = 128,       /* of a block's part of a tile: the lanes of tensor memory */
    TENSOR_PANEL_BYTES = TENSOR_ROWS * TENSOR_SPAN_BYTES,
    TENSOR_SLOT_BYTES = 16, /* a slot's two barriers, full and empty */
    TENSOR_COLUMNS = 512,   /* of tensor memory, all of them */
    TENSOR_BUFFERS = 2,     /* accumulators: one is stored while the other is summed */
    TENSOR_WIDEST_SCALED =
        128, /* columns of one, with factors; of more there is room for one alone */
    TENSOR_SLOT_ALIGN = 1024,  /* a slot's, as the swizzle of 128 bytes repeats */
    TENSOR_NOTES_BYTES = 64,   /* their barriers, and where their columns begin */
    TENSOR_ANSWERS_BYTES = 64, /* answers of clusterlaunchcontrol, and their barriers */
    TENSOR_THREADS = 256,      /* warps 0 to 3: loads, multiplies; 4 to 7: the epilogue */
    TENSOR_STORE_WARPS = 4
};

#endif
