/* Our GEMM against cublasLt's best, in one run, interleaved.
 *
 *   gemm compare SET KIND OUT [FILL]      every shape of the set; one tab-separated line each
 *   gemm drawn KIND OUT [COUNT [SECONDS [SEED]]]  shapes drawn by a seed, of the test half, cold
 *   gemm fit KIND OUT SECONDS [SEED [STEP]]   timings of drawn shapes of the fitting half
 *   gemm panels KIND OUT SECONDS [SEED]   the model's first choices, with two and with all panels
 *   gemm likely KIND OUT SECONDS [SEED [STEP]]   the model's likely choices; KIND e4m3b: scales of
 *                              blocks; STEP: with an epilogue
 *   gemm looks KIND OUT SECONDS [SEED]    every configuration of drawn shapes, by looks and longer
 *   gemm sweep M N K KIND OUT MS [TOP]    the family at one shape, best first by the model
 *   gemm sweepset SET KIND OUT MS [TOP]   the same for every shape of the set
 *   gemm exhaust SET KIND OUT [FROM [TO]] the pick beside the best of the family, shape by shape
 *   gemm exhaust-drawn KIND OUT SECONDS [SEED]    the same of drawn shapes of the test half
 *   gemm list M N K KIND OUT MS CONFIG... given configurations, interleaved
 *   gemm lists FILE KIND OUT              the same by lines of MS M N K CONFIG...
 *   gemm picks FILE KIND OUT MS           heuristics.tsv beside the model's choice
 *   gemm once M N K KIND OUT CONFIG|vALGO [STEPS]
 *                              three launches, for a profiler
 *   gemm ladder N MS                      the steps from the simplest kernel on
 *   gemm ceilings                         only multiplies, only loads
 *   gemm epilogue-cost KIND OUT MS [M N K]        epilogues beside the plain product, at two shapes
 *   gemm epilogue KIND OUT COUNT SECONDS [SEED]   beside the vendor's own, drawn shapes, cold
 *   gemm epilogue-sweep M N K KIND OUT STEP MS TOP   the family with a step
 *   gemm scaled M N K OUT MS              e4m3 without scales, by row, by block
 *   gemm mixed MS [OVERLAP]               weights of 4 and 8 bits beside the memory's rate
 *   gemm mixed-layers MS COUNT [SEED]     the same of layers of public models, freshly drawn
 *   gemm groups KIND OUT MS               experts in one launch beside one launch for each
 *   gemm joules M N K KIND OUT SECONDS CONFIG...  energy of a run in slices of 2 s and more
 *   gemm promise KIND OUT MS              few rows, without and with the promise about B
 *   gemm overhead                         host time of a run beside a bare launch
 *
 * CONFIG is tile_m,tile_n,stages,cm,cn,split_k,group,clusters,swapped,stream_k,flip,load,store,
 * overlap,panels,direct,pingpong,store_warp. FILL: normal (default), integers, zeros. SHAPES names
 * another shape list. ORDER: kk (default), kn, mk or mn, what A and B are contiguous along.
 */
#include "blocks.h"
#include "drawn.h"
#include "exhaust.h"
#include "finished.h"
#include "mixed.h"
#include "grouped.h"
#include "joules.h"
#include "ladder.h"
#include "looks.h"
#include "overhead.h"
#include "promise.h"
#include "rungs.h"
#include "kernels/gemm/trial.h"
#include "track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* WARM_MS: the first ones of a sweep would run at a clock that the power limit takes back later. */
enum { ROUNDS = 5, WARM_MS = 150, METERED_MS = 2000 }; /* of shorter ones energy is a quarter off */

static int index_of(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(name, names[i])) return i;
    fprintf(stderr, "gemm bench: what is %s?\n", name);
    exit(3);
}

static const char *const kinds[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8", "e4m3p", "e5m2p"};
static const char *const outs[] = {"bf16", "f16", "f32", "s32"};
static const char *const fills[] = {"normal", "integers", "signs", "zeros"};

static struct tmap_gemm_problem problem_of(const char *kind, const char *out, int m, int n, int k)
{
    struct tmap_gemm_problem p;
    memset(&p, 0, sizeof p);
    const int which = index_of(kind, kinds, 8);
    p.kind = which == 6 ? TMAP_GEMM_E4M3 : which == 7 ? TMAP_GEMM_E5M2 : which;
    p.precise = which >= 6;
    p.out = index_of(out, outs, 4);
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = 1;
    p.alpha = 1;
    const char *order = getenv("ORDER");
    p.a.mn_major = order && order[0] == 'm';
    p.b.mn_major = order && order[0] && order[1] == 'n';
    return p;
}

/* The argument's, or a fresh one where there are not so many. */
static uint64_t seed_of(int argc, char **argv, int at)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : law_fresh_seed();
}

