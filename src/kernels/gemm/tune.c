/* The fastest configuration by trial, remembered (remember.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/rotate.h"

/* The clock of a GPU near its power limit moves by up to a tenth within 50 ms: two looks at one
 * configuration at different times differed by 4 %, two right after each other by 1 %
 * (docs/EXPERIMENTS.md). So whatever is timed is timed between two slices of the model's own plan:
 * each configuration for a few runs, the quickest again for many short slices, and what has won
 * once more alone. All on a device that has worked for WARM_US and is kept busy: under its power
 * limit it ranks them in another order (4096 cubed, docs/GEMM.md). */
enum { WARM_US = 30000, LOOK_US = 2000, LOOK_RUNS = 8 };
enum { FINALISTS = 6, ROUNDS = 20, SLICE_US = 1500, RUN_OFFS = 40 };
enum { MOST_RUNS = 640 };
/* What differs less from the model's own plan is noise: of the finals, and of the run-off. */
static const double WORTH = 0.992, STILL_WORTH = 0.994;

/* Runs that are mostly multiplies keep the device at its power limit. There the clock follows what
 * they draw, within a second, and what is quicker in short slices, which all have one clock, may
 * draw more and be slower: of 8192 cubed 128 x 192 takes 7 % fewer clocks than 192 x 256, and 3 %
 * longer (docs/EXPERIMENTS.md). So sustained finals have slices long enough for the clock to
 * follow, and finalists to none of which another one is preferable both in clocks and in what it
 * moves. */
enum { LONG_US = 20, SETTLE_US = 300000, SUSTAINED_US = 300000, SUSTAINED_ROUNDS = 2 };
static const double LOOK_NOISE = 0.98, HOPELESS = 1.12;

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
static void key_of(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p, bool sustained,
                   char *key)
{
    snprintf(
        key, GEMM_KEY_BYTES,
        "%.40s sm%d %.0f MHz cuda%d build%016llx k%d o%d %dx%dx%d b%d %d%d%d p%d c%d e%d a%d s%d "
        "v%016llx",
        suite->gpu.name, suite->gpu.sm_count, suite->gpu.clock_mhz, suite->gpu.cuda_version,
        (unsigned long long)build_of(suite, p->kind), p->kind, p->out, p->m, p->n, p->k, p->batch,
        p->a.mn_major, p->b.mn_major, p->d.mn_major, p->precise | p->b_ready << 1 | sustained << 2,
        p->beta != 0.0f, gemm_wants_epilogue(p) + 2 * p->epilogue.gate, p->epilogue.activation,
        p->block_scale.a != 0, (unsigned long long)sum_of(&p->conv, sizeof p->conv, FNV_BASIS));
}

struct finalist {
    struct tmap_gemm_config config;
    double look; /* in times of the model's own plan */
    double moved;
};

/* Who is timed again: first the model's own plan, then the quickest others, quickest first. */
struct finals {
    struct finalist at[FINALISTS];
    int32_t count;
    bool sustained; /* asked for, and from begin() on only where it makes a difference */
};

/* What a multiply costs in elements that are moved: loaded into shared memory, read there (B again
 * for each 64 rows), and asked of the L2 cache. */
static double moved_by(const struct tmap_gemm *suite, const struct tmap_gemm_config *c)
{
    return 1.0 / c->tile_m + 2.0 / c->tile_n + gemm_asked(suite, c);
}

static struct finalist finalist_of(const struct tmap_gemm *suite,
                                   const struct tmap_gemm_config *config, double look)
{
    return (struct finalist){*config, look, moved_by(suite, config)};
}

/* What the one that moves the least moves. */
static double least_moved(const struct finals *f)
{
    double least = HUGE_VAL;
    for (int32_t i = 0; i < f->count; i++)
        if (f->at[i].moved < least) least = f->at[i].moved;
    return least;
}

/* Whether x is preferable in both: no slower, for all that a look can tell, and moving no more. */
static bool beats(const struct finalist *x, const struct finalist *y)
{
    return x->moved <= y->moved && x->look * LOOK_NOISE <= y->look;
}

