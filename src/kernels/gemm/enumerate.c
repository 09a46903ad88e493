/* Every configuration of a problem that a request leaves, or the quickest as the model has it. */
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

static size_t put(struct gemm_choice *out, size_t cap, size_t count,
                  const struct gemm_choice *choice)
{
    size_t at = count < cap ? count : cap;
    while (at > 0 && out[at - 1].cost_us > choice->cost_us) {
        if (at < cap) out[at] = out[at - 1];
        at--;
    }
    if (at < cap) out[at] = *choice;
    return count + 1;
}

/* Tiles of D. */
struct tiling {
    int32_t rows, cols;
};

/* A cluster half of whose blocks have no tile, or a split of more tiles than run at once. */
static bool is_idle(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct tiling *tiles, const struct tmap_gemm_config *request,
                    const struct tmap_gemm_config *c)
{
    if (suite->family != GEMM_SM90 || request->tile_m || request->tile_n) return false;
    if (!request->cluster_m && c->cluster_m > 1 && c->cluster_m / 2 >= tiles->rows) return true;
    if (!request->cluster_n && c->cluster_n > 1 && c->cluster_n / 2 >= tiles->cols) return true;
    if (request->split_k || c->split_k == 1) return false;
    return (int64_t)tiles->rows * tiles->cols * view->batch * c->split_k >
           2 * (int64_t)suite->gpu.sm_count;
}

/* Whether the stream was asked for: none (-1), any, one of so many tiles, or whatever is cheapest.
 */
static bool is_stream_wanted(int32_t requested, int32_t stream_k)
{
    if (requested == TMAP_GEMM_STREAM_K_ANY) return stream_k > 0;
    return requested <= 0 || stream_k == requested;
}

/* The ways of deal() for a cluster of *shape. */
static size_t enumerate_streams(const struct tmap_gemm *suite, const struct gemm_view *view,
                                const struct tmap_gemm_config *request, struct gemm_bound *bound,
                                const struct tmap_gemm_config *shape, struct gemm_choice *choice,
                                struct gemm_choice *out, size_t cap, size_t count)
{
    enum { WAYS = 4 };
    const int32_t requested = request->stream_k;
    /* Too few clusters for a remainder to be worth dealing out, but for few tiles among all. */
    const bool few = shape->split_k == 1 && shape->cluster_m * shape->cluster_n >= 4;
    const bool hopper = choice->instance->family == GEMM_SM90;
    /* Who asks for one need not wait for what cannot be it; a bound counts the clusters that fit,
     * not those that a request names. */
    const bool first_only = cap == 1 && hopper && !request->clusters;
    if (first_only) gemm_bound_shape(bound, shape);
    for (int32_t way = 0; way < WAYS; way++) {
        if (way != 0 && requested < 0) break;
        if (first_only && count > 0 && way == 1 && gemm_dealing_is_slower(bound, out->cost_us))
            break;
        if (requested == 0 && few && way != 0 && !(way == 3 && hopper)) continue;
        if (first_only && count > 0 && gemm_is_slower(bound, way, out->cost_us)) continue;
        choice->config = *shape;
        choice->config.stream_k = way;
        if (!gemm_complete(suite, view, request, choice) ||
            !is_stream_wanted(requested, choice->config.stream_k))
            continue;
        count = put(out, cap, count, choice);
    }
    return count;
}

static size_t enumerate_clusters(const struct tmap_gemm *suite, const struct gemm_view *view,
                                 const struct tmap_gemm_config *request, struct gemm_choice *choice,
                                 struct gemm_choice *out, size_t cap, size_t count)
{
    static const int32_t shapes[][3] = {
        {1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}, {4, 1, 1}, {1, 4, 1}, {2, 4, 1}, {4, 2, 1},
        {1, 1, 2}, {1, 1, 3}, {1, 1, 4}, {1, 1, 5}, {1, 1, 6}, {1, 1, 7}, {1, 1, 8}, {2, 1, 2},
        {1, 2, 2}, {2, 1, 3}, {1, 2, 3}, {2, 1, 4}, {1, 2, 4}, {2, 2, 2}, {4, 1, 2}, {1, 4, 2}};
    const int32_t swapped = choice->config.swapped;
    const struct tiling tiles = {gemm_ceil_div(view->m, gemm_tile_m(choice->instance)),
                                 gemm_ceil_div(view->n, choice->instance->bn)};
    struct gemm_bound bound = gemm_bound_of(suite, view, choice->instance);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct tmap_gemm_config shape = {.swapped = swapped,
                                               .cluster_m = shapes[i][0],
                                               .cluster_n = shapes[i][1],
                                               .split_k = shapes[i][2]};
        if (!gemm_allows(request->cluster_m, shape.cluster_m) ||
            !gemm_allows(request->cluster_n, shape.cluster_n) ||
            !gemm_allows(request->split_k, shape.split_k) ||
            is_idle(suite, view, &tiles, request, &shape))
            continue;
        count = enumerate_streams(suite, view, request, &bound, &shape, choice, out, cap, count);
    }
    return count;
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

