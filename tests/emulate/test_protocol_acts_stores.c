/* Who stores the slots of rings and staging areas, or writes into them, and what a protocol has no
 * room for, written down as a record has it. */
#include "support/protocol_acts.h"

#define PART TMAP_EMULATE_BARRIERS, 0
#define RING(number) TMAP_EMULATE_RING, number
#define AREA TMAP_EMULATE_STAGING, 0
#define RUNS PROVED_RUNS

static void begin(struct acts *t, uint32_t more)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < more; i++) INIT(MORE(i), 1);
    make_ring(t);
    MEET;
}

/* --- copies: what is loaded into a slot is stored out of it */

static void store_out(struct acts *t, uint32_t i, uint32_t groups)
{
    wait_full(t, i);
    STORE(SLOT(i), 256);
    STORES_END;
    WAIT_READ(groups);
}

static void copy(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        store_out(t, i, 0);
        ARRIVE(EMPTY(i));
    }
}

static void copy_early(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        store_out(t, i, 1);
        ARRIVE(EMPTY(i));
    }
}

/* Nobody waits until the part has been read. */
static void copy_of_part(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        STORE(SLOT(i) + 64, 128);
        STORES_END;
        ARRIVE(EMPTY(i));
    }
}

static void copy_in_both(struct acts *t, uint32_t blocks)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        make_ring(t);
        MEET_CLUSTER;
        produce(t, blocks);
        by(t, c, 1);
        MEET_CLUSTER;
        for (uint32_t i = 0; i < blocks; i++) {
            store_out(t, i, 0);
            ARRIVE(EMPTY(i));
        }
    }
}

/* The second group has a slot of another ring, too; who waits later for all but one group waits
 * for nobody knows how many stores. */
static void copy_groups(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        fill_b(t, i);
    }
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        WAIT(FULL_B(i), ROUND(i));
        STORE(SLOT(i), 256);
        if (i == 1) STORE(SLOT_B(i), 256);
        STORES_END;
        WAIT_READ(i < 3 ? 0 : 1);
    }
}

static const struct acts_case copies[] = {
    {"slots are stored", copy, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"slots are stored, in both CTAs", copy_in_both, 2, 2, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"slots are given back while they are stored", copy_early, 2, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_UNWAITED_STORE, ""},
    {"a part of each slot is stored and not waited for", copy_of_part, 2, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_UNWAITED_STORE, ""},
    {"groups of one store and of two", copy_groups, 2, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "groups of several sizes"},
};

/* --- warps that write into the slots once all is read */

/* After so many arrivals elsewhere. */
static void write_at_end(struct acts *t, uint32_t blocks, uint32_t arrivals)
{
    begin(t, 2);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) drain(t, i);
    for (uint32_t i = 0; i < arrivals; i++)
        act(t, 500 + i, (struct act){.op = ACT_ARRIVE, .barrier = MORE(0), .value = 1});
    WRITE(SLOT(0), 256);
    FENCE;
    WRITE(SLOT(1), 256);
    FENCE;
    MEET_SOME(1, 64);
    FORWARD(SLOT(1), 256);
    STORE(SLOT(0), 256);
    STORES_END;
    WAIT_READ(0);
}

static void written(struct acts *t, uint32_t blocks)
{
    write_at_end(t, blocks, 0);
}

/* Two warps write at the end; the second meets who has no part in it once more. */
static void two_write(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), 1);
    for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), 2);
    FENCE_INIT;
    MEET;
    produce(t, blocks);
    for (uint16_t w = 1; w < 3; w++) {
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) drain(t, i);
        MEET_SOME(2, 64);
        WRITE(SLOT(0) + 128u * w, 128);
        for (uint16_t k = 0; k < w; k++) MEET_SOME(1, 64);
    }
}

/* Of both rings. */
static void expect_and_load(struct acts *t, uint32_t i)
{
    EXPECT(FULL(i), 256);
    LOAD(SLOT(i), 256, FULL(i));
    EXPECT(FULL_B(i), 256);
    LOAD(SLOT_B(i), 256, FULL_B(i));
}

