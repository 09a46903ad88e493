/* Targets from text: toolkit, PTX version, driver and architecture, each as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/target.h"
#include "tmap/tmap.h"

static const struct {
    const char *cuda, *ptx, *driver, *arch;
    enum tmap_status status;
    uint32_t cuda_number, ptx_number, driver_number;
} rows[] = {
    {"12.4", NULL, NULL, "sm_90", TMAP_OK, 1204, 84, 550},
    {"13", NULL, NULL, NULL, TMAP_OK, 1300, 90, 580},
    {"13.0", "8.7", "570.124.06", "sm_90a", TMAP_OK, 1300, 87, 570},
    {"99.9", NULL, NULL, NULL, TMAP_OK, 9999 - 90, 0, 0}, /* none that sources cover */
    {NULL, "8", "550", NULL, TMAP_OK, 1300, 80, 550},
    {"", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"x", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {":", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"12.", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"12.:", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"12.4.1", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"12x", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"10000", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {"12.100", NULL, NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {NULL, "8.10", NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {NULL, "-8", NULL, NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {NULL, NULL, "R550", NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {NULL, NULL, "550x", NULL, TMAP_E_ARGUMENT, 0, 0, 0},
    {NULL, NULL, NULL, "sm_1", TMAP_E_TARGET, 0, 0, 0},
    {NULL, NULL, NULL, "hopper", TMAP_E_ARGUMENT, 0, 0, 0},
};

static void texts_are_numbers_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tmap_target t = {.cuda = 7};
        const enum tmap_status status =
            tmap_target_from(rows[i].cuda, rows[i].ptx, rows[i].driver, rows[i].arch, &t);
        if (status != rows[i].status) fail_msg("row %zu: status %d", i, (int)status);
        if (status == TMAP_OK ? t.cuda != rows[i].cuda_number || t.ptx != rows[i].ptx_number ||
                                    t.driver != rows[i].driver_number
                              : t.cuda != 7)
            fail_msg("row %zu: %u, %u, %u", i, t.cuda, t.ptx, t.driver);
    }
    assert_int_equal(tmap_target_from("12.4", NULL, NULL, NULL, NULL), TMAP_E_ARGUMENT);
}

/* Each part of a target alone before the first or beyond the last that sources cover. */
static void each_part_may_be_uncovered(void **state)
{
    const struct tmap_target whole = tmap_default_target();
    const tmap_arch spark = tmap_arch_find("sm_121"), thor = tmap_arch_find("sm_110");
    (void)state;
    struct tmap_target t = whole;
    assert_true(target_covered(&t));
    t.cuda = 1;
    assert_false(target_covered(&t));
    t = whole, t.arch = 0;
    assert_false(target_covered(&t));
    t = whole, t.ptx = 1;
    assert_false(target_covered(&t));
    t = whole, t.ptx = 999;
    assert_false(target_covered(&t));
    t = whole, t.driver = 1;
    assert_false(target_covered(&t));
    t = whole, t.driver = 9999;
    assert_false(target_covered(&t));
    t = whole, t.arch = spark, t.ptx = 80; /* before it was named */
    assert_false(target_covered(&t));
    t = whole, t.arch = thor, t.ptx = 88; /* by its old name */
    assert_true(target_covered(&t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_numbers_or_refused),
                                       cmocka_unit_test(each_part_may_be_uncovered)};
    return cmocka_run_group_tests_name("targets", tests, NULL, NULL);
}
