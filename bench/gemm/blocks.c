#include "blocks.h"

#include <stdio.h>
#include <string.h>

#include "kernels/gemm/trial.h"
#include "track.h"

enum { ROUNDS = 5, SCALES_BYTES = 48 << 20 };

/* The ways to scale e4m3: none with the tensor core's own sums and with promoted ones, a number for
 * each row of A and column of B, and one for each 1 x 128 of A and 128 x 128 of B. */
static const char *const names[] = {"plain", "promoted", "rows", "blocks"};
enum { PLAIN, PROMOTED, ROWS, BLOCKS, WAYS };

static void ask(const struct stand *s, int way, struct tmap_gemm_problem *p)
{
    p->precise = way == PROMOTED;
    if (way == ROWS) {
        p->epilogue.row_scale = s->workspace;
        p->epilogue.col_scale = s->workspace + SCALES_BYTES;
    }
    if (way == BLOCKS)
        p->block_scale = (struct tmap_gemm_block_scale){.a = s->workspace,
                                                        .b = s->workspace + SCALES_BYTES,
                                                        .lda = (p->m + 3) / 4 * 4,
                                                        .ldb = (p->k + 127) / 128};
}

void blocks_time(struct stand *s, const struct tmap_gemm_problem *shape, double ms)
{
    static struct job job[WAYS];
    static struct runner r[WAYS];
    static struct tmap_gemm_plan tuned;
    double us[WAYS][ROUNDS];
    memset(r, 0, sizeof r);
    s->api->memset_d8_async(s->workspace, 0x3c, 2 * (size_t)SCALES_BYTES, s->stream);
    s->api->stream_synchronize(s->stream);
    for (int way = 0; way < WAYS; way++) {
        struct tmap_gemm_problem p = *shape;
        ask(s, way, &p);
        job_make(s, &p, PROBE_NORMAL, &job[way]);
        if (tmap_gemm_tune(s->suite, &job[way].set[0], NULL, GEMM_TRIALS, NULL, &tuned, NULL) !=
                TMAP_OK ||
            !ours(s, &r[way], &job[way], &tuned.config))
            return;
        stand_time(s, &r[way], ms, 0);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++)
            us[way][round] = stand_time(s, &r[way], ms, r[way].guess_us).us;
    for (int way = 0; way < WAYS; way++) {
        const double t = median(us[way], ROUNDS);
        printf("scaled\t%s\t%d\t%d\t%d\t%.2f us\t%.1f TFLOP/s\t", names[way], shape->m, shape->n,
               shape->k, t, job[way].flops / t / 1e6);
        config_print(&r[way].plans[0].config);
        printf("\n");
    }
    fflush(stdout);
}
