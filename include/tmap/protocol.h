/* protocol.h : the mbarrier protocol of a kernel as a finite automaton, explored exhaustively.
 *
 * A protocol is what a kernel's threads do with barriers, shared slots and bulk copies, without
 * the data. Agents are threads (or warps that act as one). They follow one common word of events:
 * an arbitrary number of tiles, each an arbitrary number of k blocks, or just k blocks. Every
 * interleaving, every order in which copies land and every length of the word is explored; the
 * state space is finite because generations of slots and phases of barriers count modulo 8, and
 * nothing correct ever lags by two.
 *
 * Assumed, and true of the kernels modelled here: copies that one agent issues to one CTA land in
 * order (a waiter that takes slots in ring order cannot see the difference), and so do the reads of
 * bulk stores of one agent.
 */
#ifndef TMAP_PROTOCOL_H
#define TMAP_PROTOCOL_H

#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_PROTOCOL_AGENTS 16
#define TMAP_PROTOCOL_RINGS 4
#define TMAP_PROTOCOL_BARRIERS 8
#define TMAP_PROTOCOL_BUFFERS 6
#define TMAP_PROTOCOL_SYNCS 4
#define TMAP_PROTOCOL_STEPS 192
#define TMAP_PROTOCOL_CTAS 4
#define TMAP_PROTOCOL_DEPTH 8

/* What one step does. `x` names a barrier, buffer, ring or sync; slots follow the agent's own
 * position in the ring, `back` of them earlier. `ctas` is a mask of the CTAs meant, 0 for the
 * agent's own. */
enum tmap_step_op {
    TMAP_STEP_INIT,       /* initialise every barrier of this CTA; again, with no phase under way */
    TMAP_STEP_FENCE_INIT, /* make that visible to the cluster and the async proxy */
    TMAP_STEP_SYNC,       /* named barrier x among its members */
    TMAP_STEP_WAIT,       /* until the slot's phase of barrier x completes */
    TMAP_STEP_WAIT_FREE,  /* until the phase before it completes: passes at once in the first round
                           */
    TMAP_STEP_ARRIVE,     /* on barrier x */
    TMAP_STEP_EXPECT,     /* arrive on barrier x and expect `bytes` */
    TMAP_STEP_LOAD,       /* bulk copy of `bytes` into buffer x, signalling barrier y */
    TMAP_STEP_READ,       /* begin reading buffer x */
    TMAP_STEP_DONE,       /* end reading buffer x */
    TMAP_STEP_COMMIT,     /* when what was read so far is done: end reading x, arrive on y */
    TMAP_STEP_WRITE,      /* write buffer x through the generic proxy */
    TMAP_STEP_FENCE,      /* fence.proxy.async: what this agent wrote is visible to bulk copies */
    TMAP_STEP_STORE,      /* bulk store out of buffer x, and commit_group */
    TMAP_STEP_WAIT_READ,  /* cp.async.bulk.wait_group.read n: n in `bytes` */
    TMAP_STEP_ADVANCE,    /* go to the next slot of ring x */
    TMAP_STEP_RELEASE,    /* end reading the own buffer x and arrive on barrier y of `ctas` */
    TMAP_STEP_MARK,       /* one more open: a copy that this agent will store */
    TMAP_STEP_BEGIN,      /* begin filling buffer x, which a later write ends: sums over k blocks */
    TMAP_STEP_PASS,       /* arrive at named barrier x without waiting: bar.arrive */
    TMAP_STEP_RESTART     /* go to the first slot of ring x, whose barriers are initialized again */
};

struct tmap_step {
    uint8_t op; /* enum tmap_step_op */
    uint8_t x, y;
    uint8_t ctas;
    uint8_t back;
    uint8_t when;   /* skipped unless at least so many reads or marks are open; 0: always */
    uint8_t signal; /* load: 1 + the CTA whose barrier y is signalled; 0: the destination's own */
    uint32_t bytes;
};

