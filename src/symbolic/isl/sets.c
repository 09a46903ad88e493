/* sets.c : one basic set per conjunction of atoms, filled as a matrix (adding atom by atom to a
 * large space costs a hundred times more), and the way back. */
#include "symbolic/isl/sets.h"
#include "symbolic/poly/simplify.h"

#ifdef TMAP_WITH_ISL
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/mat.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

/* --- the frame ------------------------------------------------------------------------------ */

static void add_mono(struct sym_frame *frame, int mono)
{
    if (mono == 0 || frame->dim_of_mono[mono] >= 0) return;
    frame->dim_of_mono[mono] = frame->n;
    frame->mono[frame->n++] = mono;
}

static void add_poly(struct sym_frame *frame, const struct sym_poly *p)
{
    for (size_t i = 0; i < p->n; i++) add_mono(frame, p->term[i].mono);
}

static void add_form(struct sym_frame *frame, const struct sym_form *f)
{
    if (f->poly) add_poly(frame, f->poly);
    for (size_t i = 0; i < f->n; i++) add_form(frame, f->arg[i]);
}

static bool mentions(const struct sym_frame *frame, int var)
{
    for (int i = 0; i < frame->n; i++) {
        const struct sym_mono *m = &frame->w->mono[frame->mono[i]];
        for (int k = 0; k < m->degree; k++) {
            if (m->var[k] == var) return true;
        }
    }
    return false;
}

/* sign*(of - m) >= 0 and sign*(with - m) >= 0, one of them as an equation */
static const struct sym_form *extreme(struct sym_work *w, int var)
{
    const struct sym_var *m = &w->var[var];
    const sym_int sign = m->kind == SYM_MIN ? 1 : -1;
    const struct sym_poly *x = sym_of_var(w, var);
    const struct sym_poly *a = x ? sym_add(w, sign, m->of, -sign, x) : NULL;
    const struct sym_poly *b = x ? sym_add(w, sign, m->with, -sign, x) : NULL;
    const struct sym_form *both = sym_and(w, sym_ge(w, a), sym_ge(w, b));
    return sym_and(w, both, sym_or(w, sym_eq(w, a), sym_eq(w, b)));
}

/* by*q <= of <= by*q + by - 1 */
static const struct sym_form *definition(struct sym_work *w, int var)
{
    if (w->var[var].kind != SYM_QUOTIENT) return extreme(w, var);
    const struct sym_poly *q = sym_of_var(w, var), *top = sym_const(w, w->var[var].by - 1);
    const struct sym_poly *rest = q ? sym_add(w, 1, w->var[var].of, -w->var[var].by, q) : NULL;
    if (!rest || !top) return NULL;
    return sym_and(w, sym_ge(w, rest), sym_ge(w, sym_add(w, 1, top, -1, rest)));
}

/* Quotients, minima and maxima that the dimensions mention; their parts may mention others. */
static bool define_made(struct sym_frame *frame)
{
    bool done[SYM_MAX_VARS] = {false}, again = true;
    while (again) {
        again = false;
        for (int v = SYM_MAX_PARAMS; v < (int)frame->w->n_vars; v++) {
            if (done[v] || !mentions(frame, v)) continue;
            const struct sym_form *f = definition(frame->w, v);
            if (!f) return false;
            add_form(frame, f);
            frame->defines = sym_and(frame->w, frame->defines, f);
            done[v] = again = true;
        }
    }
    return frame->defines != NULL;
}

bool sym_frame_open(struct sym_frame *frame, struct sym_work *w, struct isl_ctx *ctx,
                    const struct sym_form *const *forms, size_t n)
{
    *frame = (struct sym_frame){.w = w, .ctx = ctx, .defines = sym_bool(w, true)};
    frame->mono = sym_take(w, SYM_MAX_MONOS * sizeof *frame->mono);
    frame->dim_of_mono = sym_take(w, SYM_MAX_MONOS * sizeof *frame->dim_of_mono);
    if (!frame->mono || !frame->dim_of_mono || !frame->defines) return false;
    for (int i = 0; i < SYM_MAX_MONOS; i++) frame->dim_of_mono[i] = -1;
    for (size_t v = 0; v < w->n_params; v++) {
        int mono = sym_mono_var(w, (int)v);
        if (mono < 0) return false;
        add_mono(frame, mono);
    }
    for (size_t i = 0; i < n; i++) {
        if (!forms[i]) return false;
        add_form(frame, forms[i]);
    }
    return define_made(frame);
}

