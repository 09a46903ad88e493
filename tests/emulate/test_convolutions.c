/* The convolutions on the emulator, against sums by their definition: every instance, with drawn
 * images, filters, strides, dilations and paddings of one to three axes, under all three schedules;
 * and the faults that can be planted in them, each of which has to show.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (6). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/conv_fault.h"
#include "support/emulated_conv.h"
#include "support/emulated_instances.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;

static uint32_t draw(uint64_t *r, uint32_t below)
{
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*r >> 33) % below;
}

static bool data_of(const struct gemm_instance *g)
{
    return g->b_mn;
}

/* Some axes are of one pixel; a filter never is larger than its padded axis. */
static void draw_axis(struct tmap_conv_shape *s, int i, bool data, bool there, uint64_t *r)
{
    s->size[i] = there ? 1 + (int32_t)draw(r, 11) : 1;
    s->filter[i] = there ? 1 + (int32_t)draw(r, draw(r, 4) ? 3 : 7) : 1;
    s->stride[i] = there && !data ? 1 + (int32_t)draw(r, 3) : 1;
    s->dilation[i] = there ? 1 + (int32_t)draw(r, 2) : 1;
    s->pad_low[i] = there ? (int32_t)draw(r, 4) : 0;
    s->pad_high[i] = there ? (int32_t)draw(r, 4) : 0;
    if (i == 0 && !data && there && draw(r, 2) && draw(r, 2)) /* patches */
        s->filter[i] = s->stride[i], s->dilation[i] = 1, s->pad_low[i] = s->pad_high[i] = 0;
    if (s->filter[i] == 1 && draw(r, 2)) s->pad_low[i] = s->pad_high[i] = 0;
    while (s->size[i] + s->pad_low[i] + s->pad_high[i] <= (s->filter[i] - 1) * s->dilation[i])
        s->size[i]++;
}

static struct tmap_conv_problem shape_of(const struct gemm_instance *g, uint64_t *r)
{
    struct tmap_conv_problem c = {.kind = TMAP_GEMM_BF16,
                                  .operation =
                                      data_of(g) ? TMAP_CONV_DATA_GRADIENT : TMAP_CONV_FORWARD,
                                  .out = draw(r, 3) ? TMAP_GEMM_OUT_BF16 : TMAP_GEMM_OUT_F32,
                                  .alpha = draw(r, 3) ? 1 : 2};
    struct tmap_conv_shape *s = &c.shape;
    const uint32_t axes = 1 + draw(r, 3);
    s->images = 1 + (int32_t)draw(r, 3);
    s->channels = 8 * (1 + (int32_t)draw(r, 10));
    if (g->few) s->channels = g->few + (g->patch ? 64 * (int32_t)draw(r, 2) : 0);
    s->filters = 1 + (int32_t)draw(r, (uint32_t)g->bn + 40);
    if (data_of(g)) s->filters = 1 + (int32_t)draw(r, 80);
    if (g->patch && !data_of(g)) s->filters = (s->filters + 7) / 8 * 8;
    for (int i = 0; i < 3; i++) draw_axis(s, i, data_of(g) || g->patch, (uint32_t)i < axes, r);
    if (g->patch) {
        s->filter[0] = 3, s->dilation[0] = 1;
        s->size[0] = 3 + (int32_t)draw(r, 30);
    }
    return c;
}

/* Small enough for the emulator, and none that is a product of matrices. */
static bool is_small(const struct tmap_conv_problem *c)
{
    struct tmap_gemm_problem p;
    if (tmap_conv_product(c, &p, NULL) != TMAP_OK || p.conv.images == 0) return false;
    return p.m <= 700 && (double)p.m * p.n * p.k < 2e7;
}

static bool configure(const struct gemm_instance *g, const struct tmap_gemm_problem *p, uint64_t *r,
                      struct tmap_gemm_config *out)
{
    const struct tmap_gemm_config request = {.tile_m = 64 * g->wgs,
                                             .tile_n = g->bn,
                                             .pingpong = g->pingpong ? 1 : -1,
                                             .patch = !g->patch ? -1
                                                      : g->few  ? 2
                                                                : 1,
                                             .store_warp = draw(r, 3) ? 0 : -1};
    return emulated_gemm_pick(suite, p, &request, g, draw(r, 1u << 31), out);
}

/* Every second time, of the kernels that have registers for it. */
static bool has_second(const struct gemm_instance *g, uint64_t seed)
{
    return seed % 2 && !g->patch && !g->pingpong && !gemm_is_bare(g);
}

static void add_second(struct tmap_gemm_problem *p)
{
    const uint64_t bytes = emulated_bytes(p->d.address);
    p->epilogue.second = p->d;
    assert_int_equal(suite->gpu.api.mem_alloc(&p->epilogue.second.address, bytes), 0);
    memset((void *)(uintptr_t)p->epilogue.second.address, 0xff, bytes);
}

