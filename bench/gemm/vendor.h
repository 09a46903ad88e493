/* cublasLt as the opponent, loaded at run time. */
#ifndef BENCH_GEMM_VENDOR_H
#define BENCH_GEMM_VENDOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tmap/kernels.h"

#define VENDOR_MAX_ALGOS 160

struct vendor;

/* NULL where the library (or, in a build without its header, everything) is missing. */
struct vendor *vendor_open(const char **why);
void vendor_close(struct vendor *v);

/* Sets up D = A B of the problem (alpha 1, beta 0; batch 1; of an epilogue a bias by column, ReLU
 * and GELU by tanh); returns how many algorithms the
 * heuristics offer. fp8: fast accumulation is the opposite of problem->precise. */
int vendor_prepare(struct vendor *v, const struct tmap_gemm_problem *problem, uint64_t workspace,
                   uint64_t workspace_bytes);

/* One launch of one of them; 0 is success. */
int vendor_run(struct vendor *v, const struct tmap_gemm_problem *problem, int algo, void *stream);

#define VENDOR_TEXT 96

/* What the library says an algorithm is: tile, k and stages, cluster, parts of K, all for its own
 * column-major product, whose M is our N. */
void vendor_describe(struct vendor *v, int algo, char text[VENDOR_TEXT]);
void vendor_done(struct vendor *v);

#endif
