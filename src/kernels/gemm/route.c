/* Routed groups: members that the device cuts out of one product (make_routed.cuh). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/group.h"
#include "kernels/gemm/sm90/geometry.h"

_Static_assert((int)GEMM_FORM_ROWS == (int)TMAP_GEMM_FORM_ROWS &&
                   (int)GEMM_FORM_PADDED == (int)TMAP_GEMM_FORM_PADDED &&
                   (int)GEMM_FORM_K == (int)TMAP_GEMM_FORM_K,
               "the interface's numbers");
_Static_assert(sizeof(struct gemm_routed_params) <= sizeof(uint64_t) * TMAP_GEMM_PARAM_WORDS,
               "a group holds the kernels' parameters");

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static enum tmap_status refuse(struct tmap_gemm_refusal *refusal, const char *text)
{
    return gemm_refuse(refusal, TMAP_E_ARGUMENT, text);
}

static enum tmap_status check_routing(const struct tmap_gemm_routing *r,
                                      struct tmap_gemm_refusal *refusal)
{
    char text[sizeof refusal->text];
#define ROUTING(member, low, high)                                                                 \
    if (r->member < (low) || r->member > (high)) {                                                 \
        snprintf(text, sizeof text, "routing: " #member " is %" PRId32 ", not %d to %d",           \
                 r->member, (int)(low), (int)(high));                                              \
        return refuse(refusal, text);                                                              \
    }
#include "kernels/gemm/bounds.def"
    if (r->ends == 0 || r->ends % sizeof(int32_t) != 0)
        return refuse(refusal, "routing: ends is 0 or not a multiple of 4");
    return TMAP_OK;
}

/* What a form forbids: a member of ROWS begins at any row, and a map begins at a multiple of 16
 * bytes; scales of blocks are of K from its first number on. */
static enum tmap_status check_form(const struct tmap_gemm *suite, const struct tmap_gemm_problem *p,
                                   int32_t form, struct tmap_gemm_refusal *refusal)
{
    if (suite->family != GEMM_SM90)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "routed groups are for compute capability 9.0");
    if (gemm_wants_epilogue(p) || p->conv.images > 0)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "groups have no epilogue or convolution");
    if (form == GEMM_FORM_ROWS && p->a.mn_major)
        return refuse(refusal,
                      "A of routed rows must be contiguous along K: a member begins at any "
                      "row, a map at a multiple of 16 bytes");
    if (form == GEMM_FORM_ROWS && p->d.mn_major)
        return refuse(refusal, "D of routed rows must be stored row by row: a member begins at any "
                               "row, a map at a multiple of 16 bytes");
    if (form == GEMM_FORM_K && p->a.mn_major != p->b.mn_major)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           "A and B of a group along K are both contiguous along K, or neither is");
    if (form == GEMM_FORM_K && p->block_scale.a)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           "groups along K have no scales of blocks: a member begins inside one");
    if ((p->a.mn_major || p->b.mn_major) && gemm_element_bits(p->kind) != 16)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           "operands of a group that are not of 16 bits are contiguous along K");
    return TMAP_OK;
}

/* Tiles, of the smallest there are, as the kernels count them. */
static enum tmap_status check_count(const struct tmap_gemm_problem *p, int32_t form,
                                    struct tmap_gemm_refusal *refusal)
{
    enum { LEAST_TILE = 16 };
    const int64_t down = p->m / LEAST_TILE + 1, across = p->n / LEAST_TILE + 1;
    const int64_t rows = form == GEMM_FORM_ROWS ? down + p->batch : down * p->batch;
    if (rows > INT32_MAX / across) return refuse(refusal, "more tiles than the kernels can count");
    return TMAP_OK;
}

static enum tmap_status validate(const struct tmap_gemm *suite,
                                 const struct tmap_gemm_problem *problem,
                                 const struct tmap_gemm_routing *routing,
                                 const struct tmap_gemm_config *request,
                                 struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_problem p = *problem;
    p.block_scale = (struct tmap_gemm_block_scale){0};
    enum tmap_status status = gemm_validate(&p, request, refusal);
    p = *problem;
    p.batch = 1; /* scales are of a batch of one, as a member is */
    if (status == TMAP_OK) status = gemm_validate(&p, request, refusal);
    if (status == TMAP_OK) status = check_routing(routing, refusal);
    if (status == TMAP_OK) status = check_form(suite, problem, routing->form, refusal);
    return status == TMAP_OK ? check_count(problem, routing->form, refusal) : status;
}

