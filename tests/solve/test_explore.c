/* Explorations at their edges: too much to count, nobody who can move, too little memory. */
#include "solve/machine.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#define WORKSPACE ((size_t)8 << 20)
#include "support/workspace.h"

/* Sixteen agents that fill a slot sixteen times each, once more than is counted. */
static void test_more_copies_than_a_slot_counts(void **state)
{
    (void)state;
    for (uint8_t agents = 15; agents <= 16; agents++)
        for (int reads = 0; reads < 2; reads++) {
            struct tmap_protocol p = {.name = "parts", .started = true, .stays = true, .ctas = 1};
            struct tmap_protocol_result r;
            p.ring_count = p.barrier_count = p.buffer_count = p.depth[0] = 1;
            p.barrier[0] = (struct tmap_barrier){"full", 0, 1};
            p.buffer[0] = (struct tmap_buffer){"tile", 0};
            p.step_count = 16;
            p.agent_count = agents;
            for (int i = 0; i < 16; i++) p.step[i].op = reads ? TMAP_STEP_READ : TMAP_STEP_WRITE;
            for (int a = 0; a < agents; a++) {
                p.agent[a].name = "agent";
                p.agent[a].count[TMAP_PART_START] = 16;
            }
            const enum tmap_status s = tmap_protocol_explore(&p, memory, 1 << 20, &r, NULL, 0);
            assert_int_equal(s, agents == 16 ? TMAP_E_ARGUMENT : TMAP_OK);
        }
}

/* Two of three have come to a meeting: nobody can move, and there is no way to say how it came. */
static void test_stuck_from_the_start(void **state)
{
    const struct tmap_step sync = {.op = TMAP_STEP_SYNC};
    struct tmap_protocol p = {.name = "stuck", .started = true, .ctas = 1, .agent_count = 2};
    struct tmap_protocol_result r;
    char trace[256];
    (void)state;
    p.sync_count = p.step_count = 1;
    p.members[0] = 7;
    p.step[0] = sync;
    for (int a = 0; a < 2; a++) {
        p.agent[a].name = a ? "one" : "other";
        p.agent[a].count[TMAP_PART_START] = 1;
    }
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, trace, sizeof trace),
                     TMAP_OK);
    assert_int_equal(r.fault, TMAP_HAZARD_DEADLOCK);
    assert_int_equal(r.steps, 0);
    assert_string_equal(r.detail, "nobody can go on: other, one wait");
}

/* Who has blocks waits for ever before the first; how the word goes on is left to one who only does
 * something with every tile, and helps nobody. */
static void test_a_word_left_to_who_has_no_blocks(void **state)
{
    struct tmap_protocol p = {.name = "left", .tiles = true, .started = true, .ctas = 1};
    struct tmap_protocol_result r;
    (void)state;
    p.ring_count = p.barrier_count = p.depth[0] = 1;
    p.barrier[0] = (struct tmap_barrier){"never", 0, 1};
    p.step_count = p.agent_count = 2;
    p.step[0].op = TMAP_STEP_WAIT, p.step[1].op = TMAP_STEP_FENCE;
    p.agent[0].name = "waits", p.agent[1].name = "idle";
    p.agent[0].count[TMAP_PART_START] = 1;
    p.agent[0].first[TMAP_PART_BLOCK] = p.agent[1].first[TMAP_PART_FLUSH] = 1;
    p.agent[0].count[TMAP_PART_BLOCK] = p.agent[1].count[TMAP_PART_FLUSH] = 1;
    assert_int_equal(explore_ordered(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.verdict, TMAP_UNKNOWN);
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.fault, TMAP_HAZARD_DEADLOCK);
}

/* One run of each word, in ever more memory: too little to begin, too little to end, enough. */
static void test_one_run_in_any_memory(void **state)
{
    const struct tmap_design_options o = {
        .design = TMAP_DESIGN_GEMM_SM90, .stages = 8, .consumers = 2, .ctas = 4};
    long seen[3] = {0, 0, 0};
    int at = 0;
    struct tmap_protocol p;
    struct tmap_protocol_result r;
    (void)state;
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_OK);
    for (size_t bytes = 1 << 16; bytes <= WORKSPACE; bytes += bytes / 128 * 8) {
        const enum tmap_status s = explore_ordered(&p, memory, bytes, &r, NULL, 0);
        const int now = s == TMAP_E_ROOM ? 0 : r.verdict == TMAP_UNKNOWN ? 1 : 2;
        assert_true(s == TMAP_E_ROOM || (s == TMAP_OK && r.fault == TMAP_HAZARD_NONE));
        assert_true(now >= at);
        seen[at = now]++;
        if (now == 2) break;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < TMAP_DESIGN_COUNT; i++) assert_non_null(tmap_design_name(i));
    for (int i = 0; i < TMAP_DEFECT_COUNT; i++) assert_non_null(tmap_defect_name(i));
    for (int i = 0; i < TMAP_HAZARD_COUNT; i++) assert_non_null(tmap_hazard_name(i));
    assert_null(tmap_design_name(TMAP_DESIGN_COUNT));
    assert_null(tmap_defect_name(TMAP_DEFECT_COUNT));
    assert_null(tmap_hazard_name(TMAP_HAZARD_COUNT));
}

/* Where the clocks of one run have no room, or a load moves nothing, all orders are asked. */
static void test_more_strands_than_a_clock(void **state)
{
    struct tmap_protocol_result r;
    struct tmap_protocol p = {
        .name = "many",
        .started = true,
        .ctas = TMAP_PROTOCOL_CTAS,
        .agent_count = TMAP_PROTOCOL_AGENTS,
        .ring_count = 1,
        .barrier_count = 1,
        .buffer_count = 2,
        .step_count = 2,
        .depth = {1},
        .barrier = {{"full", 0, 1}},
        .buffer = {{"in", 0}, {"out", 0}},
        .step = {{.op = TMAP_STEP_LOAD, .ctas = 15, .bytes = 16}, {.op = TMAP_STEP_STORE, .x = 1}}};
    (void)state;
    for (int a = 0; a < TMAP_PROTOCOL_AGENTS; a++) {
        p.agent[a].name = "agent";
        p.agent[a].cta = (uint8_t)(a % TMAP_PROTOCOL_CTAS);
        p.agent[a].count[TMAP_PART_START] = 2;
    }
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.fault, TMAP_HAZARD_EARLY); /* nobody wrote what is stored */
    const struct tmap_design_options o = {.design = TMAP_DESIGN_RING, .stages = 2};
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_OK);
    for (unsigned i = 0; i < p.step_count; i++) p.step[i].bytes = 0;
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.fault, TMAP_HAZARD_EARLY);
}

static void test_a_workspace_that_does_not_do(void **state)
{
    struct tmap_protocol_result r;
    const struct tmap_protocol p = {.ctas = 1};
    char *odd = (char *)memory + 1;
    (void)state;
    assert_int_equal(tmap_protocol_explore(&p, odd, WORKSPACE - 8, &r, NULL, 0), TMAP_E_ROOM);
    for (size_t bytes = 0; bytes < 65536; bytes += 4096)
        assert_int_equal(tmap_protocol_explore(&p, memory, bytes, &r, NULL, 0), TMAP_E_ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_copies_than_a_slot_counts),
        cmocka_unit_test(test_stuck_from_the_start),
        cmocka_unit_test(test_a_word_left_to_who_has_no_blocks),
        cmocka_unit_test(test_one_run_in_any_memory),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_more_strands_than_a_clock),
        cmocka_unit_test(test_a_workspace_that_does_not_do),
    };
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
