// Operations on their way: in which order, and at which moment, as the schedule says.
#include "emulate/async/async.h"
#include "emulate/machine/footprint.h"

#include <stdlib.h>
#include <string.h>

static void tell(const struct emu_machine *m, const struct emu_op *op)
{
    if (!m->watch.event) return;
    const struct tmap_emulate_event e = {.kind = op->class == OP_TENSOR ? TMAP_EMULATE_MULTIPLY
                                                                        : TMAP_EMULATE_COPY,
                                         .cta = op->cta->number,
                                         .warp = op->warp->index,
                                         .line = op->in->line,
                                         .begin = op->issued,
                                         .end = m->executed,
                                         .what = op->in->name};
    m->watch.event(m->watch.self, &e);
}

static void finish(struct emu_machine *m, struct emu_op *op)
{
    tell(m, op);
    op->drop(op);
    emu_clock_free(m, &op->clock);
    emu_something(op->cta->cluster);
}

static bool push(struct emu_machine *m, const struct emu_op *op)
{
    if (m->ops == m->op_room) {
        const uint32_t room = m->op_room ? 2 * m->op_room : 64;
        struct emu_op **larger = realloc(m->op, room * sizeof *larger);
        if (!larger) return false;
        m->op = larger;
        m->op_room = room;
    }
    struct emu_op *copy = malloc(sizeof *copy);
    if (!copy) return false;
    *copy = *op;
    m->op[m->ops++] = copy;
    return true;
}

enum emu_step emu_issue(struct emu_warp *w, const struct emu_op *op)
{
    struct emu_machine *m = w->m;
    struct emu_op now = *op;
    now.warp = w;
    now.cta = w->cta;
    now.serial = ++m->op_serial;
    now.issued = m->executed;
    now.ordinal = ++w->issues;
    emu_mark(m, COMMON_OPS, w->cta->number, w->index, true);
    if (op->queue) emu_mark(m, COMMON_QUEUE, 0, op->queue, true);
    now.clock = emu_snapshot(w);
    if (m->launch->schedule == TMAP_EMULATE_EARLIEST) { // nothing is ever under way
        while (!now.run(m, &now) && !m->stop) continue;
        finish(m, &now);
        return m->stop ? EMU_STOP : EMU_NEXT;
    }
    if (!push(m, &now)) {
        now.drop(&now);
        emu_clock_free(m, &now.clock);
        m->status = TMAP_E_MEMORY;
        m->stop = true;
        return EMU_STOP;
    }
    return EMU_NEXT;
}

static bool goes_before(const struct emu_op *a, const struct emu_op *op)
{
    if (op->queue) return a->queue == op->queue;
    return a->warp == op->warp && a->lane == op->lane && a->class == op->class;
}

// The oldest of the same queue goes first, and of the same lane before what comes after all of
// those.
static uint32_t oldest(const struct emu_machine *m, uint32_t n)
{
    uint32_t best = n;
    if (m->op[n]->queue == 0 && !m->op[n]->after_lane) return n;
    for (uint32_t i = 0; i < m->ops; i++)
        if (goes_before(m->op[i], m->op[n]) && m->op[i]->serial < m->op[best]->serial) best = i;
    return best;
}

static void step_op(struct emu_machine *m, uint32_t n)
{
    struct emu_op *op = m->op[n];
    emu_mark(m, COMMON_OPS, op->cta->number, op->warp->index, true);
    if (m->trail) m->trail->moved = true;
    if (op->queue) emu_mark(m, COMMON_QUEUE, 0, op->queue, true);
    const bool last = op->run(m, op);
    op->warp->steps++;
    op->cta->tensor_steps += op->class == OP_TENSOR;
    if (!last) {
        emu_something(op->cta->cluster); // what it has read may be waited for
        return;
    }
    m->op[n] = m->op[--m->ops];
    finish(m, op);
    free(op);
}

// Latest, and chosen where warps only poll: the newest goes first, so that an order of issue that
// nobody asked for is not kept.
void emu_run_op(struct emu_machine *m)
{
    uint32_t n = 0;
    if (m->launch->schedule == TMAP_EMULATE_RANDOM) {
        n = emu_random(m, m->ops);
    } else {
        for (uint32_t i = 1; i < m->ops; i++)
            if (m->op[i]->serial > m->op[n]->serial) n = i;
    }
    step_op(m, oldest(m, n));
}

uint32_t emu_op_options(const struct emu_machine *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->ops; i++) n += oldest(m, i) == i;
    return n;
}

void emu_run_op_option(struct emu_machine *m, uint32_t n)
{
    uint32_t i = 0;
    while (oldest(m, i) != i || n-- > 0) i++; // n is less than emu_op_options()
    step_op(m, i);
}

// A warp's operations are numbered as it issues them, whatever others do.
void emu_name_ops(const struct emu_machine *m, uint64_t *name)
{
    for (uint32_t i = 0; i < m->ops; i++) {
        const struct emu_op *op = m->op[i];
        if (oldest(m, i) == i)
            *name++ = UINT64_C(1) << 63 | emu_warp_name(op->warp) << 32 |
                      (uint64_t)(op->ordinal & 0xffffff) << 8 | (op->stage & 0xff);
    }
}

bool emu_pending(const struct emu_warp *w, enum emu_op_class class, uint32_t lane, int64_t last,
                 bool reading)
{
    emu_mark(w->m, COMMON_OPS, w->cta->number, w->index, false);
    for (uint32_t i = 0; i < w->m->ops; i++) {
        const struct emu_op *op = w->m->op[i];
        if (op->warp == w && op->class == class && (lane == UINT32_MAX || op->lane == lane) &&
            (int64_t)op->group <= last && !(reading && op->has_read))
            return true;
    }
    return false;
}

// What a cluster leaves behind still happens; its own shared memory is gone then.
void emu_end_cluster(struct emu_machine *m, struct emu_cluster *cluster)
{
    for (uint32_t i = 0; i < m->ops && !m->stop;) {
        if (m->op[i]->cta->cluster != cluster) {
            i++;
            continue;
        }
        step_op(m, oldest(m, i));
        i = 0;
    }
}

// A CTA that leaves while the copy engine still reads or writes its shared memory.
void emu_cta_left(struct emu_cta *cta)
{
    struct emu_machine *m = cta->m;
    char place[160];
    emu_mark(m, COMMON_DONE, cta->number, 0, true);
    for (uint32_t i = 0; i < cta->warps; i++) emu_mark(m, COMMON_OPS, cta->number, i, true);
    if (m->next_cluster < m->cluster_count) emu_trail_everything(m);
    cta->done = true;
    cta->cluster->live_ctas--;
    if (cta->tmem_left) cta->tmem_left(cta);
    for (uint32_t i = 0; i < m->ops; i++) {
        const struct emu_op *op = m->op[i];
        if (op->cta != cta || op->has_read || op->class == OP_TENSOR) continue;
        if (!emu_first_time(m, TMAP_EMULATE_LEAK, op->in, NULL)) continue;
        emu_find_report(m, TMAP_EMULATE_LEAK, op->warp, op->in, op->lane, 0,
                        "%s: the CTA leaves before this copy has %s its shared memory",
                        emu_place(m, op->in, place, sizeof place),
                        op->class == OP_BULK ? "read" : "written");
    }
    emu_something(cta->cluster);
}

void emu_warp_left(struct emu_warp *w)
{
    w->cta->live_warps--;
    w->cta->tensor_steps++;
    emu_named_left(w->cta);
    emu_cluster_left(w->cta->cluster);
    if (w->cta->live_warps == 0) emu_cta_left(w->cta);
    emu_something(w->cta->cluster);
}
