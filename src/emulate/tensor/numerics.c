// Sums of products.
//
// Hopper's tensor core, bit by bit: products are exact, and every term of a sum, the accumulator
// too, is aligned to the largest exponent among them and cut after `fraction` bits; the sum of what
// is left is exact, and is cut (f32) or rounded to nearest even (f16) once. Exponents of products
// are the sums of their factors', so a product may be as large as 4. The method is that of arXiv
// 2511.10909 and 2512.07004; the widths here and every special case are what an H200 left for
// 442 368 sums of normal, wide, cancelling, subnormal, infinite and NaN terms
// (tests/device/emulate, tests/emulate/test_recorded.c), none of which differs.
//
// What no GPU here has shown (other architectures) is summed in double precision and rounded once
// toward zero at the end, which is exact for integers that fit.
#include "emulate/tensor/tensor.h"

#include <math.h>
#include <string.h>

bool tensor_is_hopper(tmap_arch arch)
{
    return arch == TMAP_ARCH(90, 0) || arch == TMAP_ARCH(90, 1);
}

enum { NO_EXPONENT = -8000, DOUBLE_BIAS = 1023, DOUBLE_MANTISSA = 52 };

struct width {
    int fraction, result; // bits behind the point that an aligned term keeps, and a float sum
};

static struct width width_of(enum tensor_type type)
{
    const bool eight = type == TENSOR_E4M3 || type == TENSOR_E5M2;
    return eight ? (struct width){13, 13} : (struct width){25, 23};
}

void tensor_widths(enum tensor_type type, int *fraction, int *result)
{
    const struct width w = width_of(type);
    *fraction = w.fraction;
    *result = w.result;
}

int tensor_least_exponent(enum tensor_type type)
{
    switch (type) {
    case TENSOR_F16:
    case TENSOR_E5M2:
        return -14;
    case TENSOR_E4M3:
        return -6;
    default:
        return -126;
    }
}

static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + DOUBLE_BIAS) << DOUBLE_MANTISSA;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// Subnormal numbers have the least exponent of their format. True: an infinity or NaN is among
// them, marked in special[i] unless that is NULL.
static bool exponents(const double *v, uint32_t n, int least, int16_t *out, uint8_t *special)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        const int field = (int)(bits >> DOUBLE_MANTISSA & 0x7ff), e = field - DOUBLE_BIAS;
        const bool odd = field == 0x7ff;
        out[i] = (int16_t)(field == 0 ? NO_EXPONENT : e < least ? least : e);
        any |= odd;
        if (special) special[i] |= odd;
    }
    return any;
}

// --- results

static float nan_result(void)
{
    return emu_float(0x7fffffff);
}

static float cut(double v)
{
    const float f = (float)v;
    if (f != f) return nan_result();
    if (isinf(f) || fabs((double)f) <= fabs(v)) return f;
    return emu_float(emu_bits(f) - 1);
}

// To `bits` behind the point, toward zero; too large: infinity. Of a NaN the core's own.
static double cut_to(double v, int bits)
{
    uint64_t word;
    if (v != v) return (double)nan_result();
    if (isinf(v) || fabs(v) >= 0x1p128) return v < 0 ? -(double)INFINITY : (double)INFINITY;
    if (fabs(v) < 0x1p-126) {
        const double unit = power_of_two(-126 - bits);
        return (double)(int64_t)(v / unit) * unit;
    }
    memcpy(&word, &v, sizeof word);
    word &= ~0ull << (DOUBLE_MANTISSA - bits);
    memcpy(&v, &word, sizeof v);
    return v;
}

// To nearest even from the double: a float cut with a sticky last bit does not round twice.
double tensor_to_half(double v)
{
    float f = cut(v);
    if (f == f && (double)f != v) f = emu_float(emu_bits(f) | 1);
    return (double)emu_from_half(emu_to_half(f));
}

// --- Hopper

