/* What a run compares. Rules of barriers: an arrival is of the phase it is meant for when it comes
 * after the phase before; a wait meets its own phase when that phase cannot begin after it, nor the
 * next one be completed before it. Of buffers: a slot is filled after all that was read of it, read
 * after all that fills it, and stored after the fences of whoever wrote it. */
#include "solve/clocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool knows(const struct clocks *c, const struct clock *now, const struct clock *of)
{
    for (unsigned i = 0; i < c->strands; i++)
        if (now->of[i] < of->of[i]) return false;
    return true;
}

static void join(const struct clocks *c, struct clock *into, const struct clock *from)
{
    for (unsigned i = 0; i < c->strands; i++)
        if (into->of[i] < from->of[i]) into->of[i] = from->of[i];
}

/* The event that is happening is one of those. */
static void add_event(const struct clocks *c, struct clock *events)
{
    events->of[c->actor] = c->now->of[c->actor];
}

void clocks_unordered(struct machine *m, const char *format, ...)
{
    va_list args;
    if (m->clocks->unordered[0]) return;
    va_start(args, format);
    vsnprintf(m->clocks->unordered, sizeof m->clocks->unordered, format, args);
    va_end(args);
}

static void must_know(struct machine *m, const struct clock *of, const char *what, const char *name,
                      unsigned slot, unsigned cta)
{
    if (!knows(m->clocks, m->clocks->now, of))
        clocks_unordered(m, "%s %s[%u]@%u is in no order with what it must follow", what, name,
                         slot, cta);
}

/* --- strands */

static bool add_strand(struct clocks *c, uint8_t *strand)
{
    if (c->strands == MOST_STRANDS) return false;
    *strand = c->strands++;
    return true;
}

static bool add_strands_of(const struct machine *m, struct clocks *c, unsigned agent)
{
    const struct tmap_agent *g = &m->p->agent[agent];
    unsigned loads = 0, stores = 0, commits = 0;
    for (unsigned k = 0; k < TMAP_PARTS; k++)
        for (unsigned i = 0; i < g->count[k]; i++) {
            const struct tmap_step *t = &m->p->step[g->first[k] + i];
            if (t->op == TMAP_STEP_LOAD) loads |= t->ctas ? t->ctas : 1u << g->cta;
            if (t->op == TMAP_STEP_LOAD && t->bytes == 0) return false;
            stores |= t->op == TMAP_STEP_STORE;
            commits |= t->op == TMAP_STEP_COMMIT;
        }
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        if ((loads >> cta & 1) && !add_strand(c, &c->landing[agent][cta])) return false;
    return (!stores || add_strand(c, &c->storing[agent])) &&
           (!commits || add_strand(c, &c->committing[agent]));
}

bool clocks_init(const struct machine *m, struct clocks *c)
{
    memset(c, 0, sizeof *c);
    c->strands = m->p->agent_count;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (!add_strands_of(m, c, a)) return false;
    return true;
}

void clocks_agent(struct machine *m, unsigned agent)
{
    struct clocks *c = m->clocks;
    if (!c) return;
    c->now = &c->agent[agent];
    c->actor = agent;
    c->now->of[agent] = ++c->last[agent];
}

/* An event of what an agent has set going: it comes after all that the agent did until then. */
static void happens(struct machine *m, unsigned agent, unsigned strand)
{
    struct clocks *c = m->clocks;
    c->event = c->agent[agent];
    c->event.of[strand] = ++c->last[strand];
    c->now = &c->event;
    c->actor = strand;
}

void clocks_land(struct machine *m, unsigned agent, unsigned cta)
{
    if (!m->clocks) return;
    happens(m, agent, m->clocks->landing[agent][cta]);
    add_event(m->clocks, &m->clocks->signalled[cta]);
}

void clocks_commit(struct machine *m, unsigned agent)
{
    if (m->clocks) happens(m, agent, m->clocks->committing[agent]);
}

