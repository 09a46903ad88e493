/* Every kind of product of a chip after Hopper, on the device that a suite is open on. */
#ifndef TMAP_TESTS_GEMM_LATER_H
#define TMAP_TESTS_GEMM_LATER_H

#include "tmap/kernels.h"

struct later_size {
    int shapes, groups, reruns; /* of each kind */
    int32_t extent;             /* the largest of a drawn shape */
    int32_t square;             /* of the product that is run again, and of the one by Freivalds */
    uint32_t kinds;             /* a bit for each that is verified */
};

/* Prints TAP, a line for each kind and check; returns how many failed. A kind that the chip lacks
 * must be refused in words. */
int later_verify(struct tmap_gemm *suite, const struct later_size *size);

#endif
