/* Less than any configuration of a kernel should cost (model.c), by what is known before it is
 * worked out. */
#include "kernels/gemm/model_terms.h"

/* Of a load's latency where clusters merge what they ask of A (merged_latency()). */
#define LEAST_MERGED smaller(MERGED_PAIRS, smaller(MERGED_MORE, MERGED_LOW))

/* Of a pingpong's tile, with the panels that cost least. */
static double least_turn_end(const struct gemm_view *view, const struct gemm_instance *instance)
{
    const double columns = columns_of(instance), wide = view->out_bytes == 4 ? 2 : 1;
    const double panel = smaller(TURN_PANEL, wide > 1 ? TURN_STRAIGHT_PANEL : TURN_ONE_PANEL);
    return TURN_CLOCKS + epilogue_clocks(view, columns) +
           columns / GEMM_SLAB_ROWS * wide * outputs(view) * panel;
}

static double multiply_of(const struct gemm_view *view, const struct gemm_instance *instance)
{
    const double columns = 2 * instance->wgs * larger(LEAST_COLUMNS, instance->bn);
    if (is_own(view)) return multiply_clocks(view, instance);
    return view->conv.images > 0 ? columns : columns * MULTIPLY_FIT;
}

static double fit_of(const struct gemm_view *view, const struct gemm_instance *instance)
{
    const double registers = view->out_bytes == 4 ? FROM_REGISTERS : 1;
    const double pingpong = instance->pingpong ? turn_fit(view) * registers : 1;
    return pingpong * (gemm_is_high(instance) ? HIGH_FIT : 1) *
           (view->conv.images > 0 ? CONV_SQUARES : 1);
}

struct gemm_bound gemm_bound_of(const struct tmap_gemm *suite, const struct gemm_view *view,
                                const struct gemm_instance *instance)
{
    const bool own = is_own(view), conv = view->conv.images > 0;
    const int32_t tile_m = gemm_tile_m(instance);
    const double columns = columns_of(instance);
    const struct tmap_gemm_config tile = {.tile_m = tile_m, .tile_n = instance->bn};
    const double stages = suite->smem_optin_bytes / gemm_stage_bytes(instance);
    return (struct gemm_bound){.view = view,
                               .suite = suite,
                               .instance = instance,
                               .own = own,
                               .conv = conv,
                               .multiply = multiply_of(view, instance),
                               .k_blocks = k_blocks_of(view),
                               .unique = unique_bytes(view),
                               .row_bytes = own_bytes(view, 1, 0),
                               .column_bytes = own_bytes(view, 0, 1),
                               .tile = end_clocks(instance),
                               .stored = outputs(view) * PANEL_CLOCKS * columns / GEMM_SLAB_ROWS *
                                         wide_panels(view, instance),
                               .addend = view->adds_c ? ADDEND_CLOCKS * columns : 0,
                               .turn_end = instance->pingpong ? least_turn_end(view, instance) : 0,
                               .aside = stored_aside(own, tile_m),
                               .latency = conv ? 0 : LOAD_LATENCY / larger(1, stages),
                               .fit = fit_of(view, instance),
                               .merged = gemm_merged_fit(suite, view, &tile),
                               .shape = tile,
                               .us = 1 / clocks_per_us(suite),
                               .start_us = start_us(view, instance),
                               .ready_us = ready_us(instance)};
}

/* Of a tile's end, at the least. */
static double least_end_clocks(const struct gemm_bound *b, const struct tmap_gemm_config *c)
{
    return b->tile + epilogue_clocks(b->view, columns_of(b->instance) / c->split_k) + b->addend +
           (c->split_k > 1 ? part_clocks(c, b->own) : b->stored);
}

/* Of what comes before a block's first k-block. */
static double first_clocks(const struct gemm_bound *b, const struct tmap_gemm_config *c)
{
    return FIRST_CLOCKS * 128.0 / 32768 *
           (rows_of(b->view->m, b->shape.tile_m, c->cluster_n) +
            rows_of(b->view->n, b->shape.tile_n, c->cluster_m));
}

/* What clusters have in common however K is split. */
void gemm_bound_cluster(struct gemm_bound *b, int32_t rows, int32_t cols)
{
    struct tmap_gemm_config *c = &b->shape;
    c->cluster_m = rows, c->cluster_n = cols;
    const double own = b->row_bytes * rows_of(b->view->m, b->shape.tile_m, cols) / cols +
                       b->column_bytes * rows_of(b->view->n, b->shape.tile_n, rows) / rows;
    b->tiles = (double)gemm_ceil_div(b->view->m, b->shape.tile_m * rows) *
               gemm_ceil_div(gemm_tiled_columns(b->view), b->shape.tile_n * cols) * b->view->batch;
    b->loaded = own * b->tiles * rows * cols * b->k_blocks;
    b->first = first_clocks(b, c);
    b->load = own * byte_clocks(b->own, b->unique, b->loaded);
}

