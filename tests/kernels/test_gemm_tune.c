/* How tmap_gemm_tune chooses, on a device that is pretended. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/timed_device.h"

enum { MOST = 20 };

static struct tmap_gemm_problem product_of_bf16(int32_t k)
{
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4096, 4096, k);
    p.out = TMAP_GEMM_OUT_BF16;
    return p;
}
static struct tmap_gemm_problem square(void)
{
    return product_of_bf16(2048); /* pingpongs among the first */
}

/* What the model alone plans. */
static struct tmap_gemm_plan own_plan(struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                                      const struct tmap_gemm_config *request)
{
    struct tmap_gemm_plan own;
    assert_int_equal(tmap_gemm_make_plan(suite, p, request, &own, NULL), TMAP_OK);
    return own;
}

/* Rows and columns that a multiply takes into shared memory, of one element each. */
static double moves(const struct tmap_gemm_config *c)
{
    return 1.0 / c->tile_m + 1.0 / c->tile_n;
}

/* The same, on a device where every other kernel takes `others` times as long. */
static struct tmap_gemm_plan own_beside(struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                                        const struct tmap_gemm_config *request, double others)
{
    const struct tmap_gemm_plan own = own_plan(suite, p, request);
    device.own = own.function;
    device.others = others;
    return own;
}

/* What a tuner plans among the model's first `most`. */
static struct tmap_gemm_plan planned_by(gemm_tuner *tuner, struct tmap_gemm *suite,
                                        const struct tmap_gemm_problem *p,
                                        const struct tmap_gemm_config *request, size_t most)
{
    struct tmap_gemm_plan tuned;
    assert_int_equal(tuner(suite, p, request, most, NULL, &tuned, NULL), TMAP_OK);
    return tuned;
}
static struct tmap_gemm_plan tuned_plan(struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                                        const struct tmap_gemm_config *request, size_t most)
{
    return planned_by(tmap_gemm_tune, suite, p, request, most);
}
static struct tmap_gemm_plan sustained_plan(struct tmap_gemm *suite,
                                            const struct tmap_gemm_problem *p, size_t most)
{
    return planned_by(tmap_gemm_tune_sustained, suite, p, NULL, most);
}

static void what_is_quickest_on_a_warm_device_is_planned(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, MOST);
    assert_true(device.quickest_is_pingpong); /* which a look at each would have planned */
    assert_false(is_pingpong(plan.function));
    assert_true(device.now_us < 1e6);
    assert_int_equal(device.events, 0);
}

/* Of runs of 10 ms few are needed. */
static void long_runs_are_few(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    const struct tmap_gemm_plan own = own_beside(suite, &p, NULL, 0.9);
    device.slower = 100;
    const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, MOST);
    assert_ptr_not_equal(plan.function, own.function);
    assert_in_range(device.launches, MOST * 4, 240);
}

/* What keeps the device at its power limit is timed for as long as the clock takes to follow: the
 * model's own plan, quicker in short slices by a twentieth, is slower by as much in long ones. Not
 * where nobody asked, or runs wait for memory. */
