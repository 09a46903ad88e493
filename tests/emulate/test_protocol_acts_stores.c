/* Who stores the slots of rings and staging areas, or writes into them, and what a protocol has no
 * room for, written down as a record has it. */
#include "support/protocol_acts.h"

/* --- copies: what is loaded into a slot is stored out of it */

#define STORED "wait:F store:S stores_end wait_read:0"
#define COPY PRODUCER "0.1: meet | " STORED " arrive:E\n"

static const struct acts_case copies[] = {
    PROVED("slots are stored", AS_IS),
    PROVED("slots are stored, in both CTAs", {"0.0", "0.0 1.0"}, {"meet", "meet_cluster"},
           {"0.1: meet", "0.1 1.1: meet_cluster"}),
    REFUTED(UNWAITED_STORE, "slots are given back while they are stored",
            {"wait_read:0", "wait_read:1"}),
    REFUTED(UNWAITED_STORE, "a part of each slot is stored and not waited for",
            {"store:S", "store:S+64,128"}, {"wait_read:0", ""}),
    /* who waits later for all but one group waits for nobody knows how many stores */
    REFUSED("groups of several sizes", "groups of one store and of two", {PRODUCER, PRODUCER_BOTH},
            {STORED " arrive:E", "wait:F wait:G store:S i=1/store:T stores_end "
                                 "i<3/wait_read:0&i>2/wait_read:1"}),
};

/* --- warps that write into the slots once all is read */

#define WRITES                                                                                     \
    "0.0: init:M0 init:M1 " MAKE " meet | " FILL "\n0.1: meet | " DRAIN                            \
    " | write:S0 fence write:S1 fence meet:1,64 forward:S1 store:S0 stores_end wait_read:0\n"
#define MANY(word) word word word word word word word word word word word word word

static const struct acts_case writes[] = {
    PROVED("slots are written and stored at the end", AS_IS),
    REFUSED("does too much after its blocks", "slots are written after much else",
            {"| write", "| " MANY("arrive:M0 arrive:M0 ") "write"}),
};

static const struct acts_case others[] = {
    /* the second meets who has no part in it once more */
    PROVED("two warps write slots at the end", {"init:E", "init:E,2"}, {"0.1: ", "0.1 0.2: "},
           {DRAIN, DRAIN " | meet:2,64 lead/write:S0+128,128&rest/write:S0+256,128 "
                         "meet:1,64&rest/meet:1,64\n0.3: "}),
    PROVED("one warp multiplies what it fills, and writes", {"0.0:", "0.0 depth=4:"},
           {"meet | " FILL "\n0.1: meet | " DRAIN,
            "expect:F load:S,F | before/expect:F> before/load:S>,F> wait:F product:S group "
            "before/groups_done:1&last/groups_done:0 | write:S0"}),
};

#define BOTH PRODUCER_BOTH "0.1: meet | " DRAIN " | write:S0 write:T0\n0.2: meet | \n"
#define LOAD_BOTH(when, ahead)                                                                     \
    when "expect:F" ahead " " when "load:S" ahead ",F" ahead " " when "expect:G" ahead " " when    \
         "load:T" ahead ",G" ahead
#define DRAIN_B "wait:G read:T arrive:H"

static const struct acts_case both[] = {
    PROVED("slots of both rings are written by who has read them", {DRAIN, DRAIN " " DRAIN_B}),
    REFUSED("is not always as far along its ring", "slots of a ring are written that another reads",
            {"0.2: meet | ", "0.2: meet | " DRAIN_B}),
    PROVED("one warp reads the last slots of two rings and writes", {"0.0:", "0.0 depth=4:"},
           {" meet", ""},
           {FILL " " FILL_B "\n0.1: meet | " DRAIN " | write:S0 write:T0\n0.2: meet | ",
            LOAD_BOTH("first/", "") " " LOAD_BOTH("first/", ">") " " LOAD_BOTH(
                "before2/", ">>") " wait:F wait:G read:S read:T fence | write:S0"}),
};

/* --- staging areas: two places of 256 bytes */

#define STORED_PLACE "store:P0 stores_end wait_read:0"
#define AREA "0.0: | write:P0 fence " STORED_PLACE "\n"

static const struct acts_case areas[] = {
    PROVED("two places at first, then one",
           {"| ", "write:P0 write:P1 fence store:P0 store:P1 stores_end wait_read:0 | "}),
    PROVED("places in turn, stored to two places each",
           {"| write:P0 fence " STORED_PLACE,
            "write:P0 write:P1 fence store:P0 meet store:P1 stores_end wait_read:0 meet | "
            "write:P fence store:P meet store:P stores_end wait_read:0 meet"}),
    REFUSED("a copy within shared memory reads a slot",
            "a place that is copied within shared memory", {"store:P0", "forward:P0 store:P0"}),
    REFUSED("goes round its ring at no steady pace", "a meeting within a group of stores",
            {"0.0: | write:P0", "0.0 0.1: | write:P0,128 write:P1 write:P0+160,96"},
            {STORED_PLACE, "meet lead/store:P0 meet lead/store:P1 lead/stores_end "
                           "lead/wait_read:0 meet"}),
    /* at the barrier of the others */
    REFUTED(DEADLOCK, "a meeting with who has no part in it",
            {"0.0: | write:P0", "0.0 0.1: | lead/write:P0,128&rest/write:P0+128,128"},
            {STORED_PLACE, "meet:2,64 lead/store:P0 lead/stores_end lead/wait_read:0 meet:2,64 | "
                           "lead/meet:2,64\n0.2: meet:2,64"}),
};

/* --- no room */

/* Sums of slots that are copied in pieces. */
#define ROOM                                                                                       \
    "0.0: init:M0 init:M1 " MAKE " meet | free:E expect:F,16 load:W,16,F\n"                        \
    "0.1: meet | wait:F product:W,16 sum:C0,8 commit:E | commit:M0\n"                              \
    "0.2: meet wait:M0 fetch:C0 fetched\n"

static const struct acts_case rooms[] = {
    REFUSED("more than 128 buffers", "as many pieces as there may be, and sums",
            {"expect:F,16 load", "expect:F,1024 64*32/load"}),
    REFUSED("a buffer of more than 8 slots", "sums in nine places", {"sum", "9*16/sum"}),
};

int main(void)
{
    const struct CMUnitTest tests[] = {ACTS(COPY, copies),
                                       ACTS(WRITES, writes),
                                       ACTS(RING_OF_TWO, others),
                                       ACTS(BOTH, both),
                                       ACTS_OF(TMAP_EMULATE_STAGING, AREA, areas),
                                       ACTS(ROOM, rooms)};
    return run_acts_lists("stores of acts", tests, sizeof tests / sizeof *tests);
}
