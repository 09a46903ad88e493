// Each PTX instruction that the kernels use, wrapped once. Nothing here decides anything: a wrapper
// is one instruction (or one loop around one), named after what it does. The PTX ISA's section on
// each is the source; where a form is chosen over another, the comment says why.
#pragma once

#include <stdint.h>

#define PTX_FN __device__ __forceinline__

namespace ptx
{

// --- addresses and identity -------------------------------------------------------------------

PTX_FN uint32_t smem_addr(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

PTX_FN uint32_t cluster_rank()
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

// The address of the same shared variable in another block of the cluster.
PTX_FN uint32_t map_to_rank(uint32_t addr, uint32_t rank)
{
    uint32_t out;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(addr), "r"(rank));
    return out;
}

PTX_FN bool elect_one()
{
    uint32_t p;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(p));
    return p != 0;
}

// --- the watchdog -----------------------------------------------------------------------------
// A wait that outlasts its limit writes who waited for what into a mailbox in host memory (device
// memory is out of reach once the context has failed), then traps. Words of the mailbox:
//   0  1 when a wait ran out        3  parity waited for
//   1  barrier id (the caller's)    4  block index
//   2  slot or index (the caller's) 5  thread index
// A refusal (a plan constant that does not match the kernel) writes 2 in word 0 and its own code.

struct watch {
    volatile uint32_t *mailbox;
    uint32_t limit_ms;
};

PTX_FN uint64_t globaltimer_ns()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

PTX_FN void report_and_trap(const watch &w, uint32_t what, uint32_t id, uint32_t slot,
                            uint32_t parity)
{
    if (w.mailbox) {
        w.mailbox[1] = id;
        w.mailbox[2] = slot;
        w.mailbox[3] = parity;
        w.mailbox[4] = blockIdx.x;
        w.mailbox[5] = threadIdx.x;
        __threadfence_system();
        w.mailbox[0] = what;
        __threadfence_system();
    }
    __trap();
}

// --- mbarriers --------------------------------------------------------------------------------

PTX_FN void mbarrier_init(uint32_t bar, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}

PTX_FN void mbarrier_inval(uint32_t bar)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}

PTX_FN void mbarrier_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

// Arrive on a barrier of another block; the address comes from map_to_rank.
PTX_FN void mbarrier_arrive_cluster(uint32_t remote_bar)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote_bar) : "memory");
}

PTX_FN void mbarrier_arrive_expect_tx(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}

