/* session.h : one isl context per tmap context, under a budget, silent, continuing on errors. */
#ifndef TMAP_SYMBOLIC_SESSION_H
#define TMAP_SYMBOLIC_SESSION_H

#include "symbolic/context.h"

/* sym_isl_begin() : starts isl where needed and gives a question its budget; on success
 *  sym_isl_end() follows. */
enum tmap_status sym_isl_begin(struct tmap_symbolic *s);
/* sym_isl_status() : what went wrong since sym_isl_begin(), in w as well. */
enum tmap_status sym_isl_status(struct tmap_symbolic *s, struct sym_work *w);
/* sym_isl_lost() : isl gave NULL for an answer: it has said why, or found no memory. */
void sym_isl_lost(struct tmap_symbolic *s, struct sym_work *w);
void sym_isl_end(struct tmap_symbolic *s);
void sym_isl_free(struct tmap_symbolic *s);
void sym_isl_cancel(struct tmap_symbolic *s); /* under the context's lock */
const char *sym_isl_version(void);            /* NULL: built without */

#endif
