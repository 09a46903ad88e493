/* Products with an epilogue on this GPU: drawn shapes, steps and configurations against fp64, and
 * the faults that can be planted in the steps. Prints TAP; skips where there is no GPU.
 *
 *   epilogues [SHAPES [SEED]]     so many of each kind that has them (500) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/rig.h"
#include "driver/rng.h"
#include "support/epilogue_fault.h"

extern const char image_tests_device_gemm_faults[];

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rng_step(state) % n);
}

/* Tiny, odd, prime, around every tile size, and a few of thousands. */
static int32_t extent(uint64_t *state)
{
    static const int32_t sizes[] = {1,   7,   8,   15,  33,  63,  64,  65,   127, 128,  129, 191,
                                    192, 193, 255, 256, 257, 384, 509, 1021, 769, 2048, 3001};
    return sizes[below(state, sizeof sizes / sizeof *sizes)];
}

/* An address that is not 0 asks for the step. */
static struct tmap_gemm_epilogue steps(uint64_t *state)
{
    struct tmap_gemm_epilogue e = {.activation = (int32_t)below(state, GEMM_ACTIVATIONS),
                                   .bias_type = (int32_t)below(state, 3),
                                   .alpha = below(state, 4) == 0,
                                   .beta = below(state, 4) == 0,
                                   .row_scale = below(state, 3) == 0,
                                   .col_scale = below(state, 3) == 0,
                                   .row_bias = below(state, 3) == 0,
                                   .col_bias = below(state, 2),
                                   .second = {.address = below(state, 3) == 0},
                                   .amax = below(state, 3) == 0,
                                   .d_scale = below(state, 4) == 0};
    if (!gemm_wants_epilogue(&(struct tmap_gemm_problem){.epilogue = e})) e.col_bias = 1;
    return e;
}

/* A bias and an activation, as most layers have: of bf16 they have kernels of their own. */
static void leave_quick(struct tmap_gemm_problem *p, uint64_t *state)
{
    p->epilogue = (struct tmap_gemm_epilogue){.activation = p->epilogue.activation,
                                              .bias_type = (int32_t)below(state, 2),
                                              .row_bias = below(state, 3) == 0,
                                              .col_bias = below(state, 4) > 0};
    if (!gemm_wants_epilogue(p)) p->epilogue.col_bias = 1;
    p->out = (int32_t)below(state, 2);
    p->alpha = 1, p->beta = 0;
}

/* What a product with a gate, or D of 8 bits, does without. */
static void leave_out(struct tmap_gemm_problem *p)
{
    if (!p->epilogue.gate && !gemm_is_narrow(p->out)) return;
    p->beta = 0;
    p->epilogue.beta = p->epilogue.second.address = 0;
}

static struct tmap_gemm_case drawn(int32_t kind, uint64_t *state)
{
    static const int32_t outs[] = {TMAP_GEMM_OUT_BF16, TMAP_GEMM_OUT_F16, TMAP_GEMM_OUT_F32,
                                   TMAP_GEMM_OUT_E4M3, TMAP_GEMM_OUT_E5M2};
    static const float alphas[] = {1, 1, 2, -0.5f}, betas[] = {0, 0, 0, 1, -2};
    static const int32_t tiles[][3] = {
        {0, 0, 0},      {64, 64, -1},  {128, 128, -1}, {128, 256, -1}, {128, 192, 1},
        {128, 128, 1},  {128, 96, -1}, {64, 16, -1},   {128, 208, -1}, {128, 160, -1},
        {128, 144, -1}, {128, 80, -1}, {128, 48, -1},  {128, 16, -1},  {64, 80, -1},
        {64, 32, -1},   {128, 64, -1}, {128, 32, -1},  {128, 112, -1}, {128, 176, -1},
        {64, 96, -1},   {64, 128, -1}};
    const int32_t *tile = tiles[below(state, sizeof tiles / sizeof *tiles)];
    struct tmap_gemm_case c = {.problem = {.kind = kind,
                                           .out = outs[below(state, 5)],
                                           .m = extent(state),
                                           .n = extent(state),
                                           .k = extent(state),
                                           .batch = below(state, 6) ? 1 : 3,
                                           .alpha = alphas[below(state, 4)],
                                           .beta = betas[below(state, 5)],
                                           .epilogue = steps(state)},
                               .seed = rng_step(state)};
    c.fill_a = c.fill_b = below(state, 2) ? TMAP_GEMM_FILL_NORMAL : TMAP_GEMM_FILL_SIGNS;
    c.problem.d.mn_major = below(state, 4) == 0;
    if (kind != TMAP_GEMM_E4M3) c.problem.a.mn_major = below(state, 3) == 0;
    if (kind != TMAP_GEMM_E4M3) c.problem.b.mn_major = below(state, 3) == 0;
    c.request = (struct tmap_gemm_config){.tile_m = tile[0],
                                          .tile_n = tile[1],
                                          .pingpong = tile[2],
                                          .swapped = below(state, 3) ? 0 : 1,
                                          .stream_k = below(state, 4) ? 0 : TMAP_GEMM_STREAM_K_ANY};
    c.reruns = below(state, 8) == 0 ? 3 : 0;
    if (below(state, 3) == 0) leave_quick(&c.problem, state);
    leave_out(&c.problem);
    return c;
}