/* What REQUEST in the environment fixes for every plan; else nothing. */
static struct tmap_gemm_config base_request(void)
{
    return config_of(getenv("REQUEST") ? getenv("REQUEST") : "0");
}

/* The tuner's choice; the model's where the tuner fails. */
static struct tmap_gemm_config tuned(struct stand *s, const struct job *job, gemm_tuner *tuner)
{
    struct tmap_gemm_plan plan;
    const struct tmap_gemm_config base = base_request();
    const enum tmap_status status =
        tuner(s->suite, &job->set[0], &base, GEMM_TRIALS, NULL, &plan, NULL);
    if (status == TMAP_OK) return plan.config;
    fprintf(stderr, "gemm bench: the tuner answers %d\n", status);
    return base;
}

enum { MODEL, TUNED, VENDOR, TRACKS = VENDOR + BEST };

enum { MAX_SHAPES = 64 };

/* The vendor's time over ours, and over the model's own plan's, shape by shape. */
struct ratios {
    double best[MAX_SHAPES], model[MAX_SHAPES];
    int n;
};

static double geometric_mean(const double *x, int n)
{
    double logs = 0;
    for (int i = 0; i < n; i++) logs += log(x[i]);
    return n > 0 ? exp(logs / n) : 0;
}

static void print_ratios(const char *what, struct ratios *r)
{
    const double mean = geometric_mean(r->best, r->n), model = geometric_mean(r->model, r->n);
    median(r->best, r->n); /* sorts */
    printf(
        "# %s: %d shapes, geometric mean %.4f, the model's own plan %.4f, worst %.4f, best %.4f\n",
        what, r->n, mean, model, r->n ? r->best[0] : 0, r->n ? r->best[r->n - 1] : 0);
}

static void print_comparison(const char *name, const struct tmap_gemm_problem *shape,
                             const char *kind, int fill, double flops, int offered, int found,
                             struct track *track, struct ratios *ratios)
{
    double us[TRACKS] = {0};
    int top = VENDOR;
    for (int i = 0; i < VENDOR + found; i++) us[i] = median(track[i].us, track[i].n);
    for (int i = VENDOR; i < VENDOR + found; i++)
        if (us[i] < us[top]) top = i;
    const int best = us[TUNED] < us[MODEL] ? TUNED : MODEL;
    const double mine = us[best], other = us[top];
    if (other > 0 && ratios->n < MAX_SHAPES) {
        ratios->best[ratios->n] = other / mine;
        ratios->model[ratios->n++] = other / us[MODEL];
    }
    printf("%s\t%s\t%s\t%d\t%d\t%d\t%.3f\t%.1f\t%.3f\t%.3f\t%.0f\t%.0f\t%.3f\t%.1f\t"
           "%.0f\t%.0f\t%.4f\t%.4f\t%d\t",
           name, kind, fills[fill], shape->m, shape->n, shape->k, mine, flops / mine / 1e6,
           track[best].us[0], track[best].us[track[best].n - 1], track[best].mhz, track[best].watts,
           other, other > 0 ? flops / other / 1e6 : 0, track[top].mhz, track[top].watts,
           other / mine, other / us[MODEL], offered);
    config_print(&track[best].runner->plans[0].config);
    printf("\t");
    config_print(&track[MODEL].runner->plans[0].config);
    printf("\n");
    fflush(stdout);
}

/* A square is timed as it runs among its like, at the device's power limit. The clock follows what
 * is drawn within a second, so that what came before a short slice has a part in it. */
enum { SUSTAINED_FROM = 2048, SUSTAINED_MS = 500, SUSTAINED_ROUNDS = 3, SLICE_MS = 60 };
static void measure(struct stand *s, struct track *t, bool sustained)
{
    if (sustained) stand_time(s, t->runner, SUSTAINED_MS, t->guess);
    track_measure(s, t, sustained ? SUSTAINED_MS : SLICE_MS);
}

