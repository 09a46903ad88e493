/* Groups of products on the emulator, for records of their protocols. */
#ifndef TMAP_TESTS_EMULATED_GROUPS_H
#define TMAP_TESTS_EMULATED_GROUPS_H

#include "support/emulated_suites.h"

/* Three members: one as `first` says, an empty one, and one of less than a block of K. Records the
 * launch that multiplies, by cluster 0. kernel: in the plan's place, with that fault planted; NULL:
 * the plan's own. The budget, schedule and the like are the emulator's as they are. False: no plan,
 * another kernel than this one, or a launch with an error. */
bool emulated_group_record(struct tmap_gemm *suite, const struct gemm_instance *g,
                           const struct tmap_gemm_problem *first, const char *kernel,
                           uint32_t fault, struct tmap_emulate_record **out);

#endif
