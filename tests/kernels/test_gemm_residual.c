/* What the model's errors have in common: where that counts, which configurations it puts in
 * another order, and that it stays small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../support/gemm_suite.h"
#include "kernels/gemm/residual.h"

static const struct tmap_gemm_config nothing;
static struct gemm_choice choices[GEMM_MAX_CHOICES];

static struct tmap_gemm *with_memory(double bytes_per_us)
{
    struct tmap_gemm *suite = pretend_h200();
    suite->gpu.memory_bytes_per_us = bytes_per_us;
    return suite;
}

static double modelled(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                       const struct gemm_choice *choice)
{
    const struct gemm_view view = gemm_view_in(p, choice);
    return gemm_cost_us(suite, &view, choice);
}

static size_t all_of(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p)
{
    const size_t n = gemm_enumerate(suite, p, &nothing, choices, GEMM_MAX_CHOICES);
    assert_in_range(n, 1, GEMM_MAX_CHOICES);
    return n;
}

static struct tmap_gemm_problem drawn(uint32_t i)
{
    static const int32_t kinds[] = {TMAP_GEMM_BF16, TMAP_GEMM_F16, TMAP_GEMM_TF32, TMAP_GEMM_E4M3,
                                    TMAP_GEMM_S8};
    const uint32_t mix = i * 2654435761u;
    struct tmap_gemm_problem p = product(kinds[i % 5], 1 + (int32_t)(mix >> (17 + i % 13)),
                                         64 << (mix >> 3) % 8, 64 << (mix >> 7) % 9);
    const bool wide = p.kind == TMAP_GEMM_TF32 || p.kind == TMAP_GEMM_S8;
    if (!wide) p.out = p.kind == TMAP_GEMM_F16 ? TMAP_GEMM_OUT_F16 : TMAP_GEMM_OUT_BF16;
    return p;
}

/* How many come after a dearer one. */
static size_t inversions(const struct gemm_choice *list, size_t first, size_t n)
{
    size_t count = 0;
    for (size_t i = first; i + 1 < n; i++) count += list[i].cost_us > list[i + 1].cost_us;
    return count;
}

/* How many of the first are compared: no more than eight, none a tenth dearer than the cheapest. */
static size_t likely(size_t n)
{
    double least = choices[0].cost_us;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (choices[i].cost_us < least) least = choices[i].cost_us;
    if (least > GEMM_SETTLES_US) return 0;
    while (count < n && count < GEMM_LIKELY && choices[count].cost_us <= least * GEMM_LIKELY_WITHIN)
        count++;
    return count;
}

/* The likely ones by their costs times what these are off by; behind them the model's order. Costs
 * are the model's. */
static void the_likely_are_put_in_order(void **state)
{
    (void)state;
    const struct tmap_gemm *suite = with_memory(4.814e6);
    size_t changed = 0;
    for (uint32_t i = 0; i < 60; i++) {
        const struct tmap_gemm_problem p = drawn(i);
        double factors[GEMM_LIKELY];
        const size_t n = all_of(suite, &p), first = likely(n);
        gemm_residuals(suite, &p, choices, first, factors);
        for (size_t j = 0; j < first; j++) {
            assert_true(fabs(log(factors[j])) <= GEMM_MOST_RESIDUAL * 1.001);
            if (j > 0)
                assert_true(choices[j - 1].cost_us * factors[j - 1] <=
                            choices[j].cost_us * factors[j]);
            if (first < n) assert_true(choices[j].cost_us <= choices[n - 1].cost_us);
        }
        assert_int_equal(inversions(choices, first, n), 0);
        for (size_t j = 0; j < n; j++)
            assert_true(choices[j].cost_us == modelled(suite, &p, &choices[j]));
        changed += inversions(choices, 0, first) > 0;
    }
    assert_in_range(changed, 20, 60);
}

/* Elsewhere, and of products that were not timed, the model has the last word. */
static void others_have_the_models_order(void **state)
{
    (void)state;
    struct tmap_gemm *suite = with_memory(4.917e6);
    const struct tmap_gemm_problem like = drawn(0);
    const struct gemm_view timed = gemm_view_of(&like, false);
    struct gemm_view other[6];
    for (int i = 0; i < 6; i++) other[i] = timed;
    other[0].conv.images = 1;
    other[1].grouped = true;
    other[2].blocks = true;
    other[3].gate = TMAP_GEMM_GATE_HALVES;
    other[4].batch = 2;
    other[5].out_bytes = 4;
    assert_true(gemm_has_residuals(suite, &timed));
    for (int i = 0; i < 6; i++) assert_false(gemm_has_residuals(suite, &other[i]));
    suite->gpu.sm_count = 114;
    assert_false(gemm_has_residuals(suite, &timed));
    assert_false(gemm_has_residuals(with_memory(3.35e6), &timed)); /* an H100's */
    assert_false(gemm_has_residuals(with_memory(0), &timed));
    for (uint32_t i = 0; i < 20; i++) {
        struct tmap_gemm_problem p = drawn(i);
        if (i % 2) p.beta = 1, p.c = p.d;
        suite = with_memory(i % 2 ? 4.814e6 : 3.35e6);
        assert_int_equal(inversions(choices, 0, all_of(suite, &p)), 0);
    }
    struct tmap_gemm_problem lasts = product(TMAP_GEMM_E4M3, 8192, 8192, 8192);
    lasts.out = TMAP_GEMM_OUT_BF16;
    suite = with_memory(4.814e6);
    assert_int_equal(inversions(choices, 0, all_of(suite, &lasts)), 0);
}

/* The same eight are compared whoever asks for one, for three or for all. */
static void however_many_are_wanted(void **state)
{
    (void)state;
    const struct tmap_gemm *suite = with_memory(4.814e6);
    for (uint32_t i = 0; i < 60; i++) {
        const struct tmap_gemm_problem p = drawn(i);
        struct gemm_choice three[3];
        const size_t n = all_of(suite, &p);
        assert_true(gemm_enumerate(suite, &p, &nothing, NULL, 0) > 0);
        for (size_t cap = 1; cap <= 3; cap += 2) {
            assert_true(gemm_enumerate(suite, &p, &nothing, three, cap) > 0);
            for (size_t j = 0; j < cap && j < n; j++)
                assert_memory_equal(&three[j].config, &choices[j].config, sizeof three[j].config);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_likely_are_put_in_order),
        cmocka_unit_test(others_have_the_models_order),
        cmocka_unit_test(however_many_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
