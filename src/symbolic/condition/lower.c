/* lower.c : integers become polynomials by cases, booleans formulas.
 *
 * Under known enums a row is affine, a congruence, or a product of fields. What is not polynomial
 * (a quotient by a field, a 32-bit wrap, a choice) becomes cases whose conditions exclude each
 * other and cover everything that the facts allow.
 */
#include "symbolic/condition/lower.h"

enum { MAX_CASES = 1000, MAX_DIVISORS = 64, WRAP_CASES = 3 };

struct value_case {
    const struct sym_form *when;
    const struct sym_poly *value;
};

struct cases {
    size_t n;
    struct value_case *at;
};

static const struct cases failed = {0, NULL};

static struct cases room(struct sym_lowering *l, size_t n)
{
    struct cases c = {n, sym_take(l->w, n * sizeof *c.at)};
    if (n > MAX_CASES) {
        sym_fail(l->w, TMAP_E_BUDGET, "a row splits into more than %d cases", MAX_CASES);
    }
    return c.at && n <= MAX_CASES ? c : failed;
}

static struct cases single(struct sym_lowering *l, const struct sym_form *when,
                           const struct sym_poly *p)
{
    struct cases c = room(l, 1);
    if (!p || !c.n) return failed;
    c.at[0] = (struct value_case){when, p};
    return c;
}

/* The same in every case. */
static struct cases always(struct sym_lowering *l, const struct sym_poly *p)
{
    return single(l, sym_bool(l->w, true), p);
}

static const struct sym_poly *combine(struct sym_work *w, enum tree_op op, const struct sym_poly *a,
                                      const struct sym_poly *b)
{
    return op == T_MUL ? sym_mul(w, a, b) : sym_add(w, 1, a, op == T_SUB ? -1 : 1, b);
}

/* One more case, beside those of the same value: products of 1, 2 and 4 have few. */
static bool add_case(struct sym_lowering *l, struct cases *c, const struct sym_form *when,
                     const struct sym_poly *value)
{
    size_t i = 0;
    while (value && i < c->n && !sym_same(c->at[i].value, value)) i++;
    if (!value || !when || i == MAX_CASES) {
        sym_fail(l->w, TMAP_E_BUDGET, "a row splits into more than %d cases", MAX_CASES);
        return false;
    }
    if (i < c->n) when = sym_or(l->w, c->at[i].when, when);
    c->at[i] = (struct value_case){when, value};
    c->n += i == c->n;
    return when != NULL;
}

static struct cases pairwise(struct sym_lowering *l, enum tree_op op, struct cases a,
                             struct cases b)
{
    const size_t n = a.n * b.n < MAX_CASES ? a.n * b.n : MAX_CASES;
    struct cases c = {0, n ? room(l, n).at : NULL};
    for (size_t i = 0; i < a.n && c.at; i++) {
        for (size_t j = 0; j < b.n; j++) {
            const struct sym_form *when = sym_and(l->w, a.at[i].when, b.at[j].when);
            const struct sym_poly *x = a.at[i].value, *y = b.at[j].value;
            if (!add_case(l, &c, when, combine(l->w, op, x, y))) return failed;
        }
    }
    return c;
}

/* first <= x <= last */
static const struct sym_form *between(struct sym_work *w, const struct sym_poly *x, sym_int first,
                                      sym_int last)
{
    const struct sym_poly *one = sym_const(w, 1);
    if (!one || !x) return NULL;
    if (first == last) return sym_eq(w, sym_add(w, 1, x, -first, one));
    return sym_and(w, sym_ge(w, sym_add(w, 1, x, -first, one)),
                   sym_ge(w, sym_add(w, -1, x, last, one)));
}

/* One case for each run of divisors b that give the same: floor(8 / b) has 4 values for b of 1..8.
 */
static struct cases each_divisor(struct sym_lowering *l, const struct sym_form *when,
                                 const struct sym_poly *a, const struct sym_poly *b,
                                 const struct sym_range *r)
{
    struct cases c = room(l, (size_t)(r->hi - r->lo + 1));
    size_t n = 0;
    sym_int first = r->lo;
    for (sym_int v = r->lo; c.n && v <= r->hi; v++) {
        const struct sym_poly *q = v ? sym_floor(l->w, a, v) : sym_const(l->w, 0);
        const bool same = q && n && sym_same(c.at[n - 1].value, q);
        if (!q) return failed;
        if (!same) first = v;
        n += !same;
        c.at[n - 1] = (struct value_case){sym_and(l->w, when, between(l->w, b, first, v)), q};
    }
    c.n = n;
    return c;
}

