/* Accesses that are refused, each in its words; memory of an earlier grid; the names that findings
 * have, and how many of them there are; who wrote what was not expected. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n%s"
    ".shared .align 16 .b8 s[256]; .global .align 8 .u32 own[4];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<8>;\n"
    ".reg .b32 %%id, %%rank, %%s; .local .align 8 .b8 l[16];\n"
    "ld.param.u64 %%d0, [p]; mov.u32 %%id, %%tid.x; mov.u32 %%rank, %%cluster_ctarank; mov.u32 "
    "%%s, s;\n%s\nret;\n}\n";

static void run(const char *files, const char *body, const struct tmap_emulate_launch *like,
                const struct tmap_emulate_watch *watch, void *data, size_t bytes, struct ptx_run *r)
{
    static char text[100000];
    snprintf(text, sizeof text, head, files, body);
    ptx_run_as(text, data, bytes, like, watch, r);
    if (r->load != TMAP_OK) fail_msg("%s: line %u: %s", body, r->error.line, r->error.text);
    if (r->run != TMAP_OK) fail_msg("%s: status %d", body, r->run);
}

static void expect_told(const char *body, const struct ptx_run *r, enum tmap_emulate_kind kind,
                        const char *says)
{
    if (!ptx_run_tells(r, kind, says))
        fail_msg("%s: %zu findings: %s", body, r->findings, r->findings ? r->finding[0].text : "");
}

/* --- refused */

#define LDMATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, "
#define GENERIC "mov.u64 %d2, s; cvta.shared.u64 %d2, %d2;\n"
static const struct refused {
    const char *body, *says;
    uint32_t ctas;
} refused[] = {
    /* across the end of the buffer of 72 bytes, and once more */
    {"ld.global.u64 %d2, [%d0+64]; ld.global.v2.u64 {%d2, %d3}, [%d0+64];", "are in no buffer", 1},
    {"ld.global.u64 %d2, [%d0+72];", "8 bytes at global address 0x10000048 are in no buffer", 1},
    {"ld.global.u32 %r1, [%d0+2];", "are misaligned", 1},
    {GENERIC "ld.global.u32 %r1, [%d2];", "are shared memory", 1},
    {GENERIC "add.s64 %d2, %d2, 0x5000000; ld.u32 %r1, [%d2];", "are in no buffer", 1},
    {"ld.shared.u32 %r1, [%s+0x10000];", "are in no buffer", 1},
    {"mov.b64 %d2, p; cvta.param.u64 %d2, %d2; st.u32 [%d2], 1;", "must not be written", 1},
    {"mov.b64 %d2, p; cvta.param.u64 %d2, %d2; atom.add.u32 %r1, [%d2], 1;", "must not be written",
     1},
    {"ld.local.u64 %d2, [l+16];", "are outside local memory", 1},
    {"mov.u64 %d2, l; st.local.u64 [%d2+0x10000], %d2;", "are outside local memory", 1},
    {"setp.eq.u32 %p1, %rank, 1; @%p1 exit; mov.u32 %r5, 0; spin: add.u32 %r5, %r5, 1;\n"
     "setp.lt.u32 %p2, %r5, 3000; @%p2 bra spin; mapa.shared::cluster.u32 %r2, %s, 1;\n"
     "ld.shared::cluster.u32 %r1, [%r2];",
     "are of a CTA that has left", 2},
    /* rows of a matrix: not the CTA's own, misaligned, before its memory, behind it, elsewhere */
    {"mapa.shared::cluster.u32 %r2, %s, 3;" LDMATRIX "[%r2];", "are in no buffer", 1},
    {"add.u32 %r2, %s, 8;" LDMATRIX "[%r2];", "are misaligned", 1},
    {"mov.u32 %r2, 0x3f0;" LDMATRIX "[%r2];", "are in no buffer", 1},
    {"add.u32 %r2, %s, 0x10000;" LDMATRIX "[%r2];", "are in no buffer", 1},
    {"ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%d0+4096];", "are in no buffer", 1},
};

static void accesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (unsigned without = 0; without < 2; without++) {
            uint64_t data[9] = {0};
            struct ptx_run r;
            const struct tmap_emulate_launch like = {.grid = {refused[i].ctas},
                                                     .block = {32},
                                                     .cluster = {refused[i].ctas},
                                                     .no_races = without};
            run("", refused[i].body, &like, NULL, data, sizeof data, &r);
            expect_told(refused[i].body, &r, TMAP_EMULATE_ACCESS, refused[i].says);
            assert_false(r.result.finished);
        }
}

