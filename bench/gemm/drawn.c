#include "drawn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exhaust.h"
#include "kernels/gemm/trial.h"
#include "pace.h"
#include "track.h"

/* HEURISTICS: of the vendor's, in its order. Every slice begins with a cold L2. */
enum { HEURISTICS = 16, ROUNDS = 5 };
enum { TRIED = 76, AGAIN = 10 };
enum { DRAWN_SCALES_BYTES = 48 << 20 };
static const double LOOK_MS = 0.3, SLICE_MS = 1.5, LONG_US = 500, SETTLING_US = 2000;

struct candidate {
    struct runner *runner;
    struct tmap_gemm_config config;
    double us[ROUNDS + 1], best_us;
    int n;
};

static struct tmap_gemm_problem shaped(const struct tmap_gemm_problem *like,
                                       const struct law_shape *x)
{
    struct tmap_gemm_problem p = *like;
    p.m = x->m;
    p.n = x->n;
    p.k = x->k;
    if (p.block_scale.a)
        p.block_scale.lda = (p.m + 3) / 4 * 4, p.block_scale.ldb = (p.k + 127) / 128;
    return p;
}

/* The vendor's heuristics by a look at each, best first; returns how many. */
static int screen(struct stand *s, struct job *job, int *algos, double *us)
{
    struct runner *r = calloc(1, sizeof *r);
    int found = 0, offered = s->vendor ? vendor_prepare(s->vendor, &job->set[0], s->workspace,
                                                        s->workspace_bytes)
                                       : 0;
    if (offered > HEURISTICS) offered = HEURISTICS;
    for (int algo = 0; algo < offered; algo++) {
        theirs(r, job, algo);
        r->guess_us = 0;
        const double t = stand_cold_us(s, r, LOOK_MS);
        int at = found;
        if (t <= 0) continue;
        for (; at > 0 && us[at - 1] > t; at--) us[at] = us[at - 1], algos[at] = algos[at - 1];
        us[at] = t;
        algos[at] = algo;
        found++;
    }
    free(r);
    return found;
}

static void measure(struct stand *s, struct candidate *c, double ms)
{
    const double us = stand_cold_us(s, c->runner, ms);
    if (c->n < ROUNDS + 1) c->us[c->n++] = us > 0 ? us : 1e12;
}

static bool enlist(struct stand *s, struct job *job, struct candidate *c,
                   const struct tmap_gemm_config *config)
{
    memset(c, 0, sizeof *c);
    c->runner = calloc(1, sizeof *c->runner);
    c->config = *config;
    return ours(s, c->runner, job, config);
}

static void enlist_vendor(struct job *job, struct candidate *c, int algo)
{
    memset(c, 0, sizeof *c);
    c->runner = calloc(1, sizeof *c->runner);
    theirs(c->runner, job, algo);
}

static bool is_whole(const struct tmap_gemm_problem *p)
{
    const struct gemm_view view = gemm_view_of(p, false);
    return view.n * view.out_bytes % 16 == 0 && view.n * view.element_bits % 128 == 0 &&
           view.k * view.element_bits % 128 == 0;
}

/* What a shape would take at some 700 or 1300 TFLOP/s and 4 TB/s. */
static double roofline_us(const struct tmap_gemm_problem *p)
{
    const struct gemm_view view = gemm_view_of(p, false);
    const double flops_per_us = view.element_bits == 8 ? 1300e6 : 700e6, bytes_per_us = 4e6;
    const double m = p->m, n = p->n, k = p->k;
    const double bytes = (m + n) * k * view.element_bits / 8 + m * n * view.out_bytes;
    return fmax(2 * m * n * k / flops_per_us, bytes / bytes_per_us);
}

/* With LONG_ONES in the environment, shapes are passed over whose rows are no whole 16 bytes, or
 * which would take less than 14 us or more than 1.2 ms. */
static bool is_passed_over(const struct tmap_gemm_problem *p)
{
    const double us = roofline_us(p);
    return getenv("LONG_ONES") && (us < 14 || us > 1200 || !is_whole(p));
}

struct tmap_gemm_problem drawn_next(struct law *law, const struct tmap_gemm_problem *like,
                                    bool test)
{
    for (;;) {
        const struct law_shape x = law_draw(law);
        const struct tmap_gemm_problem p = shaped(like, &x);
        if (law_is_test(&x) == test && !is_passed_over(&p)) return p;
    }
}

