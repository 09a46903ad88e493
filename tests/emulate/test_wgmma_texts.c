/* One wgmma: A from registers and from shared memory in both orders and every swizzle, signs,
 * scales of D, results of 16 bits, numbers far apart, matrices outside shared memory, forms that
 * there are not. Of A each row is its number, of B each column its number and one, K is 16, so an
 * element is 16 * row * (column + 1). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/rounding.h"

enum { ROWS = 64, COLS = 8, K = 16, THREADS = 128, SMEM = 8192, B_AT = 4096, GROUP = 8 };
enum place { REGISTERS = -1, BY_K, BY_M, BY_M_128B, BY_M_64B, BY_M_32B };

static struct memory {
    uint16_t a[B_AT / 2], b[(SMEM - B_AT) / 2];
    uint32_t d[THREADS][4];
} memory;

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 s[8192];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b32 %a<4>; .reg .b32 %c<4>;\n"
    ".reg .b64 %rd<8>; .reg .b64 %ma, %mb, %out; .reg .b32 %id; .reg .b64 %wide<4>;\n"
    "ld.param.u64 %rd0, [p]; mov.u32 %id, %tid.x; mul.wide.u32 %rd1, %id, 16;\n"
    "add.u64 %out, %rd0, %rd1; ld.global.v4.u32 {%c0, %c1, %c2, %c3}, [%out + 8192];\n"
    "mov.u32 %r0, s; mul.lo.u32 %r1, %id, 16; setp.eq.u32 %p1, %r0, %r0;\n"
    "copy: cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %rd0; add.u32 %r2, %r1, %r0;\n"
    "ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%rd1]; st.shared.v4.u32 [%r2], {%a0, %a1, %a2, %a3};\n"
    "add.u32 %r1, %r1, 2048; setp.lt.u32 %p2, %r1, 8192; @%p2 bra copy;\n"
    "fence.proxy.async.shared::cta; bar.sync 0;\n"
    "shr.u32 %r1, %id, 5; shl.b32 %r1, %r1, 4; shr.u32 %r2, %id, 2; and.b32 %r2, %r2, 7;\n"
    "add.u32 %r1, %r1, %r2; cvt.rn.f16.u32 %h0, %r1; mov.b32 %a0, {%h0, %h0};\n"
    "add.u32 %r1, %r1, 8; cvt.rn.f16.u32 %h0, %r1; mov.b32 %a1, {%h0, %h0};\n"
    "mov.u32 %a2, %a0; mov.u32 %a3, %a1; shr.u32 %r1, %r0, 4; cvt.u64.u32 %ma, %r1;\n"
    "add.u64 %mb, %ma, 256; wgmma.fence.sync.aligned;\n";
static const char tail[] = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                           "st.global.v4.u32 [%out + 8192], {%c0, %c1, %c2, %c3};\nret;\n}\n";

#define M(out) "wgmma.mma_async.sync.aligned.m64n8k16." out ".f16.f16 "
#define FOUR "{%c0, %c1, %c2, %c3}, "
#define TWENTY                                                                                     \
    "{%c0, %c1, %c2, %c3, %c0, %c1, %c2, %c3, %c0, %c1, %c2, %c3, %c0, %c1, %c2, %c3, %c0, %c1, "  \
    "%c2, %c3}, "
#define TWENTYFOUR                                                                                 \
    "{%c0, %c1, %c2, %c3, %c0, %c1, %c2, %c3, %c0, %c1, %c2, %c3, %c0, %c1, %c2, %c3, %c0, %c1, "  \
    "%c2, %c3, %c0, %c1, %c2, %c3}, "
#define FRAGMENTS "{%a0, %a1, %a2, %a3}, %mb, "

static const struct product {
    const char *name, *text;
    enum place a;
    bool b_by_n, half;
    int sign;           /* of the products; 0: nothing is added to D */
    double before, all; /* of D, and what every element is; 0: the sum */
} products[] = {
    {"registers", M("f32") FOUR FRAGMENTS "%p1, 1, 1, 0;", REGISTERS, false, false, 1, 5, 0},
    {"registers, D is not added", M("f32") FOUR FRAGMENTS "!%p1, 1, 1, 0;", REGISTERS, false, false,
     1, 0, 0},
    {"registers, A negated", M("f32") FOUR FRAGMENTS "1, -1, 1, 0;", REGISTERS, false, false, -1, 5,
     0},
    {"registers, B negated", M("f32") FOUR FRAGMENTS "1, 1, -1, 0;", REGISTERS, false, false, -1, 5,
     0},
    {"registers, both negated", M("f32") FOUR FRAGMENTS "1, -1, -1, 0;", REGISTERS, false, false, 1,
     5, 0},
    {"registers, B by columns", M("f32") FOUR FRAGMENTS "1, 1, 1, 1;", REGISTERS, true, false, 1, 5,
     0},
    {"registers, halves", M("f16") "{%c0, %c1}, " FRAGMENTS "1, 1, 1, 0;", REGISTERS, false, true,
     1, 16, 0},
    {"halves, D is not added", M("f16") "{%c0, %c1}, " FRAGMENTS "0, 1, 1, 0;", REGISTERS, false,
     true, 1, 0, 0},
    {"halves, an infinity", M("f16") "{%c0, %c1}, " FRAGMENTS "1, 1, 1, 0;", REGISTERS, false, true,
     1, (double)INFINITY, (double)INFINITY},
    {"a sum beside which all else is nothing", M("f32") FOUR FRAGMENTS "1, 1, 1, 0;", REGISTERS,
     false, false, 1, 0x1p100, 0x1p100},
    {"an infinity", M("f32") FOUR FRAGMENTS "1, -1, 1, 0;", REGISTERS, false, false, -1,
     (double)INFINITY, (double)INFINITY},
    {"rows by K", M("f32") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", BY_K, false, false, 1, 5, 0},
    {"rows by M", M("f32") FOUR "%ma, %mb, 1, 1, 1, 1, 0;", BY_M, false, false, 1, 5, 0},
    {"rows by M, 128B", M("f32") FOUR "%ma, %mb, 1, 1, 1, 1, 0;", BY_M_128B, false, false, 1, 5, 0},
    {"rows by M, 64B", M("f32") FOUR "%ma, %mb, 1, 1, 1, 1, 0;", BY_M_64B, false, false, 1, 5, 0},
    {"rows by M, 32B", M("f32") FOUR "%ma, %mb, 1, 1, 1, 1, 1;", BY_M_32B, true, false, 1, 5, 0},
};

static uint32_t f16_bits(float v)
{
    return (uint32_t)float_round(&format_f16, exact_of(v), ROUND_NEAREST, false);
}

/* --- matrices, as the PTX ISA lays them out: core matrices of 8 lines of a span */

static uint32_t swizzled(uint32_t at, uint32_t span)
{
    return at ^ (at >> 3 & (span - 1) & ~15u);
}

/* Where element (line, along) is: groups of 8 lines, and of a span along them. */
static uint32_t byte_of(uint32_t line, uint32_t along, uint32_t span, uint32_t lines)
{
    const uint32_t at = along * 2 / span * (lines * span) + line * span + along * 2 % span;
    return span == 16 ? at : swizzled(at, span);
}

static uint32_t span_of(enum place place)
{
    return place == BY_M_128B ? 128 : place == BY_M_64B ? 64 : place == BY_M_32B ? 32 : 16;
}

static void fill(const struct product *p)
{
    const uint32_t span = span_of(p->a);
    memset(&memory, 0, sizeof memory);
    for (uint32_t m = 0; m < ROWS && p->a != REGISTERS; m++)
        for (uint32_t k = 0; k < K; k++) {
            const uint32_t at = p->a == BY_K ? byte_of(m, k, 16, ROWS) : byte_of(k, m, span, K);
            memory.a[at / 2] = (uint16_t)f16_bits((float)m);
        }
    for (uint32_t n = 0; n < COLS; n++)
        for (uint32_t k = 0; k < K; k++)
            memory.b[(p->b_by_n ? byte_of(k, n, 16, K) : byte_of(n, k, 16, COLS)) / 2] =
                (uint16_t)f16_bits((float)(n + 1));
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t i = 0; i < 4; i++) {
            const float before = (float)p->before;
            memcpy(&memory.d[t][i], &before, 4);
            if (p->half) memory.d[t][i] = 0x10001 * f16_bits(before);
        }
}

