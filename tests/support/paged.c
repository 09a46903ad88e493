#include "support/paged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"

enum { POISON = 0xffff, BETWEEN = 8 }; /* a NaN of both types; elements between rows of a query */
enum { QUERY, OUTPUT, CACHES, LENGTHS, TABLE, WORKSPACE };

static int32_t below(uint64_t *state, int32_t n)
{
    return (int32_t)(rng_step(state) % (uint32_t)n);
}

/* Near enough to normal. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(rng_step(state) >> 11) * 0x1p-53;
    return sum;
}

/* --- numbers of 16 bits */

static double number(int32_t kind, uint16_t bits)
{
    if (kind == TMAP_PAGED_BF16) {
        const uint32_t wide = (uint32_t)bits << 16;
        float f;
        memcpy(&f, &wide, sizeof f);
        return (double)f;
    }
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                        : exponent     ? (1024 + fraction) * (double)(1 << exponent) * 0x1p-25
                                       : fraction * 0x1p-24;
    return bits >> 15 ? -size : size;
}

/* Towards zero; of numbers in the types' normal range, or 0. */
static uint16_t bits_of(int32_t kind, double x)
{
    int exponent;
    const double size = fabs(x), fraction = frexp(size, &exponent);
    const uint16_t sign = x < 0 ? 0x8000 : 0;
    if (size < 0x1p-13) return 0;
    if (kind == TMAP_PAGED_BF16)
        return (uint16_t)(sign | (exponent + 126) << 7 | ((int)(fraction * 256) & 127));
    return (uint16_t)(sign | (exponent + 14) << 10 | ((int)(fraction * 2048) & 1023));
}

/* --- drawing */

static void draw_lengths(struct paged_draw *d, int32_t tokens, uint64_t *state)
{
    struct tmap_paged_problem *p = &d->problem;
    int32_t most = 1;
    for (int32_t i = 0; i < p->requests; i++) {
        const int32_t kind = below(state, 6);
        d->lengths[i] = kind == 0   ? 0
                        : kind == 1 ? PAGED_TOKENS * below(state, tokens / PAGED_TOKENS + 1)
                        : kind == 2 ? p->page_size * below(state, tokens / p->page_size + 1)
                        : kind == 3 ? 1 + below(state, 20)
                                    : 1 + below(state, tokens);
        if (d->lengths[i] > most) most = d->lengths[i];
    }
    p->table_pages = (most - 1) / p->page_size + 1 + below(state, 3);
    p->pages = 1 + below(state, 4);
    for (int32_t i = 0; i < p->requests; i++) p->pages += d->lengths[i] / p->page_size + 1;
    if (below(state, 8) == 0) d->lengths[below(state, p->requests)] -= 1 << 20; /* counts as 0 */
}

void paged_draw(const struct paged_size *size, uint64_t *state, struct paged_draw *out)
{
    static const int32_t page_sizes[] = {16, 32, 64, 128, 256, 8, 4, 1};
    struct tmap_paged_problem *p = &out->problem;
    memset(out, 0, sizeof *out);
    p->kind = below(state, 2);
    p->dim = below(state, 3) ? 128 : 64;
    p->requests = 1 + below(state, size->requests);
    p->kv_heads = 1 + below(state, size->kv_heads);
    p->heads =
        p->kv_heads * (below(state, 3) ? 1 << below(state, 5) : 1 + below(state, PAGED_ROWS));
    p->page_size = below(state, 3) ? page_sizes[below(state, 8)] : 1 + below(state, 300);
    p->scale = below(state, 3) ? 0 : 0.2f;
    out->layout = below(state, TMAP_PAGED_LAYOUTS);
    out->spread = below(state, 2) ? 1 : 4;
    out->request.splits = below(state, 3) ? 0 : (uint32_t)(1 + below(state, 5));
    out->request.stages = below(state, 3) ? 0 : (uint32_t)(1 + below(state, 3));
    draw_lengths(out, size->tokens, state);
    if (below(state, 2)) {
        p->query_head_stride = p->dim + BETWEEN;
        p->output_head_stride = p->dim + BETWEEN;
        p->table_stride = p->table_pages + 3;
    }
}

