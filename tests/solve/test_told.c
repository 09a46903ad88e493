/* An agent that tells others of a slot, in one step or the next, before it has ended its read or
 * written the bytes: who goes on at once finds the slot as it was. */
#include "tmap/protocol.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 1 << 20, FULL = 0, EMPTY = 1 };
#include "support/workspace.h"

#define STEP(name, ...)                                                                            \
    {                                                                                              \
        .op = TMAP_STEP_##name, __VA_ARGS__                                                        \
    }
#define NEXT STEP(ADVANCE, .x = 0)
#define MOST 8

/* A ring of two slots: what its two agents do with every block. */
static const struct told {
    const char *name;
    struct tmap_step first[MOST], second[MOST]; /* to ADVANCE */
    enum tmap_hazard hazard;
} cases[] = {
    {"a read, and the arrival",
     {STEP(WAIT_FREE, .x = EMPTY), STEP(EXPECT, .x = FULL, .bytes = 16),
      STEP(LOAD, .x = 0, .y = FULL, .bytes = 16), NEXT},
     {STEP(WAIT, .x = FULL), STEP(READ, .x = 0), STEP(DONE, .x = 0), STEP(ARRIVE, .x = EMPTY),
      NEXT},
     TMAP_HAZARD_NONE},
    {"the arrival comes before the read's end",
     {STEP(WAIT_FREE, .x = EMPTY), STEP(EXPECT, .x = FULL, .bytes = 16),
      STEP(LOAD, .x = 0, .y = FULL, .bytes = 16), NEXT},
     {STEP(WAIT, .x = FULL), STEP(READ, .x = 0), STEP(ARRIVE, .x = EMPTY), STEP(DONE, .x = 0),
      NEXT},
     TMAP_HAZARD_OVERWRITE},
    {"of two slots the first is given back, and both are filled",
     {STEP(WAIT_FREE, .x = EMPTY), STEP(EXPECT, .x = FULL, .bytes = 32),
      STEP(LOAD, .x = 0, .y = FULL, .bytes = 16), STEP(LOAD, .x = 1, .y = FULL, .bytes = 16), NEXT},
     {STEP(WAIT, .x = FULL), STEP(READ, .x = 0), STEP(READ, .x = 1),
      STEP(RELEASE, .x = 0, .y = EMPTY), STEP(DONE, .x = 1), NEXT},
     TMAP_HAZARD_OVERWRITE},
    {"bytes, and the arrival",
     {STEP(WAIT_FREE, .x = EMPTY), STEP(WRITE, .x = 0), STEP(ARRIVE, .x = FULL), NEXT},
     {STEP(WAIT, .x = FULL), STEP(READ, .x = 0), STEP(RELEASE, .x = 0, .y = EMPTY), NEXT},
     TMAP_HAZARD_NONE},
    {"the arrival comes before the bytes",
     {STEP(WAIT_FREE, .x = EMPTY), STEP(ARRIVE, .x = FULL), STEP(WRITE, .x = 0), NEXT},
     {STEP(WAIT, .x = FULL), STEP(READ, .x = 0), STEP(RELEASE, .x = 0, .y = EMPTY), NEXT},
     TMAP_HAZARD_EARLY},
    {"the arrival comes before the fence",
     {STEP(WAIT_FREE, .x = EMPTY), STEP(WRITE, .x = 0), STEP(ARRIVE, .x = FULL),
      STEP(FENCE, .x = 0), NEXT},
     {STEP(WAIT, .x = FULL), STEP(STORE, .x = 0), STEP(WAIT_READ, .bytes = 0),
      STEP(ARRIVE, .x = EMPTY), NEXT},
     TMAP_HAZARD_UNFENCED},
};

static void put(struct tmap_protocol *p, unsigned agent, const struct tmap_step steps[MOST])
{
    struct tmap_agent *g = &p->agent[agent];
    unsigned n = 0;
    g->first[TMAP_PART_BLOCK] = p->step_count;
    do p->step[p->step_count++] = steps[n];
    while (steps[n++].op != TMAP_STEP_ADVANCE);
    g->count[TMAP_PART_BLOCK] = (uint8_t)n;
}

static void test_told_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tmap_protocol p = {.name = "ring", .started = true, .ctas = 1};
        struct tmap_protocol_result result;
        p.ring_count = 1, p.barrier_count = p.buffer_count = p.agent_count = 2, p.depth[0] = 2;
        p.barrier[FULL] = (struct tmap_barrier){"full", 0, 1};
        p.barrier[EMPTY] = (struct tmap_barrier){"empty", 0, 1};
        p.buffer[0] = (struct tmap_buffer){"tile", 0};
        p.buffer[1] = (struct tmap_buffer){"other", 0};
        p.agent[0].name = "first", p.agent[1].name = "second";
        put(&p, 0, cases[i].first);
        put(&p, 1, cases[i].second);
        assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &result, NULL, 0), TMAP_OK);
        print_message("# %s: %s %s\n", cases[i].name, tmap_hazard_name(result.fault),
                      result.fault ? result.detail : "");
        assert_int_equal(result.fault, cases[i].hazard);
        assert_int_equal(result.verdict, result.fault ? TMAP_ILLEGAL : TMAP_LEGAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_told_first)};
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
