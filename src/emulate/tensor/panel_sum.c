// Sums of panels. A product of two of these numbers is exact in single precision, and so is a power
// of two times it, or it is cut to 0 as it would be anyway; the sum of an instruction's terms, each
// below 2^27, fits 32 bits, and the accumulator is added behind it.
//
// A row goes by blocks of columns whose sums stay in registers while K passes.
#include "emulate/tensor/panel.h"

#include <string.h>

enum { NEAR_D = 100, NO_EXPONENT = PANEL_NO_EXPONENT, FLOAT_BIAS = 127, FLOAT_MANTISSA = 23 };
enum { DOUBLE_BIAS = 1023, DOUBLE_MANTISSA = 52 };
enum { LONG = 64, SHORT = PANEL_STEP };

// Into each clone of who calls it.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float some_f __attribute__((vector_size(64)));
typedef int32_t some_s __attribute__((vector_size(64)));
typedef float there_f __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t there_s __attribute__((vector_size(64), aligned(4), may_alias));

struct row {
    uint32_t n, pitch, k;
    const float *a, *b;
    const int16_t *a_exponent, *b_exponent;
    int fraction, result;
};

// The largest exponents of a block's terms, `most` being those of the accumulators. An exponent
// that is none stays far below all others when another is added.
#define LARGEST(name, width)                                                                       \
    ALWAYS_INLINE void name(const struct row *r, uint32_t first, int16_t *restrict most)           \
    {                                                                                              \
        int16_t m[width];                                                                          \
        const int16_t *b = r->b_exponent + first;                                                  \
        const uint32_t depth = r->k, pitch = r->pitch;                                             \
        memcpy(m, most + first, sizeof m);                                                         \
        for (uint32_t k = 0; k < depth; k++, b += pitch) {                                         \
            const int16_t e = r->a_exponent[k];                                                    \
            for (uint32_t c = 0; c < (width); c++) {                                               \
                const int16_t both = (int16_t)(e + b[c]);                                          \
                m[c] = both > m[c] ? both : m[c];                                                  \
            }                                                                                      \
        }                                                                                          \
        memcpy(most + first, m, sizeof m);                                                         \
    }
LARGEST(largest_long, LONG)
LARGEST(largest_short, SHORT)

IN_VECTORS static void largest(const struct row *r, int16_t *restrict most)
{
    uint32_t c = 0;
    for (; c + LONG <= r->pitch; c += LONG) largest_long(r, c, most);
    for (; c < r->pitch; c += SHORT) largest_short(r, c, most);
}

// 2^(fraction - most), which is how terms are aligned; most is 0 where there are but zeros.
IN_VECTORS static void scales(const struct row *r, int16_t *restrict most, float *restrict scale)
{
    const int n = (int)r->pitch, top = FLOAT_BIAS + r->fraction;
    for (int c = 0; c < n; c++) {
        const int16_t e = most[c] < NO_EXPONENT / 2 ? 0 : most[c];
        most[c] = e;
        scale[c] = emu_float((uint32_t)(top - e) << FLOAT_MANTISSA);
    }
}

// x in every column. x times a vector would not do: s390x's gcc makes x a double first, as C may.
#define ALL_OF(x) ((some_f){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x})

// Terms aligned and cut.
#define TERMS(x, b, scale) __builtin_convertvector((x) * *(const there_f *)(b) * (scale), some_s)

ALWAYS_INLINE void terms_long(const struct row *r, uint32_t first, const float *scale, int32_t *sum)
{
    const uint32_t depth = r->k, pitch = r->pitch;
    const there_f *s = (const there_f *)(scale + first);
    const some_f s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    some_s t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
    const float *b = r->b + first;
    for (uint32_t k = 0; k < depth; k++, b += pitch) {
        const float a = r->a[k];
        const some_f x = ALL_OF(a);
        t0 += TERMS(x, b, s0);
        t1 += TERMS(x, b + SHORT, s1);
        t2 += TERMS(x, b + 2 * SHORT, s2);
        t3 += TERMS(x, b + 3 * SHORT, s3);
    }
    there_s *to = (there_s *)(sum + first);
    to[0] = t0, to[1] = t1, to[2] = t2, to[3] = t3;
}

