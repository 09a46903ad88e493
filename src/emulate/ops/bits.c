// Shifts, fields, counts and permutations of bits.
#include "emulate/ops/ops.h"

#include <string.h>

// Amounts are 32 bits whatever the type; they clamp.
#define SHIFT(name, T, bits, over, expression)                                                     \
    EXEC(name)                                                                                     \
    {                                                                                              \
        T *d_ = emu_lanes(w, in->d);                                                               \
        const T *a_ = emu_lanes(w, in->a);                                                         \
        const uint32_t *b_ = emu_u32(w, in->b);                                                    \
        OVER_LANES(mask, const T a = a_[l]; const uint32_t n = b_[l];                              \
                   d_[l] = n >= (bits) ? (T)(over) : (T)(expression));                             \
        return EMU_NEXT;                                                                           \
    }
SHIFT(shl_16, uint32_t, 16, 0, (uint16_t)(a << n))
SHIFT(shl_32, uint32_t, 32, 0, a << n)
SHIFT(shl_64, uint64_t, 64, 0, a << n)
SHIFT(shr_u16, uint32_t, 16, 0, a >> n)
SHIFT(shr_u32, uint32_t, 32, 0, a >> n)
SHIFT(shr_u64, uint64_t, 64, 0, a >> n)
SHIFT(shr_s16, uint32_t, 16, (uint16_t)((int16_t)a >> 15), (uint16_t)((int16_t)a >> n))
SHIFT(shr_s32, int32_t, 32, a >> 31, a >> n)
SHIFT(shr_s64, int64_t, 64, a >> 63, a >> n)

static bool shift(struct decoder *d, emu_by_type table)
{
    const enum ptx_type t = dec_type(d);
    if (!table[t]) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = table[t];
    return dec_dest(d, ptx_type_bits(t), &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, PTX_U32, &d->out->b);
}

bool decode_shl(struct decoder *d)
{
    static emu_by_type table = {[PTX_B16] = shl_16, [PTX_B32] = shl_32, [PTX_B64] = shl_64};
    return shift(d, table);
}

bool decode_shr(struct decoder *d)
{
    static emu_by_type table = {[PTX_B16] = shr_u16, [PTX_B32] = shr_u32, [PTX_B64] = shr_u64,
                                [PTX_U16] = shr_u16, [PTX_U32] = shr_u32, [PTX_U64] = shr_u64,
                                [PTX_S16] = shr_s16, [PTX_S32] = shr_s32, [PTX_S64] = shr_s64};
    return shift(d, table);
}

static uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, bool left, bool clamp)
{
    n = clamp ? (n > 32 ? 32 : n) : (n & 31);
    const uint64_t both = (uint64_t)high << 32 | low;
    return (uint32_t)(left ? both >> (32 - n) : n == 32 ? both >> 32 : both >> n);
}
LANEWISE(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel(a, b, c, true, true))
LANEWISE(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel(a, b, c, true, false))
LANEWISE(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel(a, b, c, false, true))
LANEWISE(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel(a, b, c, false, false))

bool decode_shf(struct decoder *d)
{
    static emu_exec *const exec[2][2] = {{shf_l_clamp, shf_l_wrap}, {shf_r_clamp, shf_r_wrap}};
    const int side = dec_one_of(d, "l|r"), mode = dec_one_of(d, "clamp|wrap");
    if (side < 0 || mode < 0 || !dec_has(d, "b32")) return dec_fail(d, "'%s'", d->inst->op);
    d->out->exec = exec[side][mode];
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->b) && dec_source(d, PTX_U32, &d->out->c);
}

// --- fields

static uint64_t extract(uint64_t a, uint32_t at, uint32_t length, uint32_t bits, bool is_signed)
{
    at &= 0xff;
    length &= 0xff;
    if (length == 0) return 0;
    const uint32_t last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
    const bool sign = is_signed && (a >> last & 1);
    uint64_t r = sign ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < length && i < bits; i++) {
        const uint64_t bit = at + i < bits ? a >> (at + i) & 1 : sign;
        r = (r & ~(1ull << i)) | bit << i;
    }
    return r;
}

