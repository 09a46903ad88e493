/* 10_repair : what makes an illegal descriptor legal, and how the kernel's coordinates change. */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/solve.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

int main(void)
{
    /* 512 rows in one box: the map has 8 bits for a box. */
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim = {4096, 4096},
        .stride_bytes = {8192},
        .box = {64, 512},
        .elem_stride = {1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
    };
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_repair_report report;
    struct tmap_plan plan;
    char text[200];

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    if (tmap_repair(&checker, &desc, NULL, workspace, sizeof workspace, &plan, 1, &report, NULL) !=
        TMAP_OK) {
        printf("no plan: %s\n", report.reason);
        return 1;
    }
    printf("%s, %" PRIu32 " copy, expect_tx %" PRIu64 "\n", tmap_plan_kind_name(plan.cost.kind),
           plan.copies, plan.tx_bytes);
    for (uint32_t i = 0; i < plan.step_count; i++) {
        tmap_plan_step_text(&plan.step[i], text, sizeof text);
        printf("  %s\n", text);
    }
    int64_t request[TMAP_MAX_RANK] = {128, 1024}, at[TMAP_MAX_RANK];
    tmap_plan_coords(&plan, request, 0, at);
    printf("tile {128, 1024} is at {%" PRId64 ", %" PRId64 ", %" PRId64 "}\n", at[0], at[1], at[2]);
    return 0;
}
