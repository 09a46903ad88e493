/* What a problem asks of the memory and the caches under a configuration (model.c). */
#ifndef TMAP_KERNELS_GEMM_MODEL_TRAFFIC_H
#define TMAP_KERNELS_GEMM_MODEL_TRAFFIC_H

#include "kernels/gemm/model_arithmetic.h"
#include "kernels/gemm/model_constants.h"
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

/* Rows of an operand that a block loads: no more than there are, unless it shares them. */
static inline double rows_of(int32_t size, int32_t tile, int32_t sharers)
{
    return sharers == 1 && size < tile ? size : tile;
}

struct traffic {
    double own, received; /* bytes that a block loads, and that reach it, a k-block */
    double unique;        /* bytes of the operands */
    double loaded;        /* by all blocks */
    double blocks;        /* that load at once */
    double zeros;         /* rows a k-block that a block loads though they lie outside */
    double alike;         /* clusters that ask for the same bytes of an operand, at the most */
    double alone;         /* what having a way into the cache to itself makes of a block's rate */
    double latency; /* of a load, where the GPC's clusters want the same: of what it is else */
};

static inline double k_blocks_of(const struct gemm_view *view)
{
    return up((double)view->k / view->span);
}

/* A of a convolution is read from memory once; its taps find it in the caches. */
static inline double a_bytes(const struct gemm_view *view)
{
    const struct gemm_conv_view *v = &view->conv;
    if (v->images == 0) return (double)view->m * view->k * (view->element_bits / 8.0);
    return (double)v->images * v->in[0] * v->in[1] * v->in[2] * v->channels *
           (view->element_bits / 8.0);
}

static inline double unique_bytes(const struct gemm_view *view)
{
    return (a_bytes(view) + (double)view->n * view->k * (view->element_bits / 8.0)) * view->batch;
}

/* Rows of an operand's last tile that lie outside it, in the worst of its pieces, shared out over
 * the clusters along it: the copy engine fills them with zeros. */
static inline double zero_rows(int32_t size, int32_t tile, int32_t along, int32_t sharers)
{
    const double piece = rows_of(size, tile, sharers) / sharers;
    const double tiles = up((double)size / tile), last = size - (tiles - 1) * tile;
    const double outside = smaller(piece, piece * sharers - last);
    return outside > 0 ? outside / up(tiles / along) : 0;
}

/* Whether an operand's rows begin inside a sector of 32 bytes, every second one: a box takes one
 * more sector of it. So many elements apart; where even and odd rows are a batch each, those of A
 * are twice as far. Convolutions' loads are not counted by bytes. */
static inline bool begins_inside(const struct gemm_view *view, int64_t ld)
{
    return view->conv.images == 0 && ld * view->element_bits / 8 % GEMM_SECTOR_BYTES != 0;
}
static inline bool a_begins_inside(const struct gemm_view *view)
{
    return begins_inside(view, view->apart ? view->a.ld / 2 : view->a.ld);
}

/* Bytes of K that a block loads, a k-block, of so many rows of A and columns of B that it shares.
 */
static inline double own_bytes(const struct gemm_view *view, double rows, double cols)
{
    return 128 * (rows * (a_begins_inside(view) ? TORN_LOADS : 1) +
                  cols * (begins_inside(view, view->b.ld) ? TORN_LOADS : 1));
}

/* Whether A lies by rows of M, or B by rows of N; a convolution's filters were not timed so. */
static inline bool a_by_rows(const struct gemm_view *view)
{
    return view->a.mn_major && view->conv.images == 0;
}
static inline bool b_by_rows(const struct gemm_view *view)
{
    return view->b.mn_major && view->conv.images == 0;
}

/* Columns of B that a tile loads: an operand by rows of N comes in whole boxes. */
static inline int32_t loaded_columns(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    return b_by_rows(view) ? gemm_ceil_div(c->tile_n, GEMM_SLAB_ROWS) * GEMM_SLAB_ROWS : c->tile_n;
}

/* Groups and convolutions were not timed so. */
static inline double merged_latency(const struct gemm_view *view, const struct tmap_gemm_config *c,
                                    double tiles)
{
    if (view->grouped || view->conv.images > 0) return 1;
    if (c->group > 1 || !gemm_can_merge_a(c, tiles)) return 1;
    if (c->tile_m == GEMM_SLAB_ROWS) return MERGED_LOW;
    return c->cluster_m == 2 ? MERGED_PAIRS : MERGED_MORE;
}

/* A cluster's tiles, of all batches. */
static inline double cluster_tiles(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    return up(up((double)view->m / c->tile_m) / c->cluster_m) *
           up(up((double)gemm_tiled_columns(view) / c->tile_n) / c->cluster_n) * view->batch;
}

static inline struct traffic traffic_of(const struct tmap_gemm *suite, const struct gemm_view *view,
                                        const struct tmap_gemm_config *c, double tiles)
{
    const double rows = rows_of(view->m, c->tile_m, c->cluster_n);
    const double cols = rows_of(view->n, loaded_columns(view, c), c->cluster_m) *
                        (c->patch > 0 ? GEMM_PATCH_TAPS : 1);
    const int32_t members = c->cluster_m * c->cluster_n * c->split_k;
    struct traffic t;
    t.received = 128 * (rows + cols);
    t.own = own_bytes(view, rows / c->cluster_n, cols / c->cluster_m);
    t.unique = unique_bytes(view);
    t.loaded = t.own * tiles * c->cluster_m * c->cluster_n * k_blocks_of(view);
    t.blocks = smaller((double)c->clusters * members, suite->gpu.sm_count);
    t.zeros = zero_rows(view->m, c->tile_m, c->cluster_m, c->cluster_n) +
              zero_rows(view->n, c->tile_n, c->cluster_n, c->cluster_m);
    t.alike = larger(t.blocks / c->cluster_m / up((double)view->n / c->tile_n),
                     t.blocks / c->cluster_n / up((double)view->m / c->tile_m));
    t.alone = 2.0 * c->clusters <= suite->resident[members] ? ALONE : 1;
    t.latency = merged_latency(view, c, tiles);
    return t;
}

#endif
