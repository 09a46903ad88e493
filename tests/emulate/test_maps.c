/* Tensor maps on the device: copies and reductions by them, maps that are edited and published
 * there, and what is wrong with a map, its use, or the fences around it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "tmap/tmap.h"

enum { WIDTH = 32, HEIGHT = 32, BOX_W = 8, BOX_H = 4, AT = 0x10000000 };

/* A map, room for another, the tensor, and what a box of it is stored to or came as. */
static struct data {
    uint8_t map[128], other[128], spare[768];
    uint32_t tensor[HEIGHT][WIDTH], box[BOX_H][BOX_W];
} data;

static void fill(void)
{
    struct tmap_checker checker;
    struct tmap_target target = tmap_default_target();
    struct tmap_map map;
    const struct tmap_desc d = {.kind = TMAP_TILED,
                                .dtype = TMAP_UINT32,
                                .rank = 2,
                                .address = AT + offsetof(struct data, tensor),
                                .dim = {WIDTH, HEIGHT},
                                .stride_bytes = {4 * WIDTH},
                                .box = {BOX_W, BOX_H},
                                .elem_stride = {1, 1}};
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_DOCUMENTED, &checker), TMAP_OK);
    assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_OK);
    memset(&data, 0, sizeof data);
    memcpy(data.map, &map, sizeof map);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) data.tensor[y][x] = (1000 * y + x) * 0x1000193;
}

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 1024 .b8 s[1024]; .shared .align 128 .b8 m[128]; .shared .align 8 .b64 bar;\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<16>;\n"
    ".reg .b64 %d<12>; .reg .b64 %map, %other, %box; .reg .b32 %s, %m, %bar, %id;\n"
    "ld.param.u64 %map, [p]; add.s64 %other, %map, 128; add.s64 %box, %map, 5120; mov.u32 %s, s;\n"
    "mov.u32 %m, m; mov.u32 %bar, bar; mov.u32 %id, %tid.x; setp.ne.u32 %p1, %id, 0; shl.b32 %r1, "
    "%id, 2;\n"
    "cvt.u64.u32 %d1, %r1; add.u32 %r2, %s, %r1; add.s64 %d2, %map, %d1; ld.global.u32 %r3, "
    "[%d2];\n"
    "add.u32 %r4, %m, %r1; st.shared.u32 [%r4], %r3; mul.lo.u32 %r3, %id, 77; st.shared.u32 [%r2], "
    "%r3;\n"
    "mov.u32 %r8, 4; mov.u32 %r9, 5; @%p1 bra made; mbarrier.init.shared.b64 [%bar], 1;\n"
    "fence.mbarrier_init.release.cluster;\nmade: fence.proxy.async; "
    "barrier.cluster.arrive.aligned;\n"
    "barrier.cluster.wait.aligned;\n";
#define ONE(text) "@%p1 bra done;\n" text "\ndone: bar.sync 0;\n"
#define ONE2(text) "@%p1 bra again;\n" text "\nagain: bar.sync 0;\n"
#define LOAD(map)                                                                                  \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;\n"                                       \
    "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], [" map     \
    ", {%r8, %r9}], [%bar];\n"
#define WAIT                                                                                       \
    "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%bar], 0; @!%p2 bra wait;\n"                  \
    "ld.shared.u32 %r5, [%r2]; add.s64 %d3, %box, %d1; st.global.u32 [%d3], %r5;\n"
static const char tail[] = "\nret;\n}\n";

static bool go(const char *middle, uint32_t ctas, enum tmap_emulate_schedule schedule,
               struct ptx_run *r)
{
    char text[8000];
    snprintf(text, sizeof text, "%s%s%s", head, middle, tail);
    fill();
    return ptx_run(text, &data, sizeof data, 32, ctas, 0, schedule, r);
}

/* As ptx_run_as() does, by one warp. */
static bool go_as(const char *middle, bool no_races, const struct tmap_emulate_watch *watch,
                  struct ptx_run *r)
{
    const struct tmap_emulate_launch like = {.block = {32}, .no_races = no_races};
    char text[8000];
    snprintf(text, sizeof text, "%s%s%s", head, middle, tail);
    fill();
    return ptx_run_as(text, &data, sizeof data, &like, watch, r);
}

