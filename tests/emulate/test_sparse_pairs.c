/* tcgen05.mma.sp of a pair of CTAs: each has its rows of A, their metadata and its half of B's
 * columns. Drawn cases of both kinds of metadata against plain sums, at all schedules. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/splitmix.h"

enum {
    CTAS = 2,
    LANES = 128, /* rows of A, and of D, that a CTA has */
    MOST_N = 256,
    MOST_K = 64,
    META = 256, /* columns of tensor memory */
    META_COLUMNS = 8,
    B_AT = 8 << 10, /* of the image; A and B without a swizzle */
    IMAGE_BYTES = 32 << 10,
    IMAGE_AT = 0x400,
    SMEM = IMAGE_AT + IMAGE_BYTES,
    DRAWN = 24
};

static struct {
    uint8_t image[IMAGE_BYTES];
    uint32_t meta[LANES][META_COLUMNS];
    float sum[LANES][MOST_N];
} memory[CTAS];
static int a[CTAS * LANES][MOST_K], b[MOST_N][MOST_K], kept[CTAS * LANES][MOST_K / 2];

struct form {
    const char *kind;
    uint32_t bits, k, n, selector;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(splitmix(seed) >> 33) % n;
}

/* -3 to 3 as halves, and as e4m3. */
static uint32_t code(uint32_t bits, int v)
{
    static const uint16_t half[] = {0, 0x3c00, 0x4000, 0x4200};
    static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44};
    const uint32_t size = (uint32_t)(v < 0 ? -v : v), sign = v < 0;
    return bits == 16 ? half[size] | sign << 15 : e4m3[size] | sign << 7;
}

/* 16 bytes of eight rows after one another, then the next 16 bytes. */
static void put_row(uint8_t *to, uint32_t row, uint32_t bits, uint32_t k, const int *v)
{
    const uint32_t bytes = bits / 8, per = 16 / bytes, pieces = k / per;
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t c = code(bits, v[i]);
        memcpy(to + row / 8 * pieces * 128 + i / per * 128 + row % 8 * 16 + i % per * bytes, &c,
               bytes);
    }
}

/* Of halves sixteen rows share eight lanes and their neighbours (CUTLASS's layouts of E); of bytes
 * a lane has its row's. */
static void put_places(const struct form *f, uint32_t row, uint32_t chunk, const int *place)
{
    const uint32_t four = (uint32_t)(place[0] | place[1] << 2);
    uint32_t lane = row % LANES, column = chunk / 8, first = chunk % 8 * 4;
    if (f->bits == 16) {
        first = chunk % 4 * 4 + lane / 8 % 2 * 16;
        lane = lane / 16 * 16 + lane % 8 + chunk / 4 * 8;
        column = f->selector;
    }
    memory[row / LANES].meta[lane][column] |= four << first;
}

