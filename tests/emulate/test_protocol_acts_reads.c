/* Who reads the slots of rings, written down as a record has it: products, loads of tensor memory,
 * stores, and warps that write into the slots at the end. */
#include "support/protocol_acts.h"

#define PART TMAP_EMULATE_BARRIERS, 0
#define RING(number) TMAP_EMULATE_RING, number
#define RUNS PROVED_RUNS

static void begin(struct acts *t, uint32_t more)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < more; i++) INIT(MORE(i), 1);
    make_ring(t);
    MEET;
}

/* --- products of one warp */

/* A slot is given back a block after its product began; or, too early, the next one. */
static void late_products(struct acts *t, uint32_t blocks, bool wrong)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 256);
        GROUP;
        GROUPS_DONE(1);
        if (wrong || i) ARRIVE(EMPTY(wrong ? i : i - 1));
    }
    GROUPS_DONE(0);
}

static void one_late(struct acts *t, uint32_t blocks)
{
    late_products(t, blocks, false);
}

static void wrong_late(struct acts *t, uint32_t blocks)
{
    late_products(t, blocks, true);
}

/* A warp that looks at its slot itself before it waits for groups of products. */
static void no_group(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        READ(SLOT(i), 256);
        GROUPS_DONE(0);
        ARRIVE(EMPTY(i));
    }
}

/* Each product reads the next slot, too. */
static void next_slot(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 128);
        PRODUCT(SLOT(i + 1), 256);
        PRODUCT(SLOT(i) + 160, 96);
        GROUP;
        GROUPS_DONE(0);
        ARRIVE(EMPTY(i));
    }
}

/* Products of two rings' slots, in two pieces each. */
static void two_operands(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        fill_b(t, i);
    }
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 32);
        WAIT(FULL_B(i), ROUND(i));
        for (uint32_t half = 0; half < 256; half += 128) {
            PRODUCT(SLOT_B(i) + half, 64);
            PRODUCT(SLOT(i) + half + 64, 64);
        }
        COMMIT(EMPTY(i));
        COMMIT(EMPTY_B(i));
    }
}

/* Products of two rings' slots, which one barrier gives back a block later. */
static void two_operands_late(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        EXPECT(FULL_B(i), 256);
        LOAD(SLOT_B(i), 256, FULL_B(i));
    }
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        WAIT(FULL_B(i), ROUND(i));
        PRODUCT(SLOT(i), 256);
        PRODUCT(SLOT_B(i), 256);
        GROUP;
        GROUPS_DONE(1);
        if (i) ARRIVE(EMPTY(i - 1));
    }
    GROUPS_DONE(0);
}

/* A barrier of one slot gives back both: the copies wait for each block. */
static void one_empty(struct acts *t, uint32_t blocks)
{
    begin(t, 1);
    for (uint32_t i = 0; i < blocks; i++) {
        WAIT(MORE(0), i + 1);
        EXPECT(FULL(i), 256);
        LOAD(SLOT(i), 256, FULL(i));
    }
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        READ(SLOT(i), 256);
        ARRIVE(MORE(0));
    }
}

/* Two commits give a slot back. */
static void two_commits(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), 1);
    for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), 2);
    FENCE_INIT;
    MEET;
    produce(t, blocks);
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 256);
        COMMIT(EMPTY(i));
        COMMIT(EMPTY(i));
    }
}

/* Two commits by one instruction say at first that both slots are empty. */
static void first_commits(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    for (uint32_t i = 0; i < blocks; i++) {
        WAIT(EMPTY(i), ROUND(i));
        EXPECT(FULL(i), 256);
        LOAD(SLOT(i), 256, FULL(i));
    }
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < 2; i++) COMMIT(EMPTY(i));
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 256);
        COMMIT(EMPTY(i));
    }
}

/* A commit gives the next slot back, too. */
static void next_commit(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 256);
        COMMIT(EMPTY(i));
        COMMIT(EMPTY(i + 1));
    }
}

