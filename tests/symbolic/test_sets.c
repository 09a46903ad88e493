/* What is read of isl's sets and functions as formulas: quotients with a definition, divisibility
 * without one; what is too large, too much or not a formula ends in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/needs.h"

#ifdef TMAP_WITH_ISL
#include "symbolic/isl/sets.h"
#include "symbolic/poly/parse.h"
#include "symbolic/poly/print.h"
#include "symbolic/poly/simplify.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <stdio.h>
#include <string.h>

#define HUGE "1361129467683753853853498429727072845824" /* 2^130 */

static const struct tmap_allocator usual;
static isl_ctx *ctx;
static struct sym_work w;
static struct sym_frame frame;

static int open_all(void **state)
{
    (void)state;
    ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    isl_ctx_free(ctx);
    return 0;
}

/* A frame of the parameters x and y. */
static void begin(void)
{
    assert_true(sym_open(&w, &usual));
    assert_true(sym_parse(&w, "x") && sym_parse(&w, "y"));
    assert_true(sym_frame_open(&frame, &w, ctx, NULL, 0));
}

static void end(void)
{
    sym_close(&w);
    isl_ctx_reset_error(ctx);
}

static const char *text_of(const struct sym_form *f)
{
    static char text[512];
    struct sym_text t = {text, sizeof text, 0};
    text[0] = 0;
    if (f) sym_print_form(&t, &w, SYM_TEXT, f);
    return f ? text : w.why;
}

static void sets_become_formulas(void **state)
{
    static const struct {
        const char *set, *text;
    } table[] = {
        {"{ [x, y] : x >= 3 }", "x >= 3"},
        {"{ [x, y] : x >= " HUGE " }", "126 bits"},
        {"{ [x, y] : x >= 170141183460469231731687303715884105728 }", "126 bits"}, /* 2^127 */
        {"{ [x, y] : " HUGE " x >= y }", "126 bits"},
        {"{ [x, y] : x + " HUGE " * floor(y/3) >= 0 }", "126 bits"},
        {"{ [x, y] : x mod " HUGE " = 5 }", "126 bits"},
        {"{ [x, y] : x >= floor((y + floor(x/" HUGE "))/3) }", "126 bits"},
        {"{ [x, y] : x >= floor((y + 2*floor(x/" HUGE "))/3) }", "126 bits"},
        {"{ [x, y] : x = 3*floor(y/2) }", "x % 3 = 0 and 2*x <= 3*y and 3*y <= 2*x + 3"},
        {"{ [x, y] : x = 3*floor(y/2) + 7*floor(y/5) + 2*floor((x + 3y)/7) }",
         "x = 3*floor(y/2) + 7*floor(y/5) + 2*floor((x + 3*y)/7) and "},
        {"{ [x, y] : exists (a : 2a >= x and 3a <= y) }", "isl's answer has a quantifier"},
        {"{ [x, y] : exists (a, b : x = 2a + 5b and a <= y and b <= y) }", "quantifier"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        begin();
        isl_set *set = isl_set_read_from_str(ctx, table[i].set);
        assert_non_null(set);
        const struct sym_form *f = sym_from_set(&frame, set);
        if (!strstr(text_of(f), table[i].text)) fail_msg("%s: %s", table[i].set, text_of(f));
        assert_int_equal(w.status, f ? TMAP_OK : TMAP_E_BUDGET);
        isl_set_free(set);
        end();
    }
}

/* There and back, where isl has given a quotient no definition yet. */
static void divisibility_needs_no_definition(void **state)
{
    (void)state;
    begin();
    const struct sym_form *f = sym_mod(&w, sym_parse(&w, "x + 2*y"), 6);
    isl_set *set = sym_to_set(&frame, f);
    assert_string_equal(text_of(sym_from_set(&frame, set)), "(x + 2*y) % 6 = 0 and x % 2 = 0");
    isl_set_free(set);
    end();
}

enum { COLUMNS = 6 }; /* x, y, three integers of which nothing else is said, and a constant */

static isl_mat *matrix(const int (*rows)[COLUMNS], int n)
{
    isl_mat *m = isl_mat_alloc(ctx, (unsigned)n, COLUMNS);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < COLUMNS; k++) m = isl_mat_set_element_si(m, i, k, rows[i][k]);
    return m;
}

