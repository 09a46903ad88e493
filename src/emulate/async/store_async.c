// st.async and red.async: a store to another CTA that completes bytes on an mbarrier there.
#include "emulate/async/async.h"
#include "emulate/ops/ops.h"
#include "emulate/protocol/record.h"

#include <stdlib.h>
#include <string.h>

struct remote {
    uint64_t to, barrier;
    uint32_t bytes, op;
    uint8_t data[32];
};

struct remote_insn {
    struct emu_place to, barrier;
    int op; // -1: a store
    bool is_signed;
    uint32_t size, count;
};

static uint64_t reduced(const struct remote_insn *i, uint64_t a, uint64_t b)
{
    const bool less = i->is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (i->op) {
    case 0:
        return a + b;
    case 1:
        return less ? a : b;
    case 2:
        return less ? b : a;
    case 3:
        return a >= b ? 0 : a + 1;
    case 4:
        return a == 0 || a > b ? b : a - 1;
    case 5:
        return a & b;
    case 6:
        return a | b;
    default:
        return a ^ b;
    }
}

static bool run_remote(struct emu_machine *m, struct emu_op *op)
{
    const struct remote *r = op->data;
    const struct remote_insn *i = op->in->more;
    struct emu_cta *cta, *at_barrier;
    struct emu_region *region;
    uint8_t *to = emu_find(m, op->cta->cluster, r->to, r->bytes, &cta, &region);
    if (!to || cta->done) { // an address of shared memory
        emu_fault(TMAP_EMULATE_ACCESS, op->warp, op->in, op->lane, r->to,
                  "an asynchronous store to 0x%llx, which is no live shared memory",
                  (unsigned long long)r->to);
        return true;
    }
    struct emu_mbarrier *b = emu_barrier(op->warp, op->in, op->lane, r->barrier, &at_barrier);
    if (!b) return true;
    const struct emu_actor actor = {b->agent, b->phase + 1, PROXY_GENERIC, &op->clock, op->warp,
                                    op->in,   op->lane,     false,         false};
    emu_touch(m, &actor, cta, NULL, (uint64_t)(to - cta->smem), r->bytes,
              i->op < 0 ? EMU_WRITE : EMU_ATOMIC | EMU_STRONG);
    if (i->op < 0) {
        memcpy(to, r->data, r->bytes);
    } else {
        uint64_t old = 0, v = 0;
        memcpy(&old, to, i->size);
        memcpy(&v, r->data, i->size);
        v = reduced(i, old, v);
        memcpy(to, &v, i->size);
    }
    NOTE(op->warp, op->in, .op = ACT_SIGNAL, .barrier_cta = (uint8_t)at_barrier->rank,
         .barrier = b->offset);
    emu_release_epoch(m, b->agent, b->phase + 1, b->gather);
    emu_barrier_complete(op->warp, op->in, op->lane, at_barrier, b, r->bytes);
    return true;
}

static void drop(struct emu_op *op)
{
    free(op->data);
}

EXEC(remote_store)
{
    const struct remote_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct remote *r = calloc(1, sizeof *r);
        if (!r) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        r->to = emu_place_at(w, &i->to, l);
        r->barrier = emu_place_at(w, &i->barrier, l);
        r->bytes = i->size * i->count;
        for (uint32_t k = 0; k < i->count; k++)
            memcpy(r->data + (size_t)k * i->size,
                   in->wide[k] ? (const void *)&emu_u64(w, in->list[k])[l]
                               : (const void *)&emu_u32(w, in->list[k])[l],
                   i->size);
        const struct emu_op op = {
            .run = run_remote, .drop = drop, .class = OP_LOAD, .in = in, .lane = l, .data = r};
        const enum emu_step step = emu_issue(w, &op);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

// PTX ISA, red.async and st.async.
static bool type_fits(int op, enum ptx_type t)
{
    const uint32_t bits = ptx_type_bits(t);
    if (op < 0) return bits == 32 || bits == 64;
    if (op == 0) return t == PTX_U32 || t == PTX_S32 || t == PTX_U64;
    if (op <= 2) return t == PTX_U32 || t == PTX_S32;
    return op <= 4 ? t == PTX_U32 : t == PTX_B32;
}

static bool remote(struct decoder *d, bool reduces)
{
    struct remote_insn *i = dec_alloc(d, sizeof *i);
    if (!i) return false;
    dec_has(d, "relaxed");
    dec_has(d, "weak");
    dec_has(d, "cluster");
    dec_has(d, "shared::cluster");
    dec_has(d, "mbarrier::complete_tx::bytes");
    i->op = reduces ? dec_one_of(d, "add|min|max|inc|dec|and|or|xor") : -1;
    const int vector = dec_one_of(d, "v2|v4");
    const enum ptx_type t = dec_type(d);
    i->size = ptx_type_bits(t) / 8;
    i->count = vector < 0 ? 1 : 2u << vector;
    i->is_signed = ptx_type_signed(t);
    d->out->exec = remote_store;
    d->out->more = i;
    if (!type_fits(i->op, t) || (reduces && (i->op < 0 || vector >= 0)))
        return dec_fail(d, "'%s' has no such type", d->inst->op);
    if (!dec_place(d, dec_operand(d), PTX_SHARED, &i->to)) return false;
    const struct ptx_operand *v = dec_operand(d);
    return v && dec_list(d, v, t, false) && d->out->lists == i->count &&
           dec_place(d, dec_operand(d), PTX_SHARED, &i->barrier);
}

bool decode_st_async(struct decoder *d)
{
    return remote(d, false);
}

bool dec_red_async(struct decoder *d)
{
    return remote(d, true);
}