/* Its columns are twice D's. fp16 would not hold the products of two large sums. */
static struct tmap_gemm_case drawn_gate(int32_t kind, uint64_t *state)
{
    static const int32_t tiles[][3] = {{0, 0, 0},      {64, 64, -1},  {128, 128, -1},
                                       {128, 256, -1}, {128, 192, 1}, {128, 128, 1}};
    const int32_t *tile = tiles[below(state, sizeof tiles / sizeof *tiles)];
    struct tmap_gemm_case c = drawn(kind, state);
    c.problem.n *= 2;
    c.problem.epilogue.gate = 1 + (int32_t)below(state, GEMM_GATES - 1);
    c.problem.a.mn_major = false;
    if (c.problem.b.mn_major) { /* halves, whose stride is one of a tensor map's */
        c.problem.epilogue.gate = GEMM_GATE_HALVES;
        c.problem.n = (c.problem.n + 15) / 16 * 16;
    }
    if (c.problem.out == TMAP_GEMM_OUT_F16) c.problem.out = TMAP_GEMM_OUT_BF16;
    c.request.tile_m = tile[0], c.request.tile_n = tile[1], c.request.pingpong = tile[2];
    c.request.swapped = 0;
    leave_out(&c.problem);
    return c;
}

/* A second output, and nothing that keeps a tile from the straight way (sm90/compose.cuh,
 * is_straight()); of rings too that have no room for both outputs' panels. */
static struct tmap_gemm_case drawn_second(int32_t kind, uint64_t *state)
{
    struct tmap_gemm_case c = drawn(kind, state);
    struct tmap_gemm_problem *p = &c.problem;
    p->out = kind == TMAP_GEMM_F16 ? TMAP_GEMM_OUT_F16 : TMAP_GEMM_OUT_BF16;
    p->n = (p->n + 7) / 8 * 8;
    p->d.mn_major = false;
    p->beta = 0;
    p->epilogue.beta = p->epilogue.row_bias = 0;
    p->epilogue.second.address = 1;
    c.request.swapped = -1;
    c.request.split_k = below(state, 4) > 0;
    c.request.stages = below(state, 3) ? 0 : 2;
    return c;
}

/* e4m3 with scales of blocks; the addresses say that they are wanted. */
static struct tmap_gemm_case drawn_blocks(uint64_t *state)
{
    static const int32_t widths[] = {0, 64, 96, 128, 160, 192, 256};
    const int32_t width = widths[below(state, sizeof widths / sizeof *widths)];
    struct tmap_gemm_case c = {.problem = {.kind = TMAP_GEMM_E4M3,
                                           .out = (int32_t)below(state, 3),
                                           .m = extent(state),
                                           .n = extent(state),
                                           .k = extent(state),
                                           .batch = 1,
                                           .alpha = 1,
                                           .block_scale = {.a = 1, .b = 1}},
                               .seed = rng_step(state)};
    c.problem.d.mn_major = below(state, 4) == 0;
    c.problem.out = c.problem.out == TMAP_GEMM_OUT_F16 ? TMAP_GEMM_OUT_BF16 : c.problem.out;
    c.request = (struct tmap_gemm_config){.tile_m = width ? 128 : 0,
                                          .tile_n = width,
                                          .stream_k = below(state, 4) ? 0 : TMAP_GEMM_STREAM_K_ANY};
    c.reruns = below(state, 8) == 0 ? 3 : 0;
    return c;
}