/* The model's own plan, the tuned one and the vendor's best three, slice by slice in turn. */
static void compare(struct stand *s, const char *name, const struct tmap_gemm_problem *shape,
                    const char *kind, int fill, struct ratios *ratios)
{
    static struct job job;
    static struct track track[TRACKS];
    int best[BEST] = {0}, offered = 0;
    memset(track, 0, sizeof track);
    job_make(s, shape, fill, &job);
    const bool sustained =
        shape->m == shape->n && shape->m == shape->k && shape->m >= SUSTAINED_FROM;
    const int found = track_screen(s, &job, best, &offered);
    const struct tmap_gemm_config base = base_request();
    const struct tmap_gemm_config choice =
        tuned(s, &job, sustained ? tmap_gemm_tune_sustained : tmap_gemm_tune);
    for (int i = 0; i < VENDOR + found; i++) track[i].runner = calloc(1, sizeof(struct runner));
    const bool planned =
        ours(s, track[MODEL].runner, &job, &base) && ours(s, track[TUNED].runner, &job, &choice);
    for (int i = 0; i < found; i++) theirs(track[VENDOR + i].runner, &job, best[i]);
    for (int round = 0; round < (sustained ? SUSTAINED_ROUNDS : ROUNDS) && planned; round++)
        for (int i = 0; i < VENDOR + found; i++) measure(s, &track[i], sustained);
    if (planned)
        print_comparison(name, shape, kind, fill, job.flops, offered, found, track, ratios);
    for (int i = 0; i < VENDOR + found; i++) free(track[i].runner);
    if (s->vendor) vendor_done(s->vendor);
}

static void sweep(struct stand *s, const struct tmap_gemm_problem *shape, double ms, int limit)
{
    static struct job job;
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    struct runner *r = calloc(1, sizeof *r);
    job_make(s, shape, PROBE_NORMAL, &job);
    const struct tmap_gemm_config base = base_request();
    size_t count = tmap_gemm_configs(s->suite, &job.set[0], &base, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count && i < (size_t)limit; i++) {
        if (!ours(s, r, &job, &configs[i])) continue;
        if (i == 0) stand_time(s, r, WARM_MS, 0);
        const struct slice t = stand_time(s, r, ms, 0);
        printf("sweep\t%d\t%d\t%d\t%.2f\t%.1f\t%.2f\t", shape->m, shape->n, shape->k, t.us,
               job.flops / t.us / 1e6, r->plans[0].cost_us);
        config_print(&configs[i]);
        printf("%s\n", t.failed ? "\tfailed" : "");
        if (t.failed) exit(1);
    }
    fflush(stdout);
    free(r);
}

struct shape {
    char name[64];
    int m, n, k;
};

/* The shapes of a set, from bench/gemm/shapes.tsv or the file that SHAPES names. */
static int shapes_of(const char *set, struct shape *shapes)
{
    const char *path = getenv("SHAPES") ? getenv("SHAPES") : "bench/gemm/shapes.tsv";
    FILE *f = fopen(path, "r");
    char line[256], in_set[32];
    int count = 0;
    if (!f) {
        fprintf(stderr, "gemm bench: cannot read %s\n", path);
        exit(2);
    }
    while (count < MAX_SHAPES && fgets(line, sizeof line, f)) {
        struct shape *x = &shapes[count];
        if (sscanf(line, "%31s %63s %d %d %d", in_set, x->name, &x->m, &x->n, &x->k) == 5 &&
            !strcmp(in_set, set))
            count++;
    }
    fclose(f);
    return count;
}

static void compare_set(struct stand *s, const char *set, const char *kind, const char *out,
                        int fill)
{
    struct shape shapes[MAX_SHAPES];
    struct ratios ratios = {0};
    const int count = shapes_of(set, shapes);
    printf("name\tkind\tfill\tm\tn\tk\tus\ttflops\tus_min\tus_max\tmhz\twatts\tvendor_us\t"
           "vendor_tflops\tvendor_mhz\tvendor_watts\tratio\tmodel_ratio\talgos\tconfig\tmodel_"
           "config\n");
    for (int i = 0; i < count; i++) {
        const struct shape *x = &shapes[i];
        const struct tmap_gemm_problem p = problem_of(kind, out, x->m, x->n, x->k);
        compare(s, x->name, &p, kind, fill, &ratios);
    }
    print_ratios(kind, &ratios);
}

static void sweep_set(struct stand *s, const char *set, const char *kind, const char *out,
                      double ms, int limit)
{
    struct shape shapes[MAX_SHAPES];
    const int count = shapes_of(set, shapes);
    for (int i = 0; i < count; i++) {
        const struct tmap_gemm_problem p =
            problem_of(kind, out, shapes[i].m, shapes[i].n, shapes[i].k);
        sweep(s, &p, ms, limit);
    }
}

