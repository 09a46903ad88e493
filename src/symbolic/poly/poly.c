/* poly.c : arithmetic on polynomials. Every step is checked for overflow of 128 bits. */
#include "symbolic/poly/poly.h"

#include <string.h>

static const char too_large[] = "a number beyond 128 bits";

static struct sym_poly *room(struct sym_work *w, size_t n)
{
    return sym_take(w, sizeof(struct sym_poly) + n * sizeof(struct sym_term));
}

const struct sym_poly *sym_const(struct sym_work *w, sym_int value)
{
    struct sym_poly *p = room(w, 1);
    if (p && value) {
        p->n = 1;
        p->term[0] = (struct sym_term){value, 0};
    }
    return p;
}

const struct sym_poly *sym_of_var(struct sym_work *w, int var)
{
    int mono = sym_mono_var(w, var);
    struct sym_poly *p = mono < 0 ? NULL : room(w, 1);
    if (p) {
        p->n = 1;
        p->term[0] = (struct sym_term){1, mono};
    }
    return p;
}

static bool scaled(sym_int factor, const struct sym_poly *p, size_t i, sym_int *out)
{
    *out = 0;
    return i == p->n || !__builtin_mul_overflow(factor, p->term[i].coef, out);
}

const struct sym_poly *sym_add(struct sym_work *w, sym_int a, const struct sym_poly *x, sym_int b,
                               const struct sym_poly *y)
{
    struct sym_poly *sum = x && y ? room(w, x->n + y->n) : NULL;
    if (!sum) return NULL;
    for (size_t i = 0, j = 0; i < x->n || j < y->n;) {
        int mx = i < x->n ? x->term[i].mono : SYM_MAX_MONOS;
        int my = j < y->n ? y->term[j].mono : SYM_MAX_MONOS;
        int mono = mx < my ? mx : my;
        sym_int cx, cy, c;
        if (!scaled(a, x, mx == mono ? i : x->n, &cx) ||
            !scaled(b, y, my == mono ? j : y->n, &cy) || __builtin_add_overflow(cx, cy, &c)) {
            return sym_fail(w, TMAP_E_BUDGET, too_large);
        }
        if (c) sum->term[sum->n++] = (struct sym_term){c, mono};
        i += mx == mono;
        j += my == mono;
    }
    return sum;
}

const struct sym_poly *sym_mul(struct sym_work *w, const struct sym_poly *x,
                               const struct sym_poly *y)
{
    const struct sym_poly *sum = x && y ? sym_const(w, 0) : NULL;
    for (size_t i = 0; sum && i < x->n; i++) {
        for (size_t j = 0; sum && j < y->n; j++) {
            struct sym_poly *one = room(w, 1);
            int mono = sym_mono_of(w, x->term[i].mono, y->term[j].mono);
            if (!one || mono < 0) return NULL;
            one->n = 1;
            one->term[0].mono = mono;
            if (__builtin_mul_overflow(x->term[i].coef, y->term[j].coef, &one->term[0].coef)) {
                return sym_fail(w, TMAP_E_BUDGET, too_large);
            }
            sum = sym_add(w, 1, sum, 1, one);
        }
    }
    return sum;
}

/* The variable that is what `like` is, new where there is none yet. */
static const struct sym_poly *made_var(struct sym_work *w, const struct sym_var *like)
{
    for (size_t v = SYM_MAX_PARAMS; v < w->n_vars; v++) {
        const struct sym_var *have = &w->var[v];
        if (have->kind != like->kind || have->by != like->by || !sym_same(have->of, like->of))
            continue;
        if (!like->with || sym_same(have->with, like->with)) return sym_of_var(w, (int)v);
    }
    if (w->n_vars == SYM_MAX_VARS) {
        return sym_fail(w, TMAP_E_BUDGET, "more than %d quotients, minima and maxima",
                        SYM_MAX_VARS - SYM_MAX_PARAMS);
    }
    w->var[w->n_vars] = *like;
    return sym_of_var(w, (int)w->n_vars++);
}

const struct sym_poly *sym_floor(struct sym_work *w, const struct sym_poly *x, sym_int by)
{
    if (!x || by == 1) return x;
    if (sym_content(x) % by == 0) return sym_part(w, x, by, sym_floordiv(sym_constant(x), by));
    return made_var(w, &(struct sym_var){SYM_QUOTIENT, "q", x, NULL, by});
}

const struct sym_poly *sym_extreme(struct sym_work *w, enum sym_var_kind kind,
                                   const struct sym_poly *x, const struct sym_poly *y)
{
    const struct sym_poly *more = x && y ? sym_add(w, 1, x, -1, y) : NULL;
    sym_int d;
    if (!more) return NULL;
    if (sym_is_const(more, &d)) return (d < 0) == (kind == SYM_MIN) ? x : y;
    return made_var(w, &(struct sym_var){kind, "m", x, y, 0});
}

bool sym_is_const(const struct sym_poly *p, sym_int *value)
{
    *value = sym_constant(p);
    return p->n == 0 || (p->n == 1 && p->term[0].mono == 0);
}

sym_int sym_constant(const struct sym_poly *p)
{
    return p->n && p->term[0].mono == 0 ? p->term[0].coef : 0;
}

sym_int sym_content(const struct sym_poly *p)
{
    sym_int g = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->term[i].mono) g = sym_gcd(g, p->term[i].coef);
    }
    return g;
}

bool sym_same(const struct sym_poly *a, const struct sym_poly *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->term[i].mono != b->term[i].mono || a->term[i].coef != b->term[i].coef) return false;
    }
    return true;
}

