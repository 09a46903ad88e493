/* Less than any configuration of a kernel should cost (model.c), by what is known before it is
 * worked out. */
#include "kernels/gemm/model_terms.h"

struct gemm_bound gemm_bound_of(const struct tmap_gemm *suite, const struct gemm_view *view,
                                const struct gemm_instance *instance)
{
    const bool own = is_own(view), conv = view->conv.images > 0, high = gemm_is_high(instance);
    const int32_t tile_m = gemm_tile_m(instance);
    const double n = larger(LEAST_COLUMNS, instance->bn);
    const double columns = (double)instance->bn * (instance->pingpong ? instance->wgs : 1);
    const double registers = view->out_bytes == 4 ? FROM_REGISTERS : 1;
    const double pingpong = instance->pingpong ? turn_fit(view) * registers : 1;
    return (struct gemm_bound){.view = view,
                               .suite = suite,
                               .instance = instance,
                               .tile_m = tile_m,
                               .tile_n = instance->bn,
                               .own = own,
                               .conv = conv,
                               .multiply = own    ? multiply_clocks(view, instance)
                                           : conv ? 2 * instance->wgs * n
                                                  : 2 * instance->wgs * n * MULTIPLY_FIT,
                               .k_blocks = k_blocks_of(view),
                               .unique = unique_bytes(view),
                               .row_bytes = own_bytes(view, 1, 0),
                               .column_bytes = own_bytes(view, 0, 1),
                               .tile = end_clocks(instance),
                               .stored = outputs(view) * PANEL_CLOCKS * columns / GEMM_SLAB_ROWS,
                               .fit = pingpong * (high ? HIGH_FIT : 1) * (conv ? CONV_SQUARES : 1),
                               .us = 1 / clocks_per_us(suite),
                               .ready_us = ready_us(instance)};
}

/* Of a tile's end and of what comes before its first k-block, at the least. */
static double least_end_clocks(const struct gemm_bound *b, const struct tmap_gemm_config *c)
{
    const double received = 128.0 * (rows_of(b->view->m, b->tile_m, c->cluster_n) +
                                     rows_of(b->view->n, b->tile_n, c->cluster_m));
    return b->tile + (c->split_k > 1 ? part_clocks(c, b->own) : b->stored) +
           FIRST_CLOCKS * received / 32768;
}

void gemm_bound_shape(struct gemm_bound *b, const struct tmap_gemm_config *shape)
{
    const int32_t cols = shape->cluster_n, rows = shape->cluster_m, members = rows * cols;
    struct tmap_gemm_config *c = &b->shape;
    *c = *shape;
    c->tile_m = b->tile_m, c->tile_n = b->tile_n, c->stream_k = 0;
    const double own = b->row_bytes * rows_of(b->view->m, b->tile_m, cols) / cols +
                       b->column_bytes * rows_of(b->view->n, b->tile_n, rows) / rows;
    b->tiles = (double)gemm_ceil_div(b->view->m, b->tile_m * rows) *
               gemm_ceil_div(gemm_tiled_columns(b->view), b->tile_n * cols) * b->view->batch;
    b->clusters = larger(1, b->suite->resident[members * c->split_k]); /* 0: it cannot be anyway */
    b->loaded = own * b->tiles * members * b->k_blocks;
    b->end = least_end_clocks(b, c);
    const double load = own * byte_clocks(b->own, b->unique, b->loaded);
    const bool alone[2] = {b->tiles * 2 <= b->clusters, b->tiles < b->clusters};
    for (int dealt = 0; dealt < 2; dealt++)
        b->load[dealt] = larger(load / (alone[dealt] ? ALONE : 1), BLOCK_CLOCKS);
    const double k_blocks = b->k_blocks / c->split_k, rounds = b->tiles / b->clusters;
    b->sum_blocks[0] = rounds_of(b->own, b->tiles, b->clusters) * k_blocks;
    b->sum_blocks[1] = rounds * k_blocks;
    const double waits = b->fit * in_step(c, c->split_k > 1 ? 1 : up(rounds), k_blocks, b->own);
    b->waits[0] = waits * (gemm_can_merge_b(c) ? gemm_merged_fit(b->suite, b->view, c) : 1);
    b->waits[1] = waits * (c->split_k > 1 ? 1 : stream_fit(b->view, c));
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

/* What the clusters that share so many tiles hand over at the least, before they are counted. */
static double least_handing_over(const struct gemm_bound *b, int64_t tiles)
{
    struct tmap_gemm_config c = b->shape;
    if (c.split_k > 1) return of(b->own, PROMOTED_DEEP_CLOCKS, DEEP_CLOCKS);
    const double sharers = smaller(b->clusters / (double)tiles, b->k_blocks / GEMM_LEAST_SHARE);
    c.stream_k = 1, c.clusters = sharers > 1 ? (int32_t)sharers : 1; /* of each tile */
    const double by_one = handing_over(&c, b->own, false);
    return c.clusters < GEMM_TOGETHER ? by_one : smaller(by_one, handing_over(&c, b->own, true));
}

/* What the busiest cluster takes at the least, of whole tiles or dealt out. */
static double least_us(const struct gemm_bound *b, bool dealt, double end)
{
    /* A convolution's loads are not counted by bytes. */
    const double least = b->conv ? b->multiply : larger(b->multiply, b->load[dealt]);
    return (b->sum_blocks[dealt] * least + end) * b->us * b->waits[dealt];
}

bool gemm_dealing_is_slower(const struct gemm_bound *b, double than_us)
{
    return least_us(b, true, b->end) > than_us + b->ready_us;
}

bool gemm_is_slower(struct gemm_bound *b, int32_t way, double than_us)
{
    const bool dealt = way > 0;
    const double load = b->load[dealt], waits = b->waits[dealt], most = than_us + b->ready_us;
    double end = b->end;
    if (dealt) {
        const int64_t tiles =
            gemm_dealt_tiles(way, b->shape.split_k, (int64_t)b->tiles, (int32_t)b->clusters);
        if (tiles == 0) return true; /* there is no such configuration */
        end += least_handing_over(b, tiles);
    }
    if (least_us(b, dealt, end) > most) return true;
    if (b->memory_us == 0) bound_all(b);
    const double block = b->conv ? b->multiply : softly(b->multiply, load);
    const double us = (b->sum_blocks[dealt] * block + end) * b->us;
    const double powered = (b->power_us > us ? mean(us, b->power_us) : us) * waits;
    return softly(larger(powered, b->cache_us), b->memory_us) > most;
}
