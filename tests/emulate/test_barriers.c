/* mbarriers, named barriers and meetings of a warp: what each form leaves, with each schedule, with
 * and without the search for races; and what is misused, as a finding. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

/* bar, bar+8 and bar+16 take COUNT arrivals. Thread 0 of CTA 0 stores %d1 at the end. */
static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar[4];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %%p<8>; .reg .b32 %%r<24>; .reg .b64 %%d<8>;\n"
    ".reg .b32 %%id, %%rank, %%s, %%bar; .reg .pred %%first;\n"
    "ld.param.u64 %%d0, [p]; mov.u32 %%id, %%tid.x; mov.u32 %%rank, %%cluster_ctarank;\n"
    "mov.u32 %%s, s; mov.u32 %%bar, bar; mov.u64 %%d1, 0; setp.eq.u32 %%first, %%id, 0;\n"
    "@!%%first bra made; mov.u32 %%r1, %u; mbarrier.init.shared.b64 [%%bar], %%r1;\n"
    "mbarrier.init.shared.b64 [%%bar+8], %%r1; mbarrier.init.shared.b64 [%%bar+16], %%r1;\n"
    "st.shared.u64 [%%s], 0; made: bar.sync 0;\n";
static const char tail[] =
    "\nor.b32 %r1, %id, %rank; setp.ne.u32 %p1, %r1, 0; @%p1 bra end;\n"
    "st.global.u64 [%d0], %d1; end: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

static bool run(const char *body, uint32_t count, const struct tmap_emulate_launch *like,
                uint64_t *data, size_t bytes, struct ptx_run *out)
{
    char text[4000];
    const int n = snprintf(text, sizeof text, head, count);
    snprintf(text + n, sizeof text - (size_t)n, "%s%s", body, tail);
    const bool good = ptx_run_as(text, data, bytes, like, NULL, out);
    if (out->load != TMAP_OK) fail_msg("%s: line %u: %s", body, out->error.line, out->error.text);
    return good;
}

/* --- what is right */

#define TRUE_IF(p) "selp.u64 %d1, 1, 0, " p ";\n"
#define WAIT(n, at, parity)                                                                        \
    "w" n ": mbarrier.try_wait.parity.shared.b64 %p2, [%bar+" at "], " parity "; @!%p2 bra w" n    \
    ";\n"
/* The upper 16 lanes come to an instruction later than the lower 16, from behind it. */
#define LATER(instruction)                                                                         \
    "setp.ge.u32 %p1, %id, 16; @%p1 bra later; here: " instruction "; bra out;\n"                  \
    "later: add.u32 %r9, %id, 1; bra here; out: mov.u64 %d1, 1;\n"

