/* What happened before what in a run of a protocol: vector clocks. A strand is what happens in
 * order by itself: an agent's steps, its copies to one CTA, its commits, its stores as they are
 * read. An event's clock says how much of each strand it comes after; two events neither of which
 * comes after the other may happen in either order.
 *
 * Every two things that would disturb each other in one of the orders are compared as the run meets
 * them, and what is in no order is noted in m->clocks->unordered. A run without such a pair is the
 * only one of its word, but for the order of what does not matter (ordered.c). */
#ifndef TMAP_SOLVE_CLOCKS_H
#define TMAP_SOLVE_CLOCKS_H

#include "solve/machine.h"

enum { MOST_STRANDS = 64 };

struct clock {
    uint16_t of[MOST_STRANDS];
};

/* Of some clocks only those events are kept of which they are made: who comes after these comes
 * after all that they come after. */
struct slot_clocks {                   /* of a barrier's slot */
    struct clock arrived, completed;   /* the phase that is under way; the one before */
    struct clock arrivers, completers; /* the events of those */
    struct clock before;               /* the events of the phase before `completed` */
    struct clock waited;               /* the events of passed waits for `completed` */
};

struct data_clocks { /* events, of a buffer's slot */
    struct clock filled, emptied, fenced;
};

struct clocks {
    uint8_t strands;
    uint8_t landing[TMAP_PROTOCOL_AGENTS][TMAP_PROTOCOL_CTAS]; /* the strand; those of agents are */
    uint8_t storing[TMAP_PROTOCOL_AGENTS], committing[TMAP_PROTOCOL_AGENTS]; /* their numbers */
    uint16_t last[MOST_STRANDS]; /* event of each strand */
    struct clock *now;           /* of the event that is happening */
    unsigned actor;              /* its strand */
    struct clock event;          /* of what no agent does itself */
    char unordered[128];         /* the first two things in no order, in words; else "" */

    struct clock agent[TMAP_PROTOCOL_AGENTS];
    struct slot_clocks barrier[TMAP_PROTOCOL_BARRIERS][TMAP_PROTOCOL_CTAS][TMAP_PROTOCOL_DEPTH];
    struct data_clocks buffer[TMAP_PROTOCOL_BUFFERS][TMAP_PROTOCOL_CTAS][TMAP_PROTOCOL_DEPTH];
    struct clock initialised[TMAP_PROTOCOL_CTAS], published[TMAP_PROTOCOL_CTAS]; /* events */
    struct clock signalled[TMAP_PROTOCOL_CTAS]; /* events that concern the CTA */
    struct clock left[TMAP_PROTOCOL_CTAS];      /* what some agent that left comes after */
    bool has_left[TMAP_PROTOCOL_CTAS];
    struct clock met[TMAP_PROTOCOL_SYNCS]; /* of the meeting that is under way */
    struct clock came[TMAP_PROTOCOL_SYNCS], last_came[TMAP_PROTOCOL_SYNCS]; /* events: arrivals at
                                                                it, and at the one before */
    uint16_t store[TMAP_PROTOCOL_AGENTS][MACHINE_FIFO]; /* read, and not known to be by the agent */
    uint8_t stores[TMAP_PROTOCOL_AGENTS];
};

/* False for a protocol with too many strands, or whose steps clocks say nothing of. */
bool clocks_init(const struct machine *m, struct clocks *c);
/* All that was compared when everybody has left. */
void clocks_finish(struct machine *m);

/* Values as ranks among the events that are kept, so that runs that differ in length alone have
 * equal clocks; false for more events than there is room for. */
bool clocks_normalise(const struct machine *m, const struct machine_state *s, struct clocks *c);
/* Slots of ring r as machine_canonical() turns them, by so many places. */
void clocks_turn(const struct machine *m, struct clocks *c, unsigned r, unsigned by);
/* As bytes, at most CLOCK_BYTES, and back; returns the number, 0 for a clock that holds too much.
 */
#define CLOCK_BYTES ((size_t)2240 * (MOST_STRANDS + 1))
size_t clocks_pack(const struct machine *m, struct clocks *c, uint8_t *out);
void clocks_unpack(const struct machine *m, const uint8_t *in, struct clocks *c);

/* --- what machine_step.c tells, in the order of its steps; each does nothing without clocks */

void clocks_agent(struct machine *m, unsigned agent); /* does its next step */
void clocks_land(struct machine *m, unsigned agent, unsigned cta);
void clocks_commit(struct machine *m, unsigned agent);
void clocks_read_out(struct machine *m, unsigned agent);

void clocks_reach(struct machine *m, unsigned barrier, unsigned cta, bool own);
void clocks_init_cta(struct machine *m, const struct machine_state *s, unsigned cta, bool publish);
/* An arrival, or bytes; pending: arrivals that the phase lacks. */
void clocks_arrive(struct machine *m, unsigned barrier, unsigned cta, unsigned slot,
                   unsigned pending);
void clocks_complete(struct machine *m, unsigned barrier, unsigned cta, unsigned slot);
void clocks_wait(struct machine *m, unsigned barrier, unsigned cta, unsigned slot);
/* An arrival; waiting: the agents that the meeting lets go when all are there. */
void clocks_sync(struct machine *m, unsigned sync, unsigned waiting, bool all);
/* Before a slot is filled (fresh: for the first time in its generation), and when it is. */
void clocks_fill(struct machine *m, unsigned buffer, unsigned cta, unsigned slot, bool fresh);
void clocks_filled(struct machine *m, unsigned buffer, unsigned cta, unsigned slot);
void clocks_read(struct machine *m, unsigned buffer, unsigned cta, unsigned slot);
void clocks_end_read(struct machine *m, unsigned buffer, unsigned cta, unsigned slot, bool begun);
void clocks_fence(struct machine *m, unsigned buffer, unsigned cta, unsigned slot);
void clocks_store(struct machine *m, unsigned buffer, unsigned cta, unsigned slot);
void clocks_wait_read(struct machine *m, unsigned agent, uint32_t but);
void clocks_leave(struct machine *m, unsigned agent);
void clocks_unordered(struct machine *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
