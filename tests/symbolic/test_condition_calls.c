// What a condition says at values, of what it lacks, and in JSON; and where its questions end.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "tmap/symbolic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tmap_symbolic *s;
static struct tmap_checker checker, later; /* of sm_90 and of sm_100 */

static int open_all(void **state)
{
    struct tmap_target target = tmap_default_target();
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    if (tmap_target_from(NULL, NULL, NULL, "sm_100", &target) != TMAP_OK) return -1;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &later);
    return tmap_symbolic_open(NULL, &s);
}

static int close_all(void **state)
{
    (void)state;
    tmap_symbolic_close(s);
    return 0;
}

/* A matrix of M rows of K numbers of 16 bits, in boxes of 64 x 64. */
static struct tmap_symbolic_desc matrix(void)
{
    return (struct tmap_symbolic_desc){.desc = {.dtype = TMAP_BFLOAT16,
                                                .rank = 2,
                                                .box = {64, 64},
                                                .elem_stride = {1, 1},
                                                .swizzle = TMAP_SWIZZLE_128B},
                                       .dim = {"K", "M"},
                                       .stride = {"2*K"}};
}

static struct tmap_condition *condition_of(const struct tmap_checker *c,
                                           const struct tmap_symbolic_desc *d,
                                           const char *const *assume, size_t n)
{
    struct tmap_condition *out = NULL;
    const enum tmap_status said = tmap_condition_of(s, c, d, 1, assume, n, &out);
    if (said != TMAP_OK) fail_msg("%d: %s", (int)said, tmap_symbolic_why(s));
    return out;
}

static void values_are_asked_for_where_there_are_parameters(void **state)
{
    struct tmap_symbolic_desc d = matrix();
    const struct tmap_symbolic_use use = {.use = {.flags = TMAP_USE_COORD, .coord_count = 2},
                                          .coord = {"K"}};
    const int64_t legal[] = {64, 64}, illegal[] = {60, 64}, wide[] = {INT64_C(1) << 40, 64};
    const int64_t negative[] = {-1, 64};
    int64_t values[2] = {77, 77};
    struct tmap_desc desc;
    struct tmap_use at;
    (void)state;
    struct tmap_condition *c = condition_of(&checker, &d, NULL, 0);
    assert_int_equal(tmap_condition_param_count(c), 2);
    assert_int_equal(tmap_condition_holds(c, NULL), -1);
    assert_int_equal(tmap_condition_assumed(c, NULL), -1);
    assert_int_equal(tmap_condition_holds(c, legal), 1);
    assert_int_equal(tmap_condition_holds(c, illegal), 0);
    assert_int_equal(tmap_condition_assumed(c, illegal), 1);
    assert_false(tmap_condition_at(c, 0, NULL, &desc) || tmap_condition_at(c, 0, legal, NULL));
    assert_false(tmap_condition_at(c, 1, legal, &desc) || tmap_condition_at(c, 0, negative, &desc));
    assert_true(tmap_condition_at(c, 0, legal, &desc));
    assert_true(desc.dim[0] == 64 && desc.stride_bytes[0] == 128);
    assert_false(tmap_condition_counterexample(c, NULL) || tmap_condition_undecided(c, NULL));
    assert_true(tmap_condition_counterexample(c, values) && values[0] != 77);
    assert_false(tmap_condition_undecided(c, values));
    tmap_condition_free(c);

    d.uses = &use;
    d.use_count = 1;
    c = condition_of(&checker, &d, NULL, 0);
    assert_false(tmap_condition_use_at(NULL, 0, 0, legal, &at));
    assert_false(tmap_condition_use_at(c, 0, 0, NULL, &at));
    assert_false(tmap_condition_use_at(c, 0, 0, legal, NULL));
    assert_false(tmap_condition_use_at(c, 1, 0, legal, &at));
    assert_false(tmap_condition_use_at(c, 0, 1, legal, &at));
    assert_false(tmap_condition_use_at(c, 0, 0, wide, &at));
    assert_true(tmap_condition_use_at(c, 0, 0, legal, &at) && at.coord[0] == 64);
    tmap_condition_free(c);
}

