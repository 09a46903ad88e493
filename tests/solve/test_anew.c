/* Barriers that are initialised again for every tile: by the only agent, or between two meetings of
 * all. Each row leaves one thing out. */
#include "solve/machine.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 16 << 20, FULL = 0, EMPTY = 1, BEFORE = 0, AFTER = 1 };

static void *memory;

#define STEP(PART, OP, ...) PUT(&p, p.agent_count - 1, PART, OP, __VA_ARGS__)

static struct tmap_protocol with_ring(uint8_t stages, uint8_t barriers)
{
    struct tmap_protocol p = {.name = "anew", .tiles = true, .ctas = 1};
    p.ring_count = p.buffer_count = 1;
    p.depth[0] = stages;
    p.barrier_count = barriers;
    p.barrier[FULL] = (struct tmap_barrier){"full", 0, 1};
    p.barrier[EMPTY] = (struct tmap_barrier){"empty", 0, 1};
    p.buffer[0] = (struct tmap_buffer){"tile", 0};
    return p;
}

enum fault {
    NOTHING,
    NO_INIT,    /* the barriers of the tensor before are used on */
    NO_FENCE,   /* the first time the fence is there */
    NO_RESTART, /* the ring goes on where it was */
    NO_DRAIN,   /* a store reads while the next tensor's copies land */
    LOAD_AHEAD, /* one copy more than is waited for */
    NO_BEFORE,  /* others may still use the barriers */
    NO_AFTER,   /* others use them before they are there */
    OTHER_GOES_ON,
};

/* A copy of a list: one slot is loaded ahead of the stores. */
static struct tmap_protocol list_of(enum fault fault)
{
    struct tmap_protocol p = with_ring(2, 1);
    p.agent[p.agent_count++].name = "copies";
    if (fault == NO_FENCE) STEP(START, FENCE_INIT, .x = 0);
    if (fault == NO_INIT) STEP(START, INIT, .x = 0);
    if (fault == NO_INIT) STEP(START, FENCE_INIT, .x = 0);
    if (fault != NO_INIT) STEP(TILE, INIT, .x = 0);
    if (fault != NO_INIT && fault != NO_FENCE) STEP(TILE, FENCE_INIT, .x = 0);
    if (fault != NO_RESTART) STEP(TILE, RESTART, .x = 0);
    STEP(TILE, EXPECT, .x = FULL, .bytes = 16);
    STEP(TILE, LOAD, .y = FULL, .bytes = 16);
    STEP(TILE, ADVANCE, .x = 0);
    STEP(BLOCK, WAIT_READ, .x = 0);
    STEP(BLOCK, EXPECT, .x = FULL, .bytes = 16);
    STEP(BLOCK, LOAD, .y = FULL, .bytes = 16);
    STEP(BLOCK, WAIT, .x = FULL, .back = 1);
    STEP(BLOCK, STORE, .back = 1);
    STEP(BLOCK, ADVANCE, .x = 0);
    if (fault != LOAD_AHEAD) STEP(FLUSH, WAIT, .x = FULL, .back = 1);
    if (fault != LOAD_AHEAD) STEP(FLUSH, STORE, .back = 1);
    if (fault != NO_DRAIN) STEP(FLUSH, WAIT_READ, .x = 0);
    STEP(END, WAIT_READ, .x = 0);
    return p;
}

/* A ring between two, who meet before its barriers are made again and after. */
static struct tmap_protocol ring_of(enum fault fault)
{
    struct tmap_protocol p = with_ring(2, 2);
    p.sync_count = 2;
    p.members[BEFORE] = p.members[AFTER] = 3;
    p.agent[p.agent_count++].name = "loads";
    if (fault != NO_BEFORE) STEP(TILE, SYNC, .x = BEFORE);
    if (fault != NO_INIT) STEP(TILE, INIT, .x = 0);
    if (fault != NO_INIT) STEP(TILE, FENCE_INIT, .x = 0);
    STEP(TILE, RESTART, .x = 0);
    if (fault != NO_AFTER) STEP(TILE, SYNC, .x = AFTER);
    STEP(BLOCK, WAIT_FREE, .x = EMPTY);
    STEP(BLOCK, EXPECT, .x = FULL, .bytes = 16);
    STEP(BLOCK, LOAD, .y = FULL, .bytes = 16);
    STEP(BLOCK, ADVANCE, .x = 0);
    p.agent[p.agent_count++].name = "reads";
    if (fault != NO_BEFORE) STEP(TILE, SYNC, .x = BEFORE);
    if (fault != OTHER_GOES_ON) STEP(TILE, RESTART, .x = 0);
    if (fault != NO_AFTER) STEP(TILE, SYNC, .x = AFTER);
    STEP(BLOCK, WAIT, .x = FULL);
    STEP(BLOCK, READ, .x = 0);
    STEP(BLOCK, RELEASE, .y = EMPTY);
    STEP(BLOCK, ADVANCE, .x = 0);
    return p;
}

