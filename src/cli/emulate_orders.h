/* Every order of a small launch's turns, those that cannot differ once: sleep sets (Godefroid,
 * "Partial-Order Methods for the Verification of Concurrent Systems", 1996) over what the emulator
 * says that a turn touched. Warps and CTAs that do not meet are so taken in one order. */
#ifndef TMAP_CLI_EMULATE_ORDERS_H
#define TMAP_CLI_EMULATE_ORDERS_H

#include "tmap/emulate.h"

struct emulate_looks {
    void *self;
    void (*before)(void *self); /* a run: memory is made anew */
    /* After a run that went to its end; false ends the search. */
    bool (*each)(void *self, const struct tmap_emulate_finding *found, size_t findings,
                 const struct tmap_emulate_result *result);
};

struct emulate_seen {
    uint64_t runs, orders; /* runs that were given up as seen before are not orders */
    bool all;              /* there are no other orders */
};

/* At most `runs` runs. Errors: as tmap_emulate_run_watched(). */
enum tmap_status emulate_orders(const struct tmap_emulate_module *module,
                                const struct tmap_emulate_launch *launch, uint64_t runs,
                                const struct emulate_looks *looks, struct emulate_seen *seen);

#endif
