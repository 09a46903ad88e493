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

/* Sums of what a user gives stand at SUM_MAX from there on: more than any capacity, and still an
 * integer to every reader of JSON. */
#define SUM_MAX ((uint64_t)INT64_MAX)

static inline uint64_t sum_add(uint64_t a, uint64_t b)
{
    return a > SUM_MAX || b > SUM_MAX - a ? SUM_MAX : a + b;
}

static inline uint64_t sum_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > SUM_MAX ? SUM_MAX : product;
}

/* align 0: none */
static inline uint64_t sum_round_up(uint64_t a, uint64_t align)
{
    return align > 1 ? sum_mul(ceil_div(a, align), align) : a;
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
