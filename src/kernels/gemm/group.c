/* Groups: many products in one launch, their tensor maps made on the device. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/group.h"
#include "kernels/gemm/sm90/geometry.h"

#define GEMM_GROUP_INSTANCE(K, W, N, P)                                                            \
    {.name = "gemm_group_" #K "_" #W "x" #N "_" #P,                                                \
     .family = GEMM_SM90,                                                                          \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .promote = P},
#define GEMM_TENSOR_GROUP(K, code, C, N)                                                           \
    {.name = "tensor_group_" #code "_" #C "x" #N,                                                  \
     .family = GEMM_SM100,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .bn = N,                                                                                      \
     .ctas = C,                                                                                    \
     .image = GEMM_KIND_##K == GEMM_KIND_s8 ? GEMM_RARE : GEMM_COMMON},
#define GEMM_WARPS_GROUP(K, W, N)                                                                  \
    {.name = "warps_group_" #K "_" #W "x" #N,                                                      \
     .family = GEMM_SM120,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1},
#define GEMM_GROUP_NOT_BY_K(NAME, K, W, N, A, B, PINGPONG)                                         \
    {.name = NAME,                                                                                 \
     .family = GEMM_SM90,                                                                          \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .a_mn = A,                                                                                    \
     .b_mn = B,                                                                                    \
     .pingpong = PINGPONG,                                                                         \
     .image = GEMM_RARE},
#define GEMM_GROUP_MAJORS(K, W, N, A, B)                                                           \
    GEMM_GROUP_NOT_BY_K("gemm_group_" #K "_" #W "x" #N "_" #A #B, K, W, N, A, B, false)
#define GEMM_GROUP_PINGPONG(K, SLABS, N)                                                           \
    GEMM_GROUP_NOT_BY_K("gemm_group_" #K "_pingpong_" #SLABS "x" #N, K, SLABS, N, true, true, true)
#define GEMM_GROUP_BLOCKS(K, W, N)                                                                 \
    {.name = "gemm_group_" #K "_" #W "x" #N "_blocks",                                             \
     .family = GEMM_SM90,                                                                          \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .promote = true,                                                                              \
     .image = GEMM_BLOCKS},
const struct gemm_instance gemm_group_instances[] = {
#include "kernels/gemm/sm90/groups.def"

#include "kernels/gemm/sm100/groups.def"

#include "kernels/gemm/sm120/groups.def"

#include "kernels/gemm/sm90/groups_routed.def"
};
const size_t gemm_group_instance_count =
    sizeof gemm_group_instances / sizeof gemm_group_instances[0];

enum tmap_status gemm_group_function(struct tmap_gemm *suite, enum gemm_image part,
                                     const char *name, tmap_cu_function *out)
{
    static const char *const images[GEMM_FAMILIES][GEMM_IMAGES] = {
        {"gemm/sm90/groups", "gemm/sm90/groups_majors", [GEMM_BLOCKS] = "gemm/sm90/groups_blocks"},
        {"gemm/sm100/groups", "gemm/sm100/groups_i8"},
        {"gemm/sm120/groups"}};
    const enum tmap_status status =
        gemm_module(suite, images[suite->family][part], &suite->group[part]);
    if (status != TMAP_OK) return status;
    return suite_kernel(&suite->gpu.api, suite->group[part], name, suite->smem_optin_bytes - 1024,
                        out);
}

/* In the memory of a group: the members' parameters, the tiles up to each, then the members and
 * where their scale factors are. */
static uint64_t members_offset(size_t count)
{
    return ((uint64_t)count * (GEMM_PARAM_BYTES + 4) + 127) / 128 * 128;
}

size_t tmap_gemm_group_bytes(size_t count)
{
    return (size_t)members_offset(count) +
           count * (sizeof(struct gemm_member) + sizeof(struct gemm_member_scales));
}

struct tmap_gemm_problem gemm_member_problem(const struct tmap_gemm_problem *like,
                                             const struct tmap_gemm_member *x)
{
    struct tmap_gemm_problem p = *like;
    p.m = x->m;
    p.n = x->n;
    p.k = x->k;
    p.batch = 1;
    p.a_scales = x->a_scales;
    p.b_scales = x->b_scales;
    p.a = (struct tmap_gemm_matrix){.address = x->a, .ld = x->lda, .mn_major = like->a.mn_major};
    p.b = (struct tmap_gemm_matrix){.address = x->b, .ld = x->ldb, .mn_major = like->b.mn_major};
    p.c = (struct tmap_gemm_matrix){.address = x->c, .ld = x->ldc, .mn_major = like->d.mn_major};
    p.d = (struct tmap_gemm_matrix){.address = x->d, .ld = x->ldd, .mn_major = like->d.mn_major};
    return p;
}

