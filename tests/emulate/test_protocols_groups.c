/* Faults in groups of products on the chips after Hopper: each is refuted in the protocol that is
 * folded from what the PTX does on the emulator, and found on the emulator too; without it the same
 * kernel's protocol is proved, and nothing is found. Of faults with which a run does not end there
 * is no protocol: the run itself says so. What a parameter plants is in kernels of
 * tests/device/gemm; groups of integers have none such, so theirs are statements of the shipped PTX
 * that are left out, or waits that do not wait. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_groups.h"
#include "support/proved.h"
#include "support/spoiled_ptx.h"

enum { MEGABYTES = 64, SEEDS = 6 };

static struct tmap_gemm *suite;
static struct emulated *emulator;
static struct prover prover;

struct design {
    const char *name, *instance, *kernel; /* kernel: with planted faults; NULL: the shipped one */
    uint32_t fault;
    struct spoiled text;
    enum tmap_emulate_part part;
    enum tmap_hazard hazard; /* DEADLOCK: a run does not end, so that there is no protocol */
};

#define WHOLE TMAP_EMULATE_BARRIERS
#define STAGING TMAP_EMULATE_STAGING
#define PLANTED(instance_, kernel_, id_, name_, part_, hazard_)                                    \
    {                                                                                              \
        .name = name_, .instance = instance_, .kernel = kernel_, .fault = id_, .part = part_,      \
        .hazard = TMAP_HAZARD_##hazard_                                                            \
    }
#define PAIR(id, name, part, hazard)                                                               \
    PLANTED("tensor_group_f16_2x256", "tensor_group_faulty_2x256", id, "pair: " name, part, hazard)
#define SCALED(id, name, part, hazard)                                                             \
    PLANTED("tensor_group_mxf8f6f4_2x256", "tensor_group_scaled_faulty_2x256", id,                 \
            "pair, scale factors: " name, part, hazard)
#define WARPS(id, name, part, hazard)                                                              \
    PLANTED("warps_group_bf16_2x128", "warps_group_faulty_2x128", id, "mma.sync: " name, part,     \
            hazard)
#define SCALED_WARPS(id, name, part, hazard)                                                       \
    PLANTED("warps_group_mxf8_2x128", "warps_group_scaled_faulty_2x128", id,                       \
            "mma.sync, scale factors: " name, part, hazard)
#define WAIT "mbarrier.try_wait.parity.shared::cta.b64"
#define PASSED "setp.eq.u32 p, 0, 0;"
#define LEFT_OUT(kernel_, name_, part_, hazard_, ...)                                              \
    {                                                                                              \
        .name = name_, .instance = kernel_, .text = {__VA_ARGS__}, .part = part_,                  \
        .hazard = TMAP_HAZARD_##hazard_                                                            \
    }
#define INTEGERS(name, part, hazard, ...)                                                          \
    LEFT_OUT("tensor_group_i8_1x128", "integers: " name, part, hazard, __VA_ARGS__)
#define INTEGER_PAIR(name, part, hazard, ...)                                                      \
    LEFT_OUT("tensor_group_i8_2x256", "integers, pair: " name, part, hazard, __VA_ARGS__)

/* Waits of a kernel for integers in the order of its text: each is written eight times. */
#define SLOT_FREE 0, 8
#define SUMS_FREE 8, 8
#define SLOT_FULL 16, 8
#define SUMS_WHOLE 24, 8

