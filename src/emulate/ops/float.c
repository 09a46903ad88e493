// Floating point in 32, 64 and 16 bits. Directed roundings go through the host's rounding mode;
// flushing (.ftz) and saturation (.sat) are applied around the operation.
#include "emulate/ops/float.h"

#include <fenv.h>
#include <math.h>

enum { FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_NAN = 4, FLAG_XORSIGN = 8, FLAG_RELU = 16 };

static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static float saturate(float f)
{
    return f > 0 ? (f < 1 ? f : 1) : 0; // NaN becomes 0
}

static inline float in_f32(float f, uint32_t flags)
{
    return flags & FLAG_FTZ ? emu_flush(f) : f;
}
static inline float out_f32(float f, uint32_t flags)
{
    f = emu_canonical(f);
    if (flags & FLAG_FTZ) f = emu_flush(f);
    return flags & FLAG_SAT ? saturate(f) : f;
}

// One function a host operation; it is called with the host's rounding already set.
typedef float op_f32(float a, float b, float c);
typedef double op_f64(double a, double b, double c);

#define OPERATION(name, f32, f64)                                                                  \
    static float name##_f(float a, float b, float c)                                               \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return f32;                                                                                \
    }                                                                                              \
    static double name##_d(double a, double b, double c)                                           \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return f64;                                                                                \
    }
OPERATION(add, a + b, a + b)
OPERATION(sub, a - b, a - b)
OPERATION(mul, a *b, a *b)
OPERATION(fma, fmaf(a, b, c), fma(a, b, c))
OPERATION(div, a / b, a / b)
OPERATION(rcp, 1.0f / a, 1.0 / a)
OPERATION(sqrt, sqrtf(a), sqrt(a))
OPERATION(rsqrt, 1.0f / sqrtf(a), 1.0 / sqrt(a))
OPERATION(ex2, exp2f(a), exp2(a))
OPERATION(lg2, log2f(a), log2(a))
OPERATION(sin, sinf(a), sin(a))
OPERATION(cos, cosf(a), cos(a))
OPERATION(tanh, tanhf(a), tanh(a))

static const struct {
    op_f32 *f32;
    op_f64 *f64;
    uint32_t sources;
} operations[] = {
    [FLOAT_ADD] = {add_f, add_d, 2},    [FLOAT_SUB] = {sub_f, sub_d, 2},
    [FLOAT_MUL] = {mul_f, mul_d, 2},    [FLOAT_FMA] = {fma_f, fma_d, 3},
    [FLOAT_DIV] = {div_f, div_d, 2},    [FLOAT_RCP] = {rcp_f, rcp_d, 1},
    [FLOAT_SQRT] = {sqrt_f, sqrt_d, 1}, [FLOAT_RSQRT] = {rsqrt_f, rsqrt_d, 1},
    [FLOAT_EX2] = {ex2_f, ex2_d, 1},    [FLOAT_LG2] = {lg2_f, lg2_d, 1},
    [FLOAT_SIN] = {sin_f, sin_d, 1},    [FLOAT_COS] = {cos_f, cos_d, 1},
    [FLOAT_TANH] = {tanh_f, tanh_d, 1},
};

