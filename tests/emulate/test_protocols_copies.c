/* The protocols of the copies' kernels, folded from what their PTX does on the emulator in three
 * runs of one plan with fewer tiles each, and proved for any number: the ring whose slots the copy
 * engine fills and stores, of a cluster too, and the transposition's staging. Faults planted in the
 * ring are refuted. Lists of tensors make their barriers again for each. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/params.h"
#include "support/emulated_suites.h"
#include "support/proved.h"

enum { MEGABYTES = 16, STAGES = 2 };

static struct tmap_copy *suite;
static struct emulated *emulator;
static struct prover prover;

struct design {
    const char *name;
    int32_t kind;
    uint32_t rank, fault;
    enum tmap_hazard hazard; /* as which the fault is refuted */
};

static bool is_list(const struct design *d)
{
    return d->kind == TMAP_COPY_LIST || d->kind == TMAP_COPY_PATCHED;
}

/* At least four tensors, each of more slots than the ring has. */
static bool is_long(const struct emulated_copy *c)
{
    for (uint32_t i = 0; i < c->problem.list_count; i++)
        if (c->list[i].rows < 8) return false;
    return c->problem.list_count >= 4;
}

/* What is drawn, in slots so small that there are many. */
static void draw(const struct design *d, struct emulated_copy *c)
{
    emulated_copy_draw(suite, d->kind, d->rank, 7, c);
    for (uint64_t seed = 8; c->problem.copies == 4; seed++) { /* so many have too many states */
        emulated_copy_free(suite, c);
        emulated_copy_draw(suite, d->kind, d->rank, seed, c);
    }
    if (d->kind == TMAP_COPY_TRANSPOSE) return;
    c->config.stages = STAGES;
    if (is_list(d)) {
        for (uint64_t seed = 9; !is_long(c); seed++) {
            emulated_copy_free(suite, c);
            emulated_copy_draw(suite, d->kind, d->rank, seed, c);
        }
        c->config.stages = STAGES, c->config.slot_bytes = 512;
    }
    if (d->kind == TMAP_COPY_BULK) c->problem.dim[0] = 9 * 256, c->config.slot_bytes = 2048;
    if (d->kind == TMAP_COPY_TILE || d->kind == TMAP_COPY_ADD) c->config.slot_bytes = 512;
}

static void record(const struct design *d, uint32_t run, struct tmap_emulate_record **out)
{
    struct emulated_copy c;
    struct tmap_copy_plan plan;
    struct copy_params params;
    char faulty[80];
    draw(d, &c);
    assert_int_equal(tmap_copy_make_plan(suite, &c.problem, &c.config, &plan, NULL), TMAP_OK);
    snprintf(faulty, sizeof faulty, "faulty_%s", plan.kernel);
    memcpy(&params, &plan.params, sizeof params);
    assert_true(params.total > run);
    params.total -= run;
    params.fault = d->fault;
    memcpy(&plan.params, &params, sizeof params);
    plan.function = emulated_function(faulty);
    assert_non_null(plan.function);
    plan.grid = d->kind == TMAP_COPY_BROADCAST ? (uint32_t)c.problem.copies : 1;
    assert_int_equal(tmap_emulate_record_open(0, out), TMAP_OK);
    emulator->how =
        (struct tmap_emulate_launch){.schedule = TMAP_EMULATE_EARLIEST, .no_races = true};
    emulator->record = *out;
    assert_int_equal(emulated_recorded(tmap_copy_run(&plan, NULL)), TMAP_OK);
    tmap_copy_release(&plan);
    emulated_copy_free(suite, &c);
}

static void check(const struct design *d, enum tmap_emulate_part part,
                  struct tmap_emulate_record *records[PROVED_RUNS])
{
    struct proved p;
    prove(&prover, records, part, 0, &p);
    print_message("# %s, %s: %s, %u states %s\n", d->name, proved_part(part), proved_words(&p),
                  p.result.states, p.error.text);
    assert_int_equal(p.status, TMAP_OK);
    assert_int_equal(p.result.fault, d->hazard);
    assert_int_equal(p.result.verdict, d->hazard ? TMAP_ILLEGAL : TMAP_LEGAL);
}