/* A matrix's rows may lie in another CTA's memory, or in global memory: legal addresses. */
static void rows_elsewhere(void **state)
{
    static const char *const bodies[] = {
        "mov.u32 %r3, %id; and.b32 %r3, %r3, 7; mul.wide.u32 %d2, %r3, 16; add.s64 %d2, %d0, %d2;\n"
        "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%d2]; setp.eq.u32 %p1, %r1, 0; @!%p1 trap;",
        "and.b32 %r3, %id, 7; shl.b32 %r3, %r3, 4; add.u32 %r3, %r3, %s; "
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r3]; setp.eq.u32 %p1, %r1, -1; @!%p1 "
        "trap;"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        uint64_t data[16] = {0};
        struct ptx_run r;
        const struct tmap_emulate_launch like = {.block = {32}, .no_races = i >= 2};
        run("", bodies[i % 2], &like, NULL, data, sizeof data, &r);
        if (!r.result.finished || r.findings) fail_msg("%s: %s", bodies[i % 2], r.finding[0].text);
    }
}

/* --- an earlier grid */

#define LOOP "mov.u32 %r5, 0; loop: "
#define AGAIN "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra loop;"
static const struct early {
    const char *body;
    size_t findings;
} early[] = {
    {LOOP "ld.global.u32 %r1, [%d0];" AGAIN, 1},
    {"griddepcontrol.wait; ld.global.u32 %r1, [%d0];", 0},
    {"ld.global.u32 %r1, [%d0+32];", 0}, /* ready */
    {"st.global.u32 [%d0+32], %id;", 1}, /* it may still be read */
    {"ld.global.u32 %r1, [own];", 0},    /* nobody else's */
    {"atom.global.add.u32 %r1, [%d0+8], 1;", 1},
};

static void earlier_grids(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        for (int named = 0; named < 2; named++) {
            uint64_t data[8] = {0};
            struct ptx_run r;
            const struct tmap_emulate_buffer buffer = {0x10000000, sizeof data, data,
                                                       named ? "data" : NULL};
            const struct tmap_emulate_launch like = {.block = {1},
                                                     .buffers = &buffer,
                                                     .buffer_count = 1,
                                                     .overlap = true,
                                                     .ready = 0x10000020,
                                                     .ready_bytes = 16};
            run("", early[i].body, &like, NULL, data, sizeof data, &r);
            if (r.findings != early[i].findings)
                fail_msg("%s: %zu findings", early[i].body, r.findings);
            if (r.findings)
                expect_told(early[i].body, &r, TMAP_EMULATE_RACE,
                            named ? "of data 0x100000" : "of global 0x100000");
        }
}

/* Tensor memory is no earlier grid's. */
static void early_tensor_memory(void **state)
{
    static const char text[] =
        ".version 9.0\n.target sm_100a\n.address_size 64\n.shared .align 16 .b8 s[16];\n"
        ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>;\nmov.u32 %r0, s;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;\n"
        "ld.shared.u32 %r1, [s]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r0};\n"
        "tcgen05.wait::st.sync.aligned; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\n"
        "ret;\n}\n";
    uint64_t data[8] = {0};
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {32}, .overlap = true};
    (void)state;
    if (!ptx_run_as(text, data, sizeof data, &like, NULL, &r))
        fail_msg("line %u: %s; %s", r.error.line, r.error.text, r.finding[0].text);
}

/* --- names: of kinds, files, buffers */

static void names(void **state)
{
    static const struct {
        const char *files, *file, *says;
        uint32_t line;
    } rows[] = {
        {".file 1 \"dir/a.cu\"\n", "dir/a.cu", "(a.cu:7)", 7},
        {".file 1 \"b.cu\"\n", "b.cu", "(b.cu:7)", 7},
        {".file 2 \"b.cu\"\n", NULL, "at line", 0}, /* 1 has no name */
        {".file 0 \"b.cu\"\n", NULL, "at line", 0}, /* nor has it a place */
        {"", NULL, "at line", 0},
    };
    static const char body[] = ".loc 1 7 3\nsetp.eq.u32 %p1, %id, 0; @%p1 st.global.u32 [%d0], 1;\n"
                               "setp.eq.u32 %p1, %id, 32; @%p1 st.global.u32 [%d0], 2;";
    (void)state;
    assert_null(tmap_emulate_kind_name((enum tmap_emulate_kind)99));
    assert_string_equal(tmap_emulate_kind_name(TMAP_EMULATE_WRONG), "wrong");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t data[8] = {0};
        struct ptx_run r;
        const struct tmap_emulate_buffer buffer = {0x10000000, sizeof data, data, NULL};
        const struct tmap_emulate_launch like = {
            .block = {64}, .buffers = &buffer, .buffer_count = 1};
        char says[100];
        run(rows[i].files, body, &like, NULL, data, sizeof data, &r);
        assert_int_equal(r.findings, 1);
        snprintf(says, sizeof says, "write of global 0x10000000 by st.global.u32");
        expect_told(body, &r, TMAP_EMULATE_RACE, says);
        expect_told(body, &r, TMAP_EMULATE_RACE, rows[i].says);
        assert_int_equal(r.finding[0].source_line, rows[i].line);
    }
}

/* Code that a compiler made up has no line. */
static void no_line(void **state)
{
    static const char body[] = ".loc 1 0 0\nst.global.u32 [%d0+2], 1;";
    uint64_t data[8] = {0};
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {1}};
    (void)state;
    run(".file 1 \"a.cu\"\n", body, &like, NULL, data, sizeof data, &r);
    expect_told(body, &r, TMAP_EMULATE_ACCESS, "are misaligned");
    assert_null(r.finding[0].file);
    assert_int_equal(r.finding[0].source_line, 0);
}

