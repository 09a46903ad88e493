/* What tcgen05 refuses when it runs: instruction descriptors, a field at a time beside legal ones;
 * matrix and zero-column mask descriptors; numbers of columns, columns that are not allocated,
 * pairs that do not agree. Bounds are the PTX ISA's ("5th generation TensorCore"). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

enum { TEXT = 8192 };

static const char head[] =
    ".version 9.0\n.target %s\n.address_size 64\n.shared .align 1024 .b8 s[32768];\n"
    ".shared .align 8 .b64 bar; .shared .align 4 .b32 at;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%d<8>; .reg .b32 %%tm, %%id, %%rank, %%b;\n"
    "mov.u32 %%id, %%tid.x; mov.u32 %%rank, %%cluster_ctarank; mov.u32 %%b, bar;\n"
    "setp.eq.u32 %%p1, %%id, 0; @%%p1 mbarrier.init.shared::cta.b64 [%%b], 1;\n"
    "fence.mbarrier_init.release.cluster; bar.sync 0;\n";

static bool run(const char *text, uint32_t ctas, struct ptx_run *out)
{
    uint64_t data[8] = {0};
    const struct tmap_emulate_launch launch = {.grid = {ctas, 1, 1},
                                               .block = {32, 1, 1},
                                               .cluster = {ctas, 1, 1},
                                               .schedule = TMAP_EMULATE_LATEST};
    return ptx_run_as(text, data, sizeof data, &launch, NULL, out);
}

static void say(const char *name, const struct ptx_run *r)
{
    print_message("# %s: load %d %s\n", name, r->load, r->error.text);
    for (size_t i = 0; i < r->findings && i < PTX_RUN_FINDINGS; i++)
        print_message("#   %s: %s\n", tmap_emulate_kind_name(r->finding[i].kind),
                      r->finding[i].text);
}

/* --- instruction descriptors */

/* Fields: PTX ISA, "instruction descriptor". */
#define D(type) ((type##u) << 4)
#define A(type) ((type##u) << 7)
#define B(type) ((type##u) << 10)
#define A_MN (1u << 15)
#define B_MN (1u << 16)
#define N(n) ((n##u / 8) << 17)
#define MM(m) ((m##u / 16) << 24)
#define A_NEGATED (1u << 13)
#define B_NEGATED (1u << 14)
#define SPARSE (1u << 2)
#define SATURATE (1u << 3)
/* With scale factors. */
#define UE8M0 (1u << 23)
#define A_ID(id) ((id##u) << 29)
#define B_ID(id) ((id##u) << 4)
#define K96 (1u << 31)

#define DENSE "[%tm], %d1, %d1, %r1, %p1;"
#define FROM_TENSOR "[%tm], [%tm], %d1, %r1, %p1;"
#define META "[%tm], %d1, %d1, [%tm], %r1, %p1;"
#define SCALED "[%tm], %d1, %d1, %r1, [%tm], [%tm], %p1;"
#define SCALED_META "[%tm], %d1, %d1, [%tm], %r1, [%tm], [%tm], %p1;"
#define F16 "kind::f16", DENSE
#define TF32 "kind::tf32", DENSE
#define F8 "kind::f8f6f4", DENSE
#define I8 "kind::i8", DENSE
#define SHIFTED "kind::f16.ashift", FROM_TENSOR
#define MXF8 "kind::mxf8f6f4.block_scale", SCALED
#define MXF4 "kind::mxf4.block_scale", SCALED
#define NVF4 "kind::mxf4nvf4.block_scale.scale_vec::4X", SCALED
#define F16_BASE D(1) | N(64) | MM(128)
#define MX_BASE UE8M0 | N(64) | MM(128)
#define WIDE "sm_103a"
#define PAIR ".cta_group::2"