static const struct right {
    const char *body;
    uint64_t value;
    uint32_t count, threads, ctas;
} rights[] = {
    /* states of phases */
    {"mbarrier.arrive.shared.b64 %d2, [%bar]; mbarrier.test_wait.shared.b64 %p1, [%bar], %d2;\n"
     "mbarrier.pending_count.b64 %r3, %d2; cvt.u64.u32 %d1, %r3; @!%p1 mov.u64 %d1, 77;\n",
     1, 1, 1, 1},
    {"mbarrier.arrive.shared.b64 %d2, [%bar]; mbarrier.test_wait.shared.b64 %p1, [%bar], %d2;\n"
     "mbarrier.pending_count.b64 %r3, %d2; cvt.u64.u32 %d1, %r3; @%p1 mov.u64 %d1, 77;\n",
     7, 7, 1, 1},
    /* each lane has a state of its own; then all have that of one */
    {"mbarrier.arrive.shared.b64 %d2, [%bar];\n"
     "w: mbarrier.try_wait.shared.b64 %p1, [%bar], %d2; @!%p1 bra w;\n" TRUE_IF("%p1"),
     1, 64, 64, 1},
    {"@!%first bra over; mbarrier.arrive.shared.b64 %d2, [%bar]; st.shared.u64 [%s], %d2; over:\n"
     "bar.warp.sync -1; setp.ge.u32 %p1, %id, 32; @%p1 bra second; ld.shared.u64 %d2, [%s];\n"
     "w: mbarrier.try_wait.shared.b64 %p1, [%bar], %d2; @!%p1 bra w; bra out; second: bar.sync 1, "
     "32;\nmbarrier.arrive.shared.b64 _, [%bar]; out: mov.u64 %d1, 1;\n",
     1, 33, 64, 1},
    /* one who drops out is not counted in later phases */
    {"@!%first bra over; mbarrier.arrive_drop.shared.b64 %d2, [%bar];\n"
     "mbarrier.arrive.shared.b64 _, [%bar]; mbarrier.arrive.shared.b64 _, [%bar];\n"
     "over: bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p1, [%bar], 1;\n" TRUE_IF("%p1"),
     1, 2, 32, 1},
    /* bytes, told by hand */
    {"@!%first bra over; mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 24;\n"
     "mbarrier.arrive.shared.b64 _, [%bar]; mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], "
     "8;\n"
     "over: bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p1, [%bar], 0; @%p1 trap;\n"
     "@%first mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], 16; bar.sync 0;\n"
     "mbarrier.test_wait.parity.shared.b64 %p1, [%bar], 0;\n" TRUE_IF("%p1"),
     1, 1, 32, 1},
    /* a phase that lacks nothing but that its bytes are expected */
    {"@!%first bra over; mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], 24;\n"
     "mbarrier.arrive.shared.b64 _, [%bar]; mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 24;\n"
     "over: bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p1, [%bar], 0;\n" TRUE_IF("%p1"),
     1, 1, 32, 1},
    /* as many bytes as a barrier can count (PTX ISA, "tx-count"), on either side of 0 */
    {"@!%first bra over; mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 1048575;\n"
     "mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], 2097150;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 1048575;\n"
     "over: bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p1, [%bar], 0;\n" TRUE_IF("%p1"),
     1, 1, 32, 1},
    /* lanes that wait for different barriers, which complete one after the other */
    {"setp.ge.u32 %p1, %id, 32; @%p1 bra second; and.b32 %r1, %id, 1; shl.b32 %r1, %r1, 3;\n"
     "add.u32 %r1, %r1, %bar;\n"
     "w: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0; @!%p2 bra w; bra out;\n"
     "second: setp.ne.u32 %p2, %id, 32; mov.u32 %r5, 0; @%p2 bra out;\n"
     "spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra spin;\n"
     "mbarrier.arrive.shared.b64 _, [%bar+8]; mov.u32 %r5, 0;\n"
     "more: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra more;\n"
     "mbarrier.arrive.shared.b64 _, [%bar]; out: mov.u64 %d1, 1;\n",
     1, 1, 64, 1},
    /* the same once, and without waiting */
    {"and.b32 %r1, %id, 1; shl.b32 %r1, %r1, 3; add.u32 %r1, %r1, %bar;\n"
     "@%first mbarrier.arrive.shared.b64 _, [%bar]; bar.sync 0;\n"
     "mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0; vote.sync.ballot.b32 %r2, %p2, -1;\n"
     "cvt.u64.u32 %d1, %r2;\n",
     0x55555555, 1, 32, 1},
    {"mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p2, [%bar], 1;\n" TRUE_IF("%p2"), 1, 1, 32,
     1},
    /* made again when a phase has begun, and nobody has come */
    {"@%first mbarrier.init.shared.b64 [%bar], 2;\n" TRUE_IF("%first"), 1, 1, 32, 1},
    /* reductions over all threads */
    {"setp.lt.u32 %p1, %id, 40; bar.red.popc.u32 %r1, 1, %p1; bar.red.popc.u32 %r2, 1, !%p1;\n"
     "bar.red.and.pred %p2, 1, 64, %p1; bar.red.or.pred %p3, 1, 64, %p1;\n"
     "mad.lo.u32 %r1, %r1, 100, %r2; cvt.u64.u32 %d1, %r1; @!%p3 trap; @%p2 trap;\n",
     4024, 1, 64, 1},
    {"setp.lt.u32 %p1, %id, 64; barrier.cta.red.and.aligned.pred %p2, 1, %p1;\n"
     "barrier.cta.red.or.aligned.pred %p3, 1, !%p1; @%p3 trap;\n" TRUE_IF("%p2"),
     1, 1, 64, 1},
    /* two halves of a warp meet at two places; one leaves while two others meet */
    {"setp.ge.u32 %p1, %id, 16; @%p1 bra upper; barrier.sync 1, 32; bra out;\n"
     "upper: barrier.sync 1, 32; out: mov.u64 %d1, 1;\n",
     1, 1, 32, 1},
    {"setp.lt.u32 %p1, %id, 32; mov.u32 %r5, 0; mul.lo.u32 %r6, %id, 100; @%p1 bra meet;\n"
     "sub.u32 %r6, 12800, %r6; spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, %r6;\n"
     "@%p3 bra spin; setp.ge.u32 %p1, %id, 64; @%p1 exit; meet: bar.sync 1, 64;\n"
     "mov.u64 %d1, 1;\n",
     1, 1, 96, 1},
    /* lanes that meet at different instructions, while others wait for others, and for another warp
     */
    {"setp.ge.u32 %p1, %id, 16; @%p1 bra upper; bar.warp.sync -1; bra out;\n"
     "upper: add.u32 %r9, %id, 1; bar.warp.sync -1; out: mov.u64 %d1, 1;\n",
     1, 1, 32, 1},
    {"and.b32 %r1, %id, 31; shr.u32 %r1, %r1, 3; mov.u32 %r5, 0; setp.ge.u32 %p4, %id, 32;\n"
     "@%p4 bra second; t: .branchtargets g0, g1, g2, g3; brx.idx %r1, t;\n"
     "g0: bar.warp.sync 0xffff; bra out; g1: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 40;\n"
     "@%p3 bra g1; bar.warp.sync 0xffff; bra out; g2: barrier.sync 1, 64; bra out;\n"
     "g3: shfl.sync.idx.b32 %r6, %id, 24, 31, 0xff000000; barrier.sync 1, 64; bra out;\n"
     "second: barrier.sync 1, 64; bra out; out: mov.u64 %d1, 1;\n",
     1, 1, 80, 1},
    {"and.b32 %r1, %id, 31; shr.u32 %r1, %r1, 3; mov.u32 %r5, 0;\n"
     "t: .branchtargets g0, g1, g2, g3; brx.idx %r1, t;\n"
     "g0: bar.warp.sync 0xffff; bra out; g2: bar.warp.sync 0xffff0000; bra out;\n"
     "g3: shfl.sync.idx.b32 %r6, %id, 24, 31, 0xff000000; bar.warp.sync 0xffff0000; bra out;\n"
     "g1: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 40; @%p3 bra g1; bar.warp.sync 0xffff;\n"
     "out: bar.warp.sync -1; mov.u64 %d1, 1;\n",
     1, 1, 32, 1},
    {"and.b32 %r1, %id, 31; shr.u32 %r1, %r1, 3; mov.u32 %r5, 0;\n"
     "t: .branchtargets g0, g1, g2, g3; brx.idx %r1, t;\n"
     "g3: shfl.sync.idx.b32 %r6, %id, 24, 31, 0xff00ff00; bra out; g0: bar.warp.sync 0x00ff00ff;\n"
     "bra out; g2: add.u32 %r9, %id, 1; bar.warp.sync 0x00ff00ff; bra out;\n"
     "g1: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 40; @%p3 bra g1; bra g3;\n"
     "out: mov.u64 %d1, 1;\n",
     1, 1, 32, 1},
    /* one that leaves is not waited for where all are asked to come */
    {"setp.lt.u32 %p1, %id, 32; @%p1 bra meet; mov.u32 %r5, 0;\n"
     "spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra spin; exit;\n"
     "meet: bar.sync 1; mov.u64 %d1, 1;\n",
     1, 1, 64, 1},
    /* a fence of another warp makes a barrier known to the engine, too */
    {"setp.ne.u32 %p1, %id, 32; @%p1 bra over; fence.proxy.async;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 16;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s+16], [%d0], 16, "
     "[%bar];\nover:" WAIT("0", "0", "0") "mov.u64 %d1, 1;\n",
     1, 1, 64, 1},
    /* lanes that come later */
    {LATER("shfl.sync.idx.b32 %r1|%p2, %id, 0, 31, -1"), 1, 1, 32, 1},
    {LATER("vote.sync.any.pred %p2, %p1, -1"), 1, 1, 32, 1},
    {LATER("match.any.sync.b32 %r1, %id, -1"), 1, 1, 32, 1},
    {LATER("redux.sync.add.u32 %r1, %id, -1"), 1, 1, 32, 1},
    {LATER("elect.sync %r1|%p2, -1"), 1, 1, 32, 1},
    {LATER("bar.warp.sync -1"), 1, 1, 32, 1},
    {LATER("setmaxnreg.inc.sync.aligned.u32 64"), 1, 1, 32, 1},
    {LATER("barrier.cluster.arrive; barrier.cluster.wait"), 1, 1, 32, 1},
    {"barrier.cluster.arrive;" LATER("barrier.cluster.wait"), 1, 1, 32, 1},
    /* who arrives at the cluster's barrier without a release, after a fence and without one */
    {"barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; "
     "fence.acq_rel.cluster;\n"
     "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; mov.u64 %d1, 1;\n",
     1, 1, 32, 2},
};

