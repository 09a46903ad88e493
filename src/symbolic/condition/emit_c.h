/* emit_c.h : formulas as C expressions over int64_t parameters, free of overflow and of branches.
 */
#ifndef TMAP_SYMBOLIC_EMIT_C_H
#define TMAP_SYMBOLIC_EMIT_C_H

#include "symbolic/poly/simplify.h"

/* Helper functions that the text needs before it. */
enum { SYM_NEEDS_WIDE = 1, SYM_NEEDS_SATURATION = 2, SYM_NEEDS_FLOOR = 4, SYM_NEEDS_LESSER = 8 };

struct sym_c_text {
    struct sym_text *t;
    struct sym_work *w;
    const char *name; /* prefix of the helpers */
    unsigned needs;   /* filled in */
};

/* sym_emit_c() : an int expression, 1 exactly where f holds, for every argument. False: a number
 *  beyond what 128 bits hold (w says which). */
bool sym_emit_c(struct sym_c_text *c, const struct sym_form *f);

#endif
