// Comparisons and selections.
#include "emulate/ops/ops.h"

enum compare { EQ, NE, LT, LE, GT, GE, LO, LS, HI, HS, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NOTNUM };
#define COMPARE_NAMES "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"

#define LOOP(expression)                                                                           \
    OVER_LANES(mask, const T a = (T)a_[l]; const T b = (T)b_[l];                                   \
               r |= (uint32_t)(expression) << l);                                                  \
    return r

#define COMPARE_INTEGERS(name, LANE, TYPE)                                                         \
    static uint32_t name(const void *pa, const void *pb, uint32_t mask, enum compare how)          \
    {                                                                                              \
        typedef TYPE T;                                                                            \
        const LANE *a_ = pa, *b_ = pb;                                                             \
        uint32_t r = 0;                                                                            \
        switch (how) {                                                                             \
        case EQ:                                                                                   \
            LOOP(a == b);                                                                          \
        case NE:                                                                                   \
            LOOP(a != b);                                                                          \
        case LT:                                                                                   \
        case LO:                                                                                   \
            LOOP(a < b);                                                                           \
        case LE:                                                                                   \
        case LS:                                                                                   \
            LOOP(a <= b);                                                                          \
        case GT:                                                                                   \
        case HI:                                                                                   \
            LOOP(a > b);                                                                           \
        default:                                                                                   \
            LOOP(a >= b);                                                                          \
        }                                                                                          \
    }
COMPARE_INTEGERS(compare_u16, uint32_t, uint16_t)
COMPARE_INTEGERS(compare_s16, uint32_t, int16_t)
COMPARE_INTEGERS(compare_u32, uint32_t, uint32_t)
COMPARE_INTEGERS(compare_s32, uint32_t, int32_t)
COMPARE_INTEGERS(compare_u64, uint64_t, uint64_t)
COMPARE_INTEGERS(compare_s64, uint64_t, int64_t)

static bool compare_doubles(double a, double b, enum compare how)
{
    const bool nan = a != a || b != b;
    switch (how) {
    case EQ:
        return a == b;
    case NE:
        return !nan && a != b;
    case LT:
        return a < b;
    case LE:
        return a <= b;
    case GT:
        return a > b;
    case GE:
        return a >= b;
    case EQU:
        return nan || a == b;
    case NEU:
        return nan || a != b;
    case LTU:
        return nan || a < b;
    case LEU:
        return nan || a <= b;
    case GTU:
        return nan || a > b;
    case GEU:
        return nan || a >= b;
    case NUM:
        return !nan;
    default:
        return nan;
    }
}

static double float_at(const struct emu_warp *w, const struct emu_insn *in, emu_at at, uint32_t l,
                       bool high)
{
    const uint32_t half = (emu_u32(w, at)[in->type == PTX_F64 ? 0 : l] >> (high ? 16 : 0)) & 0xffff;
    switch (in->type) {
    case PTX_F64:
        return emu_double(emu_u64(w, at)[l]);
    case PTX_F32:
        return (double)(in->space ? emu_flush(emu_f32(w, at)[l]) : emu_f32(w, at)[l]);
    case PTX_BF16:
    case PTX_BF16X2:
        return (double)emu_from_bfloat(half);
    default:
        return (double)emu_from_half(in->space && (half & 0x7c00) == 0 ? half & 0x8000 : half);
    }
}

static uint32_t compare(const struct emu_warp *w, const struct emu_insn *in, uint32_t mask,
                        bool high)
{
    const void *a = emu_lanes(w, in->a), *b = emu_lanes(w, in->b);
    const enum compare how = (enum compare)in->count;
    uint32_t r = 0;
    if (ptx_type_float(in->type)) {
        EACH_LANE(l, mask)
        r |= (uint32_t)compare_doubles(float_at(w, in, in->a, l, high),
                                       float_at(w, in, in->b, l, high), how)
             << l;
        return r;
    }
    const uint32_t bits = ptx_type_bits(in->type);
    const bool is_signed = ptx_type_signed(in->type);
    if (bits == 16) return (is_signed ? compare_s16 : compare_u16)(a, b, mask, how);
    if (bits == 64) return (is_signed ? compare_s64 : compare_u64)(a, b, mask, how);
    return (is_signed ? compare_s32 : compare_u32)(a, b, mask, how);
}

static uint32_t combine(const struct emu_insn *in, uint32_t r, uint32_t c)
{
    if (in->imm == 0) return r;
    if (in->not_c) c = ~c;
    return in->imm == 1 ? (r & c) : in->imm == 2 ? (r | c) : r ^ c;
}

EXEC(setp)
{
    const bool pair = in->type == PTX_F16X2 || in->type == PTX_BF16X2;
    const uint32_t c = in->imm ? emu_pred(w, in->c) : 0;
    const uint32_t r = compare(w, in, mask, false);
    const uint32_t second = pair ? compare(w, in, mask, true) : ~r;
    emu_set_pred(w, in->d, mask, combine(in, r, c));
    if (in->lists) emu_set_pred(w, in->e, mask, combine(in, second, c));
    return EMU_NEXT;
}