/* Whoever is beaten goes: whoever came first stays, since the model had it first. */
static bool keep_unbeaten(struct finals *f, const struct finalist *other)
{
    int32_t kept = 1;
    if (other->look > HOPELESS) return false;
    for (int32_t i = 0; i < f->count; i++)
        if (beats(&f->at[i], other)) return false;
    for (int32_t i = 1; i < f->count; i++)
        if (!beats(other, &f->at[i])) f->at[kept++] = f->at[i];
    f->count = kept;
    return true;
}

/* Of too many that none beats the quickest goes, which the model's own plan is like. */
static void make_room(struct finals *f)
{
    if (f->count < FINALISTS) return;
    for (int32_t i = 2; i < f->count; i++) f->at[i - 1] = f->at[i];
    f->count--;
}

static void enter(struct finals *f, const struct finalist *other)
{
    const double look = other->look;
    if (f->sustained && !keep_unbeaten(f, other)) return;
    if (f->sustained) make_room(f);
    int32_t at = f->count;
    if (at == FINALISTS && look >= f->at[--at].look) return;
    for (; at > 1 && look < f->at[at - 1].look; at--) f->at[at] = f->at[at - 1];
    f->at[at] = *other;
    if (f->count < FINALISTS) f->count++;
}

/* What a search works with. plan: the finalists', the model's own first; and of a look. */
struct trials {
    struct tmap_gemm *suite;
    struct gemm_rotation operands;
    struct finals finals;
    double own_us; /* a run of the model's own plan */
    struct tmap_gemm_plan plan[FINALISTS][GEMM_MOST_SETS], looked[GEMM_MOST_SETS];
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES]; /* best first by the model */
};

static double time_us(struct trials *t, const struct tmap_gemm_plan *plans, int32_t runs)
{
    return gemm_time_sets(t->suite, plans, &t->operands, runs);
}

static int32_t runs_of(double us, double run_us)
{
    return us < run_us ? 1 : (int32_t)(us / run_us);
}

/* Of a slice of finalist i; 0 when the device objects. */
static double slice_us(struct trials *t, int32_t i)
{
    const double us = t->own_us * t->finals.at[i].look;
    if (!t->finals.sustained) {
        const int32_t runs = runs_of(SLICE_US, us);
        return time_us(t, t->plan[i], runs < MOST_RUNS ? runs : MOST_RUNS);
    }
    if (time_us(t, t->plan[i], runs_of(SETTLE_US, us)) <= 0) return 0;
    return time_us(t, t->plan[i], runs_of(SUSTAINED_US, us));
}

/* Finalists `from` to `to`, each of their slices between two of the model's own plan, in whose
 * times they are added up; false when the device objects. */
static bool run_rounds(struct trials *t, int32_t from, int32_t to, int32_t rounds, double *total)
{
    double before = slice_us(t, 0);
    for (int32_t round = 0; round < rounds; round++)
        for (int32_t i = from; i < to; i++) {
            const double us = slice_us(t, i), after = slice_us(t, 0);
            if (before <= 0 || us <= 0 || after <= 0) return false;
            total[i] += us * 2 / (before + after);
            before = after;
        }
    return true;
}

/* The same for long slices, of which the model's own plan has one a round. */
static bool run_sustained(struct trials *t, double *total)
{
    double before = slice_us(t, 0);
    for (int32_t round = 0; round < SUSTAINED_ROUNDS; round++) {
        double us[FINALISTS];
        for (int32_t i = 1; i < t->finals.count; i++)
            if ((us[i] = slice_us(t, i)) <= 0) return false;
        const double after = slice_us(t, 0);
        if (before <= 0 || after <= 0) return false;
        for (int32_t i = 1; i < t->finals.count; i++) total[i] += us[i] * 2 / (before + after);
        before = after;
    }
    return true;
}

