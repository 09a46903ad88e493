/* Launches that cannot be, each refused with its status and nothing written; what a watch is told;
 * and the words of hangs, budgets and wrong bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tmap/emulate.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"

static const char plain[] =
    HEAD ".global .u32 g[4]; .func f() { ret; }\n.extern .func e();\n"
         ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n"
         "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"
         "add.s64 %d0, %d0, %d1; st.global.u32 [%d0], %r0; ret;\n}\n"
         ".visible .entry few(.param .u64 p) .maxntid 32 { ret; }\n"
         ".visible .entry exact(.param .u64 p) .reqntid 32, 2 { ret; }\n"
         ".visible .entry pairs(.param .u64 p) .reqnctapercluster 2 { ret; }\n"
         ".visible .entry none() { ret; }\n"
         ".visible .entry elsewhere(.param .u64 p);\n"
         ".visible .entry large(.param .u64 p) {\n.shared .b8 s[200000];\nret;\n}\n";

static uint32_t data[256], other[256];
static uint64_t parameter;

static struct tmap_emulate_buffer buffers[2];

static struct tmap_emulate_launch good(void)
{
    memset(data, 0, sizeof data);
    buffers[0] = (struct tmap_emulate_buffer){0x10000, sizeof data, data, "data"};
    buffers[1] = (struct tmap_emulate_buffer){0x20000, sizeof other, other, NULL};
    parameter = 0x10000;
    return (struct tmap_emulate_launch){.kernel = "k",
                                        .grid = {1, 1, 1},
                                        .block = {64, 1, 1},
                                        .params = &parameter,
                                        .param_bytes = 8,
                                        .buffers = buffers,
                                        .buffer_count = 2};
}

static struct tmap_emulate_module *load(const char *text)
{
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    if (tmap_emulate_load(text, strlen(text), &module, &error) != TMAP_OK)
        fail_msg("line %u: %s", error.line, error.text);
    return module;
}

/* --- shapes, parameters, memory */

