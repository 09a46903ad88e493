/* poly.h : polynomials with 128-bit integer coefficients over a workspace's variables.
 *
 * A polynomial is a sorted sum of coefficient times monomial; every other layer sees it as a linear
 * form over monomials, which is how products of parameters stay opaque integers to isl.
 */
#ifndef TMAP_SYMBOLIC_POLY_H
#define TMAP_SYMBOLIC_POLY_H

#include "symbolic/poly/workspace.h"

struct sym_term {
    sym_int coef; /* not 0 */
    int mono;
};

struct sym_poly {
    size_t n;
    struct sym_term term[]; /* ascending monomials */
};

/* A range of integers; an end that is absent is infinite. */
struct sym_range {
    bool has_lo, has_hi;
    sym_int lo, hi;
};

const struct sym_poly *sym_const(struct sym_work *w, sym_int value);
const struct sym_poly *sym_of_var(struct sym_work *w, int var);
/* sym_add() : a*x + b*y. */
const struct sym_poly *sym_add(struct sym_work *w, sym_int a, const struct sym_poly *x, sym_int b,
                               const struct sym_poly *y);
const struct sym_poly *sym_mul(struct sym_work *w, const struct sym_poly *x,
                               const struct sym_poly *y);
/* sym_floor() : floor(x / by), by > 0: exact where all coefficients divide, else a new variable. */
const struct sym_poly *sym_floor(struct sym_work *w, const struct sym_poly *x, sym_int by);

/* sym_extreme() : the lesser (SYM_MIN) or greater (SYM_MAX) of x and y: one of them where their
 *  difference is known, else a new variable. */
const struct sym_poly *sym_extreme(struct sym_work *w, enum sym_var_kind kind,
                                   const struct sym_poly *x, const struct sym_poly *y);

bool sym_is_const(const struct sym_poly *p, sym_int *value);
sym_int sym_constant(const struct sym_poly *p); /* the constant term */
sym_int
sym_content(const struct sym_poly *p); /* gcd of the other coefficients; 0: there are none */
bool sym_same(const struct sym_poly *a, const struct sym_poly *b);
bool sym_is_linear(const struct sym_work *w, const struct sym_poly *p);
/* sym_part() : (p - its constant) / by, where by divides; then + constant. */
const struct sym_poly *sym_part(struct sym_work *w, const struct sym_poly *p, sym_int by,
                                sym_int constant);

/* sym_range_of() : bounds of p from bounds of the variables (indexed by variable). */
struct sym_range sym_range_of(const struct sym_work *w, const struct sym_poly *p,
                              const struct sym_range *of_var);
/* sym_range_without() : of p less its term number skip. */
struct sym_range sym_range_without(const struct sym_work *w, const struct sym_poly *p, size_t skip,
                                   const struct sym_range *of_var);
/* sym_range_of_var() : bounds of a variable that is no parameter, from those of what it is made of.
 */
struct sym_range sym_range_of_var(const struct sym_work *w, int var,
                                  const struct sym_range *of_var);
/* sym_eval() : p at the parameters' values; false on overflow of 128 bits. */
bool sym_eval(const struct sym_work *w, const struct sym_poly *p, const sym_int *params,
              sym_int *value);

#endif
