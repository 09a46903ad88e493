/* Every fault that can be planted in a copy kernel, on the emulator: each is reported, as a race or
 * misuse, or, where it breaks no rule of PTX, as wrong bytes with the instruction that wrote them;
 * and the same kernel without it, over the same seeds, is right and says nothing. The hardware
 * shows some of them only now and then, and one never (no fence after mbarrier.init).
 *
 * TMAP_EMULATE_SEEDS and TMAP_EMULATE_SHARD: as in test_product_faults.c; every kind of copy. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"

static struct tmap_copy *suite;
static struct emulated *emulator;

struct planted {
    enum copy_fault id;
    int32_t kind;
    uint32_t rank;
    bool values; /* only bytes are wrong */
};

static const struct planted planted[] = {
    {COPY_FAULT_TX_LESS, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_TX_MORE, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_PHASE, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_EARLY, TMAP_COPY_PAGES_AT, 2, false},
    {COPY_FAULT_EARLY, TMAP_COPY_TRANSPOSE, 2, false},
    {COPY_FAULT_NO_FENCE, TMAP_COPY_TRANSPOSE, 2, false},
    {COPY_FAULT_SLOT, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_LAST_TILE, TMAP_COPY_TILE, 2, true},
    {COPY_FAULT_NO_DRAIN, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_NO_ACQUIRE, TMAP_COPY_PATCHED, 2, false},
    {COPY_FAULT_NO_RELEASE, TMAP_COPY_PATCHED, 2, false},
    {COPY_FAULT_SWIZZLE, TMAP_COPY_TRANSPOSE, 2, true},
    {COPY_FAULT_NO_WAIT, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_ROW, TMAP_COPY_TILE, 2, true},
    {COPY_FAULT_TICKET, TMAP_COPY_TILE, 2, true},
    {COPY_FAULT_NO_INIT, TMAP_COPY_TILE, 2, false},
    {COPY_FAULT_MASK, TMAP_COPY_BROADCAST, 3, false},
    {COPY_FAULT_NO_EMPTY, TMAP_COPY_BROADCAST, 3, false},
    {COPY_FAULT_LEAVES, TMAP_COPY_BROADCAST, 3, false},
};

/* Twice on the same counters, as a stream would. */
static struct emulated_outcome run(const struct planted *p, uint32_t fault, uint64_t seed)
{
    struct emulated_copy c;
    struct tmap_copy_plan plan;
    struct emulated_outcome o = {0};
    char name[64];
    emulated_copy_draw(suite, p->kind, p->rank, seed, &c);
    if (p->id == COPY_FAULT_EARLY && p->kind == TMAP_COPY_PAGES_AT) c.config.stages = 1;
    if (p->kind == TMAP_COPY_TILE)
        c.config.box[0] = 16, c.config.box[1] = 2, c.config.keep_type = 1;
    emulator->how.schedule =
        seed < TMAP_EMULATE_RANDOM ? (enum tmap_emulate_schedule)seed : TMAP_EMULATE_RANDOM;
    emulator->how.seed = seed;
    emulator->how.budget = 3000000;
    emulator->expected = (struct tmap_emulate_expected){c.problem.dst, c.dst_bytes, c.expected};
    assert_int_equal(tmap_copy_make_plan(suite, &c.problem, &c.config, &plan, NULL), TMAP_OK);
    snprintf(name, sizeof name, "faulty_%s", plan.kernel);
    plan.function = emulated_function(name);
    assert_non_null(plan.function);
    if (p->id == COPY_FAULT_EARLY) plan.grid = 1; // several tiles in a block
    struct copy_params k;
    memcpy(&k, plan.params, sizeof k);
    k.fault = fault;
    memcpy(plan.params, &k, sizeof k);
    uint8_t *const dst = (uint8_t *)(uintptr_t)c.problem.dst, *before = malloc(c.dst_bytes);
    assert_non_null(before);
    memcpy(before, dst, c.dst_bytes);
    for (int turn = 0; turn < 2; turn++) {
        const bool failed = tmap_copy_run(&plan, NULL) != TMAP_OK;
        emulated_add(&o, failed, emulated_copy_wrong(&c) != c.dst_bytes);
        if (o.findings || o.failed) break;
        memcpy(dst, before, c.dst_bytes);
    }
    if (!fault && !emulated_is_right(&o)) emulated_print();
    emulated_zero(suite->tickets);
    emulator->expected.bytes = 0;
    free(before);
    tmap_copy_release(&plan);
    emulated_copy_free(suite, &c);
    return o;
}

enum { SEEDS = 9 };

static bool silent(const struct planted *p, uint64_t seed)
{
    const struct emulated_outcome control = run(p, 0, seed);
    if (emulated_is_right(&control)) return true;
    print_error("# kind %d, rank %u, seed %u: the control is not right: %s\n", p->kind, p->rank,
                (unsigned)seed, control.text);
    return false;
}

static void controls_are_silent(void **state)
{
    static const struct planted kinds[] = {
        {0, TMAP_COPY_TILE, 1, false},     {0, TMAP_COPY_TILE, 2, false},
        {0, TMAP_COPY_TILE, 3, false},     {0, TMAP_COPY_TILE, 4, false},
        {0, TMAP_COPY_TILE, 5, false},     {0, TMAP_COPY_ADD, 2, false},
        {0, TMAP_COPY_BULK, 1, false},     {0, TMAP_COPY_TRANSPOSE, 2, false},
        {0, TMAP_COPY_IM2COL, 4, false},   {0, TMAP_COPY_PAGES, 2, false},
        {0, TMAP_COPY_PAGES_AT, 2, false}, {0, TMAP_COPY_BROADCAST, 3, false},
        {0, TMAP_COPY_LIST, 2, false},     {0, TMAP_COPY_PATCHED, 2, false}};
    uint64_t seeds = SEEDS, first = 0, step = 1, runs = 0;
    (void)state;
    emulated_seeds(&seeds, &first, &step);
    for (uint64_t seed = first; seed < seeds; seed += step)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++, runs++)
            assert_true(silent(&kinds[i], seed));
    print_message("# %llu runs of copies, none with a finding\n", (unsigned long long)runs);
}

static void every_fault_is_found(void **state)
{
    int missed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        const struct planted *p = &planted[i];
        int found = 0;
        struct emulated_outcome last = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            assert_true(silent(p, seed));
            const struct emulated_outcome o = run(p, p->id, seed);
            if (!o.findings || (!p->values && strncmp(o.text, "wrong", 5) == 0)) continue;
            found++;
            last = o;
        }
        print_message("# fault %2d: found %d of %d: %.230s\n", p->id, found, SEEDS, last.text);
        missed += found == 0;
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(controls_are_silent),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_copy_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("tests/device/copy_faults") || !emulated_ptx("src/kernels/copy/copy") ||
        !emulated_ptx("src/kernels/copy/special") || !emulated_ptx("src/kernels/copy/transpose"))
        return emulated_skip("faults of emulated copies");
    if (getenv("TMAP_EMULATE_SEEDS")) cmocka_set_test_filter("controls*");
    const int failed = cmocka_run_group_tests_name("faults of emulated copies", tests, NULL, NULL);
    emulated_close();
    return failed;
}
