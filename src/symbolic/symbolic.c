/* symbolic.c : the public calls about a context: opening, closing, budgets, cancelling. */
#include "symbolic/isl/session.h"
#include "symbolic/smt/z3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        sym_release(s, s);
        return TMAP_E_MEMORY;
    }
    tmap_symbolic_budget(s, o->isl_operations, o->z3_rlimit);
    *out = s;
    return TMAP_OK;
}

void tmap_symbolic_close(struct tmap_symbolic *context)
{
    if (!context) return;
    sym_isl_free(context);
    sym_z3_free(context);
    pthread_mutex_destroy(&context->lock);
    sym_release(context, context);
}

void tmap_symbolic_budget(struct tmap_symbolic *context, uint64_t isl_operations,
                          uint64_t z3_rlimit)
{
    if (!context) return;
    context->isl_operations = isl_operations ? isl_operations : ISL_OPERATIONS;
    context->z3_rlimit = z3_rlimit ? z3_rlimit : Z3_RLIMIT;
}

void tmap_symbolic_record(struct tmap_symbolic *context, tmap_record *record, void *user)
{
    if (!context) return;
    context->record = record;
    context->record_user = user;
}

/* Whether a question still runs; if so the solvers are told to stop. */
static bool interrupt(struct tmap_symbolic *s)
{
    pthread_mutex_lock(&s->lock);
    bool running = s->depth > 0;
    if (running) {
        atomic_store(&s->cancelled, true);
        sym_isl_cancel(s);
        sym_z3_cancel(s);
    }
    pthread_mutex_unlock(&s->lock);
    return running;
}

/* Z3 forgets what comes before its search begins, so it is told more than once. */
void tmap_symbolic_cancel(struct tmap_symbolic *context)
{
    enum { TRIES = 100 };
    const struct timespec pause = {0, 1000000};
    for (int i = 0; context && i < TRIES && interrupt(context); i++) nanosleep(&pause, NULL);
}

const char *tmap_symbolic_why(const struct tmap_symbolic *context)
{
    return context ? context->why : "";
}

/* "isl 0.25" of "isl-0.25-GMP\n", "Z3 4.8.12" of "4.8.12.0": three numbers at most. */
static int put_version(char *at, size_t cap, const char *name, const char *version)
{
    if (!version) return snprintf(at, cap, "no %s", name);
    const char *from = version + strcspn(version, "0123456789"), *end = from;
    for (int n = 0; n < 3; n++) {
        end += n && *end == '.';
        end += strspn(end, "0123456789");
    }
    return snprintf(at, cap, "%s %.*s", name, (int)(end - from), from);
}

const char *tmap_symbolic_solvers(struct tmap_symbolic *context)
{
    enum { HALF = sizeof context->solvers / 2 };
    if (!context) return "";
    char isl[HALF - 2], z3[HALF];
    put_version(isl, sizeof isl, "isl", sym_isl_version());
    put_version(z3, sizeof z3, "Z3", sym_z3_version(context));
    snprintf(context->solvers, sizeof context->solvers, "%s, %s", isl, z3);
    return context->solvers;
}
