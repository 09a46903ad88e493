/* Protocols over several rings, sound ones and each with one step or count made another: by all
 * orders with the reductions, by all without and by one run of each word nothing else is said. */
#include "solve/machine.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = 8 << 20, FULL = 0, EMPTY = 1, SLOTS = 0, PHASES = 1 };
#include "support/workspace.h"

static long sound, faults, open;

static void go_on(struct tmap_protocol *p, unsigned agent)
{
    PUT(p, agent, BLOCK, ADVANCE, .x = SLOTS);
    PUT(p, agent, BLOCK, ADVANCE, .x = PHASES);
}

static struct tmap_protocol begin(const char *name)
{
    struct tmap_protocol p = {.name = name, .started = true, .ctas = 1};
    p.ring_count = p.barrier_count = p.buffer_count = p.agent_count = 2;
    p.depth[SLOTS] = 2, p.depth[PHASES] = 1;
    p.barrier[FULL] = (struct tmap_barrier){"full", PHASES, 1};
    p.barrier[EMPTY] = (struct tmap_barrier){"empty", PHASES, 1};
    p.buffer[0] = (struct tmap_buffer){"tile", SLOTS};
    p.buffer[1] = (struct tmap_buffer){"other", SLOTS};
    p.agent[0].name = "producer", p.agent[1].name = "consumer";
    return p;
}

static struct tmap_protocol copied(bool commits)
{
    struct tmap_protocol p = begin(commits ? "copied and committed" : "copied and released");
    PUT(&p, 0, BLOCK, WAIT_FREE, .x = EMPTY);
    PUT(&p, 0, BLOCK, EXPECT, .x = FULL, .bytes = 12);
    PUT(&p, 0, BLOCK, LOAD, .x = 0, .y = FULL, .bytes = 4);
    PUT(&p, 0, BLOCK, LOAD, .x = 1, .y = FULL, .bytes = 8);
    go_on(&p, 0);
    PUT(&p, 1, BLOCK, WAIT, .x = FULL);
    PUT(&p, 1, BLOCK, READ, .x = 0);
    PUT(&p, 1, BLOCK, READ, .x = 1);
    PUT(&p, 1, BLOCK, DONE, .x = 1);
    if (commits)
        PUT(&p, 1, BLOCK, COMMIT, .x = 0, .y = EMPTY);
    else
        PUT(&p, 1, BLOCK, RELEASE, .x = 0, .y = EMPTY);
    go_on(&p, 1);
    PUT(&p, 0, END, WAIT_FREE, .x = EMPTY);
    return p;
}

static struct tmap_protocol stored(void)
{
    struct tmap_protocol p = begin("written and stored");
    PUT(&p, 0, BLOCK, WAIT_FREE, .x = EMPTY);
    PUT(&p, 0, BLOCK, BEGIN, .x = 0);
    PUT(&p, 0, BLOCK, WRITE, .x = 0);
    PUT(&p, 0, BLOCK, FENCE);
    PUT(&p, 0, BLOCK, ARRIVE, .x = FULL);
    go_on(&p, 0);
    PUT(&p, 1, BLOCK, WAIT, .x = FULL);
    PUT(&p, 1, BLOCK, STORE, .x = 0);
    PUT(&p, 1, BLOCK, WAIT_READ);
    PUT(&p, 1, BLOCK, ARRIVE, .x = EMPTY);
    go_on(&p, 1);
    return p;
}

/* Barriers made anew for each tile, when all copies and commits of the one before have arrived; a
 * ring that has none stays as it is. */
static struct tmap_protocol made_anew(void)
{
    struct tmap_protocol p = begin("made anew");
    p.tiles = true, p.started = false;
    p.ring_count = p.buffer_count = 3;
    p.depth[2] = 1;
    p.buffer[2] = (struct tmap_buffer){"kept", 2};
    p.sync_count = 1, p.members[0] = 3;
    PUT(&p, 0, START, WRITE, .x = 2);
    for (unsigned a = 0; a < 2; a++) {
        PUT(&p, a, TILE, SYNC);
        if (a == 0) PUT(&p, a, TILE, INIT);
        if (a == 0) PUT(&p, a, TILE, FENCE_INIT);
        PUT(&p, a, TILE, RESTART, .x = SLOTS);
        PUT(&p, a, TILE, RESTART, .x = PHASES);
        PUT(&p, a, TILE, SYNC);
    }
    PUT(&p, 0, BLOCK, WAIT_FREE, .x = EMPTY);
    PUT(&p, 0, BLOCK, EXPECT, .x = FULL, .bytes = 4);
    PUT(&p, 0, BLOCK, LOAD, .x = 0, .y = FULL, .bytes = 4);
    go_on(&p, 0);
    PUT(&p, 0, FLUSH, WAIT_FREE, .x = EMPTY);
    PUT(&p, 1, BLOCK, WAIT, .x = FULL);
    PUT(&p, 1, BLOCK, READ, .x = 0);
    PUT(&p, 1, BLOCK, COMMIT, .x = 0, .y = EMPTY);
    go_on(&p, 1);
    return p;
}

