// mbarriers: the automaton of arrivals, transactions and phases, and its instructions.
#include "emulate/async/async.h"
#include "emulate/machine/footprint.h"
#include "emulate/ops/ops.h"
#include "emulate/protocol/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K(number) (number)
#include "rules/sets.def"

// Arrivals have 20 bits, too.
enum { BARRIER_BYTES = 8, MOST_TX = TX_COUNT_MAX, MOST_ARRIVALS = MOST_TX };

// What the eight bytes hold, so that one who overwrites them is found out.
static uint64_t pattern(uint32_t offset)
{
    return 0x6d62617272000000u ^ offset;
}

static struct emu_mbarrier *known(struct emu_cta *cta, uint32_t offset)
{
    for (uint32_t i = 0; i < cta->mbarriers; i++)
        if (cta->mbarrier[i]->offset == offset) return cta->mbarrier[i];
    return NULL;
}

static struct emu_mbarrier *made(struct emu_cta *cta, uint32_t offset)
{
    struct emu_mbarrier *b = known(cta, offset);
    if (b) return b;
    if ((cta->mbarriers & (cta->mbarriers - 1)) == 0) {
        const uint32_t room = cta->mbarriers ? 2 * cta->mbarriers : 1;
        struct emu_mbarrier **larger = realloc(cta->mbarrier, room * sizeof *larger);
        if (!larger) return NULL;
        cta->mbarrier = larger;
    }
    b = cta->mbarrier[cta->mbarriers] = malloc(sizeof *b);
    if (!b) return NULL;
    *b = (struct emu_mbarrier){.offset = offset,
                               .agent = emu_agent(cta, AGENT_BARRIER, cta->mbarriers),
                               .gather = emu_object(cta->m),
                               .done = emu_object(cta->m)};
    cta->mbarriers++;
    return b;
}

struct emu_mbarrier *emu_barrier(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                                 uint64_t generic, struct emu_cta **cta)
{
    struct emu_region *region;
    const uint8_t *at =
        emu_memory(w, in, lane, PTX_GENERIC, generic, BARRIER_BYTES, EMU_ATOMIC | EMU_STRONG);
    if (!at) return NULL;
    emu_find(w->m, w->cta->cluster, generic, BARRIER_BYTES, cta, &region);
    struct emu_mbarrier *b = *cta ? known(*cta, (uint32_t)(at - (*cta)->smem)) : NULL;
    uint64_t found;
    memcpy(&found, at, sizeof found);
    if (!b || !b->valid) {
        emu_fault(TMAP_EMULATE_BARRIER, w, in, lane, generic,
                  "there is no initialised mbarrier at 0x%llx", (unsigned long long)generic);
        return NULL;
    }
    if (found != pattern(b->offset)) {
        emu_fault(TMAP_EMULATE_BARRIER, w, in, lane, generic,
                  "the mbarrier at shared 0x%x was overwritten", b->offset);
        return NULL;
    }
    return b;
}

// Others of the cluster may arrive and count bytes; to wait, too, is undefined (PTX ISA).
struct emu_mbarrier *emu_own_barrier(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                                     uint64_t generic)
{
    struct emu_cta *cta;
    struct emu_mbarrier *b = emu_barrier(w, in, lane, generic, &cta);
    if (!b || cta == w->cta) return b;
    emu_fault(TMAP_EMULATE_BARRIER, w, in, lane, generic,
              "%s takes an mbarrier of its own CTA, and this is that of CTA %u of the cluster",
              in->name, cta->rank);
    return NULL;
}

static void tell(const struct emu_cta *cta, const struct emu_mbarrier *b)
{
    const struct emu_machine *m = cta->m;
    const struct tmap_emulate_event e = {.kind = TMAP_EMULATE_PHASE,
                                         .cta = cta->number,
                                         .begin = m->executed,
                                         .end = m->executed,
                                         .address = b->offset};
    if (m->watch.event) m->watch.event(m->watch.self, &e);
}

static void turn(struct emu_cta *cta, struct emu_mbarrier *b)
{
    if (b->pending != 0 || b->tx != 0) return;
    tell(cta, b);
    b->phase++;
    b->pending = b->expected;
    emu_join(cta->m, b->done, b->gather);
    cta->m->result.counts.barrier_phases++;
    emu_something(cta->cluster);
}

bool emu_barrier_lacks(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                       const struct emu_mbarrier *b, uint32_t count)
{
    if (count <= b->pending && count != 0) return true;
    emu_fault(TMAP_EMULATE_BARRIER, w, in, lane, b->offset,
              "%u arrivals at the mbarrier at shared 0x%x, of which phase %u lacks only %u (and "
              "%lld bytes)",
              count, b->offset, b->phase, b->pending, (long long)b->tx);
    return false;
}

