/* The suite's kernels as protocols, and the defects that others' kernels had, one at a time.
 *
 * What each barrier counts and where each fence stands follows the kernels themselves; see
 * docs/SOLVE.md for the table. Reductions: copies that one thread issues back to back to one slot
 * and CTA are one copy of their sum; a warp or warpgroup whose threads act alike is one agent;
 * where the staging of a consumer group is touched by that group alone, one group stands for all.
 */
#include "tmap/solve.h"

#include <string.h>

#define DEFAULT_STAGE_BYTES 32768u
#define NOTHING UINT8_MAX

struct builder {
    struct tmap_protocol *p;
    struct tmap_agent *agent;
    enum tmap_defect defect;
    uint32_t stages, consumers, ctas, tx_bytes, expect_bytes;
    uint32_t a_ctas, a_bytes, b_bytes; /* of a cluster: who share A; their parts of a stage */
    bool used;                         /* the defect found its place */
};

static bool defect_is(struct builder *b, enum tmap_defect d)
{
    if (b->defect != d) return false;
    b->used = true;
    return true;
}

static uint8_t ring(struct builder *b, uint32_t depth)
{
    b->p->depth[b->p->ring_count] = (uint8_t)depth;
    return b->p->ring_count++;
}

static uint8_t barrier(struct builder *b, const char *name, uint8_t of_ring, uint32_t count)
{
    b->p->barrier[b->p->barrier_count] = (struct tmap_barrier){name, of_ring, (uint8_t)count};
    return b->p->barrier_count++;
}

static uint8_t buffer(struct builder *b, const char *name, uint8_t of_ring)
{
    b->p->buffer[b->p->buffer_count] = (struct tmap_buffer){name, of_ring};
    return b->p->buffer_count++;
}

static void agent(struct builder *b, const char *name, unsigned cta)
{
    b->agent = &b->p->agent[b->p->agent_count++];
    b->agent->name = name;
    b->agent->cta = (uint8_t)cta;
}

/* One more agent with the program of the one before. */
static void same_agent(struct builder *b, const char *name)
{
    struct tmap_agent *to = &b->p->agent[b->p->agent_count++];
    *to = *b->agent;
    to->name = name;
    b->agent = to;
}

/* The start is modelled where its correctness is the question. */
static void step(struct builder *b, enum tmap_part part, struct tmap_step s)
{
    if (part == TMAP_PART_START && b->p->started) return;
    if (b->p->step_count == TMAP_PROTOCOL_STEPS) return;
    if (b->agent->count[part] == 0) b->agent->first[part] = b->p->step_count;
    b->agent->count[part]++;
    b->p->step[b->p->step_count++] = s;
}

#define STEP(part, ...) step(b, TMAP_PART_##part, (struct tmap_step){__VA_ARGS__})

static uint8_t members(struct builder *b, uint16_t mask)
{
    b->p->members[b->p->sync_count] = mask;
    return b->p->sync_count++;
}

/* What a producer does per k block: wait for the slot, expect, copy. */
static void produce(struct builder *b, uint8_t tile, uint8_t full, uint8_t empty, uint8_t of_ring)
{
    if (defect_is(b, TMAP_DEFECT_WRONG_PARITY))
        STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = empty);
    else if (!defect_is(b, TMAP_DEFECT_NO_EMPTY_WAIT))
        STEP(BLOCK, .op = TMAP_STEP_WAIT_FREE, .x = empty);
    STEP(BLOCK, .op = TMAP_STEP_EXPECT, .x = full, .bytes = b->expect_bytes);
    STEP(BLOCK, .op = TMAP_STEP_LOAD, .x = tile, .y = full, .bytes = b->tx_bytes);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = of_ring);
}

static const char *const consumer_names[] = {"consumer0", "consumer1", "consumer2", "consumer3",
                                             "consumer4", "consumer5", "consumer6", "consumer7"};

