/* workspace.h : the memory and the vocabulary of one symbolic question.
 *
 * Everything that a question builds of ours (names, monomials, polynomials, formulas) lives in one
 * arena and dies with it, so no path can leak. As in isl, a NULL operand gives a NULL result and
 * the first failure is kept: callers test once, at the end.
 */
#ifndef TMAP_SYMBOLIC_WORKSPACE_H
#define TMAP_SYMBOLIC_WORKSPACE_H

#include "tmap/symbolic.h"

#include <stdarg.h>

__extension__ typedef __int128 sym_int;

enum {
    SYM_MAX_PARAMS = 32,
    SYM_MAX_VARS = 96, /* from SYM_MAX_PARAMS on: quotients, minima and maxima */
    SYM_MAX_DEGREE = 8,
    SYM_MAX_MONOS = 512,
    SYM_MAX_CONJUNCTS = 512
};

struct sym_poly;

/* What a variable is: a parameter, floor(of / by), or the lesser or greater of `of` and `with`. */
enum sym_var_kind { SYM_PARAMETER, SYM_QUOTIENT, SYM_MIN, SYM_MAX };

struct sym_var {
    enum sym_var_kind kind;
    const char *name;                 /* of a parameter */
    const struct sym_poly *of, *with; /* NULL where the kind has none */
    sym_int by;
};

/* A product of variables, sorted; degree 0 is the number one, and is monomial 0. */
struct sym_mono {
    uint8_t degree;
    uint8_t var[SYM_MAX_DEGREE];
};

struct sym_block;

struct sym_work {
    const struct tmap_allocator *allocator;
    struct sym_block *blocks;
    enum tmap_status status;
    char why[160];                    /* what failed, or what could not be decided */
    size_t n_params, n_vars, n_monos; /* n_vars counts from SYM_MAX_PARAMS */
    struct sym_var var[SYM_MAX_VARS];
    struct sym_mono *mono; /* [SYM_MAX_MONOS] */
};

/* sym_open() : an empty workspace; false when memory is gone. sym_close() frees all of it. */
bool sym_open(struct sym_work *w, const struct tmap_allocator *allocator);
void sym_close(struct sym_work *w);

/* sym_fork() : a workspace that starts as `of` is and grows by itself: of is only read, so several
 *  threads may work on one. False when memory is gone, with the status set. */
bool sym_fork(struct sym_work *w, const struct sym_work *of,
              const struct tmap_allocator *allocator);

void *sym_take(struct sym_work *w, size_t bytes); /* zeroed; NULL: status is set */
const char *sym_copy(struct sym_work *w, const char *text, size_t length);

/* sym_fail() : keeps the first failure and its words. Always NULL, so callers can return it. */
void *sym_fail(struct sym_work *w, enum tmap_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* sym_param() : the parameter's variable, new when the name is; -1 on failure. */
int sym_param(struct sym_work *w, const char *name, size_t length);
/* sym_mono_of() : the number of the product of two monomials; -1 on failure. */
int sym_mono_of(struct sym_work *w, int a, int b);
int sym_mono_var(struct sym_work *w, int var);

/* A growing text. Room that is missing is counted, not written: as snprintf. */
struct sym_text {
    char *at;
    size_t cap, length;
};
void sym_put(struct sym_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sym_put_int(struct sym_text *t, sym_int value);
/* sym_digits() : value in decimal, in the caller's buffer of at least 44 bytes. */
const char *sym_digits(sym_int value, char *buffer);

sym_int sym_gcd(sym_int a, sym_int b);      /* not negative */
sym_int sym_floordiv(sym_int a, sym_int b); /* b > 0 */
sym_int sym_floormod(sym_int a, sym_int b); /* b > 0; 0 .. b-1 */

#endif