void emu_barrier_arrive(struct emu_cta *cta, struct emu_mbarrier *b, uint32_t count)
{
    b->pending -= count;
    turn(cta, b);
}

static bool count_bytes(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                        struct emu_mbarrier *b, int64_t bytes)
{
    b->tx += bytes;
    if (b->tx >= -MOST_TX && b->tx <= MOST_TX) return true;
    emu_fault(TMAP_EMULATE_BARRIER, w, in, lane, b->offset,
              "the tx-count of the mbarrier at shared 0x%x becomes %lld, not from %d to %d",
              b->offset, (long long)b->tx, -MOST_TX, MOST_TX);
    return false;
}

void emu_barrier_complete(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                          struct emu_cta *cta, struct emu_mbarrier *b, uint32_t bytes)
{
    if (count_bytes(w, in, lane, b, -(int64_t)bytes)) turn(cta, b);
}

void emu_barrier_text(const struct emu_warp *w, uint64_t offset, char *text, size_t cap)
{
    struct emu_cta *cta;
    struct emu_region *region;
    emu_find(w->m, w->cta->cluster, EMU_SHARED_WINDOW + offset, 1, &cta, &region);
    const struct emu_mbarrier *b = known(cta, (uint32_t)offset & ((1u << EMU_RANK_SHIFT) - 1));
    snprintf(text, cap, ": phase %u is under way, %u of %u arrivals and %lld bytes are missing",
             b->phase, b->pending, b->expected, (long long)b->tx);
}

void emu_barriers_fenced(struct emu_warp *w)
{
    emu_mark(w->m, COMMON_FENCED, w->cta->number, 0, true);
    for (uint32_t i = 0; i < w->cta->mbarriers; i++)
        if (w->cta->mbarrier[i]->made_by == w->agent) w->cta->mbarrier[i]->fenced = true;
}

void emu_barrier_used(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                      struct emu_mbarrier *b)
{
    char place[160];
    emu_mark(w->m, COMMON_FENCED, w->cta->number, 0, false);
    if (b->fenced || !w->m->order || emu_has_fenced(w, b->made_by, b->made_at)) return;
    if (!emu_first_time(w->m, TMAP_EMULATE_PROXY, in, b->made)) return;
    emu_find_report(w->m, TMAP_EMULATE_PROXY, w, in, lane, b->offset,
                    "the async proxy signals the mbarrier at shared 0x%x, and no fence follows its "
                    "%s",
                    b->offset, emu_place(w->m, b->made, place, sizeof place));
}

// --- instructions

struct barrier_insn {
    struct emu_place at;
    emu_at count, tx, state, out;
    bool has_count, has_tx, has_state, parity, relaxed, drops, tries;
    bool acquires;
};

EXEC(init)
{
    const struct barrier_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct emu_cta *cta;
        struct emu_region *region;
        const uint64_t generic = emu_place_at(w, &i->at, l);
        const uint32_t count = emu_u32(w, i->count)[l];
        uint8_t *at = emu_memory(w, in, l, PTX_GENERIC, generic, BARRIER_BYTES, EMU_WRITE);
        if (!at) return EMU_STOP;
        emu_find(w->m, w->cta->cluster, generic, BARRIER_BYTES, &cta, &region);
        if (!cta || cta != w->cta || count == 0 || count > MOST_ARRIVALS)
            return emu_fault(TMAP_EMULATE_BARRIER, w, in, l, generic,
                             "mbarrier.init with %u arrivals, or not in shared memory", count);
        struct emu_mbarrier *b = made(cta, (uint32_t)(at - cta->smem));
        if (!b) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        if (b->valid && (b->pending != b->expected || b->tx != 0) &&
            emu_first_time(w->m, TMAP_EMULATE_BARRIER, in, b->made))
            emu_find_report(w->m, TMAP_EMULATE_BARRIER, w, in, l, b->offset,
                            "the mbarrier at shared 0x%x is initialised again in the middle of a "
                            "phase",
                            b->offset);
        b->valid = true;
        b->fenced = false;
        b->phase = 0;
        b->expected = b->pending = count;
        b->tx = 0;
        b->made = in;
        b->made_by = w->agent;
        b->made_at = emu_now(w);
        const uint64_t bytes = pattern(b->offset);
        memcpy(at, &bytes, sizeof bytes);
        NOTE(w, in, .op = ACT_INIT, .cta = (uint8_t)cta->rank, .barrier_cta = (uint8_t)cta->rank,
             .barrier = b->offset, .value = count);
    }
    return EMU_NEXT;
}

EXEC(inval)
{
    const struct barrier_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct emu_mbarrier *b = emu_own_barrier(w, in, l, emu_place_at(w, &i->at, l));
        if (!b) return EMU_STOP;
        b->valid = false;
    }
    return EMU_NEXT;
}