/* What no kernel fits is left to the model, little by little. */
static void fit(struct tmap_gemm *suite, struct tmap_gemm_case *c)
{
    struct tmap_gemm_problem p = c->problem;
    struct tmap_gemm_config config, *r = &c->request;
    int32_t *const members[] = {&r->stream_k, &r->direct, &r->swapped, &r->pingpong, &r->tile_m};
    const int32_t activation = c->problem.epilogue.activation;
    p.epilogue = (struct tmap_gemm_epilogue){.activation = activation ? activation : TMAP_GEMM_RELU,
                                             .gate = c->problem.epilogue.gate,
                                             .second = c->problem.epilogue.second,
                                             .amax = gemm_is_quick(&c->problem) ? 0 : 16};
    if (p.block_scale.a) {
        p.epilogue.activation = 0, p.epilogue.amax = 0;
        p.block_scale =
            (struct tmap_gemm_block_scale){16, 16, (p.m + 3) / 4 * 4, (p.k + 127) / 128};
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (tmap_gemm_configs(suite, &p, r, &config, 1) > 0) return;
        *members[i] = 0;
        if (members[i] == &r->tile_m) r->tile_n = 0;
    }
}

static void describe(const struct tmap_gemm_case *c, const struct tmap_gemm_outcome *o, int status)
{
    const struct tmap_gemm_problem *p = &c->problem;
    const struct tmap_gemm_epilogue *e = &p->epilogue;
    printf("# kind %d out %d %dx%dx%d by rows %d%d batch %d column %d alpha %g beta %g activation "
           "%d bias %d: "
           "steps %d%d %d%d %d%d %d %d %d gate %d; tile %dx%d cluster %dx%d split %d stream %d "
           "swapped %d "
           "pingpong %d direct %d: status %d (%s), wrong %llu of %llu, guard %llu, rerun %llu, "
           "first %llu expected %.9g got %.9g worst %.3g\n",
           p->kind, p->out, p->m, p->n, p->k, p->a.mn_major, p->b.mn_major, p->batch, p->d.mn_major,
           (double)p->alpha, (double)p->beta, e->activation, e->bias_type, e->alpha != 0,
           e->beta != 0, e->row_scale != 0, e->col_scale != 0, e->row_bias != 0, e->col_bias != 0,
           e->second.address != 0, e->amax != 0, e->d_scale != 0, e->gate, o->config.tile_m,
           o->config.tile_n, o->config.cluster_m, o->config.cluster_n, o->config.split_k,
           o->config.stream_k, o->config.swapped, o->config.pingpong, o->config.direct, status,
           o->refusal.text, (unsigned long long)o->wrong, (unsigned long long)o->checked,
           (unsigned long long)o->guard_wrong, (unsigned long long)o->rerun_wrong,
           (unsigned long long)o->first, o->expected, o->got, o->worst);
}

enum { STEPS, BLOCKS, GATES, SECOND };

static void shapes(struct rig *r, int32_t kind, int what, int count, uint64_t seed)
{
    static const char *const words[] = {"", " by blocks", " with a gate", " with a second output"};
    unsigned long wrong = 0, split = 0, streamed = 0, swapped = 0, pingpong = 0, elements = 0;
    double worst = 0;
    char text[200];
    uint64_t state = seed + (uint64_t)kind;
    for (int i = 0; i < count; i++) {
        struct tmap_gemm_case c = what == BLOCKS   ? drawn_blocks(&state)
                                  : what == GATES  ? drawn_gate(kind, &state)
                                  : what == SECOND ? drawn_second(kind, &state)
                                                   : drawn(kind, &state);
        struct tmap_gemm_outcome o;
        memset(&o, 0, sizeof o);
        fit(r->gemm, &c);
        const enum tmap_status status = tmap_gemm_verify(r->gemm, &c, &o);
        const bool right = status == TMAP_OK && o.checked > 0 && o.wrong == 0 &&
                           o.guard_wrong == 0 && o.rerun_wrong == 0;
        if (!right && wrong++ < 12) describe(&c, &o, status);
        split += o.config.split_k > 1, streamed += o.config.stream_k > 0;
        swapped += o.config.swapped > 0, pingpong += o.config.pingpong > 0;
        elements += o.checked;
        if (o.worst > worst) worst = o.worst;
        if (status == TMAP_E_DRIVER) break;
    }
    snprintf(
        text, sizeof text,
        "kind %d%s, seed %llu: %d shapes (%lu split, %lu streamed, %lu swapped, %lu pingpong), "
        "%lu wrong, %lu elements, worst %.3f of the bound",
        kind, words[what], (unsigned long long)seed, count, split, streamed, swapped, pingpong,
        wrong, elements, worst);
    rig_tap(r, wrong == 0, text);
}