void clocks_read_out(struct machine *m, unsigned agent)
{
    struct clocks *c = m->clocks;
    if (!c) return;
    happens(m, agent, c->storing[agent]);
    if (c->stores[agent] == MACHINE_FIFO)
        clocks_unordered(m, "%s waits for none of %d stores", m->p->agent[agent].name,
                         MACHINE_FIFO);
    else
        c->store[agent][c->stores[agent]++] = c->last[c->actor];
}

/* --- barriers */

void clocks_reach(struct machine *m, unsigned barrier, unsigned cta, bool own)
{
    struct clocks *c = m->clocks;
    if (!c) return;
    must_know(m, own ? &c->initialised[cta] : &c->published[cta], "the first use of",
              m->p->barrier[barrier].name, 0, cta);
    add_event(c, &c->signalled[cta]);
}

/* All that was done with the CTA's barriers. They are at rest, so nobody has arrived. */
static bool knows_phases(const struct machine *m, unsigned cta)
{
    const struct clocks *c = m->clocks;
    bool all = knows(c, c->now, &c->published[cta]);
    for (unsigned i = 0; i < m->p->barrier_count; i++)
        for (unsigned k = 0; k < m->p->depth[m->p->barrier[i].ring]; k++) {
            const struct slot_clocks *b = &c->barrier[i][cta][k];
            all = all && knows(c, c->now, &b->completers) && knows(c, c->now, &b->waited);
        }
    return all;
}

void clocks_init_cta(struct machine *m, const struct machine_state *s, unsigned cta, bool publish)
{
    struct clocks *c = m->clocks;
    if (!c || (publish && s->init[cta] == 2)) return;
    const bool again = !publish && s->init[cta] == 2;
    if ((!again && s->init[cta] != publish) || !knows(c, c->now, &c->initialised[cta]) ||
        (again && !knows_phases(m, cta)))
        clocks_unordered(m, "the barriers of CTA %u are initialised in no order", cta);
    if (again) memset(&c->published[cta], 0, sizeof c->published[cta]);
    add_event(c, publish ? &c->published[cta] : &c->initialised[cta]);
}

void clocks_arrive(struct machine *m, unsigned barrier, unsigned cta, unsigned slot,
                   unsigned pending)
{
    if (!m->clocks) return;
    struct slot_clocks *b = &m->clocks->barrier[barrier][cta][slot];
    must_know(m, &b->completers, "an arrival on", m->p->barrier[barrier].name, slot, cta);
    if (pending == 0)
        clocks_unordered(m, "%s[%u]@%u has more arrivals than it counts",
                         m->p->barrier[barrier].name, slot, cta);
    join(m->clocks, &b->arrived, m->clocks->now);
    add_event(m->clocks, &b->arrivers);
    add_event(m->clocks, &m->clocks->signalled[cta]);
}

void clocks_complete(struct machine *m, unsigned barrier, unsigned cta, unsigned slot)
{
    if (!m->clocks) return;
    struct slot_clocks *b = &m->clocks->barrier[barrier][cta][slot];
    if (!knows(m->clocks, &b->arrived, &b->waited))
        clocks_unordered(m, "a phase of %s[%u]@%u and a wait for the one before are in no order",
                         m->p->barrier[barrier].name, slot, cta);
    b->before = b->completers;
    b->completers = b->arrivers;
    b->completed = b->arrived;
    memset(&b->arrived, 0, sizeof b->arrived);
    memset(&b->arrivers, 0, sizeof b->arrivers);
    memset(&b->waited, 0, sizeof b->waited);
}

void clocks_wait(struct machine *m, unsigned barrier, unsigned cta, unsigned slot)
{
    if (!m->clocks) return;
    struct slot_clocks *b = &m->clocks->barrier[barrier][cta][slot];
    must_know(m, &b->before, "a wait for", m->p->barrier[barrier].name, slot, cta);
    join(m->clocks, m->clocks->now, &b->completed);
    add_event(m->clocks, &b->waited);
}