/* --- formulas to sets ----------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

static isl_val *to_val(isl_ctx *ctx, sym_int x)
{
    if (x == (long)x) return isl_val_int_from_si(ctx, (long)x);
    wide u = x < 0 ? -(wide)x : (wide)x;
    uint64_t chunk[2] = {(uint64_t)u, (uint64_t)(u >> 64)};
    isl_val *v = isl_val_int_from_chunks(ctx, 2, sizeof chunk[0], chunk);
    return x < 0 ? isl_val_neg(v) : v;
}

struct rows {
    const struct sym_frame *frame;
    isl_mat *eq, *ineq;
    int n_eq, n_ineq, n_div, columns;
};

static isl_mat *put(const struct rows *r, isl_mat *m, int row, int column, sym_int x)
{
    if (x == (int)x) return isl_mat_set_element_si(m, row, column, (int)x);
    return isl_mat_set_element_val(m, row, column, to_val(r->frame->ctx, x));
}

/* Row `row` becomes sign*p + constant; the other columns are 0 already. */
static isl_mat *put_poly(const struct rows *r, isl_mat *m, int row, sym_int sign,
                         const struct sym_poly *p, sym_int constant)
{
    for (size_t i = 0; i < p->n; i++) {
        int mono = p->term[i].mono;
        sym_int c = sign * p->term[i].coef;
        if (mono == 0) {
            constant += c;
        } else {
            m = put(r, m, row, r->frame->dim_of_mono[mono], c);
        }
    }
    return put(r, m, row, r->columns - 1, constant);
}

static void put_atom(struct rows *r, const struct sym_form *f)
{
    int div = r->frame->n + r->n_div;
    switch (f->kind) {
    case SYM_GE:
        r->ineq = put_poly(r, r->ineq, r->n_ineq++, 1, f->poly, 0);
        return;
    case SYM_EQ:
        r->eq = put_poly(r, r->eq, r->n_eq++, 1, f->poly, 0);
        return;
    case SYM_MOD: /* some q has p = m*q */
        r->eq = put_poly(r, r->eq, r->n_eq, 1, f->poly, 0);
        r->eq = put(r, r->eq, r->n_eq++, div, -f->modulus);
        break;
    default: /* some q has 1 <= p - m*q <= m - 1 */
        r->ineq = put_poly(r, r->ineq, r->n_ineq, 1, f->poly, -1);
        r->ineq = put(r, r->ineq, r->n_ineq++, div, -f->modulus);
        r->ineq = put_poly(r, r->ineq, r->n_ineq, -1, f->poly, f->modulus - 1);
        r->ineq = put(r, r->ineq, r->n_ineq++, div, f->modulus);
        break;
    }
    r->n_div++;
}

static isl_mat *zeros(isl_ctx *ctx, int rows, int columns)
{
    isl_mat *m = isl_mat_alloc(ctx, (unsigned)rows, (unsigned)columns);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) m = isl_mat_set_element_si(m, i, j, 0);
    }
    return m;
}

static isl_space *space_of(const struct sym_frame *frame)
{
    return isl_space_set_alloc(frame->ctx, 0, (unsigned)frame->n);
}

/* The atoms of list; other formulas in it are skipped. */
static isl_set *atoms_to_set(const struct sym_frame *frame, const struct sym_form *const *list,
                             size_t n)
{
    int eq = 0, ineq = 0, div = 0;
    for (size_t i = 0; i < n; i++) {
        eq += list[i]->kind == SYM_EQ || list[i]->kind == SYM_MOD;
        ineq += list[i]->kind == SYM_GE ? 1 : list[i]->kind == SYM_NMOD ? 2 : 0;
        div += list[i]->kind == SYM_MOD || list[i]->kind == SYM_NMOD;
    }
    struct rows r = {.frame = frame, .columns = frame->n + div + 1};
    r.eq = zeros(frame->ctx, eq, r.columns);
    r.ineq = zeros(frame->ctx, ineq, r.columns);
    for (size_t i = 0; i < n; i++) {
        if (list[i]->kind >= SYM_GE && list[i]->kind < SYM_AND) put_atom(&r, list[i]);
    }
    return isl_set_from_basic_set(isl_basic_set_from_constraint_matrices(
        space_of(frame), r.eq, r.ineq, isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst));
}

struct isl_set *sym_to_set(const struct sym_frame *frame, const struct sym_form *f)
{
    if (!f || f->kind == SYM_FALSE) return f ? isl_set_empty(space_of(frame)) : NULL;
    if (f->kind == SYM_OR) {
        isl_set *all = isl_set_empty(space_of(frame));
        for (size_t i = 0; i < f->n; i++) all = isl_set_union(all, sym_to_set(frame, f->arg[i]));
        return all;
    }
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg);
    isl_set *all = atoms_to_set(frame, arg, n);
    for (size_t i = 0; i < n; i++) {
        if (arg[i]->kind == SYM_OR) all = isl_set_intersect(all, sym_to_set(frame, arg[i]));
    }
    return all;
}