static const struct {
    const char *form, *kind, *operands;
    uint32_t descriptor;
    bool legal;
    const char *target; /* NULL: sm_100a */
} descriptors[] = {
    {"", F16, F16_BASE, true, NULL},
    {"", F16, D(1) | N(8) | MM(64), true, NULL},
    {"", F16, D(0) | N(64) | MM(128), true, NULL},
    {"", F16, F16_BASE | A(1) | B(1), true, NULL},
    {"", F16, F16_BASE | A(2), false, NULL},
    {"", F16, F16_BASE | A(6), false, NULL},
    {"", F16, F16_BASE | B(2), false, NULL},
    {"", F16, F16_BASE | B(7), false, NULL},
    {"", F16, D(1) | N(64) | MM(32), false, NULL},
    {"", F16, D(1) | N(64) | MM(96), false, NULL},
    {"", F16, D(1) | N(0) | MM(128), false, NULL},
    {"", F16, D(1) | N(264) | MM(128), false, NULL},
    {"", F16, F16_BASE | SPARSE, false, NULL},
    {"", F16, F16_BASE | SATURATE, false, NULL},
    {"", F16, D(2) | N(64) | MM(128), false, NULL},
    {"", F16, D(3) | N(64) | MM(128), false, NULL},
    {"", F16, D(0) | N(64) | MM(128) | A(1), false, NULL},
    {"", F16, D(0) | N(64) | MM(128) | B(1), false, NULL},
    {"", F16, F16_BASE | 1, false, NULL},
    {"", F16, D(1) | N(8) | MM(128), true, NULL},
    {PAIR, F16, D(1) | N(24) | MM(128), false, NULL},
    {PAIR, F16, D(1) | N(8) | MM(128), false, NULL},
    {PAIR, F16, D(1) | N(16) | MM(128), true, NULL},
    {PAIR, F16, D(1) | N(16) | MM(64), false, NULL},
    {PAIR, F16, D(1) | N(16) | MM(256), true, NULL},
    {"", TF32, F16_BASE | A(2) | B(2), true, NULL},
    {"", TF32, D(0) | N(64) | MM(128) | A(2) | B(2), false, NULL},
    {"", F8, F16_BASE | A_MN | B_MN, true, NULL},
    {"", F8, F16_BASE | A(5), true, NULL},
    {"", F8, F16_BASE | A(5) | A_MN, false, NULL},
    {"", F8, F16_BASE | B(3) | B_MN, false, NULL},
    {"", I8, D(2) | N(64) | MM(128) | SATURATE, true, NULL},
    {"", I8, F16_BASE, false, NULL},
    {"", I8, D(2) | N(64) | MM(128) | A_NEGATED, false, NULL},
    {"", I8, D(2) | N(64) | MM(128) | B_NEGATED, false, NULL},
    {"", F16, F16_BASE | A_NEGATED | B_NEGATED, true, NULL},
    {"", I8, D(2) | N(24) | MM(128), true, NULL},
    {"", I8, D(2) | N(40) | MM(128), false, NULL},
    {"", I8, D(2) | N(48) | MM(64), true, NULL},
    {PAIR, I8, D(2) | N(16) | MM(256), false, NULL},
    {PAIR, I8, D(2) | N(48) | MM(256), false, NULL},
    {PAIR, I8, D(2) | N(96) | MM(256), true, NULL},
    {"", SHIFTED, F16_BASE, true, NULL},
    {"", SHIFTED, D(1) | N(64) | MM(64), false, NULL},
    {".ws", F16, D(1) | N(64) | MM(32), true, NULL},
    {".ws", F16, D(1) | N(128) | MM(64), true, NULL},
    {".ws", F16, D(1) | N(256) | MM(128), true, NULL},
    {".ws", F16, D(1) | N(64) | MM(16), false, NULL},
    {".ws", F16, D(1) | N(8) | MM(32), false, NULL},
    {".ws.sp", "kind::f16", META, D(1) | N(256) | MM(32) | SPARSE, false, NULL},
    {".sp", "kind::f16", META, F16_BASE, false, NULL},
    {".sp", "kind::f16", META, F16_BASE | SPARSE | 2, false, NULL},
    {"", MXF8, MX_BASE | A_ID(3) | B_ID(1), true, NULL},
    {"", MXF8, MX_BASE | A(2), false, NULL},
    {"", MXF8, UE8M0 | N(64) | MM(64), false, NULL},
    {"", MXF8, N(64) | MM(128), false, NULL},
    {"", MXF8, MX_BASE | 1, false, NULL},
    {"", MXF8, MX_BASE | K96, false, WIDE},
    {"", MXF4, MX_BASE | A(1) | B(1) | A_ID(2), true, NULL},
    {"", MXF4, MX_BASE | A(1) | B(1) | A_ID(1), false, NULL},
    {"", MXF4, MX_BASE | A(1) | B(1) | B_ID(3), false, NULL},
    {"", MXF4, MX_BASE | A(1) | B(1) | K96, true, WIDE},
    {"", MXF4, MX_BASE | A(1) | B(1) | K96, false, NULL},
    {"", MXF4, MX_BASE | A(1) | B(1) | K96, false, "sm_110a"},
    {"", NVF4, N(64) | MM(128) | A(1) | B(1), true, NULL},
    {".sp", "kind::mxf4.block_scale", SCALED_META, MX_BASE | A(1) | B(1) | SPARSE | K96, false,
     WIDE},
    {PAIR, MXF8, UE8M0 | N(16) | MM(128), true, NULL},
    {PAIR, MXF8, UE8M0 | N(24) | MM(256), false, NULL},
    {".sp", "kind::mxf8f6f4.block_scale", SCALED_META, MX_BASE | SPARSE, true, NULL},
    {".sp" PAIR, "kind::mxf8f6f4.block_scale", SCALED_META, MX_BASE | SPARSE, false, NULL},
    {".sp" PAIR, "kind::mxf8f6f4.block_scale", SCALED_META, UE8M0 | N(64) | MM(256) | SPARSE, true,
     NULL},
};

