/* What the model of a configuration's time (model.c) and its lower bound (bound.c) add up. */
#ifndef TMAP_KERNELS_GEMM_MODEL_TERMS_H
#define TMAP_KERNELS_GEMM_MODEL_TERMS_H

#include "core/arith.h"
#include "kernels/gemm/model_arithmetic.h"
#include "kernels/gemm/model_constants.h"
#include "kernels/gemm/model_conv.h"
#include "kernels/gemm/model_promoted.h"
#include "kernels/gemm/model_traffic.h"
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

static inline double clocks_per_us(const struct tmap_gemm *suite)
{
    const double mhz = suite->gpu.clock_mhz;
    return CLOCK_SHARE * (mhz > 0 ? mhz : CLOCK_MHZ);
}

static inline double memory_bytes_per_us(const struct tmap_gemm *suite)
{
    const double rate = suite->gpu.memory_bytes_per_us;
    return MEMORY_SHARE * (rate > 0 ? rate : MEMORY_BYTES_PER_US);
}

/* What a k-block's multiplies take, as far as they bound it. */
static inline double multiply_clocks(const struct gemm_view *view,
                                     const struct gemm_instance *instance)
{
    const double n = larger(LEAST_COLUMNS, instance->bn);
    const bool two_chains = instance->promote && instance->bn > WIDEST_CHAIN;
    const bool few = instance->patch && instance->few;
    const double taps = instance->patch ? GEMM_PATCH_TAPS * (few ? 0.5 : 1) : 1;
    const double cols = few ? larger(n, FEW_COLUMNS) : n;
    const bool conv = instance->image == GEMM_CONV, scaled = instance->image == GEMM_BLOCKS;
    if (is_own(view)) return promoted_clocks(instance->wgs, n, two_chains, scaled);
    const double multiply =
        scaled && instance->family == GEMM_SM90
            ? SCALED_CLOCKS + SCALED_COLUMN * n
            : taps * 4 * instance->wgs * cols / 2 * (two_chains ? TWO_CHAINS : 1) +
                  (instance->promote ? PROMOTE_CLOCKS : 0);
    const bool by_boxes =
        conv && instance->family == GEMM_SM90 && (instance->patch || !instance->few);
    return by_boxes ? multiply : multiply * MULTIPLY_FIT;
}

/* A byte's clocks on its way into an SM, of a product of whose loads so many bytes are loaded for
 * the first time. */
static inline double byte_clocks(bool own, double unique, double loaded)
{
    const double cold = unique < loaded ? unique / loaded : 1;
    const double cold_rate = of(own, PROMOTED_COLD_BYTES_PER_CLOCK, COLD_BYTES_PER_CLOCK);
    return (1 - cold) / LOAD_BYTES_PER_CLOCK + cold / cold_rate;
}

/* What a k-block's loads take. */
static inline double load_clocks(const struct gemm_view *view, const struct traffic *t)
{
    const bool own = is_own(view);
    const double load = t->own / t->alone * byte_clocks(own, t->unique, t->loaded) +
                        of(own, PROMOTED_ALIKE_CLOCKS, ALIKE_CLOCKS) * t->alike;
    return own ? softly(load, ZERO_ROW_CLOCKS * t->zeros / t->alone / t->alone) : load;
}

/* A product of operands one or both of which are not contiguous along K. */
static inline bool is_of_majors(const struct gemm_view *view)
{
    return a_by_rows(view) || b_by_rows(view);
}

/* What the boxes of an operand by rows of M or N take where one tile has all of it: the copy engine
 * is slow with one that crosses the edge, and one outside takes some time, too. */
