/* Our GEMM against cublasLt's best, in one run, interleaved.
 *
 *   gemm compare SET KIND OUT [FILL]      every shape of the set; one tab-separated line each
 *   gemm sweep M N K KIND OUT MS [TOP]    the family at one shape, best first by the model
 *   gemm sweepset SET KIND OUT MS [TOP]   the same for every shape of the set
 *   gemm list M N K KIND OUT MS CONFIG... given configurations, interleaved
 *   gemm lists FILE KIND OUT              the same by lines of MS M N K CONFIG...
 *   gemm picks FILE KIND OUT MS           heuristics.tsv beside the model's choice
 *   gemm once M N K KIND OUT CONFIG|vALGO three launches, for a profiler
 *   gemm ladder N MS                      the steps from the simplest kernel on
 *   gemm ceilings                         only multiplies, only loads
 *   gemm groups KIND OUT MS               experts in one launch beside one launch for each
 *   gemm overhead                         host time of a run beside a bare launch
 *   gemm plot < TSV > SVG                 the ratio by shape
 *
 * CONFIG is tile_m,tile_n,stages,cm,cn,split,group,clusters,swapped,stream,flip,load,store,
 * overlap,panels,direct. FILL: normal (default), integers, zeros. SHAPES names another shape list.
 */
#include "grouped.h"
#include "plot.h"
#include "rungs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* WARM_MS: the first ones of a sweep would run at a clock that the power limit takes back later. */
enum { SCREEN_MS = 20, BEST = 3, ROUNDS = 5, WARM_MS = 150 };

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
    return p;
}

static void print_config(const struct tmap_gemm_config *c)
{
    printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", c->tile_m, c->tile_n, c->stages,
           c->cluster_m, c->cluster_n, c->split, c->group, c->clusters, c->swapped, c->stream,
           c->flip_k, c->load_policy, c->store_policy, c->overlap, c->panels, c->direct);
}

static struct tmap_gemm_config config_of(const char *text)
{
    struct tmap_gemm_config c = {0};
    sscanf(text, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", &c.tile_m, &c.tile_n, &c.stages,
           &c.cluster_m, &c.cluster_n, &c.split, &c.group, &c.clusters, &c.swapped, &c.stream,
           &c.flip_k, &c.load_policy, &c.store_policy, &c.overlap, &c.panels, &c.direct);
    return c;
}

/* What WISH in the environment fixes for every plan; else nothing. */
static struct tmap_gemm_config base_wish(void)
{
    return config_of(getenv("WISH") ? getenv("WISH") : "0");
}

/* The vendor's three fastest by a short look at each. */
static int screen(struct stand *s, struct job *job, int *best, int *offered)
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

struct track {
    struct runner *runner;
    double us[ROUNDS * 4], mhz, watts, celsius, joules, guess;
    long launches;
    int n;
};

static void measure(struct stand *s, struct track *t, double ms)
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

/* The fastest of the model's first `most`, by a short look at each on rotating operands. */
static struct tmap_gemm_config tuned(struct stand *s, struct job *job, int most)
{
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES], best = {0};
    struct runner *r = calloc(1, sizeof *r);
    double best_us = 1e12;
    const struct tmap_gemm_config base = base_wish();
    const size_t count =
        tmap_gemm_configs(s->suite, &job->set[0], &base, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count && i < (size_t)most; i++) {
        if (!ours(s, r, job, &configs[i])) continue;
        const struct slice t = stand_time(s, r, 6, 0);
        if (t.failed || t.us >= best_us) continue;
        best_us = t.us;
        best = configs[i];
    }
    free(r);
    return best;
}

enum { MODEL, TUNED, VENDOR, TRACKS = VENDOR + BEST };

static void print_comparison(const char *name, const struct tmap_gemm_problem *shape,
                             const char *kind, int fill, double flops, int offered, int found,
                             struct track *track)
{
    double us[TRACKS] = {0};
    int top = VENDOR;
    for (int i = 0; i < VENDOR + found; i++) us[i] = median(track[i].us, track[i].n);
    for (int i = VENDOR; i < VENDOR + found; i++)
        if (us[i] < us[top]) top = i;
    const int best = us[TUNED] < us[MODEL] ? TUNED : MODEL;
    const double mine = us[best], other = us[top];
    printf("%s\t%s\t%s\t%d\t%d\t%d\t%.3f\t%.1f\t%.3f\t%.3f\t%.0f\t%.0f\t%.3f\t%.1f\t"
           "%.0f\t%.0f\t%.4f\t%.4f\t%d\t",
           name, kind, fills[fill], shape->m, shape->n, shape->k, mine, flops / mine / 1e6,
           track[best].us[0], track[best].us[track[best].n - 1], track[best].mhz, track[best].watts,
           other, other > 0 ? flops / other / 1e6 : 0, track[top].mhz, track[top].watts,
           other / mine, other / us[MODEL], offered);
    print_config(&track[best].runner->plans[0].config);
    printf("\t");
    print_config(&track[MODEL].runner->plans[0].config);
    printf("\n");
    fflush(stdout);
}

