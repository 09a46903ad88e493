/* The protocol of every kernel for the chips after Hopper, folded from what its PTX does on the
 * emulator and proved for any number of tiles and k blocks: all mbarriers as one, and each area
 * that is staged and stored. test_protocols.c has clusters, rings by themselves, and faults.
 *
 * TMAP_PROTOCOL_MB: memory for the automaton; make prove-protocols says some, and then parts of K
 * of every cluster of four, and blocks and pairs that share B, are proved too. An argument leaves
 * the sources that it is part of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_groups.h"
#include "support/proved.h"

enum { MEGABYTES = 64, CLUSTERS = 4 };

static struct tmap_gemm *suite;
static struct emulated *emulator;
static struct prover prover;
static const char *only; /* sources with this in their names, or NULL */

/* A way to run a kernel, and which cluster is recorded. */
struct way {
    const char *name;
    int32_t cluster_m, clusters, stream_k;
    uint32_t recorded;
    bool seldom; /* not every kernel can be run so */
    bool second; /* with a second output */
};
struct tally {
    uint32_t kernels, protocols, states;
};

/* Of one configuration: another number of tiles, and of k blocks. */
static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, const struct way *w,
                                         int run)
{
    const int32_t span = 1024 / gemm_element_bits(g->kind);
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .m = gemm_tile_m(g) * w->cluster_m - 6,
                                  .n = 2 * g->bn - 8,
                                  .k = 2 * span + span / 2,
                                  .batch = 1,
                                  .alpha = 1,
                                  .a = {.mn_major = g->a_mn},
                                  .b = {.mn_major = g->b_mn}};
    p.out = g->kind == GEMM_S8    ? TMAP_GEMM_OUT_S32
            : g->kind == GEMM_F16 ? TMAP_GEMM_OUT_F16
                                  : TMAP_GEMM_OUT_BF16;
    if (gemm_is_finished(g)) p.epilogue.activation = TMAP_GEMM_GELU_TANH;
    if (g->image == GEMM_IMAGE_GATED) p.n -= 8, p.epilogue.gate = TMAP_GEMM_GATE_HALVES;
    if (gemm_is_dynamic(g)) p.n += 2 * g->bn;
    if (w->clusters > 1) p.n += 3 * g->bn, p.k += 2 * span;
    if (run == 1) p.k += p.k / 2;
    if (run == 2) p.n += w->clusters > 1 ? CLUSTERS * g->bn : 2 * g->bn;
    return p;
}

static void add_second(struct tmap_gemm_problem *p)
{
    p->epilogue.second = p->d;
    assert_int_equal(
        suite->gpu.api.mem_alloc(&p->epilogue.second.address, (uint64_t)(p->d.ld * p->m) * 4), 0);
}

/* False: no plan runs the kernel so. */
static bool record(const struct gemm_instance *g, const struct way *w, int run,
                   struct tmap_emulate_record **out)
{
    const struct tmap_gemm_problem shape = shape_of(g, w, run);
    const bool dynamic = gemm_is_dynamic(g);
    const struct tmap_gemm_config request = {.tile_m = gemm_tile_m(g),
                                             .tile_n = g->bn,
                                             .stages = 2,
                                             .cluster_m = w->cluster_m,
                                             .cluster_n = 1,
                                             .clusters = dynamic ? 0 : w->clusters,
                                             .dynamic = dynamic,
                                             .swapped = -1,
                                             .stream_k = dynamic ? 0 : w->stream_k};
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    assert_int_equal(tmap_emulate_record_open(w->recorded, out), TMAP_OK);
    assert_true(emulated_product_make(suite, &shape, 1, &product));
    const struct tmap_gemm_matrix *second = &product.problem.epilogue.second;
    if (w->second) add_second(&product.problem);
    const bool made =
        tmap_gemm_make_plan(suite, &product.problem, &request, &plan, &why) == TMAP_OK;
    if (!made && !w->seldom) fail_msg("%s, %s: %s", g->name, w->name, why.text);
    if (!made) {
        emulated_product_free(suite, &product);
        return false;
    }
    plan.function = emulated_function(g->name);
    emulator->how =
        (struct tmap_emulate_launch){.schedule = TMAP_EMULATE_EARLIEST, .no_races = true};
    emulator->how.residents = dynamic ? plan.cluster : 0;
    emulator->record = *out;
    assert_int_equal(emulated_recorded(tmap_gemm_run(&plan, NULL)), TMAP_OK);
    suite->gpu.api.mem_free(second->address);
    emulated_product_free(suite, &product);
    return true;
}

