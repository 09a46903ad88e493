// Products of panels. A product of two of these numbers is exact in single precision, and so is a
// power of two times it, or it is cut to 0 as it would be anyway; the sum of an instruction's
// terms, each below 2^27, fits 32 bits, and the accumulator is added behind it.
#include "emulate/tensor/panel.h"
#include "emulate/ops/small.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 50, NEAR_D = 100, NO_EXPONENT = -8000, FLOAT_BIAS = 127, FLOAT_MANTISSA = 23 };
enum { DOUBLE_BIAS = 1023, DOUBLE_MANTISSA = 52 };
enum { CACHED = 16 };

struct emu_panels {
    uint32_t next;
    bool used[CACHED];
    struct panel panel[CACHED];
};

// --- decoding

static void decode_8(enum tensor_type type, const uint8_t *raw, uint32_t n, float *out)
{
    float table[0x100];
    for (uint32_t i = 0; i < 0x100; i++) table[i] = (float)tensor_value(type, i);
    for (uint32_t i = 0; i < n; i++) out[i] = table[raw[i]];
}

static void decode_bf16(const uint8_t *raw, uint32_t n, float *restrict out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, raw + (size_t)2 * i, 2);
        out[i] = emu_float((uint32_t)bits << 16);
    }
}

static void decode_one_by_one(enum tensor_type type, const uint8_t *raw, uint32_t n, float *out)
{
    const uint32_t bytes = tensor_bits(type) / 8;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = 0;
        memcpy(&bits, raw + (size_t)i * bytes, bytes);
        out[i] = (float)tensor_value(type, bits);
    }
}

static void decode(enum tensor_type type, const uint8_t *raw, uint32_t n, float *out)
{
    if (tensor_bits(type) == 8)
        decode_8(type, raw, n, out);
    else if (type == TENSOR_BF16)
        decode_bf16(raw, n, out);
    else
        decode_one_by_one(type, raw, n, out);
}

// Exponents as numerics.c counts them; true when all are near.
IN_VECTORS static bool exponents(const float *restrict v, uint32_t n, int least, int near,
                                 int16_t *restrict out)
{
    uint32_t far = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t bits = emu_bits(v[i]);
        const int32_t field = (int32_t)(bits >> FLOAT_MANTISSA & 0xff), e = field - FLOAT_BIAS;
        const uint32_t zero = (bits << 1) == 0;
        far |= (uint32_t)(e < -near || e > near) & (zero ^ 1);
        out[i] = (int16_t)(zero ? NO_EXPONENT : e < least ? least : e);
    }
    return far == 0;
}

void panel_decode(struct panel *p, uint32_t n, uint32_t k, bool by_columns)
{
    float line[PANEL_CELLS];
    const uint32_t all = n * k;
    decode(p->type, p->raw, all, line);
    for (uint32_t i = 0; i < p->lines; i++)
        for (uint32_t j = 0; j < p->length; j++) {
            const uint32_t row = p->mn_major ? j : i, at = p->mn_major ? i : j;
            p->value[by_columns ? at * n + panel_column(row) : row * k + at] =
                line[i * p->length + j];
        }
    p->plain = exponents(p->value, all, tensor_least_exponent(p->type), NEAR, p->exponent);
}

const struct panel *panel_of(struct emu_machine *m, enum tensor_type type, uint32_t n, uint32_t k,
                             bool mn_major, const uint8_t *raw)
{
    const uint32_t lines = mn_major ? k : n, length = mn_major ? n : k;
    if (!m->panels) m->panels = calloc(1, sizeof *m->panels);
    struct emu_panels *c = m->panels;
    if (!c) return NULL;
    for (uint32_t i = 0; i < CACHED; i++) {
        const struct panel *p = &c->panel[i];
        if (c->used[i] && p->type == type && p->lines == lines && p->length == length &&
            p->mn_major == mn_major &&
            memcmp(p->raw, raw, (size_t)n * k * tensor_bits(type) / 8) == 0)
            return p;
    }
    struct panel *p = &c->panel[c->next];
    c->used[c->next] = true;
    c->next = (c->next + 1) % CACHED;
    p->type = type;
    p->lines = lines;
    p->length = length;
    p->mn_major = mn_major;
    memcpy(p->raw, raw, (size_t)n * k * tensor_bits(type) / 8);
    panel_decode(p, n, k, true);
    return p;
}

// --- sums

struct row {
    uint32_t n, k;
    const float *a, *b;
    const int16_t *a_exponent, *b_exponent;
    int fraction, result;
};

IN_VECTORS static void largest(const struct row *r, int16_t *restrict most)
{
    const uint32_t n = r->n, depth = r->k;
    for (uint32_t k = 0; k < depth; k++) {
        const int16_t e = r->a_exponent[k], *b = r->b_exponent + (size_t)k * n;
        if (e == NO_EXPONENT) continue;
        for (uint32_t c = 0; c < n; c++) {
            const int16_t both = (int16_t)(e + b[c]);
            most[c] = both > most[c] ? both : most[c];
        }
    }
}

// 2^(fraction - most), which is how terms are aligned; most is 0 where there are but zeros.
IN_VECTORS static void scales(const struct row *r, int16_t *restrict most, float *restrict scale)
{
    const int n = (int)r->n, top = FLOAT_BIAS + r->fraction;
    for (int c = 0; c < n; c++) {
        const int16_t e = most[c] < NO_EXPONENT / 2 ? 0 : most[c];
        most[c] = e;
        scale[c] = emu_float((uint32_t)(top - e) << FLOAT_MANTISSA);
    }
}

IN_VECTORS static void add_terms(const struct row *r, const float *restrict scale,
                                 int32_t *restrict sum)
{
    const uint32_t n = r->n, depth = r->k;
    for (uint32_t k = 0; k < depth; k++) {
        const float x = r->a[k], *b = r->b + (size_t)k * n;
        if (x == 0) continue;
        for (uint32_t c = 0; c < n; c++) sum[c] += (int32_t)(x * b[c] * scale[c]);
    }
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
    memset(sum, 0, sizeof *sum * r->n);
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
        const float x = r->a[k], *b = r->b + (size_t)k * n;
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
    float d[PANEL_ROWS * TENSOR_COLS];
    const bool integer = p->a->type == TENSOR_S8 || p->a->type == TENSOR_U8;
    const size_t all = (size_t)PANEL_ROWS * p->n;
    if (!p->a->plain || !p->b->plain) return false;
    if (!integer) {
        memcpy(d, p->d, all * sizeof *d);
        if (!exponents(d, (uint32_t)all, p->half_result ? -14 : -126, NEAR_D, most)) return false;
    }
    for (uint32_t i = 0; i < PANEL_ROWS; i++) {
        struct row r = {.n = p->n,
                        .k = p->k,
                        .a = p->a->value + (size_t)i * p->k,
                        .b = p->b->value,
                        .a_exponent = p->a->exponent + (size_t)i * p->k,
                        .b_exponent = p->b->exponent};
        tensor_widths(p->a->type, &r.fraction, &r.result);
        if (integer)
            integers(p, &r, p->d + (size_t)i * p->n);
        else
            float_row(p, &r, most + (size_t)i * p->n, d + (size_t)i * p->n);
    }
    if (!integer) memcpy(p->d, d, all * sizeof *d);
    return true;
}
