/* Products of few rows without and with the promise that B is ready (tmap_gemm_problem). */
#ifndef BENCH_GEMM_PROMISE_H
#define BENCH_GEMM_PROMISE_H

#include "stand.h"

/* `like` gives kind and out. One after the other and the vendor's best in turn, seven slices of
 * `ms`; the plans are the model's. */
void promise(struct stand *s, const struct tmap_gemm_problem *like, double ms);

#endif