/* floor(a / b), b known or one of few values. A quotient by 0 is 0, as in the tree. */
static struct cases quotient(struct sym_lowering *l, struct value_case a, struct value_case b)
{
    sym_int by;
    const struct sym_form *when = sym_and(l->w, a.when, b.when);
    struct sym_range r = sym_known_range(l->w, l->facts, b.value);
    if (sym_is_const(b.value, &by)) {
        if (by < 0) return sym_fail(l->w, TMAP_E_BUDGET, "a negative divisor"), failed;
        return single(l, when, by ? sym_floor(l->w, a.value, by) : sym_const(l->w, 0));
    }
    if (r.has_lo && r.has_hi && r.lo > r.hi) return always(l, sym_const(l->w, 0)); /* no value */
    if (!r.has_lo || !r.has_hi || r.lo < 0 || r.hi - r.lo >= MAX_DIVISORS) {
        sym_fail(l->w, TMAP_E_BUDGET, "a divisor has no small range: give its bounds");
        return failed;
    }
    return each_divisor(l, when, a.value, b.value, &r);
}

static struct cases append(struct sym_lowering *l, struct cases a, struct cases b)
{
    struct cases c = room(l, a.n + b.n);
    for (size_t i = 0; i < c.n; i++) c.at[i] = i < a.n ? a.at[i] : b.at[i - a.n];
    return c;
}

static struct cases quotients(struct sym_lowering *l, struct cases a, struct cases b)
{
    struct cases all = failed;
    for (size_t i = 0; i < a.n; i++) {
        for (size_t j = 0; j < b.n; j++) {
            struct cases c = quotient(l, a.at[i], b.at[j]);
            if (!c.n) return failed;
            all = append(l, all, c);
        }
    }
    return all;
}

/* x - 2^32 * floor((x + 2^31) / 2^32), by cases of the quotient where there are few. */
static struct cases wrap32(struct sym_lowering *l, struct value_case x)
{
    struct sym_work *w = l->w;
    const sym_int span = (sym_int)1 << 32;
    const struct sym_poly *half = sym_const(w, span / 2), *one = sym_const(w, 1);
    const struct sym_poly *moved = half ? sym_add(w, 1, x.value, 1, half) : NULL;
    if (!moved || !one) return failed;
    struct sym_range r = sym_known_range(w, l->facts, moved);
    sym_int first = sym_floordiv(r.lo, span), last = sym_floordiv(r.hi, span);
    if (!r.has_lo || !r.has_hi || last < first || last - first >= WRAP_CASES) {
        return single(l, x.when, sym_add(w, 1, x.value, -span, sym_floor(w, moved, span)));
    }
    struct cases c = room(l, (size_t)(last - first + 1));
    for (size_t i = 0; i < c.n; i++) {
        sym_int q = first + (sym_int)i;
        const struct sym_form *from = sym_ge(w, sym_add(w, 1, moved, -q * span, one));
        const struct sym_form *to = sym_ge(w, sym_add(w, -1, moved, (q + 1) * span - 1, one));
        c.at[i].when = sym_and(w, x.when, sym_and(w, from, to));
        c.at[i].value = sym_add(w, 1, x.value, -q * span, one);
    }
    return c;
}

static struct cases integer(struct sym_lowering *l, tnode n);
static const struct sym_form *boolean(struct sym_lowering *l, tnode n);

static struct cases choose(struct sym_lowering *l, const struct tree_node *e)
{
    const struct sym_form *yes = boolean(l, e->a), *no = sym_not(l->w, yes);
    struct cases a = integer(l, e->b), b = integer(l, e->c);
    if (!yes || !no || !a.n || !b.n) return failed;
    struct cases c = append(l, a, b);
    for (size_t i = 0; i < c.n; i++) {
        c.at[i].when = sym_and(l->w, i < a.n ? yes : no, c.at[i].when);
    }
    return c;
}

/* 0 where the map is legal after the replacement, else 1. */
static struct cases patched(struct sym_lowering *l)
{
    struct cases c = room(l, 2);
    for (size_t i = 0; i < c.n; i++) {
        c.at[i].when = i ? sym_not(l->w, l->patched_legal) : l->patched_legal;
        c.at[i].value = sym_const(l->w, (sym_int)i);
        if (!c.at[i].when || !c.at[i].value) return failed;
    }
    return c;
}

