/* law.h : the laws of laws.def, proved by isl for all values. */
#ifndef TESTS_PROVE_LAW_H
#define TESTS_PROVE_LAW_H

#include "symbolic/context.h"

enum { LAW_LINES = 12 };

struct law {
    const char *name;
    const char *let[LAW_LINES], *given[LAW_LINES], *claim[LAW_LINES], *by[LAW_LINES];
};

/* law_at() : the i-th; NULL past the end. law_of() : by name. */
const struct law *law_at(size_t i);
const struct law *law_of(const char *name);

/* A law read into a workspace: its names are the workspace's parameters. */
struct law_text {
    struct sym_work *w;
    const struct law *law;
};

/* law_expand() : text with each name that the law defines replaced by what it stands for. */
const char *law_expand(const struct law_text *t, const char *text);
/* law_defines() : what stands for the name, expanded; NULL: nothing does. */
const struct sym_poly *law_defines(const struct law_text *t, const char *name);
const struct sym_form *law_given(const struct law_text *t, int line);
/* law_claim() : the claim as a formula. */
const struct sym_form *law_claim(const struct law_text *t, int line);

/* law_is_proved() : whether isl refutes that what is given holds and the claim does not. `dropped`:
 * without that line of GIVEN; -1: with all. pieces, if not NULL, counts the sets that were asked.
 */
bool law_is_proved(struct tmap_symbolic *s, const struct law *law, int claim, int dropped,
                   long *pieces);

#endif
