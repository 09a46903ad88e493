/* Clocks as they are kept with a state: ranks, turned as its rings are, as bytes. */
#include "solve/clocks.h"

#include <string.h>

enum {
    MOST_ROWS = TMAP_PROTOCOL_AGENTS + TMAP_PROTOCOL_CTAS * 4 + TMAP_PROTOCOL_SYNCS * 3 +
                TMAP_PROTOCOL_CTAS * TMAP_PROTOCOL_DEPTH *
                    (6 * TMAP_PROTOCOL_BARRIERS + 3 * TMAP_PROTOCOL_BUFFERS),
    MOST_EVENTS = 4096 /* of a strand from one state to the next */
};
_Static_assert((size_t)MOST_ROWS *(MOST_STRANDS + 1) + 256 <= CLOCK_BYTES, "bytes of a clock");

struct rows {
    struct clock *of[MOST_ROWS];
    size_t events, count; /* those of events come first */
};

static void slot_events(const struct machine *m, struct clocks *c, unsigned cta, struct rows *r)
{
    for (unsigned b = 0; b < m->p->barrier_count; b++)
        for (unsigned k = 0; k < m->p->depth[m->p->barrier[b].ring]; k++) {
            struct slot_clocks *s = &c->barrier[b][cta][k];
            r->of[r->count++] = &s->arrivers;
            r->of[r->count++] = &s->completers;
            r->of[r->count++] = &s->before;
            r->of[r->count++] = &s->waited;
        }
    for (unsigned b = 0; b < m->p->buffer_count; b++)
        for (unsigned k = 0; k < m->p->depth[m->p->buffer[b].ring]; k++) {
            struct data_clocks *s = &c->buffer[b][cta][k];
            r->of[r->count++] = &s->filled;
            r->of[r->count++] = &s->emptied;
            r->of[r->count++] = &s->fenced;
        }
}

/* All clocks of the protocol, always in one order. */
static void find_rows(const struct machine *m, struct clocks *c, struct rows *r)
{
    r->count = 0;
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        r->of[r->count++] = &c->initialised[cta];
        r->of[r->count++] = &c->published[cta];
        r->of[r->count++] = &c->signalled[cta];
        slot_events(m, c, cta, r);
    }
    for (unsigned i = 0; i < m->p->sync_count; i++) {
        r->of[r->count++] = &c->came[i];
        r->of[r->count++] = &c->last_came[i];
    }
    r->events = r->count;
    for (unsigned a = 0; a < m->p->agent_count; a++) r->of[r->count++] = &c->agent[a];
    for (unsigned i = 0; i < m->p->sync_count; i++) r->of[r->count++] = &c->met[i];
    for (unsigned cta = 0; cta < m->p->ctas; cta++) {
        r->of[r->count++] = &c->left[cta];
        for (unsigned b = 0; b < m->p->barrier_count; b++)
            for (unsigned k = 0; k < m->p->depth[m->p->barrier[b].ring]; k++) {
                r->of[r->count++] = &c->barrier[b][cta][k].arrived;
                r->of[r->count++] = &c->barrier[b][cta][k].completed;
            }
    }
}

/* What every agent knows that still does something, and what every CTA that somebody left is known
 * to come after: older events need not be told apart. */
static uint16_t floor_of(const struct machine *m, const struct machine_state *s,
                         const struct clocks *c, unsigned strand)
{
    uint16_t least = UINT16_MAX;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (s->agent[a].part != TMAP_PARTS && c->agent[a].of[strand] < least)
            least = c->agent[a].of[strand];
    for (unsigned cta = 0; cta < m->p->ctas; cta++)
        if (c->has_left[cta] && c->left[cta].of[strand] < least) least = c->left[cta].of[strand];
    return least;
}

static int owner_of_stores(const struct machine *m, const struct clocks *c, unsigned strand)
{
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (c->storing[a] == strand && c->stores[a]) return (int)a;
    return -1;
}