/* A slice is a run at least: where that is longer than SLICE_US, fewer slices tell as much. */
static int32_t rounds_for(const struct trials *t, int32_t most)
{
    const double rounds = most * SLICE_US / t->own_us;
    return rounds >= most ? most : rounds > most / 4 ? (int32_t)rounds : most / 4;
}

/* The quickest over all rounds, but the model's own unless it is beaten by more than noise; -1 when
 * the device objects. */
static int32_t winner(struct trials *t)
{
    const int32_t rounds = t->finals.sustained ? SUSTAINED_ROUNDS : rounds_for(t, ROUNDS);
    double total[FINALISTS] = {0};
    int32_t best = 0;
    total[0] = rounds * WORTH;
    for (int32_t i = 1; i < t->finals.count; i++)
        if (gemm_plan_sets(t->suite, &t->operands, &t->finals.at[i].config, t->plan[i], NULL) !=
            TMAP_OK)
            return -1;
    if (t->finals.sustained ? !run_sustained(t, total)
                            : !run_rounds(t, 1, t->finals.count, rounds, total))
        return -1;
    for (int32_t i = 1; i < t->finals.count; i++)
        if (total[i] < total[best]) best = i;
    return best;
}

/* The best and the model's own alone: the best of several is the luckiest of them, too. Long slices
 * are of few, and leave less to luck. */
static int32_t run_off(struct trials *t, int32_t best)
{
    const int32_t rounds = rounds_for(t, RUN_OFFS);
    double total[FINALISTS] = {0};
    if (best <= 0 || t->finals.sustained) return best;
    if (!run_rounds(t, best, best + 1, rounds, total)) return -1;
    return total[best] < rounds * STILL_WORTH ? best : 0;
}

/* Whether multiplies alone would take most of a run. Seen on Hopper. */
static bool is_sustained(const struct trials *t, double us)
{
    const struct gemm_view view = gemm_view_of(&t->operands.set[0], false);
    return t->suite->family == GEMM_SM90 && us >= LONG_US &&
           gemm_multiply_us(t->suite, &view) > us / 2;
}

/* The model's own plan, and what a run of it takes; it warms the device where more is to come. */
static enum tmap_status begin(struct trials *t, bool warm)
{
    struct finals *f = &t->finals;
    double us = time_us(t, t->plan[0], 1); /* which loads the kernel */
    for (double busy = 0; us > 0 && busy < (warm ? WARM_US : 1); busy += us * LOOK_RUNS)
        us = time_us(t, t->plan[0], LOOK_RUNS);
    f->at[0] = finalist_of(t->suite, &t->plan[0][0].config, 1);
    f->count = 1;
    f->sustained = f->sustained && is_sustained(t, us);
    t->own_us = us;
    return us > 0 ? TMAP_OK : TMAP_E_DRIVER;
}

/* A look at a configuration, whose plans are then in t->looked, in times of the model's own; 0
 * where it has none, below 0 when the device objects. */
static double look(struct trials *t, const struct tmap_gemm_config *config)
{
    if (gemm_plan_sets(t->suite, &t->operands, config, t->looked, NULL) != TMAP_OK) return 0;
    const double most = LOOK_US / t->own_us;
    const int32_t runs = most < 1 ? 1 : most < LOOK_RUNS ? (int32_t)most : LOOK_RUNS;
    if (time_us(t, t->looked, 1) <= 0) return -1; /* which loads the kernel */
    const double before = time_us(t, t->plan[0], runs), us = time_us(t, t->looked, runs),
                 after = time_us(t, t->plan[0], runs);
    return before > 0 && us > 0 && after > 0 ? us * 2 / (before + after) : -1;
}

/* Whether a configuration is worth more where the clusters of a GPC have neighbouring tiles, which
 * they have if every launch is late (turns.h). */
static bool is_worth_turns(const struct trials *t, const struct tmap_gemm_config *request,
                           const struct tmap_gemm_config *config)
{
    return t->finals.sustained && gemm_has_turns(t->suite, config) && config->overlap == 0 &&
           !(request && request->overlap);
}

