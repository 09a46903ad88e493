// What a warp's tcgen05 knows of other threads' (PTX ISA, "tcgen05 memory consistency model"): what
// was ordered before its last fence::after_thread_sync; and others know of its loads and stores
// those that a wait and then a fence::before_thread_sync follow. Compilers leave the fences out
// where a chip orders more than that, so a launch asks for them (tensor_fences). A load's registers
// hold nothing until tcgen05.wait::ld, and who reads one before is told; where loads are early they
// are filled at once, and this is told where the fences are asked for.
#include "emulate/protocol/record.h"
#include "emulate/tensor/tcgen05.h"

#include <stdlib.h>
#include <string.h>

struct late { // a register of a load that nobody has waited for
    emu_at at;
    const struct emu_insn *load;
    bool filled;
    uint32_t value[LANES];
};

struct tensor_thread {
    struct emu_clock fenced;
    uint32_t now, waited; // epochs of the loads and stores
    bool loads, stores;   // not waited for
    struct late *late;
    uint32_t lates, room;
};

// NULL before there is tensor memory: then nobody has touched any; and without memory.
static struct tensor_thread *tensor_thread(struct emu_warp *w)
{
    struct emu_tmem *t = w->cta->tmem;
    if (!t) return NULL;
    if (!t->thread) t->thread = calloc(w->cta->warps, sizeof *t->thread);
    if (!t->thread) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, NULL;
    return &t->thread[w->index];
}

void tensor_threads_free(const struct emu_machine *m, struct tensor_thread *t, uint32_t warps)
{
    for (uint32_t i = 0; t && i < warps; i++) {
        emu_clock_free(m, &t[i].fenced);
        free(t[i].late);
    }
    free(t);
}

static uint32_t own(const struct emu_warp *w, enum emu_agent_kind kind)
{
    return emu_agent(w->cta, kind, w->index);
}

static bool strict(const struct emu_warp *w)
{
    return w->m->launch->tensor_fences && w->clock;
}

struct emu_actor tensor_actor(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                              bool store)
{
    struct emu_actor a = emu_actor_of(w, in, lane);
    struct tensor_thread *t = tensor_thread(w);
    if (!t || !strict(w)) return a;
    if (store)
        t->stores = true;
    else
        t->loads = true;
    emu_clock_learn(w->m, &t->fenced, own(w, AGENT_TENSOR),
                    emu_clock_seen_of(w, own(w, AGENT_TENSOR)));
    a.agent = own(w, AGENT_CELLS);
    a.now = t->now + 1;
    a.clock = &t->fenced;
    a.fences = true;
    return a;
}

void tensor_issue_clock(struct emu_warp *w, struct emu_clock *out)
{
    struct tensor_thread *t = tensor_thread(w);
    if (!t || !strict(w)) {
        *out = emu_snapshot(w);
        return;
    }
    emu_clock_join(w->m, out, &t->fenced);
    emu_clock_learn(w->m, out, own(w, AGENT_CELLS), t->waited);
}

EXEC(after)
{
    struct tensor_thread *t = tensor_thread(w);
    (void)in, (void)mask;
    if (t && strict(w)) emu_clock_join(w->m, &t->fenced, w->clock);
    return EMU_NEXT;
}

EXEC(before)
{
    struct tensor_thread *t = tensor_thread(w);
    (void)in, (void)mask;
    if (t && strict(w)) emu_observe(w, own(w, AGENT_CELLS), t->waited);
    return EMU_NEXT;
}

EXEC(wait)
{
    struct tensor_thread *t = tensor_thread(w);
    enum emu_step step;
    (void)mask;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (!t) return EMU_NEXT;
    if (in->count) {
        t->stores = false;
    } else {
        t->loads = false;
        for (uint32_t i = 0; i < t->lates; i++)
            if (!t->late[i].filled)
                memcpy(emu_u32(w, t->late[i].at), t->late[i].value, sizeof t->late[i].value);
        t->lates = 0;
        w->late = NULL;
    }
    if (!t->loads && !t->stores) t->waited = ++t->now;
    if (!in->count) NOTE(w, in, .op = ACT_FETCHED);
    return EMU_NEXT;
}

static void tell_of_read(struct emu_warp *w, const struct emu_insn *in, const struct late *late)
{
    char mine[160], theirs[160];
    if (!emu_first_time(w->m, TMAP_EMULATE_RACE, in, late->load)) return;
    emu_find_report(w->m, TMAP_EMULATE_RACE, w, in, 0, 0,
                    "%s reads a register of %s: no tcgen05.wait::ld lies between them",
                    emu_place(w->m, in, mine, sizeof mine),
                    emu_place(w->m, late->load, theirs, sizeof theirs));
}

static void read_late(struct emu_warp *w, const struct emu_insn *in)
{
    const struct tensor_thread *t = &w->cta->tmem->thread[w->index];
    for (uint32_t r = 0; r < in->reads; r++)
        for (uint32_t i = 0; i < t->lates; i++)
            if (t->late[i].at == in->read[r]) {
                tell_of_read(w, in, &t->late[i]);
                return;
            }
}

bool tensor_load_late(struct emu_warp *w, const struct emu_insn *in, emu_at at,
                      const uint32_t value[LANES])
{
    struct tensor_thread *t = tensor_thread(w);
    const bool early = w->m->launch->schedule == TMAP_EMULATE_EARLIEST;
    if (!t) return false;
    if (early) {
        memcpy(emu_u32(w, at), value, LANES * sizeof *value);
        if (!w->m->launch->tensor_fences) return true;
    }
    if (t->lates == t->room) {
        const uint32_t room = t->room ? 2 * t->room : 32;
        struct late *larger = realloc(t->late, room * sizeof *larger);
        if (!larger) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, false;
        t->late = larger;
        t->room = room;
    }
    struct late *late = &t->late[t->lates++];
    *late = (struct late){.at = at, .load = in, .filled = early};
    memcpy(late->value, value, LANES * sizeof *value);
    if (!early) memset(emu_u32(w, at), 0xff, LANES * sizeof *value);
    w->late = read_late;
    return true;
}

bool decode_tcgen05_after(struct decoder *d)
{
    d->out->exec = after;
    return true;
}

bool decode_tcgen05_before(struct decoder *d)
{
    d->out->exec = before;
    return true;
}

static bool wait_of(struct decoder *d, bool stores)
{
    d->out->exec = wait;
    d->out->count = stores;
    return dec_aligned(d);
}

bool decode_tcgen05_wait_ld(struct decoder *d)
{
    return wait_of(d, false);
}
bool decode_tcgen05_wait_st(struct decoder *d)
{
    return wait_of(d, true);
}
