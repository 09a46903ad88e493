/* A proof by one run of each word. Agents do what their programs say, waits are for phases, and
 * who chooses how the loops go on hinders nobody: so if every two things that would disturb each
 * other are in an order (clocks.h), all runs of a word do the same, one after another or side by
 * side, and the first run meets a fault or a deadlock if any does. The run is the one in which
 * copies land, commits arrive and stores are read at once, and everybody goes as far as he can
 * before the word goes on; its states where nobody can go on without another letter are kept, with
 * their clocks, and each letter that may follow is tried. */
#include "solve/clocks.h"
#include "solve/state_set.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = 512 }; /* of a trace */

struct ordered {
    struct machine m;
    struct state_set seen;
    struct machine_state state, next;
    struct clocks clocks, next_clocks;
    uint8_t bytes[MACHINE_BYTES + CLOCK_BYTES];
};

static bool over(const struct machine *m)
{
    return m->fault || m->truncated || m->clocks->unordered[0];
}

/* What the agent has set going happens at once. */
static void finish_copies(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        while (a->loads[cta] && !over(m)) machine_land(m, s, agent, cta, true);
    while (a->stores && !m->fault) machine_read_out(m, s, agent);
    if (a->commits) machine_committed(m, s, agent); /* nobody commits twice in a step */
}

/* One step; false when the agent cannot make one. */
static bool step(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    if (a->part == TMAP_PARTS) return false;
    if (machine_take(m, s, agent)) return true;
    if (a->pc >= m->p->agent[agent].count[a->part]) {
        if (a->part != TMAP_PART_END) return false;
        machine_leave(m, s, agent);
        return true;
    }
    const struct tmap_step *t = &m->p->step[m->p->agent[agent].first[a->part] + a->pc];
    if (!machine_skips(m, s, agent, t)) {
        const enum machine_outcome got = machine_step(m, s, agent, t, true);
        if (got == STEP_BLOCKED) return false;
        if (t->op == TMAP_STEP_SYNC && got == STEP_STOP) return true; /* the others will come */
        finish_copies(m, s, agent);
    }
    a->pc++;
    return true;
}

static void run(struct machine *m, struct machine_state *s)
{
    bool moved;
    do {
        moved = false;
        for (unsigned a = 0; a < m->p->agent_count; a++)
            while (!over(m) && step(m, s, a)) moved = true;
    } while (moved && !over(m));
    machine_drop(m, s);
}

/* Only agents without blocks wait for a letter, of which they say too little (may_choose()). */
static bool awaits_letter(const struct machine *m, const struct machine_state *s)
{
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        const struct machine_agent *g = &s->agent[a];
        if (g->part < TMAP_PART_END && g->pc >= m->p->agent[a].count[g->part]) return true;
    }
    return false;
}

/* At rest: the letters that may follow. None where all have left, or nobody can go on. */
static size_t letters(struct machine *m, const struct machine_state *s, struct machine_move *out)
{
    const size_t n = machine_choices(m, s, out);
    if (n || over(m)) return n;
    if (machine_finished(m, s))
        clocks_finish(m);
    else if (awaits_letter(m, s))
        clocks_unordered(m, "the word is left to agents without blocks");
    else
        machine_judge_stuck(m, s);
    return 0;
}

static void start(struct ordered *o)
{
    clocks_init(&o->m, &o->next_clocks);
    o->m.clocks = &o->next_clocks;
    machine_start(&o->m, &o->next);
    run(&o->m, &o->next);
}

static void add(struct ordered *o, uint32_t parent, uint16_t move)
{
    struct machine *m = &o->m;
    for (unsigned r = 0; r < m->p->ring_count; r++)
        clocks_turn(m, &o->next_clocks, r, machine_turn(m, &o->next, r));
    machine_canonical(m, &o->next);
    if (!clocks_normalise(m, &o->next, &o->next_clocks)) {
        m->truncated = true;
        return;
    }
    const size_t n = machine_pack(m, &o->next, o->bytes);
    const size_t more = clocks_pack(m, &o->next_clocks, o->bytes + n);
    if (more == 0)
        m->truncated = true;
    else
        state_set_add(&o->seen, o->bytes, n + more, parent, move);
}

static uint16_t move_code(struct machine_move v)
{
    return (uint16_t)(v.agent << 8 | v.letter);
}
static struct machine_move move_of(uint16_t code)
{
    return (struct machine_move){EVENT_AGENT, (uint8_t)(code >> 8), 0, (uint8_t)code};
}

