// From a problem to a plan: element type, box, descriptors, ring.
#include "kernels/copy/draft.h"
#include "kernels/runtime/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SLIM_SLOT 16384u
#define TILE_SLOT 24576u
#define WIDE_SLOT 32768u
#define SLOT_GRAIN 2048u
#define BULK_ROW 256u
#define TILE_THREADS 32u
#define TRANSPOSE_THREADS 256u
#define PANEL_ROW_BYTES 128u
#define PANEL_ROWS 64u // of a swizzled panel, unless requested otherwise

static const char *const tile_kernel[] = {"copy_tile_1", "copy_tile_2", "copy_tile_3",
                                          "copy_tile_4", "copy_tile_5"};
static const char *const add_kernel[] = {"copy_add_1", "copy_add_2", "copy_add_3", "copy_add_4",
                                         "copy_add_5"};

// A row of rank 1 is one box wide at most: where it divides, the same bytes as a matrix fill a
// slot.
static void fold(struct tmap_copy_problem *p, const struct tmap_copy_config *c)
{
    if (p->rank != 1 || c->keep_type || p->dim[0] % BOX_LIMIT) return;
    p->rank = 2;
    p->dim[1] = p->dim[0] / BOX_LIMIT;
    p->dim[0] = BOX_LIMIT;
    p->src_stride[0] = p->dst_stride[0] = 0;
}

// The panels of a matrix whose rows are wider than the span of the swizzle.
static bool in_panels(const struct tmap_copy_plan *plan)
{
    const struct tmap_copy_problem *p = &plan->problem;
    const uint32_t span = draft_span(plan->config.swizzle);
    const uint64_t row_bytes = p->dim[0] * (draft_size(p->dtype));
    return span != 0 && p->kind == TMAP_COPY_TILE && p->rank == 2 && row_bytes > span &&
           row_bytes % span == 0;
}

static void as_panels(struct tmap_desc *d, const struct tmap_copy_config *c)
{
    const uint32_t size = draft_size(d->dtype), span = draft_span(c->swizzle);
    const uint64_t panels = d->dim[0] * size / span;
    d->rank = 3;
    d->dim[0] = span / size, d->dim[2] = panels;
    d->stride_bytes[1] = span;
    d->box[0] = span / size;
    d->box[1] = c->box[1] ? c->box[1] : PANEL_ROWS;
    d->box[2] = c->box[2] ? c->box[2] : c->slot_bytes / (span * d->box[1]);
    if (d->box[2] > panels) d->box[2] = (uint32_t)panels;
    if (d->box[2] == 0) d->box[2] = 1;
}

// Rows that end inside a box fill slots less: those are larger then.
static void choose_slot(const struct tmap_copy_problem *p, struct tmap_copy_config *c)
{
    const uint64_t inner = p->dim[0] < BOX_LIMIT ? p->dim[0] : BOX_LIMIT;
    if (c->slot_bytes == 0) c->slot_bytes = p->dim[0] % inner ? WIDE_SLOT : TILE_SLOT;
}

static enum tmap_status plan_tile(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const bool add = p->kind == TMAP_COPY_ADD;
    if (p->rank < 1) return draft_refuse(f, TMAP_E_ARGUMENT, "rank is 0, not 1 to 5");
    draft_widen(p, add || plan->config.keep_type);
    fold(p, &plan->config);
    choose_slot(p, &plan->config);
    if (p->rank > 1 && p->src_stride[0] == 0) draft_dense(p, p->rank, p->src_stride);
    if (p->rank > 1 && p->dst_stride[0] == 0) draft_dense(p, p->rank, p->dst_stride);
    plan->desc[0] = draft_tensor(p, p->rank, p->src, p->src_stride);
    plan->desc[1] = draft_tensor(p, p->rank, p->dst, p->dst_stride);
    for (int side = 0; side < 2; side++) {
        plan->desc[side].swizzle = plan->config.swizzle;
        if (in_panels(plan))
            as_panels(&plan->desc[side], &plan->config);
        else
            draft_box(&plan->desc[side], &plan->config);
    }
    draft_cover(f, &plan->desc[0]);
    plan->kernel = in_panels(plan) ? "copy_panels" : (add ? add_kernel : tile_kernel)[p->rank - 1];
    plan->moved_bytes = draft_size(p->dtype) * (add ? 3 : 2);
    for (uint32_t i = 0; i < p->rank; i++) plan->moved_bytes *= p->dim[i];
    return draft_encode_both(f);
}

