/* The random numbers of the tests: splitmix64, the same sequence on every machine. */
#ifndef TMAP_TESTS_SUPPORT_SPLITMIX_H
#define TMAP_TESTS_SUPPORT_SPLITMIX_H

#include "driver/rng.h"

static inline uint64_t splitmix(uint64_t *state)
{
    return rng_step(state);
}

#endif
