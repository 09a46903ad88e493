/* The step of tests/device/run that plants faults in the products of a chip after Hopper, with the
 * emulator in the chip's place: what it has to see (planted_later.def, "shows") it sees, by wrong
 * sums or launches that fail alone, and every control is right. TMAP_LATER_ALL=1 plants the others
 * as well, which a chip shows or not: test_faults_blackwell.c has what the emulator finds of all.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "device/gemm/planted_later.h"
#include "support/emulated_suites.h"

static void on(int cc_major, const char *const sources[])
{
    const bool all = getenv("TMAP_LATER_ALL") != NULL;
    struct tmap_gemm *suite = emulated_gemm_suite_for(cc_major, 0);
    int number = 0, bad = 0;
    assert_non_null(suite);
    for (size_t i = 0; sources[i]; i++)
        if (!emulated_ptx(sources[i])) {
            print_message("# no PTX of %s (nvcc)\n", sources[i]);
            emulated_close();
            skip();
        }
    for (size_t i = 0; i < later_fault_count; i++) {
        const struct later_fault *f = &later_faults[i];
        if (!later_is_of(f, suite->family) || !(all || f->shows)) continue;
        struct emulated *emulator = emulated_state();
        emulator->how.budget = 3000000;
        emulator->how.residents = f->shape == DYNAMIC ? 2 : 0; /* one cluster of a pair */
        const struct later_outcome control = later_plant(suite, NULL, f, true, 1),
                                   found = later_plant(suite, NULL, f, false, 2);
        bad += !later_say(f, &control, &found, ++number);
    }
    assert_true(number > 2);
    assert_int_equal(bad, 0);
    emulated_close();
}

static void tensor_memory(void **state)
{
    static const char *const sources[] = {
        "tests/device/gemm/faults_sm100", "src/kernels/gemm/sm100/f16",
        "src/kernels/gemm/sm100/dynamic", "src/kernels/gemm/sm100/mxf8f6f4",
        "src/kernels/gemm/sm100/mxf4",    NULL};
    (void)state;
    on(10, sources);
}
static void mma_sync(void **state)
{
    static const char *const sources[] = {
        "tests/device/gemm/faults_sm120", "src/kernels/gemm/sm120/bf16",
        "src/kernels/gemm/sm120/mxf8",    "src/kernels/gemm/sm120/mxf4",
        "src/kernels/gemm/sm120/nvf4",    NULL};
    (void)state;
    on(12, sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mma_sync), cmocka_unit_test(tensor_memory)};
    return cmocka_run_group_tests_name("the device's planted faults, emulated", tests, NULL, NULL);
}