static enum tmap_status plan_bulk(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy_problem *p = &plan->problem;
    const uint64_t bytes = p->dim[0] * (draft_size(p->dtype));
    if (bytes % GRAIN_BYTES || p->src % GRAIN_BYTES || p->dst % GRAIN_BYTES)
        return draft_refuse(f, TMAP_E_ARGUMENT,
                            "src, dst and dim[0]'s bytes must be multiples of %u", GRAIN_BYTES);
    const uint32_t slot = plan->config.slot_bytes / SLOT_GRAIN * SLOT_GRAIN;
    if (slot == 0 || slot / BULK_ROW > BOX_LIMIT)
        return draft_refuse(f, TMAP_E_NO_PLAN, "slot_bytes is %u, not %u to %u",
                            plan->config.slot_bytes, SLOT_GRAIN, BULK_ROW * BOX_LIMIT);
    // A slot as the pipeline sees it: the box of the same bytes.
    struct tmap_copy_problem view = {.dtype = TMAP_UINT64, .dim = {BULK_ROW / 8, slot / BULK_ROW}};
    f->slot = draft_tensor(&view, 2, p->src, (const uint64_t[]){BULK_ROW});
    f->slot.box[0] = BULK_ROW / 8, f->slot.box[1] = slot / BULK_ROW;
    f->k.src_address = p->src, f->k.dst_address = p->dst, f->k.bytes = bytes;
    plan->tiles = draft_tiles(draft_blocks(bytes, slot), 1);
    plan->kernel = "copy_bulk";
    plan->moved_bytes = 2 * bytes;
    return TMAP_OK;
}

// Rank-3 views {elements of 128 bytes, rows, panels}: a box is `side` panels of `side` heights.
static void panels(struct tmap_desc *d, uint64_t cols, uint64_t rows, uint64_t pitch, uint32_t side)
{
    const uint32_t per = PANEL_ROW_BYTES / (draft_size(d->dtype));
    d->rank = 3;
    d->dim[0] = per, d->dim[1] = rows, d->dim[2] = draft_blocks(cols, per);
    d->stride_bytes[0] = pitch, d->stride_bytes[1] = PANEL_ROW_BYTES;
    d->box[0] = per, d->box[1] = per * side, d->box[2] = side;
    d->swizzle = TMAP_SWIZZLE_128B;
}

static enum tmap_status plan_transpose(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const uint32_t size = draft_size(p->dtype), side = 2;
    if (size == 8 || p->rank != 2)
        return draft_refuse(f, TMAP_E_ARGUMENT,
                            "a transpose takes rank 2 and elements of 1, 2 or 4 bytes, not rank %u "
                            "and %u bytes",
                            p->rank, size);
    const uint32_t per = PANEL_ROW_BYTES / size;
    if (p->src_stride[0] == 0) p->src_stride[0] = p->dim[0] * size;
    if (p->dst_stride[0] == 0) p->dst_stride[0] = p->dim[1] * size;
    if (p->dim[0] % per || p->dim[1] % per) // whole panels
        return draft_refuse(f, TMAP_E_NO_PLAN, "dim[0] and dim[1] must be multiples of %u", per);
    static const int32_t plain[] = {0, TMAP_UINT8, TMAP_UINT16, 0, TMAP_UINT32};
    p->dtype = plain[size];
    plan->desc[0] = draft_tensor(p, 1, p->src, NULL);
    plan->desc[1] = draft_tensor(p, 1, p->dst, NULL);
    panels(&plan->desc[0], p->dim[0], p->dim[1], p->src_stride[0], side);
    panels(&plan->desc[1], p->dim[1], p->dim[0], p->dst_stride[0], side);
    f->k.tiles[0] = draft_divisor(draft_blocks(p->dim[0], per * side));
    f->k.step[1] = per * side;
    f->store_stages = 2;
    plan->tiles =
        draft_tiles(draft_blocks(p->dim[0], per * side), draft_blocks(p->dim[1], per * side));
    plan->kernel = size == 4   ? "copy_transpose_4"
                   : size == 2 ? "copy_transpose_2"
                               : "copy_transpose_1";
    plan->threads = TRANSPOSE_THREADS;
    plan->moved_bytes = 2 * p->dim[0] * p->dim[1] * size;
    return draft_encode_both(f);
}
// Bytes that no device has; products of extents below it never overflow.
#define MOST_BYTES ((uint64_t)1 << 48)

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return value >= low && value <= high;
}

