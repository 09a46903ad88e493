/* padding.c : the least amounts to add to the parameters, as a function of them.
 *
 * Over pairs (parameters as they are, parameters as padded), the lexicographic minimum of the
 * padded ones, which isl gives as a piecewise quasi-affine function; less the identity, the
 * amounts.
 */
#include "symbolic/condition/condition.h"
#include "symbolic/isl/session.h"
#include "symbolic/poly/print.h"

#ifdef TMAP_WITH_ISL
#include "symbolic/isl/sets.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* Everything that could be grown: an upper bound on products is the caller's to keep, a congruence
 * of products is not. */
static bool split(struct sym_work *w, const struct sym_form *f, const struct sym_form **linear,
                  const struct sym_form **caps)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg);
    *linear = *caps = sym_bool(w, true);
    for (size_t i = 0; i < n; i++) {
        if (sym_is_affine(w, arg[i])) {
            *linear = sym_and(w, *linear, arg[i]);
            continue;
        }
        for (size_t k = 0; k < (arg[i]->poly ? arg[i]->poly->n : 0); k++) {
            const struct sym_term *t = &arg[i]->poly->term[k];
            if (arg[i]->kind == SYM_GE && (t->mono == 0 || t->coef < 0)) continue;
            return sym_fail(w, TMAP_E_BUDGET, "padding would have to meet a product of parameters"),
                   false;
        }
        if (!arg[i]->poly) {
            return sym_fail(w, TMAP_E_BUDGET,
                            "padding would have to meet a choice between products"),
                   false;
        }
        *caps = sym_and(w, *caps, arg[i]);
    }
    return *linear && *caps;
}

/* first <= v <= last, as far as r says */
static const struct sym_form *within(struct sym_work *w, int v, const struct sym_range *r)
{
    const struct sym_poly *one = sym_const(w, 1), *x = sym_of_var(w, v);
    const struct sym_form *f = sym_bool(w, true);
    if (!one || !x) return NULL;
    if (r->has_lo) f = sym_and(w, f, sym_ge(w, sym_add(w, 1, x, -r->lo, one)));
    if (r->has_hi) f = sym_and(w, f, sym_ge(w, sym_add(w, -1, x, r->hi, one)));
    return f;
}

static bool of_parameters(const struct sym_work *w, const struct sym_form *f)
{
    for (size_t i = 0; f->poly && i < f->poly->n; i++) {
        const struct sym_mono *m = &w->mono[f->poly->term[i].mono];
        if (m->degree > 1 || (m->degree && w->var[m->var[0]].kind != SYM_PARAMETER)) return false;
    }
    return f->kind != SYM_OR;
}

/* The assumptions about sums of parameters, and the ranges that the others leave: from more values
 * than the assumptions allow, the padding is the same. */
static const struct sym_form *plain_part(struct sym_work *w, const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    const struct sym_form *all = sym_bool(w, true);
    struct sym_facts *facts = sym_take(w, sizeof *facts);
    size_t n = sym_conjuncts(&f, &arg);
    if (!facts) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (of_parameters(w, arg[i])) all = sym_and(w, all, arg[i]);
    }
    sym_learn(w, facts, f);
    sym_learn_products(w, facts);
    for (size_t v = 0; v < w->n_params; v++)
        all = sym_and(w, all, within(w, (int)v, &facts->range[v]));
    return all;
}

/* Padding starts from values that are not below the least legal ones: an empty dimension is not
 * padded. */
static const struct sym_form *starts(struct sym_work *w, const struct sym_form *legal,
                                     const struct sym_form *given)
{
    struct sym_facts *facts = sym_take(w, sizeof *facts);
    const struct sym_poly *one = sym_const(w, 1);
    if (!facts || !one) return NULL;
    sym_learn(w, facts, legal);
    for (size_t v = 0; v < w->n_params; v++) {
        const struct sym_range *r = &facts->range[v];
        if (!r->has_lo) continue;
        const struct sym_poly *above = sym_add(w, 1, sym_of_var(w, (int)v), -r->lo, one);
        given = sym_and(w, given, sym_ge(w, above));
    }
    return given;
}

/* { before -> after : after >= before, f(after), given(before) } */
static isl_map *paddings(const struct sym_frame *frame, const struct sym_form *f,
                         const struct sym_form *given)
{
    struct sym_work *w = frame->w;
    unsigned n = (unsigned)w->n_params, extra = (unsigned)frame->n - n;
    const struct sym_form *defines = frame->defines;
    isl_set *legal = sym_to_set(frame, sym_and(w, f, defines));
    isl_set *before = sym_to_set(frame, sym_and(w, given, defines));
    legal = isl_set_project_out(legal, isl_dim_set, n, extra);
    before = isl_set_project_out(before, isl_dim_set, n, extra);
    isl_map *m = isl_map_from_domain_and_range(before, legal);
    for (unsigned i = 0; i < n; i++) {
        isl_local_space *ls = isl_local_space_from_space(isl_map_get_space(m));
        isl_constraint *c = isl_constraint_alloc_inequality(ls);
        c = isl_constraint_set_coefficient_si(c, isl_dim_out, (int)i, 1);
        c = isl_constraint_set_coefficient_si(c, isl_dim_in, (int)i, -1);
        m = isl_map_add_constraint(m, c);
    }
    for (unsigned i = 0; i < n; i++) {
        m = isl_map_set_dim_name(m, isl_dim_in, i, w->var[i].name);
    }
    return m;
}

