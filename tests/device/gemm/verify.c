/* Every GEMM kernel against plain sums on the same GPU. Prints TAP; skips where there is no GPU.
 *
 *   verify [all|quick|few] [KIND...]     all shapes, a tenth, or six for a slow checker
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"
#include "tmap/kernels.h"

static const char *const kind_name[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8"};
static const char *const out_name[] = {"bf16", "f16", "f32", "s32"};

struct tally {
    int number, failed_tests;
    unsigned long shapes, wrong_shapes, streamed, split, deep, pingpong, high, apart;
    double worst;
};

static void tap(struct tally *t, bool good, const char *name, const char *detail)
{
    printf("%s %d - %s%s%s\n", good ? "ok" : "not ok", ++t->number, name, *detail ? ": " : "",
           detail);
    fflush(stdout);
    t->failed_tests += !good;
}

static int32_t pick(uint64_t *state, const int32_t *from, size_t n)
{
    return from[rng_step(state) % n];
}

/* Tiny, odd, prime, just below and above every tile size, and a few large ones. */
static int32_t extent(uint64_t *state)
{
    static const int32_t sizes[] = {1,   2,   3,   5,   7,    8,    13,  15,  16,  17,
                                    31,  32,  33,  61,  63,   64,   65,  97,  127, 128,
                                    129, 191, 192, 193, 251,  255,  256, 257, 384, 509,
                                    512, 513, 640, 769, 1021, 1024, 1031};
    return pick(state, sizes, sizeof sizes / sizeof sizes[0]);
}

static const char *describe(const struct tmap_gemm_case *c, const struct tmap_gemm_outcome *o,
                            enum tmap_status status)
{
    static char text[512];
    const struct tmap_gemm_problem *p = &c->problem;
    const struct tmap_gemm_config *g = &o->config;
    snprintf(
        text, sizeof text,
        "%s->%s %dx%dx%d batch %d majors %d%d%d alpha %g beta %g precise %d fill %d,%d tile "
        "%dx%d stages %d cluster %dx%d split_k %d stream_k %d swapped %d pingpong %d: status %d "
        "(%s), wrong "
        "%llu of "
        "%llu, guard %llu, rerun %llu, first %llu expected %.9g got %.9g worst %.3g",
        kind_name[p->kind], out_name[p->out], p->m, p->n, p->k, p->batch, p->a.mn_major,
        p->b.mn_major, p->d.mn_major, (double)p->alpha, (double)p->beta, p->precise, c->fill_a,
        c->fill_b, g->tile_m, g->tile_n, g->stages, g->cluster_m, g->cluster_n, g->split_k,
        g->stream_k, g->swapped, g->pingpong, status, o->refusal.text, (unsigned long long)o->wrong,
        (unsigned long long)o->checked, (unsigned long long)o->guard_wrong,
        (unsigned long long)o->rerun_wrong, (unsigned long long)o->first, o->expected, o->got,
        o->worst);
    return text;
}

/* One case; a trapped kernel ends the program, since the context is lost. */
static bool holds(struct tmap_gemm *suite, struct tally *t, const struct tmap_gemm_case *c)
{
    struct tmap_gemm_outcome o;
    memset(&o, 0, sizeof o);
    enum tmap_status status = tmap_gemm_verify(suite, c, &o);
    const bool good = status == TMAP_OK && o.checked > 0 && o.wrong == 0 && o.guard_wrong == 0 &&
                      o.rerun_wrong == 0;
    t->shapes++;
    t->streamed += o.config.stream_k > 0;
    t->split += o.config.split_k > 1;
    t->deep += o.config.split_k > 1 && o.config.stream_k > 0;
    t->pingpong += o.config.pingpong > 0;
    t->apart += o.config.apart > 0;
    t->high += o.config.tile_m > 128 && o.config.tile_n < 256;
    if (o.worst > t->worst) t->worst = o.worst;
    if (good) return true;
    if (t->wrong_shapes++ < 8) printf("# %s\n", describe(c, &o, status));
    if (status == TMAP_E_DRIVER) {
        struct tmap_gemm_report r = tmap_gemm_last_report(suite);
        printf("# report %u barrier %s slot %u parity %u block %u thread %u\n", r.what,
               tmap_gemm_barrier_name(r.barrier) ? tmap_gemm_barrier_name(r.barrier) : "-", r.slot,
               r.parity, r.block, r.thread);
        printf("Bail out! the device context is lost\n");
        exit(1);
    }
    return false;
}

