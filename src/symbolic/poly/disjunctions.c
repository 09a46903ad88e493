/* disjunctions.c : bounds that follow from products and disjunctions, and common factors of
 * disjunctions.
 */
#include "symbolic/poly/simplify.h"

static void hull(struct sym_range *a, const struct sym_range *b)
{
    a->has_lo &= b->has_lo;
    a->has_hi &= b->has_hi;
    if (b->lo < a->lo) a->lo = b->lo;
    if (b->hi > a->hi) a->hi = b->hi;
}

static void from_choice(struct sym_work *w, struct sym_facts *facts, const struct sym_form *f)
{
    struct sym_facts *arm = sym_take(w, 2 * sizeof *arm), *all = arm + 1;
    if (!arm) return;
    for (size_t i = 0; i < f->n; i++) {
        *arm = *facts;
        sym_learn(w, arm, f->arg[i]);
        if (i == 0) *all = *arm;
        for (int v = 0; v < SYM_MAX_VARS; v++) hull(&all->range[v], &arm->range[v]);
    }
    for (int v = 0; v < SYM_MAX_VARS; v++) facts->range[v] = all->range[v];
}

void sym_learn_choices(struct sym_work *w, struct sym_facts *facts, const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg);
    for (size_t i = 0; i < n; i++) {
        if (arg[i]->kind == SYM_OR) from_choice(w, facts, arg[i]);
    }
}

/* size * (the product of m) <= limit: each factor by the least that the others can be. */
static void bound_factors(const struct sym_mono *m, struct sym_facts *facts, sym_int size,
                          sym_int limit)
{
    for (int k = 0; k < m->degree; k++) {
        sym_int others = size;
        bool known = true;
        for (int i = 0; i < m->degree; i++) {
            const struct sym_range *r = &facts->range[m->var[i]];
            known &= i == k ||
                     (r->has_lo && r->lo >= 1 && !__builtin_mul_overflow(others, r->lo, &others));
        }
        if (known) sym_narrow(&facts->range[m->var[k]], false, limit / others);
    }
}

void sym_learn_products(const struct sym_work *w, struct sym_facts *facts)
{
    for (size_t i = 0; i < facts->n_bounds; i++) {
        const struct sym_poly *p = facts->bound[i]->poly;
        for (size_t k = 0; k < p->n; k++) {
            const struct sym_term *t = &p->term[k];
            struct sym_range rest;
            if (w->mono[t->mono].degree < 2 || t->coef >= 0) continue;
            rest = sym_range_without(w, p, k, facts->range);
            if (!rest.has_hi || rest.hi < 0) continue;
            bound_factors(&w->mono[t->mono], facts, -t->coef, rest.hi);
        }
    }
}

static bool has(const struct sym_form *arm, const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&arm, &arg);
    for (size_t i = 0; i < n; i++) {
        if (sym_same_form(arg[i], f)) return true;
    }
    return false;
}

static bool all_have(const struct sym_form *f, const struct sym_form *part)
{
    for (size_t i = 0; i < f->n; i++) {
        if (!has(f->arg[i], part)) return false;
    }
    return true;
}

/* The conjuncts of arm that all arms of f share, or those that they do not. */
static const struct sym_form *select(struct sym_work *w, const struct sym_form *f,
                                     const struct sym_form *arm, bool shared)
{
    const struct sym_form *const *arg = NULL;
    const struct sym_form *out = sym_bool(w, true);
    size_t n = sym_conjuncts(&arm, &arg);
    for (size_t i = 0; i < n; i++) {
        if (all_have(f, arg[i]) == shared) out = sym_and(w, out, arg[i]);
    }
    return out;
}

const struct sym_form *sym_factor(struct sym_work *w, const struct sym_form *f)
{
    if (!f || f->kind != SYM_OR) return f;
    const struct sym_form *common = select(w, f, f->arg[0], true), *rest = sym_bool(w, false);
    for (size_t i = 0; i < f->n; i++) rest = sym_or(w, rest, select(w, f, f->arg[i], false));
    return sym_and(w, common, rest);
}
