#include "joules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track.h"

/* NVML's counter of energy moves every 20 to 100 ms: of a slice of a second it may be a tenth off,
 * where the time repeats within 1.5 %. */
enum { ROUNDS = 3, MOST = 16 };
/* Before a slice so much of its length, since the clock follows what was drawn before. */
static const double SETTLE = 0.5;

struct meter {
    struct runner *runner;
    char what[VENDOR_TEXT];
    double us[ROUNDS], mhz[ROUNDS], watts[ROUNDS], joules[ROUNDS];
};

static void take(struct stand *s, struct meter *m, int round, double seconds)
{
    const struct slice settled =
        stand_time(s, m->runner, seconds * 1000 * SETTLE, m->runner->guess_us);
    const struct slice x = stand_time(s, m->runner, seconds * 1000, settled.us);
    m->us[round] = x.failed ? 1e12 : x.us;
    m->mhz[round] = x.mhz;
    m->joules[round] = x.launches ? x.joules / x.launches : 0;
    m->watts[round] = x.failed ? 0 : m->joules[round] / (x.us * 1e-6);
}

static void print(const struct tmap_gemm_problem *p, struct meter *m)
{
    const double joules = median(m->joules, ROUNDS); /* sorts */
    const double spread = (m->joules[ROUNDS - 1] - m->joules[0]) / joules;
    printf("joules\t%d\t%d\t%d\t%.2f us\t%.0f MHz\t%.0f W\t%.5f J\t%.1f %% spread\t%s\n", p->m,
           p->n, p->k, median(m->us, ROUNDS), median(m->mhz, ROUNDS), median(m->watts, ROUNDS),
           joules, 100 * spread, m->what);
    fflush(stdout);
}

static struct meter *add(struct meter *m, int *count)
{
    struct meter *at = &m[(*count)++];
    memset(at, 0, sizeof *at);
    at->runner = calloc(1, sizeof *at->runner);
    return at;
}

void joules_shape(struct stand *s, const struct tmap_gemm_problem *shape, double seconds,
                  char *const *configs, int count)
{
    static struct job job;
    static struct meter m[MOST];
    int all = 0, offered = 0, algos[BEST];
    job_make(s, shape, PROBE_NORMAL, &job);
    for (int i = -1; i < count && all < MOST - 1; i++) {
        const struct tmap_gemm_config config = config_of(i < 0 ? "0" : configs[i]);
        struct meter *at = add(m, &all);
        if (!ours(s, at->runner, &job, &config)) continue;
        gemm_print_config(at->what, sizeof at->what, &at->runner->plans[0].config);
    }
    if (track_screen(s, &job, algos, &offered) > 0) {
        struct meter *at = add(m, &all);
        theirs(at->runner, &job, algos[0]);
        vendor_describe(s->vendor, algos[0], at->what);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < all; i++) take(s, &m[i], round, seconds);
    for (int i = 0; i < all; i++) {
        print(shape, &m[i]);
        free(m[i].runner);
    }
    if (s->vendor) vendor_done(s->vendor);
}
