/* Host time of a launch through the plan, and of the same launch made by hand. */
#ifndef BENCH_GEMM_OVERHEAD_H
#define BENCH_GEMM_OVERHEAD_H

#include "stand.h"

void overhead(struct stand *s);

#endif
