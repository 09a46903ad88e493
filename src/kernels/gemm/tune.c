/* The fastest configuration by trial, remembered in a text file. */
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/suite.h"

enum { RUNS = 8, KEY_BYTES = 160 };

/* What a choice may depend on. Addresses and strides are not in it: a remembered configuration is
 * checked again by the plan that is made of it. */
static void key_of(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p, char *key)
{
    snprintf(key, KEY_BYTES, "%.40s sm%d k%d o%d %dx%dx%d b%d %d%d%d p%d c%d", suite->gpu.name,
             suite->gpu.sm_count, p->kind, p->out, p->m, p->n, p->k, p->batch, p->a.mn_major,
             p->b.mn_major, p->d.mn_major, p->precise, p->beta != 0.0f);
}

static bool recall(const char *path, const char *key, struct tmap_gemm_config *c)
{
    char line[512];
    bool found = false;
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f) return false;
    while (fgets(line, sizeof line, f)) {
        const size_t n = strlen(key);
        if (strncmp(line, key, n) || line[n] != '\t') continue;
        c->pingpong = -1; /* what a line of eleven numbers meant */
        found = sscanf(line + n, "%d %d %d %d %d %d %d %d %d %d %d %d", &c->tile_m, &c->tile_n,
                       &c->stages, &c->panels, &c->cluster_m, &c->cluster_n, &c->split, &c->group,
                       &c->clusters, &c->swapped, &c->stream, &c->pingpong) >= 11;
    }
    fclose(f);
    return found;
}

static void remember(const char *path, const char *key, const struct tmap_gemm_config *c)
{
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s\t%d %d %d %d %d %d %d %d %d %d %d %d\n", key, c->tile_m, c->tile_n, c->stages,
            c->panels, c->cluster_m, c->cluster_n, c->split, c->group, c->clusters, c->swapped,
            c->stream, c->pingpong);
    fclose(f);
}

/* Microseconds a run, or 0 when the device objects. */
static double time_us(const struct tmap_gemm *suite, const struct tmap_gemm_plan *plan)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    tmap_cu_event from = NULL, to = NULL;
    float ms = 0;
    bool good = !api->event_create(&from, 0) && !api->event_create(&to, 0);
    good = good && tmap_gemm_run(plan, NULL) == TMAP_OK && !api->event_record(from, NULL);
    for (int i = 0; i < RUNS && good; i++) good = tmap_gemm_run(plan, NULL) == TMAP_OK;
    good = good && !api->event_record(to, NULL) && !api->event_synchronize(to) &&
           !api->event_elapsed_time(&ms, from, to);
    if (from) api->event_destroy(from);
    if (to) api->event_destroy(to);
    return good ? ms * 1000.0 / RUNS : 0;
}

enum tmap_status tmap_gemm_tune(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                                const struct tmap_gemm_config *wish, size_t most,
                                const char *cache_path, struct tmap_gemm_plan *plan,
                                struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES], known;
    char key[KEY_BYTES];
    if (!suite || !problem || !plan) return TMAP_E_ARGUMENT;
    if (problem->beta != 0.0f && problem->c.address == problem->d.address) return TMAP_E_ARGUMENT;
    key_of(suite, problem, key);
    memset(&known, 0, sizeof known);
    if (recall(cache_path, key, &known) &&
        tmap_gemm_plan(suite, problem, &known, plan, refusal) == TMAP_OK)
        return TMAP_OK;
    size_t count = tmap_gemm_configs(suite, problem, wish, configs, GEMM_MAX_CHOICES);
    double best_us = 0;
    for (size_t i = 0; i < count && i < most; i++) {
        struct tmap_gemm_plan trial;
        if (tmap_gemm_plan(suite, problem, &configs[i], &trial, refusal) != TMAP_OK) continue;
        const double us = time_us(suite, &trial);
        if (us <= 0) return TMAP_E_DRIVER;
        if (best_us > 0 && us >= best_us) continue;
        best_us = us;
        *plan = trial;
    }
    if (best_us <= 0) return tmap_gemm_plan(suite, problem, wish, plan, refusal);
    remember(cache_path, key, &plan->config);
    return TMAP_OK;
}
