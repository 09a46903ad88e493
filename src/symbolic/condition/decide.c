/* decide.c : the formula against the assumptions: isl simplifies it and says whether it follows.
 *
 * Products of parameters are opaque dimensions of the sets. What isl proves of them is true; where
 * it refutes, a point with true products is looked for and checked natively, and where none is
 * found the verdict is unknown, while the formula itself stays exact.
 */
#include "symbolic/condition/condition.h"
#include "symbolic/isl/session.h"

#include <stdio.h>
#include <string.h>

#ifdef TMAP_WITH_ISL
#include "symbolic/isl/sets.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

/* Disjunctions make isl multiply out. Where they would be more pieces of a set than this they are
 * kept as they stand, which is exact too, and shorter. */
enum { MAX_PIECES = 16 };

static bool few_pieces(const struct sym_form *const *arg, size_t n)
{
    size_t pieces = 1;
    for (size_t i = 0; i < n && pieces <= MAX_PIECES; i++) {
        if (arg[i]->kind == SYM_OR) pieces *= arg[i]->n;
    }
    return pieces <= MAX_PIECES;
}

/* The conjuncts of f that isl is asked about, or the others. */
static const struct sym_form *part(struct sym_work *w, const struct sym_form *f, bool linear,
                                   bool asked)
{
    const struct sym_form *const *arg = NULL;
    size_t n = f ? sym_conjuncts(&f, &arg) : 0, kept = 0;
    const struct sym_form **list = f ? sym_take(w, (n + 1) * sizeof *list) : NULL;
    if (!list) return NULL;
    const bool few = few_pieces(arg, n);
    for (size_t i = 0; i < n; i++) {
        const bool easy = few || arg[i]->kind != SYM_OR;
        if ((easy && (!linear || sym_is_affine(w, arg[i]))) == asked) list[kept++] = arg[i];
    }
    return sym_join(w, SYM_AND, kept, list);
}

/* The range and the greatest known divisor of a product, from those of its factors. */
static const struct sym_form *product_facts(struct sym_work *w, const struct sym_facts *facts,
                                            int mono)
{
    struct sym_poly *p = sym_take(w, sizeof *p + sizeof p->term[0]);
    const struct sym_poly *one = sym_const(w, 1);
    sym_int divisor = 1;
    if (!p || !one) return NULL;
    p->n = 1;
    p->term[0] = (struct sym_term){1, mono};
    struct sym_range r = sym_range_of(w, p, facts->range);
    const struct sym_form *all = sym_bool(w, true);
    if (r.has_lo) all = sym_and(w, all, sym_ge(w, sym_add(w, 1, p, -r.lo, one)));
    if (r.has_hi) all = sym_and(w, all, sym_ge(w, sym_add(w, -1, p, r.hi, one)));
    for (int k = 0; k < w->mono[mono].degree; k++) {
        int v = w->mono[mono].var[k];
        sym_int m = facts->residue[v].m;
        if (m && !(divisor >> 32)) divisor *= sym_gcd(m, facts->residue[v].r);
    }
    return divisor > 1 ? sym_and(w, all, sym_mod(w, p, divisor)) : all;
}

/* a <= b where b's factors are a's and others that are at least 1. */
static const struct sym_form *order_fact(struct sym_work *w, const struct sym_facts *facts, int a,
                                         int b)
{
    const struct sym_mono *x = &w->mono[a], *y = &w->mono[b];
    struct sym_poly *p = sym_take(w, sizeof *p + 2 * sizeof p->term[0]);
    int i = 0;
    for (int j = 0; j < y->degree; j++) {
        const struct sym_range *r = &facts->range[y->var[j]];
        if (!r->has_lo || r->lo < 1) return sym_bool(w, true);
        if (i < x->degree && x->var[i] == y->var[j]) i++;
    }
    if (!p || i < x->degree) return p ? sym_bool(w, true) : NULL;
    bool swap = a > b;
    p->n = 2;
    p->term[swap] = (struct sym_term){-1, a};
    p->term[!swap] = (struct sym_term){1, b};
    return sym_ge(w, p);
}