static void is_box(const char *middle, int x0, int y0)
{
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM + 1; s++) {
        struct ptx_run r;
        const bool no_races = s > TMAP_EMULATE_RANDOM;
        if (no_races ? !go_as(middle, true, NULL, &r)
                     : !go(middle, 1, (enum tmap_emulate_schedule)s, &r))
            fail_msg("%s", middle);
        for (int y = 0; y < BOX_H; y++)
            for (int x = 0; x < BOX_W; x++) {
                const int at_x = x0 + x, at_y = y0 + y;
                const bool in = at_x >= 0 && at_x < WIDTH && at_y >= 0 && at_y < HEIGHT;
                const uint32_t want = in ? data.tensor[at_y][at_x] : 0;
                if (data.box[y][x] != want) fail_msg("%s: %d, %d", middle, x, y);
            }
    }
}

#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu "
#define PUBLISH                                                                                    \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "      \
    "[%other], [%m], 128;\n"

static void loads(void **state)
{
    (void)state;
    is_box(ONE(LOAD("%map")) WAIT, 4, 5);
    is_box(ONE("mov.u32 %r8, -4; mov.u32 %r9, 30;\n" LOAD("%map")) WAIT, -4, 30);
    is_box(ONE("prefetch.tensormap [%map]; createpolicy.fractional.L2::evict_first.b64 %d9, "
               "0f3F800000;\n"
               "cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [%map, {%r8, %r9}], "
               "%d9;\n" LOAD("%map")) WAIT,
           4, 5);
    /* edited in shared memory, and published; twice, by all lanes */
    is_box(ONE("add.s64 %d5, %map, 1152; "
               "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%m], %d5;")
               PUBLISH PUBLISH ACQUIRE "[%other], 128;\n" ACQUIRE
                                       "[%other], 128;\nbar.sync 0;\n" ONE2(LOAD("%other")) WAIT,
           4, 6);
    is_box(ONE("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%m], 1, 32;\n"
               "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%m], 0;") PUBLISH ACQUIRE
           "[%other], 128;\nbar.sync 0;\n" ONE2(LOAD("%other")) WAIT,
           4, 5);
    /* published by lanes that come one after the other; acquired with others, and more than once */
    is_box("setp.ge.u32 %p2, %id, 16; @%p2 bra later; here: " PUBLISH
           "bra met; later: add.u32 %r9, %r9, 0; bra here; met: " ACQUIRE "[%map], 128;\n" ACQUIRE
           "[%other], 128;\nadd.s64 %d6, %map, 256; " ACQUIRE
           "[%d6], 128;\nadd.s64 %d6, %map, 384; " ACQUIRE "[%d6], 128;\n" ACQUIRE
           "[%other], 128;\nbar.sync 0;\n" ONE(LOAD("%other")) WAIT,
           4, 5);
    /* edited in global memory */
    is_box(ONE("add.s64 %d5, %map, 1280; tensormap.replace.tile.global_address.global.b1024.b64 "
               "[%map], %d5;\n"
               "fence.proxy.tensormap::generic.release.gpu;\n" ACQUIRE
               "[%map], 128;\n" LOAD("%map")) WAIT,
           4, 7);
}

/* --- reductions: shared memory holds 77 i at place i */

static uint32_t combined(int op, uint32_t a, uint32_t b)
{
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return a < b ? a : b;
    case 2:
        return a > b ? a : b;
    case 3:
        return a >= b ? 0 : a + 1;
    case 4:
        return a == 0 || a > b ? b : a - 1;
    case 5:
        return a & b;
    case 6:
        return a | b;
    case 7:
        return a ^ b;
    default:
        return b;
    }
}

static void stores(void **state)
{
    static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    (void)state;
    for (int op = 0; op < 9; op++) {
        char middle[500];
        struct ptx_run r;
        snprintf(middle, sizeof middle,
                 "@%%p1 bra done; %s%s%s [%%map, {%%r8, %%r9}], [%%s];\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\ndone:\n",
                 op < 8 ? "cp.reduce.async.bulk.tensor.2d.global.shared::cta."
                        : "cp.async.bulk.tensor.2d.global.shared::cta",
                 op < 8 ? ops[op] : "", ".tile.bulk_group");
        if (!go(middle, 1, (enum tmap_emulate_schedule)(op % 3), &r)) fail_msg("%s", middle);
        const struct data left = data;
        fill();
        for (uint32_t i = 0; i < BOX_W * BOX_H; i++) {
            uint32_t *t = &data.tensor[5 + i / BOX_W][4 + i % BOX_W];
            *t = combined(op, *t, 77 * i);
        }
        if (memcmp(left.tensor, data.tensor, sizeof data.tensor) != 0) fail_msg("%s", middle);
    }
}

