/* What each step of an agent does, and the faults it can meet. The rules of mbarriers are the PTX
 * ISA's: a phase completes when no arrival is pending and the transaction count is zero; a parity
 * wait returns when the current phase has the other parity. */
#include "solve/clocks.h"

/* A line of what the agent does. */
#define trace_step(m, ...)                                                                         \
    do {                                                                                           \
        machine_names((m), (m)->actor, (m)->copies, "");                                           \
        machine_trace((m), __VA_ARGS__);                                                           \
    } while (0)

struct place {
    unsigned ring, slot, gen;
};

/* The slot and the generation that an agent means by object of that ring. */
static struct place place_of(const struct machine *m, const struct machine_state *s, unsigned agent,
                             unsigned ring, unsigned back)
{
    const unsigned depth = m->p->depth[ring], all = depth * GENERATIONS;
    const unsigned at = (s->agent[agent].position[ring] + all - back) % all;
    return (struct place){ring, at % depth, at / depth};
}

static const char *barrier_name(const struct machine *m, unsigned b)
{
    return m->p->barrier[b].name;
}
static const char *buffer_name(const struct machine *m, unsigned b)
{
    return m->p->buffer[b].name;
}

/* The number that a slot had before the ring was turned: in a trace it stays the same. */
static unsigned trace_slot(const struct machine *m, unsigned ring, unsigned slot)
{
    return (slot + m->turned[ring]) % m->p->depth[ring];
}

/* Name and slot, as the trace prints them. */
#define BARRIER(b, slot) barrier_name(m, b), trace_slot(m, m->p->barrier[b].ring, slot)
#define BUFFER(b, slot) buffer_name(m, b), trace_slot(m, m->p->buffer[b].ring, slot)

static bool cta_gone(const struct machine *m, const struct machine_state *s, unsigned cta)
{
    if (m->p->stays) return false;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (m->p->agent[a].cta == cta && s->agent[a].part != TMAP_PARTS) return false;
    return true;
}

static bool reachable(struct machine *m, const struct machine_state *s, unsigned barrier,
                      unsigned cta, bool own)
{
    if (cta_gone(m, s, cta))
        machine_fail(m, TMAP_HAZARD_EXIT, "CTA %u has left, and %s there is still signalled", cta,
                     barrier_name(m, barrier));
    else if (s->init[cta] < (own ? 1 : 2))
        machine_fail(m, TMAP_HAZARD_UNINITIALIZED,
                     "%s of CTA %u is used before its initialisation is %s",
                     barrier_name(m, barrier), cta, own ? "done" : "visible");
    else
        clocks_reach(m, barrier, cta, own);
    return m->fault == TMAP_HAZARD_NONE;
}

/* Completes the phase when nothing is pending. */
static void settle(struct machine *m, struct machine_state *s, unsigned barrier, unsigned cta,
                   unsigned slot)
{
    struct machine_barrier *b = &s->barrier[barrier][cta][slot];
    if (b->pending != 0 || b->tx != 0) return;
    clocks_complete(m, barrier, cta, slot);
    b->phase = (uint8_t)((b->phase + 1) % GENERATIONS);
    b->pending = m->p->barrier[barrier].count;
    trace_step(m, "        %s[%u]@%u completes its phase\n", BARRIER(barrier, slot), cta);
}

static void arrive(struct machine *m, struct machine_state *s, unsigned barrier, unsigned cta,
                   unsigned slot, bool own)
{
    struct machine_barrier *b = &s->barrier[barrier][cta][slot];
    if (!reachable(m, s, barrier, cta, own)) return;
    trace_step(m, "        arrives on %s[%u]@%u\n", BARRIER(barrier, slot), cta);
    clocks_arrive(m, barrier, cta, slot, b->pending);
    if (b->pending > 0) b->pending--;
    settle(m, s, barrier, cta, slot);
}

static unsigned targets(const struct machine *m, unsigned agent, unsigned mask)
{
    return mask ? mask : 1u << m->p->agent[agent].cta;
}

