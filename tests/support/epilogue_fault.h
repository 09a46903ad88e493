/* epilogue_fault.h : the faults that can be planted in the steps of an epilogue, and what kind of
 * product each shows in: for the GPU (tests/device/gemm/epilogues.c) and for the emulator. */
#ifndef TMAP_TESTS_EPILOGUE_FAULT_H
#define TMAP_TESTS_EPILOGUE_FAULT_H

#include <stdint.h>
#include <string.h>

#include "kernels/gemm/epilogue.h"

/* With every step but those of the others; with small sums; with D of 8 bits; with a gate, and
 * with one whose B lies by rows of N; with a bias and an activation alone; the first and the third
 * without what keeps a tile from the straight way (sm90/compose.cuh, is_straight()), and the first
 * so where each block has one tile. */
enum epilogue_fixture {
    ALL,
    SMALL,
    NARROW,
    GATED,
    GATED_BY_ROWS,
    QUICK,
    STRAIGHT,
    STRAIGHT_ONE,
    STRAIGHT_NARROW,
    FIXTURES
};

static const struct epilogue_fault {
    uint32_t id; /* of gemm_params.fault, with its delay */
    enum epilogue_fixture fixture;
    const char *name;
} epilogue_faults[] = {
#define FAULT_OF(id, fixture, name) {id, fixture, name},
#include "support/epilogue_faults.def"
};
enum { EPILOGUE_FAULTS = sizeof epilogue_faults / sizeof *epilogue_faults };

/* A fault's control: its delay alone, which must change nothing. */
static inline uint32_t epilogue_control(uint32_t id)
{
    return id & ~(uint32_t)0xffff;
}

/* Plants one in a plan's parameters; what stores the second output reads its own copy. */
static inline void epilogue_plant(void *params, uint32_t id)
{
    struct gemm_epilogue_params p;
    memcpy(&p, params, sizeof p);
    p.product.fault = p.second.fault = id;
    memcpy(params, &p, sizeof p);
}

#endif