static void designs(void **state)
{
    const struct design *d = *state;
    struct tmap_emulate_record *records[PROVED_RUNS];
    for (uint32_t run = 0; run < PROVED_RUNS; run++) record(d, run, &records[run]);
    check(d, TMAP_EMULATE_BARRIERS, records);
    if (d->kind == TMAP_COPY_TRANSPOSE) check(d, TMAP_EMULATE_STAGING, records);
    for (int run = 0; run < PROVED_RUNS; run++) tmap_emulate_record_free(records[run]);
}

static const struct design list[] = {
    {"bulk", TMAP_COPY_BULK, 1, 0, TMAP_HAZARD_NONE},
    {"tile, rank 4", TMAP_COPY_TILE, 4, 0, TMAP_HAZARD_NONE},
    {"tile, rank 5", TMAP_COPY_TILE, 5, 0, TMAP_HAZARD_NONE},
    {"add, rank 5", TMAP_COPY_ADD, 5, 0, TMAP_HAZARD_NONE},
    {"im2col", TMAP_COPY_IM2COL, 4, 0, TMAP_HAZARD_NONE},
    {"pages", TMAP_COPY_PAGES, 2, 0, TMAP_HAZARD_NONE},
    {"pages by address", TMAP_COPY_PAGES_AT, 2, 0, TMAP_HAZARD_NONE},
    {"transposition", TMAP_COPY_TRANSPOSE, 2, 0, TMAP_HAZARD_NONE},
    {"broadcast", TMAP_COPY_BROADCAST, 3, 0, TMAP_HAZARD_NONE},
    {"list", TMAP_COPY_LIST, 2, 0, TMAP_HAZARD_NONE},
    {"list, maps patched", TMAP_COPY_PATCHED, 2, 0, TMAP_HAZARD_NONE},
    {"list, no fence after mbarrier.init", TMAP_COPY_LIST, 2, COPY_FAULT_NO_INIT,
     TMAP_HAZARD_UNINITIALIZED},
    {"list, slot stored without waiting for its bytes", TMAP_COPY_LIST, 2, COPY_FAULT_NO_WAIT,
     TMAP_HAZARD_EARLY},
    {"list, slot reused before its store has read it", TMAP_COPY_LIST, 2, COPY_FAULT_EARLY,
     TMAP_HAZARD_UNWAITED_STORE},
    {"list, stores are not waited for before the next tensor", TMAP_COPY_PATCHED, 2,
     COPY_FAULT_NO_DRAIN, TMAP_HAZARD_UNWAITED_STORE},
    {"slot reused before its store has read it", TMAP_COPY_BULK, 1, COPY_FAULT_EARLY,
     TMAP_HAZARD_UNWAITED_STORE},
    {"stores are not waited for at the end", TMAP_COPY_BULK, 1, COPY_FAULT_NO_DRAIN,
     TMAP_HAZARD_UNWAITED_STORE},
    {"slot stored without waiting for its bytes", TMAP_COPY_BULK, 1, COPY_FAULT_NO_WAIT,
     TMAP_HAZARD_EARLY},
    {"no fence after mbarrier.init", TMAP_COPY_BULK, 1, COPY_FAULT_NO_INIT,
     TMAP_HAZARD_UNINITIALIZED},
    {"broadcast into slots that others have not emptied", TMAP_COPY_BROADCAST, 3,
     COPY_FAULT_NO_EMPTY, TMAP_HAZARD_OVERWRITE},
};
enum { DESIGNS = sizeof list / sizeof *list };

int main(void)
{
    struct CMUnitTest tests[DESIGNS];
    suite = emulated_copy_suite();
    if (!suite || !prover_open(&prover, MEGABYTES)) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/copy/copy") || !emulated_ptx("src/kernels/copy/special") ||
        !emulated_ptx("src/kernels/copy/transpose") || !emulated_ptx("tests/device/copy_faults"))
        return emulated_skip("protocols of copies");
    for (size_t i = 0; i < DESIGNS; i++)
        tests[i] =
            (struct CMUnitTest){list[i].name, designs, NULL, NULL, (void *)(uintptr_t)&list[i]};
    const int failed = _cmocka_run_group_tests("protocols of copies", tests, DESIGNS, NULL, NULL);
    emulated_close();
    prover_close(&prover);
    return failed;
}
