/* What is asynchronous, where it goes wrong or in an order of its own: copies that leave the
 * memory that is there, or their CTA; answers of clusterlaunchcontrol; red.async's arithmetic;
 * and schedules that are chosen, choice by choice. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

/* Thread 0 of each CTA runs the body; bar takes one arrival. */
static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".shared .align 128 .b8 s[256]; .shared .align 16 .b8 t[64]; .shared .align 8 .b64 bar[2];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>;\n"
    ".reg .b64 %d<8>; .reg .b128 %q<2>; .reg .b32 %id, %rank, %s, %t, %bar;\n"
    "ld.param.u64 %d0, [p]; mov.u32 %id, %tid.x; mov.u32 %rank, %cluster_ctarank;\n"
    "mov.u32 %s, s; mov.u32 %t, t; mov.u32 %bar, bar; setp.ne.u32 %p1, %id, 0; @%p1 bra ready;\n"
    "mbarrier.init.shared.b64 [%bar], 1; st.shared.v2.u64 [%s], {5, 6};\n"
    "fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
    "ready: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; @%p1 bra out;\n";
static const char tail[] = "\nout: ret;\n}\n";

#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared.b64 _, [%bar], " bytes ";\n"
#define WAIT "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%bar], 0; @!%p2 bra wait;\n"
#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define STORE "cp.async.bulk.global.shared::cta.bulk_group "
#define COMMIT "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
#define ASK "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
#define SPIN                                                                                       \
    "mov.u32 %r5, 0; spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra spin;\n"
#define PEER "setp.ne.u32 %p4, %rank, 0; @%p4 bra peer; "

static void run(const char *body, const struct tmap_emulate_launch *like,
                const struct tmap_emulate_watch *watch, uint64_t *data, size_t bytes,
                struct ptx_run *r)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s%s", head, body, tail);
    ptx_run_as(text, data, bytes, like, watch, r);
    if (r->load != TMAP_OK) fail_msg("%s: line %u: %s", body, r->error.line, r->error.text);
    if (r->run != TMAP_OK) fail_msg("%s: status %d", body, r->run);
}

/* --- what is found */

static const struct found {
    const char *body, *says;
    uint32_t ctas;
    enum tmap_emulate_kind kind;
    size_t findings; /* 0: any number */
} founds[] = {
    {EXPECT("16") "mapa.shared::cluster.u32 %r4, %s, 5;\n" LOAD "[%r4], [%d0], 16, [%bar];\n" WAIT,
     "a copy writes 0x6d0005", 1, TMAP_EMULATE_ACCESS, 1},
    {EXPECT("16") LOAD "[0], [%d0], 16, [%bar];\n" WAIT, "a copy reaches 0x6d0000000000", 1,
     TMAP_EMULATE_ACCESS, 1},
    {"mov.u64 %d2, t; cvta.shared.u64 %d2, %d2;\n" STORE "[%d2], [%s], 16;\n" COMMIT,
     "a copy writes 0x6d", 1, TMAP_EMULATE_ACCESS, 1},
    {STORE "[%d0], [0], 16;\n" COMMIT, "a copy reads shared", 1, TMAP_EMULATE_ACCESS, 1},
    /* a CTA that leaves too early; one instruction is told once */
    {"mov.u32 %r5, 0; more:" STORE "[%d0], [%s], 16; cp.async.bulk.commit_group;\n"
     "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2; @%p2 bra more;\n",
     "the CTA leaves before this copy has read its shared memory", 1, TMAP_EMULATE_LEAK, 2},
    {STORE "[%d0], [%s], 16; cp.async.bulk.commit_group;\n", "a copy reads shared", 1,
     TMAP_EMULATE_ACCESS, 2},
    {EXPECT("16") LOAD "[%s], [%d0], 16, [%bar];\n",
     "the CTA leaves before this copy has written its shared memory", 1, TMAP_EMULATE_LEAK, 2},
    {EXPECT("16") LOAD "[%s], [%d0], 16, [%bar];\n",
     "a copy writes the shared memory of CTA 0, which has left", 1, TMAP_EMULATE_ACCESS, 2},
    {PEER SPIN "mapa.shared::cluster.u32 %r6, %s, 1; mapa.shared::cluster.u32 %r7, %bar, 1;\n"
               "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6], %r5, [%r7];\n"
               "peer:",
     "which is no live shared memory", 2, TMAP_EMULATE_ACCESS, 0},
    /* a barrier that has gone when an arrival comes */
    {"cp.async.ca.shared.global [%s], [%d0], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n"
     "mbarrier.inval.shared.b64 [%bar]; cp.async.wait_all;\n",
     "there is no initialised mbarrier", 1, TMAP_EMULATE_BARRIER, 0},
    /* answers without a place, or a barrier; the second CTA's too */
    {ASK ".b128 [%t+8], [%bar];\n" EXPECT("16") WAIT, "an answer of 16 bytes at", 1,
     TMAP_EMULATE_ACCESS, 1},
    {ASK ".b128 [16], [%bar];\n" EXPECT("16") WAIT, "not in shared memory, or misaligned", 1,
     TMAP_EMULATE_ACCESS, 1},
    {ASK ".b128 [%t], [%bar+8];\n" EXPECT("16") WAIT, "there is no initialised mbarrier", 1,
     TMAP_EMULATE_BARRIER, 1},
    {PEER SPIN ASK ".multicast::cluster::all.b128 [%t], [%bar];\n" EXPECT("16") WAIT
     "bra out; peer: mbarrier.inval.shared.b64 [%bar]; mov.u32 %r5, 0;\n"
     "more: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 9000; @%p3 bra more;\n",
     "there is no initialised mbarrier", 2, TMAP_EMULATE_BARRIER, 0},
    {ASK ".b128 [%t], [%bar];\n" EXPECT("16") WAIT
     "ld.shared.b128 %q1, [%t]; clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 "
     "%r1, %q1;\n",
     "the first CTA of a cluster that was not cancelled", 1, TMAP_EMULATE_ILLEGAL, 1},
};