static const struct sym_form *opaque_facts(struct sym_frame *frame, const struct sym_facts *facts)
{
    struct sym_work *w = frame->w;
    const struct sym_form *all = sym_bool(w, true);
    for (int i = 0; i < frame->n; i++) {
        if (w->mono[frame->mono[i]].degree < 2) continue;
        all = sym_and(w, all, product_facts(w, facts, frame->mono[i]));
        for (int j = 0; j < frame->n; j++) {
            if (j == i) continue;
            all = sym_and(w, all, order_fact(w, facts, frame->mono[j], frame->mono[i]));
        }
    }
    return all;
}

/* One question: the sets that belong to it. An intersection is made from the formulas: isl
 * normalizes both sets before it intersects them, which costs more than to build the set anew. */
struct question {
    struct tmap_symbolic *s;
    struct tmap_condition *c;
    struct sym_frame frame;
    const struct sym_form *linear, *product; /* the two parts of what is asked */
    const struct sym_form *meant;            /* where all that deciding rows need holds, linear */
    const struct sym_form *known;            /* the assumptions and what the quotients are */
    isl_set *given;                          /* known as a set */
    isl_set *asked;                          /* the linear part */
};

static bool open_question(struct question *q)
{
    struct sym_work *w = &q->c->w;
    const struct sym_form *asked = sym_simplify(w, q->c->full, q->c->assume);
    if (!asked) return false;
    q->linear = part(w, asked, true, true);
    q->product = part(w, asked, true, false);
    q->meant = part(w, sym_simplify(w, q->c->needed, q->c->assume), true, true);
    const struct sym_form *forms[] = {q->c->assume, asked, q->meant};
    if (!sym_frame_open(&q->frame, w, q->s->isl, forms, 3)) return false;
    q->known = sym_and(w, q->c->assume, q->frame.defines);
    q->given = sym_to_set(&q->frame, q->known);
    q->asked = sym_to_set(&q->frame, q->linear);
    return q->given && q->asked && q->product;
}

/* What is left of the products, where the linear part and the assumptions hold. */
static const struct sym_form *simplify_products(struct question *q)
{
    struct sym_work *w = &q->c->w;
    struct sym_facts *facts = sym_take(w, sizeof *facts);
    if (!facts || q->product->kind == SYM_TRUE) return q->product;
    sym_learn(w, facts, q->c->assume);
    sym_learn(w, facts, q->linear);
    const struct sym_form *holds = sym_and(w, q->known, q->linear);
    const struct sym_form *asked = part(w, q->product, false, true);
    isl_set *context = sym_to_set(&q->frame, sym_and(w, opaque_facts(&q->frame, facts), holds));
    isl_set *left = isl_set_gist(sym_to_set(&q->frame, asked), context);
    const struct sym_form *f = left ? sym_from_set(&q->frame, left) : NULL;
    isl_set_free(left);
    return sym_and(w, f, part(w, q->product, false, false));
}

/* A point of outside as parameter values; small positive ones where there are any. */
static bool point_of(const struct question *q, isl_set *outside, sym_int *values)
{
    isl_point *at = isl_set_sample_point(outside);
    bool found = at && isl_point_is_void(at) == isl_bool_false;
    for (size_t i = 0; found && i < q->c->w.n_params; i++) {
        isl_val *v = isl_point_get_coordinate_val(at, isl_dim_set, (int)i);
        uint64_t chunk = 0;
        found = isl_val_n_abs_num_chunks(v, 8) == 1;
        if (found) isl_val_get_abs_num_chunks(v, 8, &chunk);
        values[i] = isl_val_is_neg(v) == isl_bool_true ? -(sym_int)chunk : (sym_int)chunk;
        isl_val_free(v);
    }
    isl_point_free(at);
    return found;
}

/* Small positive points first, where every dimension is a parameter and so bounded below. */
static isl_set *near_origin(const struct question *q, isl_set *set, int bound)
{
    int n = (int)q->c->w.n_params;
    for (int i = 0; i < n; i++) {
        set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)i, bound);
    }
    return n == q->frame.n ? isl_set_lexmin(set) : set;
}

