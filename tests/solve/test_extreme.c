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
    if (one_in(s, 16)) d->l2_promotion = (int32_t)(next_random(s) % 8) - 1;
    if (one_in(s, 16)) d->oob_fill = (int32_t)(next_random(s) % 4) - 1;
    if (one_in(s, 16)) d->interleave = (int32_t)(next_random(s) % 5) - 1;
    if (one_in(s, 16)) d->mode = (int32_t)(next_random(s) % 4) - 1;
    if (one_in(s, 16)) d->map_address = extreme(s);
    if (one_in(s, 16)) d->flags = (uint32_t)(next_random(s) % 64);
    if (one_in(s, 16)) d->allocation_base = extreme(s);
    if (one_in(s, 16)) d->allocation_bytes = extreme(s);
}

/* Under each contract in turn. */
static struct tmap_checker checker_of(unsigned target, long number)
{
    struct tmap_checker c = draw_checker(target);
    const struct tmap_target t = c.target;
    const enum tmap_contract contract = (enum tmap_contract)(number % 4);
    assert_int_equal(tmap_checker_prepare(&t, contract, &c), TMAP_OK);
    return c;
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
        const struct tmap_checker c = checker_of(r.target, i);
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
        const struct tmap_checker c = checker_of(r.target, i);
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

/* A tensor of any rank: what its map, or its maps, hold is as much as it holds. */
static void test_tensors(void **state)
{
    static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_16U4_ALIGN8B};
    long folds = 0;
    (void)state;
    for (long i = 0; i < 20000; i++) {
        uint64_t seed = (uint64_t)i * 0x9e3779b97f4a7c15 + 11, all = 1, held = 1;
        struct tmap_tensor t = {.dtype = types[i % 3],
                                .rank = 1 + (uint32_t)(i % TMAP_TENSOR_RANK)};
        struct tmap_fold f;
        uint64_t at = t.dtype == TMAP_UINT8 ? 8 : t.dtype == TMAP_BFLOAT16 ? 16 : 4;
        for (uint32_t k = 0; k < t.rank; k++) {
            t.dim[k] = one_in(&seed, 8) ? extreme(&seed) : 1 + next_random(&seed) % 6;
            t.box[k] = one_in(&seed, 2) ? 1 : (uint32_t)(t.dim[k] | 1);
            t.stride_bits[k] = one_in(&seed, 8) ? extreme(&seed) : at;
            at *= t.dim[k];
            all *= t.dim[k];
        }
        const enum tmap_status s = tmap_fold_tensor(&t, &f);
        if (s == TMAP_E_NO_PLAN) assert_true(f.reason[0]);
        if (s == TMAP_E_NO_PLAN) continue;
        assert_int_equal(s, TMAP_OK);
        for (uint32_t k = 0; k < f.desc.rank; k++) held *= f.desc.dim[k];
        assert_true(held * f.maps == all);
        folds++;
    }
    assert_true(folds > 2000);
}

/* Places and coordinates that no plan has, or that do not fit. */
static void test_places(void **state)
{
    const int64_t far[TMAP_MAX_RANK] = {INT64_MAX, INT64_MAX, INT64_MIN};
    const uint32_t origin[TMAP_MAX_RANK] = {0}, beyond[TMAP_MAX_RANK] = {64, 64};
    const int64_t zero[TMAP_MAX_RANK] = {0};
    struct tmap_plan p = {.desc = {.dtype = TMAP_UINT8, .rank = 3}, .part_of = 1};
    int64_t out[TMAP_MAX_RANK];
    uint32_t copy;
    uint64_t at;
    (void)state;
    for (int i = 0; i < 3; i++) {
        p.desc.dim[i] = p.desc.box[i] = 16;
        p.desc.elem_stride[i] = 1;
        p.dim[i] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1, .step = 16};
        p.dim[i].coef[i] = 1;
    }
    p.desc.stride_bytes[0] = 16, p.desc.stride_bytes[1] = 256;
    assert_true(tmap_plan_place(&p, &p.desc, zero, origin, &copy, &at) && copy == 0 && at == 0);
    assert_false(tmap_plan_place(&p, &p.desc, zero, beyond, &copy, &at));
    assert_false(tmap_plan_place(&p, &p.desc, far, beyond, &copy, &at)); /* their sum is none */
    assert_false(tmap_plan_place(&p, &p.desc, zero, origin, &copy, NULL));
    tmap_plan_coords(&p, far, 0, out);
    assert_true(out[0] == INT64_MAX && out[2] == INT64_MIN);
    p.dim[0].coef[0] = UINT64_MAX; /* held to what a coordinate can be */
    tmap_plan_coords(&p, far, 0, out);
    assert_true(out[0] == INT64_MAX);
    p.dim[0].coef[2] = UINT64_MAX;
    p.dim[0].coef[0] = 0;
    tmap_plan_coords(&p, far, 0, out);
    assert_true(out[0] == INT64_MIN);
    const int64_t least[TMAP_MAX_RANK] = {INT64_MIN, 0, INT64_MIN};
    p.dim[0].coef[0] = 1, p.dim[0].round = 3; /* of -2^127 the next multiple below */
    tmap_plan_coords(&p, least, 0, out);
    assert_true(out[0] == INT64_MIN);
    assert_false(tmap_plan_place(&p, &p.desc, least, origin, &copy, &at));
    p.dim[0].coef[0] = UINT64_MAX; /* no sum of 128 bits */
    tmap_plan_coords(&p, least, 0, out);
    assert_true(out[0] == 0 && out[2] == 0);
    assert_false(tmap_plan_place(&p, &p.desc, least, origin, &copy, &at));
    p.dim[0].round = 0;
    assert_false(tmap_plan_place(&p, &p.desc, zero, origin, &copy, &at));
    tmap_plan_coords(&p, zero, 0, out);
    assert_true(out[0] == 0 && out[1] == 0);
    p.dim[0].step = 0;
    assert_false(tmap_plan_place(&p, &p.desc, zero, origin, &copy, &at));
    p.desc.rank = TMAP_MAX_RANK + 1;
    assert_false(tmap_plan_place(&p, &p.desc, zero, origin, &copy, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repairs),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