void paged_draw_fault(uint64_t *state, struct paged_draw *out)
{
    memset(out, 0, sizeof *out);
    out->problem = (struct tmap_paged_problem){.kind = TMAP_PAGED_BF16,
                                               .dim = below(state, 2) ? 64 : 128,
                                               .requests = 3,
                                               .kv_heads = 2,
                                               .heads = 8,
                                               .page_size = 16};
    out->layout = below(state, TMAP_PAGED_LAYOUTS);
    out->spread = 2;
    out->request.splits = 3, out->request.stages = 2;
    draw_lengths(out, 900, state);
    out->lengths[0] = 870 + below(state, 30) / 2 * 2 + 1; /* a tail, and an odd one */
    out->lengths[1] = 150;
    out->problem.table_pages = 900 / 16 + 1;
    out->problem.pages = 3 * out->problem.table_pages;
}

/* --- memory */

static uint16_t *at(const struct tmap_paged_cache *c, uint64_t from, uint16_t *host, int32_t page,
                    int32_t head, int32_t token)
{
    const int64_t element = page * c->page_stride + head * c->head_stride + token * c->token_stride;
    return host + (c->address - from) / 2 + element;
}

static bool alloc(struct paged *x, int which, size_t bytes, uint64_t *address)
{
    if (x->suite->gpu.api.mem_alloc(&x->memory[which], bytes ? bytes : 16)) return false;
    *address = x->memory[which];
    return true;
}

static bool put(struct paged *x, int which, const void *from, size_t bytes)
{
    return x->suite->gpu.api.memcpy_htod(x->memory[which], from, bytes) == 0;
}

/* Pages in any order, each one's once; the rest of a row is anything. */
static void deal_pages(const struct paged *x, int32_t *table, uint64_t *state)
{
    const struct tmap_paged_problem *p = &x->draw.problem;
    const int64_t stride = p->table_stride ? p->table_stride : p->table_pages;
    int32_t *order = malloc((size_t)p->pages * sizeof *order), used = 0;
    for (int32_t i = 0; i < p->pages; i++) order[i] = i;
    for (int32_t i = p->pages - 1; i > 0; i--) {
        const int32_t other = below(state, i + 1), kept = order[i];
        order[i] = order[other], order[other] = kept;
    }
    for (int32_t r = 0; r < p->requests; r++)
        for (int32_t i = 0; i < stride; i++)
            table[r * stride + i] = (int64_t)i * p->page_size < x->draw.lengths[r]
                                        ? order[used++]
                                        : below(state, 1 << 30);
    free(order);
}

/* What head h of request r has to be. */
static void expect(struct paged *x, const uint16_t *query, uint16_t *caches, const int32_t *row,
                   int32_t r, int32_t h)
{
    const struct tmap_paged_problem *p = &x->draw.problem;
    const double unit = p->kind == TMAP_PAGED_BF16 ? 0x1p-8 : 0x1p-11;
    const double scale = p->scale != 0 ? (double)p->scale : 1 / sqrt(p->dim);
    const int32_t length = x->draw.lengths[r], head = h / (p->heads / p->kv_heads);
    const int64_t stride = p->output_head_stride ? p->output_head_stride : p->dim;
    double *score = malloc((size_t)(length > 0 ? length : 1) * sizeof *score);
    double most = -INFINITY, worst = 0, sum = 0;
    for (int32_t t = 0; t < length; t++) {
        const uint16_t *k =
            at(&p->k, x->memory[CACHES], caches, row[t / p->page_size], head, t % p->page_size);
        double dot = 0, size = 0;
        for (int32_t d = 0; d < p->dim; d++) {
            const double product = number(p->kind, query[d]) * number(p->kind, k[d]);
            dot += product, size += fabs(product);
        }
        score[t] = dot * scale;
        most = fmax(most, score[t]), worst = fmax(worst, size * scale);
    }
    for (int32_t t = 0; t < length; t++) sum += score[t] = exp(score[t] - most);
    for (int32_t d = 0; d < p->dim; d++) {
        double out = 0, size = 0, all = 0;
        for (int32_t t = 0; t < length; t++) {
            const double v = number(p->kind, at(&p->v, x->memory[CACHES], caches,
                                                row[t / p->page_size], head, t % p->page_size)[d]);
            out += score[t] * v, size += score[t] * fabs(v), all += fabs(v);
        }
        if (length > 0) out /= sum, size /= sum, all /= sum;
        const int64_t i = (r * (int64_t)p->heads + h) * stride + d;
        x->expected[i] = out;
        /* Weights and output rounded; scores in fp32; weights too small for fp16; sums. */
        x->allowed[i] = unit * (size + fabs(out)) + size * worst * (p->dim + 8) * 0x1p-23 +
                        (p->kind == TMAP_PAGED_F16 ? all * 0x1p-25 : 0) + size * 0x1p-14 + 0x1p-25;
    }
    free(score);
}