/* Wait, read, release, next: a consumer that finishes each slot before it goes on. */
static void consume(struct builder *b, uint8_t tile, uint8_t full, uint8_t empty, uint8_t of_ring)
{
    STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = full);
    if (defect_is(b, TMAP_DEFECT_ARRIVE_EARLY)) {
        STEP(BLOCK, .op = TMAP_STEP_ARRIVE, .x = empty);
        STEP(BLOCK, .op = TMAP_STEP_READ, .x = tile);
        STEP(BLOCK, .op = TMAP_STEP_DONE, .x = tile);
    } else {
        STEP(BLOCK, .op = TMAP_STEP_READ, .x = tile);
        STEP(BLOCK, .op = TMAP_STEP_RELEASE, .x = tile, .y = empty);
    }
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = of_ring);
}

/* A producer and n consumers in one CTA: the pipeline command's model, and the sm_120 GEMM's. */
static void design_ring(struct builder *b)
{
    const uint8_t r = ring(b, b->stages), tile = buffer(b, "tile", r);
    const uint8_t full = barrier(b, "full", r, 1), empty = barrier(b, "empty", r, b->consumers);
    b->p->ctas = 1;
    b->p->started = true;
    agent(b, "producer", 0);
    produce(b, tile, full, empty, r);
    agent(b, consumer_names[0], 0);
    consume(b, tile, full, empty, r);
    for (uint32_t i = 1; i < b->consumers; i++) {
        if (i + 1 < b->consumers || !defect_is(b, TMAP_DEFECT_ONE_ARRIVAL)) {
            same_agent(b, consumer_names[i]);
            continue;
        }
        agent(b, consumer_names[i], 0);
        STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = full);
        STEP(BLOCK, .op = TMAP_STEP_READ, .x = tile);
        STEP(BLOCK, .op = TMAP_STEP_DONE, .x = tile);
        STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = r);
    }
}

/* One thread: the slot loaded is the slot stored. It stores `lag` blocks behind its loads, so that
 * many copies are under way both ways. */
static void design_copy(struct builder *b)
{
    const uint32_t lag = b->stages / 2 ? b->stages / 2 : 1;
    const uint8_t r = ring(b, b->stages), tile = buffer(b, "tile", r);
    const uint8_t full = barrier(b, "full", r, 1);
    b->p->ctas = 1;
    agent(b, "copier", 0);
    STEP(START, .op = TMAP_STEP_INIT);
    if (!defect_is(b, TMAP_DEFECT_NO_INIT_FENCE)) STEP(START, .op = TMAP_STEP_FENCE_INIT);
    STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = full, .back = (uint8_t)lag, .when = (uint8_t)lag);
    STEP(BLOCK, .op = TMAP_STEP_STORE, .x = tile, .back = (uint8_t)lag, .when = (uint8_t)lag);
    if (!defect_is(b, TMAP_DEFECT_NO_STORE_WAIT))
        STEP(BLOCK, .op = TMAP_STEP_WAIT_READ, .bytes = b->stages - lag);
    STEP(BLOCK, .op = TMAP_STEP_EXPECT, .x = full, .bytes = b->expect_bytes);
    STEP(BLOCK, .op = TMAP_STEP_LOAD, .x = tile, .y = full, .bytes = b->tx_bytes);
    STEP(BLOCK, .op = TMAP_STEP_MARK);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = r);
    for (uint32_t k = lag; k > 0; k--) {
        STEP(END, .op = TMAP_STEP_WAIT, .x = full, .back = (uint8_t)k, .when = (uint8_t)k);
        STEP(END, .op = TMAP_STEP_STORE, .x = tile, .back = (uint8_t)k, .when = (uint8_t)k);
    }
    STEP(END, .op = TMAP_STEP_WAIT_READ, .bytes = 0);
}

/* CTA y * a_ctas + x of a cluster: those of one y share A, those of one x share B. */
struct sm90 {
    uint8_t stages, tile, full, empty, init;
    uint8_t a_peers, b_peers; /* of the CTA being built, masks with itself */
};

static void sm90_peers(const struct builder *b, unsigned cta, struct sm90 *o)
{
    o->a_peers = o->b_peers = 0;
    for (unsigned i = 0; i < b->ctas; i++) {
        if (i / b->a_ctas == cta / b->a_ctas) o->a_peers |= (uint8_t)(1u << i);
        if (i % b->a_ctas == cta % b->a_ctas) o->b_peers |= (uint8_t)(1u << i);
    }
}

