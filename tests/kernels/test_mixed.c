/* Products of weights in 4 or 8 bits as plans on an emulated driver: their maps, and what is
 * refused, in which words or by which row. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/mixed.h"
#include "support/emulated_suites.h"
#include "tmap/mixed.h"

static tmap_cu_result any_function(tmap_cu_function *out, tmap_cu_module module, const char *name)
{
    (void)name;
    *out = (tmap_cu_function)module;
    return 0;
}

/* Its kernels are never launched, so that no PTX is needed. */
static struct tmap_gemm *opened(int major, int minor)
{
    struct tmap_gemm *suite = emulated_gemm_suite_for(major, minor);
    if (suite) suite->gpu.api.module_get_function = any_function;
    return suite;
}

/* 4096 by 4096 weights of 4 bits in groups of 128 with zeros. */
static struct tmap_mixed_problem usual(void)
{
    return (struct tmap_mixed_problem){.kind = TMAP_GEMM_BF16,
                                       .out = TMAP_GEMM_OUT_BF16,
                                       .weight = TMAP_MIXED_U4,
                                       .m = 5,
                                       .n = 4096,
                                       .k = 4096,
                                       .group = 128,
                                       .activations = 0x10000000,
                                       .weights = 0x20000000,
                                       .scales = 0x30000000,
                                       .zeros = 0x40000000,
                                       .d = 0x50000000,
                                       .activations_ld = 4096,
                                       .weights_ld = 4096,
                                       .scales_ld = 4096,
                                       .zeros_ld = 4096,
                                       .d_ld = 4096};
}

static void resize(struct tmap_mixed_problem *p, int32_t m, int32_t n, int32_t k)
{
    p->m = m, p->n = n, p->k = k;
    p->activations_ld = p->weights_ld = k;
    p->scales_ld = p->zeros_ld = p->d_ld = n;
}

/* Rows of weights eight apart are together, two numbers a byte. */
static void weights_are_a_map_of_eights(void **state)
{
    const struct tmap_mixed_problem p = usual();
    struct tmap_gemm_plan plan;
    (void)state;
    assert_int_equal(tmap_mixed_make_plan(opened(9, 0), &p, NULL, &plan, NULL), TMAP_OK);
    const struct tmap_desc *w = &plan.desc[0], *a = &plan.desc[1], *s = &plan.desc[2];
    assert_int_equal(w->rank, 3);
    assert_int_equal(w->dim[0], 2048);
    assert_int_equal(w->dim[1], 512);
    assert_int_equal(w->stride_bytes[0], 8 * 2048);
    assert_int_equal(w->stride_bytes[1], 2048);
    assert_int_equal(a->box[1], 5);
    assert_int_equal(s->dim[1], 32);
    assert_int_equal(s->box[1], 2);
    assert_int_equal(plan.config.tile_n, 8);
    assert_true(plan.config.stages >= 4);
}

static void tiles_are_as_wide_as_there_are_rows(void **state)
{
    static const int32_t rows[][2] = {{1, 8},   {8, 8},   {9, 16},  {16, 16},
                                      {17, 32}, {33, 64}, {65, 64}, {5000, 64}};
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_plan plan;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int32_t weight = 0; weight <= TMAP_MIXED_E4M3; weight++) {
            struct tmap_mixed_problem p = usual();
            p.weight = weight;
            p.m = rows[i][0];
            if (weight == TMAP_MIXED_E4M3) p.zeros = 0;
            assert_int_equal(tmap_mixed_make_plan(suite, &p, NULL, &plan, NULL), TMAP_OK);
            assert_int_equal(plan.config.tile_n, rows[i][1]);
        }
}