/* A matrix of member i's. */
static uint64_t part_of(const struct tmap_gemm_matrix *x, int32_t bits, bool apart, int32_t i)
{
    return x->address + (apart ? (uint64_t)i * (uint64_t)(x->batch_stride * bits / 8) : 0);
}

static int32_t out_bits(const struct tmap_gemm_problem *p)
{
    return p->out >= GEMM_OUT_F32 ? 32 : 16;
}

/* Member i as if it had all rows, or all of K. */
static struct tmap_gemm_member member_of(const struct tmap_gemm_problem *p, int32_t form, int32_t i)
{
    const int32_t bits = gemm_element_bits(p->kind);
    return (struct tmap_gemm_member){.m = p->m,
                                     .n = p->n,
                                     .k = p->k,
                                     .a = part_of(&p->a, bits, form == GEMM_FORM_PADDED, i),
                                     .b = part_of(&p->b, bits, form != GEMM_FORM_K, i),
                                     .c = part_of(&p->c, out_bits(p), form != GEMM_FORM_ROWS, i),
                                     .d = part_of(&p->d, out_bits(p), form != GEMM_FORM_ROWS, i),
                                     .lda = p->a.ld,
                                     .ldb = p->b.ld,
                                     .ldc = p->c.ld,
                                     .ldd = p->d.ld};
}

/* What members are like, in sixteenths of what is usual: one size alone, or whole multiples of
 * tiles, would favour the tile that they fill. */
enum { SIZES = 3 };
static void usual_of(const struct tmap_gemm_problem *p, const struct tmap_gemm_routing *r,
                     struct tmap_gemm_member like[SIZES])
{
    static const int32_t sixteenths[SIZES] = {9, 14, 25};
    const int32_t all = r->form == GEMM_FORM_K ? p->k : p->m;
    const int32_t share = r->form == GEMM_FORM_PADDED ? all : (int32_t)ceil_div(all, p->batch);
    const int32_t usual = r->usual > 0 && r->usual < all ? r->usual : share;
    for (int i = 0; i < SIZES; i++) {
        const int64_t size = ceil_div((int64_t)sixteenths[i] * usual, 16);
        like[i] = member_of(p, r->form, 0);
        *(r->form == GEMM_FORM_K ? &like[i].k : &like[i].m) = size < all ? (int32_t)size : all;
    }
}

static struct gemm_view view_of(const struct tmap_gemm_problem *p, const struct gemm_choice *choice)
{
    struct gemm_view view = gemm_view_of(p, choice->config.swapped > 0);
    view.grouped = true;
    return view;
}

/* A smaller extent breaks no row that a larger one keeps, nor does a first row, which is a multiple
 * of a stride that is one of 16 bytes. */
static enum tmap_status check_members(const struct tmap_gemm *suite,
                                      const struct tmap_gemm_problem *problem, int32_t form,
                                      const struct gemm_choice *choice,
                                      struct tmap_gemm_refusal *refusal)
{
    for (int32_t i = 0; i < problem->batch; i++) {
        const struct tmap_gemm_member x = member_of(problem, form, i);
        const struct tmap_gemm_problem p = gemm_member_problem(problem, &x);
        const struct gemm_view view = view_of(&p, choice);
        const enum tmap_status status = gemm_check_member(suite, &view, choice, refusal);
        if (status != TMAP_OK) return gemm_blame_member(refusal, status, (size_t)i);
    }
    return TMAP_OK;
}

/* From the first member's to the second's. */
static struct gemm_routing routing_of(const struct tmap_gemm_problem *problem,
                                      const struct tmap_gemm_routing *r,
                                      const struct gemm_choice *choice)
{
    const struct tmap_gemm_member one = member_of(problem, r->form, 0),
                                  two = member_of(problem, r->form, 1);
    const struct tmap_gemm_problem p = gemm_member_problem(problem, &one),
                                   q = gemm_member_problem(problem, &two);
    const struct gemm_view view = view_of(&p, choice), next = view_of(&q, choice);
    return (struct gemm_routing){.first = gemm_member_record(&view, &p),
                                 .form = r->form,
                                 .total = r->form == GEMM_FORM_K ? problem->k : problem->m,
                                 .swapped = choice->config.swapped > 0,
                                 .a_mn = view.a.mn_major,
                                 .b_mn = view.b.mn_major,
                                 .k_at_once = view.a.mn_major ? 1 : view.span / 8,
                                 .out_bytes = view.out_bytes,
                                 .a_step = (int64_t)(next.a.address - view.a.address),
                                 .b_step = (int64_t)(next.b.address - view.b.address),
                                 .c_step = (int64_t)(q.c.address - p.c.address),
                                 .d_step = (int64_t)(q.d.address - p.d.address),
                                 .ends = r->ends};
}