/* A warp that looks at another ring's slot before it commits. */
static void look_and_commit(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    make_both(t);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        fill_b(t, i);
    }
    by(t, 0, 4);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        WAIT(FULL_B(i), ROUND(i));
        READ(SLOT_B(i), 256);
        PRODUCT(SLOT(i), 256);
        COMMIT(EMPTY(i));
        ARRIVE(EMPTY_B(i));
    }
}

static const struct acts_case products[] = {
    {"two commits give a slot back", two_commits, 5, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"commits give both slots at first", first_commits, 5, 1, RUNS, RING(0), TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"a commit gives the next slot back, too", next_commit, 5, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"a look at another slot before a commit", look_and_commit, 5, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_EXIT, ""},
    {"a look at another slot before a commit, ring 0", look_and_commit, 5, 1, RUNS, RING(0),
     TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a look at another slot before a commit, ring 1", look_and_commit, 5, 1, RUNS, RING(1),
     TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"operands of two rings, ring 0", two_operands, 5, 1, RUNS, RING(0), TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"given back a block late", one_late, 5, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two operands given back a block late", two_operands_late, 5, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"given back a block early", wrong_late, 5, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"groups are waited for, and there are none", no_group, 5, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"the next slot is read, too", next_slot, 5, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"operands of two rings", two_operands, 5, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_EXIT, ""},
    {"one barrier gives back two slots", one_empty, 5, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
};

/* --- sums in tensor memory */

enum { COLUMN = 0x100, COLUMNS = 8 };

/* Tiles of 2, 3 and 4 blocks in turn, the last cut short. */
static bool ends_tile(uint32_t i, uint32_t blocks)
{
    return i % 9 == 1 || i % 9 == 4 || i % 9 == 8 || i + 1 == blocks;
}

enum fetching { FETCH_RIGHT, FETCH_EARLY, FETCH_LOOK, FETCH_TWICE, FETCH_BEFORE, FETCH_BEHIND };

/* Warp 1 multiplies each tile's slots into the columns that warp 2 loads when MORE(0) says so, and
 * gives back by MORE(1). */
static void multiply_tiles(struct acts *t, uint32_t blocks, enum fetching how)
{
    uint32_t tile = 0;
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0, first = 1; i < blocks; i++) {
        if (first) WAIT(MORE(1), tile + 1);
        wait_full(t, i);
        if (how == FETCH_LOOK) READ(SLOT(i), 256);
        PRODUCT(SLOT(i), 256);
        if (how == FETCH_LOOK) FETCHED;
        SUM(COLUMN, COLUMNS);
        COMMIT(EMPTY(i));
        first = ends_tile(i, blocks);
        if (first) COMMIT(MORE(0));
        if (first && how == FETCH_TWICE) COMMIT(MORE(2));
        tile += first;
    }
}

/* Columns that are no sums need not be there before they are given back. */
static void fetch_tiles(struct acts *t, uint32_t blocks, enum fetching how)
{
    const bool early = how == FETCH_EARLY || how >= FETCH_BEFORE;
    uint32_t tile = 0;
    by(t, 0, 2);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        if (!ends_tile(i, blocks)) continue;
        WAIT(MORE(0), tile);
        if (how == FETCH_TWICE) WAIT(MORE(2), tile);
        FETCH(how == FETCH_BEFORE   ? COLUMN - COLUMNS
              : how == FETCH_BEHIND ? COLUMN + COLUMNS
                                    : COLUMN,
              COLUMNS);
        if (!early) FETCHED;
        ARRIVE(MORE(1));
        if (early) FETCHED;
        tile++;
    }
}

static void sums_of(struct acts *t, uint32_t blocks, enum fetching how)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < 3; i++) INIT(MORE(i), 1);
    make_ring(t);
    MEET;
    produce(t, blocks);
    multiply_tiles(t, blocks, how);
    fetch_tiles(t, blocks, how);
}

static void sums(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, FETCH_RIGHT);
}

static void sums_early(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, FETCH_EARLY);
}

static void sums_look(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, FETCH_LOOK);
}

static void sums_twice(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, FETCH_TWICE);
}

static void loads_before(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, FETCH_BEFORE);
}

