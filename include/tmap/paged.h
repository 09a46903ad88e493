/* paged.h : decode attention over paged K and V, read through tensor maps.
 *
 * One query token of each request against all tokens of its sequence, whose K and V lie in pages
 * that a table names. One map of all pages serves each of K and V, with the page as a coordinate.
 * Part of kernels.h; the same rules hold: machine code for sm_90a inside the library, the driver
 * loaded at run time, a stream is a CUstream as a pointer.
 */
#ifndef TMAP_PAGED_H
#define TMAP_PAGED_H

#include "tmap/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels, loaded into one device's primary context. One thread at a time may open, plan or
 * close a suite. Ready plans run from any thread, on any streams at once. */
struct tmap_paged;

/* tmap_paged_open() : how may be NULL. why: a sentence about what was missing (cap bytes; may be
 * NULL with cap 0). The calling thread's context stays its own (launch.h). Errors:
 * TMAP_E_NOT_BUILT, TMAP_E_NO_DRIVER, TMAP_E_NO_DEVICE (none, or not compute capability 9.0),
 * TMAP_E_DRIVER, TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_paged_open(const struct tmap_open *how, struct tmap_paged **out,
                                          char *why, size_t cap);
TMAP_API void tmap_paged_close(struct tmap_paged *suite);

/* The type of queries, K, V and outputs. Scores, weights and sums are in fp32; weights are rounded
 * to the type before they multiply V. */
enum tmap_paged_kind { TMAP_PAGED_BF16 = 0, TMAP_PAGED_F16 = 1 };

/* K or V: element d of a head's token t in a page is at
 * page page_stride + head head_stride + t token_stride + d, strides in elements. */
struct tmap_paged_cache {
    uint64_t address;
    int64_t page_stride, head_stride, token_stride;
};

/* How caches lie, outermost first. tmap_paged_lay_out() makes the strides, and the addresses of
 * what lies in one allocation. */
enum tmap_paged_layout {
    TMAP_PAGED_NHD = 0,         /* each [pages, page_size, heads, dim] */
    TMAP_PAGED_HND = 1,         /* each [pages, heads, page_size, dim] */
    TMAP_PAGED_STACKED_NHD = 2, /* [2, pages, page_size, heads, dim] */
    TMAP_PAGED_STACKED_HND = 3, /* [2, pages, heads, page_size, dim] */
    TMAP_PAGED_JOINED_NHD = 4,  /* [pages, 2, page_size, heads, dim] */
    TMAP_PAGED_JOINED_HND = 5,  /* [pages, 2, heads, page_size, dim] */
    TMAP_PAGED_LAYOUTS = 6
};

/* For request r and query head h, which reads kv head h / (heads / kv_heads):
 *   output[r][h] = sum over its tokens of softmax(scale query[r][h] . K) V
 * of lengths[r] tokens; token t is token t mod page_size of page table[r][t / page_size]. A request
 * without tokens has an output of zeros. The device reads lengths and the table at every run: a
 * length below 0 counts as 0, one above table_pages page_size as that, and a page that is not in
 * 0 .. pages - 1 as one of zeros. Entries behind a sequence's last page are not read, and what a
 * page holds behind the sequence's last token does not matter. */
struct tmap_paged_problem {
    int32_t kind;                        /* enum tmap_paged_kind */
    int32_t requests, heads, kv_heads;   /* heads: of the queries, at most 16 to a kv head */
    int32_t dim;                         /* of a head: 64 or 128 */
    int32_t pages, page_size;            /* of the caches; tokens of a page */
    int32_t table_pages;                 /* entries of a row of the table */
    float scale;                         /* 0: 1 / sqrt(dim) */
    uint64_t query, output;              /* at multiples of 4 bytes */
    int64_t query_stride, output_stride; /* elements from one request to the next, even; 0: dense */
    int64_t query_head_stride, output_head_stride; /* from one head to the next; 0: dense */
    struct tmap_paged_cache k, v;
    uint64_t lengths;     /* an int32 for each request */
    uint64_t table;       /* int32s, rows of table_pages, */
    int64_t table_stride; /* so many entries apart; 0: dense */
    uint64_t workspace;   /* device memory of tmap_paged_workspace_bytes(), its first part zeroed
                             once, at a multiple of 16; 0: sequences are not split. Plans that share
                             one must run one after the other. */
};

/* How it is computed. Zero leaves the choice to the plan. */
struct tmap_paged_config {
    uint32_t splits;     /* blocks that may share one request's tokens */
    uint32_t stages;     /* of the ring: 64 tokens of K and V each */
    int32_t load_policy; /* enum tmap_cache_policy */
};

#define TMAP_PAGED_PARAM_WORDS 64

/* A ready plan: caller-owned plain data, valid while the suite is open; run it any number of times.
 * Everything may be read, nothing written. */
struct tmap_paged_plan {
    struct tmap_paged_problem problem;
    struct tmap_paged_config config;
    struct tmap_desc desc[2]; /* of K and V: piece of a head, token, piece, head, page */
    uint32_t box_tokens;      /* of one copy: the largest power of two, up to 64, that divides
                                 page_size */
    uint32_t split_tokens;    /* of one block */
    uint32_t grid, threads, smem_bytes;
    void *function;
    const struct tmap_paged *suite;
    uint64_t params[TMAP_PAGED_PARAM_WORDS];
};

/* Why a plan was refused: the row that a map or its use violates. */
struct tmap_paged_refusal {
    char operand; /* 'K', 'V', or 0 when no row is to blame */
    struct tmap_violation violation;
    char text[160];
};

/* tmap_paged_lay_out() : fills in the strides of problem->k and v, and v's address from k's where
 * both lie in one allocation. Sizes must be filled in. Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_paged_lay_out(struct tmap_paged_problem *problem,
                                             enum tmap_paged_layout layout);

/* tmap_paged_workspace_bytes() : what a plan of this problem can need; the first
 *  tmap_paged_zeroed_bytes() of it must be zero before its first run, and are after each. */
TMAP_API size_t tmap_paged_workspace_bytes(const struct tmap_paged *suite,
                                           const struct tmap_paged_problem *problem);
TMAP_API size_t tmap_paged_zeroed_bytes(const struct tmap_paged_problem *problem);

/* tmap_paged_make_plan() : chooses, checks, encodes. request may be NULL, refusal too. Errors:
 *  TMAP_E_ARGUMENT (a number out of its range), TMAP_E_ILLEGAL (a map or its use violates a row:
 *  refusal names it), TMAP_E_NO_PLAN (the request does not fit), TMAP_E_DRIVER. */
TMAP_API enum tmap_status tmap_paged_make_plan(struct tmap_paged *suite,
                                               const struct tmap_paged_problem *problem,
                                               const struct tmap_paged_config *request,
                                               struct tmap_paged_plan *plan,
                                               struct tmap_paged_refusal *refusal);

/* tmap_paged_run() : one launch on the stream (NULL: the default one); does not wait. Errors:
 * TMAP_E_DRIVER. */
TMAP_API enum tmap_status tmap_paged_run(const struct tmap_paged_plan *plan, void *stream);

/* What a kernel's watchdog reported before it trapped. */
struct tmap_paged_report {
    uint32_t what;    /* 0 nothing, 1 a wait ran out */
    uint32_t barrier; /* 1: for a slot to be full, 2: to be empty */
    uint32_t slot, parity, block, thread;
};

/* tmap_paged_last_report() : readable also after the context has failed. */
TMAP_API struct tmap_paged_report tmap_paged_last_report(const struct tmap_paged *suite);

#ifdef __cplusplus
}
#endif
#endif
