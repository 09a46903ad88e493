/* tree_text.h : a row's tree as SMT-LIB text, over ideal integers or over wide bit-vectors. */
#ifndef TMAP_SYMBOLIC_TREE_TEXT_H
#define TMAP_SYMBOLIC_TREE_TEXT_H

#include "expr/row.h"
#include "symbolic/poly/workspace.h"

/* How a field is held in C: bits, and whether negative. */
struct sym_width {
    int bits;
    bool is_signed;
};
struct sym_width sym_width_of(int slot);

/* sym_smt_name() : a field's symbol: "dim_0", "swizzle". */
const char *sym_smt_name(int slot, char name[48]);

/* sym_smt_tree() : node n. bits 0: the theory of integers; else bit-vectors of that width, to which
 *  each field's own bit-vector is extended; wide enough where no node leaves +-2^(bits-1). */
void sym_smt_tree(struct sym_text *t, const struct tree *tree, tnode n, int bits);

/* sym_bind_free() : a binding under which nothing folds: every field is a variable. */
tnode sym_bind_free(struct tree *t, int slot, void *unused);

#endif
