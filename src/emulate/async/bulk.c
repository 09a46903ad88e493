// Bulk copies without a descriptor, bulk groups, cp.async, st.async and red.async.
#include "emulate/async/copy.h"
#include "emulate/ops/ops.h"
#include "emulate/protocol/record.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 16 };

struct bulk_insn {
    struct emu_place to, from, barrier;
    emu_at bytes, mask;
    bool loads, multicast, reduces;
    int32_t op, dtype;
};

EXEC(bulk)
{
    const struct bulk_insn *b = in->more;
    EACH_LANE(l, mask)
    {
        struct emu_copy c;
        memset(&c, 0, sizeof c);
        c.loads = b->loads;
        c.multicast = b->multicast;
        c.reduces = b->reduces;
        c.op = b->op;
        c.dtype = b->dtype;
        c.to = emu_place_at(w, &b->to, l);
        c.from = emu_place_at(w, &b->from, l);
        c.bytes = emu_u32(w, b->bytes)[l];
        if (b->loads) c.barrier = emu_place_at(w, &b->barrier, l);
        if (b->multicast) c.mask = emu_u32(w, b->mask)[l] & 0xffff;
        if (c.to % GRAIN || c.from % GRAIN || c.bytes % GRAIN || c.bytes == 0)
            return emu_fault(TMAP_EMULATE_ACCESS, w, in, l, c.to,
                             "a bulk copy of %u bytes from 0x%llx to 0x%llx, of which each has to "
                             "be a multiple of 16",
                             c.bytes, (unsigned long long)c.from, (unsigned long long)c.to);
        if (b->multicast && c.mask >> w->cta->cluster->ctas)
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, c.mask,
                             "multicast to CTAs 0x%x of a cluster of %u", c.mask,
                             w->cta->cluster->ctas);
        const enum emu_step step = emu_start_copy(w, in, l, &c);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

static bool operands(struct decoder *d, struct bulk_insn *b, bool from_shared, bool hint)
{
    emu_at policy;
    if (!dec_place(d, dec_operand(d), b->loads ? PTX_SHARED : PTX_GENERIC, &b->to) ||
        !dec_place(d, dec_operand(d), from_shared ? PTX_SHARED : PTX_GENERIC, &b->from) ||
        !dec_source(d, PTX_U32, &b->bytes))
        return false;
    if (b->loads && !dec_place(d, dec_operand(d), PTX_SHARED, &b->barrier)) return false;
    if (b->multicast && !dec_source(d, PTX_U16, &b->mask)) return false;
    return !hint || dec_source(d, PTX_B64, &policy);
}

static struct bulk_insn *start(struct decoder *d, bool *from_shared)
{
    struct bulk_insn *b = dec_alloc(d, sizeof *b);
    if (!b) return NULL;
    d->out->exec = bulk;
    d->out->more = b;
    b->loads = dec_has(d, "mbarrier::complete_tx::bytes");
    if (!b->loads && !dec_has(d, "bulk_group")) return dec_error(d, "'%s'", d->inst->op), NULL;
    // The destination's space comes first: with .global, shared memory is the source.
    const bool global = dec_has(d, "global");
    dec_has(d, "shared::cluster");
    *from_shared = dec_has(d, "shared::cta") && (!b->loads || !global);
    b->multicast = dec_has(d, "multicast::cluster");
    return b;
}

bool decode_bulk(struct decoder *d)
{
    bool from_shared;
    struct bulk_insn *b = start(d, &from_shared);
    return b && operands(d, b, from_shared, dec_has(d, "L2::cache_hint"));
}

bool decode_bulk_reduce(struct decoder *d)
{
    static const struct {
        enum ptx_type type;
        int32_t dtype;
    } types[] = {{PTX_U32, TMAP_UINT32},  {PTX_S32, TMAP_INT32},   {PTX_U64, TMAP_UINT64},
                 {PTX_S64, TMAP_INT64},   {PTX_F16, TMAP_FLOAT16}, {PTX_BF16, TMAP_BFLOAT16},
                 {PTX_F32, TMAP_FLOAT32}, {PTX_F64, TMAP_FLOAT64}, {PTX_B32, TMAP_UINT32},
                 {PTX_B64, TMAP_UINT64}};
    bool from_shared;
    struct bulk_insn *b = start(d, &from_shared);
    if (!b) return false;
    const bool hint = dec_has(d, "L2::cache_hint");
    const int op = dec_one_of(d, "add|min|max|inc|dec|and|or|xor");
    dec_has(d, "noftz");
    const enum ptx_type t = dec_type(d);
    b->reduces = true;
    b->op = TMAP_OP_REDUCE_ADD + op;
    b->dtype = -1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == t) b->dtype = types[i].dtype;
    if (op < 0 || b->dtype < 0) return dec_fail(d, "'%s' has no such type", d->inst->op);
    return operands(d, b, from_shared, hint);
}

EXEC(nothing)
{
    (void)w, (void)in, (void)mask;
    return EMU_NEXT;
}