static void what_draws_less_is_planned_at_the_power_limit(void **state)
{
    (void)state;
    static const struct {
        double slower;
        gemm_tuner *tuner;
        bool sustained;
    } cases[] = {{2, tmap_gemm_tune_sustained, true},
                 {2, tmap_gemm_tune, false},
                 {10, tmap_gemm_tune_sustained, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = product_of_bf16(4096);
        const struct tmap_gemm_plan own = own_beside(suite, &p, NULL, 1.05);
        device.slower = cases[i].slower;
        device.hungry = 1.1;
        const struct tmap_gemm_plan plan = planned_by(cases[i].tuner, suite, &p, NULL, MOST);
        assert_int_equal(plan.function != own.function, cases[i].sustained);
        if (cases[i].sustained) assert_true(moves(&plan.config) < moves(&own.config));
        assert_true(device.now_us < 9e6);
    }
}

/* The model, which ranks by clocks, has it far behind; and its clusters have their turns. */
static void what_moves_least_is_looked_at_at_the_power_limit(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = product_of_bf16(4096);
    struct tmap_gemm_config configs[MOST];
    const struct tmap_gemm_config tall = {.tile_m = 192, .tile_n = 256};
    const struct tmap_gemm_plan least = own_plan(suite, &p, &tall);
    own_beside(suite, &p, NULL, 1.05);
    assert_true(tmap_gemm_configs(suite, &p, NULL, configs, MOST) > MOST);
    for (size_t i = 0; i < MOST; i++)
        assert_ptr_not_equal(own_plan(suite, &p, &configs[i]).function, least.function);
    device.best = least.function;
    device.slower = 2;
    const struct tmap_gemm_plan plan = sustained_plan(suite, &p, MOST);
    assert_ptr_equal(plan.function, least.function);
    assert_int_equal(plan.config.overlap, plan.config.stream_k <= 0 ? GEMM_LATE : 0);
}

/* Of more than there is room for, what moves least stays, though it is the slowest in short slices.
 */
static void what_moves_least_stays_among_many(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = product_of_bf16(8192);
    device.trades = true;
    const struct tmap_gemm_plan plan = sustained_plan(suite, &p, GEMM_MAX_CHOICES);
    assert_int_equal(plan.config.tile_m, 192);
    assert_int_equal(plan.config.tile_n, 256);
}

/* Of one sort: so are tiles of 65 to 128 columns, say. */
static bool are_alike(const struct tmap_gemm_config *x, const struct tmap_gemm_config *y)
{
    return x->tile_m == y->tile_m && (x->tile_n - 1) / 64 == (y->tile_n - 1) / 64 &&
           (x->pingpong > 0) == (y->pingpong > 0) && (x->split_k > 1) == (y->split_k > 1) &&
           (x->stream_k > 0) == (y->stream_k > 0) &&
           x->cluster_m * x->cluster_n == y->cluster_m * y->cluster_n;
}

static size_t sorts(const struct tmap_gemm_config *configs, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < i && !are_alike(&configs[i], &configs[j])) j++;
        different += j == i;
    }
    return different;
}

/* Of a deep K with M and N of hundreds the model's first ones are much alike, and what it has far
 * behind may be the quickest (docs/EXPERIMENTS.md): the first of each of a few more sorts is looked
 * at, and those that move up keep their order. */
static void other_sorts_have_looks(void **state)
{
    (void)state;
    enum { LOOKS = 48, ALL = GEMM_MAX_CHOICES };
    static struct tmap_gemm_config first[ALL], looked[ALL];
    struct tmap_gemm *suite = cool_device();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 640, 456, 40000);
    p.out = TMAP_GEMM_OUT_BF16;
    const size_t count = tmap_gemm_configs(suite, &p, NULL, first, ALL);
    assert_true(count > 4 * LOOKS && count <= ALL);
    memcpy(looked, first, sizeof looked);
    gemm_order_looks(looked, count, LOOKS);
    const size_t same = LOOKS - LOOKS / 3;
    assert_int_equal(sorts(looked, LOOKS), sorts(first, same) + LOOKS / 3);
    assert_true(sorts(first, LOOKS) < sorts(looked, LOOKS));
    assert_memory_equal(looked, first, same * sizeof *first);
    for (size_t i = 0, at = 0; i < count; i++) { /* none is lost: the rest stand as they did */
        size_t j = 0;
        while (j < LOOKS && memcmp(&looked[j], &first[i], sizeof *first) != 0) j++;
        if (j < LOOKS) continue;
        assert_memory_equal(&looked[LOOKS + at++], &first[i], sizeof *first);
    }
    memcpy(looked, first, sizeof looked);
    for (size_t most = 0; most < 3; most++) {
        gemm_order_looks(looked, count, most);
        assert_memory_equal(looked, first, sizeof looked);
    }
}

