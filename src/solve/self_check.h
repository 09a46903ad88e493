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

/* The request with what the plan decided about it; proofs in libtmap-symbolic begin with it, too.
 */
TMAP_API struct tmap_desc tmap_plan_request(const struct tmap_desc *desc,
                                            const struct tmap_plan *plan);

/* A NULL array's entries mean nothing: element strides of which there are none are ones. */
static inline void self_check_forget_null(struct tmap_desc *d)
{
    if (d->flags & TMAP_NULL_ELEM_STRIDE)
        for (int i = 0; i < TMAP_MAX_RANK; i++) d->elem_stride[i] = 1;
}

#endif
