/* Energy of a product: ours beside the vendor's best, in slices that the meter can resolve. */
#ifndef BENCH_GEMM_JOULES_H
#define BENCH_GEMM_JOULES_H

#include "stand.h"

/* A line each of the pick, of `count` other configurations and of the vendor's best: microseconds a
 * run, clock, watts and joules a run, medians over three slices of `seconds` in turn. */
void joules_shape(struct stand *s, const struct tmap_gemm_problem *shape, double seconds,
                  char *const *configs, int count);

#endif
