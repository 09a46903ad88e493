/* The protocols of products of weights in 4 or 8 bits, folded from what the PTX does on the
 * emulator and proved for any number of k-blocks: of blocks that do whole tiles, that send a part
 * of one, and that add others' parts. A kernel with a planted fault is refuted. Slots that are
 * filled before the predecessor's end (overlap 1) are not read, nor launches that know their next
 * problem, whose loading thread waits for its own last slot once more at its end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "support/emulated_suites.h"
#include "support/mixed_fault.h"
#include "support/proved.h"

enum { RUNS = PROVED_RUNS, MEGABYTES = 64 };

static struct tmap_gemm *suite;
static struct emulated *emulator;
static struct prover prover;

/* Two tiles among one block or three, of which the second sends a part and adds one. */
struct design {
    const char *name;
    int32_t weight, m, stages, blocks;
    uint32_t block;     /* the one that is recorded */
    const char *faulty; /* the kernel in the plan's place */
    uint32_t fault;
    enum tmap_hazard hazard; /* as which it is refuted */
};
#define PROVED(name_, weight_, m_, stages_, blocks_, block_)                                       \
    {                                                                                              \
        .name = name_, .weight = TMAP_MIXED_##weight_, .m = m_, .stages = stages_,                 \
        .blocks = blocks_, .block = block_                                                         \
    }
#define PLANTED(name_, fault_, hazard_)                                                            \
    {                                                                                              \
        .name = name_, .weight = TMAP_MIXED_U4, .m = 16, .stages = 3, .blocks = 1,                 \
        .faulty = "mixed_faulty_u4_16", .fault = fault_, .hazard = TMAP_HAZARD_##hazard_           \
    }
static const struct design designs[] = {
    PROVED("u4, tiles", U4, 8, 3, 1, 0),
    PROVED("s8, tiles of 64 columns", S8, 60, 3, 1, 0),
    PROVED("e4m3, tiles, four slots", E4M3, 16, 4, 1, 0),
    PROVED("u4, a part sent", U4, 8, 3, 3, 0),
    PROVED("u4, a part sent and one added", U4, 8, 3, 3, 1),
    PROVED("u4, a part added", U4, 16, 3, 3, 2),
    PROVED("s8, a part sent and one added, two slots", S8, 32, 2, 3, 1),
    PROVED("e4m3, a part added", E4M3, 8, 3, 3, 2),
    PLANTED("control", 0, NONE),
    PLANTED("a slot read before its bytes are there", 115, EARLY),
};

static struct tmap_mixed_problem shape_of(const struct design *d, int run)
{
    static const int32_t k_blocks[RUNS] = {9, 12, 18};
    const int32_t span = d->weight == TMAP_MIXED_U4 ? 256 : 128;
    return (struct tmap_mixed_problem){.kind = TMAP_GEMM_BF16,
                                       .out = TMAP_GEMM_OUT_BF16,
                                       .weight = d->weight,
                                       .m = d->m,
                                       .n = 2 * MIXED_ROWS,
                                       .k = k_blocks[run] * span,
                                       .group = 128,
                                       .scales = 1};
}

static void plant(const struct design *d, struct tmap_gemm_plan *plan)
{
    if (!d->faulty) return;
    assert_true(mixed_fault_plant(&suite->checker, d->fault, plan));
    plan->function = emulated_function(d->faulty);
    assert_non_null(plan->function);
}

static void record(const struct design *d, int run, struct tmap_emulate_record **out)
{
    const struct tmap_mixed_problem shape = shape_of(d, run);
    const struct tmap_gemm_config request = {.stages = d->stages, .clusters = d->blocks};
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_plan plan;
    struct mixed_case c;
    assert_int_equal(tmap_emulate_record_open(d->block, out), TMAP_OK);
    assert_true(mixed_case_make(suite, &shape, MIXED_INTEGERS, 1, &c));
    if (tmap_mixed_make_plan(suite, &c.problem, &request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", d->name, why.text);
    plant(d, &plan);
    emulator->how =
        (struct tmap_emulate_launch){.schedule = TMAP_EMULATE_EARLIEST, .no_races = true};
    emulator->record = *out;
    assert_int_equal(emulated_recorded(tmap_gemm_run(&plan, NULL)), TMAP_OK);
    mixed_case_free(suite, &c);
}

static void one(void **state)
{
    const struct design *d = *state;
    struct tmap_emulate_record *records[RUNS];
    struct proved p;
    for (int i = 0; i < RUNS; i++) record(d, i, &records[i]);
    prove(&prover, records, TMAP_EMULATE_BARRIERS, 0, &p);
    for (int i = 0; i < RUNS; i++) tmap_emulate_record_free(records[i]);
    if (p.status != TMAP_OK) fail_msg("%s: line %u: %s", d->name, p.error.line, p.error.text);
    print_message("# %s: %s%s%s, %u states\n", d->name,
                  p.result.fault ? tmap_hazard_name(p.result.fault) : proved_words(&p),
                  p.result.fault ? ": " : "", p.error.text, p.result.states);
    assert_int_equal(p.result.fault, d->hazard);
    assert_int_equal(p.result.verdict, d->hazard ? TMAP_ILLEGAL : TMAP_LEGAL);
}

int main(void)
{
    enum { DESIGNS = sizeof designs / sizeof *designs };
    struct CMUnitTest tests[DESIGNS];
    suite = emulated_gemm_suite();
    if (!suite || !prover_open(&prover, MEGABYTES)) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/mixed_bf16") ||
        !emulated_ptx("tests/device/gemm/mixed_faults"))
        return emulated_skip("protocols of few bits");
    for (int i = 0; i < DESIGNS; i++)
        tests[i] =
            (struct CMUnitTest){designs[i].name, one, NULL, NULL, (void *)(uintptr_t)&designs[i]};
    const int failed = _cmocka_run_group_tests("protocols of few bits", tests, DESIGNS, NULL, NULL);
    prover_close(&prover);
    emulated_close();
    return failed;
}
