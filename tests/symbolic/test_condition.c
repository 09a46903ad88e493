// Conditions: their text where it is known by hand, and their truth against the native check.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/cases.h"

struct known {
    const char *file, *assume, *text, *padding;
};

// What a reader of cuda.h works out by hand.
static const struct known table[] = {
    {"gemm_a_bf16", "K >= 1", "K % 8 = 0 and K <= 2^31 and 1 <= M <= 2^31",
     "round K up to a multiple of 8 where M <= 2^31 and K <= 2^31"},
    {"gemm_a_bf16", "1 <= K <= 65536; 1 <= M <= 65536", "K % 8 = 0",
     "round K up to a multiple of 8"},
    {"gemm_a_bf16", "1 <= K <= 65536; 1 <= M <= 65536; K % 8 == 0", "true", "nothing"},
    {"gemm_a_bf16", "1 <= K <= 65536; 1 <= M <= 65536; K % 16 == 4", "false", NULL},
    {"gemm_a_fp8", "1 <= K <= 65536; 1 <= M <= 65536", "K % 16 = 0",
     "round K up to a multiple of 16"},
    {"gemm_a_fp32", "1 <= K <= 65536; 1 <= M <= 65536", "K % 4 = 0",
     "round K up to a multiple of 4"},
    {"gemm_a_bf16_padded", "1 <= K <= 65536; 1 <= M <= 65536; LD <= 65536", "LD % 8 = 0",
     "round LD up to a multiple of 8"},
    {"gemm_abc_bf16", "1 <= K <= 65536; 1 <= M <= 65536; 1 <= N <= 65536",
     "N % 8 = 0 and K % 8 = 0", "round K up to a multiple of 8, round N up to a multiple of 8"},
    {"attention_q", "1 <= D <= 256; 1 <= H <= 128; 1 <= S <= 65536; 1 <= B <= 1024", "D % 8 = 0",
     "round D up to a multiple of 8"},
    {"attention_rank5", "1 <= D <= 256; 1 <= S <= 65536; 1 <= B <= 64; 1 <= L <= 128", "true",
     "nothing"},
    {"conv_nhwc", "1 <= C <= 4096; 1 <= W <= 4096; 1 <= H <= 4096; 1 <= N <= 65536", "C % 8 = 0",
     "round C up to a multiple of 8"},
    // A product of two numbers neither of which must be a multiple of 8 itself.
    {"kv_cache_fp8_scaled", "1 <= D <= 512; 1 <= S <= 65536; 1 <= H <= 64", "(D + PAD) % 16 = 0",
     NULL},
    {"tile_sizes", NULL, "BK % 8 = 0 and 1 <= BK <= 64 and 1 <= BM <= 256", NULL},
};

static size_t split(char *text, const char **out)
{
    size_t n = 0;
    for (char *p = text; p && n < 16;) {
        char *end = strstr(p, "; ");
        out[n++] = p;
        if (end) *end = 0;
        p = end ? end + 2 : NULL;
    }
    return n;
}

static enum tmap_status condition_of_case(struct tmap_symbolic *s, const struct symbolic_case *c,
                                          const char *more, struct tmap_condition **out)
{
    char text[256] = "";
    const char *assume[32];
    size_t n = c->n_assume;
    for (size_t i = 0; i < n; i++) assume[i] = c->assume[i];
    snprintf(text, sizeof text, "%s", more ? more : "");
    if (more) n += split(text, assume + n);
    return tmap_condition_of(s, &c->checker, c->desc, c->n, assume, n, out);
}