/* --- fitting --- */

/* Of all configurations: the cheapest third of the places, the cheapest of every kernel, then every
 * so many of the rest that the model does not put beyond three times its pick. */
static size_t diverse(const struct tmap_gemm_config *all, const double *cost, size_t count,
                      size_t tried, struct tmap_gemm_config *out)
{
    size_t n = 0, last = count;
    static bool taken[GEMM_MAX_CHOICES];
    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < count && i < tried / 3; i++) taken[i] = true, out[n++] = all[i];
    for (size_t i = n; i < count && n < tried * 2 / 3; i++) {
        bool seen = cost[i] > 2 * cost[0];
        for (size_t j = 0; j < n && !seen; j++)
            seen = out[j].tile_m == all[i].tile_m && out[j].tile_n == all[i].tile_n &&
                   out[j].swapped == all[i].swapped && out[j].pingpong == all[i].pingpong &&
                   (out[j].split_k > 1) == (all[i].split_k > 1) &&
                   (out[j].stream_k > 0) == (all[i].stream_k > 0);
        if (!seen) taken[i] = true, out[n++] = all[i];
    }
    while (last > 0 && cost[last - 1] > 3 * cost[0]) last--;
    const size_t step = last / (tried - n + 1) + 1;
    for (size_t i = step / 2; i < last && n < tried; i += step)
        if (!taken[i]) out[n++] = all[i];
    return n;
}

static int by_best(const void *x, const void *y)
{
    const double a = ((const struct candidate *)x)->best_us;
    const double b = ((const struct candidate *)y)->best_us;
    return (a > b) - (a < b);
}

static size_t enlist_diverse(struct stand *s, struct job *job, struct candidate *c)
{
    static struct tmap_gemm_config all[GEMM_MAX_CHOICES], some[TRIED];
    static double cost[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config nothing;
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    size_t count = gemm_enumerate(s->suite, &job->set[0], &nothing, choices, GEMM_MAX_CHOICES);
    if (count > GEMM_MAX_CHOICES) count = GEMM_MAX_CHOICES;
    for (size_t i = 0; i < count; i++) all[i] = choices[i].config, cost[i] = choices[i].cost_us;
    const size_t n = diverse(all, cost, count, cost[0] > LONG_US ? TRIED / 4 : TRIED, some);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (enlist(s, job, &c[kept], &some[i]))
            kept++;
        else
            free(c[kept].runner);
    }
    return kept;
}

/* The model's first choices, each with the panels that a plan gives it and with one for every 64
 * columns, as many stages as then fit. */
static size_t enlist_panels(struct stand *s, struct job *job, struct candidate *c)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config nothing;
    const bool wide = gemm_view_of(&job->set[0], false).out_bytes == 4;
    size_t count = gemm_enumerate(s->suite, &job->set[0], &nothing, choices, GEMM_MAX_CHOICES);
    size_t kept = 0;
    for (size_t i = 0; i < count && i < GEMM_MAX_CHOICES && i < TRIED / 6; i++) {
        struct tmap_gemm_config config = choices[i].config;
        const int32_t all = (config.tile_n + 63) / 64 * (wide ? 2 : 1);
        for (int more = 0; more < 2; more++) {
            if (more && (config.panels >= all || choices[i].panels_in_ring)) break;
            if (more) config.panels = all, config.stages = 0;
            if (enlist(s, job, &c[kept], &config))
                kept++;
            else
                free(c[kept].runner);
        }
    }
    return kept;
}

/* Of one kernel, with a split or a stream both or neither. */
static bool is_alike(const struct gemm_choice *x, const struct gemm_choice *y)
{
    return x->instance == y->instance && (x->config.split_k > 1) == (y->config.split_k > 1) &&
           (x->config.stream_k > 0) == (y->config.stream_k > 0);
}

/* The model's first choices; of those that are not far behind, then the first two alike. */
static size_t enlist_likely(struct stand *s, struct job *job, struct candidate *c)
{
    enum { FIRST = 24, ALIKE = 2 };
    static const double FAR_BEHIND = 1.6;
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config nothing;
    size_t count = gemm_enumerate(s->suite, &job->set[0], &nothing, choices, GEMM_MAX_CHOICES);
    size_t kept = 0;
    for (size_t i = 0; i < count && i < GEMM_MAX_CHOICES && kept < TRIED; i++) {
        int alike = 0;
        if (choices[i].cost_us > FAR_BEHIND * choices[0].cost_us) break;
        for (size_t j = 0; j < i; j++) alike += is_alike(&choices[i], &choices[j]);
        if (i >= FIRST && alike >= ALIKE) continue;
        if (enlist(s, job, &c[kept], &choices[i].config))
            kept++;
        else
            free(c[kept].runner);
    }
    return kept;
}

