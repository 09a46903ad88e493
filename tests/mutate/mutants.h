/* The mutants that generate writes, compiled beside the rows. */
#ifndef TMAP_TESTS_MUTATE_MUTANTS_H
#define TMAP_TESTS_MUTATE_MUTANTS_H

#include "support/vectors.h"

struct mutant {
    tmap_row row;
    const char *id, *what; /* "TMA022", "must: 1 -> 2" */
    tmap_row needs[12];    /* ends with ROW_END */
};

extern const struct mutant mutants[];
extern const size_t mutant_count;

/* The places at which the mutant's own condition fails, its needs not looked at (row_native()). */
uint32_t mutant_native(size_t number, const struct subject *s);
/* The places at which the mutant is violated, as vector_violates() says of its row. */
uint32_t mutant_violates(size_t number, const struct subject *s);

/* Proves that nothing tells the mutant from its row. The proof is the word that its line of
 * survivors.txt begins with:
 *   grid             same on every choice of the slots that the row and its needs speak of
 *   product N.. of M..   no product of factors, each at most its M, is one of the numbers N: the
 * two differ only where a product of the row's fields is one of them False when it does not hold.
 */
bool survivor_proved(size_t number, const char *proof);

#endif
