/* Several things timed in turn, slice by slice, so that what drifts, drifts for all of them. */
#ifndef BENCH_GEMM_TRACK_H
#define BENCH_GEMM_TRACK_H

#include "stand.h"

enum { MAX_SLICES = 20, BEST = 3 };

struct track {
    struct runner *runner;
    double us[MAX_SLICES], mhz, watts, celsius, joules, guess;
    long launches;
    int n;
};
/* One more slice of about `ms`. */
void track_measure(struct stand *s, struct track *t, double ms);

/* Prepares the vendor for the job and looks at each of the algorithms offered for 20 ms: the
 * indices of the fastest BEST, fastest first. Returns how many. vendor_done() when done. */
int track_screen(struct stand *s, struct job *job, int *best, int *offered);

/* A configuration as text, eighteen numbers (gemm.c says which), and back; the rest of a shorter
 * text are 0, which leaves them to the model. */
void config_print(const struct tmap_gemm_config *c);
struct tmap_gemm_config config_of(const char *text);

#endif