struct tmap_gemm_member gemm_problem_member(const struct tmap_gemm_problem *p)
{
    return (struct tmap_gemm_member){.m = p->m,
                                     .n = p->n,
                                     .k = p->k,
                                     .a = p->a.address,
                                     .b = p->b.address,
                                     .c = p->c.address,
                                     .d = p->d.address,
                                     .lda = p->a.ld,
                                     .ldb = p->b.ld,
                                     .ldc = p->c.ld,
                                     .ldd = p->d.ld,
                                     .a_scales = p->a_scales,
                                     .b_scales = p->b_scales};
}

static bool has_work(const struct tmap_gemm_member *x)
{
    return x->m > 0 && x->n > 0;
}

/* The largest stands for the others where one must. */
static const struct tmap_gemm_member *largest(const struct tmap_gemm_member *members, size_t count)
{
    const struct tmap_gemm_member *best = members;
    double most = -1;
    for (size_t i = 0; i < count; i++) {
        const double size = (double)members[i].m * members[i].n * members[i].k;
        if (size <= most) continue;
        most = size;
        best = &members[i];
    }
    return best;
}

static double cost_us(const struct tmap_gemm *suite, const struct tmap_gemm_problem *like,
                      const struct tmap_gemm_member *members, size_t count,
                      const struct gemm_choice *choice)
{
    double us = 0;
    for (size_t i = 0; i < count; i++) {
        if (!has_work(&members[i])) continue;
        const struct tmap_gemm_problem p = gemm_member_problem(like, &members[i]);
        struct gemm_view view = gemm_view_of(&p, choice->config.swapped > 0);
        view.grouped = true;
        us += suite->family == GEMM_SM90 ? gemm_work_us(suite, &view, choice)
                                         : gemm_tensor_work_us(suite, &view, choice);
    }
    return us / choice->config.clusters;
}

static bool fits(const struct tmap_gemm *suite, const struct gemm_instance *instance,
                 const struct gemm_view *view)
{
    return instance->family == suite->family && instance->kind == view->kind &&
           instance->promote == view->promote && instance->a_mn == view->a.mn_major &&
           instance->b_mn == view->b.mn_major && (instance->image == GEMM_BLOCKS) == view->blocks &&
           (!view->transposed || gemm_writes_columns(instance)) &&
           (!view->adds_c || gemm_adds_c(instance));
}

/* Whether a group's clusters may have this shape: pairs along N on request only. */
static bool is_shape_wanted(const struct tmap_gemm_config *request, int32_t cluster_m,
                            int32_t cluster_n)
{
    return (request->cluster_m == 0 || request->cluster_m == cluster_m) &&
           (request->cluster_n == cluster_n || (request->cluster_n == 0 && cluster_n == 1));
}

/* The cheapest of the group's kernels, alone or in pairs, in either orientation. */
bool gemm_choose_group(const struct tmap_gemm *suite, const struct tmap_gemm_problem *like,
                       const struct tmap_gemm_member *members, size_t count,
                       const struct tmap_gemm_config *request, struct gemm_choice *best)
{
    const struct tmap_gemm_problem stands = gemm_member_problem(like, largest(members, count));
    bool found = false;
    static const int32_t shapes[][2] = {{1, 1}, {2, 1}, {1, 2}};
    for (size_t i = 0; i < gemm_group_instance_count * 6; i++) {
        const int32_t swapped = i % 2, *shape = shapes[i / 2 % 3];
        struct gemm_view view = gemm_view_of(&stands, swapped != 0);
        view.grouped = true;
        struct gemm_choice choice = {.instance = &gemm_group_instances[i / 6]};
        choice.config = (struct tmap_gemm_config){
            .swapped = swapped, .cluster_m = shape[0], .cluster_n = shape[1], .split_k = 1};
        if (request->swapped != 0 && (request->swapped > 0) != (swapped > 0)) continue;
        if (!is_shape_wanted(request, shape[0], shape[1])) continue;
        if (swapped && view.blocks) continue; /* A's are not B's */
        if (request->pingpong != 0 && (request->pingpong > 0) != choice.instance->pingpong)
            continue;
        if (!fits(suite, choice.instance, &view) || !gemm_complete(suite, &view, request, &choice))
            continue;
        choice.config.clusters =
            request->clusters ? request->clusters : suite->resident[gemm_members(&choice)];
        choice.config.store_warp = -1; /* members differ in what can be stored whole */
        choice.cost_us = cost_us(suite, like, members, count, &choice);
        if (found && best->cost_us <= choice.cost_us) continue;
        *best = choice;
        found = true;
    }
    return found;
}

