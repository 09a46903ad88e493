/* Requests of all types, kinds, modes and consumers, for the plans that are made of them. */
#ifndef TESTS_SUPPORT_PLAN_DRAW_H
#define TESTS_SUPPORT_PLAN_DRAW_H

#include "tmap/solve.h"

#define DRAW_TARGETS 5

/* One repair: which of the targets, the descriptor and how it is used. */
struct drawn_repair {
    unsigned target;
    struct tmap_desc desc;
    struct tmap_request how;
};
struct drawn_repair draw_repair(uint64_t *state);

/* One requested tile, likewise. */
struct drawn_tile {
    unsigned target;
    struct tmap_tile_request request;
};
struct drawn_tile draw_tile(uint64_t *state);

/* The i-th target, under the safe contract. */
struct tmap_checker draw_checker(unsigned i);

/* NULL where what the plan says of the shared layout is true of each element of the tile at the
 * tensor's origin; else what is wrong. request: with what the plan decided. */
const char *layout_claim_is_wrong(const struct tmap_desc *request, const struct tmap_plan *plan);

/* Whether some dimension with several indices has a stride of 0 that none of the request's has. */
bool has_new_zero_stride(const struct tmap_desc *request, const struct tmap_plan *plan);

#endif
