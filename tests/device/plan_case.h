// Plans of repair and solve as copies that can be run: drawn, made, and compared with the request.
#ifndef TESTS_DEVICE_PLAN_CASE_H
#define TESTS_DEVICE_PLAN_CASE_H

#include "device/cases.h"
#include "tmap/solve.h"

// A class draws one family of requests; X(id, name).
#define PLAN_CLASSES(X)                                                                            \
    X(PLAN_PIECES, "im2col_pieces") /* an im2col request: channels and pixels in pieces */         \
    X(PLAN_PIECES_STORE, "im2col_store")                                                           \
    X(PLAN_WALK, "walk")     /* a tiled tile longer than a box: by an im2col map */                \
    X(PLAN_REPAIR, "repair") /* random descriptors, illegal more often than not */                 \
    X(PLAN_REPAIR_STORE, "repair_store")                                                           \
    X(PLAN_SOLVE, "solve") /* requested tiles, of every consumer there is on the target */         \
    X(PLAN_SOLVE_STORE, "solve_store")
enum plan_class {
#define X(id, name) id,
    PLAN_CLASSES(X)
#undef X
        PLAN_CLASS_COUNT
};

#define PLAN_COPIES 24u          // plans of more copies are passed over
#define PLAN_WINDOW_BYTES 65536u // of memory that one copy of a store may touch

struct plan_case {
    uint32_t cls, op;
    uint32_t consumer, major; // of solve's requests
    uint32_t choice;          // which of the plans found, modulo their number
    struct tmap_desc request; // of solve's: the tensor with the tile as its box
    int64_t coord[TMAP_MAX_RANK];
    uint64_t seed; // of the block's shared memory
    struct tmap_plan plan;
};

struct plan_tools {
    struct tmap_checker checker;
    uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
    uint8_t wanted[PLAN_COPIES][PLAN_WINDOW_BYTES];
};

const char *plan_class_name(uint32_t cls);
bool plan_stores(uint32_t cls);
// plan_tools_open() : for an H200.
bool plan_tools_open(struct plan_tools *t);

// plan_draw() : request number `index` of a class. base: the arena, or the first window of a store,
// a multiple of PLAN_WINDOW_BYTES.
void plan_draw(enum plan_class cls, uint64_t seed, uint64_t index, uint64_t base,
               struct plan_case *c);
// plan_make() : the plan; false where there is none that can be run here: the tensor is copied
// first, or the tile does not fit, or rows are not whole units of a store.
bool plan_make(struct plan_tools *t, struct plan_case *c);
// plan_aim() : random coordinates on the plan's grid.
void plan_aim(struct plan_case *c);
// plan_within() : every byte that the plan's descriptor can name lies in [from, from + bytes).
bool plan_within(const struct plan_case *c, uint64_t from, uint64_t bytes);
// plan_copy() : copy n as a case of its own; its store has the n-th window from `window` on.
// plan_copy_of() : the same by a given descriptor, without coordinates.
void plan_copy(const struct plan_case *c, uint32_t n, uint64_t window, struct device_case *out);
void plan_copy_of(const struct plan_case *c, uint32_t n, const struct tmap_desc *desc,
                  uint64_t window, struct device_case *out);
// plan_refused() : the row that copy n violates, as the plan's users would issue it, or NULL.
const char *plan_refused(const struct plan_tools *t, const struct device_case *copy);

// plan_differs() : compares with a plain walk over the request's tile: of a load, that every
// element lies where the plan says with its own bytes, or the fill; of a store, that every element
// in bounds was written at its address, and nothing else. images[n] is what copy n left: its part
// of shared memory, or its window. The arena's bytes are executor_hash(arena_seed, ...) from
// `arena` on. NULL: nothing differs.
const char *plan_differs(struct plan_tools *t, const struct plan_case *c, uint64_t arena,
                         uint64_t arena_seed, const uint8_t *const images[]);

#endif
