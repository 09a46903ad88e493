// Clocks: of warps, of synchronisation objects, of operations on their way.
#include "emulate/async/order.h"
#include "emulate/async/order_inside.h"

#include <stdlib.h>
#include <string.h>

struct emu_chunk {
    uint32_t *seen, *async; // of each agent of the CTA
};

bool emu_order_open(struct emu_machine *m)
{
    struct emu_order *o = calloc(1, sizeof *o);
    if (!o) return false;
    m->order = o;
    o->per_cta = m->warps * PER_WARP + AGENT_BARRIERS;
    while (1u << o->shift < o->per_cta) o->shift++;
    o->ctas = m->grid[0] * m->grid[1] * m->grid[2];
    o->objects = 1; // object 0 is none
    o->bucket = calloc(LOCATION_BUCKETS, sizeof *o->bucket);
    return o->bucket != NULL && grains_open(&o->grains);
}

bool emu_order_lost(const struct emu_machine *m)
{
    return m->order && m->order->lost;
}

static struct emu_chunk *chunk_at(const struct emu_machine *m, struct emu_clock *c, uint32_t cta)
{
    struct emu_order *o = m->order;
    if (!c->chunk) c->chunk = calloc(o->ctas, sizeof *c->chunk);
    if (!c->chunk) return o->lost = true, NULL;
    if (!c->chunk[cta]) {
        struct emu_chunk *k = calloc(1, sizeof *k + 2 * o->per_cta * sizeof(uint32_t));
        if (!k) return o->lost = true, NULL;
        k->seen = (uint32_t *)(k + 1);
        k->async = k->seen + o->per_cta;
        c->chunk[cta] = k;
    }
    return c->chunk[cta];
}

void emu_clock_free(const struct emu_machine *m, struct emu_clock *c)
{
    for (uint32_t i = 0; c->chunk && i < m->order->ctas; i++) free(c->chunk[i]);
    free(c->chunk);
    c->chunk = NULL;
}

uint32_t emu_clock_seen(const struct emu_machine *m, const struct emu_clock *c, uint32_t agent)
{
    const struct emu_order *o = m->order;
    const struct emu_chunk *k = c->chunk ? c->chunk[agent_cta(o, agent)] : NULL;
    return k ? k->seen[agent_index(o, agent)] : 0;
}

uint32_t emu_clock_async(const struct emu_machine *m, const struct emu_clock *c, uint32_t agent)
{
    const struct emu_order *o = m->order;
    const struct emu_chunk *k = c->chunk[agent_cta(o, agent)]; // a warp knows itself at least
    return k ? k->async[agent_index(o, agent)] : 0;
}

static void raise_to(uint32_t *a, uint32_t b)
{
    *a = *a < b ? b : *a;
}

// The same of n numbers.
IN_VECTORS static void raise_all(uint32_t *restrict a, const uint32_t *restrict b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) a[i] = a[i] < b[i] ? b[i] : a[i];
}

void emu_clock_learn(const struct emu_machine *m, struct emu_clock *c, uint32_t agent, uint32_t now)
{
    const uint32_t i = agent_index(m->order, agent);
    struct emu_chunk *k = chunk_at(m, c, agent_cta(m->order, agent));
    if (!k) return;
    raise_to(&k->seen[i], now);
    raise_to(&k->async[i], now);
}

void emu_clock_join(const struct emu_machine *m, struct emu_clock *to, const struct emu_clock *from)
{
    const struct emu_order *o = m->order;
    to->grid |= from->grid;
    for (uint32_t i = 0; from->chunk && i < o->ctas; i++) {
        const struct emu_chunk *a = from->chunk[i];
        struct emu_chunk *b = a ? chunk_at(m, to, i) : NULL;
        if (!b) continue;
        raise_all(b->seen, a->seen, 2 * o->per_cta); // and async, behind it
    }
}

uint32_t emu_clock_seen_of(const struct emu_warp *w, uint32_t agent)
{
    return emu_clock_seen(w->m, w->clock, agent);
}

// --- agents and objects

uint32_t emu_agent(const struct emu_cta *cta, enum emu_agent_kind kind, uint32_t index)
{
    const struct emu_machine *m = cta->m;
    if (!m->order) return 0;
    const uint32_t base = cta->number << m->order->shift;
    if (kind == AGENT_BARRIER) return base + PER_WARP * m->warps + index % AGENT_BARRIERS;
    return base + PER_WARP * index + (uint32_t)kind;
}

uint32_t emu_object(struct emu_machine *m)
{
    struct emu_order *o = m->order;
    if (!o) return 0;
    if (o->objects == o->object_room || o->object_room == 0) {
        const uint32_t room = o->object_room ? 2 * o->object_room : 0x400;
        struct emu_clock *larger = realloc(o->object, room * sizeof *larger);
        if (!larger) return o->lost = true, 0;
        memset(larger + o->object_room, 0, (room - o->object_room) * sizeof *larger);
        o->object = larger;
        o->object_room = room;
    }
    return o->objects++;
}

void emu_order_close(struct emu_machine *m)
{
    struct emu_order *o = m->order;
    if (!o) return;
    for (uint32_t i = 0; i < o->object_room; i++) emu_clock_free(m, &o->object[i]);
    emu_clock_free(m, &o->published);
    for (uint32_t i = 0; o->bucket && i < LOCATION_BUCKETS; i++)
        while (o->bucket[i]) {
            struct location *next = o->bucket[i]->next;
            free(o->bucket[i]);
            o->bucket[i] = next;
        }
    grains_close(&o->grains);
    free(o->bucket);
    free(o->object);
    free(o);
    m->order = NULL;
}

