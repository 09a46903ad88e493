/* Rings between a few warps, written down as a record has them. */
#include "support/protocol_acts.h"

/* --- who acts before anybody has met */

#define MADE "0.0: " MAKE "\n0.4: | " EXPECT_LOAD " wait:E\n0.8: | wait:F product:S commit:E\n"

static const struct acts_case early[] = {
    PROVED("a ring", AS_IS),
    PROVED("a ring that is made after a meeting", {"0.0:", "0.0: meet"}, {"0.1:", "0.1: meet"}),
    REFUSED("warp 2 of CTA 0 goes round in no loop", "a warp acts in the last run alone",
            {"0.0:", "0.0: init:M0"}, {DRAIN, DRAIN "\n0.2: late/arrive:M0"}),
    REFUTED(UNINITIALIZED, "who reads does so first of all", {"meet", "\n0.4: "}, {"meet", ""},
            {"wait:F read:S", "read:S wait:F"}),
};
static const struct acts_case made[] = {
    REFUTED(UNINITIALIZED, "who multiplies does so first of all",
            {EXPECT_LOAD, "load:S,F expect:F"},
            {"wait:F product:S commit:E", "product:S commit:E wait:F"}),
    REFUTED(UNINITIALIZED, "who gives slots back by a commit does so first of all",
            {EXPECT_LOAD " wait:E", FILL}, {"wait:F product:S commit:E", "commit:E wait:F"}),
    REFUTED(UNINITIALIZED, "who reads arrives first of all", {EXPECT_LOAD " wait:E", FILL},
            {"wait:F product:S commit:E", "arrive:E wait:F read:S"}),
};

/* --- a third warp, which does little */

#define THIRD                                                                                      \
    "0.0: init:M0 init:M1 init:M2 init:M3 " MAKE " meet | " FILL "\n0.1: meet | " DRAIN            \
    "\n0.2: meet arrive:M0\n"

static const struct acts_case thirds[] = {
    PROVED("a third warp arrives once", AS_IS),
    REFUTED(UNINITIALIZED, "a third warp arrives and meets nobody", {"meet arrive", "arrive"}),
    REFUSED("warp 2 of CTA 0 goes round in no loop",
            "a third warp arrives elsewhere in the last run",
            {"arrive:M0", "soon/arrive:M0 late/arrive:M1"}),
    ONE_RUN(TMAP_OK, "", "of one run, a third warp arrives once", AS_IS),
    ONE_RUN(TMAP_E_ARGUMENT, "warp 2 of CTA 0 goes round 1 times",
            "of one run, a third warp arrives four times",
            {"arrive:M0", "arrive:M0 arrive:M1 arrive:M2 arrive:M3"}),
};

/* --- two rings */

#define TWO_RINGS PRODUCER_BOTH "0.1: meet | " DRAIN " wait:G read:T arrive:H\n"

static const struct acts_case rings[] = {
    PROVED("two rings", AS_IS),
    RING_PROVED(0, "two rings, ring 0", AS_IS),
    RING_PROVED(1, "two rings, ring 1", AS_IS),
    {"two rings, ring 2", PROVED_RUNS, 3, TMAP_E_NO_PLAN, 0, "there is no ring 2", {AS_IS}},
    PROVED(
        "slots of two rings at once",
        {FILL " " FILL_B, "free:E free:H expect:F expect:G load:S,F load:T,G"},
        {DRAIN " wait:G read:T arrive:H", "wait:F wait:G read:S fence read:T arrive:H arrive:E"}),
};

/* --- copies */

#define FILLED_BEFORE                                                                              \
    {"0.0", "0.0 from=2"},                                                                         \
    {                                                                                              \
        "meet", "expect:F load:S,F expect:F1 load:S1,F1 meet"                                      \
    }

