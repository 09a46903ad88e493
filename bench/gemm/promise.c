#include "promise.h"

#include <stdio.h>
#include <stdlib.h>

#include "track.h"

enum { ROUNDS = 7, WITHOUT = 0, WITH, THEIRS, TRACKS = THEIRS + BEST };

static void one(struct stand *s, const struct tmap_gemm_problem *shape, double ms)
{
    static struct job job[2];
    static const struct tmap_gemm_config nothing;
    struct track t[TRACKS] = {0};
    double us[TRACKS] = {0};
    int best[BEST], offered, top = THEIRS;
    struct tmap_gemm_problem p = *shape;
    for (int promised = 0; promised < 2; promised++) {
        p.b_ready = promised != 0;
        job_make(s, &p, PROBE_NORMAL, &job[promised]);
        t[promised].runner = calloc(1, sizeof *t->runner);
        if (!ours(s, t[promised].runner, &job[promised], &nothing)) exit(1);
    }
    const int found = track_screen(s, &job[0], best, &offered);
    for (int i = 0; i < found; i++) {
        t[THEIRS + i].runner = calloc(1, sizeof *t->runner);
        theirs(t[THEIRS + i].runner, &job[0], best[i]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < THEIRS + found; i++) track_measure(s, &t[i], ms);
    for (int i = 0; i < THEIRS + found; i++) us[i] = median(t[i].us, t[i].n);
    for (int i = THEIRS; i < THEIRS + found; i++)
        if (us[i] < us[top]) top = i;
    printf("%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.4f\t%.4f\t", p.m, p.n, p.k, us[WITHOUT], us[WITH],
           us[top], us[WITHOUT] / us[WITH], us[top] / us[WITH]);
    for (int i = WITHOUT; i <= WITH; i++) config_print(&t[i].runner->plans[0].config), printf("\t");
    printf("\n");
    fflush(stdout);
    for (int i = 0; i < THEIRS + found; i++) free(t[i].runner);
    if (s->vendor) vendor_done(s->vendor);
}

void promise(struct stand *s, const struct tmap_gemm_problem *like, double ms)
{
    static const int m[] = {1, 8, 16, 32, 64};
    static const int nk[][2] = {{4096, 4096}, {8192, 8192}, {28672, 4096}, {5120, 25600}};
    struct tmap_gemm_problem p = *like;
    printf("m\tn\tk\twithout_us\twith_us\tvendor_us\tgain\tvendor_over_with\twithout\twith\n");
    for (size_t j = 0; j < sizeof nk / sizeof nk[0]; j++)
        for (size_t i = 0; i < sizeof m / sizeof m[0]; i++) {
            p.m = m[i], p.n = nk[j][0], p.k = nk[j][1];
            one(s, &p, ms);
        }
}