const struct gemm_instance *gemm_group_instance(const struct tmap_gemm *suite,
                                                const struct gemm_view *view,
                                                const struct tmap_gemm_group *group)
{
    const struct gemm_instance *i = gemm_group_instances;
    while (!fits(suite, i, view) || gemm_tile_m(i) != group->config.tile_m ||
           i->bn != group->config.tile_n || i->pingpong != (group->config.pingpong > 0))
        i++; /* it is one of them */
    return i;
}

/* Names the member in a refusal that a map brought. */
enum tmap_status gemm_blame_member(struct tmap_gemm_refusal *refusal, enum tmap_status status,
                                   size_t i)
{
    char text[sizeof refusal->text];
    if (!refusal) return status;
    memcpy(text, refusal->text, sizeof text);
    snprintf(refusal->text, sizeof refusal->text, "member %zu: %.130s", i, text);
    return status;
}

/* What the members share, with extents that stand for theirs; then each of them. Their tiles, of
 * the smallest there are, must be so few that the kernels can count them. */
static enum tmap_status validate(const struct tmap_gemm_problem *like,
                                 const struct tmap_gemm_member *members, size_t count,
                                 const struct tmap_gemm_config *request,
                                 struct tmap_gemm_refusal *refusal)
{
    enum { LEAST_TILE = 16 };
    struct tmap_gemm_problem p = *like;
    int64_t tiles = 0;
    p.m = p.n = p.batch = 1;
    p.k = 2; /* of two numbers to a byte, too */
    p.c = p.d = (struct tmap_gemm_matrix){0};
    p.a = p.b = (struct tmap_gemm_matrix){0};
    enum tmap_status status = gemm_validate(&p, request, refusal);
    for (size_t i = 0; i < count && status == TMAP_OK; i++) {
        const struct tmap_gemm_member *x = &members[i];
        status = gemm_validate_member(p.kind, x, refusal);
        if (status == TMAP_OK && has_work(x))
            status = gemm_validate_scales(p.kind, x->a_scales, x->b_scales, refusal);
        if (status == TMAP_OK && has_work(x))
            tiles += ((int64_t)x->m / LEAST_TILE + 1) * (x->n / LEAST_TILE + 1);
        if (status == TMAP_OK && tiles > INT32_MAX)
            status = gemm_refuse(refusal, TMAP_E_ARGUMENT, "more tiles than the kernels can count");
        if (status != TMAP_OK) return gemm_blame_member(refusal, status, i);
    }
    return status;
}

/* The edits that make_group does to a member's map, each checked against the rows. */
static enum tmap_status check_edits(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                    char name, struct tmap_gemm_refusal *refusal)
{
    const struct tmap_patch edits[] = {{TMAP_REPLACE_GLOBAL_ADDRESS, 0, desc->address},
                                       {TMAP_REPLACE_GLOBAL_DIM, 0, desc->dim[0]},
                                       {TMAP_REPLACE_GLOBAL_DIM, 1, desc->dim[1]},
                                       {TMAP_REPLACE_GLOBAL_STRIDE, 0, desc->stride_bytes[0]},
                                       {TMAP_REPLACE_GLOBAL_STRIDE, 1, desc->stride_bytes[1]}};
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const struct tmap_use use = {.op = TMAP_OP_REPLACE,
                                     .field = edits[i].field,
                                     .ordinal = edits[i].ordinal,
                                     .value = edits[i].value};
        const enum tmap_status status = gemm_check_use(suite, desc, &use, name, refusal);
        if (status != TMAP_OK) return status;
    }
    return TMAP_OK;
}

enum tmap_status gemm_check_member(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct gemm_choice *choice,
                                   struct tmap_gemm_refusal *refusal)
{
    struct tmap_desc desc[3];
    const int32_t sharers[3] = {choice->config.cluster_n, choice->config.cluster_m, 1};
    const int32_t ctas = choice->instance->ctas;
    gemm_describe(view, choice, desc);
    for (int i = 0; i < 3; i++) {
        enum tmap_status status =
            gemm_check_piece(suite, &desc[i], "ABD"[i], sharers[i], ctas, refusal);
        if (status == TMAP_OK) status = check_edits(suite, &desc[i], "ABD"[i], refusal);
        if (status != TMAP_OK) return status;
    }
    if (suite->family == GEMM_SM100) return gemm_check_tensor(suite, view, choice, desc, refusal);
    return TMAP_OK;
}

