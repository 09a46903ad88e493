/* Convolutions on this GPU: drawn shapes of one to three axes, forward and gradients, with drawn
 * epilogues and configurations, against fp64 by the definition; and the faults that can be planted
 * in them, each in a process of its own. Prints TAP; skips where there is no GPU.
 *
 *   conv [SHAPES [SEED]]     so many (500)
 *   conv fault ID            exit code 1: it was found */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/rig.h"
#include "driver/rng.h"
#include "support/conv_fault.h"
#include "support/fault_process.h"

extern const char image_tests_device_gemm_conv_faults[];

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rng_step(state) % n);
}

/* Some axes are of one pixel, some longer than a tile. */
static void draw_axis(struct tmap_conv_shape *s, int i, bool data, bool there, uint64_t *r)
{
    static const uint32_t filters[] = {1, 2, 3, 3, 3, 4, 5, 7};
    s->size[i] = there ? 1 + (int32_t)below(r, i == 2 ? 9 : below(r, 3) ? 40 : 150) : 1;
    s->filter[i] = there ? (int32_t)filters[below(r, 8)] : 1;
    s->stride[i] = there && !data ? 1 + (int32_t)below(r, below(r, 2) ? 2 : 8) : 1;
    s->dilation[i] = there ? 1 + (int32_t)below(r, 2) : 1;
    s->pad_low[i] = there ? (int32_t)below(r, 8) : 0;
    s->pad_high[i] = there ? (int32_t)below(r, 8) : 0;
    if (i == 0 && !data && there && below(r, 2) && below(r, 2)) /* patches */
        s->filter[i] = s->stride[i], s->dilation[i] = 1, s->pad_low[i] = s->pad_high[i] = 0;
    if (s->filter[i] == 1 && below(r, 2)) s->pad_low[i] = s->pad_high[i] = 0;
    while (s->size[i] + s->pad_low[i] + s->pad_high[i] <= (s->filter[i] - 1) * s->dilation[i])
        s->size[i]++;
}

static struct tmap_gemm_epilogue steps(uint64_t *r)
{
    return (struct tmap_gemm_epilogue){.activation = (int32_t)below(r, GEMM_ACTIVATIONS),
                                       .bias_type = (int32_t)below(r, 3),
                                       .col_scale = below(r, 3) == 0,
                                       .col_bias = below(r, 2),
                                       .amax = below(r, 4) == 0};
}

static struct tmap_conv_problem drawn(uint64_t *r)
{
    static const float alphas[] = {1, 1, 2, -0.5f};
    const bool data = below(r, 4) == 0;
    struct tmap_conv_problem c = {.operation = data,
                                  .kind = TMAP_GEMM_BF16,
                                  .out = (int32_t)below(r, 3),
                                  .alpha = alphas[below(r, 4)]};
    struct tmap_conv_shape *s = &c.shape;
    const uint32_t axes = 1 + below(r, 3);
    s->images = 1 + (int32_t)below(r, 5);
    s->channels = 8 * (1 + (int32_t)below(r, 24));
    s->filters = 1 + (int32_t)below(r, 300);
    for (int i = 0; i < 3; i++) draw_axis(s, i, data, (uint32_t)i < axes, r);
    c.x_ld = (s->channels + 7) / 8 * 8 + 8 * (int64_t)below(r, 2);
    c.y_ld = (s->filters + 7) / 8 * 8 + 8 * (int64_t)below(r, 2);
    if (below(r, 3) == 0) c.epilogue = steps(r);
    if (below(r, 4) == 0) c.beta = 1;
    return c;
}

