/* form.c : building formulas. */
#include "symbolic/poly/power.h"

const struct sym_form *sym_ge(struct sym_work *w, const struct sym_poly *p)
{
    sym_int c;
    if (!p) return NULL;
    if (sym_is_const(p, &c)) return sym_bool(w, c >= 0);
    sym_int g = sym_content(p);
    if (g != 1) p = sym_part(w, p, g, sym_floordiv(c, g));
    const struct sym_form *of_variable = p ? sym_power_ge(w, p) : NULL;
    return of_variable ? of_variable : sym_atom(w, SYM_GE, p, 0);
}

const struct sym_form *sym_eq(struct sym_work *w, const struct sym_poly *p)
{
    sym_int c;
    if (!p) return NULL;
    if (sym_is_const(p, &c)) return sym_bool(w, c == 0);
    sym_int g = sym_content(p);
    if (c % g) return sym_bool(w, false);
    if (g != 1) p = sym_part(w, p, g, c / g);
    const struct sym_form *of_variable = p ? sym_power_eq(w, p) : NULL;
    return of_variable ? of_variable : sym_atom(w, SYM_EQ, p, 0);
}

/* Coefficients reduced to 0 .. modulus-1. */
static const struct sym_poly *residue(struct sym_work *w, const struct sym_poly *p, sym_int modulus)
{
    struct sym_poly *r = sym_take(w, sizeof *r + p->n * sizeof r->term[0]);
    for (size_t i = 0; r && i < p->n; i++) {
        sym_int c = sym_floormod(p->term[i].coef, modulus);
        if (c) r->term[r->n++] = (struct sym_term){c, p->term[i].mono};
    }
    return r;
}

/* b with a*b = 1 modulo m, for coprime a and m. */
static sym_int inverse(sym_int a, sym_int m)
{
    sym_int r0 = m, r1 = a, t0 = 0, t1 = 1;
    while (r1) {
        sym_int q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
        r0 = r1;
        r1 = r;
        t0 = t1;
        t1 = t;
    }
    return sym_floormod(t0, m);
}

/* One monomial alone with coefficient 1: 3K = 0 mod 8 is K = 0 mod 8. What coefficients and modulus
 * shared is out of both. */
static const struct sym_poly *monic(struct sym_work *w, const struct sym_poly *p, sym_int modulus)
{
    size_t first = p->term[0].mono == 0;
    if (p->n - first != 1 || p->term[first].coef == 1) return p;
    sym_int by = inverse(p->term[first].coef, modulus);
    const struct sym_poly *zero = sym_const(w, 0), *scaled = sym_add(w, by, p, 0, zero);
    return scaled ? residue(w, scaled, modulus) : NULL;
}

const struct sym_form *sym_mod(struct sym_work *w, const struct sym_poly *p, sym_int modulus)
{
    p = p ? residue(w, p, modulus) : NULL;
    if (!p) return NULL;
    sym_int c, g = sym_gcd(sym_content(p), modulus);
    if (sym_is_const(p, &c)) return sym_bool(w, c == 0);
    if (c % g) return sym_bool(w, false);
    if (g > 1) p = sym_part(w, p, g, c / g);
    modulus /= g;
    p = p ? monic(w, p, modulus) : NULL;
    const struct sym_form *of_variable = p ? sym_power_mod(w, p, modulus) : NULL;
    return of_variable ? of_variable : sym_atom(w, SYM_MOD, p, modulus);
}

/* sign*p - 1 >= 0 */
static const struct sym_form *beyond(struct sym_work *w, sym_int sign, const struct sym_poly *p)
{
    return sym_ge(w, sym_add(w, sign, p, -1, sym_const(w, 1)));
}

const struct sym_form *sym_not(struct sym_work *w, const struct sym_form *f)
{
    if (!f) return NULL;
    switch (f->kind) {
    case SYM_FALSE:
    case SYM_TRUE:
        return sym_bool(w, f->kind == SYM_FALSE);
    case SYM_GE:
        return beyond(w, -1, f->poly);
    case SYM_EQ:
        return sym_or(w, beyond(w, 1, f->poly), beyond(w, -1, f->poly));
    case SYM_MOD:
        return sym_atom(w, SYM_NMOD, f->poly, f->modulus);
    case SYM_NMOD:
        return sym_atom(w, SYM_MOD, f->poly, f->modulus);
    default:
        break;
    }
    const struct sym_form **arg = sym_take(w, f->n * sizeof *arg);
    if (!arg) return NULL;
    for (size_t i = 0; i < f->n; i++) arg[i] = sym_not(w, f->arg[i]);
    return sym_join(w, f->kind == SYM_AND ? SYM_OR : SYM_AND, f->n, arg);
}

static int atom_holds(const struct sym_work *w, const struct sym_form *f, const sym_int *params)
{
    sym_int v;
    if (!sym_eval(w, f->poly, params, &v)) return -1;
    switch (f->kind) {
    case SYM_GE:
        return v >= 0;
    case SYM_EQ:
        return v == 0;
    case SYM_MOD:
        return v % f->modulus == 0;
    default:
        return v % f->modulus != 0;
    }
}

int sym_holds(const struct sym_work *w, const struct sym_form *f, const sym_int *params)
{
    if (f->kind <= SYM_TRUE) return f->kind == SYM_TRUE;
    if (f->kind < SYM_AND) return atom_holds(w, f, params);
    int absorbing = f->kind == SYM_OR, unknown = 0;
    for (size_t i = 0; i < f->n; i++) {
        int v = sym_holds(w, f->arg[i], params);
        if (v == absorbing) return v;
        unknown |= v < 0;
    }
    return unknown ? -1 : !absorbing;
}

size_t sym_conjuncts(const struct sym_form *const *f, const struct sym_form *const **out)
{
    if ((*f)->kind == SYM_TRUE) return 0;
    *out = (*f)->kind == SYM_AND ? (*f)->arg : f;
    return (*f)->kind == SYM_AND ? (*f)->n : 1;
}

bool sym_is_affine(const struct sym_work *w, const struct sym_form *f)
{
    if (f->poly && !sym_is_linear(w, f->poly)) return false;
    for (size_t i = 0; i < f->n; i++) {
        if (!sym_is_affine(w, f->arg[i])) return false;
    }
    return true;
}
