#include "track.h"

#include <stdio.h>
#include <stdlib.h>

enum { SCREEN_MS = 20 };

void config_print(const struct tmap_gemm_config *c)
{
    char text[256];
    gemm_print_config(text, sizeof text, c);
    fputs(text, stdout);
}

struct tmap_gemm_config config_of(const char *text)
{
    struct tmap_gemm_config c = {0};
    if (!gemm_read_config(text, &c)) {
        fprintf(stderr, "gemm bench: no configuration: %s\n", text);
        exit(3);
    }
    return c;
}

int track_screen(struct stand *s, struct job *job, int *best, int *offered)
{
    double us[BEST];
    struct runner *r = calloc(1, sizeof *r);
    int found = 0;
    *offered =
        s->vendor ? vendor_prepare(s->vendor, &job->set[0], s->workspace, s->workspace_bytes) : 0;
    for (int algo = 0; algo < *offered; algo++) {
        theirs(r, job, algo);
        struct slice t = stand_time(s, r, SCREEN_MS, 0);
        if (t.failed) continue;
        int at = found < BEST ? found++ : BEST;
        while (at > 0 && us[at - 1] > t.us) {
            if (at < BEST) us[at] = us[at - 1], best[at] = best[at - 1];
            at--;
        }
        if (at < BEST) us[at] = t.us, best[at] = algo;
    }
    free(r);
    return found;
}

void track_measure(struct stand *s, struct track *t, double ms)
{
    struct slice x = stand_time(s, t->runner, ms, t->guess);
    if (x.failed) {
        t->us[t->n++] = 1e12;
        return;
    }
    t->guess = x.us;
    t->us[t->n++] = x.us;
    t->mhz = x.mhz;
    t->watts = x.watts;
    t->celsius = x.celsius;
    t->joules += x.joules;
    t->launches += x.launches;
}