/* Who is timed. alone: without the vendor's, whose plain products would stand beside blocks of
 * scales; of the shapes that is_unlikely() leaves. */
struct lister {
    size_t (*enlist)(struct stand *, struct job *, struct candidate *);
    bool alone;
};

/* Each once, so that no slice waits for a kernel to be loaded. */
static void load_all(struct stand *s, struct candidate *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        c[i].runner->run(s, c[i].runner, 0);
        c[i].runner->guess_us = c[i].runner->plans[0].cost_us;
    }
    s->api->stream_synchronize(s->stream);
}

/* One time more of candidates `from` to `to`, in times of the pace's reference. */
static void measure_paced(struct pace *pace, struct candidate *c, size_t from, size_t to, double ms)
{
    static struct runner *runners[TRIED + BEST];
    static double us[TRIED + BEST];
    for (size_t i = from; i < to; i++) runners[i - from] = c[i].runner;
    pace_measure(pace, runners, us, (int)(to - from), ms);
    for (size_t i = from; i < to; i++)
        if (c[i].n < ROUNDS + 1) c[i].us[c[i].n++] = us[i - from] > 0 ? us[i - from] : 1e9;
}

/* Ours by two looks at each, the best of them first; and the best again, beside the vendor's. */
static void measure_all(struct pace *pace, struct candidate *c, size_t ours_count, size_t total)
{
    enum { LOOKS = 2 };
    const size_t again = ours_count < AGAIN ? ours_count : AGAIN;
    load_all(pace->s, c, ours_count);
    for (int look = 0; look < LOOKS; look++) measure_paced(pace, c, 0, ours_count, LOOK_MS);
    for (size_t i = 0; i < ours_count; i++) c[i].best_us = c[i].us[0] + c[i].us[1];
    qsort(c, ours_count, sizeof *c, by_best);
    for (int round = 0; round < LOOKS; round++) {
        measure_paced(pace, c, 0, again, LOOK_MS * 2);
        measure_paced(pace, c, ours_count, total, LOOK_MS * 2);
    }
}

static void print_candidate(struct stand *s, const struct tmap_gemm_problem *shape,
                            struct candidate *c, double us, bool is_ours)
{
    char text[VENDOR_TEXT];
    printf("%c\t%d\t%d\t%d\t%.2f\t", is_ours ? 'C' : 'V', shape->m, shape->n, shape->k,
           us * median(c->us, c->n));
    if (is_ours) {
        printf("%.2f\t", c->runner->plans[0].cost_us);
        config_print(&c->runner->plans[0].config);
    } else {
        vendor_describe(s->vendor, c->runner->algo, text);
        printf("0\t%s", text);
    }
    printf("\n");
}

static void fit_shape(struct stand *s, const struct tmap_gemm_problem *shape,
                      const struct lister *who)
{
    static struct job job;
    static struct candidate c[TRIED + BEST], reference;
    static struct pace pace;
    int algos[HEURISTICS];
    double vendor_us[HEURISTICS];
    job_make(s, shape, PROBE_NORMAL, &job);
    const size_t ours_count = who->enlist(s, &job, c);
    if (ours_count == 0 || !enlist(s, &job, &reference, &c[0].config)) return;
    pace = (struct pace){.s = s, .reference = reference.runner};
    const int found = who->alone ? 0 : screen(s, &job, algos, vendor_us);
    size_t total = ours_count;
    for (int i = 0; i < found && i < BEST; i++) enlist_vendor(&job, &c[total++], algos[i]);
    measure_all(&pace, c, ours_count, total);
    const double us = pace_us(&pace);
    for (size_t i = 0; i < total; i++) {
        print_candidate(s, shape, &c[i], us, i < ours_count);
        free(c[i].runner);
    }
    free(reference.runner);
    if (s->vendor && !who->alone) vendor_done(s->vendor);
    fflush(stdout);
}

