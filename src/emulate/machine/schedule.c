// Whose turn it is: warps and what is asynchronous, after the schedule that was asked for.
#include "emulate/async/async.h"
#include "emulate/machine/footprint.h"
#include "emulate/machine/quiet.h"

#include <stdio.h>
#include <stdlib.h>

enum { QUANTUM = 256, QUIET_LIMIT = 4000000, OP_PATIENCE = 512, WARP_PATIENCE = 16 };
enum { WHOLE = 1 << 16, TOLD_EVERY = 0x100000 }; // a turn of a chosen schedule; of progress

static bool next_cluster(struct emu_machine *m, uint32_t slot)
{
    if (m->next_cluster == m->cluster_count) return false;
    return emu_make_cluster(m, slot);
}

// A cluster whose CTAs have all left makes room for the next one.
static void replace_finished(struct emu_machine *m)
{
    for (uint32_t i = 0; i < m->clusters; i++) {
        struct emu_cluster *c = m->cluster[i];
        if (!c || c->live_ctas) continue;
        emu_end_cluster(m, c);
        if (m->stop) return; // operations that are left still name it
        emu_free_cluster(c);
        m->cluster[i] = NULL;
        next_cluster(m, i);
    }
}

// A warp of a place that may be empty: NULL where it cannot go on.
static struct emu_warp *ready_of(const struct emu_cluster *c, uint32_t cta, uint32_t warp)
{
    if (!c) return NULL;
    struct emu_warp *w = &c->cta[cta].warp[warp];
    return w->live && emu_warp_ready(w) ? w : NULL;
}

static struct emu_warp *pick(struct emu_machine *m, uint32_t *turn)
{
    const uint32_t per_cta = m->warps, per_cluster = m->cluster_dim[0] * m->cluster_dim[1] *
                                                     m->cluster_dim[2] * per_cta;
    const uint32_t all = m->clusters * per_cluster;
    const bool random = m->launch->schedule == TMAP_EMULATE_RANDOM;
    const uint32_t start = random ? emu_random(m, all) : (*turn + 1) % all;
    uint32_t cluster = start / per_cluster, cta = start % per_cluster / per_cta;
    uint32_t warp = start % per_cta;
    for (uint32_t i = 0; i < all; i++) {
        struct emu_warp *w = ready_of(m->cluster[cluster], cta, warp);
        if (w) {
            *turn = (start + i) % all;
            return w;
        }
        if (++warp < per_cta) continue; // a division for each warp takes longer than the rest
        warp = 0;
        if (++cta * per_cta < per_cluster) continue;
        cta = 0;
        if (++cluster == m->clusters) cluster = 0;
    }
    return NULL;
}

static bool some_left(const struct emu_machine *m)
{
    for (uint32_t i = 0; i < m->clusters; i++)
        if (m->cluster[i]) return true;
    return false;
}

// A chosen schedule: every decision among the warps that can go on and the operations under way.
static uint32_t decide(struct emu_machine *m, uint32_t options)
{
    const struct tmap_emulate_watch *w = &m->watch;
    const size_t n = m->decisions++;
    if (n < w->option_room) w->options[n] = options;
    if (w->decided) *w->decided = m->decisions;
    const uint32_t choice = n < w->choices ? w->choice[n] : 0;
    return choice < options ? choice : 0;
}

static uint32_t all_warps(const struct emu_machine *m)
{
    const uint32_t *d = m->cluster_dim;
    return m->clusters * d[0] * d[1] * d[2] * m->warps;
}

static struct emu_warp *ready_warp(const struct emu_machine *m, uint32_t n)
{
    const uint32_t per_cluster = all_warps(m) / m->clusters;
    return ready_of(m->cluster[n / per_cluster], n % per_cluster / m->warps, n % m->warps);
}