/* A part of an operand for the others that share it. */
static void sm90_multicast(struct builder *b, const struct sm90 *o, unsigned cta, uint8_t peers,
                           uint32_t bytes)
{
    const uint8_t others = (uint8_t)(peers & ~(1u << cta));
    if (others && bytes)
        STEP(BLOCK, .op = TMAP_STEP_LOAD, .x = o->tile, .y = o->full, .bytes = bytes,
             .ctas = others);
}

/* Loads what is its own, and its shares of A and of B, and these for those that share them. */
static void sm90_producer(struct builder *b, const struct sm90 *o, unsigned cta)
{
    static const char *const names[] = {"producer@0", "producer@1", "producer@2", "producer@3"};
    const uint32_t own = b->tx_bytes - b->a_bytes - b->b_bytes, a_share = b->a_bytes / b->a_ctas;
    const uint32_t b_share = b->b_bytes / (b->ctas / b->a_ctas);
    agent(b, names[cta], cta);
    STEP(START, .op = TMAP_STEP_INIT);
    if (!defect_is(b, TMAP_DEFECT_NO_INIT_FENCE)) STEP(START, .op = TMAP_STEP_FENCE_INIT);
    STEP(START, .op = TMAP_STEP_SYNC, .x = o->init);
    if (defect_is(b, TMAP_DEFECT_WRONG_PARITY))
        STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = o->empty);
    else if (!defect_is(b, TMAP_DEFECT_NO_EMPTY_WAIT))
        STEP(BLOCK, .op = TMAP_STEP_WAIT_FREE, .x = o->empty);
    STEP(BLOCK, .op = TMAP_STEP_EXPECT, .x = o->full, .bytes = b->expect_bytes);
    STEP(BLOCK, .op = TMAP_STEP_LOAD, .x = o->tile, .y = o->full, .bytes = own + a_share + b_share);
    sm90_multicast(b, o, cta, o->a_peers, a_share);
    sm90_multicast(b, o, cta, o->b_peers, b_share);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = o->stages);
    if (defect_is(b, TMAP_DEFECT_NO_PEER_WAIT)) return;
    for (uint32_t k = 0; k < b->stages; k++) {
        STEP(END, .op = TMAP_STEP_WAIT_FREE, .x = o->empty);
        STEP(END, .op = TMAP_STEP_ADVANCE, .x = o->stages);
    }
}

/* Keeps one group of MMAs in flight and releases the slot before it, to all who fill it. */
static void sm90_consumer(struct builder *b, const struct sm90 *o)
{
    const uint8_t fillers = o->a_peers | o->b_peers;
    const uint8_t to = defect_is(b, TMAP_DEFECT_LOCAL_RELEASE) ? 0 : fillers;
    STEP(START, .op = TMAP_STEP_SYNC, .x = o->init);
    STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = o->full);
    if (defect_is(b, TMAP_DEFECT_ARRIVE_EARLY)) {
        STEP(BLOCK, .op = TMAP_STEP_ARRIVE, .x = o->empty, .ctas = fillers);
        STEP(BLOCK, .op = TMAP_STEP_READ, .x = o->tile);
        STEP(BLOCK, .op = TMAP_STEP_DONE, .x = o->tile);
        STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = o->stages);
        return;
    }
    STEP(BLOCK, .op = TMAP_STEP_READ, .x = o->tile);
    STEP(BLOCK, .op = TMAP_STEP_RELEASE, .x = o->tile, .y = o->empty, .ctas = to, .back = 1,
         .when = 2);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = o->stages);
    STEP(FLUSH, .op = TMAP_STEP_RELEASE, .x = o->tile, .y = o->empty, .ctas = to, .back = 1,
         .when = 1);
}

static void design_gemm_sm90(struct builder *b)
{
    const bool local = b->defect == TMAP_DEFECT_LOCAL_RELEASE;
    const uint32_t fillers = b->a_ctas + b->ctas / b->a_ctas - 1;
    struct sm90 o;
    b->p->ctas = (uint8_t)b->ctas;
    b->p->tiles = true;
    o.stages = ring(b, b->stages);
    o.tile = buffer(b, "tile", o.stages);
    o.full = barrier(b, "full", o.stages, 1);
    o.empty = barrier(b, "empty", o.stages, b->consumers * (local ? 1 : fillers));
    o.init = members(b, (uint16_t)((1u << b->ctas * (1 + b->consumers)) - 1));
    for (unsigned cta = 0; cta < b->ctas; cta++) {
        sm90_peers(b, cta, &o);
        sm90_producer(b, &o, cta);
        agent(b, consumer_names[cta * b->consumers], cta);
        sm90_consumer(b, &o);
        for (uint32_t i = 1; i < b->consumers; i++)
            same_agent(b, consumer_names[cta * b->consumers + i]);
    }
}

