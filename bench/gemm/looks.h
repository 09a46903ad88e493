/* What a tuner's short looks are worth: every configuration of drawn shapes, timed several ways. */
#ifndef BENCH_GEMM_LOOKS_H
#define BENCH_GEMM_LOOKS_H

#include "stand.h"

/* Shapes of the fitting half for about so many seconds. A line for each configuration, in the
 * model's order, then some neighbours of the quickest:
 *
 *   L M N K RANK NEIGHBOUR COST LOOK LOOK RUNS COLD COLD HOT HOT CONFIG
 *
 * NEIGHBOUR: -, or what was changed of a configuration. COST: the model's. LOOK: of 0.3 ms with a
 * cold L2 cache, twice; RUNS: of 8 launches, as the tuner has it. COLD: of 1.5 ms, the mean of two,
 * twice, in turn; HOT: of 20 ms that follow each other, twice. All in microseconds a launch; 0: not
 * timed, since the first look was too slow. */
void looks_drawn(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                 double seconds);

#endif