// The options' names, in the order of their numbers.
static bool name_options(struct emu_machine *m, uint32_t turn, uint32_t all, uint32_t options)
{
    struct emu_trail *t = m->trail;
    uint32_t n = 0;
    if (options > t->names) {
        uint64_t *larger = realloc(t->name, options * sizeof *larger);
        if (!larger) return m->status = TMAP_E_MEMORY, m->stop = true, false;
        t->name = larger;
        t->names = options;
    }
    for (uint32_t i = 1; i <= all; i++) {
        const struct emu_warp *w = ready_warp(m, (turn + i) % all);
        if (w) t->name[n++] = emu_warp_name(w);
    }
    emu_name_ops(m, t->name + n);
    return true;
}

static uint32_t ask(struct emu_machine *m, uint32_t turn, uint32_t all, uint32_t options)
{
    struct emu_trail *t = m->trail;
    if (!name_options(m, turn, all, options)) return 0;
    t->touched.nothing = !t->moved;
    for (uint32_t i = 0; i < TMAP_EMULATE_TOUCHED; i++)
        t->touched.nothing &= t->touched.written[i] == 0;
    const uint32_t choice =
        m->watch.choose(m->watch.self, t->name, options, t->began ? &t->touched : NULL);
    t->began = true;
    if (choice >= options) m->stop = true;
    emu_trail_begin(m);
    return choice;
}

// NULL: an operation has been run, or nobody can go on (then *hangs).
static struct emu_warp *chosen(struct emu_machine *m, uint32_t *turn, bool *hangs)
{
    const uint32_t all = all_warps(m);
    uint32_t ready = 0;
    for (uint32_t i = 0; i < all; i++) ready += ready_warp(m, i) != NULL;
    const uint32_t options = ready + emu_op_options(m);
    *hangs = options == 0;
    uint32_t choice = m->trail && options ? ask(m, *turn, all, options)
                      : options > 1       ? decide(m, options)
                                          : 0;
    if (m->stop) return NULL;
    if (choice >= ready) {
        if (options) emu_run_op_option(m, choice - ready);
        return NULL;
    }
    for (uint32_t i = 1;; i++) {
        const uint32_t n = (*turn + i) % all;
        struct emu_warp *w = ready_warp(m, n);
        if (!w || choice-- > 0) continue;
        *turn = n;
        return w;
    }
}

static void tell_progress(struct emu_machine *m)
{
    if (!m->watch.progress || m->executed - m->told < TOLD_EVERY) return;
    m->told = m->executed;
    uint32_t resident = 0;
    for (uint32_t i = 0; i < m->clusters; i++) resident += m->cluster[i] != NULL;
    m->watch.progress(m->watch.self, &m->result.counts, m->next_cluster - resident,
                      m->cluster_count);
}

// What is asynchronous gets its turn: sometimes when it is random, else when the warps do nothing
// but wait or poll.
static void engines(struct emu_machine *m)
{
    if (m->ops == 0) return;
    const uint64_t round = (uint64_t)m->clusters * m->cluster_dim[0] * m->cluster_dim[1] *
                           m->cluster_dim[2] * m->warps * WARP_PATIENCE;
    const bool due = m->launch->schedule == TMAP_EMULATE_RANDOM ? emu_random(m, 4) == 0
                                                                : m->quiet > OP_PATIENCE + round;
    if (due) emu_run_op(m);
}

static bool spent(struct emu_machine *m, const struct emu_warp *w)
{
    if (m->quiet > QUIET_LIMIT && emu_hangs(m))
        emu_report_hang(m); // engines() leaves no operation this long
    if (m->executed <= m->budget || m->stop) return m->stop;
    m->stop = true;
    emu_find_report(m, TMAP_EMULATE_BUDGET, w, NULL, 0, 0,
                    "the budget of %llu warp instructions is spent", (unsigned long long)m->budget);
    return true;
}

