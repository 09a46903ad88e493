// cvt, among all types: integers of any width, floating numbers down to four bits.
#include "emulate/ops/small.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { RN, RZ, RM, RP, RNI, RZI, RMI, RPI, RNA };
enum { CVT_FTZ = 1, CVT_SAT = 2, CVT_RELU = 4, CVT_FINITE = 8 };

struct cvt {
    enum ptx_type to, from;
    int rounding; // -1: none named
    uint32_t flags;
};

static double round_integer(double v, int rounding)
{
    switch (rounding) {
    case RZI:
        return trunc(v);
    case RMI:
        return floor(v);
    case RPI:
        return ceil(v);
    default:
        return nearbyint(v);
    }
}

// Out of range clamps; NaN is 0, or the top bit where one of the types has 64 bits (PTX ISA, cvt).
static uint64_t to_integer(double v, const struct cvt *c)
{
    const uint32_t bits = ptx_type_bits(c->to);
    const bool is_signed = ptx_type_signed(c->to);
    if (v != v) return bits == 64 || c->from == PTX_F64 ? 1ull << (bits - 1) : 0;
    v = round_integer(v, c->rounding);
    const double top = ldexp(1, (int)(bits - is_signed));
    if (is_signed && v < -top) return (uint64_t)INT64_MIN >> (64 - bits) << 0;
    if (!is_signed && v <= 0) return 0;
    if (v >= top) return is_signed ? (1ull << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static int64_t read_integer(const struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                            const struct cvt *c)
{
    const uint64_t v = in->bytes & 1 ? emu_u64(w, in->a)[l] : emu_u32(w, in->a)[l];
    const uint32_t shift = 64 - ptx_type_bits(c->from);
    return ptx_type_signed(c->from) ? (int64_t)(v << shift) >> shift
                                    : (int64_t)(v << shift >> shift);
}

static void write_lane(const struct emu_warp *w, const struct emu_insn *in, uint32_t l, uint64_t v)
{
    if (in->bytes & 2)
        emu_u64(w, in->d)[l] = v;
    else
        emu_u32(w, in->d)[l] = (uint32_t)v;
}

static uint64_t clamp(int64_t v, const struct cvt *c)
{
    const uint32_t bits = ptx_type_bits(c->to);
    const bool from_u64 = c->from == PTX_U64;
    if (!(c->flags & CVT_SAT)) return (uint64_t)v;
    if (ptx_type_signed(c->to)) {
        const int64_t top = bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1;
        if (from_u64 && v < 0) return (uint64_t)top;
        return (uint64_t)(v > top ? top : v < -top - 1 ? -top - 1 : v);
    }
    const uint64_t top = UINT64_MAX >> (64 - bits);
    if (v < 0 && !from_u64) return 0;
    return (uint64_t)v > top ? top : (uint64_t)v;
}

static uint64_t width(uint64_t v, const struct emu_insn *in, const struct cvt *c)
{
    const uint32_t shift = 64 - ptx_type_bits(c->to);
    const uint64_t r =
        ptx_type_signed(c->to) ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
    if (in->bytes & 2) return r;
    return ptx_type_bits(c->to) == 16 && (in->bytes & 4) ? r & 0xffff : r & UINT32_MAX;
}

EXEC(cvt_integers)
{
    const struct cvt *c = in->more;
    EACH_LANE(l, mask)
    write_lane(w, in, l, width(clamp(read_integer(w, in, l, c), c), in, c));
    return EMU_NEXT;
}

// Whole registers from one width to the other, as compilers make addresses.
LANEWISE(widen_u32, uint64_t, uint32_t, uint32_t, uint32_t, a)
LANEWISE(widen_s32, int64_t, int32_t, int32_t, int32_t, a)
LANEWISE(narrow_64, uint32_t, uint64_t, uint32_t, uint32_t, a)

static emu_exec *integers(const struct cvt *c, uint32_t to, uint32_t from)
{
    const bool whole = to == ptx_type_bits(c->to) && from == ptx_type_bits(c->from);
    if (!whole || c->flags & CVT_SAT) return cvt_integers;
    if (from == 32 && to == 64) return ptx_type_signed(c->from) ? widen_s32 : widen_u32;
    return from == 64 && to == 32 ? narrow_64 : cvt_integers;
}

static double read_float(const struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                         const struct cvt *c)
{
    const uint32_t u = c->from == PTX_F64 ? 0 : emu_u32(w, in->a)[l];
    switch (c->from) {
    case PTX_F64:
        return emu_double(emu_u64(w, in->a)[l]);
    case PTX_F16:
        return (double)emu_from_half(u & 0xffff);
    case PTX_BF16:
        return (double)emu_from_bfloat(u & 0xffff);
    default:
        return (double)(c->flags & CVT_FTZ ? emu_flush(emu_float(u)) : emu_float(u));
    }
}

EXEC(cvt_to_integer)
{
    const struct cvt *c = in->more;
    EACH_LANE(l, mask)
    write_lane(w, in, l, width(to_integer(read_float(w, in, l, c), c), in, c));
    return EMU_NEXT;
}

static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

// Formats of 16 bits, and tf32, whose code lies in the upper bits of a float.
static uint32_t narrow(double v, const struct cvt *c)
{
    static const struct emu_format half = {5, 10}, brain = {8, 7}, tf32 = {8, 10};
    const bool by_host = ptx_type_float(c->from) && c->from != PTX_F64, rn = c->rounding == RN;
    const enum emu_rounding rounding = c->rounding == RNA ? EMU_AWAY
                                       : c->rounding > 0 && c->rounding <= RP
                                           ? (enum emu_rounding)c->rounding
                                           : EMU_NEAREST;
    const bool finite = c->flags & CVT_FINITE;
    // A NaN as an H200 leaves it: the upper bits of its own, or all ones.
    if (c->to == PTX_TF32 && v != v)
        return rounding == EMU_AWAY ? emu_bits((float)v) & 0xffffe000 : 0x7fffe000;
    if (c->to == PTX_TF32) return emu_round(tf32, v, rounding, finite) << 13;
    if (by_host && rn && !finite)
        return c->to == PTX_F16 ? emu_to_half((float)v) : emu_to_bfloat((float)v);
    return emu_round(c->to == PTX_F16 ? half : brain, v, rounding, finite);
}

static uint64_t to_float(double v, const struct cvt *c)
{
    if (c->flags & CVT_RELU) v = v > 0 || v != v ? v : 0;
    if (c->flags & CVT_SAT) v = v > 0 ? (v < 1 ? v : 1) : 0;
    switch (c->to) {
    case PTX_F64: // of a NaN the sign and what is behind the point, quiet
        return v != v ? emu_bits64(v) | 1ull << 51 : emu_bits64(v);
    case PTX_F16:
    case PTX_BF16:
    case PTX_TF32:
        return narrow(v, c);
    default: {
        const float f = emu_canonical((float)v);
        return emu_bits(c->flags & CVT_FTZ ? emu_flush(f) : f);
    }
    }
}

// An integer as a double, rounded to odd where it has more than 53 bits.
static double odd_double(int64_t v, bool is_unsigned)
{
    const bool negative = !is_unsigned && v < 0;
    uint64_t u = negative ? 0 - (uint64_t)v : (uint64_t)v;
    if (u >> 53) u = (u & ~0xfffull) | ((u & 0xfff) ? 0x800 : 0);
    return negative ? -(double)u : (double)u;
}

static uint64_t from_integer(int64_t v, const struct cvt *c)
{
    const bool top = c->from == PTX_U64;
    const bool by_host = !(c->flags & CVT_SAT);
    if (c->to == PTX_F64 && by_host) return emu_bits64(top ? (double)(uint64_t)v : (double)v);
    if (c->to == PTX_F32 && by_host) return emu_bits(top ? (float)(uint64_t)v : (float)v);
    return to_float(odd_double(v, top), c);
}

EXEC(cvt_to_float)
{
    const struct cvt *c = in->more;
    const bool integer = !ptx_type_float(c->from);
    const bool rounds = c->rounding >= RNI && c->rounding <= RPI;
    const bool directed = c->rounding > 0 && c->rounding <= RP;
    if (directed) fesetround(host_rounding[c->rounding]);
    EACH_LANE(l, mask)
    {
        uint64_t r;
        if (integer) {
            r = from_integer(read_integer(w, in, l, c), c);
        } else {
            double v = read_float(w, in, l, c);
            if (rounds) v = round_integer(v, c->rounding);
            r = to_float(v, c);
        }
        write_lane(w, in, l, r);
    }
    if (directed) fesetround(FE_TONEAREST);
    return EMU_NEXT;
}

static int rounding_of(struct decoder *d)
{
    return dec_one_of(d, "rn|rz|rm|rp|rni|rzi|rmi|rpi|rna");
}

static uint32_t register_bits(const struct decoder *d, uint32_t operand, uint32_t at_least)
{
    if (operand >= d->inst->operands) return at_least;
    const uint32_t have = dec_bits(d, &d->inst->operand[operand]);
    return have > at_least ? have : at_least;
}

static enum ptx_type raw(uint32_t bits)
{
    return bits > 32 ? PTX_B64 : bits > 16 ? PTX_B32 : PTX_B16;
}

static bool ordinary(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64 || t == PTX_TF32 ||
           (t >= PTX_U8 && t <= PTX_S64);
}

// Whether every value of from is one of to. ptxas refuses .sat there, as the PTX ISA says.
static bool holds_all_of(enum ptx_type to, enum ptx_type from)
{
    const uint32_t t = ptx_type_bits(to), f = ptx_type_bits(from);
    if (ptx_type_float(to) || ptx_type_float(from)) return false;
    if (ptx_type_signed(to) == ptx_type_signed(from)) return t >= f;
    return ptx_type_signed(to) && t > f;
}

bool decode_cvt(struct decoder *d)
{
    struct cvt *c = dec_alloc(d, sizeof *c);
    if (!c) return false;
    if (dec_has(d, "pack")) return dec_cvt_pack(d);
    c->rounding = rounding_of(d);
    if (dec_has(d, "ftz")) c->flags |= CVT_FTZ;
    if (dec_has(d, "satfinite")) c->flags |= CVT_FINITE;
    if (dec_has(d, "relu")) c->flags |= CVT_RELU;
    if (dec_has(d, "sat")) c->flags |= CVT_SAT;
    c->to = dec_type(d);
    c->from = dec_type(d);
    if (c->from == PTX_NONE || !ordinary(c->to) || !ordinary(c->from) || c->from == PTX_TF32)
        return dec_cvt_small(d, c->to, c->from, c->rounding == RZ, (c->flags & CVT_RELU) != 0,
                             (c->flags & CVT_FINITE) != 0);
    if (c->flags & CVT_SAT && holds_all_of(c->to, c->from))
        return dec_fail(d, "'.sat' has nothing to limit: the type holds all that it is given");
    d->out->more = c;
    const bool to_f = ptx_type_float(c->to), from_f = ptx_type_float(c->from);
    const uint32_t to = register_bits(d, 0, ptx_type_bits(c->to));
    const uint32_t from = register_bits(d, 1, ptx_type_bits(c->from));
    d->out->exec = to_f ? cvt_to_float : from_f ? cvt_to_integer : integers(c, to, from);
    d->out->bytes = (uint8_t)((from > 32 ? 1 : 0) | (to > 32 ? 2 : 0) | (to == 16 ? 4 : 0));
    if (to > 64 || from > 64) return dec_fail(d, "'%s' has no such type", d->inst->op);
    return dec_dest(d, to, &d->out->d) &&
           dec_source(d, from > ptx_type_bits(c->from) ? raw(from) : c->from, &d->out->a);
}
