/* Opening a driver, each way it can be absent, and encode calls that explain their refusals;
 * against the stand-in of tests/driver/fake. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "driver/libcuda.h"
#include "tmap/driver.h"

static char fake[4096], fake_old[4096], fake_nowide[4096];

static void absent(const char *path, const char *mode, enum tmap_status want, const char *words)
{
    struct tmap_driver *driver = (struct tmap_driver *)1;
    char why[TMAP_DRIVER_TEXT] = "";
    setenv("FAKE_CUDA", mode, 1);
    const enum tmap_status status = tmap_driver_open(path, 0, &driver, why);
    unsetenv("FAKE_CUDA");
    assert_int_equal(status, want);
    assert_null(driver);
    if (!strstr(why, words)) fail_msg("'%s' does not say '%s'", why, words);
}

static void every_way_to_be_absent_has_its_words(void **state)
{
    (void)state;
    absent("/nonexistent/libcuda.so.1", "", TMAP_E_NO_DRIVER, "cannot be loaded");
    absent("libm.so.6", "", TMAP_E_NO_DRIVER, "not a CUDA driver");
    absent(fake_old, "", TMAP_E_NO_DRIVER, "too old for tensor maps");
    absent(fake, "stub", TMAP_E_NO_DRIVER, "link stub");
    absent(fake, "mismatch", TMAP_E_NO_DRIVER, "different versions");
    absent(fake, "nodevice", TMAP_E_NO_DEVICE, "sees no GPU");
    absent(fake, "old_gpu", TMAP_E_NO_DEVICE, "compute capability 8.0");
    absent(fake, "nocontext", TMAP_E_DRIVER, "cuDevicePrimaryCtxRetain");
}

static void a_gpu_that_is_not_there_is_said(void **state)
{
    (void)state;
    struct tmap_driver *driver;
    char why[TMAP_DRIVER_TEXT];
    assert_int_equal(tmap_driver_open(fake, 1, &driver, why), TMAP_E_NO_DEVICE);
    assert_non_null(strstr(why, "no GPU number 1"));
    assert_int_equal(tmap_driver_open(fake, -1, &driver, NULL), TMAP_E_NO_DEVICE);
    assert_int_equal(tmap_driver_open(fake, 0, NULL, NULL), TMAP_E_ARGUMENT);
}

static void the_environment_may_name_the_library(void **state)
{
    (void)state;
    struct tmap_libcuda api;
    char why[64];
    setenv("TMAP_LIBCUDA", fake, 1);
    assert_int_equal(tmap_libcuda_load(NULL, &api, why, sizeof why), TMAP_OK);
    tmap_libcuda_unload(&api);
    setenv("TMAP_LIBCUDA", "/nonexistent", 1);
    assert_int_equal(tmap_libcuda_load(NULL, &api, NULL, 0), TMAP_E_NO_DRIVER);
    unsetenv("TMAP_LIBCUDA");
}

static struct tmap_driver *open_fake(const char *path)
{
    struct tmap_driver *driver;
    char why[TMAP_DRIVER_TEXT] = "";
    if (tmap_driver_open(path, 0, &driver, why) != TMAP_OK) fail_msg("%s", why);
    return driver;
}

static void an_open_driver_describes_itself(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake_nowide);
    struct tmap_driver_info info;
    tmap_driver_describe(driver, &info);
    assert_string_equal(info.gpu, "fake H200");
    assert_int_equal(info.cuda_version, 13000);
    assert_int_equal(info.target.cuda, 1300);
    assert_int_equal(info.target.arch, TMAP_ARCH(90, 1));
    assert_false(info.has_im2col_wide);
    tmap_driver_close(driver);
    tmap_driver_close(NULL);
}

/* A matrix of 1000 x 777 bf16 in 64 x 16 boxes; the tests bend one argument. */
static int encode(struct tmap_driver *driver, struct tmap_driver_report *report, uint64_t address,
                  uint32_t box0, int swizzle)
{
    struct tmap_map map;
    const uint64_t dim[2] = {1000, 777}, stride[1] = {2000};
    const uint32_t box[2] = {box0, 16}, ones[2] = {1, 1};
    return tmap_driver_encode_tiled(driver, report, &map, TMAP_BFLOAT16, 2,
                                    (void *)(uintptr_t)address, dim, stride, box, ones, 0, swizzle,
                                    0, 0);
}

static void a_refusal_is_explained(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake);
    struct tmap_driver_report report;
    assert_int_equal(encode(driver, &report, 0x7f0000000008, 63, TMAP_SWIZZLE_128B), 1);
    assert_string_equal(report.result_name, "CUDA_ERROR_INVALID_VALUE");
    assert_int_equal(report.verdict, TMAP_ILLEGAL);
    assert_int_equal(report.found, 2);
    assert_non_null(strstr(report.text, tmap_row_id(report.violations[0].row)));
    assert_non_null(strstr(report.text, "address"));
    assert_non_null(strstr(report.text, "box[0] is 63"));
    assert_int_equal(encode(driver, NULL, 0x7f0000000008, 63, 0), 1);
    tmap_driver_close(driver);
}

