// The ring of stages: where a warp stands in it, and whether host and kernel mean the same one.
#pragma once

#include "kernels/gemm/params.h"
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

// The host's idea of this kernel against the kernel's own: refuse, and say which differs.
PTX_FN void refuse_mismatch(const gemm_params &p, int32_t tile_m, int32_t tile_n,
                            int32_t stage_bytes, uint32_t smem_base, const ptx::watch &watch)
{
    if (p.tile_m != tile_m) ptx::report_and_trap(watch, 2, 1, p.tile_m, tile_m);
    if (p.tile_n != tile_n) ptx::report_and_trap(watch, 2, 2, p.tile_n, tile_n);
    if (p.stage_bytes != stage_bytes) ptx::report_and_trap(watch, 2, 3, p.stage_bytes, stage_bytes);
    if (smem_base % 1024) ptx::report_and_trap(watch, 2, 4, smem_base, 1024);
}
