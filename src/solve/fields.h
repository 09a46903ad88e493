/* The best fields for one view: box, swizzle, strides, copies. Bounds come from the rows, asked
 * through the checker. */
#ifndef TMAP_SOLVE_FIELDS_H
#define TMAP_SOLVE_FIELDS_H

#include "solve/cut.h"

#define SECTOR_BYTES 32u /* of DRAM and L2 */

/* The draft's plan but its boxes: strides, base and first coordinate, the tensor copied or not; the
 * costs of those. False: this view has none. */
bool fields_settle(struct draft *d, int32_t swizzle, bool copy);

/* Whether a box's rows are rows of the tile, not pieces of rows side by side: an exact reader wants
 * that. */
bool fields_rows_are_the_tiles(const struct view *view);

/* The cheapest plan for the view with this swizzle, the tensor copied or not. False: there is none,
 * or none that costs less than *worst (which may be NULL). */
bool fields_best(const struct objective *objective, struct limits *limits, const struct view *view,
                 int32_t swizzle, bool copy, const struct tmap_cost *worst, struct tmap_plan *out);

/* One box for the whole tile, whatever the rows say: how the view's structure alone lays it out. */
void fields_of_view(const struct view *view, uint32_t inner_unit, struct tmap_plan *out);

/* Fills inner_unit and kept of the objective, from the limits of its type. */
void fields_measure_kept(struct objective *objective, const struct limits *limits);

/* No plan of this view or of what its rewrites lead to costs less. */
struct tmap_cost fields_bound(const struct objective *objective, const struct limits *limits,
                              const struct view *view);

#endif
