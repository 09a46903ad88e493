/* Calls, branches and ends of threads where the lanes of a warp part, and launches whose clusters
 * end at different times: what is left, and what nobody can go on from. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

/* f adds one to its argument; deep(n) calls itself n times and counts. */
static const char head[] =
    ".version 9.0\n.target %s\n.address_size 64\n"
    ".shared .align 16 .b8 s[64]; .shared .align 8 .b64 bar[2];\n"
    ".func (.param .b32 o) f(.param .b32 i) {\n.reg .b32 %%a;\nld.param.b32 %%a, [i];\n"
    "add.u32 %%a, %%a, 1; st.param.b32 [o], %%a; ret;\n}\n"
    ".func (.param .b32 o) deep(.param .b32 i);\n"
    ".func (.param .b32 o) deep(.param .b32 i) {\n.reg .b32 %%a; .reg .pred %%p; .param .b32 x; "
    ".param .b32 y;\n"
    "ld.param.b32 %%a, [i]; setp.eq.u32 %%p, %%a, 0; @%%p bra end; sub.u32 %%a, %%a, 1;\n"
    "st.param.b32 [x], %%a; call (y), deep, (x); ld.param.b32 %%a, [y]; add.u32 %%a, %%a, 1;\n"
    "end: st.param.b32 [o], %%a; ret;\n}\n"
    ".func odd(.param .b32 i) {\n.reg .b32 %%a; .reg .pred %%p;\nld.param.b32 %%a, [i];\n"
    "and.b32 %%a, %%a, 1; setp.eq.u32 %%p, %%a, 0; @%%p ret; bar.warp.sync 0xaaaaaaaa;\n"
    "mov.u32 %%a, s; setp.ne.u32 %%p, %%a, 1024; @%%p trap; ret;\n}\n"
    ".visible .entry other(.param .u64 p) {\n.reg .b32 %%r;\nmov.u32 %%r, s; ret;\n}\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %%p<8>; .reg .b32 %%r<16>; .reg .b64 %%d<8>;\n"
    ".reg .b32 %%id, %%rank; .param .b32 x; .param .b32 y;\n"
    "ld.param.u64 %%d0, [p]; mov.u32 %%id, %%tid.x; mov.u32 %%rank, %%ctaid.x;\n%s\n"
    "store: mul.wide.u32 %%d2, %%id, 4; add.s64 %%d2, %%d0, %%d2; st.global.u32 [%%d2], %%r1;\n"
    "ret;\n}\n";

static bool run(const char *target, const char *body, const struct tmap_emulate_launch *like,
                void *data, size_t bytes, struct ptx_run *r)
{
    char text[6000];
    snprintf(text, sizeof text, head, target, body);
    const bool good = ptx_run_as(text, data, bytes, like, NULL, r);
    if (r->load != TMAP_OK) fail_msg("%s: line %u: %s", body, r->error.line, r->error.text);
    if (r->run != TMAP_OK) fail_msg("%s: status %d", body, r->run);
    return good;
}

#define CALL(name) "st.param.b32 [x], %id; call (y), " name ", (x); ld.param.b32 %r1, [y];\n"
#define NONE 0x55555555u

static uint32_t plus_one(uint32_t l)
{
    return l + 1;
}
static uint32_t own_number(uint32_t l)
{
    return l;
}
static uint32_t upper_plus_one(uint32_t l)
{
    return l < 16 ? l : l + 1;
}
static uint32_t upper_alone(uint32_t l)
{
    return l < 16 ? NONE : l;
}
static uint32_t lower_eight(uint32_t l)
{
    return l < 8 ? l : l < 24 ? NONE : l;
}

