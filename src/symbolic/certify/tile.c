/* tile.c : that no swizzle gives a requested tile a plan that solve ranks before its first.
 */
#include "solve/search.h"
#include "symbolic/certify/view_query.h"

/* One swizzle: the views that the search for it names. */
static enum tmap_status judge_swizzle(struct sym_account *a,
                                      const struct tmap_tile_request *request, int32_t swizzle,
                                      void *workspace, size_t bytes, struct tmap_search_log *log,
                                      struct tmap_minimal *out)
{
    bool closed = false;
    log->count = 0;
    const enum tmap_status s =
        tmap_solve_account(a->checker, request, swizzle, workspace, bytes, log, &closed);
    if (s != TMAP_OK) return sym_report(a->s, s, "the search for a swizzle failed");
    if (!closed && log->count)
        return sym_report(a->s, TMAP_E_BUDGET, "the search for a swizzle did not close");
    a->base = search_request(request, swizzle);
    a->has_aim = false;
    return sym_read_account(a, log, out);
}

enum tmap_status tmap_certify_tile(struct tmap_symbolic *context,
                                   const struct tmap_checker *checker,
                                   const struct tmap_tile_request *request,
                                   const struct tmap_tile_plan *plan, void *workspace,
                                   size_t workspace_bytes, struct tmap_search_log *log,
                                   struct tmap_minimal *out)
{
    if (!context || !checker || !request || !plan || !log || !out) return TMAP_E_ARGUMENT;
    if (checker->covered != TMAP_OK)
        return sym_report(context, checker->covered, "no source covers this target");
    const struct tmap_use use = {.op = request->op,
                                 .flags = TMAP_USE_COORD,
                                 .multicast = request->multicast,
                                 .consumer = request->consumer,
                                 .major = request->major};
    struct sym_account a = {.s = context,
                            .checker = checker,
                            .plan = &plan->plan,
                            .use = &use,
                            .best = plan,
                            .tile_rank = request->tensor.rank};
    struct tmap_minimal counts = {0};
    enum tmap_status st = sym_z3_start(context);
    sym_begin(context);
    for (int32_t w = 0; st == TMAP_OK && w <= TMAP_SWIZZLE_128B_ATOM_64B; w++)
        st = judge_swizzle(&a, request, w, workspace, workspace_bytes, log, &counts);
    if (st == TMAP_OK) *out = counts;
    return sym_end(context, st);
}
