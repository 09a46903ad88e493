// What an H200 did, replayed without one: every byte by the simulator, every fault by the rows.
// The records are in tests/data/sim: copies.sim (150 of each class) and faults.sim (630 copies that
// may fault, each run in a process of its own; 116 of them by maps that tensormap.replace edited).
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device/golden.h"

#define COPIES "tests/data/sim/copies.sim"
#define FAULTS "tests/data/sim/faults.sim"

static FILE *records(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) fail_msg("%s cannot be read", path);
    return f;
}

static void the_simulator_does_what_the_gpu_did(void **state)
{
    (void)state;
    FILE *f = records(COPIES);
    struct golden g;
    unsigned n = 0, images = 0;
    for (; golden_read(f, &g); n++) {
        assert_int_equal(g.code, 0);
        assert_true(g.done);
        if (g.c.use.op == TMAP_OP_LOAD) assert_true(g.exact);
        if (g.has_image && golden_differs(&g) != -1)
            fail_msg("record %u of class %u differs at byte %lld", n, g.c.cls, golden_differs(&g));
        images += g.has_image;
        free(g.image);
    }
    fclose(f);
    assert_int_equal(n, 150 * CASE_SINGLE_COUNT);
    assert_in_range(images, 150 * (CASE_SINGLE_COUNT - 1), n); // prefetches leave no image
}

// A test that cannot fail is none: one flipped bit of any image is seen.
static void one_flipped_bit_is_seen(void **state)
{
    (void)state;
    FILE *f = records(COPIES);
    struct golden g;
    for (unsigned n = 0; golden_read(f, &g); n++) {
        const uint32_t bytes = g.c.window_bytes ? g.c.window_bytes : g.c.image_bytes;
        if (g.has_image && n % 7 == 0) {
            const uint32_t at = n * 2654435761u % bytes;
            g.image[at] ^= (uint8_t)(1 << n % 8);
            assert_int_equal(golden_differs(&g), at);
        }
        free(g.image);
    }
    fclose(f);
}

static void the_rows_predict_the_faults(void **state)
{
    (void)state;
    FILE *f = records(FAULTS);
    struct golden g;
    unsigned n = 0, faults = 0, images = 0;
    for (; golden_read(f, &g); n++) {
        if (golden_fault(&g) != (g.code != 0))
            fail_msg("record %u: predicted %s, seen code %d", n,
                     golden_fault(&g) ? "a fault" : "no fault", g.code);
        if (g.has_image && golden_differs(&g) != -1)
            fail_msg("record %u differs at byte %lld", n, golden_differs(&g));
        faults += g.code != 0;
        images += g.has_image;
        free(g.image);
    }
    fclose(f);
    assert_int_equal(n, 630);
    assert_int_equal(faults, 313);
    assert_int_equal(images, 94); // what the edited maps that do not fault copied
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_simulator_does_what_the_gpu_did),
                                       cmocka_unit_test(one_flipped_bit_is_seen),
                                       cmocka_unit_test(the_rows_predict_the_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
