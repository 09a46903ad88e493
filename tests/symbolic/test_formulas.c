/* Numbers and products beyond what polynomials hold, ranges of sums and products, and formulas
 * simplified: the words, the exact bounds and the exact texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolic/poly/parse.h"
#include "symbolic/poly/print.h"
#include "symbolic/poly/simplify.h"

#include <stdio.h>
#include <string.h>

/* --- beyond what there is room for -------------------------------------------------------------
 */

#define M63 "9223372036854775808"                        /* 2^63 */
#define M64 "18446744073709551615"                       /* 2^64 - 1 */
#define LEAST "-(" M63 "*" M63 "*K) - " M63 "*" M63 "*K" /* the least coefficient there is */

static void what_is_too_large_is_said(void **state)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {M64 "*" M64 "*K == 0", "a number beyond 128 bits"},
        {M63 "*" M63 "*K + " M63 "*" M63 "*K == 0", "a number beyond 128 bits"},
        {LEAST " <= 0", "a number beyond 128 bits"},
        {"0 >= " LEAST, "a number beyond 128 bits"},
        {"K*K*K*K*K*K*K*K*K == 0", "a product of more than 8 factors"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        if (sym_parse_assumption(&w, table[i].text)) fail_msg("%s reads", table[i].text);
        assert_string_equal(w.why, table[i].why);
        assert_int_equal(w.status, TMAP_E_BUDGET);
        sym_close(&w);
    }
}

/* The sum of n products of two of 32 parameters, or of n parameters. */
static const struct sym_poly *sum_of(struct sym_work *w, int n, bool products)
{
    static char text[1 << 14];
    struct sym_text t = {text, sizeof text, 0};
    sym_put(&t, "0");
    for (int i = 0, k = 0; k < n && i < 32; i++) {
        if (!products) sym_put(&t, " + P%d", k++);
        for (int j = 0; products && j <= i && k < n; j++, k++) sym_put(&t, " + P%d*P%d", i, j);
    }
    if (!products && n > 32) sym_put(&t, " + P32");
    return sym_parse(w, text);
}

static void parameters_and_products_have_an_end(void **state)
{
    static const struct {
        int n;
        bool products;
        enum tmap_status status;
        const char *why;
    } table[] = {{32, false, TMAP_OK, ""},
                 {33, false, TMAP_E_ARGUMENT, "more than 32 parameters"},
                 {400, true, TMAP_OK, ""},
                 {512, true, TMAP_E_BUDGET, "more than 512 products of parameters"}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        const struct sym_poly *p = sum_of(&w, table[i].n, table[i].products);
        assert_int_equal(p != NULL, table[i].status == TMAP_OK);
        assert_int_equal(w.status, table[i].status);
        assert_string_equal(w.why, table[i].why);
        sym_close(&w);
    }
}

/* The last one is a parameter's own. */
static void a_parameter_beyond_the_products_is_refused(void **state)
{
    static char text[1 << 14];
    struct sym_text t = {text, sizeof text, 0};
    struct sym_work w;
    (void)state;
    assert_true(sym_open(&w, NULL));
    assert_non_null(sum_of(&w, 465, true)); /* of 30 parameters: 496 monomials with 1 */
    for (int i = 0; i < 16; i++) sym_put(&t, "P0*P0*P%d + ", i);
    assert_int_equal(t.length < sizeof text, true);
    text[t.length - 3] = 0;
    assert_non_null(sym_parse(&w, text));
    assert_int_equal(w.n_monos, SYM_MAX_MONOS);
    assert_null(sym_parse(&w, "P30"));
    assert_string_equal(w.why, "more than 512 products of parameters");
    sym_close(&w);
}

/* A choice of more than so many is not kept. */
static void cases_have_an_end(void **state)
{
    static char text[1 << 15];
    struct sym_text t = {text, sizeof text, 0};
    struct sym_work w;
    (void)state;
    for (int i = 0; i < 513; i++) sym_put(&t, "%sK == %d", i ? " or " : "", 2 * i);
    assert_true(sym_open(&w, NULL));
    assert_null(sym_parse_assumption(&w, text));
    assert_string_equal(w.why, "more than 512 cases");
    assert_int_equal(w.status, TMAP_E_BUDGET);
    sym_close(&w);
}