static uint64_t insert(uint64_t a, uint64_t b, uint32_t at, uint32_t length, uint32_t bits)
{
    at &= 0xff;
    length &= 0xff;
    for (uint32_t i = 0; i < length && at + i < bits; i++)
        b = (b & ~(1ull << (at + i))) | (a >> i & 1) << (at + i);
    return b;
}

EXEC(bfe)
{
    const uint32_t *b = emu_u32(w, in->b), *c = emu_u32(w, in->c);
    const bool wide = in->bytes == 8, is_signed = in->count;
    EACH_LANE(l, mask)
    {
        const uint64_t a = wide ? emu_u64(w, in->a)[l] : emu_u32(w, in->a)[l];
        const uint64_t r = extract(a, b[l], c[l], wide ? 64 : 32, is_signed);
        if (wide)
            emu_u64(w, in->d)[l] = r;
        else
            emu_u32(w, in->d)[l] = (uint32_t)r;
    }
    return EMU_NEXT;
}

EXEC(bfi)
{
    const uint32_t *c = emu_u32(w, in->c), *e = emu_u32(w, in->e);
    EACH_LANE(l, mask)
    {
        if (in->bytes == 8)
            emu_u64(w, in->d)[l] =
                insert(emu_u64(w, in->a)[l], emu_u64(w, in->b)[l], c[l], e[l], 64);
        else
            emu_u32(w, in->d)[l] =
                (uint32_t)insert(emu_u32(w, in->a)[l], emu_u32(w, in->b)[l], c[l], e[l], 32);
    }
    return EMU_NEXT;
}

bool decode_bfe(struct decoder *d)
{
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    if (bits != 32 && bits != 64) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = bfe;
    d->out->bytes = (uint8_t)(bits / 8);
    d->out->count = ptx_type_signed(t);
    return dec_dest(d, bits, &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, PTX_U32, &d->out->b) && dec_source(d, PTX_U32, &d->out->c);
}

bool decode_bfi(struct decoder *d)
{
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    if (bits != 32 && bits != 64) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = bfi;
    d->out->bytes = (uint8_t)(bits / 8);
    return dec_dest(d, bits, &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, t, &d->out->b) && dec_source(d, PTX_U32, &d->out->c) &&
           dec_source(d, PTX_U32, &d->out->e);
}

// --- counts: the result has 32 bits whatever the source

static uint32_t reverse32(uint32_t v)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i);
    return r;
}
static uint64_t reverse64(uint64_t v)
{
    return (uint64_t)reverse32((uint32_t)v) << 32 | reverse32((uint32_t)(v >> 32));
}
// The most significant bit that differs from the sign; -1 without one.
static uint32_t find(uint64_t v, uint32_t bits, bool is_signed, bool shift_amount)
{
    const uint64_t top = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    if (is_signed && (v >> (bits - 1) & 1)) v = ~v & top;
    if (v == 0) return UINT32_MAX;
    const uint32_t at = 63 - (uint32_t)__builtin_clzll(v);
    return shift_amount ? bits - 1 - at : at;
}