static void choose(struct ordered *o, struct machine_move move)
{
    machine_choose(&o->m, &o->next, move);
    run(&o->m, &o->next);
}

/* Every letter that may follow state i; the one that fails is left in *bad. */
static void expand(struct ordered *o, uint32_t i, uint16_t *bad)
{
    struct machine_move moves[MACHINE_MOVES];
    const uint8_t *bytes = state_set_bytes(&o->seen, i);
    const size_t at = machine_unpack(&o->m, bytes, &o->state);
    clocks_unpack(&o->m, bytes + at, &o->clocks);
    o->m.clocks = &o->clocks;
    const size_t n = letters(&o->m, &o->state, moves);
    for (size_t k = 0; k < n && !over(&o->m); k++) {
        o->next = o->state;
        o->next_clocks = o->clocks;
        o->m.clocks = &o->next_clocks;
        *bad = move_code(moves[k]);
        choose(o, moves[k]);
        if (!over(&o->m)) add(o, i, *bad);
    }
}

/* The run to a fault, said step by step. */
static uint32_t replay(struct ordered *o, uint32_t state, uint16_t bad, char *trace, size_t size)
{
    uint16_t moves[MOST_LETTERS];
    uint32_t n = 0;
    const bool stuck = o->m.fault == TMAP_HAZARD_DEADLOCK;
    if (!stuck) moves[n++] = bad;
    for (; state != 0 && n < MOST_LETTERS; state = state_set_header(&o->seen, state)->parent)
        moves[n++] = state_set_header(&o->seen, state)->move;
    o->m.fault = TMAP_HAZARD_NONE;
    o->m.trace = trace;
    o->m.trace_size = size;
    o->m.trace_length = 0;
    start(o);
    for (uint32_t i = n; i-- > 0 && !o->m.fault;) choose(o, move_of(moves[i]));
    if (stuck) machine_judge_stuck(&o->m, &o->next);
    if (stuck) machine_trace_waits(&o->m, &o->next);
    o->m.trace = NULL;
    return n;
}

static void report(struct ordered *o, uint32_t at, uint16_t bad, struct tmap_protocol_result *r,
                   char *trace, size_t size)
{
    const char *unordered = o->m.clocks->unordered;
    memset(r, 0, sizeof *r);
    r->states = o->seen.count;
    r->fault = o->m.fault;
    r->verdict = o->m.fault                                       ? TMAP_ILLEGAL
                 : unordered[0] || o->m.truncated || o->seen.full ? TMAP_UNKNOWN
                                                                  : TMAP_LEGAL;
    if (unordered[0]) memcpy(r->detail, unordered, sizeof r->detail);
    if (!r->fault) return;
    if (trace && size) r->steps = replay(o, at, bad, trace, size);
    memcpy(r->detail, o->m.detail, sizeof r->detail);
}

static bool prepare(struct ordered *o, const struct tmap_protocol *protocol)
{
    if (!machine_prepare(&o->m, protocol)) return false;
    o->m.plain = true; /* a letter is whole when it is chosen */
    for (unsigned a = 0; a < protocol->agent_count; a++) o->m.alike[a] = (uint8_t)a;
    return clocks_init(&o->m, &o->clocks);
}

enum tmap_status explore_ordered(const struct tmap_protocol *protocol, void *workspace,
                                 size_t workspace_bytes, struct tmap_protocol_result *result,
                                 char *trace, size_t trace_size)
{
    struct ordered *o = workspace;
    const size_t own = (sizeof *o + 7) / 8 * 8;
    uint32_t i = 0;
    uint16_t bad = 0;
    if (!protocol || !workspace) return TMAP_E_ARGUMENT;
    if (workspace_bytes < own || (uintptr_t)workspace % sizeof(uint64_t)) return TMAP_E_ROOM;
    if (!prepare(o, protocol)) return TMAP_E_ARGUMENT;
    if (!state_set_init(&o->seen, (uint8_t *)workspace + own, workspace_bytes - own))
        return TMAP_E_ROOM;
    if (trace && trace_size) trace[0] = 0;
    start(o);
    if (!over(&o->m)) add(o, 0, 0);
    for (; i < o->seen.count && !o->seen.full; i++) {
        expand(o, i, &bad);
        if (over(&o->m)) break;
    }
    report(o, i, bad, result, trace, trace_size);
    return TMAP_OK;
}
