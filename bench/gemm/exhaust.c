#include "exhaust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track.h"

/* First every configuration, then the LONGER best, then the STEADY best. STEADY_MS is what the mean
 * clock and the power of a slice need (stand_time). Where the power is the limit a slice still
 * feels what ran before it, up to 5 % after 60 ms: so each follows SETTLE_MS of its own, and the
 * order is another one every round. */
enum { LONGER = 16, STEADY = 4, ROUNDS = 3, SQUARE_ROUNDS = 5, AGAIN_ROUNDS = 5 };
enum { WARM_MS = 100, BRIEF_MS = 1, LONGER_MS = 6, SETTLE_MS = 15 };
enum { STEADY_MS = 60, SQUARE_MS = 200 };
/* A single launch this much slower than the best slice so far ends a first look. */
static const double HOPELESS = 1.5, HOPELESS_AT_ONCE = 3, LAUNCH_US = 10;
/* Of large products what the model puts so far beyond its pick is not launched: of 16 such,
 * searched whole, none of it came within 1.7 times of the best. */
static const double LARGE_US = 300, FAR = 1.5;

struct trial {
    struct tmap_gemm_config config;
    double us, cost_us;
};

static int by_time(const void *x, const void *y)
{
    const double a = ((const struct trial *)x)->us, b = ((const struct trial *)y)->us;
    return (a > b) - (a < b);
}

/* One launch, which also loads the kernel, and where it is not hopeless a slice. */
static double brief_us(struct stand *s, struct runner *r, double best_us)
{
    for (int once = 0; once < 2; once++) {
        const struct slice one = stand_time(s, r, 0, 1);
        if (one.failed) return 0;
        if (best_us <= 0 || one.us < best_us * HOPELESS + LAUNCH_US)
            return stand_time(s, r, BRIEF_MS, one.us).us;
        if (once || one.us > best_us * HOPELESS_AT_ONCE + LAUNCH_US) return one.us;
    }
    return 0;
}

static size_t first_looks(struct stand *s, struct job *job, struct trial *trials)
{
    static const struct tmap_gemm_config nothing;
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    struct runner *r = calloc(1, sizeof *r);
    double best_us = 0, pick_us = 0;
    size_t kept = 0;
    const size_t count =
        tmap_gemm_configs(s->suite, &job->set[0], &nothing, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count; i++) {
        if (!ours(s, r, job, &configs[i])) continue;
        const double cost_us = r->plans[0].cost_us;
        if (kept == 0) {
            pick_us = cost_us;
            stand_time(s, r, WARM_MS, 0);
        }
        if (pick_us > LARGE_US && cost_us > pick_us * FAR) break;
        const double us = brief_us(s, r, best_us);
        if (us <= 0) break;
        if (best_us <= 0 || us < best_us) best_us = us;
        trials[kept++] = (struct trial){.config = configs[i], .us = us, .cost_us = cost_us};
    }
    free(r);
    return kept;
}

static bool same_config(const struct tmap_gemm_config *a, const struct tmap_gemm_config *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* Who is i-th in a round: forwards and backwards in turn, each time from another one on. */
static size_t turn(int round, size_t i, size_t count)
{
    const size_t at = (i + (size_t)round * (count / 3 + 1)) % count;
    return round % 2 ? count - 1 - at : at;
}

/* Times the first `count` of the trials in turn and sorts them by their medians. */
static bool time_in_turn(struct stand *s, struct job *job, struct trial *trials, size_t count,
                         double ms, int rounds)
{
    static struct track track[LONGER];
    bool good = true;
    memset(track, 0, sizeof track);
    for (size_t i = 0; i < count && good; i++) {
        track[i].runner = calloc(1, sizeof *track[0].runner);
        track[i].guess = trials[i].us;
        good = ours(s, track[i].runner, job, &trials[i].config);
    }
    for (int round = 0; round < rounds && good; round++)
        for (size_t i = 0; i < count; i++) track_measure(s, &track[turn(round, i, count)], ms);
    for (size_t i = 0; i < count; i++) {
        if (good) trials[i].us = median(track[i].us, track[i].n);
        free(track[i].runner);
    }
    if (good) qsort(trials, count, sizeof *trials, by_time);
    return good;
}

static void print_trials(const char *what, const struct tmap_gemm_problem *p,
                         const struct trial *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s\t%d\t%d\t%d\t%.2f\t%.2f\t", what, p->m, p->n, p->k, trials[i].us,
               trials[i].cost_us);
        config_print(&trials[i].config);
        printf("\n");
    }
}

/* The finalists, the pick (the last of them, unless it is one of the best) and the vendor's best.
 */
enum { FINALISTS = STEADY + 1 + BEST };
struct final {
    struct track track[FINALISTS];
    size_t ours, tracks, pick, best, top; /* best of ours, and of the vendor's */
    double us[FINALISTS];
    char vendor[BEST][VENDOR_TEXT];
};

static void final_round(struct stand *s, struct final *f, size_t i, bool square)
{
    struct track *t = &f->track[i];
    stand_time(s, t->runner, SETTLE_MS, t->guess);
    track_measure(s, t, square ? SQUARE_MS : STEADY_MS);
}

