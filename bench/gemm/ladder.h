/* What each step from the simplest kernel on gains (docs/EXPERIMENTS.md). */
#ifndef BENCH_GEMM_LADDER_H
#define BENCH_GEMM_LADDER_H

#include "stand.h"

/* At a square of so many rows, bf16 with D of fp32: the rungs below the family, then the family's
 * steps by configuration, a line for each, in slices of ms. */
void ladder(struct stand *s, int n, double ms);

#endif
