/* What the model of a configuration's time knows of promoted kernels alone (model.c): of fp8 that
 * leaves the tensor core every k-block, and of scales of blocks. Not of groups and convolutions,
 * which were not timed. Tiles of 64 rows, which came later, have the constants of 128. Fitted to
 * 2490 shapes of the fitting half, 1705 of them with scales of blocks (bench/gemm/fit; H200,
 * 2026-11-24; docs/EXPERIMENTS.md). */
#ifndef TMAP_KERNELS_GEMM_MODEL_PROMOTED_H
#define TMAP_KERNELS_GEMM_MODEL_PROMOTED_H

#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

/* Shared memory bounds a k-block: of 128 bytes a clock the multiplies read A's and B's rows, each
 * warpgroup for itself, and the loads write them once. In clocks at full speed, of which a product
 * never has all. */
static const double SHARED_MEMORY_FIT = 1.332;
/* Of that, where a chain is issued before the one before it has ended (TWO_SETS of promote.cuh); by
 * 586 shapes of 2026-11-28. */
static const double TWO_SETS_FIT = 0.96;
/* A second chain of multiplies reads A again: so many times its rows, of which scales of blocks,
 * whose chains stand apart anyway, show less. */
static const double SECOND_CHAIN = 2.522;
static const double SCALED_SECOND_CHAIN = 0.4987;
/* What scales of blocks add. */
static const double SCALES_CLOCKS = 111.1;
/* A row that the copy engine fills with zeros, where all SMs load. */
static const double ZERO_ROW_CLOCKS = 22.61;

/* Until the cache has answered one more cluster that asks for the same bytes: few rows of A, or of
 * B, of which all ask. */
static const double PROMOTED_ALIKE_CLOCKS = 0.5896;
/* The same as in model.c, as these kernels have it. */
static const double PROMOTED_COLD_BYTES_PER_CLOCK = 20.59;
static const double PROMOTED_STORED_ASIDE = 2434;
static const double PROMOTED_SHARED_BYTES_PER_CLOCK = 6.473;
static const double PROMOTED_DEEP_CLOCKS = 3851;
static const double PROMOTED_LAST_ROUND = 0.09738;
static const double PROMOTED_PAIRS_ONCE = 0.8969;
static const double PROMOTED_PAIRS_AGAIN = 1.048;
static const double PROMOTED_SQUARES_AGAIN = 1.115;
static const double PROMOTED_FOURS_AGAIN = 1.065;
static const double PROMOTED_EIGHTS_AGAIN = 1.205;
static const double PROMOTED_FULL_US = 0.6579;
/* Of the k-blocks that a stream deals out, not of its whole tiles. */
static const double PROMOTED_STREAM_FIT = 1.1;
static const double PROMOTED_PARTS_CLOCKS = 1300;

/* Whether these constants apply. */
static inline bool is_own(const struct gemm_view *view)
{
    return view->promote && view->conv.images == 0 && !view->grouped;
}

/* Of two constants the promoted kernels' own, where there is one. */
static inline double of(bool own, double promoted, double other)
{
    return own ? promoted : other;
}

/* A k-block's multiplies by so many warpgroups of 64 rows, and its additions. */
static inline double promoted_clocks(int32_t wgs, double columns, bool two_chains, bool scaled)
{
    enum { ROWS = 64 };
    const double again = two_chains ? ROWS * wgs : 0;
    const double rows = 2.0 * ROWS * wgs + (wgs + 1) * columns +
                        (scaled ? SCALED_SECOND_CHAIN : SECOND_CHAIN) * again;
    const bool two_sets = !scaled && wgs <= 2 && columns <= GEMM_TWO_SETS_COLUMNS;
    return SHARED_MEMORY_FIT * (two_sets ? TWO_SETS_FIT : 1) * rows + (scaled ? SCALES_CLOCKS : 0);
}

#endif
