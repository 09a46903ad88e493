/* The constants of the model of a configuration's time (model.c) that all products have. */
#ifndef TMAP_KERNELS_GEMM_MODEL_CONSTANTS_H
#define TMAP_KERNELS_GEMM_MODEL_CONSTANTS_H

#include <stdint.h>

/* Of what the driver says of the device's clock and memory, and of an H200's where it says nothing.
 */
static const double CLOCK_SHARE = 1;
static const double MEMORY_SHARE = 0.95;
enum { CLOCK_MHZ = 1980, MEMORY_BYTES_PER_US = 4814000 };

/* The others are fitted to timings of drawn shapes, the half that the tables of speed leave out
 * (bench/gemm/fit). */
/* What a launch on every SM takes more than one on few: by blocks, and by their warpgroups. */
static const double FULL_US = 0.7054;
static const double WARPGROUPS_US = 0.009824;
/* Into one SM, of bytes that the L2 cache has and of bytes that come from memory. */
static const double LOAD_BYTES_PER_CLOCK = 36.2;
static const double COLD_BYTES_PER_CLOCK = 26.03;
/* Two SMs share a way into the cache: a block that has it alone loads so many times as fast. All
 * have where no more than half of the clusters run that fit: of four on an H200 15, since a
 * sixteenth is the second one in a part of the device that has four such ways; 15 x 8192 x 3584
 * (promoted e4m3) by 16 of them takes 14.4 us, by 32 pairs 11.1. */
static const double ALONE = 1.799;
/* What a byte counts of an operand whose rows begin inside a sector of 32 bytes (docs/GEMM.md). */
static const double TORN_LOADS = 1.174;
/* Until the cache has answered one more cluster that asks for the same bytes. */
static const double ALIKE_CLOCKS = 0.1725;
/* What the cache gives to all SMs, and what a byte counts that they store there. */
static const double CACHE_BYTES_PER_CLOCK = 6383;
static const double CACHE_STORES = 2.279;
/* What an SM stores where all do so all the time: by D of 4 bytes with a short K, 12 to 14 (H200).
 * It is the memory's rate of writing more than an SM's own: a tile's own panels leave at 20 to 30.
 */
static const double STORED_BYTES_PER_CLOCK = 16.11;
/* A k-block takes at least, and of the time until a load lands a slot's part. */
static const double SOFTNESS = 0.02887;
static const double BLOCK_CLOCKS = 276.2;
static const double LOAD_LATENCY = 3755;
/* What is left of it where L2 is asked once for what a GPC's clusters want (gemm_can_merge_a()): of
 * pairs, of more, and of any whose tiles have one warpgroup (docs/EXPERIMENTS.md). */
static const double MERGED_PAIRS = 0.75;
static const double MERGED_MORE = 1.076;
static const double MERGED_LOW = 0.9105;
/* A panel's row of D that ends inside a sector, of which the cache reads the rest: as many bytes
 * more (apart.c). */
static const double TORN_BYTES = 80.69;
/* An operand that two tiles or more read at different times costs so much of itself again. */
static const double READ_AGAIN = 0.9016;
static const double TILE_CLOCKS = 3236; /* epilogue */
/* What of it a warp of its own takes under the next tile's multiplies. */
static const double STORED_ASIDE = 1853;
/* The same of tiles of one warpgroup. */
static const double LOW_TILE_CLOCKS = 3000;
static const double LOW_STORED_ASIDE = 2013;
/* Of tiles of three and four warpgroups beside a producer, which store for themselves; and what the
 * rest of the fit, to two, makes too little of. */
static const double HIGH_TILE_CLOCKS = 1968;
static const double HIGH_FIT = 1.035;
static const double PANEL_CLOCKS = 328.1;
/* Of D of 4 bytes, whose panels have half the columns. */
static const double WIDE_PANELS = 4.1;
static const double STRAIGHT_WIDE_PANELS = 1.5; /* the straight way (epilogue.cuh) */
/* A panel that waits until the store before it in the same place has been read; and the last
 * columns of a width between the multiples of a panel's. */
static const double LATE_PANEL = 580.8;
static const double PARTIAL_CLOCKS = 173.8;
/* The same under another tile's multiplies: before the first panel, by panel where two take turns,
 * and by panel where there is one. */
static const double TURN_CLOCKS = 4072;
static const double TURN_PANEL = 237;
static const double TURN_ONE_PANEL = 540.6;
static const double TURN_WIDE_PANEL = 400; /* two in turn, of D of 4 bytes */
/* The same by the straight way. */
static const double TURN_STRAIGHT_PANEL = 200;
/* What the rest of the fit, to warpgroups that share a tile, makes too much of. */
static const double TURN_FIT = 0.9546;
/* The same where rows of A begin inside a sector; and what is less where D of 4 bytes goes to
 * memory from registers, so that shared memory is the multiplies' alone. */
static const double TURN_TORN = 0.99;
static const double FROM_REGISTERS = 0.97;
static const double SPLIT_CLOCKS = 1728;            /* of a split: its two meetings */
static const double SHARED_BYTES_PER_CLOCK = 10.25; /* of its parts, from the cluster's blocks */
static const double SHARED_LATENCY = 573.9; /* of a load from there, of which few run at a time */
static const double DEEP_CLOCKS = 2819;     /* to hand a part over through L2 */
static const double L2_LATENCY = 1132;      /* of a load of such a part */
static const double ADDEND_CLOCKS = 30;     /* of a column of sums that C is added to */
static const double DIRECT_CLOCKS = 410.4;  /* of 64 columns that the warps store themselves */
/* A last round that few blocks have work in: so much of what is idle they gain. */
static const double LAST_ROUND = 0.08846;
/* Blocks that share operands wait for each other, the more the more k-blocks they go through, in
 * all and of a tile: of clusters of two, four and eight that take tile after tile, and of those
 * that have one each. */
