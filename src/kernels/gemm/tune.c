/* The fastest configuration by trial, remembered in a text file. */
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/suite.h"

enum { KEY_BYTES = 240 };

/* Every configuration is looked at for a few runs, on a device that has worked for WARM_US. Under
 * its power limit a GPU ranks them in another order than before it has warmed up (4096 cubed,
 * docs/GEMM.md), so the quickest are timed again, in turn, each in slices that keep the device
 * busy. */
enum { WARM_US = 30000, LOOK_RUNS = 8, FINALISTS = 5, ROUNDS = 3, SLICE_US = 30000 };
enum { MOST_RUNS = 160 };
/* What differs less from the model's own plan is noise. */
static const double WORTH = 0.985;

/* What the kernels of a kind are, in 64 bits: another build's choices are not this one's. */
static uint64_t build_of(const struct tmap_gemm *suite, int32_t kind)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (int32_t part = 0; part < GEMM_IMAGES; part++) {
        const struct tmap_code_embedded image = gemm_image_of(suite->family, kind, part);
        for (size_t i = 0; i < image.size; i++)
            sum = (sum ^ ((const uint8_t *)image.data)[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

/* What a choice may depend on. Addresses and strides are not in it: a remembered configuration is
 * checked again by the plan that is made of it. */
static void key_of(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p, char *key)
{
    snprintf(key, KEY_BYTES,
             "%.40s sm%d %.0f MHz cuda%d build%016llx k%d o%d %dx%dx%d b%d %d%d%d p%d c%d",
             suite->gpu.name, suite->gpu.sm_count, suite->gpu.clock_mhz, suite->gpu.cuda_version,
             (unsigned long long)build_of(suite, p->kind), p->kind, p->out, p->m, p->n, p->k,
             p->batch, p->a.mn_major, p->b.mn_major, p->d.mn_major, p->precise, p->beta != 0.0f);
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
        found = gemm_read_config(line + n + 1, c) == GEMM_CONFIG_MEMBERS;
    }
    fclose(f);
    return found;
}

static void remember(const char *path, const char *key, const struct tmap_gemm_config *c)
{
    char text[256];
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    gemm_print_config(text, sizeof text, c);
    fprintf(f, "%s\t%s\n", key, text);
    fclose(f);
}

/* A product that reads twice the L2 cache's size before every run, so that each finds its operands
 * where a program's would be: not there. It reads, since lines that were written would still be on
 * their way to memory while a short product runs. Without memory to spare it is left out. */
struct sweep {
    tmap_cu_deviceptr at;
    bool wanted;
    struct tmap_gemm_plan plan;
    double us; /* what it takes itself */
};

/* Microseconds of `runs` runs, of the sweep before each included; plan NULL: of sweeps alone. 0
 * when the device objects. */
static double elapsed_us(const struct tmap_gemm *suite, const struct tmap_gemm_plan *plan,
                         const struct sweep *sweep, int32_t runs)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    tmap_cu_event from = NULL, to = NULL;
    float ms = 0;
    bool good = !api->event_create(&from, 0) && !api->event_create(&to, 0);
    good = good && !api->event_record(from, NULL);
    for (int32_t i = 0; i < runs && good; i++) {
        if (sweep->wanted) good = tmap_gemm_run(&sweep->plan, NULL) == TMAP_OK;
        good = good && (!plan || tmap_gemm_run(plan, NULL) == TMAP_OK);
    }
    good = good && !api->event_record(to, NULL) && !api->event_synchronize(to) &&
           !api->event_elapsed_time(&ms, from, to);
    if (from) api->event_destroy(from);
    if (to) api->event_destroy(to);
    return good ? ms * 1000.0 : 0;
}

/* Microseconds a run, or 0 when the device objects. */
static double time_us(const struct tmap_gemm *suite, const struct tmap_gemm_plan *plan,
                      const struct sweep *sweep, int32_t runs)
{
    const double least_us = 0.1;
    if (tmap_gemm_run(plan, NULL) != TMAP_OK) return 0;
    const double all_us = elapsed_us(suite, plan, sweep, runs);
    if (all_us <= 0) return 0;
    const double us = all_us / runs - sweep->us;
    return us > least_us ? us : least_us;
}

/* Bytes that a run touches: of more than the cache holds little is left by the next one anyway. */
static double bytes_of(const struct tmap_gemm_problem *p)
{
    const struct gemm_view v = gemm_view_of(p, false);
    const double m = v.m, n = v.n, k = v.k;
    return v.batch * ((m + n) * k * v.element_bytes + m * n * v.out_bytes);
}

/* One row times as many as fill `bytes`, of the same kind, at `at`; its result lies behind them. */
enum { SWEEP_ROW_BYTES = 8192 };
static struct tmap_gemm_problem sweeping(const struct tmap_gemm_problem *p, uint64_t at,
                                         size_t bytes)
{
    const int32_t k = SWEEP_ROW_BYTES / gemm_view_of(p, false).element_bytes;
    const int32_t rows = (int32_t)(bytes / SWEEP_ROW_BYTES);
    return (struct tmap_gemm_problem){.kind = p->kind,
                                      .out = p->kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32
                                                                     : TMAP_GEMM_OUT_F32,
                                      .m = 1,
                                      .n = rows,
                                      .k = k,
                                      .batch = 1,
                                      .a = {.address = at, .ld = k},
                                      .b = {.address = at, .ld = k},
                                      .d = {.address = at + bytes, .ld = rows},
                                      .alpha = 1};
}

static void open_sweep(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                       struct sweep *sweep)
{
    enum { TIMES = 16, UNIT = 4 * SWEEP_ROW_BYTES }; /* rows of the result are whole */
    const size_t bytes = (size_t)suite->gpu.l2_bytes * 2 / UNIT * UNIT;
    *sweep = (struct sweep){.wanted = false};
    if (bytes == 0 || bytes_of(problem) > (double)suite->gpu.l2_bytes ||
        suite->gpu.api.mem_alloc(&sweep->at, bytes + bytes / SWEEP_ROW_BYTES * 4))
        return;
    const struct tmap_gemm_problem p = sweeping(problem, sweep->at, bytes);
    sweep->wanted = tmap_gemm_make_plan(suite, &p, NULL, &sweep->plan, NULL) == TMAP_OK;
    elapsed_us(suite, NULL, sweep, 1);
    sweep->us = elapsed_us(suite, NULL, sweep, TIMES) / TIMES;
}

static void close_sweep(const struct tmap_gemm *suite, struct sweep *sweep)
{
    if (sweep->at) suite->gpu.api.mem_free(sweep->at);
}

/* Who is timed again: first the model's own plan, then the quickest others, quickest first. */
struct finals {
    struct tmap_gemm_plan plan[FINALISTS];
    double us[FINALISTS];
    int32_t count;
};

static void enter(struct finals *f, const struct tmap_gemm_plan *plan, double us)
{
    int32_t at = f->count;
    if (at == FINALISTS && us >= f->us[--at]) return;
    for (; at > 1 && us < f->us[at - 1]; at--) {
        f->plan[at] = f->plan[at - 1];
        f->us[at] = f->us[at - 1];
    }
    f->plan[at] = *plan;
    f->us[at] = us;
    if (f->count < FINALISTS) f->count++;
}

/* The quickest over all rounds, but the model's own unless it is beaten by more than noise, in more
 * rounds than not; -1 when the device objects. */
static int32_t winner(const struct tmap_gemm *suite, const struct sweep *sweep,
                      const struct finals *f)
{
    double total[FINALISTS] = {0}, own = 0;
    int32_t best = 0, won[FINALISTS] = {0};
    for (int32_t round = 0; round < ROUNDS; round++)
        for (int32_t i = 0; i < f->count; i++) {
            const double runs = SLICE_US / (f->us[i] + sweep->us) + 1;
            const double us =
                time_us(suite, &f->plan[i], sweep, runs < MOST_RUNS ? (int32_t)runs : MOST_RUNS);
            if (us <= 0) return -1;
            if (i == 0) own = us;
            total[i] += us;
            won[i] += us < own;
        }
    for (int32_t i = 1; i < f->count; i++)
        if (total[i] < total[best] && total[i] < total[0] * WORTH && won[i] * 2 > ROUNDS) best = i;
    return best;
}

/* The first `most` configurations of the request, each looked at; the first one warms the device.
 */
static enum tmap_status look(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                             const struct tmap_gemm_config *request, const struct sweep *sweep,
                             size_t most, struct finals *f, struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    const size_t count = tmap_gemm_configs(suite, problem, request, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count && i < most; i++) {
        struct tmap_gemm_plan trial;
        if (tmap_gemm_make_plan(suite, problem, &configs[i], &trial, refusal) != TMAP_OK) continue;
        double us = time_us(suite, &trial, sweep, LOOK_RUNS);
        for (double busy = 0; f->count == 0 && us > 0 && count > 1 && most > 1 && busy < WARM_US;
             busy += (us + sweep->us) * LOOK_RUNS)
            us = time_us(suite, &trial, sweep, LOOK_RUNS);
        if (us <= 0) return TMAP_E_DRIVER;
        enter(f, &trial, us);
    }
    return TMAP_OK;
}

static enum tmap_status tune(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                             const struct tmap_gemm_config *request, size_t most,
                             const char *cache_path, struct tmap_gemm_plan *plan,
                             struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config known;
    struct finals f = {.count = 0};
    char key[KEY_BYTES];
    key_of(suite, problem, key);
    if (recall(cache_path, key, &known) &&
        tmap_gemm_make_plan(suite, problem, &known, plan, refusal) == TMAP_OK)
        return TMAP_OK;
    struct sweep sweep;
    open_sweep(suite, problem, &sweep);
    enum tmap_status status = look(suite, problem, request, &sweep, most, &f, refusal);
    const int32_t best = status == TMAP_OK && f.count > 1 ? winner(suite, &sweep, &f) : 0;
    if (best < 0) status = TMAP_E_DRIVER;
    close_sweep(suite, &sweep);
    if (status != TMAP_OK) return status;
    if (f.count == 0) return tmap_gemm_make_plan(suite, problem, request, plan, refusal);
    *plan = f.plan[best];
    remember(cache_path, key, &plan->config);
    return TMAP_OK;
}

enum tmap_status tmap_gemm_tune(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                                const struct tmap_gemm_config *request, size_t most,
                                const char *cache_path, struct tmap_gemm_plan *plan,
                                struct tmap_gemm_refusal *refusal)
{
    tmap_cu_context before;
    if (!suite || !problem || !plan) return TMAP_E_ARGUMENT;
    if (problem->beta != 0.0f && problem->c.address == problem->d.address) return TMAP_E_ARGUMENT;
    const enum tmap_status valid =
        gemm_validate(problem, request ? request : &(struct tmap_gemm_config){0}, refusal);
    if (valid != TMAP_OK) return valid;
    if (tmap_gpu_enter(&suite->gpu, &before) != TMAP_OK)
        return gemm_refuse(refusal, TMAP_E_DRIVER, "the device's context cannot be made current");
    const enum tmap_status status = tune(suite, problem, request, most, cache_path, plan, refusal);
    tmap_gpu_leave(&suite->gpu, before);
    return status;
}