static void loads_behind(struct acts *t, uint32_t blocks)
{
    sums_of(t, blocks, FETCH_BEHIND);
}

/* Warp 3 stores each slot, the first of which begins where the columns do. */
static void sums_stored(struct acts *t, uint32_t blocks)
{
    by(t, 0, 0);
    for (uint32_t i = 0; i < 2; i++) INIT(MORE(i), 1);
    for (uint32_t i = 0; i < 2; i++) INIT(FULL(i), 1);
    for (uint32_t i = 0; i < 2; i++) INIT(EMPTY(i), 2);
    FENCE_INIT;
    MEET;
    produce(t, blocks);
    multiply_tiles(t, blocks, FETCH_RIGHT);
    fetch_tiles(t, blocks, FETCH_RIGHT);
    by(t, 0, 3);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        wait_full(t, i);
        STORE(SLOT(i), 256);
        STORES_END;
        WAIT_READ(0);
        ARRIVE(EMPTY(i));
    }
}

/* CTA 1 multiplies for a pair; whose columns come first is said. */
static void multiply_pair(struct acts *t, uint32_t blocks, uint8_t first)
{
    uint32_t tile = 0;
    by(t, 1, 1);
    MEET_CLUSTER;
    for (uint32_t i = 0, begins = 1; i < blocks; i++) {
        if (begins) WAIT(MORE(1), tile + 1);
        wait_full(t, i);
        for (uint8_t c = 0; c < 2; c++) TOUCH(ACT_TENSOR_READ, c, SLOT(i), 256);
        for (uint8_t c = 0; c < 2; c++) TOUCH(ACT_SUM, c ^ first, COLUMN, COLUMNS);
        COMMIT(EMPTY(i));
        begins = ends_tile(i, blocks);
        for (uint8_t c = 0; c < 2 && begins; c++) COMMIT_AT(c, MORE(0));
        tile += begins;
    }
    MEET_CLUSTER;
}

static void fetch_pair(struct acts *t, uint32_t blocks)
{
    uint32_t tile = 0;
    MEET_CLUSTER;
    for (uint32_t i = 0; i < blocks; i++) {
        if (!ends_tile(i, blocks)) continue;
        WAIT(MORE(0), tile);
        FETCH(COLUMN, COLUMNS);
        FETCHED;
        ARRIVE_AT(1, MORE(1), 1);
        tile++;
    }
    MEET_CLUSTER;
}

static void pair_of(struct acts *t, uint32_t blocks, uint8_t first)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        INIT(MORE(0), 1);
        INIT(MORE(1), 2);
        make_ring(t);
        MEET_CLUSTER;
        for (uint32_t i = 0; i < blocks && c == 1; i++) {
            WAIT(EMPTY(i), ROUND(i) + 1);
            EXPECT(FULL(i), 512);
            for (uint8_t to = 0; to < 2; to++) LOAD_AT(to, SLOT(i), 256, 1, FULL(i));
        }
        MEET_CLUSTER;
        by(t, c, 2);
        fetch_pair(t, blocks);
    }
    multiply_pair(t, blocks, first);
}

static void pair_own_last(struct acts *t, uint32_t blocks)
{
    pair_of(t, blocks, 0);
}

static void pair_own_first(struct acts *t, uint32_t blocks)
{
    pair_of(t, blocks, 1);
}

static const struct acts_case tensors[] = {
    {"slots are multiplied and stored", sums_stored, 4, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"sums of a pair, the other CTA's first", pair_own_last, 3, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"sums of a pair, the own CTA's first", pair_own_first, 3, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"sums of tiles", sums, 3, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"sums of tiles, given back before they are loaded", sums_early, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
    {"sums of tiles, whose slots a warp looks at", sums_look, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"sums of tiles, told by two commits", sums_twice, 3, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"sums of tiles, told by two commits, ring 0", sums_twice, 3, 1, RUNS, RING(0), TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"columns before the sums are loaded", loads_before, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"columns behind the sums are loaded", loads_behind, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(products), ACTS(tensors)};
    return run_acts_lists("reads of acts", tests, sizeof tests / sizeof *tests);
}