/* The order and the number of the clusters are then the plan's again. */
static void set_overlap(struct tmap_gemm_config *config, const struct tmap_gemm_config *request,
                        int32_t overlap)
{
    config->overlap = overlap;
    config->group = request ? request->group : 0;
    config->clusters = request ? request->clusters : 0;
}

/* `most` configurations of the request: the model's own plan is the first that can be planned, and
 * each other one is looked at. At the power limit so is one that moves less than all
 * finalists so far: the model ranks by clocks. */
static enum tmap_status look_at_first(struct trials *t, const struct tmap_gemm_problem *problem,
                                      const struct tmap_gemm_config *request, size_t most,
                                      struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_config *configs = t->configs;
    struct finals *f = &t->finals;
    const size_t count =
        tmap_gemm_configs(t->suite, problem, request, t->configs, GEMM_MAX_CHOICES);
    gemm_order_looks(t->configs, count, most);
    for (size_t i = 0; i < count && (i < most || f->sustained); i++) {
        struct tmap_gemm_config config = configs[i];
        const bool own = f->count == 0;
        if (own &&
            gemm_plan_sets(t->suite, &t->operands, &config, t->plan[0], refusal) == TMAP_OK &&
            begin(t, count > 1 && most > 1) != TMAP_OK)
            return TMAP_E_DRIVER;
        const bool late = is_worth_turns(t, request, &config);
        if (late) set_overlap(&config, request, GEMM_LATE);
        if (i >= most && moved_by(t->suite, &config) >= least_moved(f)) continue;
        if (own && !late) continue;
        const double seen = look(t, &config);
        if (seen < 0) return TMAP_E_DRIVER;
        const struct finalist other = finalist_of(t->suite, &t->looked[0].config, seen);
        if (seen > 0) enter(f, &other);
    }
    return TMAP_OK;
}

/* Variants of a configuration, of which the model knows little or nothing: the order of the tiles,
 * which decided up to a sixth of the time of products that the L2 cache bounds, what the ring and
 * the output share, late launches, whose clusters can have their tiles by GPC, and the others
 * (turns.h; docs/EXPERIMENTS.md). */
struct variant {
    int32_t group, panels, overlap; /* 0: as they are */
};
static const struct variant variants[] = {{1, 0, 0},         {2, 0, 0},         {4, 0, 0},
                                          {16, 0, 0},        {0, 1, 0},         {0, 4, 0},
                                          {0, 0, GEMM_LATE}, {1, 0, GEMM_LATE}, {0, 0, 1}};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* False where the request has its own, or the configuration is that variant, or has no such. */
static bool vary(const struct tmap_gemm *suite, const struct tmap_gemm_config *request,
                 const struct tmap_gemm_config *from, int32_t variant, struct tmap_gemm_config *out)
{
    const struct variant v = variants[variant];
    *out = *from;
    if (v.overlap) set_overlap(out, request, v.overlap);
    if (v.group > 0) out->group = v.group;
    if (v.panels > 0) out->panels = v.panels, out->stages = 0; /* as many as there is room for */
    if (request && ((v.group > 0 && request->group) || (v.overlap && request->overlap) ||
                    (v.panels > 0 && (request->panels || request->stages))))
        return false;
    if (v.overlap == 1) return from->overlap == GEMM_LATE;
    if (v.overlap)
        return gemm_has_turns(suite, from) && from->overlap == 0 &&
               (!v.group || out->group != from->group);
    return out->group != from->group || out->panels != from->panels;
}

/* The quickest variant takes the finalist's place, so that other tiles keep theirs; beside the
 * model's own plan it is one more. */
