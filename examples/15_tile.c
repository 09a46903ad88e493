/* 15_tile : a generated kernel's loads: descriptors for its tiles, shared memory, and its protocol.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/solve.h>

static bool solve_tile(const struct tmap_checker *checker, uint64_t rows, uint32_t tile_rows,
                       struct tmap_desc *out)
{
    static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
    const struct tmap_tile_request request = {.tensor = {.dtype = TMAP_BFLOAT16,
                                                         .rank = 2,
                                                         .address = UINT64_C(0x7f0000000000),
                                                         .dim = {4096, rows},
                                                         .stride_bytes = {8192}},
                                              .tile = {64, tile_rows},
                                              .consumer = TMAP_CONSUMER_WGMMA};
    struct tmap_tile_plan plan;
    size_t found;
    char reason[160];
    if (tmap_solve(checker, &request, workspace, sizeof workspace, &plan, 1, &found, reason,
                   sizeof reason) != TMAP_OK)
        return false;
    printf("%u rows: %" PRIu64 " instruction, swizzle %d, %" PRIu64 " bytes\n", tile_rows,
           plan.instructions, plan.plan.desc.swizzle, plan.shared_bytes);
    *out = plan.plan.desc;
    return true;
}

int main(void)
{
    static uint64_t states[1 << 21];
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_desc loads[2]; /* of A and of B */
    struct tmap_budget budget;
    struct tmap_protocol protocol;
    struct tmap_protocol_result proof;
    size_t found;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    if (!solve_tile(&checker, 8192, 128, &loads[0]) || !solve_tile(&checker, 4096, 256, &loads[1]))
        return 1;
    const struct tmap_pipeline ring = {.loads = loads, .load_count = 2};
    if (tmap_pipeline_budget(&checker, &ring, &budget, NULL, 0, NULL, 0, &found) != TMAP_OK)
        return 1;
    printf("%u stages of %" PRIu64 " bytes; expect_tx %" PRIu64 "\n", budget.stages,
           budget.stage_bytes, budget.stage_tx_bytes);
    const struct tmap_design_options design = {.design = TMAP_DESIGN_GEMM_SM90,
                                               .stages = budget.stages,
                                               .consumers = 1,
                                               .stage_tx_bytes = (uint32_t)budget.stage_tx_bytes};
    if (tmap_protocol_design(&design, &protocol) != TMAP_OK ||
        tmap_protocol_explore(&protocol, states, sizeof states, &proof, NULL, 0) != TMAP_OK)
        return 1;
    printf("hazards in any number of iterations: %s\n", tmap_hazard_name(proof.fault));
    return proof.verdict != TMAP_LEGAL;
}