static void finds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof founds / sizeof *founds; i++) {
        const struct found *f = &founds[i];
        uint64_t data[8] = {0};
        struct ptx_run r;
        const struct tmap_emulate_launch like = {.grid = {f->ctas},
                                                 .block = {32},
                                                 .cluster = {f->ctas},
                                                 .schedule = TMAP_EMULATE_LATEST};
        run(f->body, &like, NULL, data, sizeof data, &r);
        if (!ptx_run_tells(&r, f->kind, f->says) || (f->findings && r.findings != f->findings))
            fail_msg("%s: %zu findings: %s", f->body, r.findings,
                     r.findings ? r.finding[0].text : "");
    }
}

/* A kernel's parameters are no global memory, neither to read nor to write. */
static void parameters(void **state)
{
    static const struct {
        const char *copy, *says;
    } rows[] = {{EXPECT("16") LOAD "[%s], [%d1], 16, [%bar];\n" WAIT, "a copy reaches 0x6e8"},
                {STORE "[%d1], [%s], 16;\n" COMMIT, "a copy writes 0x6e8"}};
    const uint64_t params[4] = {0x10000000};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint64_t data[8] = {0};
        char text[2000];
        struct ptx_run r;
        const struct tmap_emulate_launch like = {
            .block = {1}, .params = params, .param_bytes = sizeof params};
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_90a\n.address_size 64\n"
                 ".shared .align 16 .b8 s[16]; .shared .align 8 .b64 bar;\n"
                 ".visible .entry k(.param .align 16 .b8 p[32]) {\n.reg .pred %%p<4>; .reg .b32 "
                 "%%s, %%bar; .reg .b64 %%d<4>;\nmov.u32 %%s, s; mov.u32 %%bar, bar; mov.b64 %%d1, "
                 "p;\ncvta.param.u64 %%d1, %%d1; mbarrier.init.shared.b64 [%%bar], 1; "
                 "fence.proxy.async;\n%s\nret;\n}\n",
                 rows[i].copy);
        assert_false(ptx_run_as(text, data, sizeof data, &like, NULL, &r));
        if (r.findings != 1 || !strstr(r.finding[0].text, rows[i].says))
            fail_msg("%s: line %u: %s; %s", rows[i].copy, r.error.line, r.error.text,
                     r.findings ? r.finding[0].text : "");
    }
}

/* The same fault at the moment of the issue ends the run there. */
static void found_at_once(void **state)
{
    uint64_t data[8] = {0};
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {32}, .schedule = TMAP_EMULATE_EARLIEST};
    (void)state;
    run(ASK ".b128 [%t+8], [%bar];\nst.global.u32 [%d0], 1;\n", &like, NULL, data, sizeof data, &r);
    assert_int_equal(r.findings, 1);
    assert_int_equal(data[0], 0);
}

/* --- what is right: the sum of what is left in shared memory, or a number */