static void what_is_right(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        for (unsigned how = 0; how < 6; how++) {
            const struct right *t = &rights[i];
            uint64_t data[8] = {0x5a5a};
            struct ptx_run r;
            const struct tmap_emulate_launch like = {.grid = {t->ctas},
                                                     .block = {t->threads},
                                                     .cluster = {t->ctas},
                                                     .schedule =
                                                         (enum tmap_emulate_schedule)(how % 3),
                                                     .no_races = how >= 3};
            if (run(t->body, t->count, &like, data, sizeof data, &r) && data[0] == t->value)
                continue;
            wrong++;
            fprintf(stderr, "# %s (%u): 0x%llx, not 0x%llx; %zu findings%s%s\n", t->body, how,
                    (unsigned long long)data[0], (unsigned long long)t->value, r.findings,
                    r.findings ? ": " : "", r.findings ? r.finding[0].text : "");
        }
    assert_int_equal(wrong, 0);
}

/* --- what is not */

#define OTHER_CTA "mov.u32 %r3, 1; mapa.shared::cluster.u32 %r4, %s, %r3;\n"
/* The barrier of CTA 1, for CTA 0. */
#define OTHER_BARRIER                                                                              \
    "barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p1, %rank, 0; @%p1 bra over;\n"    \
    "mov.u64 %d2, bar; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, 1;\n"
