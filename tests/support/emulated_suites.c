/* Suites without a GPU, and small copies and what they have to leave. */
#include "support/emulated_suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/splitmix.h"

bool emulated_ptx(const char *source)
{
    char path[256];
    const char *b = getenv("B");
    snprintf(path, sizeof path, "%s/%s.ptx", b ? b : "build", source);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    fclose(f);
    return emulated_load(path);
}

static struct tmap_copy copy_suite;
static struct tmap_gemm gemm_suite;
static struct stream_memory copy_tickets, gemm_workspaces;

int emulated_skip(const char *name)
{
    printf("1..1\nok 1 # SKIP %s: no PTX of the kernels in this build (nvcc)\n", name);
    return 0;
}

struct tmap_copy *emulated_copy_suite(void)
{
    struct tmap_copy *s = &copy_suite;
    memset(s, 0, sizeof *s);
    emulated_open(&s->gpu.api);
    s->gpu.cc_major = 9;
    s->gpu.sm_count = 4;
    s->limit_ms = 2000;
    for (int i = 0; i < COPY_MODULES; i++) s->gpu.api.module_load_data(&s->module[i], NULL);
    if (suite_checker(&s->gpu, &s->checker, &s->smem_bytes) != TMAP_OK ||
        !stream_memory_init(&copy_tickets, 64, 64) ||
        suite_mailbox_open(&s->gpu.api, &s->mailbox) != TMAP_OK)
        return NULL;
    s->tickets = &copy_tickets;
    return s;
}

struct tmap_gemm *emulated_gemm_suite(void)
{
    return emulated_gemm_suite_for(9, 0);
}

void emulated_as_h200(struct tmap_gemm *suite)
{
    suite->gpu.sm_count = gemm_h200_resident[1];
    memcpy(suite->resident, gemm_h200_resident, sizeof suite->resident);
}

struct tmap_gemm *emulated_h200_suite(const char *source, const char *name)
{
    struct tmap_gemm *suite = emulated_gemm_suite();
    if (!suite) exit(1);
    if (!emulated_ptx(source)) {
        emulated_skip(name);
        return NULL;
    }
    emulated_unload();
    emulated_as_h200(suite);
    return suite;
}

struct tmap_gemm *emulated_gemm_suite_for(int cc_major, int cc_minor)
{
    struct tmap_gemm *s = &gemm_suite;
    const char *why;
    memset(s, 0, sizeof *s);
    emulated_open(&s->gpu.api);
    s->gpu.cc_major = cc_major;
    s->gpu.cc_minor = cc_minor;
    if (!gemm_family_of(cc_major, cc_minor, &s->family, &why)) return NULL;
    s->gpu.sm_count = 8; /* so that a few small tiles are more than there is room for */
    s->limit_ms = 2000;
    for (int i = 0; i < GEMM_KINDS; i++)
        for (int k = 0; k < GEMM_IMAGES; k++) s->gpu.api.module_load_data(&s->modules[i][k], NULL);
    for (int i = 0; i < GEMM_IMAGES; i++) s->gpu.api.module_load_data(&s->group[i], NULL);
    for (int i = 0; i < 2; i++) s->gpu.api.module_load_data(&s->mixed[i], NULL);
    s->gpu.api.module_load_data(&s->probe, NULL);
    for (int size = 1; size <= GEMM_MAX_CLUSTER; size++) s->resident[size] = 8 / size;
    if (suite_checker(&s->gpu, &s->checker, &s->smem_optin_bytes) != TMAP_OK ||
        !stream_memory_init(&gemm_workspaces, tmap_gemm_workspace_bytes(s), GEMM_FLAG_BYTES) ||
        suite_mailbox_open(&s->gpu.api, &s->mailbox) != TMAP_OK)
        return NULL;
    s->workspaces = &gemm_workspaces;
    return s;
}

bool emulated_gemm_pick(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                        const struct tmap_gemm_config *request,
                        const struct gemm_instance *instance, uint32_t drawn,
                        struct tmap_gemm_config *out)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    size_t n = gemm_enumerate(suite, problem, request, choices, GEMM_MAX_CHOICES), of = 0;
    if (n > GEMM_MAX_CHOICES) n = GEMM_MAX_CHOICES;
    for (size_t i = 0; i < n; i++)
        if (choices[i].instance == instance) choices[of++] = choices[i];
    if (of == 0) return false;
    *out = choices[drawn % of].config;
    return true;
}

/* --- copies */

static uint8_t *room(struct tmap_copy *s, uint64_t bytes, uint64_t *address, uint64_t *seed)
{
    if (s->gpu.api.mem_alloc(address, bytes)) abort();
    uint8_t *p = (uint8_t *)(uintptr_t)*address;
    for (uint64_t i = 0; seed && i < bytes; i++) p[i] = (uint8_t)splitmix(seed);
    return p;
}