static void a_success_says_nothing(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake);
    struct tmap_driver_report report;
    assert_int_equal(encode(driver, &report, 0x7f0000000000, 64, TMAP_SWIZZLE_128B), 0);
    assert_string_equal(report.text, "");
    assert_int_equal(report.verdict, TMAP_LEGAL);
    tmap_driver_close(driver);
}

static void legal_arguments_are_not_blamed(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake);
    struct tmap_driver_report report;
    setenv("FAKE_CUDA", "sticky", 1);
    assert_int_equal(encode(driver, &report, 0x7f0000000000, 64, TMAP_SWIZZLE_128B), 719);
    unsetenv("FAKE_CUDA");
    assert_non_null(strstr(report.text, "legal: look elsewhere"));
    assert_non_null(strstr(report.text, "CUDA_ERROR_LAUNCH_FAILED"));
    tmap_driver_close(driver);
}

static void im2col_calls_are_explained_too(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake);
    struct tmap_driver_report report;
    struct tmap_map map;
    const uint64_t dim[4] = {64, 8, 8, 8}, stride[3] = {128, 1024, 8192};
    const uint32_t ones[4] = {1, 1, 1, 1};
    const int low[2] = {-129, 0}, zero[2] = {0, 0};
    assert_int_equal(tmap_driver_encode_im2col(driver, &report, &map, TMAP_FLOAT16, 4, NULL, dim,
                                               stride, low, zero, 64, 8, ones, 0, 3, 0, 0),
                     1);
    assert_non_null(strstr(report.text, "-129"));
    assert_int_equal(tmap_driver_encode_im2col_wide(driver, &report, &map, TMAP_FLOAT16, 4, NULL,
                                                    dim, stride, 0, 0, 64, 1025, ones, 0, 1, 3, 0,
                                                    0),
                     1);
    assert_non_null(strstr(report.text, "1025"));
    assert_int_equal(tmap_driver_encode_im2col(driver, &report, &map, TMAP_FLOAT16, 4, NULL, dim,
                                               stride, zero, zero, 64, 8, ones, 0, 3, 0, 0),
                     0);
    tmap_driver_close(driver);
}

static void null_arrays_and_wild_ranks_are_survived(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake);
    struct tmap_driver_report report;
    struct tmap_map map;
    const uint64_t dim[5] = {16, 1, 1, 1, 1};
    assert_int_equal(tmap_driver_encode_tiled(driver, &report, NULL, 0, 2, NULL, dim, NULL, NULL,
                                              NULL, 0, 0, 0, 0),
                     1);
    assert_true(report.found >= 4);
    assert_int_equal(tmap_driver_encode_tiled(driver, &report, &map, 0, UINT32_MAX, NULL, dim, NULL,
                                              NULL, NULL, 0, 0, 0, 0),
                     -2);
    assert_non_null(strstr(report.text, "rank 4294967295"));
    assert_int_equal(tmap_driver_encode_im2col(driver, &report, &map, 0, 3, NULL, dim, dim, NULL,
                                               NULL, 16, 8, NULL, 0, 0, 0, 0),
                     -2);
    assert_non_null(strstr(report.text, "corner"));
    tmap_driver_close(driver);
}

static void a_driver_without_the_wide_call_says_so(void **state)
{
    (void)state;
    struct tmap_driver *driver = open_fake(fake_nowide);
    struct tmap_driver_report report;
    struct tmap_map map;
    const uint64_t dim[3] = {64, 8, 8}, stride[2] = {128, 1024};
    const uint32_t ones[3] = {1, 1, 1};
    assert_int_equal(tmap_driver_encode_im2col_wide(driver, &report, &map, TMAP_FLOAT16, 3, NULL,
                                                    dim, stride, 0, 0, 64, 8, ones, 0, 0, 3, 0, 0),
                     -1);
    assert_non_null(strstr(report.text, "12.8"));
    tmap_driver_close(driver);
}

static int find_fakes(void **state)
{
    const char *build = getenv("B");
    (void)state;
    if (!build) build = "build";
    snprintf(fake, sizeof fake, "%s/tests/driver/libfakecuda.so", build);
    snprintf(fake_old, sizeof fake_old, "%s/tests/driver/libfakecuda-old.so", build);
    snprintf(fake_nowide, sizeof fake_nowide, "%s/tests/driver/libfakecuda-nowide.so", build);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_be_absent_has_its_words),
        cmocka_unit_test(a_gpu_that_is_not_there_is_said),
        cmocka_unit_test(the_environment_may_name_the_library),
        cmocka_unit_test(an_open_driver_describes_itself),
        cmocka_unit_test(a_refusal_is_explained),
        cmocka_unit_test(a_success_says_nothing),
        cmocka_unit_test(legal_arguments_are_not_blamed),
        cmocka_unit_test(im2col_calls_are_explained_too),
        cmocka_unit_test(null_arrays_and_wild_ranks_are_survived),
        cmocka_unit_test(a_driver_without_the_wide_call_says_so),
    };
    return cmocka_run_group_tests(tests, find_fakes, NULL);
}
