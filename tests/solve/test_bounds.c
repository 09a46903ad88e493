/* What explorations come to at their bounds: a full table, a full window, more events than a kept
 * clock tells apart, strands that just fit, and states that differ in little. Where something is
 * left out the answer is open, and never wrong. */
#include "solve/machine.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 32 << 20 };
#include "support/workspace.h"

/* So many agents, one ring of one slot, a barrier and a buffer. */
static struct tmap_protocol begin(const char *name, uint8_t agents)
{
    struct tmap_protocol p = {.name = name, .started = true, .stays = true, .ctas = 1};
    p.ring_count = p.depth[0] = p.barrier_count = p.buffer_count = 1;
    p.barrier[0] = (struct tmap_barrier){"full", 0, 1};
    p.buffer[0] = (struct tmap_buffer){"tile", 0};
    p.agent_count = agents;
    for (unsigned a = 0; a < agents; a++) p.agent[a].name = "agent";
    return p;
}

static struct tmap_protocol_result by_all(const struct tmap_protocol *p, bool plain, size_t bytes)
{
    struct tmap_protocol_result r;
    assert_int_equal(explore_protocol(p, plain, memory, bytes, &r, NULL, 0), TMAP_OK);
    return r;
}

static struct tmap_protocol_result by_one(const struct tmap_protocol *p)
{
    struct tmap_protocol_result r;
    assert_int_equal(explore_ordered(p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    return r;
}

static struct tmap_protocol_result explore(const struct tmap_protocol *p)
{
    struct tmap_protocol_result r;
    char nothing = 'x'; /* no room for a trace, which is left alone */
    assert_int_equal(tmap_protocol_explore(p, memory, WORKSPACE, &r, &nothing, 0), TMAP_OK);
    assert_int_equal(nothing, 'x');
    return r;
}

/* States so small that the table is full before the memory is. */
static void test_more_states_than_the_table_holds(void **state)
{
    struct tmap_protocol p = begin("writers", 5);
    (void)state;
    for (unsigned a = 0; a < 5; a++)
        for (int i = 0; i < 4; i++) PUT(&p, a, START, WRITE);
    struct tmap_protocol_result r = by_all(&p, true, (1 << 17) - 8);
    assert_int_equal(r.verdict, TMAP_UNKNOWN);
    assert_int_equal(r.states, 1536);
    assert_string_equal(r.detail, "the workspace is full");
    r = by_all(&p, true, WORKSPACE);
    assert_int_equal(r.verdict, TMAP_LEGAL);
    assert_true(r.states > 5 * 5 * 5 * 5 * 5);
}

/* The names of those who wait, as far as there is room. */
static void test_many_who_wait(void **state)
{
    struct tmap_protocol p = begin("names", TMAP_PROTOCOL_AGENTS);
    (void)state;
    for (unsigned a = 0; a < TMAP_PROTOCOL_AGENTS; a++) {
        p.agent[a].name = "the warp that waits";
        PUT(&p, a, START, WAIT);
    }
    const struct tmap_protocol_result r = explore(&p);
    assert_int_equal(r.fault, TMAP_HAZARD_DEADLOCK);
    assert_string_equal(r.detail, "nobody can go on: the warp that waits, the warp that waits, "
                                  "the warp that waits, the warp that waits, the warp th wait");
}

/* Who waits for the end of another lags behind by as many blocks as that one likes. */
static void test_who_runs_ahead_without_bound(void **state)
{
    struct tmap_protocol p = begin("ahead", 2);
    (void)state;
    PUT(&p, 0, BLOCK, FENCE);
    PUT(&p, 0, END, ARRIVE);
    PUT(&p, 1, START, WAIT);
    PUT(&p, 1, BLOCK, FENCE);
    assert_int_equal(by_one(&p).verdict, TMAP_UNKNOWN);
    const struct tmap_protocol_result r = explore(&p);
    assert_int_equal(r.verdict, TMAP_UNKNOWN);
    assert_string_equal(r.detail, "an agent runs ahead without bound");
}

/* Of a tile that has not ended nobody says that it does: who only waits for the end is stuck beside
 * who waits for a barrier, and the trace says what is waited for. */
static void test_a_tile_that_never_ends(void **state)
{
    struct tmap_protocol p = begin("stuck", 2);
    struct tmap_protocol_result r;
    char trace[1024];
    (void)state;
    p.tiles = true;
    PUT(&p, 0, BLOCK, WAIT);
    PUT(&p, 0, FLUSH, FENCE);
    PUT(&p, 1, START, FENCE);
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, trace, sizeof trace),
                     TMAP_OK);
    assert_int_equal(r.fault, TMAP_HAZARD_DEADLOCK);
    assert_non_null(strstr(trace, "agent waits for full[0]@0, which lacks 1 arrivals\n"));
    assert_null(strstr(strstr(trace, "waits for") + 1, "waits for"));
}

