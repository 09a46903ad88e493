// Which tile comes next. Tiles are numbered batch by batch; inside one, `group` rows of tiles are
// walked down before a step along N, and every second group walks N backwards, so that neighbours
// in time share operands in the L2 cache.
#pragma once

#include "kernels/gemm/params.h"

struct tile {
    int32_t m, n, batch; // in cluster tiles
};

// A division takes more than 100 clocks, one after the other before the first load: where there is
// one batch, or one group, its division is passed over.
PTX_FN tile tile_of(const gemm_params &p, int32_t index)
{
    const int32_t per_batch = p.tiles_m * p.tiles_n;
    const int32_t batch = p.batch > 1 ? index / per_batch : 0;
    const int32_t rest = index - batch * per_batch;
    const int32_t per_group = p.group * p.tiles_n;
    const int32_t group = p.group < p.tiles_m ? rest / per_group : 0;
    const int32_t first_m = group * p.group;
    const int32_t rows = min(p.group, p.tiles_m - first_m);
    const int32_t inside = rest - group * per_group;
    const int32_t n = inside / rows;
    return {first_m + inside - n * rows, group & 1 ? p.tiles_n - 1 - n : n, batch};
}

// A cluster's work: a tile, and the k-blocks of it to sum.
struct work {
    int32_t index, k_begin, k_end;
};

// Where cluster c's share of the stream tiles' k-blocks begins. (A 64-bit division here would be a
// call, and a kernel with a call gets no more registers than it was launched with.)
PTX_FN int32_t stream_begin(const gemm_params &p, int32_t cluster)
{
    return p.stream_share * cluster + min(cluster, p.stream_rest);
}

// First the share of the stream tiles, from its end to its beginning, then whole tiles. So a tile
// that several clusters share is the first thing that all but the highest of them do, and the last
// of the stream that the highest does: it adds the others' parts, and seldom waits for them. It
// waits for lower clusters only, which the hardware starts no later.
//
// Where `p.deep` clusters share each tile and have nothing else to do, those of one stretch of K
// have neighbouring numbers: they are on neighbouring SMs, and L2 answers at once what several of
// these ask for. (Of a split, k-blocks are counted a block.)
struct worklist {
    int32_t unit_begin, unit_end, next;

    PTX_FN worklist() {}
    PTX_FN worklist(const gemm_params &p, int32_t cluster)
    {
        unit_begin = unit_end = 0;
        if (p.deep > 1) {
            const int32_t part = cluster / p.stream_tiles, tile = cluster - part * p.stream_tiles;
            unit_begin = tile * p.k_blocks + stream_begin(p, part);
            unit_end = tile * p.k_blocks + stream_begin(p, part + 1);
        } else if (p.stream_tiles) {
            unit_begin = stream_begin(p, cluster);
            unit_end = stream_begin(p, cluster + 1);
        }
        next = p.stream_tiles + cluster;
    }
    PTX_FN bool take(const gemm_params &p, work &w)
    {
        if (unit_end > unit_begin) {
            const int32_t tile = (unit_end - 1) / p.k_blocks, first = tile * p.k_blocks;
            w = {tile, max(unit_begin, first) - first, unit_end - first};
            unit_end = max(unit_begin, first);
            return true;
        }
        w = {next, 0, p.k_blocks};
        next += p.clusters;
        return w.index < p.total;
    }
};