static enum tmap_status look_at_variants(struct trials *t, int32_t finalist,
                                         const struct tmap_gemm_config *request)
{
    struct finals *f = &t->finals;
    const struct tmap_gemm_config from = f->at[finalist].config;
    struct tmap_gemm_config config, best = from;
    double best_look = f->at[finalist].look;
    for (int32_t variant = 0; variant < VARIANTS; variant++) {
        if (!vary(t->suite, request, &from, variant, &config)) continue;
        const double seen = look(t, &config);
        if (seen < 0) return TMAP_E_DRIVER;
        if (seen == 0 || seen >= best_look) continue;
        best = t->looked[0].config;
        best_look = seen;
    }
    if (best_look == f->at[finalist].look) return TMAP_OK;
    const struct finalist varied = finalist_of(t->suite, &best, best_look);
    if (finalist == 0)
        enter(f, &varied);
    else
        f->at[finalist] = varied;
    return TMAP_OK;
}

/* Of the two that are quickest so far, and of the model's own plan. At the power limit none was
 * quicker in long slices. */
static enum tmap_status look_at_all_variants(struct trials *t,
                                             const struct tmap_gemm_config *request)
{
    static const int32_t whose[] = {1, 2, 0};
    enum tmap_status status = TMAP_OK;
    for (size_t i = 0; i < sizeof whose / sizeof whose[0] && status == TMAP_OK; i++)
        if (whose[i] < t->finals.count) status = look_at_variants(t, whose[i], request);
    return status;
}

/* By trial; the configuration that is planned is in *config. */
static enum tmap_status search(struct trials *t, const struct tmap_gemm_problem *problem,
                               const struct tmap_gemm_config *request, size_t most,
                               struct tmap_gemm_config *config, struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = look_at_first(t, problem, request, most, refusal);
    if (status == TMAP_OK && t->finals.count > 1 && !t->finals.sustained)
        status = look_at_all_variants(t, request);
    if (status != TMAP_OK) return status;
    const int32_t best = t->finals.count > 1 ? run_off(t, winner(t)) : 0;
    if (best < 0) return TMAP_E_DRIVER;
    if (t->finals.count > 0) *config = t->finals.at[best].config;
    return TMAP_OK;
}

static enum tmap_status tune(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                             const struct tmap_gemm_config *request, size_t most, bool sustained,
                             const char *cache_path, struct tmap_gemm_plan *plan,
                             struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config config = request ? *request : (struct tmap_gemm_config){0}, known;
    char key[GEMM_KEY_BYTES];
    key_of(suite, problem, sustained, key);
    if (gemm_recall(cache_path, key, &known) &&
        tmap_gemm_make_plan(suite, problem, &known, plan, refusal) == TMAP_OK)
        return TMAP_OK;
    struct trials *t = calloc(1, sizeof *t);
    if (!t) return TMAP_E_MEMORY;
    t->suite = suite;
    t->finals.sustained = sustained && most > 1;
    gemm_open_rotation(suite, problem, &t->operands);
    enum tmap_status status = search(t, problem, request, most, &config, refusal);
    const bool found = t->finals.count > 0;
    gemm_close_rotation(suite, &t->operands);
    free(t);
    if (status == TMAP_OK) status = tmap_gemm_make_plan(suite, problem, &config, plan, refusal);
    if (status == TMAP_OK && found) gemm_remember(cache_path, key, &plan->config);
    return status;
}

static enum tmap_status checked(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                                const struct tmap_gemm_config *request, size_t most, bool sustained,
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
    const enum tmap_status status =
        tune(suite, problem, request, most, sustained, cache_path, plan, refusal);
    tmap_gpu_leave(&suite->gpu, before);
    return status;
}

enum tmap_status tmap_gemm_tune(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                                const struct tmap_gemm_config *request, size_t most,
                                const char *cache_path, struct tmap_gemm_plan *plan,
                                struct tmap_gemm_refusal *refusal)
{
    return checked(suite, problem, request, most, false, cache_path, plan, refusal);
}

enum tmap_status tmap_gemm_tune_sustained(struct tmap_gemm *suite,
                                          const struct tmap_gemm_problem *problem,
                                          const struct tmap_gemm_config *request, size_t most,
                                          const char *cache_path, struct tmap_gemm_plan *plan,
                                          struct tmap_gemm_refusal *refusal)
{
    return checked(suite, problem, request, most, true, cache_path, plan, refusal);
}