/* --- sets to formulas ----------------------------------------------------------------------- */

enum { MAX_DIVS = 32 };

struct reader {
    const struct sym_frame *frame;
    struct sym_work *w;
    const struct sym_form *all; /* of the present basic set */
    const struct sym_form *any;
    isl_basic_set *bset;
    int n_dim, n_div;
    const struct sym_poly *div[MAX_DIVS]; /* NULL: an integer of which nothing is said */
};

static bool from_val(struct sym_work *w, isl_val *v, sym_int *x)
{
    uint64_t chunk[2] = {0, 0};
    const bool fits =
        isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, sizeof chunk[0]) <= 2;
    if (fits) isl_val_get_abs_num_chunks(v, sizeof chunk[0], chunk);
    const bool ok = fits && chunk[1] >> 62 == 0;
    if (ok) {
        *x = (sym_int)(((wide)chunk[1] << 64) | chunk[0]);
        if (isl_val_is_neg(v) == isl_bool_true) *x = -*x;
    } else {
        sym_fail(w, TMAP_E_BUDGET, "isl's answer has a number beyond 126 bits");
    }
    isl_val_free(v);
    return ok;
}

static const struct sym_poly *scaled_var(struct sym_work *w, const struct sym_poly *sum, sym_int c,
                                         const struct sym_poly *x)
{
    return c && x ? sym_add(w, 1, sum, c, x) : sum;
}

static const struct sym_poly *mono_poly(struct sym_work *w, int mono)
{
    struct sym_poly *p = sym_take(w, sizeof *p + sizeof p->term[0]);
    if (p) {
        p->n = 1;
        p->term[0] = (struct sym_term){1, mono};
    }
    return p;
}

/* by * aff as a polynomial, where div gives the first n_div quotients that aff speaks of. */
static const struct sym_poly *numerator(const struct sym_frame *frame, isl_aff *aff, sym_int by,
                                        const struct sym_poly *const *div, int n_div)
{
    struct sym_work *w = frame->w;
    sym_int c;
    isl_aff *whole = isl_aff_scale_val(isl_aff_copy(aff), to_val(frame->ctx, by));
    const struct sym_poly *sum =
        from_val(w, isl_aff_get_constant_val(whole), &c) ? sym_const(w, c) : NULL;
    for (int i = 0; sum && i < isl_aff_dim(whole, isl_dim_in); i++) {
        bool ok = from_val(w, isl_aff_get_coefficient_val(whole, isl_dim_in, i), &c);
        sum = ok ? scaled_var(w, sum, c, mono_poly(w, frame->mono[i])) : NULL;
    }
    for (int i = 0; sum && i < n_div; i++) {
        bool ok = from_val(w, isl_aff_get_coefficient_val(whole, isl_dim_div, i), &c);
        sum = ok && (!c || div[i]) ? scaled_var(w, sum, c, div[i]) : NULL;
    }
    isl_aff_free(whole);
    return sum;
}

/* floor(numerator / denominator), as isl defines div number k by earlier ones. */
static const struct sym_poly *read_div(struct reader *r, int k)
{
    sym_int by;
    isl_aff *aff = isl_basic_set_get_div(r->bset, k);
    const struct sym_poly *q = NULL;
    if (!aff && isl_ctx_last_error(r->frame->ctx) == isl_error_invalid) {
        isl_ctx_reset_error(r->frame->ctx); /* isl's word for a div without a definition */
        return NULL;
    }
    if (aff && from_val(r->w, isl_aff_get_denominator_val(aff), &by)) {
        q = sym_floor(r->w, numerator(r->frame, aff, by, r->div, k), by);
    }
    isl_aff_free(aff);
    return q;
}

const struct sym_poly *sym_from_aff(const struct sym_frame *frame, struct isl_aff *aff)
{
    const struct sym_poly *div[MAX_DIVS];
    int n = (int)isl_aff_dim(aff, isl_dim_div);
    if (n < 0 || n > MAX_DIVS) {
        return sym_fail(frame->w, TMAP_E_BUDGET, "isl's answer has %d quotients", n);
    }
    for (int k = 0; k < n; k++) {
        sym_int by;
        isl_aff *of = isl_aff_get_div(aff, k);
        bool ok = from_val(frame->w, isl_aff_get_denominator_val(of), &by);
        div[k] = ok ? sym_floor(frame->w, numerator(frame, of, by, div, k), by) : NULL;
        isl_aff_free(of);
        if (!div[k]) return NULL;
    }
    return numerator(frame, aff, 1, div, n);
}

/* Whether div number k appears in another row than `row` of m. */
static bool used_elsewhere(isl_mat *m, int k, int row)
{
    bool used = false;
    for (int i = 0; !used && i < isl_mat_rows(m); i++) {
        if (i == row) continue;
        isl_val *v = isl_mat_get_element_val(m, i, k);
        used = isl_val_is_zero(v) == isl_bool_false;
        isl_val_free(v);
    }
    return used;
}

