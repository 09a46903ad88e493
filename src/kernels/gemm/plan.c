/* From a problem to a plan that only has to be launched. */
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"
#include "kernels/runtime/policy.h"

_Static_assert(sizeof(struct gemm_epilogue_params) <= sizeof(uint64_t) * TMAP_GEMM_PARAM_WORDS,
               "a plan holds the kernel's parameters");
_Static_assert(offsetof(struct gemm_epilogue_params, epilogue) == GEMM_PARAM_BYTES,
               "as the kernels have them; and a group holds a product's one after the other");

_Static_assert(offsetof(struct gemm_epilogue_params, second) == GEMM_PARAM_BYTES + 128 + 256,
               "as the kernels have it");

static const struct tmap_gemm_config nothing = {0};

/* The kernels count tiles, and the k-blocks of those that are dealt out, in 32 bits. */
static bool is_counted(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    const int64_t rows = (int64_t)c->tile_m * c->cluster_m,
                  cols = (int64_t)c->tile_n * c->cluster_n;
    const int64_t k_blocks = ((int64_t)view->k + view->span - 1) / view->span;
    const int64_t plane = ((view->m + rows - 1) / rows) * ((view->n + cols - 1) / cols);
    return plane <= INT32_MAX / view->batch && c->stream_k <= INT32_MAX / k_blocks;
}

/* Where C and D lie, and how D is stored. */
static void fill_output(const struct gemm_view *view, const struct gemm_choice *choice,
                        const struct tmap_gemm_problem *problem, struct gemm_params *p)
{
    const struct tmap_gemm_config *c = &choice->config;
    p->c = (const void *)(uintptr_t)problem->c.address;
    p->c_row_stride = problem->c.ld;
    p->c_batch_stride = problem->c.batch_stride;
    p->d_address = (void *)(uintptr_t)view->d.address;
    p->d_row_bytes = view->d.ld * view->out_bytes;
    p->d_batch_bytes = view->d.batch_stride * view->out_bytes;
    p->ragged = gemm_is_ragged(view);
    p->direct = c->direct > 0;
    p->hand = c->store_warp > 0;
    const bool plain = !p->direct && !p->ragged && (!view->adds_c || view->epilogue) &&
                       c->split_k == 1 && gemm_stores_straight(view, choice->instance);
    p->plain = !plain                            ? GEMM_NOT_PLAIN
               : gemm_is_from_registers(view, c) ? GEMM_FROM_REGISTERS
                                                 : GEMM_BY_PANELS;
}

/* Slots of a promised operand that are filled before the predecessor has ended. Of long sums all:
 * 1 x 8192 x 8192 gained 5 %, but 16 x 4096 x 4096 lost 4 % and with four of them gained 3 %, since
 * they take memory from what still runs (docs/EXPERIMENTS.md). */
static int32_t promised_slots(const struct gemm_params *p)
{
    enum { LONG = 128, OF_SHORT = 16 };
    const int32_t some = p->k_blocks / OF_SHORT;
    return p->k_blocks >= LONG || some > p->stages ? p->stages : some < 1 ? 1 : some;
}