static bool bytes_fit(const struct tmap_copy_problem *p)
{
    uint64_t bytes = draft_size(p->dtype);
    for (uint32_t i = 0; i < p->rank; i++) {
        if (p->dim[i] > MOST_BYTES / bytes) return false;
        bytes *= p->dim[i] ? p->dim[i] : 1;
    }
    return bytes != 0;
}

static enum tmap_status out_of(struct tmap_copy *s, const char *member, long at, int64_t value,
                               uint64_t low, uint64_t high)
{
    char index[24] = "";
    if (at >= 0) snprintf(index, sizeof index, "[%ld]", at);
    return copy_refuse(s, TMAP_E_ARGUMENT, "%s%s is %" PRId64 ", not %" PRIu64 " to %" PRIu64,
                       member, index, value, low, high);
}

static enum tmap_status validate(struct tmap_copy *s, const struct tmap_copy_problem *p,
                                 const struct tmap_copy_config *c)
{
#define PROBLEM(member, low, high)                                                                 \
    if (!within((uint64_t)p->member, low, high))                                                   \
        return out_of(s, #member, -1, (int64_t)p->member, low, high);
#define EACH(member, low, high)                                                                    \
    for (size_t i = 0; i < sizeof p->member / sizeof p->member[0]; i++)                            \
        if (!within(p->member[i], low, high))                                                      \
            return out_of(s, #member, (long)i, (int64_t)p->member[i], low, high);
#define CONFIG(member, low, high)                                                                  \
    if (c && !within(c->member, low, high))                                                        \
        return out_of(s, #member, -1, (int64_t)c->member, low, high);
#include "kernels/copy/bounds.def"
    if (p->dim[0] == 0) return copy_refuse(s, TMAP_E_ARGUMENT, "dim[0] is 0, not 1 or more");
    if (draft_size(p->dtype) == 0)
        return copy_refuse(s, TMAP_E_ARGUMENT, "dtype is %d, not one of whole bytes", p->dtype);
    if (!bytes_fit(p)) return copy_refuse(s, TMAP_E_ARGUMENT, "dim: more than 2^48 bytes");
    return TMAP_OK;
}

static enum tmap_status plan_kind(struct draft *f)
{
    switch (f->plan->problem.kind) {
    case TMAP_COPY_BULK:
        return plan_bulk(f);
    case TMAP_COPY_TILE:
    case TMAP_COPY_ADD:
        return plan_tile(f);
    case TMAP_COPY_TRANSPOSE:
        return plan_transpose(f);
    case TMAP_COPY_IM2COL:
        return plan_im2col(f);
    case TMAP_COPY_PAGES:
    case TMAP_COPY_PAGES_AT:
        return plan_pages(f);
    case TMAP_COPY_BROADCAST:
        return plan_broadcast(f);
    case TMAP_COPY_LIST:
    case TMAP_COPY_PATCHED:
        return plan_list(f);
    default:
        return TMAP_E_ARGUMENT;
    }
}

static void finish(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy_config *c = &plan->config;
    const uint32_t places = (uint32_t)plan->suite->gpu.sm_count * c->blocks_per_sm / plan->cluster;
    const uint32_t groups = plan->tiles < places ? plan->tiles : places;
    plan->grid = groups * plan->cluster;
    f->k.total = plan->tiles;
    f->k.tx_bytes = plan->tx_bytes;
    f->k.load_policy = cache_policy_bits((int32_t)c->load_policy);
    f->k.store_policy = cache_policy_bits((int32_t)c->store_policy);
    f->k.mailbox = (volatile uint32_t *)(uintptr_t)plan->suite->mailbox.device;
    f->k.limit_ms = plan->suite->limit_ms;
    f->k.fault = c->fault;
    memcpy(plan->params, &f->k, sizeof f->k);
}

// Slot, stages and blocks per SM that were fastest on an H200 (docs/COPY.md).
static void defaults(struct tmap_copy_plan *plan)
{
    struct tmap_copy_config *c = &plan->config;
    const int32_t kind = plan->problem.kind;
    const bool paged = kind == TMAP_COPY_PAGES || kind == TMAP_COPY_PAGES_AT;
    const bool slim = kind == TMAP_COPY_BULK || (kind == TMAP_COPY_TILE && c->swizzle != 0);
    const bool plain = kind == TMAP_COPY_TILE && c->swizzle == 0;
    if (c->slot_bytes == 0) c->slot_bytes = slim ? SLIM_SLOT : plain ? 0 : WIDE_SLOT;
    if (c->blocks_per_sm == 0) c->blocks_per_sm = paged ? 2 : 1;
    if (c->stages == 0 && (paged || plain)) c->stages = paged ? 2 : 3;
    if (c->load_policy == 0) c->load_policy = TMAP_CACHE_EVICT_LAST;
    if (c->store_policy == 0) c->store_policy = TMAP_CACHE_EVICT_FIRST;
    plan->threads = TILE_THREADS;
    plan->cluster = 1;
}

static enum tmap_status make_plan(struct tmap_copy *suite, const struct tmap_copy_problem *problem,
                                  const struct tmap_copy_config *request,
                                  struct tmap_copy_plan *out, struct tmap_violation *violation)
{
    struct tmap_copy_plan plan;
    struct draft f;
    memset(&plan, 0, sizeof plan);
    memset(&f, 0, sizeof f);
    plan.suite = suite, plan.problem = *problem;
    if (request) plan.config = *request;
    f.plan = &plan, f.loads = 1;
    f.violation = (struct tmap_violation){TMAP_NO_ROW, -1};
    defaults(&plan);
    enum tmap_status s = plan_kind(&f);
    if (s == TMAP_OK) s = draft_ring(&f);
    if (violation) *violation = f.violation;
    if (s == TMAP_OK && (plan.function = copy_function(suite, plan.kernel)) == NULL)
        s = copy_refuse(suite, TMAP_E_DRIVER, "the driver has no kernel %s", plan.kernel);
    if (s != TMAP_OK) {
        tmap_copy_release(&plan);
        return s;
    }
    finish(&f);
    *out = plan;
    return TMAP_OK;
}

enum tmap_status tmap_copy_make_plan(struct tmap_copy *suite,
                                     const struct tmap_copy_problem *problem,
                                     const struct tmap_copy_config *request,
                                     struct tmap_copy_plan *out, struct tmap_violation *violation)
{
    tmap_cu_context before;
    if (suite == NULL || problem == NULL || out == NULL) return TMAP_E_ARGUMENT;
    suite->refusal[0] = 0;
    enum tmap_status s = validate(suite, problem, request);
    if (s == TMAP_OK) s = tmap_gpu_enter(&suite->gpu, &before);
    if (s != TMAP_OK) return s;
    s = make_plan(suite, problem, request, out, violation);
    tmap_gpu_leave(&suite->gpu, before);
    return s;
}

void tmap_copy_release(struct tmap_copy_plan *plan)
{
    tmap_cu_context before;
    if (plan == NULL) return;
    if (plan->buffer && tmap_gpu_enter(&plan->suite->gpu, &before) == TMAP_OK) {
        plan->suite->gpu.api.mem_free(plan->buffer);
        tmap_gpu_leave(&plan->suite->gpu, before);
    }
    plan->buffer = 0;
}
