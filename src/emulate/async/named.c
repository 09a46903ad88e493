// Barriers of a CTA and of a cluster, meetings of a warp, fences, and setmaxnreg.
#include "emulate/async/async.h"
#include "emulate/machine/footprint.h"
#include "emulate/ops/ops.h"
#include "emulate/protocol/record.h"

// --- bar, barrier

enum named_kind { NAMED_SYNC, NAMED_ARRIVE, NAMED_POPC, NAMED_AND, NAMED_OR };

struct named_insn {
    emu_at number, threads, predicate;
    bool has_threads, not_predicate;
    enum named_kind kind;
};

static uint32_t expected_of(const struct emu_cta *cta, const struct emu_named *b)
{
    return b->expected ? b->expected : cta->live_warps * LANES;
}

// Who waits has what was known when all had arrived, not what those tell who arrive next.
static void acquire_all(struct emu_cta *cta, const struct emu_named *b)
{
    for (uint32_t i = 0; i < cta->warps; i++) {
        struct emu_warp *w = &cta->warp[i];
        for (uint32_t k = 0; k < w->splits; k++)
            if (w->split[k].wait == WAIT_NAMED && w->split[k].stage == b->generation + 1 &&
                w->split[k].wait_for == (uint64_t)(b - cta->named))
                emu_acquire(w, b->done);
    }
}

static void complete(struct emu_cta *cta, struct emu_named *b)
{
    if (b->arrived < expected_of(cta, b)) return; // of a barrier where somebody has arrived
    emu_mark(cta->m, COMMON_NAMED, cta->number, (uint64_t)(b - cta->named), true);
    b->arrived = 0;
    b->expected = 0;
    b->result = b->reduced;
    b->all = b->any_false ? 0 : UINT32_MAX;
    b->reduced = b->any_false = 0;
    emu_hand_over(cta->m, b->gather, b->done);
    if (cta->m->order) acquire_all(cta, b);
    b->generation++;
    emu_something(cta->cluster);
}

void emu_named_left(struct emu_cta *cta)
{
    emu_mark(cta->m, COMMON_LEAVING, cta->number, 0, false);
    for (uint32_t i = 0; i < NAMED_BARRIERS; i++)
        if (cta->named[i].arrived && !cta->named[i].expected) complete(cta, &cta->named[i]);
}

static void deliver(struct emu_warp *w, const struct emu_insn *in, const struct named_insn *n,
                    const struct emu_named *b, uint32_t mask)
{
    if (n->kind == NAMED_POPC)
        EACH_LANE(l, mask) emu_u32(w, in->d)[l] = b->result;
    else if (n->kind == NAMED_AND)
        emu_set_pred(w, in->d, mask, b->all);
    else if (n->kind == NAMED_OR)
        emu_set_pred(w, in->d, mask, b->result ? UINT32_MAX : 0);
}

static enum emu_step arrive(struct emu_warp *w, const struct emu_insn *in,
                            const struct named_insn *n, struct emu_named *b, uint32_t mask)
{
    const uint32_t first = (uint32_t)emu_lane(mask);
    const uint32_t threads = n->has_threads ? emu_u32(w, n->threads)[first] : 0;
    const uint32_t count = in->aligned ? LANES : (uint32_t)__builtin_popcount(mask);
    if (threads % LANES || (n->has_threads && threads == 0) || threads > w->cta->warps * LANES)
        return emu_fault(TMAP_EMULATE_BARRIER, w, in, first, 0,
                         "a barrier of %u threads in a CTA of %u", threads, w->cta->warps * LANES);
    if (b->arrived && b->expected != threads)
        return emu_fault(TMAP_EMULATE_BARRIER, w, in, first, emu_u32(w, n->number)[first],
                         "barrier %u is awaited by %u threads and by %u",
                         emu_u32(w, n->number)[first], b->expected, threads);
    b->expected = threads;
    b->arrived += count;
    if (n->kind >= NAMED_POPC) {
        const uint32_t p = emu_pred(w, n->predicate) ^ (n->not_predicate ? UINT32_MAX : 0);
        b->reduced += (uint32_t)__builtin_popcount(p & mask);
        if ((p & mask) != mask) b->any_false = 1;
    }
    emu_release(w, b->gather);
    return EMU_NEXT;
}