/* The model's own plan, the tuned one and the vendor's best three, slice by slice in turn. */
static void compare(struct stand *s, const char *name, const struct tmap_gemm_problem *shape,
                    const char *kind, int fill)
{
    static struct job job;
    static struct track track[TRACKS];
    int best[BEST] = {0}, offered = 0;
    memset(track, 0, sizeof track);
    job_make(s, shape, fill, &job);
    const bool square = shape->m == shape->n && shape->m == shape->k;
    const int found = screen(s, &job, best, &offered);
    const struct tmap_gemm_config base = base_wish();
    const struct tmap_gemm_config choice = tuned(s, &job, 20);
    for (int i = 0; i < VENDOR + found; i++) track[i].runner = calloc(1, sizeof(struct runner));
    const bool planned =
        ours(s, track[MODEL].runner, &job, &base) && ours(s, track[TUNED].runner, &job, &choice);
    for (int i = 0; i < found; i++) theirs(track[VENDOR + i].runner, &job, best[i]);
    for (int round = 0; round < ROUNDS && planned; round++)
        for (int i = 0; i < VENDOR + found; i++) measure(s, &track[i], square ? 200 : 60);
    if (planned) print_comparison(name, shape, kind, fill, job.flops, offered, found, track);
    for (int i = 0; i < VENDOR + found; i++) free(track[i].runner);
    if (s->vendor) vendor_done(s->vendor);
}

static void sweep(struct stand *s, const struct tmap_gemm_problem *shape, double ms, int limit)
{
    static struct job job;
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    struct runner *r = calloc(1, sizeof *r);
    job_make(s, shape, PROBE_NORMAL, &job);
    const struct tmap_gemm_config base = base_wish();
    size_t count = tmap_gemm_configs(s->suite, &job.set[0], &base, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count && i < (size_t)limit; i++) {
        if (!ours(s, r, &job, &configs[i])) continue;
        if (i == 0) stand_time(s, r, WARM_MS, 0);
        const struct slice t = stand_time(s, r, ms, 0);
        printf("sweep\t%d\t%d\t%d\t%.2f\t%.1f\t%.2f\t", shape->m, shape->n, shape->k, t.us,
               job.flops / t.us / 1e6, r->plans[0].cost_us);
        print_config(&configs[i]);
        printf("%s\n", t.failed ? "\tfailed" : "");
        if (t.failed) exit(1);
    }
    fflush(stdout);
    free(r);
}

/* fill below 0: a sweep of `ms` a configuration instead of a comparison. */
static void compare_set(struct stand *s, const char *set, const char *kind, const char *out,
                        int fill, double ms, int limit)
{
    const char *path = getenv("SHAPES") ? getenv("SHAPES") : "bench/gemm/shapes.tsv";
    FILE *f = fopen(path, "r");
    char line[256], in_set[32], name[64];
    int m, n, k;
    if (!f) {
        fprintf(stderr, "gemm bench: cannot read %s\n", path);
        exit(2);
    }
    if (fill >= 0)
        printf("name\tkind\tfill\tm\tn\tk\tus\ttflops\tus_min\tus_max\tmhz\twatts\tvendor_us\t"
               "vendor_tflops\tvendor_mhz\tvendor_watts\tratio\tmodel_ratio\talgos\tconfig\tmodel_"
               "config\n");
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%31s %63s %d %d %d", in_set, name, &m, &n, &k) != 5) continue;
        if (strcmp(in_set, set)) continue;
        const struct tmap_gemm_problem p = problem_of(kind, out, m, n, k);
        if (fill < 0)
            sweep(s, &p, ms, limit);
        else
            compare(s, name, &p, kind, fill);
    }
    fclose(f);
}

