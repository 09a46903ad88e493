/* The automaton behind protocol.h: one state, and what a step of an agent does to it. */
#ifndef TMAP_SOLVE_MACHINE_H
#define TMAP_SOLVE_MACHINE_H

#include "tmap/solve.h"

#define MACHINE_WINDOW 14           /* letters between the slowest and the fastest agent */
#define MACHINE_MOST 15             /* of what a slot counts: fills that landed, reads that ended */
#define MACHINE_READING 7           /* reads of a slot at a time */
#define MACHINE_STEPS 31            /* of a part, and arrivals of a phase */
#define MACHINE_FIFO 12             /* copies on their way, per agent and CTA */
#define LETTER_LATER TMAP_PART_TILE /* in the window: a block, the last of its tile or not */
#define GENERATIONS 8 /* of slots and phases: what lags by more is a fault long before */

/* Things that happen apart from agents, in order per agent (and CTA). */
struct flying {
    uint8_t step, slot, gen; /* of the buffer; of a commit that ends no read, of the barrier */
    uint8_t at;              /* the barrier's slot */
    int16_t left;            /* of the copy, in units */
};

struct machine_state {
    uint8_t window_count, last_letter, window[MACHINE_WINDOW];
    uint8_t init[TMAP_PROTOCOL_CTAS]; /* 0 not initialised, 1 initialised, 2 visible to all */
    struct machine_agent {
        uint8_t part, pc; /* part TMAP_PARTS: left */
        uint8_t offset;   /* letters of the window taken */
        uint8_t letter;   /* the one it is in */
        uint8_t open;     /* reads begun and not ended */
        uint8_t tile;     /* of who takes turns: whose tile it is */
        uint8_t position[TMAP_PROTOCOL_RINGS];
        uint8_t loads[TMAP_PROTOCOL_CTAS], stores, commits;
        struct flying load[TMAP_PROTOCOL_CTAS][MACHINE_FIFO];
        struct flying store[MACHINE_FIFO], commit[MACHINE_FIFO];
    } agent[TMAP_PROTOCOL_AGENTS];
    struct machine_barrier {
        uint8_t phase, pending;
        int16_t tx;
    } barrier[TMAP_PROTOCOL_BARRIERS][TMAP_PROTOCOL_CTAS][TMAP_PROTOCOL_DEPTH];
    struct machine_buffer {
        uint8_t filled, gen, landed, reading, done, storing;
        uint16_t dirty; /* agents whose generic writes no fence has published */
    } buffer[TMAP_PROTOCOL_BUFFERS][TMAP_PROTOCOL_CTAS][TMAP_PROTOCOL_DEPTH];
    uint16_t synced[TMAP_PROTOCOL_SYNCS]; /* members that have arrived */
    uint16_t passed[TMAP_PROTOCOL_SYNCS]; /* of these, who went on */
};

struct clocks; /* clocks.h */

struct machine {
    const struct tmap_protocol *p;
    struct clocks *clocks; /* of the run, where it is followed by one; else NULL */
    int32_t unit;          /* greatest common divisor of all byte counts */
    uint8_t parts[TMAP_PROTOCOL_BUFFERS][TMAP_PROTOCOL_CTAS];   /* copies that fill a slot */
    uint8_t readers[TMAP_PROTOCOL_BUFFERS][TMAP_PROTOCOL_CTAS]; /* reads that empty it */
    enum tmap_hazard fault;
    char detail[128];
    char *trace; /* text of the steps taken, when wanted */
    size_t trace_size, trace_length;
    unsigned actor, last_named; /* whose step it is; 1 + whose name was printed last, or copies' */
    bool copies;                /* of the actor */
    unsigned turned[TMAP_PROTOCOL_RINGS]; /* by how far the states of the trace are, in all */
    bool truncated;
    bool wide;                             /* it counts beyond the four limits above: up to 255 */
    bool paced[TMAP_PROTOCOL_BARRIERS];    /* see machine_pace.c */
    bool awaited[TMAP_PROTOCOL_BUFFERS];   /* the copies into it, by who reads it */
    bool plain;                            /* moves that nobody sees are not made before others */
    bool writes;                           /* some agent writes through the generic proxy */
    uint8_t passed;                        /* named barriers from which some agent goes on */
    bool remakes;                          /* barriers may be initialised, or rings begun, again */
    bool idle_blocks;                      /* no agent does anything in a block */
    bool minds_ends[TMAP_PROTOCOL_AGENTS]; /* does something at the ends of a tile */
    bool uses_ring[TMAP_PROTOCOL_AGENTS][TMAP_PROTOCOL_RINGS];
    uint8_t alike[TMAP_PROTOCOL_AGENTS]; /* the first of the agents that each is symmetric with */
};

/* What can happen next, as a number: an agent's block with the letter it takes, or an event. */
enum machine_event { EVENT_AGENT, EVENT_LAND, EVENT_PART, EVENT_STORE, EVENT_COMMIT };
struct machine_move {
    uint8_t event, agent, cta, letter;
};

