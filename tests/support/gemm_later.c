/* What is verified on a chip after Hopper: drawn shapes in every configuration that the suite
 * offers, groups, the same product many times over, and a large one by Freivalds' sums. */
#include "support/gemm_later.h"

#include <stdio.h>
#include <string.h>

#include "driver/rng.h"

enum { CONFIGS = 256, MEMBERS = 6 };

static const struct {
    const char *name;
    int bits;
    bool scaled;
} kinds[] = {
#define KIND(word, NAME, element_bits, a, b, dtype, out, block) {#word, element_bits, block != 0},
#include "kernels/gemm/kinds.def"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct tally {
    int number, failed;
    uint64_t cases, wrong;
    double worst;
    char text[200]; /* the first that is wrong */
};

static int32_t below(uint64_t *state, int32_t n)
{
    return (int32_t)(rng_step(state) % (uint64_t)n);
}

static struct tmap_gemm_case draw(int32_t kind, int32_t extent, uint64_t *state)
{
    struct tmap_gemm_case c;
    memset(&c, 0, sizeof c);
    c.problem = (struct tmap_gemm_problem){.kind = kind,
                                           .m = 1 + below(state, extent),
                                           .n = 1 + below(state, extent),
                                           .k = 1 + below(state, extent),
                                           .batch = 1 + (below(state, 5) == 0),
                                           .alpha = below(state, 2) ? 1 : -2,
                                           .beta = below(state, 3) ? 0 : 2};
    if (kinds[kind].bits < 8) c.problem.k += c.problem.k % 2; /* whole bytes */
    c.problem.out = kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : below(state, 3);
    c.problem.d.mn_major = below(state, 4) == 0;
    c.fill_a = c.fill_b = below(state, 3) ? TMAP_GEMM_FILL_INTEGERS : TMAP_GEMM_FILL_NORMAL;
    c.seed = rng_step(state);
    return c;
}

/* One of the configurations that the suite has for it; false with none. */
static bool configure(struct tmap_gemm *suite, struct tmap_gemm_case *c, uint64_t *state)
{
    static struct tmap_gemm_config configs[CONFIGS];
    const struct tmap_gemm_config request = {.dynamic = below(state, 4) == 0,
                                             .stages = below(state, 2) ? 0 : 2 + below(state, 3)};
    size_t n = tmap_gemm_configs(suite, &c->problem, &request, configs, CONFIGS);
    if (n == 0) n = tmap_gemm_configs(suite, &c->problem, NULL, configs, CONFIGS);
    if (n == 0) return false;
    c->request = configs[below(state, (int32_t)(n < CONFIGS ? n : CONFIGS))];
    return true;
}

static void count(struct tally *t, enum tmap_status status, const struct tmap_gemm_outcome *o,
                  const struct tmap_gemm_problem *p)
{
    const bool good = status == TMAP_OK && o->checked > 0 && o->wrong == 0 && o->guard_wrong == 0 &&
                      o->rerun_wrong == 0 && o->maps_wrong == 0;
    t->cases++;
    if (o->worst > t->worst) t->worst = o->worst;
    if (good || t->wrong++) return;
    snprintf(t->text, sizeof t->text,
             "%dx%dx%d batch %d out %d tile %dx%d: status %d %.60s, %llu wrong, %llu guard, %llu "
             "rerun",
             p->m, p->n, p->k, p->batch, p->out, o->config.tile_m, o->config.tile_n, status,
             o->refusal.text, (unsigned long long)o->wrong, (unsigned long long)o->guard_wrong,
             (unsigned long long)o->rerun_wrong);
}

static void say(struct tally *t, const char *what, int32_t kind)
{
    t->failed += t->wrong != 0;
    printf("%sok %d - %s, %s: %llu cases, %llu wrong, worst %.3f of the bound%s%s\n",
           t->wrong ? "not " : "", ++t->number, kinds[kind].name, what,
           (unsigned long long)t->cases, (unsigned long long)t->wrong, t->worst,
           t->wrong ? "; " : "", t->text);
    fflush(stdout);
    t->cases = t->wrong = 0;
    t->worst = 0;
    t->text[0] = 0;
}