struct gemm_member gemm_member_record(const struct gemm_view *view,
                                      const struct tmap_gemm_problem *p)
{
    const int32_t each = view->element_bits < 8 ? 8 / view->element_bits : 1; /* of the map */
    return (struct gemm_member){.m = view->m,
                                .n = view->n,
                                .k = view->k / each,
                                .element_bytes = view->element_bits * each / 8,
                                .a = view->a.address,
                                .b = view->b.address,
                                .c = p->c.address,
                                .d = p->d.address,
                                .a_row_bytes = view->a.ld * view->element_bits / 8,
                                .b_row_bytes = view->b.ld * view->element_bits / 8,
                                .d_row_bytes = p->d.ld * view->out_bytes,
                                .c_row_stride = p->c.ld};
}

/* A member's record, and where its scale factors are, in the group's memory. */
static bool copy_member(struct tmap_gemm *suite, const struct gemm_view *view,
                        const struct tmap_gemm_problem *p, const struct tmap_gemm_group *group,
                        size_t i)
{
    const struct gemm_member record = gemm_member_record(view, p);
    const struct gemm_member_scales scales = {
        .a = view->a_scales,
        .b = view->b_scales,
        .tiles = gemm_is_scaled(view->kind) ? gemm_scale_tiles(view->kind, view->k) : 0};
    const uint64_t members = group->memory + members_offset(group->count),
                   behind = members + group->count * sizeof record;
    const struct tmap_libcuda *api = &suite->gpu.api;
    return !api->memcpy_htod(members + i * sizeof record, &record, sizeof record) &&
           !api->memcpy_htod(behind + i * sizeof scales, &scales, sizeof scales);
}

/* Checks every member and copies it to the device; the maps of `stands` are the template. */
static enum tmap_status upload(struct tmap_gemm *suite, const struct tmap_gemm_member *members,
                               const struct gemm_choice *choice, struct tmap_gemm_group *group,
                               struct tmap_gemm_refusal *refusal)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct tmap_gemm_problem p = gemm_member_problem(&group->like, &members[i]);
        struct gemm_view view = gemm_view_of(&p, choice->config.swapped > 0);
        view.grouped = true;
        if (has_work(&members[i])) {
            const enum tmap_status status = gemm_check_member(suite, &view, choice, refusal);
            if (status != TMAP_OK) return gemm_blame_member(refusal, status, i);
        }
        if (!copy_member(suite, &view, &p, group, i))
            return gemm_refuse(refusal, TMAP_E_DRIVER,
                               "the members cannot be copied to the device");
    }
    return TMAP_OK;
}

/* The parameters that all members share, with the maps of one of them. */
static enum tmap_status make_params(struct tmap_gemm *suite, const struct tmap_gemm_member *stands,
                                    const struct gemm_choice *choice, struct tmap_gemm_group *group)
{
    const struct tmap_gemm_problem p = gemm_member_problem(&group->like, stands);
    struct gemm_view view = gemm_view_of(&p, choice->config.swapped > 0);
    view.grouped = true;
    struct gemm_params params;
    struct tmap_desc desc[3];
    struct gemm_map *maps[3] = {&params.a, &params.b, &params.d};
    memset(&params, 0, sizeof params);
    gemm_fill_params(suite, &view, choice, &p, &params);
    gemm_describe(&view, choice, desc);
    for (int i = 0; i < 3; i++) {
        const enum tmap_status status = gemm_encode(suite, &desc[i], maps[i]);
        if (status != TMAP_OK) return status;
    }
    if (gemm_is_scaled(view.kind)) /* of a stage, without what aligns the next */
        params.tx_bytes =
            (gemm_a_rows(choice->instance) + gemm_b_rows(choice->instance)) * GEMM_SPAN_BYTES +
            (int32_t)gemm_scale_bytes(choice->instance);
    params.group = choice->config.group;
    params.members = (int32_t)group->count;
    params.group_memory = group->memory;
    memcpy(group->params, &params, sizeof params);
    return TMAP_OK;
}

enum tmap_status gemm_ready_group(struct tmap_gemm *suite, const struct tmap_gemm_member *stands,
                                  const struct gemm_choice *choice, const char *maker,
                                  struct tmap_gemm_group *group, struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_config *c = &choice->config;
    tmap_cu_function make_members = NULL, multiply = NULL;
    enum tmap_status status = make_params(suite, stands, choice, group);
    if (status != TMAP_OK) return gemm_refuse(refusal, status, "a checked map cannot be encoded");
    status = gemm_group_function(suite, GEMM_COMMON, maker, &make_members);
    if (status == TMAP_OK)
        status =
            gemm_group_function(suite, choice->instance->image, choice->instance->name, &multiply);
    if (status != TMAP_OK) return gemm_refuse_unloaded(refusal, status);
    group->make = make_members;
    group->multiply = multiply;
    group->config = *c;
    group->cost_us = choice->cost_us;
    group->cluster = (uint32_t)gemm_members(choice);
    group->grid = (uint32_t)c->clusters * group->cluster;
    group->threads = gemm_threads(choice->instance);
    group->smem_bytes = choice->smem_bytes;
    return TMAP_OK;
}

