/* The suite's kernels are proved free of faults for every length of their loops, and each defect
 * seen in the wild is found, with a short trace. */
#include "solve/machine.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define WORKSPACE ((size_t)48 << 20)
#include "support/workspace.h"

static const struct proof {
    enum tmap_design design;
    uint32_t stages, consumers, ctas;
} proofs[] = {
    /* the designs of the suite at their own depth, and at others */
    {TMAP_DESIGN_RING, 1, 1, 0},
    {TMAP_DESIGN_RING, 4, 2, 0},
    {TMAP_DESIGN_RING, 8, 2, 0},
    {TMAP_DESIGN_COPY, 1, 0, 0},
    {TMAP_DESIGN_COPY, 2, 0, 0},
    {TMAP_DESIGN_COPY, 4, 0, 0},
    {TMAP_DESIGN_COPY, 6, 0, 0},
    {TMAP_DESIGN_GEMM_SM90, 2, 2, 0},
    {TMAP_DESIGN_GEMM_SM90, 3, 1, 0},
    {TMAP_DESIGN_GEMM_SM90, 3, 2, 0},
    {TMAP_DESIGN_GEMM_SM90, 4, 2, 0},
    {TMAP_DESIGN_GEMM_SM100, 4, 0, 0},
    {TMAP_DESIGN_GEMM_SM100, 6, 0, 0},
    {TMAP_DESIGN_GEMM_SM120, 3, 8, 0},
    {TMAP_DESIGN_GEMM_SM120, 2, 8, 0},
    {TMAP_DESIGN_EPILOGUE, 1, 0, 0},
    {TMAP_DESIGN_EPILOGUE, 2, 0, 0},
    {TMAP_DESIGN_GEMM_SM100_TMEM, 2, 0, 0},
    {TMAP_DESIGN_GEMM_SM100, 4, 0, 1},
    {TMAP_DESIGN_GEMM_SM100_TMEM, 1, 0, 1},
    {TMAP_DESIGN_GEMM_SM100_TMEM, 2, 0, 1},
};

static const struct found {
    enum tmap_design design;
    enum tmap_defect defect;
    uint32_t stages;
    enum tmap_hazard fault;
} defects[] = {
    {TMAP_DESIGN_EPILOGUE, TMAP_DEFECT_STAGING_RACE, 2, TMAP_HAZARD_UNWAITED_STORE},
    {TMAP_DESIGN_EPILOGUE, TMAP_DEFECT_NO_PROXY_FENCE, 1, TMAP_HAZARD_UNFENCED},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_NO_INIT_FENCE, 2, TMAP_HAZARD_UNINITIALIZED},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_NO_PEER_WAIT, 2, TMAP_HAZARD_EXIT},
    {TMAP_DESIGN_RING, TMAP_DEFECT_EXPECT_TOO_LARGE, 2, TMAP_HAZARD_DEADLOCK},
    {TMAP_DESIGN_GEMM_SM100, TMAP_DEFECT_EXPECT_CLUSTER, 2, TMAP_HAZARD_DEADLOCK},
    {TMAP_DESIGN_RING, TMAP_DEFECT_EXPECT_TOO_SMALL, 2, TMAP_HAZARD_EARLY},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_EXPECT_TOO_SMALL, 4, TMAP_HAZARD_EARLY},
    {TMAP_DESIGN_RING, TMAP_DEFECT_NO_EMPTY_WAIT, 4, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_NO_EMPTY_WAIT, 2, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_RING, TMAP_DEFECT_WRONG_PARITY, 4, TMAP_HAZARD_DEADLOCK},
    {TMAP_DESIGN_RING, TMAP_DEFECT_ARRIVE_EARLY, 2, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_ARRIVE_EARLY, 2, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_RING, TMAP_DEFECT_ONE_ARRIVAL, 2, TMAP_HAZARD_DEADLOCK},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_LOCAL_RELEASE, 2, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_COPY, TMAP_DEFECT_NO_STORE_WAIT, 4, TMAP_HAZARD_UNWAITED_STORE},
    {TMAP_DESIGN_COPY, TMAP_DEFECT_NO_INIT_FENCE, 4, TMAP_HAZARD_UNINITIALIZED},
    {TMAP_DESIGN_EPILOGUE, TMAP_DEFECT_NO_STORE_WAIT, 1, TMAP_HAZARD_UNWAITED_STORE},
    {TMAP_DESIGN_EPILOGUE, TMAP_DEFECT_EXIT_UNREAD, 2, TMAP_HAZARD_UNWAITED_STORE},
    {TMAP_DESIGN_GEMM_SM100_TMEM, TMAP_DEFECT_NO_EMPTY_WAIT, 2, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_GEMM_SM100_TMEM, TMAP_DEFECT_NO_PEER_WAIT, 2, TMAP_HAZARD_EXIT},
    {TMAP_DESIGN_GEMM_SM90, TMAP_DEFECT_WRONG_PARITY, 2, TMAP_HAZARD_DEADLOCK},
    {TMAP_DESIGN_GEMM_SM100, TMAP_DEFECT_NO_INIT_FENCE, 2, TMAP_HAZARD_UNINITIALIZED},
    {TMAP_DESIGN_GEMM_SM100, TMAP_DEFECT_NO_EMPTY_WAIT, 2, TMAP_HAZARD_OVERWRITE},
    {TMAP_DESIGN_GEMM_SM100, TMAP_DEFECT_NO_PEER_WAIT, 2, TMAP_HAZARD_EXIT},
    {TMAP_DESIGN_GEMM_SM100_TMEM, TMAP_DEFECT_ARRIVE_EARLY, 2, TMAP_HAZARD_OVERWRITE},
};

