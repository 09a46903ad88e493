/* Which configurations a search by trial looks at. What the model ranks wrong it ranks wrong by the
 * sort: of products of a deep K with M and N of hundreds it takes blocks that share nothing for
 * half as dear again as they are. Its first ones are much alike; so every third look goes to a
 * sort that has had none (docs/EXPERIMENTS.md). */
#include <string.h>

#include "kernels/gemm/suite.h"

/* So many columns of a tile are as good as alike. */
enum { ALIKE_COLUMNS = 64 };

/* Of one height, about one width, one way to share tiles out, and clusters of one size. */
static bool is_one_sort(const struct tmap_gemm_config *x, const struct tmap_gemm_config *y)
{
    return x->tile_m == y->tile_m &&
           (x->tile_n - 1) / ALIKE_COLUMNS == (y->tile_n - 1) / ALIKE_COLUMNS &&
           (x->pingpong > 0) == (y->pingpong > 0) && (x->split_k > 1) == (y->split_k > 1) &&
           (x->stream_k > 0) == (y->stream_k > 0) &&
           x->cluster_m * x->cluster_n == y->cluster_m * y->cluster_n;
}

static bool is_new(const struct tmap_gemm_config *configs, size_t kept,
                   const struct tmap_gemm_config *other)
{
    for (size_t i = 0; i < kept; i++)
        if (is_one_sort(&configs[i], other)) return false;
    return true;
}

void gemm_order_looks(struct tmap_gemm_config *configs, size_t count, size_t most)
{
    size_t kept = most - most / 3;
    for (size_t i = kept; i < count && kept < most; i++) {
        const struct tmap_gemm_config other = configs[i];
        if (!is_new(configs, kept, &other)) continue;
        memmove(&configs[kept + 1], &configs[kept], (i - kept) * sizeof *configs);
        configs[kept++] = other;
    }
}