/* Less than in_step(), gemm_merged_fit() and stream_fit() come to of any shape of clusters. */
static double least_waits(void)
{
    const double once = smaller(SQUARES_ONCE, smaller(EIGHTS_ONCE, PAIRS_ONCE));
    return once * (STREAM_FIT - 3 * STREAM_SHARED) * smaller(1, MAJORS_STREAM);
}

/* All SMs at work all the time. Blocks that have a way into the cache to themselves load more
 * quickly, but are on half of the SMs then. */
bool gemm_cluster_is_slower(const struct gemm_bound *b, double than_us)
{
    const int32_t members = b->shape.cluster_m * b->shape.cluster_n;
    const double blocks = b->tiles * members * b->k_blocks / b->suite->gpu.sm_count;
    const double loads = larger(larger(b->load, BLOCK_CLOCKS), LEAST_MERGED * b->latency);
    const double clocks = blocks * (b->conv ? b->multiply : larger(b->multiply, loads));
    const double waits = members > 1 ? least_waits() : 1;
    return (clocks + b->tile + b->first) * b->us * b->fit * waits > than_us + b->ready_us;
}

void gemm_bound_split(struct gemm_bound *b, int32_t split_k)
{
    struct tmap_gemm_config *c = &b->shape;
    c->split_k = split_k;
    b->members = c->cluster_m * c->cluster_n * split_k;
    b->clusters = larger(1, b->suite->resident[b->members]); /* 0: it cannot be anyway */
    c->clusters = (int32_t)b->clusters;
    b->end = least_end_clocks(b, c);
    const double k_blocks = b->k_blocks / split_k, rounds = b->tiles / b->clusters;
    const double waits = b->fit * in_step(c, split_k > 1 ? 1 : up(rounds), k_blocks, b->own);
    b->waits[0] = waits * (gemm_can_merge_b(c) ? b->merged : 1);
    b->waits[1] = waits * (split_k > 1 ? 1 : stream_fit(b->view, c));
    b->memory_us = 0;
}

/* What its power, the cache and memory take: only for what multiplies and loads leave open. Until
 * then memory_us is 0. */
static void bound_all(struct gemm_bound *b)
{
    const struct gemm_choice choice = {.instance = b->instance, .config = b->shape};
    const double bytes = memory_bytes(b->view, &b->shape);
    b->power_us = energy_us(b->suite, b->view, &choice, bytes);
    b->cache_us = b->conv ? 0 : cache_us(b->suite, b->view, &(struct traffic){.loaded = b->loaded});
    b->memory_us = bytes / memory_bytes_per_us(b->suite);
}

/* What the busiest cluster has to do in one of the ways to deal tiles out (deal.c). */
struct way {
    double rounds, k_blocks; /* of whole tiles, each of so many k-blocks */
    double shared;           /* k-blocks of a tile that others share */
    double ends;             /* clocks beside those of k-blocks */
    double latency, alone, waits, start_us;
};

/* Of so many tiles, each under the next one's loads; those of a split are not. */
static double ends_of(const struct gemm_bound *b, double rounds)
{
    return rounds * larger(0, b->end - (b->shape.split_k > 1 ? 0 : b->aside));
}

/* Whole tiles, one after the other. Of clusters that have turns some are left out. */
static struct way whole_tiles(const struct gemm_bound *b)
{
    static const double IN_TURN = 0.9;
    const struct tmap_gemm_config *c = &b->shape;
    const bool split = c->split_k > 1;
    const double clusters = split || b->tiles < b->clusters ? b->tiles : b->clusters;
    const double rounds = rounds_of(b->own, b->tiles, b->clusters);
    const double full = smaller(1, clusters * b->members / b->suite->gpu.sm_count);
    const bool merges = gemm_can_merge_a(c, b->tiles);
    return (struct way){.rounds = rounds,
                        .k_blocks = split ? up(b->k_blocks / c->split_k) : b->k_blocks,
                        .ends = b->end + ends_of(b, rounds - 1),
                        .latency = b->latency * (merges ? LEAST_MERGED : 1),
                        .alone = 2 * clusters <= b->clusters ? ALONE : 1,
                        .waits = b->waits[0],
                        .start_us = IN_TURN * full * b->start_us};
}

