/* The emulator on small kernels of its own: arithmetic, shared memory, barriers, copies, and what
 * it says of broken ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"
enum { N = 256, FINDINGS = 8 };

static struct ptx_run run(const char *text, uint32_t *data, uint32_t block, uint32_t smem_bytes,
                          enum tmap_emulate_schedule schedule)
{
    struct ptx_run r;
    const struct tmap_emulate_launch launch = {.grid = {1, 1, 1},
                                               .block = {block, 1, 1},
                                               .smem_bytes = smem_bytes,
                                               .schedule = schedule,
                                               .seed = 3,
                                               .budget = 1000000};
    ptx_run_as(text, data, 4 * N, &launch, NULL, &r);
    if (r.load != TMAP_OK) fail_msg("line %u: %s", r.error.line, r.error.text);
    return r;
}

/* data[t] = 3 t + 1, by a loop that diverges */
static const char arithmetic[] = HEAD
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 1; mov.u32 %r3, 0;\n"
    "loop: setp.ge.u32 %p1, %r3, %r1; @%p1 bra done;\n"
    "add.s32 %r2, %r2, 3; add.s32 %r3, %r3, 1; bra.uni loop;\n"
    "done: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret;\n"
    "}\n";

static void threads_count(void **state)
{
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r = run(arithmetic, data, N, 0, TMAP_EMULATE_LATEST);
    assert_int_equal(r.run, TMAP_OK);
    assert_int_equal(r.findings, 0);
    assert_true(r.result.finished);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(data[i], 3 * i + 1);
}

/* LLVM's short pointers: the address of a parameter and of a local variable in 32 bits. */
static void addresses_of_32_bits(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".visible .entry k(.param .u64 p) {\n"
        ".local .align 4 .b8 x[16]; .reg .b32 %r<6>; .reg .b64 %rd<7>;\n"
        "mov.b32 %r1, p; cvt.u64.u32 %rd1, %r1; cvta.param.u64 %rd2, %rd1; ld.u64 %rd3, [%rd2];\n"
        "mov.b32 %r2, x; mov.u32 %r3, 40; st.local.u32 [%r2+4], %r3;\n"
        "cvt.u64.u32 %rd4, %r2; cvta.local.u64 %rd5, %rd4; ld.u32 %r4, [%rd5+4];\n"
        "ld.local.u32 %r5, [%r2+4]; add.u32 %r4, %r4, %r5; st.global.u32 [%rd3], %r4;\n"
        "ld.param.u64 %rd6, [%r1]; st.global.u32 [%rd6+4], %r5; ret;\n"
        "}\n";
    uint32_t data[N] = {0};
    const struct ptx_run r = run(text, data, 1, 0, TMAP_EMULATE_LATEST);
    assert_int_equal(r.run, TMAP_OK);
    assert_int_equal(r.findings, 0);
    assert_int_equal(data[0], 80);
    assert_int_equal(data[1], 40);
}

/* Each thread gives its value to the thread across; BARRIER between, or nothing. */
#define EXCHANGE(BARRIER)                                                                          \
    HEAD ".shared .align 16 .b8 s[1024];\n"                                                        \
         ".visible .entry k(.param .u64 p) {\n"                                                    \
         ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"                                                    \
         "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"                     \
         "mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n" BARRIER              \
         "xor.b32 %r5, %r2, 1020; add.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6];\n"              \
         "cvt.u64.u32 %rd2, %r2; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r7; ret; }\n"

static void a_barrier_orders_shared_memory(void **state)
{
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r = run(EXCHANGE("bar.sync 0;\n"), data, N, 0, TMAP_EMULATE_RANDOM);
    assert_int_equal(r.findings, 0);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(data[i], N - 1 - i);
}

static void a_missing_barrier_is_a_race(void **state)
{
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r = run(EXCHANGE(""), data, N, 0, TMAP_EMULATE_EARLIEST);
    assert_in_range(r.findings, 1, FINDINGS);
    assert_int_equal(r.finding[0].kind, TMAP_EMULATE_RACE);
}

