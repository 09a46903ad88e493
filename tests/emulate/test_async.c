/* Bulk copies and reductions without a descriptor, st.async, red.async and cp.async: what they
 * leave, against plain C, at both extremes of time and at random; and what is misused, as a
 * finding. */
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
#include "support/splitmix.h"

enum { WORDS = 64, BYTES = 8 * WORDS };

/* Of each CTA: `in` goes to shared memory at s, `to` to t; afterwards t goes to `out`. */
struct data {
    uint64_t in[WORDS], to[WORDS], out[WORDS];
};

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[512]; .shared .align 128 .b8 t[512]; .shared .align 8 .b64 bar;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %d<16>;\n"
    ".reg .b32 %id, %rank, %s, %t, %bar; .reg .b64 %in, %to, %out;\n"
    "ld.param.u64 %in, [p]; mov.u32 %id, %tid.x; mov.u32 %rank, %cluster_ctarank;\n"
    "mul.wide.u32 %d1, %rank, 1536; add.s64 %in, %in, %d1; add.s64 %to, %in, 512;\n"
    "add.s64 %out, %in, 1024; mov.u32 %s, s; mov.u32 %t, t; mov.u32 %bar, bar;\n"
    "mul.wide.u32 %d1, %id, 16; cvt.u32.u64 %r1, %d1; add.s64 %d2, %in, %d1;\n"
    "ld.global.v2.u64 {%d3, %d4}, [%d2]; add.u32 %r2, %s, %r1;\n"
    "st.shared.v2.u64 [%r2], {%d3, %d4}; add.s64 %d2, %to, %d1; add.u32 %r2, %t, %r1;\n"
    "ld.global.v2.u64 {%d3, %d4}, [%d2]; st.shared.v2.u64 [%r2], {%d3, %d4};\n"
    "setp.ne.u32 %p1, %id, 0; @%p1 bra made;\n"
    "mbarrier.init.shared::cta.b64 [%bar], 1; fence.mbarrier_init.release.cluster;\n"
    "made: fence.proxy.async; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
static const char tail[] =
    "\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "add.u32 %r2, %t, %r1; ld.shared.v2.u64 {%d3, %d4}, [%r2]; add.s64 %d2, %out, %d1;\n"
    "st.global.v2.u64 [%d2], {%d3, %d4};\nret;\n}\n";

/* By thread 0 of CTA 0, and what all of those do that wait for it. */
#define ALONE "setp.ne.u32 %p2, %rank, 0; or.pred %p2, %p2, %p1; @%p2 bra done;\n"
#define ONE(text) ALONE text "done:\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], " bytes ";\n"
#define WAIT "wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0; @!%p3 bra wait;\n"
#define COMMIT "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"

static struct data start[2], got[2];

static void draw(uint64_t seed)
{
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < WORDS; i++) {
            start[c].in[i] = splitmix(&seed), start[c].to[i] = splitmix(&seed), start[c].out[i] = 0;
            if (i % 4 == 0) start[c].in[i] = start[c].to[i] & 0xffffffff00000000;
            if (i % 4 == 1) start[c].to[i] &= 0x0000000300000000;
        }
}

static bool run(const char *middle, uint32_t ctas, enum tmap_emulate_schedule schedule,
                struct ptx_run *r)
{
    char text[6000];
    snprintf(text, sizeof text, "%s%s%s", head, middle, tail);
    memcpy(got, start, sizeof got);
    return ptx_run(text, got, ctas * sizeof *got, 32, ctas, 0, schedule, r);
}

/* --- reductions: numbers of `bits` bits */

enum operation { ADD, MIN, MAX, INC, DEC, AND, OR, XOR };
static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
struct type {
    const char *name;
    int bits;
    bool is_signed;
    const struct float_format *format;
};
static const struct type types[] = {
    {"u32", 32, false, NULL},        {"s32", 32, true, NULL},
    {"u64", 64, false, NULL},        {"s64", 64, true, NULL},
    {"b32", 32, false, NULL},        {"b64", 64, false, NULL},
    {"f16", 16, false, &format_f16}, {"bf16", 16, false, &format_bf16},
    {"f32", 32, false, &format_f32}, {"f64", 64, false, &format_f64}};
