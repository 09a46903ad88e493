/* Words of tiles and blocks, and warps that take turns with them, written down as a record has
 * them. */
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

/* Tiles of 2, 3 and 4 blocks in turn, the last cut short. */
static bool ends_tile(uint32_t i, uint32_t blocks)
{
    return i % 9 == 1 || i % 9 == 4 || i % 9 == 8 || i + 1 == blocks;
}

/* --- words */

/* As many tiles of 3, 2 and 4 blocks. */
static bool ends_later(uint32_t i, uint32_t blocks)
{
    return i % 9 == 2 || i % 9 == 4 || i % 9 == 8 || i + 1 == blocks;
}

typedef bool ends_fn(uint32_t i, uint32_t blocks);

/* Who reads arrives after each tile and waits for who copies, who does the reverse; the last tile
 * may be left out. */
static void words(struct acts *t, uint32_t blocks, ends_fn *copied, bool all)
{
    uint32_t tile = 0, last = blocks;
    begin(t, 2);
    for (uint32_t i = 0; i < blocks; i++) {
        fill(t, i);
        if (!copied(i, blocks)) continue;
        WAIT(MORE(0), tile++);
        ARRIVE(MORE(1));
    }
    by(t, 0, 1);
    MEET;
    tile = 0;
    if (!all) last--;
    while (!ends_tile(last - 1, blocks)) last--;
    for (uint32_t i = 0; i < last; i++) {
        drain(t, i);
        if (!ends_tile(i, blocks)) continue;
        ARRIVE(MORE(0));
        WAIT(MORE(1), tile++);
    }
}

static void same_word(struct acts *t, uint32_t blocks)
{
    words(t, blocks, ends_tile, true);
}

static void other_word(struct acts *t, uint32_t blocks)
{
    words(t, blocks, ends_later, true);
}

static void shorter_word(struct acts *t, uint32_t blocks)
{
    words(t, blocks, ends_tile, false);
}

/* Tiles of two blocks each: nothing says that there may be others. */
static void twos(struct acts *t, uint32_t blocks)
{
    blocks &= ~1u;
    begin(t, 1);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        drain(t, i);
        if (i & 1) ARRIVE(MORE(0));
    }
}

/* One barrier that a warp arrives at with each block, and waits for with each tile. */
static void two_paces(struct acts *t, uint32_t blocks)
{
    uint32_t tile = 0;
    begin(t, 1);
    produce(t, blocks);
    by(t, 0, 1);
    MEET;
    for (uint32_t i = 0; i < blocks; i++) {
        drain(t, i);
        ARRIVE(MORE(0));
        if (ends_tile(i, blocks)) WAIT(MORE(0), tile++);
    }
}

