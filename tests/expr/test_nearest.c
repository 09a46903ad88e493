/* tree_nearest() finds what a search of every value finds: of conditions drawn from all that rows
 * are made of, in both directions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "expr/tree.h"
#include "support/splitmix.h"

#define NODES 256
#define LOW (-40)
#define HIGH 90

static struct tree_node nodes[NODES];
static struct tree t;
static uint64_t seed = 4;

static int64_t drawn(int64_t low, int64_t high)
{
    return low + (int64_t)(splitmix(&seed) % (uint64_t)(high - low + 1));
}

static tnode number(int64_t low, int64_t high)
{
    return tree_const(&t, drawn(low, high));
}

static tnode x(void)
{
    return tree_var(&t, F_DIM);
}

/* What is drawn is drawn in the order of the text, whatever the compiler's order of arguments. */
static tnode affine(void)
{
    const tnode factor = number(-5, 5), rest = number(-30, 60);
    switch (drawn(0, 4)) {
    case 0:
        return rest;
    case 1:
        return tree_sub(&t, rest, x());
    case 2:
        return tree_add(&t, tree_mul(&t, factor, x()), rest);
    case 3:
        return tree_mul(&t, x(), factor);
    default:
        return x();
    }
}

static tnode atom(void)
{
    const tnode a = affine(), b = affine(), divisor = number(1, 24);
    const uint64_t set = splitmix(&seed) & splitmix(&seed);
    switch (drawn(0, 6)) {
    case 0:
        return tree_eq(&t, a, b);
    case 1:
        return tree_divides(&t, divisor, a);
    case 2:
        return tree_in(&t, x(), set);
    case 3:
        return tree_in(&t, a, set);
    case 4: /* a quotient has its steps, and is no affine term */
        return tree_le(&t, tree_quot(&t, x(), divisor), b);
    default:
        return tree_le(&t, a, b);
    }
}

static tnode condition(int depth)
{
    const int64_t kind = depth > 0 ? drawn(0, 5) : 5;
    if (kind > 3) return atom();
    const tnode a = condition(depth - 1);
    if (kind == 3) return tree_not(&t, a);
    const tnode b = condition(depth - 1);
    return kind == 2 ? tree_or(&t, a, b) : tree_and(&t, a, b);
}

static int128 at(enum tree_op kind, int slot, void *value)
{
    assert_true(kind == T_VAR && slot == F_DIM);
    return *(int64_t *)value;
}

static bool by_trying_all(tnode n, int64_t from, int direction, int64_t *out)
{
    if (from < LOW && direction > 0) from = LOW;
    if (from > HIGH && direction < 0) from = HIGH;
    for (int64_t v = from; v >= LOW && v <= HIGH; v += direction)
        if (tree_eval(&t, n, at, &v)) return *out = v, true;
    return false;
}

static void the_nearest_is_the_first_of_all(void **state)
{
    unsigned long found = 0, none = 0;
    (void)state;
    for (int k = 0; k < 40000; k++) {
        int128 near = 0;
        int64_t first = 0;
        tree_init(&t, nodes, NODES, NULL, NULL);
        const tnode n = condition(3);
        const int64_t from = drawn(LOW - 5, HIGH + 5);
        const int direction = k % 2 ? 1 : -1;
        const bool has = by_trying_all(n, from, direction, &first);
        const bool says = tree_nearest(&t, n, F_DIM, from, direction, LOW, HIGH, &near);
        if (has != says || (has && near != first)) {
            char text[400];
            tree_print(&t, n, text, sizeof text);
            fail_msg("%s: from %ld by %d: %ld, not %ld", text, (long)from, direction,
                     says ? (long)near : -999, has ? (long)first : -999);
        }
        has ? found++ : none++;
    }
    assert_true(found > 10000 && none > 4000);
}

