/* Block-scaled products against plain sums: tcgen05.mma with its scale factors in tensor memory and
 * mma.sync with them in registers, of every kind, pair of types and size of blocks. Numbers and
 * factors are drawn as bits; a sum may be off by its own rounding and no more. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/splitmix.h"
#include "support/tensor_kernel.h"

enum { ROWS = 128, MOST_COLS = 256, MOST_K = 96, FACTORS = 8 };
enum type { E4M3, E5M2, E2M3, E3M2, E2M1, UE8M0, UE4M3 };

static const struct {
    const char *name;
    int width, exponent, mantissa, bias;
    uint32_t code; /* in an instruction descriptor of mxf8f6f4 */
} types[] = {[E4M3] = {"e4m3", 8, 4, 3, 7, 0},  [E5M2] = {"e5m2", 8, 5, 2, 15, 1},
             [E2M3] = {"e2m3", 6, 2, 3, 1, 3},  [E3M2] = {"e3m2", 6, 3, 2, 3, 4},
             [E2M1] = {"e2m1", 4, 2, 1, 1, 5},  [UE8M0] = {"ue8m0", 8, 8, 0, 127, 0},
             [UE4M3] = {"ue4m3", 8, 4, 3, 7, 0}};

static double value(enum type t, uint32_t bits)
{
    const int m = types[t].mantissa, e = types[t].exponent, bias = types[t].bias;
    const int field = (int)(bits >> m & ((1u << e) - 1));
    const double low = (double)(bits & ((1u << m) - 1)) / (1 << m);
    if (t == UE8M0) return ldexp(1, (int)bits - bias);
    const double v = field ? ldexp(1 + low, field - bias) : ldexp(low, 1 - bias);
    return t != UE4M3 && bits >> (m + e) & 1 ? -v : v;
}

/* No NaN, no infinity, and exponents near enough for an exact sum. */
static uint8_t drawn(enum type t, uint64_t *seed)
{
    const uint32_t sign = splitmix_below(seed, 2) << (types[t].width - 1);
    switch (t) {
    case UE8M0:
        return (uint8_t)(124 + splitmix_below(seed, 8));
    case UE4M3:
        return (uint8_t)(0x20 + splitmix_below(seed, 0x30));
    case E4M3:
        return (uint8_t)(sign | splitmix_below(seed, 0x60));
    case E5M2:
        return (uint8_t)(sign | (0x20 + splitmix_below(seed, 0x30)));
    default:
        return (uint8_t)(sign | splitmix_below(seed, 1u << (types[t].width - 1)));
    }
}

/* A product's numbers and factors, and its sums. */
struct product {
    enum type a, b, scale;
    uint32_t rows, cols, k, block, id[2];
    uint8_t a_bits[ROWS][MOST_K], b_bits[MOST_COLS][MOST_K];
    uint8_t factor[2][MOST_COLS][FACTORS];
    float d[ROWS][MOST_COLS];
};

static void fill(struct product *p, uint64_t *seed)
{
    for (uint32_t k = 0; k < p->k; k++) {
        for (uint32_t r = 0; r < p->rows; r++) p->a_bits[r][k] = drawn(p->a, seed);
        for (uint32_t c = 0; c < p->cols; c++) p->b_bits[c][k] = drawn(p->b, seed);
    }
    for (uint32_t i = 0; i < FACTORS; i++)
        for (uint32_t r = 0; r < MOST_COLS; r++) {
            p->factor[0][r][i] = drawn(p->scale, seed);
            p->factor[1][r][i] = drawn(p->scale, seed);
        }
}

static void check(const struct product *p, const char *what)
{
    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t c = 0; c < p->cols; c++) {
            double sum = 0, most = 0;
            for (uint32_t k = 0; k < p->k; k++) {
                const uint32_t block = k / p->block;
                const double term = value(p->a, p->a_bits[r][k]) * value(p->b, p->b_bits[c][k]) *
                                    value(p->scale, p->factor[0][r][p->id[0] + block]) *
                                    value(p->scale, p->factor[1][c][p->id[1] + block]);
                sum += term;
                most += fabs(term);
            }
            const double off = fabs((double)p->d[r][c] - sum);
            if (!(off <= most * 0x1p-22)) /* NaN too */
                fail_msg("%s: row %u, column %u is %g and not %g", what, r, c, (double)p->d[r][c],
                         sum);
        }
}

