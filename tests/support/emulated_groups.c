#include "support/emulated_groups.h"

#include <stdio.h>
#include <string.h>

#include "kernels/gemm/group.h"

enum { MEMBERS = 3 };

static struct tmap_gemm_problem member_of(const struct gemm_instance *g,
                                          const struct tmap_gemm_problem *first, int i)
{
    struct tmap_gemm_problem p = *first;
    if (i == MEMBERS - 1) p.n = g->bn, p.k = 8;
    return p;
}

static void plant(struct tmap_gemm_group *group, const char *kernel, uint32_t fault, bool scaled)
{
    struct gemm_params params;
    memcpy(&params, group->params, sizeof params);
    params.fault = fault;
    memcpy(group->params, &params, sizeof params);
    group->multiply = emulated_function(kernel);
    if (scaled) group->make = emulated_function("make_scaled_faulty");
}

static bool run(struct tmap_gemm *suite, const struct gemm_instance *g,
                const struct tmap_gemm_problem *like, const struct tmap_gemm_member *members,
                const char *kernel, uint32_t fault)
{
    const struct tmap_gemm_config request = {.tile_m = gemm_tile_m(g),
                                             .tile_n = g->bn,
                                             .stages = 2,
                                             .cluster_m = 1,
                                             .swapped = -1,
                                             .clusters = 1};
    struct tmap_gemm_group group;
    struct tmap_gemm_refusal why = {0};
    uint64_t memory;
    if (suite->gpu.api.mem_alloc(&memory, tmap_gemm_group_bytes(MEMBERS))) return false;
    bool good = tmap_gemm_make_group(suite, like, members, MEMBERS, memory, &request, &group,
                                     &why) == TMAP_OK;
    if (!good) fprintf(stderr, "%s: %s\n", g->name, why.text);
    good = good && group.multiply == emulated_function(g->name);
    if (good && kernel) plant(&group, kernel, fault, gemm_is_scaled(like->kind));
    good = good && group.multiply && tmap_gemm_group_run(&group, NULL) == TMAP_OK;
    suite->gpu.api.mem_free(memory);
    return good;
}

bool emulated_group_record(struct tmap_gemm *suite, const struct gemm_instance *g,
                           const struct tmap_gemm_problem *first, const char *kernel,
                           uint32_t fault, struct tmap_emulate_record **out)
{
    struct emulated *e = emulated_state();
    struct emulated_product product[MEMBERS];
    struct tmap_gemm_member member[MEMBERS];
    int made = 0;
    *out = NULL;
    bool good = tmap_emulate_record_open(0, out) == TMAP_OK;
    for (; good && made < MEMBERS; made++) {
        const struct tmap_gemm_problem shape = member_of(g, first, made);
        good = emulated_product_make(suite, &shape, 1, &product[made]);
        if (!good) break;
        member[made] = gemm_problem_member(&product[made].problem);
    }
    if (good) {
        member[1].m = 0;
        e->record = *out;
        e->recorded = kernel ? kernel : g->name;
        good = run(suite, g, &product[0].problem, member, kernel, fault);
        if (!good) emulated_print();
        e->record = NULL;
        e->recorded = NULL;
    }
    for (int i = 0; i < made; i++) emulated_product_free(suite, &product[i]);
    return good;
}