static void destination(struct tmap_copy *s, struct emulated_copy *c, uint64_t bytes)
{
    c->dst_bytes = bytes;
    uint8_t *d = room(s, bytes, &c->problem.dst, NULL);
    memset(d, 0xa5, bytes);
    c->expected = malloc(bytes);
    memset(c->expected, 0xa5, bytes);
}

/* Rows of a tensor, one after another; adds: floats, to 1 in every element. */
static void tile(struct tmap_copy *s, struct emulated_copy *c, uint32_t rank, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    const bool adds = p->kind == TMAP_COPY_ADD;
    uint64_t src_bytes, dst_bytes, rows = 1;
    p->rank = rank;
    p->dtype = adds ? TMAP_FLOAT32
                    : (int32_t[]){TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32}[splitmix_below(seed, 3)];
    const uint32_t size = p->dtype == TMAP_UINT8 ? 1 : p->dtype == TMAP_BFLOAT16 ? 2 : 4;
    p->dim[0] = 16 * (1 + splitmix_below(seed, 20));
    src_bytes = dst_bytes = p->dim[0] * size;
    for (uint32_t i = 1; i < rank; i++) {
        p->dim[i] = 1 + splitmix_below(seed, i == 1 ? 40 : 4);
        p->src_stride[i - 1] = (src_bytes + 15) / 16 * 16 + 16 * splitmix_below(seed, 3);
        p->dst_stride[i - 1] = (dst_bytes + 15) / 16 * 16 + 16 * splitmix_below(seed, 3);
        src_bytes = p->src_stride[i - 1] * p->dim[i];
        dst_bytes = p->dst_stride[i - 1] * p->dim[i];
        rows *= p->dim[i];
    }
    uint8_t *from = room(s, src_bytes, &p->src, seed);
    destination(s, c, dst_bytes);
    if (adds) {
        float *f = (float *)(void *)from, *d = (float *)(uintptr_t)p->dst;
        for (uint64_t i = 0; i < src_bytes / 4; i++) f[i] = (float)(i % 1000);
        for (uint64_t i = 0; i < dst_bytes / 4; i++) d[i] = 1;
        memcpy(c->expected, d, dst_bytes);
    }
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t left = r, a = 0, b = 0;
        for (uint32_t i = 1; i < rank; i++) {
            a += left % p->dim[i] * p->src_stride[i - 1];
            b += left % p->dim[i] * p->dst_stride[i - 1];
            left /= p->dim[i];
        }
        if (!adds) memcpy(c->expected + b, from + a, p->dim[0] * size);
        for (uint64_t e = 0; adds && e < p->dim[0]; e++)
            ((float *)(void *)(c->expected + b))[e] += ((float *)(void *)(from + a))[e];
    }
    c->config.keep_type = splitmix_below(seed, 2);
}

static void bulk(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    p->dtype = TMAP_UINT64;
    p->rank = 1;
    p->dim[0] = 2 * (1 + splitmix_below(seed, 20000));
    const uint8_t *from = room(s, p->dim[0] * 8, &p->src, seed);
    destination(s, c, p->dim[0] * 8);
    memcpy(c->expected, from, p->dim[0] * 8);
    c->config.slot_bytes = 2048 * (1 + splitmix_below(seed, 8));
}

static void transpose(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    const uint32_t size = 1u << splitmix_below(seed, 3), per = 128 / size;
    p->dtype = size == 1 ? TMAP_UINT8 : size == 2 ? TMAP_BFLOAT16 : TMAP_FLOAT32;
    p->rank = 2;
    p->dim[0] = per * (1 + splitmix_below(seed, 6));
    p->dim[1] = per * (3 + splitmix_below(seed, 4));
    const uint8_t *from = room(s, p->dim[0] * p->dim[1] * size, &p->src, seed);
    destination(s, c, p->dim[0] * p->dim[1] * size);
    for (uint64_t r = 0; r < p->dim[1]; r++)
        for (uint64_t k = 0; k < p->dim[0]; k++)
            memcpy(c->expected + (k * p->dim[1] + r) * size, from + (r * p->dim[0] + k) * size,
                   size);
}

