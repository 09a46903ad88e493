#include "kernels/gemm/rotate.h"

/* Microseconds from before the first of `runs` runs to after the last, each of the next plan; 0
 * when the device objects. */
static double elapsed_us(const struct tmap_gemm *suite, const struct tmap_gemm_plan *plans,
                         struct gemm_rotation *r, int32_t runs)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    tmap_cu_event from = NULL, to = NULL;
    float ms = 0;
    bool good = !api->event_create(&from, 0) && !api->event_create(&to, 0);
    if (good && r->sweep.wanted) good = tmap_gemm_run(&r->sweep.plan, NULL) == TMAP_OK;
    good = good && !api->event_record(from, NULL);
    for (int32_t i = 0; i < runs && good; i++, r->next = (r->next + 1) % r->count)
        good = tmap_gemm_run(&plans[r->next], NULL) == TMAP_OK;
    good = good && !api->event_record(to, NULL) && !api->event_synchronize(to) &&
           !api->event_elapsed_time(&ms, from, to);
    if (from) api->event_destroy(from);
    if (to) api->event_destroy(to);
    return good ? ms * 1000.0 : 0;
}

enum tmap_status gemm_plan_sets(struct tmap_gemm *suite, const struct gemm_rotation *r,
                                const struct tmap_gemm_config *config, struct tmap_gemm_plan *plans,
                                struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = TMAP_OK;
    for (int32_t i = 0; i < r->count && status == TMAP_OK; i++)
        status = tmap_gemm_make_plan(suite, &r->set[i], config, &plans[i], refusal);
    return status;
}

double gemm_time_sets(const struct tmap_gemm *suite, const struct tmap_gemm_plan *plans,
                      struct gemm_rotation *r, int32_t runs)
{
    const double least_us = 0.1;
    double all_us = 0;
    for (int32_t done = 0, part = 0; done < runs; done += part) {
        part = r->sweep.wanted && runs - done > r->count ? r->count : runs - done;
        const double us = elapsed_us(suite, plans, r, part);
        if (us <= 0) return 0;
        all_us += us;
    }
    return all_us / runs > least_us ? all_us / runs : least_us;
}

/* Bytes from the first element of A or B to its last. */
static size_t operand_extent(const struct tmap_gemm_problem *p, int32_t operand, int32_t bits)
{
    const struct tmap_gemm_matrix *x = operand ? &p->b : &p->a;
    int64_t rows, length;
    gemm_operand_extent(p, operand, &rows, &length);
    return (size_t)(((rows - 1) * x->ld + length + (p->batch - 1) * x->batch_stride) * bits / 8);
}

/* Bytes that a run touches. */
static double bytes_of(const struct tmap_gemm_problem *p)
{
    const struct gemm_view v = gemm_view_of(p, false);
    const double m = v.m, n = v.n, k = v.k;
    if (p->conv.images > 0)
        return (double)operand_extent(p, 0, v.element_bits) +
               (double)operand_extent(p, 1, v.element_bits) + m * n * v.out_bytes;
    return v.batch * ((m + n) * k * (v.element_bits / 8.0) + m * n * v.out_bytes);
}

/* From the first element of a matrix to its last. */
static size_t extent_of(const struct tmap_gemm_matrix *x, int32_t outer, int32_t k, int32_t batch,
                        int32_t bytes)
{
    const int64_t rows = x->mn_major ? k : outer, inner = x->mn_major ? outer : k;
    return (size_t)(((rows - 1) * x->ld + inner + (batch - 1) * x->batch_stride) * bytes);
}

/* Room for it, and the matrix moved there: as far from a multiple of 1024 as it was. */
static uint64_t move_to(uint64_t *at, struct tmap_gemm_matrix *x, size_t bytes)
{
    enum { UNIT = 1024 };
    const uint64_t from = x->address;
    x->address = *at + from % UNIT;
    *at += (from % UNIT + bytes + UNIT - 1) / UNIT * UNIT;
    return from;
}

