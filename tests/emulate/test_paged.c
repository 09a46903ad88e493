/* Decode attention on the emulator: drawn pages, layouts and lengths against plain sums, under all
 * three schedules; faults planted in its kernels; and what is refused.
 *
 * TMAP_EMULATE_SHAPES says how many shapes (24). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_instances.h"
#include "support/paged.h"

static struct tmap_paged suite;
static struct emulated *emulator;

static bool open_suite(void)
{
    emulated_open(&suite.gpu.api);
    suite.gpu.cc_major = 9;
    suite.gpu.sm_count = 4;
    suite.limit_ms = 2000;
    suite.gpu.api.module_load_data(&suite.module, NULL);
    return suite_checker(&suite.gpu, &suite.checker, &suite.smem_bytes) == TMAP_OK &&
           suite_mailbox_open(&suite.gpu.api, &suite.mailbox) == TMAP_OK;
}

static void schedule(uint64_t seed, uint64_t budget)
{
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.budget = budget;
}

static void fail_with(const struct paged *x, const char *name, uint64_t seed, long wrong,
                      int status)
{
    char text[400];
    paged_words(&x->draw, text, sizeof text);
    emulated_print();
    fail_msg("%s seed %u: status %d %s, %ld wrong, %zu findings: %s", name, (unsigned)seed, status,
             x->refusal.text, wrong, emulator->findings, text);
}

static void shapes(void **state)
{
    static const struct paged_size size = {3, 2, 300};
    const uint64_t count = emulated_shapes(24);
    (void)state;
    for (uint64_t seed = 1; seed <= count; seed++) {
        uint64_t random = seed * 7919;
        struct paged_draw draw;
        struct paged x;
        paged_draw(&size, &random, &draw);
        assert_true(paged_make(&suite, &draw, &random, &x));
        schedule(seed, 0);
        const enum tmap_status status = paged_plan(&x);
        const long wrong = status == TMAP_OK ? paged_wrong(&x) : -1;
        if (wrong != 0 || emulator->findings) fail_with(&x, "shape", seed, wrong, status);
        paged_free(&x);
    }
    print_message("# %u shapes\n", (unsigned)count);
}

/* Whether two runs with the fault are other than right; a control's must be right. */
static bool shows(const struct paged_fault *fault, uint32_t id, uint64_t seed)
{
    uint64_t random = seed;
    struct paged_draw draw;
    struct paged x;
    bool shown = false;
    paged_draw_fault(&random, &draw);
    assert_true(paged_make(&suite, &draw, &random, &x));
    schedule(seed, 6000000);
    const enum tmap_status status = paged_plan(&x);
    if (status != TMAP_OK) fail_with(&x, fault->name, seed, -1, status);
    paged_plant(&x, id, emulated_function(paged_fault_kernel(&x)));
    for (int run = 0; run < 2 && !shown; run++) {
        const long wrong = paged_wrong(&x);
        shown = wrong != 0 || emulator->findings != 0;
        if (id == 0 && shown) fail_with(&x, fault->name, seed, wrong, status);
    }
    paged_free(&x);
    return shown;
}

static void every_fault_is_found(void **state)
{
    static const struct paged_fault none = {0, false, "control"};
    (void)state;
    assert_true(emulated_ptx("tests/device/paged/faults"));
    for (uint64_t seed = 0; seed < 3; seed++) shows(&none, 0, seed);
    for (size_t i = 0; i < paged_fault_count; i++) {
        bool shown = false;
        for (uint64_t seed = 0; seed < 6 && !shown; seed++)
            shown = shows(&paged_faults[i], paged_faults[i].id, seed);
        if (!shown) fail_msg("not found: %s", paged_faults[i].name);
    }
}

/* The mailbox's words, which the device program's faults fill (here nothing ever waits in vain). */
static void a_report_is_read(void **state)
{
    (void)state;
    assert_int_equal(tmap_paged_last_report(&suite).what, 0);
    for (uint32_t i = 0; i < 6; i++) suite.mailbox.words[i] = i + 1;
    const struct tmap_paged_report said = tmap_paged_last_report(&suite);
    assert_int_equal(said.what, 1);
    assert_int_equal(said.barrier, 2);
    assert_int_equal(said.slot, 3);
    assert_int_equal(said.parity, 4);
    assert_int_equal(said.block, 5);
    assert_int_equal(said.thread, 6);
    for (uint32_t i = 0; i < 6; i++) suite.mailbox.words[i] = 0;
    assert_int_equal(tmap_paged_last_report(NULL).what, 0);
}

