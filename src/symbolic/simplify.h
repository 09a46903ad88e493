/* simplify.h : what a conjunction says of each variable, and formulas simplified by it.
 *
 * Exact steps only: bounds and congruences of one direction are merged, atoms that follow from the
 * bounds and residues of single variables are dropped. isl does the rest (gist.h).
 */
#ifndef TMAP_SYMBOLIC_SIMPLIFY_H
#define TMAP_SYMBOLIC_SIMPLIFY_H

#include "symbolic/form.h"

/* What is known of each variable: its range, and its residue r modulo m (m = 0: nothing); and
 * congruences of linear forms of several, which serve to decide those of products. */
enum { SYM_MAX_CONGRUENCES = 16 };

struct sym_facts {
    struct sym_range range[SYM_MAX_VARS];
    struct {
        sym_int m, r;
    } residue[SYM_MAX_VARS];
    size_t n_mods;
    const struct sym_form *mod[SYM_MAX_CONGRUENCES];
};

/* sym_learn() : adds what the top-level conjuncts of f say of single variables, and what follows
 *  for the quotients. */
void sym_learn(const struct sym_work *w, struct sym_facts *facts, const struct sym_form *f);

/* sym_decide() : 1 or 0 when the atom's truth follows from facts, else -1. */
int sym_decide(const struct sym_work *w, const struct sym_facts *facts,
               const struct sym_form *atom);

/* sym_simplify() : a formula equal to f wherever `given` holds. */
const struct sym_form *sym_simplify(struct sym_work *w, const struct sym_form *f,
                                    const struct sym_form *given);

#endif