PTX_FN bool mbarrier_try_wait(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    asm volatile("{ .reg .pred p;\n"
                 "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "  selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done != 0;
}

// Waits until the phase of that parity has completed, or reports `id` and `slot` and traps.
PTX_FN void mbarrier_wait(uint32_t bar, uint32_t parity, const watch &w, uint32_t id, uint32_t slot)
{
    if (mbarrier_try_wait(bar, parity)) return;
    const uint64_t start_ns = globaltimer_ns();
    while (!mbarrier_try_wait(bar, parity))
        if (globaltimer_ns() - start_ns > (uint64_t)w.limit_ms * 1000000)
            report_and_trap(w, 1, id, slot, parity);
}

// --- fences and barriers ----------------------------------------------------------------------

// After mbarrier.init, before another block or the async proxy may use the barrier.
PTX_FN void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Orders this thread's ordinary shared-memory accesses before later ones of the copy engine and
// the tensor cores. Every writing thread needs it, then a barrier, then the one that issues.
PTX_FN void fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
PTX_FN void fence_proxy_async_all()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

PTX_FN void named_barrier_sync(uint32_t id, uint32_t threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

PTX_FN void named_barrier_arrive(uint32_t id, uint32_t threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

PTX_FN void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
PTX_FN void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

PTX_FN void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}

// --- tensor copies ----------------------------------------------------------------------------
// One spelling of the coordinates per rank; c[0] is the innermost dimension's.

#define PTX_C1 "{%3}"
#define PTX_C2 "{%3, %4}"
#define PTX_C3 "{%3, %4, %5}"
#define PTX_C4 "{%3, %4, %5, %6}"
#define PTX_C5 "{%3, %4, %5, %6, %7}"
#define PTX_V1 "r"(c[0])
#define PTX_V2 PTX_V1, "r"(c[1])
#define PTX_V3 PTX_V2, "r"(c[2])
#define PTX_V4 PTX_V3, "r"(c[3])
#define PTX_V5 PTX_V4, "r"(c[4])

// Global to shared, this block only. The destination is written .shared::cta: on sm_90 it is the
// same instruction as .shared::cluster, on sm_120 the other form is a call into the driver.
#define PTX_LOAD(R)                                                                                \
    asm volatile("cp.async.bulk.tensor." #R "d.shared::cta.global.tile.mbarrier::complete_tx::"    \
                 "bytes [%0], [%1, " PTX_C##R "], [%2];" ::"r"(dst),                               \
                 "l"(map), "r"(bar), PTX_V##R                                                      \
                 : "memory")

template <int RANK>
PTX_FN void tma_load(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[RANK])
{
    if constexpr (RANK == 1) PTX_LOAD(1);
    if constexpr (RANK == 2) PTX_LOAD(2);
    if constexpr (RANK == 3) PTX_LOAD(3);
    if constexpr (RANK == 4) PTX_LOAD(4);
    if constexpr (RANK == 5) PTX_LOAD(5);
}
#undef PTX_LOAD

// Global to the same shared offset of every block in `mask`; each one's barrier at the same offset
// is signalled with the bytes that land there.
#define PTX_LOAD(R)                                                                                \
    asm volatile("{ .reg .b16 m; cvt.u16.u32 m, %" PTX_M##R                                        \
                 ";\n"                                                                             \
                 "cp.async.bulk.tensor." #R "d.shared::cluster.global.tile.mbarrier::"             \
                 "complete_tx::bytes.multicast::cluster [%0], [%1, " PTX_C##R                      \
                 "], [%2], m; }" ::"r"(dst),                                                       \
                 "l"(map), "r"(bar), PTX_V##R, "r"(mask)                                           \
                 : "memory")
#define PTX_M1 "4"
#define PTX_M2 "5"
#define PTX_M3 "6"
#define PTX_M4 "7"
#define PTX_M5 "8"

template <int RANK>
PTX_FN void tma_load_multicast(uint32_t dst, const void *map, uint32_t bar,
                               const int32_t (&c)[RANK], uint32_t mask)
{
    if constexpr (RANK == 1) PTX_LOAD(1);
    if constexpr (RANK == 2) PTX_LOAD(2);
    if constexpr (RANK == 3) PTX_LOAD(3);
    if constexpr (RANK == 4) PTX_LOAD(4);
    if constexpr (RANK == 5) PTX_LOAD(5);
}
#undef PTX_LOAD
#undef PTX_M1
#undef PTX_M2
#undef PTX_M3
#undef PTX_M4
#undef PTX_M5
#undef PTX_C1
#undef PTX_C2
#undef PTX_C3
#undef PTX_C4
#undef PTX_C5

// The forms that the GEMM uses, with an L2 eviction policy (as createpolicy encodes it).
PTX_FN void tma_load_3d_hint(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[3],
                             uint64_t policy)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "l"(policy)
                 : "memory");
}

PTX_FN void tma_load_3d_multicast_hint(uint32_t dst, const void *map, uint32_t bar,
                                       const int32_t (&c)[3], uint32_t mask, uint64_t policy)
{
    asm volatile(
        "{ .reg .b16 m; cvt.u16.u32 m, %6;\n"
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], m, %7; }" ::"r"(dst),
        "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(mask), "l"(policy)
        : "memory");
}

PTX_FN void tma_store_3d_hint(const void *map, uint32_t src, const int32_t (&c)[3], uint64_t policy)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group.L2::cache_hint "
                 "[%1, {%2, %3, %4}], [%0], %5;" ::"r"(src),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "l"(policy)
                 : "memory");
}

// Shared to global, the reductions and the prefetch: no barrier operand, so coordinates from %2
// (stores) or %1 (prefetch).
#define PTX_C1 "{%2}"
#define PTX_C2 "{%2, %3}"
#define PTX_C3 "{%2, %3, %4}"
#define PTX_C4 "{%2, %3, %4, %5}"
#define PTX_C5 "{%2, %3, %4, %5, %6}"
#define PTX_STORE(HEAD, R)                                                                         \
    asm volatile(HEAD #R "d.global.shared::cta" PTX_TAIL " [%1, " PTX_C##R "], [%0];" ::"r"(src),  \
                 "l"(map), PTX_V##R                                                                \
                 : "memory")
#define PTX_BY_RANK(HEAD)                                                                          \
    if constexpr (RANK == 1) PTX_STORE(HEAD, 1);                                                   \
    if constexpr (RANK == 2) PTX_STORE(HEAD, 2);                                                   \
    if constexpr (RANK == 3) PTX_STORE(HEAD, 3);                                                   \
    if constexpr (RANK == 4) PTX_STORE(HEAD, 4);                                                   \
    if constexpr (RANK == 5) PTX_STORE(HEAD, 5)

