/* In which order the clusters of a launch are started, and from it which places they take. */
#include "kernels/gemm/suite.h"

/* Seen with one block an SM on H100s and H200s of 132 SMs (driver 580.159.04, 2026-11-28): %smid by
 * cluster; which SMs are one GPC's by clusters of 16. It holds for a launch that finds the device
 * empty: one that overlaps its predecessor gets SMs in the order in which they become free. */
static const struct {
    int32_t blocks; /* of a cluster */
    int32_t lone;   /* clusters that are started before the turns */
    int32_t eights, sevens;
} orders[] = {{2, 4, 4, 4}, {4, 0, 2, 2}, {8, 0, 1, 1}};

enum { SMS = 132 };

static int32_t members_of(const struct tmap_gemm_config *c)
{
    return c->cluster_m * c->cluster_n * c->split_k;
}

/* Clusters that share a tile wait for those of lower numbers, which start no later, and keep their
 * places. */
static bool may_turn(const struct tmap_gemm_config *c)
{
    return members_of(c) > 1 && c->stream_k <= 0;
}

bool gemm_can_merge_a(const struct tmap_gemm_config *c, double tiles)
{
    return tiles <= c->clusters && may_turn(c) && c->cluster_n * c->split_k == 1;
}

bool gemm_can_merge_b(const struct tmap_gemm_config *c)
{
    return may_turn(c) && c->cluster_m * c->split_k == 1 && c->cluster_n == 2;
}

struct gemm_turns gemm_turns_of(int32_t sms, int32_t blocks, int32_t clusters)
{
    struct gemm_turns t = {0};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0] && sms == SMS; i++) {
        const int32_t lone = orders[i].lone, eights = 8 * orders[i].eights;
        const int32_t end = lone + eights + 7 * orders[i].sevens;
        const int32_t having = clusters < end ? clusters : end;
        if (orders[i].blocks != blocks || having <= lone + 8)
            continue; /* or no GPC has two turns */
        const int32_t turns = having - lone, in_sevens = turns > eights ? turns - eights : 0;
        const int32_t early = turns - in_sevens;
        t.lone = (uint8_t)lone;
        t.in_eights = (uint8_t)eights;
        t.end = (uint8_t)having;
        t.first = (uint8_t)(lone + early / 8 + (early % 8 > 0));
        t.each = (uint8_t)(early / 8 + in_sevens / 7);
        t.more = (uint8_t)(in_sevens ? in_sevens % 7 : early % 8 > 0 ? early % 8 - 1 : 0);
    }
    return t;
}

bool gemm_has_turns(const struct tmap_gemm *suite, const struct tmap_gemm_config *c)
{
    return suite->family == GEMM_SM90 && may_turn(c) &&
           gemm_turns_of(suite->gpu.sm_count, members_of(c), c->clusters).end > 0;
}

bool gemm_takes_turns(const struct tmap_gemm *suite, const struct tmap_gemm_config *c)
{
    return (c->overlap < 0 || c->overlap == GEMM_LATE) && gemm_has_turns(suite, c);
}

int32_t gemm_clusters_in_turn(const struct tmap_gemm *suite, const struct tmap_gemm_config *c,
                              int64_t tiles)
{
    if (!gemm_can_merge_b(c) || c->group != GEMM_PAIRS_OF_A_GPC || !gemm_takes_turns(suite, c))
        return c->clusters;
    const int32_t turns = gemm_turns_of(suite->gpu.sm_count, members_of(c), c->clusters).end;
    return (tiles + turns - 1) / turns > (tiles + c->clusters - 1) / c->clusters ? c->clusters
                                                                                 : turns;
}

double gemm_asked_of_b(const struct tmap_gemm *suite, const struct tmap_gemm_config *c)
{
    /* By 16384 cubed, where 192 x 256 in pairs along N takes 1.2 % less than along M, both waiting
     * (H200, 2026-11-28). */
    const double merged = 0.66;
    const bool along_m = gemm_can_merge_b(c) && c->group >= GEMM_PAIRS_OF_A_GPC;
    return along_m && gemm_takes_turns(suite, c) ? merged : 1;
}

double gemm_asked(const struct tmap_gemm *suite, const struct tmap_gemm_config *c)
{
    return gemm_asked_of_b(suite, c) / c->tile_m / c->cluster_m + 1.0 / c->tile_n / c->cluster_n;
}
