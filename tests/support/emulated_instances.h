/* Every shipped instance of the loaded PTX on drawn shapes, on the emulator. */
#ifndef TMAP_TESTS_EMULATED_INSTANCES_H
#define TMAP_TESTS_EMULATED_INSTANCES_H

#include "support/emulated_suites.h"

/* Shapes of each instance: TMAP_EMULATE_SHAPES, or what the test takes by itself. */
uint64_t emulated_shapes(uint64_t otherwise);

/* Calls one with each instance that the loaded PTX has and with seeds 1 to shapes; how many
 * instances there were. */
size_t emulated_each_instance(struct tmap_gemm *suite, uint64_t shapes,
                              void (*one)(const struct gemm_instance *g, uint64_t seed));

/* The source of an image of Hopper's products, as emulated_ptx() wants it. */
#define KERNELS(image) "src/kernels/gemm/sm90/" image

/* Plans and runs the problem. True when the launch ended without a finding; else why there is no
 * plan, or what was found, is printed. */
bool emulated_gemm_clean(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                         const struct tmap_gemm_config *config, enum tmap_emulate_schedule schedule,
                         uint64_t seed);

/* The problem by the kernels of a source's PTX, as the request plans it, against plain sums. False
 * where there is no plan, a launch has findings or a number is wrong, which is printed. */
bool emulated_gemm_right(struct tmap_gemm *suite, const char *source,
                         const struct tmap_gemm_problem *problem,
                         const struct tmap_gemm_config *request, struct tmap_gemm_plan *plan);

#endif
