/* Plans for im2col maps. */
#ifndef TMAP_SOLVE_IM2COL_H
#define TMAP_SOLVE_IM2COL_H

#include "solve/fields.h"

/* The cheapest plan with this swizzle, the tensor copied or not. False: there is none. */
bool im2col_best(const struct aim *aim, const struct limits *limits, int32_t swizzle, bool copy,
                 struct tmap_plan *out);

/* What coordinate i of the wish is a multiple of: channels are fetched in whole tiles, as boxes
 * are; pixels, and slices under interleave, from anywhere. 0: it is 0. */
uint64_t im2col_grain(const struct aim *aim, uint32_t i);

#endif