/* One thread copies 256 bytes in, waits, and all read them. */
#define COPY(BYTES, WAIT)                                                                          \
    HEAD ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;\n"                            \
         ".visible .entry k(.param .u64 p) {\n"                                                    \
         ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"                                  \
         "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar;\n"        \
         "setp.ne.u32 %p1, %r1, 0; @%p1 bra ready;\n"                                              \
         "mbarrier.init.shared::cta.b64 [%r3], 1; fence.mbarrier_init.release.cluster;\n"          \
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " BYTES ";\n"                        \
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, "      \
         "[%r3];\n"                                                                                \
         "ready: bar.sync 0;\n" WAIT                                                               \
         "shl.b32 %r4, %r1, 2; add.u32 %r5, %r2, %r4; ld.shared.u32 %r6, [%r5]; bar.sync 0;\n"     \
         "add.u32 %r6, %r6, 1; cvt.u64.u32 %rd2, %r4; add.s64 %rd3, %rd1, %rd2;\n"                 \
         "st.global.u32 [%rd3], %r6; ret; }\n"
#define WAITS "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra wait;\n"

static void a_copy_lands_before_its_phase_ends(void **state)
{
    (void)state;
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM; s++) {
        uint32_t data[N];
        for (uint32_t i = 0; i < N; i++) data[i] = 5 * i;
        const struct ptx_run r =
            run(COPY("256", WAITS), data, 64, 0, (enum tmap_emulate_schedule)s);
        if (r.findings) print_message("# %s\n", r.finding[0].text);
        assert_int_equal(r.findings, 0);
        assert_int_equal(r.result.counts.copies, 1);
        for (uint32_t i = 0; i < 64; i++) assert_int_equal(data[i], 5 * i + 1);
    }
}

static void a_read_before_the_phase_is_a_race(void **state)
{
    (void)state;
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM; s++) {
        uint32_t data[N] = {0};
        const struct ptx_run r = run(COPY("256", ""), data, 64, 0, (enum tmap_emulate_schedule)s);
        assert_in_range(r.findings, 1, FINDINGS);
        // at the latest the CTA has left before a byte is there
        assert_int_equal(r.finding[0].kind,
                         s == TMAP_EMULATE_LATEST ? TMAP_EMULATE_LEAK : TMAP_EMULATE_RACE);
    }
}

static void too_many_expected_bytes_are_a_hang(void **state)
{
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r = run(COPY("272", WAITS), data, 64, 0, TMAP_EMULATE_LATEST);
    assert_int_equal(r.finding[0].kind, TMAP_EMULATE_HANG);
    assert_non_null(strstr(r.finding[0].text, "16 bytes are missing"));
    assert_false(r.result.finished);
}

static void what_is_not_known_is_an_error(void **state)
{
    static const struct {
        const char *text, *says;
        uint32_t line;
    } bad[] = {
        {HEAD ".entry k() {\n frobnicate.u32 1; }", "unknown instruction 'frobnicate.u32'", 5},
        {HEAD ".entry k() {\n.reg .b32 %r<2>;\nadd.s32.odd %r1, %r1, 1; }", ".odd", 6},
        {HEAD ".entry k() {\n.reg .b64 %r<2>;\nadd.s32 %r1, %r1, 1; }", "64", 6},
        {HEAD ".entry k() {\nbra nowhere; }", "label", 5},
        {HEAD ".shared .b8 text[3] = {72, 105, 0};\n.entry k() {\nret;\n}\n", "neither global", 4},
        {".version 9.0\n.target sm_100\n.entry k() {\nwgmma.fence.sync.aligned; }", "sm_100", 4}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tmap_emulate_module *module = NULL;
        struct tmap_emulate_error error;
        assert_int_not_equal(tmap_emulate_load(bad[i].text, strlen(bad[i].text), &module, &error),
                             TMAP_OK);
        assert_null(module);
        assert_int_equal(error.line, bad[i].line);
        assert_non_null(strstr(error.text, bad[i].says));
    }
}

/* data[t] = 10 t % 4 by a table of branches; the last thread of a warp has none to take. */
#define TABLE(index)                                                                               \
    HEAD ".visible .entry k(.param .u64 p) {\n"                                                    \
         ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"                                  \
         "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"           \
         "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 7;\n"                  \
         "and.b32 %r3, %r1, " index "; and.b32 %r4, %r1, 31; setp.eq.u32 %p1, %r4, 31;\n"          \
         "table: .branchtargets zero, ten, twenty,\n thirty;\n@!%p1 brx.idx %r3, table;\n"         \
         "bra out;\nzero: mov.u32 %r2, 0; bra out;\nten: mov.u32 %r2, 10; bra out;\n"              \
         "twenty: mov.u32 %r2, 20; bra out;\nthirty: mov.u32 %r2, 30;\n"                           \
         "out: st.global.u32 [%rd3], %r2; ret;\n}\n"

static void a_table_of_branches(void **state)
{
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r = run(TABLE("3"), data, N, 0, TMAP_EMULATE_LATEST);
    assert_true(r.result.finished && r.findings == 0);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(data[i], i % 32 == 31 ? 7 : i % 4 * 10);

    const struct ptx_run beyond = run(TABLE("7"), data, N, 0, TMAP_EMULATE_LATEST);
    assert_false(beyond.result.finished);
    assert_int_equal(beyond.finding[0].kind, TMAP_EMULATE_ILLEGAL);
    assert_non_null(strstr(beyond.finding[0].text, "branch 4 of a table of 4"));
}

