// One tensor core instruction a block, on numbers as they come: what numerics.c of the emulator is
// compared with. A block's A is 2048 bytes, B 1024 (wgmma takes the first 256), C and D 4 words a
// thread (half accumulators use the first 2).
#include "kernels/ptx/ptx.cuh"

enum { THREADS = 128, A_WORDS = 512, B_WORDS = 256, D_WORDS = 512, PIECE = 16, LINE = 32 };

struct block {
    const uint32_t *a, *b, *c;
    uint32_t *d;
};

PTX_FN block mine(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    return {a + blockIdx.x * A_WORDS, b + blockIdx.x * B_WORDS, c + blockIdx.x * D_WORDS,
            d + blockIdx.x * D_WORDS};
}

// Rows of 32 bytes to the layout without a swizzle: groups of 8 rows, of which each 16 bytes of K
// lie together.
PTX_FN void lay_out(uint32_t *to, const uint32_t *from, uint32_t rows)
{
    for (uint32_t i = threadIdx.x; i < rows * LINE / 4; i += THREADS) {
        const uint32_t row = i / 8, k = i % 8;
        to[row / 8 * 64 + k / 4 * 32 + row % 8 * 4 + k % 4] = from[i];
    }
}

PTX_FN uint64_t descriptor(const void *at)
{
    return (uint64_t)(ptx::smem_addr(at) >> 4) | (uint64_t)(128 >> 4) << 16 |
           (uint64_t)(256 >> 4) << 32;
}

#define REGS_f32 "{%0, %1, %2, %3}"
#define REGS_s32 "{%0, %1, %2, %3}"
#define REGS_f16 "{%0, %1}"
#define VALUES_f32 "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
#define VALUES_s32 VALUES_f32
#define VALUES_f16 "+r"(v[0]), "+r"(v[1])
#define COUNT_f32 4
#define COUNT_s32 4
#define COUNT_f16 2
#define FIRST_f32 "%4, %5, p"
#define FIRST_s32 "%4, %5, p"
#define FIRST_f16 "%2, %3, p"

#define WGMMA(name, shape, type, types, tail, a_format, b_format)                                  \
    extern "C" __global__ void __launch_bounds__(THREADS)                                          \
        numerics_##name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)      \
    {                                                                                              \
        __shared__ alignas(128) uint32_t left[A_WORDS], right[A_WORDS / 8];                        \
        const block m = mine(a, b, c, d);                                                          \
        uint32_t v[COUNT_##type];                                                                  \
        lay_out(left, m.a, 64);                                                                    \
        lay_out(right, m.b, 8);                                                                    \
        for (int i = 0; i < COUNT_##type; i++) v[i] = m.c[i * THREADS + threadIdx.x];              \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                               \
        __syncthreads();                                                                           \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                    \
        asm volatile("{ .reg .pred p; setp.eq.b32 p, 0, 0;\n"                                      \
                     "wgmma.mma_async.sync.aligned." shape "." #type "." types " " REGS_##type     \
                     ", " FIRST_##type tail "; }"                                                  \
                     : VALUES_##type                                                               \
                     : "l"(descriptor(left)), "l"(descriptor(right))                               \
                     : "memory");                                                                  \
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                             \
        asm volatile("wgmma.wait_group.sync.aligned 0;" : VALUES_##type::"memory");                \
        for (int i = 0; i < COUNT_##type; i++) m.d[i * THREADS + threadIdx.x] = v[i];              \
    }

#define A_4_4 "{%4, %5, %6, %7}, {%8, %9}"
#define A_4_2 "{%4, %5}, {%6}"
#define A_2_4 "{%2, %3, %4, %5}, {%6, %7}"
#define READS_4 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])
#define READS_2 "r"(x[0]), "r"(x[1]), "r"(y[0])
#define NUMBER_f32 4
#define PASTE(a, b, c) a##b##_##c
#define OPERANDS(n, a) PASTE(A_, n, a)
#define N_f32 4
#define N_s32 4
#define N_f16 2

#define MMA(name, shape, type, types, A, B, a_format, b_format)                                    \
    extern "C" __global__ void __launch_bounds__(THREADS)                                          \
        numerics_##name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)      \
    {                                                                                              \
        const block m = mine(a, b, c, d);                                                          \
        uint32_t v[COUNT_##type], x[A], y[B];                                                      \
        for (int i = 0; i < COUNT_##type; i++) v[i] = m.c[i * THREADS + threadIdx.x];              \
        for (int i = 0; i < A; i++) x[i] = m.a[i * THREADS + threadIdx.x];                         \
        for (int i = 0; i < B; i++) y[i] = m.b[i * THREADS + threadIdx.x];                         \
        asm volatile("mma.sync.aligned." shape ".row.col." #type "." types "." #type               \
                     " " REGS_##type ", " OPERANDS(N_##type, A) ", " REGS_##type ";"               \
                     : VALUES_##type                                                               \
                     : READS_##A);                                                                 \
        for (int i = 0; i < COUNT_##type; i++) m.d[i * THREADS + threadIdx.x] = v[i];              \
    }

#include "device/emulate/numerics.def"
