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

static void met_before(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    MEET;
    make_ring(t);
    MEET;
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    MEET;
    drain_all(t, blocks);
}

static const struct acts_case early[] = {
    {"a ring", ring, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a ring that is made after a meeting", met_before, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
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

/* Who makes the barriers fills both slots before it meets who reads. */
static void filled_before(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_ring(t);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(FULL(i), 256);
        LOAD(SLOT(i), 256, FULL(i));
    }
    MEET;
    for (uint32_t i = 2; i < blocks; i++) {
        WAIT(EMPTY(i), ROUND(i) + 1);
        EXPECT(FULL(i), 256);
        LOAD(SLOT(i), 256, FULL(i));
    }
    by(t, 0, 1);
    MEET;
    drain_all(t, blocks);
}

/* Which barriers are told of the bytes of CTA 1's slot: its own; CTA 0's of the first or the last
 * half; CTA 0's in the last run. */
enum told { TOLD_OWN, TOLD_FIRST_HALF, TOLD_LAST_HALF, TOLD_LATE };

static void fill_both(struct acts *t, uint32_t i, uint32_t count, enum told told)
{
    const bool halves = told == TOLD_FIRST_HALF || told == TOLD_LAST_HALF;
    WAIT(EMPTY(i), ROUND(i) + 1);
    EXPECT(FULL(i), halves ? 384 : 256);
    ACT(ACT_EXPECT, .barrier_cta = 1, .barrier = FULL(i), .value = count,
        .bytes = (halves ? 128 : 256) / count);
    LOAD(SLOT(i), 256, FULL(i));
    if (halves) {
        LOAD_AT(1, SLOT(i), 128, told == TOLD_LAST_HALF, FULL(i));
        LOAD_AT(1, SLOT(i) + 128, 128, told == TOLD_FIRST_HALF, FULL(i));
    } else
        LOAD_AT(1, SLOT(i), 256, told == TOLD_OWN || t->run < 2, FULL(i));
}

/* CTA 0 fills the slots of both; each reads its own, and arrives at CTA 0. */
static void to_both(struct acts *t, uint32_t blocks, uint32_t count, enum told told)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), c ? count : 1);
        for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), c ? 1 : 2);
        FENCE_INIT;
        MEET_CLUSTER;
        for (uint32_t i = 0; i < blocks && c == 0; i++) fill_both(t, i, count, told);
        MEET_CLUSTER;
        by(t, c, 1);
        MEET_CLUSTER;
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            READ(SLOT(i), 256);
            ARRIVE_AT(0, EMPTY(i), 1);
        }
        MEET_CLUSTER;
    }
}

static void to_both_alike(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 1, TOLD_OWN);
}

static void to_both_counts(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 2, TOLD_OWN);
}

static void to_both_first(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 1, TOLD_FIRST_HALF);
}

static void to_both_last(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 1, TOLD_LAST_HALF);
}

static void to_both_late(struct acts *t, uint32_t blocks)
{
    to_both(t, blocks, 1, TOLD_LATE);
}

static const struct acts_case copies[] = {
    {"one warp fills both slots and reads them", ahead, 1, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"both slots are filled before anybody meets", filled_before, 2, 1, RUNS, PART, TMAP_E_ARGUMENT,
     0, "warp 1 of CTA 0 goes round 6 times, warp 0 of CTA 0 4 times"},
    {"CTA 0 fills both CTAs' slots", to_both_alike, 2, 2, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"CTA 0 fills both CTAs' slots, whose barriers count otherwise", to_both_counts, 2, 2, RUNS,
     PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"the other CTA is told of a slot's first half", to_both_first, 2, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""}, /* what one warp copies lands in order */
    {"the other CTA is told of a slot's last half", to_both_last, 2, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_EARLY, ""},
    {"the other CTA is told in the last run", to_both_late, 2, 2, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "warp 0 of CTA 0 goes round in no loop"},
};

/* --- arrivals at both CTAs by one instruction */

enum order { ONE_EACH, OWN_TWICE, OTHER_DOUBLE };

/* Who reads gives back to both CTAs: to the own one again, or to the other by two at once. */
static void give_both(struct acts *t, uint32_t i, enum order order)
{
    const uint32_t times = order == OWN_TWICE ? 3 : 2;
    for (uint32_t k = 0; k < times; k++)
        ARRIVE_AT(t->cta ^ (k & 1), EMPTY(i), order == OTHER_DOUBLE && k ? 2 : 1);
}

static void given(struct acts *t, uint32_t blocks, enum order order)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), 1);
        for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), order == ONE_EACH ? 2 : 3);
        FENCE_INIT;
        MEET_CLUSTER;
        produce(t, blocks);
        MEET_CLUSTER;
        by(t, c, 1);
        MEET_CLUSTER;
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            READ(SLOT(i), 256);
            give_both(t, i, order);
        }
        MEET_CLUSTER;
    }
}

static void given_once(struct acts *t, uint32_t blocks)
{
    given(t, blocks, ONE_EACH);
}

static void given_own_twice(struct acts *t, uint32_t blocks)
{
    given(t, blocks, OWN_TWICE);
}

static void given_double(struct acts *t, uint32_t blocks)
{
    given(t, blocks, OTHER_DOUBLE);
}

static const struct acts_case arrivals[] = {
    {"slots are given to both CTAs", given_once, 2, 2, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"slots are given to both CTAs, to the own twice", given_own_twice, 2, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"slots are given to both CTAs, to the other doubly", given_double, 2, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
};

/* --- two readers that begin elsewhere in another ring */

static void begin_apart(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < 2; i++) INIT(MORE(i), 1);
    for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), 1);
    for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), 2);
    FENCE_INIT;
    MEET;
    for (uint32_t i = 0; i < 2; i++) WAIT(MORE(i), 0);
    produce(t, blocks);
    for (uint16_t w = 1; w < 3; w++) {
        by(t, 0, w);
        MEET;
        ARRIVE(MORE(w - 1));
        for (uint32_t i = 0; i < blocks; i++) drain(t, i);
    }
}

static const struct acts_case readers[] = {
    {"two readers arrive at one slot each", begin_apart, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(early),  ACTS(thirds),   ACTS(rings),
                                       ACTS(copies), ACTS(arrivals), ACTS(readers)};
    return run_acts_lists("rings of acts", tests, sizeof tests / sizeof *tests);
}