static void shapes(struct tmap_gemm *suite, struct tally *t, int32_t kind, int n, int32_t extent)
{
    uint64_t state = 17u + (uint64_t)kind;
    for (int i = 0; i < n; i++) {
        struct tmap_gemm_case c = draw(kind, extent, &state);
        struct tmap_gemm_outcome o;
        memset(&o, 0, sizeof o);
        const bool has = configure(suite, &c, &state);
        count(t, has ? tmap_gemm_verify(suite, &c, &o) : TMAP_E_NO_PLAN, &o, &c.problem);
    }
    say(t, "drawn shapes", kind);
}

/* An address that is not 0 asks for the step. */
static struct tmap_gemm_epilogue steps(uint64_t *state)
{
    enum { THERE = 16 };
    return (struct tmap_gemm_epilogue){.activation = 1 + below(state, 4),
                                       .bias_type = below(state, 3),
                                       .alpha = below(state, 4) ? 0 : THERE,
                                       .beta = below(state, 4) ? 0 : THERE,
                                       .row_scale = below(state, 3) ? 0 : THERE,
                                       .col_scale = below(state, 3) ? 0 : THERE,
                                       .row_bias = below(state, 3) ? 0 : THERE,
                                       .col_bias = below(state, 2) ? 0 : THERE,
                                       .second = {.address = below(state, 3) ? 0 : THERE},
                                       .amax = below(state, 3) ? 0 : THERE,
                                       .d_scale = below(state, 4) ? 0 : THERE,
                                       .gate = below(state, 3) ? 0 : 1 + below(state, 2)};
}

/* With D of any type; a gate, and D of 8 bits, do without C and a second output. Of a gate fp16
 * would not hold the products of two large sums, and D is row-major; kinds with scale factors have
 * none, nor by mma.sync has e5m2 by e4m3. */
static struct tmap_gemm_case draw_steps(int32_t kind, int32_t extent, uint64_t *state)
{
    static const int32_t outs[] = {TMAP_GEMM_OUT_BF16, TMAP_GEMM_OUT_F16, TMAP_GEMM_OUT_F32,
                                   TMAP_GEMM_OUT_E4M3, TMAP_GEMM_OUT_E5M2};
    struct tmap_gemm_case c = draw(kind, extent, state);
    struct tmap_gemm_problem *p = &c.problem;
    p->out = outs[below(state, 5)];
    p->epilogue = steps(state);
    if (kinds[kind].scaled || kind == TMAP_GEMM_E5M2_E4M3) p->epilogue.gate = 0;
    const bool narrow = p->out == TMAP_GEMM_OUT_E4M3 || p->out == TMAP_GEMM_OUT_E5M2;
    if (narrow || p->epilogue.gate) p->beta = 0, p->epilogue.second.address = 0;
    if (p->beta == 0.0f) p->epilogue.beta = 0;
    if (p->epilogue.gate) {
        p->n *= 2;
        p->d.mn_major = false;
        if (p->out == TMAP_GEMM_OUT_F16) p->out = TMAP_GEMM_OUT_BF16;
    }
    c.fill_a = c.fill_b = below(state, 2) ? TMAP_GEMM_FILL_NORMAL : TMAP_GEMM_FILL_SIGNS;
    return c;
}

/* Of kinds that have none the words of a refusal. */
static void epilogues(struct tmap_gemm *suite, struct tally *t, int32_t kind, int n, int32_t extent)
{
    uint64_t state = 41u + (uint64_t)kind;
    for (int i = 0; i < n; i++) {
        struct tmap_gemm_case c = draw_steps(kind, extent, &state);
        struct tmap_gemm_outcome o;
        memset(&o, 0, sizeof o);
        if (!c.problem.epilogue.second.address) configure(suite, &c, &state);
        const enum tmap_status status = tmap_gemm_verify(suite, &c, &o);
        if (status == TMAP_E_NO_PLAN && strstr(o.refusal.text, "epilogues are for")) {
            printf("ok %d - %s, epilogues: none, %s\n", ++t->number, kinds[kind].name,
                   o.refusal.text);
            return;
        }
        count(t, status, &o, &c.problem);
    }
    say(t, "epilogues", kind);
}