enum { TYPES = sizeof types / sizeof *types };

static uint64_t combined(enum operation o, const struct type *t, uint64_t a, uint64_t b)
{
    const uint64_t top = t->is_signed ? (uint64_t)1 << (t->bits - 1) : 0;
    const long double x = t->format ? float_value(t->format, a) : 0;
    const long double y = t->format ? float_value(t->format, b) : 0;
    switch (o) {
    case ADD:
        return t->format ? float_round(t->format, exact_sum(x, y), ROUND_NEAREST, false) : a + b;
    case MIN:
        return t->format ? (x < y ? a : b) : (a ^ top) < (b ^ top) ? a : b;
    case MAX:
        return t->format ? (x > y ? a : b) : (a ^ top) > (b ^ top) ? a : b;
    case INC:
        return a >= b ? 0 : a + 1;
    case DEC:
        return a == 0 || a > b ? b : a - 1;
    case AND:
        return a & b;
    case OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static uint64_t all_of(enum operation o, const struct type *t, uint64_t a, uint64_t b)
{
    uint64_t r = 0;
    const uint64_t mask = t->bits == 64 ? UINT64_MAX : ((uint64_t)1 << t->bits) - 1;
    for (int at = 0; at < 64; at += t->bits)
        r |= (combined(o, t, a >> at & mask, b >> at & mask) & mask) << at;
    return r;
}

/* Random bits are seldom good floating numbers: small ones of few bits. */
static void draw_floats(const struct type *t, uint64_t seed)
{
    draw(seed);
    if (!t->format) return;
    for (int i = 0; i < 2 * WORDS; i++) {
        uint64_t *v = i < WORDS ? &start[0].in[i] : &start[0].to[i - WORDS], r = 0;
        for (int at = 0; at < 64; at += t->bits)
            r |= float_round(t->format,
                             exact_of(ldexpl((long double)(splitmix(&seed) % 4096) - 2000.5L, -6)),
                             0, false)
                 << at;
        *v = r;
    }
}

static size_t tried, wrong;

static void compare(const char *what, const uint64_t *a, const uint64_t *want)
{
    for (int i = 0; i < WORDS; i++)
        if (a[i] != want[i] && wrong++ < 10)
            fprintf(stderr, "# %s: word %d is 0x%llx, not 0x%llx\n", what, i,
                    (unsigned long long)a[i], (unsigned long long)want[i]);
}

static void reduce(enum operation o, const struct type *t, bool shared)
{
    char text[600];
    struct ptx_run r;
    uint64_t want[WORDS];
    draw_floats(t, tried + 1);
    for (int i = 0; i < WORDS; i++) want[i] = all_of(o, t, start[0].to[i], start[0].in[i]);
    if (shared)
        snprintf(text, sizeof text, "%s%s.%s.%s [%%t], [%%s], 512, [%%bar];\n%sdone:\n",
                 ALONE EXPECT("512"),
                 "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                 names[o], t->name, WAIT);
    else
        snprintf(text, sizeof text,
                 "%smov.u32 %%r9, 512; cp.reduce.async.bulk.global.shared::cta.bulk_group.%s%s.%s "
                 "[%%to], [%%s], %%r9;\n%sdone:\n",
                 ALONE, names[o], t->bits == 16 && o == ADD ? ".noftz" : "", t->name, COMMIT);
    tried++;
    if (!run(text, 1, (enum tmap_emulate_schedule)(TMAP_EMULATE_EARLIEST + tried % 3), &r)) wrong++;
    compare(text, shared ? got[0].out : got[0].to, want);
}

static void reductions(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (enum operation o = ADD; o <= XOR; o++) {
            const bool bits = types[t].name[0] == 'b' && !types[t].format;
            const bool exists = bits                                    ? o >= AND
                                : o >= AND                              ? false
                                : o == INC || o == DEC                  ? t == 0
                                : types[t].format && types[t].bits > 16 ? o == ADD
                                                                        : true;
            if (!exists) continue;
            reduce(o, &types[t], false);
            if (types[t].bits == 32 && !types[t].format) reduce(o, &types[t], true);
        }
    assert_int_equal(wrong, 0);
}

/* --- copies */

static void compared(const char *middle, uint32_t ctas, const uint64_t (*want)[WORDS], bool global)
{
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM; s++) {
        struct ptx_run r;
        if (!run(middle, ctas, (enum tmap_emulate_schedule)s, &r)) wrong++;
        for (uint32_t c = 0; c < ctas; c++)
            compare(middle, global ? got[c].to : got[c].out, want[c]);
    }
}

static void bulk_copies(void **state)
{
    uint64_t want[2][WORDS];
    (void)state;
    wrong = 0;
    draw(5);
    memcpy(want[0], start[0].in, BYTES);
    compared(ONE(EXPECT("512") "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                               "[%t], [%in], 512, [%bar];\n" WAIT),
             1, (const uint64_t(*)[WORDS])want, false);
    compared(ONE(EXPECT("512") "createpolicy.fractional.L2::evict_first.b64 %d9, 0f3F800000;\n"
                               "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%in], 512, %d9;\n"
                               "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
                               "bytes [%t], [%s], 512, [%bar];\n" WAIT),
             1, (const uint64_t(*)[WORDS])want, false);
    compared(ONE("cp.async.bulk.global.shared::cta.bulk_group [%to], [%s], 512;\n" COMMIT), 1,
             (const uint64_t(*)[WORDS])want, true);
    /* a group that has read its source, and one that is still under way */
    compared(ONE("cp.async.bulk.global.shared::cta.bulk_group [%to], [%s], 256; "
                 "cp.async.bulk.commit_group;\n"
                 "add.s64 %d5, %to, 256; add.u32 %r9, %s, 256;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%d5], [%r9], 256; "
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group.read 1; cp.async.bulk.wait_group 5; "
                 "cp.async.bulk.wait_group 0;\n"),
             1, (const uint64_t(*)[WORDS])want, true);
    memcpy(want[1], start[0].in, BYTES);
    compared("@%p1 bra none; " EXPECT(
                 "512") "none:\n"
                        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" ONE(
                            "mov.b16 %h1, 3; "
                            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                            ".multicast::cluster [%t], [%in], 512, [%bar], %h1;\n") WAIT,
             2, (const uint64_t(*)[WORDS])want, false);
    assert_int_equal(wrong, 0);
}

/* CTA 0 stores to CTA 1, whose barrier counts the bytes; lane 0 of each instruction's text. */
static void remote(const char *text, const char *bytes,
                   uint64_t (*change)(uint64_t old, uint64_t v, int word), int words)
{
    char middle[1500];
    uint64_t want[2][WORDS];
    draw(tried++ + 40);
    memcpy(want, (const uint64_t[2][WORDS]){{0}}, sizeof want);
    for (int c = 0; c < 2; c++) memcpy(want[c], start[c].to, BYTES);
    for (int i = 0; i < words; i++) want[1][i] = change(start[1].to[i], start[0].in[i], i);
    snprintf(
        middle, sizeof middle,
        "@%%p1 bra none; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%bar], %s; none:\n"
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        "setp.ne.u32 %%p2, %%rank, 0; or.pred %%p2, %%p2, %%p1; @%%p2 bra done;\n"
        "mov.u32 %%r3, 1; mapa.shared::cluster.u32 %%r4, %%t, %%r3; mapa.shared::cluster.u32 %%r5, "
        "%%bar, %%r3;\n"
        "ld.shared.v2.u64 {%%d5, %%d6}, [%%s]; mov.b64 {%%r6, %%r7}, %%d5; mov.b64 {%%r8, %%r9}, "
        "%%d6;\n%s\n"
        "done: setp.eq.u32 %%p2, %%rank, 0; @%%p2 bra out;\n"
        "wait: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%bar], 0; @!%%p3 bra wait;\nout:\n",
        bytes, text);
    compared(middle, 2, (const uint64_t(*)[WORDS])want, false);
}

static uint64_t whole(uint64_t old, uint64_t v, int word)
{
    (void)old, (void)word;
    return v;
}
static uint64_t low(uint64_t old, uint64_t v, int word)
{
    (void)word;
    return (old & 0xffffffff00000000) | (v & 0xffffffff);
}
#define LOW(name, expression)                                                                      \
    static uint64_t name(uint64_t old, uint64_t v, int word)                                       \
    {                                                                                              \
        const uint32_t a = (uint32_t)old, b = (uint32_t)v;                                         \
        (void)word;                                                                                \
        return (old & 0xffffffff00000000) | (uint32_t)(expression);                                \
    }
LOW(add32, a + b)
LOW(min32, a < b ? a : b)
LOW(max32, a > b ? a : b)
LOW(min32s, (a ^ 0x80000000) < (b ^ 0x80000000) ? a : b)
LOW(max32s, (a ^ 0x80000000) > (b ^ 0x80000000) ? a : b)
LOW(inc32, a >= b ? 0 : a + 1)
LOW(dec32, a == 0 || a > b ? b : a - 1)
LOW(and32, a &b)
LOW(or32, a | b)
LOW(xor32, a ^ b)
static uint64_t add64(uint64_t old, uint64_t v, int word)
{
    (void)word;
    return old + v;
}

#define ST "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
#define RED "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
static void remote_stores(void **state)
{
    (void)state;
    wrong = 0;
    remote(ST ".b32 [%r4], %r6, [%r5];", "4", low, 1);
    remote(ST ".u64 [%r4], %d5, [%r5];", "8", whole, 1);
    remote(ST ".v2.s32 [%r4], {%r6, %r7}, [%r5];", "8", whole, 1);
    remote(ST ".v4.f32 [%r4], {%r6, %r7, %r8, %r9}, [%r5];", "16", whole, 2);
    remote(ST ".v2.b64 [%r4], {%d5, %d6}, [%r5];", "16", whole, 2);
    remote(RED ".add.u32 [%r4], %r6, [%r5];", "4", add32, 1);
    remote(RED ".add.s32 [%r4], %r6, [%r5];", "4", add32, 1);
    remote(RED ".min.u32 [%r4], %r6, [%r5];", "4", min32, 1);
    remote(RED ".max.u32 [%r4], %r6, [%r5];", "4", max32, 1);
    remote(RED ".min.s32 [%r4], %r6, [%r5];", "4", min32s, 1);
    remote(RED ".max.s32 [%r4], %r6, [%r5];", "4", max32s, 1);
    remote(RED ".inc.u32 [%r4], %r6, [%r5];", "4", inc32, 1);
    remote(RED ".dec.u32 [%r4], %r6, [%r5];", "4", dec32, 1);
    remote(RED ".and.b32 [%r4], %r6, [%r5];", "4", and32, 1);
    remote(RED ".or.b32 [%r4], %r6, [%r5];", "4", or32, 1);
    remote(RED ".xor.b32 [%r4], %r6, [%r5];", "4", xor32, 1);
    remote(RED ".add.u64 [%r4], %d5, [%r5];", "8", add64, 1);
    assert_int_equal(wrong, 0);
}

/* --- cp.async: a thread's own bytes, 16 of each of 32 threads */

static void small_copies(const char *copy, const char *waits, int bytes, int filled,
                         bool every_other)
{
    char middle[1200];
    uint64_t want[1][WORDS];
    draw(tried++ + 90);
    memcpy(want[0], start[0].to, BYTES);
    for (int thread = 0; thread < 32; thread++) {
        uint8_t *to = (uint8_t *)want[0] + 16 * thread,
                *from = (uint8_t *)start[0].in + 16 * thread;
        memset(to, 0, (size_t)bytes);
        if (!every_other || thread % 2 == 0) memcpy(to, from, (size_t)filled);
    }
    snprintf(middle, sizeof middle,
             "add.u32 %%r3, %%t, %%r1; add.s64 %%d5, %%in, %%d1; mov.u32 %%r4, %d; and.b32 %%r5, "
             "%%id, 1;\n"
             "setp.ne.u32 %%p4, %%r5, 0; createpolicy.fractional.L2::evict_first.b64 %%d9, "
             "0f3F800000;\n%s\n%s\n",
             filled, copy, waits);
    compared(middle, 1, (const uint64_t(*)[WORDS])want, false);
}

#define ALL "cp.async.wait_all;"
#define GROUPS                                                                                     \
    "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_group 7;"
static void copies_of_threads(void **state)
{
    (void)state;
    wrong = 0;
    small_copies("cp.async.cg.shared.global [%r3], [%d5], 16;", ALL, 16, 16, false);
    small_copies("cp.async.ca.shared::cta.global.L2::128B [%r3], [%d5], 8;", GROUPS, 8, 8, false);
    small_copies("cp.async.ca.shared.global [%r3], [%d5], 4;", GROUPS, 4, 4, false);
    small_copies("cp.async.ca.shared.global [%r3], [%d5], 16, %r4;", ALL, 16, 6, false);
    small_copies("cp.async.cg.shared.global [%r3], [%d5], 16, %r4;", ALL, 16, 0, false);
    small_copies("cp.async.cg.shared.global [%r3], [%d5], 16, %p4;", ALL, 16, 16, true);
    small_copies("not.pred %p4, %p4; cp.async.cg.shared.global [%r3], [%d5], 16, !%p4;", ALL, 16,
                 16, true);
    small_copies("cp.async.cg.shared.global.L2::cache_hint [%r3], [%d5], 16, %r4, %d9;", ALL, 16,
                 12, false);
    /* an mbarrier that counts the threads whose copies are done; without .noinc each adds itself */
    small_copies("bar.sync 0; @%p1 bra over; mbarrier.inval.shared.b64 [%bar]; "
                 "mbarrier.init.shared::cta.b64 [%bar], 32;\n"
                 "over: bar.sync 0; cp.async.ca.shared.global [%r3], [%d5], 8;",
                 "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n" WAIT, 8, 8, false);
    small_copies("cp.async.ca.shared.global [%r3], [%d5], 8;",
                 "cp.async.mbarrier.arrive.shared::cta.b64 [%bar]; bar.warp.sync -1;\n"
                 "@%p1 bra wait; mbarrier.arrive.shared::cta.b64 _, [%bar];\n" WAIT,
                 8, 8, false);
    assert_int_equal(wrong, 0);
}

/* --- misuse */

static const struct misuse {
    const char *middle;
    uint32_t ctas;
    enum tmap_emulate_kind kind;
    const char *says;
} misused[] = {
    {ONE("add.u32 %r9, %t, 8; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
         "[%r9], [%in], 16, [%bar];\n"),
     1, TMAP_EMULATE_ACCESS, "has to be a multiple of 16"},
    {ONE("add.s64 %d5, %in, 8; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
         "[%t], [%d5], 16, [%bar];\n"),
     1, TMAP_EMULATE_ACCESS, "has to be a multiple of 16"},
    {ONE("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%t], [%in], 24, "
         "[%bar];\n"),
     1, TMAP_EMULATE_ACCESS, "a bulk copy of 24 bytes"},
    {ONE("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%t], [%in], 0, "
         "[%bar];\n"),
     1, TMAP_EMULATE_ACCESS, "a bulk copy of 0 bytes"},
    {ONE("mov.b16 %h1, 5; "
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
         " [%t], [%in], 16, [%bar], %h1;\n"),
     1, TMAP_EMULATE_ILLEGAL, "multicast to CTAs 0x5 of a cluster of 1"},
    {ONE(EXPECT("1024") "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%t], "
                        "[%in], 1024, [%bar];\n" WAIT),
     1, TMAP_EMULATE_ACCESS, "a copy reaches"},
    {ONE(EXPECT("16") "add.s64 %d5, %in, 1536; "
                      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%t], "
                      "[%d5], 16, [%bar];\n" WAIT),
     1, TMAP_EMULATE_ACCESS, "a copy reaches"},
    {ONE("add.s64 %d5, %in, 1536; cp.async.bulk.global.shared::cta.bulk_group [%d5], [%s], "
         "16;\n" COMMIT),
     1, TMAP_EMULATE_ACCESS, "a copy writes"},
    {ONE("cp.async.bulk.global.shared::cta.bulk_group [%to], [%s], 4096;\n" COMMIT), 1,
     TMAP_EMULATE_ACCESS, "a copy reads shared"},
    {ONE("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%t], [%in], 16, "
         "[%s];\n" EXPECT("16") WAIT),
     1, TMAP_EMULATE_BARRIER, "there is no initialised mbarrier"},
    {ONE("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [0], %r1, "
         "[%bar];\n" EXPECT("16") WAIT),
     1, TMAP_EMULATE_ACCESS, "an asynchronous store to"},
    {ONE("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%t], %r1, "
         "[%s];\n" EXPECT("16") WAIT),
     1, TMAP_EMULATE_BARRIER, "there is no initialised mbarrier"},
    {"add.u32 %r3, %t, 4; cp.async.ca.shared.global [%r3], [%in], 8; cp.async.wait_all;", 1,
     TMAP_EMULATE_ACCESS, "cp.async of 8 bytes is misaligned or too large"},
    {"add.s64 %d5, %in, 2; cp.async.ca.shared.global [%t], [%d5], 4; cp.async.wait_all;", 1,
     TMAP_EMULATE_ACCESS, "cp.async of 4 bytes is misaligned or too large"},
    {"mov.u32 %r3, 17; cp.async.cg.shared.global [%t], [%in], 16, %r3; cp.async.wait_all;", 1,
     TMAP_EMULATE_ACCESS, "cp.async of 16 bytes is misaligned or too large"},
    {"add.s64 %d5, %in, 1536; cp.async.cg.shared.global [%t], [%d5], 16; cp.async.wait_all;", 1,
     TMAP_EMULATE_ACCESS, "leaves the buffers"},
    {"cp.async.cg.shared.global [0], [%in], 16; cp.async.wait_all;", 1, TMAP_EMULATE_ACCESS,
     "leaves the buffers"},
    {"mov.u32 %r3, %ctaid.x; setp.eq.u32 %p3, %r3, 0; @!%p3 st.global.b32 [%in], %r1;\n"
     "@%p3 cp.async.ca.shared.global [%s], [%in+1536], 4; cp.async.wait_all;",
     2, TMAP_EMULATE_RACE, "cp.async.ca.shared.global"},
    {"cp.async.mbarrier.arrive.noinc.shared.b64 [%s]; cp.async.wait_all;", 1, TMAP_EMULATE_BARRIER,
     "there is no initialised mbarrier"},
    {ONE("mbarrier.init.shared.b64 [%s], 0;\n"), 1, TMAP_EMULATE_BARRIER,
     "mbarrier.init with 0 arrivals"},
    {ONE("mbarrier.init.shared.b64 [%s], 1048576;\n"), 1, TMAP_EMULATE_BARRIER,
     "mbarrier.init with 1048576 arrivals"},
    {ONE("mbarrier.init.b64 [%in], 1;\n"), 1, TMAP_EMULATE_BARRIER, "or not in shared memory"},
    {ONE("mbarrier.inval.shared.b64 [%s];\n"), 1, TMAP_EMULATE_BARRIER,
     "there is no initialised mbarrier"},
    {ONE("mbarrier.inval.shared.b64 [%bar]; mbarrier.arrive.shared.b64 _, [%bar];\n"), 1,
     TMAP_EMULATE_BARRIER, "there is no initialised mbarrier"},
    {ONE("mbarrier.arrive.shared.b64 _, [%bar], 2;\n"), 1, TMAP_EMULATE_BARRIER,
     "2 arrivals at the mbarrier"},
    {ONE("mbarrier.arrive.shared.b64 _, [%bar], 0;\n"), 1, TMAP_EMULATE_BARRIER,
     "0 arrivals at the mbarrier"},
    {ONE("st.shared.u32 [%bar], 5; mbarrier.arrive.shared.b64 _, [%bar];\n"), 1,
     TMAP_EMULATE_BARRIER, "was overwritten"},
    {ONE("mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16; mbarrier.init.shared.b64 "
         "[%bar], 1;\n"),
     1, TMAP_EMULATE_BARRIER, "is initialised again in the middle of a phase"},
    {ONE("mbarrier.expect_tx.relaxed.cta.shared.b64 [%s], 16;\n"), 1, TMAP_EMULATE_BARRIER,
     "no initialised mbarrier"},
    {ONE("mbarrier.arrive.shared.b64 _, [%s];\n"), 1, TMAP_EMULATE_BARRIER,
     "no initialised mbarrier"},
    {ONE("mbarrier.test_wait.parity.shared.b64 %p3, [%s], 0;\n"), 1, TMAP_EMULATE_BARRIER,
     "no initialised mbarrier"},
    {ONE(WAIT), 1, TMAP_EMULATE_HANG,
     "phase 0 is under way, 1 of 1 arrivals and 0 bytes are missing"},
    {ONE(EXPECT("16") WAIT), 1, TMAP_EMULATE_HANG, "0 of 1 arrivals and 16 bytes are missing"},
    {"bar.sync 16;\n", 1, TMAP_EMULATE_BARRIER, "there is no barrier 16"},
    {"bar.sync 1, 48;\n", 1, TMAP_EMULATE_BARRIER, "a barrier of 48 threads in a CTA of 32"},
    {"bar.sync 1, 0;\n", 1, TMAP_EMULATE_BARRIER, "a barrier of 0 threads in a CTA of 32"},
    {"bar.sync 1, 64;\n", 1, TMAP_EMULATE_BARRIER, "a barrier of 64 threads in a CTA of 32"},
    {"barrier.cluster.wait.aligned;\n", 1, TMAP_EMULATE_BARRIER,
     "barrier.cluster.wait without an arrive"},
    {"barrier.cluster.arrive.aligned; barrier.cluster.arrive.aligned;\n", 1, TMAP_EMULATE_BARRIER,
     "barrier.cluster.arrive twice without a wait"},
    {"@%p1 bra over; bar.sync 0; over:\n", 1, TMAP_EMULATE_HANG,
     "waits for lanes 0xfffffffe of its warp"},
    {"trap;\n", 1, TMAP_EMULATE_TRAP, "the program trapped"},
    {"t0: .branchtargets over; mov.u32 %r3, 4; brx.idx %r3, t0; over:\n", 1, TMAP_EMULATE_ILLEGAL,
     "branch 4 of a table of 1"},
    {"ld.global.u32 %r3, [%in+2];\n", 1, TMAP_EMULATE_ACCESS, ""},
    {"ld.global.u32 %r3, [%in+1536];\n", 1, TMAP_EMULATE_ACCESS, ""},
    {"st.global.u32 [16], %r3;\n", 1, TMAP_EMULATE_ACCESS, ""},
    {"atom.global.add.u32 %r3, [%in+2], 1;\n", 1, TMAP_EMULATE_ACCESS, ""},
    {"ld.shared.u32 %r3, [0];\n", 1, TMAP_EMULATE_ACCESS, ""},
    {"over: bra over;\n", 1, TMAP_EMULATE_HANG, "polls"},
};

static void misuse(void **state)
{
    (void)state;
    draw(7);
    for (size_t i = 0; i < sizeof misused / sizeof *misused; i++) {
        struct ptx_run r;
        char text[6000];
        snprintf(text, sizeof text, "%s%s%s", head, misused[i].middle, tail);
        assert_false(
            ptx_run_on(text, start, misused[i].ctas * sizeof *start, 32, misused[i].ctas, &r));
        if (r.load != TMAP_OK)
            fail_msg("%s: line %u: %s", misused[i].middle, r.error.line, r.error.text);
        if (r.findings == 0) fail_msg("%s: nothing is found", misused[i].middle);
        if (!ptx_run_tells(&r, misused[i].kind, misused[i].says))
            fail_msg("%s: %s: %s", misused[i].middle, tmap_emulate_kind_name(r.finding[0].kind),
                     r.finding[0].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reductions), cmocka_unit_test(bulk_copies),
                                       cmocka_unit_test(remote_stores),
                                       cmocka_unit_test(copies_of_threads),
                                       cmocka_unit_test(misuse)};
    return cmocka_run_group_tests_name("asynchronous operations of the emulator", tests, NULL,
                                       NULL);
}