static void without_parameters_no_values_are_needed(void **state)
{
    struct tmap_symbolic_desc d = matrix();
    struct tmap_violation rows[8], first;
    struct tmap_desc desc;
    size_t n, counted;
    (void)state;
    memset(d.dim, 0, sizeof d.dim);
    memset(d.stride, 0, sizeof d.stride);
    d.desc.dim[0] = d.desc.dim[1] = 64;
    d.desc.stride_bytes[0] = 128;
    struct tmap_condition *c = condition_of(&checker, &d, NULL, 0);
    assert_int_equal(tmap_condition_verdict(c), TMAP_LEGAL);
    assert_int_equal(tmap_condition_holds(c, NULL), 1);
    assert_int_equal(tmap_condition_assumed(c, NULL), 1);
    assert_true(tmap_condition_at(c, 0, NULL, &desc) && desc.dim[1] == 64);
    assert_false(tmap_condition_counterexample(c, NULL));
    tmap_condition_free(c);

    d.desc.box[1] = 300;
    d.desc.dim[0] = 0;
    c = condition_of(&checker, &d, NULL, 0);
    assert_int_equal(tmap_condition_verdict(c), TMAP_ILLEGAL);
    assert_int_equal(tmap_condition_holds(c, NULL), 0);
    assert_true(tmap_condition_counterexample(c, NULL));
    assert_false(tmap_condition_undecided(c, NULL));
    assert_int_equal(tmap_condition_rows(c, rows, 8, &n), TMAP_OK);
    assert_int_equal(tmap_condition_rows(c, &first, 1, &counted), TMAP_OK);
    assert_true(n == 2 && counted == n && first.row == rows[0].row);
    tmap_condition_free(c);
}

/* A stride that this contract does not decide about, though others need it. */
static void undecided_without_parameters(void **state)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_symbolic_desc d = matrix();
    struct tmap_checker hardware;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &hardware);
    memset(d.dim, 0, sizeof d.dim);
    memset(d.stride, 0, sizeof d.stride);
    d.desc.dim[0] = d.desc.dim[1] = 64;
    d.desc.stride_bytes[0] = 136;
    struct tmap_condition *c = condition_of(&hardware, &d, NULL, 0);
    assert_int_equal(tmap_condition_verdict(c), TMAP_UNKNOWN);
    assert_true(tmap_condition_undecided(c, NULL));
    assert_false(tmap_condition_counterexample(c, NULL));
    tmap_condition_free(c);
}