/* Shapes `from` to `to` of the set, counted from 1; a cut run goes on with the next one. */
static void exhaust_set(struct stand *s, const char *set, const char *kind, const char *out,
                        int from, int to)
{
    struct shape shapes[MAX_SHAPES];
    const int count = shapes_of(set, shapes);
    struct ratios ratios = {0};
    double shares[MAX_SHAPES];
    int done = 0;
    printf("# `gemm exhaust %s %s %s`\n", set, kind, out);
    for (int i = from - 1; i < count && i < to; i++) {
        const struct shape *x = &shapes[i];
        const struct tmap_gemm_problem p = problem_of(kind, out, x->m, x->n, x->k);
        const double began = stand_now_s();
        const struct exhausted r = exhaust_shape(s, &p);
        fprintf(stderr, "exhaust %d of %d: %d x %d x %d %.3f, %.1f s\n", i + 1, count, x->m, x->n,
                x->k, r.pick, stand_now_s() - began);
        if (r.pick <= 0) exit(1);
        shares[done++] = r.pick;
        if (r.best_to_vendor <= 0) continue;
        ratios.best[ratios.n] = r.best_to_vendor;
        ratios.model[ratios.n++] = r.pick_to_vendor;
    }
    if (ratios.n) print_ratios(kind, &ratios);
    const double mean = geometric_mean(shares, done);
    median(shares, done); /* sorts */
    printf("# %s: of %d shapes the pick is within %.4f of the best (geometric mean), worst %.4f\n",
           kind, done, mean, done ? shares[0] : 0);
}

static int list(struct stand *s, const struct tmap_gemm_problem *shape, double ms, int n,
                char **texts, double *us_of)
{
    static struct job job;
    enum { MOST = 40 };
    static struct track track[MOST + 1];
    memset(track, 0, sizeof track);
    int best[BEST] = {0}, offered = 0, tracks = 0;
    char vendor[VENDOR_TEXT] = "";
    job_make(s, shape, PROBE_NORMAL, &job);
    for (int i = 0; i < n && tracks < MOST; i++) {
        const struct tmap_gemm_config request = config_of(texts[i]);
        track[tracks].runner = calloc(1, sizeof *track[0].runner);
        if (ours(s, track[tracks].runner, &job, &request)) tracks++;
    }
    const int mine = tracks;
    if (track_screen(s, &job, best, &offered) > 0) {
        track[tracks].runner = calloc(1, sizeof *track[0].runner);
        theirs(track[tracks++].runner, &job, best[0]);
        vendor_describe(s->vendor, best[0], vendor);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < tracks; i++) track_measure(s, &track[i], ms);
    for (int i = 0; i < tracks; i++) {
        const double us = median(track[i].us, track[i].n);
        if (us_of) us_of[i] = us;
        printf("list\t%d\t%d\t%d\t%.2f\t%.1f\t%.0f MHz\t%.0f W\t", shape->m, shape->n, shape->k, us,
               job.flops / us / 1e6, track[i].mhz, track[i].watts);
        if (ms >= METERED_MS && track[i].launches)
            printf("%.4f J\t", track[i].joules / (double)track[i].launches);
        else
            printf("no J\t");
        if (i < mine)
            config_print(&track[i].runner->plans[0].config);
        else
            printf("%s (%d of %d)", vendor, best[0], offered);
        printf("\n");
        free(track[i].runner);
    }
    if (s->vendor) vendor_done(s->vendor);
    fflush(stdout);
    return tracks > mine ? mine : 0;
}

/* A file of shapes with a configuration in the last column. */
static void picks(struct stand *s, const char *path, const char *kind, const char *out, double ms)
{
    char line[256], config[64], model[] = "0", *texts[] = {model, config};
    int m, n, k;
    struct ratios r = {0};
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        double us[3];
        if (sscanf(line, "%d %d %d %*d %*d %*d %*d %*d %*d %*d %63s", &m, &n, &k, config) != 4)
            continue;
        const struct tmap_gemm_problem p = problem_of(kind, out, m, n, k);
        if (list(s, &p, ms, 2, texts, us) < 2 || r.n == MAX_SHAPES) continue;
        r.model[r.n] = us[2] / us[0];
        r.best[r.n++] = us[2] / us[1];
    }
    fclose(f);
    print_ratios("picks by heuristics", &r);
}

