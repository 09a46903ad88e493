/* mma.sync in every shape and type of numbers, on small whole numbers: the sums are exact, so each
 * is compared with plain integers. Where each number lies is the PTX ISA's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/rounding.h"
#include "support/splitmix.h"

enum { ROWS = 16, COLS = 8, MOST_K = 64, LANES = 32 };

struct type {
    const char *name;
    int bits; /* of its place */
    int least, most;
    const struct float_format *format; /* NULL: whole numbers */
};
static const struct type f16 = {"f16", 16, -9, 9, &format_f16},
                         bf16 = {"bf16", 16, -9, 9, &format_bf16},
                         tf32 = {"tf32", 32, -9, 9, &format_tf32},
                         e4m3 = {"e4m3", 8, -7, 7, &format_e4m3},
                         e5m2 = {"e5m2", 8, -4, 4, &format_e5m2}, s8 = {"s8", 8, -128, 127, NULL},
                         u8 = {"u8", 8, 0, 255, NULL}, s4 = {"s4", 4, -8, 7, NULL},
                         u4 = {"u4", 4, 0, 15, NULL};

struct shape {
    int k;
    const struct type *a, *b;
    const char *sum; /* f32, f16 or s32 */
    bool saturates;
    long base; /* of C */
};

static struct lane {
    uint32_t a[4], b[2], c[4], d[4], pad[2];
} lanes[LANES];
static int a[ROWS][MOST_K], b[MOST_K][COLS];
static long c[ROWS][COLS];

static uint32_t code(const struct type *t, int v)
{
    const uint32_t mask = t->bits == 32 ? UINT32_MAX : (1u << t->bits) - 1;
    if (!t->format) return (uint32_t)v & mask;
    const uint64_t r = float_round(t->format, exact_of(v), ROUND_NEAREST, false);
    return (uint32_t)(t->bits == 32 ? r << 13 : r);
}

static int drawn(const struct type *t, uint64_t *seed)
{
    return t->least + (int)(splitmix(seed) % (uint64_t)(t->most - t->least + 1));
}

static uint32_t sum_code(const struct shape *s, long v)
{
    if (s->sum[0] == 's') return (uint32_t)v;
    return (uint32_t)float_round(s->sum[1] == '3' ? &format_f32 : &format_f16, exact_of(v),
                                 ROUND_NEAREST, false);
}

static void fill(const struct shape *s, uint64_t seed)
{
    const int each = 32 / s->a->bits;
    memset(lanes, 0, sizeof lanes);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < s->k; k++) a[i][k] = drawn(s->a, &seed);
    for (int k = 0; k < s->k; k++)
        for (int j = 0; j < COLS; j++) b[k][j] = drawn(s->b, &seed);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            c[i][j] = s->base * (i % 3 - 1) + (long)(splitmix(&seed) % 7) - 3;
    for (int l = 0; l < LANES; l++)
        for (int e = 0; e < 4 * each; e++) {
            const int reg = e / each, at = l % 4 * each + e % each, shift = e % each * s->a->bits;
            const int row = l / 4 + reg % 2 * 8, ka = at + reg / 2 * 4 * each,
                      kb = at + reg * 4 * each;
            if (ka < s->k) lanes[l].a[reg] |= code(s->a, a[row][ka]) << shift;
            if (reg < 2 && kb < s->k) lanes[l].b[reg] |= code(s->b, b[kb][l / 4]) << shift;
        }
    for (int l = 0; l < LANES; l++)
        for (int e = 0; e < 4; e++) {
            const uint32_t v = sum_code(s, c[l / 4 + e / 2 * 8][l % 4 * 2 + e % 2]);
            if (s->sum[1] == '1')
                lanes[l].c[e / 2] |= v << e % 2 * 16;
            else
                lanes[l].c[e] = v;
        }
}

