/* A group of products in one launch beside one launch for each member. */
#ifndef BENCH_GEMM_GROUPED_H
#define BENCH_GEMM_GROUPED_H

#include "stand.h"

/* `count` experts with weights of like->n columns and like->k rows each; `each` rows of input
 * apiece, or (not even) so many on the average. Prints a line; `ms` a slice, five of each kind. */
void grouped_time(struct stand *s, const struct tmap_gemm_problem *like, int count, int each,
                  bool even, double ms);

#endif