/* Of tiles that are split besides: few are, and each by many. */
static bool deal_split(const struct gemm_bound *b, int32_t way, struct way *out)
{
    const double split = b->shape.split_k;
    if (!gemm_dealt_tiles(way, b->shape.split_k, (int64_t)b->tiles, (int32_t)b->clusters))
        return false;
    *out = (struct way){.shared = b->tiles / b->clusters * b->k_blocks / split,
                        .ends = b->end + of(b->own, PROMOTED_DEEP_CLOCKS, DEEP_CLOCKS),
                        .latency = b->latency,
                        .alone = b->tiles < b->clusters ? ALONE : 1,
                        .waits = b->waits[1]};
    return true;
}

/* The way's own, where there is such a configuration. */
static bool deal_out(const struct gemm_bound *b, int32_t way, struct way *out)
{
    struct tmap_gemm_config c = b->shape;
    if (c.split_k > 1) return deal_split(b, way, out);
    c.stream_k = way;
    if (!gemm_deal_to_clusters(&c, (int64_t)b->tiles, (int32_t)b->k_blocks, (int32_t)b->clusters,
                               b->members, b->suite->gpu.sm_count))
        return false;
    const double rounds = up((b->tiles - c.stream_k) / c.clusters);
    const bool follows = b->tiles > c.stream_k;
    const double by_one = handing_over(&c, b->own, false, follows);
    const bool may = gemm_sharers_of_each(b->instance, &c, (int64_t)b->tiles) >= GEMM_TOGETHER;
    const double over = may ? smaller(by_one, handing_over(&c, b->own, true, follows)) : by_one;
    const double full = smaller(1, (double)c.clusters * b->members / b->suite->gpu.sm_count);
    *out =
        (struct way){.rounds = rounds,
                     .k_blocks = b->k_blocks,
                     .shared = up(c.stream_k * b->k_blocks / c.clusters),
                     .ends = ends_of(b, rounds) + b->end + over,
                     .latency = b->latency,
                     .alone = 2.0 * c.clusters <= b->clusters ? ALONE : 1,
                     .waits = b->waits[1] * stream_cold(b->own, b->unique, c.stream_k / b->tiles),
                     .start_us = full * b->start_us};
    return true;
}

/* The clocks of the way's cluster, where a k-block takes so many. */
static double way_clocks(const struct gemm_bound *b, const struct way *w, double block)
{
    const double sum = w->k_blocks * block;
    if (b->instance->pingpong)
        return w->rounds * turn_clocks(sum, b->turn_end) + larger(b->turn_end, b->end) + b->first;
    return w->rounds * sum + w->shared * block + w->ends + b->first;
}

static double loads_of(const struct gemm_bound *b, const struct way *w)
{
    return larger(larger(b->load / w->alone, BLOCK_CLOCKS), w->latency);
}

/* A convolution's loads are not counted by bytes. */
static double least_block(const struct gemm_bound *b, const struct way *w)
{
    return b->conv ? b->multiply : larger(b->multiply, loads_of(b, w));
}

bool gemm_dealing_is_slower(const struct gemm_bound *b, double than_us)
{
    const struct way w = {.alone = b->tiles < b->clusters ? ALONE : 1, .latency = b->latency};
    const double blocks = b->tiles / b->clusters * b->k_blocks / b->shape.split_k;
    const double us = (blocks * least_block(b, &w) + b->end + b->first +
                       (b->own ? 0 : smaller(PART_CLOCKS, DEEP_CLOCKS))) *
                      b->us * b->waits[1];
    return us > than_us + b->ready_us;
}

bool gemm_is_slower(struct gemm_bound *b, int32_t way, double than_us)
{
    struct way w;
    if (way == 0)
        w = whole_tiles(b);
    else if (!deal_out(b, way, &w))
        return true; /* there is no such configuration */
    const double most = than_us + b->ready_us - w.start_us;
    if (way_clocks(b, &w, least_block(b, &w)) * b->us * w.waits > most) return true;
    if (b->memory_us == 0) bound_all(b);
    const double block = b->conv ? b->multiply : softly(b->multiply, loads_of(b, &w));
    const double us = way_clocks(b, &w, block) * b->us;
    const double powered = (b->power_us > us ? mean(us, b->power_us) : us) * w.waits;
    return softly(larger(powered, b->cache_us), b->memory_us) > most;
}