EXEC(arrive)
{
    const struct barrier_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct emu_cta *cta;
        struct emu_mbarrier *b = emu_barrier(w, in, l, emu_place_at(w, &i->at, l), &cta);
        if (!b) return EMU_STOP;
        const uint32_t count = i->has_count ? emu_u32(w, i->count)[l] : 1;
        if (i->has_tx && !count_bytes(w, in, l, b, emu_u32(w, i->tx)[l])) return EMU_STOP;
        if (!emu_barrier_lacks(w, in, l, b, count)) return EMU_STOP;
        if (i->has_state) emu_u64(w, i->state)[l] = (uint64_t)b->phase << 32 | b->pending;
        if (!i->relaxed) emu_release(w, b->gather);
        if (i->drops) b->expected -= count;
        const enum act_op op = i->drops ? ACT_DROP : i->has_tx ? ACT_EXPECT : ACT_ARRIVE;
        NOTE(w, in, .op = op, .barrier_cta = (uint8_t)cta->rank, .barrier = b->offset,
             .value = count, .bytes = i->has_tx ? emu_u32(w, i->tx)[l] : 0);
        emu_barrier_arrive(cta, b, count);
    }
    return EMU_NEXT;
}

EXEC(transaction)
{
    const struct barrier_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct emu_cta *cta;
        struct emu_mbarrier *b = emu_barrier(w, in, l, emu_place_at(w, &i->at, l), &cta);
        if (!b) return EMU_STOP;
        NOTE(w, in, .op = ACT_EXPECT, .barrier_cta = (uint8_t)cta->rank, .barrier = b->offset);
        const int64_t bytes = emu_u32(w, i->tx)[l];
        if (!count_bytes(w, in, l, b, in->count ? -bytes : bytes)) return EMU_STOP;
        turn(cta, b);
    }
    return EMU_NEXT;
}

static bool over(const struct emu_warp *w, const struct barrier_insn *i, uint32_t l,
                 const struct emu_mbarrier *b)
{
    if (i->parity) return (b->phase & 1) != (emu_u32(w, i->state)[l] & 1);
    return b->phase != (uint32_t)(emu_u64(w, i->state)[l] >> 32);
}

// Lanes that all wait for the same phase of the same mbarrier are as good as the first and the last
// of them, which a report would name.
static uint32_t spokesmen(const struct emu_warp *w, const struct barrier_insn *i, uint32_t mask)
{
    const uint32_t first = (uint32_t)emu_lane(mask), last = 31 - (uint32_t)__builtin_clz(mask);
    const uint64_t at = emu_place_at(w, &i->at, first);
    bool same = true;
    EACH_LANE(l, mask)
    {
        same &= emu_place_at(w, &i->at, l) == at;
        same &= i->parity ? emu_u32(w, i->state)[l] == emu_u32(w, i->state)[first]
                          : emu_u64(w, i->state)[l] == emu_u64(w, i->state)[first];
    }
    return same ? 1u << first | 1u << last : mask;
}

// The phase that is waited for is even or odd, whether a parity or an arrival's state says so.
static void note_wait(struct emu_warp *w, const struct emu_insn *in, uint32_t l, bool done)
{
    const struct barrier_insn *i = in->more;
    const uint32_t phase =
        i->parity ? emu_u32(w, i->state)[l] : (uint32_t)(emu_u64(w, i->state)[l] >> 32);
    const uint32_t at = (uint32_t)(emu_place_at(w, &i->at, l) - EMU_SHARED_WINDOW);
    const uint32_t rank = at >> EMU_RANK_SHIFT;
    NOTE(w, in, .op = i->tries ? ACT_WAIT : ACT_LOOK, .barrier_cta = (uint8_t)rank,
         .barrier = at & ((1u << EMU_RANK_SHIFT) - 1), .value = phase & 1, .at = i->tries ? 0 : l,
         .bytes = !i->tries && done);
}

EXEC(wait)
{
    const struct barrier_insn *i = in->more;
    const uint32_t speak = spokesmen(w, i, mask);
    uint32_t done = 0;
    uint64_t offset = 0;
    const struct emu_mbarrier *first = NULL;
    bool one = true; // all lanes wait for the same
    for (int pass = 0; pass < 2; pass++) {
        EACH_LANE(l, speak)
        {
            const uint64_t at = emu_place_at(w, &i->at, l);
            const uint32_t index = (uint32_t)(at - EMU_SHARED_WINDOW);
            if (w->m->trail) w->m->trail->reads_only = true;
            struct emu_mbarrier *b = emu_own_barrier(w, in, l, at);
            if (w->m->trail) w->m->trail->reads_only = false;
            if (!b) return EMU_STOP;
            offset = index;
            one = one && (!first || first == b);
            first = b;
            if (pass == 0)
                done |= (uint32_t)over(w, i, l, b) << l;
            else if (done >> l & 1 && i->acquires)
                emu_acquire(w, b->done);
        }
        const uint32_t value = i->parity ? emu_u32(w, i->state)[emu_lane(mask)] : 0;
        if (done == 0 && i->tries && one)
            return emu_watch_for(w, WAIT_MBARRIER, offset, value, &first->phase);
        if (done == 0 && i->tries) return emu_wait_for(w, WAIT_MBARRIER, offset, value);
        const enum emu_answer answer =
            pass == 0 && !i->tries && one ? emu_record_answer(w, in, done) : ANSWER_YES;
        if (answer == ANSWER_LATER) return EMU_LATER;
        if (answer == ANSWER_NO) done = 0;
        if (done == 0) break;
    }
    if (speak != mask && done) done = mask;
    emu_set_pred(w, i->out, mask, done);
    if (done || !i->tries) note_wait(w, in, (uint32_t)emu_lane(done ? done : mask), done);
    return done ? EMU_NEXT : EMU_YIELD;
}

