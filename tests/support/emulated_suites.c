/* Suites without a GPU, small problems and their plain answers. */
#include "support/emulated_suites.h"

#include <math.h>
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

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(splitmix(seed) >> 33) % n;
}

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
    p->dtype =
        adds ? TMAP_FLOAT32 : (int32_t[]){TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32}[below(seed, 3)];
    const uint32_t size = p->dtype == TMAP_UINT8 ? 1 : p->dtype == TMAP_BFLOAT16 ? 2 : 4;
    p->dim[0] = 16 * (1 + below(seed, 20));
    src_bytes = dst_bytes = p->dim[0] * size;
    for (uint32_t i = 1; i < rank; i++) {
        p->dim[i] = 1 + below(seed, i == 1 ? 40 : 4);
        p->src_stride[i - 1] = (src_bytes + 15) / 16 * 16 + 16 * below(seed, 3);
        p->dst_stride[i - 1] = (dst_bytes + 15) / 16 * 16 + 16 * below(seed, 3);
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
    c->config.keep_type = below(seed, 2);
}

static void bulk(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    p->dtype = TMAP_UINT64;
    p->rank = 1;
    p->dim[0] = 2 * (1 + below(seed, 20000));
    const uint8_t *from = room(s, p->dim[0] * 8, &p->src, seed);
    destination(s, c, p->dim[0] * 8);
    memcpy(c->expected, from, p->dim[0] * 8);
    c->config.slot_bytes = 2048 * (1 + below(seed, 8));
}

static void transpose(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    const uint32_t size = 1u << below(seed, 3), per = 128 / size;
    p->dtype = size == 1 ? TMAP_UINT8 : size == 2 ? TMAP_BFLOAT16 : TMAP_FLOAT32;
    p->rank = 2;
    p->dim[0] = per * (1 + below(seed, 6));
    p->dim[1] = per * (3 + below(seed, 4));
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
    const uint32_t ch = 32 * (1 + below(seed, 3)), w = 4 + below(seed, 9), h = 4 + below(seed, 5);
    const uint32_t n = 1 + below(seed, 3), taps = 9;
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
    const uint32_t n = 2 + below(seed, 12), page = 2048 * (1 + below(seed, 4));
    p->dtype = TMAP_UINT64;
    p->rank = 2;
    p->dim[0] = page / 8, p->dim[1] = n, p->page_count = n;
    const uint8_t *from = room(s, (uint64_t)page * n, &p->src, seed);
    int32_t *table = (int32_t *)(void *)room(s, n * 4, &p->index, NULL);
    destination(s, c, (uint64_t)page * n);
    for (uint32_t i = 0; i < n; i++) {
        table[i] = (int32_t)below(seed, n);
        memcpy(c->expected + (uint64_t)i * page, from + (uint64_t)table[i] * page, page);
    }
}