/* The offset from one group of 8 lines to the next, and from one span to the next. */
static uint64_t offsets(uint32_t groups, uint32_t spans)
{
    return (uint64_t)(spans / 16) << 16 | (uint64_t)(groups / 16) << 32;
}

static uint64_t descriptor(enum place a)
{
    const uint32_t span = span_of(a);
    static const uint64_t layout[] = {0, 0, 1, 2, 3};
    if (a == BY_K) return offsets(GROUP * 16, ROWS * 16);
    if (a == BY_M) return offsets(K * 16, GROUP * 16); /* exchanged */
    return offsets(GROUP * span, K * span) | layout[a == REGISTERS ? 0 : a] << 62;
}

static uint64_t descriptor_of_b(const struct product *p)
{
    return p->b_by_n ? offsets(K * 16, GROUP * 16) : offsets(GROUP * 16, COLS * 16);
}

static bool run(const char *text, uint64_t a, uint64_t b, struct ptx_run *out)
{
    char all[8192];
    const struct tmap_emulate_launch launch = {
        .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .schedule = TMAP_EMULATE_LATEST};
    snprintf(all, sizeof all, "%sor.b64 %%ma, %%ma, %llu; or.b64 %%mb, %%mb, %llu;\n%s\n%s", head,
             (unsigned long long)a, (unsigned long long)b, text, tail);
    return ptx_run_as(all, &memory, sizeof memory, &launch, NULL, out);
}

