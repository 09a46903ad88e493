/* tmap_gemm_tune on this machine's GPU: it times, remembers, recalls, and never plans what is
 * slower than the model's own plan by more than the noise. Prints TAP; skips where there is no GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/gemm/suite.h"

enum { MOST = 12, RUNS = 30 };

static const struct shape {
    int32_t kind, m, n, k;
} shapes[] = {{TMAP_GEMM_BF16, 1000, 3000, 2048},
              {TMAP_GEMM_BF16, 16, 8192, 8192},
              {TMAP_GEMM_F16, 4096, 4096, 4096},
              {TMAP_GEMM_S8, 512, 2048, 7168}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool allocate(struct tmap_gemm *suite, const struct shape *s, struct tmap_gemm_problem *p)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    const int32_t bytes = s->kind == TMAP_GEMM_S8 ? 1 : 2;
    *p = (struct tmap_gemm_problem){.kind = s->kind,
                                    .out = TMAP_GEMM_OUT_BF16,
                                    .m = s->m,
                                    .n = s->n,
                                    .k = s->k,
                                    .batch = 1,
                                    .alpha = 1};
    p->a.ld = p->b.ld = s->k;
    p->d.ld = s->n;
    return !api->mem_alloc(&p->a.address, (size_t)s->m * (size_t)(s->k * bytes)) &&
           !api->mem_alloc(&p->b.address, (size_t)s->n * (size_t)(s->k * bytes)) &&
           !api->mem_alloc(&p->d.address, (size_t)s->m * (size_t)s->n * 2);
}

static double time_us(struct tmap_gemm *suite, const struct tmap_gemm_plan *plan)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    tmap_cu_event from, to;
    float ms = 0;
    if (api->event_create(&from, 0) || api->event_create(&to, 0)) return 0;
    for (int i = 0; i < RUNS / 3; i++) tmap_gemm_run(plan, NULL);
    api->event_record(from, NULL);
    for (int i = 0; i < RUNS; i++) tmap_gemm_run(plan, NULL);
    api->event_record(to, NULL);
    if (api->event_synchronize(to) || api->event_elapsed_time(&ms, from, to)) ms = 0;
    api->event_destroy(from);
    api->event_destroy(to);
    return ms * 1000.0 / RUNS;
}

static bool same_choice(const struct tmap_gemm_config *x, const struct tmap_gemm_config *y)
{
    return x->tile_m == y->tile_m && x->tile_n == y->tile_n && x->cluster_m == y->cluster_m &&
           x->cluster_n == y->cluster_n && x->split_k == y->split_k && x->swapped == y->swapped &&
           x->stream_k == y->stream_k && x->clusters == y->clusters && x->pingpong == y->pingpong &&
           x->store_warp == y->store_warp;
}

static bool tunes(struct tmap_gemm *suite, const struct shape *s, const char *cache, char *text,
                  size_t cap)
{
    struct tmap_gemm_problem p;
    struct tmap_gemm_plan modelled, tuned, recalled;
    if (!allocate(suite, s, &p) ||
        tmap_gemm_make_plan(suite, &p, NULL, &modelled, NULL) != TMAP_OK ||
        tmap_gemm_tune(suite, &p, NULL, MOST, cache, &tuned, NULL) != TMAP_OK ||
        tmap_gemm_tune(suite, &p, NULL, 0, cache, &recalled, NULL) != TMAP_OK)
        return false;
    const double model_us = time_us(suite, &modelled), tuned_us = time_us(suite, &tuned);
    snprintf(text, cap, "%dx%dx%d: the model's %.1f us, tuned %.1f us, recalled %s", s->m, s->n,
             s->k, model_us, tuned_us,
             same_choice(&tuned.config, &recalled.config) ? "the same" : "ANOTHER");
    return tuned_us > 0 && tuned_us < model_us * 1.1 &&
           same_choice(&tuned.config, &recalled.config);
}

/* Every configuration of the family, taken as a request, gives itself and nothing better. */
static int strays(struct tmap_gemm *suite, const struct shape *s)
{
    static struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    struct tmap_gemm_problem p;
    struct tmap_gemm_plan plan;
    int count = 0;
    if (!allocate(suite, s, &p)) return -1;
    const size_t all = tmap_gemm_configs(suite, &p, NULL, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < all; i++)
        count += tmap_gemm_make_plan(suite, &p, &configs[i], &plan, NULL) != TMAP_OK ||
                 !same_choice(&configs[i], &plan.config);
    return all ? count : -1;
}

static int lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    int lines = 0, c;
    if (!f) return -1;
    while ((c = fgetc(f)) != EOF) lines += c == '\n';
    fclose(f);
    return lines;
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    char why[160] = "", cache[] = "/tmp/tmap-tune-XXXXXX";
    bool failed = false;
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why) !=
        TMAP_OK) {
        printf("ok 1 # SKIP gemm tune: %s\n1..1\n", why);
        return 0;
    }
    const int fd = mkstemp(cache);
    if (fd < 0) return 1;
    close(fd);
    for (int i = 0; i < SHAPES; i++) {
        char text[160] = "no plan";
        const bool good = tunes(suite, &shapes[i], cache, text, sizeof text);
        printf("%s %d - tune %s\n", good ? "ok" : "not ok", i + 1, text);
        failed |= !good;
    }
    const bool remembered = lines_of(cache) == SHAPES;
    printf("%s %d - tune remembers each shape once\n", remembered ? "ok" : "not ok", SHAPES + 1);
    const int stray = strays(suite, &shapes[0]);
    printf("%s %d - tune: %d configurations, taken as a request, give another\n1..%d\n",
           stray ? "not ok" : "ok", SHAPES + 2, stray, SHAPES + 2);
    unlink(cache);
    tmap_gemm_close(suite);
    return failed || !remembered || stray;
}
