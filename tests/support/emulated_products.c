/* Small products for suites without a GPU, and their plain sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"
#include "support/splitmix.h"

enum { UNWRITTEN = 0xff }; /* what D's bytes are before a run */

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
    if (fill == EMULATED_INTEGERS) return (double)((int)splitmix_below(seed, 4) - 2);
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
        to[i] = (uint8_t)(block == 32 ? 126 + splitmix_below(seed, 3)
                                      : 48 + 2 * splitmix_below(seed, 12));
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
        double v = (double)splitmix_below(seed, 4) - 2;
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
    memset((void *)(uintptr_t)p->d.address, UNWRITTEN,
           (uint64_t)(p->d.batch_stride * p->batch) * size);
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

/* Bytes between the ends of D's rows and the next ones that are not as they were before. */
static uint64_t written_beyond(const struct tmap_gemm_problem *p)
{
    const int64_t size = gemm_out_bytes(p->out), length = p->d.mn_major ? p->m : p->n;
    const int64_t rows = p->batch * (int64_t)(p->d.mn_major ? p->n : p->m);
    const uint8_t *d = (const uint8_t *)(uintptr_t)p->d.address;
    uint64_t written = 0;
    for (int64_t row = 0; row < rows; row++, d += p->d.ld * size)
        for (int64_t i = length * size; i < p->d.ld * size; i++) written += d[i] != UNWRITTEN;
    return written;
}

uint64_t emulated_product_wrong(const struct emulated_product *out)
{
    const struct tmap_gemm_problem *p = &out->problem;
    uint64_t wrong = written_beyond(p);
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * p->n; i++)
        wrong += value_at(p, p->d.address, place_of(p, i)) != wanted(out, i);
    return wrong;
}

double emulated_product_worst(const struct emulated_product *out)
{
    const struct tmap_gemm_problem *p = &out->problem;
    double worst = 0;
    if (written_beyond(p)) return NAN;
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
