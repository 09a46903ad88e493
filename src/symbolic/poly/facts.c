/* facts.c : what conjuncts, quotients and products say of single variables. */
#include "symbolic/poly/simplify.h"

int sym_lone_var(const struct sym_work *w, const struct sym_poly *p, sym_int *coef)
{
    size_t first = p->term[0].mono == 0;
    if (p->n - first != 1) return -1;
    const struct sym_mono *m = &w->mono[p->term[first].mono];
    *coef = p->term[first].coef;
    return m->degree == 1 ? m->var[0] : -1;
}

void sym_narrow(struct sym_range *r, bool is_lo, sym_int bound)
{
    if (is_lo && (!r->has_lo || bound > r->lo)) {
        r->has_lo = true;
        r->lo = bound;
    }
    if (!is_lo && (!r->has_hi || bound < r->hi)) {
        r->has_hi = true;
        r->hi = bound;
    }
}

static void learn_atom(const struct sym_work *w, struct sym_facts *facts, const struct sym_form *f)
{
    sym_int coef, c;
    int v = sym_lone_var(w, f->poly, &coef);
    if (v < 0 && f->kind == SYM_MOD && sym_is_linear(w, f->poly) &&
        facts->n_mods < SYM_MAX_CONGRUENCES) {
        facts->mod[facts->n_mods++] = f;
    }
    if (v < 0 && f->kind == SYM_GE && facts->n_bounds < SYM_MAX_BOUNDS) {
        facts->bound[facts->n_bounds++] = f;
    }
    if (v < 0) return;
    c = sym_constant(f->poly);
    if (f->kind == SYM_GE) sym_narrow(&facts->range[v], coef > 0, coef > 0 ? -c : c);
    if (f->kind == SYM_EQ) {
        sym_narrow(&facts->range[v], true, coef > 0 ? -c : c);
        sym_narrow(&facts->range[v], false, coef > 0 ? -c : c);
    }
    if (f->kind == SYM_MOD && facts->residue[v].m < f->modulus) {
        facts->residue[v].m = f->modulus;
        facts->residue[v].r = sym_floormod(-c, f->modulus);
    }
}

void sym_learn(const struct sym_work *w, struct sym_facts *facts, const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg);
    for (size_t i = 0; i < n; i++) {
        if (arg[i]->kind >= SYM_GE && arg[i]->kind < SYM_AND) learn_atom(w, facts, arg[i]);
    }
    for (size_t v = SYM_MAX_PARAMS; v < w->n_vars; v++) {
        struct sym_range r = sym_range_of_var(w, (int)v, facts->range);
        if (r.has_lo) sym_narrow(&facts->range[v], true, r.lo);
        if (r.has_hi) sym_narrow(&facts->range[v], false, r.hi);
    }
}

/* q for which p and q*known agree but for their constants; 0: there is none. */
static sym_int multiple_of(const struct sym_poly *p, const struct sym_poly *known)
{
    size_t fp = p->n && p->term[0].mono == 0, fk = known->term[0].mono == 0;
    if (p->n - fp != known->n - fk) return 0;
    sym_int q = p->term[fp].coef / known->term[fk].coef;
    for (size_t i = 0; i + fp < p->n; i++) {
        sym_int product;
        if (p->term[i + fp].mono != known->term[i + fk].mono ||
            __builtin_mul_overflow(q, known->term[i + fk].coef, &product) ||
            p->term[i + fp].coef != product) {
            return 0;
        }
    }
    return q;
}

struct sym_range sym_known_range(const struct sym_work *w, const struct sym_facts *facts,
                                 const struct sym_poly *p)
{
    struct sym_range r = sym_range_of(w, p, facts->range);
    for (size_t k = 0; k < facts->n_bounds; k++) {
        const struct sym_poly *known = facts->bound[k]->poly;
        sym_int q = multiple_of(p, known), moved;
        if (!q || __builtin_mul_overflow(q, sym_constant(known), &moved) ||
            __builtin_sub_overflow(sym_constant(p), moved, &moved)) {
            continue;
        }
        sym_narrow(&r, q > 0, moved); /* p = q*known + moved, and known >= 0 */
    }
    return r;
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