/* What `likely` passes over: what takes less than 6 us or more than 1 ms, rows that are no whole 16
 * bytes, and scales beyond their room. */
static bool is_unlikely(const struct tmap_gemm_problem *p)
{
    const double us = roofline_us(p);
    return us < 6 || us > 1000 || !is_whole(p) ||
           (p->block_scale.a && (double)p->m * p->k / 128 * 4 > DRAWN_SCALES_BYTES);
}

static void fit_drawn(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                      double seconds, const struct lister *who)
{
    struct law law;
    const double until = stand_now_s() + seconds;
    law_open(&law, seed);
    printf("# fit, seed %llu\n# %.0f MHz, %.4g bytes a microsecond, resident clusters of 1 to 8:",
           (unsigned long long)seed, s->suite->gpu.clock_mhz, s->suite->gpu.memory_bytes_per_us);
    gemm_ask_residents(s->suite, like->kind);
    for (int i = 1; i <= GEMM_MAX_CLUSTER; i++) printf(" %d", s->suite->resident[i]);
    printf("\n");
    while (stand_now_s() < until) {
        const struct law_shape x = law_draw(&law);
        if (law_is_test(&x)) continue;
        const struct tmap_gemm_problem p = shaped(like, &x);
        if (!(who->alone ? is_unlikely(&p) : is_passed_over(&p))) fit_shape(s, &p, who);
    }
}

void drawn_fit(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed, double seconds)
{
    fit_drawn(s, like, seed, seconds, &(struct lister){enlist_diverse, false});
}

void drawn_panels(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                  double seconds)
{
    fit_drawn(s, like, seed, seconds, &(struct lister){enlist_panels, false});
}

void drawn_likely(struct stand *s, const struct tmap_gemm_problem *like, bool blocks, uint64_t seed,
                  double seconds)
{
    struct tmap_gemm_problem p = *like;
    if (blocks) {
        s->api->memset_d8_async(s->workspace, 0x3c, 2 * (size_t)DRAWN_SCALES_BYTES, s->stream);
        p.block_scale.a = s->workspace;
        p.block_scale.b = s->workspace + DRAWN_SCALES_BYTES;
    }
    fit_drawn(s, &p, seed, seconds, &(struct lister){enlist_likely, true});
}

/* --- searching --- */

void drawn_exhaust(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                   double seconds)
{
    struct law law;
    const double until = stand_now_s() + seconds;
    double logs = 0, worst = 1;
    int count = 0;
    law_open(&law, seed);
    while (stand_now_s() < until) {
        const struct tmap_gemm_problem p = drawn_next(&law, like, true);
        const double share = exhaust_shape(s, &p).pick;
        if (share <= 0) break;
        logs += log(share);
        worst = fmin(worst, share);
        count++;
    }
    printf("# seed %llu, %d shapes: the pick is within %.4f of the best (geometric mean), worst "
           "%.4f\n",
           (unsigned long long)seed, count, count ? exp(logs / count) : 0, worst);
}

/* --- comparing --- */

enum { PICK, TUNED, THEIRS, CONTENDERS = THEIRS + 3 };

/* Of all shapes, and of those whose N and K are multiples of 16 bytes: of others the vendor's
 * library has no kernels for this architecture, and is several times slower. */
enum { ALL, WHOLE, KINDS_OF_SCORE };
struct score {
    double logs[2];
    double worst[2], worst_long[2];
    int n;
};

static void count_in(struct score *t, int which, double ratio, double us)
{
    t->logs[which] += log(ratio);
    if (t->worst[which] == 0 || ratio < t->worst[which]) t->worst[which] = ratio;
    if (us > 20 && (t->worst_long[which] == 0 || ratio < t->worst_long[which]))
        t->worst_long[which] = ratio;
}

static void print_score(const char *what, uint64_t seed, const struct score *t)
{
    for (int which = PICK; which <= TUNED && t->n > 0; which++)
        printf("# seed %llu, %d %s, %s: geometric mean %.4f, worst %.4f, of more than 20 us %.4f\n",
               (unsigned long long)seed, t->n, what, which == PICK ? "pick" : "tuned",
               exp(t->logs[which] / t->n), t->worst[which], t->worst_long[which]);
}

/* Beside the slices above, which are one launch of such a product each: the same in slices so long
 * that the device settles at its power limit with each of them. */
