/* The matrix products for the chips after Hopper on the emulator, against plain sums: every
 * instance, with configurations drawn from all that the host offers for it (clusters, pairs, parts
 * of K), on random small shapes with alpha, beta and C, in any order of D. Small integers bitwise,
 * every third shape of normal numbers within the bound of their roundings; no finding is a right
 * answer too.
 *
 * Then both extremes of time on a few of the shapes, and random times.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (2), TMAP_EMULATE_SEEDS how many random
 * times (0), TMAP_EMULATE_SHARD=I/N that every Nth run of an instance is this process's: make
 * prove-blackwell runs 200 and 100. An argument leaves the sources that it is part of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;
static const char *only; /* sources with this in their names, or NULL */

static uint32_t draw(uint64_t *r, uint32_t below)
{
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*r >> 33) % below;
}

/* 1, a few, one short of a tile, a tile, some more. */
static int32_t extent(uint64_t *r, int32_t tile)
{
    const int32_t drawn[] = {1, 1 + (int32_t)draw(r, 20), tile - 1, tile,
                             1 + (int32_t)draw(r, 2 * (uint32_t)tile)};
    return drawn[draw(r, 5)];
}

static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, uint64_t *r)
{
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .m = extent(r, gemm_tile_m(g)),
                                  .n = extent(r, g->bn),
                                  .k = extent(r, gemm_element_bits(g->kind) < 8 ? 384 : 128),
                                  .batch = 1 + (int32_t)(draw(r, 5) == 0),
                                  .alpha = draw(r, 2) ? 1 : -2,
                                  .beta = draw(r, 3) ? 0 : 2,
                                  .a = {.mn_major = g->a_mn},
                                  .b = {.mn_major = g->b_mn}};
    if (gemm_element_bits(g->kind) < 8) p.k += p.k % 2; /* whole bytes */
    const bool wide = draw(r, 2);
    p.out = g->kind == GEMM_S8    ? (wide ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32)
            : wide                ? TMAP_GEMM_OUT_F32
            : g->kind == GEMM_F16 ? TMAP_GEMM_OUT_F16
                                  : TMAP_GEMM_OUT_BF16;
    return p;
}

/* One of the configurations of this instance, made the request; false when there is none. A short
 * ring and few clusters make slots and accumulators come round again. */
static bool configure(const struct gemm_instance *g, const struct tmap_gemm_problem *p, uint64_t *r,
                      struct tmap_gemm_config *out)
{
    const bool dynamic = gemm_is_dynamic(g);
    const struct tmap_gemm_config request = {
        .tile_m = gemm_tile_m(g),
        .dynamic = dynamic ? 1 : 0,
        .tile_n = g->bn,
        .split_k = dynamic || draw(r, 6) ? 0 : 2 + (int32_t)draw(r, 3),
        .stages = draw(r, 2) ? 0 : 2 + (int32_t)draw(r, 3),
        .clusters = draw(r, 2) ? 0 : 1 + (int32_t)draw(r, 2),
        .swapped = p->d.mn_major ? 1 : -1,
        .stream_k = dynamic || draw(r, 3) ? 0 : TMAP_GEMM_STREAM_K_ANY};
    return emulated_gemm_pick(suite, p, &request, g, draw(r, 1u << 31), out);
}

/* D in the other order is the same product with the operands exchanged. */
static void exchange(struct tmap_gemm_problem *p)
{
    const struct tmap_gemm_problem q = *p;
    p->m = q.n, p->n = q.m, p->a = q.b, p->b = q.a;
    p->kind = gemm_exchanged_kind(q.kind);
    p->d.mn_major = true;
}

/* Bitwise; of normal numbers, no further off than the roundings of a sum. */
static bool right(const struct emulated_product *product, enum emulated_fill fill)
{
    static const double half_ulp[] = {[TMAP_GEMM_OUT_BF16] = 0x1p-8,
                                      [TMAP_GEMM_OUT_F16] = 0,
                                      [TMAP_GEMM_OUT_F32] = 0,
                                      [TMAP_GEMM_OUT_S32] = 0};
    const struct tmap_gemm_problem *p = &product->problem;
    const double bound = half_ulp[p->out] + (p->k + 3) * 0x1p-23;
    if (fill == EMULATED_INTEGERS) return emulated_product_wrong(product) == 0;
    return emulated_product_worst(product) <= bound; /* false for NaN */
}

/* A shape by its seed, and when what is asynchronous in it happens. */
struct trial {
    uint64_t seed, time_seed;
    enum tmap_emulate_schedule schedule;
};