/* The least over the kernels that a request leaves, in either orientation. */
static double least_clocks(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                           const struct tmap_gemm_config *request)
{
    double least = 1e300;
    for (int32_t swapped = 0; swapped < 2; swapped++) {
        const struct gemm_view view = gemm_view_of(problem, swapped != 0);
        for (size_t i = 0; i < gemm_instance_count; i++) {
            if (!gemm_is_wanted(suite, &gemm_instances[i], &view, request, false)) continue;
            const struct gemm_view own = gemm_view_for(&view, &gemm_instances[i]);
            const double clocks = rough_clocks(suite, &gemm_instances[i], &own);
            if (clocks < least) least = clocks;
        }
    }
    return least;
}

/* most: of rough_clocks(), where the request leaves the tile open; ANY: a waste, too. */
static const double ANY = 1e300;
static size_t enumerate_view(const struct tmap_gemm *suite, const struct gemm_view *view,
                             const struct tmap_gemm_config *request, bool swapped, double most,
                             struct gemm_choice *out, size_t cap, size_t count)
{
    const bool open = !request->tile_m && !request->tile_n;
    for (size_t i = 0; i < gemm_instance_count; i++) {
        const struct gemm_instance *instance = &gemm_instances[i];
        if (!gemm_is_wanted(suite, instance, view, request, most == ANY)) continue;
        const struct gemm_view own = gemm_view_for(view, instance);
        if (open && rough_clocks(suite, instance, &own) > most) continue;
        struct gemm_choice choice = {.instance = instance};
        /* As a request, 0 would let the plan choose. */
        choice.config.swapped = swapped ? 1 : -1;
        count = enumerate_clusters(suite, &own, request, &choice, out, cap, count);
    }
    return count;
}

static size_t enumerate(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                        const struct tmap_gemm_config *request, double most,
                        struct gemm_choice *out, size_t cap)
{
    size_t count = 0;
    for (int32_t swapped = 0; swapped < 2; swapped++) {
        if ((request->swapped > 0) > swapped || (request->swapped < 0 && swapped)) continue;
        /* A's blocks are not B's, nor are A's pixels, and a gate's halves are columns. */
        if (swapped &&
            (problem->block_scale.a || problem->conv.images > 0 || problem->epilogue.gate))
            continue;
        const struct gemm_view view = gemm_view_of(problem, swapped != 0);
        if (!swapped && gemm_wants_apart(suite, &view, request)) {
            const struct gemm_view apart = gemm_view_apart(&view);
            count = enumerate_view(suite, &apart, request, false, most, out, cap, count);
            if (count > 0 && request->apart > 0) return count;
        }
        count = enumerate_view(suite, &view, request, swapped != 0, most, out, cap, count);
    }
    return count;
}

size_t gemm_enumerate(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                      const struct tmap_gemm_config *request, struct gemm_choice *out, size_t cap)
{
    static const double HOPELESS = 2.6;
    const bool open = !request->tile_m && !request->tile_n;
    const double most = open ? HOPELESS * least_clocks(suite, problem, request) : ANY;
    const size_t count = enumerate(suite, problem, request, most, out, cap);
    /* Where tiles are few kinds, the least may be one's that cannot be: a pingpong of one round.
     * And of few rows what is asked for may only be a waste. */
    return count == 0 && open ? enumerate(suite, problem, request, ANY, out, cap) : count;
}