EXEC(named)
{
    const struct named_insn *n = in->more;
    struct emu_split *s = emu_here(w);
    const uint32_t number = emu_u32(w, n->number)[emu_lane(mask)];
    enum emu_step step;
    if (number >= NAMED_BARRIERS)
        return emu_fault(TMAP_EMULATE_BARRIER, w, in, (uint32_t)emu_lane(mask), number,
                         "there is no barrier %u", number);
    struct emu_named *b = &w->cta->named[number];
    emu_mark(w->m, COMMON_NAMED, w->cta->number, number, s->stage == 0);
    if (s->stage == 0) emu_mark(w->m, COMMON_LEAVING, w->cta->number, 0, true);
    if (s->stage == 0) {
        if (in->aligned && !emu_together(w, in, 0, &step)) return step;
        const uint32_t generation = b->generation;
        if (arrive(w, in, n, b, mask) == EMU_STOP) return EMU_STOP;
        NOTE(w, in, .op = ACT_MEET, .at = number, .cta = n->kind == NAMED_ARRIVE,
             .value = b->expected);
        complete(w->cta, b);
        if (n->kind == NAMED_ARRIVE) return EMU_NEXT;
        s->stage = generation + 1;
        if (b->generation != generation) emu_acquire(w, b->done);
    }
    if (b->generation + 1 == s->stage)
        return emu_watch_for(w, WAIT_NAMED, number, expected_of(w->cta, b), &b->generation);
    s->stage = 0;
    deliver(w, in, n, b, mask);
    return EMU_NEXT;
}

static bool named_barrier(struct decoder *d, bool aligned)
{
    struct named_insn *n = dec_alloc(d, sizeof *n);
    if (!n) return false;
    dec_has(d, "cta");
    const bool arrives = dec_has(d, "arrive"), reduces = dec_has(d, "red");
    if (!arrives && !reduces && !dec_has(d, "sync")) return dec_fail(d, "'%s'", d->inst->op);
    d->out->aligned = dec_has(d, "aligned") || aligned;
    d->out->exec = named;
    d->out->more = n;
    n->kind = arrives ? NAMED_ARRIVE : NAMED_SYNC;
    if (reduces) {
        const int how = dec_one_of(d, "popc|and|or");
        if (how < 0 || !(how == 0 ? dec_has(d, "u32") : dec_has(d, "pred"))) return false;
        n->kind = (enum named_kind)(NAMED_POPC + how);
        if (!dec_dest(d, how == 0 ? 32 : 1, &d->out->d)) return false;
    }
    if (!dec_source(d, PTX_U32, &n->number)) return false;
    const uint32_t left = d->inst->operands - d->next;
    n->has_threads = left > (reduces ? 1 : 0);
    if (n->has_threads && !dec_source(d, PTX_U32, &n->threads)) return false;
    return !reduces || dec_predicate(d, &n->predicate, &n->not_predicate);
}

bool decode_bar(struct decoder *d)
{
    return named_barrier(d, true);
}
bool decode_barrier(struct decoder *d)
{
    return named_barrier(d, false);
}

// --- the warp

static bool is_warp_sync(const struct emu_insn *in);

// Whether a split stands at any bar.warp.sync of these lanes.
static bool waits_for(const struct emu_warp *w, const struct emu_split *s, uint32_t named)
{
    const struct emu_insn *in = &w->m->module->code[s->pc];
    return s->blocked_at != UINT64_MAX && s->wait == WAIT_LANES && is_warp_sync(in) &&
           emu_u32(w, in->a)[emu_lane(s->mask)] == named;
}

// Lanes may meet at different instructions with the same mask (PTX ISA, bar.warp.sync, from sm_70
// on): the last to come lets the others go on.
static bool lets_go(struct emu_warp *w, uint32_t named)
{
    uint32_t here = emu_here(w)->mask;
    for (uint32_t i = 0; i < w->splits; i++)
        if (waits_for(w, &w->split[i], named)) here |= w->split[i].mask;
    if (named & w->live & ~here) return false;
    for (uint32_t i = 0; i < w->splits; i++)
        if (waits_for(w, &w->split[i], named)) {
            w->split[i].stage = 1;
            w->split[i].blocked_at = UINT64_MAX;
        }
    return true;
}

EXEC(warp_sync)
{
    struct emu_split *s = emu_here(w);
    const uint32_t named = emu_u32(w, in->a)[emu_lane(mask)];
    if (s->stage == 0 && !lets_go(w, named))
        return emu_watch_for(w, WAIT_LANES, named & w->live & ~s->mask, 0, &w->live);
    s->stage = 0;
    return EMU_NEXT;
}

static bool is_warp_sync(const struct emu_insn *in)
{
    return in->exec == warp_sync;
}

bool decode_bar_warp(struct decoder *d)
{
    d->out->exec = warp_sync;
    return dec_has(d, "sync") && dec_source(d, PTX_B32, &d->out->a);
}

// --- the cluster: everyone arrives, whoever waits goes on when all have

static uint32_t cluster_threads(const struct emu_cluster *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->ctas; i++) n += c->cta[i].live_warps * LANES;
    return n;
}

static void cluster_complete(struct emu_cluster *c)
{
    if (c->arrived == 0 || c->arrived < cluster_threads(c)) return;
    emu_mark(c->cta->m, COMMON_CLUSTER, c->first_id, 0, true);
    c->arrived = 0;
    emu_hand_over(c->cta->m, c->gather, c->done); // nobody arrives again before it has waited
    c->generation++;
    emu_something(c);
}

void emu_cluster_left(struct emu_cluster *cluster)
{
    emu_mark(cluster->cta->m, COMMON_LEAVING, cluster->cta->number, 1, false);
    cluster_complete(cluster);
}

