/* Which texts are linear arithmetic, by the words alone; and what a replayed question says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolic/smt/replay.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_and_divisors_are_numerals)};
    return cmocka_run_group_tests_name("replayed questions", tests, NULL, NULL);
}
