/* Protocols that tests write step by step: the steps of a part of an agent one after another. */
#ifndef TMAP_TESTS_PROTOCOL_STEPS_H
#define TMAP_TESTS_PROTOCOL_STEPS_H

#include "tmap/protocol.h"

static inline void put(struct tmap_protocol *p, struct tmap_agent *g, enum tmap_part part,
                       struct tmap_step s)
{
    if (g->count[part]++ == 0) g->first[part] = p->step_count;
    p->step[p->step_count++] = s;
}

/* PUT(p, 0, BLOCK, WAIT, .x = FULL) */
#define PUT(p, agent_number, part, ...)                                                            \
    put(p, &(p)->agent[agent_number], TMAP_PART_##part,                                            \
        (struct tmap_step){.op = TMAP_STEP_##__VA_ARGS__})

#endif