/* 3 x 3 taps, padding 1, of an image {C, W, H, N}: rows of patches {C, taps}. */
static void im2col(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    const uint32_t ch = 32 * (1 + splitmix_below(seed, 3)), w = 4 + splitmix_below(seed, 9),
                   h = 4 + splitmix_below(seed, 5);
    const uint32_t n = 1 + splitmix_below(seed, 3), taps = 9;
    p->dtype = TMAP_BFLOAT16;
    p->rank = 4;
    p->dim[0] = ch, p->dim[1] = w, p->dim[2] = h, p->dim[3] = n;
    p->lower[0] = p->lower[1] = p->upper[0] = p->upper[1] = -1;
    p->taps[0] = p->taps[1] = 3;
    const uint8_t *from = room(s, (uint64_t)ch * w * h * n * 2, &p->src, seed);
    destination(s, c, (uint64_t)ch * w * h * n * taps * 2);
    uint8_t *to = c->expected;
    for (uint32_t i = 0; i < n * h * w; i++)
        for (uint32_t t = 0; t < taps; t++, to += ch * 2) {
            const int32_t x = (int32_t)(i % w + t % 3) - 1, y = (int32_t)(i / w % h + t / 3) - 1;
            memset(to, 0, ch * 2);
            if (x < 0 || y < 0 || x >= (int32_t)w || y >= (int32_t)h) continue;
            const uint64_t at = ((i / w / h * h + (uint32_t)y) * w + (uint32_t)x) * (uint64_t)ch;
            memcpy(to, from + at * 2, ch * 2);
        }
}

static void pages(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    const uint32_t n = 2 + splitmix_below(seed, 12), page = 2048 * (1 + splitmix_below(seed, 4));
    p->dtype = TMAP_UINT64;
    p->rank = 2;
    p->dim[0] = page / 8, p->dim[1] = n, p->page_count = n;
    const uint8_t *from = room(s, (uint64_t)page * n, &p->src, seed);
    int32_t *table = (int32_t *)(void *)room(s, n * 4, &p->index, NULL);
    destination(s, c, (uint64_t)page * n);
    for (uint32_t i = 0; i < n; i++) {
        table[i] = (int32_t)splitmix_below(seed, n);
        memcpy(c->expected + (uint64_t)i * page, from + (uint64_t)table[i] * page, page);
    }
}

static void broadcast(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    p->dtype = TMAP_UINT64;
    p->rank = 3;
    p->dim[0] = 256, p->dim[1] = 4 * (1 + splitmix_below(seed, 9)), p->dim[2] = 4;
    p->copies = splitmix_below(seed, 2) ? 2 : 4;
    p->copy_stride = p->dim[0] * p->dim[1] * p->dim[2] * 8;
    const uint8_t *from = room(s, p->copy_stride, &p->src, seed);
    destination(s, c, p->copies * p->copy_stride);
    for (uint32_t i = 0; i < p->copies; i++)
        memcpy(c->expected + i * p->copy_stride, from, p->copy_stride);
}

static void list(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    uint64_t at = 0, rows[8];
    p->dtype = TMAP_FLOAT32;
    p->rank = 2;
    p->dim[0] = 64;
    p->list_count = 2 + splitmix_below(seed, 6);
    for (uint32_t i = 0; i < p->list_count; i++) at += rows[i] = 1 + splitmix_below(seed, 40);
    p->dim[1] = at;
    p->src_stride[0] = p->dst_stride[0] = 256;
    const uint8_t *from = room(s, at * 256, &p->src, seed);
    destination(s, c, at * 256);
    memcpy(c->expected, from, at * 256);
    at = 0;
    for (uint32_t i = 0; i < p->list_count; at += rows[i++])
        c->list[i] = (struct tmap_copy_matrix){p->src + at * 256, p->dst + at * 256, rows[i]};
    p->list = c->list;
}

void emulated_copy_draw(struct tmap_copy *s, int32_t kind, uint32_t rank, uint64_t seed,
                        struct emulated_copy *c)
{
    memset(c, 0, sizeof *c);
    c->problem.kind = kind;
    c->config.slot_bytes = 4096;
    c->config.stages = 2 + splitmix_below(&seed, 2);
    c->config.blocks_per_sm = 1;
    if (kind == TMAP_COPY_TILE || kind == TMAP_COPY_ADD) tile(s, c, rank, &seed);
    if (kind == TMAP_COPY_BULK) bulk(s, c, &seed);
    if (kind == TMAP_COPY_TRANSPOSE)
        transpose(s, c, &seed), c->config.stages = 0, c->config.slot_bytes = 0;
    if (kind == TMAP_COPY_IM2COL) im2col(s, c, &seed);
    if (kind == TMAP_COPY_PAGES || kind == TMAP_COPY_PAGES_AT) pages(s, c, &seed);
    if (kind == TMAP_COPY_BROADCAST) broadcast(s, c, &seed), c->config.slot_bytes = 0;
    if (kind == TMAP_COPY_LIST || kind == TMAP_COPY_PATCHED) list(s, c, &seed);
}

void emulated_copy_free(struct tmap_copy *s, struct emulated_copy *c)
{
    s->gpu.api.mem_free(c->problem.src);
    s->gpu.api.mem_free(c->problem.dst);
    s->gpu.api.mem_free(c->problem.index);
    free(c->expected);
}

uint64_t emulated_copy_wrong(const struct emulated_copy *c)
{
    const uint8_t *d = (const uint8_t *)(uintptr_t)c->problem.dst;
    uint64_t i = 0;
    while (i < c->dst_bytes && d[i] == c->expected[i]) i++;
    return i;
}
