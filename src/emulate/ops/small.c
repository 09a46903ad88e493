// Floating numbers of 4, 6 and 8 bits, and the conversions of pairs.
#include "emulate/ops/small.h"

#include <math.h>

static const struct {
    int exponent, mantissa, bias;
    uint32_t largest; // the largest finite number's bits
} small_table[] = {
    [SMALL_E4M3] = {4, 3, 7, 0x7e}, [SMALL_E5M2] = {5, 2, 15, 0x7b},
    [SMALL_E2M3] = {2, 3, 1, 0x1f}, [SMALL_E3M2] = {3, 2, 3, 0x1f},
    [SMALL_E2M1] = {2, 1, 1, 0x7},  [SMALL_UE8M0] = {8, 0, 127, 0xfe},
};

float emu_from_small(enum small_format format, uint32_t bits)
{
    const int e = small_table[format].exponent, m = small_table[format].mantissa;
    if (format == SMALL_UE8M0)
        return (bits & 0xff) == 0xff ? emu_float(0x7fffffff) : ldexpf(1, (int)(bits & 0xff) - 127);
    const uint32_t mantissa = bits & ((1u << m) - 1), exponent = bits >> m & ((1u << e) - 1);
    const float sign = bits >> (e + m) & 1 ? -1.0f : 1.0f;
    if (format == SMALL_E4M3 && (bits & 0x7f) == 0x7f) return emu_float(0x7fffffff);
    if (format == SMALL_E5M2 && exponent == 31)
        return mantissa ? emu_float(0x7fffffff) : sign * INFINITY;
    if (exponent == 0) return sign * ldexpf((float)mantissa, 1 - small_table[format].bias - m);
    return sign * ldexpf((float)(mantissa | 1u << m), (int)exponent - small_table[format].bias - m);
}

uint32_t emu_to_small(enum small_format format, float value)
{
    const int e = small_table[format].exponent, m = small_table[format].mantissa;
    const uint32_t sign = (uint32_t)(signbit(value) != 0) << (e + m);
    if (value != value) return format >= SMALL_E2M3 ? small_table[format].largest : 0x7f;
    float a = fabsf(value);
    if (isinf(a)) return sign | small_table[format].largest;
    int exponent;
    frexpf(a, &exponent);
    exponent--;
    if (exponent < 1 - small_table[format].bias) exponent = 1 - small_table[format].bias;
    const float scaled = ldexpf(a, m - exponent);
    uint32_t r = (uint32_t)scaled;
    const float rest = scaled - (float)r;
    if (rest > 0.5f || (rest == 0.5f && (r & 1))) r++;
    const uint32_t bits =
        r < 1u << m ? r : ((uint32_t)(exponent + small_table[format].bias) << m) + (r - (1u << m));
    return sign | (bits > small_table[format].largest ? small_table[format].largest : bits);
}

struct pair {
    enum ptx_type to, from;
    bool zero, relu, finite;
    enum small_format format;
};

