/* Shapes, steps and configurations of products with an epilogue, drawn. */
#include "support/epilogue_case.h"

#include <stdio.h>

#include "support/emulated_epilogue.h"
#include "support/emulated_instances.h"

static uint32_t draw(uint64_t *r, uint32_t below)
{
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*r >> 33) % below;
}

static bool is_gated(const struct gemm_instance *g)
{
    return gemm_end_of(g) == GEMM_IMAGE_GATED;
}

static bool is_quick(const struct gemm_instance *g)
{
    return gemm_end_of(g) == GEMM_QUICK;
}

static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, uint64_t *r)
{
    static const float scales[] = {1, 2, -0.5f}, addends[] = {0, 1, -2};
    static const int32_t outs[] = {TMAP_GEMM_OUT_BF16, TMAP_GEMM_OUT_F16, TMAP_GEMM_OUT_F32,
                                   TMAP_GEMM_OUT_E4M3, TMAP_GEMM_OUT_E5M2};
    const bool bare = gemm_is_bare(g);
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .out = outs[draw(r, 5)],
                                  .m = 1 + (int32_t)draw(r, 2 * (uint32_t)gemm_tile_m(g)),
                                  .n = 1 + (int32_t)draw(r, 2u * (uint32_t)g->bn),
                                  .k = 1 + (int32_t)draw(r, 200),
                                  .batch = 1 + (int32_t)(draw(r, 5) == 0),
                                  .alpha = scales[draw(r, 3)],
                                  .beta = bare ? 0 : addends[draw(r, 3)]};
    p.d.mn_major = gemm_writes_columns(g) && draw(r, 4) == 0;
    if (gemm_is_narrow(p.out) || is_gated(g)) p.beta = 0;
    if (is_quick(g)) p.alpha = 1, p.beta = 0, p.out = outs[draw(r, 2)];
    if (gemm_element_bits(g->kind) < 8) p.k += p.k % 2; /* whole bytes */
    if (bare && draw(r, 2)) p.n = (p.n + 7) / 8 * 8;
    if (is_gated(g)) p.n = (p.n + 1) / 2 * 2;
    if (is_gated(g) && g->b_mn) p.n = (p.n + 15) / 16 * 16;           /* a half's stride */
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
    if (is_gated(g)) e.gate = g->b_mn ? GEMM_GATE_HALVES : 1 + (int32_t)draw(r, GEMM_GATES - 1);
    if (is_gated(g) && p->out == TMAP_GEMM_OUT_F16) e.alpha = e.row_scale = e.col_scale = 0;
    if (is_quick(g))
        e = (struct tmap_gemm_epilogue){.activation = e.activation,
                                        .bias_type = e.bias_type % 2,
                                        .row_bias = e.row_bias,
                                        .col_bias = e.col_bias};
    if (!e.col_bias) e.activation = 1 + (int32_t)draw(r, GEMM_ACTIVATIONS - 1);
    return e;
}

/* What keeps a tile from the straight way (sm90/compose.cuh, is_straight()). */
static void straighten(struct tmap_gemm_problem *p)
{
    const int32_t own = p->kind == TMAP_GEMM_F16 ? TMAP_GEMM_OUT_F16 : TMAP_GEMM_OUT_BF16;
    if (!gemm_is_narrow(p->out)) p->out = own;
    p->n = (p->n + 15) / 16 * 16;
    p->beta = 0, p->d.mn_major = false;
    p->epilogue.beta = p->epilogue.row_bias = 0;
    if (!p->epilogue.col_bias) p->epilogue.activation = TMAP_GEMM_RELU;
}

/* Whether A and B are exchanged; they lie as the kernel reads them. */
static bool lay(const struct gemm_instance *g, struct tmap_gemm_problem *p, bool straight,
                uint64_t *r)
{
    const bool may = !straight && !is_gated(g) && (gemm_writes_columns(g) || p->d.mn_major);
    const bool swapped = may && draw(r, 3) == 0;
    p->a.mn_major = swapped ? g->b_mn : g->a_mn;
    p->b.mn_major = swapped ? g->a_mn : g->b_mn;
    return swapped;
}

/* few: so short a ring that it has no room for the panels of two outputs (panels_apart()). */
static bool configure(struct tmap_gemm *suite, const struct gemm_instance *g,
                      const struct tmap_gemm_problem *p, bool swapped, bool straight, bool few,
                      uint64_t *r, struct tmap_gemm_config *out)
{
    const struct tmap_gemm_config request = {.tile_m = gemm_tile_m(g),
                                             .tile_n = g->bn,
                                             .swapped = swapped ? 1 : -1,
                                             .pingpong = g->pingpong ? 1 : -1,
                                             .store_warp = straight || draw(r, 3) ? 0 : -1,
                                             .split_k = straight,
                                             .stages = few ? 2 : 0,
                                             .panels = straight ? (g->bn + 63) / 64 : 0,
                                             .direct = is_quick(g) ? 0 : -1};
    return emulated_gemm_pick(suite, p, &request, g, draw(r, 1u << 31), out);
}

