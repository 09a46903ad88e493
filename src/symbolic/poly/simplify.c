/* simplify.c : merging and dropping atoms by what single variables are known to satisfy. */
#include "symbolic/poly/simplify.h"

#include <string.h>

enum { MAX_RESIDUE_TUPLES = 1 << 16 };

/* --- congruences of polynomials, over the residues of their variables ----------------------- */

struct residues {
    const struct sym_work *w;
    const struct sym_form *f;
    const struct sym_facts *facts;
    bool is_product;
    size_t n;
    int var[SYM_MAX_VARS];
    sym_int value[SYM_MAX_VARS], step[SYM_MAX_VARS]; /* by variable */
    bool seen_true, seen_false;
};

static void collect_vars(struct residues *e)
{
    bool present[SYM_MAX_VARS] = {false};
    for (size_t i = 0; i < e->f->poly->n; i++) {
        const struct sym_mono *m = &e->w->mono[e->f->poly->term[i].mono];
        for (int k = 0; k < m->degree; k++) present[m->var[k]] = true;
    }
    for (int v = 0; v < SYM_MAX_VARS; v++) {
        if (present[v]) e->var[e->n++] = v;
    }
}

static sym_int value_mod(const struct residues *e, const struct sym_form *f)
{
    sym_int m = f->modulus, sum = 0;
    for (size_t i = 0; i < f->poly->n; i++) {
        const struct sym_mono *mono = &e->w->mono[f->poly->term[i].mono];
        sym_int product = f->poly->term[i].coef % m;
        for (int k = 0; k < mono->degree; k++) product = product * e->value[mono->var[k]] % m;
        sum = (sum + product) % m;
    }
    return sum;
}

/* Whether these residues break a congruence that is known: one of our variables, whose modulus
 * divides ours. */
static bool excluded(const struct residues *e)
{
    for (size_t k = 0; e->is_product && k < e->facts->n_mods; k++) {
        const struct sym_form *known = e->facts->mod[k];
        bool ours = e->f->modulus % known->modulus == 0;
        for (size_t i = 0; i < known->poly->n; i++) {
            const struct sym_mono *m = &e->w->mono[known->poly->term[i].mono];
            if (m->degree) ours &= e->step[m->var[0]] != 0;
        }
        if (ours && value_mod(e, known) != 0) return true;
    }
    return false;
}

static void visit(struct residues *e, size_t at)
{
    if (e->seen_true && e->seen_false) return;
    if (at == e->n) {
        if (excluded(e)) return;
        bool divides = value_mod(e, e->f) == 0;
        e->seen_true |= divides;
        e->seen_false |= !divides;
        return;
    }
    int v = e->var[at];
    sym_int first = e->value[v];
    for (sym_int r = first; r < e->f->modulus; r += e->step[v]) {
        e->value[v] = r;
        visit(e, at + 1);
    }
    e->value[v] = first;
}

/* Whether modulus divides the polynomial for all, none or some of the residues the facts allow. */
static int decide_mod(const struct sym_work *w, const struct sym_facts *facts,
                      const struct sym_form *f)
{
    struct residues e = {.w = w, .f = f, .facts = facts};
    e.is_product = !sym_is_linear(w, f->poly);
    sym_int tuples = 1;
    if (f->modulus >> 31) return -1;
    collect_vars(&e);
    for (size_t i = 0; i < e.n; i++) {
        int v = e.var[i];
        sym_int g = facts->residue[v].m ? sym_gcd(facts->residue[v].m, f->modulus) : 1;
        e.step[v] = g;
        e.value[v] = facts->residue[v].m ? facts->residue[v].r % g : 0;
        tuples *= f->modulus / g;
        if (tuples > MAX_RESIDUE_TUPLES) return -1;
    }
    visit(&e, 0);
    return e.seen_true && e.seen_false ? -1 : e.seen_true;
}

int sym_decide(const struct sym_work *w, const struct sym_facts *facts, const struct sym_form *atom)
{
    if (atom->kind == SYM_TRUE || atom->kind == SYM_FALSE) return atom->kind == SYM_TRUE;
    if (atom->kind == SYM_MOD) return decide_mod(w, facts, atom);
    if (atom->kind == SYM_NMOD) {
        int v = decide_mod(w, facts, atom);
        return v < 0 ? v : !v;
    }
    struct sym_range r = sym_range_of(w, atom->poly, facts->range);
    if (r.has_hi && r.hi < 0) return 0;
    if (atom->kind == SYM_EQ) {
        if (r.has_lo && r.lo > 0) return 0;
        return r.has_lo && r.has_hi && r.lo == 0 && r.hi == 0 ? 1 : -1;
    }
    return r.has_lo && r.lo >= 0 ? 1 : -1;
}