static enum machine_outcome step_wait(struct machine *m, struct machine_state *s, unsigned agent,
                                      const struct tmap_step *t)
{
    const unsigned cta = m->p->agent[agent].cta;
    const struct place at = place_of(m, s, agent, m->p->barrier[t->x].ring, t->back);
    const unsigned before = t->op == TMAP_STEP_WAIT_FREE ? 1 : 0;
    const unsigned want = (at.gen + GENERATIONS - before) % GENERATIONS;
    const unsigned ahead =
        (s->barrier[t->x][cta][at.slot].phase + GENERATIONS - want) % GENERATIONS;
    if (!reachable(m, s, t->x, cta, true)) return STEP_STOP;
    if (ahead == 1) trace_step(m, "        passes %s[%u]@%u\n", BARRIER(t->x, at.slot), cta);
    if (ahead == 1) clocks_wait(m, t->x, cta, at.slot);
    if (ahead == 1) return STEP_GO;
    if (ahead == 0 || ahead == GENERATIONS - 2) return STEP_BLOCKED;
    machine_fail(m, TMAP_HAZARD_ALIAS, "%s takes phase %u of %s[%u] for phase %u: same parity",
                 m->p->agent[agent].name, (want + ahead - 1) % GENERATIONS, BARRIER(t->x, at.slot),
                 want);
    return STEP_STOP;
}

bool machine_awaits(const struct machine_state *s, unsigned agent, const struct tmap_step *t)
{
    return t->op == TMAP_STEP_SYNC && (s->synced[t->x] & ~s->passed[t->x]) >> agent & 1;
}

/* All are there: who waited goes on, too. */
static void end_meeting(struct machine *m, struct machine_state *s, unsigned agent, unsigned sync)
{
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (((s->synced[sync] & ~s->passed[sync]) >> a & 1) && a != agent) s->agent[a].pc++;
    s->synced[sync] = s->passed[sync] = 0;
}

static enum machine_outcome step_sync(struct machine *m, struct machine_state *s, unsigned agent,
                                      const struct tmap_step *t)
{
    const uint16_t bit = (uint16_t)(1u << agent);
    const bool passes = t->op == TMAP_STEP_PASS;
    if (machine_awaits(s, agent, t)) return STEP_BLOCKED;
    if (s->synced[t->x] & bit) {
        machine_fail(m, TMAP_HAZARD_ALIAS, "%s arrives at sync %u twice before all others have",
                     m->p->agent[agent].name, t->x);
        return STEP_STOP;
    }
    s->synced[t->x] |= bit;
    if (passes) s->passed[t->x] |= bit;
    trace_step(m, "        arrives at sync %u\n", t->x);
    const bool all = s->synced[t->x] == m->p->members[t->x];
    clocks_sync(m, t->x, s->synced[t->x] & ~s->passed[t->x], all);
    if (all) end_meeting(m, s, agent, t->x);
    return all || passes ? STEP_GO : STEP_STOP;
}

/* More than a state counts: the answer is left open. Who asks has changed nothing yet, so that the
 * step may be tried again. */
static enum machine_outcome no_room(struct machine *m)
{
    m->truncated = true;
    return STEP_BLOCKED;
}

static enum machine_outcome step_expect(struct machine *m, struct machine_state *s, unsigned agent,
                                        const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->barrier[t->x].ring, t->back);
    const unsigned mask = targets(m, agent, t->ctas);
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        if ((mask >> cta & 1) &&
            s->barrier[t->x][cta][at.slot].tx + (int32_t)t->bytes / m->unit > INT16_MAX)
            return no_room(m);
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        if (!(mask >> cta & 1)) continue;
        struct machine_barrier *b = &s->barrier[t->x][cta][at.slot];
        b->tx = (int16_t)(b->tx + (int32_t)t->bytes / m->unit);
        trace_step(m, "        expects %u bytes on %s[%u]@%u\n", t->bytes, BARRIER(t->x, at.slot),
                   cta);
        arrive(m, s, t->x, cta, at.slot, cta == m->p->agent[agent].cta);
    }
    return STEP_GO;
}

static enum machine_outcome step_arrive(struct machine *m, struct machine_state *s, unsigned agent,
                                        const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->barrier[t->x].ring, t->back);
    const unsigned mask = targets(m, agent, t->ctas);
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        if (mask >> cta & 1) arrive(m, s, t->x, cta, at.slot, cta == m->p->agent[agent].cta);
    return STEP_GO;
}

/* Of what is counted, more than a state keeps is as good as that. */
static void count(const struct machine *m, uint8_t *of)
{
    if (*of < (m->wide ? UINT8_MAX : MACHINE_MOST)) ++*of;
}

