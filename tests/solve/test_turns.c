/* Agents that take turns with the tiles (Hopper's pingpong): one multiplies while the other stores,
 * and each passes over the other's slots. Each row plants one fault. */
#include "tmap/protocol.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum {
    WORKSPACE = 32 << 20,
    SLOTS = 0,
    TURNS = 1,
    ENDS = 2,
    FULL = 0,
    EMPTY = 1,
    TURN = 2,
    DONE = 3
};

static void *memory;

/* What is not as it should be. */
enum fault {
    NOTHING,
    FIRST_IS_SECOND, /* the second has the first turn */
    NOT_HANDED_OVER, /* the first does not tell the second */
    NOT_PASSED_OVER, /* both take all tiles */
    SAME_TURN,       /* both take the same tiles */
    SLOT_WAITS,      /* a slot counts both */
    NO_WAIT,         /* slots are read unasked */
    EARLY_RELEASE,   /* and given back before they are read */
    NO_EMPTY_WAIT,   /* slots are filled unasked */
};

static const struct row {
    const char *name;
    enum fault fault;
    enum tmap_hazard hazard;
} rows[] = {
    {"as it is", NOTHING, TMAP_HAZARD_NONE},
    {"first turn is the second's", FIRST_IS_SECOND, TMAP_HAZARD_ALIAS},
    {"turn not handed over", NOT_HANDED_OVER, TMAP_HAZARD_DEADLOCK},
    {"slots not passed over", NOT_PASSED_OVER, TMAP_HAZARD_ALIAS},
    {"one turn for both", SAME_TURN, TMAP_HAZARD_DEADLOCK},
    {"a slot waits for both", SLOT_WAITS, TMAP_HAZARD_DEADLOCK},
    {"slot not waited for", NO_WAIT, TMAP_HAZARD_EARLY},
    {"slot given back before it is read", EARLY_RELEASE, TMAP_HAZARD_OVERWRITE},
    {"slot filled unasked", NO_EMPTY_WAIT, TMAP_HAZARD_OVERWRITE},
};

#define STEP(PART, OP, ...) PUT(p, p->agent_count - 1, PART, OP, __VA_ARGS__)

static void put_producer(struct tmap_protocol *p, enum fault fault)
{
    p->agent[p->agent_count++].name = "loads";
    if (fault != NO_EMPTY_WAIT) STEP(BLOCK, WAIT_FREE, .x = EMPTY);
    STEP(BLOCK, EXPECT, .x = FULL, .bytes = 16);
    STEP(BLOCK, LOAD, .y = FULL, .bytes = 16);
    STEP(BLOCK, ADVANCE, .x = SLOTS);
    if (fault == NOTHING) STEP(END, WAIT, .x = DONE); /* both tell, whosever the last tile was */
}

static void put_blocks(struct tmap_protocol *p, enum fault fault)
{
    const uint8_t late = fault == EARLY_RELEASE ? 0 : 1;
    if (fault != NO_WAIT) STEP(BLOCK, WAIT, .x = FULL);
    if (fault == EARLY_RELEASE) STEP(BLOCK, ARRIVE, .x = EMPTY);
    STEP(BLOCK, READ, .x = 0);
    if (late)
        STEP(BLOCK, RELEASE, .y = EMPTY, .back = 1, .when = 2);
    else
        STEP(BLOCK, DONE, .back = 0);
    STEP(BLOCK, ADVANCE, .x = SLOTS);
}

/* The turn's ring goes on by one with every tile: the first is one slot ahead, so that the slot
 * that it hands over is its own place. */
static void put_consumer(struct tmap_protocol *p, bool first, enum fault fault)
{
    const bool free = first != (fault == FIRST_IS_SECOND);
    struct tmap_agent *g = &p->agent[p->agent_count++];
    g->name = first ? "first" : "second";
    if (fault != NOT_PASSED_OVER) g->every = 2;
    g->turn = fault == NOT_PASSED_OVER || fault == SAME_TURN ? 0 : !first;
    if (first) STEP(START, ADVANCE, .x = TURNS);
    if (free)
        STEP(TILE, WAIT_FREE, .x = TURN, .back = first);
    else
        STEP(TILE, WAIT, .x = TURN, .back = first);
    put_blocks(p, fault);
    if (!first || fault != NOT_HANDED_OVER) STEP(FLUSH, ARRIVE, .x = TURN, .back = !first);
    if (fault != EARLY_RELEASE) STEP(FLUSH, RELEASE, .y = EMPTY, .back = 1, .when = 1);
    STEP(FLUSH, ADVANCE, .x = TURNS);
    if (fault == NOTHING) STEP(END, ARRIVE, .x = DONE);
}

static struct tmap_protocol protocol_of(enum fault fault, uint8_t stages)
{
    struct tmap_protocol p = {.name = "turns", .tiles = true, .started = true, .ctas = 1};
    p.ring_count = 3;
    p.depth[SLOTS] = stages;
    p.depth[TURNS] = 2;
    p.depth[ENDS] = 1;
    p.barrier_count = 4;
    p.barrier[FULL] = (struct tmap_barrier){"full", SLOTS, 1};
    p.barrier[EMPTY] = (struct tmap_barrier){"empty", SLOTS, fault == SLOT_WAITS ? 2 : 1};
    p.barrier[TURN] = (struct tmap_barrier){"turn", TURNS, 1};
    p.barrier[DONE] = (struct tmap_barrier){"done", ENDS, 2};
    p.buffer_count = 1;
    p.buffer[0] = (struct tmap_buffer){"tile", SLOTS};
    put_producer(&p, fault);
    put_consumer(&p, true, fault);
    put_consumer(&p, false, fault);
    return p;
}

static void test_turns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint8_t stages = 2; stages <= 4; stages++) {
            const struct tmap_protocol p = protocol_of(rows[i].fault, stages);
            struct tmap_protocol_result r;
            assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
            print_message("# %s, %u stages: %s, %u states %s\n", rows[i].name, stages,
                          tmap_hazard_name(r.fault), r.states, r.detail);
            assert_int_equal(r.fault, rows[i].hazard);
            assert_int_equal(r.verdict, r.fault ? TMAP_ILLEGAL : TMAP_LEGAL);
        }
}

static void test_turns_that_cannot_be(void **state)
{
    (void)state;
#define REFUSED(MEMBER, VALUE)                                                                     \
    do {                                                                                           \
        struct tmap_protocol p = protocol_of(NOTHING, 2);                                          \
        struct tmap_protocol_result r;                                                             \
        p.MEMBER = (VALUE);                                                                        \
        const enum tmap_status s = tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0);      \
        if (s != TMAP_E_ARGUMENT) fail_msg(#MEMBER " = " #VALUE ": %d", (int)s);                   \
    } while (0)
    REFUSED(tiles, false);
    REFUSED(agent[1].turn, 2);
    REFUSED(agent[0].turn, 1);
    REFUSED(agent[1].every, 3);
    REFUSED(agent[1].every, TMAP_PROTOCOL_AGENTS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_turns_that_cannot_be)};
    memory = malloc(WORKSPACE);
    if (!memory) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return failed;
}