#define PTX_TAIL ".tile.bulk_group"
template <int RANK> PTX_FN void tma_store(const void *map, uint32_t src, const int32_t (&c)[RANK])
{
    PTX_BY_RANK("cp.async.bulk.tensor.");
}
#undef PTX_TAIL

// Im2col stores take no offsets.
#define PTX_TAIL ".im2col_no_offs.bulk_group"
template <int RANK>
PTX_FN void tma_store_im2col(const void *map, uint32_t src, const int32_t (&c)[RANK])
{
    static_assert(RANK >= 3, "im2col has ranks 3 to 5");
    if constexpr (RANK == 3) PTX_STORE("cp.async.bulk.tensor.", 3);
    if constexpr (RANK == 4) PTX_STORE("cp.async.bulk.tensor.", 4);
    if constexpr (RANK == 5) PTX_STORE("cp.async.bulk.tensor.", 5);
}
#undef PTX_TAIL

#define PTX_REDUCE(NAME, OP)                                                                       \
    template <int RANK>                                                                            \
    PTX_FN void tma_reduce_##NAME(const void *map, uint32_t src, const int32_t(&c)[RANK])          \
    {                                                                                              \
        PTX_BY_RANK("cp.reduce.async.bulk.tensor.");                                               \
    }
#define PTX_TAIL ".add.tile.bulk_group"
PTX_REDUCE(add, )
#undef PTX_TAIL
#define PTX_TAIL ".min.tile.bulk_group"
PTX_REDUCE(min, )
#undef PTX_TAIL
#define PTX_TAIL ".max.tile.bulk_group"
PTX_REDUCE(max, )
#undef PTX_TAIL
#define PTX_TAIL ".inc.tile.bulk_group"
PTX_REDUCE(inc, )
#undef PTX_TAIL
#define PTX_TAIL ".dec.tile.bulk_group"
PTX_REDUCE(dec, )
#undef PTX_TAIL
#define PTX_TAIL ".and.tile.bulk_group"
PTX_REDUCE(and, )
#undef PTX_TAIL
#define PTX_TAIL ".or.tile.bulk_group"
PTX_REDUCE(or, )
#undef PTX_TAIL
#define PTX_TAIL ".xor.tile.bulk_group"
PTX_REDUCE(xor, )
#undef PTX_TAIL
#undef PTX_REDUCE
#undef PTX_BY_RANK
#undef PTX_STORE
#undef PTX_C1
#undef PTX_C2
#undef PTX_C3
#undef PTX_C4
#undef PTX_C5

// Global to L2 only: the descriptor and its coordinates, nothing to wait for.
#define PTX_PREFETCH(R, COORDS)                                                                    \
    asm volatile("cp.async.bulk.prefetch.tensor." #R "d.L2.global.tile [%0, " COORDS               \
                 "];" ::"l"(map),                                                                  \
                 PTX_V##R                                                                          \
                 : "memory")
template <int RANK> PTX_FN void tma_prefetch(const void *map, const int32_t (&c)[RANK])
{
    if constexpr (RANK == 1) PTX_PREFETCH(1, "{%1}");
    if constexpr (RANK == 2) PTX_PREFETCH(2, "{%1, %2}");
    if constexpr (RANK == 3) PTX_PREFETCH(3, "{%1, %2, %3}");
    if constexpr (RANK == 4) PTX_PREFETCH(4, "{%1, %2, %3, %4}");
    if constexpr (RANK == 5) PTX_PREFETCH(5, "{%1, %2, %3, %4, %5}");
}
#undef PTX_PREFETCH

// Im2col loads: RANK coordinates (c, w, [h, [d,]] n) and RANK - 2 offsets (w, [h, [d]]).
template <int RANK>
PTX_FN void tma_load_im2col(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[RANK],
                            const uint16_t (&o)[RANK - 2])
{
    if constexpr (RANK == 3)
        asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%3, %4, %5}], [%2], {%6};" ::"r"(dst),
                     "l"(map), "r"(bar), PTX_V3, "h"(o[0])
                     : "memory");
    if constexpr (RANK == 4)
        asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(dst),
                     "l"(map), "r"(bar), PTX_V4, "h"(o[0]), "h"(o[1])
                     : "memory");
    if constexpr (RANK == 5)
        asm volatile("cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};" ::"r"(dst),
                     "l"(map), "r"(bar), PTX_V5, "h"(o[0]), "h"(o[1]), "h"(o[2])
                     : "memory");
}
#undef PTX_V1
#undef PTX_V2
#undef PTX_V3
#undef PTX_V4
#undef PTX_V5