EXEC(cluster_arrive)
{
    struct emu_cluster *c = w->cta->cluster;
    enum emu_step step;
    emu_mark(w->m, COMMON_CLUSTER, c->first_id, 0, true);
    emu_mark(w->m, COMMON_LEAVING, c->cta->number, 1, true);
    if (!emu_together(w, in, 0, &step)) return step;
    if (w->cluster_arrived != w->cluster_waited)
        return emu_fault(TMAP_EMULATE_BARRIER, w, in, (uint32_t)emu_lane(mask), 0,
                         "barrier.cluster.arrive twice without a wait");
    (in->count ? emu_release_fenced : emu_release)(w, c->gather);
    NOTE(w, in, .op = ACT_MEET_CLUSTER);
    w->cluster_arrived++;
    w->cluster_generation = c->generation;
    c->arrived += LANES;
    cluster_complete(c);
    return EMU_NEXT;
}

EXEC(cluster_wait)
{
    struct emu_cluster *c = w->cta->cluster;
    enum emu_step step;
    emu_mark(w->m, COMMON_CLUSTER, c->first_id, 0, false);
    if (!emu_together(w, in, 0, &step)) return step;
    if (w->cluster_arrived == w->cluster_waited)
        return emu_fault(TMAP_EMULATE_BARRIER, w, in, (uint32_t)emu_lane(mask), 0,
                         "barrier.cluster.wait without an arrive");
    if (c->generation == w->cluster_generation)
        return emu_watch_for(w, WAIT_CLUSTER, 0, 0, &c->generation);
    NOTE(w, in, .op = ACT_MEET_CLUSTER, .value = 1);
    w->cluster_waited++;
    emu_acquire(w, c->done);
    return EMU_NEXT;
}

bool decode_barrier_cluster(struct decoder *d)
{
    const bool arrives = dec_has(d, "arrive");
    if (!arrives && !dec_has(d, "wait")) return dec_fail(d, "'%s'", d->inst->op);
    d->out->exec = arrives ? cluster_arrive : cluster_wait;
    d->out->count = dec_has(d, "relaxed");
    dec_one_of(d, "release|acquire");
    d->out->aligned = dec_has(d, "aligned");
    return true;
}

// --- fences

EXEC(fence)
{
    (void)mask;
    emu_fence(w);
    if (in->count & 1) emu_fence_async(w);
    if (in->count & 2) emu_barriers_fenced(w);
    if (in->count) NOTE(w, in, .op = in->count & 1 ? ACT_FENCE : ACT_FENCE_INIT);
    return EMU_NEXT;
}

bool decode_membar(struct decoder *d)
{
    d->out->exec = fence;
    return dec_one_of(d, "cta|gl|sys") >= 0;
}

// fence.proxy.*, fence.mbarrier_init, fence.sc and the like.
bool decode_fence(struct decoder *d)
{
    uint32_t length;
    d->out->exec = fence;
    if (dec_has(d, "mbarrier_init")) {
        d->out->count = 2;
        return dec_has(d, "release") && dec_has(d, "cluster");
    }
    if (dec_has(d, "proxy")) {
        if (dec_has(d, "async")) {
            d->out->count = 3;
            dec_space(d);
            return true;
        }
        if (dec_has(d, "tensormap::generic")) return dec_fence_tensormap(d);
        if (dec_has(d, "async::generic")) {
            d->out->count = 3;
            dec_one_of(d, "acquire|release");
            dec_begins(d, "sync_restrict::", &length);
            dec_has(d, "cluster");
            return true;
        }
        return dec_has(d, "alias");
    }
    if (dec_one_of(d, "sc|acq_rel|acquire|release") < 0) return dec_fail(d, "'%s'", d->inst->op);
    dec_begins(d, "sync_restrict::", &length);
    return dec_one_of(d, "cta|cluster|gpu|sys") >= 0;
}

// --- registers given back and taken

EXEC(set_registers)
{
    enum emu_step step;
    (void)mask;
    return emu_together(w, in, 0, &step) ? EMU_NEXT : step;
}

bool decode_setmaxnreg(struct decoder *d)
{
    int64_t registers;
    if (dec_one_of(d, "inc|dec") < 0 || !dec_has(d, "sync") || !dec_has(d, "aligned") ||
        !dec_has(d, "u32") || !dec_immediate(d, &registers))
        return false;
    d->out->exec = set_registers;
    if (registers < 24 || registers > 0x100 || registers % 8)
        return dec_fail(d, "setmaxnreg of %lld registers", (long long)registers);
    return true;
}

// --- the grid before

EXEC(grid_wait)
{
    (void)in, (void)mask;
    emu_observe_grid(w);
    return EMU_NEXT;
}
EXEC(launch_dependents)
{
    (void)in, (void)mask;
    w->m->result.counts.dependents++;
    return EMU_NEXT;
}

bool decode_griddepcontrol(struct decoder *d)
{
    d->out->exec = dec_has(d, "wait") ? grid_wait : launch_dependents;
    return d->out->exec == grid_wait || dec_has(d, "launch_dependents");
}
