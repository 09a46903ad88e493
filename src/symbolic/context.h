/* context.h : the inside of struct tmap_symbolic. */
#ifndef TMAP_SYMBOLIC_CONTEXT_H
#define TMAP_SYMBOLIC_CONTEXT_H

#include "symbolic/poly/form.h"

#include <pthread.h>
#include <stdatomic.h>

struct isl_ctx;
struct sym_z3;

struct tmap_symbolic {
    uint64_t isl_operations, z3_rlimit;
    struct tmap_allocator allocator;
    struct isl_ctx *isl;  /* NULL until the first question */
    struct sym_z3 *z3;    /* NULL until the first proof */
    pthread_mutex_t lock; /* of what cancelling from another thread reads: depth, isl, z3 */
    int depth;            /* of questions within questions; 0: none runs */
    atomic_bool cancelled;
    tmap_record *record; /* called with each question that was asked; NULL: none is */
    void *record_user;
    char why[200];
    char solvers[96];
};

/* sym_report() : keeps why a question failed. Returns status. */
enum tmap_status sym_report(struct tmap_symbolic *s, enum tmap_status status, const char *why);

/* sym_has_memory() : whether so many bytes can be had now: solvers that start without end the
 *  process. */
bool sym_has_memory(struct tmap_symbolic *s, size_t bytes);

void *sym_allocate(struct tmap_symbolic *s, size_t bytes); /* zeroed */
void sym_release(struct tmap_symbolic *s, void *block);

/* sym_begin(), sym_end() : around a question; one may be part of another. A cancel counts while one
 *  runs, and no longer. sym_end() returns status. */
void sym_begin(struct tmap_symbolic *s);
enum tmap_status sym_end(struct tmap_symbolic *s, enum tmap_status status);

#endif
