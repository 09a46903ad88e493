#include "support/routed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"
#include "kernels/gemm/routing.h"
#include "kernels/gemm/sm90/geometry.h"

/* Operands are of these numbers; sums of at most 1000 products of them are exact in fp32. */
static const int8_t values[] = {-1, 0, 1, 2};
static const uint32_t code[][4] = {[TMAP_GEMM_BF16] = {0xbf80, 0, 0x3f80, 0x4000},
                                   [TMAP_GEMM_F16] = {0xbc00, 0, 0x3c00, 0x4000},
                                   [TMAP_GEMM_TF32] = {0xbf800000, 0, 0x3f800000, 0x40000000},
                                   [TMAP_GEMM_E4M3] = {0xb8, 0, 0x38, 0x40}};
static const uint32_t out_code[][4] = {{0xbf80, 0, 0x3f80, 0x4000},
                                       {0xbc00, 0, 0x3c00, 0x4000},
                                       {0xbf800000, 0, 0x3f800000, 0x40000000}};

static int32_t below(uint64_t *state, uint32_t n)
{
    return (int32_t)(rng_step(state) % n);
}

static int64_t up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

const struct routed_way routed_ways[] = {
    {"rows of bf16", TMAP_GEMM_BF16, TMAP_GEMM_FORM_ROWS, false},
    {"rows of fp16", TMAP_GEMM_F16, TMAP_GEMM_FORM_ROWS, false},
    {"rows of e4m3", TMAP_GEMM_E4M3, TMAP_GEMM_FORM_ROWS, false},
    {"scaled rows of e4m3", TMAP_GEMM_E4M3, TMAP_GEMM_FORM_ROWS, true},
    {"padded bf16", TMAP_GEMM_BF16, TMAP_GEMM_FORM_PADDED, false},
    {"padded fp16", TMAP_GEMM_F16, TMAP_GEMM_FORM_PADDED, false},
    {"padded e4m3", TMAP_GEMM_E4M3, TMAP_GEMM_FORM_PADDED, false},
    {"scaled padded e4m3", TMAP_GEMM_E4M3, TMAP_GEMM_FORM_PADDED, true},
    {"bf16 along K", TMAP_GEMM_BF16, TMAP_GEMM_FORM_K, false},
    {"fp16 along K", TMAP_GEMM_F16, TMAP_GEMM_FORM_K, false},
    {"e4m3 along K", TMAP_GEMM_E4M3, TMAP_GEMM_FORM_K, false},
    {"rows of tf32", TMAP_GEMM_TF32, TMAP_GEMM_FORM_ROWS, false},
    {"tf32 along K", TMAP_GEMM_TF32, TMAP_GEMM_FORM_K, false}};
const size_t routed_way_count = sizeof routed_ways / sizeof *routed_ways;

/* --- drawing */

/* A share for each member: a third have none, and squares make some large. */
static void route(struct routed_draw *d, uint64_t *state)
{
    const int32_t total = d->routing.form == GEMM_FORM_K ? d->problem.k : d->problem.m;
    double weight[ROUTED_MEMBERS], all = 0, before = 0;
    const int32_t members = d->problem.batch, none = below(state, 3);
    const double used = below(state, 4) ? 1 : 0.7; /* of the tokens */
    for (int32_t i = 0; i < members; i++) {
        const double x = below(state, 1000) / 1000.0;
        weight[i] = none && below(state, 3) < none ? 0 : x * x * x;
        all += weight[i];
    }
    for (int32_t i = 0; i < members; i++) {
        before += all > 0 ? weight[i] / all : 0;
        d->ends[i] = (int32_t)(before * used * total + 0.5);
        if (d->routing.form == GEMM_FORM_PADDED) /* counts */
            d->ends[i] = (int32_t)(all > 0 ? weight[i] / all * members / 2 * total : 0);
    }
    if (below(state, 8) != 0) return;
    /* What no router leaves; but rows that two members have are either's. */
    for (int32_t i = 0; i < members; i++) {
        d->ends[i] = below(state, 3u * (uint32_t)total) - total;
        if (i > 0 && d->routing.form == GEMM_FORM_ROWS && d->ends[i] < d->ends[i - 1])
            d->ends[i] = d->ends[i - 1];
    }
}

