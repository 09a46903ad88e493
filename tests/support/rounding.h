/* Floating numbers of any width from exact results: the search for the two neighbours among all
 * codes of a format, and which of them a rounding takes. For tests, beside what rounds fast. */
#ifndef TMAP_TESTS_ROUNDING_H
#define TMAP_TESTS_ROUNDING_H

#include <stdbool.h>
#include <stdint.h>

/* ROUND_AWAY: to nearest, ties away from zero. */
enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

struct float_format {
    int exponent_bits, mantissa_bits;
    uint64_t nan;      /* what a NaN becomes */
    uint64_t infinity; /* its code; 0: the format has none */
    uint64_t largest;  /* finite */
};
extern const struct float_format format_f64, format_f32, format_f16, format_bf16, format_tf32,
    format_e4m3, format_e5m2, format_e2m3, format_e3m2, format_e2m1;

/* A number: `value`, and the sign of what the true one is more than that. */
struct exact {
    long double value;
    int rest;
};

/* Of a code; beyond the largest finite one as if exponents went on. A NaN or an infinity is that.
 */
long double float_value(const struct float_format *f, uint64_t code);
/* finite: what is too large becomes the largest, an infinity too. */
uint64_t float_round(const struct float_format *f, struct exact x, enum rounding r, bool finite);
bool float_subnormal(const struct float_format *f, uint64_t code); /* 0 is not one */

struct exact exact_of(long double value);
struct exact exact_sum(long double a, long double b);
struct exact exact_product(long double a, long double b);            /* of at most 64 bits each */
struct exact exact_fma(long double a, long double b, long double c); /* a b in 64 bits */
struct exact exact_quotient(long double a, long double b);
struct exact exact_root(long double a);

#endif