static inline double edge_clocks(int32_t extent, int32_t tile)
{
    const int32_t inside = extent / GEMM_SLAB_ROWS, crosses = extent % GEMM_SLAB_ROWS != 0;
    if (extent >= tile) return 0;
    return crosses * FILLING_CLOCKS + (tile / GEMM_SLAB_ROWS - inside - crosses) * OUTSIDE_CLOCKS;
}
static inline double filling_clocks(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    return (a_by_rows(view) ? edge_clocks(view->m, c->tile_m) / c->cluster_n : 0) +
           (b_by_rows(view) ? edge_clocks(view->n, loaded_columns(view, c)) / c->cluster_m : 0);
}

/* One k-block of one block's tile, in clocks. */
static inline double block_clocks(const struct gemm_view *view,
                                  const struct gemm_instance *instance,
                                  const struct tmap_gemm_config *c, const struct traffic *t)
{
    const bool conv = instance->image == GEMM_CONV && instance->family == GEMM_SM90 &&
                      (instance->patch || !instance->few);
    const double load =
        conv ? conv_clocks(instance, c) : softly(load_clocks(view, t), filling_clocks(view, c));
    const double least = larger(BLOCK_CLOCKS, LOAD_LATENCY * t->latency / c->stages);
    const double ratio = smaller(least, load) / larger(least, load);
    const double both = larger(least, load) * (1 + SOFTNESS * ratio * ratio * ratio * ratio);
    return softly(both, multiply_clocks(view, instance));
}

/* What a split's block does with its part: leaves it, reads its share of all, and if its cluster is
 * the highest of those that share the tile, what the others left of that share. */
static inline double part_clocks(const struct tmap_gemm_config *c, bool own)
{
    const double deep = c->stream_k > 0 ? (double)c->clusters / c->stream_k : 1;
    const double rounds = up((double)c->tile_n / 8 / c->split_k);
    const double shared = (double)c->tile_m * c->tile_n * 4 /
                              of(own, PROMOTED_SHARED_BYTES_PER_CLOCK, SHARED_BYTES_PER_CLOCK) +
                          SHARED_LATENCY * rounds * up(c->split_k / 4.0);
    if (deep <= 1) return SPLIT_CLOCKS + shared;
    return SPLIT_CLOCKS + shared + of(own, PROMOTED_DEEP_CLOCKS, DEEP_CLOCKS) +
           L2_LATENCY * rounds * up((deep - 1) / 4);
}

/* How many of so many rounds of the busiest cluster are tiles at the end of D's rows: by the order
 * of tile_of(), which goes through groups of rows of tiles forwards and backwards in turn. Clusters
 * step through it by their number, so where that and the order have a divisor in common, the same
 * ones meet the end again and again. */
static inline double ends_of_rows(const struct gemm_view *view, const struct tmap_gemm_config *c,
                                  double rounds)
{
    const uint64_t down = ceil_div((uint64_t)view->m, (uint64_t)(c->tile_m * c->cluster_m));
    const uint64_t across = ceil_div((uint64_t)view->n, (uint64_t)(c->tile_n * c->cluster_n));
    const uint64_t asked = (uint64_t)c->group, group = asked > 0 && asked < down ? asked : down;
    const uint64_t last = (down - 1) % group + 1; /* rows of the last group */
    const uint64_t clusters = (uint64_t)c->clusters;
    if (view->transposed)
        return smaller(rounds,
                       up(view->batch * (double)(across * gcd(clusters, last)) / c->clusters));
    if (group == down) return smaller(rounds, up(view->batch * (double)down / c->clusters));
    const uint64_t period = 2 * group * across, step = gcd(clusters, period);
    return smaller(rounds, up(rounds * up(2.0 * (double)group / (double)step) * (double)step /
                              (double)period));
}

/* Of the tiles at the end of D's rows (copy_panels()): 64 columns by 64 rows each, or where D is
 * written column by column, 64 rows of all its columns. */
