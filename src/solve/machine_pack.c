/* A state as bytes, for the set of states seen: only what the protocol has, so equal states are
 * equal bytes. */
#include "solve/machine.h"

#include <stddef.h>
#include <string.h>

/* One walk serves both directions, so they cannot disagree. */
struct tape {
    uint8_t *out;
    const uint8_t *in;
    size_t at;
};

static void byte(struct tape *t, uint8_t *v)
{
    if (t->out)
        t->out[t->at++] = *v;
    else
        *v = t->in[t->at++];
}

static void word(struct tape *t, int16_t *v)
{
    uint8_t low = (uint8_t)((uint16_t)*v & 255), high = (uint8_t)((uint16_t)*v >> 8);
    byte(t, &low);
    byte(t, &high);
    *v = (int16_t)(uint16_t)(low | high << 8);
}

static void bits(struct tape *t, uint16_t *v)
{
    int16_t signed_bits = (int16_t)*v;
    word(t, &signed_bits);
    *v = (uint16_t)signed_bits;
}

/* A count that is nearly always small: one byte, or a mark and two. */
static void small(struct tape *t, int16_t *v)
{
    const int16_t bias = 100;
    uint8_t one = *v >= -bias && *v < bias ? (uint8_t)(*v + bias) : UINT8_MAX;
    byte(t, &one);
    if (one == UINT8_MAX)
        word(t, v);
    else
        *v = (int16_t)(one - bias);
}

/* Two counts in a byte, the second in the lower bits; in one each where those are too few. */
static void pair(const struct machine *m, struct tape *t, uint8_t *high, uint8_t *low,
                 unsigned bits)
{
    uint8_t both = (uint8_t)(*high << bits | *low);
    if (m->wide) {
        byte(t, high);
        byte(t, low);
        return;
    }
    byte(t, &both);
    *high = (uint8_t)(both >> bits);
    *low = (uint8_t)(both & ((1u << bits) - 1));
}

bool machine_two_rings(const struct machine *m, const struct tmap_step *t)
{
    return t->op != TMAP_STEP_STORE && t->x != UINT8_MAX &&
           m->p->buffer[t->x].ring != m->p->barrier[t->y].ring;
}

/* Bytes that a copy has left are kept only where some have landed, and a barrier's slot where it is
 * not the buffer's. */
static void flights(const struct machine *m, struct tape *t, struct flying *f, uint8_t *count,
                    bool copies)
{
    byte(t, count);
    for (unsigned i = 0; i < *count; i++) {
        byte(t, &f[i].step);
        const struct tmap_step *step = &m->p->step[f[i].step];
        const int16_t all = (int16_t)((int32_t)step->bytes / m->unit);
        uint8_t place = (uint8_t)((copies && f[i].left != all) << 7 | f[i].gen << 4 | f[i].slot);
        byte(t, &place);
        f[i].gen = place >> 4 & 7;
        f[i].slot = place & 15;
        if (machine_two_rings(m, step))
            byte(t, &f[i].at);
        else
            f[i].at = f[i].slot;
        if (place >> 7)
            word(t, &f[i].left);
        else if (copies)
            f[i].left = all;
    }
}

static void agent_bytes(const struct machine *m, struct tape *t, struct machine_agent *a,
                        bool takes_turns)
{
    if (takes_turns) byte(t, &a->tile);
    pair(m, t, &a->part, &a->pc, 5);
    pair(m, t, &a->offset, &a->open, 4);
    byte(t, &a->letter);
    for (unsigned r = 0; r < m->p->ring_count; r++) byte(t, &a->position[r]);
    for (unsigned c = 0; c < m->p->ctas; c++) flights(m, t, a->load[c], &a->loads[c], true);
    flights(m, t, a->store, &a->stores, false);
    flights(m, t, a->commit, &a->commits, false);
}

static void barrier_bytes(const struct machine *m, struct tape *t, struct machine_barrier *b)
{
    pair(m, t, &b->phase, &b->pending, 5);
    small(t, &b->tx);
}

static void buffer_bytes(const struct machine *m, struct tape *t, struct machine_buffer *b)
{
    uint8_t one = (uint8_t)(b->gen << 1 | b->filled);
    uint8_t two = (uint8_t)(b->storing << 3 | (m->wide ? 0 : b->reading));
    pair(m, t, &one, &b->landed, 4);
    pair(m, t, &two, &b->done, 4);
    if (m->wide)
        byte(t, &b->reading);
    else
        b->reading = two & 7;
    b->gen = one >> 1;
    b->filled = one & 1;
    b->storing = two >> 3;
    if (m->writes) bits(t, &b->dirty);
}

static void state_bytes(const struct machine *m, struct tape *t, struct machine_state *s)
{
    const struct tmap_protocol *p = m->p;
    uint8_t head = (uint8_t)(s->window_count << 4 | s->last_letter);
    byte(t, &head);
    s->window_count = head >> 4;
    s->last_letter = head & 15;
    for (unsigned i = 0; i < s->window_count; i++) byte(t, &s->window[i]);
    for (unsigned c = 0; c < p->ctas; c++) byte(t, &s->init[c]);
    for (unsigned a = 0; a < p->agent_count; a++)
        agent_bytes(m, t, &s->agent[a], p->agent[a].every > 1);
    for (unsigned c = 0; c < p->ctas; c++) {
        for (unsigned b = 0; b < p->barrier_count; b++)
            for (unsigned k = 0; k < p->depth[p->barrier[b].ring]; k++)
                barrier_bytes(m, t, &s->barrier[b][c][k]);
        for (unsigned b = 0; b < p->buffer_count; b++)
            for (unsigned k = 0; k < p->depth[p->buffer[b].ring]; k++)
                buffer_bytes(m, t, &s->buffer[b][c][k]);
    }
    for (unsigned i = 0; i < p->sync_count; i++) {
        bits(t, &s->synced[i]);
        if (m->passed) bits(t, &s->passed[i]);
    }
}

size_t machine_pack(const struct machine *m, struct machine_state *s, uint8_t *out)
{
    struct tape t = {out, NULL, 0};
    state_bytes(m, &t, s); /* which writes what it reads back */
    return t.at;
}

size_t machine_unpack(const struct machine *m, const uint8_t *in, struct machine_state *s)
{
    struct tape t = {NULL, in, 0};
    memset(s, 0, sizeof *s);
    state_bytes(m, &t, s);
    return t.at;
}

void machine_copy(const struct machine *m, struct machine_state *to,
                  const struct machine_state *from)
{
    const struct tmap_protocol *p = m->p;
    memcpy(to, from, offsetof(struct machine_state, agent));
    memcpy(to->agent, from->agent, p->agent_count * sizeof from->agent[0]);
    memcpy(to->barrier, from->barrier, p->barrier_count * sizeof from->barrier[0]);
    memcpy(to->buffer, from->buffer, p->buffer_count * sizeof from->buffer[0]);
    memcpy(to->synced, from->synced, sizeof to->synced);
    memcpy(to->passed, from->passed, sizeof to->passed);
}
