/* The shipped suites on the emulator: opened without a GPU, and small problems for them. */
#ifndef TMAP_TESTS_EMULATED_SUITES_H
#define TMAP_TESTS_EMULATED_SUITES_H

#include "kernels/copy/suite.h"
#include "kernels/gemm/suite.h"
#include "support/emulated.h"

/* "B"'s PTX of a source, "src/kernels/copy/copy"; false when it is not there: no nvcc. */
bool emulated_ptx(const char *source);
/* Says that the tests of a name are skipped for that; 0, what their program returns. */
int emulated_skip(const char *name);

/* Suites on the emulated driver; one of them at a time. Freed by emulated_close(). */
struct tmap_copy *emulated_copy_suite(void);
struct tmap_gemm *emulated_gemm_suite(void);
struct tmap_gemm *emulated_gemm_suite_for(int cc_major, int cc_minor);
/* With as many SMs, and clusters that fit, as an H200 has. */
void emulated_as_h200(struct tmap_gemm *suite);
/* Such a suite for the tests of a name; NULL where this build has no PTX of the source, which is
 * printed as a skip. */
struct tmap_gemm *emulated_h200_suite(const char *source, const char *name);
/* The configuration that drawn picks of those the instance has for the problem and the request;
 * false when it has none. */
bool emulated_gemm_pick(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                        const struct tmap_gemm_config *request,
                        const struct gemm_instance *instance, uint32_t drawn,
                        struct tmap_gemm_config *out);

/* One small copy and what it has to leave. */
struct emulated_copy {
    struct tmap_copy_problem problem;
    struct tmap_copy_config config;
    uint64_t dst_bytes;
    uint8_t *expected;
    struct tmap_copy_matrix list[8];
};
/* Draws a problem of the kind; rank counts for tiles, adds and im2col. */
void emulated_copy_draw(struct tmap_copy *suite, int32_t kind, uint32_t rank, uint64_t seed,
                        struct emulated_copy *out);
void emulated_copy_free(struct tmap_copy *suite, struct emulated_copy *c);
/* The first byte that is wrong after a run; dst_bytes when all are right. */
uint64_t emulated_copy_wrong(const struct emulated_copy *c);

/* A product of integers -2 .. 1, or of normal numbers, and its plain sums. */
enum emulated_fill { EMULATED_INTEGERS, EMULATED_NORMAL };
struct emulated_product {
    struct tmap_gemm_problem problem;
    double *expected, *size; /* size: of an element, the sum of its products' magnitudes */
};
bool emulated_product_fill(struct tmap_gemm *suite, const struct tmap_gemm_problem *shape,
                           uint64_t seed, enum emulated_fill fill, struct emulated_product *out);
/* The same, of integers. */
bool emulated_product_make(struct tmap_gemm *suite, const struct tmap_gemm_problem *shape,
                           uint64_t seed, struct emulated_product *out);
/* D's bytes as they have to be after a run, of small integers; NULL of fp16. The caller's to free.
 */
uint8_t *emulated_product_bytes(const struct emulated_product *p, size_t *bytes);
/* Elements of D that are wrong, and bytes written between the ends of its rows and the next ones.
 */
uint64_t emulated_product_wrong(const struct emulated_product *p);
/* The largest |difference| / size; NaN where a result is, or where bytes between rows are written.
 */
double emulated_product_worst(const struct emulated_product *p);
/* C's part of element i, for a beta of 1. */
double emulated_product_addend(const struct emulated_product *p, int64_t i);
void emulated_product_free(struct tmap_gemm *suite, struct emulated_product *p);

#endif
