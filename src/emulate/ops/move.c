// mov in all its meanings, cvta, isspacep, mapa.
#include "emulate/ops/ops.h"
#include "emulate/machine/footprint.h"

#include <string.h>

EXEC(mov_32)
{
    uint32_t *d = emu_u32(w, in->d);
    const uint32_t *a = emu_u32(w, in->a);
    OVER_LANES(mask, d[l] = a[l]);
    return EMU_NEXT;
}
EXEC(mov_64)
{
    uint64_t *d = emu_u64(w, in->d);
    const uint64_t *a = emu_u64(w, in->a);
    OVER_LANES(mask, d[l] = a[l]);
    return EMU_NEXT;
}
EXEC(mov_128)
{
    uint8_t *d = emu_lanes(w, in->d);
    const uint8_t *a = emu_lanes(w, in->a);
    EACH_LANE(l, mask) memmove(d + 16 * l, a + 16 * l, 16);
    return EMU_NEXT;
}
EXEC(mov_pred)
{
    emu_set_pred(w, in->d, mask, emu_pred(w, in->a));
    return EMU_NEXT;
}

// Clocks count the machine's instructions: 2 ns each for %globaltimer.
EXEC(mov_clock)
{
    emu_trail_everything(w->m); // of every turn
    const uint64_t clock = w->m->executed, timer = 2 * w->m->executed;
    const uint64_t v[] = {clock, clock >> 32, timer, timer >> 32};
    if (in->bytes == 8)
        EACH_LANE(l, mask) emu_u64(w, in->d)[l] = v[in->count];
    else
        EACH_LANE(l, mask) emu_u32(w, in->d)[l] = (uint32_t)v[in->count];
    return EMU_YIELD;
}

static bool dynamic(const struct ptx_operand *o, uint8_t *which)
{
    static const char *const names[] = {"%clock",       "%clock64",        "%clock_hi",
                                        "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"};
    static const uint8_t value[] = {0, 0, 1, 2, 2, 3};
    for (int i = 0; i < 6; i++)
        if (o->kind == PTX_OP_SYMBOL && strcmp(o->name, names[i]) == 0) {
            *which = value[i];
            return true;
        }
    return false;
}

// --- packing: {a, b, …} to and from one register

static void put(uint8_t *to, uint32_t at, uint32_t bytes, const struct emu_warp *w, emu_at from,
                bool wide, uint32_t l)
{
    if (wide)
        memcpy(to + at, &emu_u64(w, from)[l], bytes);
    else
        memcpy(to + at, &emu_u32(w, from)[l], bytes);
}

EXEC(pack)
{
    const uint32_t part = in->bytes / in->lists, size = in->bytes <= 4 ? 4 : in->bytes;
    EACH_LANE(l, mask)
    {
        uint8_t all[16] = {0};
        for (uint32_t i = 0; i < in->lists; i++)
            put(all, i * part, part, w, in->list[i], in->wide[i], l);
        memcpy((uint8_t *)emu_lanes(w, in->d) + (size_t)size * l, all, size);
    }
    return EMU_NEXT;
}

EXEC(unpack)
{
    const uint32_t part = in->bytes / in->lists, size = in->bytes <= 4 ? 4 : in->bytes;
    EACH_LANE(l, mask)
    {
        uint8_t all[16];
        memcpy(all, (const uint8_t *)emu_lanes(w, in->a) + (size_t)size * l, size);
        for (uint32_t i = 0; i < in->lists; i++) {
            uint64_t v = 0;
            memcpy(&v, all + i * part, part);
            if (in->wide[i])
                emu_u64(w, in->list[i])[l] = v;
            else
                emu_u32(w, in->list[i])[l] = (uint32_t)v;
        }
    }
    return EMU_NEXT;
}