/* --- tcgen05.mma */

enum {
    IMAGE_AT = 0x400, /* of the kernel's shared memory: barrier and address before it */
    A_AT = 0,
    B_AT = 32 << 10,
    SCALE_AT = 96 << 10,
    IMAGE_BYTES = 100 << 10,
    SMEM = IMAGE_AT + IMAGE_BYTES,
    TILE = 512,
    SCALE_COLUMN = 256,
    A_COLUMN = 384
};
static struct {
    uint8_t image[IMAGE_BYTES];
    float d[ROWS][MOST_COLS];
} memory;

struct form {
    const char *kind, *size, *target;
    enum type a, b, scale;
    uint32_t k, block, cols;
    bool swizzled, a_in_tensor_memory;
};

/* Where 16 bytes of a row lie. */
static uint32_t piece_at(const struct form *f, uint32_t row, uint32_t piece, uint32_t pieces)
{
    return f->swizzled ? row / 8 * 1024 + row % 8 * 128 + (piece ^ row % 8) * 16
                       : row / 8 * pieces * 128 + piece * 128 + row % 8 * 16;
}

static void put_bits(uint8_t *to, uint32_t first, uint32_t width, uint32_t bits)
{
    for (uint32_t i = 0; i < width; i++)
        if (bits >> i & 1) to[(first + i) / 8] |= (uint8_t)(1u << (first + i) % 8);
}

/* 16 numbers in each 16 bytes, or, of mxf4, 32. */
static void lay_out(const struct form *f, uint8_t *to, enum type t, uint32_t rows,
                    uint8_t bits[][MOST_K])
{
    const uint32_t per = f->k >= 64 ? 32 : 16, pieces = f->k / per;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < f->k; k++)
            put_bits(to + piece_at(f, r, k / per, pieces), k % per * (uint32_t)types[t].width,
                     (uint32_t)types[t].width, bits[r][k]);
}

/* Tiles of 32 rows and four words: word c of row r has four factors of row 32 c + r. */
static void lay_out_factors(uint8_t *to, uint8_t factor[MOST_COLS][FACTORS])
{
    for (uint32_t r = 0; r < MOST_COLS; r++)
        for (uint32_t i = 0; i < FACTORS; i++)
            to[(i / 4 * 2 + r / 128) * TILE + r % 32 * 16 + r % 128 / 32 * 4 + i % 4] =
                factor[r][i];
}

#define DESCRIPTOR(at)                                                                             \
    "add.u32 %%r1, %%base, " at ";\nshr.u32 %%r1, %%r1, 4;\ncvt.u64.u32 %%rd1, %%r1;\n"

static const char head[] = TENSOR_KERNEL_HEAD
    "fence.proxy.async.shared::cta; tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "tcgen05.fence::after_thread_sync; ld.shared.u32 %%tm, [smem + 16];\n"
    "setp.ne.u32 %%p1, %%id, 0; @%%p1 bra wait;\n";

static const char tail[] =
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%base];\n"
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %%p1, [smem], 0; @!%%p1 bra wait;\n"
    "tcgen05.fence::after_thread_sync;\n"
    "and.b32 %%r4, %%id, 96; shl.b32 %%r4, %%r4, 16; add.u32 %%r4, %%r4, %%tm;\n"
    "mul.wide.u32 %%rd2, %%id, 1024; add.u64 %%rd3, %%rd9, %%rd2; add.u64 %%rd3, %%rd3, %u;\n"
    "mov.u32 %%r5, 0;\n"
    "out: tcgen05.ld.sync.aligned.32x32b.x8.b32 {%%v0, %%v1, %%v2, %%v3, %%v4, %%v5, %%v6, %%v7}, "
    "[%%r4];\n"
    "tcgen05.wait::ld.sync.aligned;\n"
    "st.global.v4.u32 [%%rd3], {%%v0, %%v1, %%v2, %%v3};\n"
    "st.global.v4.u32 [%%rd3 + 16], {%%v4, %%v5, %%v6, %%v7};\n"
    "add.u32 %%r4, %%r4, 8; add.u64 %%rd3, %%rd3, 32; add.u32 %%r5, %%r5, 8;\n"
    "setp.lt.u32 %%p2, %%r5, %u; @%%p2 bra out;\n"
    "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
    "setp.ge.u32 %%p1, %%id, 32; @%%p1 bra end;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tm, 512;\n"
    "end: ret;\n}\n";