static struct tmap_gemm_case base_case(int32_t kind, int32_t m, int32_t n, int32_t k)
{
    struct tmap_gemm_case c;
    memset(&c, 0, sizeof c);
    c.problem.kind = kind;
    c.problem.out = kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
    c.problem.m = m;
    c.problem.n = n;
    c.problem.k = k;
    c.problem.batch = 1;
    c.problem.alpha = 1;
    c.fill_a = c.fill_b = TMAP_GEMM_FILL_INTEGERS;
    c.seed = 1;
    return c;
}

static bool is_16_bit(int32_t kind)
{
    return kind == TMAP_GEMM_BF16 || kind == TMAP_GEMM_F16;
}
static bool is_fp8(int32_t kind)
{
    return kind == TMAP_GEMM_E4M3 || kind == TMAP_GEMM_E5M2;
}

static void random_majors(struct tmap_gemm_case *c, uint64_t *state)
{
    if (is_16_bit(c->problem.kind)) {
        c->problem.a.mn_major = rng_step(state) % 2;
        c->problem.b.mn_major = rng_step(state) % 2;
    }
    c->problem.d.mn_major = rng_step(state) % 4 == 0;
}

static void random_scale(struct tmap_gemm_case *c, uint64_t *state)
{
    static const float alphas[] = {1, 1, 2, -1, 0.5f}, betas[] = {0, 0, 0, 1, -2};
    c->problem.alpha = alphas[rng_step(state) % 5];
    c->problem.beta = betas[rng_step(state) % 5];
    if (c->problem.out == TMAP_GEMM_OUT_S32 && c->problem.alpha == 0.5f) c->problem.alpha = 3;
}

static void random_out(struct tmap_gemm_case *c, uint64_t *state)
{
    c->problem.out = (int32_t)(rng_step(state) % (c->problem.kind == TMAP_GEMM_S8 ? 4 : 3));
}

/* Without promotion a running fp8 sum keeps 14 bits: signs stay exact, -4..4 would not. */
static void random_fill(struct tmap_gemm_case *c, uint64_t *state)
{
    const bool short_sums = is_fp8(c->problem.kind) && !c->problem.precise;
    const int32_t whole = short_sums ? TMAP_GEMM_FILL_SIGNS : TMAP_GEMM_FILL_INTEGERS;
    c->fill_a = c->fill_b = rng_step(state) % 3 == 0 ? TMAP_GEMM_FILL_NORMAL : whole;
}

static void random_request(struct tmap_gemm_case *c, uint64_t *state)
{
    static const int32_t shapes[][3] = {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {1, 2, 1},
                                        {2, 2, 1}, {4, 1, 1}, {1, 1, 2}, {1, 1, 4}, {2, 1, 2},
                                        {1, 2, 3}, {2, 2, 2}, {1, 4, 2}};
    static const int32_t tiles[] = {0,   0,   16,  32,  48,  64,  72,  80,  88,  96,
                                    104, 112, 120, 128, 136, 144, 152, 160, 168, 176,
                                    184, 192, 200, 208, 216, 224, 232, 240, 256},
                         rows[] = {0, 0, 64, 128, 192, 256};
    const int32_t *s = shapes[rng_step(state) % (sizeof shapes / sizeof shapes[0])];
    c->request.cluster_m = s[0];
    c->request.cluster_n = s[1];
    c->request.split_k = s[2];
    c->request.tile_n = tiles[rng_step(state) % (sizeof tiles / sizeof tiles[0])];
    c->request.tile_m = rows[rng_step(state) % (sizeof rows / sizeof rows[0])];
    c->request.stages = rng_step(state) % 3 == 0 ? (int32_t)(2 + rng_step(state) % 3) : 0;
    c->request.clusters = rng_step(state) % 3 == 0 ? (int32_t)(1 + rng_step(state) % 5) : 0;
    c->request.group = (int32_t)(rng_step(state) % 4);
    if (rng_step(state) % 3 == 0)
        c->request.stream_k = TMAP_GEMM_STREAM_K_ANY, c->request.split_k = 1;
    c->request.flip_k = (int32_t)(rng_step(state) % 2);
    c->request.direct = rng_step(state) % 3 == 0 ? 1 : -1;
    c->request.store_warp = rng_step(state) % 3 == 0 ? -1 : 0;
    c->request.panels = rng_step(state) % 3 == 0 ? 2 : 0;
}