static const struct left {
    const char *body;
    uint32_t (*of_lane)(uint32_t lane);
} lefts[] = {
    {CALL("f"), plus_one},
    /* some lanes call; some return early; both halves call from places of their own, and meet */
    {"mov.u32 %r1, %id; setp.lt.u32 %p1, %id, 16; st.param.b32 [x], %id; @%p1 bra store;\n" CALL(
         "f"),
     upper_plus_one},
    {"mov.u32 %r1, %id; setp.ge.u32 %p1, %id, 16; st.param.b32 [x], %id;\n"
     "@%p1 call (y), f, (x); @%p1 ld.param.b32 %r1, [y];\n",
     upper_plus_one},
    {"mov.u32 %r1, %id; st.param.b32 [x], %id; call odd, (x);\n", own_number},
    {"mov.u32 %r1, %id; setp.lt.u32 %p1, %id, 16; st.param.b32 [x], %id; @%p1 bra lower;\n"
     "call (y), f, (x); bra met; lower: call (y), f, (x);\nmet: ld.param.b32 %r1, [y];\n",
     plus_one},
    {"and.b32 %r3, %id, 7; st.param.b32 [x], %r3; call (y), deep, (x); ld.param.b32 %r1, [y];\n"
     "sub.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %id;\n",
     own_number},
    /* lanes that leave, some in the middle */
    {"mov.u32 %r1, %id; setp.lt.u32 %p1, %id, 16; @%p1 exit;\n", upper_alone},
    {"mov.u32 %r1, %id; sub.u32 %r2, %id, 8; setp.lt.u32 %p1, %r2, 16; @%p1 ret;\n", lower_eight},
    /* two halves at one barrier, one after the other, and together while a third waits */
    {"mov.u32 %r1, %id; setp.ge.u32 %p1, %id, 16; @%p1 bra later; here: barrier.sync 1, 32;\n"
     "bra store; later: add.u32 %r9, %id, 1; bra here;\n",
     own_number},
};

static void lanes_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lefts / sizeof *lefts; i++)
        for (int how = 0; how < 12; how++) {
            uint32_t data[32];
            struct ptx_run r;
            const struct tmap_emulate_launch like = {.block = {32},
                                                     .schedule = how ? TMAP_EMULATE_RANDOM
                                                                     : TMAP_EMULATE_EARLIEST,
                                                     .seed = (uint64_t)how};
            for (int l = 0; l < 32; l++) data[l] = NONE;
            if (!run("sm_90a", lefts[i].body, &like, data, sizeof data, &r))
                fail_msg("%s: %s", lefts[i].body, r.findings ? r.finding[0].text : "");
            for (uint32_t l = 0; l < 32; l++)
                if (data[l] != lefts[i].of_lane(l))
                    fail_msg("%s: lane %u: %u", lefts[i].body, l, data[l]);
        }
}

/* Halves that wait at one barrier for another warp, each since a moment of its own. */
static void halves_that_wait(void **state)
{
    static const char body[] =
        "mov.u32 %r1, %id; mov.u32 %r5, 0; setp.ge.u32 %p1, %id, 32; @%p1 bra second;\n"
        "setp.ge.u32 %p2, %id, 16; @%p2 bra later; here: barrier.sync 1, 64; bra store;\n"
        "later: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 9; @%p3 bra later; bra here;\n"
        "second: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra second;\n"
        "barrier.sync 1, 64;\n";
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t data[64] = {0};
        struct ptx_run r;
        const struct tmap_emulate_launch like = {
            .block = {64}, .schedule = TMAP_EMULATE_RANDOM, .seed = seed};
        if (!run("sm_90a", body, &like, data, sizeof data, &r))
            fail_msg("%s", r.findings ? r.finding[0].text : "");
        for (uint32_t l = 0; l < 64; l++) assert_int_equal(data[l], l);
    }
}

/* --- what is found */

