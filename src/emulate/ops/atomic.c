// atom and red, on one or several elements.
#include "emulate/async/order.h"
#include "emulate/ops/ops.h"

#include <string.h>

enum { OP_ADD, OP_MIN, OP_MAX, OP_INC, OP_DEC, OP_AND, OP_OR, OP_XOR, OP_EXCH, OP_CAS };

static uint64_t integer(int op, enum ptx_type t, uint64_t old, uint64_t v, uint64_t other)
{
    const uint32_t shift = 64 - ptx_type_bits(t);
    const bool less =
        ptx_type_signed(t) ? (int64_t)(old << shift) < (int64_t)(v << shift) : old < v;
    switch (op) {
    case OP_ADD:
        return old + v;
    case OP_MIN:
        return less ? old : v;
    case OP_MAX:
        return less ? v : old;
    case OP_INC:
        return old >= v ? 0 : old + 1;
    case OP_DEC:
        return old == 0 || old > v ? v : old - 1;
    case OP_AND:
        return old & v;
    case OP_OR:
        return old | v;
    case OP_XOR:
        return old ^ v;
    case OP_EXCH:
        return v;
    default:
        return old == v ? other : old;
    }
}

static uint32_t half(int op, bool brain, uint32_t a, uint32_t b)
{
    const float x = brain ? emu_from_bfloat(a) : emu_from_half(a);
    const float y = brain ? emu_from_bfloat(b) : emu_from_half(b);
    const float r = op == OP_ADD                ? x + y
                    : x != x                    ? y
                    : y != y                    ? x
                    : (x < y) == (op == OP_MAX) ? y
                                                : x;
    return brain ? emu_to_bfloat(r) : emu_to_half(r);
}

static uint64_t combine(int op, enum ptx_type t, uint64_t old, uint64_t v, uint64_t other)
{
    const bool brain = t == PTX_BF16 || t == PTX_BF16X2;
    if (!ptx_type_float(t)) return integer(op, t, old, v, other);
    switch (t) {
    case PTX_F32:
        return emu_bits(emu_canonical(emu_float((uint32_t)old) + emu_float((uint32_t)v)));
    case PTX_F64:
        return emu_bits64(emu_double(old) + emu_double(v));
    case PTX_F16:
    case PTX_BF16:
        return half(op, brain, (uint32_t)old, (uint32_t)v);
    default:
        return half(op, brain, (uint32_t)old & 0xffff, (uint32_t)v & 0xffff) |
               half(op, brain, (uint32_t)old >> 16, (uint32_t)v >> 16 & 0xffff) << 16;
    }
}

struct atomic {
    int op;
    bool returns, acquires, releases;
    emu_at *second; // the old value; of cas the new one
    emu_at *result;
    uint8_t *result_wide;
};

static uint64_t read(const struct emu_warp *w, emu_at at, bool wide, uint32_t l)
{
    return wide ? emu_u64(w, at)[l] : emu_u32(w, at)[l];
}

EXEC(atomic)
{
    const struct atomic *a = in->more;
    EACH_LANE(l, mask)
    {
        const uint64_t base =
            in->flags & DEC_WIDE_ADDRESS ? emu_u64(w, in->a)[l] : emu_u32(w, in->a)[l];
        uint8_t *at = emu_memory(w, in, l, (enum ptx_space)in->space, base + (uint64_t)in->imm,
                                 in->bytes * in->lists, EMU_ATOMIC | EMU_STRONG);
        if (!at) return EMU_STOP;
        emu_strong_read(w, at, a->acquires);
        for (uint32_t i = 0; i < in->lists; i++) {
            uint64_t old = 0;
            memcpy(&old, at + (size_t)i * in->bytes, in->bytes);
            const uint64_t v = read(w, in->list[i], in->wide[i], l);
            const uint64_t other = a->op == OP_CAS ? read(w, in->c, in->wide[0], l) : 0;
            const uint64_t r = combine(a->op, (enum ptx_type)in->type, old, v, other);
            memcpy(at + (size_t)i * in->bytes, &r, in->bytes);
            if (!a->returns) continue;
            if (a->result_wide[i])
                emu_u64(w, a->result[i])[l] = old;
            else
                emu_u32(w, a->result[i])[l] = (uint32_t)old;
        }
        emu_strong_write(w, at, a->releases);
    }
    emu_something(w->cta->cluster);
    return a->returns ? EMU_YIELD : EMU_NEXT;
}

// Floating numbers are added; of halves in a vector the least or the greatest is kept, too (PTX
// ISA, atom).
static bool type_fits(int op, enum ptx_type t, bool vector)
{
    const uint32_t bits = ptx_type_bits(t);
    if (t >= PTX_F16 && t <= PTX_BF16X2) return op == OP_ADD || (op <= OP_MAX && vector);
    if (t == PTX_F32 || t == PTX_F64) return op == OP_ADD;
    if (ptx_type_float(t)) return false;
    return bits == 32 || bits == 64 || (bits == 16 && op >= OP_EXCH);
}

static bool operands(struct decoder *d, struct atomic *a, uint32_t lanes)
{
    struct emu_insn *out = d->out;
    const enum ptx_type t = (enum ptx_type)out->type;
    if (a->returns) {
        const struct ptx_operand *o = dec_operand(d);
        if (!o || !dec_list(d, o, t, true) || out->lists != lanes) return false;
        a->result = (emu_at *)(uintptr_t)out->list;
        a->result_wide = (uint8_t *)(uintptr_t)out->wide;
    }
    if (!dec_address(d, (enum ptx_space)out->space)) return false;
    const struct ptx_operand *v = dec_operand(d);
    if (!v || !dec_list(d, v, t, false) || out->lists != lanes) return false;
    for (uint32_t i = 0; i < lanes; i++)
        if (out->wide[i] != (ptx_type_bits(t) > 32)) return false;
    return a->op != OP_CAS || dec_source(d, t, &out->c);
}

static bool atom(struct decoder *d, bool returns)
{
    struct atomic *a = dec_alloc(d, sizeof *a);
    uint32_t length;
    if (!a) return false;
    if (dec_has(d, "async")) return dec_red_async(d);
    a->returns = returns;
    const int sem = dec_one_of(d, "relaxed|acquire|release|acq_rel");
    a->acquires = sem == 1 || sem == 3;
    a->releases = sem == 2 || sem == 3;
    dec_one_of(d, "cta|cluster|gpu|sys");
    d->out->space = (uint8_t)dec_space(d);
    a->op = dec_one_of(d, "add|min|max|inc|dec|and|or|xor|exch|cas");
    dec_has(d, "noftz");
    const bool hint = dec_begins(d, "L2::", &length) != NULL;
    const int vector = dec_one_of(d, "v2|v4|v8");
    const enum ptx_type t = dec_type(d);
    if (a->op < 0 || !type_fits(a->op, t, vector >= 0))
        return dec_fail(d, "'%s' has no such type", d->inst->op);
    d->out->type = (uint8_t)t;
    d->out->bytes = (uint8_t)(ptx_type_bits(t) / 8);
    d->out->exec = atomic;
    d->out->more = a;
    emu_at policy;
    if (!operands(d, a, vector < 0 ? 1 : 2u << vector))
        return dec_fail(d, "operands of '%s'", d->inst->op);
    return !hint || dec_source(d, PTX_B64, &policy);
}

bool decode_atom(struct decoder *d)
{
    return atom(d, true);
}
bool decode_red(struct decoder *d)
{
    return atom(d, false);
}
