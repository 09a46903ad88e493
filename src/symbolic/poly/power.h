/* power.h : comparisons and congruences of the powers of one variable, said of the variable itself:
 * K*K <= 100 is -10 <= K <= 10, and K*K = 0 modulo 8 is K = 0 modulo 4.
 *
 * Each gives a formula equal to the atom, or NULL where there is no such one (w->status says
 * whether something failed).
 */
#ifndef TMAP_SYMBOLIC_POWER_H
#define TMAP_SYMBOLIC_POWER_H

#include "symbolic/poly/form.h"

/* p >= 0, p = 0, modulus divides p (its coefficients reduced). */
const struct sym_form *sym_power_ge(struct sym_work *w, const struct sym_poly *p);
const struct sym_form *sym_power_eq(struct sym_work *w, const struct sym_poly *p);
const struct sym_form *sym_power_mod(struct sym_work *w, const struct sym_poly *p, sym_int modulus);

#endif
