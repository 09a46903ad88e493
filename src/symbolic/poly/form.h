/* form.h : formulas: and, or over comparisons and congruences of polynomials.
 *
 * Negation is pushed to the atoms while a formula is built, atoms are brought to lowest terms, and
 * what is constant folds away.
 */
#ifndef TMAP_SYMBOLIC_FORM_H
#define TMAP_SYMBOLIC_FORM_H

#include "symbolic/poly/poly.h"

enum sym_kind {
    SYM_FALSE,
    SYM_TRUE,
    SYM_GE,   /* poly >= 0 */
    SYM_EQ,   /* poly = 0 */
    SYM_MOD,  /* modulus divides poly; modulus >= 2 */
    SYM_NMOD, /* it does not */
    SYM_AND,
    SYM_OR
};

struct sym_form {
    enum sym_kind kind;
    const struct sym_poly *poly;
    sym_int modulus;
    size_t n;
    const struct sym_form *const *arg; /* n of them, none of them of this kind */
};

const struct sym_form *sym_bool(struct sym_work *w, bool value);
/* sym_atom() : of a polynomial in lowest terms; the next three bring it there. */
const struct sym_form *sym_atom(struct sym_work *w, enum sym_kind kind, const struct sym_poly *p,
                                sym_int modulus);
const struct sym_form *sym_ge(struct sym_work *w, const struct sym_poly *p);
const struct sym_form *sym_eq(struct sym_work *w, const struct sym_poly *p);
const struct sym_form *sym_mod(struct sym_work *w, const struct sym_poly *p, sym_int modulus);
/* sym_join() : the SYM_AND or SYM_OR of n formulas. */
const struct sym_form *sym_join(struct sym_work *w, enum sym_kind kind, size_t n,
                                const struct sym_form *const *arg);
const struct sym_form *sym_and(struct sym_work *w, const struct sym_form *a,
                               const struct sym_form *b);
const struct sym_form *sym_or(struct sym_work *w, const struct sym_form *a,
                              const struct sym_form *b);
const struct sym_form *sym_not(struct sym_work *w, const struct sym_form *f);

/* sym_holds() : f at the parameters' values: 1, 0, or -1 on overflow of 128 bits. */
int sym_holds(const struct sym_work *w, const struct sym_form *f, const sym_int *params);

/* Whether no atom of f has a product of variables. */
bool sym_is_affine(const struct sym_work *w, const struct sym_form *f);

/* The conjuncts of f: itself when it is no conjunction. */
size_t sym_conjuncts(const struct sym_form *const *f, const struct sym_form *const **out);

#endif
