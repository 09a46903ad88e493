// What a copy does when its time comes: the bytes through the simulator, then the barrier.
#include "emulate/async/copy.h"
#include "core/layout.h"
#include "core/simulate.h"
#include "emulate/protocol/record.h"

#include <stdlib.h>
#include <string.h>

struct reach { // of one step of a copy
    struct emu_machine *m;
    struct emu_op *op;
    struct emu_actor actor;
    bool failed;
    uint64_t failed_at;
};

static struct reach reach_of(struct emu_machine *m, struct emu_op *op)
{
    return (struct reach){m,
                          op,
                          {.agent = op->agent,
                           .now = op->now,
                           .proxy = PROXY_ASYNC,
                           .clock = &op->clock,
                           .warp = op->warp,
                           .in = op->in,
                           .lane = op->lane},
                          false,
                          0};
}

static uint8_t *global(struct reach *r, uint64_t address, size_t bytes, unsigned access)
{
    struct emu_cta *cta;
    struct emu_region *region;
    uint8_t *at = emu_find(r->m, r->op->cta->cluster, address, bytes, &cta, &region);
    if (!at || cta || region->read_only) {
        r->failed = true;
        r->failed_at = address;
        return NULL;
    }
    emu_touch(r->m, &r->actor, NULL, region, address - region->address, bytes, access);
    return at;
}

static bool read_global(void *user, uint64_t address, void *to, size_t bytes)
{
    const struct emu_copy *c = ((struct reach *)user)->op->data;
    const uint8_t *at =
        global(user, address, bytes, c->reduces ? EMU_ATOMIC | EMU_STRONG : EMU_READ);
    if (at) memcpy(to, at, bytes);
    return at != NULL;
}

static bool write_global(void *user, uint64_t address, const void *from, size_t bytes)
{
    struct reach *r = user;
    const struct emu_copy *c = r->op->data;
    uint8_t *at = global(r, address, bytes, c->reduces ? EMU_ATOMIC | EMU_STRONG : EMU_WRITE);
    if (at) memcpy(at, from, bytes);
    return at != NULL;
}

static bool fault(struct emu_op *op, uint64_t address, const char *what)
{
    emu_fault(TMAP_EMULATE_ACCESS, op->warp, op->in, op->lane, address,
              "a copy %s 0x%llx, which is in no buffer", what, (unsigned long long)address);
    return true;
}

static uint64_t footprint(const struct emu_copy *c)
{
    struct tmap_layout l;
    layout_of(&c->desc, &l);
    return l.footprint_bytes * (sim_by_row(c->use.op) ? GATHERED_ROWS : 1) +
           layout_halo_rows(&c->desc, &c->use) * l.pitch_bytes;
}

// --- loads

static struct emu_cta *target_cta(const struct emu_op *op, const struct emu_copy *c, uint32_t rank)
{
    const uint32_t own = (uint32_t)(c->to - EMU_SHARED_WINDOW) >> EMU_RANK_SHIFT;
    if (!c->multicast) return &op->cta->cluster->cta[own];
    return c->mask >> rank & 1 ? &op->cta->cluster->cta[rank] : NULL;
}

static uint32_t offset_of(uint64_t generic)
{
    return (uint32_t)(generic - EMU_SHARED_WINDOW) & ((1u << EMU_RANK_SHIFT) - 1);
}

// Of a pair each time the CTA whose rank is as even or odd as that of the barrier named.
static uint32_t told_rank(const struct emu_copy *c, const struct emu_cta *cta)
{
    const uint32_t named = (uint32_t)(c->barrier - EMU_SHARED_WINDOW) >> EMU_RANK_SHIFT;
    return c->pair ? (cta->rank & ~1u) | (named & 1) : cta->rank;
}

static struct emu_mbarrier *barrier_of(struct emu_op *op, const struct emu_copy *c,
                                       struct emu_cta *cta, struct emu_cta **where)
{
    uint64_t at = c->barrier;
    if (c->multicast)
        at = EMU_SHARED_WINDOW + ((uint64_t)told_rank(c, cta) << EMU_RANK_SHIFT) +
             offset_of(c->barrier);
    struct emu_mbarrier *b = emu_barrier(op->warp, op->in, op->lane, at, where);
    if (b) emu_barrier_used(op->warp, op->in, op->lane, b);
    return b;
}

