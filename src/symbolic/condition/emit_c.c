/* emit_c.c : why the C text is exact for every argument.
 *
 * A conjunction starts with the ranges of single parameters, which no arithmetic can spoil. Those
 * of quotients, minima and maxima are compared with their values, which are exact where the ranges
 * of what they are made of hold. The rest is computed in unsigned arithmetic that wraps: where the
 * ranges hold, interval arithmetic has shown that nothing wraps; where they do not, the whole is 0
 * whatever the rest says. Congruences modulo a power of two are exact in wrapping arithmetic
 * anyway.
 */
#include "symbolic/condition/emit_c.h"
#include "symbolic/poly/print.h"

static bool emit(struct sym_c_text *c, const struct sym_facts *facts, const struct sym_form *f);

/* Of a modulus: it is positive, and read below 2^62. */
static bool is_power_of_2(sym_int m)
{
    return (m & (m - 1)) == 0;
}

static void put_u64(struct sym_c_text *c, sym_int x)
{
    char digits[44];
    uint64_t wrapped = (uint64_t)x;
    sym_put(c->t, "UINT64_C(%s)", sym_digits(wrapped, digits));
}

static bool within(struct sym_range r, sym_int lo, sym_int hi)
{
    return r.has_lo && r.has_hi && r.lo >= lo && r.hi <= hi;
}

/* The type that a sum is computed in. */
enum width { UNSIGNED, SIGNED, WIDE };

static bool put_sum(struct sym_c_text *c, const struct sym_facts *facts, enum width width,
                    const struct sym_poly *p);

static void put_cast(struct sym_c_text *c, enum width width)
{
    static const char *const type[] = {"(uint64_t)", "(int64_t)"};
    if (width == WIDE) {
        sym_put(c->t, "(%s_wide)", c->name);
    } else {
        sym_put(c->t, "%s", type[width]);
    }
}

/* A part of a quotient, a minimum or a maximum: it must be a 64-bit number wherever it matters. */
static bool put_part(struct sym_c_text *c, const struct sym_facts *facts, const struct sym_poly *p)
{
    if (!within(sym_range_of(c->w, p, facts->range), INT64_MIN, INT64_MAX)) {
        sym_fail(c->w, TMAP_E_BUDGET, "a quotient that may exceed 64 bits: give bounds");
        return false;
    }
    sym_put(c->t, "(int64_t)(");
    bool ok = put_sum(c, facts, UNSIGNED, p);
    sym_put(c->t, "), ");
    return ok;
}

static bool put_var(struct sym_c_text *c, const struct sym_facts *facts, enum width width, int v)
{
    const struct sym_var *q = &c->w->var[v];
    put_cast(c, width);
    if (q->kind == SYM_PARAMETER) {
        sym_put(c->t, "%s", q->name);
        return true;
    }
    if (q->kind != SYM_QUOTIENT) {
        c->needs |= SYM_NEEDS_LESSER;
        sym_put(c->t, "%s_lesser(", c->name);
        bool ok = put_part(c, facts, q->of) && put_part(c, facts, q->with);
        sym_put(c->t, "%d)", q->kind == SYM_MIN);
        return ok;
    }
    c->needs |= SYM_NEEDS_FLOOR; /* divisors are read below 2^62 */
    sym_put(c->t, "%s_floor(", c->name);
    bool ok = put_part(c, facts, q->of);
    sym_put(c->t, "INT64_C(");
    sym_put_int(c->t, q->by);
    sym_put(c->t, "))");
    return ok;
}

