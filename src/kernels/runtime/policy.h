/* policy.h : enum tmap_cache_policy as the copy instructions take it: what createpolicy.fractional
 * makes of normal, evict_first and evict_last for every access; read off PTX compiled here. */
#ifndef TMAP_KERNELS_POLICY_H
#define TMAP_KERNELS_POLICY_H

#include "tmap/launch.h"

/* TMAP_CACHE_CHOSEN is normal: a plan that prefers another says so before. */
static inline uint64_t cache_policy_bits(int32_t policy)
{
    return policy == TMAP_CACHE_EVICT_FIRST  ? 0x12f0000000000000u
           : policy == TMAP_CACHE_EVICT_LAST ? 0x14f0000000000000u
                                             : 0x1000000000000000u;
}

#endif
