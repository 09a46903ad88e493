/* fix.c : the value in place of a variable that can have only one. */
#include "symbolic/poly/simplify.h"

static bool has_one_value(const struct sym_range *r)
{
    return r->has_lo && r->has_hi && r->lo == r->hi;
}

static const struct sym_poly *fix_var(struct sym_work *w, const struct sym_facts *facts, int v)
{
    if (has_one_value(&facts->range[v])) return sym_const(w, facts->range[v].lo);
    const struct sym_var q = w->var[v];
    if (q.kind == SYM_PARAMETER) return sym_of_var(w, v);
    const struct sym_poly *of = sym_fix(w, facts, q.of);
    if (q.kind == SYM_QUOTIENT) return sym_floor(w, of, q.by);
    return sym_extreme(w, q.kind, of, sym_fix(w, facts, q.with));
}

const struct sym_poly *sym_fix(struct sym_work *w, const struct sym_facts *facts,
                               const struct sym_poly *p)
{
    const struct sym_poly *sum = sym_const(w, 0);
    for (size_t i = 0; sum && i < p->n; i++) {
        const struct sym_mono m = w->mono[p->term[i].mono];
        const struct sym_poly *term = sym_const(w, p->term[i].coef);
        for (int k = 0; k < m.degree; k++) {
            term = sym_mul(w, term, fix_var(w, facts, m.var[k]));
        }
        sum = sym_add(w, 1, sum, 1, term);
    }
    return sum;
}

const struct sym_form *sym_fix_form(struct sym_work *w, const struct sym_facts *facts,
                                    const struct sym_form *f)
{
    switch (f->kind) {
    case SYM_FALSE:
    case SYM_TRUE:
        return f;
    case SYM_GE:
        return sym_ge(w, sym_fix(w, facts, f->poly));
    case SYM_EQ:
        return sym_eq(w, sym_fix(w, facts, f->poly));
    case SYM_MOD:
        return sym_mod(w, sym_fix(w, facts, f->poly), f->modulus);
    case SYM_NMOD:
        return sym_not(w, sym_mod(w, sym_fix(w, facts, f->poly), f->modulus));
    default:
        break;
    }
    const struct sym_form **arg = sym_take(w, f->n * sizeof *arg);
    if (!arg) return NULL;
    for (size_t i = 0; i < f->n; i++) arg[i] = sym_fix_form(w, facts, f->arg[i]);
    return sym_join(w, f->kind, f->n, arg);
}

const struct sym_form *sym_fixed(struct sym_work *w, const struct sym_facts *facts)
{
    const struct sym_form *all = sym_bool(w, true);
    for (size_t v = 0; v < w->n_params; v++) {
        if (!has_one_value(&facts->range[v])) continue;
        const struct sym_poly *one = sym_const(w, 1), *x = sym_of_var(w, (int)v);
        if (!one || !x) return NULL;
        all = sym_and(w, all, sym_eq(w, sym_add(w, 1, x, -facts->range[v].lo, one)));
    }
    return all;
}
