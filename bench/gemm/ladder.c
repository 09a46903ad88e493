#include "ladder.h"

#include <stdio.h>
#include <stdlib.h>

#include "rungs.h"

void ladder(struct stand *s, int n, double ms)
{
    static struct job job;
    const struct tmap_gemm_problem shape = {.kind = TMAP_GEMM_BF16,
                                            .out = TMAP_GEMM_OUT_F32,
                                            .m = n,
                                            .n = n,
                                            .k = n,
                                            .batch = 1,
                                            .alpha = 1};
    const int tiles = (n + 127) / 128 * ((n + 255) / 256);
    const struct step {
        const char *name;
        struct tmap_gemm_config request;
    } steps[] = {
        {"specialised 64x112, one tile a block",
         {.tile_m = 64, .tile_n = 112, .stages = 4, .group = 1, .clusters = tiles * 4}},
        {"two consumers 128x256",
         {.tile_m = 128, .tile_n = 256, .stages = 3, .group = 1, .clusters = tiles}},
        {"four stages", {.tile_m = 128, .tile_n = 256, .group = 1, .clusters = tiles}},
        {"persistent", {.tile_m = 128, .tile_n = 256, .group = 1}},
        {"grouped raster", {.tile_m = 128, .tile_n = 256}},
        {"multicast in pairs", {.tile_m = 128, .tile_n = 256, .cluster_m = 2}},
        {"stores by the warps", {.tile_m = 128, .tile_n = 256, .cluster_m = 2, .direct = 1}},
        {"launch over the predecessor's end",
         {.tile_m = 128, .tile_n = 256, .cluster_m = 2, .direct = 1, .overlap = 1}},
        {"the model's plan", {.tile_m = 0}},
    };
    struct runner *r = calloc(1, sizeof *r);
    job_make(s, &shape, PROBE_NORMAL, &job);
    for (int rung = 0; rung < RUNGS; rung++) {
        bool right = false;
        int blocks = 0;
        const double us = rung_time(s, &job, rung, ms, &right, &blocks);
        printf("ladder\t%d\t%s\t%.1f us\t%.1f TFLOP/s\t%d blocks an SM\t%s\n", n, rung_name(rung),
               us, job.flops / us / 1e6, blocks, right ? "right" : "WRONG");
        fflush(stdout);
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct tmap_gemm_config request = steps[i].request;
        if (request.tile_m) {
            request.cluster_m = request.cluster_m ? request.cluster_m : 1;
            request.overlap = request.overlap ? 1 : -1;
            request.direct = request.direct ? 1 : -1;
            request.cluster_n = request.split_k = 1;
            request.swapped = request.stream_k = -1;
        }
        if (!ours(s, r, &job, &request)) continue;
        stand_time(s, r, ms / 4, 0);
        const struct slice t = stand_time(s, r, ms, 0);
        printf("ladder\t%d\t%s\t%.1f us\t%.1f TFLOP/s\t%.0f MHz\t%.0f W\n", n, steps[i].name, t.us,
               job.flops / t.us / 1e6, t.mhz, t.watts);
        fflush(stdout);
    }
    free(r);
}