/* Strides that are products: what is left to ask, and the values that are found against it. */
static void products_and_values_against_them(void **state)
{
    static const struct {
        const char *stride, *assume[3], *text;
        enum tmap_verdict verdict;
        int64_t against[2];
    } rows[] = {
        {"K*M",
         {"1 <= K and K <= 2", "1 <= M and M <= 8", "K*M % 8 == 0"},
         "K*M = 16",
         TMAP_ILLEGAL,
         {2, 4}},
        /* a greatest known divisor of 2^32, not of 2^64; the greatest multiple of it below 2^40 */
        {"K*M",
         {"K % 4294967296 == 0", "M % 4294967296 == 0", "1 <= K and 1 <= M"},
         "K*M <= 1095216660480",
         TMAP_ILLEGAL,
         {INT64_C(1) << 32, INT64_C(1) << 32}},
        /* beyond the parameters' 64 bits, and the 64 of a chunk of isl's numbers */
        {"K", {"K >= 2*18446744073709551615", "1 <= 1", "1 <= 1"}, "false", TMAP_UNKNOWN, {0, 0}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tmap_symbolic_desc d = matrix();
        char text[256];
        size_t length;
        int64_t values[2] = {0, 0};
        memset(d.dim, 0, sizeof d.dim);
        d.desc.dim[0] = d.desc.dim[1] = 64;
        d.stride[0] = rows[i].stride;
        struct tmap_condition *c = condition_of(&checker, &d, rows[i].assume, 3);
        tmap_condition_text(s, c, TMAP_FORM_TEXT, text, sizeof text, &length);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(tmap_condition_verdict(c), rows[i].verdict);
        assert_int_equal(tmap_condition_counterexample(c, values), rows[i].verdict == TMAP_ILLEGAL);
        assert_memory_equal(values, rows[i].against, sizeof values);
        tmap_condition_free(c);
    }
}

static void expect_json(const struct tmap_checker *of, const struct tmap_symbolic_desc *d,
                        const char *const *assume, size_t n, const char *const *parts)
{
    static char text[1 << 16];
    size_t length;
    struct tmap_condition *c = condition_of(of, d, assume, n);
    assert_int_equal(tmap_condition_text(s, c, TMAP_FORM_JSON, text, sizeof text, &length),
                     TMAP_OK);
    assert_true(length < sizeof text);
    for (; *parts; parts++)
        if (!strstr(text, *parts)) fail_msg("no %s in %s", *parts, text);
    tmap_condition_free(c);
}
#define EXPECT_JSON(of, d, assume, n, ...)                                                         \
    expect_json(of, d, assume, n, (const char *const[]){__VA_ARGS__, NULL})

static void json_says_each_answer(void **state)
{
    struct tmap_symbolic_desc d = matrix();
    const char *const absurd[] = {"K >= 8", "K <= 4"};
    const char *const spaced[] = {"K >=\t8"};
    (void)state;
    EXPECT_JSON(&checker, &d, spaced, 1, "\"verdict\": \"conditional\"", "\"forall\": \"illegal\"",
                "\"basis\": \"observed\"", "\"never\": false, \"vacuous\": false",
                "\"assume\": [\"K >=\\u00098\"]", "\"padding\": \"round K up");
    EXPECT_JSON(&later, &d, NULL, 0, "\"basis\": \"inferred\"");
    EXPECT_JSON(&checker, &d, absurd, 2, "\"verdict\": \"legal\"",
                "\"never\": false, \"vacuous\": true", "\"condition\": \"true\"");
    d.desc.box[1] = 512;
    EXPECT_JSON(&checker, &d, NULL, 0, "\"verdict\": \"illegal\"",
                "\"never\": true, \"vacuous\": false", "\"condition\": \"false\"",
                "\"padding\": null");
}

/* Sixteen long names, four times each: the padding is said, however long it is. */
static void a_long_padding_is_said(void **state)
{
    char sum[600] = "", padding[4096], wanted[4200];
    struct tmap_symbolic_desc d = matrix();
    size_t length;
    (void)state;
    for (int i = 0; i < 16; i++)
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), "%sa_parameter_of_a_long_name_%02d",
                 i ? " + " : "", i);
    d.dim[0] = d.dim[1] = NULL;
    d.desc.dim[0] = d.desc.dim[1] = 64;
    d.stride[0] = sum;
    struct tmap_condition *c = condition_of(&checker, &d, NULL, 0);
    assert_int_equal(tmap_condition_padding(s, c, TMAP_FORM_TEXT, padding, sizeof padding, &length),
                     TMAP_OK);
    assert_in_range(length, 2048, sizeof padding - 1);
    tmap_condition_free(c);
    snprintf(wanted, sizeof wanted, "\"padding\": \"%s\"", padding);
    EXPECT_JSON(&checker, &d, NULL, 0, wanted);
}

static void what_is_too_much_is_refused_with_words(void **state)
{
    static struct tmap_symbolic_use uses[600];
    struct tmap_symbolic_desc d = matrix();
    const char *const none[] = {NULL};
    struct tmap_condition *out = NULL;
    (void)state;
    assert_int_equal(tmap_condition_of(s, &checker, &d, 1, none, 1, &out), TMAP_E_ARGUMENT);
    assert_non_null(strstr(tmap_symbolic_why(s), "\"\": expected a number at column 1"));
    /* a field's range or a row, wherever the list is full */
    for (size_t few = 0; few < 5; few++) {
        for (size_t i = 0; i < 600; i++)
            uses[i] = (struct tmap_symbolic_use){
                .use = {.flags = TMAP_USE_SMEM | (i < few ? 0u : TMAP_USE_MBARRIER)},
                .smem = "P",
                .mbarrier = "B"};
        d.uses = uses;
        d.use_count = 600;
        assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &out), TMAP_E_BUDGET);
        assert_string_equal(tmap_symbolic_why(s), "more than 512 row instances");
        assert_null(out);
    }
}

