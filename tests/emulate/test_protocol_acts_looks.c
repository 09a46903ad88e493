/* Warps that look at the next slot while they use this one, and wait for it unless it was there,
 * written down as a record has them. */
#include "support/protocol_acts.h"

/* --- a product's loop: a slot is given back a block late */

#define MULTIPLY "product:S group "
#define WAIT "no/wait:F "
#define LOOK "look:F> "
#define GIVE_BACK "groups_done:1 arrive:E< "
#define TAIL "groups_done:0 arrive:E"
#define READER "0.4: meet | first/look:F " WAIT MULTIPLY LOOK GIVE_BACK "| " TAIL "\n"
#define DEEP(n)                                                                                    \
    {"0.0:", "0.0 depth=" #n ":"},                                                                 \
    {                                                                                              \
        "0.4:", "0.4 depth=" #n ":"                                                                \
    }
#define HELD                                                                                       \
    {                                                                                              \
        LOOK, "first/look:F> later/look:F>,0 "                                                     \
    }

static const struct acts_case products[] = {
    PROVED("the next of two slots is looked at", AS_IS),
    PROVED("of three", DEEP(3)),
    PROVED("of four", DEEP(4)),
    RING_PROVED(0, "of four, the ring", DEEP(4)),
    PROVED("of one, which is looked at once it is given back", DEEP(1), {GIVE_BACK "| " TAIL, ""},
           {LOOK, "groups_done:0 arrive:E look:F> "}),
    PROVED("none is looked at after the last block", DEEP(3), {LOOK, "before/look:F> "}),
    PROVED("two blocks a round", DEEP(3), {LOOK, "even/look:F> odd/look:F> "}),
    PROVED("two blocks a round, of four slots", DEEP(4), {LOOK, "even/look:F> odd/look:F> "}),
    PROVED("the slot is still held, so no look finds it", HELD),
    PROVED("it is looked at again before the wait", DEEP(3), {WAIT, "no/look:F " WAIT}),
    PROVED("it is waited for whatever the answer was", DEEP(3), {WAIT, "wait:F "}),
    PROVED("some lanes look once the others have waited", DEEP(3), {WAIT, WAIT "no/look:F,1 "}),
    PROVED("who fills slots looks, too",
           {FILL, "first/look_free:E no/free:E " EXPECT_LOAD " look_free:E>"}),
};

/* One thing is wrong. */
static const struct acts_case wrong[] = {
    REFUTED(OVERWRITE, "given back a block too early", DEEP(3), {"arrive:E<", "arrive:E"}),
    REFUTED(OVERWRITE, "given back before the multiplies are done", DEEP(3),
            {"groups_done:1 arrive:E<", "arrive:E< groups_done:1"}),
    REFUTED(EARLY, "a look at the slot in use", DEEP(3), {LOOK, "look:F "}),
    REFUTED(EARLY, "a look at the slot after the next", DEEP(4), {LOOK, "look:F>> "}),
    REFUTED(EARLY, "a look at the other parity", DEEP(3), {LOOK, "look_free:F> "}),
    REFUTED(EARLY, "no wait when the answer was no", DEEP(3), {WAIT, "first/no/wait:F "}),
    REFUTED(EARLY, "no wait when the answer was no, two blocks a round", DEEP(3),
            {WAIT, "first/no/wait:F "}, {LOOK, "even/look:F> odd/look:F> "}),
    REFUSED("a look is answered no in all runs",
            "no wait when the answer was no, and other lanes find the slot", DEEP(3),
            {WAIT, "no/look:F,1,16 "}),
    REFUTED(EARLY, "no look, and no wait", DEEP(3), {LOOK, ""}, {WAIT, "first/wait:F "}),
    REFUSED("goes round in no loop", "no wait from the third block on when the answer was no",
            DEEP(3), {WAIT, "i<3/no/wait:F "}),
    REFUSED("goes round in no loop", "no wait in the second block when the answer was no", DEEP(3),
            {WAIT, "first/no/wait:F i>2/no/wait:F "}),
};

/* --- tiles, each of which begins with a look */

#define LAST "last/groups_done:0 last/arrive:E"
#define TILED "0.4 depth=3 tiles=234: meet | first/look:F " WAIT MULTIPLY LOOK GIVE_BACK LAST "\n"
#define FILLER "0.0 depth=3: " MAKE " meet | " FILL "\n"

static const struct acts_case tiles[] = {
    PROVED("tiles", AS_IS),
    PROVED("tiles, two blocks a round", {LOOK, "even/look:F> odd/look:F> "}),
    PROVED("the last look of a tile is kept for the next", {"first/look:F ", "i=0/look:F "}),
    PROVED("the first block is waited for", {"first/look:F " WAIT, "first/wait:F later/" WAIT}),
    REFUSED("goes round in no loop", "a look at the slot in use", {LOOK, "look:F "}),
    REFUSED("goes round its ring at no steady pace", "the last slot of a tile is not given back",
            {LAST, "last/groups_done:0"}),
    REFUSED("goes round its ring at no steady pace", "the last slot of a tile is given back twice",
            {LAST, LAST " " LAST}),
    REFUTED(OVERWRITE, "the last slot of a tile is given back while it is read",
            {LAST, "last/arrive:E last/groups_done:0"}),
    REFUSED("goes round in no loop", "no wait for a tile's first block when the answer was no",
            {WAIT, "later/no/wait:F "}),
    REFUSED("takes turns, and looks before it waits", "two warps take turns",
            {"0.4 depth=3 tiles=234", "0.4 0.8 depth=3 tiles=4 turn=0"}),
};

#define LOOKS LOOK LOOK LOOK LOOK LOOK LOOK LOOK LOOK
/* Answers that the runs do not show. */
static const struct acts_case unseen[] = {
    REFUSED("a look is answered yes in all runs", "always yes", DEEP(3), {LOOK, "look:F>,1 "}),
    REFUSED("a look is answered no in all runs", "always no", DEEP(3), {LOOK, "look:F>,0 "}),
    REFUSED("a look is answered yes in all runs", "always yes, of every second block", DEEP(3),
            {LOOK, "even/look:F> odd/look:F>,1 "}),
    REFUSED("a look is answered no in all runs", "always no, but for the first block", DEEP(3),
            {LOOK, "first/look:F> later/look:F>,0 "}),
    REFUSED("goes round in no loop", "the warps meet between a look and its wait", DEEP(3),
            {FILL, FILL " meet"}, {GIVE_BACK, GIVE_BACK "meet "}),
    REFUSED("more than 32 instructions look", "33 instructions look",
            {LOOK, LOOK LOOKS LOOKS LOOKS LOOKS}),
    REFUSED("looks at a barrier before the warps have met", "before the warps meet",
            {"meet | first/look:F", "look:F meet | first/look:F"}),
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(PRODUCER READER, products),
                                       ACTS(PRODUCER READER, wrong), ACTS(PRODUCER READER, unseen),
                                       ACTS(FILLER TILED, tiles)};
    return run_acts_lists("looks of acts", tests, sizeof tests / sizeof *tests);
}
