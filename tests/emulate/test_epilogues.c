/* The products with an epilogue on the emulator, against plain sums in double: every instance, with
 * drawn steps of epilogue.def, shapes, configurations and orientations, under all three schedules.
 * No finding is a right answer too.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (3). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_epilogue.h"
#include "support/emulated_instances.h"
#include "support/epilogue_fault.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;

static uint32_t draw(uint64_t *r, uint32_t below)
{
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*r >> 33) % below;
}

static bool is_gated(const struct gemm_instance *g)
{
    return g->image == GEMM_IMAGE_GATED;
}

static bool is_quick(const struct gemm_instance *g)
{
    return g->image == GEMM_QUICK;
}

static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, uint64_t *r)
{
    static const float scales[] = {1, 2, -0.5f}, addends[] = {0, 1, -2};
    static const int32_t outs[] = {TMAP_GEMM_OUT_BF16, TMAP_GEMM_OUT_F16, TMAP_GEMM_OUT_F32,
                                   TMAP_GEMM_OUT_E4M3, TMAP_GEMM_OUT_E5M2};
    const bool bare = gemm_is_bare(g);
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .out = outs[draw(r, 5)],
                                  .m = 1 + (int32_t)draw(r, 2u * 64 * (uint32_t)g->wgs),
                                  .n = 1 + (int32_t)draw(r, 2u * (uint32_t)g->bn),
                                  .k = 1 + (int32_t)draw(r, 200),
                                  .batch = 1 + (int32_t)(draw(r, 5) == 0),
                                  .alpha = scales[draw(r, 3)],
                                  .beta = bare ? 0 : addends[draw(r, 3)]};
    p.d.mn_major = !bare && draw(r, 4) == 0;
    if (gemm_is_narrow(p.out) || is_gated(g)) p.beta = 0;
    if (is_quick(g)) p.alpha = 1, p.beta = 0, p.out = outs[draw(r, 2)];
    if (bare && draw(r, 2)) p.n = (p.n + 7) / 8 * 8;
    if (is_gated(g)) p.n = (p.n + 1) / 2 * 2;
    if (is_gated(g) && p.out == TMAP_GEMM_OUT_F16) p.k = 1 + p.k % 8; /* fp16 holds 65504 */
    return p;
}

/* A kernel without registers for C stores the straight way alone. */
static bool may_have_second(const struct gemm_instance *g, const struct tmap_gemm_problem *p)
{
    if (is_gated(g) || gemm_is_narrow(p->out)) return false;
    return !gemm_is_bare(g) || (gemm_out_bytes(p->out) == 2 && p->n % 8 == 0);
}

/* Which steps: addresses that are not 0 are replaced by memory. */
static struct tmap_gemm_epilogue steps_of(const struct gemm_instance *g,
                                          const struct tmap_gemm_problem *p, uint64_t *r)
{
    struct tmap_gemm_epilogue e = {.activation = (int32_t)draw(r, GEMM_ACTIVATIONS),
                                   .bias_type = (int32_t)draw(r, 3),
                                   .alpha = draw(r, 2),
                                   .beta = p->beta != 0.0f ? draw(r, 2) : 0,
                                   .row_scale = draw(r, 2),
                                   .col_scale = draw(r, 2),
                                   .row_bias = draw(r, 2),
                                   .col_bias = draw(r, 2),
                                   .amax = draw(r, 2),
                                   .d_scale = draw(r, 3) == 0};
    e.second.address = may_have_second(g, p) && draw(r, 2);
    if (is_gated(g)) e.gate = 1 + (int32_t)draw(r, GEMM_GATES - 1);
    if (is_gated(g) && p->out == TMAP_GEMM_OUT_F16) e.alpha = e.row_scale = e.col_scale = 0;
    if (is_quick(g))
        e = (struct tmap_gemm_epilogue){.activation = e.activation,
                                        .bias_type = e.bias_type % 2,
                                        .row_bias = e.row_bias,
                                        .col_bias = e.col_bias};
    if (!e.col_bias) e.activation = 1 + (int32_t)draw(r, GEMM_ACTIVATIONS - 1);
    return e;
}