/* Who is the best, and those again: of several alike the best was also the luckiest, so what it was
 * chosen by does not say what it takes. */
static void time_best_again(struct stand *s, struct final *f, bool square)
{
    f->best = 0, f->top = f->ours;
    for (size_t i = 0; i < f->tracks; i++) {
        f->us[i] = median(f->track[i].us, f->track[i].n);
        if (i < f->ours && f->us[i] < f->us[f->best]) f->best = i;
        if (i >= f->ours && f->us[i] < f->us[f->top]) f->top = i;
    }
    const size_t again[] = {f->pick, f->top, f->best};
    const size_t count = f->best == f->pick ? 2 : 3;
    for (size_t i = 0; i < count; i++)
        if (again[i] < f->tracks) f->track[again[i]].n = 0;
    for (int round = 0; round < AGAIN_ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            const size_t who = again[turn(round, i, count)];
            if (who < f->tracks) final_round(s, f, who, square);
        }
}

static bool finals(struct stand *s, struct job *job, const struct trial *trials, size_t count,
                   const struct trial *pick, bool square, struct final *f)
{
    int algos[BEST] = {0}, offered = 0;
    bool good = true;
    memset(f, 0, sizeof *f);
    f->ours = count < STEADY ? count : STEADY;
    f->pick = f->ours;
    for (size_t i = 0; i < f->ours; i++)
        if (same_config(&trials[i].config, &pick->config)) f->pick = i;
    if (f->pick == f->ours) f->ours++;
    for (size_t i = 0; i < f->ours && good; i++) {
        f->track[i].runner = calloc(1, sizeof(struct runner));
        good = ours(s, f->track[i].runner, job, i == f->pick ? &pick->config : &trials[i].config);
    }
    f->tracks = f->ours;
    const int theirs_count = good ? track_screen(s, job, algos, &offered) : 0;
    for (int i = 0; i < theirs_count; i++) {
        f->track[f->tracks].runner = calloc(1, sizeof(struct runner));
        theirs(f->track[f->tracks++].runner, job, algos[i]);
        vendor_describe(s->vendor, algos[i], f->vendor[i]);
    }
    const int rounds = square ? SQUARE_ROUNDS : ROUNDS;
    for (int round = 0; round < rounds && good; round++)
        for (size_t i = 0; i < f->tracks; i++) final_round(s, f, turn(round, i, f->tracks), square);
    if (good) time_best_again(s, f, square);
    if (good && s->vendor) vendor_done(s->vendor);
    return good;
}

static double again_us(struct final *f, size_t i)
{
    return i < f->tracks ? median(f->track[i].us, f->track[i].n) : 0;
}

static struct exhausted print_finals(const struct tmap_gemm_problem *p, double flops, size_t count,
                                     struct final *f)
{
    for (size_t i = 0; i < f->tracks; i++) {
        const struct track *t = &f->track[i];
        printf("steady\t%d\t%d\t%d\t%.2f\t%.1f\t%.0f\t%.0f\t%.2f\t", p->m, p->n, p->k, f->us[i],
               flops / f->us[i] / 1e6, t->mhz, t->watts,
               i < f->ours ? t->runner->plans[0].cost_us : 0);
        if (i < f->ours)
            config_print(&t->runner->plans[0].config);
        else
            printf("%s", f->vendor[i - f->ours]);
        printf("\n");
    }
    const double pick_us = again_us(f, f->pick), best_us = again_us(f, f->best),
                 vendor_us = again_us(f, f->top);
    const struct exhausted share = {best_us / pick_us, vendor_us / best_us, vendor_us / pick_us};
    printf("exhaust\t%d\t%d\t%d\t%zu\t%.2f\t%.2f\t%.4f\t%.2f\t%.4f\t%.4f\t", p->m, p->n, p->k,
           count, pick_us, best_us, share.pick, vendor_us, share.best_to_vendor,
           share.pick_to_vendor);
    config_print(&f->track[f->pick].runner->plans[0].config);
    printf("\t");
    config_print(&f->track[f->best].runner->plans[0].config);
    printf("\t%s\n", f->tracks > f->ours ? f->vendor[f->top - f->ours] : "");
    fflush(stdout);
    return share;
}

struct exhausted exhaust_shape(struct stand *s, const struct tmap_gemm_problem *shape)
{
    static struct job job;
    static struct trial trials[GEMM_MAX_CHOICES];
    static struct final f;
    struct exhausted share = {0};
    const bool square = shape->m == shape->n && shape->m == shape->k;
    job_make(s, shape, PROBE_NORMAL, &job);
    const size_t count = first_looks(s, &job, trials);
    const struct trial pick = trials[0];
    if (count == 0) return share;
    qsort(trials, count, sizeof *trials, by_time);
    print_trials("brief", shape, trials, count);
    const size_t longer = count < LONGER ? count : LONGER;
    if (time_in_turn(s, &job, trials, longer, LONGER_MS, 2)) {
        print_trials("longer", shape, trials, longer);
        if (finals(s, &job, trials, count, &pick, square, &f))
            share = print_finals(shape, job.flops, count, &f);
        for (size_t i = 0; i < f.tracks; i++) free(f.track[i].runner);
    }
    return share;
}
