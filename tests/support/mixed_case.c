#include "support/mixed_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/splitmix.h"

static int32_t bits_of(const struct tmap_mixed_problem *p)
{
    return p->weight == TMAP_MIXED_U4 ? 4 : 8;
}

static int64_t groups_of(const struct tmap_mixed_problem *p)
{
    return p->group ? (p->k + p->group - 1) / p->group : 0;
}

/* --- numbers of 16 bits, and of e4m3 */

static uint16_t code_of(int32_t kind, double x)
{
    int e;
    if (x == 0) return 0;
    const double m = frexp(fabs(x), &e); /* exact ones only */
    const uint16_t sign = x < 0 ? 0x8000 : 0;
    if (kind == TMAP_GEMM_BF16) return (uint16_t)(sign | (e + 126) << 7 | (int)((m * 2 - 1) * 128));
    return (uint16_t)(sign | (e + 14) << 10 | (int)((m * 2 - 1) * 1024));
}

static double value_of(int32_t type, const uint8_t *at)
{
    uint32_t word = 0;
    float f;
    if (type == TMAP_GEMM_OUT_F32) {
        memcpy(&f, at, 4);
        return (double)f;
    }
    memcpy(&word, at, 2);
    const int bits = type == TMAP_GEMM_OUT_BF16 ? 7 : 10,
              bias = type == TMAP_GEMM_OUT_BF16 ? 127 : 15;
    const int e = (int)(word >> bits & (uint32_t)(2 * bias + 1)),
              m = (int)(word & ((1u << bits) - 1));
    const double sign = word >> 15 ? -1 : 1;
    if (e == 2 * bias + 1) return m ? (double)NAN : sign * (double)INFINITY;
    return sign * (e ? ldexp(m + (1 << bits), e - bias - bits) : ldexp(m, 1 - bias - bits));
}

/* The nearest number of the type. */
static double rounded(int32_t type, double x)
{
    if (type == TMAP_GEMM_OUT_F32 || x == 0) return (double)(float)x;
    const int bits = type == TMAP_GEMM_OUT_BF16 ? 7 : 10,
              least = type == TMAP_GEMM_OUT_BF16 ? -126 : -14;
    const int e = ilogb(x) < least ? least : ilogb(x);
    const double y = ldexp(rint(ldexp(x, bits - e)), e - bits);
    return type == TMAP_GEMM_OUT_F16 && fabs(y) > 65504 ? copysign((double)INFINITY, y) : y;
}

static double e4m3(uint8_t x)
{
    const int e = x >> 3 & 15, m = x & 7;
    return (x >> 7 ? -1 : 1) * (e ? ldexp(8 + m, e - 10) : ldexp(m, -9));
}

/* --- the definition */

static double weight_at(const struct mixed_case *c, int32_t j, int32_t k)
{
    const struct tmap_mixed_problem *p = &c->problem;
    const int64_t at = j * p->weights_ld + k;
    const uint8_t byte = c->weights[at * bits_of(p) / 8];
    const int64_t g = p->group ? k / p->group : 0;
    double q = p->weight == TMAP_MIXED_U4   ? (byte >> (at % 2 ? 4 : 0) & 15)
               : p->weight == TMAP_MIXED_S8 ? (int8_t)byte
                                            : e4m3(byte);
    if (p->zeros)
        q -= p->weight == TMAP_MIXED_S8 ? (int8_t)c->zeros[g * p->zeros_ld + j]
                                        : c->zeros[g * p->zeros_ld + j];
    else if (p->weight == TMAP_MIXED_U4)
        q -= 8;
    if (!p->scales) return q;
    return q * (p->group
                    ? value_of(p->kind == TMAP_GEMM_BF16 ? TMAP_GEMM_OUT_BF16 : TMAP_GEMM_OUT_F16,
                               c->scales + (g * p->scales_ld + j) * 2)
                    : value_of(TMAP_GEMM_OUT_F32, c->scales + j * 4));
}

static double expected(const struct mixed_case *c, int32_t i, int32_t j)
{
    const struct tmap_mixed_problem *p = &c->problem;
    const int32_t type = p->kind == TMAP_GEMM_BF16 ? TMAP_GEMM_OUT_BF16 : TMAP_GEMM_OUT_F16;
    double sum = 0;
    for (int32_t k = 0; k < p->k; k++) {
        const double x = value_of(type, c->activations + (i * p->activations_ld + k) * 2);
        if (x != 0) sum += x * weight_at(c, j, k);
    }
    return rounded(p->out, sum);
}

/* --- filling */