// Plain bulk copies: contiguous bytes, a multiple of 16, 16-byte aligned at both ends.
PTX_FN void bulk_load(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                 "[%3];" ::"r"(dst),
                 "l"(src), "r"(bytes), "r"(bar)
                 : "memory");
}

PTX_FN void bulk_store(void *dst, uint32_t src, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst), "r"(src),
                 "r"(bytes)
                 : "memory");
}

// --- the same with an L2 eviction policy ------------------------------------------------------
// The policy is a 64-bit value as createpolicy encodes it; copies that stream use "evict first".

#define PTX_HINT_LOAD(R, COORDS, LAST)                                                             \
    asm volatile("cp.async.bulk.tensor." #R "d.shared::cta.global.tile.mbarrier::complete_tx::"    \
                 "bytes.L2::cache_hint [%0], [%1, " COORDS "], [%2], " LAST ";" ::"r"(dst),        \
                 "l"(map), "r"(bar), PTX_H##R, "l"(policy)                                         \
                 : "memory")
#define PTX_H1 "r"(c[0])
#define PTX_H2 PTX_H1, "r"(c[1])
#define PTX_H3 PTX_H2, "r"(c[2])
#define PTX_H4 PTX_H3, "r"(c[3])
#define PTX_H5 PTX_H4, "r"(c[4])
template <int RANK>
PTX_FN void tma_load_hint(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[RANK],
                          uint64_t policy)
{
    if constexpr (RANK == 1) PTX_HINT_LOAD(1, "{%3}", "%4");
    if constexpr (RANK == 2) PTX_HINT_LOAD(2, "{%3, %4}", "%5");
    if constexpr (RANK == 3) PTX_HINT_LOAD(3, "{%3, %4, %5}", "%6");
    if constexpr (RANK == 4) PTX_HINT_LOAD(4, "{%3, %4, %5, %6}", "%7");
    if constexpr (RANK == 5) PTX_HINT_LOAD(5, "{%3, %4, %5, %6, %7}", "%8");
}
#undef PTX_HINT_LOAD

#define PTX_HINT_STORE(HEAD, R, COORDS, LAST)                                                      \
    asm volatile(HEAD #R "d.global.shared::cta" PTX_TAIL ".L2::cache_hint [%1, " COORDS            \
                         "], [%0], " LAST ";" ::"r"(src),                                          \
                 "l"(map), PTX_H##R, "l"(policy)                                                   \
                 : "memory")
#define PTX_HINT_BY_RANK(HEAD)                                                                     \
    if constexpr (RANK == 1) PTX_HINT_STORE(HEAD, 1, "{%2}", "%3");                                \
    if constexpr (RANK == 2) PTX_HINT_STORE(HEAD, 2, "{%2, %3}", "%4");                            \
    if constexpr (RANK == 3) PTX_HINT_STORE(HEAD, 3, "{%2, %3, %4}", "%5");                        \
    if constexpr (RANK == 4) PTX_HINT_STORE(HEAD, 4, "{%2, %3, %4, %5}", "%6");                    \
    if constexpr (RANK == 5) PTX_HINT_STORE(HEAD, 5, "{%2, %3, %4, %5, %6}", "%7")
#define PTX_TAIL ".tile.bulk_group"
template <int RANK>
PTX_FN void tma_store_hint(const void *map, uint32_t src, const int32_t (&c)[RANK], uint64_t policy)
{
    PTX_HINT_BY_RANK("cp.async.bulk.tensor.");
}
#undef PTX_TAIL
#define PTX_TAIL ".add.tile.bulk_group"
template <int RANK>
PTX_FN void tma_reduce_add_hint(const void *map, uint32_t src, const int32_t (&c)[RANK],
                                uint64_t policy)
{
    PTX_HINT_BY_RANK("cp.reduce.async.bulk.tensor.");
}
#undef PTX_TAIL
#undef PTX_HINT_BY_RANK
#undef PTX_HINT_STORE
#undef PTX_H1
#undef PTX_H2
#undef PTX_H3
#undef PTX_H4
#undef PTX_H5

