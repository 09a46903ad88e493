#include "mixed.h"

#include <stdio.h>
#include <string.h>

#include "law.h"
#include "tmap/mixed.h"

enum { ROUNDS = 5, WAYS = 6 };

static const struct way {
    const char *name;
    int32_t weight, bits, group;
    bool zeros;
} ways[WAYS] = {{"u4 by 128", TMAP_MIXED_U4, 4, 128, false},
                {"u4 by 128, zeros", TMAP_MIXED_U4, 4, 128, true},
                {"u4 by 32, zeros", TMAP_MIXED_U4, 4, 32, true},
                {"s8 by 128", TMAP_MIXED_S8, 8, 128, false},
                {"s8 by row", TMAP_MIXED_S8, 8, 0, false},
                {"e4m3 by row", TMAP_MIXED_E4M3, 8, 0, false}};

struct size {
    int32_t m, n, k;
};

static int run_plan(struct stand *s, struct runner *r, int set)
{
    return tmap_gemm_run(&r->plans[set], s->stream) != TMAP_OK;
}

static uint64_t take(uint64_t *at, int64_t bytes)
{
    const uint64_t here = *at;
    *at += ((uint64_t)bytes + 1023) / 1024 * 1024;
    return here;
}

/* Operands one after the other in the arena, whose bytes are whatever lies there. */
static struct tmap_mixed_problem lay(const struct way *w, const struct size *z, uint64_t *at)
{
    const int32_t m = z->m, n = z->n, k = z->k;
    struct tmap_mixed_problem p = {.kind = TMAP_GEMM_BF16,
                                   .out = TMAP_GEMM_OUT_BF16,
                                   .weight = w->weight,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .group = w->group,
                                   .activations_ld = k,
                                   .weights_ld = k,
                                   .scales_ld = n,
                                   .zeros_ld = n,
                                   .d_ld = n};
    const int64_t groups = w->group ? (k - 1) / w->group + 1 : 0;
    p.activations = take(at, 2ll * m * k);
    p.weights = take(at, (int64_t)n * k * w->bits / 8);
    p.scales = take(at, w->group ? groups * n * 2 : n * 4ll);
    if (w->zeros) p.zeros = take(at, groups * n);
    p.d = take(at, 2ll * m * n);
    return p;
}

/* chained: each problem knows the one that is run after it. */
static bool ready(struct stand *s, const struct way *w, const struct size *z, int32_t overlap,
                  bool chained, struct job *job, struct runner *r)
{
    static struct tmap_mixed_problem set[MAX_SETS];
    const struct tmap_gemm_config request = {.overlap = overlap};
    struct tmap_gemm_refusal why = {0};
    uint64_t at = s->arena;
    memset(job, 0, sizeof *job);
    memset(r, 0, sizeof *r);
    while (job->sets < MAX_SETS && (job->sets < 2 || at - s->arena < (uint64_t)300 << 20))
        set[job->sets++] = lay(w, z, &at);
    for (int i = 0; i < job->sets; i++) {
        if (chained) set[i].next = &set[(i + 1) % job->sets];
        if (tmap_mixed_make_plan(s->suite, &set[i], &request, &r->plans[i], &why) == TMAP_OK)
            continue;
        printf("# %s\n", why.text);
        return false;
    }
    r->run = run_plan;
    r->job = job;
    return true;
}

static void one(struct stand *s, const struct way *w, const struct size *z, int32_t overlap,
                double ms)
{
    static struct job job[2];
    static struct runner r[2];
    double us[2][ROUNDS], mhz[2][ROUNDS];
    for (int c = 0; c < 2; c++) {
        if (!ready(s, w, z, overlap, c == 1, &job[c], &r[c])) return;
        stand_time(s, &r[c], ms, 0);
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int c = 0; c < 2; c++) {
            const struct slice t = stand_time(s, &r[c], ms, r[c].guess_us);
            us[c][i] = t.us, mhz[c][i] = t.mhz;
        }
    const double alone = median(us[0], ROUNDS), chained = median(us[1], ROUNDS);
    const double bound = r[0].plans[0].cost_us;
    printf("mixed\t%s\t%d\t%d\t%d\t%.2f us\t%.2f TB/s\t%.3f of the bound\ttile %d stages %d\t"
           "with next %.2f us\t%.3f\t%.0f and %.0f MHz\n",
           w->name, z->m, z->n, z->k, alone, bound / alone * 4.3, bound / alone,
           r[0].plans[0].config.tile_n, r[0].plans[0].config.stages, chained, bound / chained,
           median(mhz[0], ROUNDS), median(mhz[1], ROUNDS));
}

static void plain(struct stand *s, const struct size *z, double ms)
{
    const int32_t m = z->m, n = z->n, k = z->k;
    static struct job job;
    static struct runner r;
    double us[ROUNDS];
    const struct tmap_gemm_problem p = {
        .kind = TMAP_GEMM_BF16, .m = m, .n = n, .k = k, .batch = 1, .alpha = 1};
    memset(&r, 0, sizeof r);
    job_make(s, &p, PROBE_NORMAL, &job);
    if (!ours(s, &r, &job, NULL)) return;
    stand_time(s, &r, ms, 0);
    for (int i = 0; i < ROUNDS; i++) us[i] = stand_time(s, &r, ms, r.guess_us).us;
    const double t = median(us, ROUNDS),
                 bound = 2.0 * ((double)n * k + (double)m * (n + k)) / 4.3e6;
    printf("mixed\tbf16\t%d\t%d\t%d\t%.2f us\t%.2f TB/s\t%.3f of the bound\n", m, n, k, t,
           bound / t * 4.3, bound / t);
}

static void fill_arena(struct stand *s)
{
    const struct tmap_gemm_problem whole = {
        .m = 16384, .n = 16384, .k = 8192, .batch = 1, .alpha = 1};
    static struct job job;
    job_make(s, &whole, PROBE_NORMAL, &job); /* bytes for the arena's beginning */
}

void mixed_bench(struct stand *s, double ms, int32_t overlap)
{
    static const int32_t sizes[][2] = {{8192, 8192}, {28672, 8192}, {4096, 14336}, {14336, 4096}};
    static const int32_t rows[] = {1, 8, 16, 32, 64, 128};
    fill_arena(s);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
            const struct size z = {rows[j], sizes[i][0], sizes[i][1]};
            for (int w = 0; w < WAYS; w++) one(s, &ways[w], &z, overlap, ms);
            plain(s, &z, ms);
            fflush(stdout);
        }
}

void mixed_layers(struct stand *s, double ms, int count, uint64_t seed)
{
    static const int32_t rows[] = {1, 8, 16};
    struct law law;
    law_open(&law, seed);
    if (law.layer_count == 0) {
        printf("# no layers in bench/gemm/models.tsv\n");
        return;
    }
    printf("# layers by seed %llu\n", (unsigned long long)seed);
    fill_arena(s);
    for (int i = 0; i < count; i++) {
        const struct law_layer *x = law_layer(&law);
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++)
            for (int w = 0; w < WAYS; w++)
                one(s, &ways[w], &(struct size){rows[j], x->n, x->k}, 1, ms);
        fflush(stdout);
    }
}
