/* Streams and contexts, on a pretended device: launches that may run at once share no memory, and
 * every call leaves its thread the context that it had. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "../support/gemm_suite.h"
#include "kernels/copy/suite.h"
#include "tmap/copy.h"

#define OURS ((tmap_cu_context)0x1000)
#define THEIRS ((tmap_cu_context)0x2000)

static _Thread_local tmap_cu_context current;
static _Thread_local struct gemm_params launched;
static _Thread_local tmap_cu_context launched_in;
static _Thread_local uint32_t *ticket;
static bool fails;

static tmap_cu_result get_current(tmap_cu_context *c)
{
    *c = current;
    return 0;
}
static tmap_cu_result set_current(tmap_cu_context c)
{
    current = c;
    return 0;
}
static tmap_cu_result launch(const struct tmap_cu_launch *how, tmap_cu_function function,
                             void **params, void **extra)
{
    (void)how, (void)function, (void)extra;
    memcpy(&launched, params[0], sizeof launched);
    launched_in = current;
    return fails ? 719 : 0;
}
static tmap_cu_result launch_copy(const struct tmap_cu_launch *how, tmap_cu_function function,
                                  void **params, void **extra)
{
    (void)how, (void)function, (void)extra;
    ticket = ((struct copy_params *)params[0])->ticket;
    launched_in = current;
    return fails ? 719 : 0;
}

static struct tmap_gemm *suite_of(tmap_cu_context before)
{
    struct tmap_gemm *suite = pretend();
    for (size_t i = 0; i < gemm_instance_count; i++)
        suite->functions[i] = (tmap_cu_function)(uintptr_t)(i + 1);
    suite->gpu.context = OURS;
    suite->gpu.api.ctx_get_current = get_current;
    suite->gpu.api.ctx_set_current = set_current;
    suite->gpu.api.launch_kernel_ex = launch;
    current = before;
    fails = false;
    return suite;
}

/* 2048 x 2176 x 8192 is dealt out by k-blocks: what ended in the watchdog on two streams (H200). */
static struct tmap_gemm_plan dealt_out(struct tmap_gemm *suite)
{
    const struct tmap_gemm_config request = {.stream_k = TMAP_GEMM_STREAM_K_ANY};
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 2048, 2176, 8192);
    struct tmap_gemm_plan plan;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, &request, &plan, NULL), TMAP_OK);
    assert_true(plan.needs_workspace);
    return plan;
}

static uint64_t flags_of(const struct tmap_gemm_plan *plan, uintptr_t stream)
{
    assert_int_equal(tmap_gemm_run(plan, (void *)stream), TMAP_OK);
    assert_int_equal(launched.parts, launched.flags + GEMM_FLAG_BYTES);
    return launched.flags;
}

static void eight_streams_have_a_workspace_each(void **state)
{
    (void)state;
    struct tmap_gemm *suite = suite_of(OURS);
    const struct tmap_gemm_plan plan = dealt_out(suite);
    uint64_t at[8];
    for (uintptr_t i = 0; i < 8; i++) at[i] = flags_of(&plan, i);
    for (uintptr_t i = 0; i < 8; i++) {
        assert_int_equal(flags_of(&plan, i), at[i]);
        for (uintptr_t j = 0; j < i; j++)
            assert_true(at[i] >= at[j] + tmap_gemm_workspace_bytes(suite) ||
                        at[j] >= at[i] + tmap_gemm_workspace_bytes(suite));
    }
}

static void a_capture_has_its_own(void **state)
{
    (void)state;
    struct tmap_gemm *suite = suite_of(OURS);
    const struct tmap_gemm_plan plan = dealt_out(suite);
    const uint64_t first = flags_of(&plan, 100), second = flags_of(&plan, 200);
    assert_true(first != second && first != flags_of(&plan, 1));
    assert_int_equal(flags_of(&plan, 100), first); /* within one capture */
}

static void what_the_caller_gives_is_used(void **state)
{
    (void)state;
    struct tmap_gemm *suite = suite_of(OURS);
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 2048, 2176, 8192);
    const struct tmap_gemm_config request = {.stream_k = TMAP_GEMM_STREAM_K_ANY};
    struct tmap_gemm_plan plan;
    p.workspace = 77 * 256;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, &request, &plan, NULL), TMAP_OK);
    assert_int_equal(flags_of(&plan, 1), 77 * 256);
    assert_int_equal(flags_of(&plan, 2), 77 * 256);
    assert_int_equal(suite->workspaces->count, 0);
}

