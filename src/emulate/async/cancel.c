// clusterlaunchcontrol: a cluster asks for the work of one that has not been launched, and so never
// will be (PTX ISA 8.6). The answer's 16 bytes are opaque: here the first CTA's x, y, z, and 1.
#include "emulate/async/async.h"
#include "emulate/ops/ops.h"
#include "emulate/protocol/record.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWER_BYTES = 16, ANSWER_WORDS = 4 };

struct cancel_insn {
    struct emu_place to, barrier;
    bool multicast;
};

struct cancel_call {
    uint64_t to, barrier;
    uint32_t answer[ANSWER_WORDS];
};

// The next cluster that would be launched is not.
static void take_cluster(struct emu_machine *m, uint32_t answer[ANSWER_WORDS])
{
    const uint32_t *d = m->cluster_dim;
    const uint32_t per[2] = {m->grid[0] / d[0], m->grid[1] / d[1]};
    if (m->next_cluster == m->cluster_count) return;
    const uint32_t number = m->next_cluster++;
    const uint32_t at[3] = {number % per[0], number / per[0] % per[1], number / per[0] / per[1]};
    for (int i = 0; i < 3; i++) answer[i] = at[i] * d[i];
    answer[3] = 1;
}

static uint64_t in_cta(uint64_t generic, uint32_t rank)
{
    return (generic & ~(0xffull << EMU_RANK_SHIFT)) | (uint64_t)rank << EMU_RANK_SHIFT;
}

// The bytes and the barrier of one CTA.
static bool answer_cta(struct emu_machine *m, struct emu_op *op, const struct cancel_call *c,
                       uint64_t to, uint64_t barrier)
{
    struct emu_cta *cta, *told;
    struct emu_region *region;
    uint8_t *at = emu_find(m, op->cta->cluster, to, ANSWER_BYTES, &cta, &region);
    if (!at || to % ANSWER_BYTES) // an address of shared memory
        return emu_fault(TMAP_EMULATE_ACCESS, op->warp, op->in, op->lane, to,
                         "an answer of 16 bytes at 0x%llx: not in shared memory, or misaligned",
                         (unsigned long long)to),
               false;
    struct emu_mbarrier *b = emu_barrier(op->warp, op->in, op->lane, barrier, &told);
    if (!b) return false;
    emu_barrier_used(op->warp, op->in, op->lane, b);
    const struct emu_actor actor = {.agent = b->agent,
                                    .now = b->phase + 1,
                                    .proxy = PROXY_ASYNC,
                                    .clock = &op->clock,
                                    .warp = op->warp,
                                    .in = op->in,
                                    .lane = op->lane};
    emu_touch(m, &actor, cta, NULL, (uint64_t)(at - cta->smem), ANSWER_BYTES, EMU_WRITE);
    memcpy(at, c->answer, ANSWER_BYTES);
    NOTE(op->warp, op->in, .op = ACT_LOAD, .cta = (uint8_t)cta->rank,
         .at = (uint32_t)(at - cta->smem), .bytes = ANSWER_BYTES,
         .barrier_cta = (uint8_t)told->rank, .barrier = b->offset, .value = ANSWER_BYTES);
    emu_release_epoch(m, b->agent, b->phase + 1, b->gather);
    emu_barrier_complete(op->warp, op->in, op->lane, told, b, ANSWER_BYTES);
    return true;
}

static bool run_cancel(struct emu_machine *m, struct emu_op *op)
{
    const struct cancel_insn *i = op->in->more;
    struct cancel_call *c = op->data;
    take_cluster(m, c->answer);
    if (!i->multicast) {
        answer_cta(m, op, c, c->to, c->barrier);
        return true;
    }
    for (uint32_t rank = 0; rank < op->cta->cluster->ctas; rank++)
        if (!answer_cta(m, op, c, in_cta(c->to, rank), in_cta(c->barrier, rank))) break;
    return true;
}

static void drop(struct emu_op *op)
{
    free(op->data);
}

EXEC(try_cancel)
{
    const struct cancel_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct cancel_call *c = calloc(1, sizeof *c);
        if (!c) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        c->to = emu_place_at(w, &i->to, l);
        c->barrier = emu_place_at(w, &i->barrier, l);
        w->m->result.basis = TMAP_INFERRED;
        const struct emu_op op = {
            .run = run_cancel, .drop = drop, .class = OP_LOAD, .in = in, .lane = l, .data = c};
        const enum emu_step step = emu_issue(w, &op);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

bool decode_try_cancel(struct decoder *d)
{
    struct cancel_insn *i = dec_alloc(d, sizeof *i);
    if (!i || !dec_has(d, "async")) return false;
    dec_space(d);
    i->multicast = dec_has(d, "multicast::cluster::all");
    d->out->exec = try_cancel;
    d->out->more = i;
    return dec_has(d, "mbarrier::complete_tx::bytes") && dec_has(d, "b128") &&
           dec_place(d, dec_operand(d), PTX_SHARED, &i->to) &&
           dec_place(d, dec_operand(d), PTX_SHARED, &i->barrier);
}

static const uint32_t *answer_of(const struct emu_warp *w, emu_at at, uint32_t l)
{
    return (const uint32_t *)emu_lanes(w, at) + ANSWER_WORDS * l;
}

EXEC(is_canceled)
{
    uint32_t yes = 0;
    EACH_LANE(l, mask) yes |= (answer_of(w, in->a, l)[3] & 1) << l;
    emu_set_pred(w, in->d, mask, yes);
    return EMU_NEXT;
}

// in->count: the first coordinate that is asked for. Of a request that failed it is not defined
// (PTX ISA, clusterlaunchcontrol.query_cancel): no CTA of any grid. The run goes on, as compilers
// ask before they know and forget the answer (CUTLASS's Python DSL).
EXEC(first_ctaid)
{
    EACH_LANE(l, mask)
    {
        const uint32_t *answer = answer_of(w, in->a, l);
        const bool yes = answer[3] & 1;
        if (!yes && emu_first_time(w->m, TMAP_EMULATE_ILLEGAL, in, in))
            emu_find_report(w->m, TMAP_EMULATE_ILLEGAL, w, in, l, 0,
                            "the first CTA of a cluster that was not cancelled");
        for (uint32_t i = 0; i < in->lists && in->count + i < 3; i++)
            emu_u32(w, in->list[i])[l] = yes ? answer[in->count + i] : UINT32_MAX;
    }
    return EMU_NEXT;
}

bool decode_query_cancel(struct decoder *d)
{
    const struct ptx_operand *out;
    if (dec_has(d, "is_canceled")) {
        d->out->exec = is_canceled;
        return dec_has(d, "pred") && dec_has(d, "b128") && dec_dest(d, 1, &d->out->d) &&
               dec_source(d, PTX_B128, &d->out->a);
    }
    const int which =
        dec_one_of(d, "get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z|get_first_ctaid");
    if (which < 0) return dec_fail(d, "'%s'", d->inst->op);
    if (which == 3) dec_has(d, "v4");
    d->out->exec = first_ctaid;
    d->out->count = (uint8_t)(which == 3 ? 0 : which);
    return dec_has(d, "b32") && dec_has(d, "b128") && (out = dec_operand(d)) &&
           dec_list(d, out, PTX_B32, true) && dec_source(d, PTX_B128, &d->out->a);
}
