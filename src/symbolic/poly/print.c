/* print.c : one printer, three spellings. */
#include "symbolic/poly/print.h"

#include <string.h>

static void put_number(struct sym_text *t, enum sym_language language, sym_int x)
{
    if (language == SYM_TEXT && x < -1) {
        sym_put(t, "-");
        x = -x;
    }
    /* People read 2^40 more easily than 1099511627776. */
    for (int bits = 20; language == SYM_TEXT && bits < 64; bits++) {
        sym_int power = (sym_int)1 << bits;
        if (x == power) {
            sym_put(t, "2^%d", bits);
            return;
        }
        if (x < power && power - x <= 256) {
            sym_put(t, "2^%d - ", bits);
            sym_put_int(t, power - x);
            return;
        }
    }
    sym_put_int(t, x);
}

static void put_var(struct sym_text *t, const struct sym_work *w, enum sym_language language, int v)
{
    const struct sym_var *q = &w->var[v];
    if (q->kind == SYM_PARAMETER) {
        sym_put(t, "%s", q->name);
        return;
    }
    if (q->kind != SYM_QUOTIENT) {
        sym_put(t, q->kind == SYM_MIN ? "min(" : "max(");
        sym_print_poly(t, w, language, q->of);
        sym_put(t, ", ");
        sym_print_poly(t, w, language, q->with);
        sym_put(t, ")");
        return;
    }
    const bool bare = q->of->n == 1 && q->of->term[0].coef == 1;
    sym_put(t, "%s%s", language == SYM_PYTHON ? "(" : "floor(", bare ? "" : "(");
    sym_print_poly(t, w, language, q->of);
    sym_put(t, "%s%s", bare ? "" : ")", language == SYM_PYTHON ? " // " : "/");
    sym_put_int(t, q->by);
    sym_put(t, ")");
}

static void put_mono(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                     int mono)
{
    const struct sym_mono *m = &w->mono[mono];
    for (int i = 0; i < m->degree; i++) {
        if (i) sym_put(t, language == SYM_ISL ? "_" : "*");
        put_var(t, w, language, m->var[i]);
    }
}

/* The terms of sign*p whose sign is `positive`, leaving out the constant where told. Returns how
 * many. */
static int put_terms(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                     const struct sym_poly *p, sym_int sign, int only, bool constant)
{
    int n = 0;
    for (size_t k = 0; k < p->n; k++) {
        const struct sym_term *term = &p->term[(k + (p->term[0].mono == 0)) % p->n];
        sym_int c = sign * term->coef;
        if ((only && (c > 0) != (only > 0)) || (term->mono == 0 && !constant)) continue;
        if (only < 0) c = -c;
        sym_put(t, n ? c < 0 ? " - " : " + " : c < 0 ? "-" : "");
        if (c < 0) c = -c;
        if (term->mono == 0 || c != 1) put_number(t, language, c);
        if (term->mono && c != 1) sym_put(t, "*");
        if (term->mono) put_mono(t, w, language, term->mono);
        n++;
    }
    return n;
}

void sym_print_poly(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                    const struct sym_poly *p)
{
    if (!put_terms(t, w, language, p, 1, 0, true)) sym_put(t, "0");
}

static bool has_terms(const struct sym_poly *p, bool positive)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->term[i].mono && (p->term[i].coef > 0) == positive) return true;
    }
    return false;
}

static void put_mod(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                    const struct sym_form *f)
{
    sym_int c = sym_constant(f->poly), rest = sym_floormod(-c, f->modulus);
    bool single = f->poly->n - (c != 0) == 1 &&
                  (language == SYM_ISL || w->mono[f->poly->term[c != 0].mono].degree == 1);
    sym_put(t, single ? "" : "(");
    put_terms(t, w, language, f->poly, 1, 0, false);
    sym_put(t, "%s%s ", single ? "" : ")", language == SYM_ISL ? " mod" : " %");
    sym_put_int(t, f->modulus);
    if (f->kind == SYM_NMOD) {
        sym_put(t, " != ");
    } else {
        sym_put(t, language == SYM_PYTHON ? " == " : " = ");
    }
    sym_put_int(t, rest);
}

/* poly >= 0, the terms on the sides where they are positive. */
static void put_comparison(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                           const struct sym_form *f)
{
    const char *equal = language == SYM_PYTHON ? "==" : "=";
    if (has_terms(f->poly, true) && !has_terms(f->poly, false)) {
        put_terms(t, w, language, f->poly, 1, 0, false);
        sym_put(t, " %s ", f->kind == SYM_EQ ? equal : ">=");
        put_number(t, language, -sym_constant(f->poly));
    } else if (!has_terms(f->poly, true)) {
        put_terms(t, w, language, f->poly, -1, 0, false);
        sym_put(t, " %s ", f->kind == SYM_EQ ? equal : "<=");
        put_number(t, language, sym_constant(f->poly));
    } else {
        put_terms(t, w, language, f->poly, 1, -1, true);
        sym_put(t, " %s ", f->kind == SYM_EQ ? equal : "<=");
        put_terms(t, w, language, f->poly, 1, 1, true);
    }
}

