/* A small convolution on the emulator, and what it has to leave. */
#ifndef TMAP_TESTS_EMULATED_CONV_H
#define TMAP_TESTS_EMULATED_CONV_H

#include "support/emulated_suites.h"
#include "tmap/conv.h"

struct emulated_conv {
    struct tmap_conv_problem conv;
    struct emulated_product product; /* the convolution's; its expected values are plain sums */
};

/* Tensors of integers -2 .. 1 and the sums over every tap and channel, by the definition. A result
 * of a matrix has no padding; an ld of 0 is made a multiple of 16 bytes. */
bool emulated_conv_make(struct tmap_gemm *suite, const struct tmap_conv_problem *shape,
                        uint64_t seed, struct emulated_conv *out);
void emulated_conv_free(struct tmap_gemm *suite, struct emulated_conv *c);

#endif