/* Who has no blocks and does something with every tile leaves it to the other how many blocks the
 * tile has, or says it himself where every order of all moves is asked for. */
static void test_who_has_blocks_says_how_many(void **state)
{
    struct tmap_protocol p = begin("blocks", 2);
    (void)state;
    p.tiles = true;
    p.sync_count = 1, p.members[0] = 3;
    PUT(&p, 0, BLOCK, FENCE);
    PUT(&p, 0, FLUSH, SYNC);
    PUT(&p, 1, FLUSH, SYNC);
    for (int plain = 0; plain < 2; plain++)
        assert_int_equal(by_all(&p, plain, WORKSPACE).verdict, TMAP_LEGAL);
    assert_int_equal(by_one(&p).verdict, TMAP_LEGAL);
}

/* Two with one program, of whom the second arrives first at a meeting where some only pass. */
static void test_alike_at_a_meeting(void **state)
{
    (void)state;
    for (int freed = 0; freed < 2; freed++) {
        struct tmap_protocol p = begin("meeting", 3);
        p.sync_count = 2;
        p.members[0] = p.members[1] = 7;
        if (freed) PUT(&p, 0, BLOCK, SYNC, .x = 1);
        PUT(&p, 0, BLOCK, WRITE);
        PUT(&p, 0, BLOCK, PASS, .x = 0);
        PUT(&p, 0, BLOCK, ADVANCE);
        if (freed) PUT(&p, 0, END, SYNC, .x = 1);
        if (freed) PUT(&p, 1, START, PASS, .x = 1);
        PUT(&p, 1, BLOCK, SYNC, .x = 0);
        PUT(&p, 1, BLOCK, READ);
        PUT(&p, 1, BLOCK, DONE);
        if (freed) PUT(&p, 1, BLOCK, PASS, .x = 1);
        PUT(&p, 1, BLOCK, ADVANCE);
        p.agent[2] = p.agent[1];
        const enum tmap_hazard fault = by_all(&p, false, WORKSPACE).fault;
        assert_int_equal(by_all(&p, true, WORKSPACE).fault, fault);
        assert_int_equal(explore(&p).fault, fault);
        assert_int_equal(fault, freed ? TMAP_HAZARD_NONE : TMAP_HAZARD_OVERWRITE);
    }
}

/* Copies of more bytes than are expected land before anybody expects any, or after. */
static void test_bytes_that_nobody_expects(void **state)
{
    struct tmap_protocol p = begin("bytes", 2);
    (void)state;
    PUT(&p, 0, START, LOAD, .bytes = 16);
    PUT(&p, 0, START, LOAD, .bytes = 16);
    PUT(&p, 0, START, EXPECT, .bytes = 8);
    PUT(&p, 1, START, WAIT);
    for (int plain = 0; plain < 2; plain++)
        assert_int_equal(by_all(&p, plain, WORKSPACE).fault, TMAP_HAZARD_DEADLOCK);
}

/* As many strands as clocks have room for, and one more: a landing, a store or a commit. */
static void test_strands_that_just_fit(void **state)
{
    const struct tmap_step more[] = {
        {.op = TMAP_STEP_LOAD, .bytes = 16}, {.op = TMAP_STEP_STORE}, {.op = TMAP_STEP_COMMIT}};
    struct tmap_protocol_result r;
    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (unsigned loads = 11; loads <= 12; loads++) { /* 16 agents, and 44 or 48 landings */
            struct tmap_protocol p = begin("strands", TMAP_PROTOCOL_AGENTS);
            p.ctas = TMAP_PROTOCOL_CTAS;
            for (unsigned a = 0; a < loads; a++) {
                p.agent[a].first[TMAP_PART_START] = 0;
                p.agent[a].count[TMAP_PART_START] = 1;
            }
            p.step[p.step_count++] =
                (struct tmap_step){.op = TMAP_STEP_LOAD, .ctas = 15, .bytes = 16};
            put(&p, &p.agent[15], TMAP_PART_START, more[k]);
            assert_int_equal(explore_ordered(&p, memory, WORKSPACE, &r, NULL, 0),
                             loads == 12 ? TMAP_E_ARGUMENT : TMAP_OK);
        }
}

