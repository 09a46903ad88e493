/* What the model's errors have in common: where it counts, which configurations it puts in another
 * order, and that it stays small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/gemm_suite.h"
#include "kernels/gemm/residual.h"

/* enumerate.c's and residual.c's. */
enum { LIKELY = 8 };
static const double LIKELY_WITHIN = 1.1, LEAST = 0.904, MOST = 1.106; /* e^-0.1, e^0.1 */

static const struct tmap_gemm_config nothing;
static struct gemm_choice choices[GEMM_MAX_CHOICES];

static struct tmap_gemm *with_memory(double bytes_per_us)
{
    struct tmap_gemm *suite = pretend();
    assert_int_equal(gemm_as_h200(suite), TMAP_OK);
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

/* Of those within a tenth of the cheapest by the model at most eight, by corrected costs; behind
 * them the model's order, and its costs. */
static void the_likely_are_put_in_order(void **state)
{
    (void)state;
    const struct tmap_gemm *suite = with_memory(4.814e6);
    size_t changed = 0;
    for (uint32_t i = 0; i < 60; i++) {
        const struct tmap_gemm_problem p = drawn(i);
        const size_t n = all_of(suite, &p);
        double least = 1e300, last = 0, corrected = 0;
        for (size_t j = 0; j < n; j++) {
            const double us = modelled(suite, &p, &choices[j]);
            if (us < least) least = us;
        }
        for (size_t j = 0; j < n; j++) {
            const double us = modelled(suite, &p, &choices[j]), cost = choices[j].cost_us;
            assert_true(cost >= us * LEAST && cost <= us * MOST);
            changed += j == 0 && us > least;
            if (cost != us) {
                assert_true(j < LIKELY && us <= least * LIKELY_WITHIN && cost >= corrected);
                corrected = cost;
            } else if (j >= LIKELY) {
                assert_true(us >= last);
                last = us;
            }
        }
    }
    assert_in_range(changed, 10, 59); /* another is picked, often but not always */
}

/* Elsewhere, and of products that were not timed, the model has the last word. */
static void others_have_the_models_order(void **state)
{
    (void)state;
    struct tmap_gemm_problem p[6];
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++) p[i] = drawn(0), p[i].m = 300;
    const struct tmap_gemm_problem like = p[0];
    p[1].batch = 3;
    p[2].beta = 1, p[2].c = p[2].d;
    p[3].out = TMAP_GEMM_OUT_F32;
    p[5] = product(p[5].kind, 8192, 8192, 8192), p[5].out = like.out; /* too long */
    struct gemm_view view = gemm_view_of(&like, false);
    assert_true(gemm_has_residuals(with_memory(4.917e6), &view));
    assert_false(gemm_has_residuals(with_memory(3.35e6), &view)); /* an H100's */
    assert_false(gemm_has_residuals(with_memory(0), &view));
    view.conv.images = 1;
    assert_false(gemm_has_residuals(with_memory(4.917e6), &view));
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++) {
        const struct tmap_gemm *suite = with_memory(i == 4 ? 3.35e6 : 4.814e6);
        const size_t n = all_of(suite, &p[i]);
        size_t corrected = 0;
        for (size_t j = 0; j < n; j++)
            corrected += choices[j].cost_us != modelled(suite, &p[i], &choices[j]);
        assert_true(i == 0 ? corrected > 0 : corrected == 0);
    }
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
        for (size_t cap = 1; cap <= 3; cap += 2) {
            assert_true(gemm_enumerate(suite, &p, &nothing, three, cap) > 0);
            for (size_t j = 0; j < cap && j < n; j++)
                assert_true(three[j].cost_us == choices[j].cost_us);
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
