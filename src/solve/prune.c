/* Which configurations of a GEMM kernel can exist on a target, and how they rank.
 *
 * Illegal is said only of what cannot be: a copy or a sum that a row refuses. The ranking is a
 * roofline with whole waves of tiles; its rates are nominal and decide nothing but the order. */
#include "core/arith.h"
#include "core/check_use.h"
#include "expr/row.h"
#include "solve/config.h"

#include <string.h>

#define WHOLE_MOST 4 /* blocks that an SM is taken to run at once */

static const struct rates {
    uint32_t sm, sms;
    double tflops_16bit, dram_tbs, l2_tbs;
} rate_table[] = {
#define RATES(sm, sms, tflops_16bit, dram_tbs, l2_tbs, source)                                     \
    {sm, sms, tflops_16bit, dram_tbs, l2_tbs},
#include "rules/targets.def"
};

static const struct rates *rates_of(tmap_arch arch)
{
    for (size_t i = 0; i < sizeof rate_table / sizeof *rate_table; i++)
        if (rate_table[i].sm == arch >> 2) return &rate_table[i];
    return NULL;
}

/* Adds a row in the table's order, once. The rows of copies come before those of sums, which are
 * asked last: where there are too many it is the last ones that are left out. */
static void refuse(struct tmap_config_answer *a, tmap_row row)
{
    uint32_t at = a->row_count;
    a->verdict = TMAP_ILLEGAL;
    while (at && a->rows[at - 1] >= row) at--;
    if ((at < a->row_count && a->rows[at] == row) || a->row_count == TMAP_CONFIG_ROWS) return;
    for (uint32_t i = a->row_count++; i > at; i--) a->rows[i] = a->rows[i - 1];
    a->rows[at] = row;
}

static void refuse_all(struct tmap_config_answer *a, const struct tmap_violation *v, size_t n)
{
    for (size_t i = 0; i < n && i < TMAP_CONFIG_ROWS; i++) refuse(a, v[i].row);
}

/* The rows of one copy, of the map and of its use. */
static void judge_copy(const struct config_judge *j, const struct tmap_config_copy *c,
                       struct tmap_config_answer *a)
{
    struct tmap_violation v[TMAP_CONFIG_ROWS];
    size_t n = 0;
    if (tmap_verdict_of(j->checker, &c->desc) != TMAP_LEGAL)
        tmap_check_with(j->checker, &c->desc, v, TMAP_CONFIG_ROWS, &n, NULL);
    if (n == 0) tmap_check_use(j->checker, &c->desc, &c->use, v, TMAP_CONFIG_ROWS, &n, NULL);
    refuse_all(a, v, n);
}

/* A tile's copies differ in their place, and the last of each column of boxes in its rows: the
 * first, the second, the last of the first column and the first of the next stand for all. */
void config_judge_tile(const struct config_judge *j, const struct config_tile *t,
                       struct tmap_config_answer *a)
{
    struct tmap_config_copy copy;
    size_t chunks, n = config_tile_copies(t, &chunks);
    const size_t which[] = {0, 1, chunks - 1, chunks};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        if (which[i] >= n || (i && which[i] <= which[i - 1])) continue;
        config_tile_copy(j->p, t, which[i], &copy);
        judge_copy(j, &copy, a);
    }
}

static void judge_sums(const struct config_judge *j, const struct tmap_config *c,
                       struct tmap_config_answer *a)
{
    struct tmap_violation v[TMAP_CONFIG_ROWS];
    struct pipeline_facts f;
    size_t n = 0;
    config_facts(j, c, &f);
    a->shared_bytes = f.shared_bytes;
    a->registers = (uint32_t)f.registers;
    a->tmem_columns = (uint32_t)(f.tmem_columns < UINT32_MAX ? f.tmem_columns : UINT32_MAX);
    check_pipeline(j->checker, &f, v, TMAP_CONFIG_ROWS, &n);
    refuse_all(a, v, n);
}

static uint64_t blocks_per_sm(const struct config_judge *j, const struct tmap_config_answer *a)
{
    const uint64_t n = a->shared_bytes ? j->capacity / a->shared_bytes : 1;
    return n < 1 ? 1 : n > WHOLE_MOST ? WHOLE_MOST : n;
}