#define CHANGE(name, ...)                                                                          \
    static void name(struct tmap_emulate_launch *l)                                                \
    {                                                                                              \
        (void)l;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
CHANGE(nothing, l->seed = 1)
CHANGE(zeros, l->grid[0] = l->block[1] = 0)
CHANGE(wide_grid, l->grid[0] = 0x10000)
CHANGE(large_grid, l->grid[0] = 5000; l->grid[1] = 5000)
CHANGE(wide_block, l->block[0] = 1025)
CHANGE(large_block, l->block[0] = 64; l->block[1] = 17)
CHANGE(wide_cluster, l->grid[0] = l->cluster[0] = 17)
CHANGE(large_cluster, l->grid[0] = l->cluster[0] = 8; l->grid[1] = l->cluster[1] = 4)
CHANGE(uneven_cluster, l->grid[0] = 3; l->cluster[0] = 2)
CHANGE(clusters, l->grid[0] = 4; l->cluster[0] = 2; l->residents = 1)
CHANGE(more_than_few, l->kernel = "few")
CHANGE(few, l->kernel = "few"; l->block[0] = 32)
CHANGE(not_exact, l->kernel = "exact"; l->block[0] = 32)
CHANGE(exact, l->kernel = "exact"; l->block[0] = 32; l->block[1] = 2)
CHANGE(half_a_pair, l->kernel = "pairs"; l->grid[0] = 3)
CHANGE(a_pair, l->kernel = "pairs"; l->grid[0] = 2)
CHANGE(no_kernel, l->kernel = NULL)
CHANGE(unknown_kernel, l->kernel = "nosuch")
CHANGE(a_function, l->kernel = "f")
CHANGE(an_extern, l->kernel = "e")
CHANGE(no_body, l->kernel = "elsewhere")
CHANGE(large, l->kernel = "large"; l->smem_bytes = 1000)
CHANGE(too_large, l->kernel = "large"; l->smem_bytes = 100000)
CHANGE(neither, l->buffers = NULL; l->buffer_count = 0; l->kernel = "few"; l->block[0] = 1)
CHANGE(short_parameters, l->param_bytes = 4)
CHANGE(no_parameters, l->params = NULL)
CHANGE(none_taken, l->kernel = "none")
CHANGE(none_given, l->kernel = "none"; l->params = NULL; l->param_bytes = 0)
CHANGE(no_buffers, l->buffers = NULL)
CHANGE(no_data, buffers[1].data = NULL)
CHANGE(overlapping, buffers[1].address = 0x10004)
CHANGE(wrapping, buffers[1].address = UINT64_MAX - 8)
CHANGE(in_a_window, buffers[1].address = 0x6d0000000000)
CHANGE(before_a_window, buffers[1].address = 0x6d0000000000 - sizeof other)
CHANGE(too_much_shared, l->smem_bytes = 1 << 20)
CHANGE(no_races, l->no_races = true)
CHANGE(no_budget_left, l->budget = 3)

static const struct refused {
    const char *name;
    void (*change)(struct tmap_emulate_launch *l);
    enum tmap_status status;
    bool unfinished;
} changes[] = {
#define ROW(name, ...)                                                                             \
    {                                                                                              \
#name, name, __VA_ARGS__                                                                   \
    }
    ROW(nothing, TMAP_OK, false),
    ROW(zeros, TMAP_OK, false),
    ROW(wide_grid, TMAP_E_ARGUMENT, false),
    ROW(large_grid, TMAP_E_ARGUMENT, false),
    ROW(wide_block, TMAP_E_ARGUMENT, false),
    ROW(large_block, TMAP_E_ARGUMENT, false),
    ROW(wide_cluster, TMAP_E_ARGUMENT, false),
    ROW(large_cluster, TMAP_E_ARGUMENT, false),
    ROW(uneven_cluster, TMAP_E_ARGUMENT, false),
    ROW(clusters, TMAP_OK, false),
    ROW(more_than_few, TMAP_E_ARGUMENT, false),
    ROW(few, TMAP_OK, false),
    ROW(not_exact, TMAP_E_ARGUMENT, false),
    ROW(exact, TMAP_OK, false),
    ROW(half_a_pair, TMAP_E_ARGUMENT, false),
    ROW(a_pair, TMAP_OK, false),
    ROW(no_kernel, TMAP_E_ARGUMENT, false),
    ROW(unknown_kernel, TMAP_E_ARGUMENT, false),
    ROW(a_function, TMAP_E_ARGUMENT, false),
    ROW(an_extern, TMAP_E_ARGUMENT, false),
    ROW(no_body, TMAP_E_ARGUMENT, false),
    ROW(large, TMAP_OK, false),
    ROW(too_large, TMAP_E_ROOM, false),
    ROW(neither, TMAP_OK, false),
    ROW(short_parameters, TMAP_E_ARGUMENT, false),
    ROW(no_parameters, TMAP_E_ARGUMENT, false),
    ROW(none_taken, TMAP_E_ARGUMENT, false),
    ROW(none_given, TMAP_OK, false),
    ROW(no_buffers, TMAP_E_ARGUMENT, false),
    ROW(no_data, TMAP_E_ARGUMENT, false),
    ROW(overlapping, TMAP_E_ARGUMENT, false),
    ROW(wrapping, TMAP_E_ARGUMENT, false),
    ROW(in_a_window, TMAP_E_ARGUMENT, false),
    ROW(before_a_window, TMAP_OK, false),
    ROW(too_much_shared, TMAP_E_ROOM, false),
    ROW(no_races, TMAP_OK, false),
    ROW(no_budget_left, TMAP_OK, true)};

static void launches(void **state)
{
    struct tmap_emulate_module *module = load(plain);
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct tmap_emulate_launch l = good();
        struct tmap_emulate_finding finding[2];
        struct tmap_emulate_result result = {.finished = false};
        size_t found = 77;
        changes[i].change(&l);
        const enum tmap_status s = tmap_emulate_run(module, &l, finding, 2, &found, &result);
        if (s != changes[i].status) fail_msg("%s: status %d", changes[i].name, s);
        if (s != TMAP_OK) assert_int_equal(found, 77);
        if (s == TMAP_OK && result.finished == changes[i].unfinished)
            fail_msg("%s: finished %d, %s", changes[i].name, result.finished,
                     found ? finding[0].text : "");
    }
    struct tmap_emulate_launch l = good();
    struct tmap_emulate_result result;
    size_t found;
    assert_int_equal(tmap_emulate_run(NULL, &l, NULL, 0, &found, &result), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_run(module, NULL, NULL, 0, &found, &result), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_run(module, &l, NULL, 1, &found, &result), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_run(module, &l, NULL, 0, NULL, &result), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_run(module, &l, NULL, 0, &found, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_run(module, &l, NULL, 0, &found, &result), TMAP_OK);
    tmap_emulate_free(module);
}

/* --- watches */

static void watches(void **state)
{
    struct tmap_emulate_module *module = load(plain);
    struct tmap_emulate_launch l = good();
    struct tmap_emulate_result result;
    struct tmap_emulate_finding finding[4];
    uint32_t want[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct tmap_emulate_expected expected[] = {
        {0x10000, sizeof want, want}, {0x20000, sizeof want, want}, {0x30000, sizeof want, want}};
    size_t found = 0;
    (void)state;
    memset(other, 0, sizeof other);
    struct tmap_emulate_watch w = {.size = sizeof w, .expected = expected, .expected_count = 1};
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_OK);
    assert_int_equal(found, 0);
    want[3] =
        9; /* a byte that the store left, one that nobody wrote, and memory that is not there */
    w.expected_count = 3;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_OK);
    assert_int_equal(found, 2);
    assert_int_equal(finding[0].kind, TMAP_EMULATE_WRONG);
    assert_int_equal(finding[0].lane, 3);
    assert_non_null(strstr(finding[0].text,
                           "byte 0xc of data is 0x03, not 0x09: last written by st.global.u32"));
    assert_non_null(
        strstr(finding[1].text, "byte 0x4 of global is 0x00, not 0x01: nothing wrote it"));
    l.no_races = true;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_OK);
    assert_non_null(strstr(finding[0].text, "byte 0xc of data is 0x03, not 0x09"));
    assert_null(strstr(finding[0].text, "written"));
    /* sizes and pairs of members */
    const struct tmap_emulate_watch fine = w;
    const size_t sizes[] = {0, 8, sizeof w + 1};
    for (int i = 0; i < 3; i++) {
        w.size = sizes[i];
        assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                         TMAP_E_ARGUMENT);
    }
    w = fine, w.expected = NULL;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_E_ARGUMENT);
    w = fine, w.choices = 1;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_E_ARGUMENT);
    w = fine, w.option_room = 1;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_E_ARGUMENT);
    w = fine, w.size = offsetof(struct tmap_emulate_watch, self), w.choices = 1;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, finding, 4, &found, &result),
                     TMAP_OK);
    tmap_emulate_free(module);
}