/* At points whose numbers leave 128 bits a formula has no value, and no polynomial either. */
static void values_beyond_128_bits_are_none(void **state)
{
    static const char *const text[] = {"K*K*K + M >= 0", "K*K/2 + (K*K*K)/7 == 0",
                                       "min(M, K*K*K) <= 9", "max(K*K*K, M) <= 9",
                                       "K*K + M*M + K*M*2 != 3"};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const sym_int far[] = {INT64_MIN, INT64_MIN}, near[] = {2, 3};
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        sym_param(&w, "K", 1);
        const struct sym_form *f = sym_parse_assumption(&w, text[i]);
        assert_non_null(f);
        if (sym_holds(&w, f, far) != -1) fail_msg("%s has a value", text[i]);
        assert_true(sym_holds(&w, f, near) >= 0);
        sym_close(&w);
    }
}

/* --- ranges ------------------------------------------------------------------------------------
 */

#define NONE "none"

/* lo <= K <= hi, and the same of M: "none" where there is no such end. */
struct range_case {
    const char *text, *k_lo, *k_hi, *m_lo, *m_hi, *lo, *hi;
};

static bool read_end(struct sym_work *w, const char *text, sym_int *out)
{
    if (!strcmp(text, NONE)) return false;
    const struct sym_poly *p = sym_parse(w, text);
    assert_non_null(p);
    assert_true(sym_is_const(p, out));
    return true;
}

static struct sym_range read_range(struct sym_work *w, const char *lo, const char *hi)
{
    struct sym_range r = {0};
    r.has_lo = read_end(w, lo, &r.lo);
    r.has_hi = read_end(w, hi, &r.hi);
    return r;
}

