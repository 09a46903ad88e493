/* tcgen05.mma and .sp of a pair of CTAs: each has its rows of A, their metadata and scale factors,
 * its half of B's columns, and of B's scale factors all; some lanes of D are left out. Drawn cases
 * of every kind against plain sums, at all schedules. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/small_codes.h"
#include "support/splitmix.h"

enum {
    CTAS = 2,
    LANES = 128, /* rows of A, and of D, that a CTA has */
    MOST_N = 256,
    MOST_K = 128,
    META = 256, /* columns of tensor memory; then the factors of A's rows and of B's columns */
    SCALE_A = 8,
    SCALE_B = 16,
    CELLS = 24,
    B_AT = 8 << 10, /* of the image; A and B without a swizzle */
    IMAGE_BYTES = 32 << 10,
    IMAGE_AT = 0x400,
    SMEM = IMAGE_AT + IMAGE_BYTES,
    DRAWN = 56
};

static struct {
    uint8_t image[IMAGE_BYTES];
    uint32_t cell[LANES][CELLS]; /* of tensor memory, from META on */
    uint32_t sum[LANES][MOST_N];
} memory[CTAS];
static int a[CTAS * LANES][MOST_K], b[MOST_N][MOST_K], kept[CTAS * LANES][MOST_K / 2];

/* k: of sparse sums; block: numbers of A, as stored, that share a factor. */
static const struct kind {
    const char *name, *scales;
    uint32_t bits, k, code, block;
} kinds[] = {{"f16", "", 16, 32, 0, 0},
             {"tf32", "", 32, 16, 2, 0},
             {"f8f6f4", "", 8, 64, 0, 0},
             {"i8", "", 8, 64, 1, 0},
             {"mxf8f6f4", ".block_scale", 8, 64, 0, 32},
             {"mxf4", ".block_scale", 4, 128, 1, 32},
             {"mxf4nvf4", ".block_scale.scale_vec::4X", 4, 128, 1, 16}};
enum { I8 = 3, KINDS = sizeof kinds / sizeof *kinds };

struct form {
    const struct kind *kind;
    uint32_t n, selector, rows; /* rows: of a CTA */
    bool sparse, some_lanes;
};

static uint32_t lanes_off[CTAS * 4];

static uint32_t depth(const struct form *f)
{
    return f->sparse ? f->kind->k : f->kind->k / 2;
}

/* Of a pair's 128 sparse rows every quarter has 16 of a CTA's (PTX ISA, layouts of D). */
static uint32_t lane_of(const struct form *f, uint32_t row)
{
    return f->sparse && f->rows == 64 ? row / 16 * 32 + row % 16 : row;
}

/* Exponents of scale factors: 0 or 1. */
static uint8_t scale_a[CTAS * LANES][4], scale_b[MOST_N][4];

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(splitmix(seed) >> 33) % n;
}

static uint32_t code(const struct kind *k, int v)
{
    return small_code(k->bits, k == &kinds[I8], v);
}

/* 16 bytes of eight rows after one another, then the next 16 bytes. */
static void put_row(uint8_t *to, const struct kind *kind, uint32_t row, uint32_t k, const int *v)
{
    const uint32_t bits = kind->bits, per = 128 / bits, pieces = k / per;
    for (uint32_t i = 0; i < k; i++) {
        uint8_t *at = to + row / 8 * pieces * 128 + i / per * 128 + row % 8 * 16;
        const uint32_t c = code(kind, v[i]), first = i % per * bits;
        for (uint32_t byte = 0; byte * 8 < bits; byte++)
            at[first / 8 + byte] |= (uint8_t)(c >> 8 * byte << first % 8);
    }
}

/* Of 16 bits and more sixteen rows share eight lanes and their neighbours (CUTLASS's layouts of E);
 * of fewer a lane has its row's. */
static void put_places(const struct form *f, uint32_t row, uint32_t chunk, uint32_t four)
{
    const uint32_t own = row % f->rows;
    uint32_t lane = lane_of(f, own), column = chunk / 8, first = chunk % 8 * 4;
    if (f->kind->bits >= 16) {
        first = chunk % 4 * 4 + own / 8 % 2 * 16;
        lane = lane_of(f, own / 16 * 16) + own % 8 + chunk / 4 * 8;
        column = f->selector;
    }
    memory[row / f->rows].cell[lane][column] |= four << first;
}