static void draw(const struct form *f, uint64_t seed)
{
    static const int two[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    memset(memory, 0, sizeof memory);
    memset(a, 0, sizeof a);
    for (uint32_t row = 0; row < CTAS * LANES; row++) {
        for (uint32_t c = 0; c < f->k / 4; c++) {
            const int *place = two[below(&seed, 6)];
            put_places(f, row, c, place);
            for (int i = 0; i < 2; i++)
                a[row][4 * c + (uint32_t)place[i]] = kept[row][2 * c + (uint32_t)i] =
                    (int)below(&seed, 7) - 3;
        }
        put_row(memory[row / LANES].image, row % LANES, f->bits, f->k / 2, kept[row]);
    }
    for (uint32_t n = 0; n < f->n; n++) {
        for (uint32_t k = 0; k < f->k; k++) b[n][k] = (int)below(&seed, 7) - 3;
        put_row(memory[n / (f->n / 2)].image + B_AT, n % (f->n / 2), f->bits, f->k, b[n]);
    }
}

/* Each CTA takes its part of the parameter; the first one multiplies, and both wait. */
static const char kernel[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %%p<4>; .reg .b32 %%r<24>; .reg .b64 %%rd<12>; .reg .b32 %%v<8>;\n"
    ".reg .b16 %%rs<2>;\n"
    "ld.param.u64 %%rd9, [p]; cvta.to.global.u64 %%rd9, %%rd9; mov.u32 %%r20, %%cluster_ctarank;\n"
    "mul.wide.u32 %%rd2, %%r20, %u; add.u64 %%rd9, %%rd9, %%rd2;\n"
    "mov.u32 %%r0, smem; mov.u32 %%r1, %%tid.x; shl.b32 %%r2, %%r1, 4;\n"
    "setp.ge.u32 %%p1, %%r1, 32; @%%p1 bra copy;\n"
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [smem + 16], 512;\n"
    "setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra copy;\n"
    "mbarrier.init.shared::cta.b64 [smem], 1; fence.mbarrier_init.release.cluster;\n"
    "copy: cvt.u64.u32 %%rd2, %%r2; add.u64 %%rd3, %%rd9, %%rd2; add.u32 %%r3, %%r0, %%r2;\n"
    "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%rd3];\n"
    "st.shared.v4.u32 [%%r3 + %u], {%%v0, %%v1, %%v2, %%v3};\n"
    "add.u32 %%r2, %%r2, 2048; setp.lt.u32 %%p2, %%r2, %u; @%%p2 bra copy;\n"
    "bar.sync 0; ld.shared.u32 %%r19, [smem + 16];\n"
    "and.b32 %%r4, %%r1, 96; shl.b32 %%r4, %%r4, 16; add.u32 %%r4, %%r4, %%r19;\n"
    "mul.wide.u32 %%rd2, %%r1, %u; add.u64 %%rd3, %%rd9, %%rd2;\n"
    "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%rd3 + %u];\n"
    "ld.global.v4.u32 {%%v4, %%v5, %%v6, %%v7}, [%%rd3 + %u + 16];\n"
    "tcgen05.st.sync.aligned.32x32b.x8.b32 [%%r4 + %u], {%%v0, %%v1, %%v2, %%v3, %%v4, %%v5, "
    "%%v6, %%v7};\n"
    "tcgen05.wait::st.sync.aligned; fence.proxy.async.shared::cta;\n"
    "tcgen05.fence::before_thread_sync; barrier.cluster.arrive.aligned;\n"
    "barrier.cluster.wait.aligned; tcgen05.fence::after_thread_sync;\n"
    "or.b32 %%r5, %%r1, %%r20; setp.ne.u32 %%p1, %%r5, 0; @%%p1 bra wait;\n"
    "add.u32 %%r6, %%r0, %u; shr.u32 %%r6, %%r6, 4; cvt.u64.u32 %%rd4, %%r6;\n"
    "or.b64 %%rd4, %%rd4, 0x%llx;\n"
    "add.u32 %%r6, %%r0, %u; shr.u32 %%r6, %%r6, 4; cvt.u64.u32 %%rd5, %%r6;\n"
    "or.b64 %%rd5, %%rd5, 0x%llx;\n"
    "mov.u32 %%r10, 0x%x; setp.ne.u32 %%p3, %%r10, %%r10; add.u32 %%r12, %%r19, %u;\n"
    "tcgen05.mma.sp.cta_group::2.kind::%s [%%r19], %%rd4, %%rd5, [%%r12], %%r10, %%p3;\n"
    "mov.u16 %%rs0, 3;\n"
    "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
    "[%%r0], %%rs0;\n"
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %%p1, [smem], 0; @!%%p1 bra wait;\n"
    "tcgen05.fence::after_thread_sync; mul.wide.u32 %%rd2, %%r1, %u; add.u64 %%rd8, %%rd9, %%rd2;\n"
    "mov.u32 %%r5, 0;\n"
    "out: tcgen05.ld.sync.aligned.32x32b.x8.b32 {%%v0, %%v1, %%v2, %%v3, %%v4, %%v5, %%v6, %%v7}, "
    "[%%r4];\n"
    "tcgen05.wait::ld.sync.aligned;\n"
    "st.global.v4.u32 [%%rd8 + %u], {%%v0, %%v1, %%v2, %%v3};\n"
    "st.global.v4.u32 [%%rd8 + %u + 16], {%%v4, %%v5, %%v6, %%v7};\n"
    "add.u32 %%r4, %%r4, 8; add.u64 %%rd8, %%rd8, 32; add.u32 %%r5, %%r5, 8;\n"
    "setp.lt.u32 %%p2, %%r5, %u; @%%p2 bra out;\n"
    "tcgen05.fence::before_thread_sync; barrier.cluster.arrive.aligned;\n"
    "barrier.cluster.wait.aligned; tcgen05.fence::after_thread_sync;\n"
    "setp.ge.u32 %%p1, %%r1, 32; @%%p1 bra end;\n"
    "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %%r19, 512;\n"
    "end: ret;\n}\n";

/* Without a swizzle: pieces of 16 bytes 128 bytes apart, groups of eight rows behind a row's. */
static unsigned long long matrix(uint32_t bits, uint32_t k)
{
    const uint64_t pieces = k * bits / 128;
    return 1ull << 46 | pieces * 8 << 32 | 8 << 16;
}

static void write_kernel(char *text, size_t cap, const struct form *f)
{
    const uint32_t descriptor =
        f->selector | 1u << 2 | 1u << 4 | f->n / 8 << 17 | CTAS * LANES / 16 << 24;
    snprintf(text, cap, kernel, (unsigned)sizeof memory[0], IMAGE_AT, IMAGE_BYTES, META_COLUMNS * 4,
             (unsigned)sizeof memory[0].image, (unsigned)sizeof memory[0].image, META, IMAGE_AT,
             matrix(f->bits, f->k / 2), IMAGE_AT + B_AT, matrix(f->bits, f->k), descriptor, META,
             f->kind, MOST_N * 4, (unsigned)offsetof(__typeof__(memory[0]), sum),
             (unsigned)offsetof(__typeof__(memory[0]), sum), MOST_N);
}

static void one(const struct form *f, uint64_t seed)
{
    static char text[8192];
    struct ptx_run run;
    draw(f, seed);
    write_kernel(text, sizeof text, f);
    assert_true(ptx_run(text, memory, sizeof memory, LANES, CTAS, SMEM, seed % 3, &run));
    for (uint32_t row = 0; row < CTAS * LANES; row++)
        for (uint32_t n = 0; n < f->n; n++) {
            int sum = 0;
            for (uint32_t k = 0; k < f->k; k++) sum += a[row][k] * b[n][k];
            const float found = memory[row / LANES].sum[row % LANES][n];
            if (found != (float)sum)
                fail_msg("%s n%u: row %u, column %u is %g and not %d", f->kind, f->n, row, n,
                         (double)found, sum);
        }
}

static void sparse_pairs_are_plain_sums(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (uint32_t i = 0; i < DRAWN; i++) {
        const bool wide = i % 2 == 0;
        const struct form f = {.kind = wide ? "f16" : "f8f6f4",
                               .bits = wide ? 16 : 8,
                               .k = wide ? 32 : 64,
                               .n = 32 * (1 + below(&seed, 8)),
                               .selector = wide ? below(&seed, 2) : 0};
        one(&f, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_pairs_are_plain_sums)};
    return cmocka_run_group_tests_name("sparse products of pairs", tests, NULL, NULL);
}
