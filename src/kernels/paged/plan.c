/* From a problem to a plan: its numbers validated, maps made, sequences split, the ring chosen. */
#include <inttypes.h>
#include <string.h>

#include "kernels/paged/suite.h"
#include "kernels/runtime/policy.h"

#define BLOCKS_PER_SM 2u
#define RESERVED_BYTES 1024u /* of shared memory, that each of several blocks gives up */
/* What a block takes before its first tile and after its last, in tiles: fitted on an H200 to 64
 * requests of 4096 tokens with 1 to 4 splits. */
#define START_TILES 2u

_Static_assert(sizeof(struct paged_params) <= 8 * TMAP_PAGED_PARAM_WORDS, "a plan holds them");

static const struct {
    const char *name;
    int32_t kind, dim;
    float scale;
} kernels[] = {
#define PAGED_INSTANCE(name, kind, dim, scale) {#name, kind, dim, scale},
#include "kernels/paged/instances.def"
};

/* The kernel for a problem, and the usual scale; NULL when there is none. */
static const char *kernel_of(const struct tmap_paged_problem *problem, float *scale)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].kind == problem->kind && kernels[i].dim == problem->dim)
            return *scale = kernels[i].scale, kernels[i].name;
    return NULL;
}

static enum tmap_status out_of(struct tmap_paged_refusal *refusal, const char *member,
                               int64_t value, int64_t low, int64_t high)
{
    return paged_refuse(refusal, TMAP_E_ARGUMENT, "%s is %" PRId64 ", not %" PRId64 " to %" PRId64,
                        member, value, low, high);
}

