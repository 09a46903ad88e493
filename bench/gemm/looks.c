#include "looks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawn.h"
#include "track.h"

enum { LOOK, LOOK_AGAIN, RUNS, COLD, COLD_AGAIN, HOT, HOT_AGAIN, WAYS };
enum { TUNER_RUNS = 8, LEADERS = 4, COLD_BEST = 32, HOT_BEST = 8, COLD_ROUNDS = 4 };
static const double LOOK_MS = 0.3, COLD_MS = 1.5, HOT_MS = 20, WARM_MS = 50;
/* Of the quickest first look: what is looked at again. */
static const double WORTH_MORE = 1.35;

struct look {
    struct tmap_gemm_config config;
    const char *neighbour;
    size_t rank;
    double cost_us, us[WAYS];
};

enum { MOST_LOOKS = GEMM_MAX_CHOICES + 64 };
struct looks {
    struct stand *s;
    struct job *job;
    struct runner *runner;
    struct look all[MOST_LOOKS];
    size_t count;
    double best_us; /* of the first looks */
};

static void look_cold(struct looks *l, struct look *x, int way, double ms)
{
    const double us = stand_cold_us(l->s, l->runner, ms);
    x->us[way] += us > 0 ? us : 1e9;
}

/* Whether it has a plan, which is then the runner's. */
static bool take(struct looks *l, struct look *x)
{
    l->runner->guess_us = x->us[LOOK];
    return ours(l->s, l->runner, l->job, &x->config);
}

static void look_first(struct looks *l, const struct tmap_gemm_config *config,
                       const char *neighbour)
{
    struct look *x = &l->all[l->count];
    if (l->count == MOST_LOOKS) return;
    *x = (struct look){.config = *config, .neighbour = neighbour, .rank = l->count};
    if (!take(l, x)) return;
    if (l->count == 0) stand_time(l->s, l->runner, WARM_MS, 0);
    x->config = l->runner->plans[0].config;
    x->cost_us = l->runner->plans[0].cost_us;
    look_cold(l, x, LOOK, LOOK_MS);
    if (l->best_us == 0 || x->us[LOOK] < l->best_us) l->best_us = x->us[LOOK];
    l->count++;
}

/* The other looks, of those from `first` on that are not far behind; the last first. */
static void look_again(struct looks *l, size_t first)
{
    for (size_t i = l->count; i-- > first;) {
        struct look *x = &l->all[i];
        if (x->us[LOOK] > l->best_us * WORTH_MORE || !take(l, x)) continue;
        look_cold(l, x, LOOK_AGAIN, LOOK_MS);
        x->us[RUNS] =
            stand_time(l->s, l->runner, (TUNER_RUNS - 0.5) * x->us[LOOK] / 1000, x->us[LOOK]).us;
    }
}

static double mean_look(const struct look *x)
{
    return x->us[LOOK_AGAIN] > 0 ? (x->us[LOOK] + x->us[LOOK_AGAIN]) / 2 : 1e12;
}

static int by_look(const void *x, const void *y)
{
    const double a = mean_look(*(struct look *const *)x), b = mean_look(*(struct look *const *)y);
    return (a > b) - (a < b);
}

static int by_cold(const void *x, const void *y)
{
    const struct look *p = *(struct look *const *)x, *q = *(struct look *const *)y;
    const double a = p->us[COLD] + p->us[COLD_AGAIN], b = q->us[COLD] + q->us[COLD_AGAIN];
    return (a > b) - (a < b);
}

/* What no list has, of a configuration: other orders, a stage less, more panels and fewer. */
static void look_at_neighbours(struct looks *l, const struct tmap_gemm_config *leader)
{
    static const int32_t groups[] = {1, 2, 4, 8, 16, 32};
    struct tmap_gemm_config c = *leader;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if ((c.group = groups[i]) != leader->group) look_first(l, &c, "group");
    c = *leader;
    c.stages--;
    if (c.stages >= 3) look_first(l, &c, "stages");
    for (int32_t panels = 1; panels <= 4; panels++) {
        if (panels == leader->panels) continue;
        c = *leader;
        c.panels = panels;
        c.stages = 0;
        look_first(l, &c, "panels");
    }
    c = *leader;
    c.flip_k = 1;
    look_first(l, &c, "flip_k");
}

