/* 11_prune : which configurations of a GEMM kernel can exist, before any compiler runs. */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/solve.h>

int main(void)
{
    static const uint32_t block[] = {64, 128, 256}, k[] = {64, 128}, stages[] = {3, 4},
                          warps[] = {8};
    const struct tmap_space space = {block, block, k, stages, warps, 3, 3, 2, 2, 1};
    const struct tmap_problem problem = {.m = 8192,
                                         .n = 8192,
                                         .k = 8192,
                                         .dtype = TMAP_BFLOAT16,
                                         .out_dtype = TMAP_BFLOAT16,
                                         .model = TMAP_MODEL_RING};
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    uint64_t possible = 0;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    for (uint64_t i = 0; i < tmap_space_size(&space); i++) {
        struct tmap_config config;
        struct tmap_config_answer answer;
        tmap_space_at(&space, i, &config);
        if (tmap_prune(&checker, &problem, &config, 1, &answer) != TMAP_OK) return 1;
        possible += answer.verdict == TMAP_LEGAL;
        if (answer.verdict == TMAP_ILLEGAL && config.block_m == config.block_n)
            printf("%ux%ux%u, %u stages: %s, %" PRIu64 " bytes, at most %" PRIu64 " stages\n",
                   config.block_m, config.block_n, config.block_k, config.stages,
                   tmap_row_id(answer.rows[0]), answer.shared_bytes, answer.max_stages);
    }
    printf("%" PRIu64 " of %" PRIu64 " can exist\n", possible, tmap_space_size(&space));
    return 0;
}
