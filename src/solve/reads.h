/* What it costs ldmatrix to read a tile where a plan's copies leave it. */
#ifndef TMAP_SOLVE_READS_H
#define TMAP_SOLVE_READS_H

#include "solve/cut.h"

/* Cycles beyond the first of the worst read of one matrix: 16 bytes of each of 8 rows of the tile,
 * rows counted through all its dimensions but the innermost. */
uint32_t reads_conflicts(const struct draft *d);

#endif
