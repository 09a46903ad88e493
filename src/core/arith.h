/* arith.h : what sizes are counted with. */
#ifndef TMAP_CORE_ARITH_H
#define TMAP_CORE_ARITH_H

#include <stdint.h>

/* b is not 0, and a * b does not overflow where it is rounded to. */
static inline uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static inline uint64_t round_up(uint64_t a, uint64_t b)
{
    return ceil_div(a, b) * b;
}

static inline uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

#endif