static const struct design tensor[] = {
    PAIR(0, "control", WHOLE, NONE),
    PAIR(0, "control, staging", STAGING, NONE),
    PAIR(1, "no proxy fence before the store", STAGING, UNFENCED),
    PAIR(2, "no fence after mbarrier.init", WHOLE, UNINITIALIZED),
    PAIR(8, "panel reused before the store has read it", STAGING, UNWAITED_STORE),
    PAIR(9, "blocks do not meet after mbarrier.init", WHOLE, UNINITIALIZED),
    PAIR(16, "multiplies do not wait for the slot", WHOLE, DEADLOCK),
    PAIR(35, "sums read before their commit", WHOLE, EARLY),
    PAIR(39, "block leaves before its last store has read", STAGING, UNWAITED_STORE),
    PAIR(43, "accumulator given on before it is read", WHOLE, OVERWRITE),
    SCALED(0, "control", WHOLE, NONE),
    SCALED(2, "no fence after mbarrier.init", WHOLE, UNINITIALIZED),
    SCALED(94, "the even block does not wait for the odd one's factors", WHOLE, EARLY),
    INTEGERS("control", WHOLE, NONE, .text = NULL),
    INTEGERS("control, staging", STAGING, NONE, .text = NULL),
    INTEGERS("no fence after mbarrier.init", WHOLE, UNINITIALIZED, "fence.mbarrier_init", "", 0, 1),
    INTEGERS("slot filled before it is given back", WHOLE, DEADLOCK, WAIT, PASSED, SLOT_FREE),
    INTEGERS("sums over sums that are still read", WHOLE, DEADLOCK, WAIT, PASSED, SUMS_FREE),
    INTEGERS("multiplies do not wait for the slot", WHOLE, DEADLOCK, WAIT, PASSED, SLOT_FULL),
    INTEGERS("sums read before their commit", WHOLE, EARLY, WAIT, PASSED, SUMS_WHOLE),
    INTEGERS("no proxy fence before the store", STAGING, UNFENCED, "fence.proxy.async", "", 0, 1),
    INTEGERS("panel reused before the store has read it", STAGING, UNWAITED_STORE,
             "cp.async.bulk.wait_group.read", "", 0, 2),
    INTEGERS("block leaves before its last store has read", STAGING, UNWAITED_STORE,
             "cp.async.bulk.wait_group.read", "", 2, 1),
    INTEGERS("panel written before all warps know that it may be", STAGING, UNWAITED_STORE,
             "bar.sync %r", "", 0, 1),
    INTEGERS("panel stored before all warps have written it", STAGING, EARLY, "bar.sync %r", "", 1,
             1),
    INTEGER_PAIR("control", WHOLE, NONE, .text = NULL),
    INTEGER_PAIR("no fence after mbarrier.init", WHOLE, UNINITIALIZED, "fence.mbarrier_init", "", 0,
                 1),
    INTEGER_PAIR("multiplies do not wait for the slot", WHOLE, DEADLOCK, WAIT, PASSED, SLOT_FULL),
};

static const struct design warps[] = {
    WARPS(0, "control", WHOLE, NONE),
    WARPS(0, "control, staging", STAGING, NONE),
    WARPS(1, "no proxy fence before the store", STAGING, UNFENCED),
    WARPS(2, "no fence after mbarrier.init", WHOLE, UNINITIALIZED),
    WARPS(8, "panel reused before the store has read it", STAGING, UNWAITED_STORE),
    WARPS(13, "slot given back before it is read", WHOLE, OVERWRITE),
    WARPS(16, "fragments read before they are there", WHOLE, EARLY),
    SCALED_WARPS(0, "control", WHOLE, NONE),
    SCALED_WARPS(13, "slot given back before it is read", WHOLE, OVERWRITE),
    SCALED_WARPS(16, "fragments read before they are there", WHOLE, EARLY),
};

/* --- runs */

static const struct gemm_instance *instance_of(const char *name)
{
    for (size_t i = 0; i < gemm_group_instance_count; i++)
        if (strcmp(gemm_group_instances[i].name, name) == 0) return &gemm_group_instances[i];
    return NULL;
}

/* Of one configuration: another number of tiles, and of k blocks. */
static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, int run)
{
    const int32_t span = 1024 / gemm_element_bits(g->kind);
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .m = gemm_tile_m(g) - 6,
                                  .n = 2 * g->bn - 8,
                                  .k = 2 * span + span / 2,
                                  .batch = 1,
                                  .alpha = 1,
                                  .out = TMAP_GEMM_OUT_F32};
    if (run == 1) p.k += p.k / 2;
    if (run == 2) p.n += 2 * g->bn;
    return p;
}

static bool record(const struct design *d, int run, struct tmap_emulate_record **out)
{
    const struct gemm_instance *g = instance_of(d->instance);
    assert_non_null(g);
    const struct tmap_gemm_problem shape = shape_of(g, run);
    memset(suite->functions, 0, sizeof suite->functions);
    return emulated_group_record(suite, g, &shape, d->kernel, d->fault, out);
}