/* Integers without a definition, in one equation or in several rows. */
static void integers_of_one_equation_say_what_it_divides(void **state)
{
    static const struct {
        int eq[2][COLUMNS], n_eq, ge[1][COLUMNS], n_ge;
        const char *text;
    } table[] = {
        {{{0, 0, 3, 2, 0, 0}}, 1, {{0}}, 0, "true"},
        {{{0, 0, 4, 6, 0, 2}}, 1, {{0}}, 0, "true"},
        {{{2, 0, 9, 12, 0, 2}}, 1, {{0}}, 0, "x % 3 = 2"},
        {{{0, 0, 3, -2, 0, 0}}, 1, {{5, 0, 4, 0, 0, 0}}, 1, "isl's answer has a quantifier"},
        {{{0, 0, 5, 2, 0, 5}, {0, 5, 2, 0, -2, 0}}, 2, {{0}}, 0, "isl's answer has a quantifier"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        begin();
        isl_set *set = isl_set_from_basic_set(isl_basic_set_from_constraint_matrices(
            isl_space_set_alloc(ctx, 0, 2), matrix(table[i].eq, table[i].n_eq),
            matrix(table[i].ge, table[i].n_ge), isl_dim_set, isl_dim_div, isl_dim_param,
            isl_dim_cst));
        assert_non_null(set);
        assert_string_equal(text_of(sym_from_set(&frame, set)), table[i].text);
        isl_set_free(set);
        end();
    }
}

static const char *aff_text(const char *aff)
{
    static char text[512];
    struct sym_text t = {text, sizeof text, 0};
    isl_aff *a = isl_aff_read_from_str(ctx, aff);
    assert_non_null(a);
    const struct sym_poly *p = sym_from_aff(&frame, a);
    isl_aff_free(a);
    if (p) sym_print_poly(&t, &w, SYM_TEXT, p);
    return p ? text : w.why;
}

static void functions_become_sums(void **state)
{
    static const struct {
        const char *aff, *text;
    } table[] = {
        {"{ [x, y] -> [x + 2y + 5] }", "x + 2*y + 5"},
        {"{ [x, y] -> [x + floor((x + floor(y/3))/2)] }", "floor("},
        {"{ [x, y] -> [(x)/2] }", "126 bits"},
        {"{ [x, y] -> [x + " HUGE "] }", "126 bits"},
        {"{ [x, y] -> [" HUGE " x + y] }", "126 bits"},
        {"{ [x, y] -> [" HUGE " * floor(x/2)] }", "126 bits"},
        {"{ [x, y] -> [floor(x/" HUGE ")] }", "126 bits"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        begin();
        if (!strstr(aff_text(table[i].aff), table[i].text))
            fail_msg("%s: %s", table[i].aff, aff_text(table[i].aff));
        end();
    }
}

/* 35 quotients, of which 32 would be read. */
static void too_many_quotients_are_said(void **state)
{
    char sum[1024] = "x", text[1100];
    (void)state;
    for (int k = 3; k < 38; k++) {
        const size_t used = strlen(sum);
        snprintf(sum + used, sizeof sum - used, " + floor((x + y)/%d)", k);
    }
    begin();
    snprintf(text, sizeof text, "{ [x, y] -> [%s] }", sum);
    assert_string_equal(aff_text(text), "isl's answer has 35 quotients");
    end();
    begin();
    snprintf(text, sizeof text, "{ [x, y] : %s >= 0 }", sum);
    isl_set *set = isl_set_read_from_str(ctx, text);
    assert_non_null(set);
    assert_null(sym_from_set(&frame, set));
    assert_non_null(strstr(w.why, "quotients")); /* isl does without one */
    isl_set_free(set);
    end();
}

int main(void)
{
    if (lacks_isl("sets and formulas")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_become_formulas), cmocka_unit_test(divisibility_needs_no_definition),
        cmocka_unit_test(integers_of_one_equation_say_what_it_divides),
        cmocka_unit_test(functions_become_sums), cmocka_unit_test(too_many_quotients_are_said)};
    return cmocka_run_group_tests_name("sets and formulas", tests, open_all, close_all);
}
#else
int main(void)
{
    return !lacks_isl("sets and formulas");
}
#endif
