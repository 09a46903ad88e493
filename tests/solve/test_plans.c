/* Plans of drawn requests, of all types, kinds, modes, targets and consumers
 * (support/plan_trial.h): a slice of what `make prove-plans` runs a million of. */
#include "support/plan_trial.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static struct trials trials;

static struct tally run(const char *(*try)(struct trials *, uint64_t, uint64_t), uint64_t n)
{
    memset(&trials, 0, sizeof trials);
    for (uint64_t i = 0; i < n; i++) {
        const char *wrong = try(&trials, 1, i);
        if (wrong) fail_msg("%s", wrong);
    }
    return trials.tally;
}

static void test_drawn_repairs(void **state)
{
    const struct tally t = run(try_repair, 2500);
    (void)state;
    assert_true(t.plans > t.requests && t.kept > t.requests / 4);
    assert_true(t.kinds[0] && t.kinds[1] && t.kinds[2] && t.stores_run);
}

static void test_drawn_tiles(void **state)
{
    const struct tally t = run(try_tile, 400);
    (void)state;
    assert_true(t.plans > t.requests / 2);
    assert_true(t.kinds[0] && t.kinds[1] && t.stores_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_repairs),
        cmocka_unit_test(test_drawn_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