static bool packing(struct decoder *d, enum ptx_type t, const struct ptx_operand *to,
                    const struct ptx_operand *from)
{
    const bool packs = from->kind == PTX_OP_VECTOR;
    const struct ptx_operand *vector = packs ? from : to;
    const uint32_t bits = ptx_type_bits(t), n = vector->parts;
    static const enum ptx_type parts[] = {PTX_NONE, PTX_B8,   PTX_B16,  PTX_NONE, PTX_B32,
                                          PTX_NONE, PTX_NONE, PTX_NONE, PTX_B64};
    if ((n != 2 && n != 4) || bits / n < 8 || (packs && to->kind == PTX_OP_VECTOR))
        return dec_fail(d, "a vector that mov does not take");
    const enum ptx_type part = parts[bits / n / 8];
    d->out->bytes = (uint8_t)(bits / 8);
    d->out->exec = packs ? pack : unpack;
    if (!dec_list(d, vector, part, !packs)) return false;
    return packs ? dec_dest_of(d, to, bits, &d->out->d) : dec_source_of(d, from, t, &d->out->a);
}

bool decode_mov(struct decoder *d)
{
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    const struct ptx_operand *to = dec_operand(d), *from = to ? dec_operand(d) : NULL;
    if (!from) return false;
    if (t == PTX_PRED) {
        d->out->exec = mov_pred;
        return dec_dest_of(d, to, 1, &d->out->d) && dec_source_of(d, from, t, &d->out->a);
    }
    if (bits < 16) return dec_fail(d, "'%s' has no such type", d->inst->op);
    if (to->kind == PTX_OP_VECTOR || from->kind == PTX_OP_VECTOR) return packing(d, t, to, from);
    d->out->exec = bits == 128 ? mov_128 : bits == 64 ? mov_64 : mov_32;
    if (!dec_dest_of(d, to, bits, &d->out->d)) return false;
    if (dynamic(from, &d->out->count) && bits >= 32) {
        d->out->exec = mov_clock;
        d->out->bytes = (uint8_t)(bits / 8);
        return true;
    }
    if (bits == 64 && from->kind == PTX_OP_SYMBOL && from->name[0] == '%') {
        // %lanemask and the like exist as 32 bits only; %gridid as 64 too, and is 0 here
        if (strcmp(from->name, "%gridid") != 0) return dec_fail(d, "'%s' has 32 bits", from->name);
        d->out->a = dec_const(d, 0, 8);
        return d->status == TMAP_OK;
    }
    if (bits == 128 && from->kind != PTX_OP_REG) return dec_fail(d, "a number of 128 bits");
    return dec_source_of(d, from, t, &d->out->a);
}

// --- addresses

EXEC(to_shared) // generic to shared, and back: the window's start
{
    const int64_t plus = in->imm;
    EACH_LANE(l, mask)
    {
        const uint64_t a = in->count & 1 ? emu_u64(w, in->a)[l] : emu_u32(w, in->a)[l];
        const uint64_t r = a + (uint64_t)plus;
        if (in->count & 2)
            emu_u64(w, in->d)[l] = r;
        else
            emu_u32(w, in->d)[l] = (uint32_t)r;
    }
    return EMU_NEXT;
}

// A parameter's or a local variable's address to generic: of 64 bits it is one already, of 32 bits
// (LLVM's short pointers) what is left of it is the offset, as the windows begin at a multiple of
// 2^32.
EXEC(from_offset)
{
    EACH_LANE(l, mask)
    {
        const uint64_t a = emu_u64(w, in->a)[l];
        emu_u64(w, in->d)[l] = a <= UINT32_MAX ? a + (uint64_t)in->imm : a;
    }
    return EMU_NEXT;
}