/* On 132 SMs. early: slots of weights before the predecessor's end. */
static const struct share {
    int32_t weight, group, m, n, k, early;
} shares[] = {
    /* Eight k-blocks a block, sixteen of 8 bits, four blocks to a tile: all end at once. */
    {TMAP_MIXED_U4, 128, 8, 8192, 8192, 3},
    {TMAP_MIXED_U4, 32, 16, 8192, 8192, 2},
    {TMAP_MIXED_S8, 128, 8, 8192, 8192, 5},
    {TMAP_MIXED_S8, 0, 16, 8192, 8192, 4},
    /* Two and four: half of them. */
    {TMAP_MIXED_U4, 128, 8, 4096, 4096, 1},
    {TMAP_MIXED_E4M3, 0, 8, 4096, 4096, 2},
    /* 28 and 55, and ends of tiles anywhere. */
    {TMAP_MIXED_U4, 128, 8, 28672, 8192, 5},
    {TMAP_MIXED_U4, 128, 16, 28672, 8192, 3},
    {TMAP_MIXED_U4, 32, 8, 28672, 8192, 4},
    {TMAP_MIXED_S8, 128, 16, 28672, 8192, 5},
    /* 7, 9 and 11, and 28 of a wide tile. */
    {TMAP_MIXED_U4, 128, 8, 14336, 4096, 3},
    {TMAP_MIXED_E4M3, 0, 8, 7168, 5120, 3},
    {TMAP_MIXED_S8, 128, 8, 4096, 11008, 4},
    {TMAP_MIXED_U4, 128, 32, 28672, 8192, 2},
};

static int32_t early_of(struct tmap_gemm *suite, const struct share *w, int32_t overlap)
{
    const struct tmap_gemm_config request = {.overlap = overlap};
    struct tmap_mixed_problem p = usual();
    struct gemm_mixed_params all;
    struct tmap_gemm_plan plan;
    p.weight = w->weight, p.group = w->group;
    resize(&p, w->m, w->n, w->k);
    if (w->group != 32) p.zeros = 0;
    assert_int_equal(tmap_mixed_make_plan(suite, &p, &request, &plan, NULL), TMAP_OK);
    memcpy(&all, plan.params, sizeof all);
    return all.mixed.early;
}

static void slots_are_early_by_a_blocks_share(void **state)
{
    struct tmap_gemm *suite = opened(9, 0);
    (void)state;
    suite->gpu.sm_count = 132;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (early_of(suite, &shares[i], 1) != shares[i].early)
            fail_msg("row %d: %d", (int)i, early_of(suite, &shares[i], 1));
        assert_int_equal(early_of(suite, &shares[i], -1), 0);
    }
}

struct refused {
    const char *what, *words;
    enum tmap_status status;
    size_t offset;
    int64_t value;
    int32_t bytes;
};
#define NARROW(member) offsetof(struct tmap_mixed_problem, member), .bytes = 4
#define WIDE(member) offsetof(struct tmap_mixed_problem, member), .bytes = 8
static const struct refused refusals[] = {
    {"no rows", "m is 0, not 1 to", TMAP_E_ARGUMENT, NARROW(m), .value = 0},
    {"no such weight", "weight is 3, not 0 to 2", TMAP_E_ARGUMENT, NARROW(weight), .value = 3},
    {"integers out", "out is 3, not 0 to 2", TMAP_E_ARGUMENT, NARROW(out), .value = 3},
    {"activations of e4m3", "bf16 or fp16", TMAP_E_ARGUMENT, NARROW(kind), .value = 3},
    {"a group of 48", "group is not 0, 32, 64 or 128", TMAP_E_ARGUMENT, NARROW(group), .value = 48},
    {"zeros without groups", "zeros are of groups", TMAP_E_ARGUMENT, NARROW(group), .value = 0},
    {"groups without scales", "groups have scales", TMAP_E_ARGUMENT, WIDE(scales), .value = 0},
    {"zeros of e4m3", "have no zeros", TMAP_E_ARGUMENT, NARROW(weight), .value = 2},
    {"4097 columns", "n is not a multiple of 8", TMAP_E_ARGUMENT, NARROW(n), .value = 4097},
    {"half a byte", "must be even", TMAP_E_ARGUMENT, NARROW(k), .value = 4095},
    {"D off 16 bytes", "multiples of 16 bytes", TMAP_E_ARGUMENT, WIDE(d), .value = 0x50000008},
    {"D's rows short", "d_ld is less than N", TMAP_E_ARGUMENT, WIDE(d_ld), .value = 4088},
    {"a wide row of weights", "weights_ld is", TMAP_E_ARGUMENT, WIDE(weights_ld), .value = -2},
    {"weights off 16 bytes", "the map of W, field address", TMAP_E_ILLEGAL, WIDE(weights),
     .value = 0x20000008},
    {"rows of weights off 16 bytes", "the map of W, field stride", TMAP_E_ILLEGAL, WIDE(weights_ld),
     .value = 4112},
    {"rows of activations off 16 bytes", "the map of A, field stride", TMAP_E_ILLEGAL,
     WIDE(activations_ld), .value = 4100},
    {"rows of scales off 16 bytes", "the map of S, field stride", TMAP_E_ILLEGAL, WIDE(scales_ld),
     .value = 4100},
    {"rows of zeros off 16 bytes", "the map of Z, field stride", TMAP_E_ILLEGAL, WIDE(zeros_ld),
     .value = 4104},
};

