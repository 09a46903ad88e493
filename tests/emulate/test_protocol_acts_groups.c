/* Warps of one warpgroup that do alike, one of which gives back for all, written down as a record
 * has them. */
#include "support/protocol_acts.h"

#define MULTIPLY "product:S group groups_done:0"
#define GROUP_OF PRODUCER "0.4 0.5: meet | wait:F " MULTIPLY " lead/arrive:E\n"
#define IN_BOTH_OF(two, each)                                                                      \
    two ": meet_cluster | wait:F " each " fence lead/arrive:E | meet_cluster\n"
#define IN_BOTH(readers) "0.0 1.0: " MAKE " meet_cluster | " FILL " | meet_cluster\n" readers
/* Both read the slots of a second ring themselves, too. */
#define SCALED                                                                                     \
    PRODUCER_BOTH "0.4 0.5: meet | wait:F wait:G read:T " MULTIPLY                                 \
                  " fence lead/arrive:E lead/arrive:H\n"

static const struct acts_case groups[] = {
    PROVED("one warp gives back what two multiply", AS_IS),
    PROVED("one warp gives back what two look at and multiply",
           {MULTIPLY, "read:S,16 fence " MULTIPLY}),
    REFUTED(ALIAS, "one warp gives back what two wait for", {MULTIPLY, ""}),
    REFUTED(ALIAS, "one warp gives back what another waits for, too", {MULTIPLY, "lead/group"}),
    REFUTED(OVERWRITE, "one warp gives back what it reads and another multiplies",
            {MULTIPLY, "rest/product:S rest/group rest/groups_done:0 lead/read:S lead/fence"}),
    REFUTED(OVERWRITE, "one warp gives back what it multiplies and another reads",
            {MULTIPLY, "lead/product:S lead/group lead/groups_done:0 rest/read:S rest/fence"}),
    REFUTED(OVERWRITE, "one warp gives back what two read", {MULTIPLY, "read:S fence"}),
};
static const struct acts_case in_both[] = {
    PROVED("one warp gives back what two multiply, in both CTAs", AS_IS),
    REFUTED(OVERWRITE, "one warp gives back what two multiply, or read in the second CTA",
            {IN_BOTH_OF("0.4 0.5 1.4 1.5", MULTIPLY),
             IN_BOTH_OF("0.4 0.5", MULTIPLY) IN_BOTH_OF("1.4 1.5", "read:S")}),
};
static const struct acts_case scaled[] = {
    PROVED("one warp gives back what two read before they multiply", AS_IS),
    REFUTED(OVERWRITE, "one warp gives back what two read once they have multiplied",
            {"read:T " MULTIPLY, MULTIPLY " read:T"}),
};

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACTS(GROUP_OF, groups), ACTS(IN_BOTH(IN_BOTH_OF("0.4 0.5 1.4 1.5", MULTIPLY)), in_both),
        ACTS(SCALED, scaled)};
    return run_acts_lists("warpgroups of acts", tests, sizeof tests / sizeof *tests);
}