/* data[2 t] = 2 t + 2, data[2 t + 1] = 2 t + 1 by pairs of floats. */
#define PAIRS(target, operation)                                                                   \
    ".version 9.0\n.target " target "\n.address_size 64\n"                                         \
    ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<8>;\n"   \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"                \
    "mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2; cvt.rn.f32.u32 %f1, %r1;\n"              \
    "mov.f32 %f2, 0f3f800000; mov.f32 %f3, 0f40000000; mov.b64 %rd4, {%f1, %f1};\n"                \
    "mov.b64 %rd5, {%f3, %f3}; mov.b64 %rd6, {%f2, %f2}; mov.b64 %rd7, {%f2, %f3};\n" operation    \
    "\nmov.b64 {%f4, %f5}, %rd8; cvt.rzi.u32.f32 %r2, %f4; cvt.rzi.u32.f32 %r3, %f5;\n"            \
    "st.global.v2.u32 [%rd3], {%r2, %r3}; ret;\n}\n"

static void pairs_of_floats(void **state)
{
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r =
        run(PAIRS("sm_100a", "fma.rn.f32x2 %rd8, %rd4, %rd5, %rd6; add.rn.f32x2 %rd8, %rd8, %rd5;\n"
                             "sub.rn.ftz.f32x2 %rd8, %rd8, %rd7; mul.rn.f32x2 %rd8, %rd8, %rd6;\n"),
            data, N / 2, 0, TMAP_EMULATE_LATEST);
    assert_true(r.result.finished && r.findings == 0);
    for (uint32_t i = 0; i < N / 2; i++) {
        assert_int_equal(data[2 * i], 2 * i + 2);
        assert_int_equal(data[2 * i + 1], 2 * i + 1);
    }
    static const char *const wrong[] = {PAIRS("sm_90a", "add.rn.f32x2 %rd8, %rd4, %rd5;"),
                                        PAIRS("sm_100a", "min.f32x2 %rd8, %rd4, %rd5;"),
                                        PAIRS("sm_100a", "add.rn.f32x2 %r2, %rd4, %rd5;")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tmap_emulate_module *module = NULL;
        assert_int_equal(tmap_emulate_load(wrong[i], strlen(wrong[i]), &module, NULL),
                         TMAP_E_ARGUMENT);
    }
}

/* Warp 1 arrives at warp 0's mbarrier, after a relaxed barrier of the cluster: a fence before it is
 * what makes the mbarrier known. */
#define CLUSTER(before, after)                                                                     \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .pred %p<3>; .reg .b32 %r<4>;\n"                \
         ".shared .align 8 .b64 bar; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;\n"              \
         "@%p1 bra met;\n" before "mbarrier.init.shared.b64 [bar], 1; " after "\nmet:\n"           \
         "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;\n"         \
         "setp.ne.u32 %p1, %r1, 32; @%p1 bra out; mbarrier.arrive.shared.b64 _, [bar];\n"          \
         "out: ret;\n}\n"

static void a_fence_before_a_relaxed_barrier_counts(void **state)
{
    uint32_t data[N] = {0};
    struct ptx_run r;
    (void)state;
    for (uint32_t ctas = 1; ctas <= 8; ctas *= 2) {
        for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM; s++)
            assert_true(ptx_run(CLUSTER("", "fence.mbarrier_init.release.cluster;"), data,
                                sizeof data, 128, ctas, 0, (enum tmap_emulate_schedule)s, &r));
        assert_false(ptx_run(CLUSTER("fence.acq_rel.cluster;", ""), data, sizeof data, 128, ctas, 0,
                             TMAP_EMULATE_LATEST, &r));
        assert_int_equal(r.finding[0].kind, TMAP_EMULATE_RACE);
    }
}

/* Both warps meet; then warp 0 writes and arrives for the next meeting, and warp 1 reads before it,
 * or after it. */
#define NEXT(meet, arrive, wait, before, after)                                                    \
    HEAD ".shared .align 4 .b32 s;\n.visible .entry k(.param .u64 p) {\n"                          \
         ".reg .pred %p<3>; .reg .b32 %r<4>;\n"                                                    \
         "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32;\n" meet "@%p1 bra second;\n"              \
         "setp.eq.u32 %p2, %r1, 0; @%p2 st.shared.u32 [s], %r1;\n" arrive "ret;\n"                 \
         "second:\n" before wait after "ret;\n}\n"