static void conditions_are_those_worked_by_hand(void **state)
{
    struct tmap_symbolic *s;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct symbolic_case c;
        struct tmap_condition *condition;
        char text[512];
        size_t length;
        snprintf(c.path, sizeof c.path, "examples/symbolic/%s.json", table[i].file);
        assert_true(case_open(&c));
        assert_int_equal(condition_of_case(s, &c, table[i].assume, &condition), TMAP_OK);
        assert_int_equal(
            tmap_condition_text(s, condition, TMAP_FORM_TEXT, text, sizeof text, &length), TMAP_OK);
        assert_string_equal(text, table[i].text);
        if (table[i].padding) {
            assert_int_equal(
                tmap_condition_padding(s, condition, TMAP_FORM_TEXT, text, sizeof text, &length),
                TMAP_OK);
            assert_string_equal(text, table[i].padding);
        }
        tmap_condition_free(condition);
        case_close(&c);
    }
    tmap_symbolic_close(s);
}

struct written {
    const char *dim[2], *stride, *assume, *text, *padding;
};

// What is written longer than it need be, and reads short.
static const struct written short_forms[] = {
    {{"K*K", "64"},
     "2*K*K",
     "K >= 1",
     "K % 4 = 0 and K <= 46340",
     "round K up to a multiple of 4 where K <= 46340"},
    {{"K", "64"},
     "2*K",
     "1 <= K <= 4096; K % 4 == 0",
     "K % 8 = 0",
     "round K up to a multiple of 8"},
    {{"K", "64"}, "2*K + 8", "1 <= K <= 4096", "K % 8 = 4", "raise K until K % 8 = 4"},
    {{"K", "64"},
     "2*K + 2*P",
     "1 <= K <= 4096; 0 <= P <= 64",
     "(K + P) % 8 = 0",
     "raise P until (K + P) % 8 = 0"},
    {{"K*ES", "64"},
     "2*K*ES",
     "1 <= K; ES == 2",
     "K % 4 = 0 and K <= 2^30",
     "round K up to a multiple of 4 where K <= 2^30"},
    {{"K", "N"},
     "2*K",
     "K*N <= 1000000; K >= 1; N >= 1",
     "K % 8 = 0",
     "round K up to a multiple of 8"},
    {{"K", "N"},
     "2*K",
     "K + 3*K*N*M <= 1000000; 1 <= K; N >= 1; M >= 1",
     "K % 8 = 0",
     "round K up to a multiple of 8"},
    {{"P", "64"}, "2*Q", "0 <= P <= 4; Q == 8", "P >= 1", "nothing"},
};

static void conditions_and_paddings_read_short(void **state)
{
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    struct tmap_target target = tmap_default_target();
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++) {
        const struct written *x = &short_forms[i];
        struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_BFLOAT16,
                                                .rank = 2,
                                                .box = {64, 8},
                                                .elem_stride = {1, 1},
                                                .swizzle = TMAP_SWIZZLE_128B},
                                       .dim = {x->dim[0], x->dim[1]},
                                       .stride = {x->stride}};
        struct tmap_condition *condition;
        char text[256], assumed[256];
        const char *assume[16];
        size_t length;
        snprintf(assumed, sizeof assumed, "%s", x->assume);
        assert_int_equal(
            tmap_condition_of(s, &checker, &d, 1, assume, split(assumed, assume), &condition),
            TMAP_OK);
        tmap_condition_text(s, condition, TMAP_FORM_TEXT, text, sizeof text, &length);
        assert_string_equal(text, x->text);
        if (tmap_condition_padding(s, condition, TMAP_FORM_TEXT, text, sizeof text, &length) !=
            TMAP_OK)
            fail_msg("%s: %s", x->assume, tmap_symbolic_why(s));
        assert_string_equal(text, x->padding);
        tmap_condition_free(condition);
    }
    tmap_symbolic_close(s);
}