static const struct acts_case copies[] = {
    PROVED("one warp fills both slots and reads them",
           {"meet | " FILL "\n0.1: meet | " DRAIN,
            "expect:F expect:F1 load:S,F load:S1,F1 | wait:F read:S before2/expect:F>> "
            "before2/load:S>>,F>>"}),
    PROVED("both slots are filled before anybody meets", FILLED_BEFORE),
    REFUTED(OVERWRITE, "the others are filled at once, too", FILLED_BEFORE,
            {"free:E " EXPECT_LOAD, EXPECT_LOAD}),
    REFUSED("warp 1 of CTA 0 goes round 6 times, warp 0 of CTA 0 4 times",
            "nobody fills the first two blocks", {"0.0", "0.0 from=2"}),
};

/* CTA 0 fills the slots of both; each reads its own, and arrives at CTA 0. */
#define TO_BOTH                                                                                    \
    "0.0: " MAKE_OF("E,2") " meet_cluster | free:E expect:F expect:F@1 load:S,F load:S@1,F@1"      \
                           " | meet_cluster\n"                                                     \
                           "0.1 1.1: meet_cluster | wait:F read:S arrive:E@0 | meet_cluster\n"     \
                           "1.0: " MAKE " meet_cluster meet_cluster\n"
#define HALVES                                                                                     \
    {                                                                                              \
        "expect:F expect:F@1", "expect:F,384 expect:F@1,128"                                       \
    }

static const struct acts_case to_both[] = {
    PROVED("CTA 0 fills both CTAs' slots", AS_IS),
    PROVED("CTA 0 fills both CTAs' slots, whose barriers count otherwise",
           {"1.0: init:F", "1.0: init:F,2"}, {"expect:F@1", "expect:F@1,128,2"}),
    PROVED("the other CTA is told of a slot's first half", HALVES, /* one warp's copies: in order */
           {"load:S@1,F@1", "load:S@1,128,F@0 load:S+128@1,128,F@1"}),
    REFUTED(EARLY, "the other CTA is told of a slot's last half", HALVES,
            {"load:S@1,F@1", "load:S@1,128,F@1 load:S+128@1,128,F@0"}),
    REFUSED("warp 0 of CTA 0 goes round in no loop", "the other CTA is told in the last run",
            {"load:S@1,F@1", "soon/load:S@1,F@1&late/load:S@1,F@0"}),
};

/* --- arrivals at both CTAs by one instruction */

#define TO_EACH                                                                                    \
    "0.0 1.0: " MAKE_OF(                                                                           \
        "E,2") " meet_cluster | " FILL " | meet_cluster\n"                                         \
               "0.1 1.1: meet_cluster | wait:F read:S arrive:E&arrive:E^ | meet_cluster\n"

static const struct acts_case arrivals[] = {
    PROVED("slots are given to both CTAs", AS_IS),
    PROVED("slots are given to both CTAs, to the own twice", {"E,2", "E,3"},
           {"arrive:E^", "arrive:E^&arrive:E"}),
    PROVED("slots are given to both CTAs, to the other doubly", {"E,2", "E,3"},
           {"arrive:E^", "arrive:E^,2"}),
};

/* --- two readers that begin elsewhere in another ring */

static const struct acts_case readers[] = {
    PROVED("two readers arrive at one slot each", {"0.0:", "0.0: init:M0 init:M1"},
           {"init:E", "init:E,2"}, {"meet", "meet wait:M0&wait:M1"},
           {"0.1: meet", "0.1 0.2: meet lead/arrive:M0&rest/arrive:M1"}),
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(RING_OF_TWO, early),  ACTS(MADE, made),
                                       ACTS(THIRD, thirds),       ACTS(TWO_RINGS, rings),
                                       ACTS(RING_OF_TWO, copies), ACTS(TO_BOTH, to_both),
                                       ACTS(TO_EACH, arrivals),   ACTS(RING_OF_TWO, readers)};
    return run_acts_lists("rings of acts", tests, sizeof tests / sizeof *tests);
}