static struct tmap_protocol_result explore(const struct tmap_design_options *o, char *trace,
                                           size_t size)
{
    struct tmap_protocol p;
    struct tmap_protocol_result r;
    assert_int_equal(tmap_protocol_design(o, &p), TMAP_OK);
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, trace, size), TMAP_OK);
    return r;
}

static void test_designs_are_proved(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++) {
        const struct tmap_design_options o = {.design = proofs[i].design,
                                              .stages = proofs[i].stages,
                                              .consumers = proofs[i].consumers,
                                              .ctas = proofs[i].ctas};
        const struct tmap_protocol_result r = explore(&o, NULL, 0);
        print_message("# %s, %u stages: %u states %s\n", tmap_design_name(o.design), o.stages,
                      r.states, r.detail);
        assert_int_equal(r.verdict, TMAP_LEGAL);
        assert_in_range(r.states, 4, 200); /* one run of each word */
    }
}

static void test_defects_are_found(void **state)
{
    static char trace[1 << 16];
    (void)state;
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        const struct tmap_design_options o = {
            .design = defects[i].design, .defect = defects[i].defect, .stages = defects[i].stages};
        const struct tmap_protocol_result r = explore(&o, trace, sizeof trace);
        print_message("# %s, %s: %s in %u steps, %u states\n", tmap_design_name(o.design),
                      tmap_defect_name(o.defect), r.detail, r.steps, r.states);
        assert_int_equal(r.verdict, TMAP_ILLEGAL);
        assert_int_equal(r.fault, defects[i].fault);
        assert_in_range(r.steps, 1, 20);
        assert_non_null(strstr(trace, "  1"));
    }
}