/* Points that break one conjunct of the answer; breaking any at once costs isl a product of sets.
 */
static void break_conjunct(struct question *q, const struct sym_form *f,
                           const struct sym_form *where)
{
    sym_int values[SYM_MAX_PARAMS];
    struct sym_work *w = &q->c->w;
    const struct sym_form *broken = sym_and(w, sym_not(w, f), q->known);
    isl_set *outside = sym_to_set(&q->frame, sym_and(w, broken, where));
    for (int bound = 1; bound >= 0 && !q->c->has_counterexample; bound--) {
        isl_set *small = near_origin(q, isl_set_copy(outside), bound);
        if (point_of(q, small, values)) sym_confirms(q->c, values);
    }
    if (!q->c->has_counterexample && point_of(q, isl_set_copy(outside), values)) {
        sym_confirms(q->c, values);
    }
    isl_set_free(outside);
}

/* First where all that deciding rows need holds, for there a broken row is a verdict. */
static void sample_counterexample(struct question *q)
{
    struct sym_work *w = &q->c->w;
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&q->c->result, &arg);
    for (int pass = q->meant->kind == SYM_TRUE; pass < 2; pass++) {
        for (size_t i = 0; i < n && !q->c->has_counterexample; i++) {
            const struct sym_form *where = pass ? sym_bool(w, true) : q->meant;
            if (sym_is_affine(w, arg[i])) break_conjunct(q, arg[i], where);
        }
    }
}

static const struct sym_form *linear_result(struct question *q)
{
    isl_set *left = isl_set_gist(isl_set_copy(q->asked), isl_set_copy(q->given));
    const struct sym_form *f = left ? sym_from_set(&q->frame, left) : NULL;
    isl_set_free(left);
    return f;
}

/* What is left to ask where the assumptions hold: nothing, where they hold nowhere. */
static const struct sym_form *result_of(struct question *q)
{
    struct sym_work *w = &q->c->w;
    if (q->c->vacuous || q->c->never) return sym_bool(w, q->c->vacuous);
    const bool follows = isl_set_is_subset(q->given, q->asked) == isl_bool_true;
    const struct sym_form *linear = follows ? sym_bool(w, true) : linear_result(q);
    return sym_and(w, linear, simplify_products(q));
}

static void refute(struct question *q)
{
    struct tmap_condition *c = q->c;
    sample_counterexample(q);
    if (!c->has_counterexample) sym_find_counterexample(c);
    c->verdict = c->has_counterexample ? TMAP_ILLEGAL : TMAP_UNKNOWN;
    if (c->verdict == TMAP_UNKNOWN) {
        snprintf(c->w.why, sizeof c->w.why, "%s",
                 c->has_undecided
                     ? "for some values a rule that decides needs one that does not hold"
                     : "products of parameters: neither a proof nor a counterexample was found");
    }
}

static void answer(struct question *q)
{
    struct tmap_condition *c = q->c;
    struct sym_work *w = &c->w;
    isl_set *both = sym_to_set(&q->frame, sym_and(w, q->known, q->linear));
    c->vacuous = isl_set_is_empty(q->given) == isl_bool_true;
    c->never = isl_set_is_empty(both) == isl_bool_true && !c->vacuous;
    isl_set_free(both);
    c->result = sym_simplify(w, result_of(q), c->assume);
    if (!c->result) return;
    if (c->result->kind == SYM_TRUE) {
        c->verdict = TMAP_LEGAL;
    } else {
        refute(q);
    }
}

enum tmap_status sym_decide_condition(struct tmap_symbolic *s, struct tmap_condition *c)
{
    struct question q = {.s = s, .c = c};
    if (open_question(&q)) answer(&q);
    isl_set_free(q.given);
    isl_set_free(q.asked);
    return sym_isl_status(s, &c->w);
}
#else
enum tmap_status sym_decide_condition(struct tmap_symbolic *s, struct tmap_condition *c)
{
    (void)s;
    sym_fail(&c->w, TMAP_E_NOT_BUILT, "built without isl");
    return c->w.status;
}
#endif
