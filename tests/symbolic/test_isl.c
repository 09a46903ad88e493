// The isl text is isl: read back, its points are exactly the legal descriptors.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbolic/cases.h"

#ifdef TMAP_WITH_ISL
#include <isl/ctx.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

// Membership of the point in a set of parameters named as the condition's.
static bool holds(isl_ctx *ctx, isl_set *set, const struct tmap_condition *condition,
                  const int64_t *values)
{
    isl_set *at = isl_set_copy(set);
    for (size_t i = 0; i < tmap_condition_param_count(condition); i++) {
        int dim = isl_set_find_dim_by_name(at, isl_dim_param, tmap_condition_param(condition, i));
        if (dim < 0) continue;
        at = isl_set_fix_val(at, isl_dim_param, (unsigned)dim,
                             isl_val_int_from_si(ctx, (long)values[i]));
    }
    bool in = isl_set_is_empty(at) == isl_bool_false;
    isl_set_free(at);
    return in;
}

static void compare(isl_ctx *ctx, struct tmap_symbolic *s, struct symbolic_case *c, long n,
                    long *compared, long *members)
{
    struct tmap_condition *condition;
    char text[1 << 14];
    size_t length;
    uint64_t random = 6364136223846793005u;
    assert_int_equal(
        tmap_condition_of(s, &c->checker, c->desc, c->n, c->assume, c->n_assume, &condition),
        TMAP_OK);
    assert_int_equal(tmap_condition_text(s, condition, TMAP_FORM_ISL, text, sizeof text, &length),
                     TMAP_OK);
    isl_set *set = isl_set_read_from_str(ctx, text);
    if (!set) fail_msg("%s: isl does not read %s", c->path, text);
    // Products are parameters of their own there: such sets say nothing about single points.
    bool plain = (size_t)isl_set_dim(set, isl_dim_param) == tmap_condition_param_count(condition);
    for (long i = 0; plain && i < n; i++) {
        int64_t values[CASE_PARAMS];
        random_point(&random, tmap_condition_param_count(condition), values);
        if (tmap_condition_assumed(condition, values) != 1) continue;
        int truth = native_legal(condition, c, values);
        if (holds(ctx, set, condition, values) != truth) fail_msg("%s: %s", c->path, text);
        ++*compared;
        *members += truth;
    }
    isl_set_free(set);
    tmap_condition_free(condition);
}

static void points_of_the_isl_set_are_the_legal_descriptors(void **state)
{
    static struct symbolic_case cases[CASE_MAX];
    struct tmap_symbolic *s;
    isl_ctx *ctx = isl_ctx_alloc();
    size_t n = case_list(cases);
    long compared = 0, members = 0;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(case_open(&cases[i]));
        compare(ctx, s, &cases[i], points_wanted(500), &compared, &members);
        case_close(&cases[i]);
    }
    print_message("%ld points, %ld of them legal, 0 differences\n", compared, members);
    assert_true(compared > 1000 && members > 100);
    tmap_symbolic_close(s);
    isl_ctx_free(ctx);
}
#else
static void points_of_the_isl_set_are_the_legal_descriptors(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_the_isl_set_are_the_legal_descriptors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