struct heard {
    unsigned turns, copies, phases, multiplies, progress, left;
    uint64_t last;
};

static void hear(void *self, const struct tmap_emulate_event *e)
{
    struct heard *h = self;
    assert_true(e->begin <= e->end);
    h->turns += e->kind == TMAP_EMULATE_TURN;
    h->copies += e->kind == TMAP_EMULATE_COPY;
    h->phases += e->kind == TMAP_EMULATE_PHASE;
    h->multiplies += e->kind == TMAP_EMULATE_MULTIPLY;
}

static void progress(void *self, const struct tmap_emulate_counts *counts, uint32_t left,
                     uint32_t clusters)
{
    struct heard *h = self;
    assert_true(counts->warp_instructions >= h->last && left <= clusters);
    h->last = counts->warp_instructions;
    h->left = left;
    h->progress++;
}

/* A loop of 2^20 instructions in each of three CTAs, one at a time. */
static void events_and_progress(void **state)
{
    static const char text[] =
        HEAD ".shared .align 8 .b64 bar; .visible .entry k(.param .u64 p) {\n"
             ".reg .pred %p<2>; .reg .b32 %r<4>;\nmov.u32 %r1, bar;\n"
             "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra over;\n"
             "mbarrier.init.shared.b64 [%r1], 1; mbarrier.arrive.shared.b64 _, [%r1];\nover: "
             "mov.u32 %r0, 0;\n"
             "loop: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 400000; @%p1 bra loop; ret;\n}\n";
    struct tmap_emulate_module *module = load(text);
    struct tmap_emulate_launch l = good();
    struct tmap_emulate_result result;
    struct heard heard = {0};
    size_t found = 0;
    const struct tmap_emulate_watch w = {
        .size = sizeof w, .self = &heard, .event = hear, .progress = progress};
    (void)state;
    l.grid[0] = 3;
    l.block[0] = 32;
    l.residents = 1;
    assert_int_equal(tmap_emulate_run_watched(module, &l, &w, NULL, 0, &found, &result), TMAP_OK);
    assert_true(result.finished);
    assert_int_equal(heard.phases, 3);
    assert_int_equal(result.counts.barrier_phases, 3);
    assert_in_range(heard.progress, 3, 4);
    assert_true(heard.turns >= 3 && heard.left >= 1);
    tmap_emulate_free(module);
}

