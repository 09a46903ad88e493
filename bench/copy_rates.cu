// How fast one multiprocessor's copy engine walks the rows of a box, with everything in L2: loads
// alone, stores alone, both at once and independent of each other.
#include "copy_rates.h"
#include "kernels/ptx/ptx.cuh"

namespace
{

PTX_FN void coords(const rate_params &p, uint32_t i, int32_t (&c)[3])
{
    c[0] = 0;
    c[1] = (int32_t)(blockIdx.x * p.row_step);
    c[2] = (int32_t)(blockIdx.x * p.panel_base + i % p.panel_count * p.panel_step);
}

PTX_FN void load(const rate_params &p, uint32_t base, uint32_t bar, uint32_t i)
{
    int32_t c[3];
    coords(p, i, c);
    ptx::mbarrier_arrive_expect_tx(bar, p.tx_bytes);
    ptx::tma_load<3>(base, &p.map, bar, c);
}

PTX_FN void store(const rate_params &p, uint32_t base, uint32_t i)
{
    int32_t c[3];
    coords(p, i, c);
    ptx::tma_store<3>(&p.map, base, c);
    ptx::bulk_commit();
}

PTX_FN void go(const rate_params &p, uint32_t base, uint32_t bars)
{
    const ptx::watch w = {p.mailbox, p.limit_ms};
    const uint32_t out = base + p.stages * p.slot_bytes; // stores read here, and need no loads
    for (uint32_t i = 0; i < p.boxes + p.stages; i++) {
        const uint32_t slot = i % p.stages, at = slot * p.slot_bytes;
        if (p.mode & RATE_LOAD) {
            if (i >= p.stages)
                ptx::mbarrier_wait(bars + 8 * slot, (i / p.stages - 1) & 1, w, COPY_FULL, slot);
            if (i < p.boxes) load(p, base + at, bars + 8 * slot, i);
        }
        if (p.mode & RATE_STORE && i < p.boxes) {
            store(p, out + at, i);
            ptx::bulk_wait_read<3>();
        }
    }
    ptx::bulk_wait<0>();
}

} // namespace

extern "C" __global__ void __launch_bounds__(32) rate_rows(const __grid_constant__ rate_params p)
{
    extern __shared__ __align__(1024) uint8_t smem[];
    const uint32_t base = ptx::smem_addr(smem), bars = base + 2 * p.stages * p.slot_bytes;
    if (threadIdx.x != 0) return;
    for (uint32_t i = 0; i < p.stages; i++) ptx::mbarrier_init(bars + 8 * i, 1);
    ptx::fence_mbarrier_init();
    const long long start = clock64();
    go(p, base, bars);
    p.cycles[blockIdx.x] = (uint64_t)(clock64() - start);
}
