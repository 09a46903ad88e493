/* Rings between a few warps, written down as a record has them. */
#include "support/protocol_acts.h"

#define PART TMAP_EMULATE_BARRIERS, 0
#define RING(number) TMAP_EMULATE_RING, number
#define RUNS PROVED_RUNS

/* Barriers beside the ring's, too. */
static void begin(struct acts *t, uint32_t more)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < more; i++) INIT(MORE(i), 1);
    make_ring(t);
    MEET;
}

static void drain_all(struct acts *t, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++) drain(t, i);
}

static void ring(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    drain_all(t, blocks);
}

/* --- who acts before anybody has met */

static void reads_first(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_ring(t);
    by(t, 0, 4);
    produce(t, blocks);
    by(t, 0, 1);
    for (uint32_t i = 0; i < blocks; i++) {
        READ(SLOT(i), 256);
        wait_full(t, i);
        ARRIVE(EMPTY(i));
    }
}

static void multiplies_first(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_ring(t);
    by(t, 0, 4);
    for (uint32_t i = 0; i < blocks; i++) {
        LOAD(SLOT(i), 256, FULL(i));
        EXPECT(FULL(i), 256);
        WAIT(EMPTY(i), ROUND(i));
    }
    by(t, 0, 8);
    for (uint32_t i = 0; i < blocks; i++) {
        PRODUCT(SLOT(i), 256);
        COMMIT(EMPTY(i));
        wait_full(t, i);
    }
}

static void commits_first(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_ring(t);
    by(t, 0, 4);
    produce(t, blocks);
    by(t, 0, 8);
    for (uint32_t i = 0; i < blocks; i++) {
        COMMIT(EMPTY(i));
        wait_full(t, i);
    }
}

static void arrives_first(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_ring(t);
    by(t, 0, 4);
    produce(t, blocks);
    by(t, 0, 8);
    for (uint32_t i = 0; i < blocks; i++) {
        ARRIVE(EMPTY(i));
        wait_full(t, i);
        READ(SLOT(i), 256);
    }
}

/* Only the last run has the third warp. */
static void late_warp(struct acts *t, uint32_t blocks)
{
    begin(t, 1);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    drain_all(t, blocks);
    by(t, 0, 2);
    if (t->run == 2) ARRIVE(MORE(0));
}

static const struct acts_case early[] = {
    {"a ring", ring, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"who reads does so first of all", reads_first, 5, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_UNINITIALIZED, ""},
    {"who multiplies does so first of all", multiplies_first, 9, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_UNINITIALIZED, ""},
    {"who gives slots back by a commit does so first of all", commits_first, 9, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_UNINITIALIZED, ""},
    {"who reads arrives first of all", arrives_first, 9, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_UNINITIALIZED, ""},
    {"a warp acts in the last run alone", late_warp, 3, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "warp 2 of CTA 0 goes round in no loop"},
};

/* --- a third warp, which does little */

static void third(struct acts *t, uint32_t blocks, bool meets, uint32_t more, uint32_t arrivals)
{
    begin(t, 4);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    drain_all(t, blocks);
    by(t, 0, 2);
    if (meets) MEET;
    for (uint32_t i = 0; i < arrivals; i++)
        act(t, 10 + more + i,
            (struct act){.op = ACT_ARRIVE, .barrier = MORE(more + i), .value = 1});
}

static void third_elsewhere(struct acts *t, uint32_t blocks)
{
    third(t, blocks, true, t->run == 2, 1);
}

static void third_once(struct acts *t, uint32_t blocks)
{
    third(t, blocks, true, 0, 1);
}

static void third_alone(struct acts *t, uint32_t blocks)
{
    third(t, blocks, false, 0, 1);
}

static void third_four_times(struct acts *t, uint32_t blocks)
{
    third(t, blocks, true, 0, 4);
}