bool decode_cvta(struct decoder *d)
{
    const bool to = dec_has(d, "to");
    const enum ptx_space space = dec_space(d);
    const enum ptx_type t = dec_type(d);
    const uint32_t bits = ptx_type_bits(t);
    const struct ptx_operand *dest = dec_operand(d), *from = dest ? dec_operand(d) : NULL;
    if (!from || (t != PTX_U64 && t != PTX_U32)) return false;
    d->out->exec = to_shared;
    d->out->count = bits == 64 ? 3 : 0;
    d->out->imm = space != PTX_SHARED ? 0
                  : to                ? -(int64_t)EMU_SHARED_WINDOW
                                      : (int64_t)EMU_SHARED_WINDOW;
    if (!to && bits == 64 && emu_window(space)) {
        d->out->exec = from_offset;
        d->out->imm = (int64_t)emu_window(space);
    }
    return dec_dest_of(d, dest, bits, &d->out->d) && dec_source_of(d, from, t, &d->out->a);
}

EXEC(isspacep)
{
    uint32_t r = 0;
    EACH_LANE(l, mask)
    {
        const uint64_t a = emu_u64(w, in->a)[l];
        const bool shared = a - EMU_SHARED_WINDOW <= UINT32_MAX;
        const uint32_t rank = (uint32_t)(a - EMU_SHARED_WINDOW) >> EMU_RANK_SHIFT;
        const bool local = a - EMU_LOCAL_WINDOW < EMU_WINDOWS_END - EMU_LOCAL_WINDOW;
        const bool param = a - EMU_PARAM_WINDOW < EMU_LOCAL_WINDOW - EMU_PARAM_WINDOW;
        const bool is[] = {[0] = shared && rank == w->cta->rank,
                           [1] = shared,
                           [2] = local,
                           [3] = param,
                           [4] = !shared && !local && !param};
        r |= (uint32_t)is[in->count] << l;
    }
    emu_set_pred(w, in->d, mask, r);
    return EMU_NEXT;
}

bool decode_isspacep(struct decoder *d)
{
    const bool cta = dec_has(d, "shared") || dec_has(d, "shared::cta");
    const int other =
        cta ? 0 : 1 + dec_one_of(d, "shared::cluster|local|param|global|param::entry");
    if (!cta && other == 0) return dec_fail(d, "'%s'", d->inst->op);
    d->out->exec = isspacep;
    d->out->count = (uint8_t)(other == 5 ? 3 : other);
    return dec_dest(d, 1, &d->out->d) && dec_source(d, PTX_B64, &d->out->a);
}

// The same offset in another CTA of the cluster; what has no such CTA is found at its use.
EXEC(mapa)
{
    const uint32_t *rank = emu_u32(w, in->b);
    EACH_LANE(l, mask)
    {
        const uint64_t a = in->count ? emu_u64(w, in->a)[l] : emu_u32(w, in->a)[l];
        const uint64_t r = (a & ~(0xffull << EMU_RANK_SHIFT)) | (uint64_t)(rank[l] & 0xff)
                                                                    << EMU_RANK_SHIFT;
        if (in->count)
            emu_u64(w, in->d)[l] = r;
        else
            emu_u32(w, in->d)[l] = (uint32_t)r;
    }
    return EMU_NEXT;
}

bool decode_mapa(struct decoder *d)
{
    dec_space(d);
    const enum ptx_type t = dec_type(d);
    if (t != PTX_U32 && t != PTX_U64) return false;
    d->out->exec = mapa;
    d->out->count = t == PTX_U64;
    return dec_dest(d, ptx_type_bits(t), &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, PTX_U32, &d->out->b);
}

EXEC(getctarank)
{
    EACH_LANE(l, mask)
    {
        const uint64_t a = in->count ? emu_u64(w, in->a)[l] : emu_u32(w, in->a)[l];
        emu_u32(w, in->d)[l] = (uint32_t)a >> EMU_RANK_SHIFT;
    }
    return EMU_NEXT;
}

bool decode_getctarank(struct decoder *d)
{
    dec_space(d);
    const enum ptx_type t = dec_type(d);
    if (t != PTX_U32 && t != PTX_U64) return false;
    d->out->exec = getctarank;
    d->out->count = t == PTX_U64;
    return dec_dest(d, 32, &d->out->d) && dec_source(d, t, &d->out->a);
}