static void read_both(struct acts *t, uint32_t i)
{
    wait_full(t, i);
    WAIT(FULL_B(i), ROUND(i));
    READ(SLOT(i), 256);
    READ(SLOT_B(i), 256);
    FENCE;
}

/* Two warps read a ring each, or the first both; then it writes slots of both. */
static void write_both(struct acts *t, uint32_t blocks, bool reads_both)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        fill_b(t, i);
    }
    for (uint16_t w = 1; w < 3; w++) {
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) {
            if (w == 1) drain(t, i);
            if (reads_both ? w == 2 : w == 1) continue;
            WAIT(FULL_B(i), ROUND(i));
            READ(SLOT_B(i), 256);
            ARRIVE(EMPTY_B(i));
        }
        if (w == 1) WRITE(SLOT(0), 256);
        if (w == 1) WRITE(SLOT_B(0), 256);
    }
}

static void written_of_both(struct acts *t, uint32_t blocks)
{
    write_both(t, blocks, true);
}

static void written_of_other(struct acts *t, uint32_t blocks)
{
    write_both(t, blocks, false);
}

/* One warp fills two rings two blocks ahead, reads the last two after its loop, and writes. */
static void written_alone(struct acts *t, uint32_t blocks)
{
    t->depth = 4;
    by(t, 0, 0);
    make_both(t);
    for (uint32_t i = 0; i < 2; i++) expect_and_load(t, i);
    for (uint32_t i = 0; i < blocks; i++) {
        expect_and_load(t, i + 2);
        read_both(t, i);
    }
    for (uint32_t i = blocks; i < blocks + 2; i++) read_both(t, i);
    WRITE(SLOT(0), 256);
}

/* One warp multiplies slots that it fills a block ahead, gives each back a block late, and
 * writes. */
static void multiplied_alone(struct acts *t, uint32_t blocks)
{
    t->depth = 4;
    by(t, 0, 0);
    make_ring(t);
    EXPECT(FULL(0), 256);
    LOAD(SLOT(0), 256, FULL(0));
    for (uint32_t i = 0; i <= blocks; i++) {
        if (i < blocks) EXPECT(FULL(i + 1), 256);
        if (i < blocks) LOAD(SLOT(i + 1), 256, FULL(i + 1));
        wait_full(t, i);
        PRODUCT(SLOT(i), 256);
        GROUP;
        GROUPS_DONE(i < blocks);
    }
    WRITE(SLOT(0), 256);
}

static void written_after_much(struct acts *t, uint32_t blocks)
{
    write_at_end(t, blocks, 26);
}

static const struct acts_case writes[] = {
    {"slots are written and stored at the end", written, 2, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"two warps write slots at the end", two_write, 4, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"one warp multiplies what it fills, and writes", multiplied_alone, 1, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"slots of both rings are written by who has read them", written_of_both, 3, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"slots of a ring are written that another reads", written_of_other, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "is not always as far along its ring"},
    {"slots are written after much else", written_after_much, 2, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "does too much after its blocks"},
    {"one warp reads the last slots of two rings and writes", written_alone, 1, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_NONE, ""},
};

/* --- staging areas: two places of 256 bytes */

enum { PLACE = 0x2000, OTHER = 0x2100 };

/* Both places in the first group, the first place alone in each other. */
static void one_then_two(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    WRITE(PLACE, 256);
    WRITE(OTHER, 256);
    FENCE;
    STORE(PLACE, 256);
    STORE(OTHER, 256);
    STORES_END;
    WAIT_READ(0);
    for (uint32_t i = 0; i < blocks; i++) {
        WRITE(PLACE, 256);
        FENCE;
        STORE(PLACE, 256);
        STORES_END;
        WAIT_READ(0);
    }
}

/* A place goes to the other CTA before it is stored. */
static void forwarded(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < blocks; i++) {
        WRITE(PLACE, 256);
        FENCE;
        FORWARD(PLACE, 256);
        STORE(PLACE, 256);
        STORES_END;
        WAIT_READ(0);
    }
}

