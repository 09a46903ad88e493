/* Which barriers keep pace, and which copies are awaited (machine_pace.c): sound rings of one shape
 * or the other, each with one thing made another that the shape asks for. What is not recognised
 * is explored without running ahead, and nothing else is said: by all orders with the reductions,
 * by all without, and by one run of each word. */
#include "solve/machine.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 8 << 20, FULL = 0, EMPTY = 1, OTHER = 2 };
#include "support/workspace.h"

/* What is done otherwise. */
enum change {
    NOTHING,
    DRAINED,          /* the producer waits for the last slot at the end */
    FULL_AT_END,      /* who waits for `full` waits for it free at the end */
    AWAITED_AT_START, /* a wait that the start already makes */
    PARITY,           /* the producer waits for the other parity */
    WAIT_OPTIONAL,    /* only where a read is open */
    WAIT_BACK,        /* for the slot before */
    WAIT_TWICE,
    ADVANCE_EARLY,  /* before the last step */
    ADVANCE_AGAIN,  /* with every tile */
    ADVANCE_SELDOM, /* only where a read is open */
    ARRIVE_AT_START,
    ARRIVE_TWICE,
    ARRIVE_FIRST,     /* before the wait */
    ARRIVE_SELDOM,    /* only where a read is open */
    TURNS,            /* consumers take turns */
    COUNT,            /* one arrival more is counted */
    MADE_AGAIN,       /* barriers are initialised with every tile */
    TILE_STEP,        /* a fence with every tile */
    END_STEP,         /* a fence at the end */
    NOT_LAST,         /* the release at a tile's end is an arrival alone */
    ANOTHER,          /* and is of another buffer */
    BOTH_ANOTHER,     /* and so are those in the blocks */
    ELSEWHERE,        /* the last release goes to another CTA, too */
    EARLIER,          /* the last release is of a slot before */
    LATER,            /* the releases in the blocks begin with the third read */
    ALWAYS_LAST,      /* the last release is made also without an open read */
    READ_SELDOM,      /* a read only where one is open */
    SKIPPED_AT_START, /* a way to the next slot that is left out */
    EXPECT_OTHER,     /* the producer expects on a barrier that nobody waits for */
    LATE_IS_OTHER,    /* the releases in the blocks arrive on another barrier */
    LAST_IS_OTHER,    /* and the last one does */
};

static void produce(struct tmap_protocol *p, enum change c)
{
    p->agent[0].name = "producer";
    if (c == MADE_AGAIN) PUT(p, 0, TILE, FENCE_INIT);
    if (c == SKIPPED_AT_START) PUT(p, 0, START, ADVANCE, .when = 1);
    PUT(p, 0, BLOCK, WAIT_FREE, .x = EMPTY);
    if (c == PARITY) p->step[p->step_count - 1].op = TMAP_STEP_WAIT;
    for (int i = 0; c == EXPECT_OTHER && i < 2; i++) PUT(p, 0, BLOCK, EXPECT, .x = OTHER);
    PUT(p, 0, BLOCK, EXPECT, .x = FULL, .bytes = 16);
    PUT(p, 0, BLOCK, LOAD, .y = FULL, .bytes = 16);
    PUT(p, 0, BLOCK, ADVANCE);
    if (c == DRAINED) PUT(p, 0, END, WAIT_FREE, .x = EMPTY);
}

static uint8_t if_open(enum change c, enum change is)
{
    return c == is ? 1 : 0;
}

/* Wait, read, release, next. */
static void consume(struct tmap_protocol *p, unsigned a, enum change c)
{
    p->agent[a].name = a == 1 ? "consumer" : "other";
    if (c == AWAITED_AT_START) PUT(p, a, START, WAIT, .x = FULL);
    if (c == ARRIVE_AT_START) PUT(p, a, START, ARRIVE, .x = EMPTY);
    if (c == ADVANCE_AGAIN) PUT(p, a, TILE, ADVANCE);
    if (c == ARRIVE_FIRST) PUT(p, a, BLOCK, ARRIVE, .x = EMPTY);
    PUT(p, a, BLOCK, WAIT, .x = FULL, .when = if_open(c, WAIT_OPTIONAL),
        .back = if_open(c, WAIT_BACK));
    if (c == WAIT_TWICE) PUT(p, a, BLOCK, WAIT, .x = FULL);
    PUT(p, a, BLOCK, READ);
    if (c == ADVANCE_EARLY) PUT(p, a, BLOCK, ADVANCE);
    if (c == ARRIVE_FIRST)
        PUT(p, a, BLOCK, DONE);
    else
        PUT(p, a, BLOCK, RELEASE, .y = EMPTY, .when = if_open(c, ARRIVE_SELDOM),
            .back = if_open(c, ADVANCE_EARLY));
    if (c == ARRIVE_TWICE) PUT(p, a, BLOCK, ARRIVE, .x = EMPTY);
    if (c != ADVANCE_EARLY) PUT(p, a, BLOCK, ADVANCE, .when = if_open(c, ADVANCE_SELDOM));
    if (c == ADVANCE_EARLY) PUT(p, a, BLOCK, FENCE);
    if (c == FULL_AT_END) PUT(p, a, END, WAIT_FREE, .x = FULL);
}