/* False for a protocol that refers outside itself. */
bool machine_prepare(struct machine *m, const struct tmap_protocol *p);
void machine_pace(struct machine *m);
void machine_await(struct machine *m);
void machine_start(const struct machine *m, struct machine_state *s);

/* Per agent: a copy to each CTA that lands or lands in part, a store, a commit, and its own blocks.
 */
#define MACHINE_MOVES (TMAP_PROTOCOL_AGENTS * (2 * TMAP_PROTOCOL_CTAS + 2 + 4))

/* Of a state as bytes: each member takes its size at most, and a barrier's count a mark more. */
#define MACHINE_BYTES                                                                              \
    (sizeof(struct machine_state) +                                                                \
     TMAP_PROTOCOL_BARRIERS * TMAP_PROTOCOL_CTAS * TMAP_PROTOCOL_DEPTH)

/* The moves worth trying in s; at most MACHINE_MOVES. */
size_t machine_moves(struct machine *m, const struct machine_state *s, struct machine_move *out);
/* Makes a move. False when it is not possible in s (s is then spoiled). On a fault, m->fault. */
bool machine_apply(struct machine *m, struct machine_state *s, struct machine_move move);
/* Makes the moves that nobody else can see. */
void machine_settle(struct machine *m, struct machine_state *s);
/* The run of one agent, for ordered.c. Letters of the word: machine_take() those that are there,
 * false when nothing changed; machine_choices() and machine_choose(), which adds one; and
 * machine_drop() those that everybody has taken. */
bool machine_take(const struct machine *m, struct machine_state *s, unsigned agent);
size_t machine_choices(struct machine *m, const struct machine_state *s, struct machine_move *out);
void machine_choose(const struct machine *m, struct machine_state *s, struct machine_move move);
void machine_drop(const struct machine *m, struct machine_state *s);
void machine_leave(struct machine *m, struct machine_state *s, unsigned agent);
/* Whether the step is left out, for want of open reads or in another's tile. */
bool machine_skips(const struct machine *m, const struct machine_state *s, unsigned agent,
                   const struct tmap_step *t);
/* Whether the agent has arrived at the meeting that step t waits for. */
bool machine_awaits(const struct machine_state *s, unsigned agent, const struct tmap_step *t);
/* machine_turn() : how far machine_canonical() turns ring r back. */
unsigned machine_turn(const struct machine *m, const struct machine_state *s, unsigned r);
void machine_canonical(const struct machine *m, struct machine_state *s);
bool machine_finished(const struct machine *m, const struct machine_state *s);

/* tmap_protocol_explore() by every order of the moves, with or without the reductions that order
 * them; both find a fault, or neither does (tests/solve/test_reductions.c). */
enum tmap_status explore_protocol(const struct tmap_protocol *protocol, bool plain, void *workspace,
                                  size_t workspace_bytes, struct tmap_protocol_result *result,
                                  char *trace, size_t trace_size);
/* By one run of each word (ordered.c). LEGAL: a proof. ILLEGAL: a fault that the run meets, in the
 * trace. UNKNOWN: two things are in no order, which detail names, or there is no room. */
enum tmap_status explore_ordered(const struct tmap_protocol *protocol, void *workspace,
                                 size_t workspace_bytes, struct tmap_protocol_result *result,
                                 char *trace, size_t trace_size);
/* When nobody can move. */
void machine_judge_stuck(struct machine *m, const struct machine_state *s);

/* One state as bytes, the unused parts left out; returns their number. */
size_t machine_pack(const struct machine *m, struct machine_state *s, uint8_t *out);
/* The parts that the protocol has. */
void machine_copy(const struct machine *m, struct machine_state *to,
                  const struct machine_state *from);
/* Whether what is in flight has a barrier whose slots are of another ring than its buffer's. */
bool machine_two_rings(const struct machine *m, const struct tmap_step *t);
/* Returns the bytes read. */
size_t machine_unpack(const struct machine *m, const uint8_t *in, struct machine_state *s);

/* machine_step.c */
enum machine_outcome { STEP_GO, STEP_STOP, STEP_BLOCKED };
enum machine_outcome machine_step(struct machine *m, struct machine_state *s, unsigned agent,
                                  const struct tmap_step *step, bool first);
/* machine_init.c: INIT and FENCE_INIT. */
enum machine_outcome machine_init_step(struct machine *m, struct machine_state *s, unsigned agent,
                                       const struct tmap_step *step);
bool machine_land(struct machine *m, struct machine_state *s, unsigned agent, unsigned cta,
                  bool all);
void machine_read_out(struct machine *m, struct machine_state *s, unsigned agent);
void machine_committed(struct machine *m, struct machine_state *s, unsigned agent);
void machine_fail(struct machine *m, enum tmap_hazard fault, const char *format, ...);
/* The trace. machine_names() : whose the next lines are, printed where it changes; `before` is the
 * number of a move, or "". machine_trace_waits() : what everybody who is stuck waits for. */
void machine_trace(struct machine *m, const char *format, ...);
void machine_names(struct machine *m, unsigned agent, bool copies, const char *before);
void machine_trace_waits(struct machine *m, const struct machine_state *s);

#endif