#define CONSTANT "0x400000000000"
static const char alloc[] =
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 512;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
    "ld.shared.u32 %tm, [at]; fence.proxy.async.shared::cta;\n"
    "mov.u32 %r2, s; shr.u32 %r2, %r2, 4; cvt.u64.u32 %d1, %r2; or.b64 %d1, %d1, " CONSTANT ";\n";
static const char free_all[] =
    "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%b];\n"
    "again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%b], 0; @!%p2 bra again;\n"
    "tcgen05.fence::after_thread_sync;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512; ret;\n}\n";

/* A product of a pair, which a cluster of one CTA has not, is refused in other words. */
static bool is_refused(const char *target, const char *before, const char *form, const char *kind,
                       const char *operands, uint32_t descriptor, const char *says)
{
    char text[TEXT];
    struct ptx_run r;
    size_t n = (size_t)snprintf(text, sizeof text, head, target ? target : "sm_100a");
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "%s%smov.u32 %%r1, %u;\n@%%p1 tcgen05.mma%s%s.%s %s\n%s", alloc, before,
                          descriptor, form, strstr(form, PAIR) ? "" : ".cta_group::1", kind,
                          operands, free_all);
    assert_true(n < sizeof text);
    run(text, 1, &r);
    if (r.load != TMAP_OK) fail_msg("%s%s: %s", form, kind, r.error.text);
    return ptx_run_tells(&r, TMAP_EMULATE_ILLEGAL, says);
}

static void instruction_descriptors(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        const bool refused = is_refused(descriptors[i].target, "", descriptors[i].form,
                                        descriptors[i].kind, descriptors[i].operands,
                                        descriptors[i].descriptor, "instruction descriptor 0x");
        if (refused != descriptors[i].legal) continue;
        print_message("# row %zu, %s%s 0x%08x: %s\n", i, descriptors[i].form, descriptors[i].kind,
                      descriptors[i].descriptor, refused ? "refused" : "taken");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void other_descriptors(void **state)
{
#define ZEROS(d) "mov.b64 %d3, " #d ";\n"
#define WS_ZEROS "[%tm], %d1, %d1, %r1, %p1, %d3;"
    static const struct {
        const char *before, *form, *kind, *operands;
        uint32_t descriptor;
        const char *says; /* NULL: legal */
    } list[] = {
        {"mov.b64 %d2, 0;\n", "", "kind::f16", "[%tm], %d2, %d1, %r1, %p1;", F16_BASE,
         "without the constant 1"},
        {"mov.b64 %d2, 0;\n", "", "kind::f16", "[%tm], %d1, %d2, %r1, %p1;", F16_BASE,
         "without the constant 1"},
        {"or.b64 %d2, %d1, 0x6000000000000000;\n", "", "kind::f16", "[%tm], %d1, %d2, %r1, %p1;",
         F16_BASE, "with a reserved swizzle"},
        {"", "", "kind::f16.ashift", "[%tm], [%tm], 0, %r1, %p1;", F16_BASE,
         "without the constant 1"},
        {"", ".sp", "kind::f16", "[%tm], %d1, %d1, [%tm+1], %r1, %p1;", F16_BASE | SPARSE,
         "metadata at column 1 of tensor memory: an even one"},
        {"", "", "kind::mxf8f6f4.block_scale", "[%tm], %d1, %d1, %r1, [%tm+65536], [%tm], %p1;",
         MX_BASE, "scale factors of A begin at lane 1 of tensor memory, not at its first"},
        {"", "", "kind::mxf8f6f4.block_scale", "[%tm], %d1, %d1, %r1, [%tm], [%tm+65536], %p1;",
         MX_BASE, "scale factors of B begin at lane 1 of tensor memory, not at its first"},
        {ZEROS(0), ".ws", "kind::f16", WS_ZEROS, D(1) | N(64) | MM(32), NULL},
        {ZEROS(0x1000000000), ".ws", "kind::f16", WS_ZEROS, D(1) | N(64) | MM(32),
         "zero-column mask descriptor"},
        {ZEROS(0x4000000000000000), ".ws", "kind::f16", WS_ZEROS, D(1) | N(64) | MM(32),
         "zero-column mask descriptor"},
        {ZEROS(0x0900000000000000), ".ws", "kind::f16", WS_ZEROS, D(1) | N(64) | MM(32) | 1u << 30,
         "zero-column mask descriptor"},
        {ZEROS(0x1100000000000000), ".ws", "kind::f16", WS_ZEROS, D(1) | N(64) | MM(32) | 3u << 30,
         "zero-column mask descriptor"},
        {ZEROS(0x1100000000000000), ".ws", "kind::f16", WS_ZEROS, D(1) | N(64) | MM(64) | 3u << 30,
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *says = list[i].says ? list[i].says : "descriptor";
        if (is_refused(NULL, list[i].before, list[i].form, list[i].kind, list[i].operands,
                       list[i].descriptor, says) != (list[i].says != NULL))
            fail_msg("row %zu", i);
    }
}

/* --- columns */

#define ALLOC(group, columns)                                                                      \
    "tcgen05.alloc.cta_group::" group ".sync.aligned.shared::cta.b32 [at], " columns ";\n"
#define DEALLOC(group, from, columns)                                                              \
    "tcgen05.dealloc.cta_group::" group ".sync.aligned.b32 " from ", " columns ";\n"
#define TAKE "ld.shared.u32 %tm, [at];\n"
#define LOAD(shape, registers, at)                                                                 \
    "mov.u32 %r4, " at ";\ntcgen05.ld.sync.aligned." shape ".b32 " registers ", [%r4];\n"          \
    "tcgen05.wait::ld.sync.aligned;\n"
#define STAY(parity)                                                                               \
    "again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%b], " parity "; @!%p2 bra again;\n"
#define HALF "setp.ge.u32 %p2, %id, 16; @%p2 bra other;\n"
#define OTHER_HALF "other: bar.warp.sync -1;\n"
#define MEET "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
#define FIRST(what) "setp.ne.u32 %p2, %rank, 0; @%p2 bra over;\n" what "over:\n"

/* Of 128 (a pair: 256) by 64 halves. */
#define PRODUCT(group, descriptor, operands)                                                       \
    "mov.u32 %r4, 0; mov.u32 %r5, 64; mov.u32 %r1, " descriptor ";\n"                              \
    "mov.b64 %d1, 0x400000000040;\n@%p1 tcgen05.mma.cta_group::" group ".kind::f16 " operands      \
    ", %r1, %p1;\n"

/* 32 rows by .ws, sparse, with metadata that lanes 0 to 31 alone have. */
#define META_OF_32(at)                                                                             \
    "mov.u32 %r4, 0; mov.u32 %r5, 0x44444444;\n"                                                   \
    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%r5}; tcgen05.wait::st.sync.aligned;\n"         \
    "mov.u32 %r5, " at "; mov.u32 %r1, 34603028; mov.b64 %d1, 0x400000000040;\n"                   \
    "@%p1 tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r4], %d1, %d1, [%r5], %r1, %p1;\n"