static bool configure(const struct gemm_instance *g, const struct tmap_gemm_problem *p, uint64_t *r,
                      struct tmap_gemm_config *out)
{
    const bool turn = !is_gated(g) && (!gemm_is_bare(g) || p->d.mn_major);
    const struct tmap_gemm_config request = {.tile_m = 64 * g->wgs,
                                             .tile_n = g->bn,
                                             .swapped = turn && draw(r, 3) == 0 ? 1 : -1,
                                             .pingpong = g->pingpong ? 1 : -1,
                                             .store_warp = draw(r, 3) ? 0 : -1,
                                             .direct = is_quick(g) ? 0 : -1};
    return emulated_gemm_pick(suite, p, &request, g, draw(r, 1u << 31), out);
}

static void one(const struct gemm_instance *g, uint64_t seed)
{
    uint64_t r = seed * 977 + (uint64_t)(g - gemm_instances);
    struct emulated_epilogue x;
    struct tmap_gemm_config config;
    struct tmap_gemm_problem p;
    int tries = 0;
    for (;; tries++) {
        if (tries == 40) fail_msg("%s: no configuration", g->name);
        p = shape_of(g, &r);
        p.epilogue = steps_of(g, &p, &r);
        if (!emulated_epilogue_make(suite, &p, seed, &x)) fail_msg("memory");
        if (configure(g, &x.product.problem, &r, &config)) break;
        emulated_epilogue_free(suite, &x);
    }
    const bool clean = emulated_gemm_clean(suite, &x.product.problem, &config,
                                           (enum tmap_emulate_schedule)(seed % 3), seed);
    const struct emulated_epilogue_outcome o = emulated_epilogue_inspect(&x);
    if (!clean || !o.right) {
        fail_msg("%s %dx%dx%d seed %u: D %g, second %g, amax %g; out %d "
                 "activation %d gate %d steps %x cluster %dx%d swapped %d split %d stream %d",
                 g->name, p.m, p.n, p.k, (unsigned)seed, o.d, o.second, o.amax, p.out,
                 p.epilogue.activation, p.epilogue.gate, o.steps, config.cluster_m,
                 config.cluster_n, config.swapped, config.split_k, config.stream_k);
    }
    emulated_epilogue_free(suite, &x);
}

static void instances(void **state)
{
    const uint64_t shapes = emulated_shapes(3);
    emulated_unload(); /* what one that failed has left */
    assert_true(emulated_ptx(*state));
    const size_t seen = emulated_each_instance(suite, shapes, one);
    print_message("# %s: %zu instances, %u shapes each\n", (const char *)*state, seen,
                  (unsigned)shapes);
    assert_true(seen > 0);
    emulated_unload();
}

/* Of a fixture's kind of product: every step at once that it has (but where small sums are wanted),
 * with N odd and rows that end inside a tile; true when all of it is right. */
