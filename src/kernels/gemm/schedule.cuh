// Which tile comes next. Tiles are numbered batch by batch; inside one, `group` rows of tiles are
// walked down before a step along N, and every second group walks N backwards, so that neighbours
// in time share operands in the L2 cache.
#pragma once

#include "params.h"

struct tile {
    int32_t m, n, batch; // in cluster tiles
};

PTX_FN tile tile_of(const gemm_params &p, int32_t index)
{
    const int32_t per_batch = p.tiles_m * p.tiles_n;
    const int32_t batch = index / per_batch;
    const int32_t rest = index - batch * per_batch;
    const int32_t per_group = p.group * p.tiles_n;
    const int32_t group = rest / per_group;
    const int32_t first_m = group * p.group;
    const int32_t rows = min(p.group, p.tiles_m - first_m);
    const int32_t inside = rest - group * per_group;
    const int32_t n = inside / rows;
    return {first_m + inside - n * rows, group & 1 ? p.tiles_n - 1 - n : n, batch};
}