static inline double ragged_clocks(const struct gemm_view *view, const struct tmap_gemm_config *c,
                                   double rounds)
{
    if (!gemm_is_ragged(view) || c->direct > 0 || c->split_k > 1) return 0;
    /* A pingpong's warpgroup has all of the tile's rows. */
    const double high = c->pingpong > 0 ? c->tile_m : 64;
    const double rows = view->transposed ? smaller(c->tile_n, view->n) : smaller(high, view->m);
    return RAGGED_CLOCKS * rows * 64 / 128 * ends_of_rows(view, c, rounds);
}

/* What a tile's panels wait for. */
static inline double panel_waits(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    const double all = up(c->tile_n / 64.0) * (view->out_bytes == 4 ? 2 : 1);
    return (all > c->panels ? (all - c->panels) * LATE_PANEL : 0) +
           (c->tile_n % 64 != 0 && c->tile_n > 64 ? PARTIAL_CLOCKS : 0);
}

/* A second output is stored as the first one is; a gate leaves half. */
static inline double outputs(const struct gemm_view *view)
{
    return (1 + view->second) * (view->gate ? 0.5 : 1);
}

/* Columns that one warpgroup has of a tile: a pingpong's has all of the tile's rows. */
static inline double columns_of(const struct gemm_instance *instance)
{
    return (double)instance->bn * (instance->pingpong ? instance->wgs : 1);
}

/* What becomes of so many columns of sums before they are stored. */
static inline double epilogue_clocks(const struct gemm_view *view, double columns)
{
    if (!view->epilogue) return 0;
    return EPILOGUE_CLOCKS +
           (STEP_CLOCKS + (view->activates ? ACTIVATION_CLOCKS : 0)) * columns / 64;
}

/* Of a tile's end, whatever its width. */
static inline double end_clocks(const struct gemm_instance *instance)
{
    if (gemm_is_high(instance)) return HIGH_TILE_CLOCKS;
    return gemm_tile_m(instance) == GEMM_SLAB_ROWS ? LOW_TILE_CLOCKS : TILE_CLOCKS;
}

/* What 64 columns of D take, in those of 2 bytes. */
static inline double wide_panels(const struct gemm_view *view, const struct gemm_instance *instance)
{
    if (view->out_bytes != 4) return 1;
    return gemm_stores_straight(view, instance) ? STRAIGHT_WIDE_PANELS : WIDE_PANELS;
}

static inline double tile_clocks(const struct gemm_view *view, const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double columns = columns_of(choice->instance);
    return end_clocks(choice->instance) + epilogue_clocks(view, columns / c->split_k) +
           (c->split_k > 1 ? part_clocks(c, is_own(view))
                           : outputs(view) * (PANEL_CLOCKS * columns / 64 *
                                                  wide_panels(view, choice->instance) +
                                              panel_waits(view, c))) +
           (c->direct > 0 ? DIRECT_CLOCKS * columns / 64 : 0) +
           (view->adds_c ? ADDEND_CLOCKS * columns : 0);
}

/* A stream's tile is shared evenly, or some tiles by one cluster more than the rest. */
static inline double pieces(const struct tmap_gemm_config *c)
{
    const int32_t whole = c->clusters / c->stream_k;
    return c->clusters % c->stream_k == 0 ? whole : whole + 2;
}

/* What a pingpong's tile needs beyond its multiplies. */
static inline double turn_end_clocks(const struct gemm_view *view, const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t wide = view->out_bytes == 4;
    const bool straight = wide && gemm_stores_straight(view, choice->instance);
    const double columns = columns_of(choice->instance);
    const double panels = columns / 64 * (1 + wide) * outputs(view);
    const double two = straight ? TURN_STRAIGHT_PANEL : wide ? TURN_WIDE_PANEL : TURN_PANEL;
    return TURN_CLOCKS + epilogue_clocks(view, columns) +
           panels * (c->panels >= 2 << wide ? two : TURN_ONE_PANEL);
}

/* One of many tiles: its end runs under the next one's multiplies, and a warpgroup's own two must
 * fit into the time of two. */