bool sym_is_linear(const struct sym_work *w, const struct sym_poly *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (w->mono[p->term[i].mono].degree > 1) return false;
    }
    return true;
}

const struct sym_poly *sym_part(struct sym_work *w, const struct sym_poly *p, sym_int by,
                                sym_int constant)
{
    struct sym_poly *q = room(w, p->n + 1);
    if (!q) return NULL;
    if (constant) q->term[q->n++] = (struct sym_term){constant, 0};
    for (size_t i = 0; i < p->n; i++) {
        if (p->term[i].mono == 0) continue;
        q->term[q->n++] = (struct sym_term){p->term[i].coef / by, p->term[i].mono};
    }
    return q;
}

/* One end of a product: infinite ends and overflow make it infinite. */
static struct sym_range times(struct sym_range a, struct sym_range b)
{
    struct sym_range none = {0}, r = {true, true, 0, 0};
    if (!a.has_lo || !a.has_hi || !b.has_lo || !b.has_hi) {
        bool positive = a.has_lo && b.has_lo && a.lo >= 0 && b.lo >= 0;
        if (positive && !__builtin_mul_overflow(a.lo, b.lo, &none.lo)) none.has_lo = true;
        return none;
    }
    sym_int end[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &end[0]) ||
        __builtin_mul_overflow(a.lo, b.hi, &end[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &end[2]) ||
        __builtin_mul_overflow(a.hi, b.hi, &end[3])) {
        none.has_lo = a.lo >= 0 && b.lo >= 0 && !__builtin_mul_overflow(a.lo, b.lo, &none.lo);
        return none;
    }
    r.lo = r.hi = end[0];
    for (int i = 1; i < 4; i++) {
        if (end[i] < r.lo) r.lo = end[i];
        if (end[i] > r.hi) r.hi = end[i];
    }
    return r;
}

static struct sym_range plus(struct sym_range a, struct sym_range b)
{
    struct sym_range r = {0};
    r.has_lo = a.has_lo && b.has_lo && !__builtin_add_overflow(a.lo, b.lo, &r.lo);
    r.has_hi = a.has_hi && b.has_hi && !__builtin_add_overflow(a.hi, b.hi, &r.hi);
    return r;
}

static struct sym_range scale(sym_int c, struct sym_range a)
{
    struct sym_range r = {0};
    bool lo = a.has_lo && !__builtin_mul_overflow(c, a.lo, &r.lo);
    bool hi = a.has_hi && !__builtin_mul_overflow(c, a.hi, &r.hi);
    r.has_lo = lo;
    r.has_hi = hi;
    if (c < 0) r = (struct sym_range){hi, lo, r.hi, r.lo};
    return r;
}

struct sym_range sym_range_of(const struct sym_work *w, const struct sym_poly *p,
                              const struct sym_range *of_var)
{
    return sym_range_without(w, p, p->n, of_var);
}

struct sym_range sym_range_without(const struct sym_work *w, const struct sym_poly *p, size_t skip,
                                   const struct sym_range *of_var)
{
    struct sym_range sum = {true, true, 0, 0};
    for (size_t i = 0; i < p->n; i++) {
        if (i == skip) continue;
        const struct sym_mono *m = &w->mono[p->term[i].mono];
        struct sym_range r = {true, true, 1, 1};
        for (int k = 0; k < m->degree; k++) r = times(r, of_var[m->var[k]]);
        sum = plus(sum, scale(p->term[i].coef, r));
    }
    return sum;
}

struct sym_range sym_range_of_var(const struct sym_work *w, int var, const struct sym_range *of_var)
{
    const struct sym_var *q = &w->var[var];
    struct sym_range a = sym_range_of(w, q->of, of_var), b, r = {0};
    if (q->kind == SYM_QUOTIENT) {
        if (a.has_lo) a.lo = sym_floordiv(a.lo, q->by);
        if (a.has_hi) a.hi = sym_floordiv(a.hi, q->by);
        return a;
    }
    b = sym_range_of(w, q->with, of_var);
    const bool min = q->kind == SYM_MIN;
    r.has_lo = min ? a.has_lo && b.has_lo : a.has_lo || b.has_lo;
    r.has_hi = min ? a.has_hi || b.has_hi : a.has_hi && b.has_hi;
    r.lo = !b.has_lo || (a.has_lo && (a.lo < b.lo) == min) ? a.lo : b.lo;
    r.hi = !b.has_hi || (a.has_hi && (a.hi < b.hi) == min) ? a.hi : b.hi;
    return r;
}

static bool eval_var(const struct sym_work *w, int v, const sym_int *params, sym_int *value)
{
    if (v < SYM_MAX_PARAMS) {
        *value = params[v];
        return true;
    }
    const struct sym_var *q = &w->var[v];
    sym_int with = 0;
    if (!sym_eval(w, q->of, params, value)) return false;
    if (q->with && !sym_eval(w, q->with, params, &with)) return false;
    if (q->kind == SYM_QUOTIENT) {
        *value = sym_floordiv(*value, q->by);
    } else if ((with < *value) == (q->kind == SYM_MIN)) {
        *value = with;
    }
    return true;
}

bool sym_eval(const struct sym_work *w, const struct sym_poly *p, const sym_int *params,
              sym_int *value)
{
    sym_int sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct sym_mono *m = &w->mono[p->term[i].mono];
        sym_int product = p->term[i].coef;
        for (int k = 0; k < m->degree; k++) {
            sym_int v;
            if (!eval_var(w, m->var[k], params, &v)) return false;
            if (__builtin_mul_overflow(product, v, &product)) return false;
        }
        if (__builtin_add_overflow(sum, product, &sum)) return false;
    }
    *value = sum;
    return true;
}