static void one(const struct gemm_instance *g, const struct trial *trial)
{
    enum emulated_fill fill = EMULATED_INTEGERS;
    const uint64_t seed = trial->seed;
    uint64_t r = seed * 977 + (uint64_t)(g - gemm_instances);
    struct emulated_product product;
    struct tmap_gemm_config config;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    for (int tries = 0;; tries++) {
        struct tmap_gemm_problem p = shape_of(g, &r);
        if (draw(&r, 4) == 0) exchange(&p);
        /* Not into fp16, where a small product is subnormal and its rounding no share of it. */
        fill = seed % 3 == 2 && p.out != TMAP_GEMM_OUT_F16 ? EMULATED_NORMAL : EMULATED_INTEGERS;
        if (!emulated_product_fill(suite, &p, seed, fill, &product)) fail_msg("memory");
        if (configure(g, &product.problem, &r, &config)) break;
        emulated_product_free(suite, &product);
        if (tries == 100) fail_msg("%s: no configuration", g->name);
    }
    const struct tmap_gemm_problem *p = &product.problem;
    emulator->how.schedule = trial->schedule;
    emulator->how.seed = trial->time_seed;
    emulator->how.tensor_fences = true;
    const enum tmap_status made = tmap_gemm_make_plan(suite, p, &config, &plan, &why);
    if (made != TMAP_OK) fail_msg("%s: plan %d: %s", g->name, made, why.text);
    /* One cluster or two, which take over the tiles of the others. */
    emulator->how.residents = gemm_is_dynamic(g) ? plan.cluster * (1 + (uint32_t)(seed % 2)) : 0;
    const enum tmap_status ran = tmap_gemm_run(&plan, NULL);
    const bool good = right(&product, fill);
    if (ran != TMAP_OK || emulator->findings || !good) {
        emulated_print();
        fail_msg("%s %dx%dx%d batch %d out %d beta %g seed %u: status %d, %zu findings, %s; "
                 "cluster %dx%d stream %d stages %d schedule %d",
                 g->name, p->m, p->n, p->k, p->batch, p->out, (double)p->beta, (unsigned)seed, ran,
                 emulator->findings, good ? "right" : "wrong", config.cluster_m, config.cluster_n,
                 config.stream_k, config.stages, (int)emulator->how.schedule);
    }
    emulated_product_free(suite, &product);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* The runs of this process: every Nth, counted over all instances, so that N processes are done
 * together where a source has few instances. */
struct turn {
    unsigned mine, of;
    uint64_t next, ran;
};

static struct turn first_turn(void)
{
    const char *shard = getenv("TMAP_EMULATE_SHARD");
    struct turn t = {0, 1, 0, 0};
    if (shard && (sscanf(shard, "%u/%u", &t.mine, &t.of) != 2 || t.of == 0))
        fail_msg("shard %s", shard);
    return t;
}

static void take(struct turn *t, const struct gemm_instance *g, struct trial trial)
{
    if (t->next++ % t->of != t->mine) return;
    one(g, &trial);
    t->ran++;
}

/* Each schedule in turn over the shapes; both extremes, then random times, over a few of them. */
static void trials(struct turn *t, const struct gemm_instance *g, uint64_t shapes, uint64_t seeds)
{
    enum { FEW = 4 };
    static const enum tmap_emulate_schedule extremes[] = {TMAP_EMULATE_EARLIEST,
                                                          TMAP_EMULATE_LATEST};
    for (uint64_t seed = 1; seed <= shapes; seed++)
        take(t, g, (struct trial){seed, seed, (enum tmap_emulate_schedule)(seed % 3)});
    for (uint64_t i = 0; i < 2 * FEW && seeds > 1; i++)
        take(t, g, (struct trial){1 + i / 2, 0, extremes[i % 2]});
    for (uint64_t i = 0; i < seeds; i++)
        take(t, g, (struct trial){1 + i % FEW, i, TMAP_EMULATE_RANDOM});
}

static void instances(void **state)
{
    const uint64_t shapes = number("TMAP_EMULATE_SHAPES", 2),
                   seeds = number("TMAP_EMULATE_SEEDS", 0);
    const char *source = *state;
    struct turn t = first_turn();
    size_t seen = 0, mine = 0;
    if (only && !strstr(source, only)) skip();
    assert_true(emulated_ptx(source));
    for (size_t i = 0; i < gemm_instance_count; i++) {
        if (!emulated_function(gemm_instances[i].name)) continue;
        mine += t.next % t.of == t.mine; /* an instance counts where its first run is */
        memset(suite->functions, 0, sizeof suite->functions);
        trials(&t, &gemm_instances[i], shapes, seeds);
        seen++;
    }
    print_message("# %s: %zu instances, %u shapes and %u times each: %u launches\n", source, mine,
                  (unsigned)shapes, (unsigned)seeds, (unsigned)t.ran);
    assert_true(seen > 0);
    emulated_unload();
}

static int on(int cc_major, const char *name, const struct CMUnitTest *tests, size_t count,
              const char *first)
{
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx(first)) {
        printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
        return 0;
    }
    emulated_unload();
    const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    emulated_close();
    return failed;
}

#define COUNT(of) (sizeof(of) / sizeof *(of))
#define SOURCE(folder, name)                                                                       \
    {                                                                                              \
        name, instances, NULL, NULL, (void *)(uintptr_t) "src/kernels/gemm/" folder "/" name       \
    }

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tensor[] = {SOURCE("sm100", "f16"),     SOURCE("sm100", "tf32"),
                                        SOURCE("sm100", "f8f6f4"),  SOURCE("sm100", "i8"),
                                        SOURCE("sm100", "dynamic"), SOURCE("sm100", "mxf8f6f4"),
                                        SOURCE("sm100", "mxf4")};
    const struct CMUnitTest warps[] = {SOURCE("sm120", "bf16"), SOURCE("sm120", "f16"),
                                       SOURCE("sm120", "tf32"), SOURCE("sm120", "e4m3"),
                                       SOURCE("sm120", "e5m2"), SOURCE("sm120", "e4m3e5m2"),
                                       SOURCE("sm120", "s8"),   SOURCE("sm120", "mxf8"),
                                       SOURCE("sm120", "mxf4"), SOURCE("sm120", "nvf4")};
    return on(10, "products of tensor memory", tensor, COUNT(tensor),
              "src/kernels/gemm/sm100/f16") +
           on(12, "products of mma.sync", warps, COUNT(warps), "src/kernels/gemm/sm120/bf16");
}
