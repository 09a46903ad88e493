/* Faults planted in the products for tensor memory, and in those of mma.sync, on the emulator: each
 * is found, and the same kernel without it, over the same seeds and schedules, is right and says
 * nothing.
 *
 * TMAP_EMULATE_SEEDS says how many seeds the control runs (3). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/planted_later.h"
#include "support/emulated_suites.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;
static enum later_shape first, last; /* of the chip */

static struct emulated_outcome run(const struct later_fault *f, uint32_t id, uint64_t seed)
{
    const struct tmap_gemm_problem shape = later_problem(f->shape);
    const struct tmap_gemm_config request = later_request(f->shape);
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    struct emulated_outcome o = {0};
    struct gemm_params params;
    assert_true(emulated_product_make(suite, &shape, seed, &product));
    if (tmap_gemm_make_plan(suite, &product.problem, &request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", f->name, why.text);
    memcpy(&params, plan.params, sizeof params);
    params.fault = id;
    memcpy(plan.params, &params, sizeof params);
    plan.function = emulated_function(later_faulty(f->shape));
    emulator->how.residents = f->shape == DYNAMIC ? plan.cluster : 0;
    assert_non_null(plan.function);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.budget = 3000000;
    emulator->how.tensor_fences = true;
    for (int turn = 0; turn < (f->shape == STREAM ? 2 : 1) && !o.findings && !o.failed; turn++) {
        const bool failed = tmap_gemm_run(&plan, NULL) != TMAP_OK;
        emulated_add(&o, failed, emulated_product_wrong(&product) != 0);
    }
    if (id == 0 && !emulated_is_right(&o)) emulated_print();
    emulated_zero(suite->workspaces);
    emulated_product_free(suite, &product);
    return o;
}

static void the_controls_are_right(void **state)
{
    const char *more = getenv("TMAP_EMULATE_SEEDS");
    const uint64_t seeds = more ? strtoull(more, NULL, 10) : 3;
    (void)state;
    for (enum later_shape s = first; s <= last; s++)
        for (uint64_t seed = 0; seed < seeds; seed++) {
            const struct later_fault control = {0, s, "control", false, false};
            const struct emulated_outcome o = run(&control, 0, seed);
            if (!emulated_is_right(&o))
                fail_msg("shape %d seed %u: the control is not right: %s", s, (unsigned)seed,
                         o.text);
        }
}

static void every_fault_is_found(void **state)
{
    int missed = 0;
    (void)state;
    for (size_t i = 0; i < later_fault_count; i++) {
        const struct later_fault *f = &later_faults[i];
        if (f->shape < first || f->shape > last) continue;
        uint64_t found = 0, shown = 0;
        struct emulated_outcome shown_as = {0};
        for (uint64_t seed = 0; seed < 3 && !found; seed++) {
            const struct emulated_outcome o = run(f, f->id, seed);
            found += o.findings != 0;
            shown += !emulated_is_right(&o);
            if (o.findings) shown_as = o;
        }
        const bool miss = f->silent ? shown == 0 : found == 0;
        print_message("# %u %s: %s%.230s\n", f->id, f->name,
                      miss    ? "MISSED "
                      : found ? ""
                              : "wrong values",
                      shown_as.text);
        missed += miss;
    }
    assert_int_equal(missed, 0);
}

enum { PTX = 5 }; /* files of it, at most */

static int on(int cc_major, const char *name, const char *const ptx[PTX], enum later_shape from,
              enum later_shape to)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_controls_are_right),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    first = from;
    last = to;
    for (int i = 0; i < PTX && ptx[i]; i++)
        if (!emulated_ptx(ptx[i])) {
            printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
            return 0;
        }
    const int failed = _cmocka_run_group_tests(name, tests, 2, NULL, NULL);
    emulated_close();
    return failed;
}

int main(void)
{
    /* A plan asks for the plain kernels. */
    static const char *const tensor[PTX] = {
        "tests/device/gemm/faults_sm100", "src/kernels/gemm/sm100/f16",
        "src/kernels/gemm/sm100/dynamic", "src/kernels/gemm/sm100/mxf8f6f4",
        "src/kernels/gemm/sm100/mxf4"};
    static const char *const warps[PTX] = {
        "tests/device/gemm/faults_sm120", "src/kernels/gemm/sm120/bf16",
        "src/kernels/gemm/sm120/mxf8", "src/kernels/gemm/sm120/mxf4",
        "src/kernels/gemm/sm120/nvf4"};
    return on(10, "faults of tensor memory", tensor, SINGLE, MXF4) +
           on(12, "faults of mma.sync", warps, WARPS, WARPS_NVF4);
}