#define SPIN(n)                                                                                    \
    "mov.u32 %r5, 0; spin" n ": add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra spin" n  \
    ";\n"

static const struct misuse {
    const char *body;
    uint32_t threads, ctas;
    enum tmap_emulate_kind kind;
    const char *says;
    size_t findings; /* 0: any number */
} misused[] = {
    {"mbarrier.arrive.b64 _, [%d0];\n", 1, 1, TMAP_EMULATE_BARRIER,
     "there is no initialised mbarrier at 0x10000000", 1},
    {"mbarrier.init.shared.b64 [8], 1;\n", 1, 1, TMAP_EMULATE_ACCESS, "in no buffer", 1},
    {"mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, 1; setp.eq.u32 %p1, %rank, 0;\n"
     "@%p1 mbarrier.init.b64 [%d3], 1;\n",
     1, 2, TMAP_EMULATE_BARRIER, "mbarrier.init with 1 arrivals, or not in shared memory", 0},
    /* told once, however often */
    {"mov.u32 %r5, 0; again: mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16;\n"
     "mbarrier.init.shared.b64 [%bar], 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3;\n"
     "@%p3 bra again;\n",
     1, 1, TMAP_EMULATE_BARRIER, "is initialised again in the middle of a phase", 2},
    {"mbarrier.init.shared.b64 [%bar], 2; mbarrier.arrive.shared.b64 _, [%bar];\n"
     "mbarrier.init.shared.b64 [%bar], 1;\n",
     1, 1, TMAP_EMULATE_BARRIER, "is initialised again in the middle of a phase", 1},
    /* an arrival after a copy, where all have come and bytes alone are missing */
    {"mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 16;\n"
     "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n" WAIT("0", "0", "0"),
     1, 1, TMAP_EMULATE_BARRIER,
     "1 arrivals at the mbarrier at shared 0x500, of which phase 0 lacks only 0 (and 16 bytes)", 1},
    /* who waits for another CTA's, gives it up, or arrives there after copies */
    {OTHER_BARRIER "w: mbarrier.try_wait.parity.b64 %p2, [%d3], 0; @!%p2 bra w; over:\n", 1, 2,
     TMAP_EMULATE_BARRIER, "takes an mbarrier of its own CTA, and this is that of CTA 1", 0},
    {OTHER_BARRIER "mbarrier.test_wait.parity.b64 %p2, [%d3], 0; over:\n", 1, 2,
     TMAP_EMULATE_BARRIER, "mbarrier.test_wait.parity.b64 takes an mbarrier of its own CTA", 0},
    {OTHER_BARRIER "mbarrier.inval.b64 [%d3]; over:\n", 1, 2, TMAP_EMULATE_BARRIER,
     "mbarrier.inval.b64 takes an mbarrier of its own CTA", 0},
    {OTHER_BARRIER "cp.async.mbarrier.arrive.noinc.b64 [%d3]; over:\n", 1, 2, TMAP_EMULATE_BARRIER,
     "cp.async.mbarrier.arrive.noinc.b64 takes an mbarrier of its own CTA", 0},
    /* bytes beyond what a barrier counts */
    {"mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 1048576;\n", 1, 1, TMAP_EMULATE_BARRIER,
     "the tx-count of the mbarrier at shared 0x500 becomes 1048576", 1},
    {"mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 0xffffffff;\n", 1, 1, TMAP_EMULATE_BARRIER,
     "becomes 4294967295, not from -1048575 to 1048575", 1},
    {"mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], 1048576;\n", 1, 1, TMAP_EMULATE_BARRIER,
     "becomes -1048576", 1},
    {"mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], 1048575; fence.proxy.async;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s+16], [%d0], 16, "
     "[%bar];\n" WAIT("0", "0", "0"),
     1, 1, TMAP_EMULATE_BARRIER, "becomes -1048591", 1},
    {"setp.lt.u32 %p1, %id, 32; @%p1 bra other; " SPIN("0") "bar.arrive 1, 96; bra out;\n"
                                                            "other: bar.sync 1, 64; out:\n",
     96, 1, TMAP_EMULATE_BARRIER, "barrier 1 is awaited by 64 threads and by 96", 0},
    /* neither a relaxed arrival nor a relaxed wait orders what comes before and after */
    {"setp.ge.u32 %p1, %id, 32; @%p1 bra second; @!%first bra out; st.shared.u32 [%s], 5;\n"
     "mbarrier.arrive.relaxed.cta.shared.b64 _, [%bar]; bra out;\n"
     "second:" WAIT("0", "0", "0") "ld.shared.u32 %r4, [%s]; out:\n",
     64, 1, TMAP_EMULATE_RACE, "read of shared 0x400 by ld.shared.u32", 0},
    {"setp.ge.u32 %p1, %id, 32; @%p1 bra second; @!%first bra out; st.shared.u32 [%s], 5;\n"
     "mbarrier.arrive.shared.b64 _, [%bar]; bra out;\n"
     "second: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p2, [%bar], 0; @!%p2 bra second;\n"
     "ld.shared.u32 %r4, [%s]; out:\n",
     64, 1, TMAP_EMULATE_RACE, "read of shared 0x400 by ld.shared.u32", 0},
    /* an atomic access, and a plain one that nothing orders */
    {"setp.ge.u32 %p1, %id, 32; @%p1 bra second; @%first red.shared.add.u32 [%s], 5; bra out;\n"
     "second: " SPIN("0") "setp.eq.u32 %p2, %id, 32; @%p2 st.shared.u32 [%s], 6; out:\n",
     64, 1, TMAP_EMULATE_RACE, "after a atomic access by red.shared.add.u32", 0},
    /* the barrier of a CTA that this one has never met */
    {"setp.eq.u32 %p1, %rank, 1; @%p1 bra over; @!%first bra over;" SPIN("0") OTHER_CTA
     "mov.u16 %h, 2; mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
     "[%s+16], "
     "[%d0], 16, [%bar], %h;\nover:\n",
     32, 2, TMAP_EMULATE_PROXY, "the async proxy signals the mbarrier", 0},
};

