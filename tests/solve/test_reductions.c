/* The reductions of the protocol's state space against the exploration without them: protocols
 * spoiled at random, and drawn ones, have a fault under both, or under neither. TMAP_SPOILED=N,
 * TMAP_DRAWN=N. */
#include "solve/machine.h"
#include "support/splitmix.h"
#include "support/protocol_steps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define WORKSPACE ((size_t)24 << 20)
#define DRAWN_WORKSPACE ((size_t)1 << 20) /* many are too large for any */

static const struct small {
    enum tmap_design design;
    uint32_t stages, consumers;
} small[] = {
    {TMAP_DESIGN_RING, 1, 1},      {TMAP_DESIGN_RING, 2, 2},
    {TMAP_DESIGN_COPY, 2, 0},      {TMAP_DESIGN_GEMM_SM90, 1, 1},
    {TMAP_DESIGN_GEMM_SM90, 2, 1}, {TMAP_DESIGN_GEMM_SM100, 2, 0},
    {TMAP_DESIGN_EPILOGUE, 1, 0},  {TMAP_DESIGN_GEMM_SM100_TMEM, 2, 0},
};

static uint64_t below(uint64_t *s, uint64_t n)
{
    return n ? splitmix(s) % n : 0;
}

/* The parts of programs that hold step i stay as long as they are: a step that is left out becomes
 * one that is skipped. */
static void spoil(struct tmap_protocol *p, uint64_t *seed)
{
    const uint64_t i = below(seed, p->step_count), k = below(seed, p->step_count);
    struct tmap_step *t = &p->step[i];
    const struct tmap_step was = *t;
    switch (below(seed, 8)) {
    case 0:
        t->when = UINT8_MAX;
        break;
    case 1:
        *t = p->step[k];
        break;
    case 2:
        *t = p->step[k];
        p->step[k] = was;
        break;
    case 3:
        t->bytes = below(seed, 2) ? t->bytes / 2 : t->bytes * 2;
        break;
    case 4:
        t->back ^= 1;
        break;
    case 5:
        t->ctas = (uint8_t)below(seed, UINT64_C(1) << p->ctas);
        break;
    case 6:
        t->when = (uint8_t)below(seed, 3);
        break;
    default:
        p->barrier[below(seed, p->barrier_count)].count = (uint8_t)(1 + below(seed, 3));
        break;
    }
}

static struct tmap_protocol_result ordered(const struct tmap_protocol *p, void *memory,
                                           size_t bytes)
{
    struct tmap_protocol_result r;
    char trace[4096];
    assert_int_equal(explore_ordered(p, memory, bytes, &r, trace, sizeof trace), TMAP_OK);
    return r;
}

static void test_both_find_a_fault_or_neither(void **state)
{
    const char *wanted = getenv("TMAP_SPOILED");
    const long n = wanted ? atol(wanted) : 600;
    void *memory = malloc(WORKSPACE);
    static char trace[1 << 14];
    uint64_t seed = 8;
    long faults = 0, sound = 0, unknown = 0, refused = 0, one_run[2] = {0, 0};
    (void)state;
    assert_non_null(memory);
    for (long i = 0; i < n; i++) {
        const struct small *d = &small[below(&seed, sizeof small / sizeof *small)];
        const struct tmap_design_options o = {
            .design = d->design, .stages = d->stages, .consumers = d->consumers};
        struct tmap_protocol p;
        struct tmap_protocol_result with, without;
        assert_int_equal(tmap_protocol_design(&o, &p), TMAP_OK);
        p.started = below(&seed, 2);
        for (uint64_t k = 1 + below(&seed, 2); k > 0; k--) spoil(&p, &seed);
        if (explore_protocol(&p, false, memory, WORKSPACE, &with, NULL, 0) != TMAP_OK) {
            refused++; /* it refers outside itself */
            continue;
        }
        assert_int_equal(
            explore_protocol(&p, true, memory, WORKSPACE, &without, trace, sizeof trace), TMAP_OK);
        if (with.verdict == TMAP_UNKNOWN || without.verdict == TMAP_UNKNOWN) {
            unknown++;
            continue;
        }
        if (with.verdict != without.verdict)
            fail_msg("%s %ld: with %s (%s), without %s (%s)", p.name, i,
                     tmap_hazard_name(with.fault), with.detail, tmap_hazard_name(without.fault),
                     without.detail);
        const struct tmap_protocol_result first = ordered(&p, memory, WORKSPACE);
        if (first.verdict != TMAP_UNKNOWN && first.verdict != with.verdict)
            fail_msg("%s %ld: by one run %s (%s), by all %s (%s)\n%s", p.name, i,
                     tmap_hazard_name(first.fault), first.detail, tmap_hazard_name(with.fault),
                     with.detail, trace);
        one_run[with.verdict == TMAP_LEGAL] += first.verdict != TMAP_UNKNOWN;
        faults += with.verdict == TMAP_ILLEGAL;
        sound += with.verdict == TMAP_LEGAL;
    }
    print_message(
        "# %ld spoiled protocols: %ld with a fault, %ld without, under both; %ld undecided, "
        "%ld refused\n",
        n, faults, sound, unknown, refused);
    print_message("# by one run of each word: %ld of those with a fault, %ld of those without\n",
                  one_run[0], one_run[1]);
    assert_true(faults * 5 > n && sound * 20 > n);
    free(memory);
}

/* --- protocols drawn from nothing but pieces of programs */

