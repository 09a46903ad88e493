/* Which configurations of a GEMM kernel can exist on a target, and how they rank.
 *
 * Illegal is said only of what cannot be: a sum that a row refuses. The ranking is a roofline with
 * whole waves of tiles; its rates are nominal and decide nothing but the order. */
#include "core/arith.h"
#include "core/check_use.h"
#include "expr/row.h"
#include "core/layout.h"
#include "tmap/solve.h"

#include <string.h>

#define BARRIER_BYTES 8u
#define WARP 32u
#define ACC_BYTES 4u /* accumulators are fp32 */
/* Seen in 168 kernels that Triton 3.6 compiled for sm_90a: registers = the accumulator's + 26, up
 * to the 128 of one m64n256 instruction; beyond that it spills, and still runs. */
#define TRITON_OTHER_REGISTERS 26u
#define WGMMA_REGISTERS 128u

/* Nominal rates: vendors' figures for the usual product of each architecture. */
static const struct rates {
    uint32_t sm, sms;
    double tflops_16bit, dram_tbs, l2_tbs;
} rate_table[] = {
    {90, 132, 989, 4.8, 5.5},   /* H200 */
    {100, 148, 2250, 8.0, 10},  /* B200 */
    {103, 148, 2500, 8.0, 10},  /* B300 */
    {120, 170, 210, 1.79, 4.0}, /* RTX 5090, 32-bit accumulation */
    {121, 48, 62, 0.273, 1.0},  /* GB10 */
};

static const struct rates *rates_of(tmap_arch arch)
{
    for (size_t i = 0; i < sizeof rate_table / sizeof *rate_table; i++)
        if (rate_table[i].sm == arch >> 2) return &rate_table[i];
    return NULL;
}

struct judge {
    const struct tmap_checker *checker;
    const struct tmap_problem *p;
    uint32_t capacity, bits, out_bits;
    tmap_row problem_rows[4]; /* violated by the tensors themselves, whatever the blocks */
    uint32_t problem_row_count;
    const struct rates *rates;
};

/* Bytes of the buffers of one stage. */
static uint64_t stage_bytes(const struct judge *j, const struct tmap_config *c)
{
    const uint64_t elements = sum_mul((uint64_t)c->block_m + c->block_n, c->block_k);
    return elements > SUM_MAX / 64 ? SUM_MAX : ceil_div(elements * j->bits, 8);
}

/* Bytes of mbarriers a stage, and of the staging of C, which takes the place of the ring. */
static uint64_t barrier_bytes(const struct judge *j)
{
    return j->p->model == TMAP_MODEL_RING ? 2 * BARRIER_BYTES : BARRIER_BYTES;
}

static uint64_t staging_bytes(const struct judge *j, const struct tmap_config *c)
{
    if (j->p->model != TMAP_MODEL_TRITON) return 0;
    const uint64_t elements = (uint64_t)c->block_m * c->block_n;
    return elements > SUM_MAX / 64 ? SUM_MAX : ceil_div(elements * j->out_bits, 8);
}

static uint64_t shared_of(const struct judge *j, const struct tmap_config *c)
{
    const uint64_t ring = sum_mul(c->stages, sum_add(stage_bytes(j, c), barrier_bytes(j)));
    const uint64_t staging = staging_bytes(j, c);
    return ring > staging ? ring : staging;
}

static uint32_t registers_of(const struct judge *j, const struct tmap_config *c)
{
    if (j->p->model != TMAP_MODEL_TRITON || c->warps == 0) return 0;
    const uint64_t acc = (uint64_t)c->block_m * c->block_n / ((uint64_t)c->warps * WARP);
    const uint64_t held = acc < WGMMA_REGISTERS ? acc : WGMMA_REGISTERS;
    return (uint32_t)held + TRITON_OTHER_REGISTERS;
}

static void refuse(struct tmap_config_answer *a, tmap_row row)
{
    a->verdict = TMAP_ILLEGAL;
    if (a->row_count < TMAP_CONFIG_ROWS) a->rows[a->row_count++] = row;
}

