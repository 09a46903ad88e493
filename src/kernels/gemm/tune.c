/* The fastest configuration by trial, remembered (remember.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/rotate.h"

/* Every configuration is looked at for a few runs, on a device that has worked for WARM_US. Under
 * its power limit a GPU ranks them in another order than before it has warmed up (4096 cubed,
 * docs/GEMM.md), so the quickest are timed again, in turn, each in slices that keep the device
 * busy; and what has won, once more beside the model's own plan. */
enum { WARM_US = 30000, LOOK_RUNS = 8, FINALISTS = 5, ROUNDS = 3, SLICE_US = 20000 };
enum { RUN_OFFS = 4, MOST_RUNS = 640 };
/* What differs less from the model's own plan is noise: of the finals, and of the run-off. */
static const double WORTH = 0.985, STILL_WORTH = 0.99;

#define FNV_BASIS UINT64_C(0xcbf29ce484222325) /* FNV-1a */
static uint64_t sum_of(const void *from, size_t bytes, uint64_t sum)
{
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ ((const uint8_t *)from)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* What the kernels of a kind are, in 64 bits: another build's choices are not this one's. */
static uint64_t build_of(const struct tmap_gemm *suite, int32_t kind)
{
    uint64_t sum = FNV_BASIS;
    for (int32_t part = 0; part < GEMM_IMAGES; part++) {
        const struct tmap_code_embedded image = gemm_image_of(suite->family, kind, part);
        sum = sum_of(image.data, image.size, sum);
    }
    return sum;
}

/* What a choice may depend on. Addresses and strides are not in it: a remembered configuration is
 * checked again by the plan that is made of it. */
static void key_of(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p, char *key)
{
    snprintf(
        key, GEMM_KEY_BYTES,
        "%.40s sm%d %.0f MHz cuda%d build%016llx k%d o%d %dx%dx%d b%d %d%d%d p%d c%d e%d a%d s%d "
        "v%016llx",
        suite->gpu.name, suite->gpu.sm_count, suite->gpu.clock_mhz, suite->gpu.cuda_version,
        (unsigned long long)build_of(suite, p->kind), p->kind, p->out, p->m, p->n, p->k, p->batch,
        p->a.mn_major, p->b.mn_major, p->d.mn_major, p->precise | p->b_ready << 1, p->beta != 0.0f,
        gemm_wants_epilogue(p) + 2 * p->epilogue.gate, p->epilogue.activation,
        p->block_scale.a != 0, (unsigned long long)sum_of(&p->conv, sizeof p->conv, FNV_BASIS));
}

/* Who is timed again: first the model's own plan, then the quickest others, quickest first. */
struct finals {
    struct tmap_gemm_config config[FINALISTS];
    double us[FINALISTS];
    int32_t count;
};

static void enter(struct finals *f, const struct tmap_gemm_config *config, double us)
{
    int32_t at = f->count;
    if (at == FINALISTS && us >= f->us[--at]) return;
    for (; at > 1 && us < f->us[at - 1]; at--) {
        f->config[at] = f->config[at - 1];
        f->us[at] = f->us[at - 1];
    }
    f->config[at] = *config;
    f->us[at] = us;
    if (f->count < FINALISTS) f->count++;
}

/* What a search works with. */
struct trials {
    struct tmap_gemm *suite;
    struct gemm_rotation operands;
    struct finals finals;
    struct tmap_gemm_plan plan[GEMM_MOST_SETS];
};

/* Of a slice of finalist i; 0 when the device objects. */
static double slice_us(struct trials *t, int32_t i)
{
    const double runs = SLICE_US / t->finals.us[i] + 1;
    if (gemm_plan_sets(t->suite, &t->operands, &t->finals.config[i], t->plan, NULL) != TMAP_OK)
        return 0;
    return gemm_time_sets(t->suite, t->plan, &t->operands,
                          runs < MOST_RUNS ? (int32_t)runs : MOST_RUNS);
}

/* The quickest over all rounds, but the model's own unless it is beaten by more than noise, in more
 * rounds than not; -1 when the device objects. */
static int32_t winner(struct trials *t)
{
    double total[FINALISTS] = {0}, own = 0;
    int32_t best = 0, won[FINALISTS] = {0};
    for (int32_t round = 0; round < ROUNDS; round++)
        for (int32_t i = 0; i < t->finals.count; i++) {
            const double us = slice_us(t, i);
            if (us <= 0) return -1;
            if (i == 0) own = us;
            total[i] += us;
            won[i] += us < own;
        }
    for (int32_t i = 1; i < t->finals.count; i++)
        if (total[i] < total[best] && total[i] < total[0] * WORTH && won[i] * 2 > ROUNDS) best = i;
    return best;
}

/* The same of the best and the model's own alone: the best of several is the luckiest of them,
 * too. */
static int32_t run_off(struct trials *t, int32_t best)
{
    double total[2] = {0};
    for (int32_t round = 0; round < RUN_OFFS && best > 0; round++)
        for (int32_t i = 0; i < 2; i++) {
            const int32_t which = (round + i) % 2; /* who comes first takes turns */
            const double us = slice_us(t, which ? best : 0);
            if (us <= 0) return -1;
            total[which] += us;
        }
    return total[1] < total[0] * STILL_WORTH ? best : best > 0 ? 0 : best;
}

/* Microseconds of a look at a configuration, whose plans are then in t->plan; 0 where it has none,
 * below 0 when the device objects. */
static double look_us(struct trials *t, const struct tmap_gemm_config *config,
                      struct tmap_gemm_refusal *refusal)
{
    if (gemm_plan_sets(t->suite, &t->operands, config, t->plan, refusal) != TMAP_OK) return 0;
    double us = gemm_time_sets(t->suite, t->plan, &t->operands, 1); /* which loads the kernel */
    if (us > 0) us = gemm_time_sets(t->suite, t->plan, &t->operands, LOOK_RUNS);
    return us > 0 ? us : -1;
}

/* The first `most` configurations of the request, each looked at; the first one warms the device.
 */
static enum tmap_status look(struct trials *t, const struct tmap_gemm_problem *problem,
                             const struct tmap_gemm_config *request, size_t most,
                             struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    struct finals *f = &t->finals;
    const size_t count = tmap_gemm_configs(t->suite, problem, request, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count && i < most; i++) {
        double us = look_us(t, &configs[i], refusal);
        if (us == 0) continue;
        for (double busy = 0; f->count == 0 && us > 0 && count > 1 && most > 1 && busy < WARM_US;
             busy += us * LOOK_RUNS)
            us = gemm_time_sets(t->suite, t->plan, &t->operands, LOOK_RUNS);
        if (us <= 0) return TMAP_E_DRIVER;
        enter(f, &t->plan[0].config, us);
    }
    return TMAP_OK;
}

/* A finalist's tiles in other orders, of which the model knows nothing: they decided up to a sixth
 * of the time of products that the L2 cache bounds (docs/EXPERIMENTS.md). The quickest takes the
 * finalist's place, so that other tiles keep theirs; beside the model's own plan it is one more. */
static enum tmap_status look_at_orders(struct trials *t, int32_t finalist,
                                       struct tmap_gemm_refusal *refusal)
{
    static const int32_t groups[] = {1, 2, 4, 16};
    struct finals *f = &t->finals;
    struct tmap_gemm_config config = f->config[finalist], best = config;
    const int32_t own = config.group;
    double best_us = f->us[finalist];
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        config.group = groups[i];
        if (config.group == own) continue;
        const double us = look_us(t, &config, refusal);
        if (us < 0) return TMAP_E_DRIVER;
        if (us == 0 || us >= best_us) continue;
        best = t->plan[0].config;
        best_us = us;
    }
    if (best.group == own) return TMAP_OK;
    if (finalist == 0) {
        enter(f, &best, best_us);
    } else {
        f->config[finalist] = best;
        f->us[finalist] = best_us;
    }
    return TMAP_OK;
}

