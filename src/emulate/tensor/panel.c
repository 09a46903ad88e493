// Operands of products, decoded, and the last ones of them kept.
#include "emulate/tensor/panel.h"
#include "emulate/ops/small.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 50, FLOAT_BIAS = 127, FLOAT_MANTISSA = 23 };
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

IN_VECTORS bool panel_exponents(const float *restrict v, uint32_t n, int least, int near,
                                int16_t *restrict out)
{
    uint32_t far = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t bits = emu_bits(v[i]);
        const int32_t field = (int32_t)(bits >> FLOAT_MANTISSA & 0xff), e = field - FLOAT_BIAS;
        const uint32_t zero = (bits << 1) == 0;
        far |= (uint32_t)(e < -near || e > near) & (zero ^ 1);
        out[i] = (int16_t)(zero ? PANEL_NO_EXPONENT : e < least ? least : e);
    }
    return far == 0;
}

// Lines of K to columns: [k][panel_column(col)].
static void by_columns(const struct panel *p, const float *line, uint32_t pitch, float *out)
{
    const uint32_t step = p->mn_major ? 1 : pitch;
    for (uint32_t i = 0; i < p->lines; i++, line += p->length) {
        float *to = out + (p->mn_major ? (size_t)i * pitch : panel_column(i));
        for (uint32_t j = 0; j < p->length; j++)
            to[(size_t)(p->mn_major ? panel_column(j) : j) * step] = line[j];
    }
}

static void by_rows(const struct panel *p, const float *line, uint32_t k, float *out)
{
    for (uint32_t i = 0; i < p->lines; i++)
        for (uint32_t j = 0; j < p->length; j++)
            out[p->mn_major ? j * k + i : i * k + j] = line[i * p->length + j];
}

void panel_decode(struct panel *p, uint32_t n, uint32_t k, bool columns)
{
    float line[PANEL_CELLS];
    const uint32_t pitch = panel_pitch(n), all = columns ? pitch * k : n * k;
    decode(p->type, p->raw, n * k, line);
    if (columns && pitch != n) memset(p->value, 0, all * sizeof *p->value);
    if (columns)
        by_columns(p, line, pitch, p->value);
    else
        by_rows(p, line, k, p->value);
    p->plain = panel_exponents(p->value, all, tensor_least_exponent(p->type), NEAR, p->exponent);
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
