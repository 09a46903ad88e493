/* Ours beside the vendor's best on drawn shapes, cold; and timings to fit the model to. */
#ifndef BENCH_GEMM_DRAWN_H
#define BENCH_GEMM_DRAWN_H

#include "law.h"
#include "stand.h"

/* `like` gives kind, out and precise. Shapes of the test half for about so many seconds or `count`
 * of them: the model's pick, what tmap_gemm_tune() finds among GEMM_TRIALS and how long that takes,
 * and the best of the vendor's first 16 heuristics, each also as the best of its own three, in
 * turn. */
void drawn_compare(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed, int count,
                   double seconds);

/* Shapes of the fitting half: a diverse set of configurations, and the vendor's best. */
void drawn_fit(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
               double seconds);

/* The same shapes: the model's first choices, each with two ways of sharing shared memory between
 * the ring and the panels of D. */
void drawn_panels(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                  double seconds);

/* Shapes of the fitting half of whole rows, 6 us to 1 ms by the device's rates: the model's first
 * choices, and of every kernel some; nothing of the vendor's. blocks: with scales of blocks. */
void drawn_likely(struct stand *s, const struct tmap_gemm_problem *like, bool blocks, uint64_t seed,
                  double seconds);

/* Shapes of the test half, each searched whole: the pick beside the best of the family. */
void drawn_exhaust(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                   double seconds);

/* The next shape of the half for reporting (test) or of the other one, as a product like `like`;
 * with LONG_ONES in the environment only what those runs take. */
struct tmap_gemm_problem drawn_next(struct law *law, const struct tmap_gemm_problem *like,
                                    bool test);

#endif
