/* Products with an epilogue: what it costs over the plain product, and beside the vendor's own. */
#ifndef BENCH_GEMM_FINISHED_H
#define BENCH_GEMM_FINISHED_H

#include "law.h"
#include "stand.h"

/* Steps by name: "bias", "gelu" (after a bias), "relu" (after a bias), and what the vendor has not:
 * "silu", "scales", "second", "amax". Each beside the plain product, in turn, in slices of `ms`, at
 * the shape of `like`, or at two shapes where its m is 0. `like` gives kind and out, too. */
void finished_cost(struct stand *s, const struct tmap_gemm_problem *like, double ms);

/* bias, gelu and relu over `count` drawn shapes of whole rows: our pick, the quickest of the
 * tuner's and the best of the vendor's first 16 heuristics, cold, in turn. */
void finished_compare(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                      int count, double seconds);

/* Gives a problem a step by name, of memory that the stand has and that this prepares, and D's type
 * where the step asks for one; no step for another word. */
void finished_set(struct stand *s, struct tmap_gemm_problem *p, const char *step);

/* The first configurations by the model of a product with a step (bias, gelu, ...; any other word:
 * none), each timed and printed with what the model expects. */
void finished_sweep(struct stand *s, const struct tmap_gemm_problem *shape, const char *step,
                    double ms, int most);

#endif
