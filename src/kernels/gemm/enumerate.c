/* Every configuration of a problem that a request leaves, or the quickest as the model has it. */
#include "kernels/gemm/residual.h"

#include <string.h>

#include "kernels/gemm/model_arithmetic.h"
#include "kernels/gemm/sm90/geometry.h"

static const double ANY = 1e300;

/* What is looked for, and what has been found. */
struct walk {
    const struct tmap_gemm *suite;
    const struct tmap_gemm_config *request;
    struct gemm_choice *out;
    size_t cap, count;
    /* Who asks for one need not wait for what cannot be it: what takes more than so many us. A
     * bound counts the clusters that fit, not those that a request names. */
    bool first_only;
    double than_us;
    bool reorders; /* the likely ones compete for the first place, not the quickest alone */
};

/* Where the likely ones are put in another order: what is among them, as long as the quickest is
 * one of which that is known. */
static double most_of_interest(const struct walk *w)
{
    const double quickest = w->out[0].cost_us, known = GEMM_SETTLES_US * GEMM_LIKELY_WITHIN;
    const double last = w->count >= w->cap ? w->out[w->cap - 1].cost_us : ANY;
    if (!w->reorders) return quickest;
    return larger(quickest, smaller(quickest * GEMM_LIKELY_WITHIN, smaller(known, last)));
}

static void put(struct walk *w, const struct gemm_choice *choice)
{
    struct gemm_choice *out = w->out;
    size_t at = w->count < w->cap ? w->count : w->cap;
    while (at > 0 && out[at - 1].cost_us > choice->cost_us) {
        if (at < w->cap) out[at] = out[at - 1];
        at--;
    }
    if (at < w->cap) out[at] = *choice;
    w->count++;
    if (w->first_only) w->than_us = most_of_interest(w);
}

/* The most that clusters and splits of a kernel come to, where the request leaves them open: beyond
 * it half of a cluster's blocks have no tile, or more tiles are split than run at once. */
struct most {
    int32_t cluster_m, cluster_n, split_k;
};

static struct most most_of(const struct walk *w, const struct gemm_view *view,
                           const struct gemm_instance *instance)
{
    const struct tmap_gemm_config *request = w->request;
    const bool any = w->suite->family != GEMM_SM90 || request->tile_m || request->tile_n;
    const int32_t rows = gemm_ceil_div(view->m, gemm_tile_m(instance)),
                  cols = gemm_ceil_div(view->n, instance->bn);
    const int64_t split =
        2 * (int64_t)w->suite->gpu.sm_count / ((int64_t)rows * cols * view->batch);
    const bool whole = !gemm_deals_out(instance, view) || !gemm_splits(instance);
    const int32_t all = GEMM_MAX_CLUSTER;
    return (struct most){any || request->cluster_m || rows >= all ? all : 2 * rows - 1,
                         any || request->cluster_n || cols >= all ? all : 2 * cols - 1,
                         whole                                     ? 1
                         : any || request->split_k || split >= all ? all
                         : split > 1                               ? (int32_t)split
                                                                   : 1};
}

/* Whether the stream was asked for: none (-1), any, one of so many tiles, or whatever is cheapest.
 */
static bool is_stream_wanted(int32_t requested, int32_t stream_k)
{
    if (requested == TMAP_GEMM_STREAM_K_ANY) return stream_k > 0;
    return requested <= 0 || stream_k == requested;
}

/* The ways to deal tiles out (deal.c) to clusters of *shape. */
static void walk_streams(struct walk *w, const struct gemm_view *view, struct gemm_bound *bound,
                         const struct tmap_gemm_config *shape, struct gemm_choice *choice)
{
    const int32_t requested = w->request->stream_k;
    const int32_t ways = requested >= 0 && gemm_deals_out(choice->instance, view) ? 4 : 1;
    /* Too few clusters for a remainder to be worth dealing out, but for few tiles among all. */
    const bool few = shape->split_k == 1 && shape->cluster_m * shape->cluster_n >= 4;
    const bool hopper = choice->instance->family == GEMM_SM90;
    if (w->first_only) gemm_bound_split(bound, shape->split_k);
    for (int32_t way = 0; way < ways; way++) {
        if (w->first_only && way == 1 && gemm_dealing_is_slower(bound, w->than_us)) break;
        if (requested == 0 && few && way != 0 && !(way == 3 && hopper)) continue;
        if (w->first_only && gemm_is_slower(bound, way, w->than_us)) continue;
        choice->config = *shape;
        choice->config.stream_k = way;
        if (gemm_complete(w->suite, view, w->request, choice) &&
            is_stream_wanted(requested, choice->config.stream_k))
            put(w, choice);
    }
}

