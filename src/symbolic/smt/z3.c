/* z3.c : the few functions of libz3 that we use, by name. */
#include "symbolic/smt/z3.h"

#ifdef TMAP_WITH_Z3
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <z3.h>

// clang-format off
#define Z3_FUNCTIONS(F) \
    F(mk_config) F(del_config) F(mk_context) F(del_context) F(set_error_handler) \
    F(get_error_code) F(get_error_msg) F(mk_simple_solver) F(mk_solver_for_logic) \
    F(mk_string_symbol) F(solver_inc_ref) F(solver_dec_ref) F(solver_from_string) \
    F(solver_check_assumptions) F(solver_get_unsat_core) F(ast_vector_inc_ref) \
    F(ast_vector_dec_ref) F(ast_vector_size) F(ast_vector_get) F(mk_const) F(mk_bool_sort) \
    F(mk_params) F(params_inc_ref) F(params_dec_ref) F(params_set_uint) F(solver_set_params) \
    F(interrupt) F(get_full_version) F(is_eq_ast)
// clang-format on

struct sym_z3 {
    void *library;
    Z3_context context;
#define DECLARE(f) __typeof__(Z3_##f) *f;
    Z3_FUNCTIONS(DECLARE)
#undef DECLARE
};

/* Z3's own handler prints and exits. Errors show in the return values. */
static void ignore_error(Z3_context context, Z3_error_code code)
{
    (void)context;
    (void)code;
}

static bool find(void *library, const char *name, void *slot)
{
    void *at = dlsym(library, name);
    memcpy(slot, &at, sizeof at);
    return at != NULL;
}

static bool find_all(struct sym_z3 *z)
{
    bool ok = true;
#define FIND(f) ok &= find(z->library, "Z3_" #f, &z->f);
    Z3_FUNCTIONS(FIND)
#undef FIND
    return ok;
}