static const struct found {
    const char *target, *body, *says;
    enum tmap_emulate_kind kind;
    uint32_t threads, ctas, residents;
} founds[] = {
    {"sm_90a", "mov.u32 %r3, 40; st.param.b32 [x], %r3; call (y), deep, (x);",
     "calls nested more than 16 deep", TMAP_EMULATE_ILLEGAL, 32, 1, 0},
    /* one CTA has left, and its place is empty; the other waits for itself */
    {"sm_90a",
     "setp.eq.u32 %p1, %rank, 0; @%p1 bra store; mov.u32 %r2, bar;\n"
     "mbarrier.init.shared.b64 [%r2], 1;\n"
     "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra wait;\n",
     "phase 0 is under way, 1 of 1 arrivals", TMAP_EMULATE_HANG, 1, 2, 2},
    /* it has waited, and polls now */
    {"sm_90a",
     "mov.u32 %r2, bar; mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; setp.ge.u32 %p1, %id, 32;\n"
     "@%p1 bra second; setp.ne.u32 %p1, %id, 0; @%p1 exit; mbarrier.init.shared.b64 [%r2], 1;\n"
     "st.shared.u32 [s], 0; bar.sync 1, 64; "
     "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra wait;\n"
     "poll: ld.volatile.shared.u32 %r3, [s]; setp.eq.u32 %p2, %r3, 0; @%p2 bra poll;\n"
     "second: bar.sync 1, 64; setp.ne.u32 %p1, %id, 32; @%p1 exit;\n"
     "mbarrier.arrive.shared.b64 _, [%r2];\n",
     "polls", TMAP_EMULATE_HANG, 64, 1, 0},
    /* round for ever, in 768 instructions, beside one that waits */
    {"sm_90a",
     "setp.ge.u32 %p1, %id, 32; @%p1 bra second; mov.u32 %r2, 0;\n"
     "round: add.u32 %r2, %r2, 1; and.b32 %r2, %r2, 255; bra round;\n"
     "second: bar.sync 1, 64;\n",
     "polls", TMAP_EMULATE_HANG, 64, 1, 0},
    /* tensor memory that another warp has */
    {"sm_100a",
     "mov.u32 %r2, s; shr.u32 %r3, %id, 5; shl.b32 %r3, %r3, 2; add.u32 %r2, %r2, %r3;\n"
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 512; bar.sync 0;\n",
     "waits for tensor memory or its core", TMAP_EMULATE_HANG, 64, 1, 0},
};

static void finds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof founds / sizeof *founds; i++)
        for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_CHOSEN; s++) {
            const struct found *f = &founds[i];
            uint32_t data[64] = {0};
            struct ptx_run r;
            const struct tmap_emulate_launch like = {.grid = {f->ctas},
                                                     .block = {f->threads},
                                                     .residents = f->residents,
                                                     .schedule = (enum tmap_emulate_schedule)s};
            run(f->target, f->body, &like, data, sizeof data, &r);
            assert_false(r.result.finished);
            if (!ptx_run_tells(&r, f->kind, f->says))
                fail_msg("%s (%d): %s", f->body, s, r.findings ? r.finding[0].text : "nothing");
        }
}

/* Clusters of different lengths, of which each but the last makes room for another. */
static void clusters_in_turn(void **state)
{
    static const char body[] =
        "mov.u32 %r5, 0; mul.lo.u32 %r6, %rank, 700;\n"
        "spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, %r6; @%p3 bra spin;\n"
        "mov.u32 %r1, %rank; shl.b32 %r2, %rank, 2; add.u32 %id, %id, %rank;\n";
    (void)state;
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_CHOSEN; s++) {
        uint32_t data[8] = {0};
        struct ptx_run r;
        const struct tmap_emulate_launch like = {
            .grid = {5}, .block = {1}, .residents = 3, .schedule = (enum tmap_emulate_schedule)s};
        assert_true(run("sm_90a", body, &like, data, sizeof data, &r));
        for (uint32_t c = 0; c < 5; c++) assert_int_equal(data[c], c);
    }
}

/* Instructions by the million that nobody else sees are no hang, whether others wait or poll. */
static void long_sums(void **state)
{
    static const char *const waits[] = {
        "bar.sync 1, 64;\n",
        "mov.u32 %r2, bar;\n"
        "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra wait;\n"};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_CHOSEN; s++) {
            uint32_t data[64] = {0};
            struct ptx_run r;
            char body[600];
            const struct tmap_emulate_launch like = {
                .grid = {1}, .block = {64}, .schedule = (enum tmap_emulate_schedule)s};
            snprintf(body, sizeof body,
                     "mov.u32 %%r2, bar; setp.ne.u32 %%p1, %%id, 0; @%%p1 bra made;\n"
                     "mbarrier.init.shared.b64 [%%r2], 1;\n"
                     "made: bar.sync 0; mov.u32 %%r1, %%id; setp.ge.u32 %%p1, %%id, 32;\n"
                     "@%%p1 bra second; mov.u32 %%r5, 0;\n"
                     "spin: add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p3, %%r5, 2000000;\n"
                     "@%%p3 bra spin; setp.ne.u32 %%p1, %%id, 0;\n"
                     "@!%%p1 mbarrier.arrive.shared.b64 _, [%%r2];\n%s"
                     "bra store;\nsecond: %s",
                     i ? "" : waits[0], waits[i]);
            if (!run("sm_90a", body, &like, data, sizeof data, &r))
                fail_msg("%d, %d: %s", i, s, r.findings ? r.finding[0].text : "nothing");
            for (uint32_t l = 0; l < 64; l++) assert_int_equal(data[l], l);
        }
}

