/* The plan that the model picks beside the best of the whole family. */
#ifndef BENCH_GEMM_EXHAUST_H
#define BENCH_GEMM_EXHAUST_H

#include "stand.h"

struct exhausted {
    double pick; /* the best one's time over the pick's; 0 where something failed */
    double best_to_vendor,
        pick_to_vendor; /* the vendor's best time over ours; 0 without a vendor */
};

/* Every configuration in a short slice, the best of them in longer ones, the best of those and the
 * model's pick and the vendor's best three in steady ones, in turn, and then the best, the pick and
 * the vendor's best again: so that the best is not the luckiest of hundreds. Prints `brief`,
 * `longer` and `steady` lines, and an `exhaust` line. */
struct exhausted exhaust_shape(struct stand *s, const struct tmap_gemm_problem *shape);

#endif
