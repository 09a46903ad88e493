// Integers: arithmetic, bits, shifts.
#include "emulate/ops/float.h"

#include <string.h>

__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;

bool dec_lanewise(struct decoder *d, emu_by_type table, uint32_t sources)
{
    const enum ptx_type type = dec_type(d);
    emu_at *const slot[] = {&d->out->a, &d->out->b, &d->out->c};
    if (!table[type]) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->type = (uint8_t)type;
    d->out->exec = table[type];
    if (!dec_dest(d, ptx_type_bits(type), &d->out->d)) return false;
    for (uint32_t i = 0; i < sources; i++)
        if (!dec_source(d, type, slot[i])) return false;
    return true;
}

#define INT3(name, expression)                                                                     \
    LANEWISE(name##_u32, uint32_t, uint32_t, uint32_t, uint32_t, expression)                       \
    LANEWISE(name##_u64, uint64_t, uint64_t, uint64_t, uint64_t, expression)
#define SIGNED3(name, expression)                                                                  \
    LANEWISE(name##_s32, int32_t, int32_t, int32_t, int32_t, expression)                           \
    LANEWISE(name##_s64, int64_t, int64_t, int64_t, int64_t, expression)
// 16 bits in lanes of 32, the rest zero.
#define SHORT3(name, T, expression)                                                                \
    EXEC(name)                                                                                     \
    {                                                                                              \
        uint32_t *d_ = emu_u32(w, in->d);                                                          \
        const uint32_t *a_ = emu_u32(w, in->a), *b_ = emu_u32(w, in->b), *c_ = emu_u32(w, in->c);  \
        OVER_LANES(mask, const T a = (T)a_[l]; const T b = (T)b_[l]; const T c = (T)c_[l];         \
                   (void)a; (void)b; (void)c; d_[l] = (uint16_t)(expression));                     \
        return EMU_NEXT;                                                                           \
    }

INT3(add, a + b)
INT3(sub, a - b)
INT3(mul, a *b)
INT3(mad, a *b + c)
INT3(and_, a &b)
INT3(or_, a | b)
INT3(xor_, a ^ b)
INT3(not_, ~a)
INT3(neg, 0 - a)
INT3(cnot, a == 0)
INT3(umin, a < b ? a : b)
INT3(umax, a > b ? a : b)
INT3(udiv, b ? a / b : (uint64_t)-1)
INT3(urem, b ? a % b : a)
SIGNED3(smin, a < b ? a : b)
SIGNED3(smax, a > b ? a : b)
SIGNED3(abs_, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
LANEWISE(sdiv_s32, int32_t, int32_t, int32_t, int32_t, b == 0 ? -1 : (int64_t)a / b)
LANEWISE(srem_s32, int32_t, int32_t, int32_t, int32_t, b == 0 ? a : (int64_t)a % b)
LANEWISE(sdiv_s64, int64_t, int64_t, int64_t, int64_t,
         b == 0    ? -1
         : b == -1 ? (int64_t)(0 - (uint64_t)a)
                   : a / b)
LANEWISE(srem_s64, int64_t, int64_t, int64_t, int64_t, b == 0 ? a : b == -1 ? 0 : a % b)
SHORT3(add_16, uint32_t, a + b)
SHORT3(sub_16, uint32_t, a - b)
SHORT3(mul_16, uint32_t, a *b)
SHORT3(mad_16, uint32_t, a *b + c)
SHORT3(and__16, uint32_t, a &b)
SHORT3(or__16, uint32_t, a | b)
SHORT3(xor__16, uint32_t, a ^ b)
SHORT3(not__16, uint32_t, ~a)
SHORT3(neg_16, uint32_t, 0 - a)
SHORT3(cnot_16, uint32_t, (a & 0xffff) == 0)
SHORT3(umin_16, uint16_t, a < b ? a : b)
SHORT3(umax_16, uint16_t, a > b ? a : b)
SHORT3(smin_16, int16_t, a < b ? a : b)
SHORT3(smax_16, int16_t, a > b ? a : b)
SHORT3(abs_16, int16_t, a < 0 ? -a : a)
SHORT3(udiv_16, uint16_t, b ? a / b : -1)
SHORT3(urem_16, uint16_t, b ? a % b : a)
SHORT3(sdiv_16, int16_t, b ? a / b : -1)
SHORT3(srem_16, int16_t, b ? a % b : a)

// Two halves of 16 bits.
#define PAIR3(name, T, expression)                                                                 \
    static uint32_t name##_half(T a, T b)                                                          \
    {                                                                                              \
        return (uint16_t)(expression);                                                             \
    }                                                                                              \
    LANEWISE(name, uint32_t, uint32_t, uint32_t, uint32_t,                                         \
             name##_half((T)a, (T)b) | name##_half((T)(a >> 16), (T)(b >> 16)) << 16)
PAIR3(add_x2, uint16_t, a + b)
PAIR3(umin_x2, uint16_t, a < b ? a : b)
PAIR3(umax_x2, uint16_t, a > b ? a : b)
PAIR3(smin_x2, int16_t, a < b ? a : b)
PAIR3(smax_x2, int16_t, a > b ? a : b)

#define ANY_SIGN(name)                                                                             \
    [PTX_U16] = name##_16, [PTX_S16] = name##_16, [PTX_U32] = name##_u32, [PTX_S32] = name##_u32,  \
    [PTX_U64] = name##_u64, [PTX_S64] = name##_u64
#define BY_SIGN(u, s)                                                                              \
    [PTX_U16] = u##_16, [PTX_S16] = s##_16, [PTX_U32] = u##_u32, [PTX_S32] = s##_s32,              \
    [PTX_U64] = u##_u64, [PTX_S64] = s##_s64
#define BITS(name) [PTX_B16] = name##_16, [PTX_B32] = name##_u32, [PTX_B64] = name##_u64

static emu_by_type add_table = {ANY_SIGN(add), [PTX_U16X2] = add_x2, [PTX_S16X2] = add_x2},
                   sub_table = {ANY_SIGN(sub)}, mul_table = {ANY_SIGN(mul)},
                   mad_table = {ANY_SIGN(mad)}, neg_table = {ANY_SIGN(neg)},
                   div_table = {BY_SIGN(udiv, sdiv)}, rem_table = {BY_SIGN(urem, srem)},
                   min_table = {BY_SIGN(umin, smin), [PTX_U16X2] = umin_x2, [PTX_S16X2] = smin_x2},
                   max_table = {BY_SIGN(umax, smax), [PTX_U16X2] = umax_x2, [PTX_S16X2] = smax_x2},
                   abs_table = {[PTX_S16] = abs_16, [PTX_S32] = abs__s32, [PTX_S64] = abs__s64},
                   cnot_table = {BITS(cnot)};

EXEC(pred_logic)
{
    const uint32_t a = emu_pred(w, in->a), b = emu_pred(w, in->b);
    const uint32_t r = in->imm == 0 ? (a & b) : in->imm == 1 ? (a | b) : in->imm == 2 ? a ^ b : ~a;
    emu_set_pred(w, in->d, mask, r);
    return EMU_NEXT;
}

static bool logic(struct decoder *d, int which, emu_by_type table, uint32_t sources)
{
    if (!dec_has(d, "pred")) return dec_lanewise(d, table, sources);
    d->out->exec = pred_logic;
    d->out->imm = which;
    return dec_dest(d, 1, &d->out->d) && dec_source(d, PTX_PRED, &d->out->a) &&
           (sources == 1 || dec_source(d, PTX_PRED, &d->out->b));
}

bool decode_and(struct decoder *d)
{
    static emu_by_type table = {BITS(and_)};
    return logic(d, 0, table, 2);
}
bool decode_or(struct decoder *d)
{
    static emu_by_type table = {BITS(or_)};
    return logic(d, 1, table, 2);
}
bool decode_xor(struct decoder *d)
{
    static emu_by_type table = {BITS(xor_)};
    return logic(d, 2, table, 2);
}
bool decode_not(struct decoder *d)
{
    static emu_by_type table = {BITS(not_)};
    return logic(d, 3, table, 1);
}
bool decode_cnot(struct decoder *d)
{
    return dec_lanewise(d, cnot_table, 1);
}

// The float decoders come first where an operation has both: see float.c.
bool dec_integer(struct decoder *d, const char *name)
{
    static const struct {
        const char *name;
        const emu_by_type *table;
        uint32_t sources;
    } rows[] = {{"add", &add_table, 2}, {"sub", &sub_table, 2}, {"neg", &neg_table, 1},
                {"abs", &abs_table, 1}, {"min", &min_table, 2}, {"max", &max_table, 2},
                {"div", &div_table, 2}, {"rem", &rem_table, 2}};
    size_t i = 0;
    while (strcmp(rows[i].name, name) != 0) i++; // there is one
    return dec_lanewise(d, *rows[i].table, rows[i].sources);
}

bool decode_rem(struct decoder *d)
{
    return dec_integer(d, "rem");
}

// --- products of which a half or the whole is kept

LANEWISE(mulhi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)a *b >> 32)
LANEWISE(mulhi_s32, int32_t, int32_t, int32_t, int32_t, (int64_t)a *b >> 32)
LANEWISE(mulhi_u64, uint64_t, uint64_t, uint64_t, uint64_t, (wide_uint)a *b >> 64)
LANEWISE(mulhi_s64, int64_t, int64_t, int64_t, int64_t, (wide_int)a *b >> 64)
LANEWISE(madhi_u32, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)a * b >> 32) + c)
LANEWISE(madhi_s32, int32_t, int32_t, int32_t, int32_t,
         (uint64_t)((int64_t)a *b >> 32) + (uint64_t)c)
LANEWISE(madhi_u64, uint64_t, uint64_t, uint64_t, uint64_t, (uint64_t)((wide_uint)a *b >> 64) + c)
LANEWISE(madhi_s64, int64_t, int64_t, int64_t, int64_t,
         (uint64_t)((wide_int)a *b >> 64) + (uint64_t)c)
SHORT3(mulhi_u16, uint16_t, (uint32_t)a *b >> 16)
SHORT3(mulhi_s16, int16_t, (int32_t)a *b >> 16)
LANEWISE(wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b)
LANEWISE(wide_s32, int64_t, int32_t, int32_t, int64_t, (int64_t)a *b)
LANEWISE(madwide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
LANEWISE(madwide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)
LANEWISE(wide_u16, uint32_t, uint32_t, uint32_t, uint32_t, (a & 0xffff) * (b & 0xffff))
LANEWISE(wide_s16, uint32_t, uint32_t, uint32_t, uint32_t, (int32_t)(int16_t)a *(int16_t)b)
LANEWISE(madwide_u16, uint32_t, uint32_t, uint32_t, uint32_t, (a & 0xffff) * (b & 0xffff) + c)
LANEWISE(madwide_s16, uint32_t, uint32_t, uint32_t, uint32_t,
         (uint32_t)((int32_t)(int16_t)a *(int16_t)b) + c)

// mul and mad of integers: what the qualifier lo, hi or wide keeps.
bool dec_integer_mul(struct decoder *d, bool adds)
{
    static emu_by_type hi[2] = {{[PTX_U16] = mulhi_u16,
                                 [PTX_S16] = mulhi_s16,
                                 [PTX_U32] = mulhi_u32,
                                 [PTX_S32] = mulhi_s32,
                                 [PTX_U64] = mulhi_u64,
                                 [PTX_S64] = mulhi_s64},
                                {[PTX_U32] = madhi_u32,
                                 [PTX_S32] = madhi_s32,
                                 [PTX_U64] = madhi_u64,
                                 [PTX_S64] = madhi_s64}};
    static emu_by_type wide[2] = {
        {[PTX_U16] = wide_u16, [PTX_S16] = wide_s16, [PTX_U32] = wide_u32, [PTX_S32] = wide_s32},
        {[PTX_U16] = madwide_u16,
         [PTX_S16] = madwide_s16,
         [PTX_U32] = madwide_u32,
         [PTX_S32] = madwide_s32}};
    const int which = dec_one_of(d, "lo|hi|wide");
    if (which == 0) return dec_lanewise(d, adds ? mad_table : mul_table, adds ? 3 : 2);
    if (which == 1) return dec_lanewise(d, hi[adds], adds ? 3 : 2);
    const enum ptx_type t = dec_type(d);
    if (which < 0 || !wide[adds][t]) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = wide[adds][t];
    const uint32_t bits = 2 * ptx_type_bits(t);
    return dec_dest(d, bits, &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, t, &d->out->b) &&
           (!adds || dec_source(d, bits == 64 ? PTX_B64 : PTX_B32, &d->out->c));
}

// 24-bit products: the operands' low 24 bits, the product's low 32.
LANEWISE(mul24_u32, uint32_t, uint32_t, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff))
LANEWISE(mul24_s32, uint32_t, uint32_t, uint32_t, uint32_t,
         (uint32_t)((int32_t)(a << 8) >> 8) * (uint32_t)((int32_t)(b << 8) >> 8))
bool decode_mul24(struct decoder *d)
{
    static emu_by_type table = {[PTX_U32] = mul24_u32, [PTX_S32] = mul24_s32};
    return dec_has(d, "lo") && dec_lanewise(d, table, 2);
}

// --- sums with carry; the carry is a predicate of the warp that no name has

#define CARRY(name, T, first, out_expression)                                                      \
    EXEC(name)                                                                                     \
    {                                                                                              \
        T *d_ = emu_lanes(w, in->d);                                                               \
        const T *a_ = emu_lanes(w, in->a), *b_ = emu_lanes(w, in->b);                              \
        uint32_t carry = w->carry;                                                                 \
        EACH_LANE(l, mask)                                                                         \
        {                                                                                          \
            const T a = a_[l], b = b_[l];                                                          \
            const uint32_t c = in->imm & 1 ? carry >> l & 1 : 0;                                   \
            const T r = (T)(first);                                                                \
            const uint32_t o = (out_expression);                                                   \
            d_[l] = r;                                                                             \
            carry = (carry & ~(1u << l)) | o << l;                                                 \
        }                                                                                          \
        if (in->imm & 2) w->carry = carry;                                                         \
        return EMU_NEXT;                                                                           \
    }
CARRY(addc_u32, uint32_t, a + b + c, r < a || (c && r == a))
CARRY(addc_u64, uint64_t, a + b + c, r < a || (c && r == a))
CARRY(subc_u32, uint32_t, a - b - c, a < b || (c && a == b))
CARRY(subc_u64, uint64_t, a - b - c, a < b || (c && a == b))

static bool carry(struct decoder *d, bool subtracts, bool takes)
{
    static emu_by_type table[2] = {
        {[PTX_U32] = addc_u32, [PTX_S32] = addc_u32, [PTX_U64] = addc_u64, [PTX_S64] = addc_u64},
        {[PTX_U32] = subc_u32, [PTX_S32] = subc_u32, [PTX_U64] = subc_u64, [PTX_S64] = subc_u64}};
    const bool sets = dec_has(d, "cc");
    d->out->imm = (takes ? 1 : 0) | (sets ? 2 : 0);
    return dec_lanewise(d, table[subtracts], 2);
}
bool decode_addc(struct decoder *d)
{
    return carry(d, false, true);
}
bool decode_subc(struct decoder *d)
{
    return carry(d, true, true);
}
bool dec_carry(struct decoder *d, bool subtracts)
{
    return carry(d, subtracts, false);
}
