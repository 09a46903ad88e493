/* Which protocol a pipeline's barriers follow, and how much of it the automaton can hold. */
#include "core/arith.h"
#include "tmap/solve.h"

#include <stdio.h>

#define MOST_CONSUMERS 8u /* of one CTA, as protocol.h's designs have them */

struct asked {
    const struct tmap_checker *checker;
    const struct tmap_pipeline *p;
    uint32_t ctas, along[2]; /* of the cluster; of its directions */
    uint64_t tx_bytes, shared_bytes[2];
};

static bool on_tcgen05(const struct tmap_pipeline *p)
{
    return p->mma.kind != TMAP_MMA_NONE || p->tmem_columns || p->cta_group == 2;
}

/* Bytes that one stage's copies signal in one CTA, and those of the loads that are shared. */
static enum tmap_status sum_bytes(struct asked *a)
{
    struct tmap_layout l;
    for (size_t i = 0; i < a->p->load_count; i++) {
        const enum tmap_status s = tmap_layout(a->checker, &a->p->loads[i], &l);
        if (s != TMAP_OK) return s;
        a->tx_bytes = sum_add(a->tx_bytes, l.tx_bytes);
        for (int k = 0; k < 2 && i < 64; k++)
            if (a->p->shared[k] >> i & 1)
                a->shared_bytes[k] = sum_add(a->shared_bytes[k], l.tx_bytes);
    }
    return TMAP_OK;
}

/* Whether a box can be cut into that many equal ones along a dimension but the innermost. */
static bool divides_box(const struct tmap_desc *d, uint32_t parts)
{
    for (uint32_t i = 1; d->kind == TMAP_TILED && i < d->rank; i++)
        if (d->box[i] % parts == 0) return true;
    return parts == 1 || (d->kind != TMAP_TILED && d->pixels % parts == 0);
}

static bool parts_are_equal(const struct asked *a, char *reason, size_t size)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < a->p->load_count && i < 64; i++)
            if (a->p->shared[k] >> i & 1 && !divides_box(&a->p->loads[i], a->along[k])) {
                snprintf(reason, size, "the box of load %u has no %u equal parts", i, a->along[k]);
                return false;
            }
    return true;
}

/* The ring of a pair, or of one CTA, whose slots one commit frees. */
static void operands_on_tcgen05(const struct asked *a, struct tmap_pipeline_design *d)
{
    const uint64_t expect = a->p->expect_tx, group = a->p->cta_group == 2 ? 2 : 1;
    d->options.design = TMAP_DESIGN_GEMM_SM100;
    d->options.ctas = (uint32_t)group;
    d->options.consumers = d->consumers = 1;
    if (a->ctas > group)
        snprintf(d->reason, sizeof d->reason, "no design has a cluster of %u CTAs and tcgen05",
                 a->ctas);
    else if (a->p->consumers > 1)
        snprintf(d->reason, sizeof d->reason, "tcgen05.commit arrives once, not %u times",
                 a->p->consumers);
    else if (expect % group)
        snprintf(d->reason, sizeof d->reason, "the CTAs of a pair expect equal parts");
    else
        d->options.expect_bytes = (uint32_t)(expect / group);
}

static void accumulators(const struct asked *a, struct tmap_pipeline_design *d)
{
    *d = (struct tmap_pipeline_design){.consumers = 1};
    d->stages = a->p->accumulators ? a->p->accumulators : 1;
    d->options = (struct tmap_design_options){.design = TMAP_DESIGN_GEMM_SM100_TMEM,
                                              .stages = d->stages,
                                              .consumers = 1,
                                              .ctas = a->p->cta_group == 2 ? 2 : 1};
}

/* A ring in one CTA, or one of a cluster whose loads are shared by multicast. */
static void operands_on_warps(const struct asked *a, struct tmap_pipeline_design *d)
{
    d->consumers = a->p->consumers ? a->p->consumers : 1;
    d->options.design = a->ctas > 1 ? TMAP_DESIGN_GEMM_SM90 : TMAP_DESIGN_RING;
    d->options.consumers = d->consumers < MOST_CONSUMERS ? d->consumers : MOST_CONSUMERS;
    d->options.expect_bytes = (uint32_t)a->p->expect_tx;
    if (a->ctas == 1) return;
    d->options.ctas = a->ctas;
    d->options.a_ctas = a->along[1];
    d->options.b_tx_bytes = (uint32_t)a->shared_bytes[0];
    d->options.a_tx_bytes = (uint32_t)a->shared_bytes[1];
    parts_are_equal(a, d->reason, sizeof d->reason);
}

/* The automaton has so many stages at most; a design that is none for it has no answer. */
static void bound(struct tmap_pipeline_design *d)
{
    struct tmap_protocol protocol;
    if (d->options.stages > TMAP_PROTOCOL_DEPTH) d->options.stages = TMAP_PROTOCOL_DEPTH;
    if (d->reason[0]) return;
    if (tmap_protocol_design(&d->options, &protocol) != TMAP_OK)
        snprintf(d->reason, sizeof d->reason, "more agents than the automaton holds, or no parts");
}

enum tmap_status tmap_pipeline_designs(const struct tmap_checker *checker,
                                       const struct tmap_pipeline *p, uint32_t stages,
                                       struct tmap_pipeline_design out[TMAP_PIPELINE_DESIGNS],
                                       size_t *count)
{
    struct asked a = {.checker = checker, .p = p};
    if (!checker || !p || !out || !count || !p->loads || p->load_count == 0 || stages == 0)
        return TMAP_E_ARGUMENT;
    for (int k = 0; k < 2; k++) a.along[k] = p->cluster[k] ? p->cluster[k] : 1;
    const uint64_t ctas = (uint64_t)a.along[0] * a.along[1];
    a.ctas = ctas < UINT32_MAX ? (uint32_t)ctas : UINT32_MAX;
    const enum tmap_status s = sum_bytes(&a);
    if (s != TMAP_OK) return s;
    out[0] = (struct tmap_pipeline_design){.stages = stages};
    out[0].options.stages = stages;
    out[0].options.stage_tx_bytes = (uint32_t)a.tx_bytes;
    if (on_tcgen05(p))
        operands_on_tcgen05(&a, &out[0]);
    else
        operands_on_warps(&a, &out[0]);
    if (a.tx_bytes > UINT32_MAX || p->expect_tx > UINT32_MAX)
        snprintf(out[0].reason, sizeof out[0].reason, "more bytes than a barrier counts");
    *count = 1;
    if (p->mma.kind != TMAP_MMA_NONE || p->tmem_columns) accumulators(&a, &out[(*count)++]);
    for (size_t i = 0; i < *count; i++) bound(&out[i]);
    return TMAP_OK;
}