static void fill_activations(struct mixed_case *c, uint64_t *r)
{
    const struct tmap_mixed_problem *p = &c->problem;
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t k = 0; k < p->activations_ld; k++) {
            const double x = c->fill == MIXED_ONE_HOT ? k == (5 * (int64_t)i + 3) % p->k
                                                      : (double)splitmix_below(r, 4) - 2;
            const uint16_t code = k < p->k ? code_of(p->kind, x) : 0x7fff; /* beyond: a NaN */
            memcpy(c->activations + (i * p->activations_ld + k) * 2, &code, 2);
        }
}

/* Of e4m3 for exact sums those of 2^-3 to 7.5. */
static void fill_weights(struct mixed_case *c, uint64_t *r)
{
    const bool narrow = c->problem.weight == TMAP_MIXED_E4M3 && c->fill == MIXED_INTEGERS;
    for (size_t i = 0; i < c->bytes[1]; i++) {
        uint8_t x = (uint8_t)splitmix_below(r, 256);
        if (narrow) x = (uint8_t)((x & 0x87) | (4 + splitmix_below(r, 6)) << 3);
        if (c->problem.weight == TMAP_MIXED_E4M3 && (x & 0x7f) == 0x7f) x--;
        c->weights[i] = x;
    }
}

static void fill_scales(struct mixed_case *c, uint64_t *r)
{
    const struct tmap_mixed_problem *p = &c->problem;
    for (size_t i = 0; i < c->bytes[2] / (p->group ? 2 : 4); i++) {
        double x = ldexp(1, (int)splitmix_below(r, 4) - 2);
        if (c->fill == MIXED_ONE_HOT) x *= (double)(128 + splitmix_below(r, 128)) / 128;
        const uint16_t code = code_of(p->kind, x);
        const float wide = (float)x;
        if (p->group)
            memcpy(c->scales + i * 2, &code, 2);
        else
            memcpy(c->scales + i * 4, &wide, 4);
    }
    for (size_t i = 0; i < c->bytes[3]; i++)
        c->zeros[i] = (uint8_t)splitmix_below(r, p->weight == TMAP_MIXED_U4 ? 16 : 256);
}

static int64_t up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static void widths(struct tmap_mixed_problem *p)
{
    const int32_t out_bytes = p->out == TMAP_GEMM_OUT_F32 ? 4 : 2;
    if (!p->activations_ld) p->activations_ld = up(p->k, 8);
    if (!p->weights_ld) p->weights_ld = up(p->k, 128 / bits_of(p));
    if (!p->scales_ld) p->scales_ld = up(p->n, 8);
    if (!p->zeros_ld) p->zeros_ld = up(p->n, 16);
    if (!p->d_ld) p->d_ld = up(p->n, 16 / out_bytes);
}

static bool bring(struct tmap_gemm *suite, uint8_t **here, uint64_t *there, size_t bytes)
{
    *here = calloc(1, bytes + 1);
    return *here && suite->gpu.api.mem_alloc(there, bytes ? bytes : 16) == 0;
}

bool mixed_case_make(struct tmap_gemm *suite, const struct tmap_mixed_problem *shape,
                     enum mixed_fill fill, uint64_t seed, struct mixed_case *c)
{
    struct tmap_mixed_problem *p = &c->problem;
    uint64_t r = seed;
    memset(c, 0, sizeof *c);
    *p = *shape;
    c->fill = fill;
    widths(p);
    const bool scaled = p->scales != 0, zeros = p->zeros != 0;
    c->bytes[0] = (size_t)(p->m * p->activations_ld * 2);
    c->bytes[1] = (size_t)(p->n * p->weights_ld * bits_of(p) / 8);
    c->bytes[2] = scaled ? (size_t)(p->group ? groups_of(p) * p->scales_ld * 2 : p->n * 4) : 0;
    c->bytes[3] = zeros ? (size_t)(groups_of(p) * p->zeros_ld) : 0;
    c->d_bytes = (size_t)((p->m + 1) * p->d_ld * (p->out == TMAP_GEMM_OUT_F32 ? 4 : 2));
    uint8_t **here[4] = {&c->activations, &c->weights, &c->scales, &c->zeros};
    uint64_t *there[4] = {&p->activations, &p->weights, &p->scales, &p->zeros};
    for (int i = 0; i < 4; i++)
        if (!bring(suite, here[i], there[i], c->bytes[i])) return false;
    if (suite->gpu.api.mem_alloc(&p->d, c->d_bytes)) return false;
    fill_activations(c, &r);
    fill_weights(c, &r);
    fill_scales(c, &r);
    for (int i = 0; i < 4; i++)
        if (c->bytes[i] && suite->gpu.api.memcpy_htod(*there[i], *here[i], c->bytes[i]))
            return false;
    if (!scaled) suite->gpu.api.mem_free(p->scales), p->scales = 0;
    if (!zeros) suite->gpu.api.mem_free(p->zeros), p->zeros = 0;
    return mixed_case_poison(suite, c);
}