/* A count of bytes or tiles as an integer again. */
static uint64_t whole(double v)
{
    return v < (double)SUM_MAX ? (uint64_t)v : SUM_MAX;
}

/* In floating point: sizes are the user's, and their products need not fit anywhere. */
static void rank_terms(const struct config_judge *j, const struct tmap_config *c,
                       struct tmap_config_answer *a)
{
    const struct rates *rates = rates_of(j->checker->target.arch);
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
    if (!rates) return;
    const double slots = (double)(rates->sms * blocks_per_sm(j, a));
    const double waves = (double)ceil_div(a->tiles, (uint64_t)slots);
    a->waves = rows * cols / slots;
    a->wave_efficiency = waves > 0 && a->waves < waves ? a->waves / waves : 1;
    a->flop_us = flops / (rates->tflops_16bit * (16.0 / j->bits) * 1e6);
    a->dram_us = dram / (rates->dram_tbs * 1e6);
    a->l2_us = l2 / (rates->l2_tbs * 1e6);
    const double most = a->flop_us > a->l2_us ? a->flop_us : a->l2_us;
    a->time_us = (a->dram_us > most ? a->dram_us : most) / a->wave_efficiency;
}

/* Where the model was compared with runs. */
static enum tmap_basis basis_of(const struct config_judge *j)
{
    return j->p->model == TMAP_MODEL_TCGEN05 ? TMAP_INFERRED : j->checker->basis;
}

static void judge_one(const struct config_judge *j, const struct tmap_config *c,
                      struct tmap_config_answer *a)
{
    memset(a, 0, sizeof *a);
    a->basis = basis_of(j);
    const struct config_tile first = config_tile_of(j->p, c, 0, 0);
    const struct config_tile second = config_tile_of(j->p, c, 1, config_tile_bytes(&first));
    const struct config_tile out = config_tile_of(j->p, c, 2, 0);
    config_judge_tile(j, &first, a);
    config_judge_tile(j, &second, a);
    if (j->p->model == TMAP_MODEL_TRITON) config_judge_tile(j, &out, a);
    judge_sums(j, c, a);
    if (c->block_m && c->block_n && c->block_k) {
        a->max_stages = config_max_stages(j, c);
        rank_terms(j, c, a);
    }
    if (j->checker->covered != TMAP_OK || (a->verdict == TMAP_LEGAL && !config_is_said(j, c)))
        a->verdict = TMAP_UNKNOWN;
}

enum tmap_status tmap_prune(const struct tmap_checker *checker, const struct tmap_problem *p,
                            const struct tmap_config *configs, size_t n,
                            struct tmap_config_answer *answers)
{
    struct config_judge j;
    if (!checker || !p || (n && (!configs || !answers)) || p->model >= TMAP_MODEL_COUNT)
        return TMAP_E_ARGUMENT;
    const enum tmap_status status = config_judge_init(checker, p, &j);
    if (status != TMAP_OK) return status;
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
    out->ctas = 0;
    out->warps = pick(s->warps, s->warps_count, &i);
    out->stages = pick(s->stages, s->stages_count, &i);
    out->block_k = pick(s->block_k, s->block_k_count, &i);
    out->block_n = pick(s->block_n, s->block_n_count, &i);
    out->block_m = pick(s->block_m, s->block_m_count, &i);
}

static const struct {
    const char *name, *about;
} models[TMAP_MODEL_COUNT] = {
    {"ring", "one buffer of A and of B and two mbarriers per stage; nothing else is counted"},
    {"triton",
     "Triton 3.6, host tensor descriptors, seen on sm_90: num_stages buffers, one mbarrier "
     "each, C staged in the same memory"},
    {"tcgen05", "a ring as above, and tcgen05.mma by one CTA or, with num_ctas 2, by a pair whose "
                "tile the blocks are; accumulators in tensor memory"},
};

const char *tmap_model_name(uint32_t model)
{
    return model < TMAP_MODEL_COUNT ? models[model].name : NULL;
}

const char *tmap_model_about(uint32_t model)
{
    return model < TMAP_MODEL_COUNT ? models[model].about : NULL;
}