static void refused(struct paged *x, enum tmap_status status, char operand, const char *words)
{
    assert_int_equal(paged_plan(x), status);
    if (!strstr(x->refusal.text, words) || x->refusal.operand != operand)
        fail_msg("'%s' of '%c' does not say %s", x->refusal.text, x->refusal.operand, words);
}

/* What a row forbids of the caches, and what no kernel does. */
static void what_cannot_be_is_refused(void **state)
{
    uint64_t random = 1;
    struct paged_draw draw;
    struct paged x;
    (void)state;
    paged_draw_fault(&random, &draw);
    assert_true(paged_make(&suite, &draw, &random, &x));
    struct tmap_paged_problem *p = &x.draw.problem;
    struct tmap_paged_config *c = &x.draw.request;
    const struct tmap_paged_problem good = *p;
    const struct tmap_paged_config plain = *c;
    p->k.address += 8, refused(&x, TMAP_E_ILLEGAL, 'K', "TMA"), *p = good;
    p->v.address += 2, refused(&x, TMAP_E_ILLEGAL, 'V', "address % 16 = 0"), *p = good;
    p->k.token_stride += 4, refused(&x, TMAP_E_ILLEGAL, 'K', "stride[0] % 16 = 0"), *p = good;
    p->v.head_stride += 1, refused(&x, TMAP_E_ILLEGAL, 'V', "stride[2] % 16 = 0"), *p = good;
    p->v.page_stride += 2, refused(&x, TMAP_E_ILLEGAL, 'V', "stride[3] % 16 = 0"), *p = good;
    p->k.page_stride = (int64_t)1 << 40, refused(&x, TMAP_E_ILLEGAL, 'K', "stride[3]"), *p = good;
    p->dim = 96, refused(&x, TMAP_E_NO_PLAN, 0, "heads of 96"), *p = good;
    p->kind = 2, refused(&x, TMAP_E_ARGUMENT, 0, "kind is 2"), *p = good;
    p->heads = 7, refused(&x, TMAP_E_ARGUMENT, 0, "times kv_heads"), *p = good;
    p->heads = 34, refused(&x, TMAP_E_ARGUMENT, 0, "times kv_heads"), *p = good;
    p->page_size = 0, refused(&x, TMAP_E_ARGUMENT, 0, "page_size is 0"), *p = good;
    p->table_pages = 1 << 24, p->page_size = 1 << 20;
    refused(&x, TMAP_E_ARGUMENT, 0, "tokens"), *p = good;
    p->query += 2, refused(&x, TMAP_E_ARGUMENT, 0, "multiples of 4"), *p = good;
    p->table += 2, refused(&x, TMAP_E_ARGUMENT, 0, "table"), *p = good;
    p->workspace = 0, refused(&x, TMAP_E_NO_PLAN, 0, "no workspace"), *p = good;
    c->stages = 9, refused(&x, TMAP_E_ARGUMENT, 0, "stages is 9"), *c = plain;
    c->splits = 129, refused(&x, TMAP_E_ARGUMENT, 0, "splits is 129"), *c = plain;
    p->dim = 128, c->stages = 8, refused(&x, TMAP_E_NO_PLAN, 0, "shared memory holds"), *c = plain;
    *p = good;
    assert_int_equal(paged_plan(&x), TMAP_OK);
    paged_free(&x);
}

/* Every page size has legal maps in every layout, a box that divides it, and no larger one. */
static void every_page_size_is_legal(void **state)
{
    uint64_t random = 1;
    struct paged_draw draw;
    struct paged x;
    (void)state;
    paged_draw_fault(&random, &draw);
    assert_true(paged_make(&suite, &draw, &random, &x));
    for (int32_t size = 1; size <= 300; size++)
        for (int32_t layout = 0; layout < TMAP_PAGED_LAYOUTS; layout++) {
            x.draw.problem.page_size = size;
            assert_int_equal(tmap_paged_lay_out(&x.draw.problem, (enum tmap_paged_layout)layout),
                             TMAP_OK);
            if (paged_plan(&x) != TMAP_OK) fail_msg("page %d: %s", size, x.refusal.text);
            assert_int_equal(size % (int32_t)x.plan.box_tokens, 0);
            assert_true(x.plan.box_tokens == PAGED_TOKENS ||
                        size % (int32_t)(2 * x.plan.box_tokens) != 0);
            x.draw.problem.v.address = x.draw.problem.k.address;
        }
    paged_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes), cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(every_page_size_is_legal), cmocka_unit_test(a_report_is_read),
        cmocka_unit_test(every_fault_is_found)};
    if (!open_suite()) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/paged/paged")) return emulated_skip("paged attention");
    const int failed = cmocka_run_group_tests_name("paged attention", tests, NULL, NULL);
    emulated_close();
    return failed;
}
