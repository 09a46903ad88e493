/* simplify.h : what a conjunction says of each variable, and formulas simplified by it.
 *
 * Exact steps only: bounds and congruences of one direction are merged, atoms that follow from the
 * bounds and residues of single variables are dropped. isl does the rest (isl/sets.h).
 */
#ifndef TMAP_SYMBOLIC_SIMPLIFY_H
#define TMAP_SYMBOLIC_SIMPLIFY_H

#include "symbolic/poly/form.h"

/* What is known of each variable: its range, and its residue r modulo m (m = 0: nothing); and
 * congruences and bounds of forms of several, which serve where single ones do not suffice. */
enum { SYM_MAX_CONGRUENCES = 16, SYM_MAX_BOUNDS = 64 };

struct sym_facts {
    struct sym_range range[SYM_MAX_VARS];
    struct {
        sym_int m, r;
    } residue[SYM_MAX_VARS];
    size_t n_mods, n_bounds;
    const struct sym_form *mod[SYM_MAX_CONGRUENCES];
    const struct sym_form *bound[SYM_MAX_BOUNDS]; /* p >= 0, p of several terms */
};

/* sym_narrow() : r and x >= bound, or x <= bound. */
void sym_narrow(struct sym_range *r, bool is_lo, sym_int bound);
/* sym_lone_var() : the variable of an atom's polynomial c*v + constant, c = 1 or -1 (of a
 * congruence 1); -1: it is of another form. */
int sym_lone_var(const struct sym_work *w, const struct sym_poly *p, sym_int *coef);
bool sym_same_form(const struct sym_form *a, const struct sym_form *b);

/* sym_learn() : adds what the top-level conjuncts of f say of single variables, and what follows
 *  for the quotients. */
void sym_learn(const struct sym_work *w, struct sym_facts *facts, const struct sym_form *f);

/* sym_fix() : p with the value of each variable that facts leave one value, and f likewise: equal
 * to it wherever the facts hold. */
const struct sym_poly *sym_fix(struct sym_work *w, const struct sym_facts *facts,
                               const struct sym_poly *p);
const struct sym_form *sym_fix_form(struct sym_work *w, const struct sym_facts *facts,
                                    const struct sym_form *f);
/* sym_fixed() : that each parameter with one value has it. */
const struct sym_form *sym_fixed(struct sym_work *w, const struct sym_facts *facts);

/* sym_learn_choices() : narrows the ranges to the hull of what the arms of each disjunction say of
 *  single variables. Not for simplifying f itself: an arm must not vanish because of a bound that
 * it contributed. */
void sym_learn_choices(struct sym_work *w, struct sym_facts *facts, const struct sym_form *f);

/* sym_learn_products() : narrows the ranges of the factors of a product that a bound of facts keeps
 *  small: K*N <= 10^6 and N >= 1 give K <= 10^6. Only for formulas that the bound is no part of:
 *  it must not vanish because of what it contributed. */
void sym_learn_products(const struct sym_work *w, struct sym_facts *facts);

/* sym_factor() : a disjunction with what all its arms share taken out. */
const struct sym_form *sym_factor(struct sym_work *w, const struct sym_form *f);

/* sym_known_range() : bounds of p from those of its variables, and from bounds on p itself. */
struct sym_range sym_known_range(const struct sym_work *w, const struct sym_facts *facts,
                                 const struct sym_poly *p);

/* sym_decide() : 1 or 0 when the atom's truth follows from facts, else -1. */
int sym_decide(const struct sym_work *w, const struct sym_facts *facts,
               const struct sym_form *atom);

/* sym_simplify() : a formula equal to f wherever `given` holds. */
const struct sym_form *sym_simplify(struct sym_work *w, const struct sym_form *f,
                                    const struct sym_form *given);

#endif
