/* What the models of time reckon with, without the mathematics library. */
#ifndef TMAP_KERNELS_GEMM_MODEL_ARITHMETIC_H
#define TMAP_KERNELS_GEMM_MODEL_ARITHMETIC_H

#include <stdint.h>

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double up(double x)
{
    const double whole = (double)(int64_t)x;
    return whole + (whole < x);
}

/* The fourth root of a^4 + b^4, near enough. */
static inline double softly(double a, double b)
{
    const double ratio = smaller(a, b) / larger(a, b);
    return larger(a, b) * (1 + 0.19 * ratio * ratio * ratio * ratio);
}

/* The root of a b, which lie within a factor of ten. */
static inline double mean(double a, double b)
{
    double root = (a + b) / 2;
    for (int i = 0; i < 4; i++) root = (root + a * b / root) / 2;
    return root;
}

#endif
