/* What the verifier of products (verify.c) and that of groups (verify_groups.c) share. */
#ifndef TMAP_KERNELS_GEMM_VERIFY_H
#define TMAP_KERNELS_GEMM_VERIFY_H

#include "kernels/gemm/sm90/probe.h"
#include "kernels/gemm/suite.h"

enum { MOST_BUFFERS = 20 };

/* Device memory of one verification; after a failed call nothing more is done. */
struct bench {
    struct tmap_gemm *suite;
    const struct tmap_libcuda *api;
    tmap_cu_deviceptr buffer[MOST_BUFFERS];
    int buffers;
    tmap_cu_deviceptr result;
    bool failed;
};

/* What is multiplied, as the verifier's kernels see it. */
struct product {
    struct tmap_gemm_problem problem;
    struct probe_matrix a, b, c, d;
    tmap_cu_deviceptr d_base;
    int64_t d_bytes; /* with its guard bands */
    struct probe_epilogue epilogue;
    struct probe_blocks blocks;
    struct probe_conv conv;
    int64_t second_bytes;
};

/* Poisoned memory that the bench gives back at its end; 0: failed. */
tmap_cu_deviceptr verify_allocate(struct bench *b, int64_t bytes);
/* What the comparing kernels wrote since the last time. */
struct probe_result verify_fetch(struct bench *b);
/* The operands, filled; D between guard bands. */
void verify_prepare(struct bench *b, const struct tmap_gemm_case *what, struct product *p);
/* D's elements, and the bytes that are none. */
void verify_compare(struct bench *b, const struct tmap_gemm_case *what, const struct product *p,
                    struct tmap_gemm_outcome *o);
void verify_guard(struct bench *b, const struct product *p, struct tmap_gemm_outcome *o);
/* What the family does not multiply its probe need not know. */
enum tmap_status verify_refuse_kind(struct tmap_gemm *suite, const struct tmap_gemm_case *what,
                                    struct tmap_gemm_refusal *refusal);

#endif