struct hopper {
    const struct tensor_product *p;
    struct width width;
    int16_t b_exponent[TENSOR_K * TENSOR_COLS];
    uint8_t special[TENSOR_COLS]; // of B's columns
    bool any_special;
};

static double rounded(const struct hopper *h, double v)
{
    return h->p->half_result ? tensor_to_half(v) : cut_to(v, h->width.result);
}

// IEEE's answer when an infinity or NaN takes part.
static double special_sum(const struct tensor_product *p, uint32_t r, uint32_t c)
{
    double sum = p->d[(size_t)r * p->cols + c];
    sum = isinf(sum) || sum != sum ? sum : 0;
    for (uint32_t k = 0; k < p->k; k++) {
        const double v = p->a[(size_t)r * p->k + k] * p->b[(size_t)k * p->cols + c];
        if (isinf(v) || v != v) sum += v;
    }
    return sum;
}

// The largest exponent of each column's terms.
IN_VECTORS static void largest(const struct hopper *h, const int16_t *a_exponent, int16_t *most)
{
    const uint32_t cols = h->p->cols;
    for (uint32_t k = 0; k < h->p->k; k++) {
        const int16_t e = a_exponent[k], *b = h->b_exponent + (size_t)k * cols;
        if (e == NO_EXPONENT) continue;
        for (uint32_t c = 0; c < cols; c++) {
            const int16_t both = (int16_t)(e + b[c]);
            most[c] = both > most[c] ? both : most[c];
        }
    }
}

// Aligned and cut: below 2^27, so that it fits an int32_t.
static inline double aligned(double v, double scale)
{
    return (double)(int32_t)(v * scale);
}

IN_VECTORS static void add_terms(const struct hopper *h, const double *a, const uint8_t *special,
                                 const double *scale, double *sum)
{
    const uint32_t cols = h->p->cols;
    for (uint32_t k = 0; k < h->p->k; k++) {
        const double x = a[k], *b = h->p->b + (size_t)k * cols;
        if (x == 0) continue;
        if (h->any_special)
            for (uint32_t c = 0; c < cols; c++)
                sum[c] += special[c] ? 0 : aligned(x * b[c], scale[c]);
        else
            for (uint32_t c = 0; c < cols; c++) sum[c] += aligned(x * b[c], scale[c]);
    }
}

static void hopper_row(const struct hopper *h, uint32_t r)
{
    const struct tensor_product *p = h->p;
    const double *a = p->a + (size_t)r * p->k;
    double *d = p->d + (size_t)r * p->cols, sum[TENSOR_COLS], scale[TENSOR_COLS];
    int16_t a_exponent[TENSOR_K], most[TENSOR_COLS];
    uint8_t special[TENSOR_COLS];
    memcpy(special, h->special, p->cols);
    exponents(d, p->cols, p->half_result ? -14 : -126, most, special);
    if (exponents(a, p->k, tensor_least_exponent(p->type), a_exponent, NULL)) {
        for (uint32_t c = 0; c < p->cols; c++) d[c] = rounded(h, special_sum(p, r, c));
        return;
    }
    largest(h, a_exponent, most);
    for (uint32_t c = 0; c < p->cols; c++) {
        if (most[c] < NO_EXPONENT / 2) most[c] = 0; // nothing but zeros
        scale[c] = power_of_two(h->width.fraction - most[c]);
        sum[c] = special[c] ? 0 : aligned(d[c], scale[c]);
    }
    add_terms(h, a, special, scale, sum);
    for (uint32_t c = 0; c < p->cols; c++)
        d[c] = rounded(h, special[c] ? special_sum(p, r, c) : sum[c] / scale[c]);
}

