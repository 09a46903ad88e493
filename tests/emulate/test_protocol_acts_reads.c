/* Who reads the slots of rings, written down as a record has it: products, and loads of tensor
 * memory. */
#include "support/protocol_acts.h"

#define UNSTEADY "goes round its ring at no steady pace"

/* --- products of one warp, which gives a slot back a block after its product began */

#define LATE PRODUCER "0.4: meet | wait:F product:S group groups_done:1 arrive:E< | groups_done:0\n"

#define FOUR_SLOTS                                                                                 \
    {                                                                                              \
        "0.0", "0.0 depth=4"                                                                       \
    }
#define TWO_LATE                                                                                   \
    {                                                                                              \
        "groups_done:1 arrive:E<", "groups_done:2 arrive:E<<"                                      \
    }

static const struct acts_case late[] = {
    PROVED("given back a block late", AS_IS),
    REFUTED(OVERWRITE, "given back a block early", {"E<", "E"}),
    PROVED("given back two blocks late, of four slots", FOUR_SLOTS, TWO_LATE),
    PROVED("given back two blocks late, of three slots", {"0.0", "0.0 depth=3"}, TWO_LATE),
    REFUTED(OVERWRITE, "given back a block late, two groups under way", FOUR_SLOTS,
            {"groups_done:1", "groups_done:2"}),
    REFUTED(OVERWRITE, "given back two blocks late, three groups under way", FOUR_SLOTS,
            {"groups_done:1 arrive:E<", "groups_done:3 arrive:E<<"}),
    PROVED("given back three blocks late", FOUR_SLOTS,
           {"groups_done:1 arrive:E<", "groups_done:3 arrive:E<<<"}),
    PROVED("groups are waited for, and there are none", {"product:S group", "read:S"},
           {"groups_done:1 arrive:E< | groups_done:0", "groups_done:0 arrive:E"}),
    REFUSED(UNSTEADY, "the next slot is read, too",
            {"product:S", "product:S,128 product:S> product:S+160,96"},
            {"groups_done:1 arrive:E< | groups_done:0", "groups_done:0 arrive:E"}),
    PROVED("two operands given back a block late", {PRODUCER, PRODUCER_BOTH},
           {FILL_B, "expect:G load:T,G"},
           {"wait:F product:S", "wait:F wait:G product:S product:T"}),
    PROVED("one barrier gives back two slots", {"0.0: ", "0.0: init:M0 "}, {"free:E", "free:M0"},
           {"product:S group groups_done:1 arrive:E< | groups_done:0", "read:S arrive:M0"}),
};

/* --- commits that give slots back */

#define COMMITS PRODUCER "0.4: meet | wait:F product:S commit:E\n"
#define WAITED                                                                                     \
    {                                                                                              \
        FILL, FILL " | wait:E< wait:E"                                                             \
    }
#define ONCE_MORE                                                                                  \
    {                                                                                              \
        "commit:E", "commit:E commit:E"                                                            \
    }
#define TWO_COMMITS {"init:E", "init:E,2"}, ONCE_MORE
#define LOOK                                                                                       \
    {PRODUCER, PRODUCER_BOTH},                                                                     \
    {                                                                                              \
        "product:S commit:E", "wait:G read:T product:S commit:E arrive:H"                          \
    }
/* Each in pieces, in turn. */
#define OPERANDS                                                                                   \
    {PRODUCER, PRODUCER_BOTH},                                                                     \
    {                                                                                              \
        "product:S commit:E",                                                                      \
            "product:S,32 wait:G product:T,64&product:T+128,64 product:S+64,64&product:S+192,64 "  \
            "commit:E commit:H"                                                                    \
    }