/* 256 by 32 with scale factors at column 32; each CTA's first one is its number. */
#define COMMIT_PAIR                                                                                \
    "@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%b];\n"
#define COPY_SCALES "@%p1 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r4], %d2;\n"
#define PAIR_OF_SCALES(copy)                                                                       \
    "mov.u32 %r4, 32; mov.u32 %r5, s; @%p1 st.shared.u32 [%r5], %rank;\n"                          \
    "fence.proxy.async.shared::cta; shr.u32 %r5, %r5, 4; cvt.u64.u32 %d2, %r5;\n"                  \
    "or.b64 %d2, %d2, " CONSTANT ";\n" MEET                                                        \
    FIRST(copy "mov.u32 %r5, 0; mov.u32 %r1, 277348352;\n"                                         \
               "@%p1 tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale [%r5], %d2, %d2, %r1, "   \
               "[%r4], [%r4], %p1;\n" COMMIT_PAIR STAY("0")) MEET

static const struct {
    const char *name, *text;
    uint32_t ctas;
    enum tmap_emulate_kind kind;
    const char *says; /* NULL: no finding */
} columns[] = {
    {"all", ALLOC("1", "512") TAKE DEALLOC("1", "%tm", "512"), 1, 0, NULL},
    {"some in one CTA of two", FIRST(ALLOC("1", "32") TAKE DEALLOC("1", "%tm", "32")), 2, 0, NULL},
    {"left behind", ALLOC("1", "64"), 1, TMAP_EMULATE_LEAK, "leaves 64 columns"},
    {"none", ALLOC("1", "0"), 1, TMAP_EMULATE_ILLEGAL,
     "0 columns of tensor memory: a power of two"},
    {"too few", ALLOC("1", "16"), 1, TMAP_EMULATE_ILLEGAL, "a power of two from 32 to 512"},
    {"no power of two", ALLOC("1", "96"), 1, TMAP_EMULATE_ILLEGAL, "a power of two from 32 to 512"},
    {"too many", ALLOC("1", "1024"), 1, TMAP_EMULATE_ILLEGAL, "a power of two from 32 to 512"},
    {"half a warp allocates", HALF ALLOC("1", "32") OTHER_HALF, 1, TMAP_EMULATE_HANG, ""},
    {"half a warp gives back", ALLOC("1", "32") HALF DEALLOC("1", "0", "32") OTHER_HALF, 1,
     TMAP_EMULATE_HANG, ""},
    {"half a warp waits", HALF "tcgen05.wait::ld.sync.aligned;\n" OTHER_HALF, 1, TMAP_EMULATE_HANG,
     ""},
    {"half a warp reads", ALLOC("1", "32") HALF LOAD("32x32b.x1", "{%r1}", "0") OTHER_HALF, 1,
     TMAP_EMULATE_HANG, ""},
    {"a wait before there is any", "tcgen05.wait::ld.sync.aligned;\n", 1, 0, NULL},
    {"the address goes nowhere",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [0x30000], 32;\n", 1,
     TMAP_EMULATE_ACCESS, ""},
    {"more than there is", ALLOC("1", "512") ALLOC("1", "32"), 1, TMAP_EMULATE_HANG, ""},
    {"more than a pair has", ALLOC("2", "512") ALLOC("2", "32"), 2, TMAP_EMULATE_HANG, ""},
    {"between others",
     ALLOC("1", "32") ALLOC("1", "64") DEALLOC("1", "0", "32") ALLOC("1", "64")
         TAKE DEALLOC("1", "%tm", "64") DEALLOC("1", "32", "64"),
     1, 0, NULL},
    {"after the permit was given up",
     ALLOC("1", "32") "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" ALLOC("1",
                                                                                           "32"),
     1, TMAP_EMULATE_ILLEGAL, "the CTA has given up its permit to allocate tensor memory"},
    {"half a warp gives the permit up",
     HALF "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" OTHER_HALF, 1,
     TMAP_EMULATE_HANG, ""},
    {"given back, never had", DEALLOC("1", "0", "32"), 1, TMAP_EMULATE_ILLEGAL,
     "32 columns from 0 on are given back, but not allocated"},
    {"given back beyond the last", ALLOC("1", "512") DEALLOC("1", "480", "64"), 1,
     TMAP_EMULATE_ILLEGAL, "64 columns from 480 on are given back, but not allocated"},
    {"given back from within 32 columns", ALLOC("1", "64") DEALLOC("1", "16", "32"), 1,
     TMAP_EMULATE_ILLEGAL, "32 columns from 16 on are given back, but not allocated"},
    {"none given back", ALLOC("1", "32") DEALLOC("1", "0", "0"), 1, TMAP_EMULATE_ILLEGAL,
     "0 columns of tensor memory: a power of two"},
    {"48 given back", ALLOC("1", "64") DEALLOC("1", "0", "48"), 1, TMAP_EMULATE_ILLEGAL,
     "48 columns of tensor memory: a power of two"},
    {"read, not allocated", ALLOC("1", "32") LOAD("32x32b.x1", "{%r1}", "32"), 1,
     TMAP_EMULATE_ACCESS, "columns 32 to 32 of tensor memory are not allocated"},
    {"read beyond the last", ALLOC("1", "512") LOAD("32x32b.x2", "{%r1, %r2}", "511"), 1,
     TMAP_EMULATE_ACCESS, "of tensor memory are not allocated"},
    {"read of another quarter", ALLOC("1", "32") LOAD("32x32b.x1", "{%r1}", "0x200000"), 1,
     TMAP_EMULATE_ACCESS, "warp 0 reaches lane 32 of tensor memory; its quarter begins at 0"},
    {"read before there is any", LOAD("32x32b.x1", "{%r1}", "0"), 1, TMAP_EMULATE_ACCESS,
     "not allocated"},
    {"a pair", ALLOC("2", "32") TAKE DEALLOC("2", "%tm", "32") MEET, 2, 0, NULL},
    {"a pair of one", ALLOC("2", "32"), 1, TMAP_EMULATE_ILLEGAL,
     "the cluster has no CTA for the pair"},
    {"the other has left",
     "barrier.cluster.arrive.aligned;\n" FIRST("barrier.cluster.wait.aligned;\n" ALLOC("2", "32")),
     2, TMAP_EMULATE_ILLEGAL, "the pair's other CTA has left"},
    {"a pair of two minds",
     "mul.lo.u32 %r1, %rank, 32; add.u32 %r1, %r1, 32;\n" ALLOC("2", "%r1") MEET, 2,
     TMAP_EMULATE_ILLEGAL, "columns of tensor memory, and"},
    {"a pair gives other columns back",
     ALLOC("2", "64") "mul.lo.u32 %r1, %rank, 32;\n" DEALLOC("2", "%r1", "32") MEET, 2,
     TMAP_EMULATE_ILLEGAL, "the CTAs of a pair give other columns of tensor memory back"},
    {"one of a pair gives back, the other has left",
     ALLOC("2", "32") "barrier.cluster.arrive.aligned;\n" FIRST(
         "barrier.cluster.wait.aligned;\n" DEALLOC("2", "0", "32")),
     2, TMAP_EMULATE_ILLEGAL, "the pair's other CTA has left"},
    {"a copy from outside shared memory",
     ALLOC("1", "32") "mov.b64 %d2, 0x400000003fff;\n"
                      "@%p1 tcgen05.cp.cta_group::1.128x256b [%r4], %d2;\n",
     1, TMAP_EMULATE_ACCESS, "a matrix descriptor reaches shared"},
    {"a copy by no descriptor",
     ALLOC("1", "32") "mov.b64 %d2, 0;\n@%p1 tcgen05.cp.cta_group::1.128x256b [%r4], %d2;\n", 1,
     TMAP_EMULATE_ILLEGAL, "without the constant 1"},
    {"a copy into a pair of one",
     ALLOC("1", "32") "mov.b64 %d2, " CONSTANT
                      ";\n@%p1 tcgen05.cp.cta_group::2.128x256b [%r4], %d2;\n",
     1, TMAP_EMULATE_ILLEGAL, "the cluster has no CTA for the pair"},
    {"a shift from within a warp's lanes",
     ALLOC("1", "32") "mov.u32 %r4, 0x10000;\n@%p1 tcgen05.shift.cta_group::1.down [%r4];\n", 1,
     TMAP_EMULATE_ILLEGAL, ""},
    {"a shift of nothing", "mov.u32 %r4, 0;\n@%p1 tcgen05.shift.cta_group::1.down [%r4];\n", 1,
     TMAP_EMULATE_ACCESS, "not allocated"},
    {"a commit that nobody awaits",
     "@%p1 mbarrier.arrive_drop.shared::cta.b64 _, [%b];\n"
     "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%b];\n" STAY("1"),
     1, TMAP_EMULATE_BARRIER, "of which phase 1 lacks only 0"},
    {"a commit to no mbarrier",
     "mov.u32 %r4, s;\n"
     "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4];\n" STAY(
         "0"),
     1, TMAP_EMULATE_BARRIER, "there is no initialised mbarrier"},
    {"sums beyond what is allocated", ALLOC("1", "32") PRODUCT("1", "135266320", "[%r4], %d1, %d1"),
     1, TMAP_EMULATE_ACCESS, "not allocated"},
    {"sums beyond the last column",
     ALLOC("1", "512") PRODUCT("1", "135266320", "[%r4+480], %d1, %d1"), 1, TMAP_EMULATE_ACCESS,
     "lane 0, columns 480 to 543 of tensor memory are not allocated"},
    {"A beyond what is allocated", ALLOC("1", "64") PRODUCT("1", "135266320", "[%r4], [%r5], %d1"),
     1, TMAP_EMULATE_ACCESS, "not allocated"},
    {"B beyond shared memory",
     ALLOC("1", "64") "mov.b64 %d2, 0x400000000000;\n" PRODUCT("1", "135266320", "[%r4], %d1, %d2"),
     1, TMAP_EMULATE_ACCESS, "a matrix descriptor reaches shared 0x0"},
    {"B beyond shared memory, of a pair",
     ALLOC("2", "64") "mov.b64 %d2, 0x400000003fff;\n" FIRST(
         PRODUCT("2", "269484048", "[%r4], %d1, %d2") COMMIT_PAIR STAY("0")) MEET,
     2, TMAP_EMULATE_ACCESS, "a matrix descriptor reaches shared"},
    {"B beyond shared memory, masked",
     ALLOC("1",
           "64") "mov.b64 %d2, 0x400000003fff; mov.b64 %d3, 0; mov.u32 %r4, 0;\n"
                 "mov.b64 %d1, 0x400000000040; mov.u32 %r1, 34603024;\n"
                 "@%p1 tcgen05.mma.ws.cta_group::1.kind::f16 [%r4], %d1, %d2, %r1, %p1, %d3;\n",
     1, TMAP_EMULATE_ACCESS, "a matrix descriptor reaches shared"},
    {"A and its copies beyond the last lane",
     ALLOC("1", "64") "mov.u32 %r4, 0; mov.u32 %r5, 0x200000; mov.u32 %r1, 34603024;\n"
                      "mov.b64 %d1, 0x400000000040;\n"
                      "@%p1 tcgen05.mma.ws.cta_group::1.kind::f16 [%r4], [%r5], %d1, %r1, %p1;\n",
     1, TMAP_EMULATE_ACCESS, "lane 128, columns 0 to 7 of tensor memory are not allocated"},
    {"scale factors beyond what is allocated",
     ALLOC("1", "64") "mov.u32 %r4, 0; mov.u32 %r5, 64; mov.u32 %r1, 143654912;\n"
                      "mov.b64 %d1, 0x400000000040;\n"
                      "@%p1 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r4], %d1, %d1, "
                      "%r1, [%r5], [%r5], %p1;\n",
     1, TMAP_EMULATE_ACCESS, "lane 0, columns 64 to 64 of tensor memory are not allocated"},
    {"metadata beyond what is allocated",
     ALLOC("1", "64") "mov.u32 %r4, 0; mov.u32 %r5, 64; mov.u32 %r1, 135266324;\n"
                      "mov.b64 %d1, 0x400000000040;\n"
                      "@%p1 tcgen05.mma.sp.cta_group::1.kind::f16 [%r4], %d1, %d1, [%r5], %r1, "
                      "%p1;\n",
     1, TMAP_EMULATE_ACCESS, "columns 64 to 64 of tensor memory are not allocated"},
    {"metadata and its copies beyond the last lane", ALLOC("1", "64") META_OF_32("0x200000"), 1,
     TMAP_EMULATE_ACCESS, "of tensor memory are not allocated"},
    {"metadata that its copies have not", ALLOC("1", "64") META_OF_32("0"), 1, TMAP_EMULATE_ILLEGAL,
     "the metadata of row 31 has 0x4, and 0xf in its copy 32 lanes on"},
    {"scale factors of B that a pair's CTAs have not alike",
     ALLOC("2", "64") PAIR_OF_SCALES(COPY_SCALES), 2, TMAP_EMULATE_ILLEGAL,
     "the CTAs of a pair have other scale factors of B"},
    {"scale factors of B that the other CTA has not on all lanes",
     ALLOC("2", "64") "setp.ne.u32 %p2, %rank, 1; @%p2 bra out; mov.u32 %r4, 32; mov.u32 %r5, 0;\n"
                      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%r5};\n"
                      "tcgen05.wait::st.sync.aligned; out:\n" PAIR_OF_SCALES(""),
     2, TMAP_EMULATE_ILLEGAL, "scale factors of row 0 differ: column 32 has 0x00000000 on lane 0"},
    {"half a warp multiplies",
     HALF "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
          "{%r7}, {%r1, %r2, %r3, %r4};\n" OTHER_HALF,
     1, TMAP_EMULATE_HANG, ""},
    {"given back, never had beside others", ALLOC("1", "32") DEALLOC("1", "32", "32"), 1,
     TMAP_EMULATE_ILLEGAL, "32 columns from 32 on are given back, but not allocated"},
    {"a pair's other CTA has allocated none", FIRST(ALLOC("1", "32") DEALLOC("2", "0", "32")) MEET,
     2, TMAP_EMULATE_HANG, ""},
    {"a pair gets what neither has taken",
     "setp.ne.u32 %p2, %rank, 1; @%p2 bra over;\n" ALLOC("1", "32") "over:\n" ALLOC("2", "32") TAKE
     "setp.ne.u32 %p3, %tm, 32; @%p3 trap;\n" DEALLOC("2", "%tm", "32") MEET
     "setp.ne.u32 %p2, %rank, 1; @%p2 bra out;\n" DEALLOC("1", "0", "32") "out:\n",
     2, 0, NULL},
    {"a fence before there is any",
     "tcgen05.fence::after_thread_sync;\n"
     "tcgen05.fence::before_thread_sync;\n",
     1, 0, NULL},
    {"a product of a pair of one", ALLOC("1", "64") PRODUCT("2", "269484048", "[%r4], %d1, %d1"), 1,
     TMAP_EMULATE_ILLEGAL, "the cluster has no CTA for the pair"},
    {"matrices for half a warp",
     "setp.ge.u32 %p2, %id, 16; @%p2 bra over; mov.u32 %r4, s;\n"
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r4];\nover:\n",
     1, TMAP_EMULATE_CONVERGED, "some lanes of the warp have left"},
};