/* The quickest by `order`, at most `most`, of those that were looked at twice. */
static size_t leaders_of(struct looks *l, int (*order)(const void *, const void *),
                         struct look **out, size_t most)
{
    static struct look *sorted[MOST_LOOKS];
    for (size_t i = 0; i < l->count; i++) sorted[i] = &l->all[i];
    qsort(sorted, l->count, sizeof *sorted, order);
    size_t n = 0;
    for (; n < l->count && n < most && sorted[n]->us[LOOK_AGAIN] > 0; n++) out[n] = sorted[n];
    return n;
}

/* The best again, in turn: cold, then the best of those in slices that keep the device busy. The
 * model's own choice is among both. */
static void finals(struct looks *l)
{
    struct look *best[COLD_BEST + 1];
    size_t n = leaders_of(l, by_look, best, COLD_BEST);
    bool own = false;
    for (size_t i = 0; i < n; i++) own |= best[i] == &l->all[0];
    if (!own) best[n++] = &l->all[0];
    for (int round = 0; round < COLD_ROUNDS; round++)
        for (size_t i = 0; i < n; i++) {
            struct look *x = best[round % 2 ? n - 1 - i : i];
            if (take(l, x)) look_cold(l, x, round % 2 ? COLD_AGAIN : COLD, COLD_MS);
        }
    for (size_t i = 0; i < n; i++)
        best[i]->us[COLD] /= COLD_ROUNDS / 2, best[i]->us[COLD_AGAIN] /= COLD_ROUNDS / 2;
    qsort(best, n, sizeof *best, by_cold);
    for (int way = HOT; way <= HOT_AGAIN; way++)
        for (size_t i = 0; i < n; i++)
            if ((i < HOT_BEST || best[i] == &l->all[0]) && take(l, best[i]))
                best[i]->us[way] = stand_time(l->s, l->runner, HOT_MS, best[i]->us[COLD]).us;
}

static void print_looks(const struct looks *l, const struct tmap_gemm_problem *p)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct look *x = &l->all[i];
        printf("L\t%d\t%d\t%d\t%zu\t%s\t%.2f", p->m, p->n, p->k, x->rank, x->neighbour, x->cost_us);
        for (int way = 0; way < WAYS; way++) printf("\t%.2f", x->us[way]);
        printf("\t");
        config_print(&x->config);
        printf("\n");
    }
    fflush(stdout);
}

static void look_at_shape(struct stand *s, const struct tmap_gemm_problem *p)
{
    static struct job job;
    static struct looks l;
    static struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    struct look *leader[LEADERS];
    job_make(s, p, PROBE_NORMAL, &job);
    l.s = s;
    l.job = &job;
    l.runner = calloc(1, sizeof *l.runner);
    l.count = 0;
    l.best_us = 0;
    const size_t count = tmap_gemm_configs(s->suite, &job.set[0], NULL, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count; i++) look_first(&l, &configs[i], "-");
    look_again(&l, 0);
    const size_t listed = l.count, n = leaders_of(&l, by_look, leader, LEADERS);
    for (size_t i = 0; i < n; i++) look_at_neighbours(&l, &leader[i]->config);
    look_again(&l, listed);
    if (l.count > 0) finals(&l);
    print_looks(&l, p);
    free(l.runner);
}

void looks_drawn(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                 double seconds)
{
    struct law law;
    const double until = stand_now_s() + seconds;
    law_open(&law, seed);
    printf("# looks, seed %llu\n", (unsigned long long)seed);
    while (stand_now_s() < until) {
        const struct tmap_gemm_problem p = drawn_next(&law, like, false);
        const double began = stand_now_s();
        look_at_shape(s, &p);
        fprintf(stderr, "looks %d x %d x %d: %.2f s\n", p.m, p.n, p.k, stand_now_s() - began);
    }
}