/* The staged epilogue of one group of warps: its elected thread, and the others. Nobody else
 * touches the staging, and while they hold it they wait for nobody else, so it is a protocol by
 * itself. */
static void epilogue_agent(struct builder *b, bool elected)
{
    const uint8_t ready = 0, written = 1, staging = 0, of_ring = 0;
    if (elected && !defect_is(b, TMAP_DEFECT_NO_STORE_WAIT))
        STEP(BLOCK, .op = TMAP_STEP_WAIT_READ, .bytes = b->stages - 1);
    if (!defect_is(b, TMAP_DEFECT_STAGING_RACE)) STEP(BLOCK, .op = TMAP_STEP_SYNC, .x = ready);
    STEP(BLOCK, .op = TMAP_STEP_WRITE, .x = staging);
    if (!defect_is(b, TMAP_DEFECT_NO_PROXY_FENCE)) STEP(BLOCK, .op = TMAP_STEP_FENCE);
    STEP(BLOCK, .op = TMAP_STEP_SYNC, .x = written);
    if (elected) STEP(BLOCK, .op = TMAP_STEP_STORE, .x = staging);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = of_ring);
    if (elected && !defect_is(b, TMAP_DEFECT_EXIT_UNREAD))
        STEP(END, .op = TMAP_STEP_WAIT_READ, .bytes = 0);
}

static void design_epilogue(struct builder *b)
{
    b->p->ctas = 1;
    b->p->started = true;
    buffer(b, "staging", ring(b, b->stages));
    members(b, 3);
    members(b, 3);
    agent(b, "elected thread", 0);
    epilogue_agent(b, true);
    agent(b, "other threads", 0);
    epilogue_agent(b, false);
}

/* The sm_100 GEMM is two protocols that share one agent, the leader's MMA thread: the ring of
 * operands, and the two accumulators in tensor memory. Neither waits for the other's barriers
 * while it holds what the other waits for: the MMA thread takes an accumulator before the first
 * block of a tile and gives it away after the last. */
static void sm100_producer(struct builder *b, unsigned cta)
{
    const uint8_t tile = 0, full = 0, empty = 1, of_ring = 0, init = 0, leave = 1;
    agent(b, cta ? "producer@1" : "producer@0", cta);
    STEP(START, .op = TMAP_STEP_INIT);
    if (!defect_is(b, TMAP_DEFECT_NO_INIT_FENCE)) STEP(START, .op = TMAP_STEP_FENCE_INIT);
    STEP(START, .op = TMAP_STEP_SYNC, .x = init);
    if (!defect_is(b, TMAP_DEFECT_NO_EMPTY_WAIT))
        STEP(BLOCK, .op = TMAP_STEP_WAIT_FREE, .x = empty);
    STEP(BLOCK, .op = TMAP_STEP_EXPECT, .x = full, .ctas = 1, .bytes = b->expect_bytes);
    STEP(BLOCK, .op = TMAP_STEP_LOAD, .x = tile, .y = full, .bytes = b->tx_bytes, .signal = 1);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = of_ring);
    if (defect_is(b, TMAP_DEFECT_NO_PEER_WAIT)) return;
    /* stands for the wait for the last accumulator, whose commit comes after all others */
    for (uint32_t k = 0; k < b->stages; k++) {
        STEP(END, .op = TMAP_STEP_WAIT_FREE, .x = empty);
        STEP(END, .op = TMAP_STEP_ADVANCE, .x = of_ring);
    }
    STEP(END, .op = TMAP_STEP_SYNC, .x = leave);
}