/* False: there are fewer such parts. */
static bool proves(const char *kernel, const char *way, enum tmap_emulate_part part, unsigned n,
                   struct tmap_emulate_record *records[PROVED_RUNS], struct tally *tally)
{
    struct proved p;
    prove(&prover, records, part, n, &p);
    if (p.status == TMAP_E_NO_PLAN) return false;
    if (p.status != TMAP_OK || p.result.verdict != TMAP_LEGAL)
        fail_msg("%s, %s, %s %u: %s, line %u: %s", kernel, way, proved_part(part), n,
                 proved_words(&p), p.error.line, p.error.text);
    tally->protocols++;
    if (p.result.states > tally->states) tally->states = p.result.states;
    return true;
}

static void prove_records(const char *kernel, const char *way,
                          struct tmap_emulate_record *records[PROVED_RUNS], struct tally *tally)
{
    unsigned areas = 0;
    assert_true(proves(kernel, way, TMAP_EMULATE_BARRIERS, 0, records, tally));
    while (proves(kernel, way, TMAP_EMULATE_STAGING, areas, records, tally)) areas++;
    assert_true(areas > 0);
    tally->kernels++;
}

static void product(const struct gemm_instance *g, const struct way *w, struct tally *tally)
{
    struct tmap_emulate_record *records[PROVED_RUNS] = {NULL};
    bool whole = true;
    memset(suite->functions, 0, sizeof suite->functions);
    for (int i = 0; i < PROVED_RUNS && whole; i++) whole = record(g, w, i, &records[i]);
    if (whole) prove_records(g->name, w->name, records, tally);
    for (int i = 0; i < PROVED_RUNS; i++) tmap_emulate_record_free(records[i]);
}

static const struct way whole = {"whole tiles", 1, 1, -1, 0, false, false},
                        outputs = {"two outputs", 1, 1, -1, 0, false, true};

static void every_way(const struct gemm_instance *g, struct tally *tally)
{
    static const struct way shared = {"two that share B", 2, 1, -1, 0, true, false};
    product(g, &whole, tally);
    if (g->image == GEMM_FINISHED) product(g, &outputs, tally);
    if (!prover.deep || gemm_is_dynamic(g)) return;
    if (g->family == GEMM_SM100) product(g, &shared, tally);
    for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++)
        product(
            g,
            &(struct way){"parts of K", 1, CLUSTERS, TMAP_GEMM_STREAM_K_ANY, cluster, false, false},
            tally);
}

/* Kinds that differ by a descriptor alone share their kernel. */
static bool is_first(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(gemm_instances[k].name, gemm_instances[i].name) == 0) return false;
    return true;
}

static void say_tally(const char *source, const struct tally *tally)
{
    print_message("# %s: %u kernels and ways, %u protocols proved, up to %u states\n", source,
                  tally->kernels, tally->protocols, tally->states);
    assert_true(tally->kernels > 0);
    emulated_unload();
}

static void products(void **state)
{
    const char *source = *state;
    struct tally tally = {0};
    if (only && !strstr(source, only)) skip();
    assert_true(emulated_ptx(source));
    for (size_t i = 0; i < gemm_instance_count; i++)
        if (emulated_function(gemm_instances[i].name) && is_first(i))
            every_way(&gemm_instances[i], &tally);
    say_tally(source, &tally);
}

/* --- groups: an empty member between two, the last of less than one block of K */

static void record_group(const struct gemm_instance *g, int run, struct tmap_emulate_record **out)
{
    static const struct way whole_tiles = {"", 1, 1, -1, 0, false, false};
    const struct tmap_gemm_problem first = shape_of(g, &whole_tiles, run);
    emulator->how =
        (struct tmap_emulate_launch){.schedule = TMAP_EMULATE_EARLIEST, .no_races = true};
    assert_true(emulated_group_record(suite, g, &first, NULL, 0, out));
}

