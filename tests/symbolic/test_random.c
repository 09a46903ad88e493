// Random symbolic descriptors: the condition against the native check, and how often it is unknown.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/random_desc.h"

struct tally {
    long conditions, unknown, undecided, points, legal;
};

static void judge(struct tmap_symbolic *s, const struct symbolic_case *c, uint64_t *random,
                  struct tally *t)
{
    static const char *const assume[] = {"P0 >= 1", "P0 % 8 == 0", "P0 <= 4096"};
    struct tmap_condition *condition;
    size_t from = below(random, 3), n = below(random, 4 - from);
    enum tmap_status status =
        tmap_condition_of(s, &c->checker, c->desc, 1, assume + from, n, &condition);
    t->conditions++;
    if (status == TMAP_E_BUDGET) {
        if (t->undecided++ < 5) print_message("undecided: %s\n", tmap_symbolic_why(s));
        return;
    }
    assert_int_equal(status, TMAP_OK);
    t->unknown += tmap_condition_verdict(condition) == TMAP_UNKNOWN;
    for (int i = 0; i < 60; i++) {
        int64_t values[CASE_PARAMS];
        random_point(random, tmap_condition_param_count(condition), values);
        if (tmap_condition_assumed(condition, values) != 1) continue;
        int truth = native_legal(condition, c, values);
        if (tmap_condition_holds(condition, values) != truth) fail_msg("the check says %d", truth);
        t->points++;
        t->legal += truth;
    }
    tmap_condition_free(condition);
}

static void hold_exactly(uint64_t random, bool memory)
{
    struct symbolic_case c = {.n = 1};
    struct tmap_target target = tmap_default_target();
    struct tmap_symbolic *s;
    struct tally t = {0};
    long n = points_wanted(300);
    if (n > 10000) n = 10000;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c.checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (long i = 0; i < n; i++) {
        static struct random_symbolic m;
        random_desc(&m, &random);
        if (memory) random_memory(&m, &random);
        c.desc[0] = m.d;
        judge(s, &c, &random, &t);
    }
    print_message("%ld conditions, %ld of them undecided and %ld with an unknown verdict; "
                  "%ld points, %ld of them legal, 0 differences\n",
                  t.conditions, t.undecided, t.unknown, t.points, t.legal);
    assert_true((t.undecided + t.unknown) * 50 <= t.conditions);
    assert_true(t.legal > 0);
    tmap_symbolic_close(s);
}

static void random_conditions_hold_exactly(void **state)
{
    (void)state;
    hold_exactly(20221, false);
}

static void conditions_on_memory_hold_exactly(void **state)
{
    (void)state;
    hold_exactly(20222, true);
}

int main(void)
{
    if (lacks_isl("random conditions")) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_conditions_hold_exactly),
                                       cmocka_unit_test(conditions_on_memory_hold_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