/* A sum of two is raised by its second; of what is not affine a bound can be kept, a choice not. */
static void paddings_have_several_forms(void **state)
{
    static const struct {
        const char *stride, *text;
    } table[] = {
        {"8*K + 8*M", "raise M until (K + M) % 2 = 0 where "},
        {"2*M - 2*K + 4096", "; raise M until (7*K + M) % 8 = 0 where "},
        {"4*M + 2*K + 6", "raise K until K % 2 = 1, "},
    };
    static const char *const assume[] = {"1 <= E <= 8"};
    char text[4096];
    size_t length;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct tmap_symbolic_desc d = matrix();
        d.desc.swizzle = TMAP_SWIZZLE_NONE;
        d.stride[0] = table[i].stride;
        struct tmap_condition *c = condition_of(&checker, &d, NULL, 0);
        assert_int_equal(tmap_condition_padding(s, c, TMAP_FORM_TEXT, text, sizeof text, &length),
                         TMAP_OK);
        if (!strstr(text, table[i].text)) fail_msg("%s: %s", table[i].stride, text);
        tmap_condition_free(c);
    }
    const struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_UINT8,
                                                  .rank = 3,
                                                  .dim = {4096, 64, 64},
                                                  .stride_bytes = {4096, 262144},
                                                  .box = {256},
                                                  .elem_stride = {1, 1, 1}},
                                         .box = {NULL, "B", "C"},
                                         .elem_stride = {NULL, "E"}};
    struct tmap_condition *c = condition_of(&checker, &d, assume, 1);
    assert_int_equal(tmap_condition_padding(s, c, TMAP_FORM_TEXT, text, sizeof text, &length),
                     TMAP_E_BUDGET);
    assert_string_equal(tmap_symbolic_why(s),
                        "padding would have to meet a choice between products");
    tmap_condition_free(c);
}

/* A number that is one too small, and then rounded up: one is added beside what rounds. */
static void an_amount_may_have_a_rest(void **state)
{
    static const char *const assume[] = {"A >= K + 4095 and K >= 1"};
    const struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_UINT8,
                                                  .rank = 3,
                                                  .address = 1 << 20,
                                                  .dim = {0, 2, 1},
                                                  .stride_bytes = {4096},
                                                  .box = {64, 1, 1},
                                                  .elem_stride = {1, 1, 1},
                                                  .flags = TMAP_HAS_ALLOCATION,
                                                  .allocation_base = 1 << 20},
                                         .dim = {"K"},
                                         .stride = {NULL, "A"},
                                         .allocation_bytes = "A"};
    char text[1024];
    size_t length;
    (void)state;
    struct tmap_condition *c = condition_of(&checker, &d, assume, 1);
    assert_int_equal(tmap_condition_padding(s, c, TMAP_FORM_TEXT, text, sizeof text, &length),
                     TMAP_OK);
    if (!strstr(text, "/16) + 1 where ")) fail_msg("%s", text);
    tmap_condition_free(c);
}

/* Bounds whose product is beyond 128 bits bound no factor: the last may be 0. */
static void factors_of_huge_products_may_be_0(void **state)
{
    static const char *const assume[] = {"A >= 4611686018427387904 and B >= 4611686018427387904",
                                         "C >= 4611686018427387904 and A*B*C*D <= 1000000"};
    struct tmap_symbolic_desc d = matrix();
    (void)state;
    d.stride[0] = "2*K + 16*A*B*C*D";
    struct tmap_condition *c = condition_of(&checker, &d, assume, 2);
    assert_int_equal(tmap_condition_param_count(c), 6);
    assert_false(tmap_condition_is_never(c) || tmap_condition_is_vacuous(c));
    tmap_condition_free(c);
}

/* A parameter whose one value no field holds: nothing is legal, whatever else is. */
static void one_value_that_does_not_fit_is_never_legal(void **state)
{
    static const char *const assume[] = {"K == -5"};
    const struct tmap_symbolic_desc d = matrix();
    int64_t values[2] = {0, 0};
    (void)state;
    struct tmap_condition *c = condition_of(&checker, &d, assume, 1);
    assert_true(tmap_condition_is_never(c));
    assert_int_equal(tmap_condition_verdict(c), TMAP_ILLEGAL);
    assert_true(tmap_condition_counterexample(c, values));
    assert_int_equal(values[0], -5);
    tmap_condition_free(c);
}

/* A text that is a number its field does not hold is an argument that is wrong. */
static void numbers_that_do_not_fit_are_refused(void **state)
{
    static const char *const text[] = {"-1", "18446744073709551615*2", "1 - 2"};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct tmap_symbolic_desc d = matrix();
        struct tmap_condition *out = NULL;
        d.dim[1] = text[i];
        assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &out), TMAP_E_ARGUMENT);
        assert_null(out);
        assert_non_null(strstr(tmap_symbolic_why(s), "does not fit its field"));
    }
}