static void list(struct stand *s, const struct tmap_gemm_problem *shape, double ms, int n,
                 char **texts)
{
    static struct job job;
    enum { MOST = 40 };
    static struct track track[MOST + 1];
    memset(track, 0, sizeof track);
    int best[BEST] = {0}, offered = 0, tracks = 0;
    job_make(s, shape, PROBE_NORMAL, &job);
    for (int i = 0; i < n && tracks < MOST; i++) {
        const struct tmap_gemm_config wish = config_of(texts[i]);
        track[tracks].runner = calloc(1, sizeof *track[0].runner);
        if (ours(s, track[tracks].runner, &job, &wish)) tracks++;
    }
    const int mine = tracks;
    if (screen(s, &job, best, &offered) > 0) {
        track[tracks].runner = calloc(1, sizeof *track[0].runner);
        theirs(track[tracks++].runner, &job, best[0]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < tracks; i++) measure(s, &track[i], ms);
    for (int i = 0; i < tracks; i++) {
        const double us = median(track[i].us, track[i].n);
        printf("list\t%d\t%d\t%d\t%.2f\t%.1f\t%.0f MHz\t%.0f W\t%.4f J\t", shape->m, shape->n,
               shape->k, us, job.flops / us / 1e6, track[i].mhz, track[i].watts,
               track[i].joules / (double)(track[i].launches ? track[i].launches : 1));
        if (i < mine)
            print_config(&track[i].runner->plans[0].config);
        else
            printf("vendor algo %d of %d", best[0], offered);
        printf("\n");
        free(track[i].runner);
    }
    if (s->vendor) vendor_done(s->vendor);
    fflush(stdout);
}

/* A file of shapes with a configuration in the last column. */
static void picks(struct stand *s, const char *path, const char *kind, const char *out, double ms)
{
    char line[256], config[64], model[] = "0", *texts[] = {model, config};
    int m, n, k;
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d %d %d %*d %*d %*d %*d %*d %*d %*d %63s", &m, &n, &k, config) != 4)
            continue;
        const struct tmap_gemm_problem p = problem_of(kind, out, m, n, k);
        list(s, &p, ms, 2, texts);
    }
    fclose(f);
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
        list(s, &p, ms, count, texts);
    }
    fclose(f);
}

