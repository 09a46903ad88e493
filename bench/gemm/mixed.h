/* Weights of 4 and 8 bits with activations of 16, beside the memory's rate. */
#ifndef BENCH_GEMM_MIXED_H
#define BENCH_GEMM_MIXED_H

#include "stand.h"

/* A line for each way to have weights, rows of activations and size: median of five slices of ms
 * each, in turn, beside bf16 weights; ratio: of what reading everything once takes at 4.3 TB/s; and
 * the same where every problem knows the next. overlap: of the requests (struct tmap_gemm_config).
 */
void mixed_bench(struct stand *s, double ms, int32_t overlap);

/* The same of so many layers of public models, drawn by a seed, at 1, 8 and 16 rows, overlap 1. */
void mixed_layers(struct stand *s, double ms, int count, uint64_t seed);

#endif