static void draw_piece(struct tmap_protocol *p, struct tmap_agent *g, enum tmap_part part,
                       uint64_t *seed)
{
    const uint8_t x = (uint8_t)below(seed, 2), y = (uint8_t)below(seed, 2);
    const uint8_t ctas = p->ctas > 1 ? (uint8_t)below(seed, 4) : 0;
    const uint8_t first[] = {TMAP_STEP_WAIT,  TMAP_STEP_WAIT_FREE, TMAP_STEP_ARRIVE,
                             TMAP_STEP_LOAD,  TMAP_STEP_READ,      TMAP_STEP_READ,
                             TMAP_STEP_WRITE, TMAP_STEP_SYNC,      TMAP_STEP_PASS};
    const unsigned k = (unsigned)below(seed, sizeof first);
    if (first[k] == TMAP_STEP_LOAD)
        put(p, g, part,
            (struct tmap_step){.op = TMAP_STEP_EXPECT, .x = y, .ctas = ctas, .bytes = 16});
    if (below(seed, 32) == 0) { /* barriers are made again */
        put(p, g, part, (struct tmap_step){.op = TMAP_STEP_INIT});
        put(p, g, part, (struct tmap_step){.op = TMAP_STEP_FENCE_INIT});
        put(p, g, part, (struct tmap_step){.op = TMAP_STEP_RESTART});
    }
    if (first[k] == TMAP_STEP_SYNC || first[k] == TMAP_STEP_PASS) {
        p->members[0] |= (uint16_t)(1u << (g - p->agent));
        p->sync_count = 1;
    }
    put(p, g, part,
        (struct tmap_step){.op = first[k],
                           .x = k < 3 ? x : 0,
                           .y = y,
                           .ctas = first[k] == TMAP_STEP_ARRIVE || first[k] == TMAP_STEP_LOAD ? ctas
                                                                                              : 0,
                           .bytes = 16});
    if (first[k] == TMAP_STEP_READ)
        put(p, g, part,
            (struct tmap_step){
                .op = k == 4 ? TMAP_STEP_RELEASE : TMAP_STEP_COMMIT, .y = x, .ctas = ctas});
    if (first[k] == TMAP_STEP_WRITE) put(p, g, part, (struct tmap_step){.op = TMAP_STEP_FENCE});
}

static struct tmap_protocol draw(uint64_t *seed)
{
    struct tmap_protocol p = {.name = "drawn", .started = true};
    p.tiles = below(seed, 4) == 0;
    p.stays = below(seed, 2);
    p.ctas = (uint8_t)(1 + below(seed, 2));
    p.ring_count = p.buffer_count = 1;
    p.barrier_count = 2;
    p.depth[0] = (uint8_t)(1 + below(seed, 2));
    p.buffer[0] = (struct tmap_buffer){"tile", 0};
    for (int b = 0; b < 2; b++)
        p.barrier[b] = (struct tmap_barrier){b ? "b" : "a", 0, (uint8_t)(1 + below(seed, 2))};
    p.agent_count = (uint8_t)(2 + below(seed, 2));
    const bool turns = p.tiles && below(seed, 2);
    for (unsigned a = 0; a < p.agent_count; a++) {
        struct tmap_agent *g = &p.agent[a];
        g->name = (const char *[]){"one", "two", "three"}[a];
        g->cta = (uint8_t)below(seed, p.ctas);
        g->every = turns && below(seed, 2) ? 2 : 0;
        g->turn = g->every ? (uint8_t)below(seed, 2) : 0;
        for (uint64_t n = 1 + below(seed, 3); n > 0; n--) draw_piece(&p, g, TMAP_PART_BLOCK, seed);
        if (below(seed, 8))
            put(&p, g, TMAP_PART_BLOCK, (struct tmap_step){.op = TMAP_STEP_ADVANCE});
        if (p.tiles && below(seed, 2)) draw_piece(&p, g, TMAP_PART_FLUSH, seed);
    }
    return p;
}

/* What one run of each word says is what all orders say, and so is what the reductions say. */
static void test_drawn_protocols(void **state)
{
    static char trace[1 << 14];
    const char *wanted = getenv("TMAP_DRAWN");
    const long n = wanted ? atol(wanted) : 1500;
    void *memory = malloc(DRAWN_WORKSPACE);
    uint64_t seed = 9;
    long said[2] = {0, 0}, all[2] = {0, 0};
    (void)state;
    assert_non_null(memory);
    for (long i = 0; i < n; i++) {
        const struct tmap_protocol p = draw(&seed);
        struct tmap_protocol_result with, without;
        assert_int_equal(explore_protocol(&p, false, memory, DRAWN_WORKSPACE, &with, NULL, 0),
                         TMAP_OK);
        assert_int_equal(
            explore_protocol(&p, true, memory, DRAWN_WORKSPACE, &without, trace, sizeof trace),
            TMAP_OK);
        const struct tmap_protocol_result first = ordered(&p, memory, DRAWN_WORKSPACE);
        if (with.verdict == TMAP_UNKNOWN || without.verdict == TMAP_UNKNOWN) continue;
        if (with.verdict != without.verdict ||
            (first.verdict != TMAP_UNKNOWN && first.verdict != without.verdict))
            fail_msg("%ld: by one run %d (%s), with %d (%s), without %d (%s)\n%s", i,
                     (int)first.verdict, first.detail, (int)with.verdict, with.detail,
                     (int)without.verdict, without.detail, trace);
        all[without.verdict == TMAP_LEGAL]++;
        said[without.verdict == TMAP_LEGAL] += first.verdict != TMAP_UNKNOWN;
    }
    print_message(
        "# %ld drawn protocols: %ld with a fault, %ld without; one run said %ld and %ld\n", n,
        all[0], all[1], said[0], said[1]);
    assert_true(all[0] > 0 && said[1] > 0);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_find_a_fault_or_neither),
                                       cmocka_unit_test(test_drawn_protocols)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