/* Two tiles at a time, of one warpgroup each, which are k-major, whole and not promoted. */
static void request_pingpong(struct tmap_gemm_case *c, uint64_t *state)
{
    static const int32_t tiles[][2] = {{64, 128},  {64, 256},  {0, 256}, {128, 0},
                                       {128, 128}, {128, 192}, {0, 0},   {64, 0}};
    const int32_t *tile = tiles[rng_step(state) % 8];
    c->problem.a.mn_major = c->problem.b.mn_major = false;
    c->request.pingpong = 1;
    c->request.tile_m = tile[0];
    c->request.tile_n = tile[1];
    c->request.split_k = c->request.split_k > 1 ? 0 : c->request.split_k;
    c->request.stream_k = 0;
    c->request.panels = (int32_t)(rng_step(state) % 5);
}

/* Few tiles and a long K, which many blocks share: the blocks of a cluster, and clusters. */
static void request_deep(struct tmap_gemm_case *c, uint64_t *state)
{
    c->problem.m = c->problem.m % 320 + 1;
    c->problem.n = c->problem.n % 320 + 1;
    c->problem.k = c->problem.k * 7 + (int32_t)(rng_step(state) % 2000) + 1;
    c->problem.batch = 1;
    c->request.cluster_m = 1 << rng_step(state) % 2;
    c->request.cluster_n = 1 << rng_step(state) % 2;
    c->request.clusters = c->request.pingpong = 0;
    const uint64_t most = 8 / (uint64_t)(c->request.cluster_m * c->request.cluster_n);
    c->request.split_k = (int32_t)(2 + rng_step(state) % (most - 1));
    c->request.stream_k = TMAP_GEMM_STREAM_K_ANY;
}

/* Tiles of 192 and 256 rows, whose kernels have no C to add and store whole rows. */
static void request_high(struct tmap_gemm_case *c, uint64_t *state)
{
    c->problem.a.mn_major = c->problem.b.mn_major = false;
    c->problem.beta = 0;
    c->problem.m = (c->problem.m + 7) / 8 * 8;
    c->problem.n = (c->problem.n + 7) / 8 * 8;
    if (c->problem.kind != TMAP_GEMM_S8) c->problem.out %= TMAP_GEMM_OUT_F32;
    c->request.tile_m = rng_step(state) % 2 ? 192 : 256;
    c->request.tile_n = (int32_t)(64 + rng_step(state) % 17 * 8);
    c->request.direct = c->request.split_k = c->request.stages = c->request.panels = 0;
}

/* Even and odd rows of D by tiles of their own: rows an odd number of 16 bytes apart. */
static void request_apart(struct tmap_gemm_case *c, uint64_t *state)
{
    c->problem.a.mn_major = c->problem.d.mn_major = c->problem.b_ready = false;
    c->problem.beta = 0;
    c->problem.batch = 1;
    c->problem.m += 512;
    const int32_t each = c->problem.out >= TMAP_GEMM_OUT_F32 ? 4 : 8;
    c->problem.n = (c->problem.n / each | 1) * each;
    c->problem.k = c->problem.k % 300 + 1;
    if (rng_step(state) % 2) request_pingpong(c, state);
    c->request.swapped = c->request.direct = -1;
    c->request.flip_k = c->request.stream_k = c->request.split_k = 0;
    c->request.apart = 1;
}