/* Clusters beyond the suite's two: B is shared by all, each loads its part of it. */
static const struct cluster {
    uint32_t ctas, a_ctas, stages, consumers; /* a_ctas: that share A too */
    enum tmap_defect defect;
    enum tmap_hazard fault;
} clusters[] = {
    {3, 1, 2, 1, TMAP_DEFECT_NONE, TMAP_HAZARD_NONE},
    {3, 1, 3, 1, TMAP_DEFECT_NONE, TMAP_HAZARD_NONE},
    {4, 1, 2, 1, TMAP_DEFECT_NONE, TMAP_HAZARD_NONE},
    {3, 1, 2, 2, TMAP_DEFECT_NONE, TMAP_HAZARD_NONE},
    {4, 1, 2, 1, TMAP_DEFECT_NO_INIT_FENCE, TMAP_HAZARD_UNINITIALIZED},
    {4, 1, 2, 1, TMAP_DEFECT_NO_PEER_WAIT, TMAP_HAZARD_EXIT},
    {3, 1, 2, 2, TMAP_DEFECT_NO_PEER_WAIT, TMAP_HAZARD_EXIT},
    {4, 1, 2, 1, TMAP_DEFECT_EXPECT_TOO_SMALL, TMAP_HAZARD_EARLY},
    {3, 1, 2, 1, TMAP_DEFECT_EXPECT_TOO_LARGE, TMAP_HAZARD_DEADLOCK},
    {3, 1, 2, 1, TMAP_DEFECT_EXPECT_CLUSTER, TMAP_HAZARD_DEADLOCK},
    {4, 1, 2, 1, TMAP_DEFECT_NO_EMPTY_WAIT, TMAP_HAZARD_OVERWRITE},
    {4, 1, 2, 1, TMAP_DEFECT_ARRIVE_EARLY, TMAP_HAZARD_OVERWRITE},
    {4, 1, 2, 1, TMAP_DEFECT_LOCAL_RELEASE, TMAP_HAZARD_OVERWRITE},
    {4, 2, 2, 1, TMAP_DEFECT_NONE, TMAP_HAZARD_NONE},
    {4, 2, 2, 1, TMAP_DEFECT_NO_INIT_FENCE, TMAP_HAZARD_UNINITIALIZED},
    {4, 2, 2, 1, TMAP_DEFECT_NO_PEER_WAIT, TMAP_HAZARD_EXIT},
    {4, 2, 2, 1, TMAP_DEFECT_EXPECT_TOO_SMALL, TMAP_HAZARD_EARLY},
    {4, 2, 2, 1, TMAP_DEFECT_NO_EMPTY_WAIT, TMAP_HAZARD_OVERWRITE},
    {4, 2, 2, 1, TMAP_DEFECT_ARRIVE_EARLY, TMAP_HAZARD_OVERWRITE},
    {4, 2, 2, 1, TMAP_DEFECT_LOCAL_RELEASE, TMAP_HAZARD_OVERWRITE},
};

static void test_larger_clusters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        const struct cluster *c = &clusters[i];
        const struct tmap_design_options o = {.design = TMAP_DESIGN_GEMM_SM90,
                                              .defect = c->defect,
                                              .stages = c->stages,
                                              .consumers = c->consumers,
                                              .stage_tx_bytes = 49152,
                                              .ctas = c->ctas,
                                              .a_ctas = c->a_ctas};
        const struct tmap_protocol_result r = explore(&o, NULL, 0);
        print_message("# %u CTAs, A for %u, %u stages, %s: %u states, %u steps %s\n", c->ctas,
                      c->a_ctas, c->stages, tmap_defect_name(c->defect), r.states, r.steps,
                      r.detail);
        assert_int_equal(r.fault, c->fault);
        assert_int_equal(r.verdict, c->fault ? TMAP_ILLEGAL : TMAP_LEGAL);
        assert_true(r.steps <= 20);
    }
}

/* Every design without its defect must be proved at the same depth, or finding it means nothing. */
static void test_each_design_without_its_defect_is_proved(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        const struct tmap_design_options o = {
            .design = defects[i].design, .stages = defects[i].stages, .consumers = 1};
        assert_int_equal(explore(&o, NULL, 0).verdict, TMAP_LEGAL);
    }
}

static void test_bytes_of_the_callers_own(void **state)
{
    (void)state;
    const struct tmap_design_options right = {.stages = 3, .stage_tx_bytes = 49152};
    const struct tmap_design_options wrong = {
        .stages = 3, .stage_tx_bytes = 49152, .expect_bytes = 32768};
    assert_int_equal(explore(&right, NULL, 0).verdict, TMAP_LEGAL);
    assert_int_equal(explore(&wrong, NULL, 0).fault, TMAP_HAZARD_EARLY);
}

