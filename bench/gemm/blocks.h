/* e4m3 by the ways to scale it, beside each other. */
#ifndef BENCH_GEMM_BLOCKS_H
#define BENCH_GEMM_BLOCKS_H

#include "stand.h"

/* A line a way: median of five slices of ms each, in turn, of a tuned plan. */
void blocks_time(struct stand *s, const struct tmap_gemm_problem *shape, double ms);

#endif
