/* Barriers are initialised, and again: what a barrier made anew needs of the one that it was. */
#include "solve/clocks.h"

static bool signals(const struct machine *m, const struct machine_state *s, unsigned agent,
                    unsigned barrier, unsigned cta, unsigned slot)
{
    const struct machine_agent *a = &s->agent[agent];
    for (unsigned to = 0; to < m->p->ctas; to++)
        for (unsigned i = 0; i < a->loads[to]; i++) {
            const struct tmap_step *t = &m->p->step[a->load[to][i].step];
            const unsigned home = t->signal ? t->signal - 1u : to;
            if (t->y == barrier && home == cta && a->load[to][i].at == slot) return true;
        }
    for (unsigned i = 0; i < a->commits; i++) {
        const struct tmap_step *t = &m->p->step[a->commit[i].step];
        const unsigned mask = t->ctas ? t->ctas : 1u << m->p->agent[agent].cta;
        if (t->y == barrier && (mask >> cta & 1) && a->commit[i].at == slot) return true;
    }
    return false;
}

/* Nothing has arrived in the phase, and nothing is on its way to it. */
static bool is_at_rest(const struct machine *m, const struct machine_state *s, unsigned barrier,
                       unsigned cta, unsigned slot)
{
    const struct machine_barrier *b = &s->barrier[barrier][cta][slot];
    if (b->pending != m->p->barrier[barrier].count || b->tx) return false;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (signals(m, s, a, barrier, cta, slot)) return false;
    return true;
}

static bool may_init(struct machine *m, const struct machine_state *s, unsigned cta)
{
    for (unsigned b = 0; b < m->p->barrier_count; b++) {
        const unsigned ring = m->p->barrier[b].ring, depth = m->p->depth[ring];
        for (unsigned k = 0; k < depth; k++)
            if (!is_at_rest(m, s, b, cta, k))
                machine_fail(m, TMAP_HAZARD_ALIAS,
                             "%s[%u]@%u is initialised again while a phase is under way",
                             m->p->barrier[b].name, (k + m->turned[ring]) % depth, cta);
    }
    return m->fault == TMAP_HAZARD_NONE;
}

static bool has_barrier(const struct machine *m, unsigned ring)
{
    for (unsigned b = 0; b < m->p->barrier_count; b++)
        if (m->p->barrier[b].ring == ring) return true;
    return false;
}

/* What slots hold is of the generation before the first. */
static void begin_anew(const struct machine *m, struct machine_state *s, unsigned cta)
{
    for (unsigned b = 0; b < m->p->barrier_count; b++)
        for (unsigned k = 0; k < m->p->depth[m->p->barrier[b].ring]; k++)
            s->barrier[b][cta][k].phase = 0;
    for (unsigned b = 0; b < m->p->buffer_count; b++)
        for (unsigned k = 0; k < m->p->depth[m->p->buffer[b].ring]; k++)
            if (s->buffer[b][cta][k].filled && has_barrier(m, m->p->buffer[b].ring))
                s->buffer[b][cta][k].gen = GENERATIONS - 1;
}

enum machine_outcome machine_init_step(struct machine *m, struct machine_state *s, unsigned agent,
                                       const struct tmap_step *t)
{
    const unsigned cta = m->p->agent[agent].cta;
    const bool makes = t->op == TMAP_STEP_INIT, again = makes && s->init[cta] == 2;
    if (again && !may_init(m, s, cta)) return STEP_STOP;
    clocks_init_cta(m, s, cta, !makes);
    if (again) begin_anew(m, s, cta);
    s->init[cta] = makes ? 1 : 2;
    machine_names(m, agent, false, "");
    machine_trace(m, "        %s the barriers of CTA %u\n", makes ? "initialises" : "publishes",
                  cta);
    return again ? STEP_STOP : STEP_GO;
}