/* With nothing to compare the model's own plan is taken as it is. */
static void one_configuration_needs_no_long_finals(void **state)
{
    (void)state;
    for (size_t most = 0; most < 2; most++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = product_of_bf16(4096);
        device.slower = 2;
        sustained_plan(suite, &p, most);
        assert_true(device.launches <= 10);
    }
}

static void the_models_own_plan_is_a_finalist(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    const struct tmap_gemm_plan own = own_plan(suite, &p, NULL);
    device.quick_when_warm = own.function;
    const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, MOST);
    assert_ptr_equal(plan.function, own.function);
}

/* Of a product that the L2 cache would keep, copies take turns, and where even those would stay
 * there, the cache is swept; a larger one is run as it is. */
static void small_operands_are_timed_cold(void **state)
{
    (void)state;
    static const struct {
        int32_t n;
        bool copied, swept;
    } cases[] = {{512, true, true}, {2048, true, false}, {8192, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_gemm *suite = cool_device();
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, cases[i].n, cases[i].n, cases[i].n);
        p.out = TMAP_GEMM_OUT_BF16;
        const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, MOST);
        assert_int_equal(device.blocks, 0);
        assert_int_equal(device.swept > 0, cases[i].swept);
        assert_int_equal(device.copied > 2, cases[i].copied);
        /* but where one configuration ends and another begins */
        assert_int_equal(device.repeated < device.launches / 10, cases[i].copied);
        assert_int_equal(plan.problem.a.address, p.a.address);
    }
}

/* Another plan must be quicker than the model's by more than what two runs of one differ by. */
static void the_models_own_plan_is_left_for_more_than_noise(void **state)
{
    (void)state;
    for (int by = 0; by < 2; by++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = square();
        const struct tmap_gemm_plan own = own_beside(suite, &p, NULL, by ? 0.95 : 0.995);
        const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, MOST);
        assert_int_equal(plan.function == own.function, by == 0);
    }
}

/* What was lucky in the finals meets the model's own plan once more. */
static void luck_is_not_speed(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    const struct tmap_gemm_plan own = own_beside(suite, &p, NULL, 1);
    device.lucky_until = 300e3; /* the finals' end, about */
    const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, MOST);
    assert_true(device.now_us > 400e3);
    assert_ptr_equal(plan.function, own.function);
}

/* The clock of a device at its power limit moves by more than configurations differ: it must decide
 * neither who is timed again nor who wins. */
static void a_clock_that_drifts_decides_nothing(void **state)
{
    (void)state;
    static const double times_us[] = {20e3, 35e3, 50e3, 75e3, 110e3};
    for (size_t i = 0; i < sizeof times_us / sizeof times_us[0]; i++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = square();
        struct tmap_gemm_config configs[MOST];
        const struct tmap_gemm_plan own = own_beside(suite, &p, NULL, 1);
        assert_true(tmap_gemm_configs(suite, &p, NULL, configs, MOST) > MOST);
        for (size_t j = 0; j < MOST; j++) { /* the last of another kernel */
            const struct tmap_gemm_plan plan = own_plan(suite, &p, &configs[j]);
            if (plan.function != own.function) device.best = plan.function;
        }
        assert_non_null(device.best);
        device.drift_us = times_us[i];
        assert_ptr_equal(tuned_plan(suite, &p, NULL, MOST).function, device.best);
    }
}

struct elsewhere {
    struct tmap_gemm *suite;
    struct tmap_gemm_problem problem;
    struct tmap_gemm_plan plan;
    enum tmap_status status;
};

static void *tune_there(void *elsewhere)
{
    struct elsewhere *e = elsewhere;
    e->status = tmap_gemm_tune(e->suite, &e->problem, NULL, MOST, NULL, &e->plan, NULL);
    return NULL;
}

/* All configurations would not fit there. */
static void a_small_stack_is_enough(void **state)
{
    (void)state;
    static struct elsewhere e;
    pthread_attr_t small;
    pthread_t thread;
    e.suite = cool_device();
    e.problem = square();
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 160 << 10), 0);
    assert_int_equal(pthread_create(&thread, &small, tune_there, &e), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&small), 0);
    assert_int_equal(e.status, TMAP_OK);
}

