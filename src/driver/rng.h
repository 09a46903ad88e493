/* rng.h : a small deterministic generator (splitmix64): the same seed gives the same sequence on
 * every machine and for every number of threads. */
#ifndef TMAP_DRIVER_RNG_H
#define TMAP_DRIVER_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The plain sequence, for who keeps the state himself: benches and tests. */
static inline uint64_t rng_step(uint64_t *state)
{
    return rng_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

static inline struct rng rng_of(uint64_t seed, uint64_t stream)
{
    return (struct rng){rng_mix(seed) ^ rng_mix(stream * UINT64_C(0x9e3779b97f4a7c15) + 1)};
}

static inline uint64_t rng_next(struct rng *r)
{
    return rng_step(&r->state);
}

/* Below n, n >= 1 and small against 2^32. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

/* Any width up to `bits` is as likely as any other. */
static inline uint64_t rng_log(struct rng *r, unsigned bits)
{
    const unsigned width = rng_below(r, bits + 1);
    return width == 0 ? 0 : rng_next(r) >> (64 - width);
}

#endif