// Nobody can go on; but what a warp watches is not all that may end its wait (an mbarrier that was
// overwritten is a fault): all look once more.
static bool look_again(struct emu_machine *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->clusters; i++)
        for (uint32_t k = 0; m->cluster[i] && k < m->cluster[i]->ctas; k++)
            for (uint32_t j = 0; j < m->warps; j++)
                any |= emu_unwatch(&m->cluster[i]->cta[k].warp[j]);
    return any;
}

// One turn of a warp, or of what is asynchronous; false: nobody can go on.
static bool one_turn(struct emu_machine *m, uint32_t *turn, struct emu_warp **w)
{
    const enum tmap_emulate_schedule how = m->launch->schedule;
    bool hangs = true;
    *w = how == TMAP_EMULATE_CHOSEN ? chosen(m, turn, &hangs) : pick(m, turn);
    if (*w)
        emu_run_warp(*w, how == TMAP_EMULATE_RANDOM   ? 1 + emu_random(m, QUANTUM)
                         : how == TMAP_EMULATE_CHOSEN ? WHOLE
                                                      : QUANTUM);
    else if (m->ops && how != TMAP_EMULATE_CHOSEN)
        emu_run_op(m);
    else
        return !hangs || look_again(m);
    return true;
}

void emu_schedule(struct emu_machine *m)
{
    uint32_t turn = 0;
    struct emu_warp *w;
    for (uint32_t i = 0; i < m->clusters; i++)
        if (!next_cluster(m, i)) return;
    while (!m->stop && some_left(m)) {
        if (!one_turn(m, &turn, &w)) {
            emu_report_hang(m);
            return;
        }
        engines(m);
        if (!spent(m, w)) replace_finished(m);
        if (emu_order_lost(m)) m->stop = true;
        tell_progress(m);
    }
    m->result.finished = !m->stop;
}

// --- who waits for what

static void wait_text(const struct emu_split *s, char *text, size_t cap)
{
    const unsigned long long which = s->wait_for, value = s->wait_value;
    if (s->blocked_at == UINT64_MAX) {
        snprintf(text, cap, "polls");
        return;
    }
    switch (s->wait) {
    case WAIT_MBARRIER:
        snprintf(text, cap, "waits for the mbarrier at shared 0x%llx, %llu", which, value);
        break;
    case WAIT_NAMED:
        snprintf(text, cap, "waits at barrier %llu for %llu threads", which, value);
        break;
    case WAIT_CLUSTER:
        snprintf(text, cap, "waits for the cluster's barrier");
        break;
    case WAIT_LANES:
        snprintf(text, cap, "waits for lanes 0x%08llx of its warp", which);
        break;
    default: // WAIT_TENSOR
        snprintf(text, cap, "waits for tensor memory or its core");
    }
}

static void report_split(struct emu_machine *m, const struct emu_warp *w, const struct emu_split *s)
{
    char place[160], text[160], more[200] = "";
    const struct emu_insn *in = &m->module->code[s->pc];
    wait_text(s, text, sizeof text);
    if (s->wait == WAIT_MBARRIER && s->blocked_at != UINT64_MAX)
        emu_barrier_text(w, s->wait_for, more, sizeof more);
    if (!emu_first_time(m, TMAP_EMULATE_HANG, in, NULL)) return;
    emu_find_report(m, TMAP_EMULATE_HANG, w, in, (uint32_t)emu_lane(s->mask), s->wait_for,
                    "%s: lanes 0x%08x %s%s", emu_place(m, in, place, sizeof place), s->mask, text,
                    more);
}

void emu_report_hang(struct emu_machine *m)
{
    m->stop = true;
    for (uint32_t i = 0; i < m->clusters; i++) {
        struct emu_cluster *c = m->cluster[i];
        for (uint32_t k = 0; c && k < c->ctas; k++)
            for (uint32_t j = 0; j < c->cta[k].warps; j++) {
                const struct emu_warp *w = &c->cta[k].warp[j];
                for (uint32_t s = 0; w->live && s < w->splits; s++)
                    report_split(m, w, &w->split[s]);
            }
    }
}