/* But where the request has one. */
static void other_orders_of_the_tiles_are_looked_at(void **state)
{
    (void)state;
    for (int32_t asked = 0; asked <= 8; asked += 8) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = square();
        const struct tmap_gemm_config request = {.group = asked};
        const struct tmap_gemm_plan own = own_beside(suite, &p, &request, 1.2);
        assert_int_not_equal(own.config.group, 2);
        device.quick_group = 2;
        const struct tmap_gemm_plan plan = tuned_plan(suite, &p, &request, MOST);
        assert_int_equal(plan.config.group, asked ? asked : 2);
    }
}

/* So is what the ring and the output share, but where the request has panels or stages. */
static void other_panels_are_looked_at(void **state)
{
    (void)state;
    static const struct tmap_gemm_config requests[] = {{0}, {.panels = 1}, {.stages = 4}};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = square();
        const struct tmap_gemm_plan own = own_beside(suite, &p, &requests[i], 1.2);
        device.quick_panels = 4;
        assert_int_not_equal(own.config.panels, 4);
        const struct tmap_gemm_plan plan = tuned_plan(suite, &p, &requests[i], MOST);
        assert_int_equal(plan.config.panels == 4, i == 0);
    }
}

/* So are late launches of what is not late by default, in the order of late ones, and the other way
 * round; but where the request says how. */