static void judge_sums(const struct judge *j, const struct tmap_config *c,
                       struct tmap_config_answer *a)
{
    struct tmap_violation v[TMAP_CONFIG_ROWS];
    size_t n = 0;
    const bool triton = j->p->model == TMAP_MODEL_TRITON;
    const struct pipeline_facts f = {
        .stages = c->stages,
        /* Triton lays its buffers out itself; a ring's stages follow each other */
        .stage_bytes = triton ? 0 : stage_bytes(j, c),
        .stage_tx_bytes = stage_bytes(j, c),
        .shared_bytes = a->shared_bytes,
        .arrivals = 1,
        .cta_group = 1,
        .registers = a->registers,
        .threads = (uint64_t)c->warps * WARP};
    check_pipeline(j->checker, &f, v, TMAP_CONFIG_ROWS, &n);
    for (size_t i = 0; i < n && i < TMAP_CONFIG_ROWS; i++) refuse(a, v[i].row);
}

/* The most stages with which the sums fit. */
static uint64_t max_stages(const struct judge *j, const struct tmap_config *c)
{
    if (staging_bytes(j, c) > j->capacity) return 0;
    return j->capacity / sum_add(stage_bytes(j, c), barrier_bytes(j));
}

static uint64_t blocks_per_sm(const struct judge *j, const struct tmap_config_answer *a)
{
    const uint64_t n = a->shared_bytes ? j->capacity / a->shared_bytes : 1;
    return n < 1 ? 1 : n > 4 ? 4 : n;
}

/* A count of bytes or tiles as an integer again. */
static uint64_t whole(double v)
{
    return v < (double)SUM_MAX ? (uint64_t)v : SUM_MAX;
}

/* In floating point: sizes are the user's, and their products need not fit anywhere. */
static void rank_terms(const struct judge *j, const struct tmap_config *c,
                       struct tmap_config_answer *a)
{
    const struct tmap_problem *p = j->p;
    const double rows = (double)ceil_div(p->m, c->block_m),
                 cols = (double)ceil_div(p->n, c->block_n);
    const double k = (double)ceil_div(p->k, c->block_k) * c->block_k, size = j->bits / 8.0;
    const double flops = 2.0 * rows * c->block_m * cols * c->block_n * k;
    const double l2 = rows * cols * ((double)c->block_m + c->block_n) * k * size;
    const double m = (double)p->m, n = (double)p->n;
    const double dram = (m + n) * (double)p->k * size + m * n * j->out_bits / 8.0;
    a->tiles = whole(rows * cols);
    a->l2_bytes = whole(l2);
    a->dram_bytes = whole(dram);
    a->intensity = l2 > 0 ? flops / l2 : 0;
    if (!j->rates) return;
    const double slots = (double)(j->rates->sms * blocks_per_sm(j, a));
    const double waves = (double)ceil_div(a->tiles, (uint64_t)slots);
    a->waves = rows * cols / slots;
    a->wave_efficiency = waves > 0 && a->waves < waves ? a->waves / waves : 1;
    a->flop_us = flops / (j->rates->tflops_16bit * (16.0 / j->bits) * 1e6);
    a->dram_us = dram / (j->rates->dram_tbs * 1e6);
    a->l2_us = l2 / (j->rates->l2_tbs * 1e6);
    const double most = a->flop_us > a->l2_us ? a->flop_us : a->l2_us;
    a->time_us = (a->dram_us > most ? a->dram_us : most) / a->wave_efficiency;
}

static void judge_one(const struct judge *j, const struct tmap_config *c,
                      struct tmap_config_answer *a)
{
    memset(a, 0, sizeof *a);
    for (uint32_t i = 0; i < j->problem_row_count; i++) refuse(a, j->problem_rows[i]);
    a->registers = registers_of(j, c);
    a->shared_bytes = shared_of(j, c);
    judge_sums(j, c, a);
    if (c->block_m && c->block_n && c->block_k) {
        a->max_stages = max_stages(j, c);
        rank_terms(j, c, a);
    } else {
        refuse(a, ROW_TMA180);
    }
}

