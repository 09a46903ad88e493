#include "support/emulated_instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t emulated_shapes(uint64_t otherwise)
{
    const char *more = getenv("TMAP_EMULATE_SHAPES");
    return more ? strtoull(more, NULL, 10) : otherwise;
}

size_t emulated_each_instance(struct tmap_gemm *suite, uint64_t shapes,
                              void (*one)(const struct gemm_instance *g, uint64_t seed))
{
    size_t seen = 0;
    for (size_t i = 0; i < gemm_instance_count; i++) {
        if (!emulated_function(gemm_instances[i].name)) continue;
        memset(suite->functions, 0, sizeof suite->functions); /* another PTX's */
        for (uint64_t seed = 1; seed <= shapes; seed++) one(&gemm_instances[i], seed);
        seen++;
    }
    return seen;
}

bool emulated_gemm_clean(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                         const struct tmap_gemm_config *config, enum tmap_emulate_schedule schedule,
                         uint64_t seed)
{
    struct emulated *emulator = emulated_state();
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    const enum tmap_status made = tmap_gemm_make_plan(suite, problem, config, &plan, &why);
    if (made != TMAP_OK) {
        printf("# no plan: %d: %s\n", made, why.text);
        return false;
    }
    emulator->how.schedule = schedule;
    emulator->how.seed = seed;
    const enum tmap_status ran = tmap_gemm_run(&plan, NULL);
    if (ran == TMAP_OK && emulator->findings == 0) return true;
    printf("# the launch ended with status %d, %zu findings\n", ran, emulator->findings);
    emulated_print();
    return false;
}

bool emulated_gemm_right(struct tmap_gemm *suite, const char *source,
                         const struct tmap_gemm_problem *problem,
                         const struct tmap_gemm_config *request, struct tmap_gemm_plan *plan)
{
    struct emulated_product product;
    struct tmap_gemm_refusal why = {0};
    if (!emulated_ptx(source)) return false;
    memset(suite->functions, 0, sizeof suite->functions);
    bool right = emulated_product_make(suite, problem, 1, &product);
    if (right) {
        right = tmap_gemm_make_plan(suite, &product.problem, request, plan, &why) == TMAP_OK;
        if (!right) printf("# no plan: %s\n", why.text);
        right =
            right && emulated_gemm_clean(suite, &product.problem, request, TMAP_EMULATE_RANDOM, 3);
        const uint64_t wrong = right ? emulated_product_wrong(&product) : 0;
        if (wrong) printf("# %llu numbers are wrong\n", (unsigned long long)wrong);
        right = right && wrong == 0;
        emulated_product_free(suite, &product);
    }
    emulated_unload();
    return right;
}