static void test_little_memory_is_unknown_never_legal(void **state)
{
    struct tmap_protocol p;
    struct tmap_protocol_result r;
    const struct tmap_design_options o = {.design = TMAP_DESIGN_GEMM_SM90};
    (void)state;
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_OK);
    assert_int_equal(tmap_protocol_explore(&p, memory, 1 << 17, &r, NULL, 0), TMAP_OK);
    assert_int_equal(r.verdict, TMAP_UNKNOWN);
    assert_int_equal(tmap_protocol_explore(&p, memory, 100, &r, NULL, 0), TMAP_E_ROOM);
}

/* A ring whose producer does not wait for the slot, and an agent that only waits for the end, or
 * only does something with every tile: the word is not theirs to end. */
static void test_agents_without_blocks(void **state)
{
    const struct tmap_step steps[] = {
        {.op = TMAP_STEP_LOAD, .x = 0, .y = 0, .bytes = 16},
        {.op = TMAP_STEP_EXPECT, .x = 0, .bytes = 16},
        {.op = TMAP_STEP_ADVANCE},
        {.op = TMAP_STEP_WAIT},
        {.op = TMAP_STEP_READ},
        {.op = TMAP_STEP_DONE},
        {.op = TMAP_STEP_ADVANCE},
        {.op = TMAP_STEP_SYNC},
        {.op = TMAP_STEP_FENCE},
    };
    (void)state;
    for (int tiles = 0; tiles < 2; tiles++) {
        struct tmap_protocol p = {.name = "idle", .tiles = tiles, .started = true, .ctas = 1};
        struct tmap_protocol_result r;
        p.ring_count = p.barrier_count = p.buffer_count = p.sync_count = 1;
        p.depth[0] = 2;
        p.members[0] = 7;
        p.barrier[0] = (struct tmap_barrier){"full", 0, 1};
        p.buffer[0] = (struct tmap_buffer){"tile", 0};
        p.agent_count = 3;
        p.step_count = sizeof steps / sizeof *steps;
        memcpy(p.step, steps, sizeof steps);
        for (int a = 0; a < 3; a++) {
            p.agent[a].name = (const char *[]){"idle", "producer", "consumer"}[a];
            p.agent[a].first[TMAP_PART_START] = 7, p.agent[a].count[TMAP_PART_START] = 1;
        }
        p.agent[0].first[TMAP_PART_FLUSH] = 8, p.agent[0].count[TMAP_PART_FLUSH] = (uint8_t)tiles;
        p.agent[1].first[TMAP_PART_BLOCK] = 0, p.agent[1].count[TMAP_PART_BLOCK] = 3;
        p.agent[2].first[TMAP_PART_BLOCK] = 3, p.agent[2].count[TMAP_PART_BLOCK] = 4;
        assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        assert_int_equal(r.fault, TMAP_HAZARD_OVERWRITE);
    }
}

/* Sums begin in one step and are there after another: who reads in between reads too early. */
static void test_sums_begin_and_end(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct tmap_protocol p = {.name = "sums", .tiles = true, .started = true, .ctas = 1};
        struct tmap_protocol_result r;
        const struct tmap_step steps[] = {
            {.op = TMAP_STEP_WAIT_FREE, .x = 1},
            {.op = TMAP_STEP_BEGIN},
            {.op = TMAP_STEP_WRITE},
            {.op = TMAP_STEP_COMMIT, .x = UINT8_MAX, .y = 0},
            {.op = TMAP_STEP_ADVANCE},
            {.op = (uint8_t)(waits ? TMAP_STEP_WAIT : TMAP_STEP_FENCE), .x = 0},
            {.op = TMAP_STEP_READ},
            {.op = TMAP_STEP_RELEASE, .y = 1},
            {.op = TMAP_STEP_ADVANCE},
        };
        p.ring_count = p.buffer_count = 1;
        p.barrier_count = p.depth[0] = p.agent_count = 2;
        p.barrier[0] = (struct tmap_barrier){"summed", 0, 1};
        p.barrier[1] = (struct tmap_barrier){"read", 0, 1};
        p.buffer[0] = (struct tmap_buffer){"sums", 0};
        p.step_count = sizeof steps / sizeof *steps;
        memcpy(p.step, steps, sizeof steps);
        p.agent[0].name = "multiplies", p.agent[1].name = "stores";
        p.agent[0].first[TMAP_PART_TILE] = 0, p.agent[0].count[TMAP_PART_TILE] = 1;
        p.agent[0].first[TMAP_PART_BLOCK] = 1, p.agent[0].count[TMAP_PART_BLOCK] = 1;
        p.agent[0].first[TMAP_PART_FLUSH] = 2, p.agent[0].count[TMAP_PART_FLUSH] = 3;
        p.agent[1].first[TMAP_PART_FLUSH] = 5, p.agent[1].count[TMAP_PART_FLUSH] = 4;
        assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        assert_int_equal(r.fault, waits ? TMAP_HAZARD_NONE : TMAP_HAZARD_EARLY);
    }
}

