/* power.c : roots for the comparisons, a look at every residue for the congruences. */
#include "symbolic/poly/power.h"

enum { MAX_MODULUS = 4096 };

/* The variable of a monomial, not 1, that is a power of one; -1: it is none. */
static int base(const struct sym_mono *m)
{
    for (int k = 1; k < m->degree; k++) {
        if (m->var[k] != m->var[0]) return -1;
    }
    return m->var[0];
}

/* The one variable of p, of which it has a power above the first; -1: p is of another form. */
static int lone_base(const struct sym_work *w, const struct sym_poly *p)
{
    int var = -1;
    bool power = false;
    for (size_t i = 0; i < p->n; i++) {
        const struct sym_mono *m = &w->mono[p->term[i].mono];
        if (m->degree == 0) continue;
        int v = base(m);
        if (v < 0 || (var >= 0 && v != var)) return -1;
        var = v;
        power |= m->degree > 1;
    }
    return power ? var : -1;
}

/* --- comparisons ------------------------------------------------------------------------------ */

/* constant + sign * v^degree: sym_ge() and sym_eq() have divided by the content */
struct power {
    int var, degree;
    sym_int sign, constant;
};

static bool read_power(const struct sym_work *w, const struct sym_poly *p, struct power *out)
{
    const size_t first = p->term[0].mono == 0;
    if (p->n - first != 1 || (out->var = lone_base(w, p)) < 0) return false;
    out->degree = w->mono[p->term[first].mono].degree;
    out->sign = p->term[first].coef;
    out->constant = sym_constant(p);
    const sym_int top = out->constant >> 126;
    return top == 0 || top == -1;
}

/* Whether x^degree <= limit, x and limit not negative. */
static bool is_below(sym_int x, int degree, sym_int limit)
{
    sym_int power = 1;
    for (int k = 0; k < degree; k++) {
        if (__builtin_mul_overflow(power, x, &power) || power > limit) return false;
    }
    return true;
}

/* The greatest x >= 0 with x^degree <= limit >= 0. */
static sym_int root(sym_int limit, int degree)
{
    sym_int x = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const sym_int more = x | (sym_int)1 << bit;
        if (is_below(more, degree, limit)) x = more;
    }
    return x;
}

/* The greatest x with x^degree <= limit, degree odd. */
static sym_int odd_root(sym_int limit, int degree)
{
    return limit >= 0 ? root(limit, degree) : -root(-limit - 1, degree) - 1;
}

/* sign * v >= bound */
static const struct sym_form *bounded(struct sym_work *w, int var, sym_int sign, sym_int bound)
{
    const struct sym_poly *v = sym_of_var(w, var), *one = sym_const(w, 1);
    return v && one ? sym_atom(w, SYM_GE, sym_add(w, sign, v, -bound, one), 0) : NULL;
}

const struct sym_form *sym_power_ge(struct sym_work *w, const struct sym_poly *p)
{
    struct power a;
    if (!read_power(w, p, &a)) return NULL;
    if (a.degree % 2 && a.sign < 0) return bounded(w, a.var, -1, -odd_root(a.constant, a.degree));
    if (a.degree % 2) return bounded(w, a.var, 1, -odd_root(a.constant, a.degree));
    if (a.sign < 0 && a.constant < 0) return sym_bool(w, false);
    if (a.sign > 0 && a.constant >= 0) return sym_bool(w, true);
    const sym_int r =
        a.sign < 0 ? -root(a.constant, a.degree) : root(-a.constant - 1, a.degree) + 1;
    const struct sym_form *up = bounded(w, a.var, 1, r), *down = bounded(w, a.var, -1, r);
    return a.sign < 0 ? sym_and(w, up, down) : sym_or(w, up, down);
}

/* v = value */
static const struct sym_form *equal(struct sym_work *w, int var, sym_int value)
{
    const struct sym_poly *v = sym_of_var(w, var), *one = sym_const(w, 1);
    return v && one ? sym_atom(w, SYM_EQ, sym_add(w, 1, v, -value, one), 0) : NULL;
}

const struct sym_form *sym_power_eq(struct sym_work *w, const struct sym_poly *p)
{
    struct power a;
    if (!read_power(w, p, &a)) return NULL;
    const sym_int value = a.sign < 0 ? a.constant : -a.constant; /* v^degree = value */
    const sym_int size = value < 0 ? -value : value, r = root(size, a.degree);
    const bool even = a.degree % 2 == 0;
    if ((even && value < 0) || (r && is_below(r, a.degree, size - 1))) return sym_bool(w, false);
    if (!even) return equal(w, a.var, value < 0 ? -r : r);
    return r ? sym_or(w, equal(w, a.var, r), equal(w, a.var, -r)) : equal(w, a.var, 0);
}

/* --- congruences ------------------------------------------------------------------------------ */

static sym_int value_mod(const struct sym_work *w, const struct sym_poly *p, sym_int x, sym_int m)
{
    sym_int sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        sym_int product = p->term[i].coef % m;
        for (int k = 0; k < w->mono[p->term[i].mono].degree; k++) product = product * x % m;
        sum += product;
    }
    return sum % m;
}

const struct sym_form *sym_power_mod(struct sym_work *w, const struct sym_poly *p, sym_int modulus)
{
    const int var = modulus <= MAX_MODULUS ? lone_base(w, p) : -1;
    sym_int n = 0, first = 0;
    if (var < 0) return NULL;
    for (sym_int x = modulus - 1; x >= 0; x--) {
        if (value_mod(w, p, x, modulus) != 0) continue;
        first = x;
        n++;
    }
    if (n == 0) return sym_bool(w, false);
    if (modulus % n || first >= modulus / n) return NULL;
    for (sym_int x = first; x < modulus; x += modulus / n) { /* n of them: all, if each is one */
        if (value_mod(w, p, x, modulus) != 0) return NULL;
    }
    const sym_int period = modulus / n;
    if (period == 1) return sym_bool(w, true);
    const struct sym_poly *v = sym_of_var(w, var), *one = sym_const(w, 1);
    const sym_int rest = sym_floormod(-first, period);
    return v && one ? sym_atom(w, SYM_MOD, sym_add(w, 1, v, rest, one), period) : NULL;
}