static void walk_clusters(struct walk *w, const struct gemm_view *view,
                          const struct gemm_instance *instance, bool swapped)
{
    static const int32_t sharers[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                         {4, 1}, {1, 4}, {2, 4}, {4, 2}};
    const struct tmap_gemm_config *request = w->request;
    const struct most most = most_of(w, view, instance);
    struct gemm_bound bound = gemm_bound_of(w->suite, view, instance);
    struct gemm_choice choice = {.instance = instance};
    /* As a request, a swapped of 0 would let the plan choose. */
    struct tmap_gemm_config shape = {.swapped = swapped ? 1 : -1};
    for (size_t i = 0; i < sizeof sharers / sizeof sharers[0]; i++) {
        const int32_t m = sharers[i][0], n = sharers[i][1], splits = GEMM_MAX_CLUSTER / (m * n);
        if (m > most.cluster_m || n > most.cluster_n || !gemm_allows(request->cluster_m, m) ||
            !gemm_allows(request->cluster_n, n))
            continue;
        if (w->first_only) gemm_bound_cluster(&bound, m, n);
        if (w->first_only && gemm_cluster_is_slower(&bound, w->than_us)) continue;
        shape.cluster_m = m, shape.cluster_n = n;
        for (int32_t split = 1; split <= splits && split <= most.split_k; split++) {
            shape.split_k = split;
            if (gemm_allows(request->split_k, split))
                walk_streams(w, view, &bound, &shape, &choice);
        }
    }
}

/* What all tiles of a kernel take at the least, in clocks of an SM a k-block: the multiplies, or
 * the bytes into it. Few tiles may be split over eight SMs each, or over as many as leave each some
 * k-blocks. */
static double rough_clocks(const struct tmap_gemm *suite, const struct gemm_instance *instance,
                           const struct gemm_view *view)
{
    enum { FEW_SPLIT = 8, LEAST_BLOCKS = 8 };
    static const double BYTES_PER_CLOCK = 40;
    const int32_t k_blocks = gemm_ceil_div(view->k, view->span);
    const double most = k_blocks > FEW_SPLIT * LEAST_BLOCKS ? k_blocks / LEAST_BLOCKS : FEW_SPLIT;
    const int32_t tile_m = gemm_tile_m(instance);
    const double tiles = (double)gemm_ceil_div(view->m, tile_m) *
                         gemm_ceil_div(view->n, instance->bn) * view->batch / suite->gpu.sm_count;
    const double rows = view->m < tile_m ? view->m : tile_m;
    const double cols = view->n < instance->bn ? view->n : instance->bn;
    const double load =
        GEMM_SPAN_BYTES * (rows / (instance->patch ? GEMM_PATCH_TAPS : 1) + cols) / BYTES_PER_CLOCK;
    const double multiply = 2.0 * tile_m / GEMM_SLAB_ROWS * instance->bn;
    return (tiles > 1 / most ? tiles : 1 / most) * (load > multiply ? load : multiply);
}

/* The kernels that a request leaves to a view of the problem, by their numbers, and what all tiles
 * take of each. */
struct kernels {
    struct gemm_view view;
    bool swapped;
    size_t count;
    uint16_t at[GEMM_MAX_INSTANCES];
    double clocks[GEMM_MAX_INSTANCES];
};

static void list_kernels(const struct walk *w, const struct gemm_view *view, bool swapped,
                         bool waste, struct kernels *list)
{
    list->view = *view;
    list->swapped = swapped;
    list->count = gemm_list_wanted(w->suite, view, w->request, waste, list->at);
    for (size_t i = 0; i < list->count; i++) {
        const struct gemm_instance *g = &gemm_instances[list->at[i]];
        const struct gemm_view own = gemm_view_for(view, g);
        list->clocks[i] = rough_clocks(w->suite, g, &own);
    }
}