/* Two CTAs whose MMAs read a slot each, and each commit gives both slots back: it ends the reads of
 * its own CTA's alone, so two arrivals are what a slot needs. */
static void test_a_commit_ends_its_own_reads(void **state)
{
    const struct tmap_step steps[] = {
        {.op = TMAP_STEP_WAIT_FREE, .x = 1},
        {.op = TMAP_STEP_EXPECT, .x = 0, .ctas = 3, .bytes = 16},
        {.op = TMAP_STEP_LOAD, .x = 0, .y = 0, .ctas = 3, .bytes = 16},
        {.op = TMAP_STEP_ADVANCE},
        {.op = TMAP_STEP_WAIT, .x = 0},
        {.op = TMAP_STEP_READ},
        {.op = TMAP_STEP_COMMIT, .y = 1, .ctas = 3},
        {.op = TMAP_STEP_ADVANCE},
    };
    (void)state;
    for (int count = 1; count <= 2; count++) {
        struct tmap_protocol p = {.name = "commits", .started = true, .stays = true, .ctas = 2};
        struct tmap_protocol_result r;
        p.ring_count = p.buffer_count = 1;
        p.barrier_count = p.depth[0] = 2;
        p.barrier[0] = (struct tmap_barrier){"full", 0, 1};
        p.barrier[1] = (struct tmap_barrier){"empty", 0, (uint8_t)count};
        p.buffer[0] = (struct tmap_buffer){"tile", 0};
        p.agent_count = 3;
        p.step_count = sizeof steps / sizeof *steps;
        memcpy(p.step, steps, sizeof steps);
        for (uint8_t a = 0; a < 3; a++) {
            p.agent[a].name = (const char *[]){"producer", "mma0", "mma1"}[a];
            p.agent[a].cta = a == 2;
            p.agent[a].first[TMAP_PART_BLOCK] = a ? 4 : 0;
            p.agent[a].count[TMAP_PART_BLOCK] = 4;
        }
        assert_int_equal(explore_ordered(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        assert_int_equal(r.verdict, count == 2 ? TMAP_LEGAL : TMAP_UNKNOWN);
        assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        assert_int_equal(r.verdict, count == 2 ? TMAP_LEGAL : TMAP_ILLEGAL);
    }
}

/* Who never goes to the next slot means the same phase for ever, while the others go on: the
 * positions of a ring turn together only for all who use it. */
static void test_an_agent_that_does_not_advance(void **state)
{
    const struct tmap_step steps[] = {
        {.op = TMAP_STEP_EXPECT, .x = 0, .bytes = 16},
        {.op = TMAP_STEP_LOAD, .x = 0, .y = 0, .bytes = 16},
        {.op = TMAP_STEP_WAIT, .x = 1},
        {.op = TMAP_STEP_ADVANCE},
        {.op = TMAP_STEP_WAIT, .x = 0},
        {.op = TMAP_STEP_READ},
        {.op = TMAP_STEP_RELEASE, .y = 1},
        {.op = TMAP_STEP_ADVANCE},
    };
    (void)state;
    for (int advances = 0; advances < 2; advances++) {
        struct tmap_protocol p = {.name = "stays", .started = true, .ctas = 1};
        struct tmap_protocol_result r;
        p.ring_count = p.buffer_count = p.depth[0] = 1;
        p.barrier_count = p.agent_count = 2;
        p.barrier[0] = (struct tmap_barrier){"full", 0, 1};
        p.barrier[1] = (struct tmap_barrier){"empty", 0, 1};
        p.buffer[0] = (struct tmap_buffer){"tile", 0};
        p.step_count = sizeof steps / sizeof *steps;
        memcpy(p.step, steps, sizeof steps);
        p.agent[0].name = "producer", p.agent[1].name = "consumer";
        p.agent[0].count[TMAP_PART_BLOCK] = (uint8_t)(3 + advances);
        p.agent[1].first[TMAP_PART_BLOCK] = 4, p.agent[1].count[TMAP_PART_BLOCK] = 4;
        assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
        assert_int_equal(r.verdict, advances ? TMAP_LEGAL : TMAP_ILLEGAL);
    }
}

/* One agent's steps before a wait of another's. Counts were packed into a few bits: of 32 arrivals
 * the first completed the phase, and the 33rd step of a part was its second. */
static struct tmap_protocol_result started_by(const struct tmap_step *steps, size_t n,
                                              uint8_t count)
{
    struct tmap_protocol p = {.name = "counts", .started = true, .ctas = 1};
    struct tmap_protocol_result r;
    p.ring_count = p.barrier_count = p.depth[0] = 1;
    p.barrier[0] = (struct tmap_barrier){"full", 0, count};
    p.agent_count = 2;
    p.step_count = (uint8_t)(n + 1);
    memcpy(p.step, steps, n * sizeof *steps);
    p.step[n] = (struct tmap_step){.op = TMAP_STEP_WAIT};
    p.agent[0].name = "first", p.agent[0].count[TMAP_PART_START] = (uint8_t)n;
    p.agent[1].name = "second", p.agent[1].count[TMAP_PART_START] = 1;
    p.agent[1].first[TMAP_PART_START] = (uint8_t)n;
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
    return r;
}

static void test_many_arrivals_and_steps(void **state)
{
    static const unsigned counts[] = {1, 15, 16, 31, 32, 33, 64, 128, 191};
    struct tmap_step steps[191];
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        steps[i] = (struct tmap_step){.op = TMAP_STEP_ARRIVE};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint8_t n = (uint8_t)counts[i];
        assert_int_equal(started_by(steps, n, n).verdict, TMAP_LEGAL);
        assert_int_equal(started_by(steps, 1, n).fault, n == 1 ? 0 : TMAP_HAZARD_DEADLOCK);
        assert_int_equal(started_by(steps, n - 1u, n).fault, TMAP_HAZARD_DEADLOCK);
    }
}

/* Bytes expected are counted in 16 bits: 65536 of them were none. */
static void test_bytes_beyond_the_count_are_unknown(void **state)
{
    const uint32_t most = 16383;
    struct tmap_step steps[5] = {{.op = TMAP_STEP_EXPECT, .bytes = most},
                                 {.op = TMAP_STEP_EXPECT, .bytes = most},
                                 {.op = TMAP_STEP_EXPECT, .bytes = most},
                                 {.op = TMAP_STEP_EXPECT, .bytes = most},
                                 {.op = TMAP_STEP_EXPECT, .bytes = 4}};
    (void)state;
    assert_int_equal(started_by(steps, 5, 5).verdict, TMAP_UNKNOWN);
    assert_int_equal(started_by(steps, 2, 2).fault, TMAP_HAZARD_DEADLOCK);
}

/* Consumers that read a slot many times each. */
static void test_many_reads_of_a_slot(void **state)
{
    static const struct tmap_step steps[] = {{.op = TMAP_STEP_WAIT_FREE, .x = 1},
                                             {.op = TMAP_STEP_EXPECT, .bytes = 16},
                                             {.op = TMAP_STEP_LOAD, .bytes = 16},
                                             {.op = TMAP_STEP_ADVANCE},
                                             {.op = TMAP_STEP_WAIT}};
    (void)state;
    for (unsigned reads = 1; reads <= 32; reads *= 2)
        for (unsigned waits = 0; waits < 2; waits++) {
            struct tmap_protocol p = {.name = "reads", .started = true, .ctas = 1};
            struct tmap_protocol_result r;
            unsigned n = sizeof steps / sizeof *steps;
            memcpy(p.step, steps, sizeof steps);
            for (unsigned i = 0; i < reads; i++) {
                p.step[n++] = (struct tmap_step){.op = TMAP_STEP_READ};
                p.step[n++] = (struct tmap_step){.op = TMAP_STEP_DONE};
            }
            p.step[n++] = (struct tmap_step){.op = TMAP_STEP_ARRIVE, .x = 1};
            p.step[n++] = (struct tmap_step){.op = TMAP_STEP_ADVANCE};
            p.step_count = (uint8_t)n;
            p.ring_count = p.buffer_count = 1;
            p.depth[0] = 2;
            p.barrier_count = 2;
            p.barrier[0] = (struct tmap_barrier){"full", 0, 1};
            p.barrier[1] = (struct tmap_barrier){"empty", 0, 2};
            p.buffer[0] = (struct tmap_buffer){"tile", 0};
            p.agent_count = 3;
            for (int a = 0; a < 3; a++) {
                p.agent[a].name = (const char *[]){"producer", "one", "other"}[a];
                p.agent[a].first[TMAP_PART_BLOCK] = (uint8_t)(a ? 4 : !waits);
                p.agent[a].count[TMAP_PART_BLOCK] = (uint8_t)(a ? n - 4 : 3 + waits);
            }
            assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_OK);
            assert_int_equal(r.fault, waits ? TMAP_HAZARD_NONE : TMAP_HAZARD_OVERWRITE);
            assert_int_equal(r.verdict, waits ? TMAP_LEGAL : TMAP_ILLEGAL);
        }
}