/* Two CTAs whose copies reach both. */
static struct tmap_protocol shared(void)
{
    struct tmap_protocol p = begin("shared by two CTAs");
    p.ctas = 2, p.agent_count = 3, p.stays = true;
    p.barrier[EMPTY].count = 2;
    PUT(&p, 0, BLOCK, WAIT_FREE, .x = EMPTY);
    PUT(&p, 0, BLOCK, BEGIN, .x = 0, .ctas = 2);
    PUT(&p, 0, BLOCK, EXPECT, .x = FULL, .ctas = 3, .bytes = 4);
    PUT(&p, 0, BLOCK, LOAD, .x = 0, .y = FULL, .ctas = 3, .bytes = 4);
    go_on(&p, 0);
    p.agent[2].name = "other", p.agent[2].cta = 1;
    for (unsigned a = 1; a < 3; a++) {
        PUT(&p, a, BLOCK, WAIT, .x = FULL);
        PUT(&p, a, BLOCK, READ, .x = 0);
        PUT(&p, a, BLOCK, RELEASE, .x = 0, .y = EMPTY, .ctas = 1);
        go_on(&p, a);
    }
    return p;
}

/* What three ways of looking say; the verdict of all orders. */
static enum tmap_verdict ask(const struct tmap_protocol *p, const char *how, unsigned step)
{
    struct tmap_protocol_result with, without, first;
    if (explore_protocol(p, false, memory, WORKSPACE, &with, NULL, 0) != TMAP_OK)
        return TMAP_UNKNOWN; /* it refers outside itself */
    assert_int_equal(explore_protocol(p, true, memory, WORKSPACE, &without, NULL, 0), TMAP_OK);
    assert_int_equal(explore_ordered(p, memory, WORKSPACE, &first, NULL, 0), TMAP_OK);
    sound += with.verdict == TMAP_LEGAL;
    faults += with.verdict == TMAP_ILLEGAL;
    open += with.verdict == TMAP_UNKNOWN;
    if (with.verdict == TMAP_UNKNOWN || without.verdict == TMAP_UNKNOWN) return TMAP_UNKNOWN;
    if (with.verdict != without.verdict)
        fail_msg("%s, %s, step %u: with %s (%s), without %s (%s)", p->name, how, step,
                 tmap_hazard_name(with.fault), with.detail, tmap_hazard_name(without.fault),
                 without.detail);
    if (first.verdict != TMAP_UNKNOWN && first.verdict != with.verdict)
        fail_msg("%s, %s, step %u: by one run %s (%s), by all %s (%s)", p->name, how, step,
                 tmap_hazard_name(first.fault), first.detail, tmap_hazard_name(with.fault),
                 with.detail);
    return with.verdict;
}

static void spoil_step(const struct tmap_protocol *was, unsigned i)
{
#define ANOTHER(how, ...)                                                                          \
    do {                                                                                           \
        struct tmap_protocol p = *was;                                                             \
        struct tmap_step *t = &p.step[i];                                                          \
        (void)t;                                                                                   \
        __VA_ARGS__;                                                                               \
        ask(&p, how, i);                                                                           \
    } while (0)
    ANOTHER("left out", t->when = UINT8_MAX);
    ANOTHER("only with a read open", t->when = 1);
    ANOTHER("a slot before", t->back = 1);
    ANOTHER("of another object", t->x ^= 1);
    ANOTHER("with another barrier", t->y ^= 1);
    ANOTHER("of half the bytes", t->bytes /= 2);
    ANOTHER("all but one", t->bytes = 1);
    ANOTHER("as a wait", t->op = TMAP_STEP_WAIT);
    ANOTHER("as an arrival", t->op = TMAP_STEP_ARRIVE; t->x &= 1);
    ANOTHER("as a commit", t->op = TMAP_STEP_COMMIT; t->x &= 1);
    ANOTHER("as a store", t->op = TMAP_STEP_STORE; t->x &= 1);
    ANOTHER("as an initialisation", t->op = TMAP_STEP_INIT);
    ANOTHER("as the step behind it", *t = p.step[i + 1 < p.step_count ? i + 1 : 0]);
    ANOTHER(
        "behind its next", if (i + 1 < p.step_count) {
            const struct tmap_step next = t[1];
            t[1] = t[0];
            t[0] = next;
        });
    if (was->ctas > 1) ANOTHER("of the other CTA", t->ctas = 2);
    if (was->ctas > 1) ANOTHER("of both CTAs", t->ctas = 3);
}

static void test_one_thing_is_another(void **state)
{
    const struct tmap_protocol bases[] = {copied(false), copied(true), stored(), made_anew(),
                                          shared()};
    (void)state;
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        const struct tmap_protocol *was = &bases[b];
        if (ask(was, "as it is", 0) != TMAP_LEGAL) fail_msg("%s is not sound", was->name);
        for (unsigned i = 0; i < was->step_count; i++) spoil_step(was, i);
        for (unsigned i = 0; i < was->barrier_count; i++)
            ANOTHER("one arrival more", p.barrier[i].count++);
        for (unsigned i = 0; i < 2; i++) {
            ANOTHER("a slot more", p.depth[i]++);
            ANOTHER("tiles", p.tiles = !p.tiles);
            ANOTHER("nobody stays", p.stays = !p.stays);
            ANOTHER("not started", p.started = !p.started);
        }
    }
    print_message("# %ld sound, %ld with a fault, %ld undecided\n", sound, faults, open);
    assert_true(sound > 50 && faults > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thing_is_another)};
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