/* most: of their clocks. */
static void walk_kernels(struct walk *w, const struct kernels *list, double most)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct gemm_instance *instance = &gemm_instances[list->at[i]];
        if (list->clocks[i] > most) continue;
        const struct gemm_view own = gemm_view_for(&list->view, instance);
        walk_clusters(w, &own, instance, list->swapped);
    }
}

/* A's blocks are not B's, nor are A's pixels, and a gate's halves are columns. */
static bool may_swap(const struct tmap_gemm_problem *problem)
{
    return !problem->block_scale.a && problem->conv.images == 0 && !problem->epilogue.gate;
}

/* In either orientation. open: the request leaves the tile open, and what takes much longer than
 * another is left out. */
static void walk_problem(struct walk *w, const struct tmap_gemm_problem *problem, bool open,
                         bool waste)
{
    static const double HOPELESS = 2.6;
    const struct tmap_gemm_config *request = w->request;
    struct kernels lists[2];
    double least = ANY;
    for (int32_t swapped = 0; swapped < 2; swapped++) {
        const struct gemm_view view = gemm_view_of(problem, swapped != 0);
        list_kernels(w, &view, swapped != 0, waste, &lists[swapped]);
        for (size_t i = 0; i < lists[swapped].count; i++)
            if (lists[swapped].clocks[i] < least) least = lists[swapped].clocks[i];
    }
    const double most = open && !waste ? HOPELESS * least : ANY;
    const bool walked[2] = {request->swapped <= 0, request->swapped >= 0 && may_swap(problem)};
    for (int32_t swapped = 0; swapped < 2; swapped++) {
        if (!walked[swapped]) continue;
        if (!swapped && gemm_wants_apart(w->suite, &lists[0].view, request)) {
            const struct gemm_view view = lists[0].view, apart = gemm_view_apart(&view);
            list_kernels(w, &apart, false, waste, &lists[0]);
            walk_kernels(w, &lists[0], most);
            if (w->count > 0 && request->apart > 0) return;
            list_kernels(w, &view, false, waste, &lists[0]);
        }
        walk_kernels(w, &lists[swapped], most);
    }
}

/* Puts the likely ones, the first of *out, in order of their costs times what these are off by. */
static void reorder(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                    struct gemm_choice *out, size_t count)
{
    struct gemm_choice likely[GEMM_LIKELY];
    double cost[GEMM_LIKELY];
    const double most = out[0].cost_us * GEMM_LIKELY_WITHIN;
    size_t n = 0;
    if (out[0].cost_us > GEMM_SETTLES_US) return;
    while (n < count && n < GEMM_LIKELY && out[n].cost_us <= most) n++;
    memcpy(likely, out, n * sizeof *likely);
    gemm_residuals(suite, problem, likely, n, cost);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        const double own = cost[i] * likely[i].cost_us;
        for (; at > 0 && cost[at - 1] > own; at--) cost[at] = cost[at - 1], out[at] = out[at - 1];
        cost[at] = own;
        out[at] = likely[i];
    }
}

static void walk_all(struct walk *w, const struct tmap_gemm_problem *problem)
{
    const bool open = !w->request->tile_m && !w->request->tile_n;
    walk_problem(w, problem, open, false);
    /* Where tiles are few kinds, the least may be one's that cannot be: a pingpong of one round.
     * And of few rows what is asked for may only be a waste. */
    if (w->count == 0 && open) walk_problem(w, problem, true, true);
}

size_t gemm_enumerate(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                      const struct tmap_gemm_config *request, struct gemm_choice *out, size_t cap)
{
    const struct gemm_view view = gemm_view_of(problem, false);
    const bool reorders = gemm_has_residuals(suite, &view), hopper = suite->family == GEMM_SM90;
    struct gemm_choice likely[GEMM_LIKELY];
    const bool few_wanted = reorders && cap < GEMM_LIKELY; /* more are compared */
    struct walk w = {.suite = suite,
                     .request = request,
                     .out = few_wanted ? likely : out,
                     .cap = few_wanted ? GEMM_LIKELY : cap,
                     .first_only = cap == 1 && hopper && !request->clusters,
                     .than_us = ANY,
                     .reorders = reorders};
    walk_all(&w, problem);
    if (reorders && w.count > 0) reorder(suite, problem, w.out, w.count);
    for (size_t i = 0; few_wanted && i < cap && i < w.count; i++) out[i] = likely[i];
    return w.count;
}
