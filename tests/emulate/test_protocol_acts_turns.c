/* Words of tiles and blocks, and warps that take turns with them, written down as a record has
 * them. */
#include "support/protocol_acts.h"

#define UNSTEADY "goes round its ring at no steady pace"
#define NOT_OF_TURN "is of no tile of its warp's turn"
#define MAKE_MORE "0.0: init:M0 init:M1 " MAKE " meet | " FILL

/* --- words: who reads arrives after each tile and waits for who copies, who does the reverse */

#define WORDS                                                                                      \
    "0.0 tiles=234: init:M0 init:M1 " MAKE " meet | " FILL " last/wait:M0 last/arrive:M1\n"        \
    "0.1 tiles=234: meet | " DRAIN " last/arrive:M0 last/wait:M1\n"

static const struct acts_case of_words[] = {
    PROVED("two warps meet after each tile", AS_IS),
    ONE_RUN(TMAP_E_ARGUMENT, UNSTEADY, "two warps meet after each tile, one run", AS_IS),
    REFUSED("goes round 6 times, warp 0 of CTA 0 6 times", "as many tiles, which end elsewhere",
            {"tiles=234", "tiles=324"}),
    REFUSED("goes round 5 times, warp 0 of CTA 0 6 times", "one tile less",
            {"0.1 tiles=234", "0.1 tiles=234 short"}),
    /* nothing says that there may be others */
    REFUSED("goes round", "tiles of two blocks each", {"0.0 tiles=234", "0.0 even"},
            {" last/wait:M0 last/arrive:M1", ""}, {"0.1 tiles=234", "0.1 even tiles=2"},
            {" last/wait:M1", ""}),
    REFUSED(UNSTEADY, "a barrier at two paces", {" last/wait:M0 last/arrive:M1", ""},
            {"last/arrive:M0 last/wait:M1", "arrive:M0 last/wait:M0"}),
};

/* --- turns with single blocks */

#define SINGLES PRODUCER "0.1 0.2 turn=0 tiles=1: meet | " DRAIN "\n"

static const struct acts_case singles[] = {
    PROVED("turns with single blocks", AS_IS),
    PROVED("turns with single blocks, and a warp that arrives once", {"0.0:", "0.0: init:M0"},
           {DRAIN, DRAIN "\n0.3: meet arrive:M0"}),
    PROVED("turns with single blocks in both CTAs", {"0.0", "0.0 1.0"},
           {DRAIN, DRAIN "\n1.1 1.2 turn=1 tiles=1: meet | " DRAIN}),
    PROVED("turns with single blocks, which are stored",
           {"read:S", "store:S stores_end wait_read:0"}),
    REFUSED(NOT_OF_TURN, "turns with single blocks, the next slot is given back",
            {"arrive:E", "arrive:E>"}),
    REFUSED("goes round in no loop", "turns with single blocks, waited for on parity 0",
            {"wait:F", "wait:F,0"}),
};

/* --- turns with tiles of several blocks; a slot is given back a block after its product began, the
 * last at the tile's end */

#define LATE "wait:F product:S group groups_done:1 arrive:E< last/groups_done:0 last/arrive:E"
#define TILES MAKE_MORE "\n0.1 0.2 turn=0 tiles=234: meet | " LATE "\n"
#define FOUR_SLOTS                                                                                 \
    {                                                                                              \
        "0.0", "0.0 depth=4"                                                                       \
    }

static const struct acts_case of_tiles[] = {
    /* each begins a tile once the other has ended one */
    PROVED("turns with tiles, given back a block late", FOUR_SLOTS,
           {LATE, "first/lead/free:M0&first/rest/wait:M1 " LATE
                  " last/lead/arrive:M1&last/rest/arrive:M0"}),
    REFUTED(ALIAS, "turns with tiles in no order", FOUR_SLOTS),
    REFUSED("goes round in no loop", "turns with tiles, one alone in the first run",
            {"tiles=234", "tiles=234 one"}),
    /* all blocks of a tile but its first are told to a barrier, too */
    REFUSED("warps take turns with tiles of several blocks that have no ends",
            "turns with tiles that have no ends",
            {LATE, DRAIN " later/lead/arrive:M0&later/rest/arrive:M1"}),
    /* before or after its blocks a slot that is of no tile yet is given back */
    REFUSED(NOT_OF_TURN, "turns with tiles, another slot is given back before", FOUR_SLOTS,
            {LATE, "first/arrive:E>>> first/lead/wait:M0,0&first/rest/wait:M1,0 " DRAIN}),
    REFUSED(NOT_OF_TURN, "turns with tiles, another slot is given back after", FOUR_SLOTS,
            {LATE, DRAIN " last/arrive:E>> last/lead/wait:M0,0&last/rest/wait:M1,0"}),
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(WORDS, of_words), ACTS(SINGLES, singles),
                                       ACTS(TILES, of_tiles)};
    return run_acts_lists("turns of acts", tests, sizeof tests / sizeof *tests);
}
