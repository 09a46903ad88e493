/* consumer.c : who can read a tile, by the names that requests use. */
#include "tmap/solve.h"

static const struct {
    const char *name;
    uint32_t consumer, major;
} consumers[] = {
    {"none", TMAP_CONSUMER_NONE, TMAP_K_MAJOR},
    {"ldmatrix", TMAP_CONSUMER_LDMATRIX, TMAP_K_MAJOR},
    {"wgmma_k_major", TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR},
    {"wgmma_mn_major", TMAP_CONSUMER_WGMMA, TMAP_MN_MAJOR},
    {"tcgen05_k_major", TMAP_CONSUMER_TCGEN05, TMAP_K_MAJOR},
    {"tcgen05_mn_major", TMAP_CONSUMER_TCGEN05, TMAP_MN_MAJOR},
};

bool tmap_consumer_at(size_t i, uint32_t *consumer, uint32_t *major)
{
    if (i >= sizeof consumers / sizeof *consumers) return false;
    *consumer = consumers[i].consumer;
    *major = consumers[i].major;
    return true;
}

const char *tmap_consumer_name(uint32_t consumer, uint32_t major)
{
    for (size_t i = 0; i < sizeof consumers / sizeof *consumers; i++)
        if (consumers[i].consumer == consumer && consumers[i].major == major)
            return consumers[i].name;
    return NULL;
}