void mixed_case_free(struct tmap_gemm *suite, struct mixed_case *c)
{
    const struct tmap_mixed_problem *p = &c->problem;
    const uint64_t there[] = {p->activations, p->weights, p->scales, p->zeros, p->d};
    for (int i = 0; i < 5; i++)
        if (there[i]) suite->gpu.api.mem_free(there[i]);
    free(c->activations), free(c->weights), free(c->scales), free(c->zeros);
    memset(c, 0, sizeof *c);
}

bool mixed_case_poison(struct tmap_gemm *suite, const struct mixed_case *c)
{
    uint8_t *bytes = malloc(c->d_bytes);
    if (!bytes) return false;
    memset(bytes, 0xff, c->d_bytes);
    const bool good = suite->gpu.api.memcpy_htod(c->problem.d, bytes, c->d_bytes) == 0;
    free(bytes);
    return good;
}

/* Row i's bytes beside the N elements. */
static uint64_t beside(const struct mixed_case *c, const uint8_t *row, int64_t element)
{
    const struct tmap_mixed_problem *p = &c->problem;
    uint64_t changed = 0;
    for (int64_t i = p->n * element; i < p->d_ld * element; i++) changed += row[i] != 0xff;
    return changed;
}

uint64_t mixed_case_wrong(struct tmap_gemm *suite, const struct mixed_case *c, uint64_t most,
                          int32_t first[2])
{
    const struct tmap_mixed_problem *p = &c->problem;
    const int64_t element = p->out == TMAP_GEMM_OUT_F32 ? 4 : 2;
    const uint64_t all = (uint64_t)p->m * (uint64_t)p->n, count = all < most ? all : most;
    uint8_t *d = malloc(c->d_bytes);
    uint64_t wrong = 0, r = 1;
    if (!d || suite->gpu.api.memcpy_dtoh(d, p->d, c->d_bytes)) {
        free(d);
        return UINT64_MAX;
    }
    for (uint64_t e = 0; e < count; e++) {
        const uint64_t at = all <= most ? e : splitmix(&r) % all;
        const int32_t i = (int32_t)(at / (uint64_t)p->n), j = (int32_t)(at % (uint64_t)p->n);
        const double got = value_of(p->out, d + (i * p->d_ld + j) * element);
        if (got == expected(c, i, j)) continue;
        if (wrong++ == 0) first[0] = i, first[1] = j;
    }
    for (int64_t i = 0; i < p->m; i++) wrong += beside(c, d + i * p->d_ld * element, element);
    for (int64_t i = p->m * p->d_ld * element; i < (int64_t)c->d_bytes; i++) wrong += d[i] != 0xff;
    free(d);
    return wrong;
}

struct tmap_mixed_problem mixed_case_draw(uint64_t *r, double most)
{
    static const int32_t groups[] = {0, 32, 64, 128, 128};
    struct tmap_mixed_problem p;
    do {
        memset(&p, 0, sizeof p);
        p.kind = splitmix_below(r, 3) ? TMAP_GEMM_BF16 : TMAP_GEMM_F16;
        p.out = (int32_t)splitmix_below(r, 3);
        p.weight = (int32_t)splitmix_below(r, 3);
        p.group = groups[splitmix_below(r, 5)];
        p.scales = p.group || splitmix_below(r, 2);
        p.zeros = p.group && p.weight != TMAP_MIXED_E4M3 && splitmix_below(r, 2);
        p.m = 1 + (int32_t)splitmix_below(r, splitmix_below(r, 4) ? 20 : 200);
        p.n = 8 * (1 + (int32_t)splitmix_below(r, splitmix_below(r, 2) ? 70 : 300));
        p.k = 2 * (1 + (int32_t)splitmix_below(r, splitmix_below(r, 2) ? 400 : 4000));
        if (p.weight != TMAP_MIXED_U4) p.k -= (int32_t)splitmix_below(r, 2);
        p.activations_ld = up(p.k, 8) + 8 * (int64_t)splitmix_below(r, 2);
        p.d_ld = up(p.n, 8) + 8 * (int64_t)splitmix_below(r, 3);
    } while ((double)p.m * p.n * p.k > most);
    return p;
}
