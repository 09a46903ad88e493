/* The best fields for one view: box, swizzle, strides, copies. Bounds come from the rows, asked
 * through the checker. */
#ifndef TMAP_SOLVE_FIELDS_H
#define TMAP_SOLVE_FIELDS_H

#include "solve/view.h"

/* What the rows allow a type on a target, found by asking them about a plain descriptor. */
struct limits {
    bool known;            /* some swizzle makes the plain descriptor legal */
    uint32_t max_box;      /* of dimensions above 0, elements */
    uint32_t inner_unit;   /* the least legal box[0], and what it must be a multiple of */
    uint32_t max_inner[8]; /* see limits_inner() */
    struct tmap_desc plain;
    uint32_t dim_unit;    /* dimension 0 is a multiple of it, elements */
    uint32_t stride_unit; /* strides are multiples of it, bytes */
    uint32_t address_unit;
    uint64_t max_bytes;  /* no legal box has more bytes */
    uint32_t coord_unit; /* coordinate 0 is a multiple of it, elements */
};

#define SECTOR_BYTES 32u /* of DRAM and L2 */

/* The request that a plan serves: what its costs are measured against. */
struct objective {
    const struct tmap_checker *checker;
    const struct tmap_desc *desc; /* as requested, illegal perhaps */
    const struct tmap_request *request;
    uint64_t useful_bytes; /* of one tile */
    uint64_t tensor_bytes; /* of what a copy moves */
    uint32_t inner_unit;   /* rows of the request are this many elements, times a whole number */
    struct tmap_cost kept; /* what a plan costs at least that keeps the tile's layout; of one that
                            * does not copy the tensor, layout_changes says if there is none */
    bool stores;
    bool any_layout;               /* changes of the shared layout are not counted; instead of
                                    * them the conflicts of reads_rows() */
    const struct tmap_use *reader; /* who takes the boxes, or NULL */
    bool exact;                    /* it takes whole rows of them, and all rows */
};

/* ldmatrix reads rows of the tile, wherever they lie; an MMA takes the box's. */
static inline bool reads_rows(const struct objective *objective)
{
    return objective->reader && !objective->exact;
}

void limits_of(const struct tmap_checker *checker, const struct tmap_desc *desc,
               struct limits *out);

/* The limits of each type met, which several searches may share. */
#define LIMIT_SETS 6 /* types that widening meets, and the type under interleave */
struct limit_sets {
    struct limits limits[LIMIT_SETS];
    int32_t dtype[LIMIT_SETS], interleave[LIMIT_SETS];
    unsigned count;
};

/* The greatest legal box[0] with that swizzle, of an exact reader the only one; 0: the swizzle is
 * refused. Asked once, then known. */
uint32_t limits_inner(const struct objective *objective, struct limits *limits, int32_t swizzle);

/* Whether a box's rows are rows of the tile, not pieces of rows side by side: an exact reader wants
 * that. */
bool fields_rows_are_the_tiles(const struct view *view);

/* Whether a legal map is of use: some shared memory holds its box, and the reader takes it. */
bool fields_usable(const struct objective *objective, const struct tmap_desc *desc);

/* The cheapest plan for the view with this swizzle, the tensor copied or not. False: there is none,
 * or none that costs less than *worst (which may be NULL). */
bool fields_best(const struct objective *objective, struct limits *limits, const struct view *view,
                 int32_t swizzle, bool copy, const struct tmap_cost *worst, struct tmap_plan *out);

/* How a coordinate of dimension dim of the view follows from the request's. */
void fields_take_digit(const struct view *view, uint32_t dim, struct tmap_plan_dim *out);

/* One box for the whole tile, whatever the rows say: how the view's structure alone lays it out. */
void fields_of_view(const struct view *view, uint32_t inner_unit, struct tmap_plan *out);

/* Fills inner_unit and kept of the objective, from the limits of its type. */
void fields_measure_kept(struct objective *objective, const struct limits *limits);

/* No plan of this view or of what its rewrites lead to costs less. */
struct tmap_cost fields_bound(const struct objective *objective, const struct limits *limits,
                              const struct view *view);

#endif
