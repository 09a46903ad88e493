/* Products of weights in 4 or 8 bits: what is refused, the four maps, and the plan. */
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/mixed.h"
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"
#include "kernels/runtime/policy.h"
#include "tmap/mixed.h"

_Static_assert(sizeof(struct gemm_mixed_params) <= sizeof(struct gemm_epilogue_params),
               "a launch hands over as many bytes");

#define WEIGHT(word, NAME, bits, zeros)                                                            \
    _Static_assert((int)TMAP_MIXED_##NAME == (int)MIXED_##NAME, "the interface's numbers");
#include "kernels/gemm/mixed.def"

static const struct weight {
    int32_t bits;
    bool zeros;
} weights[] = {
#define WEIGHT(word, NAME, bits, zeros) {bits, zeros},
#include "kernels/gemm/mixed.def"
};

static const struct instance {
    const char *name;
    int32_t kind, weight, cols, warps;
} instances[] = {
#define MIXED(K, W, C, WARPS)                                                                      \
    {"mixed_" #K "_" #W "_" #C, GEMM_KIND_##K, MIXED_WEIGHT_##W, C, WARPS},
#include "kernels/gemm/mixed.def"
};
enum { INSTANCES = sizeof instances / sizeof *instances };

/* A plan in the making. */
struct draft {
    const struct tmap_mixed_problem *problem;
    const struct instance *instance;
    int32_t span;   /* of K in a k-block */
    int32_t groups; /* of K in it; 0: there are none */
    struct tmap_desc w, a, s, z;
};

static enum tmap_status refuse(struct tmap_gemm_refusal *refusal, const char *text)
{
    return gemm_refuse(refusal, TMAP_E_ARGUMENT, text);
}

/* What one number alone does not say. */
static enum tmap_status together(const struct tmap_mixed_problem *p,
                                 struct tmap_gemm_refusal *refusal)
{
    const int64_t bytes = p->out == GEMM_OUT_F32 ? 4 : 2;
    if (p->kind != GEMM_BF16 && p->kind != GEMM_F16)
        return refuse(refusal, "activations are of bf16 or fp16");
    if (p->group != 0 && p->group != 32 && p->group != 64 && p->group != 128)
        return refuse(refusal, "group is not 0, 32, 64 or 128");
    if (p->n % MIXED_EIGHT != 0) return refuse(refusal, "n is not a multiple of 8");
    if (weights[p->weight].bits == 4 && (p->k % 2 != 0 || p->weights_ld % 2 != 0))
        return refuse(refusal, "K and weights_ld of weights of 4 bits must be even");
    if (p->zeros && !weights[p->weight].zeros)
        return refuse(refusal, "weights of e4m3 have no zeros");
    if (p->zeros && p->group == 0)
        return refuse(refusal, "zeros are of groups, and there are none");
    if (p->group != 0 && !p->scales) return refuse(refusal, "groups have scales");
    if (p->scales % 4 != 0) return refuse(refusal, "the address of scales is not a multiple of 4");
    if (p->d % 16 != 0 || p->d_ld * bytes % 16 != 0)
        return refuse(refusal, "D and its rows must begin at multiples of 16 bytes");
    if (p->d_ld < p->n) return refuse(refusal, "d_ld is less than N");
    if (p->workspace % GEMM_WORKSPACE_ALIGN != 0)
        return refuse(refusal, "workspace is not a multiple of 256");
    return TMAP_OK;
}

/* --- maps */

/* Every eighth row of the weights together: rank 3, bytes of K, eights of N, rows of an eight. */
static void describe_weights(struct draft *t)
{
    const struct tmap_mixed_problem *p = t->problem;
    const int32_t bits = weights[p->weight].bits;
    const uint64_t row = (uint64_t)(p->weights_ld * bits / 8);
    t->w = (struct tmap_desc){
        .kind = TMAP_TILED,
        .dtype = TMAP_UINT8,
        .rank = 3,
        .address = p->weights,
        .dim = {(uint64_t)p->k * (uint64_t)bits / 8, (uint64_t)p->n / MIXED_EIGHT, MIXED_EIGHT},
        .stride_bytes = {row * MIXED_EIGHT, row},
        .box = {GEMM_SPAN_BYTES, MIXED_ROWS / MIXED_EIGHT, MIXED_EIGHT},
        .elem_stride = {1, 1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
        .l2_promotion = TMAP_L2_128B};
}

/* Of a tile with more rows than there are the others are not loaded: their columns of the sums are
 * nobody's. */
static void describe_activations(struct draft *t)
{
    const struct tmap_mixed_problem *p = t->problem;
    const int32_t rows = p->m < t->instance->cols ? p->m : t->instance->cols;
    t->a = (struct tmap_desc){.kind = TMAP_TILED,
                              .dtype = p->kind == GEMM_BF16 ? TMAP_BFLOAT16 : TMAP_FLOAT16,
                              .rank = 2,
                              .address = p->activations,
                              .dim = {(uint64_t)p->k, (uint64_t)p->m},
                              .stride_bytes = {(uint64_t)p->activations_ld * 2},
                              .box = {GEMM_SPAN_BYTES / 2, (uint32_t)rows},
                              .elem_stride = {1, 1},
                              .swizzle = TMAP_SWIZZLE_128B,
                              .l2_promotion = TMAP_L2_128B};
}

/* Groups of K, the last of which may be short. */
static int32_t groups_of(const struct tmap_mixed_problem *p)
{
    return p->group ? (p->k - 1) / p->group + 1 : 0;
}

/* A tile's columns of the groups of a k-block. */
static struct tmap_desc by_groups(const struct draft *t, int32_t dtype, uint64_t address,
                                  int64_t row_bytes)
{
    const struct tmap_mixed_problem *p = t->problem;
    return (struct tmap_desc){.kind = TMAP_TILED,
                              .dtype = dtype,
                              .rank = 2,
                              .address = address,
                              .dim = {(uint64_t)p->n, (uint64_t)groups_of(p)},
                              .stride_bytes = {(uint64_t)row_bytes},
                              .box = {MIXED_ROWS, (uint32_t)t->groups},
                              .elem_stride = {1, 1}};
}

static void describe(struct draft *t)
{
    const struct tmap_mixed_problem *p = t->problem;
    describe_weights(t);
    describe_activations(t);
    if (t->groups == 0) return;
    t->s = by_groups(t, t->a.dtype, p->scales, p->scales_ld * 2);
    if (p->zeros) t->z = by_groups(t, TMAP_UINT8, p->zeros, p->zeros_ld);
}

/* Checks and encodes a map, and adds what a slot's copies by it bring. */
static enum tmap_status map_one(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                char name, int32_t boxes, struct gemm_map *map, int32_t *tx_bytes,
                                struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = gemm_check(suite, desc, name, 1, refusal);
    if (status != TMAP_OK) return status;
    status = gemm_encode(suite, desc, map);
    if (status != TMAP_OK) return gemm_refuse(refusal, status, "a checked map cannot be encoded");
    *tx_bytes += boxes * (int32_t)gemm_operand_tx_bytes(suite, desc, false, 0, 1);
    return TMAP_OK;
}

static enum tmap_status map_all(const struct tmap_gemm *suite, const struct draft *t,
                                struct gemm_mixed_params *all, struct tmap_gemm_refusal *refusal)
{
    struct gemm_params *p = &all->product;
    const int32_t boxes = t->span * 2 / GEMM_SPAN_BYTES;
    enum tmap_status status = map_one(suite, &t->w, 'W', 1, &p->a, &p->tx_bytes, refusal);
    if (status == TMAP_OK) status = map_one(suite, &t->a, 'A', boxes, &p->b, &p->tx_bytes, refusal);
    if (status == TMAP_OK && t->groups > 0)
        status = map_one(suite, &t->s, 'S', 1, &all->mixed.scales, &p->tx_bytes, refusal);
    if (status == TMAP_OK && t->problem->zeros)
        status = map_one(suite, &t->z, 'Z', 1, &all->mixed.zeros, &p->tx_bytes, refusal);
    return status;
}

/* --- the plan */

/* The narrowest tile that has all rows of activations, else the widest. */
static const struct instance *choose(const struct tmap_mixed_problem *p, int32_t cols)
{
    const struct instance *best = NULL;
    for (const struct instance *i = instances; i < instances + INSTANCES; i++) {
        if (i->kind != p->kind || i->weight != p->weight || (cols && i->cols != cols)) continue;
        if (!best || best->cols < p->m) best = i; /* they come narrow to wide */
    }
    return best;
}

/* Where everything lies in a slot and in shared memory. */
static bool lay_out(const struct draft *t, uint32_t room, struct tmap_gemm_config *config,
                    struct gemm_mixed_params *all, uint32_t *smem_bytes)
{
    enum { SLOT_ALIGN = 1024, MOST_STAGES = 16 };
    const int32_t cols = t->instance->cols, scales = t->groups * MIXED_ROWS * 2;
    struct gemm_mixed *q = &all->mixed;
    const int32_t scales_at = MIXED_WEIGHTS_BYTES + t->span * 2 * cols;
    const int32_t zeros_at = scales_at + scales;
    const int32_t end = zeros_at + (t->problem->zeros ? scales / 2 : 0);
    q->scales_at = t->groups ? scales_at : 0;
    q->zeros_at = t->problem->zeros ? zeros_at : 0;
    const int32_t slot = (end + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    const int32_t across = MIXED_ROWS / 8 / (cols <= MIXED_WHOLE_COLS ? 8 : 4);
    const int32_t exchange = (t->instance->warps / across - 1) * MIXED_ROWS * cols * 4;
    const int32_t fit = ((int32_t)room - exchange) / (slot + GEMM_BARRIERS_BYTES);
    if (config->stages == 0) config->stages = fit < MOST_STAGES ? fit : MOST_STAGES;
    all->product.stage_bytes = slot;
    all->product.stages = config->stages;
    *smem_bytes = (uint32_t)(config->stages * (slot + GEMM_BARRIERS_BYTES) + exchange);
    return config->stages >= 1 && config->stages <= fit;
}

/* Tiles, and their k-blocks dealt out evenly; false where they are more than 31 bits count. */
static bool deal_out(const struct tmap_gemm *suite, const struct draft *t,
                     struct tmap_gemm_config *config, struct gemm_params *p)
{
    const struct tmap_mixed_problem *x = t->problem;
    const int32_t cols = t->instance->cols;
    p->k_blocks = (x->k - 1) / t->span + 1;
    p->tiles_m = (x->m - 1) / cols + 1;
    p->tiles_n = (x->n - 1) / MIXED_ROWS + 1;
    const int64_t tiles = (int64_t)p->tiles_m * p->tiles_n;
    if (tiles > INT32_MAX / p->k_blocks) return false;
    const int32_t units = (int32_t)tiles * p->k_blocks;
    const int32_t most = suite->gpu.sm_count < units ? suite->gpu.sm_count : units;
    /* As few as have no more to do than all would: so fewer share a tile. */
    const int32_t each = (units - 1) / most + 1;
    if (config->clusters == 0) config->clusters = (units - 1) / each + 1;
    if (config->clusters > most) config->clusters = most;
    config->stream_k = (int32_t)tiles;
    p->total = p->stream_tiles = (int32_t)tiles;
    p->group = p->tiles_m;
    p->clusters = config->clusters;
    p->stream_share = units / p->clusters;
    p->stream_rest = units % p->clusters;
    p->deep = p->split = p->cluster_m = p->cluster_n = p->batch = 1;
    return true;
}

/* A chunk's number shifted by so much is that of its group, of so many in a k-block. */
static int32_t shift_of(int32_t groups)
{
    int32_t shift = 0;
    while (groups << shift < GEMM_SPAN_BYTES / MIXED_CHUNK_BYTES) shift++;
    return shift;
}

/* Whether every share is of whole tiles, or every tile of whole shares: then all blocks have as
 * much to do, and end at once. */
static bool is_even(const struct gemm_params *p)
{
    return p->stream_rest == 0 &&
           (p->k_blocks % p->stream_share == 0 || p->stream_share % p->k_blocks == 0);
}

/* Slots that are worth asking for early, in percent of a block's, where loads take longer than
 * multiplies: up to 16 rows of 8 bits, up to 8 of 4 (docs/EXPERIMENTS.md). */
static int32_t early_percent(const struct draft *t)
{
    enum { OF_EIGHT = 40, OF_FOUR = 30 };
    if (weights[t->problem->weight].bits == 8)
        return t->instance->cols <= MIXED_WHOLE_COLS ? OF_EIGHT : 0;
    return t->instance->cols == 8 ? OF_FOUR : 0;
}

/* k-blocks that the blocks with most have to do. */
static int32_t slots_of(const struct gemm_params *p)
{
    return p->stream_share + (p->stream_rest > 0);
}

/* Slots of weights that a block asks for before its predecessor has ended. They delay what that
 * still loads and sends: so where multiplying takes longer than loading, only as many as it begins
 * with, and at most half of the block's. Where loads take longer, memory must not rest, and as many
 * more are early as the launch is long; but not the last slot where all blocks of the predecessor
 * end at once, or scales of many groups make multiplying nearly as long. */
static int32_t early_slots(const struct draft *t, const struct gemm_params *p)
{
    enum { MANY_GROUPS = 8, SMALL_RING = 4 };
    const int32_t slots = slots_of(p);
    const bool leaves_last = is_even(p) || t->groups >= MANY_GROUPS;
    const int32_t most = leaves_last && p->stages > 1 ? p->stages - 1 : p->stages;
    const int32_t begin = p->stages > SMALL_RING ? 3 : 2, half = p->stream_share / 2;
    const int32_t more = (int32_t)((int64_t)slots * early_percent(t) / 100);
    int32_t early = begin < half ? begin : half;
    if (early < more) early = more;
    if (early < 1) early = 1;
    return early < most ? early : most;
}

static void fill(const struct tmap_gemm *suite, const struct draft *t, bool early,
                 struct gemm_mixed_params *all)
{
    const struct tmap_mixed_problem *x = t->problem;
    struct gemm_params *p = &all->product;
    struct gemm_mixed *q = &all->mixed;
    p->m = x->m;
    p->n = x->n;
    p->out = x->out;
    p->tile_m = MIXED_ROWS;
    p->tile_n = t->instance->cols;
    p->d_address = (void *)(uintptr_t)x->d;
    p->d_row_bytes = x->d_ld * (x->out == GEMM_OUT_F32 ? 4 : 2);
    p->flags = x->workspace; /* 0: the stream's own, when it is run */
    p->parts = x->workspace + GEMM_FLAG_BYTES;
    p->mailbox = (volatile uint32_t *)(uintptr_t)suite->mailbox.device;
    p->limit_ms = suite->limit_ms;
    p->load_policy = cache_policy_bits(TMAP_CACHE_NORMAL);
    /* Weights that one tile of activations alone meets are read once. */
    q->weights_policy =
        cache_policy_bits(p->tiles_m == 1 ? TMAP_CACHE_EVICT_FIRST : TMAP_CACHE_NORMAL);
    q->row_scales = x->group == 0 ? x->scales : 0;
    q->groups = t->groups;
    q->group_chunks = x->group * weights[x->weight].bits / 8 / MIXED_CHUNK_BYTES;
    q->group_shift = shift_of(t->groups ? t->groups : 1);
    q->has_zeros = x->zeros != 0;
    q->early = early ? early_slots(t, p) : 0;
}

static double bound_us(const struct tmap_mixed_problem *p)
{
    const double w = (double)p->n * p->k * weights[p->weight].bits / 8;
    const double a = 2.0 * p->m * p->k, d = (p->out == GEMM_OUT_F32 ? 4.0 : 2.0) * p->m * p->n;
    const double groups = (double)groups_of(p) * p->n;
    return (w + a + d + groups * (p->zeros ? 3 : 2)) / 4.3e6;
}

static enum tmap_status load(struct tmap_gemm *suite, const struct instance *instance,
                             void **function)
{
    const bool brain = instance->kind == GEMM_BF16;
    tmap_cu_module *module = &suite->mixed[brain];
    tmap_cu_function found = NULL;
    enum tmap_status status =
        gemm_module(suite, brain ? "gemm/sm90/mixed_bf16" : "gemm/sm90/mixed_f16", module);
    if (status == TMAP_OK)
        status =
            suite_kernel(&suite->gpu.api, *module, instance->name, suite->smem_optin_bytes, &found);
    if (status == TMAP_OK) *function = found;
    return status;
}

static enum tmap_status check(const struct tmap_mixed_problem *p, struct tmap_gemm_refusal *refusal)
{
    const enum tmap_status status = gemm_validate_mixed(p, refusal);
    return status == TMAP_OK ? together(p, refusal) : status;
}

/* What follows from a checked problem and the request before anything is dealt out. */
static enum tmap_status prepare(struct draft *t, const struct tmap_gemm_config *request,
                                struct tmap_gemm_refusal *refusal)
{
    const struct tmap_mixed_problem *p = t->problem;
    t->instance = choose(p, request->tile_n);
    if (!t->instance) return gemm_refuse(refusal, TMAP_E_NO_PLAN, "no kernel has so wide a tile");
    t->span = GEMM_SPAN_BYTES * 8 / weights[p->weight].bits;
    t->groups = p->group ? t->span / p->group : 0;
    describe(t);
    return TMAP_OK;
}

/* Slots, shares and maps: of the request the configuration has stages and clusters, and gets those
 * that it leaves open. */
static enum tmap_status deal(const struct tmap_gemm *suite, const struct draft *t,
                             struct tmap_gemm_config *config, struct gemm_mixed_params *all,
                             uint32_t *smem_bytes, struct tmap_gemm_refusal *refusal)
{
    memset(all, 0, sizeof *all);
    if (!lay_out(t, suite->smem_optin_bytes, config, all, smem_bytes))
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "so many stages do not fit in shared memory");
    if (!deal_out(suite, t, config, &all->product))
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "more tiles than the kernels can count");
    return map_all(suite, t, all, refusal);
}

/* Whether this launch can do anything for the next: up to 16 rows of both, which is what was timed,
 * and where each of its blocks has at most two of the next one's to ask for. */
static bool helps_next(const struct draft *t, const struct draft *then,
                       const struct gemm_params *own, const struct gemm_params *next)
{
    const bool few =
        t->instance->cols <= MIXED_WHOLE_COLS && then->instance->cols <= MIXED_WHOLE_COLS;
    return few && next->clusters <= 2 * own->clusters;
}

/* k-blocks of each block of the next launch that are worth bringing to L2: more would take memory
 * from those blocks that still load their own, and launches so short, or a little longer where
 * blocks end at different times, gain nothing (docs/EXPERIMENTS.md). */
static int32_t next_slots(const struct gemm_params *p)
{
    enum { EVERY = 8, MOST = 4, SHORT = 3, SHORT_UNEVEN = 6 };
    const int32_t slots = slots_of(p), some = (slots + EVERY / 2) / EVERY;
    if (slots < SHORT || (slots < SHORT_UNEVEN && !is_even(p))) return 0;
    return some < 1 ? 1 : some < MOST ? some : MOST;
}

static enum tmap_status of_next(enum tmap_status status, struct tmap_gemm_refusal *refusal)
{
    if (!refusal) return status;
    const struct tmap_gemm_refusal why = *refusal;
    snprintf(refusal->text, sizeof refusal->text, "next: %.150s", why.text);
    return status;
}

/* What the next launch loads first, by a request like this one's. */
static enum tmap_status look_ahead(const struct tmap_gemm *suite, const struct draft *t,
                                   const struct tmap_gemm_config *request,
                                   struct gemm_mixed_params *all, struct tmap_gemm_refusal *refusal)
{
    struct draft then = {.problem = t->problem->next};
    struct tmap_gemm_config config = *request;
    struct gemm_mixed_params theirs;
    const struct gemm_params *p = &theirs.product;
    uint32_t smem_bytes;
    enum tmap_status status = check(then.problem, refusal);
    if (status == TMAP_OK) status = prepare(&then, request, refusal);
    if (status == TMAP_OK) status = deal(suite, &then, &config, &theirs, &smem_bytes, refusal);
    if (status != TMAP_OK) return of_next(status, refusal);
    all->next = (struct gemm_mixed_next){
        .weights = p->a,
        .scales = theirs.mixed.scales,
        .zeros = theirs.mixed.zeros,
        .slots = helps_next(t, &then, &all->product, p) ? next_slots(p) : 0,
        .clusters = p->clusters,
        .stream_share = p->stream_share,
        .stream_rest = p->stream_rest,
        .k_blocks = p->k_blocks,
        .tiles_m = p->tiles_m,
        .groups = then.groups,
        .has_zeros = then.problem->zeros != 0};
    return TMAP_OK;
}

static enum tmap_status build(struct tmap_gemm *suite, const struct draft *t,
                              const struct tmap_gemm_config *request, struct tmap_gemm_plan *made,
                              struct tmap_gemm_refusal *refusal)
{
    struct gemm_mixed_params all;
    const struct tmap_mixed_problem *p = t->problem;
    enum tmap_status status = deal(suite, t, &made->config, &all, &made->smem_bytes, refusal);
    if (status != TMAP_OK) return status;
    fill(suite, t, made->config.overlap > 0, &all);
    if (p->next) status = look_ahead(suite, t, request, &all, refusal);
    if (status != TMAP_OK) return status;
    status = load(suite, t->instance, &made->function);
    if (status != TMAP_OK) return gemm_refuse_unloaded(refusal, status);
    made->config.tile_m = MIXED_ROWS;
    made->config.tile_n = t->instance->cols;
    made->desc[0] = t->w, made->desc[1] = t->a, made->desc[2] = t->s;
    made->problem = (struct tmap_gemm_problem){.kind = p->kind,
                                               .out = p->out,
                                               .m = p->m,
                                               .n = p->n,
                                               .k = p->k,
                                               .batch = 1,
                                               .alpha = 1,
                                               .workspace = p->workspace};
    made->cost_us = bound_us(p);
    made->cluster = 1;
    made->grid = (uint32_t)made->config.clusters;
    made->threads = (uint32_t)t->instance->warps * 32 + 128;
    made->needs_workspace = true;
    made->suite = suite;
    memcpy(made->params, &all, sizeof all);
    return TMAP_OK;
}

enum tmap_status tmap_mixed_make_plan(struct tmap_gemm *suite,
                                      const struct tmap_mixed_problem *problem,
                                      const struct tmap_gemm_config *request,
                                      struct tmap_gemm_plan *plan,
                                      struct tmap_gemm_refusal *refusal)
{
    static const struct tmap_gemm_config nothing = {0};
    struct tmap_gemm_plan made;
    struct draft t = {.problem = problem};
    tmap_cu_context before;
    if (!suite || !problem || !plan) return refuse(refusal, "no suite, no problem or no plan");
    if (!request) request = &nothing;
    enum tmap_status status = check(problem, refusal);
    if (status == TMAP_OK) status = gemm_validate_request(request, refusal);
    if (status != TMAP_OK) return status;
    if (request->overlap == GEMM_LATE)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "weights of 4 or 8 bits know no overlap 2");
    if (suite->family != GEMM_SM90)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           "products of weights of 4 or 8 bits are for compute capability 9.0");
    status = prepare(&t, request, refusal);
    if (status != TMAP_OK) return status;
    memset(&made, 0, sizeof made);
    made.config.stages = request->stages;
    made.config.clusters = request->clusters;
    made.config.overlap = request->overlap;
    if (tmap_gpu_enter(&suite->gpu, &before) != TMAP_OK)
        return gemm_refuse(refusal, TMAP_E_DRIVER, "the device's context cannot be made current");
    status = build(suite, &t, request, &made, refusal);
    tmap_gpu_leave(&suite->gpu, before);
    if (status == TMAP_OK) *plan = made;
    return status;
}