/* The parts of an agent's program: START, then (TILE, BLOCK+, FLUSH)* or BLOCK*, then END. */
enum tmap_part {
    TMAP_PART_START,
    TMAP_PART_TILE,
    TMAP_PART_BLOCK,
    TMAP_PART_FLUSH,
    TMAP_PART_END,
    TMAP_PARTS
};

struct tmap_agent {
    const char *name;
    uint8_t cta;
    uint8_t first[TMAP_PARTS], count[TMAP_PARTS]; /* into steps[] */
    uint8_t every, turn; /* every > 1: it handles tile `turn` of every `every` tiles, and for the
                            others only advances along its rings. Agents that take turns have the
                            same `every`. */
};

struct tmap_barrier {
    const char *name;
    uint8_t ring, count; /* count: arrivals of one phase */
};

struct tmap_buffer {
    const char *name;
    uint8_t ring;
};

struct tmap_protocol {
    const char *name;
    bool tiles;   /* the word has tiles; otherwise blocks only */
    bool started; /* barriers count as initialised and visible from the beginning */
    bool stays;   /* a CTA that has left counts as present: what it waits for before it leaves is
                     not in this protocol */
    uint8_t ctas, agent_count, ring_count, barrier_count, buffer_count, sync_count, step_count;
    uint8_t depth[TMAP_PROTOCOL_RINGS];
    uint16_t members[TMAP_PROTOCOL_SYNCS]; /* agents of each named barrier */
    struct tmap_barrier barrier[TMAP_PROTOCOL_BARRIERS];
    struct tmap_buffer buffer[TMAP_PROTOCOL_BUFFERS];
    struct tmap_agent agent[TMAP_PROTOCOL_AGENTS];
    struct tmap_step step[TMAP_PROTOCOL_STEPS];
};

enum tmap_hazard {
    TMAP_HAZARD_NONE = 0,
    TMAP_HAZARD_DEADLOCK,  /* no agent can continue */
    TMAP_HAZARD_EARLY,     /* a slot is read before its bytes are there */
    TMAP_HAZARD_ALIAS,     /* a parity wait passes on a different phase than the intended one, or an
                              arrival at a named barrier counts for a different meeting */
    TMAP_HAZARD_OVERWRITE, /* a slot is written while it is read, or before */
    TMAP_HAZARD_UNWAITED_STORE, /* staging rewritten, or left, while a store still reads it */
    TMAP_HAZARD_UNFENCED,       /* a store of bytes that a generic write has not yet published */
    TMAP_HAZARD_UNINITIALIZED,  /* a barrier used before its initialisation is visible */
    TMAP_HAZARD_EXIT,           /* a CTA left while signals for it are on their way */
    TMAP_HAZARD_COUNT
};

struct tmap_protocol_result {
    enum tmap_verdict verdict; /* LEGAL: proved for every length; UNKNOWN: out of workspace */
    enum tmap_hazard fault;
    uint32_t states;  /* explored */
    uint32_t steps;   /* of the shortest trace to the fault */
    char detail[128]; /* the fault as text */
};

/* tmap_protocol_explore() : breadth first, so the trace is the shortest.
 *  workspace: memory for the states, aligned for uint64_t; about 150 bytes a state.
 *  trace: the steps' text, one line each, as snprintf (may be NULL with size 0).
 *  Errors: TMAP_E_ARGUMENT for NULL, for a protocol that refers outside itself, for a barrier of no
 *  arrivals, where a step has more than 16383 times the greatest common divisor of all steps'
 *  bytes, and where a slot is filled or read more than 255 times; TMAP_E_ROOM for a workspace that
 *  does not hold the first state. */
TMAP_API enum tmap_status tmap_protocol_explore(const struct tmap_protocol *protocol,
                                                void *workspace, size_t workspace_bytes,
                                                struct tmap_protocol_result *result, char *trace,
                                                size_t trace_size);

TMAP_API const char *tmap_hazard_name(enum tmap_hazard fault);

