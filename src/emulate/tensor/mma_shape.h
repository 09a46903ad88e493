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
enum { MOST_K = 128, MOST_BLOCKS = 6, MOST_SHIFT = 32, LANE_WORDS = TMEM_LANES / 32 };

struct mma_insn {
    enum mma_kind kind;
    emu_at a, b, descriptor;
    emu_at d, enable, a_place, scale_place[2];
    int64_t d_plus, a_plus, scale_plus[2];
    bool a_tensor, not_enable;
    bool sparse, stationary, shifts; // .sp, .ws, .ashift
    emu_at meta, zeros;              // .sp's and .ws's own operands
    int64_t meta_plus;
    bool has_zeros;
    uint32_t lane_words; // of disable-output-lane; 0: without
    emu_at lanes[2 * LANE_WORDS];
    uint32_t d_halvings; // scale-input-d
    uint32_t ctas;
    uint32_t block; // numbers of K that share a scale factor; 0: no scales
};

struct mma_shape {
    uint32_t m, n, k; // m: of one CTA of a pair
    uint32_t ctas, blocks, scale_id[2];
    enum tensor_type a, b;
    uint32_t a_bits, b_bits; // where they lie
    bool a_mn, b_mn, a_negated, b_negated, integer, ue4m3;
    bool half, saturates; // D is f16, in the lower half of its word; integers do not wrap
    bool sparse, stationary;
    uint32_t a_k, selector; // numbers of a row of A as stored; which metadata
    uint32_t most_shift;    // of B's columns
};

// False for a descriptor that this kind and target do not have.
bool mma_shape_of(const struct mma_insn *i, uint32_t descriptor, tmap_arch arch,
                  struct mma_shape *out);

// Where a row's sums begin, and how many runs of columns they have, each 64 lanes after the last.
uint32_t mma_lane(const struct mma_shape *s, uint32_t row);
uint32_t mma_runs(const struct mma_shape *s);
// How many times A and its metadata lie in tensor memory, each s->m lanes after the last.
uint32_t mma_copies(const struct mma_shape *s);

// sparse.c: m x k numbers from the m x a_k that are stored, by the metadata at `place`; in place.
// False with a fault.
bool mma_expand(const struct emu_actor *actor, struct emu_cta *cta, const struct mma_shape *s,
                uint32_t place, double *a);

// stationary.c: which columns of B are zero, and from which on B is read. False for a descriptor
// that this shape cannot have.
struct mma_zeros {
    bool zero[TENSOR_COLS];
    uint32_t shift;
};
bool mma_zero_columns(const struct mma_shape *s, uint64_t descriptor, struct mma_zeros *out);

#endif