static inline double turn_clocks(double sum, double end)
{
    return larger(sum, (sum + end) / 2);
}

/* A pingpong's tiles, so many one after the other; the last one's end is seen. */
static inline double pingpong_clocks(const struct gemm_view *view, const struct gemm_choice *choice,
                                     double tiles, double sum)
{
    const double end = turn_end_clocks(view, choice);
    return tiles * turn_clocks(sum, end) + larger(end, tile_clocks(view, choice));
}

/* Rounds of tiles, the last of which is shorter the fewer have one. */
static inline double rounds_of(bool own, double tiles, double clusters)
{
    const double whole = up(tiles / clusters), idle = whole - tiles / clusters;
    return whole > 1 ? whole - of(own, PROMOTED_LAST_ROUND, LAST_ROUND) * idle : whole;
}

/* Of a stream: of a promoted kernel's, nothing where every cluster has a tile to itself. Where
 * whole tiles follow, one block reads the parts one after the other while all others load. */
static inline double handing_over(const struct tmap_gemm_config *c, bool own, bool together,
                                  bool follows)
{
    const bool busy = follows && !own && !together;
    const double part = (double)c->tile_m * c->tile_n * 4 /
                        (busy ? BUSY_PART_BYTES_PER_CLOCK : PART_BYTES_PER_CLOCK);
    const double each = busy ? BUSY_PARTS_CLOCKS : of(own, PROMOTED_PARTS_CLOCKS, PARTS_CLOCKS);
    const double uneven = c->clusters % c->stream_k != 0 ? UNEVEN_CLOCKS : 0;
    if (own && c->clusters == c->stream_k) return 0;
    const double parts = (part + each) * (pieces(c) - 1);
    return PART_CLOCKS + uneven + (together ? TOGETHER_FIT * parts : parts);
}

/* Of a tile's end, what a warp of its own stores under the next tile's loads. */
static inline double stored_aside(bool own, int32_t tile_m)
{
    if (own) return PROMOTED_STORED_ASIDE;
    return tile_m == GEMM_SLAB_ROWS ? LOW_STORED_ASIDE : STORED_ASIDE;
}

/* The clocks of the busiest cluster. */
static inline double busiest_clocks(const struct tmap_gemm *suite, const struct gemm_view *view,
                                    const struct gemm_choice *choice, const struct traffic *traffic,
                                    double tiles)
{
    const struct tmap_gemm_config *c = &choice->config;
    const bool own = is_own(view);
    const double k_blocks = up(k_blocks_of(view) / c->split_k);
    const double block = block_clocks(view, choice->instance, c, traffic),
                 tile = tile_clocks(view, choice);
    const double whole = k_blocks * block + tile;
    /* One by the last to end, as likely as not. */
    const double ragged = ragged_clocks(view, c, up(tiles / c->clusters));
    if (c->split_k > 1 && c->stream_k > 0)
        return up(k_blocks / up((double)c->clusters / c->stream_k)) * block + tile;
    const int32_t members = c->cluster_m * c->cluster_n * c->split_k;
    if (c->split_k > 1) return up(tiles / suite->resident[members]) * whole;
    if (c->pingpong > 0)
        return pingpong_clocks(view, choice, rounds_of(own, tiles, c->clusters), k_blocks * block) +
               ragged;
    const double aside = c->store_warp > 0 ? stored_aside(own, c->tile_m) : 0;
    if (c->stream_k <= 0)
        return rounds_of(own, tiles, c->clusters) * (whole - aside) + aside + ragged;
    const double share = up(c->stream_k * k_blocks / c->clusters) * block;
    const bool together = gemm_adds_together(view, choice->instance, c, (int64_t)tiles) > 0;
    return up((tiles - c->stream_k) / c->clusters) * (whole - aside) +
           share * (own ? PROMOTED_STREAM_FIT : 1) + tile +
           handing_over(c, own, together, tiles > c->stream_k) + ragged;
}