static bool format_of(enum ptx_type t, enum small_format *out)
{
    static const struct {
        enum ptx_type type;
        enum small_format format;
    } rows[] = {{PTX_E4M3X2, SMALL_E4M3}, {PTX_E5M2X2, SMALL_E5M2}, {PTX_E2M1X2, SMALL_E2M1},
                {PTX_E2M3X2, SMALL_E2M3}, {PTX_E3M2X2, SMALL_E3M2}, {PTX_UE8M0X2, SMALL_UE8M0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == t) {
            *out = rows[i].format;
            return true;
        }
    return false;
}

static float input(const struct emu_warp *w, emu_at at, uint32_t l, enum ptx_type type, bool high)
{
    const uint32_t u = emu_u32(w, at)[l];
    if (type == PTX_F32) return emu_float(u);
    const uint32_t half = high ? u >> 16 : u & 0xffff;
    return type == PTX_BF16X2 ? emu_from_bfloat(half) : emu_from_half(half);
}

// ue8m0 rounds up or toward zero to a power of two, of which 2^-127, half the least normal float,
// is the least.
static uint32_t to_scale(float v, bool zero)
{
    const uint32_t u = emu_bits(v) & 0x7fffffff;
    if (v != v) return 0xff;
    uint32_t r = u >> 23;
    if (!zero && (u & 0x7fffff) && u > 0x400000) r++;
    return r > 0xfe ? 0xfe : r;
}

static uint32_t small_bits(const struct pair *p, float v)
{
    if (p->relu) v = v > 0 || v != v ? v : 0;
    if (p->format == SMALL_UE8M0) return to_scale(v, p->zero);
    return emu_to_small(p->format, v);
}

// Two numbers to a pair: the first operand is the upper half.
EXEC(to_pair)
{
    const struct pair *p = in->more;
    const uint32_t shift = p->format == SMALL_E2M1 ? 4 : 8;
    EACH_LANE(l, mask)
    {
        const bool one = p->from != PTX_F32;
        const float high = input(w, in->a, l, p->from, true);
        const float low =
            one ? input(w, in->a, l, p->from, false) : input(w, in->b, l, p->from, false);
        emu_u32(w, in->d)[l] = small_bits(p, high) << shift | small_bits(p, low);
    }
    return EMU_NEXT;
}

EXEC(from_pair)
{
    const struct pair *p = in->more;
    const uint32_t shift = p->format == SMALL_E2M1 ? 4 : 8;
    EACH_LANE(l, mask)
    {
        const uint32_t u = emu_u32(w, in->a)[l], part = (1u << shift) - 1;
        float v[2] = {emu_from_small(p->format, u & part),
                      emu_from_small(p->format, u >> shift & part)};
        uint32_t r = 0;
        for (int i = 0; i < 2; i++) {
            if (p->relu) v[i] = v[i] > 0 || v[i] != v[i] ? v[i] : 0;
            r |= (p->to == PTX_BF16X2 ? emu_to_bfloat(v[i]) : emu_to_half(v[i])) << (16 * i);
        }
        emu_u32(w, in->d)[l] = r;
    }
    return EMU_NEXT;
}

static uint32_t to_half_or_brain(float v, const struct pair *p)
{
    static const struct emu_format half = {5, 10}, brain = {8, 7};
    const bool is_brain = p->to == PTX_BF16X2;
    if (p->finite)
        return emu_round(is_brain ? brain : half, (double)v, p->zero ? EMU_ZERO : EMU_NEAREST,
                         true);
    if (is_brain) return (p->zero ? emu_to_bfloat_zero : emu_to_bfloat)(v);
    return (p->zero ? emu_to_half_zero : emu_to_half)(v);
}

// cvt.rn.f16x2.f32 d, high, low
EXEC(to_halves)
{
    const struct pair *p = in->more;
    const uint32_t *a = emu_u32(w, in->a), *b = emu_u32(w, in->b);
    EACH_LANE(l, mask)
    {
        float v[2] = {emu_float(b[l]), emu_float(a[l])};
        uint32_t r = 0;
        for (int i = 0; i < 2; i++) {
            if (p->relu) v[i] = v[i] > 0 || v[i] != v[i] ? v[i] : 0;
            r |= to_half_or_brain(v[i], p) << (16 * i);
        }
        emu_u32(w, in->d)[l] = r;
    }
    return EMU_NEXT;
}

bool dec_cvt_small(struct decoder *d, enum ptx_type to, enum ptx_type from, bool zero, bool relu,
                   bool finite)
{
    struct pair *p = dec_alloc(d, sizeof *p);
    if (!p) return false;
    *p = (struct pair){to, from, zero, relu, finite, SMALL_E4M3};
    d->out->more = p;
    if ((to == PTX_F16X2 || to == PTX_BF16X2) && from == PTX_F32) {
        d->out->exec = to_halves;
        return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_F32, &d->out->a) &&
               dec_source(d, PTX_F32, &d->out->b);
    }
    if (format_of(to, &p->format) && (from == PTX_F32 || from == PTX_F16X2 || from == PTX_BF16X2)) {
        dec_has(d, "rp");
        // Only a scale may be too large without .satfinite (PTX ISA, cvt).
        if (!finite && p->format != SMALL_UE8M0)
            return dec_fail(d, "'%s' without .satfinite", d->inst->op);
        d->out->exec = to_pair;
        return dec_dest(d, 16, &d->out->d) && dec_source(d, from, &d->out->a) &&
               (from != PTX_F32 || dec_source(d, PTX_F32, &d->out->b));
    }
    if (format_of(from, &p->format) && (to == PTX_F16X2 || to == PTX_BF16X2)) {
        d->out->exec = from_pair;
        return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B16, &d->out->a);
    }
    return dec_fail(d, "'%s' has no such types", d->inst->op);
}

// cvt.pack.sat.{s16,u16,s8,u8}.s32[.b32] d, a, b[, c]: the upper half is a
EXEC(pack)
{
    const int32_t *a = emu_lanes(w, in->a), *b = emu_lanes(w, in->b);
    const uint32_t *c = emu_u32(w, in->c), bits = in->bytes;
    const int64_t low = in->count ? -(1ll << (bits - 1)) : 0;
    const int64_t high = in->count ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
    const uint32_t ones = (1u << bits) - 1;
    EACH_LANE(l, mask)
    {
        const int64_t x = a[l] < low ? low : a[l] > high ? high : a[l];
        const int64_t y = b[l] < low ? low : b[l] > high ? high : b[l];
        const uint32_t r = ((uint32_t)x & ones) << bits | ((uint32_t)y & ones);
        emu_u32(w, in->d)[l] = bits == 16 ? r : c[l] << 16 | r;
    }
    return EMU_NEXT;
}

bool dec_cvt_pack(struct decoder *d)
{
    const bool sat = dec_has(d, "sat");
    const enum ptx_type to = dec_type(d), from = dec_type(d);
    const uint32_t bits = ptx_type_bits(to);
    if (!sat || from != PTX_S32 || (bits != 8 && bits != 16) || dec_has(d, "b32") != (bits == 8))
        return dec_fail(d, "'%s' has no such types", d->inst->op);
    d->out->exec = pack;
    d->out->bytes = (uint8_t)bits;
    d->out->count = ptx_type_signed(to);
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->b) && (bits == 16 || dec_source(d, PTX_B32, &d->out->c));
}
