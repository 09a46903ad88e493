/* Random illegal descriptors, and the check that a plan serves its request. */
#ifndef TESTS_SUPPORT_REPAIR_SUPPORT_H
#define TESTS_SUPPORT_REPAIR_SUPPORT_H

#include "tmap/solve.h"

uint64_t next_random(uint64_t *state);

/* A tiled descriptor of a tensor of at most max_bytes, illegal more often than not. */
struct tmap_desc random_desc(uint64_t *state, uint64_t max_bytes);

/* An im2col descriptor, whose channels and pixels are too many for a map more often than not. */
struct tmap_desc random_im2col_pieces(uint64_t *state);

/* The request with the values that the plan chose where it had none: they are part of it. */
struct tmap_desc decided_request(const struct tmap_desc *request, const struct tmap_plan *plan);

/* NULL when the plan is right for `tiles` random tiles: legal descriptor and coordinates, every
 * wanted element (or a sample of `sample`) at a place of its own, from the right address, and out
 * of bounds exactly when the request is. Otherwise what is wrong. */
const char *plan_is_wrong(const struct tmap_checker *checker, const struct tmap_desc *request,
                          const struct tmap_plan *plan, uint64_t *state, int tiles, int sample);

/* The same for a store, whose copies are run: they write every element of the tile that lies in the
 * tensor, and no other byte. Plans that copy the tensor, rows that
 * are not whole units (at their end hardware writes more), packed types and tensors of more than 1
 * MiB are passed over, *ran then stays as it was. */
const char *store_is_wrong(const struct tmap_checker *c, const struct tmap_desc *request,
                           const struct tmap_plan *plan, uint64_t *seed, long *ran);

#endif
