/* copy.h : the copy kernels: global memory to global memory through the copy engine.
 *
 * A problem says what to copy, a plan how: the descriptors, checked against every row and encoded
 * by tmap itself, the box, the ring. A kernel refuses a plan that does not fit it, and says why.
 * Part of kernels.h; the same rules hold: machine code for sm_90a inside the library, the driver
 * loaded at run time, a stream is a CUstream as a pointer.
 */
#ifndef TMAP_COPY_H
#define TMAP_COPY_H

#include "tmap/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels, loaded into one device's primary context. One thread at a time may open, plan or
 * close a suite. Ready plans run from any thread, on any streams at once. */
struct tmap_copy;

/* tmap_copy_open() : how may be NULL. why: a sentence about what was missing (cap bytes; may be
 * NULL with cap 0). The calling thread's context stays its own (launch.h). Errors:
 * TMAP_E_NOT_BUILT, TMAP_E_NO_DRIVER, TMAP_E_NO_DEVICE (none, or one that this build has no kernels
 * for: they are for compute capability 9.0 unless it was made with COPY_ARCHES), TMAP_E_DRIVER,
 * TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_copy_open(const struct tmap_open *how, struct tmap_copy **out,
                                         char *why, size_t cap);
TMAP_API void tmap_copy_close(struct tmap_copy *suite);

enum tmap_copy_kind {
    TMAP_COPY_BULK = 0,      /* dim[0] elements, contiguous; no descriptor */
    TMAP_COPY_TILE = 1,      /* a tensor, any strides at both ends */
    TMAP_COPY_ADD = 2,       /* the same, added to what is there */
    TMAP_COPY_TRANSPOSE = 3, /* rank 2: dst[c][r] = src[r][c]; dim[0] columns of src, dim[1] rows */
    TMAP_COPY_IM2COL = 4,    /* rank 3 to 5 image {C, W, [H, [D,]] N} to a matrix of patches */
    TMAP_COPY_PAGES = 5,     /* pages by a table, the page a dimension: {page elements, pages} */
    TMAP_COPY_PAGES_AT = 6,  /* the same, by computed addresses */
    TMAP_COPY_BROADCAST = 7, /* rank 3, to `copies` destinations, by multicast in a cluster */
    TMAP_COPY_LIST = 8,      /* matrices of one width, a pair of descriptors each */
    TMAP_COPY_PATCHED = 9,   /* the same, descriptors patched on the device */
    TMAP_COPY_KINDS = 10
};

/* One matrix of a list: rows rows of the problem's dim[0] elements. */
struct tmap_copy_matrix {
    uint64_t src, dst;
    uint64_t rows;
};

/* What is to be copied. Strides in bytes, stride[i] of dimension i + 1, multiples of 16; 0 in
 * stride[0] means dense. dim as the kind says. */
struct tmap_copy_problem {
    int32_t kind, dtype; /* enum tmap_copy_kind, tmap_dtype */
    uint32_t rank;
    uint64_t dim[TMAP_MAX_RANK];
    uint64_t src, dst; /* device addresses */
    uint64_t src_stride[TMAP_MAX_RANK - 1], dst_stride[TMAP_MAX_RANK - 1];
    uint64_t index; /* pages: device address of int32 page numbers, page_count of them */
    uint64_t page_count;
    uint32_t copies;            /* broadcast: 2 or 4, destinations copy_stride bytes apart */
    uint64_t copy_stride;       /* bytes from one destination to the next */
    int32_t lower[3], upper[3]; /* im2col: the bounding box, as encoded */
    uint32_t taps[3];           /* filter positions along W, H, D; 0 counts as 1 */
    uint32_t tap_step[3];       /* dilation; 0 counts as 1 */
    uint32_t pixel_step[3];     /* convolution stride; 0 counts as 1 */
    const struct tmap_copy_matrix
        *list; /* host memory, list_count of them, one shared pitch each */
    uint32_t list_count;
};

/* How it is done. Zero in any member of a request leaves the choice to the plan. */
struct tmap_copy_config {
    uint32_t box[TMAP_MAX_RANK];
    uint32_t slot_bytes; /* aimed at; the box decides */
    uint32_t stages;
    uint32_t blocks_per_sm;
    int32_t swizzle;                    /* of both maps: what passes through keeps its bytes */
    uint32_t load_policy, store_policy; /* enum tmap_cache_policy */
    uint32_t keep_type;                 /* 1: no wider element type for the same bytes */
    uint32_t fault;                     /* control builds only: a planted fault */
};

#define TMAP_COPY_PARAM_WORDS 112