/* Wait, read, release of the slot before, next; at the end of a tile the last is released. */
static void consume_late(struct tmap_protocol *p, unsigned a, enum change c)
{
    const uint8_t other = c == ANOTHER || c == BOTH_ANOTHER, ctas = c == ELSEWHERE ? 3 : 0;
    p->agent[a].name = a == 1 ? "consumer" : "other";
    if (c == TILE_STEP) PUT(p, a, TILE, FENCE);
    if (c == ARRIVE_FIRST) PUT(p, a, BLOCK, FENCE);
    PUT(p, a, BLOCK, WAIT, .x = FULL);
    PUT(p, a, BLOCK, READ, .when = if_open(c, READ_SELDOM));
    PUT(p, a, BLOCK, RELEASE, .x = c == BOTH_ANOTHER, .y = c == LATE_IS_OTHER ? OTHER : EMPTY,
        .back = 1 + (c == WAIT_BACK), .when = c == LATER ? 3 : 2);
    PUT(p, a, BLOCK, ADVANCE);
    if (c == NOT_LAST)
        PUT(p, a, FLUSH, ARRIVE, .x = EMPTY, .back = 1, .when = 1);
    else
        PUT(p, a, FLUSH, RELEASE, .x = other, .y = c == LAST_IS_OTHER ? OTHER : EMPTY,
            .back = 1 + (c == EARLIER), .when = c != ALWAYS_LAST, .ctas = ctas);
    if (c == END_STEP) PUT(p, a, END, FENCE);
}

static struct tmap_protocol ring_of(bool late, bool tiles, enum change c)
{
    struct tmap_protocol p = {.name = late ? "late" : "at once", .started = true, .stays = true};
    p.ctas = c == ELSEWHERE ? 2 : 1;
    p.tiles = tiles;
    p.ring_count = 1, p.depth[0] = c == ELSEWHERE ? 2 : 3;
    p.barrier_count = 3, p.buffer_count = 2;
    p.barrier[FULL] = (struct tmap_barrier){"full", 0, 1};
    p.barrier[EMPTY] = (struct tmap_barrier){"empty", 0, c == COUNT ? 3 : 2};
    p.barrier[OTHER] = (struct tmap_barrier){"other", 0, 2};
    p.buffer[0] = (struct tmap_buffer){"tile", 0};
    p.buffer[1] = (struct tmap_buffer){"another", 0};
    p.agent_count = 3;
    produce(&p, c);
    for (unsigned a = 1; a < 3; a++) {
        if (c == TURNS) p.agent[a].every = 2, p.agent[a].turn = (uint8_t)(a - 1);
        if (late)
            consume_late(&p, a, c);
        else
            consume(&p, a, c);
    }
    if (c == TURNS) p.barrier[EMPTY].count = 1;
    return p;
}

