// The executor's device side: fill, copy, hand back. See executor.h.
#include "device/executor.h"
#include "kernels/ptx/ptx.cuh"

namespace
{

template <int RANK>
PTX_FN void issue_tile(const executor_job *job, const void *map, uint32_t smem, uint32_t bar)
{
    int32_t c[RANK];
#pragma unroll
    for (int i = 0; i < RANK; i++) c[i] = job->coord[i];
    switch (job->op) {
    case EXECUTOR_LOAD:
        ptx::tma_load<RANK>(smem, map, bar, c);
        break;
#if __CUDA_ARCH__ < 1200 // a call into the driver from there on
    case EXECUTOR_MULTICAST:
        if (ptx::cluster_rank() == 0) ptx::tma_load_multicast<RANK>(smem, map, bar, c, 3);
        break;
#endif
    case EXECUTOR_STORE:
        ptx::tma_store<RANK>(map, smem, c);
        break;
    case EXECUTOR_PREFETCH:
        ptx::tma_prefetch<RANK>(map, c);
        break;
    case EXECUTOR_REDUCE + 0:
        ptx::tma_reduce_add<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 1:
        ptx::tma_reduce_min<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 2:
        ptx::tma_reduce_max<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 3:
        ptx::tma_reduce_inc<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 4:
        ptx::tma_reduce_dec<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 5:
        ptx::tma_reduce_and<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 6:
        ptx::tma_reduce_or<RANK>(map, smem, c);
        break;
    case EXECUTOR_REDUCE + 7:
        ptx::tma_reduce_xor<RANK>(map, smem, c);
        break;
    }
}

template <int RANK>
PTX_FN void issue_im2col(const executor_job *job, const void *map, uint32_t smem, uint32_t bar)
{
    int32_t c[RANK];
    uint16_t o[RANK - 2];
#pragma unroll
    for (int i = 0; i < RANK; i++) c[i] = job->coord[i];
#pragma unroll
    for (int i = 0; i < RANK - 2; i++) o[i] = (uint16_t)job->offset[i];
    if (job->op == EXECUTOR_LOAD_IM2COL)
        ptx::tma_load_im2col<RANK>(smem, map, bar, c, o);
    else
        ptx::tma_store_im2col<RANK>(map, smem, c);
}

PTX_FN void issue(const executor_job *job, const void *map, uint32_t smem, uint32_t bar)
{
    const bool im2col = job->op == EXECUTOR_LOAD_IM2COL || job->op == EXECUTOR_STORE_IM2COL;
    switch (job->rank + (im2col ? 8 : 0)) {
    case 1:
        return issue_tile<1>(job, map, smem, bar);
    case 2:
        return issue_tile<2>(job, map, smem, bar);
    case 3:
        return issue_tile<3>(job, map, smem, bar);
    case 4:
        return issue_tile<4>(job, map, smem, bar);
    case 5:
        return issue_tile<5>(job, map, smem, bar);
    case 11:
        return issue_im2col<3>(job, map, smem, bar);
    case 12:
        return issue_im2col<4>(job, map, smem, bar);
    case 13:
        return issue_im2col<5>(job, map, smem, bar);
    }
}

PTX_FN ulonglong2 hash_pair(const executor_job *job, uint64_t seed, uint32_t i)
{
    return make_ulonglong2(executor_word(job->flags, seed, 2ull * i),
                           executor_word(job->flags, seed, 2ull * i + 1));
}

PTX_FN void fill(ulonglong2 *at, uint32_t bytes, const executor_job *job, uint64_t seed)
{
    for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x) at[i] = hash_pair(job, seed, i);
}

// Waits for the phase, or gives up: a wrong count of bytes must not hang anything.
PTX_FN void wait(uint32_t bar, uint32_t limit_us, executor_result *out)
{
    const uint64_t start = ptx::globaltimer_ns();
    uint64_t now = start;
    bool done = ptx::mbarrier_try_wait(bar, 0);
    while (!done && now - start < 1000ull * limit_us) {
        done = ptx::mbarrier_try_wait(bar, 0);
        now = ptx::globaltimer_ns();
    }
    out->done = done;
    out->waited_ns = (uint32_t)(now - start);
}

PTX_FN void linger(uint32_t ns)
{
    const uint64_t start = ptx::globaltimer_ns();
    while (ptx::globaltimer_ns() - start < ns) {
    }
}

// One more phase, with an arrival and no bytes: it completes only when none are owed either way.
PTX_FN uint32_t nothing_left(uint32_t bar)
{
    ptx::mbarrier_arrive(bar);
    for (int tries = 0; tries < 8; tries++)
        if (ptx::mbarrier_try_wait(bar, 1)) return 1;
    return 0;
}