/* The rank of a value is the number of events up to it that somebody may not know. */
static bool rank_strand(const struct machine *m, struct clocks *c, unsigned strand, uint16_t least,
                        const struct rows *r)
{
    uint16_t rank[MOST_EVENTS] = {0}, known = 0;
    const int owner = owner_of_stores(m, c, strand);
    if (c->last[strand] >= MOST_EVENTS) return false;
    for (size_t i = 0; i < r->events; i++)
        if (r->of[i]->of[strand] > least) rank[r->of[i]->of[strand]] = 1;
    for (unsigned i = 0; owner >= 0 && i < c->stores[owner]; i++) rank[c->store[owner][i]] = 1;
    for (unsigned v = 0; v <= c->last[strand]; v++) known = rank[v] = (uint16_t)(known + rank[v]);
    for (size_t i = 0; i < r->count; i++) {
        const uint16_t v = r->of[i]->of[strand];
        r->of[i]->of[strand] = v > least ? rank[v] : 0;
    }
    for (unsigned i = 0; owner >= 0 && i < c->stores[owner]; i++)
        c->store[owner][i] = rank[c->store[owner][i]];
    c->last[strand] = known;
    return true;
}

bool clocks_normalise(const struct machine *m, const struct machine_state *s, struct clocks *c)
{
    struct rows r;
    find_rows(m, c, &r);
    for (unsigned strand = 0; strand < c->strands; strand++)
        if (!rank_strand(m, c, strand, floor_of(m, s, c, strand), &r)) return false;
    return true;
}

static void turn_barrier(struct slot_clocks of[TMAP_PROTOCOL_DEPTH], unsigned depth, unsigned by)
{
    struct slot_clocks was[TMAP_PROTOCOL_DEPTH];
    memcpy(was, of, sizeof was);
    for (unsigned k = 0; k < depth; k++) of[k] = was[(k + by) % depth];
}

static void turn_buffer(struct data_clocks of[TMAP_PROTOCOL_DEPTH], unsigned depth, unsigned by)
{
    struct data_clocks was[TMAP_PROTOCOL_DEPTH];
    memcpy(was, of, sizeof was);
    for (unsigned k = 0; k < depth; k++) of[k] = was[(k + by) % depth];
}

void clocks_turn(const struct machine *m, struct clocks *c, unsigned r, unsigned by)
{
    const unsigned depth = m->p->depth[r];
    for (unsigned cta = 0; by % depth && cta < m->p->ctas; cta++) {
        for (unsigned b = 0; b < m->p->barrier_count; b++)
            if (m->p->barrier[b].ring == r) turn_barrier(c->barrier[b][cta], depth, by);
        for (unsigned b = 0; b < m->p->buffer_count; b++)
            if (m->p->buffer[b].ring == r) turn_buffer(c->buffer[b][cta], depth, by);
    }
}

static bool is_zero(const struct clocks *c, const struct clock *row)
{
    for (unsigned i = 0; i < c->strands; i++)
        if (row->of[i]) return false;
    return true;
}

size_t clocks_pack(const struct machine *m, struct clocks *c, uint8_t *out)
{
    struct rows r;
    size_t n = 0;
    find_rows(m, c, &r);
    for (unsigned i = 0; i < c->strands; i++)
        if (c->last[i] > UINT8_MAX) return 0;
    for (unsigned cta = 0; cta < m->p->ctas; cta++) out[n++] = c->has_left[cta];
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        out[n++] = c->stores[a];
        for (unsigned i = 0; i < c->stores[a]; i++) out[n++] = (uint8_t)c->store[a][i];
    }
    for (size_t i = 0; i < r.count; i++) {
        const bool zero = is_zero(c, r.of[i]);
        out[n++] = !zero;
        for (unsigned k = 0; !zero && k < c->strands; k++) out[n++] = (uint8_t)r.of[i]->of[k];
    }
    return n;
}

void clocks_unpack(const struct machine *m, const uint8_t *in, struct clocks *c)
{
    struct rows r;
    size_t n = 0;
    find_rows(m, c, &r);
    memset(c->last, 0, sizeof c->last);
    c->unordered[0] = 0;
    for (unsigned cta = 0; cta < m->p->ctas; cta++) c->has_left[cta] = in[n++];
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        c->stores[a] = in[n++];
        for (unsigned i = 0; i < c->stores[a]; i++) {
            c->last[c->storing[a]] = c->store[a][i] = in[n++]; /* in their order */
        }
    }
    for (size_t i = 0; i < r.count; i++) {
        const bool zero = !in[n++];
        for (unsigned k = 0; k < c->strands; k++) {
            r.of[i]->of[k] = zero ? 0 : in[n++];
            if (r.of[i]->of[k] > c->last[k]) c->last[k] = r.of[i]->of[k];
        }
    }
}