PTX_FN void bulk_load_hint(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar,
                           uint64_t policy)
{
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(dst),
                 "l"(src), "r"(bytes), "r"(bar), "l"(policy)
                 : "memory");
}

PTX_FN void bulk_store_hint(void *dst, uint32_t src, uint32_t bytes, uint64_t policy)
{
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(dst),
        "r"(src), "r"(bytes), "l"(policy)
        : "memory");
}

PTX_FN uint32_t dynamic_smem_bytes()
{
    uint32_t v;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v));
    return v;
}

PTX_FN uint32_t load_shared_32(uint32_t addr)
{
    uint32_t v;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(addr) : "memory");
    return v;
}

PTX_FN void load_shared_128(uint32_t addr, uint32_t (&v)[4])
{
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(addr)
                 : "memory");
}

// The descriptor into the copy engine's cache, before the first use of it.
PTX_FN void prefetch_tensormap(const void *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

PTX_FN void bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// At most N of this thread's groups are still reading shared memory / still unfinished.
template <int N> PTX_FN void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
template <int N> PTX_FN void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}

// --- descriptors edited on the device -----------------------------------------------------------
// Order: edit a copy in shared memory, copy it out with the release fence, acquire before the use.

PTX_FN void tensormap_set_address(uint32_t smem_map, const void *address)
{
    asm volatile(
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(smem_map),
        "l"(address)
        : "memory");
}

template <int DIM> PTX_FN void tensormap_set_dim(uint32_t smem_map, uint32_t value)
{
    asm volatile(
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], %1, %2;" ::"r"(smem_map),
        "n"(DIM), "r"(value)
        : "memory");
}

template <int DIM> PTX_FN void tensormap_set_stride(uint32_t smem_map, uint64_t bytes)
{
    asm volatile(
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], %1, %2;" ::"r"(smem_map),
        "n"(DIM), "l"(bytes)
        : "memory");
}

// By a whole warp: 128 bytes from shared to global memory, released to the tensormap proxy.
PTX_FN void tensormap_publish(void *global_map, uint32_t smem_map)
{
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                 "aligned [%0], [%1], 128;" ::"l"(global_map),
                 "r"(smem_map)
                 : "memory");
}

PTX_FN void tensormap_acquire(const void *global_map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(global_map)
                 : "memory");
}

// The same for a descriptor that the host wrote.
PTX_FN void tensormap_acquire_system(const void *global_map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(global_map)
                 : "memory");
}

// --- warpgroup control --------------------------------------------------------------------------

template <int N> PTX_FN void registers_raise()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> PTX_FN void registers_lower()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

PTX_FN void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
PTX_FN void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> PTX_FN void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

// --- shared memory by the warp ------------------------------------------------------------------

PTX_FN void stmatrix_x4(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(addr),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}

PTX_FN void stmatrix_x4_trans(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(addr),
        "r"(a), "r"(b), "r"(c), "r"(d)
        : "memory");
}

PTX_FN void store_shared_32(uint32_t addr, uint32_t v)
{
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(addr), "r"(v) : "memory");
}

PTX_FN void store_shared_64(uint32_t addr, uint32_t a, uint32_t b)
{
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(addr), "r"(a), "r"(b) : "memory");
}

PTX_FN void store_shared_128(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(addr), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
}

PTX_FN uint64_t load_shared_64(uint32_t addr)
{
    uint64_t v;
    asm volatile("ld.shared.b64 %0, [%1];" : "=l"(v) : "r"(addr) : "memory");
    return v;
}

PTX_FN uint16_t load_shared_16(uint32_t addr)
{
    uint16_t v;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(v) : "r"(addr) : "memory");
    return v;
}

// From the shared memory of any block of the cluster; the address comes from map_to_rank.
PTX_FN void load_cluster_128(uint32_t addr, uint32_t (&v)[4])
{
    asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(addr)
                 : "memory");
}

// From global memory where `inside`, else 0. No branch, so that a row of them stays straight code.
PTX_FN uint32_t load_global_32_if(uint64_t addr, bool inside)
{
    uint32_t v;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.b32 %0, 0; @p ld.global.b32 %0, [%1]; }"
                 : "=&r"(v)
                 : "l"(addr), "r"((uint32_t)inside));
    return v;
}

PTX_FN uint32_t load_global_16_if(uint64_t addr, bool inside)
{
    uint32_t v;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.b32 %0, 0; @p ld.global.u16 %0, [%1]; }"
                 : "=&r"(v)
                 : "l"(addr), "r"((uint32_t)inside));
    return v;
}

} // namespace ptx