PTX_FN void run(const executor_job *job, uint32_t base, uint32_t limit_us, executor_result *out)
{
    const uint32_t bar = base + EXECUTOR_HASHED_BYTES;
    const bool load = executor_loads(job->op);
    const void *map = job->map_at ? (const void *)job->map_at : job->map;
    ptx::tensormap_acquire_system(map);
    if (load) ptx::mbarrier_arrive_expect_tx(bar, job->expect_tx);
    if (job->op != EXECUTOR_NOTHING) issue(job, map, base + job->smem, bar + job->bar_shift);
    if (load) {
        wait(bar, limit_us, out);
    } else {
        ptx::bulk_commit();
        ptx::bulk_wait<0>();
        out->done = 1;
    }
    if (job->linger_ns) linger(job->linger_ns);
    if (load && out->done) out->exact = nothing_left(bar);
}

// Shared memory outside [from, from + bytes) must still be hashed.
PTX_FN void look_for_strays(const ulonglong2 *smem, const executor_job *job, uint32_t from,
                            uint32_t bytes, executor_result *out)
{
    for (uint32_t i = threadIdx.x; i < EXECUTOR_HASHED_BYTES / 16; i += blockDim.x) {
        if (i * 16 >= from && i * 16 < from + bytes) continue;
        const ulonglong2 want = hash_pair(job, job->seed, i), got = smem[i];
        const uint32_t bad = (got.x != want.x) + (got.y != want.y);
        if (!bad) continue;
        atomicAdd(&out->stray_bytes8, bad);
        atomicMin(&out->first_stray, i * 16);
    }
}

} // namespace

// One block per job. results must be zero before, with first_stray all ones.
extern "C" __global__ void __launch_bounds__(EXECUTOR_THREADS, 1)
    executor_run(const executor_job *jobs, executor_result *results, uint32_t limit_us)
{
    extern __shared__ __align__(1024) ulonglong2 smem[];
    const executor_job *job = jobs + blockIdx.x;
    executor_result *out = results + blockIdx.x;
    const uint32_t base = ptx::smem_addr(smem);
    const bool load = executor_loads(job->op);
    if (base % 1024) __trap();
    fill(smem, EXECUTOR_HASHED_BYTES, job, job->seed);
    if (job->window_bytes) fill((ulonglong2 *)job->window, job->window_bytes, job, job->seed + 1);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(base + EXECUTOR_HASHED_BYTES, 1);
        ptx::fence_mbarrier_init();
    }
    ptx::fence_proxy_async_all();
    __threadfence();
    __syncthreads();
    const bool both = job->op == EXECUTOR_MULTICAST; // barriers of both exist, and neither leaves
    if (both) ptx::cluster_sync();
    if (threadIdx.x == 0) run(job, base, limit_us, out);
    ptx::fence_proxy_async_all();
    __syncthreads();
    if (both) ptx::cluster_sync();
    const uint32_t from = load ? job->image_from : 0, bytes = load ? job->image_bytes : 0;
    look_for_strays(smem, job, from, bytes, out);
    ulonglong2 *image = (ulonglong2 *)job->image;
    if (load)
        for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x)
            image[i] = smem[from / 16 + i];
    else
        for (uint32_t i = threadIdx.x; i < job->window_bytes / 16; i += blockDim.x)
            image[i] = __ldcg((const ulonglong2 *)job->window + i);
}

// The arena: word i of it is executor_hash(seed, i).
extern "C" __global__ void executor_fill(ulonglong2 *arena, uint64_t pairs, uint64_t seed)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += step)
        arena[i] = make_ulonglong2(executor_hash(seed, 2 * i), executor_hash(seed, 2 * i + 1));
}

// How many words of it are not, and the lowest of them.
extern "C" __global__ void executor_scan(const ulonglong2 *arena, uint64_t pairs, uint64_t seed,
                                         unsigned long long *found)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += step) {
        const ulonglong2 got = arena[i];
        const uint64_t x = executor_hash(seed, 2 * i), y = executor_hash(seed, 2 * i + 1);
        if (got.x == x && got.y == y) continue;
        atomicAdd(&found[0], (unsigned long long)((got.x != x) + (got.y != y)));
        atomicMin(&found[1], (unsigned long long)(2 * i + (got.x == x)));
    }
}