enum way { PLAIN, PINGPONG, DEEP, HIGH, APART };
static const enum way ways[] = {PLAIN, DEEP, PINGPONG, HIGH, APART, PLAIN, PINGPONG};

static struct tmap_gemm_case random_case(int32_t kind, uint64_t *state, enum way way)
{
    struct tmap_gemm_case c = base_case(kind, extent(state), extent(state), extent(state));
    c.problem.batch = rng_step(state) % 5 == 0 ? (int32_t)(2 + rng_step(state) % 3) : 1;
    c.problem.precise = is_fp8(kind) && way != PINGPONG && rng_step(state) % 2;
    c.problem.b_ready = rng_step(state) % 3 == 0;
    c.seed = rng_step(state);
    random_majors(&c, state);
    random_out(&c, state);
    random_scale(&c, state);
    random_fill(&c, state);
    random_request(&c, state);
    if (way == PINGPONG) request_pingpong(&c, state);
    if (way == DEEP) request_deep(&c, state);
    if (way == HIGH) request_high(&c, state);
    if (way == APART) request_apart(&c, state);
    return c;
}

/* A request that no kernel of the family fits (a wide tile with beta, say) falls back to the
 * model's own choice; every shape is checked once either way. */
static void fit_request(struct tmap_gemm *suite, struct tmap_gemm_case *c)
{
    struct tmap_gemm_config config;
    if (tmap_gemm_configs(suite, &c->problem, &c->request, &config, 1) > 0) return;
    c->request.tile_m = 0;
    if (tmap_gemm_configs(suite, &c->problem, &c->request, &config, 1) > 0) return;
    c->request.stages = c->request.tile_n = c->request.clusters = c->request.panels = 0;
    if (tmap_gemm_configs(suite, &c->problem, &c->request, &config, 1) == 0)
        memset(&c->request, 0, sizeof c->request);
}

static void shapes(struct tmap_gemm *suite, struct tally *t, int32_t kind, int count)
{
    char text[200];
    uint64_t state = 77u + (uint64_t)kind;
    t->shapes = t->wrong_shapes = t->streamed = t->split = t->deep = t->pingpong = t->high =
        t->apart = 0;
    t->worst = 0;
    for (int i = 0; i < count; i++) {
        struct tmap_gemm_case c =
            random_case(kind, &state, ways[(size_t)i % (sizeof ways / sizeof ways[0])]);
        fit_request(suite, &c);
        holds(suite, t, &c);
    }
    snprintf(
        text, sizeof text,
        "%s: %lu shapes (%lu streamed, %lu split, %lu of those deep, %lu pingpong, %lu high, %lu "
        "apart), %lu wrong, worst error %.3f of "
        "the bound",
        kind_name[kind], t->shapes, t->streamed, t->split, t->deep, t->pingpong, t->high, t->apart,
        t->wrong_shapes, t->worst);
    tap(t, t->wrong_shapes == 0, "shapes", text);
}

static void probes(struct tmap_gemm *suite, struct tally *t, int32_t kind)
{
    static const int32_t pairs[][2] = {
        {TMAP_GEMM_FILL_IDENTITY, TMAP_GEMM_FILL_INTEGERS},
        {TMAP_GEMM_FILL_INTEGERS, TMAP_GEMM_FILL_IDENTITY},
        {TMAP_GEMM_FILL_PERMUTED, TMAP_GEMM_FILL_INTEGERS},
        {TMAP_GEMM_FILL_INTEGERS, TMAP_GEMM_FILL_PERMUTED},
        {TMAP_GEMM_FILL_K_CONSTANT, TMAP_GEMM_FILL_K_CONSTANT},
        {TMAP_GEMM_FILL_ZEROS, TMAP_GEMM_FILL_INTEGERS},
    };
    char text[160];
    t->shapes = t->wrong_shapes = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct tmap_gemm_case c = base_case(kind, 520, 776, 640);
        c.fill_a = pairs[i][0];
        c.fill_b = pairs[i][1];
        c.problem.precise = is_fp8(kind);
        holds(suite, t, &c);
    }
    for (int32_t k = 0; k < 640; k += 37) {
        struct tmap_gemm_case c = base_case(kind, 264, 272, 640);
        c.fill_a = TMAP_GEMM_FILL_ONE_HOT;
        c.parameter = k;
        holds(suite, t, &c);
    }
    snprintf(text, sizeof text, "%s: %lu probes, %lu wrong", kind_name[kind], t->shapes,
             t->wrong_shapes);
    tap(t, t->wrong_shapes == 0, "identity, permutation, one-hot k, k-constants", text);
}

