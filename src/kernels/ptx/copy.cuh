// Tensor copies and what belongs to them; ptx.cuh includes it.
#pragma once

#include "ptx.cuh"

namespace ptx
{

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
#define PTX_LOAD_BY_RANK()                                                                         \
    if constexpr (RANK == 1) PTX_LOAD(1);                                                          \
    if constexpr (RANK == 2) PTX_LOAD(2);                                                          \
    if constexpr (RANK == 3) PTX_LOAD(3);                                                          \
    if constexpr (RANK == 4) PTX_LOAD(4);                                                          \
    if constexpr (RANK == 5) PTX_LOAD(5)

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
    PTX_LOAD_BY_RANK();
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
    PTX_LOAD_BY_RANK();
}
#undef PTX_LOAD
#undef PTX_LOAD_BY_RANK
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

// mask: of the blocks of the cluster that receive it; 0: this one.
PTX_FN void tma_load_4d_hint(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[4],
                             uint32_t mask, uint64_t policy)
{
    if (mask == 0)
        asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(dst),
                     "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "l"(policy)
                     : "memory");
    else
        asm volatile(
            "{ .reg .b16 m; cvt.u16.u32 m, %7;\n"
            "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], m, %8; }" ::"r"(
                dst),
            "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(mask), "l"(policy)
            : "memory");
}

PTX_FN void tma_load_5d_hint(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[5],
                             uint64_t policy)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6, %7}], [%2], %8;" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),
                 "l"(policy)
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

// The same of rank 5 with an L2 eviction policy, to this block or, where mask is not 0, to a
// cluster's.
PTX_FN void tma_load_im2col_hint(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[5],
                                 const uint16_t (&o)[3], uint32_t mask, uint64_t policy)
{
    if (mask == 0)
        asm volatile("cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::"
                     "bytes.L2::cache_hint [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10}, "
                     "%11;" ::"r"(dst),
                     "l"(map), "r"(bar), PTX_V5, "h"(o[0]), "h"(o[1]), "h"(o[2]), "l"(policy)
                     : "memory");
    else
        asm volatile("{ .reg .b16 m; cvt.u16.u32 m, %12;\n"
                     "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx"
                     "::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4, %5, %6, %7}], "
                     "[%2], {%8, %9, %10}, m, %11; }" ::"r"(dst),
                     "l"(map), "r"(bar), PTX_V5, "h"(o[0]), "h"(o[1]), "h"(o[2]), "l"(policy),
                     "r"(mask)
                     : "memory");
}
#undef PTX_V1
#undef PTX_V2
#undef PTX_V3
#undef PTX_V4
#undef PTX_V5

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

// A thread's own copies of 16 bytes, past the first cache.
PTX_FN void copy_async_16(uint32_t dst, uint64_t src)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(src) : "memory");
}
PTX_FN void copy_async_wait()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
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

} // namespace ptx
