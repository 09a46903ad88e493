/* small_codes.h : the integers -3 to 3 as the operands of tensor cores have them. */
#ifndef TMAP_TESTS_SMALL_CODES_H
#define TMAP_TESTS_SMALL_CODES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Of so many bits: fp32, fp16, e2m1, and of 8 e4m3 or (integers) int8. */
static inline uint32_t small_code(uint32_t bits, bool integers, int v)
{
    static const uint16_t half[] = {0, 0x3c00, 0x4000, 0x4200};
    static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44}, e2m1[] = {0, 2, 4, 5};
    const uint32_t size = (uint32_t)(v < 0 ? -v : v), sign = v < 0;
    const float f = (float)v;
    uint32_t word;
    memcpy(&word, &f, 4);
    if (bits == 32) return word;
    if (bits == 16) return half[size] | sign << 15;
    if (bits == 4) return e2m1[size] | sign << 3;
    return integers ? (uint8_t)v : e4m3[size] | sign << 7;
}

#endif