/* --- who waits for what */

static void hangs(void **state)
{
    static const struct {
        const char *body, *says;
        uint32_t block;
    } rows[] = {
        {"setp.lt.u32 %p1, %r0, 32; @%p1 bra out; bar.sync 1, 64; out: ret;",
         "waits at barrier 1 for 64 threads", 64},
        {"setp.ge.u32 %p1, %r0, 32; @%p1 bra out; barrier.cluster.arrive.aligned; "
         "barrier.cluster.wait.aligned;\n"
         "bra done; out: mov.u32 %r1, bar;\n"
         "wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra wait; done: ret;",
         "waits for the cluster", 64},
        {"setp.eq.u32 %p1, %r0, 3; @%p1 bra out; bar.warp.sync -1; out: bar.warp.sync -9; ret;",
         "waits for lanes", 32},
        {"mov.u32 %r1, bar; wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra "
         "wait; ret;",
         "is under way, 1 of 1 arrivals", 32},
        {"mov.u64 %d0, flag; wait: ld.volatile.global.u32 %r1, [%d0]; setp.eq.u32 %p1, %r1, 0; "
         "@%p1 bra wait; ret;",
         "polls", 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1400];
        struct tmap_emulate_launch l = good();
        struct tmap_emulate_finding finding[4];
        struct tmap_emulate_result result;
        size_t found = 0;
        bool told = false;
        snprintf(
            text, sizeof text,
            HEAD
            ".global .u32 flag; .shared .align 8 .b64 bar; .visible .entry k(.param .u64 p) {\n"
            ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%d<4>;\n"
            "mov.u32 %%r0, %%tid.x; setp.ne.u32 %%p1, %%r0, 0; @%%p1 bra made; mov.u32 %%r1, bar;\n"
            "mbarrier.init.shared.b64 [%%r1], 1; made: bar.sync 0;\n%s\n}\n",
            rows[i].body);
        struct tmap_emulate_module *module = load(text);
        l.block[0] = rows[i].block;
        assert_int_equal(tmap_emulate_run(module, &l, finding, 4, &found, &result), TMAP_OK);
        assert_false(result.finished);
        for (size_t n = 0; n < found && n < 4; n++)
            told |= finding[n].kind == TMAP_EMULATE_HANG && strstr(finding[n].text, rows[i].says);
        if (!told) fail_msg("%s: %s", rows[i].body, found ? finding[0].text : "nothing");
        tmap_emulate_free(module);
    }
}

/* What does something, and never ends, is ended by the budget. */
static void budget(void **state)
{
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 p) {\n.reg .b64 %d<4>;\n"
             "ld.param.u64 %d0, [p]; again: red.global.add.u32 [%d0], 1; bra again;\n}\n";
    struct tmap_emulate_module *module = load(text);
    struct tmap_emulate_launch l = good();
    struct tmap_emulate_finding finding[2];
    struct tmap_emulate_result result;
    size_t found = 0;
    (void)state;
    l.budget = 5000;
    assert_int_equal(tmap_emulate_run(module, &l, finding, 2, &found, &result), TMAP_OK);
    assert_false(result.finished);
    assert_int_equal(found, 1);
    assert_int_equal(finding[0].kind, TMAP_EMULATE_BUDGET);
    tmap_emulate_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches), cmocka_unit_test(watches),
                                       cmocka_unit_test(events_and_progress),
                                       cmocka_unit_test(hangs), cmocka_unit_test(budget)};
    return cmocka_run_group_tests_name("launches of the emulator", tests, NULL, NULL);
}
