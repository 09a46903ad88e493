#include "finished.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/gemm/trial.h"
#include "track.h"

enum { ROUNDS = 5, HEURISTICS = 16, VECTOR_BYTES = 1 << 20 };
static const double LOOK_MS = 0.3, SLICE_MS = 1.5;

/* What an epilogue reads and writes beside the operands: in the stand's workspace, which ours leave
 * alone here. The vendor's begins behind it. */
struct extras {
    uint64_t row_bias, col_bias, row_scale, col_scale, amax, d_scale, second;
};

static struct extras extras_of(const struct stand *s)
{
    const uint64_t at = s->workspace;
    return (struct extras){at,
                           at + VECTOR_BYTES,
                           at + 2 * VECTOR_BYTES,
                           at + 3 * VECTOR_BYTES,
                           at + 4 * VECTOR_BYTES,
                           at + 4 * VECTOR_BYTES + 256,
                           s->arena + s->arena_bytes / 2};
}

/* gate: SwiGLU without a bias. e4m3: D of it, with GELU, amax and D's scale. */
static const char *const names[] = {"bias",   "gelu", "relu", "silu", "scales",
                                    "second", "amax", "gate", "e4m3"};
enum { PLAIN = -1, BIAS, GELU, RELU, SILU, SCALES, SECOND, AMAX, GATE, E4M3, NAMES };
enum { VENDOR_HAS = SILU };

static const char *name_of(int which)
{
    return which == PLAIN ? "plain" : names[which];
}

static struct tmap_gemm_epilogue steps(const struct stand *s, int which, int64_t ld)
{
    static const int32_t activation[NAMES] = {
        [GELU] = TMAP_GEMM_GELU_TANH, [RELU] = TMAP_GEMM_RELU,      [SILU] = TMAP_GEMM_SILU,
        [GATE] = TMAP_GEMM_SILU,      [E4M3] = TMAP_GEMM_GELU_TANH,
    };
    const struct extras x = extras_of(s);
    struct tmap_gemm_epilogue e = {
        .activation = activation[which], .bias_type = TMAP_GEMM_OUT_BF16, .col_bias = x.col_bias};
    if (which == SCALES) e.row_scale = x.row_scale, e.col_scale = x.col_scale;
    if (which == SECOND) e.second = (struct tmap_gemm_matrix){.address = x.second, .ld = ld};
    if (which == AMAX || which == E4M3) e.amax = x.amax;
    if (which == E4M3) e.d_scale = x.d_scale;
    if (which == GATE) e.gate = TMAP_GEMM_GATE_HALVES, e.col_bias = 0;
    return e;
}

static void prepare_vectors(struct stand *s)
{
    s->api->memset_d8_async(s->workspace, 0x3c, 5 * (size_t)VECTOR_BYTES, s->stream);
    s->api->stream_synchronize(s->stream);
}

static int index_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(name, names[i])) return i;
    return PLAIN;
}

static void set(struct tmap_gemm_problem *p, const struct stand *s, int which)
{
    p->epilogue = which == PLAIN ? (struct tmap_gemm_epilogue){0} : steps(s, which, p->d.ld);
    if (which == E4M3) p->out = TMAP_GEMM_OUT_E4M3;
}

void finished_set(struct stand *s, struct tmap_gemm_problem *p, const char *step)
{
    prepare_vectors(s);
    set(p, s, index_of(step));
}

static void set_all(struct job *job, const struct stand *s, int which)
{
    for (int i = 0; i < job->sets; i++) set(&job->set[i], s, which);
}

/* Medians of a product's slices: time, clock, and the clocks that the two make. */
struct cost {
    double us, mhz, clocks;
};

static struct cost cost_of(const struct slice *slices)
{
    double us[ROUNDS], mhz[ROUNDS], clocks[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        us[i] = slices[i].us, mhz[i] = slices[i].mhz;
        clocks[i] = us[i] * mhz[i];
    }
    return (struct cost){median(us, ROUNDS), median(mhz, ROUNDS), median(clocks, ROUNDS)};
}

