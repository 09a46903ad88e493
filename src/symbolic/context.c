/* context.c : contexts, their memory, and what a build without isl answers. */
#include "symbolic/smt/z3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ISL_OPERATIONS = 5000000, Z3_RLIMIT = 20000000 };

enum tmap_status tmap_symbolic_open(const struct tmap_symbolic_options *options,
                                    struct tmap_symbolic **out)
{
    static const struct tmap_symbolic_options defaults = {0};
    if (!out) return TMAP_E_ARGUMENT;
    const struct tmap_symbolic_options *o = options ? options : &defaults;
    if (!o->allocator.allocate != !o->allocator.release) return TMAP_E_ARGUMENT;
    struct tmap_symbolic *s = o->allocator.allocate
                                  ? o->allocator.allocate(o->allocator.user, sizeof *s)
                                  : malloc(sizeof *s);
    if (!s) return TMAP_E_MEMORY;
    memset(s, 0, sizeof *s);
    s->allocator = o->allocator;
    atomic_init(&s->cancelled, false);
    tmap_symbolic_budget(s, o->isl_operations, o->z3_rlimit);
    *out = s;
    return TMAP_OK;
}

void tmap_symbolic_close(struct tmap_symbolic *context)
{
    if (!context) return;
    sym_isl_free(context);
    sym_z3_free(context);
    sym_release(context, context);
}

void tmap_symbolic_budget(struct tmap_symbolic *context, uint64_t isl_operations,
                          uint64_t z3_rlimit)
{
    context->isl_operations = isl_operations ? isl_operations : ISL_OPERATIONS;
    context->z3_rlimit = z3_rlimit ? z3_rlimit : Z3_RLIMIT;
}

void tmap_symbolic_cancel(struct tmap_symbolic *context)
{
    if (!context) return;
    atomic_store(&context->cancelled, true);
    sym_isl_cancel(context);
    sym_z3_cancel(context);
}

const char *tmap_symbolic_why(const struct tmap_symbolic *context)
{
    return context ? context->why : "";
}

enum tmap_status sym_report(struct tmap_symbolic *s, enum tmap_status status, const char *why)
{
    snprintf(s->why, sizeof s->why, "%s", why);
    return status;
}

void *sym_allocate(struct tmap_symbolic *s, size_t bytes)
{
    void *p =
        s->allocator.allocate ? s->allocator.allocate(s->allocator.user, bytes) : malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void sym_release(struct tmap_symbolic *s, void *block)
{
    if (s->allocator.release) {
        if (block) s->allocator.release(s->allocator.user, block);
    } else {
        free(block);
    }
}

const char *tmap_symbolic_solvers(struct tmap_symbolic *context)
{
    const char *isl = sym_isl_version(), *z3 = sym_z3_version(context);
    size_t end = isl ? strcspn(isl, "\n") : 0;
    snprintf(context->solvers, sizeof context->solvers, "%.*s, %s", isl ? (int)end : 6,
             isl ? isl : "no isl", z3 ? z3 : "no Z3");
    return context->solvers;
}
