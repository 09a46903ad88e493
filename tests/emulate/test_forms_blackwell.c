/* Forms of tcgen05.mma beside the dense one: .sp, .ws, .ashift, f16 sums, lanes of D that are left
 * out, D scaled down, columns of B that are zero. Each drawn case against a plain sum over the
 * whole of tensor memory; and what must not be written. */
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
#include "support/tensor_kernel.h"

enum {
    LANES = 128,
    COLUMNS = 512,
    MOST_N = 256,
    MOST_K = 128,
    A_AT = 0, /* of the image; both without a swizzle */
    B_AT = 32 << 10,
    IMAGE_AT = 0x400,
    IMAGE_BYTES = 128 << 10,
    SMEM = IMAGE_AT + IMAGE_BYTES,
    A_COLUMN = 256,
    META_COLUMN = 384,
    SCALE_COLUMN = 400,
    DRAWN = 12
};

static const struct kind {
    const char *name;
    uint32_t bits, k, a_code, block; /* block: numbers of A, as stored, that share a factor */
} kinds[] = {{"f16", 16, 16, 0, 0},      {"tf32", 32, 8, 2, 0},      {"f8f6f4", 8, 32, 0, 0},
             {"i8", 8, 32, 1, 0},        {"mxf8f6f4", 8, 32, 0, 32}, {"mxf4", 4, 64, 1, 32},
             {"mxf4nvf4", 4, 64, 1, 32}, {"f16", 16, 16, 1, 0}};
enum { F16, TF32, F8F6F4, I8, MXF8F6F4, MXF4, MXF4NVF4, BF16, KINDS };

struct form {
    const struct kind *kind;
    uint32_t m, n, k, d_halvings, selector, negates; /* negates: 1: A, 2: B */
    bool sparse, stationary, shifts, a_in_tensor, half, adds, some_lanes, masked;
    uint64_t zeros;
    uint32_t max_shift;
};

static struct {
    uint8_t image[IMAGE_BYTES];
    uint32_t cell[LANES][COLUMNS];
} memory;
static uint32_t expected[LANES][COLUMNS];
static int a[LANES][MOST_K], b[MOST_N + 32][MOST_K], places[LANES][MOST_K / 2][2];
static uint32_t lanes_off[4];

static uint32_t code(const struct kind *k, int v)
{
    const float single = (float)v;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    return k == &kinds[BF16] ? bits >> 16 : small_code(k->bits, k == &kinds[I8], v);
}

static void put(uint8_t *to, uint32_t first, uint32_t width, uint32_t bits)
{
    for (uint32_t i = 0; i < width; i++) {
        const uint8_t bit = (uint8_t)(1u << (first + i) % 8);
        to[(first + i) / 8] =
            (uint8_t)(bits >> i & 1 ? to[(first + i) / 8] | bit : to[(first + i) / 8] & ~bit);
    }
}

/* 16 bytes of eight rows after one another, then the next 16 bytes. */
static void put_row(const struct form *f, uint8_t *to, uint32_t row, uint32_t k, const int *v)
{
    const uint32_t bits = f->kind->bits, per = 128 / bits, pieces = k / per;
    for (uint32_t i = 0; i < k; i++)
        put(to + row / 8 * pieces * 128 + i / per * 128 + row % 8 * 16, i % per * bits, bits,
            code(f->kind, v[i]));
}

static uint32_t lane_of(const struct form *f, uint32_t row)
{
    return f->m == 64 && !f->stationary ? row / 16 * 32 + row % 16 : row;
}
static uint32_t copies(const struct form *f)
{
    return f->stationary ? LANES / f->m : 1;
}

/* Numbers of a row as they are stored: the dense row's, or those that the places keep. */
static void stored(const struct form *f, uint32_t row, int *out)
{
    const uint32_t per = f->kind->bits == 4 ? 8 : f->kind->bits == 32 ? 2 : 4;
    const uint32_t pair = per == 8 ? 2 : 1;
    for (uint32_t i = 0; i < (f->sparse ? f->k / 2 : f->k); i++) {
        const uint32_t chunk = i / (per / 2), at = i % (per / 2);
        const uint32_t k = chunk * per + (uint32_t)places[row][chunk][at / pair] * pair + at % pair;
        out[i] = f->sparse ? a[row][k] : a[row][i];
    }
}

