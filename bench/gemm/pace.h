/* How fast the device is just now. Near its power limit its clock moves by up to a tenth within
 * 50 ms (docs/EXPERIMENTS.md), so what is timed is timed beside a reference. */
#ifndef BENCH_GEMM_PACE_H
#define BENCH_GEMM_PACE_H

#include "stand.h"

enum { PACE_LOOKS = 1024 };
struct pace {
    struct stand *s;
    struct runner *reference;
    double us[PACE_LOOKS]; /* the reference's, so far */
    int n;
};

/* Times runners with a cold L2 cache, in turn, some between two slices of the reference: in
 * its times of those slices. 0: the device objects. */
void pace_measure(struct pace *p, struct runner **runners, double *in_references, int count,
                  double ms);

/* The reference's time, the median of all its slices. */
double pace_us(struct pace *p);

#endif
