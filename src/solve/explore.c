/* Breadth-first exploration of a protocol: every reachable state once, in the caller's memory. */
#include "solve/machine.h"
#include "solve/state_set.h"

#include <stdio.h>
#include <string.h>

struct explorer {
    struct machine m;
    struct state_set seen;
};

static uint16_t move_code(struct machine_move v)
{
    return (uint16_t)(v.event << 12 | v.agent << 8 | v.cta << 4 | v.letter);
}
static struct machine_move move_of(uint16_t code)
{
    return (struct machine_move){(uint8_t)(code >> 12), (uint8_t)(code >> 8 & 15),
                                 (uint8_t)(code >> 4 & 15), (uint8_t)(code & 15)};
}

static void add_state(struct explorer *e, struct machine_state *s, uint32_t parent, uint16_t move)
{
    uint8_t bytes[MACHINE_BYTES];
    const size_t n = machine_pack(&e->m, s, bytes);
    state_set_add(&e->seen, bytes, n, parent, move);
}

/* Replays the moves from the start, saying each; the fault's words then name slots as the trace
 * does. */
static uint32_t replay(struct explorer *e, uint32_t state, uint16_t last, char *trace, size_t size)
{
    uint16_t moves[512];
    uint32_t n = 0;
    moves[n++] = last;
    for (; state != 0 && n < 512; state = state_set_header(&e->seen, state)->parent)
        moves[n++] = state_set_header(&e->seen, state)->move;
    struct machine m = e->m;
    struct machine_state s;
    m.fault = TMAP_HAZARD_NONE;
    m.trace = trace ? trace : m.detail;
    m.trace_size = trace ? size : 0;
    m.trace_length = 0;
    m.last_named = 0;
    memset(m.turned, 0, sizeof m.turned);
    machine_start(&m, &s);
    machine_settle(&m, &s);
    for (uint32_t i = n; i-- > 0;) {
        const struct machine_move move = move_of(moves[i]);
        char number[8];
        snprintf(number, sizeof number, "%3u", n - i);
        machine_names(&m, move.agent, move.event != EVENT_AGENT, number);
        machine_apply(&m, &s, move);
        for (unsigned r = 0; r < m.p->ring_count && !m.fault; r++)
            m.turned[r] += machine_turn(&m, &s, r);
        machine_canonical(&m, &s);
    }
    if (m.fault) memcpy(e->m.detail, m.detail, sizeof m.detail);
    if (e->m.fault == TMAP_HAZARD_DEADLOCK) machine_trace_waits(&m, &s);
    return n;
}

/* Tries every move of state i. The move that fails is left in *bad. */
static void expand(struct explorer *e, uint32_t i, uint16_t *bad)
{
    struct machine_move moves[MACHINE_MOVES];
    struct machine_state s, next;
    bool any = false;
    machine_unpack(&e->m, state_set_bytes(&e->seen, i), &s);
    const size_t n = machine_moves(&e->m, &s, moves);
    for (size_t k = 0; k < n; k++) {
        machine_copy(&e->m, &next, &s);
        const bool moved = machine_apply(&e->m, &next, moves[k]);
        if (e->m.fault) {
            *bad = move_code(moves[k]);
            return;
        }
        if (!moved) continue;
        any = true;
        machine_canonical(&e->m, &next);
        add_state(e, &next, i, move_code(moves[k]));
    }
    if (!any && !e->m.truncated) machine_judge_stuck(&e->m, &s);
}

static void report(struct explorer *e, uint32_t at, uint16_t bad, struct tmap_protocol_result *r,
                   char *trace, size_t size)
{
    r->states = e->seen.count;
    r->fault = e->m.fault;
    r->verdict =
        e->m.fault ? TMAP_ILLEGAL : (e->seen.full || e->m.truncated ? TMAP_UNKNOWN : TMAP_LEGAL);
    r->detail[0] = 0;
    if (r->verdict == TMAP_UNKNOWN)
        snprintf(r->detail, sizeof r->detail, "%s",
                 e->seen.full ? "the workspace is full" : "an agent runs ahead without bound");
    if (!e->m.fault) return;
    if (e->m.fault != TMAP_HAZARD_DEADLOCK)
        r->steps = replay(e, at, bad, trace, size);
    else if (at != 0)
        r->steps = replay(e, state_set_header(&e->seen, at)->parent,
                          state_set_header(&e->seen, at)->move, trace, size);
    memcpy(r->detail, e->m.detail, sizeof r->detail);
}

enum tmap_status explore_protocol(const struct tmap_protocol *protocol, bool plain, void *workspace,
                                  size_t workspace_bytes, struct tmap_protocol_result *result,
                                  char *trace, size_t trace_size)
{
    struct explorer e;
    struct machine_state start;
    uint16_t bad = 0;
    uint32_t i = 0;
    if (!protocol || !workspace || !result) return TMAP_E_ARGUMENT;
    if (!machine_prepare(&e.m, protocol)) return TMAP_E_ARGUMENT;
    e.m.plain = plain;
    if (!state_set_init(&e.seen, workspace, workspace_bytes)) return TMAP_E_ROOM;
    memset(result, 0, sizeof *result);
    if (trace && trace_size) trace[0] = 0;
    machine_start(&e.m, &start);
    machine_settle(&e.m, &start);
    add_state(&e, &start, 0, 0);
    for (; i < e.seen.count; i++) {
        expand(&e, i, &bad);
        if (e.m.fault) break;
    }
    report(&e, i, bad, result, trace, trace_size);
    return TMAP_OK;
}

/* One run of each word first: where it shows all, or a fault, the other orders are only asked for
 * the shortest way to the fault. */
enum tmap_status tmap_protocol_explore(const struct tmap_protocol *protocol, void *workspace,
                                       size_t workspace_bytes, struct tmap_protocol_result *result,
                                       char *trace, size_t trace_size)
{
    struct tmap_protocol_result ordered;
    enum tmap_status s = explore_ordered(protocol, workspace, workspace_bytes, &ordered, NULL, 0);
    if (s == TMAP_OK && result && ordered.verdict == TMAP_LEGAL) {
        *result = ordered;
        if (trace && trace_size) trace[0] = 0;
        return s;
    }
    const bool ran = s == TMAP_OK;
    s = explore_protocol(protocol, false, workspace, workspace_bytes, result, trace, trace_size);
    if (!ran || s != TMAP_OK || result->verdict != TMAP_UNKNOWN) return s;
    if (ordered.verdict == TMAP_ILLEGAL)
        return explore_ordered(protocol, workspace, workspace_bytes, result, trace, trace_size);
    if (ordered.detail[0]) memcpy(result->detail, ordered.detail, sizeof result->detail);
    return s;
}

const char *tmap_hazard_name(enum tmap_hazard fault)
{
    static const char *const names[TMAP_HAZARD_COUNT] = {"none",
                                                         "deadlock",
                                                         "early completion",
                                                         "phase aliasing",
                                                         "slot overwritten",
                                                         "unwaited store",
                                                         "missing proxy fence",
                                                         "barrier not initialised",
                                                         "early exit"};
    return (unsigned)fault < TMAP_HAZARD_COUNT ? names[fault] : NULL;
}
