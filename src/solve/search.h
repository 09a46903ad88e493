/* Repair for a reader: what tmap_solve() asks of the search. */
#ifndef TMAP_SOLVE_SEARCH_H
#define TMAP_SOLVE_SEARCH_H

#include "solve/fields.h"

/* As tmap_repair(); of plans only those count whose every box the reader takes, by the rows about
 * uses. exact: a box's row is one that it takes whole, and no box reaches beyond the tile. reader
 * may be NULL. Plans that cost more than *limit are of no use; it may be NULL. sets: for one
 * checker and reader, begun with a count of 0. */
enum tmap_status search_plans(const struct tmap_checker *checker, const struct tmap_desc *desc,
                              const struct tmap_request *request, const struct tmap_use *reader,
                              bool exact, const struct tmap_cost *limit, struct limit_sets *sets,
                              void *workspace, size_t bytes, struct tmap_plan *plans, size_t cap,
                              struct tmap_repair_report *report, struct tmap_search_log *log);

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
