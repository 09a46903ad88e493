// The kernels that multiply a group of products with scales of blocks.
#include "groups_blocks.cuh"

#define GEMM_GROUP_BLOCKS(kind, wgs, bn)                                                           \
    GEMM_GROUP_BLOCKS_KERNEL(gemm_group_##kind##_##wgs##x##bn##_blocks,                            \
                             shape<GEMM_KIND_##kind, wgs, bn, false, false, true>)
#include "groups_routed.def"