#define RED(operation, type, at, old, v)                                                           \
    "st.shared.u32 [%s+" at "], " old "; mov.u32 %r6, " v ";\n"                                    \
    "mov.u32 %r7, %s; "                                                                            \
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." operation "." type   \
    " [%r7+" at "], %r6, [%bar];\n"
#define DIGIT(at)                                                                                  \
    "ld.shared.u32 %r6, [%s+" at "]; cvt.u64.u32 %d2, %r6; mad.lo.u64 %d1, %d1, 10, %d2;\n"
static const struct right {
    const char *body;
    uint64_t value;
} rights[] = {
    {EXPECT("16") LOAD "[%s], [%d0], 16, [%bar];\n" WAIT "ld.shared.u64 %d1, [%s+8];", 8},
    {EXPECT("32") "mov.u64 %d1, 0;\n" RED("inc", "u32", "0", "5", "5")
         RED("inc", "u32", "4", "4", "5") RED("dec", "u32", "8", "0", "7")
             RED("dec", "u32", "12", "9", "7") RED("dec", "u32", "16", "3", "7")
                 RED("min", "u32", "20", "3", "5") RED("min", "s32", "24", "4",
                                                       "-1") RED("max", "s32", "28", "-3", "6")
                     WAIT DIGIT("0") DIGIT("4") DIGIT("8") DIGIT("12") DIGIT("16") DIGIT("20")
                         DIGIT("28") "ld.shared.s32 %d2, [%s+24]; mad.lo.u64 %d1, %d1, 10, %d2;",
     5772359},
    {EXPECT("16") ASK ".b128 [%t], [%bar];\n" WAIT "ld.shared.b128 %q1, [%t];\n"
                      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q1;\n"
                      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, "
                      "%r3, %r4}, %q1;\n"
                      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r6, %q1;\n"
                      "setp.ne.u32 %p5, %r1, %r6; @!%p4 trap; @%p5 trap; mad.lo.u32 %r1, %r2, 10, "
                      "%r1; mad.lo.u32 %r1, %r3, 100, %r1; cvt.u64.u32 %d1, %r1;",
     1},
};

static void is_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_CHOSEN; s++) {
            uint64_t data[8] = {7, 8};
            char body[3000];
            struct ptx_run r;
            const struct tmap_emulate_launch like = {.grid = {i == 2 ? 2 : 1},
                                                     .block = {32},
                                                     .residents = 1,
                                                     .schedule = (enum tmap_emulate_schedule)s};
            snprintf(body, sizeof body, "%s\nst.global.u64 [%%d0+16], %%d1;\n", rights[i].body);
            run(body, &like, NULL, data, sizeof data, &r);
            if (r.findings || data[2] != rights[i].value)
                fail_msg("%s (%d): %llu; %s", body, s, (unsigned long long)data[2],
                         r.findings ? r.finding[0].text : "");
        }
}

/* --- schedules that are chosen */

/* Three copies of one thread: two of its own, of which an arrival comes after both, and a store. */
static const char three[] =
    "cp.async.ca.shared.global [%s+16], [%d0], 8; cp.async.ca.shared.global [%s+24], [%d0+8], 8;\n"
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n" STORE "[%d0+16], [%s], 16;\n"
    "cp.async.bulk.commit_group;\n" WAIT "ld.shared.v2.u64 {%d2, %d3}, [%s+16];\n"
    "cp.async.bulk.wait_group 0; add.u64 %d2, %d2, %d3; st.global.u64 [%d0+32], %d2;\n";

static void every_choice(void **state)
{
    (void)state;
    for (uint32_t all = 0; all < 256; all++) {
        uint64_t data[8] = {7, 8};
        uint32_t choice[4];
        struct ptx_run r;
        const struct tmap_emulate_watch watch = {
            .size = sizeof watch, .choice = choice, .choices = 4};
        const struct tmap_emulate_launch like = {.block = {32}, .schedule = TMAP_EMULATE_CHOSEN};
        for (int i = 0; i < 4; i++) choice[i] = all >> (2 * i) & 3;
        run(three, &like, &watch, data, sizeof data, &r);
        assert_true(r.result.finished);
        assert_int_equal(r.findings, 0);
        assert_int_equal(data[4], 15);
        assert_int_equal(data[2], 5);
    }
}

struct chooser {
    unsigned asked, most, with_operations;
    uint64_t last_name;
};