static void fill_tokens(const struct paged *x, const struct tmap_paged_cache *c, uint16_t *caches,
                        const int32_t *table, int64_t stride, uint64_t *state)
{
    const struct tmap_paged_problem *p = &x->draw.problem;
    for (int32_t r = 0; r < p->requests; r++)
        for (int32_t t = 0; t < x->draw.lengths[r]; t++)
            for (int32_t h = 0; h < p->kv_heads; h++) {
                uint16_t *e = at(c, x->memory[CACHES], caches, table[r * stride + t / p->page_size],
                                 h, t % p->page_size);
                for (int32_t d = 0; d < p->dim; d++) e[d] = bits_of(p->kind, normal(state));
            }
}

static bool fill(struct paged *x, uint64_t *state, size_t query_elements, size_t cache_elements)
{
    struct tmap_paged_problem *p = &x->draw.problem;
    const int64_t stride = p->table_stride ? p->table_stride : p->table_pages;
    const int64_t head = p->query_head_stride ? p->query_head_stride : p->dim;
    const size_t entries = (size_t)(p->requests * stride);
    uint16_t *query = malloc(query_elements * 2), *caches = malloc(cache_elements * 2);
    int32_t *table = malloc(entries * sizeof *table);
    for (size_t i = 0; i < query_elements; i++)
        query[i] = bits_of(p->kind, x->draw.spread * normal(state));
    memset(caches, 0xff, cache_elements * 2);
    deal_pages(x, table, state);
    fill_tokens(x, &p->k, caches, table, stride, state);
    fill_tokens(x, &p->v, caches, table, stride, state);
    for (size_t i = 0; i < x->output_elements; i++) x->allowed[i] = -1;
    for (int32_t r = 0; r < p->requests; r++)
        for (int32_t h = 0; h < p->heads; h++)
            expect(x, query + (r * p->heads + h) * head, caches, table + r * stride, r, h);
    const bool good = put(x, QUERY, query, query_elements * 2) &&
                      put(x, CACHES, caches, cache_elements * 2) &&
                      put(x, TABLE, table, entries * 4) &&
                      put(x, LENGTHS, x->draw.lengths, (size_t)p->requests * 4);
    free(query), free(caches), free(table);
    return good;
}

static bool clear_workspace(struct paged *x)
{
    const size_t bytes = tmap_paged_zeroed_bytes(&x->draw.problem);
    void *zeros = calloc(1, bytes);
    const bool good = put(x, WORKSPACE, zeros, bytes);
    free(zeros);
    return good;
}

