/* Trees of every operation, lowered under what is known of their variables: the formula says at
 * each point what the tree does; or words, where there is no formula. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolic/condition/lower.h"
#include "symbolic/poly/parse.h"
#include "symbolic/refuse_piece.h"

#include <string.h>

enum { NODES = 256, X = F_DIM, Y = F_DIM + 1, Z = F_DIM + 2 };

struct lowered {
    struct sym_work w;
    struct sym_facts facts;
    struct tree_node nodes[NODES];
    struct tree tree;
    struct sym_lowering l;
};

/* x, y and z are K, M and N, or what `other` says z is. */
static void open_lowered(struct lowered *o, const char *given, const char *other)
{
    const char *const name[] = {"K", "M", other ? other : "N"};
    memset(o, 0, sizeof *o);
    assert_true(sym_open(&o->w, NULL));
    tree_init(&o->tree, o->nodes, NODES, NULL, NULL);
    o->l = (struct sym_lowering){&o->w, &o->tree, {NULL}, &o->facts, NULL};
    for (int i = 0; i < 3; i++) assert_non_null(o->l.field[X + i] = sym_parse(&o->w, name[i]));
    const struct sym_form *f = sym_parse_assumption(&o->w, given);
    assert_non_null(f);
    sym_learn(&o->w, &o->facts, f);
}

static int128 value_of(enum tree_op kind, int slot, void *user)
{
    const int128 *at = user;
    assert_int_equal(kind, T_VAR);
    return at[slot - X];
}

/* --- trees -------------------------------------------------------------------------------------
 */

typedef tnode make(struct tree *t);

#define VAR(slot) tree_var(t, slot)
#define NUMBER(k) tree_const(t, k)

static tnode choice(struct tree *t)
{
    const tnode at_most = tree_le(t, VAR(X), NUMBER(3));
    return tree_le(t, tree_ite(t, at_most, VAR(Y), tree_add(t, VAR(X), NUMBER(1))), NUMBER(7));
}

static tnode chosen_choice(struct tree *t)
{
    const tnode at_most = tree_le(t, VAR(X), VAR(Y)), odd = tree_divides(t, NUMBER(2), VAR(Z));
    const tnode inner = tree_ite(t, odd, VAR(X), tree_mul(t, VAR(X), VAR(Y)));
    return tree_eq(t, tree_ite(t, at_most, inner, tree_sub(t, VAR(Z), VAR(Y))), VAR(Z));
}

static tnode set(struct tree *t)
{
    return tree_in(t, VAR(X), UINT64_C(0xc00000000000008b));
}

static tnode outside_of_set(struct tree *t)
{
    return tree_not(t, tree_in(t, tree_add(t, VAR(X), VAR(Y)), 0x5e));
}

static tnode quotient(struct tree *t)
{
    return tree_eq(t, tree_quot(t, VAR(X), VAR(Y)), NUMBER(2));
}

static tnode quotient_of_quotient(struct tree *t)
{
    return tree_le(t, tree_quot(t, tree_quot(t, VAR(X), VAR(Y)), NUMBER(3)), VAR(Z));
}

static tnode quotient_by_z(struct tree *t)
{
    return tree_le(t, tree_quot(t, VAR(X), VAR(Z)), NUMBER(1));
}

static tnode sum_of_quotients(struct tree *t)
{
    return tree_le(t, tree_add(t, tree_quot(t, VAR(X), VAR(Y)), tree_quot(t, VAR(X), VAR(Z))),
                   NUMBER(9));
}

static tnode quotient_of_a_sum(struct tree *t)
{
    const tnode sum = tree_add(t, VAR(Z), tree_quot(t, VAR(X), VAR(Y)));
    return tree_le(t, tree_quot(t, sum, VAR(Y)), NUMBER(9));
}

/* Of numbers each quotient is one, and another: 60 * 60 cases. */
static tnode many_sums(struct tree *t)
{
    const tnode y = tree_quot(t, NUMBER(1000000), VAR(Y));
    return tree_le(t, tree_add(t, y, tree_quot(t, NUMBER(1000000000), VAR(Z))), NUMBER(9));
}

static tnode many_quotients(struct tree *t)
{
    const tnode y = tree_quot(t, NUMBER(1000000000), VAR(Y));
    return tree_le(t, tree_quot(t, y, VAR(Z)), NUMBER(9));
}

static tnode wrapped(struct tree *t)
{
    return tree_le(t, tree_wrap32(t, tree_mul(t, NUMBER(1 << 29), VAR(X))), VAR(Y));
}

static tnode wrapped_sum(struct tree *t)
{
    const tnode sum = tree_add(t, VAR(X), VAR(Y));
    return tree_le(t, tree_wrap32(t, tree_mul(t, NUMBER(1 << 29), sum)), VAR(Z));
}

static tnode wrapped_choice(struct tree *t)
{
    const tnode at_most = tree_le(t, VAR(X), VAR(Y));
    return tree_le(t, NUMBER(0),
                   tree_wrap32(t, tree_ite(t, at_most, VAR(X),
                                           tree_mul(t, NUMBER(INT64_C(3) << 30), VAR(Y)))));
}

static tnode multiple(struct tree *t)
{
    const tnode at_most = tree_le(t, VAR(X), VAR(Y));
    return tree_divides(t, NUMBER(6), tree_ite(t, at_most, VAR(X), VAR(Y)));
}

static tnode logic(struct tree *t)
{
    const tnode a = tree_le(t, VAR(X), VAR(Y)), b = tree_eq(t, VAR(Z), VAR(Y));
    return tree_or(t, tree_and(t, tree_not(t, a), b), tree_and(t, a, tree_not(t, b)));
}