/* --- faults: the bytes of both outputs and amax, with the fault and without --- */

/* The kernel with the faults has no activations good to fp32 (finished.cuh), so the cases with an
 * activation have D in bf16 or less, where the shipped kernel computes the same: the control is
 * bitwise. */

enum { M = 150, N = 201, K = 130, LD = 208, SECOND_LD = 216 };
struct fixture {
    struct rig *rig;
    struct tmap_gemm_plan plan;
    tmap_cu_function faulty;
    tmap_cu_deviceptr out; /* D, then the second output, then amax */
    size_t bytes;
    uint8_t *host;
};

static tmap_cu_deviceptr floats(struct rig *r, int count, float from, float step)
{
    float x[256];
    const tmap_cu_deviceptr at = rig_memory(r, sizeof x);
    for (int i = 0; i < 256; i++) x[i] = from + step * (float)(i % count % 17);
    if (!at || r->api->memcpy_htod(at, x, sizeof x)) exit(2);
    return at;
}

static bool lay_out(struct fixture *b, enum epilogue_fixture which)
{
    struct rig *r = b->rig;
    const bool small = which == SMALL, narrow = which == NARROW || which == STRAIGHT_NARROW;
    const bool both = which == STRAIGHT || which == STRAIGHT_ONE;
    const bool straight = both || which == STRAIGHT_NARROW;
    const bool gated = which == GATED || which == GATED_BY_ROWS;
    const int n = straight || which == GATED_BY_ROWS ? LD : N + (which == GATED);
    const uint64_t second = M * LD * 4, amax = second + M * SECOND_LD * 4;
    b->bytes = amax + 4;
    b->out = rig_memory(r, b->bytes);
    const int32_t out = small    ? TMAP_GEMM_OUT_F32
                        : narrow ? TMAP_GEMM_OUT_E4M3
                                 : TMAP_GEMM_OUT_BF16;
    struct tmap_gemm_problem p = rig_problem(out, M, n, small ? 8 : K, rig_operand(r, M * 136, 1),
                                             rig_operand(r, LD * 136, 2), b->out);
    p.a.ld = p.b.ld = 136, p.d.ld = LD;
    if (which == GATED_BY_ROWS) p.b.mn_major = true, p.b.ld = LD;
    p.epilogue = (struct tmap_gemm_epilogue){.bias_type = TMAP_GEMM_OUT_F32,
                                             .row_bias = floats(r, M, 64, 0.25f),
                                             .col_bias = floats(r, N, -68, 0.25f),
                                             .amax = b->out + amax};
    if (!small) {
        struct tmap_gemm_epilogue *e = &p.epilogue;
        e->activation = TMAP_GEMM_GELU_TANH;
        e->alpha = floats(r, 1, 0.5f, 0), e->beta = floats(r, 1, 2, 0);
        e->row_scale = floats(r, M, 0.25f, 0.125f), e->col_scale = floats(r, N, 0.25f, 0.125f);
        e->row_bias = floats(r, M, -2, 0.25f), e->col_bias = floats(r, N, -1, 0.25f);
        e->d_scale = floats(r, 1, 0.25f, 0);
        e->gate = gated ? TMAP_GEMM_GATE_HALVES : TMAP_GEMM_GATE_NONE;
    }
    if (which == QUICK)
        p.epilogue = (struct tmap_gemm_epilogue){.bias_type = TMAP_GEMM_OUT_F16,
                                                 .activation = TMAP_GEMM_GELU_TANH,
                                                 .row_bias = p.epilogue.row_bias,
                                                 .col_bias = p.epilogue.col_bias};
    if (straight) p.epilogue.beta = p.epilogue.row_bias = 0;
    if (both) {
        p.epilogue.d_scale = 0;
        p.epilogue.second = (struct tmap_gemm_matrix){.address = b->out + second, .ld = SECOND_LD};
    }
    if (which == ALL) {
        p.epilogue.second = (struct tmap_gemm_matrix){.address = b->out + second, .ld = SECOND_LD};
        p.beta = 1;
        p.c = (struct tmap_gemm_matrix){.address = floats(r, 1, 3, 0), .ld = 0};
    }
    const struct tmap_gemm_config request = {.tile_m = 64,
                                             .tile_n = which == GATED_BY_ROWS ? 128 : 64,
                                             .swapped = -1,
                                             .pingpong = -1,
                                             .direct = -1,
                                             .split_k = which == QUICK ? 2 : 1};
    struct tmap_gemm_refusal why = {0};
    if (tmap_gemm_make_plan(r->gemm, &p, &request, &b->plan, &why) == TMAP_OK) return true;
    printf("# no plan: %s\n", why.text);
    return false;
}