/* A file of lists: MS M N K CONFIG... a line. */
static void lists(struct stand *s, const char *path, const char *kind, const char *out)
{
    char line[4096], *texts[40];
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        double ms;
        int m, n, k, used, count = 0;
        if (sscanf(line, "%lf %d %d %d%n", &ms, &m, &n, &k, &used) != 4) continue;
        const struct tmap_gemm_problem p = problem_of(kind, out, m, n, k);
        for (char *t = strtok(line + used, " \t\n"); t && count < 40; t = strtok(NULL, " \t\n"))
            texts[count++] = t;
        list(s, &p, ms, count, texts, NULL);
    }
    fclose(f);
}

/* Three launches of a configuration, or of one of the vendor's algorithms (v and its number), with
 * an epilogue or none: for a profiler. */
static void once(struct stand *s, const struct tmap_gemm_problem *shape, const char *what,
                 const char *steps)
{
    static struct job job;
    struct runner *r = calloc(1, sizeof *r);
    job_make(s, shape, PROBE_NORMAL, &job);
    if (steps) finished_set(s, &job.set[0], steps);
    if (what[0] == 'v') {
        vendor_prepare(s->vendor, &job.set[0], s->workspace, s->workspace_bytes);
        theirs(r, &job, atoi(what + 1));
    } else {
        const struct tmap_gemm_config request = config_of(what);
        if (!ours(s, r, &job, &request)) return;
    }
    for (int i = 0; i < 3; i++)
        if (r->run(s, r, 0)) printf("failed\n");
    s->api->stream_synchronize(s->stream);
    free(r);
}

static void ceilings(struct stand *s)
{
    static struct job job;
    for (int fill = 0; fill < 4; fill++) {
        const struct tmap_gemm_problem p = problem_of("bf16", "bf16", 8192, 8192, 8192);
        if (fill == 2) continue;
        job_make(s, &p, fill, &job);
        printf("ceiling\t%s\tmultiply only %.1f TFLOP/s\tloads only %.2f TB/s, in pairs %.2f\n",
               fills[fill], ceiling_multiply(s, &job, 500), ceiling_stream(s, &job, 1, 200),
               ceiling_stream(s, &job, 2, 200));
        fflush(stdout);
    }
    printf("resident clusters of 1 to 8:");
    for (int i = 1; i <= GEMM_MAX_CLUSTER; i++) printf(" %d", s->suite->resident[i]);
    printf("\n");
}

/* DeepSeek-V3's experts: hidden 7168, feed-forward 2048, gate and up in one. */
static void groups(struct stand *s, const char *kind, const char *out, double ms)
{
    static const struct {
        int count, each;
        bool even;
    } cases[] = {{16, 16, true}, {16, 128, true}, {16, 128, false}, {16, 512, false}};
    const struct tmap_gemm_problem like = problem_of(kind, out, 1, 4096, 7168);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        grouped_time(s, &like, cases[i].count, cases[i].each, cases[i].even, ms);
}

