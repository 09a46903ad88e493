/* The kernels below the family: the ladder's first rungs, and the machine's ceilings. */
#ifndef BENCH_GEMM_RUNGS_H
#define BENCH_GEMM_RUNGS_H

#include "stand.h"

/* Microseconds a launch, or negative. rung: 0 and 1 the conservative 64x64x32 with one stage, alone
 * on its SM and as many as fit there; 2 a wide tile; 3 four stages. bf16 in, fp32 out; also checks
 * one launch against the family's result, and says how many blocks share an SM. */
enum { RUNGS = 4 };
double rung_time(struct stand *s, struct job *job, int rung, double ms, bool *right, int *blocks);
const char *rung_name(int rung);

/* TFLOP/s of the multiplies alone; TB/s of the GEMM's loads alone (bytes that land in shared
 * memory), with a cluster of cluster_m. */
double ceiling_multiply(struct stand *s, struct job *job, double ms);
double ceiling_stream(struct stand *s, struct job *job, int cluster_m, double ms);

#endif