static const struct acts_case commits[] = {
    PROVED("commits that are all waited for", WAITED),
    PROVED("two commits give a slot back", WAITED, TWO_COMMITS),
    REFUTED(EXIT, "two commits give a slot back, and nobody waits for the last", TWO_COMMITS),
    RING_PROVED(0, "two commits give a slot back, ring 0", TWO_COMMITS),
    REFUTED(DEADLOCK, "a slot counts two commits and gets one", WAITED, {"init:E", "init:E,2"}),
    /* by one instruction, or by two */
    REFUTED(ALIAS, "two commits to a slot that counts one", WAITED, ONCE_MORE),
    REFUTED(ALIAS, "one instruction commits twice to a slot that counts one", WAITED,
            {"commit:E", "commit:E&commit:E"}),
    PROVED("one instruction commits twice to a slot that counts two", WAITED,
           {"init:E", "init:E,2"}, {"commit:E", "commit:E&commit:E"}),
    REFUTED(OVERWRITE, "two commits that come before the product", WAITED, TWO_COMMITS,
            {"product:S commit:E commit:E", "commit:E commit:E product:S"}),
    PROVED("a read slot is given back by two arrivals", {"init:E", "init:E,2"},
           {"product:S commit:E", "read:S arrive:E arrive:E"}),
    RING_PROVED(0, "commits give both slots at first", {"free:E", "wait:E"},
                {"0.4: meet", "0.4: meet commit:E0&commit:E1"}),
    REFUSED(UNSTEADY, "a commit gives the next slot back, too", {"commit:E", "commit:E commit:E>"}),
    REFUTED(EXIT, "a look at another slot before a commit", LOOK),
    RING_PROVED(0, "a look at another slot before a commit, ring 0", LOOK),
    RING_PROVED(1, "a look at another slot before a commit, ring 1", LOOK),
    REFUTED(EXIT, "operands of two rings", OPERANDS),
    RING_PROVED(0, "operands of two rings, ring 0", OPERANDS),
};

/* --- sums in tensor memory: warp 1 multiplies each tile's slots into the columns that warp 2 loads
 * when M0 says so, and gives back by M1 */

#define SUMS                                                                                       \
    "0.0: init:M0 init:M1 " MAKE " meet | " FILL "\n0.1 tiles=234: meet | "                        \
    "first/free:M1 wait:F product:S sum:C256,8 commit:E last/commit:M0\n0.2 tiles=234: meet | "    \
    "last/wait:M0 last/fetch:C256,8 last/fetched last/arrive:M1\n"
#define UNFETCHED                                                                                  \
    {                                                                                              \
        "last/fetched last/arrive:M1", "last/arrive:M1 last/fetched"                               \
    }
#define TWICE                                                                                      \
    {"init:M1", "init:M1 init:M2"}, {"last/commit:M0", "last/commit:M0 last/commit:M2"},           \
    {                                                                                              \
        "last/wait:M0", "last/wait:M0 last/wait:M2"                                                \
    }

static const struct acts_case sums[] = {
    PROVED("sums of tiles", AS_IS),
    REFUTED(OVERWRITE, "sums of tiles, given back before they are loaded", UNFETCHED),
    PROVED("sums of tiles, whose slots a warp looks at", {"product:S", "read:S product:S fetched"}),
    PROVED("sums of tiles, told by two commits", TWICE),
    RING_PROVED(0, "sums of tiles, told by two commits, ring 0", TWICE),
    PROVED("columns before the sums are loaded", UNFETCHED, {"fetch:C256", "fetch:C248"}),
    PROVED("columns behind the sums are loaded", UNFETCHED, {"fetch:C256", "fetch:C264"}),
    /* the first slot begins where the columns do */
    PROVED("slots are multiplied and stored", {"init:E", "init:E,2"},
           {"0.2 ", "0.3: meet | wait:F store:S stores_end wait_read:0 arrive:E\n0.2 "}),
};

/* CTA 1 multiplies for a pair, and fills the slots of both. */
#define PAIR                                                                                       \
    "0.0: init:M0 init:M1,2 " MAKE " meet_cluster meet_cluster\n"                                  \
    "0.2 1.2 tiles=234: meet_cluster | last/wait:M0 last/fetch:C256,8 last/fetched "               \
    "last/arrive:M1@1 | meet_cluster\n"                                                            \
    "1.0: init:M0 init:M1,2 " MAKE " meet_cluster | "                                              \
    "free:E expect:F,512 load:S@0,F&load:S@1,F | meet_cluster\n"                                   \
    "1.1 tiles=234: meet_cluster | first/free:M1 wait:F product:S@0&product:S@1 "                  \
    "sum:C256@0,8&sum:C256@1,8 commit:E last/commit:M0@0&last/commit:M0@1 | meet_cluster\n"

static const struct acts_case pairs[] = {
    PROVED("sums of a pair, the other CTA's first", AS_IS),
    PROVED("sums of a pair, the own CTA's first",
           {"sum:C256@0,8&sum:C256@1,8", "sum:C256@1,8&sum:C256@0,8"}),
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(LATE, late), ACTS(COMMITS, commits), ACTS(SUMS, sums),
                                       ACTS(PAIR, pairs)};
    return run_acts_lists("reads of acts", tests, sizeof tests / sizeof *tests);
}