static double element(const struct product *p, uint32_t thread, uint32_t i)
{
    const uint32_t high = p->half ? i / 2 : i >> 1;
    const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * high,
                   col = thread % 4 * 2 + i % 2;
    const double before = strstr(p->text, " 0, 1, 1") ? 0 : p->before;
    return p->all != 0 ? p->all : before + p->sign * (double)K * row * (col + 1);
}

static uint32_t wanted(const struct product *p, uint32_t thread, uint32_t i)
{
    const float f = (float)element(p, thread, i);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return p->half ? f16_bits(f) : bits;
}

static void sums(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof products / sizeof *products; q++) {
        const struct product *p = &products[q];
        struct ptx_run r;
        fill(p);
        if (!run(p->text, descriptor(p->a), descriptor_of_b(p), &r))
            fail_msg("%s: %s%s", p->name, r.error.text, r.findings ? r.finding[0].text : "");
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t i = 0; i < 4; i++) {
                const uint32_t got =
                    p->half ? memory.d[t][i / 2] >> i % 2 * 16 & 0xffff : memory.d[t][i];
                if (got != wanted(p, t, i))
                    fail_msg("%s: thread %u, %u: 0x%x, not 0x%x", p->name, t, i, got,
                             wanted(p, t, i));
            }
    }
}