/* Factors of both operands: four tiles of 32 words a matrix. A's next four factors are four columns
 * on, B's as many more as it has rows. */
static int factors(char *to, size_t cap, const struct form *f)
{
    int n = 0;
    for (uint32_t m = 0; m < 2; m++)
        for (uint32_t tile = 0; tile < 4; tile++) {
            const uint32_t group = m && f->cols > 128 ? 8 : 4;
            const uint32_t column = SCALE_COLUMN + m * 32 + tile / 2 * group + tile % 2 * 4;
            if (tile % 2 && group == 4) continue;
            n +=
                snprintf(to + n, cap - (size_t)n,
                         DESCRIPTOR("%u") "or.b64 %%rd1, %%rd1, 0x400800080000;\n"
                                          "add.u32 %%r6, %%tm, %u;\n"
                                          "tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r6], %%rd1;\n",
                         IMAGE_AT + SCALE_AT + (4 * m + tile) * TILE, column);
        }
    return n;
}

static uint64_t descriptor_of(const struct form *f)
{
    const uint64_t pieces = f->k / (f->k >= 64 ? 32 : 16);
    return f->swizzled ? UINT64_C(2) << 61 | UINT64_C(1) << 46 | UINT64_C(64) << 32 | 1 << 16
                       : UINT64_C(1) << 46 | pieces * 8 << 32 | 8 << 16;
}

static int operands(char *to, size_t cap, const struct form *f)
{
    const char *unpack = types[f->a].width == 8 || f->k >= 64 ? ""
                         : types[f->a].width == 6             ? ".b8x16.b6x16_p32"
                                                              : ".b8x16.b4x16_p64";
    int n = snprintf(to, cap,
                     DESCRIPTOR("%u") "or.b64 %%rd4, %%rd1, 0x%llx;\n" DESCRIPTOR(
                         "%u") "or.b64 %%rd5, %%rd1, 0x%llx;\n",
                     IMAGE_AT + A_AT, (unsigned long long)descriptor_of(f), IMAGE_AT + B_AT,
                     (unsigned long long)descriptor_of(f));
    if (f->a_in_tensor_memory)
        n +=
            snprintf(to + n, cap - (size_t)n,
                     "add.u32 %%r7, %%tm, %u;\ntcgen05.cp.cta_group::1.128x256b%s [%%r7], %%rd4;\n",
                     A_COLUMN, unpack);
    return n;
}

static uint32_t instruction_descriptor(const struct form *f, const struct product *p)
{
    const bool four = f->k >= 64;
    const uint32_t a = four ? 1 : types[f->a].code, b = four ? 1 : types[f->b].code;
    return p->id[1] << 4 | a << 7 | b << 10 | f->cols / 8 << 17 |
           (uint32_t)(f->scale == UE8M0) << 23 | ROWS / 16 << 24 | p->id[0] << 29 |
           (uint32_t)(f->k == 96) << 31;
}

static void write_kernel(char *to, size_t cap, const struct form *f, const struct product *p)
{
    int n = snprintf(to, cap, head, f->target, IMAGE_AT, IMAGE_BYTES);
    n += factors(to + n, cap - (size_t)n, f);
    n += operands(to + n, cap - (size_t)n, f);
    n += snprintf(to + n, cap - (size_t)n,
                  "mov.u32 %%r8, 0x%x; setp.ne.u32 %%p3, %%r8, %%r8;\nadd.u32 %%r9, %%tm, %u;\n"
                  "add.u32 %%r10, %%tm, %u;\n"
                  "tcgen05.mma.cta_group::1.kind::%s.block_scale%s [%%tm], %s, %%rd5, %%r8, "
                  "[%%r9], [%%r10], %%p3;\n",
                  instruction_descriptor(f, p), SCALE_COLUMN, SCALE_COLUMN + 32, f->kind, f->size,
                  f->a_in_tensor_memory ? "[%r7]" : "%rd4");
    snprintf(to + n, cap - (size_t)n, tail, IMAGE_BYTES, f->cols);
}

