// What order.c and shadow.c share.
#ifndef TMAP_EMULATE_ORDER_INSIDE_H
#define TMAP_EMULATE_ORDER_INSIDE_H

#include "emulate/async/grains.h"
#include "emulate/async/order.h"

enum { PER_WARP = AGENT_BARRIER, LOCATION_BUCKETS = 4096 };

struct location {
    struct location *next;
    const void *at;
    uint32_t object;
};

struct emu_order {
    uint32_t per_cta, ctas; // agents of a CTA
    uint32_t shift;         // an agent's number: its CTA's << shift, and its own
    struct emu_clock *object, published;
    uint32_t objects, object_room;
    struct location **bucket;
    struct grains grains;
    bool lost; // something was not written down for want of memory
};

static inline uint32_t agent_cta(const struct emu_order *o, uint32_t agent)
{
    return agent >> o->shift;
}
static inline uint32_t agent_index(const struct emu_order *o, uint32_t agent)
{
    return agent & ((1u << o->shift) - 1);
}

uint32_t emu_clock_seen(const struct emu_machine *m, const struct emu_clock *c, uint32_t agent);
uint32_t emu_clock_async(const struct emu_machine *m, const struct emu_clock *c, uint32_t agent);

#endif
