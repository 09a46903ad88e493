// What an instruction of tcgen05.mma is, and the shape that its instruction descriptor gives it.
#ifndef TMAP_EMULATE_MMA_SHAPE_H
#define TMAP_EMULATE_MMA_SHAPE_H

#include "emulate/tensor/tcgen05.h"

enum mma_kind {
    KIND_F16,
    KIND_TF32,
    KIND_F8F6F4,
    KIND_I8,
    KIND_MXF8F6F4,
    KIND_MXF4,
    KIND_MXF4NVF4,
    KINDS
};
enum { MOST_K = 96, MOST_BLOCKS = 6 };

struct mma_insn {
    enum mma_kind kind;
    emu_at a, b, descriptor;
    emu_at d, enable, a_place, scale_place[2];
    int64_t d_plus, a_plus, scale_plus[2];
    bool a_tensor, not_enable;
    uint32_t ctas;
    uint32_t block; // numbers of K that share a scale factor; 0: no scales
};

struct mma_shape {
    uint32_t m, n, k; // m: of one CTA of a pair
    uint32_t ctas, blocks, scale_id[2];
    enum tensor_type a, b;
    uint32_t a_bits, b_bits; // where they lie
    bool a_mn, b_mn, a_negated, b_negated, integer, ue4m3;
};

// False for a descriptor that this kind and target do not have.
bool mma_shape_of(const struct mma_insn *i, uint32_t descriptor, tmap_arch arch,
                  struct mma_shape *out);

// Where a row's sums begin, and how many runs of columns they have, each 64 lanes after the last.
uint32_t mma_lane(const struct mma_shape *s, uint32_t row);
uint32_t mma_runs(const struct mma_shape *s);

#endif