/* What products with steps or scales are timed by; false where the mode is another. */
static bool finished_mode(struct stand *s, const char *mode, int argc, char **argv)
{
    struct tmap_gemm_problem p;
    if (!strcmp(mode, "epilogue-cost") && argc >= 5) {
        const bool given = argc >= 8;
        p = problem_of(argv[2], argv[3], given ? atoi(argv[5]) : 0, given ? atoi(argv[6]) : 0,
                       given ? atoi(argv[7]) : 0);
        finished_cost(s, &p, atof(argv[4]));
    } else if (!strcmp(mode, "epilogue") && argc >= 6) {
        p = problem_of(argv[2], argv[3], 1, 1, 1);
        finished_compare(s, &p, seed_of(argc, argv, 6), atoi(argv[4]), atof(argv[5]));
    } else if (!strcmp(mode, "epilogue-sweep") && argc >= 10) {
        p = problem_of(argv[5], argv[6], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        finished_sweep(s, &p, argv[7], atof(argv[8]), atoi(argv[9]));
    } else if (!strcmp(mode, "scaled") && argc >= 7) {
        p = problem_of("e4m3", argv[5], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        blocks_time(s, &p, atof(argv[6]));
    } else {
        return false;
    }
    return true;
}

/* What is done over shapes that a seed draws; false where the mode is another. */
static bool drawn_mode(struct stand *s, const char *mode, int argc, char **argv)
{
    const bool compares = !strcmp(mode, "drawn"), fits = !strcmp(mode, "fit"),
               panels = !strcmp(mode, "panels"), likely = !strcmp(mode, "likely"),
               looks = !strcmp(mode, "looks");
    if (argc < 4 ||
        (!compares && !fits && !panels && !likely && !looks && strcmp(mode, "exhaust-drawn")))
        return false;
    const bool blocks = likely && !strcmp(argv[2], "e4m3b");
    struct tmap_gemm_problem like = problem_of(blocks ? "e4m3" : argv[2], argv[3], 1, 1, 1);
    const int at = compares ? 5 : 4; /* a count comes before the seconds */
    const double seconds = argc > at ? atof(argv[at]) : 600;
    const uint64_t seed = seed_of(argc, argv, at + 1);
    if ((fits || likely) && argc > 6) finished_set(s, &like, argv[6]);
    if (compares)
        drawn_compare(s, &like, seed, argc > 4 ? atoi(argv[4]) : 200, seconds);
    else if (fits)
        drawn_fit(s, &like, seed, seconds);
    else if (likely)
        drawn_likely(s, &like, blocks, seed, seconds);
    else if (panels)
        drawn_panels(s, &like, seed, seconds);
    else if (looks)
        looks_drawn(s, &like, seed, seconds);
    else
        drawn_exhaust(s, &like, seed, seconds);
    return true;
}

int main(int argc, char **argv)
{
    struct stand stand;
    if (argc < 2 || !stand_open(&stand)) return argc < 2 ? 3 : 1;
    const char *mode = argv[1];
    if (!strcmp(mode, "compare") && argc >= 5)
        compare_set(&stand, argv[2], argv[3], argv[4], argc > 5 ? index_of(argv[5], fills, 4) : 0);
    else if (drawn_mode(&stand, mode, argc, argv))
        ; /* done */
    else if (!strcmp(mode, "sweepset") && argc >= 6)
        sweep_set(&stand, argv[2], argv[3], argv[4], atof(argv[5]),
                  argc > 6 ? atoi(argv[6]) : GEMM_MAX_CHOICES);
    else if (!strcmp(mode, "exhaust") && argc >= 5)
        exhaust_set(&stand, argv[2], argv[3], argv[4], argc > 5 ? atoi(argv[5]) : 1,
                    argc > 6 ? atoi(argv[6]) : MAX_SHAPES);
    else if (finished_mode(&stand, mode, argc, argv))
        ; /* done */
    else if (!strcmp(mode, "mixed") && argc >= 3)
        mixed_bench(&stand, atof(argv[2]), argc > 3 ? atoi(argv[3]) : 0);
    else if (!strcmp(mode, "mixed-layers") && argc >= 4)
        mixed_layers(&stand, atof(argv[2]), atoi(argv[3]), seed_of(argc, argv, 4));
    else if (!strcmp(mode, "groups") && argc >= 5)
        groups(&stand, argv[2], argv[3], atof(argv[4]));
    else if (!strcmp(mode, "picks") && argc >= 6)
        picks(&stand, argv[2], argv[3], argv[4], atof(argv[5]));
    else if (!strcmp(mode, "lists") && argc >= 5)
        lists(&stand, argv[2], argv[3], argv[4]);
    else if (!strcmp(mode, "once") && argc >= 8) {
        const struct tmap_gemm_problem p =
            problem_of(argv[5], argv[6], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        once(&stand, &p, argv[7], argc > 8 ? argv[8] : NULL);
    } else if (!strcmp(mode, "joules") && argc >= 8) {
        const struct tmap_gemm_problem p =
            problem_of(argv[5], argv[6], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        joules_shape(&stand, &p, atof(argv[7]), argv + 8, argc - 8);
    } else if (!strcmp(mode, "overhead"))
        overhead(&stand);
    else if (!strcmp(mode, "ceilings"))
        ceilings(&stand);
    else if (!strcmp(mode, "ladder") && argc >= 4)
        ladder(&stand, atoi(argv[2]), atof(argv[3]));
    else if (!strcmp(mode, "promise") && argc >= 5) {
        const struct tmap_gemm_problem p = problem_of(argv[2], argv[3], 1, 1, 1);
        promise(&stand, &p, atof(argv[4]));
    } else if ((!strcmp(mode, "sweep") || !strcmp(mode, "list")) && argc >= 8) {
        const struct tmap_gemm_problem p =
            problem_of(argv[5], argv[6], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        if (!strcmp(mode, "sweep"))
            sweep(&stand, &p, atof(argv[7]), argc > 8 ? atoi(argv[8]) : GEMM_MAX_CHOICES);
        else
            list(&stand, &p, atof(argv[7]), argc - 8, argv + 8, NULL);
    }
    stand_close(&stand);
    return 0;
}