static isl_pw_multi_aff *least(isl_map *m)
{
    isl_space *space = isl_space_domain(isl_map_get_space(m));
    isl_pw_multi_aff *after = isl_map_lexmin_pw_multi_aff(m);
    isl_multi_aff *same = isl_multi_aff_identity(isl_space_map_from_set(space));
    after = isl_pw_multi_aff_sub(after, isl_pw_multi_aff_from_multi_aff(same));
    return isl_pw_multi_aff_coalesce(after);
}

/* --- text ----------------------------------------------------------------------------------- */

struct writer {
    struct sym_text *t;
    const struct sym_frame *frame;
    const struct sym_facts *facts; /* of the parameters before */
    int pieces, total;
};

/* Coefficients modulo `by`, nearest to 0: 7K modulo 8 reads better as -K. */
static const struct sym_poly *balanced(struct sym_work *w, const struct sym_poly *p, sym_int by)
{
    struct sym_poly *q = sym_take(w, sizeof *q + p->n * sizeof q->term[0]);
    for (size_t i = 0; q && i < p->n; i++) {
        sym_int c = sym_floormod(p->term[i].coef, by);
        if (p->term[i].mono && c > by / 2) c -= by;
        if (c) q->term[q->n++] = (struct sym_term){c, p->term[i].mono};
    }
    return q;
}

/* p as `of modulo *by`, which is of - by*floor(of/by), as isl writes what is added. NULL: it is of
 * another form. */
static const struct sym_poly *as_mod(struct sym_work *w, const struct sym_poly *p, sym_int *by)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct sym_mono *m = &w->mono[p->term[i].mono];
        const struct sym_var *q = &w->var[m->var[0]];
        sym_int rest;
        if (m->degree != 1 || q->kind != SYM_QUOTIENT || p->term[i].coef != -q->by) continue;
        const struct sym_poly *left = sym_add(w, 1, p, -1, q->of);
        left = left ? sym_add(w, 1, left, q->by, sym_of_var(w, m->var[0])) : NULL;
        if (!left || !sym_is_const(left, &rest) || rest != 0) continue;
        *by = q->by;
        return balanced(w, q->of, q->by);
    }
    return NULL;
}

static bool has_var(const struct sym_work *w, const struct sym_poly *p, int var)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct sym_mono *m = &w->mono[p->term[i].mono];
        for (int k = 0; k < m->degree; k++) {
            if (m->var[k] == var) return true;
        }
    }
    return false;
}

/* The least x from `var` on with x = var + amount modulo by, amount being modulo by too: where that
 * sum no longer has var in it, it is what x must be. */
static bool put_rounding(struct writer *out, int var, const struct sym_poly *amount, sym_int by)
{
    struct sym_work *w = out->frame->w;
    const struct sym_poly *x = sym_of_var(w, var);
    const struct sym_poly *to = x ? sym_add(w, 1, x, 1, amount) : NULL;
    const struct sym_form *none = to ? sym_mod(w, to, by) : NULL;
    if (!none) return false;
    if (none->kind == SYM_TRUE || sym_decide(w, out->facts, none) == 1) {
        sym_put(out->t, "round %s up to a multiple of ", w->var[var].name);
        sym_put_int(out->t, by);
        return true;
    }
    const struct sym_poly *rest = balanced(w, to, by);
    const struct sym_form *wanted = rest ? sym_mod(w, sym_add(w, 1, x, -1, rest), by) : NULL;
    if (!wanted || has_var(w, rest, var)) return false;
    sym_put(out->t, "raise %s until ", w->var[var].name);
    sym_print_form(out->t, w, SYM_TEXT, wanted);
    return true;
}

/* What becomes of var when amount is added to it. */
static bool put_amount(struct writer *out, int var, const struct sym_poly *amount)
{
    struct sym_work *w = out->frame->w;
    sym_int by = 0;
    const struct sym_poly *mod = as_mod(w, amount, &by), *x = sym_of_var(w, var);
    if (mod && put_rounding(out, var, mod, by)) return true;
    if (mod) {
        sym_put(out->t, "%s + (", w->var[var].name);
        sym_print_poly(out->t, w, SYM_TEXT, mod);
        sym_put(out->t, ") mod ");
        sym_put_int(out->t, by);
        return true;
    }
    const struct sym_poly *sum = x ? sym_add(w, 1, x, 1, amount) : NULL;
    if (!sum) return false;
    if (!has_var(w, sum, var)) sym_put(out->t, "raise %s to ", w->var[var].name);
    sym_print_poly(out->t, w, SYM_TEXT, sum);
    return true;
}

