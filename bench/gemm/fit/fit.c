/* Fits the constants of the cost model (src/kernels/gemm/model.c) to timings of drawn shapes.
 *
 *   fit [-k KIND] TSV... [-s SECONDS] [-r SEED] [-o NAME] [-t]
 *                                                      TSV: what `gemm fit KIND` printed, of the
 *                                                      kind named before it (a number of kernels.h;
 *                                                      -p KIND: promoted); -t: only tells;
 *                                                      -o: fits that constant alone, or those
 *
 * build.mk makes the model's constants variables of this program and lists them. A step scales one
 * or two of them at random and is kept when the loss falls: over the shapes, the mean logarithm of
 * the time of what the model would pick over the best one measured, made smooth by weights that
 * fall with the modelled cost, and a little of the model's error on the best ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/rng.h"
#include "kernels/gemm/suite.h"

struct constant {
    const char *name;
    double *at;
};
#define CONSTANT(name) extern double name;
#include "fit_constants.def"
#undef CONSTANT
static const struct constant constants[] = {
#define CONSTANT(name) {#name, &name},
#include "fit_constants.def"
#undef CONSTANT
};
enum { CONSTANTS = sizeof constants / sizeof constants[0], MAX_ROWS = 400000, MAX_SHAPES = 8000 };

struct row {
    struct gemm_choice choice;
    double us, cost_us;
    double behind; /* the logarithm of its time over the best one's */
};

struct shape {
    struct gemm_view view[2];
    int m, n, k, first, count;
    double best_us, vendor_us;
};

static struct row rows[MAX_ROWS];
static struct shape shapes[MAX_SHAPES];
static int row_count, shape_count;
static struct tmap_gemm suite;

static struct tmap_gemm_problem problem_of(int m, int n, int k, int kind, bool precise)
{
    struct tmap_gemm_problem p = {.kind = kind, .m = m, .n = n, .k = k, .batch = 1, .alpha = 1};
    p.precise = precise;
    p.out = kind == TMAP_GEMM_S8     ? TMAP_GEMM_OUT_S32
            : kind == TMAP_GEMM_TF32 ? TMAP_GEMM_OUT_F32
                                     : TMAP_GEMM_OUT_BF16;
    p.a.ld = p.b.ld = (k + 15) / 16 * 16;
    p.d.ld = (n + 15) / 16 * 16;
    return p;
}

static bool complete(const struct shape *s, const char *text, struct row *row)
{
    struct tmap_gemm_config c = {0};
    struct tmap_gemm_problem p = problem_of(s->m, s->n, s->k, s->view[0].kind, s->view[0].promote);
    struct gemm_choice found;
    if (sscanf(text, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", &c.tile_m, &c.tile_n,
               &c.stages, &c.cluster_m, &c.cluster_n, &c.split_k, &c.group, &c.clusters, &c.swapped,
               &c.stream_k, &c.flip_k, &c.load_policy, &c.store_policy, &c.overlap, &c.panels,
               &c.direct, &c.pingpong, &c.store_warp) != 18)
        return false;
    if (gemm_enumerate(&suite, &p, &c, &found, 1) == 0) return false;
    row->choice = found;
    return true;
}

static struct shape *shape_of(int m, int n, int k, int kind, bool precise)
{
    struct shape *s = shape_count ? &shapes[shape_count - 1] : NULL;
    if (s && s->m == m && s->n == n && s->k == k && s->view[0].kind == kind) return s;
    if (shape_count == MAX_SHAPES) return NULL;
    s = &shapes[shape_count++];
    const struct tmap_gemm_problem p = problem_of(m, n, k, kind, precise);
    *s = (struct shape){.m = m, .n = n, .k = k, .first = row_count, .best_us = 1e12};
    for (int swapped = 0; swapped < 2; swapped++) s->view[swapped] = gemm_view_of(&p, swapped);
    return s;
}