/* Of two numbers one is kept, of four two, of four pairs two. */
static void draw_sparse_row(const struct form *f, uint32_t row, uint64_t *seed)
{
    static const int two[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const uint32_t bits = f->kind->bits, per = bits == 4 ? 8 : bits == 32 ? 2 : 4;
    const uint32_t together = bits == 4 ? 2 : 1;
    for (uint32_t c = 0; c < f->kind->k / per; c++) {
        const int *drawn = two[below(seed, 6)], place[2] = {drawn[0] % 2, 0};
        const int *at = bits == 32 ? place : drawn;
        put_places(f, row, c,
                   bits == 32 ? (at[0] ? 0xe : 4) : (uint32_t)at[0] | (uint32_t)at[1] << 2);
        for (uint32_t i = 0; i < per / 2; i++)
            a[row][c * per + (uint32_t)at[i / together] * together + i % together] =
                kept[row][c * per / 2 + i] = (int)below(seed, 7) - 3;
    }
}

static void draw_row(const struct form *f, uint32_t row, uint64_t *seed)
{
    if (f->sparse)
        draw_sparse_row(f, row, seed);
    else
        for (uint32_t k = 0; k < depth(f); k++) a[row][k] = kept[row][k] = (int)below(seed, 7) - 3;
    put_row(memory[row / f->rows].image, f->kind, row % f->rows, f->kind->k / 2, kept[row]);
}

/* The words of rows r, r + 32, ... are neighbours on lane r % 32 of every quarter. A factor is 1 or
 * 2: ue8m0's, or of blocks of 16 ue4m3's. */
static void put_factor(const struct form *f, uint32_t cta, uint32_t column, uint32_t row,
                       uint32_t block, uint8_t *exponent, uint64_t *seed)
{
    if (seed) *exponent = (uint8_t)below(seed, 2);
    const uint32_t byte = f->kind->block == 16 ? 0x38u + 8u * *exponent : 127u + *exponent;
    for (uint32_t quarter = 0; quarter < 4; quarter++)
        memory[cta].cell[quarter * 32 + row % 32][column + row / 32] |= byte << 8 * block;
}

static void draw_factors(const struct form *f, uint64_t *seed)
{
    const uint32_t blocks = f->kind->block ? f->kind->k / 2 / f->kind->block : 0;
    for (uint32_t i = 0; i < blocks; i++) {
        for (uint32_t row = 0; row < CTAS * f->rows; row++)
            put_factor(f, row / f->rows, SCALE_A, row % f->rows, i, &scale_a[row][i], seed);
        for (uint32_t n = 0; n < f->n; n++) {
            put_factor(f, 0, SCALE_B, n, i, &scale_b[n][i], seed);
            put_factor(f, 1, SCALE_B, n, i, &scale_b[n][i], NULL);
        }
    }
}

static void draw(const struct form *f, uint64_t seed)
{
    memset(memory, 0, sizeof memory);
    memset(a, 0, sizeof a);
    memset(scale_a, 0, sizeof scale_a);
    memset(scale_b, 0, sizeof scale_b);
    for (uint32_t row = 0; row < CTAS * f->rows; row++) draw_row(f, row, &seed);
    for (uint32_t n = 0; n < f->n; n++) {
        for (uint32_t k = 0; k < depth(f); k++) b[n][k] = (int)below(&seed, 7) - 3;
        put_row(memory[n / (f->n / 2)].image + B_AT, f->kind, n % (f->n / 2), depth(f), b[n]);
    }
    for (uint32_t i = 0; i < CTAS * 4; i++)
        lanes_off[i] = f->some_lanes ? (uint32_t)splitmix(&seed) : 0;
    draw_factors(f, &seed);
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
    "mul.wide.u32 %%rd2, %%r1, %u; add.u64 %%rd3, %%rd9, %%rd2; mov.u32 %%r5, 0;\n"
    "in: ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%rd3 + %u];\n"
    "ld.global.v4.u32 {%%v4, %%v5, %%v6, %%v7}, [%%rd3 + %u + 16]; add.u32 %%r7, %%r4, %%r5;\n"
    "tcgen05.st.sync.aligned.32x32b.x8.b32 [%%r7 + %u], {%%v0, %%v1, %%v2, %%v3, %%v4, %%v5, "
    "%%v6, %%v7};\n"
    "add.u64 %%rd3, %%rd3, 32; add.u32 %%r5, %%r5, 8; setp.lt.u32 %%p2, %%r5, %u; @%%p2 bra in;\n"
    "tcgen05.wait::st.sync.aligned; fence.proxy.async.shared::cta;\n"
    "tcgen05.fence::before_thread_sync; barrier.cluster.arrive.aligned;\n"
    "barrier.cluster.wait.aligned; tcgen05.fence::after_thread_sync;\n"
    "or.b32 %%r5, %%r1, %%r20; setp.ne.u32 %%p1, %%r5, 0; @%%p1 bra wait;\n"
    "add.u32 %%r6, %%r0, %u; shr.u32 %%r6, %%r6, 4; cvt.u64.u32 %%rd4, %%r6;\n"
    "or.b64 %%rd4, %%rd4, 0x%llx;\n"
    "add.u32 %%r6, %%r0, %u; shr.u32 %%r6, %%r6, 4; cvt.u64.u32 %%rd5, %%r6;\n"
    "or.b64 %%rd5, %%rd5, 0x%llx;\n"
    "mov.u32 %%r10, 0x%x; setp.ne.u32 %%p3, %%r10, %%r10; add.u32 %%r12, %%r19, %u;\n"
    "add.u32 %%r13, %%r12, %u; add.u32 %%r14, %%r12, %u;\n"
    "tcgen05.mma%s.cta_group::2.kind::%s%s [%%r19], %%rd4, %%rd5, %s%%r10, %s%s%%p3;\n"
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

static uint32_t descriptor_of(const struct form *f)
{
    const struct kind *k = f->kind;
    const uint32_t common = (uint32_t)f->sparse << 2 | k->code << 7 | k->code << 10 |
                            f->n / 8 << 17 | CTAS * f->rows / 16 << 24;
    if (k->block) return common | (uint32_t)(k->block == 32) << 23;
    return common | f->selector | (k == &kinds[I8] ? 2u : 1u) << 4;
}

static void write_kernel(char *text, size_t cap, const struct form *f)
{
    const struct kind *k = f->kind;
    const unsigned cells = offsetof(__typeof__(memory[0]), cell),
                   sums = offsetof(__typeof__(memory[0]), sum);
    const uint32_t *l = lanes_off;
    char lanes[120];
    snprintf(lanes, sizeof lanes, "{0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x}, ", l[0], l[1],
             l[2], l[3], l[4], l[5], l[6], l[7]);
    snprintf(text, cap, kernel, (unsigned)sizeof memory[0], IMAGE_AT, IMAGE_BYTES, CELLS * 4, cells,
             cells, META, CELLS, IMAGE_AT, matrix(k->bits, k->k / 2), IMAGE_AT + B_AT,
             matrix(k->bits, depth(f)), descriptor_of(f), META, SCALE_A, SCALE_B,
             f->sparse ? ".sp" : "", k->name, k->scales, f->sparse ? "[%r12], " : "",
             f->some_lanes ? lanes : "", k->block ? "[%r13], [%r14], " : "", MOST_N * 4, sums, sums,
             MOST_N);
}

static int sum_of(const struct form *f, uint32_t row, uint32_t n)
{
    const uint32_t blocks = f->kind->block ? f->kind->k / 2 / f->kind->block : 1;
    int sum = 0;
    for (uint32_t k = 0; k < depth(f); k++) {
        const uint32_t i = k * blocks / depth(f);
        sum += a[row][k] * b[n][k] * (1 << (scale_a[row][i] + scale_b[n][i]));
    }
    return sum;
}

/* Tensor memory begins as ones, which stay where a lane is left out. Of a pair's 128 dense rows
 * lanes 64 on have the second half of the columns. */
static void check(const struct form *f, uint32_t row, uint32_t n)
{
    const bool in_halves = !f->sparse && f->rows == 64;
    const uint32_t half = in_halves ? n / (f->n / 2) : 0;
    const uint32_t cta = row / f->rows, lane = lane_of(f, row % f->rows) + half * 64;
    const uint32_t bits = memory[cta].sum[lane][in_halves ? n % (f->n / 2) : n];
    const int sum = sum_of(f, row, n);
    float found;
    memcpy(&found, &bits, 4);
    if (f->kind == &kinds[I8]) found = (float)(int32_t)bits;
    const bool off = lanes_off[cta * 4 + lane / 32] >> lane % 32 & 1;
    if (off ? bits != UINT32_MAX : found != (float)sum)
        fail_msg("%s%s m%u n%u: row %u, column %u%s is %g and not %d", f->kind->name,
                 f->sparse ? " sp" : "", f->rows, f->n, row, n, off ? ", left out," : "",
                 (double)found, sum);
}

static void one(const struct form *f, uint64_t seed)
{
    static char text[8192];
    struct ptx_run run;
    draw(f, seed);
    write_kernel(text, sizeof text, f);
    if (!ptx_run(text, memory, sizeof memory, LANES, CTAS, SMEM, seed / KINDS % 3, &run))
        fail_msg("%s n%u", f->kind->name, f->n);
    for (uint32_t row = 0; row < CTAS * f->rows; row++)
        for (uint32_t n = 0; n < f->n; n++) check(f, row, n);
}

static void pairs_are_plain_sums(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (uint32_t i = 0; i < DRAWN; i++) {
        const struct kind *k = &kinds[i % KINDS];
        const bool sparse = i / KINDS % 2 == 0, small = i / KINDS / 2 % 2;
        const struct form f = {.kind = k,
                               .n = 32 * (1 + below(&seed, 8)),
                               .selector = sparse && k->bits >= 16 ? below(&seed, 2) : 0,
                               .rows = small && !(sparse && k->block) ? 64 : 128,
                               .sparse = sparse,
                               .some_lanes = !k->block && below(&seed, 2)};
        one(&f, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_plain_sums)};
    return cmocka_run_group_tests_name("products of pairs", tests, NULL, NULL);
}