static void late_launches_are_looked_at(void **state)
{
    (void)state;
    static const struct {
        int32_t overlap, cluster_m, quick_late, expected;
    } cases[] = {{0, 2, 1, GEMM_LATE}, {0, 2, -1, 0}, {0, 1, -1, 1}, {0, 1, 1, GEMM_LATE},
                 {1, 2, 1, 1},         {1, 1, 1, 1},  {-1, 2, 1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = product_of_bf16(4096);
        const struct tmap_gemm_config request = {.tile_m = 128,
                                                 .tile_n = 256,
                                                 .cluster_m = cases[i].cluster_m,
                                                 .cluster_n = 3 - cases[i].cluster_m,
                                                 .split_k = 1,
                                                 .stream_k = -1,
                                                 .overlap = cases[i].overlap};
        const struct tmap_gemm_plan own = own_beside(suite, &p, &request, 1.2);
        const int32_t by_default = cases[i].cluster_m == 1 ? GEMM_LATE : 0;
        assert_int_equal(own.config.overlap, cases[i].overlap ? cases[i].overlap : by_default);
        device.quick_late = cases[i].quick_late;
        const struct tmap_gemm_plan plan = tuned_plan(suite, &p, &request, MOST);
        assert_int_equal(plan.config.overlap, cases[i].expected);
    }
}

static void one_configuration_needs_no_finals(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    const struct tmap_gemm_plan own = own_plan(suite, &p, NULL);
    const struct tmap_gemm_plan plan = tuned_plan(suite, &p, NULL, 1);
    assert_memory_equal(&plan.config, &own.config, sizeof own.config);
    assert_in_range(device.launches, 1, 10);
}

static void the_choice_is_remembered(void **state)
{
    (void)state;
    char path[] = "/tmp/tmap-tune-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    struct tmap_gemm_plan tuned, recalled;
    assert_int_equal(tmap_gemm_tune(suite, &p, NULL, MOST, path, &tuned, NULL), TMAP_OK);
    const int launches = device.launches;
    assert_int_equal(tmap_gemm_tune(suite, &p, NULL, MOST, path, &recalled, NULL), TMAP_OK);
    assert_int_equal(device.launches, launches);
    suite->gpu.cuda_version++; /* another driver's choices are its own */
    struct tmap_gemm_plan again;
    assert_int_equal(tmap_gemm_tune(suite, &p, NULL, MOST, path, &again, NULL), TMAP_OK);
    assert_true(device.launches > launches);
    const int after = device.launches; /* so are those at the power limit */
    assert_int_equal(tmap_gemm_tune_sustained(suite, &p, NULL, MOST, path, &again, NULL), TMAP_OK);
    assert_true(device.launches > after);
    const int all = device.launches;
    assert_int_equal(tmap_gemm_tune_sustained(suite, &p, NULL, MOST, path, &again, NULL), TMAP_OK);
    assert_int_equal(device.launches, all);
    unlink(path);
    assert_ptr_equal(recalled.function, tuned.function);
}

/* A cluster and an early start are attributes, where they are asked for; to be late is not. */
static void a_launch_is_the_plans(void **state)
{
    (void)state;
    struct tmap_gemm *suite = cool_device();
    const struct tmap_gemm_problem p = square();
    for (int32_t pair = 1; pair <= 2; pair++)
        for (int32_t overlap = -1; overlap <= (pair > 1 ? GEMM_LATE : 1); overlap++) {
            const struct tmap_gemm_config request = {
                .cluster_m = pair, .cluster_n = 1, .stream_k = -1, .overlap = overlap};
            const struct tmap_gemm_plan plan = own_plan(suite, &p, &request);
            assert_int_equal(tmap_gemm_run(&plan, NULL), TMAP_OK);
            assert_int_equal(device.how.grid_x, plan.grid);
            assert_int_equal(device.how.block_x, plan.threads);
            assert_int_equal(device.how.smem_bytes, plan.smem_bytes);
            assert_int_equal(device.how.attr_count, (pair > 1) + (overlap >= 0));
            if (overlap >= 0) assert_int_equal(device.attrs[0].id, TMAP_CU_LAUNCH_PDL);
            if (overlap >= 0) assert_int_equal(device.attrs[0].value.flag, 1);
            if (pair == 1) continue;
            const struct tmap_cu_launch_attr *last = &device.attrs[device.how.attr_count - 1];
            assert_int_equal(last->id, TMAP_CU_LAUNCH_CLUSTER);
            assert_int_equal(last->value.cluster.x, pair);
        }
}

/* In the first look, and in the finals. */
static void a_device_that_objects_ends_it(void **state)
{
    (void)state;
    static const int when[] = {1, 30, 400};
    for (size_t i = 0; i < sizeof when / sizeof when[0]; i++) {
        struct tmap_gemm *suite = cool_device();
        const struct tmap_gemm_problem p = square();
        struct tmap_gemm_plan plan;
        device.fail_at = when[i];
        assert_int_equal(tmap_gemm_tune(suite, &p, NULL, MOST, NULL, &plan, NULL), TMAP_E_DRIVER);
        assert_int_equal(device.events, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_quickest_on_a_warm_device_is_planned),
        cmocka_unit_test(long_runs_are_few),
        cmocka_unit_test(what_draws_less_is_planned_at_the_power_limit),
        cmocka_unit_test(what_moves_least_is_looked_at_at_the_power_limit),
        cmocka_unit_test(what_moves_least_stays_among_many),
        cmocka_unit_test(one_configuration_needs_no_long_finals),
        cmocka_unit_test(the_models_own_plan_is_a_finalist),
        cmocka_unit_test(small_operands_are_timed_cold),
        cmocka_unit_test(the_models_own_plan_is_left_for_more_than_noise),
        cmocka_unit_test(luck_is_not_speed),
        cmocka_unit_test(a_clock_that_drifts_decides_nothing),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(other_orders_of_the_tiles_are_looked_at),
        cmocka_unit_test(other_panels_are_looked_at),
        cmocka_unit_test(late_launches_are_looked_at),
        cmocka_unit_test(one_configuration_needs_no_finals),
        cmocka_unit_test(other_sorts_have_looks),
        cmocka_unit_test(the_choice_is_remembered),
        cmocka_unit_test(a_launch_is_the_plans),
        cmocka_unit_test(a_device_that_objects_ends_it),
    };
    return cmocka_run_group_tests_name("gemm_tune", tests, NULL, NULL);
}