static void lay_out(struct routed_draw *d, bool blocks, uint64_t *state)
{
    struct tmap_gemm_problem *p = &d->problem;
    const int32_t form = d->routing.form, wide = gemm_element_bits(p->kind) == 16;
    const int64_t unit = 16 * 8 / gemm_element_bits(p->kind), out = p->out >= GEMM_OUT_F32 ? 4 : 8;
    p->a.mn_major = wide && form != GEMM_FORM_ROWS && below(state, 2);
    p->b.mn_major = wide && (form == GEMM_FORM_K ? p->a.mn_major : below(state, 2));
    p->d.mn_major = form != GEMM_FORM_ROWS && below(state, 4) == 0;
    p->a.ld = up(p->a.mn_major ? p->m : p->k, unit) + unit * below(state, 2);
    p->b.ld = up(p->b.mn_major ? p->n : p->k, unit) + unit * below(state, 2);
    p->d.ld = up(p->d.mn_major ? p->m : p->n, out) + out * below(state, 2);
    p->a.batch_stride = (p->a.mn_major ? p->k : p->m) * p->a.ld + unit * below(state, 2);
    p->b.batch_stride = (p->b.mn_major ? p->k : p->n) * p->b.ld + unit * below(state, 2);
    p->d.batch_stride = (p->d.mn_major ? p->n : p->m) * p->d.ld + out * below(state, 2);
    p->c = p->d;
    if (!blocks) return;
    p->block_scale.lda = up(p->m, 4) + 4 * below(state, 2);
    p->block_scale.ldb = up(p->k, GEMM_SCALE_BLOCK) / GEMM_SCALE_BLOCK + below(state, 2);
}

/* An orientation that has a kernel: of two operands that lie alike both, else the one whose rows of
 * M are contiguous. */
static void ask(struct routed_draw *d, bool blocks, uint64_t *state)
{
    static const int32_t tiles[] = {0, 0, 256, 128, 32}, scaled[] = {0, 192, 128, 64};
    static const int32_t turns[] = {0, -1, 1, 1};
    const struct tmap_gemm_problem *p = &d->problem;
    const bool alike = p->a.mn_major == p->b.mn_major;
    d->request.cluster_m = below(state, 3);
    d->request.cluster_n = d->request.cluster_m == 1 ? below(state, 3) : 0;
    d->request.clusters = below(state, 3) ? 0 : 1 + below(state, 3);
    d->request.stages = below(state, 3) ? 0 : 3;
    if (blocks) d->request.tile_n = scaled[below(state, 4)];
    if (alike && !p->a.mn_major && !blocks) {
        d->request.tile_n = tiles[below(state, 5)];
        d->request.swapped = below(state, 3) - 1;
    }
    /* A tile a warpgroup: D by rows, no C, and B's three boxes are not a pair's. */
    if (alike && p->a.mn_major && p->beta == 0) d->request.pingpong = turns[below(state, 4)];
    if (d->request.pingpong <= 0) return;
    d->request.swapped = p->d.mn_major ? 1 : -1;
    if (d->request.cluster_m == 2) d->request.cluster_m = 1;
}

void routed_draw(const struct routed_way *way, const struct routed_size *size, uint64_t *state,
                 struct routed_draw *out)
{
    static const float alphas[] = {1, 1, 2, -1}, betas[] = {0, 0, 1, -2};
    struct tmap_gemm_problem *p = &out->problem;
    memset(out, 0, sizeof *out);
    const int32_t form = out->routing.form = way->form;
    const int32_t total = 1 + below(state, (uint32_t)size->tokens);
    const uint32_t extent = (uint32_t)size->extent;
    *p = (struct tmap_gemm_problem){.kind = way->kind,
                                    .out = below(state, 3),
                                    .batch = 1 + below(state, (uint32_t)size->members),
                                    .m = 1 + below(state, extent),
                                    .n = 1 + below(state, extent),
                                    .k = 1 + below(state, below(state, 2) ? extent : 40),
                                    .alpha = alphas[below(state, 4)],
                                    .beta = betas[below(state, 4)],
                                    .precise = way->kind == TMAP_GEMM_E4M3};
    if (form == GEMM_FORM_K)
        p->k = total;
    else
        p->m = form == GEMM_FORM_PADDED ? 1 + total / p->batch : total;
    lay_out(out, way->blocks, state);
    ask(out, way->blocks, state);
    route(out, state);
    out->routing.usual = below(state, 2) ? 0 : 1 + below(state, 300);
}

/* --- faults */