static void large(struct tmap_gemm *suite, struct tally *t, int32_t kind, int32_t n)
{
    char text[160];
    t->shapes = t->wrong_shapes = 0;
    struct tmap_gemm_case c = base_case(kind, n, n, n);
    if (is_fp8(kind)) c.fill_a = c.fill_b = TMAP_GEMM_FILL_SIGNS;
    c.problem.precise = is_fp8(kind);
    c.freivalds = true;
    holds(suite, t, &c);
    snprintf(text, sizeof text, "%s: %d cubed, 32 vectors", kind_name[kind], n);
    tap(t, t->wrong_shapes == 0, "Freivalds in exact integers", text);
}

static void reruns(struct tmap_gemm *suite, struct tally *t, int32_t kind)
{
    static const int32_t sizes[][4] = {{2048, 2048, 2048, 0},
                                       {1000, 1032, 520, 0},
                                       {16, 2048, 4096, 4},
                                       {384, 3000, 4096, -1},
                                       {128, 120, 32768, 8}};
    enum { SIZES = sizeof sizes / sizeof sizes[0], DEEP_K = 32768 };
    char text[160];
    t->shapes = t->wrong_shapes = 0;
    for (size_t i = 0; i < SIZES; i++) {
        struct tmap_gemm_case c = base_case(kind, sizes[i][0], sizes[i][1], sizes[i][2]);
        c.fill_a = c.fill_b = TMAP_GEMM_FILL_NORMAL;
        if (sizes[i][3] > 0) c.request.split_k = sizes[i][3];
        if (sizes[i][3] < 0 || sizes[i][2] == DEEP_K) c.request.stream_k = TMAP_GEMM_STREAM_K_ANY;
        c.problem.precise = is_fp8(kind);
        c.reruns = 200;
        holds(suite, t, &c);
    }
    snprintf(text, sizeof text, "%s: %d shapes x 200", kind_name[kind], (int)SIZES);
    tap(t, t->wrong_shapes == 0, "reruns give the same bytes", text);
}

/* What products of everyday size do and small ones do not: the straight way of storing 16 bits with
 * a warp of its own, every element of it; rows and batches with gaps; C in D's place; an offset
 * beyond 4 GiB in each operand. */
static const struct {
    const char *name;
    int32_t out, m, n, k, batch, cluster_m, store_warp, pad;
    bool every, in_place, freivalds, columns, apart;
} sizes[] = {
    {"store warp, 4 rounds", TMAP_GEMM_OUT_BF16, 8192, 8192, 256, 1, 0, 1, 0, 1, 0, 0, 0, 0},
    {"store warp, pairs", TMAP_GEMM_OUT_BF16, 8192, 8192, 256, 1, 2, 1, 0, 1, 0, 0, 0, 0},
    {"warpgroups store", TMAP_GEMM_OUT_F16, 8192, 8192, 256, 1, 2, -1, 0, 1, 0, 0, 0, 0},
    {"columns", TMAP_GEMM_OUT_BF16, 8192, 8192, 256, 1, 2, 0, 0, 1, 0, 0, 1, 0},
    {"32 bits", TMAP_GEMM_OUT_F32, 8192, 8192, 256, 1, 2, 0, 0, 1, 0, 0, 0, 0},
    {"rows apart", TMAP_GEMM_OUT_BF16, 8191, 8200, 192, 1, 0, 0, 0, 1, 0, 0, 0, 1},
    {"rows apart, 32 bits", TMAP_GEMM_OUT_F32, 4098, 8212, 64, 1, 0, 0, 0, 1, 0, 0, 0, 1},
    {"padded rows, batches", TMAP_GEMM_OUT_BF16, 1000, 1536, 512, 5, 0, 0, 64, 1, 0, 0, 0, 0},
    {"C is D", TMAP_GEMM_OUT_F32, 4096, 4096, 256, 1, 0, 0, 0, 1, 1, 0, 0, 0},
    {"C is D, 16 bits, batches", TMAP_GEMM_OUT_BF16, 1000, 1032, 520, 3, 0, 0, 8, 1, 1, 0, 0, 0},
    {"D beyond 4 GiB", TMAP_GEMM_OUT_F32, 40000, 40000, 64, 1, 0, 0, 0, 0, 0, 1, 0, 0},
    {"A beyond 4 GiB", TMAP_GEMM_OUT_F32, 70000, 64, 32768, 1, 0, 0, 0, 0, 0, 1, 0, 0},
    {"B beyond 4 GiB", TMAP_GEMM_OUT_F32, 64, 70000, 32768, 1, 0, 0, 0, 0, 0, 1, 0, 0},
    {"batches beyond 4 GiB", TMAP_GEMM_OUT_BF16, 4096, 4096, 64, 160, 0, 0, 0, 0, 0, 0, 0, 0},
};