/* Three launches of a configuration, or of one of the vendor's algorithms: for a profiler. */
static void once(struct stand *s, const struct tmap_gemm_problem *shape, const char *what)
{
    static struct job job;
    struct runner *r = calloc(1, sizeof *r);
    const struct tmap_gemm_config wish = config_of(what);
    job_make(s, shape, PROBE_NORMAL, &job);
    if (what[0] == 'v') {
        vendor_prepare(s->vendor, &job.set[0], s->workspace, s->workspace_bytes);
        theirs(r, &job, atoi(what + 1));
    } else if (!ours(s, r, &job, &wish))
        return;
    for (int i = 0; i < 3; i++)
        if (r->run(s, r, 0)) printf("failed\n");
    s->api->stream_synchronize(s->stream);
    free(r);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Host time of a launch through the plan, and of the same launch made by hand. */
static void overhead(struct stand *s)
{
    static struct job job;
    struct runner *r = calloc(1, sizeof *r);
    const struct tmap_gemm_problem p = problem_of("bf16", "bf16", 128, 128, 64);
    double plan_us[64], run_us[64], bare_us[64];
    job_make(s, &p, PROBE_NORMAL, &job);
    if (!ours(s, r, &job, NULL)) return;
    struct tmap_gemm_plan *plan = &r->plans[0];
    struct tmap_cu_launch launch = {.grid_x = plan->grid,
                                    .grid_y = 1,
                                    .grid_z = 1,
                                    .block_x = plan->threads,
                                    .block_y = 1,
                                    .block_z = 1,
                                    .smem_bytes = plan->smem_bytes,
                                    .stream = s->stream};
    void *params[] = {plan->params};
    for (int i = 0; i < 64; i++) {
        double t = now_us();
        for (int j = 0; j < 100; j++) tmap_gemm_plan(s->suite, &job.set[0], NULL, plan, NULL);
        plan_us[i] = (now_us() - t) / 100;
        s->api->stream_synchronize(s->stream);
        t = now_us();
        for (int j = 0; j < 100; j++) tmap_gemm_run(plan, s->stream);
        run_us[i] = (now_us() - t) / 100;
        s->api->stream_synchronize(s->stream);
        t = now_us();
        for (int j = 0; j < 100; j++)
            s->api->launch_kernel_ex(&launch, plan->function, params, NULL);
        bare_us[i] = (now_us() - t) / 100;
        s->api->stream_synchronize(s->stream);
    }
    printf("overhead\tplan %.2f us\trun %.3f us\tbare launch %.3f us\n", median(plan_us, 64),
           median(run_us, 64), median(bare_us, 64));
    free(r);
}

/* The ladder at one square: rungs below the family, then the family's steps by configuration. */
static void ladder(struct stand *s, int n, double ms)
{
    static struct job job;
    const struct tmap_gemm_problem shape = problem_of("bf16", "f32", n, n, n);
    const int tiles = (n + 127) / 128 * ((n + 255) / 256);
    const struct step {
        const char *name;
        struct tmap_gemm_config wish;
    } steps[] = {
        {"specialised 64x128, one tile a block",
         {.tile_m = 64, .tile_n = 128, .stages = 4, .group = 1, .clusters = tiles * 4}},
        {"two consumers 128x256",
         {.tile_m = 128, .tile_n = 256, .stages = 3, .group = 1, .clusters = tiles}},
        {"four stages", {.tile_m = 128, .tile_n = 256, .group = 1, .clusters = tiles}},
        {"persistent", {.tile_m = 128, .tile_n = 256, .group = 1}},
        {"grouped raster", {.tile_m = 128, .tile_n = 256}},
        {"multicast in pairs", {.tile_m = 128, .tile_n = 256, .cluster_m = 2}},
        {"stores by the warps", {.tile_m = 128, .tile_n = 256, .cluster_m = 2, .direct = 1}},
        {"launch over the predecessor's end",
         {.tile_m = 128, .tile_n = 256, .cluster_m = 2, .direct = 1, .overlap = 1}},
    };
    struct runner *r = calloc(1, sizeof *r);
    job_make(s, &shape, PROBE_NORMAL, &job);
    for (int rung = 0; rung < 3; rung++) {
        bool right = false;
        const double us = rung_time(s, &job, rung, ms, &right);
        printf("ladder\t%d\t%s\t%.1f us\t%.1f TFLOP/s\t%s\n", n, rung_name(rung), us,
               job.flops / us / 1e6, right ? "right" : "WRONG");
        fflush(stdout);
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct tmap_gemm_config wish = steps[i].wish;
        wish.cluster_m = wish.cluster_m ? wish.cluster_m : 1;
        wish.overlap = wish.overlap ? 0 : -1;
        wish.direct = wish.direct ? 1 : -1;
        wish.cluster_n = wish.split = 1;
        wish.swapped = wish.stream = -1;
        if (!ours(s, r, &job, &wish)) continue;
        stand_time(s, r, ms / 4, 0);
        const struct slice t = stand_time(s, r, ms, 0);
        printf("ladder\t%d\t%s\t%.1f us\t%.1f TFLOP/s\t%.0f MHz\t%.0f W\n", n, steps[i].name, t.us,
               job.flops / t.us / 1e6, t.mhz, t.watts);
        fflush(stdout);
    }
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

int main(int argc, char **argv)
{
    struct stand stand;
    if (argc == 2 && !strcmp(argv[1], "plot")) return plot_ratios(stdin, stdout) == 0;
    if (argc < 2 || !stand_open(&stand)) return argc < 2 ? 3 : 1;
    const char *mode = argv[1];
    if (!strcmp(mode, "compare") && argc >= 5)
        compare_set(&stand, argv[2], argv[3], argv[4], argc > 5 ? index_of(argv[5], fills, 4) : 0,
                    0, 0);
    else if (!strcmp(mode, "sweepset") && argc >= 6)
        compare_set(&stand, argv[2], argv[3], argv[4], -1, atof(argv[5]),
                    argc > 6 ? atoi(argv[6]) : GEMM_MAX_CHOICES);
    else if (!strcmp(mode, "groups") && argc >= 5)
        groups(&stand, argv[2], argv[3], atof(argv[4]));
    else if (!strcmp(mode, "picks") && argc >= 6)
        picks(&stand, argv[2], argv[3], argv[4], atof(argv[5]));
    else if (!strcmp(mode, "lists") && argc >= 5)
        lists(&stand, argv[2], argv[3], argv[4]);
    else if (!strcmp(mode, "once") && argc >= 8) {
        const struct tmap_gemm_problem p =
            problem_of(argv[5], argv[6], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        once(&stand, &p, argv[7]);
    } else if (!strcmp(mode, "overhead"))
        overhead(&stand);
    else if (!strcmp(mode, "ceilings"))
        ceilings(&stand);
    else if (!strcmp(mode, "ladder") && argc >= 4)
        ladder(&stand, atoi(argv[2]), atof(argv[3]));
    else if ((!strcmp(mode, "sweep") || !strcmp(mode, "list")) && argc >= 8) {
        const struct tmap_gemm_problem p =
            problem_of(argv[5], argv[6], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
        if (!strcmp(mode, "sweep"))
            sweep(&stand, &p, atof(argv[7]), argc > 8 ? atoi(argv[8]) : GEMM_MAX_CHOICES);
        else
            list(&stand, &p, atof(argv[7]), argc - 8, argv + 8);
    }
    stand_close(&stand);
    return 0;
}
