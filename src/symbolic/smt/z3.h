/* z3.h : Z3 through dlopen, asked in SMT-LIB text: what is asked is what is kept and replayed.
 *
 * libz3 is 23 MB and takes tens of milliseconds to start, so nothing of it is touched before the
 * first proof. One context per tmap context, one fresh solver per query, a deterministic resource
 * limit, an error handler of our own (Z3's calls exit).
 */
#ifndef TMAP_SYMBOLIC_Z3_H
#define TMAP_SYMBOLIC_Z3_H

#include "symbolic/context.h"

enum sym_answer { SYM_UNSAT = 0, SYM_SAT = 1, SYM_UNKNOWN = 2 };

struct sym_query {
    const char *text;          /* declarations and assertions; no check-sat */
    const char *logic;         /* "QF_LIA", "QF_BV"; NULL: the simple solver */
    const char *const *assume; /* names of Boolean constants of the text, or NULL */
    size_t n_assume;
    /* [n_assume] out, where unsat: a smallest set of them that is refuted; none can be dropped (but
     * where the budget ended the search for a smaller one). May be NULL. */
    bool *core;
};

/* sym_z3_start() : loads Z3 and makes the context. TMAP_E_NOT_BUILT with words where it is absent.
 */
enum tmap_status sym_z3_start(struct tmap_symbolic *s);
/* sym_z3_ask() : after sym_z3_start(). Errors: TMAP_E_INTERNAL for text that Z3 does not read.
 * Unknown is an answer. */
enum tmap_status sym_z3_ask(struct tmap_symbolic *s, const struct sym_query *query,
                            enum sym_answer *answer);
void sym_z3_free(struct tmap_symbolic *s);
void sym_z3_cancel(struct tmap_symbolic *s);         /* under the context's lock */
const char *sym_z3_version(struct tmap_symbolic *s); /* NULL when absent */

#endif
