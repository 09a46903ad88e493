/* What the host has to know of the kernels of mma.sync beyond their layout, which is Hopper's. */
#ifndef TMAP_KERNELS_GEMM_SM120_GEOMETRY_H
#define TMAP_KERNELS_GEMM_SM120_GEOMETRY_H

enum {
    WARPS_WIDEST_EITHER_WAY = 64 /* of tiles with an epilogue: D by rows or by columns */
};

#endif
