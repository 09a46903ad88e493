// Random tensor copies, legal by construction, each from (seed, class, index) alone.
#ifndef TESTS_DEVICE_CASES_H
#define TESTS_DEVICE_CASES_H

#include "device/executor.h"
#include "tmap/tmap.h"

// A class draws one family of descriptors; X(id, name).
#define CASE_CLASSES(X)                                                                            \
    X(CASE_TILED, "tiled")                                                                         \
    X(CASE_TILED_FAR, "tiled_far")                                                                 \
    X(CASE_TILED_NAN, "tiled_nan")                                                                 \
    X(CASE_INTERLEAVE, "interleave")                                                               \
    X(CASE_IM2COL, "im2col")                                                                       \
    X(CASE_IM2COL_INTERLEAVE, "im2col_interleave")                                                 \
    X(CASE_STORE, "store")                                                                         \
    X(CASE_STORE_INTERLEAVE, "store_interleave")                                                   \
    X(CASE_STORE_IM2COL, "store_im2col")                                                           \
    X(CASE_REDUCE, "reduce")                                                                       \
    X(CASE_REDUCE_INTERLEAVE, "reduce_interleave")                                                 \
    X(CASE_PREFETCH, "prefetch")                                                                   \
    X(CASE_MULTICAST, "multicast")
enum case_class {
#define X(id, name) id,
    CASE_CLASSES(X)
#undef X
        CASE_CLASS_COUNT
};

// Recorded and drawn alone: its jobs come in pairs.
#define CASE_SINGLE_COUNT CASE_MULTICAST

struct device_case {
    struct tmap_desc desc;
    struct tmap_use use; // smem: byte offset from the block's 1024-byte aligned base
    uint64_t seed;       // of the block's shared memory; the window has seed + 1
    uint64_t window;     // stores: where; 0 for loads
    uint32_t window_bytes;
    uint32_t exec_op; // enum executor_op
    uint32_t image_from, image_bytes;
    uint32_t expect_tx;
    uint32_t cls;
    uint32_t flags; // EXECUTOR_SPECIALS
};

// Where cases may read, and where the i-th of a batch may write.
struct case_room {
    uint64_t arena, arena_bytes;
    uint64_t window;       // this case's
    uint32_t window_bytes; // its size; multiple of 16
    uint32_t box_cap;      // largest box in bytes
};

const char *case_class_name(enum case_class cls);
void case_draw(enum case_class cls, uint64_t seed, uint64_t index, const struct case_room *room,
               struct device_case *out);
// case_misuse() : breaks one rule that the hardware lets pass, in the case or in the encoded map.
void case_misuse(struct device_case *c, uint64_t map[16], uint64_t seed, uint64_t index);
void case_job(const struct device_case *c, const uint64_t map[16], struct executor_job *job);

#endif