/* p in wrapping arithmetic of an unsigned type of 64 or 128 bits. */
static bool put_sum(struct sym_c_text *c, const struct sym_facts *facts, enum width width,
                    const struct sym_poly *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct sym_mono *m = &c->w->mono[p->term[i].mono];
        sym_int coef = p->term[i].coef, size = coef < 0 ? -coef : coef;
        bool factor = m->degree == 0 || size != 1;
        sym_put(c->t, coef < 0 ? i ? " - " : "0 - " : i ? " + " : "");
        if (size >> 64) {
            sym_fail(c->w, TMAP_E_BUDGET, "a coefficient beyond 64 bits");
            return false;
        }
        if (factor && width == WIDE) put_cast(c, width);
        if (factor) put_u64(c, size);
        for (int k = 0; k < m->degree; k++) {
            if (k || factor) sym_put(c->t, " * ");
            if (!put_var(c, facts, width, m->var[k])) return false;
        }
    }
    if (!p->n) sym_put(c->t, "0");
    return true;
}

/* --- congruences ---------------------------------------------------------------------------- */

/* Every factor reduced on the way: for moduli below 2^31 products fit 64 bits. */
static bool put_reduced(struct sym_c_text *c, const struct sym_facts *facts,
                        const struct sym_form *f)
{
    char m[44];
    const char *modulus = sym_digits(f->modulus, m);
    for (size_t i = 0; i < f->poly->n; i++) {
        const struct sym_mono *mono = &c->w->mono[f->poly->term[i].mono];
        sym_put(c->t, i ? " + " : "");
        for (int k = 0; k < mono->degree; k++) sym_put(c->t, "(");
        sym_put(c->t, "INT64_C(");
        sym_put_int(c->t, f->poly->term[i].coef);
        sym_put(c->t, ")");
        for (int k = 0; k < mono->degree; k++) {
            sym_put(c->t, " * (");
            if (!put_var(c, facts, SIGNED, mono->var[k])) return false;
            sym_put(c->t, " %% %s)) %% %s", modulus, modulus);
        }
    }
    return true;
}

static bool put_mod(struct sym_c_text *c, const struct sym_facts *facts, const struct sym_form *f)
{
    const char *is = f->kind == SYM_MOD ? "==" : "!=";
    bool ok;
    sym_put(c->t, "((");
    if (is_power_of_2(f->modulus)) {
        ok = put_sum(c, facts, UNSIGNED, f->poly);
        sym_put(c->t, ") & ");
        put_u64(c, f->modulus - 1);
        sym_put(c->t, ") %s 0", is);
        return ok;
    }
    if (f->modulus >> 31) {
        sym_fail(c->w, TMAP_E_BUDGET, "a congruence modulo 2^31 or more, not a power of two");
        return false;
    }
    ok = put_reduced(c, facts, f);
    sym_put(c->t, ") %% ");
    sym_put_int(c->t, f->modulus);
    sym_put(c->t, ") %s 0", is);
    return ok;
}

/* --- comparisons ---------------------------------------------------------------------------- */

/* constant - (sum of positive multiples of products of numbers >= 0) >= 0: saturating arithmetic
 * is exact, since the constant is below the saturation. */
static bool is_cap(const struct sym_c_text *c, const struct sym_facts *facts,
                   const struct sym_poly *p)
{
    if (sym_constant(p) < 0 || sym_constant(p) >= UINT64_MAX) return false;
    for (size_t i = 0; i < p->n; i++) {
        const struct sym_mono *m = &c->w->mono[p->term[i].mono];
        if (m->degree && (p->term[i].coef > 0 || p->term[i].coef < -(sym_int)UINT64_MAX)) {
            return false;
        }
        for (int k = 0; k < m->degree; k++) {
            const struct sym_range *r = &facts->range[m->var[k]];
            if (!r->has_lo || r->lo < 0) return false;
        }
    }
    return true;
}