/* Whether what must be counted to its end has room for one more. */
static bool has_room(const struct machine *m, uint8_t of, uint8_t most)
{
    return of < (m->wide ? UINT8_MAX : most);
}

/* A slot may take a new generation when all reads of the last one have ended. */
static bool may_fill(struct machine *m, const struct machine_state *s, unsigned buffer,
                     unsigned cta, struct place at)
{
    const struct machine_buffer *b = &s->buffer[buffer][cta][at.slot];
    if (b->storing)
        machine_fail(m, TMAP_HAZARD_UNWAITED_STORE, "%s[%u]@%u is written while a store reads it",
                     BUFFER(buffer, at.slot), cta);
    else if (b->reading || (b->filled && b->gen != at.gen && b->done < m->readers[buffer][cta]))
        machine_fail(m, TMAP_HAZARD_OVERWRITE, "%s[%u]@%u is overwritten %s",
                     BUFFER(buffer, at.slot), cta,
                     b->reading ? "while it is read" : "before it was read");
    else
        clocks_fill(m, buffer, cta, at.slot, !b->filled || b->gen != at.gen);
    return m->fault == TMAP_HAZARD_NONE;
}

static void begin_fill(struct machine_buffer *b, struct place at)
{
    if (b->filled && b->gen == at.gen) return;
    b->filled = 1;
    b->gen = (uint8_t)at.gen;
    b->landed = b->done = 0;
}

static enum machine_outcome step_load(struct machine *m, struct machine_state *s, unsigned agent,
                                      const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->buffer[t->x].ring, t->back);
    const unsigned mask = targets(m, agent, t->ctas);
    const struct place full = place_of(m, s, agent, m->p->barrier[t->y].ring, t->back);
    struct machine_agent *a = &s->agent[agent];
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        if ((mask >> cta & 1) && a->loads[cta] == MACHINE_FIFO) return no_room(m);
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        if (!(mask >> cta & 1)) continue;
        if (!reachable(m, s, t->y, t->signal ? t->signal - 1u : cta, false)) return STEP_STOP;
        if (!may_fill(m, s, t->x, cta, at)) return STEP_STOP;
        begin_fill(&s->buffer[t->x][cta][at.slot], at);
        a->load[cta][a->loads[cta]++] =
            (struct flying){(uint8_t)(t - m->p->step), (uint8_t)at.slot, (uint8_t)at.gen,
                            (uint8_t)full.slot, (int16_t)((int32_t)t->bytes / m->unit)};
        trace_step(m, "        issues a copy of %u bytes to %s[%u]@%u\n", t->bytes,
                   BUFFER(t->x, at.slot), cta);
    }
    return STEP_STOP;
}

static enum machine_outcome step_read(struct machine *m, struct machine_state *s, unsigned agent,
                                      const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->buffer[t->x].ring, t->back);
    const unsigned mask = targets(m, agent, t->ctas);
    bool room = has_room(m, s->agent[agent].open, MACHINE_MOST);
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        if (!(mask >> cta & 1)) continue;
        const struct machine_buffer *b = &s->buffer[t->x][cta][at.slot];
        trace_step(m, "        begins to read %s[%u]@%u\n", BUFFER(t->x, at.slot), cta);
        if (!b->filled || b->gen != at.gen || b->landed < m->parts[t->x][cta])
            machine_fail(m, TMAP_HAZARD_EARLY, "%s reads %s[%u]@%u before its bytes are there",
                         m->p->agent[agent].name, BUFFER(t->x, at.slot), cta);
        room = room && has_room(m, b->reading, MACHINE_READING);
    }
    if (!room) return no_room(m);
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        if (!(mask >> cta & 1)) continue;
        clocks_read(m, t->x, cta, at.slot);
        s->buffer[t->x][cta][at.slot].reading++;
    }
    s->agent[agent].open++;
    return STEP_STOP;
}

static void end_read(struct machine *m, struct machine_state *s, unsigned buffer, unsigned slot,
                     unsigned mask)
{
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        struct machine_buffer *b = &s->buffer[buffer][cta][slot];
        if (!(mask >> cta & 1)) continue;
        clocks_end_read(m, buffer, cta, slot, b->reading > 0);
        if (b->reading) b->reading--;
        count(m, &b->done);
        trace_step(m, "        has read %s[%u]@%u\n", BUFFER(buffer, slot), cta);
    }
}