/* The amounts of one piece that are not 0. */
static bool put_amounts(struct writer *out, isl_multi_aff *amounts)
{
    struct sym_work *w = out->frame->w;
    size_t written = 0;
    for (size_t i = 0; i < w->n_params; i++) {
        isl_aff *aff = isl_multi_aff_get_aff(amounts, (int)i);
        const struct sym_poly *p = sym_from_aff(out->frame, aff);
        isl_aff_free(aff);
        if (!p) return false;
        if (!p->n) continue;
        sym_put(out->t, "%s", written++ ? ", " : "");
        if (!put_amount(out, (int)i, p)) return false;
    }
    if (!written) sym_put(out->t, "nothing");
    return true;
}

static isl_stat put_piece(isl_set *domain, isl_multi_aff *amounts, void *user)
{
    struct writer *out = user;
    struct sym_work *w = out->frame->w;
    const struct sym_form *when = sym_from_set(out->frame, domain);
    if (out->pieces++) sym_put(out->t, "; ");
    bool ok = when && put_amounts(out, amounts);
    if (ok && (out->total > 1 || when->kind != SYM_TRUE)) {
        sym_put(out->t, " where ");
        sym_print_form(out->t, w, SYM_TEXT, when);
    }
    isl_set_free(domain);
    isl_multi_aff_free(amounts);
    return ok && w->status == TMAP_OK ? isl_stat_ok : isl_stat_error;
}

static bool put_text(struct sym_text *t, const struct sym_frame *frame, isl_pw_multi_aff *amounts,
                     const struct sym_form *given)
{
    struct sym_facts *facts = sym_take(frame->w, sizeof *facts);
    struct writer out = {t, frame, facts, 0, isl_pw_multi_aff_n_piece(amounts)};
    if (!facts) return false;
    sym_learn(frame->w, facts, given);
    isl_set *context = isl_set_project_out(
        sym_to_set(frame, sym_and(frame->w, given, frame->defines)), isl_dim_set,
        (unsigned)frame->w->n_params, (unsigned)(frame->n - (int)frame->w->n_params));
    amounts = isl_pw_multi_aff_gist(isl_pw_multi_aff_copy(amounts), context);
    const bool whole = isl_pw_multi_aff_foreach_piece(amounts, put_piece, &out) == isl_stat_ok;
    isl_pw_multi_aff_free(amounts);
    return whole;
}

static bool put_isl(struct sym_text *t, isl_pw_multi_aff *amounts)
{
    char *text = isl_pw_multi_aff_to_str(amounts);
    if (text) sym_put(t, "%s", text);
    free(text);
    return text != NULL;
}

static void pad(struct tmap_symbolic *s, struct tmap_condition *c, bool isl, struct sym_text *t)
{
    struct sym_work *w = &c->w;
    struct sym_frame frame;
    const struct sym_form *linear, *caps;
    if (!split(w, c->full, &linear, &caps)) return;
    const struct sym_form *assumed = plain_part(w, c->assume);
    const struct sym_form *forms[] = {linear, assumed};
    if (!sym_frame_open(&frame, w, s->isl, forms, 2)) return;
    const struct sym_form *given = starts(w, linear, assumed);
    isl_pw_multi_aff *amounts = least(paddings(&frame, linear, given));
    if (amounts && isl_pw_multi_aff_n_piece(amounts) == 0) {
        sym_fail(w, TMAP_E_NO_PLAN, "no padding makes it legal");
    } else if (!amounts || !(isl ? put_isl(t, amounts) : put_text(t, &frame, amounts, given))) {
        sym_isl_lost(s, w);
    } else if (!isl) {
        const struct sym_form *left = sym_simplify(w, caps, c->assume);
        if (left && left->kind != SYM_TRUE) {
            sym_put(t, "; legal where then ");
            sym_print_form(t, w, SYM_TEXT, left);
        }
    }
    isl_pw_multi_aff_free(amounts);
}
#else
static void pad(struct tmap_symbolic *s, struct tmap_condition *c, bool isl, struct sym_text *t)
{
    (void)s;
    (void)isl;
    (void)t;
    sym_fail(&c->w, TMAP_E_NOT_BUILT, "built without isl");
}
#endif

enum tmap_status tmap_condition_padding(struct tmap_symbolic *context,
                                        const struct tmap_condition *condition,
                                        enum tmap_formula_form form, char *at, size_t cap,
                                        size_t *length)
{
    if (!context) return TMAP_E_ARGUMENT;
    if (!condition || !length || (cap && !at)) {
        return sym_report(context, TMAP_E_ARGUMENT, "a pointer is NULL");
    }
    enum tmap_status st = sym_isl_begin(context);
    if (st != TMAP_OK) return st;
    struct tmap_condition local = *condition;
    struct sym_text t = {at, cap, 0};
    if (sym_fork(&local.w, &condition->w, &context->allocator))
        pad(context, &local, form == TMAP_FORM_ISL, &t);
    st = sym_isl_status(context, &local.w);
    sym_isl_end(context);
    sym_close(&local.w);
    if (st != TMAP_OK) return sym_report(context, st, local.w.why);
    *length = t.length;
    return TMAP_OK;
}