/* The plain product comes twice, first and last: what differs between the two is no epilogue's.
 * What runs before a slice warms the device for it, so each round has another order: strides of a
 * prime number of products. Under the power limit the clock differs by 5 % from slice to slice, and
 * clocks by 0.2 %: slices of 60 ms and more have them. */
static void cost_at(struct stand *s, const struct tmap_gemm_problem *shape, double ms)
{
    enum { ALL = NAMES + 2 };
    _Static_assert(ALL == 11, "a prime number, or a round's stride passes over some");
    static struct job job[ALL];
    static struct runner r[ALL];
    struct slice slices[ALL][ROUNDS];
    struct cost cost[ALL];
    memset(r, 0, sizeof r);
    for (int i = 0; i < ALL; i++) {
        job_make(s, shape, PROBE_NORMAL, &job[i]);
        set_all(&job[i], s, i - 1 == NAMES ? PLAIN : i - 1);
        if (!ours(s, &r[i], &job[i], NULL)) return;
        stand_time(s, &r[i], ms, 0);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int j = 0; j < ALL; j++) {
            const int i = (round + j * (1 + round % (ALL - 1))) % ALL;
            slices[i][round] = stand_time(s, &r[i], ms, r[i].guess_us);
        }
    for (int i = 0; i < ALL; i++) cost[i] = cost_of(slices[i]);
    const double us = (cost[0].us + cost[ALL - 1].us) / 2,
                 clocks = (cost[0].clocks + cost[ALL - 1].clocks) / 2;
    for (int i = 0; i < ALL; i++) {
        const struct cost *c = &cost[i];
        printf("cost\t%d\t%d\t%d\t%s\t%.2f us\t%.4f\t%.0f MHz\t%.4f\t", shape->m, shape->n,
               shape->k, i - 1 == NAMES ? "again" : name_of(i - 1), c->us, c->us / us, c->mhz,
               clocks > 0 ? c->clocks / clocks : 0);
        config_print(&r[i].plans[0].config);
        printf("\n");
    }
    fflush(stdout);
}

void finished_cost(struct stand *s, const struct tmap_gemm_problem *like, double ms)
{
    static const int32_t shapes[][3] = {{8192, 8192, 4096}, {512, 8192, 8192}};
    prepare_vectors(s);
    if (like->m) {
        cost_at(s, like, ms);
        return;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct tmap_gemm_problem p = *like;
        p.m = shapes[i][0], p.n = shapes[i][1], p.k = shapes[i][2];
        cost_at(s, &p, ms);
    }
}

/* The vendor's quickest by a look at each; -1 when it offers none. */
static int quickest(struct stand *s, struct job *job, struct runner *r)
{
    const uint64_t begin = s->workspace + 8 * (uint64_t)VECTOR_BYTES;
    int best = -1, offered = s->vendor ? vendor_prepare(s->vendor, &job->set[0], begin,
                                                        s->workspace_bytes - 8 * VECTOR_BYTES)
                                       : 0;
    double least = 0;
    if (offered > HEURISTICS) offered = HEURISTICS;
    for (int algo = 0; algo < offered; algo++) {
        memset(r, 0, sizeof *r);
        theirs(r, job, algo);
        const double t = stand_cold_us(s, r, LOOK_MS);
        if (t > 0 && (best < 0 || t < least)) best = algo, least = t;
    }
    return best;
}

struct score {
    double pick, tuned, worst;
    int n;
};

