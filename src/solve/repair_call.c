/* tmap_repair(): a search for a request as it is, with a reader where it names one. */
#include "solve/search.h"

enum tmap_status tmap_repair(const struct tmap_checker *checker, const struct tmap_desc *desc,
                             const struct tmap_request *request, void *workspace, size_t bytes,
                             struct tmap_plan *plans, size_t cap, struct tmap_repair_report *report,
                             struct tmap_search_log *log)
{
    struct limit_sets sets = LIMIT_SETS_BEGIN(SEARCH_WORK);
    struct tmap_use reader = {.op = TMAP_OP_LOAD};
    struct search_problem p = {.checker = checker,
                               .desc = desc,
                               .request = request,
                               .sets = &sets,
                               .workspace = workspace,
                               .workspace_bytes = bytes,
                               .plans = plans,
                               .cap = cap,
                               .report = report,
                               .log = log};
    if (request && request->consumer) {
        if (!tmap_consumer_name(request->consumer, request->major)) return TMAP_E_ARGUMENT;
        reader.op = request->op;
        reader.consumer = request->consumer;
        reader.major = request->major;
        p.reader = &reader;
        p.exact = request->consumer != TMAP_CONSUMER_LDMATRIX;
    }
    return search_plans(&p);
}