static void ranges_are_exact_or_open(void **state)
{
    static const struct range_case table[] = {
        {"3*K - M + 1", "-2", "5", "0", "7", "-12", "16"},
        {"K*M", "-2", "5", "-3", "7", "-15", "35"},
        {"K*M", "2", NONE, "3", NONE, "6", NONE},
        {"K*M", "-2", NONE, "3", NONE, NONE, NONE},
        {"K*M", "2", NONE, "-3", NONE, NONE, NONE},
        {"K*M", NONE, "2", "3", "4", NONE, NONE},
        {"K*M", "3", "4", NONE, "2", NONE, NONE},
        {"-2*K", "1", NONE, NONE, NONE, NONE, "-2"},
        {"-2*K", NONE, "1", NONE, NONE, NONE, NONE}, /* open below, a factor may be anything */
        /* ends beyond 128 bits are no ends */
        {"K*M", M64 "*2", NONE, M64 "*2", NONE, NONE, NONE},
        {"K*M", "4", M64 "*2", "5", M64 "*2", "20", NONE},
        {"K*M", "-4", M64 "*2", "5", M64 "*2", NONE, NONE},
        {"K*M", "5", M64 "*2", "-4", M64 "*2", NONE, NONE},
        {"K*M", M64, M64 "*4", M64, M64 "*4", NONE, NONE},
        {"K*M", "-" M64 "*2", "4", M64 "*2", M64 "*2", NONE, NONE},
        {"K*M", "4", "5", "-" M64 "*" M63, M64 "*" M63, NONE, NONE},
        {M64 "*K", "-" M64, M64, NONE, NONE, NONE, NONE},
        {"K + M", "-" M63 "*" M64, M63 "*" M64, "-" M63 "*" M64, M63 "*" M64, NONE, NONE},
        {"K/4", "-5", "7", NONE, NONE, "-2", "1"},
        {"min(K, M)", "5", "7", "2", NONE, "2", "7"},
        {"max(K, M)", "-5", "7", "-9", "9", "-5", "9"},
        {"max(K, M)", "5", NONE, NONE, "9", "5", NONE},
        {"min(K, M) - K", "1", "2", "1", NONE, "-1", "1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct range_case *c = &table[i];
        struct sym_range of_var[SYM_MAX_VARS] = {{0}};
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        const int k = sym_param(&w, "K", 1), m = sym_param(&w, "M", 1);
        of_var[k] = read_range(&w, c->k_lo, c->k_hi);
        of_var[m] = read_range(&w, c->m_lo, c->m_hi);
        const struct sym_range wanted = read_range(&w, c->lo, c->hi);
        const struct sym_poly *p = sym_parse(&w, c->text);
        assert_non_null(p);
        for (int v = SYM_MAX_PARAMS; v < (int)w.n_vars; v++)
            of_var[v] = sym_range_of_var(&w, v, of_var);
        const struct sym_range r = sym_range_of(&w, p, of_var);
        if (r.has_lo != wanted.has_lo || r.has_hi != wanted.has_hi ||
            (r.has_lo && r.lo != wanted.lo) || (r.has_hi && r.hi != wanted.hi))
            fail_msg("number %zu, %s: %d %lld, %d %lld", i, c->text, r.has_lo, (long long)r.lo,
                     r.has_hi, (long long)r.hi);
        sym_close(&w);
    }
}

/* --- simplification ----------------------------------------------------------------------------
 */

static const struct {
    const char *text, *given, *left;
} simplified[] = {
    {"K >= 2 and K >= 4", "0 == 0", "K >= 4"},
    {"K >= 2", "K >= 4", "true"},
    {"K == 3", "K == 3", "true"},
    {"K + M == 3", "K + M == 3", "true"},
    {"K == 3", "K >= 4", "false"},
    {"K == 3", "K <= 2", "false"},
    {"K == 3", "K <= 3 and K >= 3", "true"},
    {"K % 4 == 0 and K % 8 == 0", "0 == 0", "K % 8 = 0"},
    {"K % 8 == 4", "K % 8 == 4", "true"},
    {"K % 4 != 0", "K % 8 == 4", "false"},
    {"K % 4 != 0", "K % 8 == 2", "true"},
    {"K % 4 != 0 and K % 4 != 0", "0 == 0", "K % 4 != 0"},
    {"(K + M) % 8 == 0 and (K + M) % 4 == 0", "0 == 0", "(K + M) % 8 = 0"},
    {"(K + M) % 4 == 0", "K % 4 == 0 and M % 4 == 0", "true"},
    {"(K*M) % 16 == 0", "K % 4 == 0 and M % 4 == 0", "true"},
    {"(K*M) % 8 == 0", "(K + M) % 4 == 0 and K % 2 == 0", "(K*M) % 8 = 0"},
    {"K*M <= 64", "1 <= K <= 8 and 1 <= M <= 8", "true"},
    {"K*M >= 65", "1 <= K <= 8 and 1 <= M <= 8", "false"},
    {"K*M == 65", "1 <= K <= 8 and 1 <= M <= 8", "false"},
    {"K*M == 65", "10 <= K and 10 <= M", "false"},
    {"K*M == 65", "1 <= K and 1 <= M", "K*M = 65"},
    {"K >= 1", "K >= 5 and K <= 4", "true"},
    {"K % 4294967296 == 0", "K % 8 == 0", "K % 4294967296 = 0"},
    {"K == 1 or M == 1", "K == 2", "M = 1"},
    {"K <= 4 or M <= 4", "0 <= K <= 2", "true"},
    {"K + M == 3 and K + M == 4", "0 == 0", "K + M = 3 and K + M = 4"},
    {"K + M == 0", "0 <= K <= 2 and 0 <= M <= 2", "K + M = 0"},
    {"K + M == 0", "0 <= K and 0 <= M", "K + M = 0"},
    {"(K + M) % 8 == 1 and (K + M) % 4 == 2", "0 == 0", "(K + M) % 8 = 1 and (K + M) % 4 = 2"},
    {"(K + M) % 8 != 1 and (K + M) % 4 != 2", "0 == 0", "(K + M) % 8 != 1 and (K + M) % 4 != 2"},
    {"K % 8 == 4", "K % 8 == 4 and K % 2 == 0", "true"},
    {"(K*M + K) % 4 == 3", "(K + M + 1) % 4 == 0", "(K + K*M) % 4 = 3"},
    {"K*K + K*M <= 9", "K == 1 and M == 2", "true"},
    {"K*M*M <= 1000000000", "K*M*M*M <= 1000 and M >= 1 and K >= 1", "true"},
};

/* What is left of a formula where another holds; both at points, too. */
static void formulas_are_simplified(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof simplified / sizeof *simplified; i++) {
        char text[256] = "";
        struct sym_text t = {text, sizeof text, 0};
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        sym_param(&w, "K", 1);
        sym_param(&w, "M", 1);
        const struct sym_form *f = sym_parse_assumption(&w, simplified[i].text);
        const struct sym_form *given = sym_parse_assumption(&w, simplified[i].given);
        const struct sym_form *left = sym_simplify(&w, f, given);
        assert_non_null(left);
        sym_print_form(&t, &w, SYM_TEXT, left);
        if (strcmp(text, simplified[i].left) != 0)
            fail_msg("%s where %s: %s", simplified[i].text, simplified[i].given, text);
        for (int n = 0; n < 40 * 40; n++) {
            const sym_int at[] = {n % 40 - 9, n / 40 - 9};
            if (sym_holds(&w, given, at) == 1)
                assert_int_equal(sym_holds(&w, f, at), sym_holds(&w, left, at));
        }
        sym_close(&w);
    }
}

