/* Warps of one warpgroup that do alike, one of which gives back for all, written down as a record
 * has them. */
#include "support/protocol_acts.h"

#define PART TMAP_EMULATE_BARRIERS, 0
#define RUNS PROVED_RUNS

static void begin(struct acts *t, uint32_t more)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < more; i++) INIT(MORE(i), 1);
    make_ring(t);
    MEET;
}

/* Two warps of a group read; the first alone gives back. Bit w: warp w multiplies. */
static void group_of(struct acts *t, uint32_t blocks, uint32_t multiply)
{
    begin(t, 0);
    produce(t, blocks);
    for (uint16_t w = 4; w < 6; w++) {
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            if (multiply >> w & 1) {
                PRODUCT(SLOT(i), 256);
                GROUP;
                GROUPS_DONE(0);
            } else {
                READ(SLOT(i), 256);
                FENCE;
            }
            if (w == 4) ARRIVE(EMPTY(i));
        }
    }
}

static void both_multiply(struct acts *t, uint32_t blocks)
{
    group_of(t, blocks, 1 << 4 | 1 << 5);
}

static void both_read(struct acts *t, uint32_t blocks)
{
    group_of(t, blocks, 0);
}

static void first_multiplies(struct acts *t, uint32_t blocks)
{
    group_of(t, blocks, 1 << 4);
}

static void second_multiplies(struct acts *t, uint32_t blocks)
{
    group_of(t, blocks, 1 << 5);
}

/* A ring and a warpgroup in each CTA; those of the second CTA may read. */
static void in_both_of(struct acts *t, uint32_t blocks, bool reads)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        make_ring(t);
        MEET_CLUSTER;
        produce(t, blocks);
        MEET_CLUSTER;
        for (uint16_t w = 4; w < 6; w++) {
            by(t, c, w);
            MEET_CLUSTER;
            for (uint32_t i = 0; i < blocks; i++) {
                wait_full(t, i);
                if (c && reads)
                    READ(SLOT(i), 256);
                else {
                    PRODUCT(SLOT(i), 256);
                    GROUP;
                    GROUPS_DONE(0);
                }
                FENCE;
                if (w == 4) ARRIVE(EMPTY(i));
            }
            MEET_CLUSTER;
        }
    }
}

static void in_both(struct acts *t, uint32_t blocks)
{
    in_both_of(t, blocks, false);
}

static void in_both_one_reads(struct acts *t, uint32_t blocks)
{
    in_both_of(t, blocks, true);
}

/* Two warps of a group multiply the slots of one ring and read those of another themselves, before
 * or after; the first gives back for both. */
static void scaled(struct acts *t, uint32_t blocks, bool after)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        fill_b(t, i);
    }
    for (uint16_t w = 4; w < 6; w++) {
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            WAIT(FULL_B(i), ROUND(i));
            if (!after) READ(SLOT_B(i), 256);
            PRODUCT(SLOT(i), 256);
            GROUP;
            GROUPS_DONE(0);
            if (after) READ(SLOT_B(i), 256);
            FENCE;
            if (w == 4) ARRIVE(EMPTY(i));
            if (w == 4) ARRIVE(EMPTY_B(i));
        }
    }
}

static void scaled_before(struct acts *t, uint32_t blocks)
{
    scaled(t, blocks, false);
}

static void scaled_after(struct acts *t, uint32_t blocks)
{
    scaled(t, blocks, true);
}

/* Both look at each slot before they multiply it. */
static void looked_at(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    for (uint16_t w = 4; w < 6; w++) {
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            READ(SLOT(i), 16);
            FENCE;
            PRODUCT(SLOT(i), 256);
            GROUP;
            GROUPS_DONE(0);
            if (w == 4) ARRIVE(EMPTY(i));
        }
    }
}

/* Two warps wait, and the first gives back; bit w: warp w multiplies what is in no ring. */
static void waiting(struct acts *t, uint32_t blocks, uint32_t multiply)
{
    begin(t, 0);
    produce(t, blocks);
    for (uint16_t w = 4; w < 6; w++) {
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) {
            wait_full(t, i);
            if (multiply >> w & 1) GROUP;
            if (w == 4) ARRIVE(EMPTY(i));
        }
    }
}

static void both_wait(struct acts *t, uint32_t blocks)
{
    waiting(t, blocks, 0);
}

static void one_waits(struct acts *t, uint32_t blocks)
{
    waiting(t, blocks, 1 << 4);
}

static const struct acts_case groups[] = {
    {"one warp gives back what two look at and multiply", looked_at, 6, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"one warp gives back what two wait for", both_wait, 6, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_ALIAS, ""},
    {"one warp gives back what another waits for, too", one_waits, 6, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_ALIAS, ""},
    {"one warp gives back what two read before they multiply", scaled_before, 6, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"one warp gives back what two read once they have multiplied", scaled_after, 6, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"one warp gives back what two multiply", both_multiply, 6, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"one warp gives back what two multiply, in both CTAs", in_both, 6, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"one warp gives back what two multiply, or read in the second CTA", in_both_one_reads, 6, 2,
     RUNS, PART, TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"one warp gives back what it reads and another multiplies", second_multiplies, 6, 1, RUNS,
     PART, TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"one warp gives back what two read", both_read, 6, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
    {"one warp gives back what it multiplies and another reads", first_multiplies, 6, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(groups)};
    return run_acts_lists("warpgroups of acts", tests, sizeof tests / sizeof *tests);
}