static bool put_cap(struct sym_c_text *c, const struct sym_facts *facts, const struct sym_poly *p)
{
    size_t sums = 0;
    c->needs |= SYM_NEEDS_SATURATION;
    for (size_t i = 0; i < p->n; i++) sums += p->term[i].mono != 0;
    for (size_t i = 1; i < sums; i++) sym_put(c->t, "%s_add(", c->name);
    for (size_t i = 0, done = 0; i < p->n; i++) {
        const struct sym_mono *m = &c->w->mono[p->term[i].mono];
        if (!m->degree) continue;
        sym_put(c->t, done ? ", " : "");
        for (int k = 0; k < m->degree; k++) sym_put(c->t, "%s_mul(", c->name);
        put_u64(c, -p->term[i].coef);
        for (int k = 0; k < m->degree; k++) {
            sym_put(c->t, ", ");
            if (!put_var(c, facts, UNSIGNED, m->var[k])) return false;
            sym_put(c->t, ")");
        }
        if (done++) sym_put(c->t, ")");
    }
    sym_put(c->t, " <= ");
    put_u64(c, sym_constant(p));
    return true;
}

static bool put_comparison(struct sym_c_text *c, const struct sym_facts *facts,
                           const struct sym_form *f)
{
    const char *is = f->kind == SYM_GE ? ">=" : "==";
    struct sym_range r = sym_range_of(c->w, f->poly, facts->range);
    if (within(r, INT64_MIN, INT64_MAX)) {
        sym_put(c->t, "(int64_t)(");
        bool ok = put_sum(c, facts, UNSIGNED, f->poly);
        sym_put(c->t, ") %s 0", is);
        return ok;
    }
    if (r.has_lo && r.has_hi) {
        c->needs |= SYM_NEEDS_WIDE;
        sym_put(c->t, "(%s_signed)(", c->name);
        bool ok = put_sum(c, facts, WIDE, f->poly);
        sym_put(c->t, ") %s 0", is);
        return ok;
    }
    if (f->kind == SYM_GE && is_cap(c, facts, f->poly)) return put_cap(c, facts, f->poly);
    sym_fail(c->w, TMAP_E_BUDGET, "a product that may exceed 128 bits: give its factors bounds");
    return false;
}

/* A comparison of a quotient, a minimum or a maximum v with a constant. Subtracted, min(K, 4096) -
 * 1 wraps at K = -2^63, outside the very range that the comparison states. */
static bool put_lone(struct sym_c_text *c, const struct sym_facts *facts, const struct sym_form *f,
                     int v, sym_int coef)
{
    const sym_int constant = sym_constant(f->poly), bound = coef > 0 ? -constant : constant;
    if (bound < INT64_MIN || bound > INT64_MAX) {
        sym_put(c->t, "%d", f->kind == SYM_GE && (bound < 0) == (coef > 0));
        return true;
    }
    if (!put_var(c, facts, SIGNED, v)) return false;
    sym_put(c->t, f->kind == SYM_EQ ? " == " : coef > 0 ? " >= " : " <= ");
    if (bound == INT64_MIN) {
        sym_put(c->t, "INT64_MIN");
        return true;
    }
    sym_put(c->t, "INT64_C(");
    sym_put_int(c->t, bound);
    sym_put(c->t, ")");
    return true;
}

/* A single parameter's range: exact for every argument. */
static void put_range(struct sym_c_text *c, const char *name, const struct sym_range *r)
{
    bool lo = r->has_lo && r->lo > INT64_MIN, hi = r->has_hi && r->hi < INT64_MAX;
    if ((r->has_lo && r->lo > INT64_MAX) || (r->has_hi && r->hi < INT64_MIN) ||
        (lo && hi && r->lo > r->hi)) {
        sym_put(c->t, "0");
    } else if (lo && hi) {
        sym_put(c->t, "(uint64_t)%s - ", name);
        put_u64(c, r->lo);
        sym_put(c->t, " <= ");
        put_u64(c, r->hi - r->lo);
    } else if (lo) {
        sym_put(c->t, "%s >= INT64_C(", name);
        sym_put_int(c->t, r->lo);
        sym_put(c->t, ")");
    } else if (hi) {
        sym_put(c->t, "%s <= INT64_C(", name);
        sym_put_int(c->t, r->hi);
        sym_put(c->t, ")");
    } else {
        sym_put(c->t, "1");
    }
}

