/* refuse_piece.h : a sym_take() that refuses one piece of memory, for programs that are linked with
 * --wrap=sym_take (tests/symbolic/build.mk): all calls but those of workspace.c itself. */
#ifndef TESTS_SYMBOLIC_REFUSE_PIECE_H
#define TESTS_SYMBOLIC_REFUSE_PIECE_H

#include "symbolic/poly/workspace.h"

static long left = -1; /* pieces until one is refused; below 0: none is */

void *__real_sym_take(struct sym_work *w, size_t bytes);
void *__wrap_sym_take(struct sym_work *w, size_t bytes);

void *__wrap_sym_take(struct sym_work *w, size_t bytes)
{
    return left-- == 0 ? sym_fail(w, TMAP_E_MEMORY, "out of memory") : __real_sym_take(w, bytes);
}

#endif