static struct tmap_mixed_problem changed(const struct refused *r)
{
    struct tmap_mixed_problem p = usual();
    const int32_t narrow = (int32_t)r->value;
    memcpy((char *)&p + r->offset, r->bytes == 4 ? (const void *)&narrow : &r->value,
           (size_t)r->bytes);
    return p;
}

static void what_cannot_be_is_refused(void **state)
{
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_plan plan;
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refused *r = &refusals[i];
        const struct tmap_mixed_problem p = changed(r);
        struct tmap_gemm_refusal why = {0};
        const enum tmap_status status = tmap_mixed_make_plan(suite, &p, NULL, &plan, &why);
        if (status == r->status && strstr(why.text, r->words)) continue;
        print_error("%s: status %d: %s\n", r->what, status, why.text);
        failed++;
    }
    assert_int_equal(failed, 0);
}

static void what_the_next_cannot_be_is_refused(void **state)
{
    struct tmap_gemm *suite = opened(9, 0);
    const struct tmap_gemm_config deep = {.stages = 5};
    struct tmap_mixed_problem p = usual(), wrong = usual(), illegal = usual(), wide = usual();
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_plan plan;
    (void)state;
    wrong.m = 0, illegal.weights += 8, wide.m = 64;
    p.next = &wrong;
    assert_int_equal(tmap_mixed_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_ARGUMENT);
    assert_memory_equal(why.text, "next: m is 0", 12);
    assert_int_equal(tmap_mixed_make_plan(suite, &p, NULL, &plan, NULL), TMAP_E_ARGUMENT);
    p.next = &illegal;
    assert_int_equal(tmap_mixed_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_ILLEGAL);
    assert_memory_equal(why.text, "next: ", 6);
    assert_int_equal(why.operand, 'W');
    p.next = &wide; /* whose slots are larger */
    assert_int_equal(tmap_mixed_make_plan(suite, &p, &deep, &plan, &why), TMAP_E_NO_PLAN);
    assert_memory_equal(why.text, "next: so many stages", 20);
    p.next = NULL;
    assert_int_equal(tmap_mixed_make_plan(suite, &p, &deep, &plan, &why), TMAP_OK);
}

/* By an eighth of what a block of the next has to load, at most four; none where that is two, or
 * five and blocks end at different times. */