static void broadcast(struct tmap_copy *s, struct emulated_copy *c, uint64_t *seed)
{
    struct tmap_copy_problem *p = &c->problem;
    p->dtype = TMAP_UINT64;
    p->rank = 3;
    p->dim[0] = 256, p->dim[1] = 4 * (1 + below(seed, 9)), p->dim[2] = 4;
    p->copies = below(seed, 2) ? 2 : 4;
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
    p->list_count = 2 + below(seed, 6);
    for (uint32_t i = 0; i < p->list_count; i++) at += rows[i] = 1 + below(seed, 40);
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
    c->config.stages = 2 + below(&seed, 2);
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

/* --- products */

/* Bits of a number's exponent and mantissa, and where the mantissa ends. */
static const struct {
    int exponent, mantissa, bits, shift;
} formats[GEMM_KINDS] = {
    [GEMM_BF16] = {8, 7, 16, 0}, [GEMM_F16] = {5, 10, 16, 0}, [GEMM_TF32] = {8, 10, 32, 13},
    [GEMM_E4M3] = {4, 3, 8, 0},  [GEMM_E5M2] = {5, 2, 8, 0},  [GEMM_S8] = {0, 0, 8, 0},
    [GEMM_E2M1] = {2, 1, 4, 0}};

/* Toward zero, and 0 below the smallest normal number; *v becomes what the bits say. */
static uint32_t element(int32_t kind, double *v)
{
    const int bits = formats[kind].mantissa, bias = (1 << (formats[kind].exponent - 1)) - 1;
    int e;
    if (kind == GEMM_S8) return (uint32_t)(int32_t)(*v = trunc(*v));
    if (kind == GEMM_E2M1 && fabs(*v) > 6) *v = *v < 0 ? -6 : 6; /* a normal number may be larger */
    const double m = frexp(fabs(*v), &e);                        /* m in [1/2, 1) */
    const uint32_t whole = (uint32_t)ldexp(m, bits + 1), sign = *v < 0;
    if (whole == 0 || e - 1 + bias < 1) return (uint32_t)(*v = 0);
    *v = ldexp(sign ? -(double)whole : (double)whole, e - bits - 1);
    const uint32_t exponent = (uint32_t)(e - 1 + bias), mantissa = whole - (1u << bits);
    return (sign << (formats[kind].exponent + bits) | exponent << bits | mantissa)
           << formats[kind].shift;
}

/* Four uniform numbers make a normal one near enough, and the same on every machine. */
static double drawn(int32_t kind, enum emulated_fill fill, uint64_t *seed)
{
    if (fill == EMULATED_INTEGERS) return (double)((int)below(seed, 4) - 2);
    const uint64_t r = splitmix(seed);
    const int sum = (int)(r & 0xffff) + (int)(r >> 16 & 0xffff) + (int)(r >> 32 & 0xffff) +
                    (int)(r >> 48) - 2 * 0xffff;
    return kind == GEMM_S8 ? sum / 1024 : sum / 32768.0;
}

/* Stored rows x length, of which the row counts m or n unless it is mn_major. */
static double *operand(struct tmap_gemm *s, struct tmap_gemm_matrix *m, int32_t kind, int32_t mn,
                       int32_t k, int32_t batch, enum emulated_fill fill, uint64_t *seed)
{
    const int32_t size = formats[kind].bits;
    const int64_t rows = m->mn_major ? k : mn, length = m->mn_major ? mn : k;
    m->ld = (length * size + 127) / 128 * 128 / size;
    m->batch_stride = m->ld * rows;
    if (s->gpu.api.mem_alloc(&m->address, (uint64_t)(m->batch_stride * batch * size / 8)))
        return NULL;
    double *v = malloc(sizeof *v * (size_t)(batch * (int64_t)mn * k));
    uint8_t *to = (uint8_t *)(uintptr_t)m->address;
    for (int64_t i = 0; v && i < (int64_t)batch * mn * k; i++) {
        const int64_t b = i / ((int64_t)mn * k), r = i / k % mn, c = i % k;
        v[i] = drawn(kind, fill, seed);
        const uint32_t bits = element(kind, &v[i]);
        const int64_t at = b * m->batch_stride + (m->mn_major ? c * m->ld + r : r * m->ld + c);
        if (size == 4)
            to[at / 2] = (uint8_t)(at % 2 ? (to[at / 2] & 15) | bits << 4 : bits);
        else
            memcpy(to + at * size / 8, &bits, (size_t)size / 8);
    }
    return v;
}

/* Of an e4m3 without its sign. */
static double scale_value(int32_t block, uint8_t byte)
{
    return block == 32 ? ldexp(1, byte - 127) : ldexp(8 + byte % 8, byte / 8 - 10);
}

/* Factors for every block of a row, those beyond K too, in the tiles of GEMM_SCALE_BYTES: 2^-1 to
 * 2^1, as ue4m3 with some fraction too; the numbers become the scaled ones. */
static bool scale(struct tmap_gemm *s, uint64_t *address, double *v, int32_t kind, int32_t mn,
                  int32_t k, int32_t batch, uint64_t *seed)
{
    const int32_t block = gemm_scale_block(kind), wide = 4 * block;
    const int64_t tiles = (mn + 127) / 128, k_tiles = gemm_scale_tiles(kind, k);
    const int64_t bytes = batch * tiles * k_tiles * GEMM_SCALE_BYTES;
    if (s->gpu.api.mem_alloc(address, (uint64_t)bytes)) return false;
    uint8_t *to = (uint8_t *)(uintptr_t)*address;
    for (int64_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(block == 32 ? 126 + below(seed, 3) : 48 + 2 * below(seed, 12));
    for (int64_t i = 0; i < (int64_t)batch * mn * k; i++) {
        const int64_t b = i / ((int64_t)mn * k), r = i / k % mn, c = i % k;
        const int64_t tile = ((b * tiles + r / 128) * k_tiles + c / wide) * GEMM_SCALE_BYTES;
        v[i] *= scale_value(block, to[tile + r % 32 * 16 + r % 128 / 32 * 4 + c % wide / block]);
    }
    return true;
}

/* e4m3 has no infinity and one NaN a sign; of e5m2 infinities count as NaNs here. */
static double narrow_value(int32_t out, uint8_t bits)
{
    const int mantissa = out == TMAP_GEMM_OUT_E4M3 ? 3 : 2, bias = mantissa == 3 ? 7 : 15;
    const int exponent = (bits & 127) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    if (mantissa == 3 ? (bits & 127) == 127 : exponent == 31) return NAN;
    const double v = exponent ? ldexp((1 << mantissa) + fraction, exponent - bias - mantissa)
                              : ldexp(fraction, 1 - bias - mantissa);
    return bits & 128 ? -v : v;
}

static double value_at(const struct tmap_gemm_problem *p, uint64_t address, int64_t at)
{
    const uint8_t *d = (const uint8_t *)(uintptr_t)address;
    uint32_t bits = 0;
    float f;
    if (p->out == TMAP_GEMM_OUT_S32) return (double)((const int32_t *)(const void *)d)[at];
    if (p->out == TMAP_GEMM_OUT_F32) return (double)((const float *)(const void *)d)[at];
    if (gemm_is_narrow(p->out)) return narrow_value(p->out, d[at]);
    memcpy(&bits, d + 2 * at, 2);
    if (p->out == TMAP_GEMM_OUT_F16) {
        const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        if (exponent == 31) return NAN; /* nothing here is as large as infinity */
        return (bits & 0x8000 ? -1.0 : 1.0) *
               (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
    }
    bits <<= 16;
    memcpy(&f, &bits, 4);
    return (double)f;
}

/* C of D's shape and type, of the integers -2 .. 1. */
static bool addend(struct tmap_gemm *s, struct tmap_gemm_problem *p, uint64_t *seed)
{
    static const int32_t kind[] = {[TMAP_GEMM_OUT_BF16] = GEMM_BF16,
                                   [TMAP_GEMM_OUT_F16] = GEMM_F16,
                                   [TMAP_GEMM_OUT_F32] = GEMM_TF32};
    const uint32_t size = (uint32_t)gemm_out_bytes(p->out);
    p->c.ld = p->d.ld + 3;
    const int64_t rows = p->d.mn_major ? p->n : p->m, count = rows * p->c.ld * p->batch;
    p->c.batch_stride = rows * p->c.ld;
    p->c.mn_major = p->d.mn_major;
    if (s->gpu.api.mem_alloc(&p->c.address, (uint64_t)count * size)) return false;
    uint8_t *to = (uint8_t *)(uintptr_t)p->c.address;
    for (int64_t i = 0; i < count; i++) {
        double v = (double)below(seed, 4) - 2;
        const uint32_t bits =
            p->out == TMAP_GEMM_OUT_S32 ? (uint32_t)(int)v : element(kind[p->out], &v);
        memcpy(to + i * size, &bits, size);
    }
    return true;
}

static double addend_at(const struct tmap_gemm_problem *p, int64_t i)
{
    const int64_t b = i / p->n / p->m, r = i / p->n % p->m, c = i % p->n;
    return value_at(p, p->c.address,
                    b * p->c.batch_stride + (p->d.mn_major ? c * p->c.ld + r : r * p->c.ld + c));
}

static void plain_sums(const struct tmap_gemm_problem *p, const double *a, const double *b,
                       struct emulated_product *out)
{
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * p->n; i++) {
        const int64_t g = i / p->n, batch = g / p->m;
        const double *x = a + g * p->k, *y = b + (batch * p->n + i % p->n) * p->k;
        double sum = 0, size = 0;
        for (int32_t k = 0; k < p->k; k++) sum += x[k] * y[k], size += fabs(x[k] * y[k]);
        out->expected[i] = sum * (double)p->alpha;
        out->size[i] = size * fabs((double)p->alpha);
        if (p->beta != 0.0f) {
            const double more = (double)p->beta * addend_at(p, i);
            out->expected[i] += more;
            out->size[i] += fabs(more);
        }
    }
}

bool emulated_product_fill(struct tmap_gemm *s, const struct tmap_gemm_problem *shape,
                           uint64_t seed, enum emulated_fill fill, struct emulated_product *out)
{
    struct tmap_gemm_problem *p = &out->problem;
    *p = *shape;
    const uint32_t size = (uint32_t)gemm_out_bytes(p->out);
    const size_t elements = (size_t)p->batch * (size_t)p->m * (size_t)p->n;
    double *a = operand(s, &p->a, gemm_operand_kind(p->kind, 0), p->m, p->k, p->batch, fill, &seed);
    double *b = operand(s, &p->b, gemm_operand_kind(p->kind, 1), p->n, p->k, p->batch, fill, &seed);
    if (a && b && gemm_is_scaled(p->kind) &&
        !(scale(s, &p->a_scales, a, p->kind, p->m, p->k, p->batch, &seed) &&
          scale(s, &p->b_scales, b, p->kind, p->n, p->k, p->batch, &seed)))
        return false;
    const int32_t rows = p->d.mn_major ? p->n : p->m, length = p->d.mn_major ? p->m : p->n;
    p->d.ld = (length * (int64_t)size + 15) / 16 * 16 / size;
    p->d.batch_stride = p->d.ld * rows;
    out->expected = malloc(2 * sizeof(double) * elements);
    if (!a || !b || !out->expected ||
        s->gpu.api.mem_alloc(&p->d.address, (uint64_t)(p->d.batch_stride * p->batch) * size))
        return false;
    out->size = out->expected + elements;
    memset((void *)(uintptr_t)p->d.address, 0xff, (uint64_t)(p->d.batch_stride * p->batch) * size);
    if (p->beta != 0.0f && !addend(s, p, &seed)) return false;
    plain_sums(p, a, b, out);
    free(a);
    free(b);
    return true;
}

bool emulated_product_make(struct tmap_gemm *s, const struct tmap_gemm_problem *shape,
                           uint64_t seed, struct emulated_product *out)
{
    return emulated_product_fill(s, shape, seed, EMULATED_INTEGERS, out);
}

static int64_t place_of(const struct tmap_gemm_problem *p, int64_t i)
{
    const int64_t b = i / p->n / p->m, r = i / p->n % p->m, c = i % p->n;
    return b * p->d.batch_stride + (p->d.mn_major ? c * p->d.ld + r : r * p->d.ld + c);
}

/* To nearest even, in the upper half of the word: sums of more than 256 need it. */
static uint32_t as_bf16(double v)
{
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
}

static double wanted(const struct emulated_product *out, int64_t i)
{
    const uint32_t bits = as_bf16(out->expected[i]);
    float f;
    memcpy(&f, &bits, 4);
    return out->problem.out == TMAP_GEMM_OUT_BF16 ? (double)f : out->expected[i];
}

uint8_t *emulated_product_bytes(const struct emulated_product *out, size_t *bytes)
{
    const struct tmap_gemm_problem *p = &out->problem;
    const size_t size = p->out == TMAP_GEMM_OUT_BF16 ? 2 : 4;
    *bytes = emulated_bytes(p->d.address);
    uint8_t *image = p->out == TMAP_GEMM_OUT_F16 ? NULL : malloc(*bytes);
    if (!image) return NULL;
    memcpy(image, (const void *)(uintptr_t)p->d.address, *bytes);
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * p->n; i++) {
        const float real = (float)out->expected[i];
        uint32_t word = (uint32_t)(int32_t)out->expected[i];
        if (p->out != TMAP_GEMM_OUT_S32) memcpy(&word, &real, 4);
        if (p->out == TMAP_GEMM_OUT_BF16) word = as_bf16(out->expected[i]) >> 16;
        memcpy(image + size * (size_t)place_of(p, i), &word, size);
    }
    return image;
}

double emulated_product_addend(const struct emulated_product *out, int64_t i)
{
    return addend_at(&out->problem, i);
}

uint64_t emulated_product_wrong(const struct emulated_product *out)
{
    const struct tmap_gemm_problem *p = &out->problem;
    uint64_t wrong = 0;
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * p->n; i++)
        wrong += value_at(p, p->d.address, place_of(p, i)) != wanted(out, i);
    return wrong;
}

double emulated_product_worst(const struct emulated_product *out)
{
    const struct tmap_gemm_problem *p = &out->problem;
    double worst = 0;
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * p->n; i++) {
        const double found = value_at(p, p->d.address, place_of(p, i));
        const double off = fabs(found - out->expected[i]) / (out->size[i] + 1e-30);
        if (found != found) return NAN;
        if (off > worst) worst = off;
    }
    return worst;
}

void emulated_product_free(struct tmap_gemm *s, struct emulated_product *out)
{
    s->gpu.api.mem_free(out->problem.a.address);
    s->gpu.api.mem_free(out->problem.b.address);
    s->gpu.api.mem_free(out->problem.c.address);
    s->gpu.api.mem_free(out->problem.d.address);
    s->gpu.api.mem_free(out->problem.a_scales);
    s->gpu.api.mem_free(out->problem.b_scales);
    free(out->expected);
}