bool epilogue_case(struct tmap_gemm *suite, const struct gemm_instance *g, uint64_t seed)
{
    uint64_t r = seed * 977 + (uint64_t)(g - gemm_instances);
    struct emulated_epilogue x;
    struct tmap_gemm_config config;
    struct tmap_gemm_problem p;
    bool straight, swapped;
    for (int tries = 0;; tries++) {
        p = shape_of(g, &r);
        p.epilogue = steps_of(g, &p, &r);
        straight = g->family == GEMM_SM90 && !g->pingpong && !is_gated(g) && seed % 2;
        if (straight) straighten(&p);
        swapped = lay(g, &p, straight, &r);
        if (tries == 40 || !emulated_epilogue_make(suite, &p, seed, &x)) {
            printf("# %s: no configuration, or no memory\n", g->name);
            return false;
        }
        const bool few = straight && seed % 4 == 1;
        if (configure(suite, g, &x.product.problem, swapped, straight, few, &r, &config)) break;
        emulated_epilogue_free(suite, &x);
    }
    const bool clean = emulated_gemm_clean(suite, &x.product.problem, &config,
                                           (enum tmap_emulate_schedule)(seed % 3), seed);
    const struct emulated_epilogue_outcome o = emulated_epilogue_inspect(&x);
    if (!clean || !o.right)
        printf("# %s %dx%dx%d seed %u: D %g, second %g, amax %g; out %d activation %d gate %d "
               "steps %x cluster %dx%d swapped %d split %d stream %d\n",
               g->name, p.m, p.n, p.k, (unsigned)seed, o.d, o.second, o.amax, p.out,
               p.epilogue.activation, p.epilogue.gate, o.steps, config.cluster_m, config.cluster_n,
               config.swapped, config.split_k, config.stream_k);
    emulated_epilogue_free(suite, &x);
    return clean && o.right;
}

/* Every step at once that the fixture has, but where small sums are wanted. */
static struct tmap_gemm_problem fixture_of(enum epilogue_fixture fixture)
{
    struct tmap_gemm_problem p = {
        .kind = TMAP_GEMM_BF16, .m = 150, .n = 201, .k = 130, .batch = 1, .alpha = 1, .beta = 1};
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
    if (fixture == QUICK) {
        p.beta = 0;
        p.epilogue = (struct tmap_gemm_epilogue){.activation = TMAP_GEMM_GELU_TANH,
                                                 .bias_type = TMAP_GEMM_OUT_F16,
                                                 .row_bias = 1,
                                                 .col_bias = 1};
    }
    const bool gated = fixture == GATED || fixture == GATED_BY_ROWS;
    if (fixture == NARROW || gated || fixture == STRAIGHT_NARROW) {
        p.beta = 0, p.epilogue.beta = 0, p.epilogue.second.address = 0;
        p.epilogue.d_scale = 1;
    }
    if (fixture == STRAIGHT || fixture == STRAIGHT_ONE || fixture == STRAIGHT_NARROW)
        p.n = 208, p.beta = p.epilogue.beta = p.epilogue.row_bias = 0;
    if (fixture == STRAIGHT_ONE) p.m = 50, p.n = 48;
    if (gated) p.n = 202, p.out = TMAP_GEMM_OUT_F32, p.epilogue.gate = TMAP_GEMM_GATE_HALVES;
    if (fixture == GATED_BY_ROWS) p.n = 208, p.b.mn_major = true;
    if (fixture == NARROW || fixture == STRAIGHT_NARROW) p.out = TMAP_GEMM_OUT_E4M3;
    return p;
}

bool epilogue_right_with(struct tmap_gemm *suite, const char *kernel,
                         const struct tmap_gemm_config *request, uint32_t fault,
                         enum epilogue_fixture fixture, uint64_t seed)
{
    const struct tmap_gemm_problem p = fixture_of(fixture);
    struct emulated *emulator = emulated_state();
    struct emulated_epilogue x;
    struct tmap_gemm_plan plan;
    if (!emulated_epilogue_make(suite, &p, seed, &x) ||
        tmap_gemm_make_plan(suite, &x.product.problem, request, &plan, NULL) != TMAP_OK)
        return printf("# fixture %d: no plan\n", (int)fixture), false;
    epilogue_plant(plan.params, fault);
    plan.function = emulated_function(kernel);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    const bool ran =
        tmap_gemm_run(&plan, NULL) == TMAP_OK; /* a read outside its vector is a finding */
    const bool right = ran && emulated_epilogue_inspect(&x).right && emulator->findings == 0;
    emulated_epilogue_free(suite, &x);
    return right;
}
