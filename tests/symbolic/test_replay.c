/* Which texts are linear arithmetic, by the words alone; and what a replayed question says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolic/smt/replay.h"
#include "symbolic/smt/tree_text.h"
#include "symbolic/smt/z3.h"

#include <string.h>

static void products_and_divisors_are_numerals(void **state)
{
    static const struct {
        const char *text;
        bool linear;
    } table[] = {
        {"(assert (= x (* 2 y)))", true},
        {"(assert (= x (* y 2)))", true},
        {"(assert (= x (* y z)))", false},
        {"(assert (= x (* 2 y 3)))", true},
        {"(assert (= x (* 2 y (* 3 z))))", false},
        {"(assert (= x (* (- 5) y)))", true},
        {"(assert (= x (* ( - 5) (+ y z))))", true},
        {"(assert (= x (* (+ 5 y) z)))", false},
        {"(assert (= x (*\n 2\t(+ y\n1))))", true},
        {"(assert (= x (* \n 2 \t y)))", true},
        {"(assert (= x (div y 8)))", true},
        {"(assert (= x (div (+ y 7) 8)))", true},
        {"(assert (= x (div 8 y)))", false},
        {"(assert (= x (mod (div y 8) 4)))", true},
        {"(assert (= x (mod 4 (div y 8))))", false},
        {"(assert (= x (+ y z)))", true},
        {"(assert (= x (* 2 (; a ) or (\n+ y 1))))", true},
        {"(assert (= x (* y (; a ) or (\n+ y 1))))", false},
        {"(assert (= x (* 2 y", true},
        {"(assert (= x (div y (+ z", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (sym_is_linear_text(table[i].text) != table[i].linear) fail_msg("%s", table[i].text);
}

static void a_text_says_what_arithmetic_it_is(void **state)
{
    static const struct {
        const char *text, *said;
    } table[] = {{"(assert (= x (* 2 y)))\n", "(set-logic QF_LIA)\n(assert"},
                 {"(assert (= x (* y y)))\n", "(set-logic QF_NIA)\n(assert"}};
    struct tmap_symbolic *s;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    if (!sym_z3_version(s)) {
        tmap_symbolic_close(s);
        skip();
    }
    for (size_t i = 0; i < 2; i++) {
        const struct sym_query query = {.text = table[i].text};
        char text[512] = "";
        struct sym_text t = {text, sizeof text, 0};
        sym_put_replay(&t, s, &query, SYM_UNSAT);
        assert_non_null(strstr(text, "(set-info :status unsat)"));
        assert_non_null(strstr(text, table[i].said));
    }
    tmap_symbolic_close(s);
}

/* Of numbers of bits a multiple of a power of two has zeros at its end; another has a remainder. */
static void multiples_are_zeros_at_the_end_or_a_remainder(void **state)
{
    static const struct {
        int modulus, bits;
        const char *text;
    } table[] = {
        {8, 0, "(= (mod dim_0 8) 0)"},
        {8, 80, "(= ((_ extract 2 0) ((_ zero_extend 16) dim_0)) (_ bv0 3))"},
        {6, 80, "(= (bvsrem ((_ zero_extend 16) dim_0) (_ bv6 80)) (_ bv0 80))"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct tree_node nodes[8];
        struct tree tree;
        char text[256] = "";
        struct sym_text t = {text, sizeof text, 0};
        tree_init(&tree, nodes, 8, NULL, NULL);
        const tnode m = tree_const(&tree, table[i].modulus);
        const tnode f = tree_divides(&tree, m, tree_var(&tree, F_DIM));
        sym_smt_tree(&t, &tree, f, table[i].bits);
        assert_string_equal(text, table[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_divisors_are_numerals),
        cmocka_unit_test(a_text_says_what_arithmetic_it_is),
        cmocka_unit_test(multiples_are_zeros_at_the_end_or_a_remainder)};
    return cmocka_run_group_tests_name("replayed questions", tests, NULL, NULL);
}