static void draw_row(const struct form *f, uint32_t row, uint64_t *seed)
{
    static const int two[7][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 1}, {2, 3}};
    const uint32_t per = f->kind->bits == 4 ? 8 : f->kind->bits == 32 ? 2 : 4;
    const uint32_t pair = per == 8 ? 2 : 1;
    for (uint32_t k = 0; k < f->k; k++)
        a[row][k] = f->sparse ? 0 : (int)splitmix_below(seed, 7) - 3;
    for (uint32_t chunk = 0; f->sparse && chunk < f->k / per; chunk++) {
        memcpy(places[row][chunk], two[splitmix_below(seed, 7)], sizeof *places[row]);
        if (per == 2) places[row][chunk][0] = (int)splitmix_below(seed, 2);
        for (uint32_t i = 0; i < per / 2; i++)
            a[row][chunk * per + (uint32_t)places[row][chunk][i / pair] * pair + i % pair] =
                (int)splitmix_below(seed, 7) - 3;
    }
}

static void put_metadata(const struct form *f, uint32_t row)
{
    const uint32_t chunks = f->k / (f->kind->bits == 4 ? 8 : f->kind->bits == 32 ? 2 : 4);
    for (uint32_t copy = 0; copy < copies(f); copy++)
        for (uint32_t c = 0; c < chunks; c++) {
            const int *p = places[row][c];
            const uint32_t four =
                f->kind->bits == 32 ? (p[0] ? 0xe : 4) : (uint32_t)(p[0] | p[1] << 2);
            uint32_t lane = lane_of(f, row), column = META_COLUMN + c / 8, first = c % 8 * 4;
            if (f->kind->bits >= 16) {
                lane = lane_of(f, row / 16 * 16) + row % 8 + c / 4 * 8;
                column = META_COLUMN + f->selector;
                first = c % 4 * 4 + row / 8 % 2 * 16;
            }
            put((uint8_t *)&memory.cell[lane + copy * f->m][column], first, 4, four);
        }
}

static void put_a(const struct form *f)
{
    int row[MOST_K];
    for (uint32_t r = 0; r < f->m; r++) {
        const uint32_t k = f->sparse ? f->k / 2 : f->k;
        stored(f, r, row);
        if (f->sparse) put_metadata(f, r);
        if (!f->a_in_tensor) put_row(f, memory.image + A_AT, r, k, row);
        for (uint32_t copy = 0; f->a_in_tensor && copy < copies(f); copy++)
            for (uint32_t i = 0; i < k; i++)
                put((uint8_t *)&memory.cell[lane_of(f, r) + copy * f->m][A_COLUMN],
                    i * f->kind->bits, f->kind->bits, code(f->kind, row[i]));
    }
}

/* Factors of 1 or 2 for A's rows, of 1 for B's columns; the same bytes mean both types' numbers. */
static uint32_t factor(uint32_t row)
{
    return row % 3 == 0 ? 128 : 127;
}
static void put_factors(const struct form *f)
{
    for (uint32_t r = 0; f->kind->block && r < MOST_N; r++)
        for (uint32_t part = 0; part < 4; part++) {
            memory.cell[part * 32 + r % 32][SCALE_COLUMN + 16 + r / 32] = 127 * 0x01010101u;
            if (r < LANES)
                memory.cell[part * 32 + r % 32][SCALE_COLUMN + r / 32] = factor(r) * 0x01010101u;
        }
}

static bool is_zero(const struct form *f, uint32_t n)
{
    const uint32_t size = f->n * f->m / LANES, part = n / size;
    const uint32_t skip = (f->zeros >> 40 & 0xff) + 1, use = (f->zeros >> 48 & 0xff) + 1;
    const uint32_t at = (n % size + (uint32_t)(f->zeros >> (8 * part) & 0xff)) % (skip + use);
    if (!f->masked || !(f->zeros >> 39 & 1)) return false;
    return f->zeros >> (32 + part) & 1 ? at < skip : at >= use;
}