/* A's scales by one map, B's member by member. */
static enum tmap_status scale_blocks(const struct tmap_gemm *suite,
                                     const struct tmap_gemm_problem *problem,
                                     const struct gemm_choice *choice,
                                     struct gemm_routed_params *all,
                                     struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_block_scale *x = &problem->block_scale;
    struct gemm_blocks *blocks = &all->blocks;
    struct tmap_desc desc;
    blocks->b_row_bytes = x->ldb * (int64_t)sizeof(float);
    blocks->b_rows = (int32_t)ceil_div(problem->n, GEMM_SCALE_BLOCK);
    blocks->b_cols = (int32_t)ceil_div(problem->k, GEMM_SCALE_BLOCK);
    all->product.b_blocks = x->b;
    all->routing.b_blocks_step = blocks->b_rows * blocks->b_row_bytes;
    gemm_describe_scales(problem, choice->config.tile_m + GEMM_ROWS_AT_ONCE, &desc);
    if (all->routing.form == GEMM_FORM_PADDED) {
        all->routing.first_block_step = blocks->b_cols;
        desc.dim[1] *= (uint64_t)problem->batch;
    }
    const enum tmap_status status = gemm_check(suite, &desc, 'S', 1, refusal);
    return status == TMAP_OK ? gemm_encode(suite, &desc, &blocks->a) : status;
}

/* Pairs along N share A's rows, of which a member may have half a pair's too few. */
static bool choose(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                   const struct tmap_gemm_member like[SIZES],
                   const struct tmap_gemm_config *request, struct gemm_choice *best)
{
    struct tmap_gemm_config across = *request;
    struct gemm_choice other;
    const bool found = gemm_choose_group(suite, problem, like, SIZES, request, best);
    if (request->cluster_n != 0) return found;
    across.cluster_n = 2;
    if (!gemm_choose_group(suite, problem, like, SIZES, &across, &other)) return found;
    if (!found || other.cost_us < best->cost_us) *best = other;
    return true;
}

static enum tmap_status route(struct tmap_gemm *suite, const struct tmap_gemm_config *request,
                              struct tmap_gemm_group *group, struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_problem *problem = &group->like;
    struct tmap_gemm_member like[SIZES];
    struct gemm_choice choice;
    struct gemm_routed_params all;
    enum tmap_status status = gemm_ask_residents(suite, problem->kind);
    if (status != TMAP_OK) return gemm_refuse_unloaded(refusal, status);
    usual_of(problem, &group->routing, like);
    if (!choose(suite, problem, like, request, &choice))
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "no kernel of the group's family fits");
    status = check_members(suite, problem, group->routing.form, &choice, refusal);
    if (status != TMAP_OK) return status;
    choice.cost_us *= (double)problem->batch / SIZES;
    status = gemm_ready_group(suite, &like[1], &choice, "make_routed", group, refusal);
    if (status != TMAP_OK) return status;
    memset(&all, 0, sizeof all);
    memcpy(&all.product, group->params, sizeof all.product);
    all.routing = routing_of(problem, &group->routing, &choice);
    if (problem->block_scale.a) status = scale_blocks(suite, problem, &choice, &all, refusal);
    memcpy(group->params, &all, sizeof all);
    return status;
}

enum tmap_status tmap_gemm_make_routed(struct tmap_gemm *suite,
                                       const struct tmap_gemm_problem *problem,
                                       const struct tmap_gemm_routing *routing, uint64_t memory,
                                       const struct tmap_gemm_config *request,
                                       struct tmap_gemm_group *group,
                                       struct tmap_gemm_refusal *refusal)
{
    static const struct tmap_gemm_config nothing = {0};
    tmap_cu_context before;
    if (!suite || !problem || !routing || !group || memory % 128 != 0 || memory == 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "no such group");
    if (!request) request = &nothing;
    enum tmap_status status = validate(suite, problem, routing, request, refusal);
    if (status != TMAP_OK) return status;
    struct tmap_gemm_group made = {.like = *problem,
                                   .routing = *routing,
                                   .count = (size_t)problem->batch,
                                   .memory = memory,
                                   .suite = suite};
    if (tmap_gpu_enter(&suite->gpu, &before) != TMAP_OK)
        return gemm_refuse(refusal, TMAP_E_DRIVER, "the device's context cannot be made current");
    status = route(suite, request, &made, refusal);
    tmap_gpu_leave(&suite->gpu, before);
    if (status == TMAP_OK) *group = made;
    return status;
}