// Element strides of 1 to 8 in every dimension are cases, however many: decided, and exactly.
static void symbolic_element_strides_are_decided(void **state)
{
    static const struct tmap_symbolic_desc strided[] = {
        {.elem_stride = {"P0", "P1", "P2", "P3", "P4"}},
        {.elem_stride = {NULL, "P0", "P1"}, .box = {NULL, "P2", "P3", "P4"}},
        {.elem_stride = {NULL, "P0", "P0 + P1", NULL, "P1"}, .box = {"16*P2", NULL, "P3"}},
    };
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    struct tmap_target target = tmap_default_target();
    uint64_t random = 5;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < sizeof strided / sizeof *strided; i++) {
        struct tmap_symbolic_desc d = strided[i];
        struct tmap_condition *condition;
        long legal = 0;
        d.desc = (struct tmap_desc){.dtype = TMAP_UINT8,
                                    .rank = 5,
                                    .dim = {64, 64, 64, 64, 64},
                                    .stride_bytes = {128, 8192, 524288, 33554432},
                                    .box = {16, 16, 32, 16, 4},
                                    .elem_stride = {1, 1, 1, 1, 1}};
        if (tmap_condition_of(s, &checker, &d, 1, NULL, 0, &condition) != TMAP_OK)
            fail_msg("%zu: %s", i, tmap_symbolic_why(s));
        for (long k = points_wanted(20000); k > 0; k--) {
            int64_t values[5];
            struct tmap_desc at;
            for (size_t v = 0; v < 5; v++) values[v] = (int64_t)(next_random(&random) >> 32) % 11;
            if (k % 2) values[3] = 1;
            assert_true(tmap_condition_at(condition, 0, values, &at));
            const bool truth = tmap_verdict_of(&checker, &at) == TMAP_LEGAL;
            assert_int_equal(tmap_condition_holds(condition, values), truth);
            legal += truth;
        }
        assert_true(legal > 0);
        tmap_condition_free(condition);
    }
    tmap_symbolic_close(s);
}

// Returns how many points were legal; every difference fails the test.
static long compare(const struct symbolic_case *c, const struct tmap_condition *condition, long n)
{
    int64_t values[CASE_PARAMS];
    uint64_t random = 0x9e3779b97f4a7c15u;
    long compared = 0, legal = 0;
    for (long tries = 0; compared < n && tries < 400 * n; tries++) {
        random_point(&random, tmap_condition_param_count(condition), values);
        if (tmap_condition_assumed(condition, values) != 1) continue;
        int truth = native_legal(condition, c, values);
        if (tmap_condition_holds(condition, values) != truth) {
            for (size_t i = 0; i < tmap_condition_param_count(condition); i++) {
                print_error("%s = %lld\n", tmap_condition_param(condition, i),
                            (long long)values[i]);
            }
            fail_msg("%s: the native check says %d", c->path, truth);
        }
        compared++;
        legal += truth;
    }
    if (compared < n / 2) fail_msg("%s: only %ld points meet the assumptions", c->path, compared);
    return legal;
}

static void conditions_hold_exactly_where_the_check_says_legal(void **state)
{
    static struct symbolic_case cases[CASE_MAX];
    struct tmap_symbolic *s;
    size_t n = case_list(cases);
    (void)state;
    assert_in_range(n, 30, CASE_MAX);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < n; i++) {
        struct tmap_condition *condition;
        int64_t values[CASE_PARAMS];
        assert_true(case_open(&cases[i]));
        assert_int_equal(condition_of_case(s, &cases[i], NULL, &condition), TMAP_OK);
        assert_int_not_equal(tmap_condition_verdict(condition), TMAP_UNKNOWN);
        assert_true(compare(&cases[i], condition, points_wanted(4000)) > 0);
        if (tmap_condition_counterexample(condition, values)) {
            assert_int_equal(tmap_condition_assumed(condition, values), 1);
            assert_int_equal(native_legal(condition, &cases[i], values), 0);
        }
        tmap_condition_free(condition);
        case_close(&cases[i]);
    }
    tmap_symbolic_close(s);
}