static struct product product;
static char text[16384];

static bool run_tensor(const struct form *f, uint64_t seed, struct ptx_run *run)
{
    const uint32_t blocks = f->k / f->block, step = blocks == 1 || blocks == 3 ? 1 : 2;
    product = (struct product){.a = f->a,
                               .b = f->b,
                               .scale = f->scale,
                               .rows = ROWS,
                               .cols = f->cols,
                               .k = f->k,
                               .block = f->block};
    for (int i = 0; i < 2; i++)
        product.id[i] = blocks == 4 ? 0 : splitmix_below(&seed, 4 / step) * step;
    fill(&product, &seed);
    memset(&memory, 0, sizeof memory);
    lay_out(f, memory.image + A_AT, f->a, ROWS, product.a_bits);
    lay_out(f, memory.image + B_AT, f->b, f->cols, product.b_bits);
    for (int i = 0; i < 2; i++)
        lay_out_factors(memory.image + SCALE_AT + i * 4 * TILE, product.factor[i]);
    write_kernel(text, sizeof text, f, &product);
    const bool good = ptx_run(text, &memory, sizeof memory, 128, 1, SMEM, seed % 3, run);
    memcpy(product.d, memory.d, sizeof memory.d);
    return good;
}

static const struct {
    const char *kind, *size, *target;
    enum type scale;
    uint32_t k, block;
} kinds[] = {{"mxf8f6f4", "", "sm_100a", UE8M0, 32, 32},
             {"mxf8f6f4", ".block32", "sm_103a", UE8M0, 32, 32},
             {"mxf8f6f4", ".scale_vec::1X", "sm_100a", UE8M0, 32, 32},
             {"mxf4", ".scale_vec::2X", "sm_100a", UE8M0, 64, 32},
             {"mxf4", ".block32", "sm_103a", UE8M0, 96, 32},
             {"mxf4nvf4", ".scale_vec::2X", "sm_100a", UE8M0, 64, 32},
             {"mxf4nvf4", ".scale_vec::4X", "sm_100a", UE8M0, 64, 16},
             {"mxf4nvf4", ".scale_vec::4X", "sm_100a", UE4M3, 64, 16},
             {"mxf4nvf4", ".block16", "sm_103a", UE4M3, 96, 16}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct form drawn_form(uint32_t i, uint64_t *seed)
{
    const bool four = kinds[i].k >= 64;
    const struct form f = {.kind = kinds[i].kind,
                           .size = kinds[i].size,
                           .target = kinds[i].target,
                           .scale = kinds[i].scale,
                           .k = kinds[i].k,
                           .block = kinds[i].block,
                           .a = four ? E2M1 : (enum type)splitmix_below(seed, 5),
                           .b = four ? E2M1 : (enum type)splitmix_below(seed, 5),
                           .cols = (1 + splitmix_below(seed, 32)) * 8,
                           .swizzled = splitmix_below(seed, 2),
                           .a_in_tensor_memory = kinds[i].k != 96 && splitmix_below(seed, 2)};
    return f;
}

static void tensor_memory(void **state)
{
    struct ptx_run run;
    char what[160];
    (void)state;
    for (uint64_t seed = 1; seed <= 3 * KINDS; seed++) {
        uint64_t s = seed * 0x9e3779b97f4a7c15u;
        const struct form f = drawn_form(seed % KINDS, &s);
        snprintf(what, sizeof what, "seed %u: %s%s %s %s K %u N %u%s%s", (unsigned)seed, f.kind,
                 f.size, types[f.a].name, types[f.b].name, f.k, f.cols,
                 f.swizzled ? " swizzled" : "", f.a_in_tensor_memory ? " A in tensor memory" : "");
        if (!run_tensor(&f, s, &run)) fail_msg("%s", what);
        assert_int_equal(run.result.basis, TMAP_INFERRED);
        check(&product, what);
    }
}

/* --- mma.sync */

enum { LANES = 32, M = 16, N = 8 };
static struct {
    uint32_t a[4][LANES], b[2][LANES], scale[2][LANES];
    float d[4][LANES];
} registers;

static const char mma_text[] =
    ".version 9.0\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
    ".reg .b32 %%r<10>; .reg .b64 %%rd<4>; .reg .f32 %%f<4>; .reg .b16 %%h<4>;\n"
    "ld.param.u64 %%rd1, [p]; mov.u32 %%r9, %%tid.x; mul.wide.u32 %%rd2, %%r9, 4;\n"
    "add.u64 %%rd1, %%rd1, %%rd2; mov.f32 %%f0, 0f00000000;\n"
    "mov.b16 %%h0, %u; mov.b16 %%h1, %u;\n"
    "ld.global.u32 %%r0, [%%rd1]; ld.global.u32 %%r1, [%%rd1 + 128];\n"
    "ld.global.u32 %%r2, [%%rd1 + 256]; ld.global.u32 %%r3, [%%rd1 + 384];\n"
    "ld.global.u32 %%r4, [%%rd1 + 512]; ld.global.u32 %%r5, [%%rd1 + 640];\n"
    "ld.global.u32 %%r6, [%%rd1 + 768]; ld.global.u32 %%r7, [%%rd1 + 896];\n"
    "mma.sync.aligned.m16n8k%u.row.col.kind::%s.block_scale%s.f32.%s.%s.f32.%s "
    "{%%f0, %%f1, %%f2, %%f3}, {%%r0, %%r1, %%r2, %%r3}, {%%r4, %%r5}, {%%f0, %%f0, %%f0, %%f0}, "
    "%%r6, {%%h0, %%h1}, %%r7, {%u, %u};\n"
    "st.global.f32 [%%rd1 + 1024], %%f0; st.global.f32 [%%rd1 + 1152], %%f1;\n"
    "st.global.f32 [%%rd1 + 1280], %%f2; st.global.f32 [%%rd1 + 1408], %%f3;\nret;\n}\n";

/* Element k of a line of A or B: lane and register by the PTX ISA's tables. */
static void put_fragments(const struct product *p, bool packed)
{
    const uint32_t per = packed ? 8 : 4;
    memset(&registers, 0, sizeof registers);
    for (uint32_t k = 0; k < p->k; k++)
        for (uint32_t line = 0; line < M + N; line++) {
            const bool is_a = line < M;
            const uint32_t row = is_a ? line : line - M, lane = row % 8 * 4 + k / per % 4;
            const uint32_t reg = is_a ? k / (4 * per) * 2 + row / 8 : k / (4 * per);
            const enum type t = is_a ? p->a : p->b;
            const uint32_t bits = is_a ? p->a_bits[row][k] : p->b_bits[row][k];
            const uint32_t middle = !packed && types[t].width == 4 ? 2 : 0;
            (is_a ? registers.a : registers.b)[reg][lane] |= bits
                                                             << (k % per * (32 / per) + middle);
        }
}

/* Every other lane's words are what nobody may read. */
static void put_scales(const struct product *p, const uint32_t thread[2], uint64_t *seed)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        registers.scale[0][lane] = registers.scale[1][lane] = (uint32_t)splitmix(seed);
    for (uint32_t row = 0; row < M; row++) {
        const uint32_t lane = row % 8 * 4 + thread[0] * 2 + row / 8;
        memcpy(&registers.scale[0][lane], p->factor[0][row], 4);
        if (row < N) memcpy(&registers.scale[1][row * 4 + thread[1]], p->factor[1][row], 4);
    }
}