static bool is_first_group(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(gemm_group_instances[k].name, gemm_group_instances[i].name) == 0) return false;
    return true;
}

static void groups(void **state)
{
    struct tally tally = {0};
    if (only && !strstr("groups", only)) skip();
    assert_true(emulated_ptx(*state));
    if (suite->family == GEMM_SM100) assert_true(emulated_ptx("src/kernels/gemm/sm100/groups_i8"));
    for (size_t i = 0; i < gemm_group_instance_count; i++) {
        const struct gemm_instance *g = &gemm_group_instances[i];
        struct tmap_emulate_record *records[PROVED_RUNS];
        if (g->family != suite->family || !is_first_group(i)) continue;
        memset(suite->functions, 0, sizeof suite->functions);
        for (int run = 0; run < PROVED_RUNS; run++) record_group(g, run, &records[run]);
        prove_records(g->name, "a group", records, &tally);
        for (int run = 0; run < PROVED_RUNS; run++) tmap_emulate_record_free(records[run]);
    }
    say_tally(*state, &tally);
}

static int on(int cc_major, const char *name, const struct CMUnitTest *tests, size_t count,
              const char *first)
{
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    const bool has = emulated_ptx(first);
    emulated_unload();
    if (!has) printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
    const int failed = has ? _cmocka_run_group_tests(name, tests, count, NULL, NULL) : 0;
    emulated_close();
    return failed;
}

#define COUNT(of) (sizeof(of) / sizeof *(of))
#define GROUPS(folder)                                                                             \
    {                                                                                              \
        "groups", groups, NULL, NULL, (void *)(uintptr_t) "src/kernels/gemm/" folder "/groups"     \
    }
#define SOURCE(folder, name)                                                                       \
    {                                                                                              \
        name, products, NULL, NULL, (void *)(uintptr_t) "src/kernels/gemm/" folder "/" name        \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tensor[] = {SOURCE("sm100", "f16"),
                                        SOURCE("sm100", "tf32"),
                                        SOURCE("sm100", "f8f6f4"),
                                        SOURCE("sm100", "i8"),
                                        SOURCE("sm100", "dynamic"),
                                        SOURCE("sm100", "mxf8f6f4"),
                                        SOURCE("sm100", "mxf4"),
                                        SOURCE("sm100", "f16_epilogue"),
                                        SOURCE("sm100", "f8f6f4_epilogue"),
                                        SOURCE("sm100", "mx_epilogue"),
                                        GROUPS("sm100")};
    const struct CMUnitTest warps[] = {SOURCE("sm120", "bf16"),
                                       SOURCE("sm120", "f16"),
                                       SOURCE("sm120", "tf32"),
                                       SOURCE("sm120", "e4m3"),
                                       SOURCE("sm120", "e5m2"),
                                       SOURCE("sm120", "e4m3e5m2"),
                                       SOURCE("sm120", "s8"),
                                       SOURCE("sm120", "mxf8"),
                                       SOURCE("sm120", "mxf4"),
                                       SOURCE("sm120", "nvf4"),
                                       SOURCE("sm120", "bf16_epilogue"),
                                       SOURCE("sm120", "f16_epilogue"),
                                       SOURCE("sm120", "e4m3_epilogue"),
                                       SOURCE("sm120", "e5m2_epilogue"),
                                       SOURCE("sm120", "e4m3e5m2_epilogue"),
                                       SOURCE("sm120", "mx_epilogue"),
                                       GROUPS("sm120")};
    only = argc > 1 ? argv[1] : NULL;
    if (!prover_open(&prover, MEGABYTES)) return 1;
    const int failed =
        on(10, "every protocol of tensor memory", tensor, COUNT(tensor),
           "src/kernels/gemm/sm100/f16") +
        on(12, "every protocol of mma.sync", warps, COUNT(warps), "src/kernels/gemm/sm120/bf16");
    prover_close(&prover);
    return failed;
}