/* --- conjunctions and disjunctions ---------------------------------------------------------- */

/* The parameter that a comparison of one parameter with a constant is about; -1: it is another. */
static int ranged_param(const struct sym_work *w, const struct sym_form *f)
{
    sym_int coef;
    if (!f->poly || (f->kind != SYM_GE && f->kind != SYM_EQ)) return -1;
    const int v = sym_lone_var(w, f->poly, &coef);
    return v < SYM_MAX_PARAMS ? v : -1;
}

/* Whether the text of f calls a helper: compilers take & between two calls for a mistyped &&, but
 * between numbers. */
static bool calls(const struct sym_work *w, const struct sym_form *f)
{
    for (size_t i = 0; f->poly && i < f->poly->n; i++) {
        const struct sym_mono *m = &w->mono[f->poly->term[i].mono];
        for (int k = 0; k < m->degree; k++) {
            if (w->var[m->var[k]].kind != SYM_PARAMETER) return true;
        }
    }
    return false;
}

static bool emit_clause(struct sym_c_text *c, const struct sym_facts *facts,
                        const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg), parts = 0;
    struct sym_facts *here = sym_take(c->w, 2 * sizeof *here), *own = here + 1;
    if (!here) return false;
    sym_learn(c->w, own, f);
    *here = *facts;
    sym_learn(c->w, here, f);
    sym_learn_choices(c->w, here, f);
    for (size_t v = 0; v < c->w->n_params; v++) {
        bool ranged = false;
        for (size_t i = 0; i < n; i++) ranged |= ranged_param(c->w, arg[i]) == (int)v;
        if (!ranged) continue;
        sym_put(c->t, parts++ ? " & (" : "(");
        put_range(c, c->w->var[v].name, &own->range[v]);
        sym_put(c->t, ")");
    }
    for (size_t i = 0; i < n; i++) {
        if (ranged_param(c->w, arg[i]) >= 0) continue;
        sym_put(c->t, "%s%s(", parts++ ? " & " : "", calls(c->w, arg[i]) ? "(int)" : "");
        if (!emit(c, here, arg[i])) return false;
        sym_put(c->t, ")");
    }
    return true;
}

static bool emit(struct sym_c_text *c, const struct sym_facts *facts, const struct sym_form *f)
{
    sym_int coef;
    int v;
    switch (f->kind) {
    case SYM_FALSE:
    case SYM_TRUE:
        sym_put(c->t, "%d", f->kind == SYM_TRUE);
        return true;
    case SYM_MOD:
    case SYM_NMOD:
        return put_mod(c, facts, f);
    case SYM_GE:
    case SYM_EQ:
        if (ranged_param(c->w, f) >= 0) return emit_clause(c, facts, f);
        v = sym_lone_var(c->w, f->poly, &coef);
        return v >= 0 ? put_lone(c, facts, f, v, coef) : put_comparison(c, facts, f);
    case SYM_AND:
        return emit_clause(c, facts, f);
    case SYM_OR:
        break;
    }
    for (size_t i = 0; i < f->n; i++) {
        sym_put(c->t, i ? " | (" : "(");
        if (!emit_clause(c, facts, f->arg[i])) return false;
        sym_put(c->t, ")");
    }
    return true;
}

bool sym_emit_c(struct sym_c_text *c, const struct sym_form *f)
{
    struct sym_facts *facts = sym_take(c->w, sizeof *facts);
    if (!facts) return false;
    for (size_t v = 0; v < c->w->n_params; v++) {
        facts->range[v] = (struct sym_range){true, true, INT64_MIN, INT64_MAX};
    }
    static const struct sym_form nothing = {.kind = SYM_TRUE};
    sym_learn(c->w, facts, &nothing); /* the ranges of quotients, from those of their parameters */
    /* what a choice would have said is left out without memory: that is another text */
    return emit(c, facts, f) && c->w->status == TMAP_OK;
}
