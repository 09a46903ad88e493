/* Epilogues by the plainest arithmetic there is: element by element, in double. */
#include "support/emulated_epilogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/splitmix.h"

static const double PI = 3.14159265358979323846;

static double activated(int32_t activation, double x)
{
    switch (activation) {
    case TMAP_GEMM_RELU:
        return x > 0 ? x : 0;
    case TMAP_GEMM_GELU_TANH:
        return 0.5 * x * (1 + tanh(sqrt(2 / PI) * (x + 0.044715 * x * x * x)));
    case TMAP_GEMM_GELU_ERF:
        return 0.5 * x * (1 + erf(x / sqrt(2)));
    case TMAP_GEMM_SILU:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

/* Powers of two other than 1, or multiples of 1/4 about `middle`: exact in every type. */
static double number(bool scale, int middle, uint64_t *seed)
{
    const uint32_t r = (uint32_t)(splitmix(seed) >> 33);
    return scale ? (const double[]){0.25, 0.5, 2}[r % 3] : (int)(r % 17) / 4.0 - 2 + middle;
}

static void put(uint8_t *at, int32_t type, int64_t i, double v)
{
    const float f = (float)v;
    uint32_t bits;
    int e;
    memcpy(&bits, &f, 4);
    if (type == TMAP_GEMM_OUT_F32) {
        memcpy(at + 4 * i, &bits, 4);
    } else {
        uint16_t half = (uint16_t)(bits >> 16);
        const double m = frexp(fabs(v), &e);
        if (type == TMAP_GEMM_OUT_F16)
            half =
                v == 0
                    ? 0
                    : (uint16_t)((v < 0 ? 0x8000 : 0) | (e + 14) << 10 | ((int)(m * 2048) & 1023));
        memcpy(at + 2 * i, &half, 2);
    }
}

/* Memory for a vector that is wanted; NULL else, and for want of memory. */
static double *vector(struct tmap_gemm *s, uint64_t *address, int32_t type, int64_t count,
                      bool scale, int middle, uint64_t *seed)
{
    if (!*address) return NULL;
    double *v = malloc(sizeof *v * (size_t)count);
    if (!v || s->gpu.api.mem_alloc(address, (uint64_t)count * 4)) abort();
    for (int64_t i = 0; i < count; i++)
        put((uint8_t *)(uintptr_t)*address, type, i, v[i] = number(scale, middle, seed));
    return v;
}

static double at(const double *v, int64_t i, double otherwise)
{
    return v ? v[i] : otherwise;
}

/* Of the hardware's tanh, which serves D of 16 bits, and of the polynomial in erf's place. */
static double approximation(const struct tmap_gemm_problem *p, double x)
{
    if (p->epilogue.activation < TMAP_GEMM_GELU_TANH || p->out == TMAP_GEMM_OUT_F32) return 0;
    return 0x1p-12 * fabs(x) + (p->epilogue.activation == TMAP_GEMM_GELU_ERF ? 2.6e-5 : 0);
}

/* Half of the last place that D's type keeps, and half of its smallest step. */
static double rounding(int32_t out, double y)
{
    static const double half[][2] = {[TMAP_GEMM_OUT_BF16] = {0x1p-8, 0},
                                     [TMAP_GEMM_OUT_F16] = {0x1p-11, 0},
                                     [TMAP_GEMM_OUT_F32] = {0x1p-22, 0},
                                     [TMAP_GEMM_OUT_E4M3] = {0x1p-4, 0x1p-10},
                                     [TMAP_GEMM_OUT_E5M2] = {0x1p-3, 0x1p-17}};
    return half[out][0] * fabs(y) + half[out][1];
}

/* What fp32 and the kernel's approximations may make of the activation of x. */
static double inexact(const struct tmap_gemm_problem *p, double x)
{
    return 1e-6 * (1 + fabs(x)) + approximation(p, x);
}

/* The largest that D's type has takes the place of what is larger. */
static double held(int32_t out, double y)
{
    const double most = out == TMAP_GEMM_OUT_E4M3   ? 448
                        : out == TMAP_GEMM_OUT_E5M2 ? 57344
                                                    : INFINITY;
    return fmax(fmin(y, most), -most);
}

struct vectors {
    double *alpha, *beta, *row_scale, *col_scale, *row_bias, *col_bias, *d_scale;
};

/* The product's expected values are sums with C, alpha and beta of 1. */
static void finish(const struct vectors *v, double *before, struct emulated_epilogue *out)
{
    const struct tmap_gemm_problem *p = &out->product.problem;
    const double alpha = (double)p->alpha * at(v->alpha, 0, 1);
    const double beta = (double)p->beta * at(v->beta, 0, 1);
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * p->n; i++) {
        const int64_t row = i / p->n % p->m, col = i % p->n;
        const double scale = alpha * at(v->row_scale, row, 1) * at(v->col_scale, col, 1);
        const double c = p->beta != 0.0f ? emulated_product_addend(&out->product, i) : 0;
        const double x = scale * (out->product.expected[i] - c) + beta * c +
                         at(v->row_bias, row, 0) + at(v->col_bias, col, 0);
        const double y = activated(p->epilogue.activation, x);
        const double kept = at(v->d_scale, 0, 1);
        if (out->second)
            out->second[i] = x, out->second_allowed[i] = rounding(p->out, x) + inexact(p, x);
        out->product.expected[i] = held(p->out, kept * y);
        out->product.size[i] = rounding(p->out, kept * y) + kept * inexact(p, x);
        if (before) before[i] = x;
        if (fabs(y) > out->amax) out->amax = fabs(y), out->amax_allowed = approximation(p, x);
    }
}

/* Of a gate, whose product's expected values are activated where they are the first half's: half as
 * many columns, the first's value times the second's before its activation. */
static void fold(const struct vectors *v, const double *before, struct emulated_epilogue *out)
{
    const struct tmap_gemm_problem *p = &out->product.problem;
    const bool pairs = p->epilogue.gate == TMAP_GEMM_GATE_PAIRS;
    const int32_t columns = p->n / 2;
    const double kept = at(v->d_scale, 0, 1);
    out->amax = 0;
    for (int64_t i = 0; i < (int64_t)p->batch * p->m * columns; i++) {
        const int64_t row = i / columns * p->n, j = i % columns;
        const double x = before[row + (pairs ? 2 * j : j)];
        const double y = before[row + (pairs ? 2 * j + 1 : columns + j)];
        const double z = activated(p->epilogue.activation, x) * y;
        out->product.expected[i] = held(p->out, kept * z);
        out->product.size[i] =
            rounding(p->out, kept * z) + kept * inexact(p, x) * (1e-6 + fabs(y)) + 1e-6 * fabs(z);
        if (fabs(z) > out->amax) out->amax = fabs(z), out->amax_allowed = inexact(p, x) * fabs(y);
    }
}

static bool second(struct tmap_gemm *s, struct emulated_epilogue *out)
{
    struct tmap_gemm_problem *p = &out->product.problem;
    struct tmap_gemm_matrix *x = &p->epilogue.second;
    const size_t n = (size_t)p->batch * (size_t)p->m * (size_t)p->n;
    const int64_t rows = p->d.mn_major ? p->n : p->m;
    if (!x->address) return true;
    x->mn_major = p->d.mn_major;
    x->ld = p->d.ld + 16; /* another than D's, so that one taken for the other shows */
    x->batch_stride = x->ld * rows;
    const uint64_t bytes = (uint64_t)(x->batch_stride * p->batch) * 4;
    out->second = malloc(2 * sizeof(double) * n);
    if (!out->second || s->gpu.api.mem_alloc(&x->address, bytes)) return false;
    memset((void *)(uintptr_t)x->address, 0xff, bytes);
    out->second_allowed = out->second + n;
    return true;
}

bool emulated_epilogue_make(struct tmap_gemm *s, const struct tmap_gemm_problem *shape,
                            uint64_t seed, struct emulated_epilogue *out)
{
    struct tmap_gemm_problem plain = *shape;
    memset(out, 0, sizeof *out);
    plain.alpha = 1;
    plain.beta = shape->beta != 0.0f;
    if (!emulated_product_make(s, &plain, seed, &out->product)) return false;
    struct tmap_gemm_problem *p = &out->product.problem;
    struct tmap_gemm_epilogue *e = &p->epilogue;
    p->alpha = shape->alpha;
    p->beta = shape->beta;
    /* What lies outside D is then larger than what lies inside, where the sums are small. */
    const int apart = e->row_bias && e->col_bias ? 16 : 0;
    struct vectors v = {vector(s, &e->alpha, TMAP_GEMM_OUT_F32, 1, true, 0, &seed),
                        vector(s, &e->beta, TMAP_GEMM_OUT_F32, 1, true, 0, &seed),
                        vector(s, &e->row_scale, TMAP_GEMM_OUT_F32, p->m, true, 0, &seed),
                        vector(s, &e->col_scale, TMAP_GEMM_OUT_F32, p->n, true, 0, &seed),
                        vector(s, &e->row_bias, e->bias_type, p->m, false, apart, &seed),
                        vector(s, &e->col_bias, e->bias_type, p->n, false, -apart, &seed),
                        vector(s, &e->d_scale, TMAP_GEMM_OUT_F32, 1, true, 0, &seed)};
    double *amax = vector(s, &e->amax, TMAP_GEMM_OUT_F32, 1, false, 0, &seed);
    if (amax) *(float *)(uintptr_t)e->amax = 0;
    if (!second(s, out)) return false;
    double *before =
        e->gate ? malloc(sizeof *before * (size_t)p->batch * (size_t)p->m * (size_t)p->n) : NULL;
    if (e->gate && !before) return false;
    finish(&v, before, out);
    if (before) fold(&v, before, out);
    free(before);
    double *all[] = {v.alpha,    v.beta,     v.row_scale, v.col_scale,
                     v.row_bias, v.col_bias, v.d_scale,   amax};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return true;
}

struct emulated_epilogue_outcome emulated_epilogue_inspect(const struct emulated_epilogue *x)
{
    const struct tmap_gemm_epilogue *e = &x->product.problem.epilogue;
    struct emulated_product d = x->product;
    if (e->gate) d.problem.n /= 2;
    struct emulated_epilogue_outcome o = {.d = emulated_product_worst(&d)};
    if (x->second) {
        struct emulated_product other = x->product;
        other.problem.d = e->second;
        other.expected = x->second;
        other.size = x->second_allowed;
        o.second = emulated_product_worst(&other);
    }
    if (e->amax)
        o.amax = fabs((double)*(const float *)(uintptr_t)e->amax - x->amax) /
                 (1e-6 * (1 + x->amax) + x->amax_allowed);
#define STEP(word, member, bytes) o.steps |= (unsigned)(e->member != 0) << GEMM_STEP_##word;
#include "kernels/gemm/epilogue.def"
    o.right = o.d <= 1 && o.second <= 1 && o.amax <= 1; /* a NaN is not */
    return o;
}

void emulated_epilogue_free(struct tmap_gemm *s, struct emulated_epilogue *x)
{
    const struct tmap_gemm_epilogue *e = &x->product.problem.epilogue;
    const uint64_t all[] = {e->alpha,    e->beta,           e->row_scale, e->col_scale, e->row_bias,
                            e->col_bias, e->second.address, e->amax,      e->d_scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) s->gpu.api.mem_free(all[i]);
    free(x->second);
    emulated_product_free(s, &x->product);
}