/* By the shipped kernel, or by the one with the fault. */
static bool outputs(struct fixture *b, uint32_t fault, tmap_cu_function function, uint8_t *to)
{
    struct tmap_gemm_plan plan = b->plan;
    epilogue_plant(plan.params, fault);
    if (function) plan.function = function;
    const struct tmap_libcuda *api = b->rig->api;
    return !api->memset_d8_async(b->out, 0, b->bytes, NULL) &&
           tmap_gemm_run(&plan, NULL) == TMAP_OK && !api->memcpy_dtoh(to, b->out, b->bytes);
}

static bool differs(struct fixture *b, uint32_t fault)
{
    uint8_t *good = malloc(b->bytes), *bad = malloc(b->bytes);
    if (!good || !bad || !outputs(b, 0, NULL, good) || !outputs(b, fault, b->faulty, bad)) exit(2);
    const bool differ = memcmp(good, bad, b->bytes) != 0;
    free(good);
    free(bad);
    return differ;
}

static void faults(struct rig *r)
{
    struct fixture fixtures[FIXTURES];
    tmap_cu_module module;
    char text[120];
    bool right = r->api->module_load_data(&module, image_tests_device_gemm_faults) == 0;
    for (int i = 0; i < FIXTURES && right; i++) {
        const char *name = i == GATED_BY_ROWS ? "gemm_faulty_1x128_gated_01"
                           : i == GATED       ? "gemm_faulty_1x64_gated"
                           : i == QUICK       ? "gemm_faulty_1x64_quick"
                                              : "gemm_faulty_1x64_epilogue";
        struct fixture *b = &fixtures[i];
        *b = (struct fixture){.rig = r};
        right =
            suite_kernel(r->api, module, name, r->gemm->smem_optin_bytes, &b->faulty) == TMAP_OK &&
            lay_out(b, (enum epilogue_fixture)i) && !differs(b, 0);
    }
    rig_tap(r, right, "the controls are right");
    for (size_t i = 0; i < EPILOGUE_FAULTS && right; i++) {
        const struct epilogue_fault *f = &epilogue_faults[i];
        struct fixture *b = &fixtures[f->fixture];
        const uint32_t control = epilogue_control(f->id);
        snprintf(text, sizeof text, "found: %s", f->name);
        rig_tap(r, differs(b, f->id) && (!control || !differs(b, control)), text);
    }
}

int main(int argc, char **argv)
{
    static const int32_t kinds[] = {TMAP_GEMM_BF16, TMAP_GEMM_F16, TMAP_GEMM_E4M3};
    struct rig r = {0};
    const int count = argc > 1 ? atoi(argv[1]) : 500;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
    if (!rig_open(&r, 0, 2000, "epilogues")) return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        shapes(&r, kinds[i], STEPS, count, seed);
        shapes(&r, kinds[i], GATES, count, seed + 1);
        shapes(&r, kinds[i], SECOND, count, seed + 2);
    }
    shapes(&r, TMAP_GEMM_E4M3, BLOCKS, count, seed);
    faults(&r);
    printf("1..%d\n", r.number);
    rig_close(&r);
    return r.failed != 0;
}