static void read_file(const char *path, int kind, bool precise)
{
    char line[512], what, text[256];
    int m, n, k;
    double us, cost;
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%c %d %d %d %lf %lf %255s", &what, &m, &n, &k, &us, &cost, text) != 7)
            continue;
        struct shape *s = shape_of(m, n, k, kind, precise);
        if (!s || us > 1e9) continue;
        if (what == 'V' && (s->vendor_us == 0 || us < s->vendor_us)) s->vendor_us = us;
        if (what != 'C' || row_count == MAX_ROWS || !complete(s, text, &rows[row_count])) continue;
        rows[row_count++].us = us;
        s->count++;
        if (us < s->best_us) s->best_us = us;
    }
    fclose(f);
}

static double cost_of(const struct shape *s, const struct row *r)
{
    return gemm_cost_us(&suite, &s->view[r->choice.config.swapped > 0], &r->choice);
}

/* Rows that are far behind seldom matter: a third of them is kept. */
static void thin_out(void)
{
    int kept = 0;
    for (int i = 0; i < shape_count; i++) {
        struct shape *s = &shapes[i];
        const int first = kept;
        for (int j = s->first; j < s->first + s->count; j++) {
            rows[j].behind = log(rows[j].us / s->best_us);
            if (rows[j].behind < 0.35 || j % 3 == 0) rows[kept++] = rows[j];
        }
        s->first = first;
        s->count = kept - first;
    }
    row_count = kept;
}

static const double SHARPNESS = 40, ERROR_WEIGHT = 0.03, NEGLIGIBLE = 1.2, MOST_BEHIND = 0.7;

static double loss_of(const struct shape *s)
{
    double least = 1e12, weights = 0, weighted = 0, error = 0, errors = 0;
    for (int j = s->first; j < s->first + s->count; j++) {
        rows[j].cost_us = cost_of(s, &rows[j]);
        if (rows[j].cost_us < least) least = rows[j].cost_us;
    }
    for (int j = s->first; j < s->first + s->count; j++) {
        const struct row *r = &rows[j];
        if (r->cost_us < least * NEGLIGIBLE) {
            const double w = exp(-SHARPNESS * (r->cost_us / least - 1));
            weights += w;
            weighted += w * (r->behind < MOST_BEHIND ? r->behind : MOST_BEHIND);
        }
        if (r->behind < 0.3) {
            const double e = r->cost_us / r->us;
            error += e > 1 ? e - 1 : 1 / e - 1;
            errors++;
        }
    }
    return weights > 0 ? weighted / weights + ERROR_WEIGHT * error / (errors + 1) : 0;
}

