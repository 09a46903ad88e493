/* What the machine keeps of a slot: copies whose buffer and barrier are of two rings, a slot that
 * is stored twice. */
#include "solve/machine.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 8 << 20, FULL = 0, EMPTY = 1 };

static void *memory;

static void put(struct tmap_protocol *p, struct tmap_agent *g, enum tmap_part part,
                struct tmap_step s)
{
    if (g->count[part]++ == 0) g->first[part] = p->step_count;
    p->step[p->step_count++] = s;
}

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

static int take_memory(void **state)
{
    (void)state;
    memory = malloc(WORKSPACE);
    return memory ? 0 : -1;
}

static int give_memory(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_buffer_and_its_barriers_in_two_rings),
        cmocka_unit_test(test_a_slot_is_stored_twice),
    };
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