static bool run_warp(uint32_t i, enum type a, enum type b, uint64_t seed)
{
    const uint32_t blocks = kinds[i].k / kinds[i].block;
    const uint32_t thread[2] = {splitmix_below(&seed, 2), splitmix_below(&seed, 4)};
    struct ptx_run run;
    product = (struct product){.a = a,
                               .b = b,
                               .scale = kinds[i].scale,
                               .rows = M,
                               .cols = N,
                               .k = kinds[i].k,
                               .block = kinds[i].block};
    for (int n = 0; n < 2; n++) product.id[n] = splitmix_below(&seed, 4 / blocks) * blocks;
    fill(&product, &seed);
    put_fragments(&product, kinds[i].k == 64);
    put_scales(&product, thread, &seed);
    snprintf(text, sizeof text, mma_text, product.id[0], thread[0], kinds[i].k, kinds[i].kind,
             kinds[i].size, types[a].name, types[b].name, types[kinds[i].scale].name, product.id[1],
             thread[1]);
    if (!ptx_run(text, &registers, sizeof registers, 32, 1, 0, TMAP_EMULATE_LATEST, &run))
        return false;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t n = 0; n < 4; n++)
            product.d[lane / 4 + n / 2 * 8][lane % 4 * 2 + n % 2] = registers.d[n][lane];
    return true;
}