/* Places in turn, each stored to two places with a meeting between them; both at first. */
static void stored_twice(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    WRITE(PLACE, 256);
    WRITE(OTHER, 256);
    FENCE;
    STORE(PLACE, 256);
    MEET;
    STORE(OTHER, 256);
    STORES_END;
    WAIT_READ(0);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        const uint32_t place = i & 1 ? OTHER : PLACE;
        WRITE(place, 256);
        FENCE;
        STORE(place, 256);
        MEET;
        STORE(place, 256);
        STORES_END;
        WAIT_READ(0);
        MEET;
    }
}

/* Places in turn, which one group stores with a meeting between them. */
static void meeting_in_group(struct acts *t, uint32_t blocks)
{
    for (uint16_t w = 0; w < 2; w++) {
        by(t, 0, w);
        for (uint32_t i = 0; i < blocks; i++) {
            WRITE(PLACE, 128);
            WRITE(OTHER, 256);
            WRITE(PLACE + 160, 96);
            FENCE;
            MEET;
            if (w == 0) STORE(PLACE, 256);
            MEET;
            if (w == 0) {
                STORE(OTHER, 256);
                STORES_END;
                WAIT_READ(0);
            }
            MEET;
        }
    }
}

/* The warp that stores meets a third one at the end, at the barrier of the others. */
static void one_more_meeting(struct acts *t, uint32_t blocks)
{
    for (uint16_t w = 0; w < 2; w++) {
        by(t, 0, w);
        for (uint32_t i = 0; i < blocks; i++) {
            WRITE(PLACE + 128u * w, 128);
            FENCE;
            MEET_SOME(2, 64);
            if (w == 0) {
                STORE(PLACE, 256);
                STORES_END;
                WAIT_READ(0);
            }
            MEET_SOME(2, 64);
        }
        if (w == 0) MEET_SOME(2, 64);
    }
    by(t, 0, 2);
    MEET_SOME(2, 64);
}

static const struct acts_case areas[] = {
    {"two places at first, then one", one_then_two, 1, 1, RUNS, AREA, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"places in turn, stored to two places each", stored_twice, 1, 1, RUNS, AREA, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"a place that is copied within shared memory", forwarded, 1, 1, RUNS, AREA, TMAP_E_ARGUMENT, 0,
     "a copy within shared memory reads a slot"},
    {"a meeting within a group of stores", meeting_in_group, 2, 1, RUNS, AREA, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"a meeting with who has no part in it", one_more_meeting, 3, 1, RUNS, AREA, TMAP_OK,
     TMAP_HAZARD_DEADLOCK, ""},
};

/* --- no room */

/* Sums into `places` of 8 columns each, of slots that are copied in `pieces`. */
static void sums_of(struct acts *t, uint32_t blocks, uint32_t pieces, uint32_t places)
{
    begin(t, 2);
    for (uint32_t i = 0; i < blocks; i++) {
        WAIT(EMPTY(i), ROUND(i) + 1);
        EXPECT(FULL(i), 16 * pieces);
        for (uint32_t k = 0; k < pieces; k++) LOAD(0x800 * OF(i) + 32 * k, 16, FULL(i));
    }
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(0x800 * OF(i), 16);
        for (uint32_t k = 0; k < places; k++) SUM(16 * k, 8);
        COMMIT(EMPTY(i));
    }
    COMMIT(MORE(0));
    by(t, 0, 2);
    MEET;
    WAIT(MORE(0), 0);
    FETCH(0, 256);
    FETCHED;
}

static void many_pieces(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, 64, 1);
}

static void many_sums(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, 1, 9);
}

static const struct acts_case rooms[] = {
    {"as many pieces as there may be, and sums", many_pieces, 3, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "more than 128 buffers"},
    {"sums in nine places", many_sums, 3, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "a buffer of more than 8 slots"},
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(copies), ACTS(writes), ACTS(areas), ACTS(rooms)};
    return run_acts_lists("stores of acts", tests, sizeof tests / sizeof *tests);
}