/* What waiting for its neighbours makes of a block's time: the more, the longer they go on. */
static inline double in_step(const struct tmap_gemm_config *c, double tiles, double k_blocks,
                             bool own)
{
    const int32_t sharers = c->cluster_m * c->cluster_n;
    const bool few = tiles > 1 && k_blocks <= GEMM_FEW_BLOCKS;
    const double long_since = tiles * k_blocks / (tiles * k_blocks + STEP_BLOCKS) *
                              (few ? FEW_AGAIN : k_blocks / (k_blocks + TILE_BLOCKS));
    double once = EIGHTS_ONCE, again = of(own, PROMOTED_EIGHTS_AGAIN, EIGHTS_AGAIN);
    if (sharers == 1) return 1;
    if (sharers == 2) {
        once = of(own, PROMOTED_PAIRS_ONCE, PAIRS_ONCE);
        again = of(own, PROMOTED_PAIRS_AGAIN, PAIRS_AGAIN);
    } else if (c->cluster_m == c->cluster_n) {
        once = SQUARES_ONCE;
        again = of(own, PROMOTED_SQUARES_AGAIN, SQUARES_AGAIN);
    } else if (sharers == 4) {
        once = FOURS_ONCE;
        again = of(own, PROMOTED_FOURS_AGAIN, FOURS_AGAIN);
    }
    return once + (again - once) * long_since;
}

/* How long the device's power would take for all of a product at full clock. */
static inline double energy_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                               const struct gemm_choice *choice, double memory_bytes)
{
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t wgs = choice->instance->wgs;
    const bool tall = gemm_is_tall(choice->instance);
    const double n = larger(LEAST_COLUMNS, choice->instance->bn);
    /* A tall tile's warpgroups outside D rest. */
    const double tiles_m = tall ? up(view->m / 64.0) / 3 : up((double)view->m / c->tile_m);
    const double k_blocks =
        tiles_m * up((double)view->n / c->tile_n) * up((double)view->k / view->span) * view->batch;
    const double rows = (double)c->tile_m / c->cluster_n, cols = (double)c->tile_n / c->cluster_m;
    const double bytes = 128 * (rows + cols + c->tile_m + c->tile_n) / 2;
    const double multiply = MULTIPLY_ENERGY * 2 * wgs * n;
    return k_blocks * (multiply + LOAD_ENERGY * bytes) / suite->gpu.sm_count /
               clocks_per_us(suite) +
           MEMORY_ENERGY * memory_bytes / memory_bytes_per_us(suite);
}

/* Whether every second tile begins inside a sector of D, where its rows do not. */
static inline bool tears(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    if (view->transposed || view->apart || view->conv.images > 0) return false;
    return c->tile_n < view->n && c->tile_n * view->out_bytes % GEMM_SECTOR_BYTES != 0;
}

/* Panels' rows of D, each of which ends inside two sectors: all, every second tile's, or of odd
 * rows the first tile's. */
static inline double torn_rows(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    const double rows = view->torn ? view->m : view->apart || tears(view, c) ? view->m / 2.0 : 0;
    const double columns = view->apart && c->tile_n < view->n ? c->tile_n : view->n;
    return rows * columns / gemm_panel_columns(view);
}

/* Of D, and of a second output. */
static inline double stored_bytes(const struct gemm_view *view)
{
    return (double)view->m * view->n * view->batch * view->out_bytes * outputs(view);
}

/* What memory takes for an operand by rows of M or N, of which a cluster reads so many at once. */
static inline double by_rows_fit(bool by_rows, double rows)
{
    return by_rows ? 1 + NARROW_ROWS / rows : 1;
}