static void test_misuse(void **state)
{
    struct tmap_protocol p;
    struct tmap_protocol_result r;
    struct tmap_design_options o = {.design = TMAP_DESIGN_RING, .defect = TMAP_DEFECT_NO_PEER_WAIT};
    (void)state;
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_NO_PLAN);
    o = (struct tmap_design_options){.design = TMAP_DESIGN_RING, .stages = 9};
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o = (struct tmap_design_options){.design = TMAP_DESIGN_GEMM_SM90, .ctas = 5, .consumers = 1};
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o.ctas = 3; /* 16384 bytes of B are no three equal parts */
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o.stage_tx_bytes = 3 * 4096, o.b_tx_bytes = 4096, o.a_tx_bytes = 8192; /* nor 4096 */
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o.a_ctas = 2; /* nor can two of three share A */
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o = (struct tmap_design_options){.design = TMAP_DESIGN_RING, .consumers = 9};
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o = (struct tmap_design_options){.design = TMAP_DESIGN_GEMM_SM100, .ctas = 3};
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_E_ARGUMENT);
    o = (struct tmap_design_options){.design = TMAP_DESIGN_RING, .stages = 2};
    assert_int_equal(tmap_protocol_design(&o, &p), TMAP_OK);
    p.barrier[0].count = 0;
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_E_ARGUMENT);
    p.barrier[0].count = 1;
    p.step[0].back = TMAP_PROTOCOL_DEPTH + 1;
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_E_ARGUMENT);
    p.step[0].back = 0;
    p.step[0].x = 77;
    assert_int_equal(tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_protocol_explore(NULL, memory, WORKSPACE, &r, NULL, 0), TMAP_E_ARGUMENT);
}

