/* Named barriers at which some only arrive (bar.arrive): warps hand a staging slot to a warp that
 * stores it, and take it back. Each row leaves one thing out, or does it at another place. */
#include "tmap/protocol.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 4 << 20, MOST = 8, FREE = 0, READY = 1 };

static void *memory;

struct program {
    uint8_t start[MOST], block[MOST], end[MOST]; /* pieces, 0 behind the last */
};
enum piece { NONE, AWAIT_FREE, PASS_FREE, AWAIT_READY, PASS_READY, WRITE, FENCE, STORE, WAIT_READ };

static const struct tmap_step pieces[] = {
    [AWAIT_FREE] = {.op = TMAP_STEP_SYNC, .x = FREE},
    [PASS_FREE] = {.op = TMAP_STEP_PASS, .x = FREE},
    [AWAIT_READY] = {.op = TMAP_STEP_SYNC, .x = READY},
    [PASS_READY] = {.op = TMAP_STEP_PASS, .x = READY},
    [WRITE] = {.op = TMAP_STEP_WRITE},
    [FENCE] = {.op = TMAP_STEP_FENCE},
    [STORE] = {.op = TMAP_STEP_STORE},
    [WAIT_READ] = {.op = TMAP_STEP_WAIT_READ},
};

static void put(struct tmap_protocol *p, struct tmap_agent *g, enum tmap_part part,
                const uint8_t of[MOST])
{
    g->first[part] = p->step_count;
    for (int i = 0; i < MOST && of[i]; i++) p->step[p->step_count++] = pieces[of[i]];
    if (part == TMAP_PART_BLOCK)
        p->step[p->step_count++] = (struct tmap_step){.op = TMAP_STEP_ADVANCE};
    g->count[part] = (uint8_t)(p->step_count - g->first[part]);
}

static void put_program(struct tmap_protocol *p, const char *name, const struct program *of)
{
    struct tmap_agent *g = &p->agent[p->agent_count++];
    g->name = name;
    put(p, g, TMAP_PART_START, of->start);
    put(p, g, TMAP_PART_BLOCK, of->block);
    put(p, g, TMAP_PART_END, of->end);
}

struct row {
    const char *name;
    struct program stores, writes;
    enum tmap_hazard fault;
};

static const struct row rows[] = {
    {"handed over and back",
     {{PASS_FREE}, {AWAIT_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, FENCE, PASS_READY}, {AWAIT_FREE}},
     TMAP_HAZARD_NONE},
    {"free before the store has read",
     {{PASS_FREE}, {AWAIT_READY, STORE, PASS_FREE, WAIT_READ}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, FENCE, PASS_READY}, {AWAIT_FREE}},
     TMAP_HAZARD_UNWAITED_STORE},
    {"ready before it is written",
     {{PASS_FREE}, {AWAIT_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, PASS_READY, WRITE, FENCE}, {AWAIT_FREE}},
     TMAP_HAZARD_EARLY},
    {"ready before the fence",
     {{PASS_FREE}, {AWAIT_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, PASS_READY, FENCE}, {AWAIT_FREE}},
     TMAP_HAZARD_UNFENCED},
    {"stored without waiting",
     {{PASS_FREE}, {PASS_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, FENCE, PASS_READY}, {AWAIT_FREE}},
     TMAP_HAZARD_EARLY},
    {"never free at first",
     {{NONE}, {AWAIT_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, FENCE, PASS_READY}, {AWAIT_FREE}},
     TMAP_HAZARD_DEADLOCK},
    {"free twice",
     {{PASS_FREE, PASS_FREE}, {AWAIT_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, FENCE, PASS_READY}, {AWAIT_FREE}},
     TMAP_HAZARD_ALIAS},
    {"who went on waits at the same meeting",
     {{PASS_FREE, AWAIT_FREE}, {AWAIT_READY, STORE, WAIT_READ, PASS_FREE}, {NONE}},
     {{NONE}, {AWAIT_FREE, WRITE, FENCE, PASS_READY}, {AWAIT_FREE}},
     TMAP_HAZARD_ALIAS},
    {"nobody waits",
     {{NONE}, {PASS_FREE}, {NONE}},
     {{NONE}, {PASS_FREE}, {NONE}},
     TMAP_HAZARD_ALIAS},
};

static struct tmap_protocol protocol_of(const struct row *r, int writers)
{
    static const char *const names[] = {"writes", "writes too"};
    struct tmap_protocol p = {.name = r->name, .started = true, .ctas = 1};
    p.ring_count = p.buffer_count = 1;
    p.depth[0] = 1;
    p.buffer[0] = (struct tmap_buffer){"staging", 0};
    put_program(&p, "stores", &r->stores);
    for (int i = 0; i < writers; i++) put_program(&p, names[i], &r->writes);
    p.sync_count = 2;
    p.members[FREE] = p.members[READY] = (uint16_t)((1u << p.agent_count) - 1);
    return p;
}

static void test_slots_handed_over(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int writers = 1; writers <= 2; writers++) {
            const struct tmap_protocol p = protocol_of(&rows[i], writers);
            struct tmap_protocol_result r;
            assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
            if (r.fault != rows[i].fault)
                fail_msg("%s, %d: %s: %s", rows[i].name, writers, tmap_hazard_name(r.fault),
                         r.detail);
            assert_int_equal(r.verdict, r.fault ? TMAP_ILLEGAL : TMAP_LEGAL);
        }
}

/* A trace names the barrier of each arrival. */
static void test_trace(void **state)
{
    struct tmap_protocol_result r;
    char trace[4096];
    (void)state;
    const struct tmap_protocol p = protocol_of(&rows[6], 1);
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, trace, sizeof trace),
                     TMAP_OK);
    assert_non_null(strstr(trace, "arrives at sync 0"));
    assert_string_equal(r.detail, "stores arrives at sync 0 twice before all others have");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slots_handed_over),
                                       cmocka_unit_test(test_trace)};
    memory = malloc(WORKSPACE);
    if (!memory) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return failed;
}
