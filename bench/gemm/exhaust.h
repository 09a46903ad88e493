/* The plan that the model picks beside the best of the whole family. */
#ifndef BENCH_GEMM_EXHAUST_H
#define BENCH_GEMM_EXHAUST_H

#include "stand.h"

/* Every configuration in a short slice, the best of them in longer ones, the best of those and the
 * model's pick and the vendor's best in steady ones, in turn: so that the best is not the luckiest
 * of hundreds. Prints `brief` lines (first slices), `steady` lines, and an `exhaust` line. Returns
 * the best one's time over the pick's, or 0 where something failed. */
double exhaust_shape(struct stand *s, const struct tmap_gemm_problem *shape);

#endif