/* --- what is wrong */

static const struct wrong {
    const char *middle, *says;
    uint32_t ctas;
    enum tmap_emulate_kind kind;
} wrongs[] = {
    {ONE("add.s64 %d5, %map, 1280; tensormap.replace.tile.global_address.global.b1024.b64 [%map], "
         "%d5;\n" LOAD("%map")) WAIT,
     "is used without a release to the tensormap proxy", 1, TMAP_EMULATE_PROXY},
    {ONE("add.s64 %d5, %map, 1280; tensormap.replace.tile.global_address.global.b1024.b64 [%map], "
         "%d5;\n"
         "fence.proxy.tensormap::generic.release.gpu;\n" LOAD("%map")) WAIT,
     "is used without fence.proxy.tensormap::generic.acquire", 1, TMAP_EMULATE_PROXY},
    {ONE("add.s64 %d5, %map, 64; tensormap.replace.tile.rank.global.b1024.b32 [%d5], 1;"),
     "a tensor map at 0x10000040", 1, TMAP_EMULATE_ACCESS},
    {ONE("tensormap.replace.tile.rank.global.b1024.b32 [0], 1;"), "", 1, TMAP_EMULATE_ACCESS},
    {ONE("tensormap.replace.tile.rank.global.b1024.b32 [%map], 9;"),
     "tensormap.replace of rank with the value 9", 1, TMAP_EMULATE_ILLEGAL},
    {"add.s64 %other, %other, 100000; " PUBLISH, "", 1, TMAP_EMULATE_ACCESS},
    {"add.u32 %m, %m, 100000; " PUBLISH, "", 1, TMAP_EMULATE_ACCESS},
    {ONE("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], "
         "[%map, {%r8, %r9, %r8}], [%bar];"),
     "of a map that is tiled of rank 2", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("mov.b16 %h1, 0; "
         "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes"
         " [%s], [%map, {%r8, %r9, %r8}], [%bar], {%h1};"),
     "of a map that is tiled of rank 2", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("cvt.u64.u32 %d5, %m; cvta.shared.u64 %d5, %d5;\n" LOAD("%d5")), "no tensor map at", 1,
     TMAP_EMULATE_ACCESS},
    {ONE("add.s64 %d5, %map, 32;\n" LOAD("%d5")), "no tensor map at", 1, TMAP_EMULATE_ACCESS},
    {ONE("add.s64 %d5, %map, 1000000;\n" LOAD("%d5")), "no tensor map at", 1, TMAP_EMULATE_ACCESS},
    {ONE(LOAD("%other")), "are no legal tensor map", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("add.u32 %s, %s, 8;\n" LOAD("%map")), "TMA", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("mov.u32 %s, 0x10000;\n" LOAD("%map")), "leaves shared memory", 1, TMAP_EMULATE_ACCESS},
    {ONE("mov.b16 %h1, 4; "
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
         "multicast::cluster"
         " [%s], [%map, {%r8, %r9}], [%bar], %h1;"),
     "multicast to CTAs 0x4 of a cluster of 2", 2, TMAP_EMULATE_ILLEGAL},
    {ONE("mov.u32 %r10, %cluster_ctarank; xor.b32 %r10, %r10, 1; mapa.shared::cluster.u32 %r11, "
         "%bar, %r10;\n"
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], "
         "[%map, {%r8, %r9}], [%r11];"),
     "and tells a barrier of CTA", 2, TMAP_EMULATE_ILLEGAL},
    {ONE("add.u32 %r10, %bar, 64;\nmbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;\n"
         "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], "
         "[%map, {%r8, %r9}], [%m];\n") WAIT,
     "there is no initialised mbarrier", 1, TMAP_EMULATE_BARRIER},
    {ONE("add.s64 %d5, %map, 1000000; tensormap.replace.tile.global_address.global.b1024.b64 "
         "[%map], %d5;\n"
         "fence.proxy.tensormap::generic.release.gpu;\n" ACQUIRE "[%map], 128;\n" LOAD("%map"))
         WAIT,
     "a copy reaches", 1, TMAP_EMULATE_ACCESS},
    {ONE("add.s64 %d5, %map, 1000000; tensormap.replace.tile.global_address.global.b1024.b64 "
         "[%map], %d5;\n"
         "fence.proxy.tensormap::generic.release.gpu;\n" ACQUIRE "[%map], 128;\n"
         "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {%r8, %r9}], [%s];\n"
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"),
     "a copy writes", 1, TMAP_EMULATE_ACCESS},
    /* a part that is written after the release of another; told once */
    {ONE("ld.global.u32 %r10, [%map]; st.global.u32 [%map], %r10; ld.global.u32 %r11, [%map+64];\n"
         "fence.proxy.tensormap::generic.release.gpu; st.global.u32 [%map+64], %r11;\n" ACQUIRE
         "[%map], 128; mov.u32 %r12, 0;\n"
         "twice: cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map, {%r8, %r9}];\n"
         "add.u32 %r12, %r12, 1; setp.lt.u32 %p3, %r12, 2; @%p3 bra twice;\n"),
     "is used without a release to the tensormap proxy", 1, TMAP_EMULATE_PROXY},
    /* acquired by everybody, released by nobody */
    {"@%p1 bra over; add.s64 %d5, %map, 1280;\n"
     "tensormap.replace.tile.global_address.global.b1024.b64 [%map], %d5; over: bar.sync "
     "0;\n" ACQUIRE
     "[%map], 128;\n" ONE("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map, {%r8, %r9}];"),
     "is used without a release to the tensormap proxy", 2, TMAP_EMULATE_PROXY},
    /* acquired by one that this one has not met since */
    {"@%p1 bra over; add.s64 %d5, %map, 1280;\n"
     "tensormap.replace.tile.global_address.global.b1024.b64 [%map], %d5;\n"
     "fence.proxy.tensormap::generic.release.gpu; over: bar.sync 0;\n"
     "mov.u32 %r10, %cluster_ctarank; setp.eq.u32 %p3, %r10, 0; @%p3 bra use;\n" ACQUIRE
     "[%map], 128; bra out; use: mov.u32 %r11, 0;\n"
     "spin: add.u32 %r11, %r11, 1; setp.lt.u32 %p3, %r11, 3000; @%p3 bra spin;\n" ONE(
         LOAD("%map")) "out:\n",
     "is used without", 2, TMAP_EMULATE_PROXY},
    /* kinds of copies that a tiled map is not for */
    {ONE("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%map, {%r8, %r9, "
         "%r8}], [%s];"),
     "of a map that is tiled of rank 2", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group [%map, {%r8, "
         "%r9, %r8}], [%s];"),
     "of a map that is tiled of rank 2", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("mov.b16 %h1, 0; cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%map, {%r8, %r9, "
         "%r8}], {%h1};"),
     "of a map that is tiled of rank 2", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("mov.b16 %h1, 0; cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w::128 [%map, {%r8, "
         "%r9, %r8}], {%h1, %h1};"),
     "of a map that is tiled of rank 2", 1, TMAP_EMULATE_ILLEGAL},
    {ONE("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%map, {%r8, %r9, %r9, %r9, "
         "%r9}];"),
     "TMA", 1, TMAP_EMULATE_ILLEGAL},
    /* a pair of CTAs, and the barrier of another pair */
    {ONE("mov.u32 %r10, 2; mapa.shared::cluster.u32 %r11, %bar, %r10;\n"
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
         "cta_group::2 [%s], [%map, {%r8, %r9}], [%r11];"),
     "and tells a barrier of CTA 2", 4, TMAP_EMULATE_ILLEGAL},
};

/* Every byte of a map, damaged: it is refused, or another map. */
static void damaged(void **state)
{
    unsigned refused = 0;
    (void)state;
    for (uint32_t at = 0; at < sizeof data.map; at++) {
        struct ptx_run r;
        char text[8000];
        snprintf(text, sizeof text, "%s%s%s", head, ONE(LOAD("%map")), tail);
        fill();
        data.map[at] ^= 0xff;
        ptx_run_on(text, &data, sizeof data, 32, 1, &r);
        if (r.run != TMAP_OK || r.findings > 2) fail_msg("byte %u: status %d", at, r.run);
        refused += r.findings == 1 && strstr(r.finding[0].text, "are no legal tensor map");
    }
    assert_in_range(refused, 4, 60);
}

/* Strides were counted by 16 bytes before PTX 8.5. */
static void units_of_strides(void **state)
{
    static const struct {
        const char *version, *value, *says;
    } rows[] = {{"8.4", "8", NULL},
                {"9.0", "128", NULL},
                {"9.0", "8", "tensormap.replace of global_stride with the value 8"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptx_run r;
        char text[8000];
        snprintf(text, sizeof text,
                 ".version %s%s@%%p1 bra over; mov.u64 %%d5, %s;\n"
                 "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%%m], 0, %%d5;\n"
                 "over: bar.sync 0;\n%s%s%s",
                 rows[i].version, head + strlen(".version 9.0"), rows[i].value,
                 PUBLISH ACQUIRE "[%other], 128;\nbar.sync 0;\n", ONE(LOAD("%other")) WAIT, tail);
        fill();
        const bool good = ptx_run_on(text, &data, sizeof data, 32, 1, &r);
        if (good != !rows[i].says || (!good && !strstr(r.finding[0].text, rows[i].says)))
            fail_msg("%s, %s: %s", rows[i].version, rows[i].value,
                     r.findings ? r.finding[0].text : r.error.text);
        if (good) assert_int_equal(data.box[1][2], data.tensor[6][6]);
    }
}

/* A map by rows of pixels, read as a tiled one. */
static void another_kind(void **state)
{
    struct tmap_checker checker;
    struct tmap_target target = tmap_default_target();
    struct tmap_map map;
    struct ptx_run r;
    char text[8000];
    const struct tmap_desc d = {.kind = TMAP_IM2COL,
                                .dtype = TMAP_UINT32,
                                .rank = 3,
                                .address = AT + offsetof(struct data, tensor),
                                .dim = {8, 8, 8},
                                .stride_bytes = {32, 256},
                                .channels = 8,
                                .pixels = 4,
                                .elem_stride = {1, 1, 1}};
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_DOCUMENTED, &checker), TMAP_OK);
    assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_OK);
    snprintf(text, sizeof text, "%s%s%s", head, ONE(LOAD("%other")) WAIT, tail);
    fill();
    memcpy(data.other, &map, sizeof map);
    assert_false(ptx_run_on(text, &data, sizeof data, 32, 1, &r));
    assert_non_null(strstr(r.finding[0].text, "of a map that is im2col of rank 3"));
}