/* More than are asked for, and more than are kept apart: 600 places that two warps write. */
static void many_findings(void **state)
{
    static char body[90000];
    static uint32_t data[600][4];
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {64}};
    size_t n = (size_t)sprintf(body, "setp.ne.u32 %%p1, %%id, 0; setp.ne.u32 %%p2, %%id, 32;\n");
    (void)state;
    for (int i = 0; i < 1200; i++)
        n += (size_t)sprintf(body + n, "@!%%p%d st.global.u32 [%%d0+%d], 1;\n", 1 + i / 600,
                             i % 600 * 16);
    run("", body, &like, NULL, data, sizeof data, &r);
    assert_int_equal(r.findings, 512);
    assert_true(r.result.finished);
}

/* The first fault ends a run; another of the same turn is not told. */
static void one_fault(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t data[8] = {0};
        struct ptx_run r;
        const struct tmap_emulate_launch like = {
            .block = {1}, .schedule = TMAP_EMULATE_RANDOM, .seed = seed};
        run("",
            "cp.async.bulk.global.shared::cta.bulk_group [%d0], [0], 16; "
            "cp.async.bulk.commit_group; trap;",
            &like, NULL, data, sizeof data, &r);
        assert_int_equal(r.findings, 1);
    }
    uint64_t data[8] = {0};
    struct ptx_run r;
    const struct tmap_emulate_launch spent = {.block = {1}, .budget = 2};
    run("", "add.u32 %r1, %r1, 1; trap;", &spent, NULL, data, sizeof data, &r);
    assert_int_equal(r.findings, 1);
    assert_int_equal(r.finding[0].kind, TMAP_EMULATE_TRAP);
}

/* --- two writes of one warp in the same moment, which differ in strength */
static void two_writes_at_once(void **state)
{
    static const char body[] =
        "setp.ne.u32 %p1, %id, 0; @%p1 bra over; st.shared.u64 [s], 1;\n"
        "st.relaxed.cta.shared.u64 [s+8], 2; over: setp.ne.u32 %p2, %id, 32; @%p2 exit;\n"
        "mov.u32 %r5, 0; spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra spin;\n"
        "ld.shared.v2.u64 {%d2, %d3}, [s];";
    uint64_t data[8] = {0};
    struct ptx_run r;
    const struct tmap_emulate_launch like = {.block = {64}};
    (void)state;
    run("", body, &like, NULL, data, sizeof data, &r);
    expect_told(body, &r, TMAP_EMULATE_RACE, "after a write by st.shared.u64");
    expect_told(body, &r, TMAP_EMULATE_RACE, "after a write by st.relaxed.cta.shared.u64");
    /* ordered by a barrier, neither is told */
    run("",
        "setp.ne.u32 %p1, %id, 0; @%p1 bra over; st.shared.u64 [s], 1; "
        "st.relaxed.cta.shared.u64 [s+8], 2; over: bar.sync 0; ld.shared.v2.u64 {%d2, %d3}, [s];",
        &like, NULL, data, sizeof data, &r);
    assert_int_equal(r.findings, 0);
}

/* --- who wrote what was not expected: a copy, and nobody in a place that others wrote to */
static void unexpected(void **state)
{
    static const char body[] =
        "st.shared.u64 [s], 0; st.shared.u64 [s+8], 0; fence.proxy.async;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%d0], [%s], 16; cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group 0; st.global.u32 [%d0+16], 5;";
    uint64_t data[8] = {1, 1, 1, 1}, want[8] = {9, 0, 5, 7};
    struct ptx_run r;
    const struct tmap_emulate_expected expected = {0x10000000, 32, want};
    const struct tmap_emulate_watch watch = {
        .size = sizeof watch, .expected = &expected, .expected_count = 1};
    const struct tmap_emulate_launch like = {.block = {1}};
    (void)state;
    run("", body, &like, &watch, data, sizeof data, &r);
    assert_int_equal(r.findings, 2);
    expect_told(body, &r, TMAP_EMULATE_WRONG,
                "byte 0x0 of data is 0x00, not 0x09: last written by cp.async.bulk");
    expect_told(body, &r, TMAP_EMULATE_WRONG, "byte 0x18 of data is 0x01, not 0x07: nothing wrote");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(accesses),
                                       cmocka_unit_test(rows_elsewhere),
                                       cmocka_unit_test(earlier_grids),
                                       cmocka_unit_test(early_tensor_memory),
                                       cmocka_unit_test(names),
                                       cmocka_unit_test(no_line),
                                       cmocka_unit_test(many_findings),
                                       cmocka_unit_test(one_fault),
                                       cmocka_unit_test(two_writes_at_once),
                                       cmocka_unit_test(unexpected)};
    return cmocka_run_group_tests_name("accesses of the emulator", tests, NULL, NULL);
}