static enum tmap_status plan_group(struct tmap_gemm *suite, const struct tmap_gemm_member *members,
                                   const struct tmap_gemm_config *request,
                                   struct tmap_gemm_group *group, struct tmap_gemm_refusal *refusal)
{
    struct gemm_choice choice;
    const enum tmap_status status = gemm_ask_residents(suite, group->like.kind);
    if (status != TMAP_OK) return gemm_refuse_unloaded(refusal, status);
    if (!gemm_choose_group(suite, &group->like, members, group->count, request, &choice))
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "no kernel of the group's family fits");
    const enum tmap_status uploaded = upload(suite, members, &choice, group, refusal);
    if (uploaded != TMAP_OK) return uploaded;
    const char *maker = gemm_is_scaled(group->like.kind) ? "make_scaled_group" : "make_group";
    return gemm_ready_group(suite, largest(members, group->count), &choice, maker, group, refusal);
}

enum tmap_status tmap_gemm_make_group(struct tmap_gemm *suite, const struct tmap_gemm_problem *like,
                                      const struct tmap_gemm_member *members, size_t count,
                                      uint64_t memory, const struct tmap_gemm_config *request,
                                      struct tmap_gemm_group *group,
                                      struct tmap_gemm_refusal *refusal)
{
    static const struct tmap_gemm_config nothing = {0};
    tmap_cu_context before;
    if (!suite || !like || !members || !group || count == 0 || count > INT32_MAX / 2 ||
        memory % 128 != 0 || memory == 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "no such group");
    if (gemm_wants_epilogue(like) || like->block_scale.a)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "groups have no epilogue or scales of blocks");
    if (like->a.mn_major || like->b.mn_major)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "no kernel multiplies such a group");
    enum tmap_status status = validate(like, members, count, request ? request : &nothing, refusal);
    if (status != TMAP_OK) return status;
    if (!has_work(largest(members, count)))
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "every member is empty");
    struct tmap_gemm_group made = {.like = *like, .count = count, .memory = memory, .suite = suite};
    if (tmap_gpu_enter(&suite->gpu, &before) != TMAP_OK)
        return gemm_refuse(refusal, TMAP_E_DRIVER, "the device's context cannot be made current");
    status = plan_group(suite, members, request ? request : &nothing, &made, refusal);
    tmap_gpu_leave(&suite->gpu, before);
    if (status == TMAP_OK) *group = made;
    return status;
}

static enum tmap_status run(const struct tmap_gemm_group *group, void *stream)
{
    uint64_t members = group->memory + members_offset(group->count);
    void *params[] = {(void *)(uintptr_t)group->params, &members};
    const struct tmap_launch make = {
        .function = group->make, .grid = (uint32_t)group->count, .threads = 128, .cluster = 1};
    const struct tmap_launch multiply = {.function = group->multiply,
                                         .grid = group->grid,
                                         .threads = group->threads,
                                         .cluster = group->cluster,
                                         .smem_bytes = group->smem_bytes,
                                         .overlap = true};
    const enum tmap_status status = gemm_launch(group->suite, &make, params, stream);
    return status == TMAP_OK ? gemm_launch(group->suite, &multiply, params, stream) : status;
}

enum tmap_status tmap_gemm_group_run(const struct tmap_gemm_group *group, void *stream)
{
    tmap_cu_context before;
    if (!group || !group->suite) return TMAP_E_ARGUMENT;
    enum tmap_status status = tmap_gpu_enter(&group->suite->gpu, &before);
    if (status != TMAP_OK) return status;
    status = run(group, stream);
    tmap_gpu_leave(&group->suite->gpu, before);
    return status;
}

uint64_t tmap_gemm_group_rows(const struct tmap_gemm_group *group, size_t member)
{
    if (!group || member >= group->count || group->routing.ends) return 0;
    const size_t field = group->config.swapped > 0 ? offsetof(struct gemm_member, n)
                                                   : offsetof(struct gemm_member, m);
    return group->memory + members_offset(group->count) + member * sizeof(struct gemm_member) +
           field;
}