/* Who went on at the last meeting has to know, when it arrives again, that all had come. */
void clocks_sync(struct machine *m, unsigned sync, unsigned waiting, bool all)
{
    struct clocks *c = m->clocks;
    if (!c) return;
    if (!knows(c, c->now, &c->last_came[sync]))
        clocks_unordered(m, "an arrival at sync %u is in no order with the meeting before", sync);
    add_event(c, &c->came[sync]);
    join(c, &c->met[sync], c->now);
    if (!all) return;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (waiting >> a & 1) join(c, &c->agent[a], &c->met[sync]);
    c->last_came[sync] = c->came[sync];
    memset(&c->came[sync], 0, sizeof c->came[sync]);
    memset(&c->met[sync], 0, sizeof c->met[sync]);
}

/* --- buffers */

void clocks_fill(struct machine *m, unsigned buffer, unsigned cta, unsigned slot, bool fresh)
{
    if (!m->clocks) return;
    const struct data_clocks *b = &m->clocks->buffer[buffer][cta][slot];
    must_know(m, &b->emptied, "filling", m->p->buffer[buffer].name, slot, cta);
    if (fresh) must_know(m, &b->filled, "filling", m->p->buffer[buffer].name, slot, cta);
}

void clocks_filled(struct machine *m, unsigned buffer, unsigned cta, unsigned slot)
{
    if (m->clocks) add_event(m->clocks, &m->clocks->buffer[buffer][cta][slot].filled);
}

void clocks_read(struct machine *m, unsigned buffer, unsigned cta, unsigned slot)
{
    if (m->clocks)
        must_know(m, &m->clocks->buffer[buffer][cta][slot].filled, "reading",
                  m->p->buffer[buffer].name, slot, cta);
}

void clocks_end_read(struct machine *m, unsigned buffer, unsigned cta, unsigned slot, bool begun)
{
    if (!m->clocks) return;
    if (!begun)
        clocks_unordered(m, "a read of %s[%u]@%u ends that did not begin",
                         m->p->buffer[buffer].name, slot, cta);
    add_event(m->clocks, &m->clocks->buffer[buffer][cta][slot].emptied);
}

void clocks_fence(struct machine *m, unsigned buffer, unsigned cta, unsigned slot)
{
    if (m->clocks) add_event(m->clocks, &m->clocks->buffer[buffer][cta][slot].fenced);
}

void clocks_store(struct machine *m, unsigned buffer, unsigned cta, unsigned slot)
{
    if (!m->clocks) return;
    const struct data_clocks *b = &m->clocks->buffer[buffer][cta][slot];
    must_know(m, &b->filled, "storing", m->p->buffer[buffer].name, slot, cta);
    must_know(m, &b->fenced, "storing", m->p->buffer[buffer].name, slot, cta);
}

/* All stores but the last ones have been read: what a store comes after, its agent knows. */
void clocks_wait_read(struct machine *m, unsigned agent, uint32_t but)
{
    struct clocks *c = m->clocks;
    if (!c) return;
    while (c->stores[agent] > but) {
        c->agent[agent].of[c->storing[agent]] = c->store[agent][0];
        c->stores[agent]--;
        for (unsigned i = 0; i < c->stores[agent]; i++) c->store[agent][i] = c->store[agent][i + 1];
    }
}

/* --- the end */

void clocks_leave(struct machine *m, unsigned agent)
{
    struct clocks *c = m->clocks;
    const unsigned cta = m->p->agent[agent].cta;
    if (!c) return;
    if (c->stores[agent])
        clocks_unordered(m, "%s leaves while its store may still read", m->p->agent[agent].name);
    join(c, &c->left[cta], &c->agent[agent]);
    c->has_left[cta] = true;
    memset(&c->agent[agent], 0, sizeof c->agent[agent]);
}

/* A CTA stays until the last signal that one of its agents waits for. */
void clocks_finish(struct machine *m)
{
    for (unsigned cta = 0; cta < m->p->ctas && !m->p->stays; cta++)
        if (!knows(m->clocks, &m->clocks->left[cta], &m->clocks->signalled[cta]))
            clocks_unordered(m, "CTA %u may leave before the last signal to it", cta);
}
