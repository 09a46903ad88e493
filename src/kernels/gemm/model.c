/* What a configuration should cost: the larger of the time that the busiest block takes and the
 * time that memory takes, softly, and what a launch takes anyway. */
#include "kernels/gemm/suite.h"

/* Fitted to sweeps of the whole family over the bench's shapes on an H200 (docs/GEMM.md). */
static const double CLOCKS_PER_US = 2100.0;
static const double LOAD_BYTES_PER_CLOCK = 81.3; /* into one SM */
static const double MULTICAST_WEIGHT = 0.271;    /* what a shared byte spares its loader */
static const double BLOCK_CLOCKS = 174.0;        /* a k-block takes at least */
static const double MEMORY_BYTES_PER_US = 4.98e6;
/* An operand that two tiles or more read at different times costs so much of itself again. */
static const double READ_AGAIN = 0.353;
static const double SM_BYTES_PER_US[] = {9.77e4, 3.72e4,
                                         6.82e4}; /* of it, into an SM, by warpgroups */
/* Clusters of four spread over the device more evenly and read more at a time, where one round of
 * them does; where it does not, they leave blocks idle round after round. */
static const double BY_FOUR = 1.11;
static const double FOURS_AGAIN = 1.09;
static const double SHARE_BOTH = 0.84; /* of those, two by two */
static const double LAUNCH_US = 1.25;
static const double TILE_CLOCKS = 4760.0; /* epilogue */
/* What of it a warp of its own takes under the next tile's multiplies: at 4096 cubed 0 to 3 % of
 * all. */
static const double STORED_ASIDE = 2000.0;
static const double PANEL_CLOCKS = 143.0;
/* The same under another tile's multiplies: before the first panel, by panel where two take turns,
 * and by panel where there is one. */
static const double TURN_CLOCKS = 4500.0;
static const double TURN_PANEL = 431.0;
static const double TURN_ONE_PANEL = 205.0;
/* What the rest of the fit, to warpgroups that share a tile, makes too much of; and too little
 * where a tile is one slab of 64 rows. */
static const double TURN_FIT = 0.983;
static const double TURN_SLAB_FIT = 1.07;
static const double REDUCE_CLOCKS = 168.0; /* of a split, by part and 16 columns */
static const double SPLIT_CLOCKS = 433.0;  /* its two meetings */
static const double PART_CLOCKS = 3780.0;  /* of a stream's part: to hand it over */
static const double PART_BYTES_PER_CLOCK = 24.5;
/* What the device's power is for, in its time at full clock: a clock of multiplying, a byte into an
 * SM (in clocks), a microsecond of memory. */
static const double MULTIPLY_ENERGY = 1.91;
static const double LOAD_ENERGY = 0.0157;
static const double MEMORY_ENERGY = 1.37;

static double larger(double a, double b)
{
    return a > b ? a : b;
}
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double up(double x)
{
    const double whole = (double)(int64_t)x;
    return whole + (whole < x);
}

/* The fourth root of a^4 + b^4, near enough, without the mathematics library. */
static double softly(double a, double b)
{
    const double ratio = smaller(a, b) / larger(a, b);
    return larger(a, b) * (1 + 0.19 * ratio * ratio * ratio * ratio);
}

/* Three consumers: the second operand shared was slower at 8192 and 16384 cubed. */
static const double TALL_PAIR = 1.02;
/* Nobody loads or stores aside. */
static const double TALL_FIT = 1.01;

/* The widest promoted tile takes two chains of multiplies a k-block, and reads A for each. */
static const double TWO_CHAINS = 1.1;
static const int32_t WIDEST_CHAIN = 192;

/* One k-block of one block's tile, in clocks. */
static double block_clocks(const struct gemm_instance *instance, const struct tmap_gemm_config *c)
{
    const double n = instance->bn < 32 ? 32 : instance->bn;
    const double rows = (double)c->tile_m / c->cluster_n, cols = (double)c->tile_n / c->cluster_m;
    const bool two_chains = instance->promote && instance->bn > WIDEST_CHAIN;
    const double multiply = 4 * instance->wgs * n / 2 * (two_chains ? TWO_CHAINS : 1);
    const double bytes =
        128 * (MULTICAST_WEIGHT * (rows + cols) + (1 - MULTICAST_WEIGHT) * (c->tile_m + c->tile_n));
    return larger(BLOCK_CLOCKS, larger(multiply, bytes / LOAD_BYTES_PER_CLOCK)) *
           (instance->wgs == 3 && c->cluster_m > 1 ? TALL_PAIR : 1);
}

static double tile_clocks(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    /* A pingpong's warpgroup has the tile to itself. */
    const double columns = c->pingpong > 0 ? c->tile_n * c->tile_m / 64.0 : c->tile_n;
    return TILE_CLOCKS + PANEL_CLOCKS * columns / 64 * (view->out_bytes == 4 ? 2 : 1) +
           (c->split_k > 1
                ? SPLIT_CLOCKS + REDUCE_CLOCKS * c->split_k * columns / 16 * c->tile_m / 64
                : 0) +
           (view->adds_c ? 30.0 * columns : 0);
}

/* A stream's tile is shared evenly, or some tiles by one cluster more than the rest. */
static double pieces(const struct tmap_gemm_config *c)
{
    const int32_t whole = c->clusters / c->stream_k;
    return c->clusters % c->stream_k == 0 ? whole : whole + 2;
}