static const struct acts_case thirds[] = {
    {"a third warp arrives once", third_once, 3, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a third warp arrives and meets nobody", third_alone, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_UNINITIALIZED, ""},
    {"a third warp arrives elsewhere in the last run", third_elsewhere, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "warp 2 of CTA 0 goes round in no loop"},
    {"of one run, a third warp arrives once", third_once, 3, 1, 1, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"of one run, a third warp arrives four times", third_four_times, 3, 1, 1, PART,
     TMAP_E_ARGUMENT, 0, "warp 2 of CTA 0 goes round 1 times"},
};

/* --- two rings */

static void both(struct acts *t, uint32_t blocks, bool apart, bool at_once)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        if (!at_once) {
            fill(t, i);
            fill_b(t, i);
            continue;
        }
        WAIT(EMPTY(i), ROUND(i) + 1);
        WAIT(EMPTY_B(i), ROUND(i) + 1);
        EXPECT(FULL(i), 256);
        EXPECT(FULL_B(i), 256);
        LOAD(SLOT(i), 256, FULL(i));
        LOAD(SLOT_B(i), 256, FULL_B(i));
    }
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        if (!apart) WAIT(FULL_B(i), ROUND(i));
        READ(SLOT(i), 256);
        if (apart) {
            ARRIVE(EMPTY(i));
            WAIT(FULL_B(i), ROUND(i));
        } else
            FENCE;
        READ(SLOT_B(i), 256);
        ARRIVE(EMPTY_B(i));
        if (!apart) ARRIVE(EMPTY(i));
    }
}

static void one_by_one(struct acts *t, uint32_t blocks)
{
    both(t, blocks, true, false);
}

static void together(struct acts *t, uint32_t blocks)
{
    both(t, blocks, false, true);
}

static const struct acts_case rings[] = {
    {"two rings", one_by_one, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two rings, ring 0", one_by_one, 2, 1, RUNS, RING(0), TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two rings, ring 1", one_by_one, 2, 1, RUNS, RING(1), TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two rings, ring 2", one_by_one, 2, 1, RUNS, RING(2), TMAP_E_NO_PLAN, 0, "there is no ring 2"},
    {"slots of two rings at once", together, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
};

/* --- copies */

/* One warp fills both slots, and each again once it has read it. */
static void ahead(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_ring(t);
    EXPECT(FULL(0), 256);
    EXPECT(FULL(1), 256);
    LOAD(SLOT(0), 256, FULL(0));
    LOAD(SLOT(1), 256, FULL(1));
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        READ(SLOT(i), 256);
        if (i + 2 == blocks || i + 1 == blocks) continue;
        EXPECT(FULL(i), 256);
        LOAD(SLOT(i), 256, FULL(i));
    }
}

static void meet_cluster(struct acts *t)
{
    ACT(ACT_MEET_CLUSTER, 0);
    ACT(ACT_MEET_CLUSTER, .value = 1);
}

/* Who copies tells CTA 1's barrier of all bytes of its slot, or CTA 0's of half of them. */
static void fill_both(struct acts *t, uint32_t i, uint32_t count, bool halves)
{
    const uint32_t told = halves ? 128 : 256;
    WAIT(EMPTY(i), ROUND(i) + 1);
    EXPECT(FULL(i), halves ? 384 : 256);
    ACT(ACT_EXPECT, .barrier_cta = 1, .barrier = FULL(i), .value = count, .bytes = told / count);
    LOAD(SLOT(i), 256, FULL(i));
    LOAD_AT(1, SLOT(i), told, 1, FULL(i));
    if (halves) LOAD_AT(1, SLOT(i) + told, 128, 0, FULL(i));
}

/* CTA 0 fills the slots of both; each reads its own, and arrives at CTA 0. */
static void to_both(struct acts *t, uint32_t blocks, uint32_t count, bool halves)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), c ? count : 1);
        for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), c ? 1 : 2);
        FENCE_INIT;
        meet_cluster(t);
        for (uint32_t i = 0; i < blocks && c == 0; i++) fill_both(t, i, count, halves);
        meet_cluster(t);
        by(t, c, 1);
        meet_cluster(t);
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            READ(SLOT(i), 256);
            ARRIVE_AT(0, EMPTY(i), 1);
        }
        meet_cluster(t);
    }
}

static void to_both_alike(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 1, false);
}

static void to_both_counts(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 2, false);
}

static void to_both_halves(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 1, true);
}

static const struct acts_case copies[] = {
    {"one warp fills both slots and reads them", ahead, 1, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"CTA 0 fills both CTAs' slots", to_both_alike, 2, 2, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"CTA 0 fills both CTAs' slots, whose barriers count otherwise", to_both_counts, 2, 2, RUNS,
     PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a slot whose halves tell two CTAs", to_both_halves, 2, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_EARLY, ""},
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(early), ACTS(thirds), ACTS(rings), ACTS(copies)};
    return run_acts_lists("rings of acts", tests, sizeof tests / sizeof *tests);
}
