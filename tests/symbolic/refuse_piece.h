/* refuse_piece.h : a sym_take(), sym_copy() and sym_open() that refuse one piece of memory, for
 * programs that are linked with --wrap (tests/symbolic/build.mk): all calls but those of
 * workspace.c itself. */
#ifndef TESTS_SYMBOLIC_REFUSE_PIECE_H
#define TESTS_SYMBOLIC_REFUSE_PIECE_H

#include "symbolic/poly/workspace.h"

static long left = -1; /* pieces until one is refused; below 0: none is */

void *__real_sym_take(struct sym_work *w, size_t bytes);
void *__wrap_sym_take(struct sym_work *w, size_t bytes);
const char *__real_sym_copy(struct sym_work *w, const char *text, size_t length);
const char *__wrap_sym_copy(struct sym_work *w, const char *text, size_t length);
bool __real_sym_open(struct sym_work *w, const struct tmap_allocator *allocator);
bool __wrap_sym_open(struct sym_work *w, const struct tmap_allocator *allocator);

void *__wrap_sym_take(struct sym_work *w, size_t bytes)
{
    return left-- == 0 ? sym_fail(w, TMAP_E_MEMORY, "out of memory") : __real_sym_take(w, bytes);
}

const char *__wrap_sym_copy(struct sym_work *w, const char *text, size_t length)
{
    return left-- == 0 ? sym_fail(w, TMAP_E_MEMORY, "out of memory")
                       : __real_sym_copy(w, text, length);
}

bool __wrap_sym_open(struct sym_work *w, const struct tmap_allocator *allocator)
{
    const bool there = __real_sym_open(w, allocator);
    if (left-- != 0) return there;
    sym_close(w);
    sym_fail(w, TMAP_E_MEMORY, "out of memory");
    return false;
}

#endif