/* A pingpong's tiles, so many one after the other: what a tile needs beyond its multiplies runs
 * under the next one's, and a warpgroup's own two must fit into the time of two; the last is seen.
 */
static double pingpong_clocks(const struct gemm_view *view, const struct gemm_choice *choice,
                              double tiles, double sum)
{
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t wide = view->out_bytes == 4;
    const double panels = (double)c->tile_n / 64 * choice->instance->wgs * (1 + wide);
    const double end =
        TURN_CLOCKS + panels * (c->panels >= 2 << wide ? TURN_PANEL : TURN_ONE_PANEL);
    return tiles * larger(sum, (sum + end) / 2) + larger(end, tile_clocks(view, c));
}

/* The clocks of the busiest cluster. */
static double busiest_clocks(const struct tmap_gemm *suite, const struct gemm_view *view,
                             const struct gemm_choice *choice, double tiles)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double span = 128.0 / view->element_bytes;
    const double k_blocks = up(up(view->k / span) / c->split_k);
    const double block = block_clocks(choice->instance, c), tile = tile_clocks(view, c);
    const double whole = k_blocks * block + tile;
    if (c->split_k > 1) return up(tiles / suite->resident[c->split_k]) * whole;
    if (c->pingpong > 0)
        return pingpong_clocks(view, choice, up(tiles / c->clusters), k_blocks * block);
    const double aside = c->store_warp > 0 ? STORED_ASIDE : 0;
    if (c->stream_k <= 0) return up(tiles / c->clusters) * (whole - aside) + aside;
    const double share = up(c->stream_k * k_blocks / c->clusters);
    const double part = (double)c->tile_m * c->tile_n * 4 / PART_BYTES_PER_CLOCK + PART_CLOCKS;
    return up((tiles - c->stream_k) / c->clusters) * (whole - aside) + share * block + tile +
           part * pieces(c);
}

/* How long the device's power would take for all of a product at full clock. */
static double energy_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                        const struct gemm_choice *choice, double memory_bytes)
{
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t wgs = choice->instance->wgs;
    const double n = choice->instance->bn < 32 ? 32 : choice->instance->bn;
    /* A tall tile's warpgroups outside D rest. */
    const double tiles_m = wgs == 3 ? up(view->m / 64.0) / 3 : up((double)view->m / c->tile_m);
    const double k_blocks = tiles_m * up((double)view->n / c->tile_n) *
                            up(view->k * view->element_bytes / 128.0) * view->batch;
    const double rows = (double)c->tile_m / c->cluster_n, cols = (double)c->tile_n / c->cluster_m;
    const double bytes = 128 * (rows + cols + c->tile_m + c->tile_n) / 2;
    return k_blocks * (MULTIPLY_ENERGY * 2 * wgs * n + LOAD_ENERGY * bytes) / suite->gpu.sm_count /
               CLOCKS_PER_US +
           MEMORY_ENERGY * memory_bytes / MEMORY_BYTES_PER_US;
}

/* The root of a b, which lie within a factor of ten, without the mathematics library. */
static double mean(double a, double b)
{
    double root = (a + b) / 2;
    for (int i = 0; i < 4; i++) root = (root + a * b / root) / 2;
    return root;
}

double gemm_cost_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double members = c->cluster_m * c->cluster_n * c->split_k;
    const double tiles = up(up((double)view->m / c->tile_m) / c->cluster_m) *
                         up(up((double)view->n / c->tile_n) / c->cluster_n) * view->batch;
    const double again_a = view->n > c->tile_n * c->cluster_n ? 1 + READ_AGAIN : 1;
    const double again_b = view->m > c->tile_m * c->cluster_m ? 1 + READ_AGAIN : 1;
    const double bytes =
        view->batch * ((view->m * again_a + view->n * again_b) * view->k * view->element_bytes +
                       (double)view->m * view->n * view->out_bytes);
    double compute_us = busiest_clocks(suite, view, choice, tiles) / CLOCKS_PER_US;
    const double power_us = energy_us(suite, view, choice, bytes);
    /* Beyond its power the device lowers the clock, and with it the voltage and a clock's energy.
     */
    if (power_us > compute_us) compute_us = mean(compute_us, power_us);
    const bool fours = c->cluster_m * c->cluster_n == 4;
    if (fours && tiles > c->clusters) compute_us *= FOURS_AGAIN;
    if (choice->instance->wgs == 3) compute_us *= TALL_FIT;
    if (c->pingpong > 0) compute_us *= choice->instance->wgs > 1 ? TURN_FIT : TURN_SLAB_FIT;
    const double at_once = c->split_k > 1 ? suite->resident[c->split_k] : c->clusters;
    const double busy = smaller(c->clusters, at_once) * members;
    const double memory_us =
        bytes * (c->cluster_m > 1 && c->cluster_n > 1 ? SHARE_BOTH : 1) /
        (fours && tiles <= c->clusters ? BY_FOUR : 1) /
        smaller(MEMORY_BYTES_PER_US, busy * SM_BYTES_PER_US[choice->instance->wgs - 1]);
    return LAUNCH_US + softly(compute_us, memory_us);
}

double gemm_work_us(const struct gemm_view *view, const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double tiles = up(up((double)view->m / c->tile_m) / c->cluster_m) *
                         up(up((double)view->n / c->tile_n) / c->cluster_n);
    const double k_blocks = up(view->k * view->element_bytes / 128.0);
    return tiles * (k_blocks * block_clocks(choice->instance, c) + tile_clocks(view, c)) /
           CLOCKS_PER_US;
}