static void allocation(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char text[TEXT];
        struct ptx_run r;
        const size_t n = (size_t)snprintf(text, sizeof text, head, "sm_100a");
        snprintf(text + n, sizeof text - n, "%s\nret;\n}\n", columns[i].text);
        const bool good = run(text, columns[i].ctas, &r);
        if (columns[i].says ? ptx_run_tells(&r, columns[i].kind, columns[i].says) : good) continue;
        say(columns[i].name, &r);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* --- scale factors of mma.sync: which of a word's bytes, and whose */

static void selectors(void **state)
{
    static const struct {
        const char *kind, *type, *a, *b;
        bool legal;
    } list[] = {
        {"kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", "{3, 1}", "{3, 3}", true},
        {"kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", "{4, 1}", "{3, 3}", false},
        {"kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", "{3, 2}", "{3, 3}", false},
        {"kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", "{3, 1}", "{4, 3}", false},
        {"kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", "{3, 1}", "{3, 4}", false},
        {"kind::mxf4.block_scale.scale_vec::2X", "e2m1", "{2, 1}", "{2, 3}", true},
        {"kind::mxf4.block_scale.scale_vec::2X", "e2m1", "{1, 1}", "{2, 3}", false},
        {"kind::mxf4.block_scale.scale_vec::2X", "e2m1", "{2, 1}", "{3, 3}", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[TEXT];
        struct ptx_run r;
        const size_t n = (size_t)snprintf(text, sizeof text, head, "sm_120a");
        snprintf(
            text + n, sizeof text - n,
            "mov.u32 %%r1, 0;\nmma.sync.aligned.%s.row.col.%s.f32.%s.%s.f32.ue8m0 {%%r2, %%r3, "
            "%%r4, %%r5}, {%%r1, %%r1, %%r1, %%r1}, {%%r1, %%r1}, {%%r1, %%r1, %%r1, %%r1}, %%r1, "
            "%s, %%r1, %s;\nret;\n}\n",
            strcmp(list[i].type, "e4m3") == 0 ? "m16n8k32" : "m16n8k64", list[i].kind, list[i].type,
            list[i].type, list[i].a, list[i].b);
        const bool good = run(text, 1, &r);
        if (r.load != TMAP_OK) fail_msg("row %zu: %s", i, r.error.text);
        if (good != list[i].legal ||
            good == ptx_run_tells(&r, TMAP_EMULATE_ILLEGAL, "a selector of scale factors"))
            fail_msg("row %zu", i);
    }
}

/* --- forms that there are not */

static void forms(void **state)
{
#define MMA(form, operands) "tcgen05.mma" form " " operands
#define BY_ONE ".cta_group::1."
    static const struct {
        const char *text, *says;
    } list[] = {
        {MMA(".kind::f16", DENSE), "without .cta_group"},
        {MMA(BY_ONE "kind::f64", DENSE), "is not supported"},
        {MMA(BY_ONE "kind::f16.scale_vec::1X", DENSE), "has no scales"},
        {MMA(BY_ONE "kind::mxf8f6f4", SCALED), "without .block_scale"},
        {MMA(BY_ONE "kind::mxf8f6f4.block_scale.scale_vec::2X", SCALED), "no such size of blocks"},
        {MMA(BY_ONE "kind::mxf4.block_scale.block16", SCALED), "no such size of blocks"},
        {MMA(BY_ONE "kind::mxf4nvf4.block_scale", SCALED), "no such size of blocks"},
        {MMA(".ws.cta_group::2.kind::f16", DENSE), "no such weight-stationary form"},
        {MMA(".ws" BY_ONE "kind::mxf4.block_scale", SCALED), "no such weight-stationary form"},
        {MMA(".ws" BY_ONE "kind::f16.ashift", FROM_TENSOR), "no such weight-stationary form"},
        {MMA(BY_ONE "kind::mxf8f6f4.block_scale.ashift", SCALED), "is not shifted"},
        {MMA(BY_ONE "kind::f16.ashift", DENSE), "A is shifted in tensor memory alone"},
        {MMA(BY_ONE "kind::f16.collector::a::keep", DENSE), "is not known"},
        {MMA(".ws" BY_ONE "kind::f16.collector::b0xxfill", DENSE), "is not known"},
        {MMA(BY_ONE "kind::f16.ashift.collector::a::use", FROM_TENSOR), "and shifts it"},
        {MMA(BY_ONE "kind::f16", "[%tm], %d1, %d1, %r1, %p1, 16;"), "scales D by 16"},
        {MMA(BY_ONE "kind::f16", "[%tm], %d1, %d1, %r1, %p1, -1;"), "scales D by -1"},
        {MMA(BY_ONE "kind::i8", "[%tm], %d1, %d1, %r1, %p1, 1;"), "scales D by 1"},
        {MMA(BY_ONE "kind::f16", "[%d1], %d1, %d1, %r1, %p1;"), "an address of 64 bits"},
        {"tcgen05.alloc.cta_group::1.shared::cta.b32 [at], 32;", "without .sync.aligned"},
        {"tcgen05.alloc.sync.aligned.shared::cta.b32 [at], 32;", "without .cta_group"},
        {"tcgen05.dealloc.cta_group::1.sync.b32 %tm, 32;", "without .sync.aligned"},
        {"tcgen05.dealloc.sync.aligned.b32 %tm, 32;", "without .cta_group"},
        {"tcgen05.relinquish_alloc_permit.cta_group::1;", "without .sync.aligned"},
        {"tcgen05.relinquish_alloc_permit.sync.aligned;", "without .cta_group"},
        {"tcgen05.ld.aligned.32x32b.x1.b32 {%r1}, [%tm];", "without .sync.aligned"},
        {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1}, [%tm];", "with 1 registers"},
        {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d1}, [%tm];", "registers of 64 bits"},
        {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%d1];", "an address of 64 bits"},
        {"ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r1, %r2, %r3, %r4}, [%r5];",
         "ldmatrix"},
        {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8x16.b4x16_p64 [%r5], {%r1};",
         "is not supported"},
        {"ldmatrix.sync.aligned.m8n16.x1.trans.shared.b8x16.b4x16_p64 {%r1}, [%r5];",
         "is not supported"},
        {"ldmatrix.sync.aligned.m16n8.x1.trans.shared.b8 {%r1}, [%r5];", "is not supported"},
        {"tcgen05.ld.sync.aligned.8x8b.x1.b32 {%r1}, [%tm];", "is not supported"},
    };
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[TEXT];
        struct ptx_run r;
        const size_t n = (size_t)snprintf(text, sizeof text, head, "sm_100a");
        snprintf(text + n, sizeof text - n, "%s\nret;\n}\n", list[i].text);
        run(text, 1, &r);
        if (r.load != TMAP_OK && strstr(r.error.text, list[i].says)) continue;
        say(list[i].text, &r);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_descriptors), cmocka_unit_test(other_descriptors),
        cmocka_unit_test(allocation), cmocka_unit_test(selectors), cmocka_unit_test(forms)};
    return cmocka_run_group_tests_name("refusals of tensor memory", tests, NULL, NULL);
}