bool emu_order_warp(struct emu_warp *w)
{
    if (!w->m->order) return true;
    w->clock = calloc(1, sizeof *w->clock);
    w->pending_order = emu_object(w->m);
    if (!w->clock) return false;
    struct emu_chunk *k = chunk_at(w->m, w->clock, agent_cta(w->m->order, w->agent));
    if (!k) return false;
    w->epoch = &k->seen[agent_index(w->m->order, w->agent)];
    *w->epoch = 1; // epochs begin here; nothing is fenced
    return true;
}

void emu_order_warp_free(struct emu_warp *w)
{
    if (w->clock) emu_clock_free(w->m, w->clock);
    free(w->clock);
}

// --- what warps do

uint32_t emu_now(const struct emu_warp *w)
{
    return w->epoch ? *w->epoch : 0;
}

struct emu_actor emu_actor_of(struct emu_warp *w, const struct emu_insn *in, uint32_t lane)
{
    return (struct emu_actor){.agent = w->agent,
                              .now = emu_now(w),
                              .proxy = PROXY_GENERIC,
                              .clock = w->clock,
                              .warp = w,
                              .in = in,
                              .lane = lane};
}

// The own async entry stays behind: a later write is not fenced by an earlier fence.
static void tick(struct emu_warp *w)
{
    (*w->epoch)++;
}

void emu_release(struct emu_warp *w, uint32_t object)
{
    if (!object) return;
    emu_clock_join(w->m, &w->m->order->object[object], w->clock);
    tick(w);
}

void emu_release_fenced(struct emu_warp *w, uint32_t object)
{
    if (!object || w->fence_now == 0) return;
    const uint32_t now = *w->epoch;
    *w->epoch = w->fence_now;
    emu_clock_join(w->m, &w->m->order->object[object], w->clock);
    *w->epoch = now;
}

void emu_acquire(struct emu_warp *w, uint32_t object)
{
    if (object) emu_clock_join(w->m, w->clock, &w->m->order->object[object]);
}

void emu_join(struct emu_machine *m, uint32_t object, uint32_t from)
{
    if (object) emu_clock_join(m, &m->order->object[object], &m->order->object[from]);
}

void emu_hand_over(struct emu_machine *m, uint32_t from, uint32_t to)
{
    struct emu_order *o = m->order;
    if (!from || !to) return;
    const struct emu_clock empty = o->object[to];
    o->object[to] = o->object[from];
    o->object[from] = empty;
    o->object[from].grid = false;
    for (uint32_t i = 0; empty.chunk && i < o->ctas; i++)
        if (empty.chunk[i]) memset(empty.chunk[i]->seen, 0, 2 * o->per_cta * sizeof(uint32_t));
}

void emu_observe(struct emu_warp *w, uint32_t agent, uint32_t now)
{
    if (w->clock) emu_clock_learn(w->m, w->clock, agent, now);
}

void emu_observe_grid(struct emu_warp *w)
{
    if (w->clock) w->clock->grid = true;
}

void emu_release_epoch(struct emu_machine *m, uint32_t agent, uint32_t now, uint32_t object)
{
    if (object) emu_clock_learn(m, &m->order->object[object], agent, now);
}

void emu_fence_async(struct emu_warp *w)
{
    if (!w->clock) return;
    const struct emu_order *o = w->m->order;
    for (uint32_t i = 0; i < o->ctas; i++) {
        struct emu_chunk *k = w->clock->chunk[i];
        if (k) raise_all(k->async, k->seen, o->per_cta);
    }
    tick(w);
}

bool emu_has_seen(const struct emu_warp *w, uint32_t agent, uint32_t now)
{
    return emu_clock_seen(w->m, w->clock, agent) >= now;
}

bool emu_has_fenced(const struct emu_warp *w, uint32_t agent, uint32_t now)
{
    return emu_clock_async(w->m, w->clock, agent) >= now;
}

void emu_maps_released(struct emu_warp *w)
{
    if (!w->clock) return;
    emu_clock_learn(w->m, &w->m->order->published, w->agent, emu_now(w));
    tick(w);
}

struct emu_clock emu_snapshot(const struct emu_warp *w)
{
    struct emu_clock c = {0};
    if (w->clock) emu_clock_join(w->m, &c, w->clock);
    return c;
}

// --- strong accesses to a location, and fences (PTX ISA, release and acquire patterns)

static uint32_t location(struct emu_machine *m, const void *at, bool make)
{
    struct emu_order *o = m->order;
    struct location **head = &o->bucket[((uintptr_t)at >> 2) * 2654435761u % LOCATION_BUCKETS];
    for (struct location *l = *head; l; l = l->next)
        if (l->at == at) return l->object;
    if (!make) return 0;
    struct location *l = malloc(sizeof *l);
    if (!l) return o->lost = true, 0;
    *l = (struct location){*head, at, emu_object(m)};
    *head = l;
    return l->object;
}

void emu_strong_read(struct emu_warp *w, const void *at, bool acquires)
{
    if (!w->clock) return;
    const uint32_t object = location(w->m, at, false);
    if (!object) return;
    if (acquires)
        emu_acquire(w, object);
    else
        emu_join(w->m, w->pending_order, object);
}

// A relaxed write after a fence publishes what came before the fence.
void emu_strong_write(struct emu_warp *w, const void *at, bool releases)
{
    if (!w->clock || (!releases && w->fence_now == 0)) return;
    const uint32_t object = location(w->m, at, true);
    if (!object) return;
    uint32_t *own = w->epoch;
    const uint32_t now = *own;
    if (!releases) *own = w->fence_now;
    emu_clock_join(w->m, &w->m->order->object[object], w->clock);
    *own = now + (releases ? 1 : 0);
}

void emu_fence(struct emu_warp *w)
{
    if (!w->clock) return;
    emu_acquire(w, w->pending_order);
    w->fence_now = emu_now(w);
    tick(w);
}
