/* script.h : SMT-LIB queries about descriptors, one assertion per row instance. */
#ifndef TMAP_SYMBOLIC_SCRIPT_H
#define TMAP_SYMBOLIC_SCRIPT_H

#include "symbolic/smt/tree_text.h"
#include "symbolic/smt/z3.h"

/* SYM_MAX_INSTANCES: of the rows about descriptors. */
enum { SYM_MAX_NODES = 8192, SYM_MAX_INSTANCES = SUBJECT_DESC_END * TMAP_MAX_RANK };

/* A text under construction in the arena, and the trees it is printed from. */
struct sym_script {
    struct sym_work *w;
    struct sym_text text;
    struct tree tree;
    const struct tmap_target *target; /* its fields fold into the trees; NULL: they are names */
};

bool sym_script_open(struct sym_script *q, struct sym_work *w, size_t capacity);

/* A field as a known number, or as an unknown of its C type. */
void sym_script_known(struct sym_script *q, int slot, int128 value);
void sym_script_unknown(struct sym_script *q, int slot);
/* sym_script_desc() : every field that rows about descriptors read: known from desc, but those that
 *  unknown says; target's fields are known. */
void sym_script_desc(struct sym_script *q, const struct tmap_target *target,
                     const struct tmap_desc *desc, const bool *unknown);

/* sym_script_row() : the row at an index as text. Under a checker: or a row that it needs and that
 *  does not decide there is broken, so that it means nothing; checker NULL: the row alone.
 *  rank 0: the index counts where the rank has it. */
void sym_script_row(struct sym_script *q, const struct tmap_checker *checker, tmap_row row,
                    int index, uint32_t rank);

/* sym_script_tree() : the same as a tree, until the next one; TREE_BAD on failure. */
tnode sym_script_tree(struct sym_script *q, const struct tmap_checker *checker, tmap_row row,
                      int index, uint32_t rank);

/* Whether the row decides; and whether it does or one that decides needs it. The check's verdict is
 * legal where all of the latter hold, illegal where one of the former is broken whose needs hold,
 * and unknown elsewhere. */
bool sym_is_active(const struct tmap_checker *checker, tmap_row row);
bool sym_is_gate(const struct tmap_checker *checker, tmap_row row);

#endif