bool decode_bulk_prefetch(struct decoder *d)
{
    emu_at bytes, policy;
    d->out->exec = nothing;
    if (!dec_has(d, "L2") || !dec_has(d, "global")) return false;
    const bool hint = dec_has(d, "L2::cache_hint");
    return dec_address(d, PTX_GENERIC) && dec_source(d, PTX_U32, &bytes) &&
           (!hint || dec_source(d, PTX_B64, &policy));
}

// --- groups

EXEC(bulk_commit)
{
    EACH_LANE(l, mask) w->bulk_open[l]++;
    NOTE(w, in, .op = ACT_STORES_END);
    return EMU_NEXT;
}

EXEC(bulk_wait)
{
    const bool reading = in->count;
    EACH_LANE(l, mask)
    {
        const int64_t last = (int64_t)w->bulk_open[l] - 1 - in->imm;
        if (emu_pending(w, OP_BULK, l, last, reading))
            return emu_watch_for(w, WAIT_GROUP, 0, 0, &w->steps);
    }
    EACH_LANE(l, mask)
    {
        const int64_t done = (int64_t)w->bulk_open[l] - in->imm;
        if (done <= 0) continue;
        emu_observe(w, emu_agent(w->cta, AGENT_BULK_READ, w->index), (uint32_t)done);
        if (!reading) emu_observe(w, emu_agent(w->cta, AGENT_BULK_WRITE, w->index), (uint32_t)done);
    }
    NOTE(w, in, .op = ACT_WAIT_READ, .value = (uint32_t)in->imm);
    return EMU_NEXT;
}

bool decode_bulk_commit(struct decoder *d)
{
    d->out->exec = bulk_commit;
    return true;
}

bool decode_bulk_wait(struct decoder *d)
{
    d->out->exec = bulk_wait;
    d->out->count = dec_has(d, "read");
    return dec_groups(d);
}

// --- cp.async: a thread's own few bytes

struct small_copy {
    uint64_t from, to;
    uint32_t bytes, filled; // from global memory; the rest up to bytes is zero
};

static bool run_small(struct emu_machine *m, struct emu_op *op)
{
    const struct small_copy *s = op->data;
    struct emu_cta *cta, *from_cta;
    struct emu_region *none, *region = NULL;
    uint8_t *to = emu_find(m, op->cta->cluster, s->to, s->bytes, &cta, &none);
    const uint8_t *from =
        s->filled ? emu_find(m, op->cta->cluster, s->from, s->filled, &from_cta, &region) : to;
    if (!to || !from) { // `to` is an address of shared memory
        emu_fault(TMAP_EMULATE_ACCESS, op->warp, op->in, op->lane, to ? s->from : s->to,
                  "cp.async from 0x%llx to 0x%llx leaves the buffers", (unsigned long long)s->from,
                  (unsigned long long)s->to);
        return true;
    }
    const struct emu_actor actor = {.agent = emu_agent(op->cta, AGENT_CP_ASYNC, op->warp->index),
                                    .now = op->now,
                                    .proxy = PROXY_GENERIC,
                                    .clock = &op->clock,
                                    .warp = op->warp,
                                    .in = op->in,
                                    .lane = op->lane};
    if (region) emu_touch(m, &actor, NULL, region, s->from - region->address, s->filled, EMU_READ);
    emu_touch(m, &actor, cta, NULL, (uint64_t)(to - cta->smem), s->bytes, EMU_WRITE);
    memset(to, 0, s->bytes);
    if (s->filled) memcpy(to, from, s->filled);
    return true;
}

static void drop_small(struct emu_op *op)
{
    free(op->data);
}

struct small_insn {
    struct emu_place to, from;
    emu_at filled, ignore;
    uint32_t bytes;
    bool has_filled, ignores, not_ignore;
};