bool paged_make(struct tmap_paged *suite, const struct paged_draw *draw, uint64_t *state,
                struct paged *x)
{
    memset(x, 0, sizeof *x);
    x->suite = suite, x->draw = *draw;
    struct tmap_paged_problem *p = &x->draw.problem;
    const int64_t query = p->query_head_stride ? p->query_head_stride : p->dim;
    const int64_t output = p->output_head_stride ? p->output_head_stride : p->dim;
    const size_t rows = (size_t)p->requests * (size_t)p->heads;
    const size_t cache =
        2 * (size_t)p->pages * (size_t)p->page_size * (size_t)(p->kv_heads * p->dim);
    x->output_elements = rows * (size_t)output;
    x->expected = calloc(x->output_elements, sizeof *x->expected);
    x->allowed = calloc(x->output_elements, sizeof *x->allowed);
    if (!alloc(x, QUERY, rows * (size_t)query * 2, &p->query) ||
        !alloc(x, OUTPUT, x->output_elements * 2, &p->output) ||
        !alloc(x, CACHES, cache * 2, &p->k.address) ||
        !alloc(x, LENGTHS, sizeof x->draw.lengths, &p->lengths) ||
        !alloc(x, TABLE, (size_t)p->requests * (size_t)(p->table_pages + 3) * 4, &p->table) ||
        !alloc(x, WORKSPACE, tmap_paged_workspace_bytes(suite, p), &p->workspace))
        return false;
    p->v.address = p->k.address + cache;
    return tmap_paged_lay_out(p, (enum tmap_paged_layout)x->draw.layout) == TMAP_OK &&
           fill(x, state, rows * (size_t)query, cache) && clear_workspace(x);
}

void paged_free(struct paged *x)
{
    for (int i = 0; i < 6; i++)
        if (x->memory[i]) x->suite->gpu.api.mem_free(x->memory[i]);
    free(x->expected);
    free(x->allowed);
}

/* --- running */

enum tmap_status paged_plan(struct paged *x)
{
    return tmap_paged_make_plan(x->suite, &x->draw.problem, &x->draw.request, &x->plan,
                                &x->refusal);
}

long paged_wrong(struct paged *x)
{
    const struct tmap_libcuda *api = &x->suite->gpu.api;
    const size_t bytes = x->output_elements * 2;
    uint16_t *out = malloc(bytes);
    long wrong = 0;
    memset(out, 0xff, bytes);
    if (!put(x, OUTPUT, out, bytes) || tmap_paged_run(&x->plan, NULL) != TMAP_OK ||
        api->ctx_synchronize() || api->memcpy_dtoh(out, x->memory[OUTPUT], bytes)) {
        free(out);
        return -1;
    }
    for (size_t i = 0; i < x->output_elements; i++) {
        const double got = number(x->draw.problem.kind, out[i]);
        wrong +=
            x->allowed[i] < 0 ? out[i] != POISON : !(fabs(got - x->expected[i]) <= x->allowed[i]);
    }
    free(out);
    return wrong;
}

void paged_words(const struct paged_draw *d, char *text, size_t cap)
{
    const struct tmap_paged_problem *p = &d->problem;
    int n = snprintf(
        text, cap, "kind %d dim %d heads %d on %d page %d layout %d splits %u stages %u:", p->kind,
        p->dim, p->heads, p->kv_heads, p->page_size, d->layout, d->request.splits,
        d->request.stages);
    for (int32_t i = 0; i < p->requests && n > 0 && (size_t)n < cap; i++)
        n += snprintf(text + n, cap - (size_t)n, " %d", d->lengths[i]);
}

/* --- faults */

const struct paged_fault paged_faults[] = {
#define PLANTED(id, blind, name) {id, blind, name},
#include "support/paged_faults.def"
};
const size_t paged_fault_count = sizeof paged_faults / sizeof *paged_faults;

const char *paged_fault_kernel(const struct paged *x)
{
    return x->draw.problem.dim == 64 ? "faulty_paged_bf16_64" : "faulty_paged_bf16_128";
}

void paged_plant(struct paged *x, uint32_t id, void *function)
{
    struct paged_params p;
    memcpy(&p, x->plan.params, sizeof p);
    p.fault = id;
    memcpy(x->plan.params, &p, sizeof p);
    x->plan.function = function;
}
