// Copies whose descriptors are not the parameters': multicast to a cluster, a list of tensors with
// a descriptor each, and descriptors patched on the device.
#include "kernels/copy/ring.cuh"

using namespace copy;

#define SMEM_BASE()                                                                                \
    extern __shared__ __align__(1024) uint8_t smem[];                                              \
    const uint32_t base = ptx::smem_addr(smem)

// A multicast is one instruction up to sm_110. On sm_120 it is a call into the driver, so there is
// no such kernel, and a plan for it is refused (docs/OPCODES.md).
#if __CUDA_ARCH__ < 1200
namespace
{

// Waits until every block of the cluster has emptied its copy of the slot: they arrive on the empty
// barrier of each block that loads into theirs.
PTX_FN void arrive_everywhere(uint32_t bar, uint32_t cluster)
{
    for (uint32_t r = 0; r < cluster; r++) ptx::mbarrier_arrive_cluster(ptx::map_to_rank(bar, r));
}

PTX_FN void multicast_load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t full)
{
    const uint32_t rank = ptx::cluster_rank();
    int32_t c[3];
    coords_of<3>(p, t, c);
    c[1] += (int32_t)(rank * p.step[1] / p.cluster); // this block loads its share for all
    ptx::mbarrier_arrive_expect_tx(full, p.tx_bytes);
    const uint32_t all = (1u << p.cluster) - 1;
    ptx::tma_load_multicast<3>(slot + rank * (p.tx_bytes / p.cluster), &p.src, full, c,
                               planted(p, COPY_FAULT_MASK) ? all >> 1 : all);
}

PTX_FN void multicast_run(const copy_params &p, uint32_t base)
{
    const ptx::watch w = watch_of(p);
    const uint32_t s = p.stages, full = base + s * p.stage_bytes, empty = full + 8 * s;
    const uint32_t first = blockIdx.x / p.cluster, step = gridDim.x / p.cluster;
    const uint32_t n = p.total > first ? (p.total - first - 1) / step + 1 : 0;
    uint32_t loaded = 0;
    for (; loaded < s && loaded < n; loaded++)
        multicast_load(p, first + loaded * step, base + loaded * p.stage_bytes, full + 8 * loaded);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t slot = i % s, parity = i / s & 1;
        int32_t c[4];
        int32_t c3[3];
        ptx::mbarrier_wait(full + 8 * slot, parity, w, COPY_FULL, slot);
        if (ptx::cluster_rank() & 1) dawdle(p);
        coords_of<3>(p, first + i * step, c3);
        c[0] = c3[0], c[1] = c3[1], c[2] = c3[2], c[3] = (int32_t)ptx::cluster_rank();
        ptx::tma_store_hint<4>(&p.dst, base + slot * p.stage_bytes, c, p.store_policy);
        ptx::bulk_commit();
        ptx::bulk_wait_read<1>();
        if (i == 0) continue;
        // The store of tile i - 1 has read its slot: tell everybody, and refill once all have.
        const uint32_t old = (i - 1) % s;
        arrive_everywhere(empty + 8 * old, p.cluster);
        if (loaded >= n) continue;
        if (!planted(p, COPY_FAULT_NO_EMPTY))
            ptx::mbarrier_wait(empty + 8 * old, (i - 1) / s & 1, w, COPY_EMPTY, old);
        multicast_load(p, first + loaded * step, base + old * p.stage_bytes, full + 8 * old);
        loaded++;
    }
    ptx::bulk_wait<0>();
}

} // namespace

// One tensor of rank 3 to `cluster` places: the destination has a fourth dimension, one entry per
// block of the cluster. Each block fetches a share of the box and multicasts it to all.
extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_multicast)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    const uint32_t bars = base + p.stages * p.stage_bytes;
    if (threadIdx.x == 0) {
        check_plan(p, base, p.cluster, 0);
        for (uint32_t i = 0; i < p.stages; i++) {
            ptx::mbarrier_init(bars + 8 * i, 1);
            ptx::mbarrier_init(bars + 8 * (p.stages + i), p.cluster);
        }
        ptx::fence_mbarrier_init();
    }
    ptx::cluster_sync(); // no block loads into another's barrier before it exists
    if (threadIdx.x == 0) multicast_run(p, base);
    __syncwarp();
    if (planted(p, COPY_FAULT_LEAVES)) return;
    ptx::cluster_sync(); // nor leaves while another may still arrive on its barrier
}
#endif

