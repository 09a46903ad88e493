/* What the host hands to a kernel of decode attention: one struct, by value, read by C and by CUDA.
 * Also the geometry that both count on. */
#ifndef TMAP_KERNELS_PAGED_PARAMS_H
#define TMAP_KERNELS_PAGED_PARAMS_H

#include <stdint.h>

/* A slot of the ring holds K and V of so many tokens; each warp that multiplies has its share of
 * them, and rows for so many heads. */
#define PAGED_TOKENS 64
#define PAGED_WARPS 4
#define PAGED_ROWS 16
/* Swizzled rows in shared memory: a head's elements lie in so many pieces of them. */
#define PAGED_SPAN 64 /* elements of 16 bits */
#define PAGED_SPAN_BYTES 128
#define PAGED_SLOT_ALIGN 1024
#define PAGED_MAX_STAGES 8
/* One warp loads, the others multiply. */
#define PAGED_THREADS (32 * (PAGED_WARPS + 1))

#ifdef __CUDACC__
#define PAGED_ALIGN alignas(128)
#else
#define PAGED_ALIGN _Alignas(128)
#endif

struct paged_map {
    PAGED_ALIGN uint64_t word[16];
};

/* Strides in elements. */
struct paged_params {
    struct paged_map k, v;
    uint64_t query, output;
    int64_t query_stride, query_head_stride, output_stride, output_head_stride;
    const int32_t *lengths, *table;
    int64_t table_stride;
    float *parts;       /* of split sequences: output, maximum, sum of each head */
    uint32_t *arrivals; /* one count for each request and kv head, 0 before and after a launch */
    uint64_t load_policy;
    float scale_log2; /* scores count in powers of two */
    uint32_t kv_heads, group, pages, page_size, box_log2, max_tokens;
    uint32_t splits, split_tokens;
    uint32_t stages, tx_bytes;
    uint32_t fault;
    volatile uint32_t *mailbox;
    uint32_t limit_ms;
};

/* Barriers that the watchdog names. */
enum { PAGED_FULL = 1, PAGED_EMPTY = 2 };

/* Bytes of a slot for heads of dim elements; of what lies behind the slots: barriers, each warp's
 * maxima and sums, a word that says who comes last. */
#define PAGED_SLOT_BYTES(dim) (2 * PAGED_TOKENS * (dim)*2)
#define PAGED_TAIL_BYTES (16 * PAGED_MAX_STAGES + 2 * PAGED_WARPS * PAGED_ROWS * 4 + 16)
/* Floats of one head's part. */
#define PAGED_PART(dim) ((dim) + 2)

#endif