LANEWISE(popc_32, uint32_t, uint32_t, uint32_t, uint32_t, __builtin_popcount(a))
LANEWISE(popc_64, uint32_t, uint64_t, uint64_t, uint64_t, __builtin_popcountll(a))
LANEWISE(clz_32, uint32_t, uint32_t, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
LANEWISE(clz_64, uint32_t, uint64_t, uint64_t, uint64_t, a ? __builtin_clzll(a) : 64)
LANEWISE(brev_32, uint32_t, uint32_t, uint32_t, uint32_t, reverse32(a))
LANEWISE(brev_64, uint64_t, uint64_t, uint64_t, uint64_t, reverse64(a))
LANEWISE(find_32, uint32_t, uint32_t, uint32_t, uint32_t, find(a, 32, in->count, in->imm))
LANEWISE(find_64, uint32_t, uint64_t, uint64_t, uint64_t, find(a, 64, in->count, in->imm))

static bool unary(struct decoder *d, emu_exec *narrow, emu_exec *wide, bool keeps_width)
{
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    if (bits != 32 && bits != 64) return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->exec = bits == 64 ? wide : narrow;
    d->out->count = ptx_type_signed(t);
    if (!dec_dest(d, keeps_width ? bits : 32, &d->out->d) || !dec_source(d, t, &d->out->a))
        return false;
    d->out->b = d->out->c = d->out->a;
    return true;
}

bool decode_popc(struct decoder *d)
{
    return unary(d, popc_32, popc_64, false);
}
bool decode_clz(struct decoder *d)
{
    return unary(d, clz_32, clz_64, false);
}
bool decode_brev(struct decoder *d)
{
    return unary(d, brev_32, brev_64, true);
}
bool decode_bfind(struct decoder *d)
{
    d->out->imm = dec_has(d, "shiftamt");
    return unary(d, find_32, find_64, false);
}

// --- bytes and functions of three

static uint32_t permute(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t s = c & 3;
        uint32_t pick = c >> (4 * i) & 15;
        if (mode == 1) pick = (s + i) & 7;           // f4e
        if (mode == 2) pick = (s - i) & 7;           // b4e
        if (mode == 3) pick = s;                     // rc8
        if (mode == 4) pick = i > s ? i : s;         // ecl
        if (mode == 5) pick = i < s ? i : s;         // ecr
        if (mode == 6) pick = (s & 1) * 2 + (i & 1); // rc16
        uint32_t byte = (uint32_t)(both >> (8 * (pick & 7)) & 0xff);
        if (mode == 0 && (pick & 8)) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}
LANEWISE(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c, (int)in->imm))

bool decode_prmt(struct decoder *d)
{
    if (!dec_has(d, "b32")) return false;
    d->out->imm = 1 + dec_one_of(d, "f4e|b4e|rc8|ecl|ecr|rc16");
    d->out->exec = prmt;
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->b) && dec_source(d, PTX_B32, &d->out->c);
}

static uint32_t lookup(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
LANEWISE(lop3, uint32_t, uint32_t, uint32_t, uint32_t, lookup(a, b, c, (uint32_t)in->imm))

bool decode_lop3(struct decoder *d)
{
    if (!dec_has(d, "b32")) return false;
    d->out->exec = lop3;
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->b) && dec_source(d, PTX_B32, &d->out->c) &&
           dec_immediate(d, &d->out->imm);
}

static uint32_t bit_mask(uint32_t at, uint32_t length, bool clamp)
{
    if (!clamp) at &= 31, length &= 31;
    if (at > 31 || length == 0) return 0;
    const uint64_t ones = length >= 32 ? UINT32_MAX : (1ull << length) - 1;
    return (uint32_t)(ones << at);
}
LANEWISE(bmsk, uint32_t, uint32_t, uint32_t, uint32_t, bit_mask(a, b, in->imm == 0))

bool decode_bmsk(struct decoder *d)
{
    d->out->imm = dec_one_of(d, "clamp|wrap");
    if (d->out->imm < 0 || !dec_has(d, "b32")) return false;
    d->out->exec = bmsk;
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->b);
}

// --- sums of products of bytes

static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, int a_signed, int b_signed)
{
    for (int i = 0; i < 4; i++) {
        const uint32_t x = a >> (8 * i) & 0xff, y = b >> (8 * i) & 0xff;
        c += (uint32_t)((a_signed ? (int8_t)x : (int32_t)x) * (b_signed ? (int8_t)y : (int32_t)y));
    }
    return c;
}
LANEWISE(dp4a, uint32_t, uint32_t, uint32_t, uint32_t, dot4(a, b, c, in->count & 1, in->count & 2))

bool decode_dp4a(struct decoder *d)
{
    const enum ptx_type a = dec_type(d), b = dec_type(d);
    if ((a != PTX_U32 && a != PTX_S32)) return false;
    const enum ptx_type second = b == PTX_NONE ? a : b;
    d->out->exec = dp4a;
    d->out->count = (uint8_t)((a == PTX_S32 ? 1 : 0) | (second == PTX_S32 ? 2 : 0));
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->b) && dec_source(d, PTX_B32, &d->out->c);
}