/* Three ways of looking say nothing else; the answer. */
static enum tmap_verdict ask(const struct tmap_protocol *p, int change)
{
    struct tmap_protocol_result with, without, r;
    assert_int_equal(explore_protocol(p, false, memory, WORKSPACE, &with, NULL, 0), TMAP_OK);
    assert_int_equal(explore_protocol(p, true, memory, WORKSPACE, &without, NULL, 0), TMAP_OK);
    assert_int_equal(tmap_protocol_explore(p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    if (with.verdict != TMAP_UNKNOWN && without.verdict != TMAP_UNKNOWN &&
        with.verdict != without.verdict)
        fail_msg("%s, %d: with %s, without %s", p->name, change, with.detail, without.detail);
    if (with.verdict != TMAP_UNKNOWN && r.verdict != with.verdict)
        fail_msg("%s, %d: by one run %s, by all %s", p->name, change, r.detail, with.detail);
    return r.verdict;
}

static bool keeps_pace(const struct tmap_protocol *p)
{
    struct machine m;
    assert_true(machine_prepare(&m, p));
    assert_int_equal(m.paced[FULL], m.paced[EMPTY]);
    return m.paced[FULL];
}

static const struct shape {
    bool late, tiles, paced;
    enum tmap_verdict verdict;
    enum change change;
} shapes[] = {
    {false, false, true, TMAP_LEGAL, NOTHING},
    {false, false, true, TMAP_LEGAL, DRAINED},
    {false, false, false, TMAP_LEGAL, FULL_AT_END},
    {false, false, false, TMAP_ILLEGAL, AWAITED_AT_START},
    {false, false, false, TMAP_ILLEGAL, PARITY},
    {false, false, false, TMAP_ILLEGAL, WAIT_OPTIONAL},
    {false, false, false, TMAP_ILLEGAL, WAIT_BACK},
    {false, false, false, TMAP_LEGAL, WAIT_TWICE},
    {false, false, false, TMAP_LEGAL, ADVANCE_EARLY},
    {false, true, false, TMAP_ILLEGAL, ADVANCE_AGAIN},
    {false, false, false, TMAP_ILLEGAL, ADVANCE_SELDOM},
    {false, false, false, TMAP_ILLEGAL, ARRIVE_AT_START},
    {false, false, false, TMAP_ILLEGAL, ARRIVE_TWICE},
    {false, false, false, TMAP_ILLEGAL, ARRIVE_FIRST},
    {false, false, false, TMAP_LEGAL, ARRIVE_SELDOM},
    {false, true, false, TMAP_ILLEGAL, TURNS},
    {false, false, false, TMAP_ILLEGAL, COUNT},
    {false, true, false, TMAP_LEGAL, MADE_AGAIN},
    {false, false, false, TMAP_LEGAL, SKIPPED_AT_START},
    {false, false, true, TMAP_LEGAL, EXPECT_OTHER},
    {true, true, true, TMAP_LEGAL, NOTHING},
    {true, false, false, TMAP_LEGAL, NOTHING}, /* nothing releases the last */
    {true, true, false, TMAP_ILLEGAL, WAIT_BACK},
    {true, true, false, TMAP_LEGAL, ARRIVE_FIRST},
    {true, true, false, TMAP_LEGAL, TILE_STEP},
    {true, true, false, TMAP_LEGAL, END_STEP},
    {true, true, false, TMAP_ILLEGAL, NOT_LAST},
    {true, true, false, TMAP_ILLEGAL, ANOTHER},
    {true, true, false, TMAP_ILLEGAL, BOTH_ANOTHER},
    {true, true, false, TMAP_LEGAL, ELSEWHERE},
    {true, true, false, TMAP_ILLEGAL, EARLIER},
    {true, true, false, TMAP_ILLEGAL, LATER},
    {true, true, false, TMAP_LEGAL, ALWAYS_LAST},
    {true, true, false, TMAP_ILLEGAL, READ_SELDOM},
    {true, true, false, TMAP_ILLEGAL, LATE_IS_OTHER},
    {true, true, false, TMAP_ILLEGAL, LAST_IS_OTHER},
};

static void test_each_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        const struct tmap_protocol p = ring_of(s->late, s->tiles, s->change);
        const bool paced = keeps_pace(&p);
        const enum tmap_verdict v = ask(&p, s->change);
        if (paced != s->paced || v != s->verdict) fail_msg("row %zu: %d, %d", i, paced, (int)v);
    }
}

/* A copy to a CTA that signals the barrier of another: who reads it there waits for less, and who
 * reads it from where it is signalled waits for it. */
static void test_a_copy_signalled_elsewhere(void **state)
{
    (void)state;
    for (unsigned cta = 0; cta < 2; cta++) {
        struct tmap_protocol p = {.name = "elsewhere", .started = true, .stays = true, .ctas = 2};
        struct machine m;
        p.ring_count = p.depth[0] = p.barrier_count = p.buffer_count = 1;
        p.barrier[FULL] = (struct tmap_barrier){"full", 0, 1};
        p.buffer[0] = (struct tmap_buffer){"tile", 0};
        p.agent_count = 2;
        p.agent[0].name = "producer", p.agent[1].name = "consumer";
        p.agent[1].cta = (uint8_t)cta;
        PUT(&p, 0, START, EXPECT, .x = FULL, .bytes = 16);
        PUT(&p, 0, START, LOAD, .y = FULL, .bytes = 16, .ctas = 2, .signal = 1);
        PUT(&p, 0, START, ARRIVE, .x = FULL, .ctas = 2);
        PUT(&p, 1, START, WAIT, .x = FULL);
        PUT(&p, 1, START, READ, .ctas = 2);
        assert_true(machine_prepare(&m, &p));
        assert_int_equal(m.awaited[0], cta == 0);
        assert_int_equal(ask(&p, (int)cta), cta == 0 ? TMAP_LEGAL : TMAP_ILLEGAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_shape),
                                       cmocka_unit_test(test_a_copy_signalled_elsewhere)};
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