/* The CTAs whose slot an agent reads: a commit ends these reads, wherever else it arrives. */
static unsigned reads_in(const struct machine *m, unsigned agent, unsigned buffer)
{
    const struct tmap_agent *g = &m->p->agent[agent];
    unsigned mask = 0;
    for (unsigned k = 0; k < TMAP_PARTS; k++)
        for (unsigned i = 0; i < g->count[k]; i++) {
            const struct tmap_step *t = &m->p->step[g->first[k] + i];
            if (t->op == TMAP_STEP_READ && t->x == buffer) mask |= targets(m, agent, t->ctas);
        }
    return mask;
}

static enum machine_outcome step_done(struct machine *m, struct machine_state *s, unsigned agent,
                                      const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->buffer[t->x].ring, t->back);
    if (s->agent[agent].open) s->agent[agent].open--;
    end_read(m, s, t->x, at.slot, targets(m, agent, t->ctas));
    return STEP_GO;
}

static enum machine_outcome step_release(struct machine *m, struct machine_state *s, unsigned agent,
                                         const struct tmap_step *t)
{
    const struct tmap_step read = {.op = TMAP_STEP_DONE, .x = t->x, .back = t->back};
    const struct tmap_step signal = {
        .op = TMAP_STEP_ARRIVE, .x = t->y, .back = t->back, .ctas = t->ctas};
    step_done(m, s, agent, &read);
    return step_arrive(m, s, agent, &signal);
}

static enum machine_outcome step_commit(struct machine *m, struct machine_state *s, unsigned agent,
                                        const struct tmap_step *t)
{
    struct machine_agent *a = &s->agent[agent];
    const struct place at = place_of(m, s, agent, m->p->barrier[t->y].ring, t->back);
    const struct place of =
        machine_two_rings(m, t) ? place_of(m, s, agent, m->p->buffer[t->x].ring, t->back) : at;
    if (a->commits == MACHINE_FIFO) return no_room(m);
    if (a->open) a->open--;
    a->commit[a->commits++] = (struct flying){(uint8_t)(t - m->p->step), (uint8_t)of.slot,
                                              (uint8_t)of.gen, (uint8_t)at.slot, 0};
    trace_step(m, "        commits to %s[%u]\n", BARRIER(t->y, at.slot));
    return STEP_STOP;
}

static enum machine_outcome step_write(struct machine *m, struct machine_state *s, unsigned agent,
                                       const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->buffer[t->x].ring, t->back);
    const unsigned mask = targets(m, agent, t->ctas);
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        struct machine_buffer *b = &s->buffer[t->x][cta][at.slot];
        if (!(mask >> cta & 1)) continue;
        trace_step(m, "        writes %s[%u]@%u\n", BUFFER(t->x, at.slot), cta);
        if (!may_fill(m, s, t->x, cta, at)) return STEP_STOP;
        begin_fill(b, at);
        clocks_filled(m, t->x, cta, at.slot);
        count(m, &b->landed);
        b->dirty |= (uint16_t)(1u << agent);
    }
    return STEP_STOP;
}

static enum machine_outcome step_begin(struct machine *m, struct machine_state *s, unsigned agent,
                                       const struct tmap_step *t)
{
    const struct place at = place_of(m, s, agent, m->p->buffer[t->x].ring, t->back);
    const unsigned mask = targets(m, agent, t->ctas);
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        if (!(mask >> cta & 1)) continue;
        trace_step(m, "        begins to fill %s[%u]@%u\n", BUFFER(t->x, at.slot), cta);
        if (!may_fill(m, s, t->x, cta, at)) return STEP_STOP;
        begin_fill(&s->buffer[t->x][cta][at.slot], at);
        clocks_filled(m, t->x, cta, at.slot);
    }
    return STEP_STOP;
}

static enum machine_outcome step_fence(struct machine *m, struct machine_state *s, unsigned agent)
{
    const unsigned cta = m->p->agent[agent].cta;
    for (unsigned b = 0; b < m->p->buffer_count; b++)
        for (unsigned k = 0; k < m->p->depth[m->p->buffer[b].ring]; k++) {
            if (s->buffer[b][cta][k].dirty >> agent & 1) clocks_fence(m, b, cta, k);
            s->buffer[b][cta][k].dirty &= (uint16_t) ~(1u << agent);
        }
    trace_step(m, "        fences the async proxy\n");
    return STEP_GO;
}

