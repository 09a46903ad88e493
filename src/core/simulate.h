// The pieces of the simulator: rows of a copy, what fills them, and how a reduction combines.
#ifndef TMAP_CORE_SIMULATE_H
#define TMAP_CORE_SIMULATE_H

#include "core/layout.h"

// One innermost row of a copy: consecutive elements of dimension 0, or one slice under interleave.
struct sim_row {
    uint64_t smem;    // unswizzled shared address
    uint64_t address; // global address of the row's element 0 (of dimension 0)
    int64_t first;    // coordinate of its first element in dimension 0
    bool inside;      // the other coordinates are in bounds
};

struct sim_walk {
    const struct tmap_desc *desc;
    const struct tmap_use *use;
    struct tmap_layout layout;
    uint64_t rows, next;
    uint32_t k[TMAP_MAX_RANK]; // position in the box
    int64_t x[TMAP_MAX_RANK];  // coordinates of the current row
    uint32_t halo;             // im2col::w: pixels of the halo still due here
};

#define GATHERED_ROWS 4u // gather4 and scatter4 name that many

static inline bool sim_by_row(uint32_t op)
{
    return op == TMAP_OP_GATHER4 || op == TMAP_OP_SCATTER4;
}

static inline bool sim_loads(uint32_t op)
{
    return op == TMAP_OP_LOAD || op == TMAP_OP_GATHER4;
}

void sim_walk_start(struct sim_walk *w, const struct tmap_desc *desc, const struct tmap_use *use);
bool sim_walk_next(struct sim_walk *w, struct sim_row *row);

// One element of NaN fill, little-endian, in the low bytes; 0 for the zero fill.
uint64_t sim_fill(const struct tmap_desc *desc);

// old and value are one element each; the reduction's result.
uint64_t sim_reduce(uint32_t op, int32_t dtype, uint64_t old, uint64_t value);

// The copy itself, for a descriptor known to be legal.
void sim_run(const struct tmap_desc *desc, const struct tmap_use *use,
             const struct tmap_memory *memory, struct tmap_outcome *out);

#endif