/* --- merging ------------------------------------------------------------------------------- */

/* Whether a implies b, both atoms of one conjunction, from their shape alone; they differ. */
static bool atom_implies(const struct sym_form *a, const struct sym_form *b)
{
    if (a->kind != b->kind) return false;
    size_t fa = a->poly->term[0].mono == 0, fb = b->poly->term[0].mono == 0;
    if (a->poly->n - fa != b->poly->n - fb) return false;
    for (size_t i = 0; i + fa < a->poly->n; i++) {
        if (a->poly->term[i + fa].mono != b->poly->term[i + fb].mono) return false;
        sym_int d = a->poly->term[i + fa].coef - b->poly->term[i + fb].coef;
        if (a->kind == SYM_MOD ? d % b->modulus != 0 : d != 0) return false;
    }
    sym_int ca = sym_constant(a->poly), cb = sym_constant(b->poly);
    if (a->kind == SYM_GE) return ca <= cb;
    if (a->kind == SYM_MOD) return a->modulus % b->modulus == 0 && (ca - cb) % b->modulus == 0;
    return false;
}

static bool is_atom(const struct sym_form *f)
{
    return f->kind >= SYM_GE && f->kind < SYM_AND;
}

static bool is_single(const struct sym_work *w, const struct sym_form *f)
{
    sym_int coef;
    return is_atom(f) && sym_lone_var(w, f->poly, &coef) >= 0;
}

bool sym_same_form(const struct sym_form *a, const struct sym_form *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || a->n != b->n) return false;
    if (is_atom(a)) return a->modulus == b->modulus && sym_same(a->poly, b->poly);
    for (size_t i = 0; i < a->n; i++) {
        if (!sym_same_form(a->arg[i], b->arg[i])) return false;
    }
    return true;
}

/* Whether one of list[0 .. n-1], other than number skip, makes f superfluous. */
static bool covered(const struct sym_form *const *list, size_t n, size_t skip,
                    const struct sym_form *f)
{
    for (size_t i = 0; i < n; i++) {
        if (i == skip || !list[i]) continue;
        bool equal = sym_same_form(list[i], f);
        if (equal ? i < skip : is_atom(list[i]) && is_atom(f) && atom_implies(list[i], f)) {
            return true;
        }
    }
    return false;
}

static const struct sym_form *under(struct sym_work *w, const struct sym_facts *facts,
                                    const struct sym_form *f);

/* The arguments of f, each simplified under facts. */
static const struct sym_form *under_all(struct sym_work *w, const struct sym_facts *facts,
                                        const struct sym_form *f)
{
    const struct sym_form **arg = sym_take(w, f->n * sizeof *arg);
    if (!arg) return NULL;
    for (size_t i = 0; i < f->n; i++) arg[i] = under(w, facts, f->arg[i]);
    return sym_join(w, f->kind, f->n, arg);
}

static const struct sym_form *under(struct sym_work *w, const struct sym_facts *facts,
                                    const struct sym_form *f)
{
    if (!is_atom(f)) return under_all(w, facts, f);
    int truth = sym_decide(w, facts, f);
    return truth < 0 ? f : sym_bool(w, truth);
}

static bool contradicts(const struct sym_facts *facts)
{
    for (int v = 0; v < SYM_MAX_VARS; v++) {
        const struct sym_range *r = &facts->range[v];
        if (r->has_lo && r->has_hi && r->lo > r->hi) return true;
    }
    return false;
}

const struct sym_form *sym_simplify(struct sym_work *w, const struct sym_form *f,
                                    const struct sym_form *given)
{
    if (!f || !given) return NULL;
    if (f->kind <= SYM_TRUE) return f;
    const struct sym_form *const *arg = NULL, *const *known = NULL;
    size_t n = sym_conjuncts(&f, &arg), n_known = sym_conjuncts(&given, &known);
    struct sym_facts *both = sym_take(w, 2 * sizeof *both), *outside = both + 1;
    const struct sym_form **kept = sym_take(w, n * sizeof *kept);
    if (!both || !kept) return NULL;
    sym_learn(w, outside, given);
    sym_learn_products(w, outside);
    *both = *outside;
    sym_learn(w, both, f);
    if (contradicts(both) && !contradicts(outside)) return sym_bool(w, false);
    memcpy(kept, arg, n * sizeof *kept);
    for (size_t i = 0; i < n; i++) {
        if (covered(kept, n, i, kept[i]) || covered(known, n_known, n_known, kept[i])) {
            kept[i] = NULL;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!kept[i]) {
            kept[i] = sym_bool(w, true);
        } else {
            kept[i] = under(w, is_single(w, kept[i]) ? outside : both, kept[i]);
        }
    }
    return sym_join(w, SYM_AND, n, kept);
}
