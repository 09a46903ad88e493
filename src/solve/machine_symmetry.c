/* The symmetries of a protocol's states: they divide the number of states to explore. */
#include "solve/machine.h"

#include <string.h>

/* Turns a slot and its generation (or phase) back by `by` places of a ring. */
static void turn(const struct machine *m, unsigned of_ring, unsigned by, uint8_t *slot,
                 uint8_t *generation)
{
    const unsigned depth = m->p->depth[of_ring], all = depth * GENERATIONS;
    const unsigned at = (*generation * depth + *slot + all - by) % all;
    *slot = (uint8_t)(at % depth);
    *generation = (uint8_t)(at / depth);
}

static void turn_flights(const struct machine *m, unsigned of_ring, unsigned by, struct flying *f,
                         unsigned count)
{
    const unsigned all = m->p->depth[of_ring] * GENERATIONS;
    for (unsigned i = 0; i < count; i++) {
        const struct tmap_step *t = &m->p->step[f[i].step];
        const unsigned own = t->x == UINT8_MAX ? m->p->barrier[t->y].ring : m->p->buffer[t->x].ring;
        if (own == of_ring) turn(m, of_ring, by, &f[i].slot, &f[i].gen);
        if (!machine_two_rings(m, t))
            f[i].at = f[i].slot;
        else if (m->p->barrier[t->y].ring == of_ring)
            f[i].at = (uint8_t)((f[i].at + all - by) % m->p->depth[of_ring]);
    }
}

static void turn_agents(const struct machine *m, struct machine_state *s, unsigned r, unsigned by)
{
    const unsigned all = m->p->depth[r] * GENERATIONS;
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        struct machine_agent *g = &s->agent[a];
        if (g->part != TMAP_PARTS && m->uses_ring[a][r])
            g->position[r] = (uint8_t)((g->position[r] + all - by) % all);
        for (unsigned c = 0; c < m->p->ctas; c++) turn_flights(m, r, by, g->load[c], g->loads[c]);
        turn_flights(m, r, by, g->store, g->stores);
        turn_flights(m, r, by, g->commit, g->commits);
    }
}

static void turn_objects(const struct machine *m, struct machine_state *s, unsigned r, unsigned by,
                         unsigned cta)
{
    for (unsigned b = 0; b < m->p->barrier_count; b++) {
        struct machine_barrier was[TMAP_PROTOCOL_DEPTH];
        if (m->p->barrier[b].ring != r) continue;
        memcpy(was, s->barrier[b][cta], sizeof was);
        for (uint8_t k = 0; k < m->p->depth[r]; k++) {
            uint8_t slot = k;
            turn(m, r, by, &slot, &was[k].phase);
            s->barrier[b][cta][slot] = was[k];
        }
    }
    for (unsigned b = 0; b < m->p->buffer_count; b++) {
        struct machine_buffer was[TMAP_PROTOCOL_DEPTH];
        if (m->p->buffer[b].ring != r) continue;
        memcpy(was, s->buffer[b][cta], sizeof was);
        for (uint8_t k = 0; k < m->p->depth[r]; k++) {
            uint8_t slot = k;
            turn(m, r, by, &slot, &was[k].gen);
            if (!was[k].filled) was[k].gen = 0;
            s->buffer[b][cta][slot] = was[k];
        }
    }
}

static unsigned sync_bits(const struct machine *m, const struct machine_state *s, unsigned a)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < m->p->sync_count; i++)
        bits |= (s->synced[i] >> a & 1u) << i | (s->passed[i] >> a & 1u)
                                                    << (TMAP_PROTOCOL_SYNCS + i);
    return bits;
}

static void swap_bits(uint16_t *of, unsigned a, unsigned b)
{
    const unsigned x = (*of >> a ^ *of >> b) & 1u;
    *of ^= (uint16_t)(x << a | x << b);
}

static void swap_agents(const struct machine *m, struct machine_state *s, unsigned a, unsigned b)
{
    const struct machine_agent swap = s->agent[b];
    s->agent[b] = s->agent[a];
    s->agent[a] = swap;
    for (unsigned i = 0; i < m->p->sync_count; i++) {
        swap_bits(&s->synced[i], a, b);
        swap_bits(&s->passed[i], a, b);
    }
}

/* Sorts interchangeable agents. */
static void sort_symmetric(const struct machine *m, struct machine_state *s)
{
    for (unsigned a = 1; a < m->p->agent_count; a++)
        for (unsigned b = a; b > 0 && m->alike[b] == m->alike[b - 1]; b--) {
            const int order = memcmp(&s->agent[b - 1], &s->agent[b], sizeof s->agent[b]);
            if (order < 0 || (order == 0 && sync_bits(m, s, b - 1) <= sync_bits(m, s, b))) break;
            swap_agents(m, s, b - 1, b);
        }
}

/* Where barriers are made again, the first slot and phase are like no others. */
unsigned machine_turn(const struct machine *m, const struct machine_state *s, unsigned r)
{
    if (m->remakes) return 0;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (m->uses_ring[a][r] && s->agent[a].part != TMAP_PARTS) return s->agent[a].position[r];
    return 0;
}

/* Two symmetries: all positions of a ring may turn together, and agents with one program may change
 * places. Each state is replaced by one that stands for all its images. */
void machine_canonical(const struct machine *m, struct machine_state *s)
{
    for (unsigned r = 0; r < m->p->ring_count; r++) {
        const unsigned by = machine_turn(m, s, r);
        if (by == 0) continue;
        turn_agents(m, s, r, by);
        for (unsigned c = 0; c < m->p->ctas; c++) turn_objects(m, s, r, by, c);
    }
    sort_symmetric(m, s);
}