/* The same protocol with one member changed at a time; each refers outside the protocol. */
static void test_references_outside(void **state)
{
    struct tmap_protocol was;
    const struct tmap_design_options o = {.design = TMAP_DESIGN_RING, .stages = 2};
    (void)state;
    assert_int_equal(tmap_protocol_design(&o, &was), TMAP_OK);
    unsigned load = 0;
    while (was.step[load].op != TMAP_STEP_LOAD) load++;
#define REFUSED(MEMBER, VALUE)                                                                     \
    do {                                                                                           \
        struct tmap_protocol p = was;                                                              \
        struct tmap_protocol_result r;                                                             \
        p.MEMBER = (VALUE);                                                                        \
        const enum tmap_status s = tmap_protocol_explore(&p, memory, WORKSPACE, &r, NULL, 0);      \
        if (s != TMAP_E_ARGUMENT) fail_msg(#MEMBER " = " #VALUE ": %d", (int)s);                   \
    } while (0)
    REFUSED(ctas, 0);
    REFUSED(ctas, TMAP_PROTOCOL_CTAS + 1);
    REFUSED(agent_count, TMAP_PROTOCOL_AGENTS + 1);
    REFUSED(ring_count, TMAP_PROTOCOL_RINGS + 1);
    REFUSED(barrier_count, TMAP_PROTOCOL_BARRIERS + 1);
    REFUSED(buffer_count, TMAP_PROTOCOL_BUFFERS + 1);
    REFUSED(sync_count, TMAP_PROTOCOL_SYNCS + 1);
    REFUSED(step_count, TMAP_PROTOCOL_STEPS + 1);
    REFUSED(depth[0], 0);
    REFUSED(depth[0], TMAP_PROTOCOL_DEPTH + 1);
    REFUSED(barrier[0].ring, was.ring_count);
    REFUSED(buffer[0].ring, was.ring_count);
    REFUSED(agent[0].cta, was.ctas);
    REFUSED(agent[0].count[TMAP_PART_BLOCK], was.step_count + 1);
    REFUSED(step[load].op, TMAP_STEP_RESTART + 1);
    REFUSED(step[load].signal, was.ctas + 1);
    REFUSED(step[load].bytes, INT16_MAX * 256 + 1);
    REFUSED(step[load].ctas, 1 << was.ctas);
    REFUSED(step[load].y, was.barrier_count);
    REFUSED(step[load].x, was.buffer_count);
    REFUSED(agent[0].turn, 1);  /* of no turns */
    REFUSED(agent[0].every, 2); /* without tiles */
    was.tiles = true;
    REFUSED(agent[0].every, TMAP_PROTOCOL_AGENTS + 1);
    was.agent[0].every = 2;
    REFUSED(agent[0].turn, 2);
    REFUSED(agent[1].every, 3); /* two ways of taking turns */
    was.agent[0].every = 0;
    was.step[load].bytes = 1; /* of which all others are multiples */
    for (unsigned i = 0; i < was.step_count; i++)
        if (was.step[i].op == TMAP_STEP_EXPECT) was.step[i].bytes = 16383;
    unsigned expect = 0;
    while (was.step[expect].op != TMAP_STEP_EXPECT) expect++;
    REFUSED(step[expect].bytes, 16384);
}

static void test_clusters_that_cannot_be(void **state)
{
    (void)state;
    const struct tmap_design_options wrong[] = {
        {.stage_tx_bytes = 4096, .b_tx_bytes = 8192},
        {.stage_tx_bytes = 4096, .b_tx_bytes = 2048, .a_tx_bytes = 4096},
        {.stage_tx_bytes = 4096, .b_tx_bytes = 1023, .a_ctas = 2}, /* 3073 bytes of A for two */
        {.ctas = TMAP_PROTOCOL_CTAS, .consumers = 4},
        {.ctas = TMAP_PROTOCOL_CTAS, .consumers = 8},
    };
    struct tmap_protocol p;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tmap_design_options o = wrong[i];
        o.design = TMAP_DESIGN_GEMM_SM90;
        if (tmap_protocol_design(&o, &p) != TMAP_E_ARGUMENT) fail_msg("row %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_designs_are_proved),
        cmocka_unit_test(test_defects_are_found),
        cmocka_unit_test(test_larger_clusters),
        cmocka_unit_test(test_each_design_without_its_defect_is_proved),
        cmocka_unit_test(test_bytes_of_the_callers_own),
        cmocka_unit_test(test_little_memory_is_unknown_never_legal),
        cmocka_unit_test(test_agents_without_blocks),
        cmocka_unit_test(test_sums_begin_and_end),
        cmocka_unit_test(test_a_commit_ends_its_own_reads),
        cmocka_unit_test(test_an_agent_that_does_not_advance),
        cmocka_unit_test(test_many_arrivals_and_steps),
        cmocka_unit_test(test_bytes_beyond_the_count_are_unknown),
        cmocka_unit_test(test_many_reads_of_a_slot),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_references_outside),
        cmocka_unit_test(test_clusters_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