/* A ready plan: caller-owned plain data, valid while the suite is open; run it any number of times.
 * Everything may be read, nothing written. */
struct tmap_copy_plan {
    struct tmap_copy_problem problem;
    struct tmap_copy_config config;
    struct tmap_desc desc[2]; /* source, destination; rank 0 where there is none */
    uint64_t moved_bytes;     /* read plus written, each byte once */
    uint32_t grid, threads, cluster, smem_bytes;
    uint32_t tx_bytes, tiles;
    const char *kernel;
    void *function;
    struct tmap_copy *suite;
    uint64_t buffer; /* device memory of a list; freed by tmap_copy_release */
    uint64_t params[TMAP_COPY_PARAM_WORDS];
};

/* tmap_copy_make_plan() : chooses, checks, encodes. request NULL: nothing fixed. violation: the row
 * that refused a descriptor (row TMAP_NO_ROW when none did); may be NULL; tmap_copy_refusal() says
 * the same as text. Errors: TMAP_E_ARGUMENT (no such kind, a zero dimension, bytes or addresses
 * that are not multiples of 16), TMAP_E_ILLEGAL (a descriptor violates a row), TMAP_E_NO_PLAN
 * (nothing fits the request), TMAP_E_MEMORY, TMAP_E_DRIVER. */
TMAP_API enum tmap_status tmap_copy_make_plan(struct tmap_copy *suite,
                                              const struct tmap_copy_problem *problem,
                                              const struct tmap_copy_config *request,
                                              struct tmap_copy_plan *plan,
                                              struct tmap_violation *violation);
/* tmap_copy_refusal() : why the last tmap_copy_make_plan() of this suite failed, with the member or
 *  the row and what it may be; "" when it did not. Valid until the next one, of any thread. */
TMAP_API const char *tmap_copy_refusal(const struct tmap_copy *suite);
/* tmap_copy_release() : frees the device memory of a list's plan; does nothing for other plans, a
 *  released one and NULL. No run of the plan may be under way. */
TMAP_API void tmap_copy_release(struct tmap_copy_plan *plan);

/* tmap_copy_run() : one launch on the stream (NULL: the default one); does not wait. Counters that
 * its blocks share are the stream's, or the stream's within a capture: a graph may be launched
 * while the stream continues. One capture instantiated twice must not have both of its graphs
 * running at once, and a plan of a list must not run twice at once. Errors: TMAP_E_DRIVER,
 * TMAP_E_MEMORY (more than 256 streams and captures). */
TMAP_API enum tmap_status tmap_copy_run(const struct tmap_copy_plan *plan, void *stream);

/* What a kernel's watchdog or its own check reported before it trapped. */
struct tmap_copy_report {
    uint32_t what; /* 0 nothing, 1 a wait ran out, 2 the plan does not fit the kernel */
    uint32_t id;   /* the barrier (1 full, 2 empty), or what does not fit (docs/COPY.md) */
    uint32_t slot, parity, block, thread;
};

/* tmap_copy_last_report() : readable also after the context has failed. */
TMAP_API struct tmap_copy_report tmap_copy_last_report(const struct tmap_copy *suite);

/* --- measured against plain kernels ----------------------------------------------------------- */

/* One case of the suite, run and timed on this GPU. Bandwidths count moved_bytes (each byte read
 * and each byte written once) in GB/s; medians of `repeats` launches that take turns. */
struct tmap_copy_result {
    const char *name, *kernel, *reference;
    uint64_t moved_bytes;
    uint64_t
        wrong_words; /* 8-byte words that differ from what the reference wrote, padding included */
    double copy_gbs; /* the suite's kernel */
    double copy_low_gbs, copy_high_gbs; /* its 10th and 90th percentile */
    double reference_gbs;               /* 16-byte loads and stores by threads */
    double conservative_gbs; /* the conservative shape: a small box, one stage; 0 where there is
                                none */
    double memcpy_gbs;       /* cuMemcpyDtoDAsync of moved_bytes / 2 */
    struct tmap_copy_plan plan;
};

/* tmap_copy_case() : the name of case i; NULL at the end. */
TMAP_API const char *tmap_copy_case(size_t i);

/* tmap_copy_measure() : verifies and times case i with about `bytes` of input. request may be NULL.
 *  Errors: those of tmap_copy_make_plan() and tmap_copy_run(); TMAP_E_MEMORY when the device has
 * not enough. */
TMAP_API enum tmap_status tmap_copy_measure(struct tmap_copy *suite, size_t i, uint64_t bytes,
                                            uint32_t repeats,
                                            const struct tmap_copy_config *request,
                                            struct tmap_copy_result *out);

#ifdef __cplusplus
}
#endif
#endif
