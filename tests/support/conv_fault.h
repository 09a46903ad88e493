/* Convolutions that faults are planted in: for the emulator and for a GPU. */
#ifndef TMAP_TESTS_CONV_FAULT_H
#define TMAP_TESTS_CONV_FAULT_H

#include <string.h>

#include "kernels/gemm/suite.h"
#include "tmap/conv.h"

enum conv_host_fault {
    CONV_HOST_UPPER = 200,
    CONV_HOST_PIXELS,
    CONV_HOST_STRIDE,
    CONV_HOST_TAPS,
    CONV_HOST_BOX
};

/* The kernels that faults are planted in (conv_faults.cu). */
enum conv_faulty { FORWARD, GRADIENT, PATCH };
static const char *const conv_faulty_names[] = {[FORWARD] = "conv_faulty_2x64",
                                                [GRADIENT] = "conv_faulty_2x64_data",
                                                [PATCH] = "conv_faulty_2x64_patch"};

static const struct conv_fault {
    uint32_t id;
    enum conv_faulty kernel;
    const char *name;
} conv_faults[] = {
#define FAULT_OF(id, kernel, name) {id, kernel, name},
#include "support/conv_faults.def"
};

/* Everything at once: two channel blocks, a stride, a dilation, paddings that differ, and a second
 * tile that begins within the third image. Of patches some along W and H, none of which is whole.
 */
static inline struct tmap_conv_problem conv_fault_shape(enum conv_faulty kernel)
{
    const bool data = kernel == GRADIENT, patch = kernel == PATCH;
    const int32_t stride = kernel == FORWARD ? 2 : 1;
    return (struct tmap_conv_problem){.operation = data,
                                      .kind = TMAP_GEMM_BF16,
                                      .out = TMAP_GEMM_OUT_BF16,
                                      .alpha = 1,
                                      .shape = {.images = 3,
                                                .channels = 72,
                                                .filters = 72,
                                                .size = {data    ? 8
                                                         : patch ? 30
                                                                 : 15,
                                                         patch ? 16 : 8, 1},
                                                .filter = {3, 2, 1},
                                                .stride = {stride, 1, 1},
                                                .dilation = {patch ? 1 : 2, 1, 1},
                                                .pad_low = {2, 1, 0},
                                                .pad_high = {1, 0, 0}}};
}

/* The request that the faulty kernels can carry out. */
static inline struct tmap_gemm_config conv_fault_request(enum conv_faulty kernel)
{
    return (struct tmap_gemm_config){.tile_m = 128,
                                     .tile_n = 64,
                                     .cluster_m = 1,
                                     .cluster_n = 1,
                                     .split_k = 1,
                                     .stream_k = -1,
                                     .pingpong = -1,
                                     .patch = kernel == PATCH ? 1 : -1};
}

/* id 0: none. */
static inline bool conv_fault_plant(const struct tmap_checker *checker, uint32_t id,
                                    struct tmap_gemm_plan *plan)
{
    struct tmap_desc x = plan->desc[0], f = plan->desc[1];
    struct gemm_params p;
    struct tmap_map map;
    memcpy(&p, plan->params, sizeof p);
    p.fault = id < CONV_HOST_UPPER ? id : 0;
    if (id == CONV_HOST_UPPER) x.upper[0]++;
    if (id == CONV_HOST_PIXELS) x.pixels--;
    if (id == CONV_HOST_STRIDE) x.elem_stride[1] = 1;
    if (id == CONV_HOST_TAPS) f.dim[1]--;
    if (id == CONV_HOST_BOX) x.box[2]--;
    if (tmap_encode(checker, &x, &map) != TMAP_OK) return false;
    memcpy(p.a.word, map.word, sizeof map);
    if (tmap_encode(checker, &f, &map) != TMAP_OK) return false;
    memcpy(p.b.word, map.word, sizeof map);
    memcpy(plan->params, &p, sizeof p);
    return true;
}

#endif