static void hopper(const struct tensor_product *p)
{
    struct hopper h; // its exponents are too many to be cleared
    h.p = p;
    h.width = width_of(p->type);
    h.any_special = false;
    memset(h.special, 0, sizeof h.special);
    if (!p->adds) memset(p->d, 0, sizeof *p->d * p->rows * p->cols);
    for (uint32_t k = 0; k < p->k; k++)
        h.any_special |=
            exponents(p->b + (size_t)k * p->cols, p->cols, tensor_least_exponent(p->b_type),
                      h.b_exponent + (size_t)k * p->cols, h.special);
    for (uint32_t r = 0; r < p->rows; r++) hopper_row(&h, r);
}

// --- everything else

// Products of two numbers of a tensor core are exact in double precision, so it does not matter
// whether the compiler makes one instruction of a product and its addition.
#if defined __GNUC__ && !defined __clang__
#pragma GCC push_options
#pragma GCC optimize("fp-contract=fast")
#endif
typedef double some_d __attribute__((vector_size(64)));
typedef double there_d __attribute__((vector_size(64), aligned(8), may_alias));
enum { TOGETHER = 8 /* rows, and columns */ };

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define ROW_BEGIN(i) some_d s##i = *(const there_d *)(d + (size_t)(i)*cols);
#define ROW_ADD(i) s##i += a[(size_t)(i)*depth + k] * x;
#define ROW_END(i) *(there_d *)(d + (size_t)(i)*cols) = s##i;

// Eight rows and columns, whose sums stay in registers while K passes.
IN_VECTORS static void add_block(const double *a, const double *b, double *d, uint32_t depth,
                                 uint32_t cols)
{
    EACH_ROW(ROW_BEGIN)
    for (uint32_t k = 0; k < depth; k++) {
        const some_d x = *(const there_d *)(b + (size_t)k * cols);
        EACH_ROW(ROW_ADD)
    }
    EACH_ROW(ROW_END)
}
#if defined __GNUC__ && !defined __clang__
#pragma GCC pop_options
#endif

// Rows and columns come by eights.
static void add_exact(const struct tensor_product *p)
{
    for (uint32_t r = 0; r < p->rows; r += TOGETHER)
        for (uint32_t c = 0; c < p->cols; c += TOGETHER)
            add_block(p->a + (size_t)r * p->k, p->b + c, p->d + (size_t)r * p->cols + c, p->k,
                      p->cols);
}

// Of a normal number below the largest float, cut() clears the bits that a float has not. True:
// all are so.
IN_VECTORS static bool cut_normal(double *restrict d, size_t n)
{
    const uint64_t least = 0x3810000000000000u, most = 0x47efffffe0000000u;
    uint64_t other = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t magnitude = emu_bits64(d[i]) << 1 >> 1;
        const uint64_t good = (uint64_t)(magnitude - least < most - least) | (magnitude == 0);
        other |= good ^ 1;
    }
    for (size_t i = 0; !other && i < n; i++) d[i] = emu_double(emu_bits64(d[i]) & ~0x1fffffffull);
    return !other;
}

static void cut_all(double *d, size_t n)
{
    enum { RUN = 128 };
    for (size_t i = 0; i < n; i += RUN) {
        const size_t run = n - i < RUN ? n - i : RUN;
        if (cut_normal(d + i, run)) continue;
        for (size_t j = i; j < i + run; j++) d[j] = (double)cut(d[j]);
    }
}

static double finish(const struct tensor_product *p, double v)
{
    if (p->integer) {
        if (p->saturates) return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
        return (double)(int32_t)(uint32_t)(int64_t)v;
    }
    return (double)emu_from_half(emu_to_half((float)v));
}

void tensor_multiply(const struct tensor_product *p)
{
    const size_t all = (size_t)p->rows * p->cols;
    if (tensor_is_hopper(p->arch) && !p->integer) {
        hopper(p);
        return;
    }
    if (!p->adds) memset(p->d, 0, all * sizeof *p->d);
    add_exact(p);
    if (!p->integer && !p->half_result)
        cut_all(p->d, all);
    else
        for (size_t i = 0; i < all; i++) p->d[i] = finish(p, p->d[i]);
}