static void the_next_is_as_its_own_plan(void **state)
{
    static const int32_t sizes[][3] = {{4096, 4096, 0},  {10240, 4096, 0}, {8192, 4096, 1},
                                       {8192, 8192, 1},  {14336, 8192, 2}, {20480, 8192, 3},
                                       {28672, 8192, 4}, {65536, 16384, 4}};
    struct tmap_gemm *suite = opened(9, 0);
    (void)state;
    suite->gpu.sm_count = 132;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tmap_mixed_problem p = usual(), next = usual();
        struct gemm_mixed_params one, two;
        struct tmap_gemm_plan plan;
        resize(&p, 5, 16384, 4096); /* enough blocks to ask for all */
        resize(&next, 9, sizes[i][0], sizes[i][1]);
        next.weights += 1 << 20, next.group = 32;
        p.next = &next, next.next = &p;
        assert_int_equal(tmap_mixed_make_plan(suite, &p, NULL, &plan, NULL), TMAP_OK);
        memcpy(&one, plan.params, sizeof one);
        assert_int_equal(tmap_mixed_make_plan(suite, &next, NULL, &plan, NULL), TMAP_OK);
        memcpy(&two, plan.params, sizeof two);
        assert_int_equal(one.next.slots, sizes[i][2]);
        assert_memory_equal(&one.next.weights, &two.product.a, sizeof two.product.a);
        assert_memory_equal(&one.next.scales, &two.mixed.scales, sizeof two.mixed.scales);
        assert_memory_equal(&one.next.zeros, &two.mixed.zeros, sizeof two.mixed.zeros);
        assert_int_equal(one.next.clusters, two.product.clusters);
        assert_int_equal(one.next.stream_share, two.product.stream_share);
        assert_int_equal(one.next.stream_rest, two.product.stream_rest);
        assert_int_equal(one.next.k_blocks, two.product.k_blocks);
        assert_int_equal(one.next.tiles_m, two.product.tiles_m);
        assert_int_equal(one.next.groups, two.mixed.groups);
        assert_int_equal(one.next.has_zeros, two.mixed.has_zeros);
    }
}

/* More than 16 rows of either, or a next one of far more blocks. */
static void what_was_not_timed_is_not_prefetched(void **state)
{
    static const int32_t cases[][4] = {{16, 16, 8192, 1},
                                       {17, 16, 8192, 0},
                                       {16, 17, 8192, 0},
                                       {16, 16, 2048, 1},
                                       {16, 16, 512, 0}};
    struct tmap_gemm *suite = opened(9, 0);
    (void)state;
    suite->gpu.sm_count = 132;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tmap_mixed_problem p = usual(), next = usual();
        struct gemm_mixed_params all;
        struct tmap_gemm_plan plan;
        resize(&p, cases[i][0], cases[i][2], 4096);
        resize(&next, cases[i][1], 8192, 4096);
        p.next = &next;
        assert_int_equal(tmap_mixed_make_plan(suite, &p, NULL, &plan, NULL), TMAP_OK);
        memcpy(&all, plan.params, sizeof all);
        if (all.next.slots != cases[i][3]) fail_msg("row %d: %d", (int)i, all.next.slots);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    const struct tmap_mixed_problem p = usual();
    const struct tmap_gemm_config deep = {.stages = 16}, odd = {.tile_n = 24},
                                  late = {.overlap = 2};
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_plan plan;
    (void)state;
    assert_int_equal(tmap_mixed_make_plan(opened(9, 0), &p, &deep, &plan, &why), TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "stages"));
    assert_int_equal(tmap_mixed_make_plan(opened(9, 0), &p, &odd, &plan, &why), TMAP_E_NO_PLAN);
    assert_int_equal(tmap_mixed_make_plan(opened(9, 0), &p, &late, &plan, &why), TMAP_E_ARGUMENT);
    assert_non_null(strstr(why.text, "overlap 2"));
    assert_int_equal(tmap_mixed_make_plan(NULL, &p, NULL, &plan, &why), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_mixed_make_plan(opened(10, 0), &p, NULL, &plan, &why), TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "compute capability 9.0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_a_map_of_eights),
        cmocka_unit_test(tiles_are_as_wide_as_there_are_rows),
        cmocka_unit_test(slots_are_early_by_a_blocks_share),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_the_next_cannot_be_is_refused),
        cmocka_unit_test(the_next_is_as_its_own_plan),
        cmocka_unit_test(what_was_not_timed_is_not_prefetched),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("products of few bits as plans", tests, NULL, NULL);
}
