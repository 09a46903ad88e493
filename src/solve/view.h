/* Views: one way to see a tensor as dimensions, and the rewrites between ways that name the same
 * bytes. The laws of the rewrites (address map before = after) are proved in tests/prove. */
#ifndef TMAP_SOLVE_VIEW_H
#define TMAP_SOLVE_VIEW_H

#include "tmap/solve.h"

#define VIEW_STEPS 8 /* rewrites of one view: more than the search makes */

/* A view of the requested tile. desc's box is not used: tile holds the request in the view's own
 * dimensions. digit: dim[].coef, slice, div and mod. */
struct view {
    struct tmap_desc desc;
    uint64_t tile[TMAP_MAX_RANK];
    uint64_t grain[TMAP_MAX_RANK]; /* coordinates are multiples of this; 0: always 0 */
    struct digit {
        uint64_t coef[TMAP_MAX_RANK], slice, div, mod;
    } digit[TMAP_MAX_RANK];
    struct digit part; /* which of the elements that became one: its remainder by div */
    bool parted;       /* the dimension that was widened is not the innermost any more */
    uint32_t step_count;
    struct tmap_plan_step step[VIEW_STEPS];
};

/* What coordinate i of the request is a multiple of; 0: it is 0. */
uint64_t view_grain(const struct tmap_desc *desc, const struct tmap_request *request, uint32_t i);

/* The structure of a tiled descriptor as requested. */
void view_of(const struct tmap_desc *desc, const struct tmap_request *request, struct view *out);

/* From one index of dimension dim to the next, in bits: elements may be smaller than a byte. */
uint64_t view_stride_bits(const struct view *v, uint32_t dim);

/* The rewrites. Each is false, *out untouched, where its law does not apply. */
bool view_drop(const struct view *v, uint32_t dim, struct view *out);
bool view_merge(const struct view *v, uint32_t dim, struct view *out);
/* `size` elements stay in dim; the rest becomes dimension `place`, above dim and at most the rank.
 */
bool view_split(const struct view *v, uint32_t dim, uint64_t size, uint32_t place,
                struct view *out);
bool view_widen(const struct view *v, struct view *out);
/* Dimension dim, whose elements are side by side, as the innermost; the old one has size 1. */
bool view_swap(const struct view *v, uint32_t dim, struct view *out);
/* Every es-th element of a dimension as a dimension of its own. */
bool view_unstride(const struct view *v, uint32_t dim, struct view *out);
/* The 16- or 32-byte slices of an interleaved tensor as the innermost dimension. */
bool view_slices(const struct view *v, struct view *out);
bool view_bytes(const struct view *v, struct view *out);

/* Whether two views are the same structure (their steps aside), and a hash of it. */
bool view_equal(const struct view *a, const struct view *b);
uint64_t view_hash(const struct view *v);

/* How a coordinate of dimension dim of the view follows from the request's. */
void view_take_digit(const struct view *v, uint32_t dim, struct tmap_plan_dim *out);

void view_note(struct view *v, enum tmap_rewrite rewrite, int index, uint64_t from, uint64_t to);

#endif
