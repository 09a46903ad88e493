/* Whether a plan leaves a tile where the request would. */
#ifndef TMAP_SOLVE_TILE_LAYOUT_H
#define TMAP_SOLVE_TILE_LAYOUT_H

#include "solve/limits.h"

/* tile_layout_kept() : whether each element of the tile lies, before the swizzle, where the box of
 * the request puts it: rows of dimension 0, rounded up to inner_unit elements, one under the other,
 * the span of the swizzle apart where they are shorter; where they are longer, slabs one span wide.
 * Decided element by element, a run at a time, which is work that the objective counts. A tile of
 * so many runs that no shared memory holds it counts as moved, as does one that no work is left
 * for. */
bool tile_layout_kept(const struct objective *objective, const struct tmap_plan *plan);

#endif