/* Elements of both outputs. */
static uint64_t wrong_of(const struct emulated_conv *c)
{
    struct emulated_product second = c->product;
    second.problem.d = c->product.problem.epilogue.second;
    return emulated_product_wrong(&c->product) +
           (second.problem.d.address ? emulated_product_wrong(&second) : 0);
}

static void free_case(struct emulated_conv *c)
{
    suite->gpu.api.mem_free(c->product.problem.epilogue.second.address);
    emulated_conv_free(suite, c);
}

static void draw_case(const struct gemm_instance *g, uint64_t seed, uint64_t *r,
                      struct emulated_conv *c, struct tmap_gemm_config *config)
{
    for (int tries = 0; tries < 4000; tries++) {
        struct tmap_conv_problem shape = shape_of(g, r);
        if (shape.out == TMAP_GEMM_OUT_F32) shape.x_ld = shape.y_ld = 0;
        if (!is_small(&shape)) continue;
        if (!emulated_conv_make(suite, &shape, seed, c)) fail_msg("memory");
        for (int64_t i = 0; i < (int64_t)c->product.problem.m * c->product.problem.n; i++)
            c->product.expected[i] *= (double)shape.alpha;
        if (has_second(g, seed)) add_second(&c->product.problem);
        if (configure(g, &c->product.problem, r, config)) return;
        free_case(c);
    }
    fail_msg("%s: no configuration", g->name);
}

static void one(const struct gemm_instance *g, uint64_t seed)
{
    uint64_t r = seed * 977 + (uint64_t)(g - gemm_instances);
    struct emulated_conv c;
    struct tmap_gemm_config config;
    draw_case(g, seed, &r, &c, &config);
    const bool clean = emulated_gemm_clean(suite, &c.product.problem, &config,
                                           (enum tmap_emulate_schedule)(seed % 3), seed);
    const uint64_t wrong = wrong_of(&c);
    if (!clean || wrong) {
        const struct tmap_conv_shape *s = &c.conv.shape;
        fail_msg("%s seed %u: %llu wrong; %d x %dx%dx%d of %d to %d, "
                 "filter %dx%dx%d stride %dx%dx%d dil %d %d pad %d %d %d %d; cluster %dx%d split "
                 "%d stream %d",
                 g->name, (unsigned)seed, (unsigned long long)wrong, s->images, s->size[0],
                 s->size[1], s->size[2], s->channels, s->filters, s->filter[0], s->filter[1],
                 s->filter[2], s->stride[0], s->stride[1], s->stride[2], s->dilation[0],
                 s->dilation[1], s->pad_low[0], s->pad_high[0], s->pad_low[1], s->pad_high[1],
                 config.cluster_m, config.cluster_n, config.split_k, config.stream_k);
    }
    free_case(&c);
}

static void instances(void **state)
{
    const uint64_t shapes = emulated_shapes(6);
    (void)state;
    const size_t seen = emulated_each_instance(suite, shapes, one);
    print_message("# %zu instances, %u shapes each\n", seen, (unsigned)shapes);
    assert_int_equal(seen, 31);
}

/* True when the result is right and the emulator has nothing to say. */
static bool right_with(uint32_t fault, enum conv_faulty kernel, uint64_t seed)
{
    const struct tmap_conv_problem shape = conv_fault_shape(kernel);
    const struct tmap_gemm_config request = conv_fault_request(kernel);
    struct emulated_conv c;
    struct tmap_gemm_plan plan;
    assert_true(emulated_conv_make(suite, &shape, seed, &c));
    assert_int_equal(tmap_gemm_make_plan(suite, &c.product.problem, &request, &plan, NULL),
                     TMAP_OK);
    assert_true(conv_fault_plant(&suite->checker, fault, &plan));
    plan.function = emulated_function(conv_faulty_names[kernel]);
    assert_non_null(plan.function);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    const bool ran = tmap_gemm_run(&plan, NULL) == TMAP_OK;
    const bool right = ran && !emulator->findings && emulated_product_wrong(&c.product) == 0;
    if (fault == 0 && !right) emulated_print();
    emulated_conv_free(suite, &c);
    return right;
}

static void every_fault_is_found(void **state)
{
    (void)state;
    emulated_unload();
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_conv"));
    assert_true(emulated_ptx("tests/device/gemm/conv_faults"));
    memset(suite->functions, 0, sizeof suite->functions);
    for (uint64_t seed = 0; seed < 3; seed++) {
        for (enum conv_faulty kernel = FORWARD; kernel <= PATCH; kernel++)
            assert_true(right_with(0, kernel, seed));
    }
    for (size_t i = 0; i < sizeof conv_faults / sizeof *conv_faults; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            if (right_with(conv_faults[i].id, conv_faults[i].kernel, seed))
                fail_msg("not found: %s", conv_faults[i].name);
    emulated_unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instances),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/bf16_conv"))
        return emulated_skip("emulated convolutions");
    const int failed = cmocka_run_group_tests_name("emulated convolutions", tests, NULL, NULL);
    emulated_close();
    return failed;
}
