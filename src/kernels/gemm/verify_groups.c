/* One group, as verify.c has a product, and the maps that the device made for its members. */
#include <string.h>

#include "kernels/gemm/group.h"
#include "kernels/gemm/verify.h"

struct group_bench {
    struct bench bench[TMAP_GEMM_VERIFY_MEMBERS];
    struct product product[TMAP_GEMM_VERIFY_MEMBERS];
    struct tmap_gemm_member member[TMAP_GEMM_VERIFY_MEMBERS];
    size_t count;
};

/* An empty member's matrices are allocated as if it had one row: guards must stay whole. */
static void prepare_members(struct tmap_gemm *suite, const struct tmap_gemm_case *cases,
                            struct group_bench *g)
{
    for (size_t i = 0; i < g->count; i++) {
        struct tmap_gemm_case what = cases[i];
        struct bench *b = &g->bench[i];
        *b = (struct bench){.suite = suite, .api = &suite->gpu.api};
        b->result = verify_allocate(b, sizeof(struct probe_result));
        verify_fetch(b);
        what.problem.m += cases[i].problem.m == 0;
        what.problem.n += cases[i].problem.n == 0;
        verify_prepare(b, &what, &g->product[i]);
        g->member[i] = gemm_problem_member(&g->product[i].problem);
        g->member[i].m = cases[i].problem.m;
        g->member[i].n = cases[i].problem.n;
    }
}

/* The maps that the device made against those that the host encodes for the member alone. Words
 * that tensormap.replace cannot write are the template's. */
static uint64_t maps_differ(struct tmap_gemm *suite, const struct tmap_gemm_group *group, size_t i,
                            const struct tmap_gemm_problem *problem, bool *failed)
{
    enum { LIVE_WORDS = 8 };
    struct gemm_view view = gemm_view_of(problem, group->config.swapped > 0);
    view.grouped = true;
    const struct gemm_choice choice = {.instance = gemm_group_instance(suite, &view, group),
                                       .config = group->config};
    struct gemm_map made[3], meant;
    struct tmap_desc desc[3];
    uint64_t differ = 0;
    gemm_describe(&view, &choice, desc);
    *failed |=
        suite->gpu.api.memcpy_dtoh(made, group->memory + i * GEMM_PARAM_BYTES, sizeof made) != 0;
    for (int j = 0; j < 3 && !*failed; j++) {
        *failed |= gemm_encode(suite, &desc[j], &meant) != TMAP_OK;
        for (int w = 0; w < LIVE_WORDS; w++) differ += made[j].word[w] != meant.word[w];
    }
    return differ;
}

static void inspect_members(struct tmap_gemm *suite, const struct tmap_gemm_case *cases,
                            struct group_bench *g, const struct tmap_gemm_group *group,
                            struct tmap_gemm_outcome *o)
{
    for (size_t i = 0; i < g->count; i++) {
        struct bench *b = &g->bench[i];
        struct product *p = &g->product[i];
        if (g->member[i].m == 0 || g->member[i].n == 0) {
            p->d.outer = p->d.k = 0; /* all of it is guard */
        } else {
            verify_compare(b, &cases[i], p, o);
            o->maps_wrong += maps_differ(suite, group, i, &p->problem, &b->failed);
        }
        verify_guard(b, p, o);
    }
}

/* A member may be without elements. */
static enum tmap_status validate_member_case(const struct tmap_gemm_case *what,
                                             struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_case c = *what;
    if (c.problem.m == 0) c.problem.m = 1;
    if (c.problem.n == 0) c.problem.n = 1;
    c.problem.batch = 1;
    return gemm_validate_case(&c, refusal);
}

static enum tmap_status verify_group(struct tmap_gemm *suite, const struct tmap_gemm_case *cases,
                                     size_t count, const struct tmap_gemm_config *request,
                                     struct tmap_gemm_outcome *outcome)
{
    struct group_bench g = {.count = count};
    struct tmap_gemm_outcome made;
    struct tmap_gemm_group group;
    tmap_cu_deviceptr memory = 0;
    bool failed = false;
    memset(&made, 0, sizeof made);
    enum tmap_status status = gemm_module(suite, "gemm/sm90/probe", &suite->probe);
    for (size_t i = 0; i < count && status == TMAP_OK; i++)
        status = validate_member_case(&cases[i], &made.refusal);
    if (status == TMAP_OK) status = verify_refuse_kind(suite, cases, &made.refusal);
    if (status != TMAP_OK) {
        *outcome = made;
        return status;
    }
    if (suite->gpu.api.mem_alloc(&memory, tmap_gemm_group_bytes(count))) return TMAP_E_MEMORY;
    prepare_members(suite, cases, &g);
    status = tmap_gemm_make_group(suite, &cases[0].problem, g.member, count, memory, request,
                                  &group, &made.refusal);
    if (status == TMAP_OK) status = tmap_gemm_group_run(&group, NULL);
    if (status == TMAP_OK) {
        made.config = group.config;
        inspect_members(suite, cases, &g, &group, &made);
    }
    for (size_t i = 0; i < count; i++) {
        failed |= g.bench[i].failed;
        for (int j = 0; j < g.bench[i].buffers; j++) suite->gpu.api.mem_free(g.bench[i].buffer[j]);
    }
    suite->gpu.api.mem_free(memory);
    *outcome = made;
    return status != TMAP_OK ? status : failed ? TMAP_E_DRIVER : TMAP_OK;
}

enum tmap_status tmap_gemm_verify_group(struct tmap_gemm *suite, const struct tmap_gemm_case *cases,
                                        size_t count, const struct tmap_gemm_config *request,
                                        struct tmap_gemm_outcome *outcome)
{
    tmap_cu_context before;
    if (!suite || !cases || !outcome || count < 1 || count > TMAP_GEMM_VERIFY_MEMBERS)
        return TMAP_E_ARGUMENT;
    enum tmap_status status = tmap_gpu_enter(&suite->gpu, &before);
    if (status != TMAP_OK) return status;
    status = verify_group(suite, cases, count, request, outcome);
    tmap_gpu_leave(&suite->gpu, before);
    return status;
}