static void compare_one(struct stand *s, struct job *job, int which, const char *name,
                        struct score *score)
{
    enum { PICK, TUNED, THEIRS, ALL };
    static struct runner r[ALL];
    static struct tmap_gemm_plan tuned;
    double us[ALL][ROUNDS], t[ALL];
    const struct tmap_gemm_problem *p = &job->set[0];
    set_all(job, s, which);
    const int algo = quickest(s, job, &r[THEIRS]);
    if (algo < 0) return;
    memset(r, 0, sizeof r);
    theirs(&r[THEIRS], job, algo);
    if (tmap_gemm_tune(s->suite, p, NULL, GEMM_TRIALS, NULL, &tuned, NULL) == TMAP_OK &&
        ours(s, &r[PICK], job, NULL) && ours(s, &r[TUNED], job, &tuned.config)) {
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < ALL; i++) us[i][round] = stand_cold_us(s, &r[i], SLICE_MS);
        for (int i = 0; i < ALL; i++) t[i] = median(us[i], ROUNDS);
        const double pick = t[THEIRS] / t[PICK], best = t[THEIRS] / t[TUNED];
        printf("%s\t%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.4f\t%.4f\t", name_of(which), name, p->m,
               p->n, p->k, t[PICK], t[TUNED], t[THEIRS], pick, best);
        config_print(&r[PICK].plans[0].config);
        printf("\t");
        config_print(&tuned.config);
        printf("\n");
        score->pick += log(pick), score->tuned += log(best), score->n++;
        if (score->worst == 0 || pick < score->worst) score->worst = pick;
    }
    fflush(stdout);
    vendor_done(s->vendor);
}

void finished_compare(struct stand *s, const struct tmap_gemm_problem *like, uint64_t seed,
                      int count, double seconds)
{
    static struct job job;
    struct law law;
    struct score score[1 + VENDOR_HAS] = {{0}};
    const time_t until = time(NULL) + (time_t)seconds;
    law_open(&law, seed);
    prepare_vectors(s);
    printf("# epilogues over drawn shapes, seed %llu\nstep\tname\tm\tn\tk\tpick_us\ttuned_us\t"
           "vendor_us\tpick_ratio\ttuned_ratio\tpick\ttuned\n",
           (unsigned long long)seed);
    for (int i = 0; i < count && time(NULL) < until;) {
        const struct law_shape x = law_draw(&law);
        struct tmap_gemm_problem p = *like;
        if (!law_is_test(&x) || x.n % 8 || x.k % 8 || x.m * 4 > VECTOR_BYTES ||
            x.n * 4 > VECTOR_BYTES)
            continue;
        p.m = x.m, p.n = x.n, p.k = x.k;
        job_make(s, &p, PROBE_NORMAL, &job);
        for (int which = PLAIN; which < VENDOR_HAS; which++)
            compare_one(s, &job, which, x.name, &score[1 + which]);
        i++;
    }
    for (int i = 0; i <= VENDOR_HAS; i++)
        if (score[i].n)
            printf("# seed %llu, %s over %d shapes: pick %.4f, tuned %.4f, worst pick %.4f\n",
                   (unsigned long long)seed, name_of(i - 1), score[i].n,
                   exp(score[i].pick / score[i].n), exp(score[i].tuned / score[i].n),
                   score[i].worst);
}

void finished_sweep(struct stand *s, const struct tmap_gemm_problem *shape, const char *step,
                    double ms, int most)
{
    static struct job job;
    static struct runner r;
    struct tmap_gemm_config configs[GEMM_MAX_CHOICES];
    prepare_vectors(s);
    job_make(s, shape, PROBE_NORMAL, &job);
    set_all(&job, s, index_of(step));
    const size_t count = tmap_gemm_configs(s->suite, &job.set[0], NULL, configs, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < count && i < (size_t)most; i++) {
        if (!ours(s, &r, &job, &configs[i])) continue;
        const double us = stand_cold_us(s, &r, ms);
        printf("sweep\t%s\t%d\t%d\t%d\t%.2f\t%.2f\t", step, shape->m, shape->n, shape->k, us,
               r.plans[0].cost_us);
        config_print(&configs[i]);
        printf("\n");
        if (us < 0) exit(1);
    }
    fflush(stdout);
}
