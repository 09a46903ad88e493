/* planted.h : the faults that can be planted in Hopper's products, and the plans that carry them:
 * for the GPU (faults.c) and for the emulator (tests/emulate/test_product_faults.c). */
#ifndef TMAP_TESTS_DEVICE_GEMM_PLANTED_H
#define TMAP_TESTS_DEVICE_GEMM_PLANTED_H

#include "kernels/gemm/suite.h"

/* Faults of the host's making; the others are the kernel's. */
enum { HOST_SWIZZLE = 100, HOST_BOX, HOST_TILE, HOST_TX };

/* Which plan carries the fault. */
enum shape { PAIR, ONE_PANEL, STORE_WARP, STREAM, TOGETHER, SPLIT, PINGPONG };

static const struct fault {
    uint32_t id, delay;
    enum shape shape;
    bool values;
    const char *name, *blind;
} faults[] = {
#define PLANTED(id, delay, shape, values, name, blind) {id, delay, shape, values, name, blind},
#include "device/gemm/planted.def"
};

/* Of one tile, which enough clusters share (GEMM_TOGETHER), or of a square. */
static inline void size_of(enum shape shape, int32_t n, int32_t k, struct tmap_gemm_problem *p)
{
    p->m = shape == TOGETHER ? 122 : n;
    p->n = shape == TOGETHER ? 120 : n;
    p->k = shape == TOGETHER ? 1304 : k;
}

/* A pingpong's stages do not divide a tile's k-blocks: else its slots begin where they began. */
static inline struct tmap_gemm_config request_of(enum shape shape, int32_t stream_clusters,
                                                 int32_t clusters)
{
    struct tmap_gemm_config request = {
        .tile_m = shape == PINGPONG ? 64 : 128,
        .tile_n = 128,
        .stages = shape == SPLIT      ? 2
                  : shape == PINGPONG ? 5
                                      : 4,
        .cluster_m = shape == SPLIT || shape == TOGETHER ? 1 : 2,
        .cluster_n = 1,
        .split_k = shape == SPLIT ? 2 : 1,
        .panels = shape == ONE_PANEL || shape == STORE_WARP ? 1 : 0,
        .clusters = shape == STREAM     ? stream_clusters
                    : shape == TOGETHER ? GEMM_TOGETHER
                    : shape == SPLIT    ? 0
                                        : clusters,
        .swapped = -1,
        .stream_k = shape == STREAM || shape == TOGETHER ? TMAP_GEMM_STREAM_K_ANY : -1,
        .store_warp = shape == ONE_PANEL ? -1 : 0,
        .direct = -1,
        .pingpong = shape == PINGPONG ? 1 : -1};
    return request;
}

#endif
