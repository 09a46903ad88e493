/* What the machine keeps of a slot, and what it has no room for: copies whose buffer and barrier
 * are of two rings, a slot that is stored twice, and more on its way than a state counts. */
#include "solve/machine.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 8 << 20, FULL = 0, EMPTY = 1 };
#include "support/workspace.h"

/* Barriers `full` and `empty` and a buffer, in rings of these depths. */
static struct tmap_protocol between(uint8_t slots, uint8_t barriers, uint8_t count)
{
    struct tmap_protocol p = {.name = "slots", .started = true, .stays = true, .ctas = 1};
    p.ring_count = p.barrier_count = 2;
    p.depth[0] = slots, p.depth[1] = barriers;
    p.barrier[FULL] = (struct tmap_barrier){"full", 1, 1};
    p.barrier[EMPTY] = (struct tmap_barrier){"empty", 1, count};
    p.buffer_count = 1;
    p.buffer[0] = (struct tmap_buffer){"tile", 0};
    p.agent_count = 2;
    p.agent[0].name = "producer", p.agent[1].name = "consumer";
    return p;
}

/* The one run, all orders with the reductions and without, and what the public call makes of them:
 * none says the contrary of another. */
static struct tmap_protocol_result explore(const struct tmap_protocol *p)
{
    struct tmap_protocol_result all, plain, first, r;
    assert_int_equal(explore_protocol(p, false, memory, WORKSPACE, &all, NULL, 0), TMAP_OK);
    assert_int_equal(explore_protocol(p, true, memory, WORKSPACE, &plain, NULL, 0), TMAP_OK);
    if (all.verdict != plain.verdict) fail_msg("%s: %s", tmap_hazard_name(all.fault), plain.detail);
    if (explore_ordered(p, memory, WORKSPACE, &first, NULL, 0) == TMAP_OK &&
        first.verdict != TMAP_UNKNOWN && all.verdict != TMAP_UNKNOWN)
        assert_int_equal(first.verdict, all.verdict);
    assert_int_equal(tmap_protocol_explore(p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    return r;
}

static void go_on(struct tmap_protocol *p, struct tmap_agent *g)
{
    for (uint8_t r = 0; r < 2; r++)
        put(p, g, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_ADVANCE, .x = r});
}

/* As many blocks may be under way as there are barriers: they need as many slots. */
static void test_a_buffer_and_its_barriers_in_two_rings(void **state)
{
    (void)state;
    for (uint8_t slots = 1; slots <= 3; slots++)
        for (uint8_t barriers = 1; barriers <= 3; barriers++)
            for (int commits = 0; commits < 2; commits++) {
                struct tmap_protocol p = between(slots, barriers, 1);
                struct tmap_agent *a = &p.agent[0], *b = &p.agent[1];
                const uint8_t ends = commits ? TMAP_STEP_COMMIT : TMAP_STEP_RELEASE;
                put(&p, a, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_WAIT_FREE, .x = 1});
                put(&p, a, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_EXPECT, .bytes = 4});
                put(&p, a, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_LOAD, .bytes = 4});
                go_on(&p, a);
                put(&p, b, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_WAIT});
                put(&p, b, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_READ});
                put(&p, b, TMAP_PART_BLOCK, (struct tmap_step){.op = ends, .y = EMPTY});
                go_on(&p, b);
                const struct tmap_protocol_result r = explore(&p);
                if (r.fault != (barriers > slots ? TMAP_HAZARD_OVERWRITE : TMAP_HAZARD_NONE) ||
                    r.verdict == TMAP_UNKNOWN)
                    fail_msg("%u slots, %u barriers, %d: %s (%s)", slots, barriers, commits,
                             tmap_hazard_name(r.fault), r.detail);
            }
}

