/* Which place a cluster takes among the clusters of its launch, read by C and by CUDA.
 *
 * SMs of one GPC that ask for the same bytes at the same time are answered by L2 once
 * (docs/EXPERIMENTS.md), and clusters are started in one GPC after the other. So those of a GPC,
 * eight or seven numbers apart, take places side by side, whose tiles share rows. */
#ifndef TMAP_KERNELS_GEMM_TURNS_H
#define TMAP_KERNELS_GEMM_TURNS_H

#include <stdint.h>

/* How the clusters of a launch are started: the first `lone` ones in the first GPC, then in turn
 * one in each of eight, then, where the first is full, one in each of the other seven. All zero:
 * not known, and a cluster's number is its place. */
struct gemm_turns {
    uint8_t lone, in_eights; /* clusters before the turns; those in turns of eight */
    uint8_t end;             /* the first cluster that has no turn */
    uint8_t first;           /* clusters of the first GPC, */
    uint8_t each, more;      /* of each other GPC, and in how many of them one more */
    uint8_t unused;
    uint8_t late; /* 1: the successor begins when all blocks have ended */
};

#ifdef __CUDACC__
__device__ __forceinline__ int32_t gemm_place(const gemm_turns &t, int32_t cluster)
#else
static inline int32_t gemm_place(struct gemm_turns t, int32_t cluster)
#endif
{
    if (cluster < t.lone || cluster >= t.end) return cluster;
    int32_t turn = cluster - t.lone, gpc = turn % 8, round = turn / 8;
    if (turn >= t.in_eights) {
        turn -= t.in_eights;
        gpc = 1 + turn % 7;
        round = t.in_eights / 8 + turn / 7;
    }
    if (gpc == 0) return t.lone + round;
    return t.first + (gpc - 1) * t.each + (gpc - 1 < t.more ? gpc - 1 : t.more) + round;
}

#endif