/* A pair, or one CTA by itself; the barriers that count are the leader's. */
static void design_gemm_sm100(struct builder *b)
{
    const uint8_t ctas = (uint8_t)b->ctas, all = (uint8_t)((1u << ctas) - 1);
    const uint8_t r = ring(b, b->stages), tile = buffer(b, "tile", r);
    const uint8_t full = barrier(b, "full", r, ctas), empty = barrier(b, "empty", r, 1);
    const uint8_t init = members(b, (uint16_t)(2u * all + 1)),
                  leave = members(b, (uint16_t)(2u * all + 1));
    b->p->ctas = ctas;
    for (unsigned cta = 0; cta < ctas; cta++) sm100_producer(b, cta);
    agent(b, "mma@0", 0);
    STEP(START, .op = TMAP_STEP_SYNC, .x = init);
    STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = full);
    STEP(BLOCK, .op = TMAP_STEP_READ, .x = tile, .ctas = all);
    STEP(BLOCK, .op = TMAP_STEP_COMMIT, .x = tile, .y = empty, .ctas = all);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = r);
    if (b->defect != TMAP_DEFECT_NO_PEER_WAIT) STEP(END, .op = TMAP_STEP_SYNC, .x = leave);
}

static void tmem_epilogue(struct builder *b, unsigned cta)
{
    const uint8_t acc = 0, full = 0, empty = 1, of_ring = 0, leave = 0;
    agent(b, cta ? "epilogue@1" : "epilogue@0", cta);
    STEP(BLOCK, .op = TMAP_STEP_WAIT, .x = full);
    if (defect_is(b, TMAP_DEFECT_ARRIVE_EARLY)) {
        STEP(BLOCK, .op = TMAP_STEP_ARRIVE, .x = empty, .ctas = 1);
        STEP(BLOCK, .op = TMAP_STEP_READ, .x = acc);
        STEP(BLOCK, .op = TMAP_STEP_DONE, .x = acc);
    } else {
        STEP(BLOCK, .op = TMAP_STEP_READ, .x = acc);
        STEP(BLOCK, .op = TMAP_STEP_RELEASE, .x = acc, .y = empty, .ctas = 1);
    }
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = of_ring);
    if (!defect_is(b, TMAP_DEFECT_NO_PEER_WAIT)) STEP(END, .op = TMAP_STEP_SYNC, .x = leave);
}

/* One block of the word is one tile here. */
static void design_gemm_sm100_tmem(struct builder *b)
{
    const uint8_t ctas = (uint8_t)b->ctas, all = (uint8_t)((1u << ctas) - 1);
    b->p->ctas = ctas;
    b->p->started = true;
    const uint8_t r = ring(b, b->stages), acc = buffer(b, "accumulator", r);
    const uint8_t full = barrier(b, "acc_full", r, 1), empty = barrier(b, "acc_empty", r, ctas);
    const uint8_t leave = members(b, (uint16_t)(2u * all + 1));
    for (unsigned cta = 0; cta < ctas; cta++) tmem_epilogue(b, cta);
    agent(b, "mma@0", 0);
    if (!defect_is(b, TMAP_DEFECT_NO_EMPTY_WAIT))
        STEP(BLOCK, .op = TMAP_STEP_WAIT_FREE, .x = empty);
    STEP(BLOCK, .op = TMAP_STEP_WRITE, .x = acc, .ctas = all);
    STEP(BLOCK, .op = TMAP_STEP_COMMIT, .x = NOTHING, .y = full, .ctas = all);
    STEP(BLOCK, .op = TMAP_STEP_ADVANCE, .x = r);
    if (b->defect != TMAP_DEFECT_NO_PEER_WAIT) STEP(END, .op = TMAP_STEP_SYNC, .x = leave);
}

static const struct {
    const char *name;
    void (*build)(struct builder *);
    uint32_t stages, consumers;
} designs[TMAP_DESIGN_COUNT] = {
    {"ring", design_ring, 4, 2},
    {"copy", design_copy, 4, 1},
    {"gemm_sm90", design_gemm_sm90, 4, 2},
    {"gemm_sm100", design_gemm_sm100, 6, 1},
    {"gemm_sm120", design_ring, 3, 8},
    {"epilogue", design_epilogue, 2, 1},
    {"gemm_sm100_tmem", design_gemm_sm100_tmem, 2, 1},
};