/* A slot that two stores read may be written again when both have: not when the first has. */
static void test_a_slot_is_stored_twice(void **state)
{
    (void)state;
    for (uint32_t but = 0; but < 3; but++) {
        struct tmap_protocol p = between(1, 1, 1);
        const struct tmap_step steps[] = {
            {.op = TMAP_STEP_WRITE},
            {.op = TMAP_STEP_FENCE},
            {.op = TMAP_STEP_STORE},
            {.op = TMAP_STEP_STORE},
            {.op = TMAP_STEP_WAIT_READ, .bytes = but},
            {.op = TMAP_STEP_BEGIN},
            {.op = TMAP_STEP_WAIT_READ},
            {.op = TMAP_STEP_ADVANCE},
        };
        p.agent_count = 1;
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            put(&p, &p.agent[0], TMAP_PART_BLOCK, steps[i]);
        const struct tmap_protocol_result r = explore(&p);
        if (r.fault != (but ? TMAP_HAZARD_UNWAITED_STORE : TMAP_HAZARD_NONE))
            fail_msg("all but %u: %s (%s)", but, tmap_hazard_name(r.fault), r.detail);
    }
}

/* A copy to two CTAs for which one has no room is not issued to the other: tried again later it
 * would be issued twice. Nothing is wrong with the protocol, so nobody may say so. */
static void test_copies_of_which_one_has_no_room(void **state)
{
    (void)state;
    for (unsigned both = 10; both <= 13; both++) {
        struct tmap_protocol p = between(1, 1, 2);
        struct tmap_agent *a = &p.agent[0];
        p.ctas = 2;
        p.agent_count = 3;
        p.agent[2].name = "other", p.agent[2].cta = 1;
        put(&p, a, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_WAIT_FREE, .x = EMPTY});
        put(&p, a, TMAP_PART_BLOCK,
            (struct tmap_step){.op = TMAP_STEP_EXPECT, .ctas = 3, .bytes = 4 * both + 4});
        for (unsigned i = 0; i < both + 2; i++)
            put(&p, a, TMAP_PART_BLOCK,
                (struct tmap_step){.op = TMAP_STEP_LOAD,
                                   .ctas = (uint8_t)(i == 0      ? 2
                                                     : i <= both ? 3
                                                                 : 1),
                                   .bytes = 4});
        go_on(&p, a);
        for (int g = 1; g < 3; g++) {
            const uint8_t first = p.step_count;
            put(&p, &p.agent[g], TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_WAIT});
            put(&p, &p.agent[g], TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_READ});
            put(&p, &p.agent[g], TMAP_PART_BLOCK,
                (struct tmap_step){.op = TMAP_STEP_RELEASE, .y = EMPTY, .ctas = 1});
            go_on(&p, &p.agent[g]);
            p.agent[g].first[TMAP_PART_BLOCK] = first;
        }
        for (int plain = 0; plain < 2; plain++) {
            struct tmap_protocol_result r;
            assert_int_equal(explore_protocol(&p, plain, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
            print_message("# %u copies, %d: %s, %u states\n", both, plain, r.detail, r.states);
            if (r.fault) fail_msg("%u copies: %s (%s)", both, tmap_hazard_name(r.fault), r.detail);
        }
    }
}

static void start_with(struct tmap_protocol *p, unsigned agent, const struct tmap_step *of,
                       unsigned times)
{
    while (times-- > 0) put(p, &p->agent[agent], TMAP_PART_START, *of);
}
#define START(p, agent, times, ...)                                                                \
    start_with(p, agent, &(const struct tmap_step){__VA_ARGS__}, times)