static struct cases wraps(struct sym_lowering *l, struct cases a)
{
    struct cases all = failed;
    for (size_t i = 0; i < a.n; i++) {
        struct cases c = wrap32(l, a.at[i]);
        if (!c.n) return failed;
        all = append(l, all, c);
    }
    return all;
}

static struct cases integer(struct sym_lowering *l, tnode n)
{
    const struct tree_node *e = &l->tree->node[n];
    switch ((enum tree_op)e->op) {
    case T_CONST:
        return always(l, sym_const(l->w, e->k));
    case T_VAR:
        if (l->field[e->k]) return always(l, l->field[e->k]);
        if (e->k == F_PATCHED_BAD && l->patched_legal) return patched(l);
        sym_fail(l->w, TMAP_E_BUDGET, "a row reads %s, which is not known",
                 field_info_of(field_of_slot((int)e->k))->json);
        return failed;
    case T_ADD:
    case T_SUB:
    case T_MUL:
        return pairwise(l, (enum tree_op)e->op, integer(l, e->a), integer(l, e->b));
    case T_QUOT:
        return quotients(l, integer(l, e->a), integer(l, e->b));
    case T_WRAP32:
        return wraps(l, integer(l, e->a));
    case T_ITE:
        return choose(l, e);
    default:
        sym_fail(l->w, TMAP_E_BUDGET, "a row looks up a value that is not known");
    }
    return failed;
}

/* One interval for each run of set bits. */
static const struct sym_form *in_set(struct sym_work *w, const struct sym_poly *x, uint64_t set)
{
    const struct sym_form *any = sym_bool(w, false);
    for (int first = 0; first < 64; first++) {
        if (!((set >> first) & 1)) continue;
        int last = first;
        while (last < 63 && ((set >> (last + 1)) & 1)) last++;
        any = sym_or(w, any, between(w, x, first, last));
        first = last;
    }
    return any;
}

static const struct sym_form *compare(struct sym_work *w, const struct tree_node *e,
                                      const struct sym_poly *a, const struct sym_poly *b)
{
    if (e->op == T_LE) return sym_ge(w, sym_add(w, -1, a, 1, b));
    return sym_eq(w, sym_add(w, 1, a, -1, b));
}

/* Whichever case applies, the atom holds in it. The cases exclude each other and leave nothing out,
 * so this says the same as "some case applies in which it holds", and shorter: cases in which it
 * always holds disappear. */
static const struct sym_form *atom(struct sym_lowering *l, const struct tree_node *e)
{
    struct sym_work *w = l->w;
    bool unary = e->op == T_IN || e->op == T_DIVIDES;
    struct cases a = integer(l, e->op == T_DIVIDES ? e->b : e->a);
    struct cases b = unary ? always(l, sym_const(w, 0)) : integer(l, e->b);
    const struct sym_form *all = sym_bool(w, true);
    if (!a.n || !b.n) return NULL;
    for (size_t i = 0; i < a.n; i++) {
        for (size_t j = 0; j < b.n; j++) {
            const struct sym_poly *x = a.at[i].value, *y = b.at[j].value;
            const struct sym_form *f = !x || !y             ? NULL
                                       : e->op == T_IN      ? in_set(w, x, (uint64_t)e->k)
                                       : e->op != T_DIVIDES ? compare(w, e, x, y)
                                                            : sym_mod(w, x, l->tree->node[e->a].k);
            const struct sym_form *unless[] = {sym_not(w, a.at[i].when), sym_not(w, b.at[j].when),
                                               f};
            all = sym_and(w, all, sym_join(w, SYM_OR, 3, unless));
        }
    }
    return all;
}

static const struct sym_form *boolean(struct sym_lowering *l, tnode n)
{
    const struct tree_node *e = &l->tree->node[n];
    switch ((enum tree_op)e->op) {
    case T_TRUE:
    case T_FALSE:
        return sym_bool(l->w, e->op == T_TRUE);
    case T_AND:
        return sym_and(l->w, boolean(l, e->a), boolean(l, e->b));
    case T_OR:
        return sym_or(l->w, boolean(l, e->a), boolean(l, e->b));
    case T_NOT:
        return sym_not(l->w, boolean(l, e->a));
    default:
        return atom(l, e);
    }
}

const struct sym_form *sym_lower(struct sym_lowering *l, tnode n)
{
    if (n == TREE_BAD) return sym_fail(l->w, TMAP_E_BUDGET, "a row has too many nodes");
    return boolean(l, n);
}