/* The last option, which is an operation where one is under way. */
static uint32_t last_of(void *self, const uint64_t *name, uint32_t n,
                        const struct tmap_emulate_touched *last)
{
    struct chooser *c = self;
    c->asked++;
    c->most = n > c->most ? n : c->most;
    c->with_operations += name[n - 1] >> 63 != 0;
    if (c->asked == 1 ? last != NULL : last == NULL) c->most = 1000;
    return n - 1;
}

static void asked_for_each(void **state)
{
    (void)state;
    for (int no_races = 0; no_races < 2; no_races++) {
        uint64_t data[8] = {7, 8};
        struct chooser c = {0};
        struct ptx_run r;
        const struct tmap_emulate_watch watch = {
            .size = sizeof watch, .self = &c, .choose = last_of};
        const struct tmap_emulate_launch like = {
            .block = {32}, .schedule = TMAP_EMULATE_CHOSEN, .no_races = no_races};
        run(three, &like, &watch, data, sizeof data, &r);
        assert_true(r.result.finished);
        assert_int_equal(data[4], 15);
        assert_true(c.with_operations >= 4);
        assert_in_range(c.most, 2, 4);
    }
}

/* A warp that only looks does not keep a copy from going on, whatever is chosen. */
static void polling(void **state)
{
    uint64_t data[8] = {7, 8};
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {32}, .schedule = TMAP_EMULATE_CHOSEN};
    (void)state;
    run(EXPECT("32") LOAD
        "[%s], [%d0], 16, [%bar];\n" LOAD "[%s+16], [%d0], 16, [%bar];\n"
        "poll: mbarrier.test_wait.parity.shared.b64 %p2, [%bar], 0; @!%p2 bra poll;\n"
        "ld.shared.u64 %d1, [%s+24]; st.global.u64 [%d0+16], %d1;\n",
        &like, NULL, data, sizeof data, &r);
    assert_true(r.result.finished);
    assert_int_equal(data[2], 8);
}

/* Nobody can go on: found with every way to choose. */
static void chosen_hangs(void **state)
{
    (void)state;
    for (int asks = 0; asks < 2; asks++) {
        uint64_t data[8] = {0};
        struct chooser c = {0};
        struct ptx_run r;
        const struct tmap_emulate_watch watch = {
            .size = sizeof watch, .self = &c, .choose = asks ? last_of : NULL};
        const struct tmap_emulate_launch like = {.block = {32}, .schedule = TMAP_EMULATE_CHOSEN};
        run(WAIT, &like, &watch, data, sizeof data, &r);
        assert_false(r.result.finished);
        assert_int_equal(r.findings, 1);
        assert_int_equal(r.finding[0].kind, TMAP_EMULATE_HANG);
    }
}

/* Instructions whose touches are not told touch everything; others only what they touch. */
static uint32_t count_all(void *self, const uint64_t *name, uint32_t n,
                          const struct tmap_emulate_touched *last)
{
    unsigned *everything = self;
    (void)name, (void)n;
    for (int i = 0; last && i < TMAP_EMULATE_TOUCHED; i++)
        if (last->written[i] != UINT64_MAX) return 0;
    *everything += last != NULL;
    return 0;
}

static void touches(void **state)
{
    static const struct {
        const char *body;
        bool everything;
    } rows[] = {{"add.u32 %r1, %r2, %r3;", false},
                {"tanh.approx.f32 %r1, %r2;", true},
                {"mov.u32 %r1, %clock;", true},
                {"prefetch.global.L2 [%d0];", true},
                {"fence.proxy.tensormap::generic.release.gpu;", true},
                {"fence.proxy.async;", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t data[8] = {0};
        unsigned everything = 0;
        char body[300];
        struct ptx_run r;
        const struct tmap_emulate_watch watch = {
            .size = sizeof watch, .self = &everything, .choose = count_all};
        const struct tmap_emulate_launch like = {.block = {64}, .schedule = TMAP_EMULATE_CHOSEN};
        snprintf(body, sizeof body, "%s\n%s", rows[i].body, "st.global.u32 [%d0], 1;\n" WAIT);
        run(body, &like, &watch, data, sizeof data, &r);
        if ((everything != 0) != rows[i].everything) fail_msg("%s: %u", rows[i].body, everything);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters),    cmocka_unit_test(finds),
        cmocka_unit_test(found_at_once), cmocka_unit_test(is_right),
        cmocka_unit_test(every_choice),  cmocka_unit_test(asked_for_each),
        cmocka_unit_test(polling),       cmocka_unit_test(chosen_hangs),
        cmocka_unit_test(touches)};
    return cmocka_run_group_tests_name("odd copies of the emulator", tests, NULL, NULL);
}