/* An instruction that no lane runs does not ask for what a load of tensor memory has not brought.
 */
static void late_registers(void **state)
{
    static const char body[] =
        "mov.u32 %r2, s; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32;\n"
        "ld.shared.u32 %r3, [s]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%id};\n"
        "tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r3];\n"
        "setp.gt.u32 %p1, %id, 99; @%p1 add.u32 %r4, %r1, 1; tcgen05.wait::ld.sync.aligned;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;\n";
    uint32_t data[32] = {0};
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {32}, .tensor_fences = true};
    (void)state;
    if (!run("sm_100a", body, &like, data, sizeof data, &r)) fail_msg("%s", r.finding[0].text);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(data[l], l);
}

/* Another warp shifts what warp 0 has stored and loaded: that is ordered where both were waited for
 * before the fence. */
static void waits_before_a_fence(void **state)
{
    static const char begin[] =
        "mov.u32 %r2, s; mov.u32 %r5, bar; setp.ge.u32 %p1, %id, 32; @%p1 bra other;\n"
        "setp.eq.u32 %p2, %id, 0; @%p2 mbarrier.init.shared::cta.b64 [%r5], 1;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32;\n"
        "ld.shared.u32 %r3, [s]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%id};\n"
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r3+4];\n";
    static const char end[] =
        "tcgen05.fence::before_thread_sync; bar.sync 0; bra wait;\n"
        "other: tcgen05.fence::after_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
        "setp.ne.u32 %p2, %id, 32; @%p2 bra store; ld.shared.u32 %r3, [s];\n"
        "tcgen05.shift.cta_group::1.down [%r3];\n"
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5]; bra store;\n"
        "wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r5], 0; @!%p3 bra wait;\n"
        "tcgen05.fence::after_thread_sync; tcgen05.wait::ld.sync.aligned;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32; mov.u32 %r1, 0;\n";
    static const struct {
        const char *waits, *says; /* NULL: right */
    } list[] = {
        {"tcgen05.wait::ld.sync.aligned; tcgen05.wait::st.sync.aligned;\n", NULL},
        {"tcgen05.wait::st.sync.aligned; tcgen05.wait::ld.sync.aligned;\n", NULL},
        {"tcgen05.wait::ld.sync.aligned;\n", "after a write by tcgen05.st"},
        {"tcgen05.wait::st.sync.aligned;\n", "after a read by tcgen05.ld"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof list / sizeof *list; i++) {
        char body[2000];
        uint32_t data[64] = {0};
        struct ptx_run r;
        const bool races = i % 2;
        const char *says = races ? list[i / 2].says : NULL;
        const struct tmap_emulate_launch like = {
            .block = {64}, .tensor_fences = true, .no_races = !races};
        snprintf(body, sizeof body, "%s%s%s", begin, list[i / 2].waits, end);
        const bool good = run("sm_100a", body, &like, data, sizeof data, &r);
        if (says ? !ptx_run_tells(&r, TMAP_EMULATE_RACE, says) : !good)
            fail_msg("%s: %s", list[i / 2].waits, r.findings ? r.finding[0].text : "nothing found");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_apart),
                                       cmocka_unit_test(halves_that_wait),
                                       cmocka_unit_test(finds),
                                       cmocka_unit_test(clusters_in_turn),
                                       cmocka_unit_test(long_sums),
                                       cmocka_unit_test(late_registers),
                                       cmocka_unit_test(waits_before_a_fence)};
    return cmocka_run_group_tests_name("control of the emulator", tests, NULL, NULL);
}
