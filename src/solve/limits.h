/* What the rows allow, and the request that plans are measured against. */
#ifndef TMAP_SOLVE_LIMITS_H
#define TMAP_SOLVE_LIMITS_H

#include "tmap/solve.h"

enum { SWIZZLES = TMAP_SEARCH_SWIZZLES };

/* What the rows allow a type on a target, found by asking them about a plain descriptor. */
struct limits {
    bool known;                   /* some swizzle makes the plain descriptor legal */
    uint32_t max_box;             /* of dimensions above 0, elements */
    uint32_t inner_unit;          /* the least legal box[0], and what it must be a multiple of */
    uint32_t max_inner[SWIZZLES]; /* see limits_inner() */
    struct tmap_desc plain;
    uint32_t dim_unit;    /* dimension 0 is a multiple of it, elements */
    uint32_t stride_unit; /* strides are multiples of it, bytes */
    uint32_t address_unit;
    uint64_t max_bytes;  /* no legal box has more bytes */
    uint32_t coord_unit; /* coordinate 0 is a multiple of it, elements */
};

/* What a search may still do, in rows of a tile that are placed. What no one asks for (a tile of
 * four million rows cut into four thousand boxes) is given up, and said to be. */
struct work {
    uint64_t left;
};
#define SEARCH_WORK                                                                                \
    (UINT64_C(1) << 24) /* a second at most; no test that is closed needs as much                  \
                         */

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
    struct work *work;
};

/* Whether there is work left for that. */
static inline bool work_spend(const struct objective *objective, uint64_t rows)
{
    struct work *w = objective->work;
    w->left -= rows < w->left ? rows : w->left;
    return w->left > 0;
}

/* ldmatrix reads rows of the tile, wherever they lie; an MMA takes the box's. */
static inline bool reads_rows(const struct objective *objective)
{
    return objective->reader && !objective->exact;
}

void limits_of(const struct tmap_checker *checker, const struct tmap_desc *desc,
               struct limits *out);

/* The limits of each type met, and the work left, which several searches may share. */
#define LIMIT_SETS 6 /* types that widening meets, and the type under interleave */
struct limit_sets {
    struct limits limits[LIMIT_SETS];
    int32_t dtype[LIMIT_SETS], interleave[LIMIT_SETS];
    unsigned count;
    struct work work;
};
#define LIMIT_SETS_BEGIN(rows)                                                                     \
    {                                                                                              \
        .count = 0, .work = { rows }                                                               \
    }

/* The greatest legal box[0] with that swizzle, of an exact reader the only one; 0: the swizzle is
 * refused. Asked once, then known. */
uint32_t limits_inner(const struct objective *objective, struct limits *limits, int32_t swizzle);

/* Whether a legal map is of use: some shared memory holds its box, and the reader takes it. */
bool limits_usable(const struct objective *objective, const struct tmap_desc *desc);

#endif