static double loss(void)
{
    /* Long products are few among the drawn, and most of a program's time. */
    static const double LONG_US = 200, LONG_WEIGHT = 3;
    double sum = 0, weights = 0;
    for (int i = 0; i < shape_count; i++) {
        const double weight = shapes[i].best_us > LONG_US ? LONG_WEIGHT : 1;
        sum += weight * loss_of(&shapes[i]);
        weights += weight;
    }
    return sum / weights;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double uniform(uint64_t *state)
{
    return (double)(rng_step(state) >> 11) * 0x1p-53;
}

static const char *only[CONSTANTS]; /* are fitted, where there are any */
static int only_count;

/* Constants of the device, or of types that the timings have none of: not fitted. */
static bool is_given(const char *name)
{
    for (int i = 0; i < only_count; i++)
        if (!strcmp(name, only[i])) return false;
    if (only_count > 0) return true;
    static const char *const given[] = {"CLOCK_SHARE", "MEMORY_SHARE"};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (!strcmp(name, given[i])) return true;
    return false;
}

static void search(double seconds, uint64_t seed)
{
    double best = loss(), keep[CONSTANTS];
    const double began = now_s();
    while (now_s() < began + seconds) {
        const double heat = 0.4 * (1 - (now_s() - began) / seconds) + 0.02;
        const int moves = 1 + (int)(rng_step(&seed) % 3);
        for (int i = 0; i < CONSTANTS; i++) keep[i] = *constants[i].at;
        for (int i = 0; i < moves; i++) {
            const struct constant *x = &constants[rng_step(&seed) % CONSTANTS];
            if (!is_given(x->name)) *x->at *= exp(heat * (uniform(&seed) * 2 - 1));
        }
        const double now = loss();
        if (now < best)
            best = now;
        else
            for (int i = 0; i < CONSTANTS; i++) *constants[i].at = keep[i];
    }
}

static int by_ratio(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void tell(bool each)
{
    static double shares[MAX_SHAPES];
    double pick_logs = 0, best_logs = 0, vendor_logs = 0;
    int n = 0, with_vendor = 0;
    const double l = loss();
    for (int i = 0; i < shape_count; i++) {
        const struct shape *s = &shapes[i];
        const struct row *pick = NULL, *best = NULL;
        for (int j = s->first; j < s->first + s->count; j++) {
            if (!pick || rows[j].cost_us < pick->cost_us) pick = &rows[j];
            if (!best || rows[j].us < best->us) best = &rows[j];
        }
        if (!pick) continue;
        shares[n++] = best->us / pick->us;
        best_logs += log(best->us / pick->us);
        if (s->vendor_us > 0) {
            with_vendor++;
            pick_logs += log(s->vendor_us / pick->us);
            vendor_logs += log(s->vendor_us / best->us);
        }
        if (!each) continue;
        printf("%d\t%d\t%d\tvendor %.2f\tpick %.2f (model %.2f)\tbest %.2f (model %.2f)\t%.3f %.3f",
               s->m, s->n, s->k, s->vendor_us, pick->us, pick->cost_us, best->us, best->cost_us,
               s->vendor_us / pick->us, s->vendor_us / best->us);
        for (int b = 0; b < 2; b++) {
            const struct tmap_gemm_config *c = b ? &best->choice.config : &pick->choice.config;
            printf("\t%dx%d c%dx%d s%d %s%s st%d cl%d", c->tile_m, c->tile_n, c->cluster_m,
                   c->cluster_n, c->split_k, c->swapped > 0 ? "T" : "N",
                   c->pingpong > 0 ? " pp" : "", c->stream_k, c->clusters);
        }
        printf("\n");
    }
    qsort(shares, (size_t)n, sizeof *shares, by_ratio);
    printf("# loss %.5f, %d shapes, %d rows: pick of best measured %.4f, tenth percentile %.4f, "
           "worst %.4f; of the vendor: pick %.4f, best measured %.4f\n",
           l, n, row_count, exp(best_logs / n), shares[n / 10], shares[0],
           exp(pick_logs / with_vendor), exp(vendor_logs / with_vendor));
}

int main(int argc, char **argv)
{
    double seconds = 60;
    uint64_t seed = 1;
    bool only_tell = false, precise = false;
    int kind = TMAP_GEMM_BF16;
    suite.gpu.sm_count = 132;
    suite.gpu.clock_mhz = 1980;
    suite.gpu.memory_bytes_per_us = 4.814e6;
    tmap_capacity(TMAP_ARCH(90, 1), &suite.smem_optin_bytes, NULL);
    static const int32_t resident[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
    for (int i = 1; i <= 8; i++) suite.resident[i] = resident[i];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-s"))
            seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "-r"))
            seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-t"))
            only_tell = true;
        else if (!strcmp(argv[i], "-o") && only_count < CONSTANTS)
            only[only_count++] = argv[++i];
        else if (!strcmp(argv[i], "-k") || !strcmp(argv[i], "-p")) {
            precise = argv[i][1] == 'p';
            kind = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "-R")) {
            for (int j = 1; j <= 8; j++) suite.resident[j] = atoi(argv[++i]);
        } else
            read_file(argv[i], kind, precise);
    }
    if (!only_tell) thin_out();
    tell(only_tell);
    if (only_tell) return 0;
    search(seconds, seed);
    tell(false);
    for (int i = 0; i < CONSTANTS; i++) printf("%s = %.4g\n", constants[i].name, *constants[i].at);
    return 0;
}