/* Neither all orders nor the public call may find a fault; who counts to the end says LEGAL. */
static enum tmap_verdict without_a_fault(const struct tmap_protocol *p)
{
    struct tmap_protocol_result r;
    for (int plain = 0; plain < 2; plain++) {
        assert_int_equal(explore_protocol(p, plain, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        if (r.fault) fail_msg("%s: %s (%s)", p->name, tmap_hazard_name(r.fault), r.detail);
    }
    assert_int_equal(tmap_protocol_explore(p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    if (r.fault) fail_msg("%s: %s (%s)", p->name, tmap_hazard_name(r.fault), r.detail);
    assert_true(r.verdict == TMAP_LEGAL || r.detail[0]);
    return r.verdict;
}

/* Bytes expected of two CTAs, of which one has no room before copies to it land. */
static void test_bytes_of_which_one_has_no_room(void **state)
{
    struct tmap_protocol p = between(1, 1, 1);
    (void)state;
    p.ctas = 2;
    p.agent_count = 4;
    p.agent[2].name = "copies", p.agent[3].name = "other", p.agent[3].cta = 1;
    p.barrier[FULL].count = 3;
    START(&p, 0, 2, .op = TMAP_STEP_ARRIVE, .ctas = 1);
    START(&p, 0, 2, .op = TMAP_STEP_EXPECT, .ctas = 2, .bytes = 16383);
    START(&p, 0, 1, .op = TMAP_STEP_EXPECT, .ctas = 3, .bytes = 4);
    START(&p, 0, 1, .op = TMAP_STEP_LOAD, .ctas = 3, .bytes = 4);
    START(&p, 1, 1, .op = TMAP_STEP_WAIT);
    START(&p, 2, 2, .op = TMAP_STEP_LOAD, .ctas = 2, .bytes = 16383);
    START(&p, 3, 1, .op = TMAP_STEP_WAIT);
    assert_int_equal(without_a_fault(&p), TMAP_UNKNOWN);
}

/* Copies that land before anybody expects them: as long as they can be counted. */
static void test_bytes_that_land_first(void **state)
{
    (void)state;
    for (unsigned copies = 1; copies <= 3; copies++) {
        struct tmap_protocol p = between(1, 1, 1);
        p.barrier[FULL].count = (uint8_t)(copies + 1);
        START(&p, 0, copies, .op = TMAP_STEP_LOAD, .bytes = 16383);
        START(&p, 1, copies, .op = TMAP_STEP_EXPECT, .bytes = 16383);
        START(&p, 1, 1, .op = TMAP_STEP_EXPECT, .bytes = 1); /* what all are multiples of */
        START(&p, 1, 1, .op = TMAP_STEP_LOAD, .bytes = 1);
        START(&p, 1, 1, .op = TMAP_STEP_WAIT);
        const enum tmap_verdict v = without_a_fault(&p);
        assert_int_equal(v, copies == 3 ? TMAP_UNKNOWN : TMAP_LEGAL);
    }
}

/* Twelve commits and twelve stores on their way are counted; one run has no more commits than one
 * on its way at a time. */
static void test_more_on_its_way_than_is_counted(void **state)
{
    (void)state;
    for (uint8_t n = 11; n <= 13; n++) {
        struct tmap_protocol commits = between(1, 1, 1), stores = between(1, 1, 1);
        commits.barrier[FULL].count = n;
        START(&commits, 0, n, .op = TMAP_STEP_COMMIT, .x = UINT8_MAX);
        START(&commits, 1, 1, .op = TMAP_STEP_WAIT);
        assert_int_equal(without_a_fault(&commits), TMAP_LEGAL);
        stores.agent_count = 1;
        START(&stores, 0, 1, .op = TMAP_STEP_WRITE);
        START(&stores, 0, 1, .op = TMAP_STEP_FENCE);
        START(&stores, 0, n, .op = TMAP_STEP_STORE);
        START(&stores, 0, 1, .op = TMAP_STEP_WAIT_READ);
        assert_int_equal(without_a_fault(&stores), n > 12 ? TMAP_UNKNOWN : TMAP_LEGAL);
    }
}

/* A read or a mark in every block, and none of them ends: nobody is hurt, and it is not counted to
 * the end. Of a read in two CTAs one has no room first. */
static void test_reads_that_never_end(void **state)
{
    (void)state;
    for (int marks = 0; marks < 2; marks++)
        for (uint8_t ctas = 1; ctas < 4; ctas++) {
            struct tmap_protocol p = between(1, 1, 1);
            p.ctas = 2;
            START(&p, 0, 1, .op = TMAP_STEP_WRITE, .ctas = 3);
            START(&p, 0, 1, .op = TMAP_STEP_READ, .ctas = ctas);
            put(&p, &p.agent[0], TMAP_PART_BLOCK,
                (struct tmap_step){.op = marks ? TMAP_STEP_MARK : TMAP_STEP_READ, .ctas = 3});
            p.agent_count = 1;
            assert_int_equal(without_a_fault(&p), TMAP_UNKNOWN);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_buffer_and_its_barriers_in_two_rings),
        cmocka_unit_test(test_a_slot_is_stored_twice),
        cmocka_unit_test(test_copies_of_which_one_has_no_room),
        cmocka_unit_test(test_bytes_of_which_one_has_no_room),
        cmocka_unit_test(test_bytes_that_land_first),
        cmocka_unit_test(test_more_on_its_way_than_is_counted),
        cmocka_unit_test(test_reads_that_never_end),
    };
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
