/* trial.c : see trial.h. */
#include "kernels/gemm/trial.h"

#include "kernels/gemm/params.h"
#include "kernels/gemm/suite.h"

#include <stdlib.h>
#include <string.h>

static int32_t out_bits(int32_t out)
{
    return out == TMAP_GEMM_OUT_F32 || out == TMAP_GEMM_OUT_S32 ? 32 : 16;
}

/* The smallest legal strides: rows at multiples of 16 bytes. Returns the matrix's bytes. */
static int64_t lay_out(struct tmap_gemm_matrix *x, int32_t outer, int32_t inner, int32_t bits,
                       int32_t batch)
{
    const int32_t unit = 128 / bits, rows = x->mn_major ? inner : outer;
    const int32_t length = x->mn_major ? outer : inner;

    if (x->ld == 0) x->ld = ((int64_t)length + unit - 1) / unit * unit;
    if (x->batch_stride == 0) x->batch_stride = x->ld * rows;
    return ((batch - 1) * x->batch_stride + rows * x->ld) * bits / 8;
}

struct layout {
    struct tmap_gemm_problem problem;
    int64_t a, b, d, a_scales, b_scales; /* bytes */
};

static int64_t scale_bytes(const struct tmap_gemm_problem *p, int32_t rows)
{
    if (!gemm_is_scaled(p->kind)) return 0;
    return (int64_t)GEMM_SCALE_BYTES * ((rows + 127) / 128) * gemm_scale_tiles(p->kind, p->k) *
           p->batch;
}

static struct layout layout_of(const struct tmap_gemm_problem *problem)
{
    struct layout l = {.problem = *problem};
    struct tmap_gemm_problem *p = &l.problem;
    const int32_t bits = gemm_element_bits(p->kind);

    l.a = lay_out(&p->a, p->m, p->k, bits, p->batch);
    l.b = lay_out(&p->b, p->n, p->k, bits, p->batch);
    l.d = lay_out(&p->d, p->m, p->n, out_bits(p->out), p->batch);
    l.a_scales = scale_bytes(p, p->m);
    l.b_scales = scale_bytes(p, p->n);
    return l;
}

/* --- without a device --------------------------------------------------------------------------*/

const int32_t gemm_h200_resident[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};

enum tmap_status gemm_as_h200(struct tmap_gemm *suite)
{
    suite->family = GEMM_SM90;
    suite->gpu.sm_count = gemm_h200_resident[1];
    suite->gpu.clock_mhz = 1980;
    suite->gpu.memory_bytes_per_us = 4.917e6;
    memcpy(suite->resident, gemm_h200_resident, sizeof suite->resident);
    return tmap_capacity(TMAP_ARCH(90, 1), &suite->smem_optin_bytes, NULL);
}

static enum tmap_status on_paper(struct tmap_gemm *suite)
{
    const struct tmap_target target = tmap_default_target();
    const enum tmap_status status = gemm_as_h200(suite);

    return status != TMAP_OK ? status
                             : tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &suite->checker);
}

enum tmap_status gemm_by_model(const struct tmap_gemm_problem *problem,
                               struct tmap_gemm_config *config, double *cost_us,
                               struct tmap_gemm_refusal *refusal)
{
    static const struct tmap_gemm_config nothing;
    struct tmap_gemm *suite = calloc(1, sizeof *suite);
    struct gemm_choice *choices = malloc(GEMM_MAX_CHOICES * sizeof *choices);
    enum tmap_status status = suite && choices ? on_paper(suite) : TMAP_E_MEMORY;

    if (status == TMAP_OK) status = gemm_validate(problem, &nothing, refusal);
    if (status == TMAP_OK) {
        const struct layout l = layout_of(problem);
        if (gemm_enumerate(suite, &l.problem, &nothing, choices, GEMM_MAX_CHOICES) == 0) {
            status = gemm_refuse(refusal, TMAP_E_NO_PLAN, "compute capability 9.0 has no kernel");
        } else {
            *config = choices[0].config;
            *cost_us = choices[0].cost_us;
        }
    }
    free(choices);
    free(suite);
    return status;
}

/* --- on a device -------------------------------------------------------------------------------*/

enum { BLOCK_BYTES = 1000 * 1000 };

/* Random bits: what is all alike draws less power, and is ranked otherwise (docs/GEMM.md). */
static tmap_cu_deviceptr random_bits(const struct tmap_libcuda *api, int64_t bytes, bool *failed)
{
    static const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    tmap_cu_deviceptr at = 0;
    uint64_t *block = bytes && !*failed ? malloc(BLOCK_BYTES) : NULL;

    if (bytes == 0 || *failed) return 0;
    *failed = !block || api->mem_alloc(&at, (size_t)bytes) != 0;
    for (uint64_t i = 0, x = (uint64_t)bytes; !*failed && i < BLOCK_BYTES / sizeof *block; i++) {
        x = (x + step) * UINT64_C(0xbf58476d1ce4e5b9);
        block[i] = x ^ x >> 29;
    }
    for (int64_t done = 0; !*failed && done < bytes; done += BLOCK_BYTES) {
        const int64_t left = bytes - done;
        *failed = api->memcpy_htod(at + (uint64_t)done, block,
                                   (size_t)(left < BLOCK_BYTES ? left : BLOCK_BYTES)) != 0;
    }
    free(block);
    return at;
}

static enum tmap_status tune_on(struct tmap_gemm *suite, gemm_tuner *tuner, const struct layout *l,
                                size_t most, const char *cache_path, struct tmap_gemm_plan *plan,
                                struct tmap_gemm_refusal *refusal)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    struct tmap_gemm_problem p = l->problem;
    bool failed = false;
    enum tmap_status status = TMAP_E_MEMORY;

    p.a.address = random_bits(api, l->a, &failed);
    p.b.address = random_bits(api, l->b, &failed);
    p.d.address = random_bits(api, l->d, &failed);
    p.a_scales = random_bits(api, l->a_scales, &failed);
    p.b_scales = random_bits(api, l->b_scales, &failed);
    if (!failed) status = tuner(suite, &p, NULL, most, cache_path, plan, refusal);
    const uint64_t taken[] = {p.a.address, p.b.address, p.d.address, p.a_scales, p.b_scales};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (taken[i]) api->mem_free(taken[i]);
    return status;
}

enum tmap_status gemm_by_trial(struct tmap_gemm *suite, gemm_tuner *tuner,
                               const struct tmap_gemm_problem *problem, size_t most,
                               const char *cache_path, struct tmap_gemm_config *config,
                               double *cost_us, struct tmap_gemm_refusal *refusal)
{
    static const struct tmap_gemm_config nothing;
    struct tmap_gemm_plan *plan = malloc(sizeof *plan);
    enum tmap_status status = plan ? gemm_validate(problem, &nothing, refusal) : TMAP_E_MEMORY;
    tmap_cu_context before;

    if (status == TMAP_OK) status = tmap_gpu_enter(&suite->gpu, &before);
    if (status == TMAP_OK) {
        const struct layout l = layout_of(problem);
        status = tune_on(suite, tuner, &l, most, cache_path, plan, refusal);
        tmap_gpu_leave(&suite->gpu, before);
    }
    if (status == TMAP_OK) {
        *config = plan->config;
        *cost_us = plan->cost_us;
    }
    free(plan);
    return status;
}
