/* The plans of a search, best first. */
#ifndef TMAP_SOLVE_RANK_H
#define TMAP_SOLVE_RANK_H

#include "tmap/solve.h"

/* Puts a plan among the *found, at most cap, in its place by cost. One that does all that another
 * does, and more, for no less, says nothing new; nor one that only splits more. Of cap plans the
 * last costs more. */
void rank_plan(struct tmap_plan *plans, size_t cap, size_t *found, const struct tmap_plan *plan);

#endif