static void *open_library(void)
{
    static const char *const names[] = {"libz3.so.4", "libz3.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static Z3_context new_context(struct sym_z3 *z)
{
    Z3_config config = z->mk_config();
    Z3_context context = config ? z->mk_context(config) : NULL;
    if (config) z->del_config(config);
    if (context) z->set_error_handler(context, ignore_error);
    return context;
}

enum tmap_status sym_z3_start(struct tmap_symbolic *s)
{
    enum { START_BYTES = 64 << 20 };
    if (s->z3) return TMAP_OK;
    if (!sym_has_memory(s, START_BYTES)) return TMAP_E_MEMORY;
    struct sym_z3 *z = sym_allocate(s, sizeof *z);
    if (!z) return sym_report(s, TMAP_E_MEMORY, "out of memory");
    z->library = open_library();
    if (!z->library || !find_all(z)) {
        bool found = z->library != NULL;
        if (found) dlclose(z->library);
        sym_release(s, z);
        return sym_report(s, TMAP_E_NOT_BUILT,
                          found ? "libz3 lacks a function that proofs need"
                                : "libz3 is not installed, which proofs need (apt: libz3-4)");
    }
    z->context = new_context(z);
    if (!z->context) {
        dlclose(z->library);
        sym_release(s, z);
        return sym_report(s, TMAP_E_MEMORY, "out of memory: Z3's context could not be made");
    }
    pthread_mutex_lock(&s->lock);
    s->z3 = z;
    pthread_mutex_unlock(&s->lock);
    return TMAP_OK;
}

void sym_z3_free(struct tmap_symbolic *s)
{
    if (!s->z3) return;
    s->z3->del_context(s->z3->context);
    dlclose(s->z3->library);
    sym_release(s, s->z3);
    s->z3 = NULL;
}

void sym_z3_cancel(struct tmap_symbolic *s)
{
    if (s->z3) s->z3->interrupt(s->z3->context);
}

const char *sym_z3_version(struct tmap_symbolic *s)
{
    return sym_z3_start(s) == TMAP_OK ? s->z3->get_full_version() : NULL;
}

/* With its limit, or none: without memory. */
static Z3_solver new_solver(const struct tmap_symbolic *s, const char *logic)
{
    struct sym_z3 *z = s->z3;
    Z3_context c = z->context;
    Z3_params p = z->mk_params(c);
    if (!p) return NULL;
    unsigned limit = s->z3_rlimit < 0xffffffff ? (unsigned)s->z3_rlimit : 0xffffffff;
    z->params_inc_ref(c, p);
    z->params_set_uint(c, p, z->mk_string_symbol(c, "rlimit"), limit);
    Z3_solver solver =
        logic ? z->mk_solver_for_logic(c, z->mk_string_symbol(c, logic)) : z->mk_simple_solver(c);
    if (solver) {
        z->solver_inc_ref(c, solver);
        z->solver_set_params(c, solver, p);
    }
    z->params_dec_ref(c, p);
    return solver;
}

/* Which assumptions Z3 used; all of them, where it does not say. */
static void read_core(const struct sym_z3 *z, Z3_solver solver, const struct sym_query *q,
                      const Z3_ast *assume)
{
    Z3_ast_vector used = z->solver_get_unsat_core(z->context, solver);
    for (size_t i = 0; i < q->n_assume; i++) q->core[i] = !used;
    if (!used) return;
    z->ast_vector_inc_ref(z->context, used);
    unsigned n = z->ast_vector_size(z->context, used);
    for (size_t i = 0; i < q->n_assume; i++) {
        for (unsigned k = 0; k < n; k++) {
            q->core[i] |=
                z->is_eq_ast(z->context, assume[i], z->ast_vector_get(z->context, used, k));
        }
    }
    z->ast_vector_dec_ref(z->context, used);
}

/* Drops assumptions while the rest is still refuted. */
static void minimize(const struct sym_z3 *z, Z3_solver solver, const struct sym_query *q,
                     const Z3_ast *assume, Z3_ast *left)
{
    for (size_t drop = 0; drop < q->n_assume; drop++) {
        unsigned n = 0;
        if (!q->core[drop]) continue;
        for (size_t i = 0; i < q->n_assume; i++) {
            if (q->core[i] && i != drop) left[n++] = assume[i];
        }
        if (z->solver_check_assumptions(z->context, solver, n, left) == Z3_L_FALSE) {
            q->core[drop] = false;
        }
    }
}

static enum tmap_status check(struct tmap_symbolic *s, Z3_solver solver, const struct sym_query *q,
                              enum sym_answer *answer)
{
    struct sym_z3 *z = s->z3;
    Z3_context c = z->context;
    Z3_ast *assume = q->n_assume ? sym_allocate(s, 2 * q->n_assume * sizeof *assume) : NULL;
    if (q->n_assume && !assume) return sym_report(s, TMAP_E_MEMORY, "out of memory");
    for (size_t i = 0; i < q->n_assume; i++) {
        assume[i] = z->mk_const(c, z->mk_string_symbol(c, q->assume[i]), z->mk_bool_sort(c));
    }
    Z3_lbool r = z->solver_check_assumptions(c, solver, (unsigned)q->n_assume, assume);
    *answer = r == Z3_L_FALSE ? SYM_UNSAT : r == Z3_L_TRUE ? SYM_SAT : SYM_UNKNOWN;
    if (r == Z3_L_FALSE && q->core && q->n_assume) {
        read_core(z, solver, q, assume);
        minimize(z, solver, q, assume, assume + q->n_assume);
    }
    sym_release(s, assume);
    return TMAP_OK;
}

static enum tmap_status ask(struct tmap_symbolic *s, const struct sym_query *query,
                            enum sym_answer *answer)
{
    enum tmap_status st = TMAP_OK;
    if (atomic_load(&s->cancelled)) return sym_report(s, TMAP_E_BUDGET, "cancelled");
    Z3_solver solver = new_solver(s, query->logic);
    if (!solver)
        return sym_report(s, TMAP_E_MEMORY, "out of memory: Z3's solver could not be made");
    s->z3->solver_from_string(s->z3->context, solver, query->text);
    Z3_error_code e = s->z3->get_error_code(s->z3->context);
    if (e == Z3_OK) {
        st = check(s, solver, query, answer);
    } else {
        st = sym_report(s, TMAP_E_INTERNAL, s->z3->get_error_msg(s->z3->context, e));
    }
    s->z3->solver_dec_ref(s->z3->context, solver);
    /* an interrupt may come while it reads, too */
    if ((st != TMAP_OK || *answer == SYM_UNKNOWN) && atomic_load(&s->cancelled)) {
        st = sym_report(s, TMAP_E_BUDGET, "cancelled");
    }
    return st;
}

enum tmap_status sym_z3_ask(struct tmap_symbolic *s, const struct sym_query *query,
                            enum sym_answer *answer)
{
    sym_begin(s);
    return sym_end(s, ask(s, query, answer));
}

#else

enum tmap_status sym_z3_start(struct tmap_symbolic *s)
{
    return sym_report(s, TMAP_E_NOT_BUILT, "this tmap was built without Z3, which proofs need");
}

void sym_z3_free(struct tmap_symbolic *s)
{
    (void)s;
}

void sym_z3_cancel(struct tmap_symbolic *s)
{
    (void)s;
}

const char *sym_z3_version(struct tmap_symbolic *s)
{
    (void)s;
    return NULL;
}

enum tmap_status sym_z3_ask(struct tmap_symbolic *s, const struct sym_query *query,
                            enum sym_answer *answer)
{
    (void)query;
    (void)answer;
    return sym_z3_start(s);
}
#endif