/* Of what is quickest so far, and of the model's own plan. */
static enum tmap_status look_at_all_orders(struct trials *t, const struct tmap_gemm_config *request,
                                           struct tmap_gemm_refusal *refusal)
{
    if (request && request->group) return TMAP_OK;
    const enum tmap_status status = look_at_orders(t, 1, refusal);
    return status == TMAP_OK ? look_at_orders(t, 0, refusal) : status;
}

/* By trial; the configuration that is planned is in *config. */
static enum tmap_status search(struct trials *t, const struct tmap_gemm_problem *problem,
                               const struct tmap_gemm_config *request, size_t most,
                               struct tmap_gemm_config *config, struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = look(t, problem, request, most, refusal);
    if (status == TMAP_OK && t->finals.count > 1) status = look_at_all_orders(t, request, refusal);
    if (status != TMAP_OK) return status;
    const int32_t best = t->finals.count > 1 ? run_off(t, winner(t)) : 0;
    if (best < 0) return TMAP_E_DRIVER;
    if (t->finals.count > 0) *config = t->finals.config[best];
    return TMAP_OK;
}

static enum tmap_status tune(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                             const struct tmap_gemm_config *request, size_t most,
                             const char *cache_path, struct tmap_gemm_plan *plan,
                             struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config config = request ? *request : (struct tmap_gemm_config){0}, known;
    char key[GEMM_KEY_BYTES];
    key_of(suite, problem, key);
    if (gemm_recall(cache_path, key, &known) &&
        tmap_gemm_make_plan(suite, problem, &known, plan, refusal) == TMAP_OK)
        return TMAP_OK;
    struct trials *t = calloc(1, sizeof *t);
    if (!t) return TMAP_E_MEMORY;
    t->suite = suite;
    gemm_open_rotation(suite, problem, &t->operands);
    enum tmap_status status = search(t, problem, request, most, &config, refusal);
    const bool found = t->finals.count > 0;
    gemm_close_rotation(suite, &t->operands);
    free(t);
    if (status == TMAP_OK) status = tmap_gemm_make_plan(suite, problem, &config, plan, refusal);
    if (status == TMAP_OK && found) gemm_remember(cache_path, key, &plan->config);
    return status;
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
