/* Whether a plan does what its request asks, decided for all tiles at once. */
#ifndef TMAP_SOLVE_SELF_CHECK_H
#define TMAP_SOLVE_SELF_CHECK_H

#include "tmap/solve.h"

/* NULL where every element of every tile on the grid is copied once, from its own address, in
 * bounds exactly where it is requested, and a store writes nothing else; else what is wrong.
 * request: with the values that the plan decided. how may be NULL. Nothing of the search is used.
 */
const char *self_check(const struct tmap_desc *request, const struct tmap_request *how,
                       const struct tmap_plan *plan);

/* The request with what the plan decided about it. */
struct tmap_desc self_check_request(const struct tmap_desc *desc, const struct tmap_plan *plan);

#endif
