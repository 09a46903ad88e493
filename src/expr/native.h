/* What the native words of the row language call. */
#ifndef TMAP_EXPR_NATIVE_H
#define TMAP_EXPR_NATIVE_H

#include <stdint.h>

/* floor(a / b) for a in 0..256 and b in 1..8, the ranges that rows ask for before they divide; some
 * number for others. A multiplication: a division is ten times as long, and rank of them stand in a
 * row. ceil(2^16 / b) errs by less than b / 2^16 < 1 / (256 * 8) a unit, so the floor is exact. */
static inline int64_t native_quot(int64_t a, int64_t b)
{
    static const uint32_t reciprocal[16] = {0,     65536, 32768, 21846, 16384,
                                            13108, 10923, 9363,  8192};
    return (int64_t)(((uint64_t)a * reciprocal[b & 15]) >> 16);
}

#endif