static bool common(struct decoder *d, struct barrier_insn **out, enum ptx_space *space)
{
    struct barrier_insn *i = dec_alloc(d, sizeof *i);
    if (!i) return false;
    d->out->more = i;
    i->acquires = !dec_has(d, "relaxed");
    i->relaxed = !i->acquires;
    dec_one_of(d, "acquire|release");
    dec_one_of(d, "cta|cluster");
    *space = dec_space(d);
    *out = i;
    return dec_has(d, "b64");
}

bool decode_mbarrier_init(struct decoder *d)
{
    struct barrier_insn *i;
    enum ptx_space space;
    d->out->exec = init;
    return common(d, &i, &space) && dec_place(d, dec_operand(d), space, &i->at) &&
           dec_source(d, PTX_U32, &i->count);
}

bool decode_mbarrier_inval(struct decoder *d)
{
    struct barrier_insn *i;
    enum ptx_space space;
    d->out->exec = inval;
    return common(d, &i, &space) && dec_place(d, dec_operand(d), space, &i->at);
}

bool decode_mbarrier_arrive(struct decoder *d)
{
    struct barrier_insn *i;
    enum ptx_space space;
    const bool tx = dec_has(d, "expect_tx");
    dec_has(d, "noComplete");
    d->out->exec = arrive;
    if (!common(d, &i, &space)) return false;
    i->has_tx = tx;
    const struct ptx_operand *o = dec_operand(d);
    if (o && o->kind != PTX_OP_MEM) {
        i->has_state = o->kind != PTX_OP_SINK;
        if (i->has_state && !dec_dest_of(d, o, 64, &i->state)) return false;
        o = dec_operand(d);
    }
    if (!o || !dec_place(d, o, space, &i->at)) return false;
    if (tx) return dec_source(d, PTX_U32, &i->tx);
    i->has_count = dec_more(d);
    return !i->has_count || dec_source(d, PTX_U32, &i->count);
}

bool decode_mbarrier_arrive_drop(struct decoder *d)
{
    if (!decode_mbarrier_arrive(d)) return false;
    ((struct barrier_insn *)(uintptr_t)d->out->more)->drops = true;
    return true;
}

static bool tx_only(struct decoder *d, bool completes)
{
    struct barrier_insn *i;
    enum ptx_space space;
    d->out->exec = transaction;
    d->out->count = completes;
    return common(d, &i, &space) && dec_place(d, dec_operand(d), space, &i->at) &&
           dec_source(d, PTX_U32, &i->tx);
}

bool decode_mbarrier_expect_tx(struct decoder *d)
{
    return tx_only(d, false);
}
bool decode_mbarrier_complete_tx(struct decoder *d)
{
    return tx_only(d, true);
}

static bool waits(struct decoder *d, bool tries)
{
    struct barrier_insn *i;
    enum ptx_space space;
    emu_at hint;
    const bool parity = dec_has(d, "parity");
    d->out->exec = wait;
    if (!common(d, &i, &space)) return false;
    i->parity = parity;
    i->tries = tries;
    if (!dec_dest(d, 1, &i->out) || !dec_place(d, dec_operand(d), space, &i->at) ||
        !dec_source(d, parity ? PTX_U32 : PTX_B64, &i->state))
        return false;
    return !dec_more(d) || dec_source(d, PTX_U32, &hint);
}

bool decode_mbarrier_test_wait(struct decoder *d)
{
    return waits(d, false);
}
bool decode_mbarrier_try_wait(struct decoder *d)
{
    return waits(d, true);
}

EXEC(pending_count)
{
    EACH_LANE(l, mask) emu_u32(w, in->d)[l] = (uint32_t)emu_u64(w, in->a)[l];
    return EMU_NEXT;
}

bool decode_mbarrier_pending_count(struct decoder *d)
{
    d->out->exec = pending_count;
    return dec_has(d, "b64") && dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B64, &d->out->a);
}
