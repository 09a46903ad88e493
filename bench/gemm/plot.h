#ifndef BENCH_GEMM_PLOT_H
#define BENCH_GEMM_PLOT_H

#include <stdio.h>

/* An SVG of the ratio by shape, from the lines that `gemm compare` printed; returns how many shapes
 * it drew. Each horizontal bar runs from 1 (the vendor's best) to the ratio. */
int plot_ratios(FILE *from, FILE *to);

#endif