// tensormap.replace: one block per edit. The field and its ordinal are immediates of the
// instruction, so each pair is its own case; see enum executor_field for the order.
#define REPLACE_32(CASE, FIELD, ORD)                                                               \
    case CASE:                                                                                     \
        asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024.b32 [%0], " ORD           \
                     "%1;" ::"r"(map),                                                             \
                     "r"((uint32_t)value)                                                          \
                     : "memory");                                                                  \
        break;
#define REPLACE_64(CASE, FIELD, ORD)                                                               \
    case CASE:                                                                                     \
        asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024.b64 [%0], " ORD           \
                     "%1;" ::"r"(map),                                                             \
                     "l"(value)                                                                    \
                     : "memory");                                                                  \
        break;
#define REPLACE_IMM(CASE, FIELD, V)                                                                \
    case CASE * 32 + V:                                                                            \
        asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024.b32 [%0], " #V            \
                     ";" ::"r"(map)                                                                \
                     : "memory");                                                                  \
        break;
#define REPLACE_ORDS(CASE, FIELD)                                                                  \
    REPLACE_32(CASE + 0, FIELD, "0, ")                                                             \
    REPLACE_32(CASE + 1, FIELD, "1, ")                                                             \
    REPLACE_32(CASE + 2, FIELD, "2, ")                                                             \
    REPLACE_32(CASE + 3, FIELD, "3, ")                                                             \
    REPLACE_32(CASE + 4, FIELD, "4, ")

PTX_FN void replace_value(uint32_t map, uint32_t field, uint64_t value)
{
    switch (field) {
        REPLACE_64(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_ADDRESS, 0), "global_address", "")
        REPLACE_32(EXECUTOR_FIELD(TMAP_REPLACE_RANK, 0), "rank", "")
        REPLACE_ORDS(EXECUTOR_FIELD(TMAP_REPLACE_BOX_DIM, 0), "box_dim")
        REPLACE_ORDS(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_DIM, 0), "global_dim")
        REPLACE_64(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_STRIDE, 0), "global_stride", "0, ")
        REPLACE_64(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_STRIDE, 1), "global_stride", "1, ")
        REPLACE_64(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_STRIDE, 2), "global_stride", "2, ")
        REPLACE_64(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_STRIDE, 3), "global_stride", "3, ")
        REPLACE_64(EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_STRIDE, 4), "global_stride", "4, ")
        REPLACE_ORDS(EXECUTOR_FIELD(TMAP_REPLACE_ELEMENT_STRIDE, 0), "element_stride")
    }
}

PTX_FN void replace_enum(uint32_t map, uint32_t field, uint32_t value)
{
    switch (field / 8 * 32 + value) {
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 0)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 1)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 2)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 3)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 4)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 5)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 6)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 7)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 8)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 9)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 10)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 11)
        REPLACE_IMM(TMAP_REPLACE_ELEMTYPE, "elemtype", 12)
        REPLACE_IMM(TMAP_REPLACE_INTERLEAVE_LAYOUT, "interleave_layout", 0)
        REPLACE_IMM(TMAP_REPLACE_INTERLEAVE_LAYOUT, "interleave_layout", 1)
        REPLACE_IMM(TMAP_REPLACE_INTERLEAVE_LAYOUT, "interleave_layout", 2)
        REPLACE_IMM(TMAP_REPLACE_SWIZZLE_MODE, "swizzle_mode", 0)
        REPLACE_IMM(TMAP_REPLACE_SWIZZLE_MODE, "swizzle_mode", 1)
        REPLACE_IMM(TMAP_REPLACE_SWIZZLE_MODE, "swizzle_mode", 2)
        REPLACE_IMM(TMAP_REPLACE_SWIZZLE_MODE, "swizzle_mode", 3)
        REPLACE_IMM(TMAP_REPLACE_FILL_MODE, "fill_mode", 0)
        REPLACE_IMM(TMAP_REPLACE_FILL_MODE, "fill_mode", 1)
    }
}

extern "C" __global__ void executor_replace(const executor_edit *edits, uint64_t *maps)
{
    __shared__ __align__(128) uint64_t map[16];
    const executor_edit *edit = edits + blockIdx.x;
    if (threadIdx.x < 16) map[threadIdx.x] = edit->map[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        if (edit->field / 8 >= TMAP_REPLACE_ELEMTYPE)
            replace_enum(ptx::smem_addr(map), edit->field, (uint32_t)edit->value);
        else
            replace_value(ptx::smem_addr(map), edit->field, edit->value);
    }
    __syncwarp();
    ptx::tensormap_publish(maps + 16 * blockIdx.x, ptx::smem_addr(map));
}
