/* Requests at the ends of their types: drawn ones with a few members at 0, at powers of two and at
 * what 64 bits hold. Whatever is answered is an answer: a plan that is legal and passes the plan
 * check, or no plan. */
#include "support/plan_draw.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

enum { PLANS = 3 };

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static uint64_t extreme(uint64_t *s)
{
    const uint64_t power = UINT64_C(1) << next_random(s) % 64;
    switch (next_random(s) % 6) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX - next_random(s) % 16;
    case 2:
        return power - 1;
    case 3:
        return power + 1;
    case 4:
        return power + 16;
    default:
        return power;
    }
}

static bool one_in(uint64_t *s, uint64_t n)
{
    return next_random(s) % n == 0;
}

static void stretch(uint64_t *s, struct tmap_desc *d)
{
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        if (one_in(s, 6)) d->dim[i] = extreme(s);
        if (one_in(s, 12)) d->box[i] = (uint32_t)extreme(s);
        if (one_in(s, 12)) d->elem_stride[i] = (uint32_t)extreme(s);
        if (i + 1 < TMAP_MAX_RANK && one_in(s, 6)) d->stride_bytes[i] = extreme(s);
    }
    if (one_in(s, 8)) d->address = extreme(s);
    if (one_in(s, 16)) d->pixels = (uint32_t)extreme(s);
    if (one_in(s, 16)) d->channels = (uint32_t)extreme(s);
    if (one_in(s, 16)) d->lower[next_random(s) % 3] = (int32_t)extreme(s);
    if (one_in(s, 16)) d->upper[next_random(s) % 3] = (int32_t)extreme(s);
    if (one_in(s, 16)) d->flags = (uint32_t)(next_random(s) % 64);
    if (one_in(s, 16)) d->allocation_base = extreme(s);
    if (one_in(s, 16)) d->allocation_bytes = extreme(s);
}

static void assert_answer(const struct tmap_checker *c, const struct tmap_desc *desc,
                          const struct tmap_request *how, const struct tmap_plan *p, long number)
{
    const char *wrong = tmap_plan_check(desc, how, p);
    if (wrong) fail_msg("request %ld: %s", number, wrong);
    if (!p->skip && tmap_verdict_of(c, &p->desc) == TMAP_ILLEGAL)
        fail_msg("request %ld: its plan is illegal", number);
}

static bool is_answer(enum tmap_status s)
{
    return s == TMAP_OK || s == TMAP_E_NO_PLAN || s == TMAP_E_BUDGET || s == TMAP_E_ARGUMENT ||
           s == TMAP_E_TARGET;
}

static long number_of(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

static void test_repairs(void **state)
{
    const long n = number_of("TMAP_EXTREME", 6000);
    long plans = 0;
    (void)state;
    for (long i = 0; i < n; i++) {
        uint64_t seed = (uint64_t)i * 0x9e3779b97f4a7c15 + 7;
        struct drawn_repair r = draw_repair(&seed);
        const struct tmap_checker c = draw_checker(r.target);
        struct tmap_repair_report report;
        struct tmap_plan p[PLANS];
        stretch(&seed, &r.desc);
        for (int k = 0; k < TMAP_MAX_RANK; k++)
            if (one_in(&seed, 12)) r.how.grain[k] = extreme(&seed);
        const enum tmap_status s =
            tmap_repair(&c, &r.desc, &r.how, workspace, sizeof workspace, p, PLANS, &report, NULL);
        if (!is_answer(s) || report.dropped) fail_msg("request %ld: status %d", i, (int)s);
        for (size_t k = 0; s == TMAP_OK && k < report.found; k++, plans++)
            assert_answer(&c, &r.desc, &r.how, &p[k], i);
    }
    assert_true(plans > n / 20);
}

static void test_tiles(void **state)
{
    const long n = number_of("TMAP_EXTREME", 6000) / 4;
    long plans = 0;
    (void)state;
    for (long i = 0; i < n; i++) {
        uint64_t seed = (uint64_t)i * 0x9e3779b97f4a7c15 + 9;
        struct drawn_tile r = draw_tile(&seed);
        const struct tmap_checker c = draw_checker(r.target);
        struct tmap_tile_plan p[PLANS];
        size_t found = 0;
        char reason[160];
        stretch(&seed, &r.request.tensor);
        for (int k = 0; k < TMAP_MAX_RANK; k++)
            if (one_in(&seed, 12)) r.request.tile[k] = (uint32_t)extreme(&seed);
        const enum tmap_status s = tmap_solve(&c, &r.request, workspace, sizeof workspace, p, PLANS,
                                              &found, reason, sizeof reason);
        if (!is_answer(s)) fail_msg("tile %ld: status %d", i, (int)s);
        for (size_t k = 0; s == TMAP_OK && k < found; k++, plans++)
            if (tmap_verdict_of(&c, &p[k].plan.desc) == TMAP_ILLEGAL)
                fail_msg("tile %ld: its plan is illegal", i);
    }
    assert_true(plans > n / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_repairs),
                                       cmocka_unit_test(test_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