static bool load_tensor(struct reach *r, const struct emu_copy *c, struct emu_cta *cta)
{
    struct tmap_use use = c->use;
    use.smem = offset_of(c->to);
    use.flags |= TMAP_USE_SMEM;
    const struct tmap_memory memory = {.read = read_global,
                                       .write = write_global,
                                       .user = r,
                                       .smem = cta->smem,
                                       .smem_base = 0,
                                       .smem_bytes = cta->smem_end};
    struct tmap_outcome out;
    emu_touch(r->m, &r->actor, cta, NULL, use.smem, footprint(c), EMU_WRITE);
    sim_run(&c->desc, &use, &memory, &out);
    return !r->failed;
}

static bool load_bulk(struct reach *r, const struct emu_copy *c, struct emu_cta *cta)
{
    struct emu_cta *from_cta;
    struct emu_region *region;
    const uint8_t *from =
        emu_find(r->m, r->op->cta->cluster, c->from, c->bytes, &from_cta, &region);
    const uint32_t to = offset_of(c->to);
    const bool parameters = region && region->read_only; // no global memory
    if (!from || parameters || to < EMU_SMEM_START || to + (uint64_t)c->bytes > cta->smem_end) {
        r->failed = true;
        r->failed_at = from && !parameters ? c->to : c->from;
        return false;
    }
    emu_touch(r->m, &r->actor, from_cta, region,
              from_cta ? offset_of(c->from) : c->from - region->address, c->bytes, EMU_READ);
    emu_touch(r->m, &r->actor, cta, NULL, to, c->bytes,
              c->reduces ? EMU_ATOMIC | EMU_STRONG : EMU_WRITE);
    if (from_cta)
        NOTE(r->op->warp, r->op->in, .op = ACT_FORWARD, .cta = (uint8_t)from_cta->rank,
             .at = offset_of(c->from), .bytes = c->bytes);
    if (!c->reduces) {
        memmove(cta->smem + to, from, c->bytes);
        return true;
    }
    const uint32_t size = layout_gmem_bits(c->dtype) / 8;
    for (uint32_t at = 0; at + size <= c->bytes; at += size) {
        uint64_t a = 0, b = 0;
        memcpy(&a, cta->smem + to + at, size);
        memcpy(&b, from + at, size);
        a = sim_reduce((uint32_t)c->op, c->dtype, a, b);
        memcpy(cta->smem + to + at, &a, size);
    }
    return true;
}

// A load's bytes are written under the epoch of the phase that its barrier is in.
static bool land(struct emu_machine *m, struct emu_op *op, struct emu_copy *c)
{
    const struct emu_cluster *cluster = op->cta->cluster;
    if (!c->multicast && c->to - EMU_SHARED_WINDOW >= (uint64_t)cluster->ctas << EMU_RANK_SHIFT)
        return fault(op, c->to, "writes"), false;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        struct emu_cta *cta = target_cta(op, c, rank), *where;
        if (!cta) continue;
        if (cta->done)
            return emu_fault(TMAP_EMULATE_ACCESS, op->warp, op->in, op->lane, c->to,
                             "a copy writes the shared memory of CTA %u, which has left",
                             cta->rank),
                   false;
        struct emu_mbarrier *b = barrier_of(op, c, cta, &where);
        if (!b) return false;
        NOTE(op->warp, op->in, .op = ACT_LOAD, .cta = (uint8_t)cta->rank, .at = offset_of(c->to),
             .bytes = (uint32_t)(c->tensor ? footprint(c) : c->bytes),
             .barrier_cta = (uint8_t)where->rank, .barrier = b->offset, .value = c->tx);
        struct reach r = reach_of(m, op);
        r.actor.agent = b->agent;
        r.actor.now = b->phase + 1;
        if (!(c->tensor ? load_tensor(&r, c, cta) : load_bulk(&r, c, cta)))
            return fault(op, r.failed_at, "reaches"), false;
        if (!c->multicast) break;
    }
    return true;
}

// The barrier learns of the bytes in two parts, at moments of their own.
static bool tell(struct emu_op *op, struct emu_copy *c)
{
    const uint32_t part = op->stage == 1 && c->tx > 16 ? c->tx / 2 : c->tx;
    for (uint32_t rank = 0; rank < op->cta->cluster->ctas; rank++) {
        struct emu_cta *cta = target_cta(op, c, rank), *where;
        if (!cta) continue;
        struct emu_mbarrier *b = barrier_of(op, c, cta, &where);
        if (!b) return true;
        emu_release_epoch(op->cta->m, b->agent, b->phase + 1, b->gather);
        emu_barrier_complete(op->warp, op->in, op->lane, where, b, part);
        if (!c->multicast) break;
    }
    c->tx -= part;
    return c->tx == 0;
}