static const double STEP_BLOCKS = 5.089;
static const double TILE_BLOCKS = 1.605;
static const double PAIRS_AGAIN = 1.078;
static const double SQUARES_AGAIN = 1.18; /* two by two */
static const double FOURS_AGAIN = 1.09;
static const double EIGHTS_AGAIN = 1.182;
static const double PAIRS_ONCE = 0.9121;
static const double SQUARES_ONCE = 0.8114;
static const double FOURS_ONCE = 0.9077;
static const double EIGHTS_ONCE = 0.8533;
/* Where tiles of one or two k-blocks (GEMM_FEW_BLOCKS) follow each other, how far they are from the
 * ones to the others. */
static const double FEW_AGAIN = 0.5488;
/* A multiply takes the time of so many columns, however few it has. */
enum { LEAST_COLUMNS = 32 };
/* What a k-block's multiplies take of the tensor core's least time, where they bound it. */
static const double MULTIPLY_FIT = 1.402;
/* Until the first k-block of 32 KiB is there: a block's multiplies begin so much later. */
static const double FIRST_CLOCKS = 3566;
/* Of a stream, beside its parts: its blocks are out of step; and what is less of it for each
 * doubling of those that share operands. */
static const double STREAM_FIT = 1.034;
static const double STREAM_SHARED = 0.04046;
/* Of operands of many bytes, all dealt out; and how many bytes are half of many, the cache's 50 MB.
 */
static const double STREAM_COLD = 0.1175;
static const double STREAM_COLD_BYTES = 5.167e7;
/* Of operands that are not contiguous along K: a stream's and a pingpong's time; the clocks of a
 * k-block's box that crosses the edge of M or N, and of one outside; and what memory takes more,
 * over the rows of M or N that a cluster reads side by side. */
static const double MAJORS_STREAM = 0.9827;
static const double MAJORS_TURN = 1.034;
static const double FILLING_CLOCKS = 834;
static const double OUTSIDE_CLOCKS = 311;
static const double NARROW_ROWS = 10;
/* Of 128 elements that threads store, where rows of D end inside 16 bytes, including what waits for
 * those stores. Of elements of 4 bytes as of 2: were it more, int8's picks would be 0.2 % worse. */
static const double RAGGED_CLOCKS = 50;
static const double PART_CLOCKS = 2812; /* of a stream's part: to hand it over */
static const double PART_BYTES_PER_CLOCK = 20.16;
/* Of each part, to begin with it; both again where one block reads the parts and whole tiles
 * follow: all others load them meanwhile, so that L2 takes longer; and where clusters' shares do
 * not end with tiles, so that parts come at different times. */
static const double PARTS_CLOCKS = 212.4;
static const double BUSY_PART_BYTES_PER_CLOCK = 16.19;
static const double BUSY_PARTS_CLOCKS = 856.7;
static const double UNEVEN_CLOCKS = 5798;
/* What of that is left where all sharers add them together (GEMM_TOGETHER). */
static const double TOGETHER_FIT = 0.65;
/* What the device's power is for, in its time at full clock: a clock of multiplying, a byte into an
 * SM (in clocks), a microsecond of memory. */
static const double MULTIPLY_ENERGY = 1.198;
static const double LOAD_ENERGY = 6.58e-05;
static const double MEMORY_ENERGY = 0.003363;

/* What a promised operand's loads before the predecessor's end save, as far as it decides: the tile
 * is the one that would be chosen anyway. They save 0.1 to 1.6 us, but where that led to another
 * tile, 2 us were lost (docs/EXPERIMENTS.md). */
static const double READY_US = 0.05;

/* Of an epilogue: a tile's reads and decisions; and of 64 columns what scales and biases take, and
 * an activation. */
static const double EPILOGUE_CLOCKS = 600;
static const double STEP_CLOCKS = 120;
static const double ACTIVATION_CLOCKS = 450;

/* Of the tall tile, for which nobody loads or stores aside. Beyond TALL_US it counts the less the
 * longer a product is, down to TALL_LEAST: at the device's power limit saved clocks return only
 * part of their time, and a tall tile moves a fifth fewer bytes an operation (docs/GEMM.md). */
static const double TALL_FIT = 1.088;
static const double TALL_US = 203.4;
static const double TALL_LEAST = 0.04813;

/* Of products so long that they bring the device to its power limit by themselves: from where on,
 * and from where on wholly. What the tall tile then takes more (and at
 * any power limit, settled.c); and what the bytes that an
 * operation loads and reads of shared memory cost the clock, each above the tall tile's in pairs
 * that share A and wait for their predecessor.
 * By lists in slices of 40 to 150 ms (docs/EXPERIMENTS.md). */
static const double SUSTAINED_FROM_US = 4000;
static const double SUSTAINED_US = 8000;
static const double TALL_SUSTAINED = 0.01;
static const double SUSTAINED_BYTES = 11;
static const double SUSTAINED_LEAST = 0.0145;

/* The widest promoted tile takes two chains of multiplies a k-block, and reads A for each. */
static const double TWO_CHAINS = 1.268;
/* What a promoted k-block's additions add to its multiplies. */
static const double PROMOTE_CLOCKS = 120;
/* A k-block with scales of blocks, and a column of it: shared memory bounds it, from which the
 * multiplies read and into which the loads write (docs/EXPERIMENTS.md). */
static const double SCALED_CLOCKS = 100;
static const double SCALED_COLUMN = 4.2;
static const int32_t WIDEST_CHAIN = 192;

#endif