static enum machine_outcome step_store(struct machine *m, struct machine_state *s, unsigned agent,
                                       const struct tmap_step *t)
{
    const unsigned cta = m->p->agent[agent].cta;
    const struct place at = place_of(m, s, agent, m->p->buffer[t->x].ring, t->back);
    struct machine_buffer *b = &s->buffer[t->x][cta][at.slot];
    struct machine_agent *a = &s->agent[agent];
    trace_step(m, "        stores from %s[%u]@%u\n", BUFFER(t->x, at.slot), cta);
    if (b->dirty)
        machine_fail(m, TMAP_HAZARD_UNFENCED,
                     "%s[%u]@%u is stored with writes that no proxy fence "
                     "published",
                     BUFFER(t->x, at.slot), cta);
    else if (!b->filled || b->gen != at.gen || b->landed < m->parts[t->x][cta])
        machine_fail(m, TMAP_HAZARD_EARLY, "%s[%u]@%u is stored before its bytes are there",
                     BUFFER(t->x, at.slot), cta);
    if (a->stores == MACHINE_FIFO) return no_room(m);
    clocks_store(m, t->x, cta, at.slot);
    b->storing = 1;
    if (a->open) a->open--;
    a->store[a->stores++] = (struct flying){(uint8_t)(t - m->p->step), (uint8_t)at.slot,
                                            (uint8_t)at.gen, (uint8_t)at.slot, 0};
    return STEP_STOP;
}

static enum machine_outcome step_advance(struct machine *m, struct machine_state *s, unsigned agent,
                                         const struct tmap_step *t)
{
    uint8_t *at = &s->agent[agent].position[t->x];
    *at = (uint8_t)((*at + 1) % (m->p->depth[t->x] * GENERATIONS));
    return STEP_GO;
}

enum machine_outcome machine_step(struct machine *m, struct machine_state *s, unsigned agent,
                                  const struct tmap_step *t, bool first)
{
    const bool waits = t->op == TMAP_STEP_WAIT || t->op == TMAP_STEP_WAIT_FREE ||
                       t->op == TMAP_STEP_SYNC || t->op == TMAP_STEP_WAIT_READ;
    if (waits && !first) return STEP_BLOCKED;
    m->actor = agent;
    m->copies = false;
    clocks_agent(m, agent);
    switch (t->op) {
    case TMAP_STEP_INIT:
    case TMAP_STEP_FENCE_INIT:
        return machine_init_step(m, s, agent, t);
    case TMAP_STEP_SYNC:
    case TMAP_STEP_PASS:
        return step_sync(m, s, agent, t);
    case TMAP_STEP_WAIT:
    case TMAP_STEP_WAIT_FREE:
        return step_wait(m, s, agent, t);
    case TMAP_STEP_ARRIVE:
        return step_arrive(m, s, agent, t);
    case TMAP_STEP_EXPECT:
        return step_expect(m, s, agent, t);
    case TMAP_STEP_LOAD:
        return step_load(m, s, agent, t);
    case TMAP_STEP_READ:
        return step_read(m, s, agent, t);
    case TMAP_STEP_DONE:
        return step_done(m, s, agent, t);
    case TMAP_STEP_COMMIT:
        return step_commit(m, s, agent, t);
    case TMAP_STEP_WRITE:
        return step_write(m, s, agent, t);
    case TMAP_STEP_BEGIN:
        return step_begin(m, s, agent, t);
    case TMAP_STEP_FENCE:
        return step_fence(m, s, agent);
    case TMAP_STEP_STORE:
        return step_store(m, s, agent, t);
    case TMAP_STEP_WAIT_READ:
        clocks_wait_read(m, agent, t->bytes);
        return s->agent[agent].stores <= t->bytes ? STEP_GO : STEP_BLOCKED;
    case TMAP_STEP_ADVANCE:
        return step_advance(m, s, agent, t);
    case TMAP_STEP_RESTART:
        s->agent[agent].position[t->x] = 0;
        return STEP_GO;
    case TMAP_STEP_RELEASE:
        return step_release(m, s, agent, t);
    case TMAP_STEP_MARK:
        if (!has_room(m, s->agent[agent].open, MACHINE_MOST)) return no_room(m);
        s->agent[agent].open++;
        return STEP_GO;
    default:
        return STEP_BLOCKED;
    }
}