void gemm_fill_params(const struct tmap_gemm *suite, const struct gemm_view *view,
                      const struct gemm_choice *choice, const struct tmap_gemm_problem *problem,
                      struct gemm_params *p)
{
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t span = view->span;
    p->m = view->m;
    p->n = gemm_d_columns(view, view->n);
    p->batch = view->batch;
    const int32_t blocks = (view->k + span - 1) / span;
    const int32_t split = choice->instance->family == GEMM_SM90 ? c->split_k : 1;
    p->k_blocks = (blocks + split - 1) / split;
    const int32_t rows = c->tile_m * c->cluster_m, cols = c->tile_n * c->cluster_n;
    p->tiles_m = gemm_ceil_div(view->m, rows);
    p->tiles_n = gemm_ceil_div(gemm_tiled_columns(view), cols);
    p->total = p->tiles_m * p->tiles_n * view->batch;
    p->group = c->group;
    p->stages = c->stages;
    p->panels = c->panels;
    p->own_panels = choice->panels_in_ring ? 0 : c->panels;
    p->cluster_m = c->cluster_m;
    p->cluster_n = c->cluster_n;
    p->split = split;
    p->clusters = c->clusters;
    p->stream_tiles = c->stream_k > 0 ? c->stream_k : 0;
    p->deep = gemm_sharers_of_each(choice->instance, c, p->total);
    p->together = gemm_adds_together(view, choice->instance, c, p->total);
    /* Of all the stream's k-blocks, or of one tile's. */
    const int32_t sharers = p->deep > 1 ? p->deep : c->clusters;
    const int32_t shared = p->deep > 1 ? p->k_blocks : p->stream_tiles * p->k_blocks;
    p->stream_share = shared / sharers;
    p->stream_rest = shared % sharers;
    p->flags = problem->workspace; /* 0: the stream's own, when it is run */
    p->parts = problem->workspace + GEMM_FLAG_BYTES;
    p->transposed = view->transposed;
    if (choice->instance->image == GEMM_EARLY)
        p->early = c->swapped > 0 ? -promised_slots(p) : promised_slots(p);
    else if (suite->family == GEMM_SM100)
        p->types = gemm_tensor_types(view->kind);
    if (gemm_is_scaled(view->kind)) {
        p->a_scales = view->a_scales;
        p->b_scales = view->b_scales;
        p->scale_tiles = gemm_scale_tiles(view->kind, view->k);
    }
    p->out = gemm_is_narrow(view->out) ? GEMM_OUT_BF16 : view->out; /* sm90/narrow.cuh */
    p->tile_m = c->tile_m;
    p->tile_n = c->tile_n;
    gemm_fill_apart(view, p);
    p->stage_bytes = p->tx_bytes = (int32_t)gemm_stage_bytes(choice->instance);
    p->alpha = problem->alpha;
    p->beta = problem->beta;
    fill_output(view, choice, problem, p);
    p->flip_k = c->flip_k > 0;
    p->load_policy = cache_policy_bits(c->load_policy);
    p->store_policy = cache_policy_bits(c->store_policy);
    p->mailbox = (volatile uint32_t *)(uintptr_t)suite->mailbox.device;
    p->limit_ms = suite->limit_ms;
}

static enum tmap_status encode_checked(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                       struct gemm_map *map, struct tmap_gemm_refusal *refusal)
{
    const enum tmap_status status = gemm_encode(suite, desc, map);
    if (status == TMAP_OK) return TMAP_OK;
    return gemm_refuse(refusal, status, "a checked map cannot be encoded");
}

/* A map, checked and encoded. */
static enum tmap_status map_one(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                char name, int32_t sharers, int32_t ctas, struct gemm_map *map,
                                struct tmap_gemm_refusal *refusal)
{
    const enum tmap_status status = gemm_check_piece(suite, desc, name, sharers, ctas, refusal);
    return status == TMAP_OK ? encode_checked(suite, desc, map, refusal) : status;
}

/* A convolution's pixels. */
static enum tmap_status map_pixels(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct tmap_desc *desc, int32_t sharers,
                                   struct gemm_map *map, struct tmap_gemm_refusal *refusal)
{
    const enum tmap_status status = gemm_check_pixels(suite, view, desc, sharers, refusal);
    return status == TMAP_OK ? encode_checked(suite, desc, map, refusal) : status;
}

/* The map of a tile's last columns, or of the odd rows' first tile, where they need their own. */
static enum tmap_status map_end(const struct tmap_gemm *suite, const struct gemm_view *view,
                                const struct gemm_choice *choice, const struct tmap_desc *d,
                                struct gemm_map *map, struct tmap_gemm_refusal *refusal)
{
    struct tmap_desc end = *d;
    if (view->apart)
        gemm_describe_first(view, choice->config.tile_n, &end);
    else if (choice->instance->family != GEMM_SM90 ||
             !gemm_describe_end(view, choice->config.tile_n, &end))
        return TMAP_OK;
    return map_one(suite, &end, 'D', 1, 1, map, refusal);
}

