/* Products of weights in 4 or 8 bits that faults are planted in: for the emulator and for a GPU. */
#ifndef TMAP_TESTS_MIXED_FAULT_H
#define TMAP_TESTS_MIXED_FAULT_H

#include <string.h>

#include "kernels/gemm/mixed.h"
#include "support/mixed_case.h"

enum mixed_host_fault { MIXED_HOST_SWIZZLE = 200, MIXED_HOST_ROWS, MIXED_HOST_SHORT };

static const struct mixed_fault {
    uint32_t id;
    int32_t weight;
    const char *name;
} mixed_faults[] = {
#define FAULT_OF(id, weight, name) {id, TMAP_MIXED_##weight, name},
#include "support/mixed_faults.def"
};

/* Three tiles of seven k-blocks or more, dealt out among two blocks, groups of several scales a
 * k-block. */
static inline struct tmap_mixed_problem mixed_fault_shape(int32_t weight)
{
    return (struct tmap_mixed_problem){.kind = TMAP_GEMM_BF16,
                                       .out = TMAP_GEMM_OUT_F32,
                                       .weight = weight,
                                       .m = 13,
                                       .n = 600,
                                       .k = 1728,
                                       .group = 64,
                                       .scales = 1,
                                       .zeros = 1};
}

static inline struct tmap_gemm_config mixed_fault_request(void)
{
    return (struct tmap_gemm_config){.tile_n = 16, .stages = 2, .clusters = 2};
}

/* id 0: none. */
static inline bool mixed_fault_plant(const struct tmap_checker *checker, uint32_t id,
                                     struct tmap_gemm_plan *plan)
{
    struct tmap_desc w = plan->desc[0];
    struct gemm_mixed_params all;
    struct tmap_map map;
    memcpy(&all, plan->params, sizeof all);
    all.product.fault = id < MIXED_HOST_SWIZZLE ? id : 0;
    if (id == MIXED_HOST_SWIZZLE) w.swizzle = TMAP_SWIZZLE_NONE;
    if (id == MIXED_HOST_ROWS) w.stride_bytes[0] = w.stride_bytes[1], w.stride_bytes[1] *= w.dim[1];
    if (id == MIXED_HOST_SHORT) w.dim[0] -= 16;
    if (tmap_encode(checker, &w, &map) != TMAP_OK) return false;
    memcpy(all.product.a.word, map.word, sizeof map);
    memcpy(plan->params, &all, sizeof all);
    return true;
}

#endif
