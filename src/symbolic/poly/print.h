/* print.h : formulas and polynomials as text, in isl's syntax, and as Python. */
#ifndef TMAP_SYMBOLIC_PRINT_H
#define TMAP_SYMBOLIC_PRINT_H

#include "symbolic/poly/form.h"

enum sym_language { SYM_TEXT, SYM_ISL, SYM_PYTHON };

void sym_print_form(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                    const struct sym_form *f);
void sym_print_poly(struct sym_text *t, const struct sym_work *w, enum sym_language language,
                    const struct sym_poly *p);
/* sym_print_isl() : the set of parameter values, products as parameters named N_K. */
void sym_print_isl(struct sym_text *t, const struct sym_work *w, const struct sym_form *f);

/* sym_put_target() : target, contract and basis in words. */
void sym_put_target(struct sym_text *t, const struct tmap_checker *checker);

/* A conjunction sorted for reading: congruences, equalities, ranges of one direction, the rest. */
struct sym_clause {
    size_t n;
    struct sym_entry {
        const struct sym_form *atom;  /* or a disjunction */
        const struct sym_form *upper; /* the other end of a range, or NULL */
    } entry[SYM_MAX_CONJUNCTS];
};
void sym_sort_clause(const struct sym_form *f, struct sym_clause *clause);

#endif
