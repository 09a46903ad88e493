/* The random numbers of the tests: splitmix64, the same sequence on every machine. */
#ifndef TMAP_TESTS_SUPPORT_SPLITMIX_H
#define TMAP_TESTS_SUPPORT_SPLITMIX_H

#include "driver/rng.h"

static inline uint64_t splitmix(uint64_t *state)
{
    return rng_step(state);
}

static inline uint32_t splitmix_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(splitmix(state) >> 33) % n;
}

#endif