const struct routed_fault routed_faults[] = {
#define PLANTED(id, form, kernels, blind, name)                                                    \
    {id, GEMM_FORM_##form, ROUTED_##kernels, blind, name},
#include "support/routed_faults.def"
};
const size_t routed_fault_count = sizeof routed_faults / sizeof *routed_faults;

/* One cluster does all members, of which every third has nothing; all else adds C. */
void routed_draw_fault(const struct routed_fault *fault, uint64_t *state, struct routed_draw *out)
{
    static const struct routed_size size = {5, 300, 200};
    static const int32_t columns[] = {128, 256, 192, 64};
    const bool blocks = fault->kernels == ROUTED_BLOCKS, turns = fault->kernels == ROUTED_TURNS,
               mn = fault->kernels == ROUTED_MAJORS || turns;
    const struct routed_way way = {"", blocks ? TMAP_GEMM_E4M3 : TMAP_GEMM_BF16, fault->form,
                                   blocks};
    do routed_draw(&way, &size, state, out);
    while (out->problem.a.mn_major != mn || out->problem.b.mn_major != mn ||
           out->problem.batch < 3 || (turns && out->problem.d.mn_major));
    const int32_t total = fault->form == GEMM_FORM_K ? out->problem.k : out->problem.m;
    const int32_t padded = fault->form == GEMM_FORM_PADDED;
    for (int32_t i = 0; i < out->problem.batch; i++)
        out->ends[i] =
            padded ? i % 3 ? total : 0 : (i + (i % 3 != 1)) * total / (out->problem.batch + 1);
    out->problem.beta = turns ? 0 : 1;
    out->problem.out = TMAP_GEMM_OUT_F32;
    out->problem.c.ld = out->problem.d.ld;
    out->request = (struct tmap_gemm_config){.tile_n = columns[fault->kernels],
                                             .swapped = -1,
                                             .cluster_m = 1,
                                             .clusters = 1,
                                             .pingpong = turns ? 1 : -1};
}

const char *routed_fault_kernel(const struct routed_fault *fault)
{
    static const char *const names[] = {"gemm_group_faulty_2x128", "gemm_group_faulty_2x256_11",
                                        "gemm_group_faulty_pingpong_2x192",
                                        "gemm_group_faulty_2x64_blocks"};
    return names[fault->kernels];
}

void routed_plant(struct routed *r, uint32_t id, void *make, void *multiply)
{
    struct gemm_params p;
    memcpy(&p, r->group.params, sizeof p);
    p.fault = id;
    memcpy(r->group.params, &p, sizeof p);
    r->group.make = make;
    r->group.multiply = multiply;
}

/* --- matrices */

static bool upload(struct routed *r, uint64_t *address, const void *from, size_t bytes)
{
    return !r->suite->gpu.api.mem_alloc(address, bytes) &&
           !r->suite->gpu.api.memcpy_htod(*address, from, bytes);
}

/* So many numbers, as codes of so many bytes to the device. */
static int8_t *numbers(struct routed *r, uint64_t *address, int64_t count, const uint32_t *codes,
                       int bytes, uint64_t *state)
{
    int8_t *x = malloc((size_t)count);
    uint8_t *coded = malloc((size_t)(count * bytes));
    if (!x || !coded) abort();
    for (int64_t i = 0; i < count; i++) {
        const int which = below(state, 4);
        x[i] = values[which];
        memcpy(coded + i * bytes, &codes[which], (size_t)bytes);
    }
    if (!upload(r, address, coded, (size_t)(count * bytes))) abort();
    free(coded);
    return x;
}

static float *scales(struct routed *r, uint64_t *address, int64_t count, uint64_t *state)
{
    float *x = malloc((size_t)count * sizeof *x);
    if (!x) abort();
    for (int64_t i = 0; i < count; i++) x[i] = (const float[]){0.25f, 0.5f, 2}[below(state, 3)];
    if (!upload(r, address, x, (size_t)count * sizeof *x)) abort();
    return x;
}

static int out_bytes(const struct tmap_gemm_problem *p)
{
    return p->out >= GEMM_OUT_F32 ? 4 : 2;
}

static bool set_ends(struct routed *r)
{
    return !r->suite->gpu.api.memcpy_htod(r->draw.routing.ends, r->draw.ends, sizeof r->draw.ends);
}

bool routed_make(struct tmap_gemm *suite, const struct routed_draw *draw, uint64_t *state,
                 struct routed *r)
{
    *r = (struct routed){.suite = suite, .draw = *draw};
    struct tmap_gemm_problem *p = &r->draw.problem;
    const int32_t form = draw->routing.form, bytes = gemm_element_bits(p->kind) / 8;
    const int64_t blocks = up(p->k, GEMM_SCALE_BLOCK) / GEMM_SCALE_BLOCK;
    r->a_count = p->a.batch_stride * (form == GEMM_FORM_PADDED ? p->batch : 1);
    r->b_count = p->b.batch_stride * (form == GEMM_FORM_K ? 1 : p->batch);
    r->d_count = p->d.batch_stride * (form == GEMM_FORM_ROWS ? 1 : p->batch);
    r->a = numbers(r, &p->a.address, r->a_count, code[p->kind], bytes, state);
    r->b = numbers(r, &p->b.address, r->b_count, code[p->kind], bytes, state);
    r->c = numbers(r, &p->c.address, r->d_count, out_code[p->out], out_bytes(p), state);
    if (p->block_scale.lda) {
        const int64_t rows = blocks * (form == GEMM_FORM_PADDED ? p->batch : 1);
        r->a_scale = scales(r, &p->block_scale.a, rows * p->block_scale.lda, state);
        r->b_scale = scales(
            r, &p->block_scale.b,
            up(p->n, GEMM_SCALE_BLOCK) / GEMM_SCALE_BLOCK * p->batch * p->block_scale.ldb, state);
    }
    return !suite->gpu.api.mem_alloc(&p->d.address, (size_t)(r->d_count * out_bytes(p))) &&
           !suite->gpu.api.mem_alloc(&r->draw.routing.ends, sizeof draw->ends) &&
           !suite->gpu.api.mem_alloc(&r->memory, tmap_gemm_group_bytes((size_t)p->batch)) &&
           set_ends(r);
}

void routed_free(struct routed *r)
{
    const struct tmap_libcuda *api = &r->suite->gpu.api;
    const struct tmap_gemm_problem *p = &r->draw.problem;
    api->mem_free(p->a.address), api->mem_free(p->b.address), api->mem_free(p->c.address);
    api->mem_free(p->d.address), api->mem_free(r->draw.routing.ends), api->mem_free(r->memory);
    if (r->a_scale) api->mem_free(p->block_scale.a), api->mem_free(p->block_scale.b);
    free(r->a), free(r->b), free(r->c), free(r->a_scale), free(r->b_scale);
}

enum tmap_status routed_plan(struct routed *r)
{
    return tmap_gemm_make_routed(r->suite, &r->draw.problem, &r->draw.routing, r->memory,
                                 &r->draw.request, &r->group, &r->refusal);
}

bool routed_again(struct routed *r, uint64_t *state)
{
    route(&r->draw, state);
    return set_ends(r);
}

/* --- what D has to be */

static int32_t end_of(const struct routed_draw *d, int32_t i)
{
    const int32_t total = d->routing.form == GEMM_FORM_K ? d->problem.k : d->problem.m;
    if (i < 0 || d->ends[i] < 0) return 0;
    return d->ends[i] < total ? d->ends[i] : total;
}

/* Where member e's rows, or its part of K, begin and end. */
static void span_of(const struct routed_draw *d, int32_t e, int32_t *begin, int32_t *end)
{
    *begin = d->routing.form == GEMM_FORM_PADDED ? 0 : end_of(d, e - 1);
    *end = end_of(d, e);
    if (*end < *begin) *end = *begin;
}

static double sum_of(const struct routed *r, int32_t e, int32_t row, int32_t col, int32_t k_begin,
                     int32_t k_end)
{
    const struct tmap_gemm_problem *p = &r->draw.problem;
    const struct tmap_gemm_block_scale *s = &p->block_scale;
    const int32_t form = r->draw.routing.form, padded = form == GEMM_FORM_PADDED;
    const int64_t a_step = p->a.mn_major ? p->a.ld : 1, b_step = p->b.mn_major ? p->b.ld : 1;
    const int8_t *a = r->a + (padded ? e * p->a.batch_stride : 0) +
                      row * (p->a.mn_major ? 1 : p->a.ld) + k_begin * a_step;
    const int8_t *b = r->b + (form == GEMM_FORM_K ? 0 : e * p->b.batch_stride) +
                      col * (p->b.mn_major ? 1 : p->b.ld) + k_begin * b_step;
    const int64_t blocks = up(p->k, GEMM_SCALE_BLOCK) / GEMM_SCALE_BLOCK;
    const int64_t b_rows = up(p->n, GEMM_SCALE_BLOCK) / GEMM_SCALE_BLOCK;
    double sum = 0;
    for (int32_t k = k_begin; k < k_end;) {
        const int32_t block = k / GEMM_SCALE_BLOCK, next = (block + 1) * GEMM_SCALE_BLOCK;
        int32_t part = 0;
        for (; k < k_end && k < next; k++, a += a_step, b += b_step) part += *a * *b;
        sum += !r->a_scale
                   ? part
                   : part * (double)r->a_scale[((padded ? e * blocks : 0) + block) * s->lda + row] *
                         r->b_scale[(e * b_rows + col / GEMM_SCALE_BLOCK) * s->ldb + block];
    }
    return sum;
}

static double f16(uint16_t x)
{
    const int exponent = x >> 10 & 31, fraction = x & 1023;
    const double v = exponent == 31 ? NAN
                     : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                    : ldexp(fraction, -24);
    return x & 0x8000 ? -v : v;
}

static double read_out(int32_t out, const uint8_t *at)
{
    uint32_t bits = 0;
    float value;
    memcpy(&bits, at, out >= GEMM_OUT_F32 ? 4 : 2);
    if (out == GEMM_OUT_F16) return f16((uint16_t)bits);
    if (out == GEMM_OUT_BF16) bits <<= 16;
    memcpy(&value, &bits, 4);
    return value;
}

/* Checks a member's elements, and makes them poison again. */
static long member_wrong(const struct routed *r, int32_t e, uint8_t *d)
{
    static const double roundings[] = {0x1p-8, 0x1p-11, 0x1p-22};
    const struct tmap_gemm_problem *p = &r->draw.problem;
    const int32_t form = r->draw.routing.form, bytes = out_bytes(p);
    int32_t begin, end;
    long wrong = 0;
    span_of(&r->draw, e, &begin, &end);
    const bool depth = form == GEMM_FORM_K;
    for (int32_t i = depth ? 0 : begin; i < (depth ? p->m : end); i++)
        for (int32_t j = 0; j < p->n; j++) {
            const int64_t at = (form == GEMM_FORM_ROWS ? 0 : e * p->d.batch_stride) +
                               (p->d.mn_major ? j * p->d.ld + i : i * p->d.ld + j);
            const double sum =
                sum_of(r, e, i, j, depth ? begin : 0, depth ? end : p->k) * (double)p->alpha +
                (double)p->beta * r->c[at];
            const double got = read_out(p->out, d + at * bytes);
            wrong += !(fabs(got - sum) <= fabs(sum) * roundings[p->out] + 1e-5);
            memset(d + at * bytes, 0xff, (size_t)bytes);
        }
    return wrong;
}

long routed_wrong(struct routed *r)
{
    const struct tmap_libcuda *api = &r->suite->gpu.api;
    const struct tmap_gemm_problem *p = &r->draw.problem;
    const size_t bytes = (size_t)(r->d_count * out_bytes(p));
    uint8_t *d = malloc(bytes);
    long wrong = 0;
    if (!d) abort();
    memset(d, 0xff, bytes);
    if (api->memcpy_htod(p->d.address, d, bytes) ||
        tmap_gemm_group_run(&r->group, NULL) != TMAP_OK ||
        api->memcpy_dtoh(d, p->d.address, bytes)) {
        free(d);
        return -1;
    }
    for (int32_t e = 0; e < p->batch; e++) wrong += member_wrong(r, e, d);
    for (size_t i = 0; i < bytes; i += (size_t)out_bytes(p))
        wrong += d[i] != 0xff || d[i + 1] != 0xff;
    free(d);
    return wrong;
}

void routed_words(const struct routed_draw *d, char *text, size_t cap)
{
    static const char *const forms[] = {"rows", "padded", "k"};
    const struct tmap_gemm_problem *p = &d->problem;
    int n =
        snprintf(text, cap,
                 "kind %d %s%s, %d members of %dx%dx%d, out %d, major %d%d%d, alpha %g beta %g; "
                 "asked tile %d cluster %dx%d swapped %d clusters %d; ends",
                 p->kind, forms[d->routing.form], p->block_scale.lda ? " scaled" : "", p->batch,
                 p->m, p->n, p->k, p->out, p->a.mn_major, p->b.mn_major, p->d.mn_major,
                 (double)p->alpha, (double)p->beta, d->request.tile_n, d->request.cluster_m,
                 d->request.cluster_n, d->request.swapped, d->request.clusters);
    for (int32_t i = 0; i < p->batch && n > 0 && (size_t)n < cap; i++)
        n += snprintf(text + n, cap - (size_t)n, " %d", d->ends[i]);
}
