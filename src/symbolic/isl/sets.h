/* sets.h : formulas as isl sets over monomials, and back.
 *
 * A frame fixes which monomials are dimensions. A product of parameters is a dimension of its own,
 * so an answer about sets is sound for the products and exact where there are none.
 */
#ifndef TMAP_SYMBOLIC_SETS_H
#define TMAP_SYMBOLIC_SETS_H

#include "symbolic/context.h"

struct isl_aff;
struct isl_set;

struct sym_frame {
    struct sym_work *w;
    struct isl_ctx *ctx;
    int n;                          /* dimensions */
    int *mono;                      /* [n] the monomial of each */
    int *dim_of_mono;               /* [SYM_MAX_MONOS] -1: none */
    const struct sym_form *defines; /* what the quotients, minima and maxima among them are */
};

/* sym_frame_open() : the parameters in order, then every other monomial that the forms, or the
 *  definitions of quotients that they mention, speak of. */
bool sym_frame_open(struct sym_frame *frame, struct sym_work *w, struct isl_ctx *ctx,
                    const struct sym_form *const *forms, size_t n);

struct isl_set *sym_to_set(const struct sym_frame *frame, const struct sym_form *f);
/* sym_from_set() : a disjunction of conjunctions. Reads set, does not take it. */
const struct sym_form *sym_from_set(const struct sym_frame *frame, struct isl_set *set);
/* sym_from_aff() : an affine function of the parameters, whose denominator is 1. */
const struct sym_poly *sym_from_aff(const struct sym_frame *frame, struct isl_aff *aff);

#endif