ALWAYS_INLINE void terms_short(const struct row *r, uint32_t first, const float *scale,
                               int32_t *sum)
{
    const some_f s = *(const there_f *)(scale + first);
    some_s t = {0};
    const float *b = r->b + first;
    for (uint32_t k = 0; k < r->k; k++, b += r->pitch) {
        const float x = r->a[k];
        t += TERMS(ALL_OF(x), b, s);
    }
    *(there_s *)(sum + first) = t;
}

IN_VECTORS static void add_terms(const struct row *r, const float *scale, int32_t *sum)
{
    uint32_t c = 0;
    for (; c + LONG <= r->pitch; c += LONG) terms_long(r, c, scale, sum);
    for (; c < r->pitch; c += SHORT) terms_short(r, c, scale, sum);
}

// The sum with the accumulator: a double has it whole.
static inline double whole(const struct row *r, int most, float scale, int32_t sum, float d)
{
    const uint64_t unit = (uint64_t)(DOUBLE_BIAS - r->fraction + most) << DOUBLE_MANTISSA;
    return ((double)sum + (double)(int32_t)(d * scale)) * emu_double(unit);
}

IN_VECTORS static void finish(const struct row *r, const int16_t *most, const float *scale,
                              const int32_t *sum, float *restrict d)
{
    const uint64_t keep = ~0ull << (DOUBLE_MANTISSA - r->result);
    const int n = (int)r->n;
    const struct row row = *r;
    for (int c = 0; c < n; c++) {
        const double v = whole(&row, most[c], scale[c], sum[c], d[c]);
        d[c] = (float)emu_double(emu_bits64(v) & keep);
    }
}

static void float_row(const struct panel_product *p, const struct row *r, int16_t *most, float *d)
{
    float scale[TENSOR_COLS];
    int32_t sum[TENSOR_COLS];
    largest(r, most);
    scales(r, most, scale);
    add_terms(r, scale, sum);
    if (p->half_result)
        for (uint32_t c = 0; c < r->n; c++)
            d[c] = (float)tensor_to_half(whole(r, most[c], scale[c], sum[c], d[c]));
    else
        finish(r, most, scale, sum, d);
}

// At most 32 products below 2^16: exact in single precision.
IN_VECTORS static void integer_row(const struct row *r, float *restrict sum)
{
    const uint32_t n = r->n, depth = r->k;
    for (uint32_t k = 0; k < depth; k++) {
        const float x = r->a[k], *b = r->b + (size_t)k * r->pitch;
        for (uint32_t c = 0; c < n; c++) sum[c] += x * b[c];
    }
}

static void integers(const struct panel_product *p, const struct row *r, union panel_cell *d)
{
    float sum[TENSOR_COLS] = {0};
    integer_row(r, sum);
    for (uint32_t c = 0; c < r->n; c++) {
        const int64_t all = (int64_t)d[c].s + (int32_t)sum[c];
        d[c].s = !p->saturates     ? (int32_t)(uint32_t)all
                 : all > INT32_MAX ? INT32_MAX
                 : all < INT32_MIN ? INT32_MIN
                                   : (int32_t)all;
    }
}

bool panel_multiply(const struct panel_product *p)
{
    int16_t most[PANEL_ROWS * TENSOR_COLS];
    const bool integer = p->a->type == TENSOR_S8 || p->a->type == TENSOR_U8;
    const uint32_t pitch = panel_pitch(p->n), all = PANEL_ROWS * pitch;
    if (!p->a->plain || !p->b->plain) return false;
    if (!integer && !panel_exponents(&p->d->f, all, p->half_result ? -14 : -126, NEAR_D, most))
        return false;
    for (uint32_t i = 0; i < PANEL_ROWS; i++) {
        struct row r = {.n = p->n,
                        .pitch = pitch,
                        .k = p->k,
                        .a = p->a->value + (size_t)i * p->k,
                        .b = p->b->value,
                        .a_exponent = p->a->exponent + (size_t)i * p->k,
                        .b_exponent = p->b->exponent};
        tensor_widths(p->a->type, &r.fraction, &r.result);
        if (integer)
            integers(p, &r, p->d + (size_t)i * pitch);
        else
            float_row(p, &r, most + (size_t)i * pitch, &p->d[(size_t)i * pitch].f);
    }
    return true;
}