/* The byte counts that a defect changes. */
static void expectation(struct builder *b)
{
    if (defect_is(b, TMAP_DEFECT_EXPECT_CLUSTER)) b->expect_bytes = 2 * b->tx_bytes;
    if (defect_is(b, TMAP_DEFECT_EXPECT_TOO_LARGE)) b->expect_bytes = b->tx_bytes + b->tx_bytes / 2;
    if (defect_is(b, TMAP_DEFECT_EXPECT_TOO_SMALL)) b->expect_bytes = b->tx_bytes / 2;
}

/* A product by tcgen05 is one CTA's or a pair's. */
static bool group_fits(const struct builder *b)
{
    return b->ctas == 1 || b->ctas == 2;
}

_Static_assert(sizeof consumer_names / sizeof *consumer_names + TMAP_PROTOCOL_CTAS <=
                   TMAP_PROTOCOL_AGENTS,
               "a producer in each CTA, and all consumers that have names");

/* Every CTA loads as much of what is shared. */
static bool cluster_fits(const struct builder *b)
{
    return b->ctas >= 2 && b->ctas <= TMAP_PROTOCOL_CTAS && b->ctas % b->a_ctas == 0 &&
           b->b_bytes <= b->tx_bytes && b->a_bytes <= b->tx_bytes - b->b_bytes &&
           b->a_bytes % b->a_ctas == 0 && b->b_bytes % (b->ctas / b->a_ctas) == 0 &&
           b->ctas * b->consumers <= sizeof consumer_names / sizeof *consumer_names;
}

enum tmap_status tmap_protocol_design(const struct tmap_design_options *o,
                                      struct tmap_protocol *out)
{
    struct tmap_protocol p;
    if (!o || !out || (unsigned)o->design >= TMAP_DESIGN_COUNT ||
        (unsigned)o->defect >= TMAP_DEFECT_COUNT)
        return TMAP_E_ARGUMENT;
    struct builder b = {.p = &p, .defect = o->defect};
    b.stages = o->stages ? o->stages : designs[o->design].stages;
    b.ctas = o->ctas ? o->ctas : 2;
    b.tx_bytes = o->stage_tx_bytes ? o->stage_tx_bytes : DEFAULT_STAGE_BYTES;
    b.consumers = o->consumers ? o->consumers : designs[o->design].consumers;
    b.a_ctas = o->a_ctas ? o->a_ctas : 1;
    b.b_bytes = o->b_tx_bytes ? o->b_tx_bytes : b.tx_bytes / 2;
    b.a_bytes = o->a_tx_bytes ? o->a_tx_bytes : b.tx_bytes - b.b_bytes;
    if (b.stages > TMAP_PROTOCOL_DEPTH || b.consumers > 8 ||
        (o->design == TMAP_DESIGN_GEMM_SM90 && !cluster_fits(&b)) ||
        ((o->design == TMAP_DESIGN_GEMM_SM100 || o->design == TMAP_DESIGN_GEMM_SM100_TMEM) &&
         !group_fits(&b)))
        return TMAP_E_ARGUMENT;
    b.expect_bytes = o->expect_bytes ? o->expect_bytes : b.tx_bytes;
    memset(&p, 0, sizeof p);
    p.name = designs[o->design].name;
    p.started = o->defect != TMAP_DEFECT_NONE && o->defect != TMAP_DEFECT_NO_INIT_FENCE;
    if (o->design != TMAP_DESIGN_EPILOGUE && o->design != TMAP_DESIGN_GEMM_SM100_TMEM)
        expectation(&b);
    designs[o->design].build(&b);
    if (o->defect != TMAP_DEFECT_NONE && !b.used) return TMAP_E_NO_PLAN;
    *out = p;
    return TMAP_OK;
}

const char *tmap_design_name(enum tmap_design design)
{
    return (unsigned)design < TMAP_DESIGN_COUNT ? designs[design].name : NULL;
}

const char *tmap_defect_name(enum tmap_defect defect)
{
    static const char *const names[TMAP_DEFECT_COUNT] = {
        "none",          "staging_race",     "no_proxy_fence", "no_init_fence",
        "no_peer_wait",  "expect_too_large", "expect_cluster", "expect_too_small",
        "no_empty_wait", "wrong_parity",     "arrive_early",   "one_arrival",
        "no_store_wait", "local_release",    "exit_unread"};
    return (unsigned)defect < TMAP_DEFECT_COUNT ? names[defect] : NULL;
}