/* The rows that the operands' own strides violate: no block can mend them. */
static void judge_operand(struct judge *j, uint64_t rows, uint64_t columns, uint32_t bits)
{
    struct tmap_violation v[8];
    size_t n = 0;
    struct tmap_desc d = {.kind = TMAP_TILED, .dtype = j->p->dtype, .rank = 2, .address = 1 << 20};
    d.dim[0] = columns;
    d.dim[1] = rows;
    d.stride_bytes[0] = columns > SUM_MAX / 64 ? SUM_MAX : ceil_div(columns * bits, 8);
    d.box[0] = 128 / bits ? 128 / bits : 1;
    d.box[1] = d.elem_stride[0] = d.elem_stride[1] = 1;
    tmap_check_with(j->checker, &d, v, 8, &n, NULL);
    for (size_t i = 0; i < n && i < 8 && j->problem_row_count < 4; i++) {
        bool known = false;
        for (uint32_t r = 0; r < j->problem_row_count; r++)
            known = known || j->problem_rows[r] == v[i].row;
        if (!known) j->problem_rows[j->problem_row_count++] = v[i].row;
    }
}

enum tmap_status tmap_prune(const struct tmap_checker *checker, const struct tmap_problem *p,
                            const struct tmap_config *configs, size_t n,
                            struct tmap_config_answer *answers)
{
    struct judge j = {.checker = checker, .p = p};
    if (!checker || !p || (n && (!configs || !answers)) || p->model >= TMAP_MODEL_COUNT)
        return TMAP_E_ARGUMENT;
    j.bits = layout_smem_bits(p->dtype);
    j.out_bits = layout_smem_bits(p->out_dtype);
    if (j.bits == 0 || j.out_bits == 0) return TMAP_E_ARGUMENT;
    const enum tmap_status status = tmap_capacity(checker->target.arch, &j.capacity, NULL);
    if (status != TMAP_OK) return status;
    if (j.capacity == 0) return TMAP_E_TARGET;
    j.rates = rates_of(checker->target.arch);
    judge_operand(&j, p->m, p->k, j.bits);
    judge_operand(&j, p->n, p->k, j.bits);
    for (size_t i = 0; i < n; i++) judge_one(&j, &configs[i], &answers[i]);
    return TMAP_OK;
}

uint64_t tmap_space_size(const struct tmap_space *s)
{
    return s ? (uint64_t)s->block_m_count * s->block_n_count * s->block_k_count * s->stages_count *
                   s->warps_count
             : 0;
}

static uint32_t pick(const uint32_t *list, size_t count, uint64_t *i)
{
    const uint32_t v = count ? list[*i % count] : 0;
    if (count) *i /= count;
    return v;
}

void tmap_space_at(const struct tmap_space *s, uint64_t i, struct tmap_config *out)
{
    out->warps = pick(s->warps, s->warps_count, &i);
    out->stages = pick(s->stages, s->stages_count, &i);
    out->block_k = pick(s->block_k, s->block_k_count, &i);
    out->block_n = pick(s->block_n, s->block_n_count, &i);
    out->block_m = pick(s->block_m, s->block_m_count, &i);
}

const char *tmap_model_name(uint32_t model)
{
    return model == TMAP_MODEL_RING ? "ring" : model == TMAP_MODEL_TRITON ? "triton" : NULL;
}

const char *tmap_model_about(uint32_t model)
{
    if (model == TMAP_MODEL_RING)
        return "one buffer of A and of B and two mbarriers per stage; nothing else is counted";
    if (model == TMAP_MODEL_TRITON)
        return "Triton 3.6, host tensor descriptors, seen on sm_90: num_stages buffers, one "
               "mbarrier "
               "each, C staged in the same memory";
    return NULL;
}
