/* Repair for a reader: what tmap_solve() asks of the search. */
#ifndef TMAP_SOLVE_SEARCH_H
#define TMAP_SOLVE_SEARCH_H

#include "solve/fields.h"

/* What is searched for, and where it goes. */
struct search_problem {
    const struct tmap_checker *checker;
    const struct tmap_desc *desc;
    const struct tmap_request *request; /* or NULL */
    const struct tmap_use *reader;      /* who takes the boxes, or NULL: of plans only those count
                                         * whose every box it takes, by the rows about uses */
    bool exact;                    /* a box's row is one that the reader takes whole, and no box
                                    * reaches beyond the tile */
    const struct tmap_cost *limit; /* plans that cost more are of no use; or NULL */
    struct limit_sets *sets;       /* of one checker and reader, begun with LIMIT_SETS_BEGIN */
    void *workspace;
    size_t workspace_bytes;
    struct tmap_plan *plans;
    size_t cap;
    struct tmap_repair_report *report;
    struct tmap_search_log *log; /* or NULL */
};

/* As tmap_repair(). */
enum tmap_status search_plans(const struct search_problem *problem);

/* The reason of TMAP_E_BUDGET. */
extern const char search_given_up[];

/* A requested tile as the search takes it: solve asks for each swizzle in turn. */
static inline struct tmap_desc search_request(const struct tmap_tile_request *request,
                                              int32_t swizzle)
{
    struct tmap_desc d = request->tensor;
    d.kind = TMAP_TILED;
    d.interleave = TMAP_INTERLEAVE_NONE;
    d.swizzle = swizzle;
    d.l2_promotion = TMAP_L2_NONE;
    for (uint32_t i = 0; i < d.rank && i < TMAP_MAX_RANK; i++) {
        d.box[i] = request->tile[i];
        d.elem_stride[i] = 1;
    }
    return d;
}

#endif