static void at_size(struct tmap_gemm *suite, struct tally *t)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct tmap_gemm_case c = base_case(TMAP_GEMM_BF16, sizes[i].m, sizes[i].n, sizes[i].k);
        c.problem.out = sizes[i].out;
        c.problem.batch = sizes[i].batch;
        c.problem.beta = sizes[i].in_place ? 2 : 0;
        c.problem.d.mn_major = sizes[i].columns;
        c.request.cluster_m = sizes[i].cluster_m;
        c.request.store_warp = sizes[i].store_warp;
        c.every = sizes[i].every;
        c.in_place = sizes[i].in_place;
        c.freivalds = sizes[i].freivalds;
        c.request.apart = sizes[i].apart;
        c.reruns = sizes[i].apart ? 20 : 0;
        if (sizes[i].pad) {
            const int32_t k = (sizes[i].k + 7) / 8 * 8, n = (sizes[i].n + 7) / 8 * 8;
            c.problem.a.ld = c.problem.b.ld = k + sizes[i].pad;
            c.problem.d.ld = n + sizes[i].pad;
            c.problem.a.batch_stride = c.problem.a.ld * (sizes[i].m + 3);
            c.problem.b.batch_stride = c.problem.b.ld * (sizes[i].n + 5);
            c.problem.d.batch_stride = c.problem.d.ld * (sizes[i].m + 7);
        }
        t->shapes = t->wrong_shapes = 0;
        holds(suite, t, &c);
        tap(t, t->wrong_shapes == 0, "at size", sizes[i].name);
    }
}

static bool wanted(int argc, char **argv, int32_t kind)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "all") || !strcmp(argv[i], "quick") || !strcmp(argv[i], "few"))
            continue;
        any = true;
        if (!strcmp(argv[i], kind_name[kind])) return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    struct tmap_gemm *suite = NULL;
    char why[160] = "";
    const bool quick = argc > 1 && !strcmp(argv[1], "quick");
    const bool few = argc > 1 && !strcmp(argv[1], "few");
    enum tmap_status status =
        tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why);
    if (status != TMAP_OK) {
        printf("ok 1 # SKIP gemm: %s\n1..1\n", why);
        return 0;
    }
    struct tally t = {0};
    for (int32_t kind = TMAP_GEMM_BF16; kind <= TMAP_GEMM_S8; kind++) {
        if (!wanted(argc, argv, kind)) continue;
        if (!few) probes(suite, &t, kind);
        shapes(suite, &t, kind, few ? 6 : quick ? 60 : 600);
        if (few) continue;
        reruns(suite, &t, kind);
        large(suite, &t, kind, quick ? 2048 : 8192);
    }
    if (!few && wanted(argc, argv, TMAP_GEMM_BF16)) at_size(suite, &t);
    printf("1..%d\n", t.number);
    tmap_gemm_close(suite);
    return t.failed_tests != 0;
}