static void groups(struct tmap_gemm *suite, struct tally *t, int32_t kind, int n, int32_t extent)
{
    uint64_t state = 29u + (uint64_t)kind;
    for (int i = 0; i < n; i++) {
        struct tmap_gemm_case cases[MEMBERS];
        struct tmap_gemm_outcome o;
        const int32_t members = 1 + below(&state, MEMBERS);
        memset(&o, 0, sizeof o);
        for (int32_t j = 0; j < members; j++) {
            cases[j] = draw(kind, extent, &state);
            const struct tmap_gemm_problem own = cases[j].problem;
            cases[j] = cases[0]; /* says what all share */
            cases[j].problem.m = own.m, cases[j].problem.n = own.n, cases[j].problem.k = own.k;
            cases[j].problem.batch = 1;
            cases[j].seed = rng_step(&state);
            if (j > 0 && below(&state, 4) == 0) cases[j].problem.m = 0;
        }
        const enum tmap_status status =
            tmap_gemm_verify_group(suite, cases, (size_t)members, NULL, &o);
        if (status == TMAP_E_NO_PLAN && o.refusal.text[0]) {
            printf("ok %d - %s, groups: none, %s\n", ++t->number, kinds[kind].name, o.refusal.text);
            return;
        }
        count(t, status, &o, &cases->problem);
    }
    say(t, "groups", kind);
}

/* The same bytes every time, and D r = A (B r). */
static void large(struct tmap_gemm *suite, struct tally *t, int32_t kind, int32_t square,
                  int reruns)
{
    for (int i = 0; i < 2; i++) {
        struct tmap_gemm_case c;
        struct tmap_gemm_outcome o;
        memset(&c, 0, sizeof c);
        memset(&o, 0, sizeof o);
        c.problem = (struct tmap_gemm_problem){
            .kind = kind, .m = square, .n = square, .k = square, .batch = 1, .alpha = 1};
        c.problem.out = kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
        c.fill_a = c.fill_b = TMAP_GEMM_FILL_INTEGERS;
        c.seed = 1;
        c.reruns = i == 0 ? reruns : 0;
        c.freivalds = i == 1;
        count(t, tmap_gemm_verify(suite, &c, &o), &o, &c.problem);
    }
    say(t, "reruns and a large one", kind);
}

/* What one plan says: NULL when the chip has the kind, the words of a refusal where it lacks it. */
static const char *lacks(struct tmap_gemm *suite, int32_t kind, struct tmap_gemm_outcome *o)
{
    struct tmap_gemm_case c;
    memset(&c, 0, sizeof c);
    memset(o, 0, sizeof *o);
    c.problem =
        (struct tmap_gemm_problem){.kind = kind, .m = 16, .n = 16, .k = 64, .batch = 1, .alpha = 1};
    c.problem.out = kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
    const enum tmap_status status = tmap_gemm_verify(suite, &c, o);
    const bool refused = status == TMAP_E_NO_PLAN || status == TMAP_E_ILLEGAL;
    return refused && o->refusal.text[0] ? o->refusal.text : NULL;
}

int later_verify(struct tmap_gemm *suite, const struct later_size *size)
{
    struct tally t;
    memset(&t, 0, sizeof t);
    for (int32_t kind = 0; kind < KINDS; kind++) {
        struct tmap_gemm_outcome o;
        if (!(size->kinds >> kind & 1)) continue;
        const char *why = lacks(suite, kind, &o);
        if (why) {
            printf("ok %d - %s: refused, %s\n", ++t.number, kinds[kind].name, why);
            continue;
        }
        shapes(suite, &t, kind, size->shapes, size->extent);
        epilogues(suite, &t, kind, size->shapes, size->extent);
        groups(suite, &t, kind, size->groups, size->extent);
        large(suite, &t, kind, size->square, size->reruns);
    }
    printf("1..%d\n", t.number);
    return t.failed;
}