static void warp(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KINDS; i++) {
        const bool four = kinds[i].k == 64;
        if (kinds[i].k == 96 || strncmp(kinds[i].size, ".block", 6) == 0) continue;
        for (uint32_t t = 0; t < (four ? 4 : 25); t++) {
            const enum type a = four ? E2M1 : (enum type)(t / 5),
                            b = four ? E2M1 : (enum type)(t % 5);
            if (!run_warp(i, a, b, 77 * i + t)) fail_msg("kind %u, types %u", i, t);
            check(&product, kinds[i].kind);
        }
    }
}

/* --- what is wrong is said */

static void replace(const char *old, const char *with)
{
    char *at = strstr(text, old), rest[sizeof text];
    assert_non_null(at);
    snprintf(rest, sizeof rest, "%s", at + strlen(old));
    snprintf(at, sizeof text - (size_t)(at - text), "%s%s", with, rest);
}

static void expect_finding(const char *said)
{
    struct ptx_run run;
    fprintf(stderr, "# expected: ");
    assert_false(ptx_run(text, &memory, sizeof memory, 128, 1, SMEM, TMAP_EMULATE_LATEST, &run));
    assert_int_equal(run.load, TMAP_OK);
    for (size_t i = 0; i < run.findings && i < PTX_RUN_FINDINGS; i++)
        if (strstr(run.finding[i].text, said)) return;
    fail_msg("nothing says '%s'", said);
}

static void broken(void **state)
{
    const struct form f = {.kind = "mxf4nvf4",
                           .size = ".scale_vec::4X",
                           .target = "sm_100a",
                           .a = E2M1,
                           .b = E2M1,
                           .scale = UE4M3,
                           .k = 64,
                           .block = 16,
                           .cols = 64};
    struct ptx_run run;
    (void)state;
    assert_true(run_tensor(&f, 3, &run));
    replace("32x128b.warpx4 [%r6]",
            "128x128b [%r6]"); /* one partition's tile, and what follows it */
    expect_finding("scale factors of row");
    assert_true(run_tensor(&f, 3, &run));
    replace("mov.u32 %r8, 0x", "mov.u32 %r8, 0x2"); /* a byte of four */
    expect_finding("instruction descriptor");
    assert_true(run_tensor(&f, 3, &run));
    replace("add.u32 %r9, %tm, 256", "add.u32 %r9, %tm, 0x100100");
    expect_finding("scale factors of A begin at lane 16");
    assert_true(run_tensor(&f, 3, &run));
    replace(".scale_vec::4X", "");
    assert_false(ptx_run(text, &memory, sizeof memory, 128, 1, SMEM, TMAP_EMULATE_LATEST, &run));
    assert_int_equal(run.load, TMAP_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_memory),
        cmocka_unit_test(warp),
        cmocka_unit_test(broken),
    };
    return cmocka_run_group_tests_name("block scales", tests, NULL, NULL);
}