/* of - by*floor(of/by) - r = 0 is of = r modulo by: the same said without the quotient. */
static const struct sym_form *equality(struct sym_work *w, const struct sym_poly *p)
{
    for (size_t i = 0; p && i < p->n; i++) {
        const struct sym_mono *m = &w->mono[p->term[i].mono];
        if (m->degree != 1 || m->var[0] < SYM_MAX_PARAMS) continue;
        const struct sym_var *q = &w->var[m->var[0]];
        if (q->kind != SYM_QUOTIENT) continue;
        const sym_int coef = p->term[i].coef, sign = coef == q->by ? -1 : 1;
        sym_int c;
        if (coef != q->by && coef != -q->by) continue;
        const struct sym_poly *rest = sym_add(w, sign, p, -1, q->of);
        rest = rest ? sym_add(w, 1, rest, q->by, sym_of_var(w, m->var[0])) : NULL;
        if (!rest || !sym_is_const(rest, &c) || c > 0 || c <= -q->by) continue;
        return sym_mod(w, sym_add(w, 1, q->of, 1, rest), q->by);
    }
    return sym_eq(w, p);
}

/* One row of a constraint matrix: columns are dimensions, divs, constant. */
static const struct sym_form *read_row(struct reader *r, isl_mat *m, isl_mat *other, int row,
                                       bool is_eq)
{
    struct sym_work *w = r->w;
    sym_int c, modulus = 0;
    int n = r->n_dim, last = n + r->n_div;
    if (!from_val(w, isl_mat_get_element_val(m, row, last), &c)) return NULL;
    const struct sym_poly *p = sym_const(w, c);
    for (int i = 0; p && i < n; i++) {
        if (!from_val(w, isl_mat_get_element_val(m, row, i), &c)) return NULL;
        if (c) p = scaled_var(w, p, c, mono_poly(w, r->frame->mono[i]));
    }
    for (int k = 0; p && k < r->n_div; k++) {
        if (!from_val(w, isl_mat_get_element_val(m, row, n + k), &c)) return NULL;
        if (!c) continue;
        if (r->div[k]) {
            p = sym_add(w, 1, p, c, r->div[k]);
        } else if (is_eq && !used_elsewhere(m, n + k, row) && !used_elsewhere(other, n + k, -1)) {
            modulus = sym_gcd(modulus, c);
        } else {
            return sym_fail(w, TMAP_E_BUDGET, "isl's answer has a quantifier");
        }
    }
    if (!is_eq) return sym_ge(w, p);
    return modulus > 1 ? sym_mod(w, p, modulus) : modulus ? sym_bool(w, true) : equality(w, p);
}

static isl_stat read_basic_set(isl_basic_set *bset, void *user)
{
    struct reader *r = user;
    r->bset = bset;
    r->all = sym_bool(r->w, true);
    r->n_dim = (int)isl_basic_set_dim(bset, isl_dim_set);
    r->n_div = (int)isl_basic_set_dim(bset, isl_dim_div);
    if (r->n_div < 0 || r->n_div > MAX_DIVS) {
        sym_fail(r->w, TMAP_E_BUDGET, "isl's answer has %d quotients", r->n_div);
        r->n_div = 0;
    }
    for (int k = 0; k < r->n_div; k++) r->div[k] = read_div(r, k);
    isl_mat *eq =
        isl_basic_set_equalities_matrix(bset, isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
    isl_mat *ineq = isl_basic_set_inequalities_matrix(bset, isl_dim_set, isl_dim_div, isl_dim_param,
                                                      isl_dim_cst);
    for (int i = 0; r->w->status == TMAP_OK && i < isl_mat_rows(eq); i++) {
        r->all = sym_and(r->w, r->all, read_row(r, eq, ineq, i, true));
    }
    for (int i = 0; r->w->status == TMAP_OK && i < isl_mat_rows(ineq); i++) {
        r->all = sym_and(r->w, r->all, read_row(r, ineq, eq, i, false));
    }
    isl_mat_free(eq);
    isl_mat_free(ineq);
    isl_basic_set_free(bset);
    r->any = sym_or(r->w, r->any, r->all);
    return r->w->status == TMAP_OK ? isl_stat_ok : isl_stat_error;
}

const struct sym_form *sym_from_set(const struct sym_frame *frame, struct isl_set *set)
{
    struct reader r = {.frame = frame, .w = frame->w, .any = sym_bool(frame->w, false)};
    if (isl_set_foreach_basic_set(set, read_basic_set, &r) != isl_stat_ok) return NULL;
    return sym_factor(frame->w, r.any);
}
#endif