static long expected(const struct shape *s, int row, int col)
{
    long sum = c[row][col];
    for (int k = 0; k < s->k; k++) sum += (long)a[row][k] * b[k][col];
    if (s->saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return sum;
}

static void text_of(const struct shape *s, const char *target, char *text, size_t cap)
{
    const int each = 32 / s->a->bits, a_regs = s->k / each / 2, b_regs = a_regs / 2;
    const bool half = s->sum[1] == '1';
    snprintf(
        text, cap,
        ".version 9.0\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b32 %%r<20>; .reg .b64 %%d<4>;\nld.param.u64 %%d0, [p]; mov.u32 %%r0, %%tid.x;\n"
        "mul.wide.u32 %%d1, %%r0, 64; add.s64 %%d0, %%d0, %%d1;\n"
        "ld.global.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%d0]; ld.global.v2.b32 {%%r5, %%r6}, "
        "[%%d0+16];\n"
        "ld.global.v2.b32 {%%r7, %%r8}, [%%d0+24]; ld.global.v2.b32 {%%r9, %%r10}, [%%d0+32];\n"
        "mma.sync.aligned.m16n8k%d.row.col%s.%s.%s.%s.%s %s, %s, %s, %s;\n"
        "st.global.v2.b32 [%%d0+40], {%%r11, %%r12}; st.global.v2.b32 [%%d0+48], {%%r13, "
        "%%r14};\nret;\n}\n",
        target, s->k, s->saturates ? ".satfinite" : "", s->sum, s->a->name, s->b->name, s->sum,
        half ? "{%r11, %r12}" : "{%r11, %r12, %r13, %r14}",
        a_regs == 1   ? "{%r1}"
        : a_regs == 2 ? "{%r1, %r2}"
                      : "{%r1, %r2, %r3, %r4}",
        b_regs == 2 ? "{%r5, %r6}" : "{%r5}", half ? "{%r7, %r8}" : "{%r7, %r8, %r9, %r10}");
}

static void one(const struct shape *s, const char *target, uint64_t seed)
{
    char text[1600];
    struct ptx_run run;
    fill(s, seed);
    text_of(s, target, text, sizeof text);
    if (!ptx_run(text, lanes, sizeof lanes, LANES, 1, 0, TMAP_EMULATE_EARLIEST, &run))
        fail_msg("%s", text);
    for (int l = 0; l < LANES; l++)
        for (int e = 0; e < 4; e++) {
            const int row = l / 4 + e / 2 * 8, col = l % 4 * 2 + e % 2;
            const bool half = s->sum[1] == '1';
            const uint32_t got = half ? lanes[l].d[e / 2] >> e % 2 * 16 & 0xffff : lanes[l].d[e];
            const uint32_t want = sum_code(s, expected(s, row, col));
            if (got != want)
                fail_msg("%s k%d %s %s, row %d, column %d: 0x%x, not 0x%x (%ld)", s->sum, s->k,
                         s->a->name, s->b->name, row, col, got, want, expected(s, row, col));
        }
}

static void every_shape(void **state)
{
    static const struct shape shapes[] = {
        {8, &f16, &f16, "f32", false, 5},         {16, &f16, &f16, "f32", false, 5},
        {8, &f16, &f16, "f16", false, 5},         {16, &f16, &f16, "f16", false, 5},
        {8, &bf16, &bf16, "f32", false, 5},       {16, &bf16, &bf16, "f32", false, 5},
        {4, &tf32, &tf32, "f32", false, 5},       {8, &tf32, &tf32, "f32", false, 5},
        {16, &s8, &s8, "s32", false, 1000},       {32, &s8, &s8, "s32", false, 1000},
        {32, &u8, &s8, "s32", false, 2147400000}, {32, &s8, &u8, "s32", true, 2147400000},
        {16, &u8, &u8, "s32", true, 2147480000},  {32, &u8, &u8, "s32", false, 7},
        {32, &s4, &s4, "s32", false, 1000},       {64, &s4, &s4, "s32", false, 1000},
        {64, &u4, &s4, "s32", true, 2147480000},  {64, &s4, &u4, "s32", false, 2147480000},
        {32, &u4, &u4, "s32", false, 7},          {32, &e4m3, &e4m3, "f32", false, 5},
        {32, &e4m3, &e5m2, "f32", false, 5},      {32, &e5m2, &e4m3, "f32", false, 5},
        {32, &e5m2, &e5m2, "f32", false, 5},      {16, &e4m3, &e4m3, "f32", false, 5},
        {32, &e4m3, &e5m2, "f16", false, 5},      {16, &e5m2, &e5m2, "f16", false, 5}};
    static const char *const targets[] = {"sm_90a", "sm_100a", "sm_120a"};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 0; seed < 6; seed++)
            one(&shapes[i], targets[seed % 3], 100 * i + seed + 1);
}

/* --- which types meet: of wgmma and mma.sync alike, by the ISA's tables */

enum class { WHOLE, EIGHT, HALF, BRAIN, TF32 };
static const struct named {
    const char *name;
    enum class class;
    int bits;
} named[] = {{"s8", WHOLE, 8},  {"u8", WHOLE, 8},    {"e4m3", EIGHT, 8}, {"e5m2", EIGHT, 8},
             {"f16", HALF, 16}, {"bf16", BRAIN, 16}, {"tf32", TF32, 32}};
enum { NAMED = sizeof named / sizeof *named };

static bool meets(const struct named *x, const struct named *y, const char *sum)
{
    if (x->class != y->class) return false;
    if (x->class == WHOLE) return sum[0] == 's';
    return sum[0] != 's' && (sum[1] == '3' || x->class == HALF || x->class == EIGHT);
}