static double sum_of(const struct form *f, uint32_t row, uint32_t n)
{
    const uint32_t from = f->shifts && row + 1 < f->m ? row + 1 : row;
    const uint32_t column = n + (f->masked ? (uint32_t)(f->zeros >> 56 & 0x3f) : 0);
    int sum = 0;
    for (uint32_t k = 0; k < f->k && !is_zero(f, n); k++) sum += a[from][k] * b[column][k];
    if (f->negates % 3) sum = -sum;
    return sum * (f->kind->block && factor(row) == 128 ? 2.0 : 1.0);
}

/* Sums that fit a normal half or are 0. */
static uint32_t number(const struct form *f, double v)
{
    const float single = (float)v;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if (f->kind == &kinds[I8]) return (uint32_t)(int32_t)v;
    if (!f->half) return bits;
    return v == 0 ? 0 : (bits >> 31 << 15 | ((bits >> 13 & 0x3ffff) - (112 << 10)));
}

/* D before and after, exact after all halvings. */
static void put_sums(const struct form *f)
{
    const uint32_t run = f->stationary ? f->n * f->m / LANES : f->n;
    for (uint32_t row = 0; row < f->m; row++)
        for (uint32_t n = 0; n < f->n; n++) {
            const uint32_t lane = lane_of(f, row) + n / run * f->m, column = n % run;
            const double before = f->half ? 512 : 1 + (row + n) % 16, h = 1u << f->d_halvings;
            memory.cell[lane][column] = number(f, before);
            expected[lane][column] = number(f, sum_of(f, row, n) + (f->adds ? before / h : 0));
        }
}

static void prepare(const struct form *f, uint64_t seed)
{
    memset(&memory, 0, sizeof memory);
    memset(places, 0, sizeof places);
    for (uint32_t r = 0; r < f->m; r++) draw_row(f, r, &seed);
    for (uint32_t n = 0; n < f->n + 32; n++) {
        for (uint32_t k = 0; k < f->k; k++) b[n][k] = (int)splitmix_below(&seed, 7) - 3;
        put_row(f, memory.image + B_AT, n, f->k, b[n]);
    }
    put_a(f);
    put_factors(f);
    for (int i = 0; i < 4; i++) lanes_off[i] = f->some_lanes ? (uint32_t)splitmix(&seed) : 0;
    put_sums(f);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            if (lanes_off[lane / 32] >> lane % 32 & 1 || c >= f->n ||
                (f->stationary && c >= f->n * f->m / LANES) ||
                (lane_of(f, 16) == 32 && lane % 32 >= 16))
                expected[lane][c] = memory.cell[lane][c];
}

/* --- the kernel */

static const char head[] = TENSOR_KERNEL_HEAD
    "bar.sync 0; ld.shared.u32 %%tm, [smem + 16];\n"
    "and.b32 %%r4, %%id, 96; shl.b32 %%r4, %%r4, 16; add.u32 %%r4, %%r4, %%tm; mov.u32 %%r6, "
    "%%r4;\n"
    "mul.wide.u32 %%rd2, %%id, 2048; add.u64 %%rd3, %%rd9, %%rd2; add.u64 %%rd3, %%rd3, %u;\n"
    "mov.u64 %%rd8, %%rd3; mov.u32 %%r5, 0;\n"
    "in: ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%rd3];\n"
    "ld.global.v4.u32 {%%v4, %%v5, %%v6, %%v7}, [%%rd3 + 16];\n"
    "tcgen05.st.sync.aligned.32x32b.x8.b32 [%%r4], {%%v0, %%v1, %%v2, %%v3, %%v4, %%v5, %%v6, "
    "%%v7};\n"
    "add.u32 %%r4, %%r4, 8; add.u64 %%rd3, %%rd3, 32; add.u32 %%r5, %%r5, 8;\n"
    "setp.lt.u32 %%p2, %%r5, 512; @%%p2 bra in;\n"
    "tcgen05.wait::st.sync.aligned;\n"
    "fence.proxy.async.shared::cta; tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "tcgen05.fence::after_thread_sync; setp.ne.u32 %%p1, %%id, 0; @%%p1 bra wait;\n";

