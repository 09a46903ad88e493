/* How a tile is cut into boxes: along each dimension some equal ones, and perhaps a smaller last.
 */
#ifndef TMAP_SOLVE_CUT_H
#define TMAP_SOLVE_CUT_H

#include "solve/limits.h"
#include "solve/view.h"

/* Along one dimension: `copies` boxes of `box` elements; of `tail` the last, unless that is 0. */
struct cut {
    uint64_t copies;
    uint32_t box, tail;
};

/* What is being built for one view. */
struct draft {
    const struct objective *objective;
    struct limits *l;
    const struct view *v;
    struct tmap_plan *p;
    uint64_t tile[TMAP_MAX_RANK]; /* what the boxes must cover, elements */
    struct cut cut[TMAP_MAX_RANK];
    const struct tmap_cost *worst; /* a plan that costs more is of no use; NULL: any is */
};

/* One more step of the draft's plan. */
void cut_note(struct draft *d, enum tmap_rewrite rewrite, int index, uint64_t from, uint64_t to);

/* The draft's boxes as the dimensions of a plan. */
void cut_take_boxes(const struct draft *d, struct tmap_plan *out);

/* The cheapest legal boxes for the draft's tile; the costs that follow from them are in *p. False:
 * there are none, or none below *worst. */
bool cut_best(struct draft *d);

/* What all copies of the draft's cuts move. */
uint64_t cut_bytes(const struct draft *d);

#endif