static const struct acts_case of_words[] = {
    {"two warps meet after each tile", same_word, 2, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two warps meet after each tile, one run", same_word, 2, 1, 1, PART, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"as many tiles, which end elsewhere", other_word, 2, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "goes round 6 times, warp 0 of CTA 0 6 times"},
    {"one tile less", shorter_word, 2, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "goes round 5 times, warp 0 of CTA 0 6 times"},
    {"tiles of two blocks each", twos, 2, 1, RUNS, PART, TMAP_E_ARGUMENT, 0, "goes round"},
    {"a barrier at two paces", two_paces, 2, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
};

/* --- turns with single blocks */

typedef void block_fn(struct acts *t, uint32_t i);

/* In CTA 1 warp 2 has the first. */
static void in_turn(struct acts *t, uint32_t blocks, uint8_t cta, block_fn *block)
{
    for (uint16_t w = 1; w < 3; w++) {
        by(t, cta, w);
        MEET;
        for (uint32_t i = (w - 1u) ^ cta; i < blocks; i += 2) block(t, i);
    }
}

static void single(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    in_turn(t, blocks, 0, drain);
}

static void single_and_third(struct acts *t, uint32_t blocks)
{
    begin(t, 1);
    produce(t, blocks);
    in_turn(t, blocks, 0, drain);
    by(t, 0, 3);
    MEET;
    ARRIVE(MORE(0));
}

static void single_in_both(struct acts *t, uint32_t blocks)
{
    for (uint8_t c = 0; c < 2; c++) {
        by(t, c, 0);
        make_ring(t);
        MEET;
        produce(t, blocks);
    }
    for (uint8_t c = 0; c < 2; c++) in_turn(t, blocks, c, drain);
}

static void store_block(struct acts *t, uint32_t i)
{
    wait_full(t, i);
    STORE(SLOT(i), 256);
    STORES_END;
    WAIT_READ(0);
    ARRIVE(EMPTY(i));
}

static void single_stored(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    in_turn(t, blocks, 0, store_block);
}

static void drain_for_next(struct acts *t, uint32_t i)
{
    wait_full(t, i);
    READ(SLOT(i), 256);
    ARRIVE(EMPTY(i + 1));
}

static void single_next(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    in_turn(t, blocks, 0, drain_for_next);
}

static void drain_parity_0(struct acts *t, uint32_t i)
{
    WAIT(FULL(i), 0);
    READ(SLOT(i), 256);
    ARRIVE(EMPTY(i));
}

static void single_parity_0(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    in_turn(t, blocks, 0, drain_parity_0);
}

static const struct acts_case singles[] = {
    {"turns with single blocks", single, 3, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns with single blocks, and a warp that arrives once", single_and_third, 4, 1, RUNS, PART,
     TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns with single blocks in both CTAs", single_in_both, 3, 2, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"turns with single blocks, which are stored", single_stored, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"turns with single blocks, the next slot is given back", single_next, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "is of no tile of its warp's turn"},
    {"turns with single blocks, waited for on parity 0", single_parity_0, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "goes round in no loop"},
};

/* --- turns with tiles of several blocks */

struct tile_of { /* a warp's */
    uint32_t first, end, warp;
    uint32_t number; /* of the warp's own */
};
typedef void tile_fn(struct acts *t, const struct tile_of *tile);

/* In the first run all blocks may be one tile. */
static void tiles_in_turn(struct acts *t, uint32_t blocks, bool one, tile_fn *whole)
{
    for (uint16_t w = 1; w < 3; w++) {
        uint32_t turn = 1, first = 0, number = 0;
        by(t, 0, w);
        MEET;
        for (uint32_t i = 0; i < blocks; i++) {
            if (one && t->run == 0 ? i + 1 < blocks : !ends_tile(i, blocks)) continue;
            const struct tile_of tile = {first, i + 1, w, number};
            if (turn == w) whole(t, &tile), number++;
            turn = 3 - turn;
            first = i + 1;
        }
    }
}

/* A slot is given back a block after its product began, the last at the tile's end. */
static void late_tile(struct acts *t, const struct tile_of *tile)
{
    for (uint32_t i = tile->first; i < tile->end; i++) {
        wait_full(t, i);
        PRODUCT(SLOT(i), 256);
        GROUP;
        GROUPS_DONE(1);
        if (i > tile->first) ARRIVE(EMPTY(i - 1));
    }
    GROUPS_DONE(0);
    ARRIVE(EMPTY(tile->end - 1));
}

static void late_tiles(struct acts *t, uint32_t blocks)
{
    t->depth = 4;
    begin(t, 0);
    produce(t, blocks);
    tiles_in_turn(t, blocks, false, late_tile);
}

/* Each begins a tile once the other has ended one. */
static void ordered_tile(struct acts *t, const struct tile_of *tile)
{
    WAIT(MORE(tile->warp - 1), tile->number + (tile->warp == 1));
    late_tile(t, tile);
    ARRIVE(MORE(2 - tile->warp));
}

static void ordered_tiles(struct acts *t, uint32_t blocks)
{
    t->depth = 4;
    begin(t, 2);
    produce(t, blocks);
    tiles_in_turn(t, blocks, false, ordered_tile);
}

static void one_tile_at_first(struct acts *t, uint32_t blocks)
{
    begin(t, 0);
    produce(t, blocks);
    tiles_in_turn(t, blocks, true, late_tile);
}

/* All blocks of a tile but its first are told to a barrier, too. */
static void told_tile(struct acts *t, const struct tile_of *tile)
{
    for (uint32_t i = tile->first; i < tile->end; i++) {
        drain(t, i);
        if (i > tile->first) ARRIVE(MORE(tile->warp - 1));
    }
}

static void told_tiles(struct acts *t, uint32_t blocks)
{
    begin(t, 2);
    produce(t, blocks);
    tiles_in_turn(t, blocks, false, told_tile);
}

/* Before or after its blocks a slot that is of no tile yet is given back. */
static void early_tile(struct acts *t, const struct tile_of *tile)
{
    ARRIVE(EMPTY(tile->first + 3));
    WAIT(MORE(tile->warp - 1), 0);
    for (uint32_t i = tile->first; i < tile->end; i++) drain(t, i);
}

static void early_tiles(struct acts *t, uint32_t blocks)
{
    t->depth = 4;
    begin(t, 2);
    produce(t, blocks);
    tiles_in_turn(t, blocks, false, early_tile);
}

static void after_tile(struct acts *t, const struct tile_of *tile)
{
    for (uint32_t i = tile->first; i < tile->end; i++) drain(t, i);
    ARRIVE(EMPTY(tile->end + 1));
    WAIT(MORE(tile->warp - 1), 0);
}

static void after_tiles(struct acts *t, uint32_t blocks)
{
    t->depth = 4;
    begin(t, 2);
    produce(t, blocks);
    tiles_in_turn(t, blocks, false, after_tile);
}

static const struct acts_case of_tiles[] = {
    {"turns with tiles, given back a block late", ordered_tiles, 3, 1, RUNS, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"turns with tiles in no order", late_tiles, 3, 1, RUNS, PART, TMAP_OK, TMAP_HAZARD_ALIAS, ""},
    {"turns with tiles, one alone in the first run", one_tile_at_first, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "goes round in no loop"},
    {"turns with tiles that have no ends", told_tiles, 3, 1, RUNS, PART, TMAP_E_ARGUMENT, 0,
     "warps take turns with tiles of several blocks that have no ends"},
    {"turns with tiles, another slot is given back before", early_tiles, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "is of no tile of its warp's turn"},
    {"turns with tiles, another slot is given back after", after_tiles, 3, 1, RUNS, PART,
     TMAP_E_ARGUMENT, 0, "is of no tile of its warp's turn"},
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(of_words), ACTS(singles), ACTS(of_tiles)};
    return run_acts_lists("turns of acts", tests, sizeof tests / sizeof *tests);
}
