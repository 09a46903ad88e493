#include "grouped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Experts of a mixture: every one multiplies its rows by weights of its own. */
struct experts {
    struct runner runner; /* first, so that run() finds the rest */
    struct job job;
    int count;
    struct tmap_gemm_member *member;
    struct tmap_gemm_plan *plan; /* one a member that has rows */
    int plans;
    struct tmap_gemm_group group;
};

static int run_group(struct stand *s, struct runner *r, int set)
{
    (void)set;
    return tmap_gemm_group_run(&((struct experts *)(void *)r)->group, s->stream) != TMAP_OK;
}

static int run_one_by_one(struct stand *s, struct runner *r, int set)
{
    struct experts *e = (struct experts *)(void *)r;
    (void)set;
    for (int i = 0; i < e->plans; i++)
        if (tmap_gemm_run(&e->plan[i], s->stream) != TMAP_OK) return 1;
    return 0;
}

/* A router's rows: the same for each, or a share that falls as 1 / (rank + 1). */
static int rows_of(int i, int count, int each, bool even)
{
    double sum = 0;
    for (int j = 0; j < count; j++) sum += 1.0 / (j + 1);
    return even ? each : (int)(each * count / (i + 1) / sum);
}

/* The matrices lie in one large product's: all rows, all experts' columns. */
static double members_make(struct experts *e, int each, int n, int k, bool even)
{
    const struct tmap_gemm_problem *whole = &e->job.set[0];
    const uint64_t bytes = whole->kind == TMAP_GEMM_BF16 || whole->kind == TMAP_GEMM_F16 ? 2 : 1;
    uint64_t row = 0;
    double flops = 0;
    for (int i = 0; i < e->count; i++) {
        const int m = rows_of(i, e->count, each, even);
        e->member[i] = (struct tmap_gemm_member){
            .m = m,
            .n = n,
            .k = k,
            .a = whole->a.address + row * (uint64_t)whole->a.ld * bytes,
            .b = whole->b.address + (uint64_t)i * (uint64_t)n * (uint64_t)whole->b.ld * bytes,
            .d = whole->d.address + row * (uint64_t)n * 2,
            .lda = whole->a.ld,
            .ldb = whole->b.ld,
            .ldd = n};
        row += (uint64_t)m;
        flops += 2.0 * m * n * k;
    }
    return flops;
}

static bool plan_members(struct stand *s, struct experts *e, const struct tmap_gemm_problem *like)
{
    e->plans = 0;
    for (int i = 0; i < e->count; i++) {
        const struct tmap_gemm_member *x = &e->member[i];
        struct tmap_gemm_problem p = *like;
        if (x->m == 0) continue;
        p.m = x->m;
        p.n = x->n;
        p.k = x->k;
        p.a = (struct tmap_gemm_matrix){.address = x->a, .ld = x->lda};
        p.b = (struct tmap_gemm_matrix){.address = x->b, .ld = x->ldb};
        p.d = (struct tmap_gemm_matrix){.address = x->d, .ld = x->ldd};
        if (tmap_gemm_make_plan(s->suite, &p, NULL, &e->plan[e->plans++], NULL) != TMAP_OK)
            return false;
    }
    return true;
}

static double best_us(struct stand *s, struct experts *e,
                      int (*run)(struct stand *, struct runner *, int), double ms)
{
    double us[5];
    e->runner.run = run;
    stand_time(s, &e->runner, ms / 4, 0);
    for (int i = 0; i < 5; i++) us[i] = stand_time(s, &e->runner, ms, 0).us;
    return median(us, 5);
}

void grouped_time(struct stand *s, const struct tmap_gemm_problem *like, int count, int each,
                  bool even, double ms)
{
    struct experts *e = calloc(1, sizeof *e);
    tmap_cu_deviceptr memory = 0;
    struct tmap_gemm_problem whole = *like;
    struct tmap_gemm_refusal why = {0};
    const int n = like->n;
    whole.m = count * each;
    whole.n = count * n;
    e->count = count;
    e->runner.job = &e->job;
    e->member = calloc((size_t)count, sizeof *e->member);
    e->plan = calloc((size_t)count, sizeof *e->plan);
    job_make(s, &whole, PROBE_NORMAL, &e->job);
    e->job.sets = 1; /* the weights alone are beyond L2 */
    const double flops = members_make(e, each, n, like->k, even);
    bool good = !s->api->mem_alloc(&memory, tmap_gemm_group_bytes((size_t)count)) &&
                plan_members(s, e, like) &&
                tmap_gemm_make_group(s->suite, like, e->member, (size_t)count, memory, NULL,
                                     &e->group, &why) == TMAP_OK;
    if (good) {
        const double one = best_us(s, e, run_one_by_one, ms), all = best_us(s, e, run_group, ms);
        printf("group\t%d experts, %s %d rows, %d x %d\t%.1f us\t%.1f TFLOP/s\tone by one %.1f us\t"
               "%.2f times\ttile %dx%d\n",
               count, even ? "each" : "on the average", each, n, like->k, all, flops / all / 1e6,
               one, one / all, e->group.config.tile_m, e->group.config.tile_n);
    } else {
        printf("group\t%d experts\tno plan: %s\n", count, why.text);
    }
    fflush(stdout);
    s->api->mem_free(memory);
    free(e->member);
    free(e->plan);
    free(e);
}