/* From and to memory. */
static inline double memory_bytes(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    const int32_t rows = c->tile_m * c->cluster_m, cols = c->tile_n * c->cluster_n;
    const double again_a = view->n > cols ? 1 + READ_AGAIN : 1;
    const double again_b = view->m > rows ? 1 + READ_AGAIN : 1;
    const double stored =
        (double)view->m * view->n * view->out_bytes + TORN_BYTES * torn_rows(view, c);
    const double a = a_bytes(view) * again_a * by_rows_fit(a_by_rows(view), rows);
    const double b = (double)view->n * again_b * view->k * (view->element_bits / 8.0) *
                     by_rows_fit(b_by_rows(view), cols);
    return view->batch * (a + b + stored * outputs(view));
}

/* What so many blocks take to store D, were nothing else to do. */
static inline double stored_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                               double blocks)
{
    return stored_bytes(view) / (STORED_BYTES_PER_CLOCK * blocks) / clocks_per_us(suite);
}

/* What the cache takes for all that goes through it, either way. */
static inline double cache_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                              const struct traffic *t)
{
    return (t->loaded + stored_bytes(view) * CACHE_STORES) / CACHE_BYTES_PER_CLOCK /
           clocks_per_us(suite);
}

/* What a tile takes more than the other terms make of it: the tall one's warpgroups load and store
 * for themselves, which counts less at the power limit; and a product of several milliseconds keeps
 * the device there, so the clock is the lower the more bytes it takes. Wider elements: not seen. */
static inline double tile_fit(const struct tmap_gemm *suite, const struct gemm_view *view,
                              const struct gemm_instance *instance,
                              const struct tmap_gemm_config *c, double us)
{
    const double longer = (us - SUSTAINED_FROM_US) / (SUSTAINED_US - SUSTAINED_FROM_US);
    const double sustained = view->element_bits > 16 ? 0 : larger(0, smaller(1, longer));
    const double bytes = 1.0 / c->tile_m + 1.0 / c->tile_n + gemm_asked(suite, c);
    const double limited = larger(sustained, gemm_merged(suite, view, c));
    const double least = TALL_LEAST + (TALL_SUSTAINED - TALL_LEAST) * limited;
    const double tall = larger(least, (TALL_FIT - 1) * smaller(1, TALL_US / us));
    return (1 + sustained * SUSTAINED_BYTES * larger(0, bytes - SUSTAINED_LEAST)) *
           (gemm_is_tall(instance) ? 1 + tall : 1);
}

/* Of a stream: blocks of clusters are the less out of step the more share operands. (Promoted
 * kernels' shares are charged in busiest_clocks().) */
static inline double stream_fit(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    if (is_own(view)) return 1;
    double fit = STREAM_FIT * (is_of_majors(view) ? MAJORS_STREAM : 1);
    for (int32_t blocks = c->cluster_m * c->cluster_n; blocks > 1; blocks /= 2)
        fit -= STREAM_SHARED;
    return fit;
}

/* And what it takes that the sharers of a tile are at other k-blocks than their neighbours: these
 * do not find in the cache what they would else, the less the more bytes the operands have. share:
 * of the product that is dealt out. */
static inline double stream_cold(bool own, double unique, double share)
{
    return own ? 1 : 1 + STREAM_COLD * share * unique / (unique + STREAM_COLD_BYTES);
}

/* What a launch takes that fills the device, before it multiplies. */
static inline double start_us(const struct gemm_view *view, const struct gemm_instance *instance)
{
    return of(is_own(view), PROMOTED_FULL_US, FULL_US) +
           WARPGROUPS_US * gemm_threads(instance) / 128.0;
}

/* What a promise about B saves. */
static inline double ready_us(const struct gemm_instance *instance)
{
    return instance->image == GEMM_EARLY ? READY_US : 0;
}

/* What a pingpong takes of what the other terms make of it. */
static inline double turn_fit(const struct gemm_view *view)
{
    if (a_begins_inside(view)) return TURN_TORN;
    return TURN_FIT * (is_of_majors(view) ? MAJORS_TURN : 1);
}

#endif
