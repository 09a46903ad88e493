// Tensor memory and the tensor core that works on it (PTX ISA, "TensorCore 5th generation":
// tcgen05): sm_100a, 103a and 110a. CTAS is the instruction's .cta_group: 1, or 2 for a pair of
// blocks.
#pragma once

#include "ptx.cuh"

namespace ptx
{

#define TENSOR_GROUP(HEAD, TAIL, ...)                                                              \
    if constexpr (CTAS == 1)                                                                       \
        asm volatile(HEAD "cta_group::1" TAIL ::__VA_ARGS__ : "memory");                           \
    else                                                                                           \
        asm volatile(HEAD "cta_group::2" TAIL ::__VA_ARGS__ : "memory")

// By a whole warp (of both blocks of a pair): the address of the columns comes into shared memory.
template <int CTAS, int COLUMNS> PTX_FN void tensor_alloc(uint32_t smem_to)
{
    TENSOR_GROUP("tcgen05.alloc.", ".sync.aligned.shared::cta.b32 [%0], %1;", "r"(smem_to),
                 "n"(COLUMNS));
}
template <int CTAS> PTX_FN void tensor_alloc_no_more()
{
    if constexpr (CTAS == 1)
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    else
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
}
template <int CTAS, int COLUMNS> PTX_FN void tensor_free(uint32_t at)
{
    TENSOR_GROUP("tcgen05.dealloc.", ".sync.aligned.b32 %0, %1;", "r"(at), "n"(COLUMNS));
}

// By one thread, of a pair the even block's: D (+)= A B, operands by matrix descriptors.
#define TENSOR_MMA(KIND_)                                                                          \
    TENSOR_GROUP("{ .reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.",                             \
                 ".kind::" KIND_ " [%0], %1, %2, %3, p; }", "r"(d), "l"(a), "l"(b), "r"(shape),    \
                 "r"(accumulate))
enum tensor_kind { TENSOR_F16, TENSOR_TF32, TENSOR_F8F6F4, TENSOR_I8 };
template <int CTAS, int KIND>
PTX_FN void tensor_mma(uint32_t d, uint64_t a, uint64_t b, uint32_t shape, uint32_t accumulate)
{
    if constexpr (KIND == TENSOR_F16) TENSOR_MMA("f16");
    if constexpr (KIND == TENSOR_TF32) TENSOR_MMA("tf32");
    if constexpr (KIND == TENSOR_F8F6F4) TENSOR_MMA("f8f6f4");
    if constexpr (KIND == TENSOR_I8) TENSOR_MMA("i8");
}
#undef TENSOR_MMA

// The same with a scale factor for every 32 or 16 of K, which lie in tensor memory.
#define TENSOR_MMA_SCALED(KIND_)                                                                   \
    TENSOR_GROUP("{ .reg .pred p; setp.ne.b32 p, %6, 0; tcgen05.mma.",                             \
                 ".kind::" KIND_ " [%0], %1, %2, %3, [%4], [%5], p; }", "r"(d), "l"(a), "l"(b),    \
                 "r"(shape), "r"(a_scales), "r"(b_scales), "r"(accumulate))
enum tensor_scaled_kind { TENSOR_MXF8, TENSOR_MXF4, TENSOR_NVF4 };
template <int CTAS, int KIND>
PTX_FN void tensor_mma_scaled(uint32_t d, uint64_t a, uint64_t b, uint32_t shape, uint32_t a_scales,
                              uint32_t b_scales, uint32_t accumulate)
{
    if constexpr (KIND == TENSOR_MXF8) TENSOR_MMA_SCALED("mxf8f6f4.block_scale.block32");
    if constexpr (KIND == TENSOR_MXF4) TENSOR_MMA_SCALED("mxf4.block_scale.block32");
    if constexpr (KIND == TENSOR_NVF4) TENSOR_MMA_SCALED("mxf4nvf4.block_scale.block16");
}
#undef TENSOR_MMA_SCALED
// 32 rows of 16 bytes from shared memory into four columns, the same for every quarter of the
// lanes; before this thread's later products.
template <int CTAS> PTX_FN void tensor_copy_scales(uint32_t to, uint64_t from)
{
    TENSOR_GROUP("tcgen05.cp.", ".32x128b.warpx4 [%0], %1;", "r"(to), "l"(from));
}

// An arrival on the barrier once all that this thread has issued is done; with a mask, on the same
// barrier of each of those blocks.
template <int CTAS> PTX_FN void tensor_commit(uint32_t bar)
{
    TENSOR_GROUP("tcgen05.commit.", ".mbarrier::arrive::one.shared::cluster.b64 [%0];", "r"(bar));
}
template <int CTAS> PTX_FN void tensor_commit_multicast(uint32_t bar, uint32_t mask)
{
    TENSOR_GROUP("{ .reg .b16 m; cvt.u16.u32 m, %1; tcgen05.commit.",
                 ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], m; }",
                 "r"(bar), "r"(mask));
}
#undef TENSOR_GROUP

