/* What a machine with a chip after Hopper will run (tests/device/gemm/later.c), with the emulator
 * in the chip's place, and smaller: of one kind each; TMAP_LATER_ALL=1 says of all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/emulated_suites.h"
#include "support/gemm_later.h"

static const char *const tensor[] = {"gemm/sm90/probe",         "gemm/sm100/f16",
                                     "gemm/sm100/f16_epilogue", "gemm/sm100/f8f6f4_epilogue",
                                     "gemm/sm100/mx_epilogue",  "gemm/sm100/tf32",
                                     "gemm/sm100/f8f6f4",       "gemm/sm100/i8",
                                     "gemm/sm100/mxf8f6f4",     "gemm/sm100/mxf4",
                                     "gemm/sm100/dynamic",      "gemm/sm100/groups",
                                     "gemm/sm100/groups_i8",    NULL};
static const char *const warps[] = {"gemm/sm90/probe",
                                    "gemm/sm120/bf16",
                                    "gemm/sm120/f16",
                                    "gemm/sm120/tf32",
                                    "gemm/sm120/e4m3",
                                    "gemm/sm120/e5m2",
                                    "gemm/sm120/s8",
                                    "gemm/sm120/e4m3e5m2",
                                    "gemm/sm120/mxf8",
                                    "gemm/sm120/mxf4",
                                    "gemm/sm120/nvf4",
                                    "gemm/sm120/bf16_epilogue",
                                    "gemm/sm120/f16_epilogue",
                                    "gemm/sm120/e4m3_epilogue",
                                    "gemm/sm120/e5m2_epilogue",
                                    "gemm/sm120/e4m3e5m2_epilogue",
                                    "gemm/sm120/mx_epilogue",
                                    "gemm/sm120/groups",
                                    NULL};

static void on(int cc_major, const char *const sources[], uint32_t kinds)
{
    const struct later_size small = {1,  1,  1,
                                     50, 20, getenv("TMAP_LATER_ALL") ? UINT32_MAX : kinds};
    struct tmap_gemm *suite = emulated_gemm_suite_for(cc_major, 0);
    assert_non_null(suite);
    for (size_t i = 0; sources[i]; i++) {
        char path[80];
        snprintf(path, sizeof path, "src/kernels/%s", sources[i]);
        if (!emulated_ptx(path)) {
            print_message("# no PTX of %s (nvcc)\n", sources[i]);
            emulated_close();
            skip();
        }
    }
    assert_int_equal(later_verify(suite, &small), 0);
    emulated_close();
}

static void tensor_memory(void **state)
{
    (void)state;
    on(10, tensor, 1u << TMAP_GEMM_E4M3 | 1u << TMAP_GEMM_NVF4);
}
static void mma_sync(void **state)
{
    (void)state;
    on(12, warps, 1u << TMAP_GEMM_S8 | 1u << TMAP_GEMM_MXF4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mma_sync), cmocka_unit_test(tensor_memory)};
    return cmocka_run_group_tests_name("the device's verification, emulated", tests, NULL, NULL);
}