static void misuse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct ptx_run r;
        char text[8000];
        snprintf(text, sizeof text, "%s%s%s", head, wrongs[i].middle, tail);
        fill();
        assert_false(ptx_run_on(text, &data, sizeof data, 32, wrongs[i].ctas, &r));
        if (r.load != TMAP_OK)
            fail_msg("%s: line %u: %s", wrongs[i].middle, r.error.line, r.error.text);
        if (!ptx_run_tells(&r, wrongs[i].kind, wrongs[i].says))
            fail_msg("%s: %s: %s", wrongs[i].middle,
                     r.findings ? tmap_emulate_kind_name(r.finding[0].kind) : "nothing",
                     r.findings ? r.finding[0].text : "");
    }
}

struct asked {
    int boxes;
    uint64_t address;
    int32_t x, y;
};

static void add_box(void *self, const struct tmap_desc *map, const struct tmap_use *box)
{
    struct asked *a = self;
    a->boxes++;
    a->address = map->address;
    a->x = box->coord[0], a->y = box->coord[1];
}

static void prefetches_are_told(void **state)
{
    struct asked asked = {0};
    const struct tmap_emulate_watch watch = {
        .size = sizeof watch, .self = &asked, .prefetch = add_box};
    struct ptx_run r;
    (void)state;
    assert_true(go_as(ONE("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map, {%r8, %r9}];"),
                      false, &watch, &r));
    assert_int_equal(asked.boxes, 1);
    assert_int_equal(asked.address, AT + offsetof(struct data, tensor));
    assert_int_equal(asked.x, 4);
    assert_int_equal(asked.y, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads),
                                       cmocka_unit_test(stores),
                                       cmocka_unit_test(damaged),
                                       cmocka_unit_test(units_of_strides),
                                       cmocka_unit_test(misuse),
                                       cmocka_unit_test(another_kind),
                                       cmocka_unit_test(prefetches_are_told)};
    return cmocka_run_group_tests_name("tensor maps of the emulator", tests, NULL, NULL);
}