// Text that is not an expression or an assumption says what was expected, and where.
static void unreadable_text_is_an_argument_error_with_its_column(void **state)
{
    static const char *const bad[][2] = {
        {"2*", "expected a number at column 3"},
        {"(K", "expected ')' at column 3"},
        {"K 8", "expected the end at column 3"},
        {"K / M", "expected a positive integer below 2^62 at column 5"},
        {"", "expected a number at column 1"},
        {"18446744073709551616", "below 2^64"},
        {"((((((((((((((((((((((((((((((((((1", "fewer nested parentheses"}};
    static const char *const no_assumption[][2] = {{"K", "expected a comparison"},
                                                   {"K % 0 == 1", "modulus"},
                                                   {"8 == K % 8", "remainder on the left"},
                                                   {"K % 8 <= 3", "after a remainder"},
                                                   {"K == 1 and", "expected a number"}};
    struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_BFLOAT16, .rank = 1}, .dim = {"K"}};
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_condition *condition = NULL;
    struct tmap_symbolic *s;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        d.dim[0] = bad[i][0];
        assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &condition),
                         TMAP_E_ARGUMENT);
        assert_non_null(strstr(tmap_symbolic_why(s), bad[i][1]));
    }
    d.dim[0] = "K";
    for (size_t i = 0; i < sizeof no_assumption / sizeof *no_assumption; i++) {
        assert_int_equal(tmap_condition_of(s, &checker, &d, 1, no_assumption[i], 1, &condition),
                         TMAP_E_ARGUMENT);
        assert_non_null(strstr(tmap_symbolic_why(s), no_assumption[i][1]));
    }
    assert_null(condition);
    tmap_symbolic_close(s);
}

// Never legal, vacuous, and a target that nothing covers are three different answers.
static void never_vacuous_and_uncovered_are_told_apart(void **state)
{
    struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_BFLOAT16,
                                            .rank = 2,
                                            .box = {64, 512},
                                            .elem_stride = {1, 1},
                                            .swizzle = TMAP_SWIZZLE_128B},
                                   .dim = {"K", "M"},
                                   .stride = {"2*K"}};
    const char *absurd[] = {"K >= 8", "K <= 4"};
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_condition *condition = NULL;
    struct tmap_symbolic *s;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &condition), TMAP_OK);
    assert_true(tmap_condition_is_never(condition));
    assert_false(tmap_condition_is_vacuous(condition));
    tmap_condition_free(condition);
    d.desc.box[1] = 128;
    assert_int_equal(tmap_condition_of(s, &checker, &d, 1, absurd, 2, &condition), TMAP_OK);
    assert_true(tmap_condition_is_vacuous(condition));
    assert_false(tmap_condition_is_never(condition));
    tmap_condition_free(condition);
    target.cuda = 1500;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &condition), TMAP_E_TARGET);
    tmap_symbolic_close(s);
}

// The last row may have 15 bytes where 2^64 - 16 lie before it and 2^64 - 1 are allocated.
static void an_allocation_of_all_memory_ends(void **state)
{
    const struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_UINT8,
                                                  .rank = 2,
                                                  .address = 0x1000,
                                                  .dim = {0, 1 << 30},
                                                  .stride_bytes = {16 * ((UINT64_C(1) << 30) + 1)},
                                                  .box = {16, 1},
                                                  .elem_stride = {1, 1},
                                                  .flags = TMAP_HAS_ALLOCATION,
                                                  .allocation_base = 0x1000,
                                                  .allocation_bytes = UINT64_MAX},
                                         .dim = {"N"}};
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_condition *condition = NULL;
    struct tmap_symbolic *s;
    char text[64];
    size_t length;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &condition), TMAP_OK);
    tmap_condition_text(s, condition, TMAP_FORM_TEXT, text, sizeof text, &length);
    assert_string_equal(text, "1 <= N <= 15");
    tmap_condition_free(condition);
    tmap_symbolic_close(s);
}

int main(void)
{
    if (lacks_isl("conditions")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_those_worked_by_hand),
        cmocka_unit_test(conditions_and_paddings_read_short),
        cmocka_unit_test(symbolic_element_strides_are_decided),
        cmocka_unit_test(conditions_hold_exactly_where_the_check_says_legal),
        cmocka_unit_test(unreadable_text_is_an_argument_error_with_its_column),
        cmocka_unit_test(never_vacuous_and_uncovered_are_told_apart),
        cmocka_unit_test(an_allocation_of_all_memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
