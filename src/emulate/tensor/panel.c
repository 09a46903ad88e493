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

IN_VECTORS static void decode_16(bool brain, const uint8_t *raw, uint32_t n, float *restrict out)
{
    enum { RUN = 64 };
    uint16_t bits[RUN];
    for (uint32_t i = 0; i < n; i += RUN, out += RUN) {
        const uint32_t run = n - i < RUN ? n - i : RUN;
        memcpy(bits, raw + (size_t)2 * i, 2 * (size_t)run);
        if (brain)
            for (uint32_t j = 0; j < run; j++) out[j] = emu_float((uint32_t)bits[j] << 16);
        else
            for (uint32_t j = 0; j < run; j++) out[j] = emu_from_half(bits[j]);
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
    else if (tensor_bits(type) == 16)
        decode_16(type == TENSOR_BF16, raw, n, out);
    else
        decode_one_by_one(type, raw, n, out);
}

typedef int32_t some_s __attribute__((vector_size(64)));
typedef int16_t some_h __attribute__((vector_size(32)));
typedef int32_t there_s __attribute__((vector_size(64), aligned(4), may_alias));
typedef int16_t there_h __attribute__((vector_size(32), aligned(2), may_alias));

// Of each lane: -1 of a negative number, else 0 (comparisons of wide vectors are taken apart).
#define NEGATIVE(x) ((x) >> 31)

IN_VECTORS bool panel_exponents(const float *restrict v, uint32_t n, int least, int near,
                                int16_t *restrict out)
{
    const int32_t nearest = (FLOAT_BIAS - near) << FLOAT_MANTISSA;
    const int32_t span = (2 * near + 1) << FLOAT_MANTISSA;
    some_s far = {0};
    for (uint32_t i = 0; i < n; i += PANEL_STEP) {
        const some_s bits = *(const there_s *)(v + i) & 0x7fffffff;
        const some_s zero = NEGATIVE(bits - 1), above = bits - nearest;
        some_s e = (bits >> FLOAT_MANTISSA) - FLOAT_BIAS;
        far |= (above | (span - 1 - above)) & ~zero;
        e += (least - e) & NEGATIVE(e - least);
        e += (PANEL_NO_EXPONENT - e) & zero;
        *(there_h *)(out + i) = __builtin_convertvector(e, some_h);
    }
    int32_t any = 0;
    for (int i = 0; i < PANEL_STEP; i++) any |= far[i];
    return any >= 0;
}

// Lines of N or of K to [k][panel_column(col)].
static void by_columns(const struct panel *p, const float *line, uint32_t pitch, float *out)
{
    const uint32_t lines = p->lines, length = p->length;
    if (p->mn_major) {
        for (uint32_t i = 0; i < lines; i++, line += length, out += pitch)
            for (uint32_t j = 0; j < length; j++) out[panel_column(j)] = line[j];
        return;
    }
    for (uint32_t i = 0; i < lines; i++, line += length) {
        float *to = out + panel_column(i);
        for (uint32_t j = 0; j < length; j++, to += pitch) *to = line[j];
    }
}

static void by_rows(const struct panel *p, const float *line, uint32_t k, float *out)
{
    if (!p->mn_major) {
        memcpy(out, line, (size_t)p->lines * k * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < p->lines; i++)
        for (uint32_t j = 0; j < p->length; j++) out[j * k + i] = line[i * p->length + j];
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
