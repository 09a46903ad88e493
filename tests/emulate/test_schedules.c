/* Schedules that are chosen: every order of a small kernel's warps and copies, bounded by the
 * number of choices that are not the first; events; progress. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tmap/emulate.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"
enum { N = 256, MOST = 64, FINDINGS = 8, RUNS = 5000 };

/* Two warps take tickets by an atomic; who comes first writes 1, the other 2. No race, two ends. */
static const char tickets[] = HEAD
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra done;\n"
    "bar.warp.sync 1; shr.u32 %r3, %r1, 5; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "atom.global.add.u32 %r4, [%rd1 + 64], 1; st.global.u32 [%rd3], %r4; done: ret;\n}\n";

/* Warp 1 looks once at a flag that warp 0 sets, and traps where it has come first. */
static const char once[] =
    HEAD ".visible .entry k(.param .u64 p) {\n"
         ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .align 4 .b32 flag;\n"
         "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"
         "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [flag], 0; bar.sync 0;\n"
         "setp.ge.u32 %p1, %r1, 32; @%p1 bra second; setp.ne.u32 %p2, %r1, 0; @%p2 bra done;\n"
         "st.relaxed.cta.shared.u32 [flag], 1; bra done;\n"
         "second: setp.ne.u32 %p2, %r1, 32; @%p2 bra done; ld.relaxed.cta.shared.u32 %r2, [flag];\n"
         "setp.eq.u32 %p2, %r2, 0; @%p2 trap; done: ret;\n}\n";

struct told {
    unsigned turns, phases, copies;
    uint64_t last;
    bool in_order;
};

static void event(void *self, const struct tmap_emulate_event *e)
{
    struct told *t = self;
    t->turns += e->kind == TMAP_EMULATE_TURN;
    t->copies += e->kind == TMAP_EMULATE_COPY;
    t->phases += e->kind == TMAP_EMULATE_PHASE;
    t->in_order &= e->begin <= e->end && e->end >= t->last;
    t->last = e->end;
}

struct exploration {
    struct tmap_emulate_module *module;
    uint32_t data[N], choice[MOST], options[MOST];
    size_t decided;
    unsigned runs, first_is_0, first_is_1, findings;
};

static void run(struct exploration *x, size_t choices)
{
    struct tmap_emulate_finding finding[FINDINGS];
    struct tmap_emulate_result result;
    size_t found = 0;
    const struct tmap_emulate_buffer buffer = {0x10000, sizeof x->data, x->data, "data"};
    const uint64_t params = buffer.address;
    const struct tmap_emulate_watch watch = {.size = sizeof watch,
                                             .choice = x->choice,
                                             .choices = choices,
                                             .options = x->options,
                                             .option_room = MOST,
                                             .decided = &x->decided};
    const struct tmap_emulate_launch launch = {.kernel = "k",
                                               .block = {64, 1, 1},
                                               .params = &params,
                                               .param_bytes = 8,
                                               .buffers = &buffer,
                                               .buffer_count = 1,
                                               .schedule = TMAP_EMULATE_CHOSEN,
                                               .budget = 100000};
    memset(x->data, 0, sizeof x->data);
    x->decided = 0;
    assert_int_equal(
        tmap_emulate_run_watched(x->module, &launch, &watch, finding, FINDINGS, &found, &result),
        TMAP_OK);
    x->runs++;
    x->findings += found != 0;
    x->first_is_0 += result.finished && x->data[1] == 1;
    x->first_is_1 += result.finished && x->data[0] == 1;
}

/* Every sequence of choices, depth first. */
static void explore(struct exploration *x, const char *text)
{
    struct tmap_emulate_error error;
    size_t n = 0;
    memset(x, 0, sizeof *x);
    if (tmap_emulate_load(text, strlen(text), &x->module, &error) != TMAP_OK)
        fail_msg("line %u: %s", error.line, error.text);
    for (;;) {
        run(x, n);
        assert_true(x->decided <= MOST && x->runs < RUNS);
        for (size_t i = n; i < x->decided; i++) x->choice[i] = 0;
        for (n = x->decided; n > 0 && x->choice[n - 1] + 1 >= x->options[n - 1]; n--) continue;
        if (n == 0) break;
        x->choice[n - 1]++;
    }
    tmap_emulate_free(x->module);
}

static void every_order_is_reached(void **state)
{
    struct exploration x;
    (void)state;
    explore(&x, tickets);
    assert_true(x.first_is_0 > 0 && x.first_is_1 > 0);
    assert_int_equal(x.first_is_0 + x.first_is_1, x.runs);
    assert_int_equal(x.findings, 0);
}

static void one_order_of_many_is_wrong(void **state)
{
    struct exploration x;
    (void)state;
    explore(&x, once);

    assert_true(x.findings > 0 && x.findings < x.runs);
}

static void events_are_told_in_their_order(void **state)
{
    struct tmap_emulate_module *module;
    struct told told = {.in_order = true};
    struct tmap_emulate_result result;
    uint32_t data[N] = {0};
    size_t found;
    const struct tmap_emulate_buffer buffer = {0x10000, sizeof data, data, "data"};
    const uint64_t params = buffer.address;
    struct tmap_emulate_watch watch = {.size = sizeof watch, .self = &told, .event = event};
    const struct tmap_emulate_launch launch = {.kernel = "k",
                                               .block = {64, 1, 1},
                                               .params = &params,
                                               .param_bytes = 8,
                                               .buffers = &buffer,
                                               .buffer_count = 1};
    (void)state;
    assert_int_equal(tmap_emulate_load(tickets, strlen(tickets), &module, NULL), TMAP_OK);
    assert_int_equal(tmap_emulate_run_watched(module, &launch, &watch, NULL, 0, &found, &result),
                     TMAP_OK);
    assert_true(told.in_order && told.turns >= 2);
    watch.size = 3;
    assert_int_equal(tmap_emulate_run_watched(module, &launch, &watch, NULL, 0, &found, &result),
                     TMAP_E_ARGUMENT);
    tmap_emulate_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_reached),
        cmocka_unit_test(one_order_of_many_is_wrong),
        cmocka_unit_test(events_are_told_in_their_order),
    };
    return cmocka_run_group_tests_name("schedules", tests, NULL, NULL);
}