#define NEXT_NAMED(before, after)                                                                  \
    NEXT("bar.sync 1, 64;\n", "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n", before, after)
#define CLUSTER_MEET "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
#define NEXT_CLUSTER(before, after) NEXT(CLUSTER_MEET, CLUSTER_MEET, CLUSTER_MEET, before, after)
#define READ "ld.shared.u32 %r2, [s];\n"

static void who_arrives_next_is_not_yet_known(void **state)
{
    static const char *const right[] = {NEXT_NAMED("", READ), NEXT_CLUSTER("", READ)};
    static const char *const wrong[] = {NEXT_NAMED(READ, ""), NEXT_CLUSTER(READ, "")};
    uint32_t data[N] = {0};
    struct ptx_run r;
    (void)state;
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM; s++)
        for (size_t i = 0; i < 2; i++) {
            assert_true(
                ptx_run(right[i], data, sizeof data, 64, 1, 0, (enum tmap_emulate_schedule)s, &r));
            assert_false(
                ptx_run(wrong[i], data, sizeof data, 64, 1, 0, (enum tmap_emulate_schedule)s, &r));
            assert_int_equal(r.finding[0].kind, TMAP_EMULATE_RACE);
        }
}

static void an_assertion_traps(void **state)
{
    static const char text[] = ".extern .func __assertfail(.param .b64 a, .param .b32 b)\n;\n"
                               ".visible .entry k(.param .u64 p) {\n.reg .pred %p<2>;\n"
                               ".reg .b32 %r<2>; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 9;\n"
                               "@%p1 bra out; { .param .b64 x; .param .b32 y;\n"
                               "call.uni __assertfail, (x, y); }\nout: ret;\n}\n";
    char whole[sizeof text + sizeof HEAD];
    uint32_t data[N] = {0};
    (void)state;
    snprintf(whole, sizeof whole, "%s%s", HEAD, text);
    const struct ptx_run r = run(whole, data, N, 0, TMAP_EMULATE_LATEST);
    assert_int_equal(r.finding[0].kind, TMAP_EMULATE_TRAP);
    assert_int_equal(r.finding[0].lane, 9);
    assert_non_null(strstr(r.finding[0].text, "assertion"));
}

/* Compilers' templates leave spaces in names. */
static void qualifiers_stand_apart(void **state)
{
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
             "ld.param .u64 %rd1, [p]; cvta.to .global\n.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"
             "mul.wide .u32 %rd2, %r1, 4; add .s64 %rd3, %rd1, %rd2; st.global .u32 [%rd3], %r1; "
             "ret;\n}\n";
    uint32_t data[N] = {0};
    (void)state;
    const struct ptx_run r = run(text, data, N, 0, TMAP_EMULATE_LATEST);
    assert_true(r.result.finished && r.findings == 0);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(data[i], i);
}

static void a_branch_without_its_table_is_an_error(void **state)
{
    static const char *const body[] = {"brx.idx %r1, nowhere;",
                                       "t: .branchtargets nowhere;\nbrx.idx %r1, t;",
                                       "t: .branchtargets 3;", "t: .branchtargets l l;\nl:"};
    (void)state;
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        struct tmap_emulate_module *module = NULL;
        char text[300];
        const int n =
            snprintf(text, sizeof text,
                     HEAD ".visible .entry k() {\n.reg .b32 %%r<2>;\n%s\nret;\n}\n", body[i]);
        assert_int_equal(tmap_emulate_load(text, (size_t)n, &module, NULL), TMAP_E_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_of_branches),
                                       cmocka_unit_test(addresses_of_32_bits),
                                       cmocka_unit_test(qualifiers_stand_apart),
                                       cmocka_unit_test(a_fence_before_a_relaxed_barrier_counts),
                                       cmocka_unit_test(who_arrives_next_is_not_yet_known),
                                       cmocka_unit_test(an_assertion_traps),
                                       cmocka_unit_test(pairs_of_floats),
                                       cmocka_unit_test(a_branch_without_its_table_is_an_error),
                                       cmocka_unit_test(threads_count),
                                       cmocka_unit_test(a_barrier_orders_shared_memory),
                                       cmocka_unit_test(a_missing_barrier_is_a_race),
                                       cmocka_unit_test(a_copy_lands_before_its_phase_ends),
                                       cmocka_unit_test(a_read_before_the_phase_is_a_race),
                                       cmocka_unit_test(too_many_expected_bytes_are_a_hang),
                                       cmocka_unit_test(what_is_not_known_is_an_error)};
    return cmocka_run_group_tests_name("emulate", tests, NULL, NULL);
}