static bool comparison(struct decoder *d)
{
    const int how = dec_one_of(d, COMPARE_NAMES);
    if (how < 0) return dec_fail(d, "'%s' has no such comparison", d->inst->op);
    d->out->count = (uint8_t)how;
    d->out->imm = 1 + dec_one_of(d, "and|or|xor");
    d->out->space = dec_has(d, "ftz");
    return true;
}

// Bits are equal or not, lo to hs are of unsigned integers, and what knows of NaN of floats.
static bool comparison_exists(enum ptx_type t, enum compare how)
{
    if (ptx_type_float(t)) return how < LO || how > HS;
    if (ptx_type_signed(t)) return how < LO;
    return t >= PTX_U8 ? how <= HS : how <= NE;
}

static bool compared(struct decoder *d)
{
    const enum ptx_type t = (enum ptx_type)d->out->type;
    const uint32_t bits = ptx_type_bits(t);
    if (!comparison_exists(t, (enum compare)d->out->count))
        return dec_fail(d, "'%s' has no such comparison", d->inst->op);
    if (bits < 16 || bits > 64) return dec_fail(d, "'%s' has no such type", d->inst->op);
    if (!dec_source(d, t, &d->out->a) || !dec_source(d, t, &d->out->b)) return false;
    return d->out->imm == 0 || dec_predicate(d, &d->out->c, &d->out->not_c);
}

bool decode_setp(struct decoder *d)
{
    if (!comparison(d)) return false;
    d->out->type = (uint8_t)dec_type(d);
    d->out->exec = setp;
    const struct ptx_operand *o = dec_first_of_pair(d);
    if (d->out->lists && (d->out->type == PTX_F16 || d->out->type == PTX_BF16))
        return dec_fail(d, "'%s' of one half has one predicate", d->inst->op);
    return o && dec_dest_of(d, o, 1, &d->out->d) && compared(d);
}

EXEC(set)
{
    const uint32_t r = combine(in, compare(w, in, mask, false), in->imm ? emu_pred(w, in->c) : 0);
    EACH_LANE(l, mask)
    {
        const bool yes = r >> l & 1;
        emu_u32(w, in->d)[l] = in->bytes ? (yes ? 0x3f800000 : 0) : yes ? UINT32_MAX : 0;
    }
    return EMU_NEXT;
}

bool decode_set(struct decoder *d)
{
    if (!comparison(d)) return false;
    const enum ptx_type to = dec_type(d), from = dec_type(d);
    const bool half = from == PTX_F16 || from == PTX_BF16;
    if (ptx_type_bits(to) != 32 || from == PTX_F16X2 || from == PTX_BF16X2 ||
        (half && to == PTX_F32))
        return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->type = (uint8_t)from;
    d->out->bytes = to == PTX_F32;
    d->out->exec = set;
    return dec_dest(d, 32, &d->out->d) && compared(d);
}

EXEC(selp_32)
{
    const uint32_t c = emu_pred(w, in->c) ^ (in->not_c ? UINT32_MAX : 0);
    uint32_t *d_ = emu_u32(w, in->d);
    const uint32_t *a = emu_u32(w, in->a), *b = emu_u32(w, in->b);
    OVER_LANES(mask, d_[l] = c >> l & 1 ? a[l] : b[l]);
    return EMU_NEXT;
}
EXEC(selp_64)
{
    const uint32_t c = emu_pred(w, in->c) ^ (in->not_c ? UINT32_MAX : 0);
    uint64_t *d_ = emu_u64(w, in->d);
    const uint64_t *a = emu_u64(w, in->a), *b = emu_u64(w, in->b);
    OVER_LANES(mask, d_[l] = c >> l & 1 ? a[l] : b[l]);
    return EMU_NEXT;
}

bool decode_selp(struct decoder *d)
{
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    if (bits < 16 || bits > 64) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = bits == 64 ? selp_64 : selp_32;
    return dec_dest(d, bits, &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, t, &d->out->b) && dec_predicate(d, &d->out->c, &d->out->not_c);
}

EXEC(slct)
{
    const uint32_t *c = emu_u32(w, in->c);
    EACH_LANE(l, mask)
    {
        const float v = in->space ? emu_flush(emu_float(c[l])) : emu_float(c[l]);
        const bool first = in->type == PTX_F32 ? v >= 0 : (int32_t)c[l] >= 0;
        if (in->bytes == 8)
            emu_u64(w, in->d)[l] = emu_u64(w, first ? in->a : in->b)[l];
        else
            emu_u32(w, in->d)[l] = emu_u32(w, first ? in->a : in->b)[l];
    }
    return EMU_NEXT;
}

bool decode_slct(struct decoder *d)
{
    d->out->space = dec_has(d, "ftz");
    const enum ptx_type t = dec_type(d), by = dec_type(d);
    if (by != PTX_S32 && by != PTX_F32) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = slct;
    d->out->type = (uint8_t)by;
    d->out->bytes = (uint8_t)(ptx_type_bits(t) / 8);
    return dec_dest(d, ptx_type_bits(t), &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, t, &d->out->b) && dec_source(d, by, &d->out->c);
}
