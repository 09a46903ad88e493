/* A product of weights in 4 or 8 bits with drawn numbers, for the emulator and for a GPU: operands
 * in a device's memory, and what has to come of it, by the definition. */
#ifndef TMAP_TESTS_MIXED_CASE_H
#define TMAP_TESTS_MIXED_CASE_H

#include "kernels/gemm/suite.h"
#include "tmap/mixed.h"

/* Integers and powers of two, so that every sum is exact; or one activation of 1 in each row, so
 * that D is the weights themselves, whatever their scales. */
enum mixed_fill { MIXED_INTEGERS, MIXED_ONE_HOT, MIXED_FILLS };

struct mixed_case {
    struct tmap_mixed_problem problem; /* whose addresses are of the device's memory */
    enum mixed_fill fill;
    uint8_t *activations, *weights, *scales, *zeros; /* the same bytes here */
    size_t bytes[4], d_bytes;
};

/* Of `shape` everything but the addresses counts, of scales and zeros whether they are 0; an ld of
 * 0 is made the smallest that the maps allow. False when memory is short. */
bool mixed_case_make(struct tmap_gemm *suite, const struct tmap_mixed_problem *shape,
                     enum mixed_fill fill, uint64_t seed, struct mixed_case *out);
void mixed_case_free(struct tmap_gemm *suite, struct mixed_case *c);
/* D's bytes before a run. */
bool mixed_case_poison(struct tmap_gemm *suite, const struct mixed_case *c);
/* Elements of D that are wrong, of `most` or of all, and bytes beside D that changed; first: of one
 * that is wrong, as row and column. */
uint64_t mixed_case_wrong(struct tmap_gemm *suite, const struct mixed_case *c, uint64_t most,
                          int32_t first[2]);

/* Draws a shape on all tails; most: multiplications. */
struct tmap_mixed_problem mixed_case_draw(uint64_t *state, double most);

#endif
