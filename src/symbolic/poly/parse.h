/* parse.h : expressions and assumptions from text. Parsing depth and length are bounded. */
#ifndef TMAP_SYMBOLIC_PARSE_H
#define TMAP_SYMBOLIC_PARSE_H

#include "symbolic/poly/form.h"

/* sym_parse() : an expression. Names become parameters. NULL: w says where and why. */
const struct sym_poly *sym_parse(struct sym_work *w, const char *text);
/* sym_parse_assumption() : a chain of comparisons. */
const struct sym_form *sym_parse_assumption(struct sym_work *w, const char *text);

#endif
