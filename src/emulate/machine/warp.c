// One warp: its lanes at their places, which of them go next, one instruction after another.
#include "emulate/async/async.h"
#include "emulate/machine/footprint.h"

#include <string.h>

static bool ready(const struct emu_warp *w, const struct emu_split *s)
{
    if (s->blocked_at == w->cta->cluster->events) return false;
    return s->blocked_at == UINT64_MAX || !s->watch || *s->watch != s->watched;
}

bool emu_warp_ready(const struct emu_warp *w)
{
    for (uint32_t i = 0; i < w->splits; i++)
        if (ready(w, &w->split[i])) return true;
    return false;
}

bool emu_unwatch(struct emu_warp *w)
{
    for (uint32_t i = 0; i < w->splits; i++) w->split[i].watch = NULL;
    return w->live && emu_warp_ready(w);
}

static bool same_place(const struct emu_split *a, const struct emu_split *b)
{
    return a->pc == b->pc && a->stage == b->stage && a->calls == b->calls &&
           memcmp(a->back, b->back, a->calls * sizeof *a->back) == 0;
}

// Lanes that meet go on together.
static void merge(struct emu_warp *w)
{
    for (uint32_t i = 0; i < w->splits; i++)
        for (uint32_t j = i + 1; j < w->splits;) {
            struct emu_split *a = &w->split[i], *b = &w->split[j];
            if (!same_place(a, b) || a->stage) {
                j++;
                continue;
            }
            a->mask |= b->mask;
            a->blocked_at = UINT64_MAX;
            *b = w->split[--w->splits];
            if (w->at == w->splits) w->at = j;
        }
}

// The lanes that are furthest behind, so that they catch up; at random now and then. Lanes that
// have just polled let others go first.
static bool choose(struct emu_warp *w, uint32_t polled)
{
    uint32_t best = UINT32_MAX;
    if (w->splits > 1) merge(w);
    for (uint32_t i = 0; i < w->splits; i++) {
        if (!ready(w, &w->split[i]) || (i == polled && w->splits > 1)) continue;
        if (best == UINT32_MAX || w->split[i].pc < w->split[best].pc ||
            (w->m->launch->schedule == TMAP_EMULATE_RANDOM && emu_random(w->m, 16) == 0))
            best = i;
    }
    if (best == UINT32_MAX && polled < w->splits) best = polled; // it can go on, or it is elsewhere
    if (best == UINT32_MAX) return false;
    w->at = best;
    w->split[best].blocked_at = UINT64_MAX;
    return true;
}

enum emu_step emu_wait_for(struct emu_warp *w, enum emu_wait what, uint64_t which, uint64_t value)
{
    struct emu_split *s = emu_here(w);
    s->wait = what;
    s->wait_for = which;
    s->wait_value = value;
    s->watch = NULL;
    return EMU_WAIT;
}

enum emu_step emu_watch_for(struct emu_warp *w, enum emu_wait what, uint64_t which, uint64_t value,
                            const uint32_t *watch)
{
    emu_wait_for(w, what, which, value);
    emu_here(w)->watch = watch;
    emu_here(w)->watched = *watch;
    return EMU_WAIT;
}

static uint32_t guarded(const struct emu_warp *w, const struct emu_insn *in, uint32_t mask)
{
    if (in->guard == EMU_ALWAYS) return mask;
    const uint32_t p = emu_pred(w, in->guard);
    return mask & (in->guard_not ? ~p : p);
}

// What waits and is tried again is counted once, when it is done.
static void count(struct emu_machine *m, uint32_t mask)
{
    m->result.counts.warp_instructions++;
    m->result.counts.thread_instructions += (uint32_t)__builtin_popcount(mask);
}

static void run_turn(struct emu_warp *w, uint32_t quantum)
{
    struct emu_machine *m = w->m;
    const struct emu_insn *code = m->module->code;
    uint32_t polled = UINT32_MAX;
    bool again = choose(w, polled);
    while (again && quantum-- > 0 && !m->stop) {
        struct emu_split *s = emu_here(w);
        const struct emu_insn *in = &code[s->pc];
        const uint32_t mask = guarded(w, in, s->mask);
        const uint32_t pc = s->pc;
        m->executed++;
        m->quiet++;
        w->ran++;
        if (w->late && mask) w->late(w, in);
        const enum emu_step step = mask ? in->exec(w, in, mask) : EMU_NEXT;
        if (step != EMU_WAIT && step != EMU_LATER) count(m, mask);
        emu_trail_step(m, pc, step);
        polled = UINT32_MAX;
        if (step == EMU_NEXT) {
            s->pc++;
            if (w->splits == 1) continue;
        } else if (step == EMU_YIELD || step == EMU_LATER) {
            s->pc += step == EMU_YIELD;
            polled = w->at;
            w->polled = m->executed;
            quantum = quantum > 8 ? 8 : quantum;
        } else if (step == EMU_WAIT) {
            s->blocked_at = w->cta->cluster->events;
        } else if (step == EMU_STOP) {
            return;
        }
        again = choose(w, polled);
    }
}

static void tell(const struct emu_warp *w, uint64_t begin)
{
    const struct emu_machine *m = w->m;
    const uint32_t pc = w->split[w->at].pc, last = m->module->code_count - 1;
    const struct emu_insn *in = &m->module->code[pc < last ? pc : last];
    const struct tmap_emulate_event e = {.kind = TMAP_EMULATE_TURN,
                                         .cta = w->cta->number,
                                         .warp = w->index,
                                         .line = in->line,
                                         .begin = begin,
                                         .end = m->executed,
                                         .what = in->name,
                                         .waits = w->live && !emu_warp_ready(w)};
    m->watch.event(m->watch.self, &e);
}

void emu_run_warp(struct emu_warp *w, uint32_t quantum)
{
    const uint64_t begin = w->m->executed;
    run_turn(w, quantum);
    if (w->m->watch.event) tell(w, begin);
}