/* Values that the assumptions leave beyond 64 bits are no counterexample: no call can have them. */
static void points_beyond_64_bits_are_none(void **state)
{
    static const char *const assume[] = {"K >= 18446744073709551615*1024"};
    const struct tmap_symbolic_desc d = matrix();
    int64_t values[2];
    (void)state;
    struct tmap_condition *c = condition_of(&checker, &d, assume, 1);
    assert_true(tmap_condition_is_never(c));
    assert_int_not_equal(tmap_condition_verdict(c), TMAP_LEGAL);
    assert_false(tmap_condition_counterexample(c, values));
    tmap_condition_free(c);
}

/* A square that is never negative: legal for all, which neither isl nor any of so many points says.
 */
static void a_search_for_a_counterexample_ends(void **state)
{
    static const char *const assume[] = {"0 <= A <= 999 and 0 <= B <= 999", "0 <= C <= 99999",
                                         "0 <= D <= 99999", "0 <= E <= 99999", "0 <= F <= 99999"};
    const struct tmap_symbolic_desc d = {
        .desc = {.dtype = TMAP_UINT8, .rank = 1, .box = {64}, .elem_stride = {1}},
        .dim = {"A*A - 2*A*B + B*B + 1"}};
    (void)state;
    struct tmap_condition *c = condition_of(&checker, &d, assume, 5);
    assert_int_equal(tmap_condition_verdict(c), TMAP_UNKNOWN);
    assert_string_equal(tmap_condition_reason(c),
                        "products of parameters: neither a proof nor a counterexample was found");
    tmap_condition_free(c);
}

/* Without parameters C's list is void, and Python's empty; a parameter that a function does not
 * read is said to be unused, also where another's name begins with its own. */
static void guards_have_the_parameters_that_there_are(void **state)
{
    static const char *const assume[] = {"K1 >= 1"};
    struct tmap_symbolic_desc d = matrix();
    char text[4096];
    size_t length;
    (void)state;
    d.dim[1] = "K1";
    struct tmap_condition *c = condition_of(&checker, &d, assume, 1);
    assert_int_equal(tmap_guard_c(s, c, TMAP_GUARD_C, "f", text, sizeof text, &length), TMAP_OK);
    const char *const assumes = strstr(text, "f_assumes(int64_t K, int64_t K1)");
    assert_non_null(assumes);
    assert_ptr_equal(strstr(text, "(void)K;"), strstr(assumes, "(void)K;"));
    assert_null(strstr(text, "(void)K1;"));
    tmap_condition_free(c);
    memset(d.dim, 0, sizeof d.dim);
    memset(d.stride, 0, sizeof d.stride);
    d.desc.dim[0] = d.desc.dim[1] = 64;
    d.desc.stride_bytes[0] = 128;
    c = condition_of(&checker, &d, NULL, 0);
    assert_int_equal(tmap_guard_c(s, c, TMAP_GUARD_C, "f", text, sizeof text, &length), TMAP_OK);
    assert_non_null(strstr(text, "int f(void)"));
    assert_int_equal(tmap_guard_c(s, c, TMAP_GUARD_PYTHON, "f", text, sizeof text, &length),
                     TMAP_OK);
    assert_non_null(strstr(text, "def f():\n    return True"));
    tmap_condition_free(c);
}

int main(void)
{
    if (lacks_isl("calls of conditions")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
        cmocka_unit_test(points_beyond_64_bits_are_none),
        cmocka_unit_test(a_search_for_a_counterexample_ends),
        cmocka_unit_test(guards_have_the_parameters_that_there_are),
        cmocka_unit_test(values_are_asked_for_where_there_are_parameters),
        cmocka_unit_test(without_parameters_no_values_are_needed),
        cmocka_unit_test(undecided_without_parameters),
        cmocka_unit_test(products_and_values_against_them),
        cmocka_unit_test(json_says_each_answer),
        cmocka_unit_test(a_long_padding_is_said),
        cmocka_unit_test(what_is_too_much_is_refused_with_words),
        cmocka_unit_test(paddings_have_several_forms),
        cmocka_unit_test(an_amount_may_have_a_rest),
        cmocka_unit_test(one_value_that_does_not_fit_is_never_legal),
        cmocka_unit_test(factors_of_huge_products_may_be_0),
    };
    return cmocka_run_group_tests_name("calls of conditions", tests, open_all, close_all);
}