/* The i-th copy begins at *at, which moves behind it. A and B are copied where `copy` says so. */
static bool place_set(const struct tmap_gemm *suite, struct tmap_gemm_problem *p, uint64_t *at,
                      bool copy)
{
    const struct gemm_view v = gemm_view_of(p, false);
    const size_t a = operand_extent(p, 0, v.element_bits);
    const size_t b = operand_extent(p, 1, v.element_bits);
    const uint64_t from_a = move_to(at, &p->a, a), from_b = move_to(at, &p->b, b);
    /* D's rows are M's unless it is written along M. */
    move_to(at, &p->d, extent_of(&p->d, p->m, p->n, p->batch, v.out_bytes));
    return !copy || (!suite->gpu.api.memcpy_dtod_async(p->a.address, from_a, a, NULL) &&
                     !suite->gpu.api.memcpy_dtod_async(p->b.address, from_b, b, NULL));
}

/* One row times as many as fill `bytes`, of the same kind, at `at`; its result lies behind them. */
enum { SWEEP_ROW_BYTES = 8192 };
static struct tmap_gemm_problem sweeping(const struct tmap_gemm_problem *p, uint64_t at,
                                         size_t bytes)
{
    const int32_t k = SWEEP_ROW_BYTES * 8 / gemm_view_of(p, false).element_bits;
    const int32_t rows = (int32_t)(bytes / SWEEP_ROW_BYTES);
    return (struct tmap_gemm_problem){.kind = p->kind,
                                      .out = p->kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32
                                                                     : TMAP_GEMM_OUT_F32,
                                      .m = 1,
                                      .n = rows,
                                      .k = k,
                                      .batch = 1,
                                      .a = {.address = at, .ld = k},
                                      .b = {.address = at, .ld = k},
                                      .d = {.address = at + bytes, .ld = rows},
                                      .alpha = 1};
}

static void open_sweep(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                       struct gemm_sweep *sweep)
{
    enum { UNIT = 4 * SWEEP_ROW_BYTES }; /* rows of the result are whole */
    const size_t bytes = (size_t)suite->gpu.l2_bytes * 2 / UNIT * UNIT;
    if (bytes == 0 || suite->gpu.api.mem_alloc(&sweep->at, bytes + bytes / SWEEP_ROW_BYTES * 4))
        return;
    const struct tmap_gemm_problem p = sweeping(problem, sweep->at, bytes);
    sweep->wanted = tmap_gemm_make_plan(suite, &p, NULL, &sweep->plan, NULL) == TMAP_OK;
}

void gemm_open_rotation(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                        struct gemm_rotation *r)
{
    struct tmap_gemm_problem placed = *problem;
    const double enough = 2.0 * (double)suite->gpu.l2_bytes, bytes = bytes_of(problem);
    uint64_t each = 0;
    const double wanted = 1 + enough / bytes;
    *r = (struct gemm_rotation){.count = 1, .set = {*problem}};
    place_set(suite, &placed, &each, false);
    const int32_t count = wanted < GEMM_MOST_SETS ? (int32_t)wanted : GEMM_MOST_SETS;
    if (count < 2 || suite->gpu.api.mem_alloc(&r->at, each * (uint64_t)count)) return;
    uint64_t at = r->at;
    r->count = count;
    for (int32_t i = 0; i < count; i++) {
        r->set[i] = *problem;
        if (!place_set(suite, &r->set[i], &at, true)) r->set[i] = *problem;
    }
    if (count == GEMM_MOST_SETS) open_sweep(suite, problem, &r->sweep);
}

void gemm_close_rotation(const struct tmap_gemm *suite, struct gemm_rotation *r)
{
    if (r->at) suite->gpu.api.mem_free(r->at);
    if (r->sweep.at) suite->gpu.api.mem_free(r->sweep.at);
}
