/* law.c : laws are statements about products of unknowns, which isl does not know. So each product
 * is a dimension of its own, and what is known of factors is multiplied out: where p >= 0 and
 * q >= 0, p*q >= 0 is stated too. What isl then finds to have no solution has none among integers;
 * that it has one says nothing. */
#include "prove/law.h"
#include "symbolic/poly/parse.h"
#include "symbolic/isl/session.h"
#include "symbolic/isl/sets.h"

#include <isl/set.h>

#include <ctype.h>
#include <string.h>

enum { MAX_ATOMS = 40, MAX_DEPTH = 8 };

#define NONE NULL
#define LET(...)                                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define GIVEN(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CLAIM(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define BY(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define LAW(name, let, given, claim, by) {#name, let, given, claim, by},
static const struct law laws[] = {
#include "prove/laws.def"
};
#undef LAW

const struct law *law_at(size_t i)
{
    return i < sizeof laws / sizeof *laws ? &laws[i] : NULL;
}

const struct law *law_of(const char *name)
{
    for (size_t i = 0; law_at(i); i++)
        if (strcmp(laws[i].name, name) == 0) return &laws[i];
    return NULL;
}

/* --- text ------------------------------------------------------------------------------------ */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The line of LET that defines the name, after its "=". */
static const char *definition(const struct law *law, const char *name, size_t length)
{
    for (int i = 0; i < LAW_LINES && law->let[i]; i++) {
        const char *line = law->let[i];
        if (strncmp(line, name, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            return line + length + 3;
    }
    return NULL;
}

static void expand(const struct law_text *t, struct sym_text *out, const char *text, int depth)
{
    if (depth > MAX_DEPTH) sym_fail(t->w, TMAP_E_ARGUMENT, "%s: LET goes in a circle", text);
    while (*text && depth <= MAX_DEPTH) {
        size_t n = 0;
        while (in_name(text[n])) n++;
        const char *what = n ? definition(t->law, text, n) : NULL;
        if (what) {
            sym_put(out, "(");
            expand(t, out, what, depth + 1);
            sym_put(out, ")");
        } else {
            sym_put(out, "%.*s", n ? (int)n : 1, text);
        }
        text += n ? n : 1;
    }
}

const char *law_expand(const struct law_text *t, const char *text)
{
    enum { BYTES = 4096 };
    struct sym_text out = {sym_take(t->w, BYTES), BYTES, 0};
    if (out.at) expand(t, &out, text, 0);
    if (out.length >= BYTES) return sym_fail(t->w, TMAP_E_BUDGET, "%s is too long", text);
    return out.at;
}

const struct sym_poly *law_defines(const struct law_text *t, const char *name)
{
    const char *what = definition(t->law, name, strlen(name));
    what = what ? law_expand(t, what) : NULL;
    return what ? sym_parse(t->w, what) : NULL;
}

static const struct sym_form *chain(const struct law_text *t, const char *text, size_t length)
{
    const char *copy = sym_copy(t->w, text, length), *whole = copy ? law_expand(t, copy) : NULL;
    return whole ? sym_parse_assumption(t->w, whole) : NULL;
}

/* A or B; A and B: one word a side. */
static const struct sym_form *side(const struct law_text *t, const char *text, size_t length)
{
    static const char *const word[] = {" or ", " and "};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0, n = strlen(word[k]); i + n < length; i++) {
            if (strncmp(text + i, word[k], n) != 0) continue;
            const struct sym_form *a = side(t, text, i);
            const struct sym_form *b = side(t, text + i + n, length - i - n);
            return k ? sym_and(t->w, a, b) : sym_or(t->w, a, b);
        }
    return chain(t, text, length);
}

const struct sym_form *law_given(const struct law_text *t, int line)
{
    return side(t, t->law->given[line], strlen(t->law->given[line]));
}

/* The two sides of "P iff Q" or "P => Q"; without a word, P is true. */
static bool sides(const struct law_text *t, const char *text, const struct sym_form **p,
                  const struct sym_form **q)
{
    const char *iff = strstr(text, " iff "), *then = strstr(text, " => ");
    const char *end = iff ? iff : then;
    const char *rest = iff ? iff + 5 : then ? then + 4 : text;
    *p = end ? side(t, text, (size_t)(end - text)) : sym_bool(t->w, true);
    *q = side(t, rest, strlen(rest));
    return iff != NULL;
}

static const struct sym_form *implies(struct sym_work *w, const struct sym_form *p,
                                      const struct sym_form *q)
{
    return sym_or(w, p ? sym_not(w, p) : NULL, q);
}

const struct sym_form *law_claim(const struct law_text *t, int line)
{
    const struct sym_form *p, *q;
    const bool both = sides(t, t->law->claim[line], &p, &q);
    const struct sym_form *claim = implies(t->w, p, q);
    return both ? sym_and(t->w, claim, implies(t->w, q, p)) : claim;
}

/* --- proof ----------------------------------------------------------------------------------- */

struct proof {
    struct tmap_symbolic *s;
    struct sym_work *w;
    const struct sym_form *const *by; /* sign distinctions to make */
    size_t n_by, n;
    const struct sym_form *atom[MAX_ATOMS];
    long pieces;
    bool holds;
};

static const struct sym_form *product(struct proof *p, const struct sym_form *a,
                                      const struct sym_form *b)
{
    const struct sym_poly *x = sym_mul(p->w, a->poly, b->poly);
    return a->kind == SYM_EQ || b->kind == SYM_EQ ? sym_eq(p->w, x) : sym_ge(p->w, x);
}

/* p >= 0 and -p >= 0 are p = 0. */
static const struct sym_form *as_equality(const struct proof *p, const struct sym_form *f)
{
    const struct sym_poly *minus = sym_add(p->w, -1, f->poly, 0, f->poly);
    for (size_t i = 0; minus && f->kind == SYM_GE && i < p->n; i++)
        if (p->atom[i]->kind == SYM_GE && sym_same(p->atom[i]->poly, minus))
            return sym_eq(p->w, f->poly);
    return f;
}

/* Atoms, products of two of them, and equalities times each unknown. */
static const struct sym_form *saturated(struct proof *p)
{
    struct sym_work *w = p->w;
    const struct sym_form *all = sym_bool(w, true);
    const struct sym_form *atom[MAX_ATOMS];
    for (size_t i = 0; i < p->n; i++) {
        atom[i] = as_equality(p, p->atom[i]);
        all = sym_and(w, all, atom[i]);
        for (size_t k = 0; k <= i; k++) all = sym_and(w, all, product(p, atom[i], atom[k]));
        for (size_t v = 0; atom[i]->kind == SYM_EQ && v < w->n_params; v++)
            all = sym_and(w, all, sym_eq(w, sym_mul(w, atom[i]->poly, sym_of_var(w, (int)v))));
    }
    return all;
}

static void ask(struct proof *p)
{
    struct sym_frame frame;
    const struct sym_form *all = saturated(p);
    p->pieces++;
    if (all && all->kind == SYM_FALSE) return;
    if (!all || sym_isl_begin(p->s) != TMAP_OK ||
        !sym_frame_open(&frame, p->w, p->s->isl, &all, 1)) {
        p->holds = false;
        return;
    }
    struct isl_set *set = sym_to_set(&frame, all);
    if (isl_set_is_empty(set) != isl_bool_true) p->holds = false;
    isl_set_free(set);
    sym_isl_end(p->s);
}

/* Every way to choose one of the alternatives in the formulas from `list` on. */
static void choose(struct proof *p, const struct sym_form *const *list, size_t n)
{
    if (!p->holds) return;
    if (n == 0) {
        ask(p);
        return;
    }
    const struct sym_form *f = list[0];
    if (!f || f->kind == SYM_MOD || f->kind == SYM_NMOD || p->n == MAX_ATOMS) {
        p->holds = false;
    } else if (f->kind == SYM_TRUE) {
        choose(p, list + 1, n - 1);
    } else if (f->kind == SYM_GE || f->kind == SYM_EQ) {
        p->atom[p->n++] = f;
        choose(p, list + 1, n - 1);
        p->n--;
    } else if (f->kind == SYM_AND || f->kind == SYM_OR) {
        for (size_t i = 0; i < (f->kind == SYM_OR ? f->n : 1); i++) {
            const struct sym_form *next[MAX_ATOMS];
            const size_t m = f->kind == SYM_OR ? 1 : f->n;
            if (m + n - 1 > MAX_ATOMS) p->holds = false;
            for (size_t k = 0; p->holds && k < m; k++) next[k] = f->arg[f->kind == SYM_OR ? i : k];
            for (size_t k = 1; p->holds && k < n; k++) next[m + k - 1] = list[k];
            choose(p, next, m + n - 1);
        }
    }
}

/* f, split by the signs of the law's BY. */
static bool refuted(struct tmap_symbolic *s, const struct law_text *t, const struct sym_form *f,
                    long *pieces)
{
    const struct sym_form *list[LAW_LINES + 1] = {f};
    size_t n = 1;
    struct proof p = {.s = s, .w = t->w, .holds = true};
    for (int i = 0; i < LAW_LINES && t->law->by[i]; i++) {
        const struct sym_poly *x = sym_parse(t->w, law_expand(t, t->law->by[i]));
        const struct sym_form *up = sym_ge(t->w, x);
        list[n++] = up ? sym_or(t->w, up, sym_not(t->w, up)) : NULL;
    }
    choose(&p, list, n);
    if (pieces) *pieces += p.pieces;
    return p.holds && t->w->status == TMAP_OK;
}

bool law_is_proved(struct tmap_symbolic *s, const struct law *law, int claim, int dropped,
                   long *pieces)
{
    struct sym_work w;
    if (!sym_open(&w, NULL)) return false;
    const struct law_text t = {&w, law};
    const struct sym_form *p, *q, *given = sym_bool(&w, true);
    for (int i = 0; i < LAW_LINES && law->given[i]; i++)
        if (i != dropped) given = sym_and(&w, given, law_given(&t, i));
    const bool both = sides(&t, law->claim[claim], &p, &q);
    const struct sym_form *not_p = p ? sym_not(&w, p) : NULL, *not_q = q ? sym_not(&w, q) : NULL;
    bool holds = refuted(s, &t, sym_and(&w, given, sym_and(&w, p, not_q)), pieces);
    if (both) holds = holds && refuted(s, &t, sym_and(&w, given, sym_and(&w, q, not_p)), pieces);
    sym_close(&w);
    return holds;
}