static bool right_with(uint32_t fault, enum epilogue_fixture fixture, uint64_t seed)
{
    struct tmap_gemm_problem p = {
        .kind = TMAP_GEMM_BF16, .m = 150, .n = 201, .k = 130, .batch = 1, .alpha = 1, .beta = 1};
    const bool quick = fixture == QUICK, gated = fixture == GATED, narrow = fixture == NARROW;
    const struct tmap_gemm_config request = {.tile_m = 64,
                                             .tile_n = 64,
                                             .swapped = -1,
                                             .pingpong = -1,
                                             .direct = -1,
                                             .split_k = quick ? 2 : 0};
    struct emulated_epilogue x;
    struct tmap_gemm_plan plan;
    struct gemm_params with;
    p.epilogue = (struct tmap_gemm_epilogue){.activation = TMAP_GEMM_GELU_TANH,
                                             .bias_type = TMAP_GEMM_OUT_BF16,
                                             .alpha = 1,
                                             .beta = 1,
                                             .row_scale = 1,
                                             .col_scale = 1,
                                             .row_bias = 1,
                                             .col_bias = 1,
                                             .second = {.address = 1},
                                             .amax = 1};
    if (fixture == SMALL) {
        p.k = 1, p.beta = 0;
        p.epilogue = (struct tmap_gemm_epilogue){.row_bias = 1, .col_bias = 1, .amax = 1};
    }
    if (quick) {
        p.beta = 0;
        p.epilogue = (struct tmap_gemm_epilogue){.activation = TMAP_GEMM_GELU_TANH,
                                                 .bias_type = TMAP_GEMM_OUT_F16,
                                                 .row_bias = 1,
                                                 .col_bias = 1};
    }
    if (narrow || gated) {
        p.beta = 0, p.epilogue.beta = 0, p.epilogue.second.address = 0;
        p.epilogue.d_scale = 1;
    }
    if (gated) p.n = 202, p.out = TMAP_GEMM_OUT_F32, p.epilogue.gate = TMAP_GEMM_GATE_HALVES;
    if (narrow) p.out = TMAP_GEMM_OUT_E4M3;
    assert_true(emulated_epilogue_make(suite, &p, seed, &x));
    assert_int_equal(tmap_gemm_make_plan(suite, &x.product.problem, &request, &plan, NULL),
                     TMAP_OK);
    memcpy(&with, plan.params, sizeof with);
    with.fault = fault;
    memcpy(plan.params, &with, sizeof with);
    plan.function = emulated_function(gated   ? "gemm_faulty_1x64_gated"
                                      : quick ? "gemm_faulty_1x64_quick"
                                              : "gemm_faulty_1x64_epilogue");
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    const bool ran =
        tmap_gemm_run(&plan, NULL) == TMAP_OK; /* a read outside its vector is a finding */
    const bool right = ran && emulated_epilogue_inspect(&x).right && emulator->findings == 0;
    emulated_epilogue_free(suite, &x);
    return right;
}

static void every_fault_is_found(void **state)
{
    (void)state;
    emulated_unload();
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_epilogue"));
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_gated"));
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_quick"));
    assert_true(emulated_ptx("tests/device/gemm/faults"));
    memset(suite->functions, 0, sizeof suite->functions);
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int fixture = 0; fixture < FIXTURES; fixture++)
            if (!right_with(0, (enum epilogue_fixture)fixture, seed))
                fail_msg("fixture %d: the control is not right", fixture);
    for (size_t i = 0; i < EPILOGUE_FAULTS; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            if (right_with(epilogue_faults[i].id, epilogue_faults[i].fixture, seed))
                fail_msg("not found: %s", epilogue_faults[i].name);
    emulated_unload();
}

#define SOURCE(name)                                                                               \
    cmocka_unit_test_prestate(instances, (void *)(uintptr_t) "src/kernels/gemm/sm90/" name)

int main(void)
{
    struct CMUnitTest tests[] = {
        SOURCE("bf16_epilogue"), SOURCE("f16_epilogue"), SOURCE("e4m3_epilogue"),
        SOURCE("bf16_gated"),    SOURCE("f16_gated"),    SOURCE("e4m3_gated"),
        SOURCE("bf16_quick"),    SOURCE("f16_quick"),    cmocka_unit_test(every_fault_is_found)};
    static const char *const names[] = {"bf16",      "f16",        "e4m3",       "bf16 gated",
                                        "f16 gated", "e4m3 gated", "bf16 quick", "f16 quick"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) tests[i].name = names[i];
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/bf16_epilogue")) {
        printf(
            "1..1\nok 1 # SKIP emulated epilogues: no PTX of the kernels in this build (nvcc)\n");
        return 0;
    }
    emulated_unload();
    const int failed = cmocka_run_group_tests_name("emulated epilogues", tests, NULL, NULL);
    emulated_close();
    return failed;
}
