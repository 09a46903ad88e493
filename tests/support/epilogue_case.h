/* Products with an epilogue on the emulator: drawn ones, and those that faults are planted in. */
#ifndef TMAP_TESTS_EPILOGUE_CASE_H
#define TMAP_TESTS_EPILOGUE_CASE_H

#include "support/emulated_suites.h"
#include "support/epilogue_fault.h"

/* A product of the instance whose shape, steps of epilogue.def, configuration and schedule follow
 * from the seed. True when both outputs and the largest magnitude are right and nothing was found;
 * else what is wrong is printed. */
bool epilogue_case(struct tmap_gemm *suite, const struct gemm_instance *g, uint64_t seed);

/* The fixture's product, with N odd and rows that end inside a tile, by the named kernel with a
 * fault, or with none (0), in the plan that the request gets. True when all of it is right and
 * nothing was found. */
bool epilogue_right_with(struct tmap_gemm *suite, const char *kernel,
                         const struct tmap_gemm_config *request, uint32_t fault,
                         enum epilogue_fixture fixture, uint64_t seed);

#endif
