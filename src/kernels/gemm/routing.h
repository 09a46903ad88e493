/* Members of a group whose sizes the device alone knows: what the host says of all of them, read by
 * C and by CUDA. */
#ifndef TMAP_KERNELS_GEMM_ROUTING_H
#define TMAP_KERNELS_GEMM_ROUTING_H

#include "kernels/gemm/epilogue.h"

/* As enum tmap_gemm_form. */
enum gemm_form { GEMM_FORM_ROWS, GEMM_FORM_PADDED, GEMM_FORM_K, GEMM_FORMS };

struct gemm_routing {
    struct gemm_member first; /* as the kernel sees it, with all rows or all of K */
    int32_t form, total;      /* the most rows, or K, of which ends count */
    int32_t swapped;          /* the routed rows are the kernel's columns */
    int32_t a_mn, b_mn;
    int32_t k_at_once; /* copies begin at a multiple of so many numbers of K */
    int32_t out_bytes;
    int64_t a_step, b_step, c_step, d_step; /* bytes from one member's to the next one's */
    uint64_t ends;                          /* int32, one a member */
    /* Of scales of blocks: rows of B's, and blocks of K in A's, from member to member. */
    int64_t b_blocks_step;
    int32_t first_block_step;
};

#ifdef __CUDACC__
#define GEMM_ALIGNED alignas(128)
#else
#define GEMM_ALIGNED _Alignas(128)
#endif
struct gemm_routed_params {
    struct gemm_params product;
    GEMM_ALIGNED struct gemm_blocks blocks;
    GEMM_ALIGNED struct gemm_routing routing;
};
#undef GEMM_ALIGNED

#endif
