#include "overhead.h"

#include <stdio.h>
#include <stdlib.h>

void overhead(struct stand *s)
{
    static struct job job;
    struct runner *r = calloc(1, sizeof *r);
    const struct tmap_gemm_problem p = {.kind = TMAP_GEMM_BF16,
                                        .out = TMAP_GEMM_OUT_BF16,
                                        .m = 128,
                                        .n = 128,
                                        .k = 64,
                                        .batch = 1,
                                        .alpha = 1};
    double plan_us[64], run_us[64], bare_us[64];
    job_make(s, &p, PROBE_NORMAL, &job);
    if (!ours(s, r, &job, NULL)) return;
    struct tmap_gemm_plan *plan = &r->plans[0];
    struct tmap_cu_launch launch = {.grid_x = plan->grid,
                                    .grid_y = 1,
                                    .grid_z = 1,
                                    .block_x = plan->threads,
                                    .block_y = 1,
                                    .block_z = 1,
                                    .smem_bytes = plan->smem_bytes,
                                    .stream = s->stream};
    void *params[] = {plan->params};
    for (int i = 0; i < 64; i++) {
        double t = stand_now_s();
        for (int j = 0; j < 100; j++) tmap_gemm_make_plan(s->suite, &job.set[0], NULL, plan, NULL);
        plan_us[i] = (stand_now_s() - t) * 1e4;
        s->api->stream_synchronize(s->stream);
        t = stand_now_s();
        for (int j = 0; j < 100; j++) tmap_gemm_run(plan, s->stream);
        run_us[i] = (stand_now_s() - t) * 1e4;
        s->api->stream_synchronize(s->stream);
        t = stand_now_s();
        for (int j = 0; j < 100; j++)
            s->api->launch_kernel_ex(&launch, plan->function, params, NULL);
        bare_us[i] = (stand_now_s() - t) * 1e4;
        s->api->stream_synchronize(s->stream);
    }
    printf("overhead\tplan %.2f us\trun %.3f us\tbare launch %.3f us\n", median(plan_us, 64),
           median(run_us, 64), median(bare_us, 64));
    free(r);
}
