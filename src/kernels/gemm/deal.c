/* How a product's tiles are dealt out to clusters: whole, by k-blocks, or split along K. */
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

/* Of how many tiles a way deals the k-blocks out, where so many clusters fit: 1 those that are left
 * after whole rounds; 2 a round more; 3 few tiles, each shared by the same number of clusters. Of a
 * split, 2 and 3 are for few tiles. 0: there is nothing to deal out so. */
int64_t gemm_dealt_tiles(int32_t way, int32_t split, int64_t tiles, int32_t resident)
{
    if (split > 1) return way > 1 && tiles * (way == 3 ? 2 : 4) <= resident ? tiles : 0;
    if (way == 3) return tiles * 2 > resident ? 0 : tiles;
    const int64_t left = tiles % resident + (int64_t)(way - 1) * resident;
    return left > tiles ? 0 : left;
}

/* Of a split whose tiles are fewer than the clusters that fit: how many clusters share each, as
 * many as fit (way 3) or half of them (way 2). A share of few k-blocks would cost more to hand over
 * than to sum. `exactly` is a request's number of clusters, or 0. */
static bool deal_deep(struct tmap_gemm_config *c, int32_t way, int64_t tiles, int32_t k_blocks,
                      int32_t resident, int32_t exactly)
{
    enum { LEAST_SHARE = 2 };
    const int32_t rounds = gemm_ceil_div(k_blocks, c->split_k);
    if (gemm_dealt_tiles(way, c->split_k, tiles, resident) == 0) return false;
    int64_t most = resident / tiles;
    if (most > rounds / LEAST_SHARE) most = rounds / LEAST_SHARE;
    const int64_t deep = way == 3 ? most : most / 2;
    if (deep < 2) return false;
    if (exactly && tiles * deep != exactly) return false;
    c->stream_k = (int32_t)tiles;
    c->clusters = (int32_t)(tiles * deep);
    return true;
}

/* A split of K that is asked of a later family: so many clusters share every tile, whose parts meet
 * in the workspace, as all tiles dealt out by k-blocks. */
static bool deal_split(struct tmap_gemm_config *c, int32_t exactly, int64_t tiles, int32_t members,
                       int32_t sm_count)
{
    const bool first = c->stream_k == 0; /* of the ways to deal, which come to the same here */
    const int64_t clusters = tiles * c->split_k;
    if (!first || clusters * members > sm_count || (exactly && exactly != clusters)) return false;
    c->stream_k = (int32_t)tiles;
    c->clusters = (int32_t)clusters;
    return true;
}

/* A cluster for every tile, of which those run that have room. */
static bool deal_dynamic(struct tmap_gemm_config *c, int64_t tiles)
{
    enum { MOST = 65535 }; /* of the configuration's clusters */
    if (c->stream_k > 0 || c->split_k > 1 || tiles > MOST) return false;
    c->stream_k = -1;
    c->clusters = (int32_t)tiles;
    return true;
}

bool gemm_deal_to_clusters(struct tmap_gemm_config *c, int64_t tiles, int32_t k_blocks,
                           int32_t resident, int32_t members, int32_t sm_count)
{
    const int32_t way = c->stream_k;
    c->clusters = c->split_k > 1 || tiles < resident ? (int32_t)tiles : resident;
    c->stream_k = -1;
    if (way == 0) return true;
    const int64_t left = gemm_dealt_tiles(way, 1, tiles, resident);
    if (left == 0) return false;
    c->stream_k = (int32_t)left;
    c->clusters = way == 3 ? (int32_t)(resident / tiles * tiles) : resident;
    if (left * k_blocks / GEMM_LEAST_SHARE < c->clusters) {
        if (left < tiles) return false;
        c->clusters = (int32_t)(left * k_blocks / GEMM_LEAST_SHARE);
    }
    return c->clusters > left / 2 && c->clusters * members <= sm_count;
}

/* After Hopper, each part of K has a cluster of its own. */
bool gemm_splits_apart(const struct gemm_choice *choice)
{
    return choice->instance->family != GEMM_SM90 && choice->config.split_k > 1;
}

/* Deals the tiles out to clusters in the way that the configuration asks for; false: it cannot. */
bool gemm_deal_tiles(const struct tmap_gemm *suite, const struct tmap_gemm_config *request,
                     struct gemm_choice *choice, int64_t tiles, int32_t k_blocks)
{
    struct tmap_gemm_config *c = &choice->config;
    const int32_t members = gemm_members(choice), sms = suite->gpu.sm_count;
    const int32_t resident = request->clusters ? request->clusters : suite->resident[members];
    if (resident < 1) return false;
    if (gemm_is_dynamic(choice->instance)) return deal_dynamic(c, tiles);
    if (gemm_splits_apart(choice)) return deal_split(c, request->clusters, tiles, members, sms);
    if (c->split_k > 1 && c->stream_k > 0)
        return deal_deep(c, c->stream_k, tiles, k_blocks, suite->resident[members],
                         request->clusters);
    return gemm_deal_to_clusters(c, tiles, k_blocks, resident, members, sms);
}

int32_t gemm_sharers_of_each(const struct gemm_instance *instance, const struct tmap_gemm_config *c,
                             int64_t tiles)
{
    const bool even = c->stream_k == tiles && c->clusters % tiles == 0;
    return even && instance->family == GEMM_SM90 ? (int32_t)(c->clusters / tiles) : 1;
}

enum { WORDS = GEMM_TOGETHER_BLOCKS * GEMM_TOGETHER_WGS };
_Static_assert(GEMM_BEGUN_AT + WORDS * 4 <= GEMM_TOGETHER_AT &&
                   GEMM_TOGETHER_AT + WORDS * GEMM_TOGETHER_MOST * 4 <= GEMM_FLAG_BYTES,
               "the sharers' words have room among the flags");

/* Where the kernel can, and D is what it stores so. */
int32_t gemm_adds_together(const struct gemm_view *view, const struct gemm_instance *instance,
                           const struct tmap_gemm_config *c, int64_t tiles)
{
    const int32_t sharers = gemm_sharers_of_each(instance, c, tiles);
    if (sharers < GEMM_TOGETHER || sharers > GEMM_TOGETHER_MOST || c->split_k > 1 ||
        c->clusters * c->cluster_m * c->cluster_n > GEMM_TOGETHER_BLOCKS ||
        !gemm_has_together(instance))
        return 0;
    if (view->grouped || view->transposed || view->adds_c || gemm_is_ragged(view)) return 0;
    const int32_t each = instance->wgs * GEMM_SLAB_ROWS * 8 * 4; /* of 8 columns of a part */
    return c->stages * (int32_t)gemm_stage_bytes(instance) / each / sharers;
}