static const char tail[] =
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%base];\n"
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %%p1, [smem], 0; @!%%p1 bra wait;\n"
    "tcgen05.fence::after_thread_sync; mov.u32 %%r5, 0;\n"
    "out: tcgen05.ld.sync.aligned.32x32b.x8.b32 {%%v0, %%v1, %%v2, %%v3, %%v4, %%v5, %%v6, %%v7}, "
    "[%%r6];\n"
    "tcgen05.wait::ld.sync.aligned;\n"
    "st.global.v4.u32 [%%rd8], {%%v0, %%v1, %%v2, %%v3};\n"
    "st.global.v4.u32 [%%rd8 + 16], {%%v4, %%v5, %%v6, %%v7};\n"
    "add.u32 %%r6, %%r6, 8; add.u64 %%rd8, %%rd8, 32; add.u32 %%r5, %%r5, 8;\n"
    "setp.lt.u32 %%p2, %%r5, %u; @%%p2 bra out;\n"
    "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
    "setp.ge.u32 %%p1, %%id, 32; @%%p1 bra end;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tm, 512;\n"
    "end: ret;\n}\n";

static uint32_t descriptor_of(const struct form *f)
{
    const struct kind *k = f->kind;
    const uint32_t common = (uint32_t)f->sparse << 2 | k->a_code << 7 | k->a_code << 10 |
                            f->negates << 13 | f->n / 8 << 17 | f->m / 16 << 24;
    if (k->block) return common | 1u << 23;
    return common |
           (k == &kinds[I8] ? 2u
            : f->half       ? 0u
                            : 1u)
               << 4 |
           f->selector | f->max_shift << 30;
}

static int matrix(char *to, size_t cap, const struct form *f, uint32_t at, uint32_t k, int reg)
{
    const uint64_t pieces = k * f->kind->bits / 128;
    return snprintf(to, cap,
                    "add.u32 %%r1, %%base, %u; shr.u32 %%r1, %%r1, 4; cvt.u64.u32 %%rd1, %%r1;\n"
                    "or.b64 %%rd%d, %%rd1, 0x%llx;\n",
                    IMAGE_AT + at, reg,
                    (unsigned long long)(UINT64_C(1) << 46 | pieces * 8 << 32 | 8 << 16));
}

static int operands(char *to, size_t cap, const struct form *f)
{
    int n = snprintf(to, cap, "[%%tm], %s, %%rd5, ", f->a_in_tensor ? "[%r11]" : "%rd4");
    if (f->sparse) n += snprintf(to + n, cap - (size_t)n, "[%%r12], ");
    n += snprintf(to + n, cap - (size_t)n, "%%r10, ");
    if (f->some_lanes)
        n += snprintf(to + n, cap - (size_t)n, "{0x%x, 0x%x, 0x%x, 0x%x}, ", lanes_off[0],
                      lanes_off[1], lanes_off[2], lanes_off[3]);
    if (f->kind->block) n += snprintf(to + n, cap - (size_t)n, "[%%r13], [%%r14], ");
    n += snprintf(to + n, cap - (size_t)n, "%%p3");
    if (f->d_halvings) n += snprintf(to + n, cap - (size_t)n, ", %u", f->d_halvings);
    if (f->masked) n += snprintf(to + n, cap - (size_t)n, ", %%rd6");
    return n + snprintf(to + n, cap - (size_t)n, ";\n");
}

static char text[8192];

