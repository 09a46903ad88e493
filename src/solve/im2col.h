/* Plans for im2col maps. */
#ifndef TMAP_SOLVE_IM2COL_H
#define TMAP_SOLVE_IM2COL_H

#include "solve/fields.h"

/* The cheapest plan with this swizzle for an im2col request, the tensor copied or not. False: there
 * is none. */
bool im2col_best(const struct objective *objective, struct limits *limits, int32_t swizzle,
                 bool copy, struct tmap_plan *out);

/* The same for a view of a tiled request whose tile is longer than a box along one dimension, and
 * has one element along all others but the first: a load that walks along that dimension. */
bool im2col_along(const struct objective *objective, struct limits *limits, const struct view *view,
                  int32_t swizzle, bool copy, struct tmap_plan *out);

/* What coordinate i of the request is a multiple of: channels are fetched in whole tiles, as boxes
 * are; pixels, and slices under interleave, from anywhere. 0: it is 0. */
uint64_t im2col_grain(const struct objective *objective, uint32_t i);

#endif