static void too_many_streams_are_refused(void **state)
{
    (void)state;
    struct tmap_gemm *suite = suite_of(OURS);
    const struct tmap_gemm_plan plan = dealt_out(suite);
    for (uintptr_t i = 0; i < STREAMS_MOST; i++) flags_of(&plan, 1000 + i);
    assert_int_equal(tmap_gemm_run(&plan, (void *)(uintptr_t)100000), TMAP_E_MEMORY);
    flags_of(&plan, 1000); /* those that are there go on */
}

struct thread {
    const struct tmap_gemm_plan *plan;
    uint64_t at[8];
};

static void *run_all(void *of)
{
    struct thread *t = of;
    current = THEIRS;
    for (int round = 0; round < 50; round++)
        for (uintptr_t i = 0; i < 8; i++) t->at[i] = flags_of(t->plan, i == 2 ? 9 : i);
    return current == THEIRS ? t : NULL;
}

/* Threads that use the same streams find the same workspaces; the default stream of each thread,
 * which all of them call 2, is another in each. */
static void threads_find_the_same(void **state)
{
    (void)state;
    struct tmap_gemm *suite = suite_of(OURS);
    const struct tmap_gemm_plan plan = dealt_out(suite);
    struct thread of[8];
    pthread_t thread[8];
    void *good;
    for (int i = 0; i < 8; i++) {
        of[i].plan = &plan;
        assert_int_equal(pthread_create(&thread[i], NULL, run_all, &of[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], &good);
        assert_non_null(good);
        assert_memory_equal(of[i].at, of[0].at, sizeof of[0].at);
    }
    assert_int_equal(suite->workspaces->count, 8);
}

static void every_call_leaves_the_context_as_it_was(void **state)
{
    (void)state;
    static const tmap_cu_context before[] = {NULL, OURS, THEIRS};
    for (int i = 0; i < 6; i++) {
        struct tmap_gemm *suite = suite_of(before[i % 3]);
        const struct tmap_gemm_plan plan = dealt_out(suite);
        struct tmap_gemm_config config;
        assert_ptr_equal(current, before[i % 3]);
        fails = i >= 3;
        assert_int_equal(tmap_gemm_run(&plan, NULL), fails ? TMAP_E_DRIVER : TMAP_OK);
        assert_ptr_equal(launched_in, OURS);
        assert_ptr_equal(current, before[i % 3]);
        tmap_gemm_configs(suite, &plan.problem, NULL, &config, 1);
        assert_ptr_equal(current, before[i % 3]);
    }
}

/* A graph's launches may run beside the stream's, so their counters are not one. */
static void a_captured_copy_has_its_own_counters(void **state)
{
    (void)state;
    static struct stream_memory tickets;
    struct tmap_copy suite = {.tickets = &tickets};
    struct tmap_copy_plan plan = {.suite = &suite};
    suite.gpu = suite_of(THEIRS)->gpu;
    suite.gpu.api.launch_kernel_ex = launch_copy;
    assert_true(stream_memory_init(&tickets, 64, 64));
    uint32_t *seen[4];
    static const uintptr_t streams[] = {1, 3, 100, 300};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tmap_copy_run(&plan, (void *)streams[i]), TMAP_OK);
        seen[i] = ticket;
        for (int j = 0; j < i; j++) assert_ptr_not_equal(seen[i], seen[j]);
    }
    for (int i = 0; i < 10000; i++) { /* 4096 launches later too */
        assert_int_equal(tmap_copy_run(&plan, (void *)streams[i % 4]), TMAP_OK);
        assert_ptr_equal(ticket, seen[i % 4]);
    }
    assert_ptr_equal(launched_in, OURS);
    assert_ptr_equal(current, THEIRS);
    assert_int_equal(tickets.count, 4);
}

static void nothing_is_asked_of_null(void **state)
{
    (void)state;
    assert_int_equal(tmap_gemm_run(NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_gemm_group_run(NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_copy_run(NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_gemm_workspace_bytes(NULL), 0);
    assert_int_equal(tmap_gemm_last_report(NULL).what, 0);
    assert_int_equal(tmap_copy_last_report(NULL).what, 0);
    assert_int_equal(tmap_gemm_group_rows(NULL, 0), 0);
    tmap_gemm_close(NULL);
    tmap_copy_close(NULL);
    tmap_copy_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_streams_have_a_workspace_each),
        cmocka_unit_test(a_capture_has_its_own),
        cmocka_unit_test(what_the_caller_gives_is_used),
        cmocka_unit_test(too_many_streams_are_refused),
        cmocka_unit_test(threads_find_the_same),
        cmocka_unit_test(every_call_leaves_the_context_as_it_was),
        cmocka_unit_test(a_captured_copy_has_its_own_counters),
        cmocka_unit_test(nothing_is_asked_of_null),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
