/* lower.h : a row's tree as a formula over the parameters. */
#ifndef TMAP_SYMBOLIC_LOWER_H
#define TMAP_SYMBOLIC_LOWER_H

#include "expr/tree.h"
#include "symbolic/poly/simplify.h"

struct sym_lowering {
    struct sym_work *w;
    const struct tree *tree;
    const struct sym_poly *field[FIELD_SLOTS]; /* NULL: the tree has it as a constant */
    const struct sym_facts *facts;             /* what holds wherever the answer matters */
    const struct sym_form *patched_legal;      /* of a tensormap.replace; NULL: not known */
};

/* sym_lower() : boolean node n. Exact wherever facts hold; NULL, and w says why, where there is no
 *  exact form: a quotient or a table by a value that may be too many. */
const struct sym_form *sym_lower(struct sym_lowering *l, tnode n);

#endif