static void write_kernel(const struct form *f, uint32_t descriptor)
{
    const size_t cap = sizeof text;
    int n = snprintf(text, cap, head, "sm_100a", IMAGE_AT, IMAGE_BYTES, IMAGE_BYTES);
    n += matrix(text + n, cap - (size_t)n, f, A_AT, f->sparse ? f->k / 2 : f->k, 4);
    n += matrix(text + n, cap - (size_t)n, f, B_AT, f->k, 5);
    n += snprintf(text + n, cap - (size_t)n,
                  "mov.u32 %%r10, 0x%x; setp.%s.u32 %%p3, %%r10, %%r10; mov.u64 %%rd6, 0x%llx;\n"
                  "add.u32 %%r11, %%tm, %u; add.u32 %%r12, %%tm, %u;\n"
                  "add.u32 %%r13, %%tm, %u; add.u32 %%r14, %%tm, %u;\n"
                  "tcgen05.mma%s%s.cta_group::1.kind::%s%s%s%s ",
                  descriptor, f->adds ? "eq" : "ne", (unsigned long long)f->zeros, A_COLUMN,
                  META_COLUMN, SCALE_COLUMN, SCALE_COLUMN + 16, f->stationary ? ".ws" : "",
                  f->sparse ? ".sp" : "", f->kind->name, f->shifts ? ".ashift" : "",
                  f->kind->block ? ".block_scale" : "",
                  f->kind == &kinds[MXF4NVF4] ? ".scale_vec::2X"
                  : f->stationary             ? ".collector::b2::fill"
                                              : ".collector::a::lastuse");
    n += operands(text + n, cap - (size_t)n, f);
    snprintf(text + n, cap - (size_t)n, tail, COLUMNS);
}

static struct form drawn(const struct kind *k, uint64_t *seed)
{
    const bool scaled = k->block;
    struct form f = {
        .kind = k, .sparse = scaled || splitmix_below(seed, 2), .adds = splitmix_below(seed, 2)};
    f.stationary = !scaled && splitmix_below(seed, 3) == 0;
    f.m = scaled         ? 128
          : f.stationary ? 32u << splitmix_below(seed, 3)
                         : 64u << splitmix_below(seed, 2);
    f.n = f.stationary ? 64u << splitmix_below(seed, f.sparse ? 2 : 3)
                       : (1 + splitmix_below(seed, 24)) * 8;
    if (f.kind == &kinds[I8] && f.n > 32) f.n &= ~15u; /* there by 16 */
    f.k = k->k * (f.sparse ? 2 : 1);
    f.selector = f.sparse && k->bits >= 16 ? splitmix_below(seed, 2) : 0;
    f.a_in_tensor = splitmix_below(seed, 2);
    f.shifts = f.a_in_tensor && f.m == 128 && !f.stationary && !f.sparse && !scaled;
    f.half = (k == &kinds[F16] || k == &kinds[F8F6F4]) && splitmix_below(seed, 2);
    f.some_lanes = !f.stationary && !scaled && splitmix_below(seed, 2);
    f.d_halvings =
        f.adds && !f.stationary && k <= &kinds[TF32] ? splitmix_below(seed, f.half ? 8 : 16) : 0;
    f.masked = f.stationary && splitmix_below(seed, 2);
    f.negates = k == &kinds[I8] ? 0 : splitmix_below(seed, 4);
    f.max_shift = f.masked ? 2 : 0;
    if (f.masked)
        f.zeros = (splitmix(seed) & 0xf07070707u) | UINT64_C(1) << 39 |
                  (uint64_t)splitmix_below(seed, 5) << 40 |
                  (uint64_t)splitmix_below(seed, 5) << 48 |
                  (uint64_t)splitmix_below(seed, 17) << 56;
    return f;
}

static void one(const struct form *f, uint64_t seed)
{
    struct ptx_run run;
    prepare(f, seed);
    write_kernel(f, descriptor_of(f));
    assert_true(ptx_run(text, &memory, sizeof memory, 128, 1, SMEM, seed % 3, &run));
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            if (memory.cell[lane][c] != expected[lane][c])
                fail_msg("%s%s%s m%u n%u: lane %u, column %u is 0x%x and not 0x%x", f->kind->name,
                         f->sparse ? " sp" : "", f->stationary ? " ws" : "", f->m, f->n, lane, c,
                         memory.cell[lane][c], expected[lane][c]);
}

static void every_form_is_a_plain_sum(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (uint32_t i = 0; i < KINDS * DRAWN; i++) {
        const struct form f = drawn(&kinds[i % KINDS], &seed);
        one(&f, seed);
    }
}

/* --- what is wrong */