/* A request that some kernel meets, or none. */
static struct tmap_gemm_config requested(struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                                         uint64_t *r)
{
    static const int32_t tiles[][4] = {{0, 0, 0, 0},       {128, 64, -1, 0}, {128, 256, -1, -1},
                                       {128, 128, -1, -1}, {128, 128, 1, 0}, {0, 0, 0, 1},
                                       {128, 64, -1, 1},   {128, 64, 1, 1},  {128, 128, -1, 1},
                                       {128, 192, -1, -1}, {0, 0, 0, 2}};
    static const struct tmap_gemm_config any = {0};
    const int32_t *tile = tiles[below(r, 11)];
    struct tmap_gemm_config c = {.tile_m = tile[0],
                                 .tile_n = tile[1],
                                 .pingpong = tile[2],
                                 .patch = tile[3],
                                 .cluster_m = below(r, 3) ? 0 : 2,
                                 .cluster_n = below(r, 4) ? 0 : 2,
                                 .stream_k = below(r, 4) ? 0 : TMAP_GEMM_STREAM_K_ANY};
    struct tmap_gemm_problem asked = *p;
    struct tmap_gemm_config found;
    asked.epilogue = (struct tmap_gemm_epilogue){.activation = p->epilogue.activation};
    asked.beta = 0;
    const bool by_rows = p->beta != 0 || p->epilogue.amax; /* as added later: no patches */
    if (c.patch > 0 && by_rows) return any;
    return tmap_gemm_configs(suite, &asked, &c, &found, 1) > 0 ? c : any;
}

/* Draws until tmap_conv_product() takes it and it is no product of matrices. */
static struct tmap_gemm_case next(struct tmap_gemm *suite, uint64_t *r)
{
    struct tmap_gemm_case c = {0};
    for (;;) {
        struct tmap_conv_problem conv = drawn(r);
        const struct tmap_gemm_epilogue e = conv.epilogue;
        conv.epilogue = (struct tmap_gemm_epilogue){0};
        if (conv.beta != 0) conv.added = 64;
        if (tmap_conv_product(&conv, &c.problem, NULL) != TMAP_OK || c.problem.conv.images == 0)
            continue;
        c.problem.c.ld = c.problem.d.ld;
        c.problem.epilogue = e;
        break;
    }
    c.seed = rng_step(r);
    c.fill_a = c.fill_b = below(r, 2) ? TMAP_GEMM_FILL_NORMAL : TMAP_GEMM_FILL_SIGNS;
    c.request = requested(suite, &c.problem, r);
    c.reruns = below(r, 8) == 0 ? 3 : 0;
    return c;
}

static void describe(const struct tmap_gemm_case *c, const struct tmap_gemm_outcome *o, int status)
{
    const struct tmap_gemm_problem *p = &c->problem;
    const struct tmap_conv_shape *s = &p->conv;
    printf("# %s out %d %d images %dx%dx%d of %d to %d, filter %dx%dx%d stride %dx%dx%d dilation "
           "%dx%dx%d pad %d,%d,%d %d,%d,%d; tile %dx%d cluster %dx%d split %d stream %d pingpong "
           "%d patch %d: status %d (%s), wrong %llu of %llu, guard %llu, rerun %llu, first %llu "
           "expected "
           "%.9g got %.9g worst %.3g\n",
           p->b.mn_major ? "gradient" : "forward", p->out, s->images, s->size[0], s->size[1],
           s->size[2], s->channels, s->filters, s->filter[0], s->filter[1], s->filter[2],
           s->stride[0], s->stride[1], s->stride[2], s->dilation[0], s->dilation[1], s->dilation[2],
           s->pad_low[0], s->pad_low[1], s->pad_low[2], s->pad_high[0], s->pad_high[1],
           s->pad_high[2], o->config.tile_m, o->config.tile_n, o->config.cluster_m,
           o->config.cluster_n, o->config.split_k, o->config.stream_k, o->config.pingpong,
           o->config.patch, status, o->refusal.text, (unsigned long long)o->wrong,
           (unsigned long long)o->checked, (unsigned long long)o->guard_wrong,
           (unsigned long long)o->rerun_wrong, (unsigned long long)o->first, o->expected, o->got,
           o->worst);
}

