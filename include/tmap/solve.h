/* solve.h : what follows from the rules: budgets, protocols, configurations, repair, synthesis.
 *
 * Conventions are those of tmap.h: caller-owned arrays, no hidden allocation (a search that needs
 * memory takes a workspace), one tmap_status a function, every function safe from any thread.
 */
#ifndef TMAP_SOLVE_H
#define TMAP_SOLVE_H

#include "tmap/protocol.h"
#include "tmap/tmap.h"

#endif