static enum tmap_status ranges(const struct tmap_paged_problem *p,
                               const struct tmap_paged_config *c,
                               struct tmap_paged_refusal *refusal)
{
#define CHECKED(of, member, low, high)                                                             \
    if ((int64_t)of->member < (int64_t)(low) || (int64_t)of->member > (int64_t)(high))             \
        return out_of(refusal, #member, (int64_t)of->member, low, high);
#define PROBLEM(member, low, high) CHECKED(p, member, low, high)
#define CONFIG(member, low, high) CHECKED(c, member, low, high)
#include "kernels/paged/bounds.def"
    return TMAP_OK;
}

static enum tmap_status validate(const struct tmap_paged_problem *p,
                                 const struct tmap_paged_config *c,
                                 struct tmap_paged_refusal *refusal)
{
    const enum tmap_status status = ranges(p, c, refusal);
    if (status != TMAP_OK) return status;
    float scale;
    if (kernel_of(p, &scale) == NULL)
        return paged_refuse(refusal, TMAP_E_NO_PLAN, "no kernel for heads of %d elements", p->dim);
    if (p->heads % p->kv_heads || p->heads / p->kv_heads > PAGED_ROWS)
        return paged_refuse(refusal, TMAP_E_ARGUMENT, "heads is %d, not 1 to %d times kv_heads",
                            p->heads, PAGED_ROWS);
    if ((int64_t)p->table_pages * p->page_size > INT32_MAX / 2)
        return paged_refuse(refusal, TMAP_E_ARGUMENT, "table_pages: more than 2^30 tokens");
    if (p->query % 4 || p->output % 4 || p->query_stride % 2 || p->output_stride % 2 ||
        p->query_head_stride % 2 || p->output_head_stride % 2)
        return paged_refuse(refusal, TMAP_E_ARGUMENT,
                            "query and output begin at multiples of 4 bytes, strides are even");
    if (!p->lengths || p->lengths % 4 || !p->table || p->table % 4 || p->workspace % 16)
        return paged_refuse(refusal, TMAP_E_ARGUMENT,
                            "lengths and table are at multiples of 4, workspace of 16");
    if ((int64_t)p->requests * p->kv_heads > INT32_MAX / PAGED_MAX_SPLITS)
        return paged_refuse(refusal, TMAP_E_ARGUMENT, "requests: too many blocks");
    return TMAP_OK;
}

static uint32_t tiles_of(const struct tmap_paged_problem *p)
{
    return (uint32_t)(((int64_t)p->table_pages * p->page_size - 1) / PAGED_TOKENS + 1);
}

/* The splits that end first where all sequences are as long as the table allows: rounds of blocks,
 * each of which takes its tiles and START_TILES' time. */
static uint32_t choose_splits(const struct tmap_paged *suite, const struct tmap_paged_problem *p)
{
    const uint32_t places = (uint32_t)suite->gpu.sm_count * BLOCKS_PER_SM;
    const uint32_t items = (uint32_t)(p->requests * p->kv_heads), tiles = tiles_of(p);
    uint32_t best = 1;
    uint64_t least = UINT64_MAX;
    for (uint32_t s = 1; s <= PAGED_MAX_SPLITS && s <= tiles; s++) {
        const uint64_t rounds = (items * s - 1) / places + 1;
        const uint64_t time = rounds * ((tiles - 1) / s + 1 + START_TILES);
        if (time < least) least = time, best = s;
    }
    return best;
}

static size_t parts_bytes(const struct tmap_paged_problem *p, uint32_t splits)
{
    return (size_t)p->requests * (size_t)p->heads * splits * PAGED_PART((size_t)p->dim) * 4;
}

size_t tmap_paged_zeroed_bytes(const struct tmap_paged_problem *p)
{
    if (p == NULL || p->requests < 1 || p->kv_heads < 1) return 0;
    return ((size_t)p->requests * (size_t)p->kv_heads * 4 + 15) / 16 * 16;
}

size_t tmap_paged_workspace_bytes(const struct tmap_paged *suite,
                                  const struct tmap_paged_problem *p)
{
    static const struct tmap_paged_config none = {0};
    if (suite == NULL || p == NULL || ranges(p, &none, NULL) != TMAP_OK) return 0;
    const uint32_t tiles = tiles_of(p), most = tiles < PAGED_MAX_SPLITS ? tiles : PAGED_MAX_SPLITS;
    return tmap_paged_zeroed_bytes(p) + parts_bytes(p, most);
}

static int64_t or_dense(int64_t stride, int64_t dense)
{
    return stride ? stride : dense;
}

static void fill_dense(struct tmap_paged_problem *p)
{
    p->query_head_stride = or_dense(p->query_head_stride, p->dim);
    p->query_stride = or_dense(p->query_stride, p->heads * p->query_head_stride);
    p->output_head_stride = or_dense(p->output_head_stride, p->dim);
    p->output_stride = or_dense(p->output_stride, p->heads * p->output_head_stride);
    p->table_stride = or_dense(p->table_stride, p->table_pages);
    if (p->scale == 0) kernel_of(p, &p->scale);
}

/* The ring and the splits; what they need. */
static enum tmap_status choose(const struct tmap_paged *suite, struct tmap_paged_plan *plan,
                               struct tmap_paged_refusal *refusal)
{
    const struct tmap_paged_problem *p = &plan->problem;
    struct tmap_paged_config *c = &plan->config;
    const uint32_t slot = PAGED_SLOT_BYTES((uint32_t)p->dim), tiles = tiles_of(p);
    const uint32_t fixed = PAGED_TAIL_BYTES + PAGED_SLOT_ALIGN;
    const uint32_t room = suite->smem_bytes / BLOCKS_PER_SM - RESERVED_BYTES - fixed;
    uint32_t fit = room / slot < PAGED_MAX_STAGES ? room / slot : PAGED_MAX_STAGES;
    if (c->stages == 0) c->stages = fit;
    fit = (suite->smem_bytes - fixed) / slot;
    if (c->stages > fit)
        return paged_refuse(refusal, TMAP_E_NO_PLAN, "stages is %u, and shared memory holds %u",
                            c->stages, fit);
    if (c->splits > 1 && p->workspace == 0)
        return paged_refuse(refusal, TMAP_E_NO_PLAN, "splits is %u, and there is no workspace",
                            c->splits);
    if (c->splits == 0) c->splits = p->workspace ? choose_splits(suite, p) : 1;
    if (c->splits > tiles) c->splits = tiles;
    plan->split_tokens = (tiles + c->splits - 1) / c->splits * PAGED_TOKENS;
    c->splits = (tiles * PAGED_TOKENS - 1) / plan->split_tokens + 1;
    if (c->load_policy == 0) c->load_policy = TMAP_CACHE_EVICT_FIRST;
    plan->threads = PAGED_THREADS;
    plan->smem_bytes = c->stages * slot + fixed;
    plan->grid = (uint32_t)(p->requests * p->kv_heads) * c->splits;
    plan->box_tokens = paged_box_tokens(p->page_size);
    return TMAP_OK;
}

static void fill(const struct tmap_paged *suite, const struct tmap_paged_plan *plan,
                 struct paged_params *out)
{
    const struct tmap_paged_problem *p = &plan->problem;
    out->query = p->query, out->output = p->output;
    out->query_stride = p->query_stride, out->query_head_stride = p->query_head_stride;
    out->output_stride = p->output_stride, out->output_head_stride = p->output_head_stride;
    out->lengths = (const int32_t *)(uintptr_t)p->lengths;
    out->table = (const int32_t *)(uintptr_t)p->table;
    out->table_stride = p->table_stride;
    out->arrivals = (uint32_t *)(uintptr_t)p->workspace;
    out->parts = (float *)(uintptr_t)(p->workspace + tmap_paged_zeroed_bytes(p));
    out->load_policy = cache_policy_bits(plan->config.load_policy);
    out->scale_log2 = p->scale * 1.44269504f;
    out->kv_heads = (uint32_t)p->kv_heads, out->group = (uint32_t)(p->heads / p->kv_heads);
    out->pages = (uint32_t)p->pages, out->page_size = (uint32_t)p->page_size;
    while (1u << out->box_log2 < plan->box_tokens) out->box_log2++;
    out->max_tokens = (uint32_t)(p->table_pages * p->page_size);
    out->splits = plan->config.splits, out->split_tokens = plan->split_tokens;
    out->stages = plan->config.stages;
    out->tx_bytes = PAGED_SLOT_BYTES((uint32_t)p->dim);
    out->mailbox = (volatile uint32_t *)(uintptr_t)suite->mailbox.device;
    out->limit_ms = suite->limit_ms;
}

static enum tmap_status find_function(struct tmap_paged *suite, struct tmap_paged_plan *plan,
                                      struct tmap_paged_refusal *refusal)
{
    float scale;
    const char *name = kernel_of(&plan->problem, &scale);
    tmap_cu_context before;
    tmap_cu_function f = NULL;
    enum tmap_status status = tmap_gpu_enter(&suite->gpu, &before);
    if (status != TMAP_OK) return status;
    if (suite_kernel(&suite->gpu.api, suite->module, name, suite->smem_bytes, &f) != TMAP_OK)
        status = paged_refuse(refusal, TMAP_E_DRIVER, "the driver has no kernel %s", name);
    plan->function = f;
    tmap_gpu_leave(&suite->gpu, before);
    return status;
}

enum tmap_status tmap_paged_make_plan(struct tmap_paged *suite,
                                      const struct tmap_paged_problem *problem,
                                      const struct tmap_paged_config *request,
                                      struct tmap_paged_plan *out,
                                      struct tmap_paged_refusal *refusal)
{
    static const struct tmap_paged_config nothing = {0};
    struct tmap_paged_plan plan = {.suite = suite};
    struct paged_params params __attribute__((aligned(128)));
    if (suite == NULL || problem == NULL || out == NULL) return TMAP_E_ARGUMENT;
    memset(&params, 0, sizeof params);
    plan.problem = *problem;
    plan.config = request ? *request : nothing;
    enum tmap_status status = validate(problem, &plan.config, refusal);
    if (status != TMAP_OK) return status;
    fill_dense(&plan.problem);
    status = choose(suite, &plan, refusal);
    for (int which = 0; which < 2 && status == TMAP_OK; which++)
        status = paged_make_map(suite, &plan.problem, which, &plan.desc[which],
                                which ? &params.v : &params.k, refusal);
    if (status == TMAP_OK) status = find_function(suite, &plan, refusal);
    if (status != TMAP_OK) return status;
    fill(suite, &plan, &params);
    memcpy(plan.params, &params, sizeof params);
    *out = plan;
    return TMAP_OK;
}

enum tmap_status tmap_paged_lay_out(struct tmap_paged_problem *p, enum tmap_paged_layout layout)
{
    static const struct tmap_paged_config none = {0};
    if (p == NULL || ranges(p, &none, NULL) != TMAP_OK || p->dim < 1) return TMAP_E_ARGUMENT;
    if ((int)layout < 0 || layout >= TMAP_PAGED_LAYOUTS) return TMAP_E_ARGUMENT;
    const bool by_head = layout % 2, joined = layout >= TMAP_PAGED_JOINED_NHD;
    const int64_t page = (int64_t)p->page_size * p->kv_heads * p->dim;
    p->k.token_stride = by_head ? p->dim : (int64_t)p->kv_heads * p->dim;
    p->k.head_stride = by_head ? (int64_t)p->page_size * p->dim : p->dim;
    p->k.page_stride = joined ? 2 * page : page;
    const uint64_t address = p->v.address;
    p->v = p->k;
    if (layout < TMAP_PAGED_STACKED_NHD) p->v.address = address;
    if (layout >= TMAP_PAGED_STACKED_NHD)
        p->v.address += (uint64_t)(joined ? page : page * p->pages) * 2;
    return TMAP_OK;
}