static void outside(void **state)
{
    static const struct {
        const char *text;
        uint64_t a, b;
    } far[] = {{M("f32") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", 0x3fff, 0},
               {M("f32") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", 0, 0x3fff},
               {M("f32") FOUR FRAGMENTS "1, 1, 1, 0;", 0, 0x3fff},
               /* the system's first KiB */
               {"mov.u64 %mb, 63;" M("f32") FOUR FRAGMENTS "1, 1, 1, 0;", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        struct ptx_run r;
        assert_false(run(far[i].text, far[i].a, far[i].b, &r));
        assert_int_equal(r.finding[0].kind, TMAP_EMULATE_ACCESS);
        assert_non_null(strstr(r.finding[0].text, "a matrix descriptor reaches shared"));
    }
}

/* A warpgroup of which the CTA has not all four warps. */
static void part_of_a_group(void **state)
{
    static const char *const text[] = {"wgmma.fence.sync.aligned;",
                                       "wgmma.commit_group.sync.aligned;",
                                       "wgmma.wait_group.sync.aligned 0;",
                                       "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, "
                                       "%c1, %c2, %c3}, %ma, %mb, 1, 1, 1, "
                                       "0, 0;"};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char all[600];
        struct ptx_run r;
        snprintf(all, sizeof all,
                 ".version 9.0\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p) {\n.reg .b32 %%c<4>; .reg .b64 %%ma, %%mb;\n"
                 "mov.u64 %%ma, 0; mov.u64 %%mb, 0; %s ret;\n}\n",
                 text[i]);
        assert_false(ptx_run_on(all, &memory, sizeof memory, 224, 1, &r));
        assert_int_equal(r.finding[0].kind, TMAP_EMULATE_CONVERGED);
        assert_int_equal(r.finding[0].warp / 4, 1);
        assert_non_null(strstr(r.finding[0].text, "from warp 4 on the CTA has only 3"));
    }
}

/* --- forms that there are not */

#define OP(of) "wgmma.mma_async.sync.aligned." of " "
static const struct refusal {
    const char *text, *says; /* says NULL: it is one */
} refusals[] = {
    {OP("m64n12k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n0k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n264k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k16x.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n4294967304k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k4294967312.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n08k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k512.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k8.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m32n8k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k16.f32.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k16.f32.f16.e4m3") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k64.f32.e2m1.e2m1") FOUR "%ma, %mb, 1, 1, 1;", "no such shape or type"},
    {OP("m64n8k32.f32.e4m3.e2m1") FOUR "%ma, %mb, 1, 1, 1;", "no such shape or type"},
    {OP("m64n8k16.f16.bf16.bf16") "{%c0, %c1}, %ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k16.f32.f16.f16") "{%c0, %c1}, %ma, %mb, 1, 1, 1, 0, 0;", "with 2 accumulators"},
    {OP("m64n8k16.f32.f16.f16") "{%wide0, %wide1, %wide2, %wide3}, %ma, %mb, 1, 1, 1, 0, 0;",
     "accumulators of 64 bits"},
    {OP("m64n8k16.f32.f16.f16") FOUR "{%a0, %a1, %a2}, %mb, 1, 1, 1, 0;", "with 3 registers of A"},
    {OP("m64n8k16.f32.f16.f16") FOUR "%ma, %mb, 1, 2, 1, 0, 0;", "a scale of 2"},
    {OP("m64n8k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 0, 0, 0;", "a scale of 0"},
    {OP("m64n8k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 2, 0;", "a flag of 2"},
    {OP("m64n8k16.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, -1;", "a flag of -1"},
    {OP("m64n8k16.satfinite.f32.f16.f16") FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "no such shape or type"},
    {OP("m64n8k32.satfinite.f32.e4m3.e4m3") FOUR "%ma, %mb, 1, 1, 1;", "no such shape or type"},
    {OP("m64n48k32.s32.s8.s8") TWENTYFOUR "%ma, %mb, 1;", NULL},
    {OP("m64n40k32.s32.s8.s8") TWENTY "%ma, %mb, 1;", "no such shape or type"},
    {OP("m64n248k32.s32.s8.u8") FOUR "%ma, %mb, 1;", "no such shape or type"},
    {"wgmma.mma_async.aligned.m64n8k16.f32.f16.f16 " FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "mma_async"},
    {"wgmma.mma_async.sync.m64n8k16.f32.f16.f16 " FOUR "%ma, %mb, 1, 1, 1, 0, 0;", "mma_async"},
    {"wgmma.wait_group.sync.aligned -1;", "wgmma.wait_group"},
    {"wgmma.wait_group.aligned 0;", "wgmma.wait_group"},
    {"wgmma.fence.sync;", "wgmma.fence"},
};

static void forms(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct ptx_run r;
        run(refusals[i].text, 0, 0, &r);
        const char *says = refusals[i].says;
        if (says ? r.load != TMAP_OK && strstr(r.error.text, says) : r.load == TMAP_OK) continue;
        print_message("# %s: status %d, %s\n", refusals[i].text, r.load, r.error.text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(outside),
                                       cmocka_unit_test(part_of_a_group), cmocka_unit_test(forms)};
    return cmocka_run_group_tests_name("wgmma of texts", tests, NULL, NULL);
}