/* The oldest copy of an agent to a CTA lands, or (all false) just as much of it as lets the barrier
 * complete: what the hardware may do when too few bytes are expected. False where they are more
 * than a state counts. */
bool machine_land(struct machine *m, struct machine_state *s, unsigned agent, unsigned cta,
                  bool all)
{
    struct machine_agent *a = &s->agent[agent];
    struct flying *f = &a->load[cta][0];
    const struct tmap_step *t = &m->p->step[f->step];
    const unsigned home = t->signal ? t->signal - 1u : cta;
    struct machine_barrier *b = &s->barrier[t->y][home][f->at];
    const int16_t bytes = all ? f->left : b->tx;
    const struct flying landed = *f;
    if (b->tx - bytes < INT16_MIN) {
        m->truncated = true;
        return false;
    }
    m->actor = agent;
    m->copies = true;
    if (cta_gone(m, s, cta))
        machine_fail(m, TMAP_HAZARD_EXIT, "CTA %u has left while a copy to it is under way", cta);
    trace_step(m, "        %s%d bytes of %s[%u]@%u land\n", all ? "" : "the first ",
               bytes * m->unit, BUFFER(t->x, f->slot), cta);
    clocks_land(m, agent, cta);
    clocks_arrive(m, t->y, home, landed.at, 1);
    b->tx = (int16_t)(b->tx - bytes);
    f->left = (int16_t)(f->left - bytes);
    if (all) {
        struct machine_buffer *u = &s->buffer[t->x][cta][landed.slot];
        clocks_filled(m, t->x, cta, landed.slot);
        if (u->gen == landed.gen) count(m, &u->landed);
        a->loads[cta]--;
        for (unsigned i = 0; i < a->loads[cta]; i++) a->load[cta][i] = a->load[cta][i + 1];
    }
    settle(m, s, t->y, home, landed.at);
    return true;
}

void machine_read_out(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    const struct flying f = a->store[0];
    const struct tmap_step *t = &m->p->step[f.step];
    struct machine_buffer *b = &s->buffer[t->x][m->p->agent[agent].cta][f.slot];
    m->actor = agent;
    m->copies = true;
    trace_step(m, "        the store has read %s[%u]\n", BUFFER(t->x, f.slot));
    clocks_read_out(m, agent);
    clocks_end_read(m, t->x, m->p->agent[agent].cta, f.slot, true);
    b->storing = 0;
    count(m, &b->done);
    a->stores--;
    for (unsigned i = 0; i < a->stores; i++) a->store[i] = a->store[i + 1];
}

void machine_committed(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    const struct flying f = a->commit[0];
    const struct tmap_step *t = &m->p->step[f.step];
    const unsigned mask = targets(m, agent, t->ctas);
    m->actor = agent;
    m->copies = true;
    clocks_commit(m, agent);
    a->commits--;
    for (unsigned i = 0; i < a->commits; i++) a->commit[i] = a->commit[i + 1];
    if (t->x != UINT8_MAX) end_read(m, s, t->x, f.slot, reads_in(m, agent, t->x));
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        if (mask >> cta & 1) arrive(m, s, t->y, cta, f.at, cta == m->p->agent[agent].cta);
}

void machine_trace_waits(struct machine *m, const struct machine_state *s)
{
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        const struct machine_agent *g = &s->agent[a];
        if (g->part >= TMAP_PARTS || g->pc >= m->p->agent[a].count[g->part]) continue;
        const struct tmap_step *t = &m->p->step[m->p->agent[a].first[g->part] + g->pc];
        if (t->op != TMAP_STEP_WAIT && t->op != TMAP_STEP_WAIT_FREE) continue;
        const unsigned ring = m->p->barrier[t->x].ring, cta = m->p->agent[a].cta;
        const struct place at = place_of(m, s, a, ring, t->back);
        const struct machine_barrier *b = &s->barrier[t->x][cta][at.slot];
        machine_trace(m, "       %s waits for %s[%u]@%u, which lacks ", m->p->agent[a].name,
                      BARRIER(t->x, at.slot), cta);
        machine_trace(m, b->tx ? "%d bytes\n" : "%d arrivals\n",
                      b->tx ? b->tx * m->unit : b->pending);
    }
}