static bool run_load(struct emu_machine *m, struct emu_op *op)
{
    struct emu_copy *c = op->data;
    if (op->stage == 0) {
        op->stage = 1;
        if (!land(m, op, c)) return true;
        op->has_read = false;
        return false;
    }
    const bool last = tell(op, c);
    op->stage = 2;
    return last;
}

// --- stores: shared memory is read at one moment, global memory written at another

static bool take_snapshot(struct emu_machine *m, struct emu_op *op, struct emu_copy *c)
{
    struct reach r = reach_of(m, op);
    const uint32_t at = offset_of(c->from);
    const uint64_t bytes = c->tensor ? footprint(c) : c->bytes;
    if (at < EMU_SMEM_START || at + bytes > op->cta->smem_end || op->cta->done)
        return fault(op, c->from, "reads shared"), false;
    NOTE(op->warp, op->in, .op = ACT_STORE, .cta = (uint8_t)op->cta->rank, .at = at,
         .bytes = (uint32_t)bytes);
    r.actor.agent = emu_agent(op->cta, AGENT_BULK_READ, op->warp->index);
    emu_touch(m, &r.actor, op->cta, NULL, at, bytes, EMU_READ);
    c->snapshot = malloc(bytes + 16);
    if (!c->snapshot) return m->status = TMAP_E_MEMORY, m->stop = true, false;
    memcpy(c->snapshot, op->cta->smem + at, bytes);
    c->snapshot_at = at;
    c->snapshot_bytes = bytes;
    return true;
}

static bool store_tensor(struct reach *r, const struct emu_copy *c)
{
    struct tmap_use use = c->use;
    struct tmap_outcome out;
    use.smem = c->snapshot_at;
    use.flags |= TMAP_USE_SMEM;
    const struct tmap_memory memory = {.read = read_global,
                                       .write = write_global,
                                       .user = r,
                                       .smem = c->snapshot,
                                       .smem_base = c->snapshot_at,
                                       .smem_bytes = c->snapshot_bytes};
    sim_run(&c->desc, &use, &memory, &out);
    return !r->failed;
}

static bool store_bulk(struct reach *r, const struct emu_copy *c)
{
    uint8_t *to = global(r, c->to, c->bytes, c->reduces ? EMU_ATOMIC | EMU_STRONG : EMU_WRITE);
    if (!to) return false;
    if (!c->reduces) {
        memcpy(to, c->snapshot, c->bytes);
        return true;
    }
    const uint32_t size = layout_gmem_bits(c->dtype) / 8;
    for (uint32_t at = 0; at + size <= c->bytes; at += size) {
        uint64_t a = 0, b = 0;
        memcpy(&a, to + at, size);
        memcpy(&b, c->snapshot + at, size);
        a = sim_reduce((uint32_t)c->op, c->dtype, a, b);
        memcpy(to + at, &a, size);
    }
    return true;
}

static bool run_store(struct emu_machine *m, struct emu_op *op)
{
    struct emu_copy *c = op->data;
    if (op->stage == 0) {
        op->stage = 1;
        op->has_read = take_snapshot(m, op, c);
        return !op->has_read;
    }
    struct reach r = reach_of(m, op);
    r.actor.agent = emu_agent(op->cta, AGENT_BULK_WRITE, op->warp->index);
    if (!(c->tensor ? store_tensor(&r, c) : store_bulk(&r, c))) fault(op, r.failed_at, "writes");
    return true;
}

static void drop(struct emu_op *op)
{
    struct emu_copy *c = op->data;
    free(c->snapshot);
    free(c);
}

enum emu_step emu_start_copy(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                             const struct emu_copy *copy)
{
    struct emu_copy *c = malloc(sizeof *c);
    struct emu_machine *m = w->m;
    if (!c) return m->status = TMAP_E_MEMORY, m->stop = true, EMU_STOP;
    *c = *copy;
    m->result.counts.copies++;
    m->result.counts.copy_bytes += c->bytes;
    c->tx = c->bytes;
    const struct emu_op op = {.run = c->loads ? run_load : run_store,
                              .drop = drop,
                              .class = c->loads ? OP_LOAD : OP_BULK,
                              .in = in,
                              .lane = lane,
                              .group = w->bulk_open[lane],
                              .now = w->bulk_open[lane] + 1,
                              .data = c};
    return emu_issue(w, &op);
}