/* One who does everything alone, and another who hears of nothing: events that the other may not
 * know add up, with every slot of every barrier and buffer. */
static void test_events_that_somebody_may_not_know(void **state)
{
    (void)state;
    for (uint8_t barriers = 1; barriers <= TMAP_PROTOCOL_BARRIERS; barriers += 7) {
        struct tmap_protocol p = begin("alone", 2);
        p.depth[0] = TMAP_PROTOCOL_DEPTH;
        p.barrier_count = barriers;
        p.buffer_count = barriers < TMAP_PROTOCOL_BUFFERS ? barriers : TMAP_PROTOCOL_BUFFERS;
        for (uint8_t b = 0; b < barriers; b++) {
            p.barrier[b] = (struct tmap_barrier){"full", 0, 1};
            PUT(&p, 0, BLOCK, ARRIVE, .x = b);
            PUT(&p, 0, BLOCK, WAIT, .x = b);
        }
        for (uint8_t b = 0; b < p.buffer_count; b++) {
            p.buffer[b] = (struct tmap_buffer){"tile", 0};
            PUT(&p, 0, BLOCK, WRITE, .x = b);
            PUT(&p, 0, BLOCK, READ, .x = b);
            PUT(&p, 0, BLOCK, DONE, .x = b);
        }
        PUT(&p, 0, BLOCK, ADVANCE);
        PUT(&p, 1, END, FENCE);
        assert_int_equal(by_one(&p).verdict, barriers > 1 ? TMAP_UNKNOWN : TMAP_LEGAL);
        assert_int_equal(explore(&p).verdict, TMAP_LEGAL);
    }
}

/* Who lags behind by many long tiles goes through them at once: more than is ranked. */
static void test_many_events_at_once(void **state)
{
    (void)state;
    for (uint8_t tiles = 3; tiles <= 9; tiles += 6) {
        struct tmap_protocol p = begin("at once", 2);
        p.tiles = true;
        p.barrier[0].count = tiles;
        PUT(&p, 0, BLOCK, FENCE);
        PUT(&p, 0, FLUSH, ARRIVE);
        for (int i = 0; i < tiles; i++) PUT(&p, 0, END, ARRIVE);
        PUT(&p, 1, START, WAIT);
        for (int i = 0; i < 180; i++) PUT(&p, 1, BLOCK, FENCE);
        p.agent[1].first[TMAP_PART_TILE] = p.agent[1].first[TMAP_PART_FLUSH] =
            p.agent[1].first[TMAP_PART_BLOCK];
        p.agent[1].count[TMAP_PART_TILE] = p.agent[1].count[TMAP_PART_FLUSH] = 180;
        const struct tmap_protocol_result r = by_one(&p); /* of few, it goes on to another reason */
        assert_int_equal(r.verdict, TMAP_UNKNOWN);
        assert_string_equal(r.detail, tiles == 9 ? ""
                                                 : "a phase of full[0]@0 and a wait for the "
                                                   "one before are in no order");
    }
}

static void test_nothing_given(void **state)
{
    const struct tmap_protocol p = begin("nothing", 1);
    struct tmap_protocol_result r;
    (void)state;
    assert_int_equal(tmap_protocol_explore(&p, NULL, WORKSPACE, &r, NULL, 0), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, NULL, NULL, 0), TMAP_E_ARGUMENT);
    assert_int_equal(explore(&p).verdict, TMAP_LEGAL);
    char trace[2] = "x"; /* of what is sound there is none */
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, trace, 2), TMAP_OK);
    assert_string_equal(trace, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_states_than_the_table_holds),
        cmocka_unit_test(test_many_who_wait),
        cmocka_unit_test(test_who_runs_ahead_without_bound),
        cmocka_unit_test(test_a_tile_that_never_ends),
        cmocka_unit_test(test_who_has_blocks_says_how_many),
        cmocka_unit_test(test_alike_at_a_meeting),
        cmocka_unit_test(test_bytes_that_nobody_expects),
        cmocka_unit_test(test_strands_that_just_fit),
        cmocka_unit_test(test_events_that_somebody_may_not_know),
        cmocka_unit_test(test_many_events_at_once),
        cmocka_unit_test(test_nothing_given),
    };
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