/* Instructions that no target has. */
static void what_cannot_be_written_is_an_error_of_loading(void **state)
{
    static const char *const wrong[] = {
        "tcgen05.mma.sp.cta_group::1.kind::f16 [%tm], %rd4, %rd5, %r10, %p3;",
        "tcgen05.mma.ws.cta_group::2.kind::f16 [%tm], %rd4, %rd5, %r10, %p3;",
        "tcgen05.mma.ws.cta_group::1.kind::mxf4.block_scale [%tm], %rd4, %rd5, %r10, [%r1], [%r2], "
        "%p3;",
        "tcgen05.mma.ws.cta_group::1.kind::f16.collector::a::fill [%tm], %rd4, %rd5, %r10, %p3;",
        "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b4::fill [%tm], %rd4, %rd5, %r10, %p3;",
        "tcgen05.mma.ws.cta_group::1.kind::f16 [%tm], %rd4, %rd5, %r10, {0, 0, 0, 0}, %p3;",
        "tcgen05.mma.cta_group::1.kind::f16.collector::a::keep [%tm], %rd4, %rd5, %r10, %p3;",
        "tcgen05.mma.cta_group::1.kind::f16.ashift [%tm], %rd4, %rd5, %r10, %p3;",
        "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::fill [%tm], [%r1], %rd5, %r10, "
        "%p3;",
        "tcgen05.mma.cta_group::1.kind::mxf4.ashift.block_scale [%tm], [%r1], %rd5, %r10, [%r1], "
        "[%r2], %p3;",
        "tcgen05.mma.cta_group::1.kind::f16 [%tm], %rd4, %rd5, %r10, {0, 0}, %p3;",
        "tcgen05.mma.cta_group::2.kind::f16 [%tm], %rd4, %rd5, %r10, {0, 0, 0, 0}, %p3;",
        "tcgen05.mma.cta_group::1.kind::f16 [%tm], %rd4, %rd5, %r10, %p3, 16;",
        "tcgen05.mma.cta_group::1.kind::i8 [%tm], %rd4, %rd5, %r10, %p3, 1;"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tmap_emulate_module *module = NULL;
        struct tmap_emulate_error error;
        const int n = snprintf(text, sizeof text,
                               ".version 9.0\n.target sm_100a\n.address_size 64\n"
                               ".visible .entry k() {\n.reg .pred %%p<4>; .reg .b32 %%r<12>;\n"
                               ".reg .b64 %%rd<8>; .reg .b32 %%tm;\n%s\nret;\n}\n",
                               wrong[i]);
        if (tmap_emulate_load(text, (size_t)n, &module, &error) == TMAP_OK)
            fail_msg("'%s' was loaded", wrong[i]);
        assert_int_equal(error.line, 7);
    }
}

static void is_illegal(const struct form *f, uint32_t descriptor, const char *says)
{
    struct ptx_run run;
    write_kernel(f, descriptor);
    ptx_run(text, &memory, sizeof memory, 128, 1, SMEM, 0, &run);
    assert_int_equal(run.run, TMAP_OK);
    if (!ptx_run_tells(&run, TMAP_EMULATE_ILLEGAL, says)) fail_msg("no finding says '%s'", says);
}

static void what_a_descriptor_must_not_say_is_found(void **state)
{
    struct form f = {.kind = &kinds[F16], .m = 128, .n = 64, .k = 32, .sparse = true};
    const struct form dense = {.kind = &kinds[F16], .m = 128, .n = 64, .k = 16};
    (void)state;
    prepare(&f, 1);
    is_illegal(&f, descriptor_of(&f) & ~4u, "instruction descriptor"); /* says that A is dense */
    is_illegal(&f, descriptor_of(&f) | 2u, "instruction descriptor");  /* a selector of 2 */
    is_illegal(&dense, descriptor_of(&dense) | 4u, "instruction descriptor");
    is_illegal(&dense, descriptor_of(&dense) | 1u, "instruction descriptor");
    is_illegal(&dense, descriptor_of(&dense) | 8u, "instruction descriptor"); /* saturates */
    memory.cell[40][META_COLUMN] = 0x44444044;
    is_illegal(&f, descriptor_of(&f), "the metadata of row 32 has 0x0");
    f.stationary = true;
    f.n = 256;
    is_illegal(&f, descriptor_of(&f), "instruction descriptor"); /* sparse: 64 and 128 columns */
    f.sparse = false, f.m = 32, f.n = 96;
    is_illegal(&f, descriptor_of(&f), "instruction descriptor");
    f.n = 64, f.masked = true, f.zeros = UINT64_C(3) << 56;
    is_illegal(&f, descriptor_of(&f), "zero-column mask"); /* no shift was promised */
}

