// Loads, stores, prefetches.
#include "emulate/async/order.h"
#include "emulate/ops/ops.h"

#include <string.h>

static inline uint64_t address(const struct emu_warp *w, const struct emu_insn *in, emu_at at,
                               uint32_t l)
{
    return in->flags & DEC_WIDE_ADDRESS ? emu_u64(w, at)[l] : emu_u32(w, at)[l];
}

static uint64_t extend(uint64_t v, const struct emu_insn *in)
{
    const uint32_t shift = 64 - 8u * in->bytes;
    return in->flags & 1 ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

// in->bytes each, in->lists of them; flags: 1 signed, 2 strong or volatile.
EXEC(load)
{
    const uint32_t total = in->bytes * in->lists;
    const unsigned access = EMU_READ | (in->flags & 2 ? EMU_STRONG : 0);
    EACH_LANE(l, mask)
    {
        const uint8_t *from =
            emu_memory(w, in, l, (enum ptx_space)in->space,
                       address(w, in, in->a, l) + (uint64_t)in->imm, total, access);
        if (!from) return EMU_STOP;
        if (in->flags & 2) emu_strong_read(w, from, in->count & 1);
        for (uint32_t i = 0; i < in->lists; i++) {
            if (in->bytes == 16) {
                memcpy((uint8_t *)emu_lanes(w, in->list[i]) + 16 * l, from, 16);
                continue;
            }
            uint64_t v = 0;
            memcpy(&v, from + (size_t)i * in->bytes, in->bytes);
            v = extend(v, in);
            if (in->wide[i])
                emu_u64(w, in->list[i])[l] = v;
            else
                emu_u32(w, in->list[i])[l] = (uint32_t)v;
        }
    }
    return in->flags & 2 ? EMU_YIELD : EMU_NEXT;
}

EXEC(store)
{
    const uint32_t total = in->bytes * in->lists;
    const unsigned access = EMU_WRITE | (in->flags & 2 ? EMU_STRONG : 0);
    EACH_LANE(l, mask)
    {
        uint8_t *to = emu_memory(w, in, l, (enum ptx_space)in->space,
                                 address(w, in, in->a, l) + (uint64_t)in->imm, total, access);
        if (!to) return EMU_STOP;
        if (in->flags & 2) emu_strong_write(w, to, in->count & 1);
        for (uint32_t i = 0; i < in->lists; i++) {
            if (in->bytes == 16)
                memcpy(to, (const uint8_t *)emu_lanes(w, in->list[i]) + 16 * l, 16);
            else if (in->wide[i])
                memcpy(to + (size_t)i * in->bytes, &emu_u64(w, in->list[i])[l], in->bytes);
            else
                memcpy(to + (size_t)i * in->bytes, &emu_u32(w, in->list[i])[l], in->bytes);
        }
    }
    if (in->flags & 2) emu_something(w->cta->cluster);
    return EMU_NEXT;
}

// Qualifiers that say where data is kept, and nothing about what it is.
static void hints(struct decoder *d)
{
    static const char *const plain[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"};
    uint32_t length;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) dec_has(d, plain[i]);
    while (dec_begins(d, "L1::", &length) || dec_begins(d, "L2::", &length)) continue;
}

static bool scoped(struct decoder *d)
{
    return dec_one_of(d, "cta|cluster|gpu|sys") >= 0;
}

static bool data(struct decoder *d, bool loads)
{
    struct emu_insn *out = d->out;
    bool cache = false;
    for (uint32_t i = 0; i < d->words; i++)
        if (d->length[i] == 14 && memcmp(d->word[i], "L2::cache_hint", 14) == 0) cache = true;
    const bool relaxed = dec_has(d, "relaxed");
    if (dec_has(d, "mmio") && !relaxed) return dec_fail(d, "'%s' without .relaxed", d->inst->op);
    if (relaxed || dec_has(d, "volatile")) out->flags |= 2;
    if (dec_has(d, loads ? "acquire" : "release")) out->flags |= 2, out->count |= 1;
    scoped(d);
    dec_has(d, "weak");
    out->space = (uint8_t)dec_space(d);
    hints(d);
    const int vector = dec_one_of(d, "v2|v4|v8");
    const enum ptx_type t = dec_type(d);
    const uint32_t lanes = vector < 0 ? 1 : 2u << vector;
    if (ptx_type_bits(t) < 8) return dec_fail(d, "'%s' has no such type", d->inst->op);
    out->bytes = (uint8_t)(ptx_type_bits(t) / 8);
    if (ptx_type_signed(t)) out->flags |= 1;
    const struct ptx_operand *first = dec_operand(d), *second = first ? dec_operand(d) : NULL;
    if (!second) return false;
    if (cache && !dec_source(d, PTX_B64, &out->c)) return false;
    if (!dec_list(d, loads ? first : second, t, loads)) return false;
    if (out->lists != lanes) return dec_fail(d, "'%s' with %u registers", d->inst->op, out->lists);
    return dec_address_of(d, loads ? second : first, (enum ptx_space)out->space, &out->a,
                          &out->imm);
}

bool decode_ld(struct decoder *d)
{
    d->out->exec = load;
    return data(d, true);
}

bool decode_ldu(struct decoder *d)
{
    return decode_ld(d);
}

bool decode_st(struct decoder *d)
{
    d->out->exec = store;
    return data(d, false);
}

EXEC(nothing)
{
    (void)w, (void)in, (void)mask;
    return EMU_NEXT;
}

// A prefetch changes nothing that a program can see.
bool decode_prefetch(struct decoder *d)
{
    uint32_t length;
    dec_space(d);
    dec_has(d, "tensormap");
    dec_has(d, "L1");
    dec_has(d, "L2");
    while (dec_begins(d, "L2::", &length)) continue;
    d->out->exec = nothing;
    return dec_address(d, PTX_GENERIC);
}

bool decode_prefetchu(struct decoder *d)
{
    return decode_prefetch(d);
}

bool decode_discard(struct decoder *d)
{
    int64_t bytes;
    uint32_t length;
    dec_space(d);
    while (dec_begins(d, "L2", &length)) continue;
    d->out->exec = nothing;
    return dec_address(d, PTX_GENERIC) && dec_immediate(d, &bytes);
}

// A policy is a number that the copies carry along; the emulator has no cache.
EXEC(policy)
{
    EACH_LANE(l, mask) emu_u64(w, in->d)[l] = 0x1000000000000000u;
    return EMU_NEXT;
}

bool decode_createpolicy(struct decoder *d)
{
    uint32_t length;
    dec_space(d);
    while (dec_one_of(d, "fractional|range|cvt") >= 0 || dec_begins(d, "L2", &length)) continue;
    if (!dec_has(d, "b64")) return false;
    d->out->exec = policy;
    if (!dec_dest(d, 64, &d->out->d)) return false;
    while (dec_more(d)) d->next++;
    return true;
}