// The plain case, to nearest: loops that become vectors. One for add, sub, mul; fma calls.
#define PLAIN(name, expression)                                                                    \
    EXEC(plain_##name)                                                                             \
    {                                                                                              \
        float *d_ = emu_f32(w, in->d);                                                             \
        const float *a_ = emu_f32(w, in->a), *b_ = emu_f32(w, in->b);                              \
        OVER_LANES(mask, const float a = a_[l]; const float b = b_[l];                             \
                   d_[l] = emu_canonical(expression));                                             \
        return EMU_NEXT;                                                                           \
    }
PLAIN(add, a + b)
PLAIN(sub, a - b)
PLAIN(mul, a *b)

EXEC(any_f32)
{
    op_f32 *op = operations[in->count].f32;
    const float *a = emu_f32(w, in->a), *b = emu_f32(w, in->b), *c = emu_f32(w, in->c);
    const uint32_t flags = (uint32_t)in->imm;
    if (in->space) fesetround(host_rounding[in->space]);
    EACH_LANE(l, mask)
    {
        emu_f32(w, in->d)[l] =
            out_f32(op(in_f32(a[l], flags), in_f32(b[l], flags), in_f32(c[l], flags)), flags);
    }
    if (in->space) fesetround(FE_TONEAREST);
    return EMU_NEXT;
}

static bool is_nan64(uint64_t u)
{
    return (u & ~(1ull << 63)) > 0x7ff0000000000000;
}
// As an H200 does: of operands that are NaN the first one, quiet; else the one that arithmetic
// makes.
static uint64_t nan_of(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t first = is_nan64(a) ? a : is_nan64(b) ? b : c;
    return is_nan64(first) ? first | 1ull << 51 : 0xfff8000000000000;
}

EXEC(any_f64)
{
    op_f64 *op = operations[in->count].f64;
    const uint64_t *a = emu_u64(w, in->a), *b = emu_u64(w, in->b), *c = emu_u64(w, in->c);
    if (in->space) fesetround(host_rounding[in->space]);
    EACH_LANE(l, mask)
    {
        const double r = op(emu_double(a[l]), emu_double(b[l]), emu_double(c[l]));
        emu_u64(w, in->d)[l] = r != r ? nan_of(a[l], b[l], c[l]) : emu_bits64(r);
    }
    if (in->space) fesetround(FE_TONEAREST);
    return EMU_NEXT;
}

// Sums and products of two numbers of 16 bits are exact in double precision, or too far from a tie
// for a second rounding to matter; fma's sum is rounded to odd, so that it is as good as exact.
static float from_16(uint32_t bits, bool brain)
{
    return brain ? emu_from_bfloat(bits) : emu_from_half(bits);
}
static uint32_t flush_16(uint32_t bits, bool brain, uint32_t flags)
{
    const bool small = (bits & (brain ? 0x7f80 : 0x7c00)) == 0;
    return flags & FLAG_FTZ && small ? bits & 0x8000 : bits;
}
static double fma_to_odd(double a, double b, double c)
{
    const double p = a * b, s = p + c, back = s - p, lost = (p - (s - back)) + (c - back);
    if (!(lost < 0 || lost > 0) || (emu_bits64(s) & 1)) return s;
    return nextafter(s, lost > 0 ? INFINITY : -INFINITY);
}
static uint32_t round_16(double v, bool brain)
{
    // To odd in single precision, so that the second rounding is the only one.
    float f = (float)v;
    if ((double)f != v && v == v && !isinf(f)) {
        uint32_t u = emu_bits(f);
        if (((double)f > v) == (v > 0)) u--;
        f = emu_float(u | 1);
    }
    return brain ? emu_to_bfloat(f) : emu_to_half(f);
}

static uint32_t op_16(const struct emu_insn *in, uint32_t a, uint32_t b, uint32_t c)
{
    const bool brain = in->type == PTX_BF16 || in->type == PTX_BF16X2;
    const uint32_t flags = (uint32_t)in->imm;
    const double x = (double)from_16(flush_16(a, brain, flags), brain);
    const double y = (double)from_16(flush_16(b, brain, flags), brain);
    const double z = (double)from_16(flush_16(c, brain, flags), brain);
    double r = in->count == FLOAT_FMA ? fma_to_odd(x, y, z) : operations[in->count].f64(x, y, z);
    if ((flags & FLAG_RELU) && r < 0) r = 0;
    if (flags & FLAG_SAT) r = r > 0 ? (r < 1 ? r : 1) : 0;
    // Flushed is what is subnormal before it is rounded, as an H200 does.
    if (flags & FLAG_FTZ && fabs(r) < (brain ? 0x1p-126 : 0x1p-14)) r = copysign(0, r);
    return round_16(r, brain);
}

EXEC(any_16)
{
    const uint32_t *a = emu_u32(w, in->a), *b = emu_u32(w, in->b), *c = emu_u32(w, in->c);
    EACH_LANE(l, mask)
    {
        uint32_t r = op_16(in, a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff);
        if (ptx_type_bits(in->type) == 32) r |= op_16(in, a[l] >> 16, b[l] >> 16, c[l] >> 16) << 16;
        emu_u32(w, in->d)[l] = r;
    }
    return EMU_NEXT;
}

static bool flags(struct decoder *d)
{
    uint32_t f = 0;
    if (dec_has(d, "ftz")) f |= FLAG_FTZ;
    if (dec_has(d, "sat")) f |= FLAG_SAT;
    if (dec_has(d, "NaN")) f |= FLAG_NAN;
    if (dec_has(d, "relu")) f |= FLAG_RELU;
    if (dec_has(d, "xorsign")) f |= FLAG_XORSIGN, dec_has(d, "abs");
    d->out->imm = f;
    return true;
}

bool dec_float(struct decoder *d, enum float_operation op)
{
    const uint32_t sources = operations[op].sources;
    struct emu_insn *out = d->out;
    flags(d);
    const int rounding = dec_one_of(d, "rn|rz|rm|rp");
    if (rounding < 0) dec_one_of(d, "approx|full");
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    out->type = (uint8_t)t;
    out->count = (uint8_t)op;
    out->space = (uint8_t)(rounding > 0 ? rounding : 0);
    out->exec = t == PTX_F64 ? any_f64 : t == PTX_F32 ? any_f32 : any_16;
    if (t == PTX_F32 && out->imm == 0 && rounding <= 0)
        out->exec = op == FLOAT_ADD   ? plain_add
                    : op == FLOAT_SUB ? plain_sub
                    : op == FLOAT_MUL ? plain_mul
                                      : any_f32;
    const bool halves = t >= PTX_F16 && t <= PTX_BF16X2;
    if ((!halves && t != PTX_F32 && t != PTX_F64) ||
        (out->imm & FLAG_RELU && (!halves || op != FLOAT_FMA)))
        return dec_fail(d, "'%s' has no such type", d->inst->op);
    if (!dec_dest(d, bits, &out->d) || !dec_source(d, t, &out->a)) return false;
    out->b = out->c = out->a;
    if (sources > 1 && !dec_source(d, t, &out->b)) return false;
    return sources < 3 || dec_source(d, t, &out->c);
}

bool dec_is_float(const struct decoder *d)
{
    return ptx_type_float(dec_peek_type(d));
}

// --- signs, minima and maxima: no arithmetic

static float pick(float a, float b, bool max, uint32_t flags)
{
    a = in_f32(a, flags);
    b = in_f32(b, flags);
    const uint32_t sign = (emu_bits(a) ^ emu_bits(b)) & 0x80000000;
    if (flags & FLAG_XORSIGN) a = fabsf(a), b = fabsf(b);
    float r = a != a ? b : b != b ? a : (a < b) == max ? b : a;
    if (a == b) r = emu_float(max ? emu_bits(a) & emu_bits(b) : emu_bits(a) | emu_bits(b));
    if ((a != a && b != b) || ((flags & FLAG_NAN) && (a != a || b != b)))
        return emu_float(0x7fffffff);
    if (flags & FLAG_XORSIGN) r = emu_float((emu_bits(r) & 0x7fffffff) | sign);
    return r;
}

static uint32_t pick_16(const struct emu_insn *in, uint32_t a, uint32_t b)
{
    const bool brain = in->type == PTX_BF16 || in->type == PTX_BF16X2;
    const uint32_t flags = (uint32_t)in->imm;
    const float r = pick(from_16(flush_16(a, brain, flags), brain),
                         from_16(flush_16(b, brain, flags), brain), in->count, flags);
    return brain ? emu_to_bfloat(r) : emu_to_half(r);
}

EXEC(min_max)
{
    const uint32_t *a = emu_u32(w, in->a), *b = emu_u32(w, in->b), *c = emu_u32(w, in->c);
    EACH_LANE(l, mask)
    {
        uint32_t r;
        if (in->type == PTX_F32) {
            float f = pick(emu_float(a[l]), emu_float(b[l]), in->count, (uint32_t)in->imm);
            if (in->bytes == 3) f = pick(f, emu_float(c[l]), in->count, (uint32_t)in->imm);
            r = emu_bits(f);
        } else {
            r = pick_16(in, a[l] & 0xffff, b[l] & 0xffff);
            if (ptx_type_bits(in->type) == 32) r |= pick_16(in, a[l] >> 16, b[l] >> 16) << 16;
        }
        emu_u32(w, in->d)[l] = r;
    }
    return EMU_NEXT;
}

EXEC(min_max_f64)
{
    const uint64_t *a = emu_u64(w, in->a), *b = emu_u64(w, in->b);
    EACH_LANE(l, mask)
    {
        const double x = emu_double(a[l]), y = emu_double(b[l]);
        uint64_t r = x != x ? b[l] : y != y ? a[l] : (x < y) == (bool)in->count ? b[l] : a[l];
        if (x == y) r = in->count ? a[l] & b[l] : a[l] | b[l];
        emu_u64(w, in->d)[l] = r;
    }
    return EMU_NEXT;
}

bool dec_float_min_max(struct decoder *d, bool max)
{
    struct emu_insn *out = d->out;
    flags(d);
    const enum ptx_type t = dec_type(d);
    out->type = (uint8_t)t;
    out->count = max;
    out->exec = t == PTX_F64 ? min_max_f64 : min_max;
    out->bytes = d->inst->operands == 4 ? 3 : 2;
    if (!dec_dest(d, ptx_type_bits(t), &out->d) || !dec_source(d, t, &out->a) ||
        !dec_source(d, t, &out->b))
        return false;
    out->c = out->b;
    return out->bytes == 2 || (t == PTX_F32 && dec_source(d, t, &out->c));
}

// abs and neg change a bit, and flush when they are told to (in->bytes: numbers of 32 or 16 bits).
static inline uint32_t flush_any(const struct emu_insn *in, uint32_t v)
{
    if (in->bytes == 4) return emu_bits(emu_flush(emu_float(v)));
    if (in->bytes == 2)
        return flush_16(v & 0xffff, false, FLAG_FTZ) | flush_16(v >> 16, false, FLAG_FTZ) << 16;
    return v;
}
EXEC(sign_32)
{
    const uint32_t *a = emu_u32(w, in->a);
    const uint32_t clear = (uint32_t)in->imm;
    OVER_LANES(mask, emu_u32(w, in->d)[l] = flush_any(in, a[l]) & ~clear);
    return EMU_NEXT;
}
EXEC(sign_64)
{
    const uint64_t *a = emu_u64(w, in->a), bit = 1ull << 63;
    OVER_LANES(mask, emu_u64(w, in->d)[l] = in->count ? a[l] ^ bit : a[l] & ~bit);
    return EMU_NEXT;
}
EXEC(flip_32)
{
    const uint32_t *a = emu_u32(w, in->a);
    const uint32_t flip = (uint32_t)in->imm;
    OVER_LANES(mask, emu_u32(w, in->d)[l] = flush_any(in, a[l]) ^ flip);
    return EMU_NEXT;
}

bool dec_float_sign(struct decoder *d, bool negates)
{
    struct emu_insn *out = d->out;
    flags(d);
    const bool ftz = out->imm & FLAG_FTZ;
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    const bool pair = t == PTX_F16X2 || t == PTX_BF16X2;
    out->imm = pair ? 0x80008000 : bits == 16 ? 0x8000 : 0x80000000;
    out->bytes = ftz ? (t == PTX_F32 ? 4 : 2) : 0;
    out->count = negates;
    out->exec = bits == 64 ? sign_64 : negates ? flip_32 : sign_32;
    return dec_dest(d, bits, &out->d) && dec_source(d, t, &out->a);
}

EXEC(copysign_any)
{
    EACH_LANE(l, mask)
    {
        if (in->type == PTX_F64) {
            const uint64_t bit = 1ull << 63;
            emu_u64(w, in->d)[l] = (emu_u64(w, in->a)[l] & bit) | (emu_u64(w, in->b)[l] & ~bit);
        } else {
            emu_u32(w, in->d)[l] =
                (emu_u32(w, in->a)[l] & 0x80000000) | (emu_u32(w, in->b)[l] & 0x7fffffff);
        }
    }
    return EMU_NEXT;
}

bool decode_copysign(struct decoder *d)
{
    const enum ptx_type t = dec_type(d);
    d->out->exec = copysign_any;
    d->out->type = (uint8_t)t;
    return (t == PTX_F32 || t == PTX_F64) && dec_dest(d, ptx_type_bits(t), &d->out->d) &&
           dec_source(d, t, &d->out->a) && dec_source(d, t, &d->out->b);
}

EXEC(testp)
{
    uint32_t r = 0;
    EACH_LANE(l, mask)
    {
        const double v =
            in->type == PTX_F64 ? emu_double(emu_u64(w, in->a)[l]) : (double)emu_f32(w, in->a)[l];
        const int class = in->type == PTX_F64 ? fpclassify(v) : fpclassify((float)v);
        const bool is[] = {class != FP_INFINITE && class != FP_NAN,
                           class == FP_INFINITE,
                           class != FP_NAN,
                           class == FP_NAN,
                           class == FP_NORMAL || class == FP_ZERO, // as the ISA has it
                           class == FP_SUBNORMAL};
        r |= (uint32_t)is[in->count] << l;
    }
    emu_set_pred(w, in->d, mask, r);
    return EMU_NEXT;
}

bool decode_testp(struct decoder *d)
{
    const int which = dec_one_of(d, "finite|infinite|number|notanumber|normal|subnormal");
    const enum ptx_type t = dec_type(d);
    if (which < 0 || (t != PTX_F32 && t != PTX_F64)) return false;
    d->out->exec = testp;
    d->out->type = (uint8_t)t;
    d->out->count = (uint8_t)which;
    return dec_dest(d, 1, &d->out->d) && dec_source(d, t, &d->out->a);
}
