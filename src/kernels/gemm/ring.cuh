// Where a warp stands in the ring of stages.
#pragma once

#include "kernels/ptx/ptx.cuh"

// A position in the ring: the slot, and the parity of the phase that fills it.
struct ring_position {
    int32_t slot = 0;
    uint32_t parity = 0;

    PTX_FN int32_t before(int32_t stages) const { return (slot == 0 ? stages : slot) - 1; }
    PTX_FN void advance(int32_t stages)
    {
        if (++slot == stages) {
            slot = 0;
            parity ^= 1;
        }
    }
    // Past many slots at once.
    PTX_FN void skip(int32_t slots, int32_t stages)
    {
        const int32_t rounds = (slot + slots) / stages;
        slot += slots - rounds * stages;
        parity ^= rounds & 1;
    }
};