/* Both copies of A's rows in tensor memory are read. */
static void copies_of_a_that_differ_are_found(void **state)
{
    const struct form f = {
        .kind = &kinds[F16], .m = 64, .n = 64, .k = 16, .stationary = true, .a_in_tensor = true};
    (void)state;
    prepare(&f, 1);
    memory.cell[64 + 9][A_COLUMN] ^= 1;
    is_illegal(&f, descriptor_of(&f), "row 9 of A is another on lane 73");
}

/* Every warp does this while the product may still read; true when a race with it is told of. */
static bool races_with(const struct form *f, const char *does, enum tmap_emulate_schedule schedule)
{
    static const char waits[] = "wait: mbarrier", again[] = "@!%p1 bra wait;";
    static char changed[sizeof text + 256];
    struct ptx_run run;
    prepare(f, 1);
    write_kernel(f, descriptor_of(f));
    char *at = strstr(text, waits), *loop = at ? strstr(at, again) : NULL;
    if (!loop) fail_msg("the kernel waits otherwise");
    snprintf(changed, sizeof changed, "%.*swait: %s\nagain: %.*s@!%%p1 bra again;%s",
             (int)(at - text), text, does, (int)(loop - at - 6), at + 6, loop + strlen(again));
    ptx_run(changed, &memory, sizeof memory, 128, 1, SMEM, schedule, &run);
    assert_int_equal(run.run, TMAP_OK);
    return ptx_run_tells(&run, TMAP_EMULATE_RACE, "tcgen05.mma");
}

/* Operands are read at any moment up to the commit that is waited for, wherever they lie. */
static void operands_overwritten_before_the_commit(void **state)
{
    const struct form scaled = {
        .kind = &kinds[MXF8F6F4], .m = 128, .n = 64, .k = 64, .sparse = true, .a_in_tensor = true};
    const struct form plain = {.kind = &kinds[F16], .m = 128, .n = 64, .k = 16};
    static const char *const cells = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r6 + %u], {%%v0}; "
                                     "tcgen05.wait::st.sync.aligned;";
    static const char *const bytes =
        "setp.eq.u32 %%p2, %%id, 64; @%%p2 st.shared.u32 [%%base + %u], %%r10;";
    const struct {
        const struct form *form;
        const char *does;
        uint32_t at;
    } cases[] = {{&scaled, cells, 0 /* D */},         {&scaled, cells, A_COLUMN},
                 {&scaled, cells, META_COLUMN},       {&scaled, cells, SCALE_COLUMN},
                 {&scaled, cells, SCALE_COLUMN + 16}, {&scaled, bytes, IMAGE_AT + B_AT},
                 {&plain, bytes, IMAGE_AT + A_AT},    {&plain, bytes, IMAGE_AT + B_AT}};
    char does[200];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int how = TMAP_EMULATE_EARLIEST; how <= TMAP_EMULATE_RANDOM; how++) {
            snprintf(does, sizeof does, cases[i].does, cases[i].at);
            if (!races_with(cases[i].form, does, (enum tmap_emulate_schedule)how))
                fail_msg("case %zu, schedule %d: nothing found", i, how);
        }
    assert_false(races_with(&plain, "", TMAP_EMULATE_LATEST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_a_plain_sum),
        cmocka_unit_test(what_cannot_be_written_is_an_error_of_loading),
        cmocka_unit_test(what_a_descriptor_must_not_say_is_found),
        cmocka_unit_test(copies_of_a_that_differ_are_found),
        cmocka_unit_test(operands_overwritten_before_the_commit),
    };
    return cmocka_run_group_tests_name("forms of Blackwell", tests, NULL, NULL);
}