/* What is known has an end, beyond which it is not used: 16 congruences, 64 bounds. */
static void more_facts_than_are_kept_are_left_out(void **state)
{
    static char given[1 << 13];
    struct sym_text t = {given, sizeof given, 0};
    struct sym_work w;
    (void)state;
    sym_put(&t, "K >= 0");
    for (int i = 1; i <= 17; i++) sym_put(&t, " and (K + %d*M) %% 64 == 0", i);
    for (int i = 1; i <= 65; i++) sym_put(&t, " and K + %d*M >= 0", i);
    assert_true(sym_open(&w, NULL));
    const struct sym_form *all = sym_parse_assumption(&w, given);
    assert_non_null(all);
    static struct sym_facts facts;
    memset(&facts, 0, sizeof facts);
    sym_learn(&w, &facts, all);
    assert_int_equal(facts.n_mods, SYM_MAX_CONGRUENCES);
    assert_int_equal(facts.n_bounds, SYM_MAX_BOUNDS);
    assert_true(sym_known_range(&w, &facts, sym_parse(&w, "2*K + 128*M + 1")).lo == 1);
    assert_false(sym_known_range(&w, &facts, sym_parse(&w, "K + 65*M")).has_lo);
    sym_close(&w);
}

/* A sum's range from that of a multiple of it; numbers beyond 128 bits give none. */
static void ranges_follow_from_known_sums(void **state)
{
    static const struct {
        const char *text, *given, *lo, *hi;
    } table[] = {
        {"2*K + 4*M + 5", "K + 2*M >= 3", "11", NONE},
        {"-K - 2*M", "K + 2*M >= 3", NONE, "-3"},
        {"K + 3*M", "K + 2*M >= 3", NONE, NONE},
        {"K", "K + 2*M >= 3", NONE, NONE},
        {"K - K", "K + 2*M >= 3", "0", "0"},
        {"K + N", "K + 2*M >= 3", NONE, NONE},
        {M63 "*" M63 "*K + M", "K + " M63 "*" M63 "*M >= 3", NONE, NONE},
        {M63 "*" M63 "*K + " M63 "*" M63 "*M", "K + M >= " M63, NONE, NONE},
        {"K + M - " M63 "*" M64, "K + M >= -" M63 "*" M64 "+ 1", NONE, NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        static struct sym_facts facts;
        struct sym_work w;
        memset(&facts, 0, sizeof facts);
        assert_true(sym_open(&w, NULL));
        sym_learn(&w, &facts, sym_parse_assumption(&w, table[i].given));
        const struct sym_range wanted = read_range(&w, table[i].lo, table[i].hi);
        const struct sym_range r = sym_known_range(&w, &facts, sym_parse(&w, table[i].text));
        if (r.has_lo != wanted.has_lo || r.has_hi != wanted.has_hi ||
            (r.has_lo && r.lo != wanted.lo) || (r.has_hi && r.hi != wanted.hi))
            fail_msg("%s where %s: %d %lld, %d %lld", table[i].text, table[i].given, r.has_lo,
                     (long long)r.lo, r.has_hi, (long long)r.hi);
        sym_close(&w);
    }
}

/* --- texts -------------------------------------------------------------------------------------
 */

static void formulas_have_three_spellings(void **state)
{
    static const struct {
        const char *text, *plain, *isl, *python;
    } table[] = {
        {"(K + 1)/4 >= 1", "floor((K + 1)/4) >= 1", "floor((K + 1)/4) >= 1", "((K + 1) // 4) >= 1"},
        {"K/4 == M", "M = floor(K/4)", "M = floor(K/4)", "M == (K // 4)"},
        {"(2*K)/3 == 2", "floor((2*K)/3) = 2", "floor((2*K)/3) = 2", "((2*K) // 3) == 2"},
        {"K == M", "M = K", "M = K", "M == K"},
        {"K*M % 8 == 3", "(K*M) % 8 = 3", "K_M mod 8 = 3", "(K*M) % 8 == 3"},
        {"-K - M <= -3", "K + M >= 3", "K + M >= 3", "K + M >= 3"},
        {"-K - M == 3", "K + M = -3", "K + M = -3", "K + M == -3"},
        {"3 <= K + M <= 9", "3 <= K + M <= 9", "3 <= K + M <= 9", "3 <= K + M <= 9"},
        {"-K - M <= 9", "K + M >= -9", "K + M >= -9", "K + M >= -9"},
        {"K + M <= -9", "K + M <= -9", "K + M <= -9", "K + M <= -9"},
        {"K - M <= 1048577", "K <= M + 1048577", "K <= M + 1048577", "K <= M + 1048577"},
        {"K >= 2097151", "K >= 2^21 - 1", "K >= 2097151", "K >= 2097151"},
        {"(2*K + 1) % 8 != 3", "K % 4 != 1", "K mod 4 != 1", "K % 4 != 1"},
        {"K == K", "true", "", "True"},
        {"K > K", "false", "1 = 0", "False"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *const wanted[] = {table[i].plain, table[i].isl, table[i].python};
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        const struct sym_form *f = sym_parse_assumption(&w, table[i].text);
        assert_non_null(f);
        for (int k = SYM_TEXT; k <= SYM_PYTHON; k++) {
            char text[256] = "";
            struct sym_text t = {text, sizeof text, 0};
            sym_print_form(&t, &w, (enum sym_language)k, f);
            assert_string_equal(text, wanted[k]);
        }
        sym_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_too_large_is_said),
        cmocka_unit_test(parameters_and_products_have_an_end),
        cmocka_unit_test(a_parameter_beyond_the_products_is_refused),
        cmocka_unit_test(cases_have_an_end),
        cmocka_unit_test(values_beyond_128_bits_are_none),
        cmocka_unit_test(ranges_are_exact_or_open),
        cmocka_unit_test(formulas_are_simplified),
        cmocka_unit_test(more_facts_than_are_kept_are_left_out),
        cmocka_unit_test(ranges_follow_from_known_sums),
        cmocka_unit_test(formulas_have_three_spellings),
    };
    return cmocka_run_group_tests_name("polynomials", tests, NULL, NULL);
}