static void shapes(struct rig *r, int count, uint64_t seed)
{
    unsigned long wrong = 0, gradients = 0, split = 0, streamed = 0, pingpong = 0, patches = 0;
    unsigned long elements = 0;
    double worst = 0;
    char text[220];
    uint64_t state = seed;
    for (int i = 0; i < count; i++) {
        struct tmap_gemm_case c = next(r->gemm, &state);
        struct tmap_gemm_outcome o;
        memset(&o, 0, sizeof o);
        const enum tmap_status status = tmap_gemm_verify(r->gemm, &c, &o);
        const bool right = status == TMAP_OK && o.checked > 0 && o.wrong == 0 &&
                           o.guard_wrong == 0 && o.rerun_wrong == 0;
        if (!right && wrong++ < 12) describe(&c, &o, status);
        gradients += c.problem.b.mn_major, split += o.config.split_k > 1;
        streamed += o.config.stream_k > 0, pingpong += o.config.pingpong > 0;
        patches += o.config.patch > 0;
        elements += o.checked;
        if (o.worst > worst) worst = o.worst;
        if (status == TMAP_E_DRIVER) break;
    }
    snprintf(text, sizeof text,
             "convolutions, seed %llu: %d shapes (%lu gradients, %lu split, %lu streamed, %lu "
             "pingpong, %lu of patches), %lu wrong, %lu elements, worst %.3f of the bound",
             (unsigned long long)seed, count, gradients, split, streamed, pingpong, patches, wrong,
             elements, worst);
    rig_tap(r, wrong == 0, text);
}

/* --- faults: the bytes of the result, with the fault and without */

static bool result_of(struct rig *r, struct tmap_gemm_plan *plan, tmap_cu_deviceptr out,
                      size_t bytes, void **to)
{
    rig_poison(r, out, bytes);
    if (tmap_gemm_run(plan, NULL) != TMAP_OK) return false;
    *to = rig_read(r, out, bytes);
    return *to != NULL;
}

/* Whether the faulty kernel leaves other bytes, or ends in an error. */
static int one_fault(struct rig *r, uint32_t id)
{
    enum conv_faulty kernel = FORWARD;
    for (size_t i = 0; i < sizeof conv_faults / sizeof *conv_faults; i++)
        if (conv_faults[i].id == id) kernel = conv_faults[i].kernel;
    struct tmap_conv_problem c = conv_fault_shape(kernel);
    const struct tmap_gemm_config request = conv_fault_request(kernel);
    const size_t elements = 72 * 3 * 512;
    struct tmap_gemm_plan plan;
    tmap_cu_module module;
    tmap_cu_function faulty;
    void *good, *bad;
    c.x = rig_operand(r, elements, 1), c.y = rig_operand(r, elements, 2);
    c.filters = rig_operand(r, elements, 3);
    const tmap_cu_deviceptr out = kernel == GRADIENT ? c.x : c.y;
    if (r->api->module_load_data(&module, image_tests_device_gemm_conv_faults) ||
        suite_kernel(r->api, module, conv_faulty_names[kernel], r->gemm->smem_optin_bytes,
                     &faulty) != TMAP_OK ||
        tmap_conv_make_plan(r->gemm, &c, &request, &plan, NULL) != TMAP_OK ||
        !result_of(r, &plan, out, elements * 2, &good))
        return 2;
    plan.function = faulty;
    if (!conv_fault_plant(&r->gemm->checker, id, &plan)) return 2;
    if (!result_of(r, &plan, out, elements * 2, &bad)) return 1;
    return memcmp(good, bad, elements * 2) != 0;
}

static void faults(struct rig *r, const char *self)
{
    char text[200];
    rig_tap(r, fault_process(self, 0) == FAULT_NOT_FOUND, "the control is right");
    for (size_t i = 0; i < sizeof conv_faults / sizeof *conv_faults; i++) {
        snprintf(text, sizeof text, "found: %s", conv_faults[i].name);
        rig_tap(r, fault_process(self, conv_faults[i].id) == FAULT_FOUND, text);
    }
}

int main(int argc, char **argv)
{
    struct rig r = {0};
    const bool fault = argc > 2 && strcmp(argv[1], "fault") == 0;
    const int count = argc > 1 ? atoi(argv[1]) : 500;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
    if (!rig_open(&r, 0, 2000, "convolutions")) return 0;
    if (fault) return one_fault(&r, (uint32_t)seed);
    shapes(&r, count, seed);
    faults(&r, argv[0]);
    printf("1..%d\n", r.number);
    rig_close(&r);
    return r.failed != 0;
}