static tnode from_table(struct tree *t)
{
    return tree_le(t, tree_table(t, TABLE_SPAN, VAR(X)), NUMBER(64));
}

static tnode unknown_field(struct tree *t)
{
    return tree_le(t, VAR(F_BOX), NUMBER(64));
}

static tnode no_tree(struct tree *t)
{
    (void)t;
    return TREE_BAD;
}

/* --- tests -------------------------------------------------------------------------------------
 */

static const struct {
    make *make;
    const char *given;
} trees[] = {
    {choice, "0 == 0"},
    {chosen_choice, "0 == 0"},
    {set, "0 == 0"},
    {outside_of_set, "0 == 0"},
    {quotient, "0 <= M <= 8"},
    {quotient, "1 <= M <= 64"},
    {quotient, "M >= 3 and M <= 2"},
    {quotient_of_quotient, "1 <= M <= 8"},
    {sum_of_quotients, "1 <= M <= 9 and 2 <= N <= 9"},
    {quotient_of_a_sum, "1 <= M <= 8"},
    {many_sums, "1 <= M <= 9 and 0 <= N <= 9"},
    {many_quotients, "0 <= M <= 9 and 1 <= N <= 9"},
    {wrapped, "-4 <= K <= 7"},
    {wrapped, "0 <= K <= 3"},
    {wrapped, "K >= 0"},
    {wrapped, "-70 <= K <= 70"},
    {wrapped, "K >= 90 and K <= 2"},
    {wrapped, "K >= 90 and M >= 0 and K + M <= 2"},
    {wrapped_sum, "K >= 90 and M >= 0 and K + M <= 2"}, /* no sum is there to be wrapped */
    {wrapped_choice, "0 <= K <= 9 and 0 <= M <= 3"},
    {multiple, "0 == 0"},
    {logic, "0 == 0"},
};

static void formulas_say_what_trees_do(void **state)
{
    static struct lowered o;
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        open_lowered(&o, trees[i].given, NULL);
        const struct sym_form *given = sym_parse_assumption(&o.w, trees[i].given);
        const tnode n = trees[i].make(&o.tree);
        const struct sym_form *f = sym_lower(&o.l, n);
        if (!f) fail_msg("number %zu: %s", i, o.w.why);
        for (int k = 0; k < 80 * 16 * 8; k++) {
            int128 at[] = {k % 80 - 8, k / 80 % 16 - 3, k / 1280 - 2};
            if (sym_holds(&o.w, given, at) != 1) continue;
            if (sym_holds(&o.w, f, at) != (tree_eval(&o.tree, n, value_of, at) != 0))
                fail_msg("number %zu at %d %d %d", i, (int)at[0], (int)at[1], (int)at[2]);
        }
        sym_close(&o.w);
    }
}

static void what_has_no_formula_is_said(void **state)
{
    static const struct {
        make *make;
        const char *given, *z, *why;
    } table[] = {
        {quotient, "0 == 0", NULL, "a divisor has no small range: give its bounds"},
        {quotient, "M >= 1", NULL, "a divisor has no small range: give its bounds"},
        {quotient, "-1 <= M <= 8", NULL, "a divisor has no small range: give its bounds"},
        {quotient, "1 <= M <= 65", NULL, "a divisor has no small range: give its bounds"},
        {quotient_by_z, "0 == 0", "-2", "a negative divisor"},
        {many_sums, "1 <= M <= 60 and 1 <= N <= 60", NULL,
         "a row splits into more than 1000 cases"},
        {many_quotients, "1 <= M <= 60 and 1 <= N <= 60", NULL,
         "a row splits into more than 1000 cases"},
        {from_table, "0 == 0", NULL, "a row looks up a value that is not known"},
        {unknown_field, "0 == 0", NULL, "a row reads box, which is not known"},
        {no_tree, "0 == 0", NULL, "a row has too many nodes"},
    };
    static struct lowered o;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        open_lowered(&o, table[i].given, table[i].z);
        assert_null(sym_lower(&o.l, table[i].make(&o.tree)));
        assert_string_equal(o.w.why, table[i].why);
        assert_int_equal(o.w.status, TMAP_E_BUDGET);
        sym_close(&o.w);
    }
}

/* A quotient by 0 is 0, as in the tree. */
static void a_quotient_by_0_is_0(void **state)
{
    static struct lowered o;
    (void)state;
    open_lowered(&o, "0 == 0", "M - M");
    const struct sym_form *f = sym_lower(&o.l, quotient_by_z(&o.tree));
    assert_non_null(f);
    assert_int_equal(f->kind, SYM_TRUE);
    sym_close(&o.w);
}

/* Each piece of memory that a lowering takes is refused once, and that is what the workspace says.
 */
static void without_memory_a_lowering_says_so(void **state)
{
    static struct lowered o;
    long refused = 0;
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        bool whole = false;
        for (long n = 0; !whole; n++) {
            open_lowered(&o, trees[i].given, NULL);
            const tnode tree = trees[i].make(&o.tree);
            left = n;
            const struct sym_form *f = sym_lower(&o.l, tree);
            whole = left >= 0;
            left = -1;
            refused += !whole;
            assert_true(f || !whole); /* what is false anyway may be known before */
            assert_int_equal(o.w.status, whole ? TMAP_OK : TMAP_E_MEMORY);
            sym_close(&o.w);
        }
    }
    assert_true(refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_say_what_trees_do),
                                       cmocka_unit_test(what_has_no_formula_is_said),
                                       cmocka_unit_test(without_memory_a_lowering_says_so),
                                       cmocka_unit_test(a_quotient_by_0_is_0)};
    return cmocka_run_group_tests_name("trees as formulas", tests, NULL, NULL);
}