namespace
{

// The tiles of one list item, all by one block.
struct item_tiles {
    const void *src, *dst;
    uint32_t count, next;
    PTX_FN uint32_t start(const copy_params &, uint32_t s) const { return s; }
    PTX_FN uint32_t draw(const copy_params &) { return next++; }
    PTX_FN uint32_t end(const copy_params &) const { return count; }
    PTX_FN uint32_t bytes(const copy_params &p, uint32_t) const { return p.tx_bytes; }
    PTX_FN void load(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar) const
    {
        const int32_t c[2] = {0, (int32_t)(t * p.step[1])};
        ptx::tma_load_hint<2>(slot, src, bar, c, p.load_policy);
    }
    PTX_FN void store(const copy_params &p, uint32_t t, uint32_t slot) const
    {
        const int32_t c[2] = {0, (int32_t)(t * p.step[1])};
        ptx::tma_store_hint<2>(dst, slot, c, p.store_policy);
    }
};

// A fresh set of barriers for every item: the ring starts over.
PTX_FN void ring_of_item(const item_tiles &op, const copy_params &p, uint32_t base)
{
    ring(op, p, base);
    for (uint32_t i = 0; i < p.stages; i++) ptx::mbarrier_inval(bar_of(p, base, i));
}

PTX_FN void copy_words(uint64_t *to, const uint64_t *from)
{
    if (threadIdx.x < 16) to[threadIdx.x] = from[threadIdx.x];
}

} // namespace

// A list of matrices, each with its own pair of maps in global memory, written by the host.
extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_list)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    if (threadIdx.x != 0) return;
    const copy_item *list = (const copy_item *)p.list;
    check_plan(p, base, 0, 0);
    for (uint32_t k = blockIdx.x; k < p.total; k += gridDim.x) {
        const copy_item *item = list + k;
        ptx::tensormap_acquire_system(&item->src);
        ptx::tensormap_acquire_system(&item->dst);
        if (map_tx_bytes(item->src) != p.tx_bytes)
            ptx::report_and_trap(watch_of(p), 2, COPY_BAD_TX, k, p.tx_bytes);
        ring_of_item(item_tiles{&item->src, &item->dst, item->tiles, p.stages}, p, base);
    }
}

// The same list, but each item gives only its addresses and its number of rows: the block patches
// the template's maps in shared memory, publishes them, and copies through them.
extern "C" __global__ void __launch_bounds__(32)
    COPY_KERNEL(copy_patched)(const __grid_constant__ copy_params p)
{
    SMEM_BASE();
    __shared__ __align__(128) uint64_t map[2][16];
    const copy_item *list = (const copy_item *)p.list;
    copy_map *slot = (copy_map *)p.published + 2 * blockIdx.x;
    if (threadIdx.x == 0) check_plan(p, base, 1, 0);
    for (uint32_t k = blockIdx.x; k < p.total; k += gridDim.x) {
        const copy_item *item = list + k;
        copy_words(map[0], p.src.word);
        copy_words(map[1], p.dst.word);
        __syncwarp();
        if (threadIdx.x == 0) {
            const uint32_t a = ptx::smem_addr(map[0]), b = ptx::smem_addr(map[1]);
            ptx::tensormap_set_address(a, (const void *)item->src_address);
            ptx::tensormap_set_dim<1>(a, item->rows);
            ptx::tensormap_set_address(b, (const void *)item->dst_address);
            ptx::tensormap_set_dim<1>(b, item->rows);
        }
        __syncwarp();
        if (planted(p, COPY_FAULT_NO_RELEASE)) {
            copy_words(slot[0].word, map[0]);
            copy_words(slot[1].word, map[1]);
            __threadfence();
        } else {
            ptx::tensormap_publish(&slot[0], ptx::smem_addr(map[0]));
            ptx::tensormap_publish(&slot[1], ptx::smem_addr(map[1]));
        }
        if (threadIdx.x == 0) {
            if (!planted(p, COPY_FAULT_NO_ACQUIRE)) {
                ptx::tensormap_acquire(&slot[0]);
                ptx::tensormap_acquire(&slot[1]);
            }
            ring_of_item(item_tiles{&slot[0], &slot[1], item->tiles, p.stages}, p, base);
        }
        __syncwarp(); // the stores are done (the ring drains): the slots may be rewritten
    }
}