EXEC(small_copy)
{
    const struct small_insn *s = in->more;
    EACH_LANE(l, mask)
    {
        struct small_copy *c = malloc(sizeof *c);
        if (!c) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        *c = (struct small_copy){emu_place_at(w, &s->from, l), emu_place_at(w, &s->to, l), s->bytes,
                                 s->has_filled ? emu_u32(w, s->filled)[l] : s->bytes};
        if (s->ignores && ((emu_pred(w, s->ignore) >> l & 1) != s->not_ignore)) c->filled = 0;
        const struct emu_op op = {.run = run_small,
                                  .drop = drop_small,
                                  .class = OP_CP_ASYNC,
                                  .in = in,
                                  .lane = l,
                                  .group = w->async_open[l],
                                  .now = w->async_open[l] + 1,
                                  .data = c};
        if (c->filled > c->bytes || c->to % s->bytes || (c->filled && c->from % s->bytes)) {
            free(c);
            return emu_fault(TMAP_EMULATE_ACCESS, w, in, l, emu_place_at(w, &s->to, l),
                             "cp.async of %u bytes is misaligned or too large", s->bytes);
        }
        const enum emu_step step = emu_issue(w, &op);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

bool decode_cp_async(struct decoder *d)
{
    struct small_insn *s = dec_alloc(d, sizeof *s);
    uint32_t length;
    int64_t bytes;
    emu_at policy;
    if (!s || dec_one_of(d, "ca|cg") < 0)
        return dec_fail(d, "unknown instruction '%s'", d->inst->op);
    dec_one_of(d, "shared|shared::cta");
    dec_has(d, "global");
    const bool hint = dec_has(d, "L2::cache_hint");
    while (dec_begins(d, "L2::", &length)) continue;
    d->out->exec = small_copy;
    d->out->more = s;
    if (!dec_place(d, dec_operand(d), PTX_SHARED, &s->to) ||
        !dec_place(d, dec_operand(d), PTX_GENERIC, &s->from) || !dec_immediate(d, &bytes))
        return false;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return dec_fail(d, "cp.async of %lld bytes", (long long)bytes);
    s->bytes = (uint32_t)bytes;
    const uint32_t left = d->inst->operands - d->next - (hint ? 1 : 0);
    if (left == 1) {
        const struct ptx_operand *o = &d->inst->operand[d->next];
        s->ignores = dec_bits(d, o) == 1;
        s->has_filled = !s->ignores;
        if (!(s->ignores ? dec_predicate(d, &s->ignore, &s->not_ignore)
                         : dec_source(d, PTX_U32, &s->filled)))
            return false;
    }
    return !hint || dec_source(d, PTX_B64, &policy);
}

EXEC(small_commit)
{
    (void)in;
    EACH_LANE(l, mask) w->async_open[l]++;
    return EMU_NEXT;
}

EXEC(small_wait)
{
    EACH_LANE(l, mask)
    {
        const int64_t last = in->count ? INT32_MAX : (int64_t)w->async_open[l] - 1 - in->imm;
        if (emu_pending(w, OP_CP_ASYNC, l, last, false))
            return emu_watch_for(w, WAIT_GROUP, 0, 0, &w->steps);
    }
    EACH_LANE(l, mask)
    {
        const int64_t done =
            in->count ? (int64_t)w->async_open[l] + 1 : (int64_t)w->async_open[l] - in->imm;
        if (done > 0) emu_observe(w, emu_agent(w->cta, AGENT_CP_ASYNC, w->index), (uint32_t)done);
    }
    return EMU_NEXT;
}

bool decode_cp_async_commit(struct decoder *d)
{
    d->out->exec = small_commit;
    return true;
}

bool decode_cp_async_wait(struct decoder *d)
{
    d->out->exec = small_wait;
    return dec_groups(d);
}

bool decode_cp_async_wait_all(struct decoder *d)
{
    d->out->exec = small_wait;
    d->out->count = 1;
    return true;
}

// --- cp.async.mbarrier.arrive: once the thread's earlier cp.async are done

struct late_arrival {
    uint64_t barrier;
    bool noinc;
};

static bool run_arrival(struct emu_machine *m, struct emu_op *op)
{
    const struct late_arrival *a = op->data;
    struct emu_cta *cta;
    (void)m;
    struct emu_mbarrier *b = emu_barrier(op->warp, op->in, op->lane, a->barrier, &cta);
    if (!b || !emu_barrier_lacks(op->warp, op->in, op->lane, b, 1)) return true;
    NOTE(op->warp, op->in, .op = ACT_SIGNAL, .barrier_cta = (uint8_t)cta->rank,
         .barrier = b->offset);
    emu_release_epoch(m, op->agent, op->now, b->gather);
    emu_barrier_arrive(cta, b, 1);
    return true;
}

EXEC(late_arrive)
{
    const struct emu_place *p = in->more;
    EACH_LANE(l, mask)
    {
        struct late_arrival *a = malloc(sizeof *a);
        if (!a) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        *a = (struct late_arrival){emu_place_at(w, p, l), in->count};
        struct emu_mbarrier *b = emu_own_barrier(w, in, l, a->barrier);
        if (!b) return free(a), EMU_STOP;
        if (!a->noinc) b->pending++;
        // Copies of a thread go in any order; the arrival comes after those before it.
        const struct emu_op op = {.run = run_arrival,
                                  .drop = drop_small,
                                  .class = OP_CP_ASYNC,
                                  .in = in,
                                  .lane = l,
                                  .group = w->async_open[l],
                                  .agent = emu_agent(w->cta, AGENT_CP_ASYNC, w->index),
                                  .now = w->async_open[l] + 1,
                                  .after_lane = true,
                                  .data = a};
        const enum emu_step step = emu_issue(w, &op);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

bool decode_cp_async_mbarrier(struct decoder *d)
{
    struct emu_place *p = dec_alloc(d, sizeof *p);
    if (!p || !dec_has(d, "arrive")) return false;
    d->out->count = dec_has(d, "noinc");
    const enum ptx_space space = dec_space(d);
    d->out->exec = late_arrive;
    d->out->more = p;
    return dec_has(d, "b64") && dec_place(d, dec_operand(d), space, p);
}
