/* context.h : the inside of struct tmap_symbolic. */
#ifndef TMAP_SYMBOLIC_CONTEXT_H
#define TMAP_SYMBOLIC_CONTEXT_H

#include "symbolic/poly/form.h"

#include <stdatomic.h>

struct isl_ctx;
struct sym_z3;

struct tmap_symbolic {
    uint64_t isl_operations, z3_rlimit;
    struct tmap_allocator allocator;
    struct isl_ctx *isl; /* NULL until the first question */
    struct sym_z3 *z3;   /* NULL until the first proof */
    atomic_bool cancelled;
    char why[200];
    char solvers[96];
};

/* sym_isl_begin() : starts isl where needed and gives a question its budget. isl prints nothing and
 *  continues on errors. */
enum tmap_status sym_isl_begin(struct tmap_symbolic *s);
/* sym_isl_status() : what went wrong since sym_isl_begin(), in w as well. */
enum tmap_status sym_isl_status(struct tmap_symbolic *s, struct sym_work *w);
void sym_isl_end(struct tmap_symbolic *s);
void sym_isl_free(struct tmap_symbolic *s);
void sym_isl_cancel(struct tmap_symbolic *s);
const char *sym_isl_version(void); /* NULL: built without */

void sym_z3_free(struct tmap_symbolic *s);
void sym_z3_cancel(struct tmap_symbolic *s);

/* sym_report() : keeps why a question failed. Returns status. */
enum tmap_status sym_report(struct tmap_symbolic *s, enum tmap_status status, const char *why);

void *sym_allocate(struct tmap_symbolic *s, size_t bytes); /* zeroed */
void sym_release(struct tmap_symbolic *s, void *block);

#endif