// What other threads have done is before this thread's later tcgen05; this thread's earlier before
// what other threads do later.
PTX_FN void tensor_fence_after()
{
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
PTX_FN void tensor_fence_before()
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

// By a warp, its own quarter of the lanes: thread l gets lane l's 32 (or 8) columns. They are there
// after the wait, which therefore names them.
#define TENSOR_OUT8(C, i)                                                                          \
    C(v[i]), C(v[i + 1]), C(v[i + 2]), C(v[i + 3]), C(v[i + 4]), C(v[i + 5]), C(v[i + 6]),         \
        C(v[i + 7])
PTX_FN void tensor_load_32(uint32_t (&v)[32], uint32_t at)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
                 "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
                 "%26, %27, %28, %29, %30, %31}, [%32];"
                 : TENSOR_OUT8("=r", 0), TENSOR_OUT8("=r", 8), TENSOR_OUT8("=r", 16),
                   TENSOR_OUT8("=r", 24)
                 : "r"(at)
                 : "memory");
}
PTX_FN void tensor_load_wait(uint32_t (&v)[32])
{
    asm volatile("tcgen05.wait::ld.sync.aligned;"
                 : TENSOR_OUT8("+r", 0), TENSOR_OUT8("+r", 8), TENSOR_OUT8("+r", 16),
                   TENSOR_OUT8("+r", 24)::"memory");
}
PTX_FN void tensor_load_8(uint32_t (&v)[8], uint32_t at)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : TENSOR_OUT8("=r", 0)
                 : "r"(at)
                 : "memory");
}
PTX_FN void tensor_load_wait(uint32_t (&v)[8])
{
    asm volatile("tcgen05.wait::ld.sync.aligned;" : TENSOR_OUT8("+r", 0)::"memory");
}
#undef TENSOR_OUT8

// A box for this block of a pair, whose bytes are told to the barrier of the block that `bar` names
// (shared::cluster): the even one's. With a mask, the same box for other pairs too, and for each
// the barrier of its block of that parity.
PTX_FN void tma_load_3d_pair(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[3],
                             uint64_t policy)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".cta_group::2.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "l"(policy)
                 : "memory");
}
PTX_FN void tma_load_3d_pair_multicast(uint32_t dst, const void *map, uint32_t bar,
                                       const int32_t (&c)[3], uint32_t mask, uint64_t policy)
{
    asm volatile("{ .reg .b16 m; cvt.u16.u32 m, %6;\n"
                 "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster.cta_group::2.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], "
                 "m, %7; }" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(mask), "l"(policy)
                 : "memory");
}
// The same of a map of rank 4.
PTX_FN void tma_load_4d_pair(uint32_t dst, const void *map, uint32_t bar, const int32_t (&c)[4],
                             uint64_t policy)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".cta_group::2.L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "l"(policy)
                 : "memory");
}
PTX_FN void tma_load_4d_pair_multicast(uint32_t dst, const void *map, uint32_t bar,
                                       const int32_t (&c)[4], uint32_t mask, uint64_t policy)
{
    asm volatile("{ .reg .b16 m; cvt.u16.u32 m, %7;\n"
                 "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster.cta_group::2.L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], "
                 "[%2], m, %8; }" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(mask),
                 "l"(policy)
                 : "memory");
}

} // namespace ptx