static void compare_settled(struct stand *s, const struct tmap_gemm_problem *shape,
                            struct candidate *const *who)
{
    enum { SETTLED_ROUNDS = 3 };
    static const double SETTLED_MS = 200;
    double us[CONTENDERS][SETTLED_ROUNDS], at[CONTENDERS];
    for (int round = 0; round < SETTLED_ROUNDS; round++)
        for (int i = PICK; i <= THEIRS; i++)
            us[i][round] = stand_time(s, who[i]->runner, SETTLED_MS, who[i]->runner->guess_us).us;
    for (int i = PICK; i <= THEIRS; i++) at[i] = median(us[i], SETTLED_ROUNDS);
    printf("# settled\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.4f\t%.4f\n", shape->m, shape->n, shape->k,
           at[PICK], at[TUNED], at[THEIRS], at[THEIRS] / at[PICK], at[THEIRS] / at[TUNED]);
}

static void compare_shape(struct stand *s, const struct tmap_gemm_problem *shape, const char *name,
                          struct score *score)
{
    static struct job job;
    static struct candidate c[CONTENDERS];
    static struct tmap_gemm_plan tuned;
    const struct tmap_gemm_config nothing = {0};
    int algos[HEURISTICS], top = THEIRS;
    double vendor_us[HEURISTICS], us[CONTENDERS] = {0};
    char text[VENDOR_TEXT] = "";
    job_make(s, shape, PROBE_NORMAL, &job);
    const int found = screen(s, &job, algos, vendor_us);
    const int total = THEIRS + (found < 3 ? found : 3);
    const double began = stand_now_s();
    if (tmap_gemm_tune(s->suite, &job.set[0], NULL, GEMM_TRIALS, NULL, &tuned, NULL) != TMAP_OK)
        return;
    const double tune_ms = (stand_now_s() - began) * 1e3;
    if (!enlist(s, &job, &c[PICK], &nothing) || !enlist(s, &job, &c[TUNED], &tuned.config)) return;
    for (int i = THEIRS; i < total; i++) enlist_vendor(&job, &c[i], algos[i - THEIRS]);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < total; i++) measure(s, &c[i], SLICE_MS);
    for (int i = 0; i < total; i++) us[i] = median(c[i].us, c[i].n);
    for (int i = THEIRS; i < total; i++)
        if (us[i] < us[top]) top = i;
    if (found > 0) vendor_describe(s->vendor, c[top].runner->algo, text);
    printf("%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.4f\t%.4f\t", name, shape->m, shape->n, shape->k,
           us[PICK], us[TUNED], us[top], us[top] / us[PICK], us[top] / us[TUNED]);
    config_print(&c[PICK].runner->plans[0].config);
    printf("\t");
    config_print(&c[TUNED].runner->plans[0].config);
    printf("\t%s\t%.0f\n", text, tune_ms);
    if (found > 0 && us[top] > SETTLING_US)
        compare_settled(s, shape, (struct candidate *const[]){&c[PICK], &c[TUNED], &c[top]});
    fflush(stdout);
    for (int kind = ALL; kind <= (is_whole(shape) ? WHOLE : ALL) && found > 0; kind++) {
        count_in(&score[kind], PICK, us[top] / us[PICK], us[top]);
        count_in(&score[kind], TUNED, us[top] / us[TUNED], us[top]);
        score[kind].n++;
    }
    for (int i = 0; i < total; i++) free(c[i].runner);
    if (s->vendor) vendor_done(s->vendor);
}

void drawn_compare(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed, int count,
                   double seconds)
{
    struct law law;
    struct score score[KINDS_OF_SCORE] = {0};
    const double until = stand_now_s() + seconds;
    law_open(&law, seed);
    printf("# drawn shapes, seed %llu\nname\tm\tn\tk\tpick_us\ttuned_us\tvendor_us\tpick_ratio\t"
           "tuned_ratio\tpick\ttuned\tvendor\ttune_ms\n",
           (unsigned long long)seed);
    for (int i = 0; i < count && stand_now_s() < until;) {
        const struct law_shape x = law_draw(&law);
        if (!law_is_test(&x)) continue;
        const struct tmap_gemm_problem p = shaped(like, &x);
        if (is_passed_over(&p)) continue;
        compare_shape(s, &p, x.name, score);
        i++;
    }
    print_score("shapes", seed, &score[ALL]);
    print_score("of whole rows", seed, &score[WHOLE]);
}