/* The kernels of the suite, and defects seen in others' kernels, as protocols. */
enum tmap_design {
    TMAP_DESIGN_RING,            /* one producer, n consumers, one CTA */
    TMAP_DESIGN_COPY,            /* load, store of the same slot, reload */
    TMAP_DESIGN_GEMM_SM90,       /* cluster, multicast, two consumer groups, MMAs in flight */
    TMAP_DESIGN_GEMM_SM100,      /* a pair of CTAs, one MMA issuer: the ring of operands */
    TMAP_DESIGN_GEMM_SM120,      /* producer warp and eight mma.sync warps */
    TMAP_DESIGN_EPILOGUE,        /* staging written by many threads, stored by one */
    TMAP_DESIGN_GEMM_SM100_TMEM, /* the same kernel's accumulators and epilogue warps */
    TMAP_DESIGN_COUNT
};

/* One defect planted in a design; the comment names where it was seen. */
enum tmap_defect {
    TMAP_DEFECT_NONE = 0,
    TMAP_DEFECT_STAGING_RACE,     /* fast.cu: no barrier between wait_group and the next write */
    TMAP_DEFECT_NO_PROXY_FENCE,   /* fast.cu: no fence.proxy.async before the store */
    TMAP_DEFECT_NO_INIT_FENCE,    /* fast.cu, FlashKDA#24: no fence.mbarrier_init */
    TMAP_DEFECT_NO_PEER_WAIT,     /* fast.cu: exit while the peer still arrives */
    TMAP_DEFECT_EXPECT_TOO_LARGE, /* mirage#705: the clamped box moves less than expected */
    TMAP_DEFECT_EXPECT_CLUSTER,   /* tilelang#2644: bytes times cluster size instead of two */
    TMAP_DEFECT_EXPECT_TOO_SMALL,
    TMAP_DEFECT_NO_EMPTY_WAIT, /* the producer does not wait for the slot */
    TMAP_DEFECT_WRONG_PARITY,  /* the producer's first wait uses parity 0 */
    TMAP_DEFECT_ARRIVE_EARLY,  /* the slot is released before the reads end */
    TMAP_DEFECT_ONE_ARRIVAL,   /* one consumer forgets to arrive */
    TMAP_DEFECT_NO_STORE_WAIT, /* staging reused without wait_group.read */
    TMAP_DEFECT_LOCAL_RELEASE, /* a multicast slot is released to the own CTA only */
    TMAP_DEFECT_EXIT_UNREAD,   /* exit without wait_group.read 0 */
    TMAP_DEFECT_COUNT
};

struct tmap_design_options {
    enum tmap_design design;
    enum tmap_defect defect;
    uint32_t stages;         /* 0: the design's own */
    uint32_t consumers;      /* 0: the design's own */
    uint32_t stage_tx_bytes; /* what the copies of one stage signal in one CTA; 0: a default */
    uint32_t expect_bytes;   /* what the barrier expects; 0: stage_tx_bytes */
    uint32_t ctas;           /* GEMM_SM90: of a cluster, each loading its share of B; GEMM_SM100: 1
                              * or 2; 0: two */
    uint32_t a_ctas;         /* that share A: a divisor of ctas, whose quotient shares B; 0: one */
    uint32_t b_tx_bytes;     /* of stage_tx_bytes, those of B; 0: half */
    uint32_t a_tx_bytes;     /* and of A, the rest being nobody else's; 0: all that B leaves */
};

/* tmap_protocol_design() : fills *out. Errors: TMAP_E_ARGUMENT (NULL, sizes beyond the bounds
 * above); TMAP_E_NO_PLAN when the design has no place for that defect. */
TMAP_API enum tmap_status tmap_protocol_design(const struct tmap_design_options *options,
                                               struct tmap_protocol *out);
TMAP_API const char *tmap_design_name(enum tmap_design design);
TMAP_API const char *tmap_defect_name(enum tmap_defect defect);

#ifdef __cplusplus
}
#endif
#endif