static const struct row {
    const char *name;
    struct tmap_protocol (*make)(enum fault);
    enum fault fault;
    enum tmap_hazard hazard;
} rows[] = {
    {"a list", list_of, NOTHING, TMAP_HAZARD_NONE},
    {"a list, barriers not made again", list_of, NO_INIT, TMAP_HAZARD_ALIAS},
    {"a list, not published", list_of, NO_FENCE, TMAP_HAZARD_UNINITIALIZED},
    {"a list, the ring goes on", list_of, NO_RESTART, TMAP_HAZARD_ALIAS},
    {"a list, stores not waited for", list_of, NO_DRAIN, TMAP_HAZARD_UNWAITED_STORE},
    {"a list, a copy is on its way", list_of, LOAD_AHEAD, TMAP_HAZARD_ALIAS},
    {"two", ring_of, NOTHING, TMAP_HAZARD_NONE},
    {"two, who do not meet before", ring_of, NO_BEFORE, TMAP_HAZARD_ALIAS},
    {"two, who do not meet after", ring_of, NO_AFTER, TMAP_HAZARD_UNINITIALIZED},
    {"two, one of whom goes on", ring_of, OTHER_GOES_ON, TMAP_HAZARD_DEADLOCK},
};

static void test_barriers_made_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct tmap_protocol p = rows[i].make(rows[i].fault);
        struct tmap_protocol_result r;
        assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        print_message("# %s: %s, %u states %s\n", rows[i].name, tmap_hazard_name(r.fault), r.states,
                      r.detail);
        assert_int_equal(r.fault, rows[i].hazard);
        assert_int_equal(r.verdict, r.fault ? TMAP_ILLEGAL : TMAP_LEGAL);
    }
}

static void assert_fault(const struct tmap_protocol *p, enum tmap_hazard fault, const char *words)
{
    struct tmap_protocol_result r;
    assert_int_equal(tmap_protocol_explore(p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    if (r.fault != fault || !strstr(r.detail, words))
        fail_msg("%s: %s", tmap_hazard_name(r.fault), r.detail);
    assert_int_equal(r.verdict, fault ? TMAP_ILLEGAL : TMAP_LEGAL);
    assert_int_equal(explore_protocol(p, false, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.fault, fault);
}

/* A commit that is on its way to the barriers of one CTA leaves those of the other alone. */
static void test_a_commit_on_its_way(void **state)
{
    (void)state;
    for (uint8_t to = 1; to <= 3; to++) {
        struct tmap_protocol p = with_ring(1, 1);
        p.ctas = 2, p.stays = true;
        p.sync_count = 1, p.members[0] = 3;
        p.agent[p.agent_count++].name = "commits";
        STEP(START, INIT, .x = 0);
        STEP(START, FENCE_INIT, .x = 0);
        STEP(START, SYNC, .x = 0);
        STEP(START, COMMIT, .x = UINT8_MAX, .y = FULL, .ctas = to);
        STEP(START, INIT, .x = 0);
        STEP(START, FENCE_INIT, .x = 0);
        p.agent[p.agent_count++].name = "waits";
        p.agent[1].cta = 1;
        STEP(START, INIT, .x = 0);
        STEP(START, FENCE_INIT, .x = 0);
        STEP(START, SYNC, .x = 0);
        if (to > 1) STEP(START, WAIT, .x = FULL);
        if (to == 2)
            assert_fault(&p, TMAP_HAZARD_NONE, "");
        else
            assert_fault(&p, TMAP_HAZARD_ALIAS, "initialised again while a phase is under way");
    }
}

/* Bytes that have landed, though nobody expects them, are of a phase. */
static void test_bytes_of_a_phase(void **state)
{
    struct tmap_protocol p = with_ring(1, 1);
    struct tmap_protocol_result r;
    (void)state;
    p.agent[p.agent_count++].name = "copies";
    STEP(START, INIT, .x = 0);
    STEP(START, FENCE_INIT, .x = 0);
    STEP(START, LOAD, .y = FULL, .bytes = 16);
    STEP(START, INIT, .x = 0);
    assert_fault(&p, TMAP_HAZARD_ALIAS, "initialised again while a phase is under way");
    assert_int_equal(explore_ordered(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.fault, TMAP_HAZARD_ALIAS); /* where copies land at once */
}

/* Barriers that the start initialises twice, by one or by two who have met, are what they are. */
static void test_made_twice_at_the_start(void **state)
{
    (void)state;
    for (int two = 0; two < 2; two++) {
        struct tmap_protocol p = with_ring(1, 1);
        p.sync_count = 1, p.members[0] = 3;
        p.agent[p.agent_count++].name = "first";
        STEP(START, INIT, .x = 0);
        STEP(START, FENCE_INIT, .x = 0);
        if (!two) STEP(START, INIT, .x = 0);
        if (!two) STEP(START, FENCE_INIT, .x = 0);
        STEP(START, SYNC, .x = 0);
        p.agent[p.agent_count++].name = "second";
        STEP(START, SYNC, .x = 0);
        if (two) STEP(START, INIT, .x = 0);
        if (two) STEP(START, FENCE_INIT, .x = 0);
        STEP(START, ARRIVE, .x = FULL);
        STEP(START, WAIT, .x = FULL);
        assert_fault(&p, TMAP_HAZARD_NONE, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers_made_again),
        cmocka_unit_test(test_a_commit_on_its_way),
        cmocka_unit_test(test_bytes_of_a_phase),
        cmocka_unit_test(test_made_twice_at_the_start),
    };
    memory = malloc(WORKSPACE);
    if (!memory) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return failed;
}