static void what_is_misused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof misused / sizeof *misused; i++) {
        const struct misuse *t = &misused[i];
        uint64_t data[8] = {0};
        struct ptx_run r;
        const struct tmap_emulate_launch like = {
            .grid = {t->ctas}, .block = {t->threads}, .cluster = {t->ctas}};
        char body[2000];
        snprintf(body, sizeof body, "%s%s", strstr(t->body, "%h") ? ".reg .b16 %h;\n" : "",
                 t->body);
        run(body, 1, &like, data, sizeof data, &r);
        if (!ptx_run_tells(&r, t->kind, t->says) || (t->findings && r.findings != t->findings))
            fail_msg("%s: %zu findings: %s", t->body, r.findings,
                     r.findings ? r.finding[0].text : "");
    }
}

/* Words that many releases are told at: more than there are chains for them. */
static void many_words(void **state)
{
    static uint64_t data[8192];
    static const char body[] =
        "mul.wide.u32 %d2, %id, 8; add.s64 %d2, %d0, %d2; mov.u32 %r5, 0;\n"
        "more: st.release.gpu.global.u64 [%d2], 3; add.s64 %d2, %d2, 256; add.u32 %r5, %r5, 1;\n"
        "setp.lt.u32 %p1, %r5, 256; @%p1 bra more; bar.sync 0;\n"
        "ld.acquire.gpu.global.u64 %d1, [%d0+65528]; ld.relaxed.gpu.global.u64 %d3, [%d0+65520];\n"
        "add.u64 %d1, %d1, %d3;\n";
    const struct tmap_emulate_launch like = {.grid = {1}, .block = {32}};
    struct ptx_run r;
    (void)state;
    assert_true(run(body, 1, &like, data, sizeof data, &r));
    assert_int_equal(data[0], 6);
    const struct tmap_emulate_launch without = {.grid = {1}, .block = {32}, .no_races = true};
    assert_true(run(body, 1, &without, data, sizeof data, &r));
    assert_int_equal(data[0], 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_right),
                                       cmocka_unit_test(what_is_misused),
                                       cmocka_unit_test(many_words)};
    return cmocka_run_group_tests_name("barriers of the emulator", tests, NULL, NULL);
}