/* What has no step of its own is halved: squares, and a choice between conditions. */
static void what_changes_once_is_bisected(void **state)
{
    int128 near;
    (void)state;
    tree_init(&t, nodes, NODES, NULL, NULL);
    const tnode square = tree_le(&t, tree_mul(&t, x(), x()), tree_const(&t, 130));
    assert_true(tree_nearest(&t, square, F_DIM, 70, -1, 0, 100, &near) && near == 11);
    const tnode choice = tree_ite(&t, tree_le(&t, x(), tree_const(&t, 10)), tree_bool(&t, false),
                                  tree_bool(&t, true));
    assert_true(tree_nearest(&t, choice, F_DIM, 0, 1, 0, 100, &near) && near == 11);
    assert_false(tree_nearest(&t, choice, F_DIM, 10, -1, 0, 100, &near));
    const tnode of_another = tree_le(&t, tree_var(&t, F_BOX), x());
    assert_true(tree_nearest(&t, tree_not(&t, of_another), F_DIM, 50, -1, -5, 100, &near));
    assert_true(near == -1); /* another field counts as 0 */
    const tnode parameter = t.count++;
    nodes[parameter] = (struct tree_node){.op = T_PARAM};
    assert_true(tree_nearest(&t, tree_le(&t, x(), parameter), F_DIM, 9, -1, -5, 9, &near));
    assert_true(near == 0);
}

/* Of products and quotients: what differs is found, and what would have to be equal is not looked
 * for. */
static void quotients_that_are_equal(void **state)
{
    int128 near;
    (void)state;
    tree_init(&t, nodes, NODES, NULL, NULL);
    const tnode third = tree_quot(&t, x(), tree_const(&t, 3)), four = tree_const(&t, 4);
    const tnode differs = tree_not(&t, tree_eq(&t, third, four));
    assert_true(tree_nearest(&t, differs, F_DIM, 13, 1, 0, 100, &near) && near == 15);
    assert_true(tree_nearest(&t, differs, F_DIM, 13, -1, 0, 100, &near) && near == 11);
    assert_true(tree_nearest(&t, tree_eq(&t, four, third), F_DIM, 13, 1, 0, 100, &near));
    assert_true(near == 13);
    assert_false(tree_nearest(&t, tree_eq(&t, four, third), F_DIM, 20, -1, 0, 100, &near));
    const tnode always = tree_eq(&t, tree_quot(&t, x(), tree_const(&t, 200)), tree_const(&t, 0));
    assert_false(tree_nearest(&t, tree_not(&t, always), F_DIM, 5, 1, 0, 100, &near));
    const tnode sum = tree_add(&t, third, x()), twice = tree_mul(&t, x(), third);
    assert_true(tree_nearest(&t, tree_le(&t, sum, four), F_DIM, 90, -1, 0, 100, &near));
    assert_true(near == 3);
    assert_true(tree_nearest(&t, tree_le(&t, twice, four), F_DIM, 90, -1, 0, 100, &near));
    assert_true(near == 4);
    assert_true(tree_nearest(&t, tree_le(&t, tree_sub(&t, x(), third), four), F_DIM, 90, -1, 0, 100,
                             &near));
    assert_true(near == 6);
    assert_true(tree_nearest(&t, tree_le(&t, tree_mul(&t, third, x()), four), F_DIM, 90, -1, 0, 100,
                             &near));
}

/* Odd and even at once: the search ends, with nothing. */
static void what_never_agrees_ends(void **state)
{
    int128 near = 7;
    (void)state;
    tree_init(&t, nodes, NODES, NULL, NULL);
    const tnode two = tree_const(&t, 2), even = tree_divides(&t, two, x());
    const tnode odd = tree_divides(&t, two, tree_add(&t, x(), tree_const(&t, 1)));
    assert_false(
        tree_nearest(&t, tree_and(&t, even, odd), F_DIM, 0, 1, 0, INT64_C(1) << 40, &near));
    assert_false(tree_nearest(&t, tree_bool(&t, false), F_DIM, 0, 1, 0, 9, &near));
    assert_false(tree_nearest(&t, TREE_BAD, F_DIM, 0, 1, 0, 9, &near));
    assert_true(near == 7);
    assert_true(tree_nearest(&t, tree_bool(&t, true), F_DIM, 3, 1, 0, 9, &near) && near == 3);
    assert_true(tree_nearest(&t, tree_not(&t, tree_and(&t, even, odd)), F_DIM, 4, 1, 0, 9, &near));
    assert_true(near == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_the_first_of_all),
        cmocka_unit_test(what_changes_once_is_bisected),
        cmocka_unit_test(quotients_that_are_equal),
        cmocka_unit_test(what_never_agrees_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
