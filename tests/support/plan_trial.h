/* One drawn request and everything that can be said of its plans. */
#ifndef TESTS_SUPPORT_PLAN_TRIAL_H
#define TESTS_SUPPORT_PLAN_TRIAL_H

#include "support/plan_draw.h"

#define TRIAL_PLANS 3 /* of a request */

/* What was seen. */
struct tally {
    long requests, without, plans, kinds[3], kept, stores_run;
};

/* Its own memory, for one thread; 0 before the first trial. */
struct trials {
    struct tally tally;
    bool ready;
    struct tmap_checker checker[DRAW_TARGETS];
    uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
    char error[200];
};

/* Request number `number` of those that `seed` gives: every plan of it is legal, copies every
 * element from its own address to a place of its own and bit for bit by the simulator, says the
 * truth about the shared layout, has no stride of 0 that the request has not, and passes the
 * self-check. NULL, or what is wrong. */
const char *try_repair(struct trials *t, uint64_t seed, uint64_t number);
/* The same of a requested tile, each of whose boxes its consumer takes. */
const char *try_tile(struct trials *t, uint64_t seed, uint64_t number);

#endif
