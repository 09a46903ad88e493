/* narrow.h : numbers of a pasted text in a descriptor's fields. What a field cannot hold becomes
 * its greatest number, which no rule allows: what is left of its bits could be legal. */
#ifndef TMAP_IO_NARROW_H
#define TMAP_IO_NARROW_H

#include <stdint.h>

static inline uint32_t io_narrow_u32(int64_t value)
{
    return value < 0 || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Also of what was printed as unsigned: 4294967295 is -1. */
static inline int32_t io_narrow_i32(int64_t value)
{
    return value < INT32_MIN || value > UINT32_MAX ? INT32_MAX : (int32_t)(uint32_t)value;
}

/* A stride in bytes, of one in elements. */
static inline uint64_t io_in_bytes(int64_t elements, int64_t bytes)
{
    uint64_t product;
    return __builtin_mul_overflow(elements, bytes, &product) ? UINT64_MAX : product;
}

#endif