/* A's scales by a map, a box of a tile's rows a k-block; B's by address. */
static enum tmap_status scale_blocks(const struct tmap_gemm *suite,
                                     const struct tmap_gemm_problem *problem,
                                     const struct gemm_choice *choice, struct gemm_blocks *blocks,
                                     struct tmap_gemm_refusal *refusal)
{
    struct tmap_desc desc;
    blocks->b = problem->block_scale.b;
    blocks->b_row_bytes = problem->block_scale.ldb * (int64_t)sizeof(float);
    blocks->b_rows = (problem->n + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK;
    blocks->b_cols = (problem->k + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK;
    gemm_describe_scales(problem, choice->config.tile_m, &desc);
    return map_one(suite, &desc, 'S', 1, 1, &blocks->a, refusal);
}

/* The second output: D's map at another address with other strides. */
static enum tmap_status add_second(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct gemm_choice *choice,
                                   const struct tmap_gemm_problem *problem,
                                   struct gemm_epilogue_params *all, const struct tmap_desc *d,
                                   struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_matrix *second = &problem->epilogue.second;
    struct gemm_params *p = &all->second;
    struct tmap_desc desc = *d;
    desc.address = second->address;
    desc.stride_bytes[0] = (uint64_t)(second->ld * view->out_bytes);
    desc.stride_bytes[1] =
        view->batch > 1 ? (uint64_t)(second->batch_stride * view->out_bytes) : desc.stride_bytes[0];
    *p = all->product;
    p->d_address = (void *)(uintptr_t)second->address;
    p->d_row_bytes = second->ld * view->out_bytes;
    p->d_batch_bytes = second->batch_stride * view->out_bytes;
    const enum tmap_status status = map_one(suite, &desc, 'D', 1, 1, &p->d, refusal);
    if (status != TMAP_OK) return status;
    return map_end(suite, view, choice, &desc, &p->d_end, refusal);
}

/* What the copies of a stage bring: both operands, and their scales. */
static uint64_t stage_tx_bytes(const struct tmap_gemm *suite, const struct gemm_view *view,
                               const struct gemm_choice *choice, const struct tmap_desc desc[2])
{
    const struct gemm_instance *g = choice->instance;
    const uint64_t a = gemm_operand_tx_bytes(suite, &desc[0], view->a.mn_major, gemm_a_rows(g),
                                             choice->config.cluster_n),
                   b = gemm_operand_tx_bytes(suite, &desc[1], view->b.mn_major, gemm_b_rows(g),
                                             choice->config.cluster_m);
    return a * gemm_conv_boxes(view, g, 0) + b * gemm_conv_boxes(view, g, 1) + gemm_scale_bytes(g) +
           (view->blocks ? (uint64_t)choice->config.tile_m * sizeof(float) : 0);
}

static enum tmap_status build(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                              const struct gemm_choice *choice, struct tmap_gemm_plan *plan,
                              struct tmap_gemm_refusal *refusal)
{
    const struct gemm_view view = gemm_view_in(problem, choice);
    struct gemm_epilogue_params all;
    memset(&all, 0, sizeof all);
    struct gemm_params params;
    memset(&params, 0, sizeof params);
    gemm_fill_params(suite, &view, choice, problem, &params);
    if (gemm_takes_turns(suite, &choice->config)) {
        params.turns =
            gemm_turns_of(suite->gpu.sm_count, gemm_members(choice), choice->config.clusters);
        params.turns.late = choice->config.overlap == GEMM_LATE;
    }
    if (view.epilogue) gemm_fill_epilogue(problem, choice->config.swapped > 0, &all.epilogue);
    if (view.blocks) {
        const enum tmap_status status = scale_blocks(suite, problem, choice, &all.blocks, refusal);
        if (status != TMAP_OK) return status;
    }
    gemm_describe(&view, choice, plan->desc);
    struct gemm_map *maps[3] = {&params.a, &params.b, &params.d};
    const int32_t sharers[3] = {choice->config.cluster_n, choice->config.cluster_m, 1};
    const int32_t ctas = choice->instance->ctas;
    if (view.conv.images > 0) {
        const enum tmap_status status =
            choice->instance->patch
                ? map_one(suite, &plan->desc[0], 'A', 1, 1, &params.a, refusal)
                : map_pixels(suite, &view, &plan->desc[0], sharers[0], &params.a, refusal);
        if (status != TMAP_OK) return status;
        gemm_fill_conv(&view, &all.conv);
    }
    for (int i = view.conv.images > 0; i < 3; i++) {
        const enum tmap_status status =
            map_one(suite, &plan->desc[i], "ABD"[i], sharers[i], ctas, maps[i], refusal);
        if (status != TMAP_OK) return status;
    }
    enum tmap_status status = map_end(suite, &view, choice, &plan->desc[2], &params.d_end, refusal);
    if (status == TMAP_OK && suite->family == GEMM_SM100)
        status = gemm_check_tensor(suite, &view, choice, plan->desc, refusal);
    if (status != TMAP_OK) return status;
    const uint64_t tx_bytes = stage_tx_bytes(suite, &view, choice, plan->desc);
    if (tx_bytes == 0 || tx_bytes > (uint64_t)params.stage_bytes)
        return gemm_refuse(refusal, TMAP_E_INTERNAL, "the maps' bytes are not the stage's");
    params.tx_bytes = (int32_t)tx_bytes;
    tmap_cu_function function = NULL;
    status = gemm_function(suite, choice->instance, &function);
    if (status != TMAP_OK) return gemm_refuse_unloaded(refusal, status);
    plan->function = function;
    all.product = params;
    if (view.second) {
        status = add_second(suite, &view, choice, problem, &all, &plan->desc[2], refusal);
        if (status != TMAP_OK) return status;
    }
    memcpy(plan->params, &all, sizeof all);
    return TMAP_OK;
}

/* Whether the family has kernels of this image for the problem's operands, whatever their tile. */
static bool has_image(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p, int image)
{
    for (size_t i = 0; i < gemm_instance_count; i++) {
        const struct gemm_instance *g = &gemm_instances[i];
        if (g->family == suite->family && g->kind == p->kind && (int)gemm_end_of(g) == image &&
            g->a_mn == p->a.mn_major && g->b_mn == p->b.mn_major)
            return true;
    }
    return false;
}

/* What it does not do with sums, in words; NULL: nothing. */
static const char *lacks_epilogue(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p)
{
    const bool has = has_image(suite, p, p->epilogue.gate ? GEMM_IMAGE_GATED : GEMM_FINISHED);
    const bool either_way = p->kind == TMAP_GEMM_BF16 || p->kind == TMAP_GEMM_F16;
    if (suite->family == GEMM_SM90) {
        if (has && p->epilogue.gate == GEMM_GATE_PAIRS && p->b.mn_major)
            return "a gate's pairs of columns are of a B contiguous along K";
        if (has) return NULL;
        return either_way ? "gates are for an A contiguous along K"
                          : "epilogues are for bf16 and fp16, and for e4m3 contiguous along K";
    }
    if (has) return NULL;
    return has_image(suite, p, GEMM_FINISHED)
               ? "gates are for floats of 16 and 8 bits without scale factors"
               : "epilogues are for floats of 16 bits and less contiguous along K";
}

/* What a family does not multiply, in words. */
static const char *lacks(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                         const struct tmap_gemm_config *request)
{
    const bool mn_major = p->a.mn_major || p->b.mn_major;
    if (!gemm_has_kind(suite->family, p->kind))
        return gemm_is_scaled(p->kind)
                   ? "products with scale factors are for compute capability 10.0 and later"
                   : "products of e4m3 by e5m2 are for compute capability 10.0 and later";
    if (suite->family != GEMM_SM90 && p->precise && gemm_is_fp8(p->kind))
        return "sums promoted out of the tensor core are compute capability 9.0's only";
    if (suite->family == GEMM_SM100 && mn_major && p->kind == GEMM_TF32)
        return "tf32 operands are contiguous along K, in tensor memory's products";
    if (suite->family == GEMM_SM120 && mn_major)
        return "operands are contiguous along K, in products of mma.sync";
    if (p->conv.images > 0 && (suite->family != GEMM_SM90 || p->kind != GEMM_BF16))
        return "convolutions are of bf16, on compute capability 9.0";
    if (p->block_scale.a && !has_image(suite, p, GEMM_BLOCKS))
        return "scales of blocks are for compute capability 9.0's products";
    const char *const epilogue = gemm_wants_epilogue(p) ? lacks_epilogue(suite, p) : NULL;
    if (epilogue) return epilogue;
    if (p->epilogue.gate && p->d.mn_major && suite->family == GEMM_SM100)
        return "beside a gate D is row-major, in tensor memory's products";
    return request->overlap == GEMM_LATE ? "no kernel fits whose clusters have turns (overlap 2)"
                                         : "no kernel of the family fits";
}

/* Whether libraries of the kind's kernels were missed; from now on they are asked for again. */
static bool forget_absent(struct tmap_gemm *suite, int32_t kind)
{
    bool any = false;
    for (int image = 0; image < GEMM_IMAGES; image++) {
        any |= suite->absent[kind][image];
        suite->absent[kind][image] = false;
    }
    return any;
}

/* The first choice, built; where its library is not there, the first of those that are. */
static enum tmap_status build_first(struct tmap_gemm *suite,
                                    const struct tmap_gemm_problem *problem,
                                    const struct tmap_gemm_config *request,
                                    struct gemm_choice *choice, struct tmap_gemm_plan *made,
                                    struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = TMAP_E_NOT_BUILT;
    for (bool last = false; status == TMAP_E_NOT_BUILT;) {
        if (gemm_enumerate(suite, problem, request, choice, 1) == 0) {
            /* Then a library that is missed decides, and says so. */
            last = forget_absent(suite, problem->kind);
            if (!last || gemm_enumerate(suite, problem, request, choice, 1) == 0)
                return gemm_refuse(refusal, TMAP_E_NO_PLAN, lacks(suite, problem, request));
        }
        const struct gemm_view view = gemm_view_in(problem, choice);
        if (!is_counted(&view, &choice->config))
            return gemm_refuse(refusal, TMAP_E_NO_PLAN, "more tiles than the kernels can count");
        memset(made, 0, sizeof *made);
        status = build(suite, problem, choice, made, refusal);
        if (last) break;
    }
    if (status == TMAP_OK && refusal) memset(refusal, 0, sizeof *refusal);
    return status;
}

static enum tmap_status make_plan(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                                  const struct tmap_gemm_config *request,
                                  struct tmap_gemm_plan *plan, struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = gemm_ask_residents(suite, problem->kind);
    if (status != TMAP_OK) return gemm_refuse_unloaded(refusal, status);
    struct gemm_choice choice;
    struct tmap_gemm_plan made;
    status = build_first(suite, problem, request, &choice, &made, refusal);
    if (status != TMAP_OK) return status;
    made.problem = *problem;
    made.config = choice.config;
    made.cost_us = choice.cost_us;
    made.cluster = (uint32_t)gemm_members(&choice);
    made.grid = (uint32_t)choice.config.clusters * made.cluster;
    made.threads = gemm_threads(choice.instance);
    made.smem_bytes = choice.smem_bytes;
    made.needs_workspace = choice.config.stream_k > 0;
    made.suite = suite;
    *plan = made;
    return TMAP_OK;
}

/* Where a row of the im2col map forbids it, by patches: they have none. */
static enum tmap_status plan_somehow(struct tmap_gemm *suite,
                                     const struct tmap_gemm_problem *problem,
                                     const struct tmap_gemm_config *request,
                                     struct tmap_gemm_plan *plan, struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_config patched = *request;
    const enum tmap_status status = make_plan(suite, problem, request, plan, refusal);
    if (status != TMAP_E_ILLEGAL || problem->conv.images == 0 || request->patch != 0) return status;
    for (patched.patch = 1; patched.patch <= 2; patched.patch++) {
        if (make_plan(suite, problem, &patched, plan, NULL) != TMAP_OK) continue;
        if (refusal) memset(refusal, 0, sizeof *refusal);
        return TMAP_OK;
    }
    return status;
}

enum tmap_status tmap_gemm_make_plan(struct tmap_gemm *suite,
                                     const struct tmap_gemm_problem *problem,
                                     const struct tmap_gemm_config *request,
                                     struct tmap_gemm_plan *plan, struct tmap_gemm_refusal *refusal)
{
    tmap_cu_context before;
    if (!suite || !problem || !plan)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "no suite, no problem or no plan");
    if (!request) request = &nothing;
    enum tmap_status status = gemm_validate(problem, request, refusal);
    if (status != TMAP_OK) return status;
    if (problem->beta != 0.0f && problem->c.address == 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "C has no address");
    status = gemm_validate_scales(problem->kind, problem->a_scales, problem->b_scales, refusal);
    if (status != TMAP_OK) return status;
    if (tmap_gpu_enter(&suite->gpu, &before) != TMAP_OK)
        return gemm_refuse(refusal, TMAP_E_DRIVER, "the device's context cannot be made current");
    status = plan_somehow(suite, problem, request, plan, refusal);
    tmap_gpu_leave(&suite->gpu, before);
    return status;
}

enum tmap_status gemm_launch(const struct tmap_gemm *suite, const struct tmap_launch *what,
                             void **params, void *stream)
{
    return tmap_libcuda_launch(&suite->gpu.api, what, params, stream) ? TMAP_E_DRIVER : TMAP_OK;
}

/* The launch's parameters, with the stream's own workspace where the plan has none of its caller's.
 */
static enum tmap_status lend_workspace(const struct tmap_gemm_plan *plan, void *stream,
                                       struct gemm_params *p)
{
    tmap_cu_deviceptr at;
    const enum tmap_status status =
        stream_memory_get(plan->suite->workspaces, &plan->suite->gpu.api, stream, &at);
    if (status != TMAP_OK) return status;
    p->flags = at;
    p->parts = at + GEMM_FLAG_BYTES;
    return TMAP_OK;
}

static enum tmap_status run(const struct tmap_gemm_plan *plan, void *stream)
{
    struct gemm_epilogue_params lent; /* a kernel without an epilogue takes the first part */
    void *params[] = {(void *)(uintptr_t)plan->params}; /* the driver only reads them */
    const struct tmap_launch what = {.function = plan->function,
                                     .grid = plan->grid,
                                     .threads = plan->threads,
                                     .cluster = plan->cluster,
                                     .smem_bytes = plan->smem_bytes,
                                     .overlap = plan->config.overlap >= 0};
    if (plan->needs_workspace && plan->problem.workspace == 0) {
        memcpy(&lent, plan->params, sizeof lent);
        params[0] = &lent;
        const enum tmap_status status = lend_workspace(plan, stream, &lent.product);
        if (status != TMAP_OK) return status;
    }
    return gemm_launch(plan->suite, &what, params, stream);
}

enum tmap_status tmap_gemm_run(const struct tmap_gemm_plan *plan, void *stream)
{
    tmap_cu_context before;
    if (!plan || !plan->suite) return TMAP_E_ARGUMENT;
    enum tmap_status status = tmap_gpu_enter(&plan->suite->gpu, &before);
    if (status != TMAP_OK) return status;
    status = run(plan, stream);
    tmap_gpu_leave(&plan->suite->gpu, before);
    return status;
}

size_t tmap_gemm_configs(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                         const struct tmap_gemm_config *request, struct tmap_gemm_config *configs,
                         size_t cap)
{
    tmap_cu_context before;
    if (!request) request = &nothing;
    if (!suite || !problem || gemm_validate(problem, request, NULL) != TMAP_OK ||
        tmap_gpu_enter(&suite->gpu, &before) != TMAP_OK)
        return 0;
    const enum tmap_status status = gemm_ask_residents(suite, problem->kind);
    tmap_gpu_leave(&suite->gpu, before);
    /* Too many for the stack of a small thread. */
    struct gemm_choice *choices =
        status == TMAP_OK ? malloc(GEMM_MAX_CHOICES * sizeof *choices) : NULL;
    if (!choices) return 0;
    size_t count = gemm_enumerate(suite, problem, request, choices, GEMM_MAX_CHOICES);
    if (count > GEMM_MAX_CHOICES) count = GEMM_MAX_CHOICES;
    for (size_t i = 0; i < count && i < cap; i++) configs[i] = choices[i].config;
    free(choices);
    return count;
}
