/* The emulator reads memory as numbers of the host: a big-endian one is refused with words, and
 * nothing is loaded; any other loads. tests/portable/run runs this on s390x. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tmap/emulate.h"

static void test_byte_order(void **state)
{
    static const char text[] = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                               ".visible .entry k() { ret; }\n";
    const uint16_t one = 1;
    const int little = *(const uint8_t *)&one;
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error = {0};
    (void)state;
    const enum tmap_status status = tmap_emulate_load(text, strlen(text), &module, &error);
    assert_int_equal(status, little ? TMAP_OK : TMAP_E_NOT_BUILT);
    assert_int_equal(module != NULL, little);
    assert_string_equal(error.text, little ? "" : "the host is not little-endian");
    tmap_emulate_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_byte_order)};
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