static bool finds(enum tmap_emulate_kind kind)
{
    for (size_t i = 0; i < emulator->findings && i < EMULATED_FINDINGS; i++)
        if (emulator->finding[i].kind == kind) return true;
    return false;
}

static void hangs(const struct design *d)
{
    bool ends = true;
    for (int run = 0; run < PROVED_RUNS && ends; run++) {
        struct tmap_emulate_record *r;
        ends = record(d, run, &r);
        tmap_emulate_record_free(r);
    }
    assert_false(ends);
    assert_true(finds(TMAP_EMULATE_HANG));
}

static void proves(const struct design *d)
{
    struct tmap_emulate_record *records[PROVED_RUNS];
    struct proved p;
    for (int run = 0; run < PROVED_RUNS; run++) assert_true(record(d, run, &records[run]));
    prove(&prover, records, d->part, 0, &p);
    print_message("# %s: %s, %u states %s\n", d->name, proved_words(&p), p.result.states,
                  p.error.text);
    assert_int_equal(p.status, TMAP_OK);
    assert_int_equal(p.result.fault, d->hazard);
    assert_int_equal(p.result.verdict, d->hazard ? TMAP_ILLEGAL : TMAP_LEGAL);
    for (int run = 0; run < PROVED_RUNS; run++) tmap_emulate_record_free(records[run]);
}

/* By a finding, or a launch that fails, at either extreme of time or a random one. */
static bool shows(const struct design *d)
{
    bool shown = false;
    for (uint64_t seed = 0; seed < SEEDS && !shown; seed++) {
        struct tmap_emulate_record *r;
        emulator->how = (struct tmap_emulate_launch){
            .schedule = (enum tmap_emulate_schedule)(seed % 3), .seed = seed, .budget = 4000000};
        emulator->how.tensor_fences = true;
        shown = !record(d, 0, &r) || emulator->findings;
        tmap_emulate_record_free(r);
    }
    return shown;
}

static void designs(void **state)
{
    const struct design *d = *state;
    const bool by_tensor = suite->family == GEMM_SM100;
    assert_true(emulated_ptx(by_tensor ? "src/kernels/gemm/sm100/groups"
                                       : "src/kernels/gemm/sm120/groups"));
    assert_true(emulated_ptx(by_tensor ? "tests/device/gemm/faults_sm100"
                                       : "tests/device/gemm/faults_sm120"));
    if (!d->kernel)
        assert_true(
            emulated_spoiled_ptx("src/kernels/gemm/sm100/groups_i8", d->instance, &d->text));
    emulator->how =
        (struct tmap_emulate_launch){.schedule = TMAP_EMULATE_EARLIEST, .no_races = true};
    if (d->hazard == TMAP_HAZARD_DEADLOCK)
        hangs(d);
    else
        proves(d);
    assert_int_equal(shows(d), d->hazard != TMAP_HAZARD_NONE);
}

static int unload(void **state)
{
    (void)state;
    emulated_unload();
    return 0;
}

static int on(int cc_major, const char *name, const char *faults, const struct design *list,
              size_t count)
{
    struct CMUnitTest tests[40];
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    const bool has = emulated_ptx(faults);
    emulated_unload();
    for (size_t i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){list[i].name, designs, NULL, unload, (void *)(uintptr_t)&list[i]};
    if (!has) printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
    const int failed = has ? _cmocka_run_group_tests(name, tests, count, NULL, NULL) : 0;
    emulated_close();
    return failed;
}

#define COUNT(of) (sizeof(of) / sizeof *(of))

int main(void)
{
    if (!prover_open(&prover, MEGABYTES)) return 1;
    const int failed = on(10, "faults of groups by tensor memory", "tests/device/gemm/faults_sm100",
                          tensor, COUNT(tensor)) +
                       on(12, "faults of groups by mma.sync", "tests/device/gemm/faults_sm120",
                          warps, COUNT(warps));
    prover_close(&prover);
    return failed;
}
