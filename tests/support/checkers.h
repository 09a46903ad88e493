/* checkers.h : the checker that most tests want: every rule that counts, under the safe contract.
 */
#ifndef TMAP_TESTS_SUPPORT_CHECKERS_H
#define TMAP_TESTS_SUPPORT_CHECKERS_H

#include "tmap/tmap.h"

#include <stdlib.h>

/* arch: "sm_100a"; NULL: the default target. A name that is none ends the test. */
static inline struct tmap_checker checker_on(const char *arch)
{
    struct tmap_target t = tmap_default_target();
    struct tmap_checker c;
    if ((arch && tmap_target_from(NULL, NULL, NULL, arch, &t) != TMAP_OK) ||
        tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c) != TMAP_OK)
        abort();
    return c;
}

#endif