static void check_meeting(const struct named *x, const struct named *y, const char *sum, bool group)
{
    const bool half = sum[1] == '1';
    const char *regs = half ? "{%r1, %r2}" : "{%r1, %r2, %r3, %r4}";
    char text[900], operands[160];
    struct ptx_run run;
    if (group)
        snprintf(operands, sizeof operands,
                 "wgmma.mma_async.sync.aligned.m64n8k%d.%s.%s.%s %s, %%d1, %%d2, 0%s%s",
                 256 / x->bits, sum, x->name, y->name, regs, sum[0] == 's' ? "" : ", 1, 1",
                 x->bits == 16 ? ", 0, 0" : "");
    else
        snprintf(operands, sizeof operands,
                 "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s %s, {%%r1, %%r2, %%r3, %%r4}, "
                 "{%%r5, %%r6}, %s",
                 256 / x->bits, sum, x->name, y->name, sum, regs, regs);
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90a\n.visible .entry k(.param .u64 p) {\n"
             ".reg .b32 %%r<8>; .reg .b64 %%d<4>; bra over;\n%s;\nover: ret;\n}\n",
             operands);
    ptx_run_quietly(text, &run);
    const enum tmap_status want = meets(x, y, sum) ? TMAP_OK : TMAP_E_ARGUMENT;
    if (run.load != want) fail_msg("%s: status %d", operands, run.load);
    if (want != TMAP_OK) {
        assert_int_equal(run.error.line, 5);
        assert_non_null(strstr(run.error.text, "no such shape or type"));
    }
}

static void types_that_meet(void **state)
{
    static const char *const sums[] = {"s32", "f32", "f16"};
    (void)state;
    for (int x = 0; x < NAMED; x++)
        for (int y = 0; y < NAMED; y++)
            for (int s = 0; s < 3; s++) {
                check_meeting(&named[x], &named[y], sums[s], false);
                check_meeting(&named[x], &named[y], sums[s], true);
            }
}

/* --- forms that there are not */

static void forms(void **state)
{
#define SHAPED(of) "mma.sync.aligned.m16n8" of
#define SUMS "{%r0, %r1, %r2, %r3}"
#define PLAIN " " SUMS ", " SUMS ", {%r4, %r5}, " SUMS
#define SCALED PLAIN ", %r6, {%h0, %h1}, %r7, {%h0, %h1}"
    static const char *const list[] = {
        SHAPED("k16.row.col.f32.f32") PLAIN,
        SHAPED("k16.row.col.f32.f16.f32") PLAIN,
        SHAPED("k4.row.col.f32.e4m3.e4m3.f32") PLAIN,
        SHAPED("k4.row.col.f32.f16.f16.f32") PLAIN,
        SHAPED("k64.row.col.f32.f16.f16.f32") PLAIN,
        SHAPED("k16.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0") SCALED,
        SHAPED("k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue4m3") SCALED,
        SHAPED("k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3") SCALED,
        SHAPED("k64.row.col.kind::mxf4.block_scale.f32.e4m3.e2m1.f32.ue8m0") SCALED,
        SHAPED("k64.row.col.kind::mxf4.block_scale.f32.e2m1.e4m3.f32.ue8m0") SCALED,
        SHAPED("k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::1X.f32.e2m1.e2m1.f32.ue8m0")
            SCALED,
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[900];
        struct ptx_run run;
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_120a\n.visible .entry k(.param .u64 p) {\n"
                 ".reg .b32 %%r<8>; .reg .b16 %%h<2>; bra over;\n%s;\nover: ret;\n}\n",
                 list[i]);
        ptx_run_quietly(text, &run);
        if (run.load != TMAP_E_ARGUMENT || !strstr(run.error.text, "no such shape or type"))
            fail_msg("%s: status %d, %s", list[i], run.load, run.error.text);
    }
}

/* Of 8 bits: the NaN that a sum of infinities is, as Hopper adds two products. */
static void infinities_of_eight_bits(void **state)
{
    static const struct shape shape = {32, &e5m2, &e5m2, "f32", false, 5};
    static const struct {
        uint32_t a, c, sum;
    } list[] = {{0x3c, 0x7f800000, 0x7f800000}, /* 1 x 1, and infinity */
                {0x7c, 0x3f800000, 0x7f800000},
                {0x7c, 0xff800000, 0x7fffffff},
                {0x3c, 0x7fc00000, 0x7fffffff}};
    char text[1600];
    (void)state;
    text_of(&shape, "sm_90a", text, sizeof text);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct ptx_run run;
        memset(lanes, 0, sizeof lanes);
        for (int l = 0; l < LANES; l++) {
            for (int e = 0; e < 4; e++) lanes[l].c[e] = list[i].c;
            lanes[l].a[l % 4] = list[i].a; /* one number of each row is not 0 */
            if (l % 4 > 1) lanes[l].a[l % 4] = 0;
            lanes[l].b[0] = 0x3c3c3c3c;
        }
        if (!ptx_run(text, lanes, sizeof lanes, LANES, 1, 0, TMAP_EMULATE_EARLIEST, &run))
            fail_msg("%s", text);
        for (int l = 0; l < LANES; l++)
            for (int e = 0; e < 4; e++)
                if (lanes[l].d[e] != list[i].sum)
                    fail_msg("row %zu: 0x%x, not 0x%x", i, lanes[l].d[e], list[i].sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape), cmocka_unit_test(forms),
                                       cmocka_unit_test(infinities_of_eight_bits),
                                       cmocka_unit_test(types_that_meet)};
    return cmocka_run_group_tests_name("mma.sync of the emulator", tests, NULL, NULL);
}