static void put_atom(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                     const struct sym_entry *e)
{
    const struct sym_form *f = e->atom;
    if (f->kind == SYM_MOD || f->kind == SYM_NMOD) {
        put_mod(t, w, language, f);
    } else if (e->upper) {
        put_number(t, language, -sym_constant(f->poly));
        sym_put(t, " <= ");
        put_terms(t, w, language, f->poly, 1, 0, false);
        sym_put(t, " <= ");
        put_number(t, language, sym_constant(e->upper->poly));
    } else {
        put_comparison(t, w, language, f);
    }
}

/* Whether a and b bound the same direction from below and from above. */
static bool is_range(const struct sym_form *a, const struct sym_form *b)
{
    if (a->kind != SYM_GE || b->kind != SYM_GE) return false;
    size_t fa = a->poly->term[0].mono == 0, fb = b->poly->term[0].mono == 0;
    if (a->poly->n - fa != b->poly->n - fb) return false;
    if (has_terms(a->poly, false)) return false;
    for (size_t i = 0; i + fa < a->poly->n; i++) {
        if (a->poly->term[i + fa].mono != b->poly->term[i + fb].mono ||
            a->poly->term[i + fa].coef != -b->poly->term[i + fb].coef) {
            return false;
        }
    }
    return true;
}

static int rank(const struct sym_form *f)
{
    static const int of_kind[] = {5, 5, 3, 2, 0, 1, 5, 4};
    return of_kind[f->kind];
}

void sym_sort_clause(const struct sym_form *f, struct sym_clause *clause)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg);
    clause->n = 0;
    for (int r = 0; r <= 5; r++) {
        for (size_t i = 0; i < n; i++) {
            if (rank(arg[i]) != r) continue;
            const struct sym_form *upper = NULL;
            bool second = false;
            for (size_t j = 0; r == 3 && j < n; j++) {
                if (j != i && !upper && is_range(arg[i], arg[j])) upper = arg[j];
                second |= j != i && is_range(arg[j], arg[i]);
            }
            if (!second) clause->entry[clause->n++] = (struct sym_entry){arg[i], upper};
        }
    }
}

static void put_clause(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                       const struct sym_form *f)
{
    struct sym_clause sorted;
    sym_sort_clause(f, &sorted);
    for (size_t i = 0; i < sorted.n; i++) {
        const struct sym_entry *e = &sorted.entry[i];
        if (i) sym_put(t, " and ");
        if (e->atom->kind == SYM_OR) {
            sym_put(t, "(");
            sym_print_form(t, w, language, e->atom);
            sym_put(t, ")");
        } else {
            put_atom(t, w, language, e);
        }
    }
}

void sym_print_form(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                    const struct sym_form *f)
{
    if (f->kind <= SYM_TRUE) {
        static const char *const word[3][2] = {{"false", "true"}, {"1 = 0", ""}, {"False", "True"}};
        sym_put(t, "%s", word[language][f->kind]);
        return;
    }
    if (f->kind != SYM_OR) {
        put_clause(t, w, language, f);
        return;
    }
    for (size_t i = 0; i < f->n; i++) {
        bool wrap = f->arg[i]->kind == SYM_AND;
        sym_put(t, "%s%s", i ? " or " : "", wrap ? "(" : "");
        put_clause(t, w, language, f->arg[i]);
        sym_put(t, wrap ? ")" : "");
    }
}

static void mark(const struct sym_form *f, bool *used)
{
    for (size_t i = 0; f->poly && i < f->poly->n; i++) used[f->poly->term[i].mono] = true;
    for (size_t i = 0; i < f->n; i++) mark(f->arg[i], used);
}

void sym_print_isl(struct sym_text *t, const struct sym_work *w, const struct sym_form *f)
{
    bool used[SYM_MAX_MONOS] = {false};
    mark(f, used);
    sym_put(t, "[");
    for (size_t v = 0; v < w->n_params; v++) sym_put(t, "%s%s", v ? ", " : "", w->var[v].name);
    for (size_t m = 1; m < w->n_monos; m++) {
        if (!used[m] || w->mono[m].degree < 2) continue;
        sym_put(t, ", ");
        put_mono(t, w, SYM_ISL, (int)m);
    }
    sym_put(t, "] -> { : ");
    sym_print_form(t, w, SYM_ISL, f);
    sym_put(t, f->kind == SYM_TRUE ? "}" : " }");
}

void sym_put_target(struct sym_text *t, const struct tmap_checker *checker)
{
    static const char *const contract[] = {"safe", "documented", "driver", "hardware"};
    const struct tmap_target *g = &checker->target;
    sym_put(t, "CUDA %u.%u, PTX %u.%u, driver %u, %s, contract %s (%s)", g->cuda / 100,
            g->cuda % 100, g->ptx / 10, g->ptx % 10, g->driver, tmap_arch_name(g->arch),
            contract[checker->contract],
            checker->basis == TMAP_OBSERVED ? "observed" : "inferred, not observed");
}
