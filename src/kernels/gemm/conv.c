/* Convolutions asked for: the product that one becomes, its plan, and what a refusal can propose.
 */
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/suite.h"
#include "tmap/conv.h"

enum { AXES = TMAP_MAX_SPATIAL };

static bool is_matrix(const struct tmap_conv_shape *s)
{
    bool plain = true;
    for (int i = 0; i < AXES; i++)
        plain &= s->filter[i] == 1 && s->stride[i] == 1 && !s->pad_low[i] && !s->pad_high[i];
    return plain;
}

static struct tmap_gemm_problem as_matrices(const struct tmap_conv_problem *c, int64_t x, int64_t y)
{
    const struct tmap_conv_shape *s = &c->shape;
    const bool data = c->operation == TMAP_CONV_DATA_GRADIENT;
    const int64_t x_ld = c->x_ld ? c->x_ld : s->channels, y_ld = c->y_ld ? c->y_ld : s->filters;
    const int32_t bits = gemm_element_bits(c->kind);
    const int64_t taps = gemm_conv_taps(s), channels = data ? s->filters : s->channels;
    struct tmap_gemm_problem p = {.kind = c->kind,
                                  .out = c->out,
                                  .m = (int32_t)(data ? x : y),
                                  .n = data ? s->channels : s->filters,
                                  .batch = 1,
                                  .alpha = c->alpha,
                                  .beta = c->beta,
                                  .epilogue = c->epilogue};
    const struct gemm_conv_view view = gemm_conv_view_of(s, data, data ? y_ld : x_ld);
    const int64_t k = is_matrix(s) ? channels : gemm_conv_depth(&view, bits);
    p.k = k > INT32_MAX ? INT32_MAX : (int32_t)k; /* refused: out of its bound */
    p.a = (struct tmap_gemm_matrix){.address = data ? c->y : c->x, .ld = data ? y_ld : x_ld};
    p.b = (struct tmap_gemm_matrix){
        .address = c->filters, .ld = taps * s->channels, .mn_major = data};
    p.d = (struct tmap_gemm_matrix){.address = data ? c->x : c->y, .ld = data ? x_ld : y_ld};
    p.c = (struct tmap_gemm_matrix){.address = c->added,
                                    .ld = c->added_ld ? c->added_ld : (int64_t)p.n};
    if (!is_matrix(s)) p.conv = *s;
    return p;
}

enum tmap_status tmap_conv_product(const struct tmap_conv_problem *c,
                                   struct tmap_gemm_problem *product,
                                   struct tmap_gemm_refusal *refusal)
{
    int64_t x, y;
    if (!c || !product)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "no convolution or no product");
    if (c->operation < 0 || c->operation > TMAP_CONV_DATA_GRADIENT)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "convolution: no such operation");
    if (c->groups != 0 && c->groups != 1)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           c->groups == c->shape.channels
                               ? "depthwise convolutions are not supported"
                               : "convolutions in groups are not supported");
    if (c->kind != TMAP_GEMM_BF16)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN, "convolutions are of bf16");
    const enum tmap_status status = gemm_validate_shape(&c->shape, &x, &y, refusal);
    if (status != TMAP_OK) return status;
    const struct tmap_gemm_problem made = as_matrices(c, x, y);
    static const struct tmap_gemm_config nothing = {0};
    const enum tmap_status valid = gemm_validate(&made, &nothing, refusal);
    if (valid == TMAP_OK) *product = made;
    return valid;
}

static enum tmap_status plan(struct tmap_gemm *suite, const struct tmap_conv_problem *c,
                             const struct tmap_gemm_config *request, struct tmap_gemm_plan *out,
                             struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_problem product;
    const enum tmap_status status = tmap_conv_product(c, &product, refusal);
    return status == TMAP_OK ? tmap_gemm_make_plan(suite, &product, request, out, refusal) : status;
}

/* Where more channels of the blamed tensor would do, so many. */
static void propose(struct tmap_gemm *suite, const struct tmap_conv_problem *c,
                    struct tmap_gemm_refusal *refusal)
{
    enum { FURTHEST = 16 };
    const bool data = c->operation == TMAP_CONV_DATA_GRADIENT;
    const bool inner = (refusal->operand == 'D') == data || refusal->operand == 'B';
    struct tmap_conv_problem wider = *c;
    struct tmap_gemm_plan ignored;
    const size_t used = strlen(refusal->text);
    int32_t *count = inner ? &wider.shape.channels : &wider.shape.filters;
    const int32_t before = *count;
    for (int32_t more = 1; more <= FURTHEST; more++) {
        *count = before + more;
        wider.x_ld = c->x_ld < wider.shape.channels ? 0 : c->x_ld;
        wider.y_ld = c->y_ld < wider.shape.filters ? 0 : c->y_ld;
        if (plan(suite, &wider, NULL, &ignored, NULL) != TMAP_OK) continue;
        snprintf(refusal->text + used, sizeof refusal->text - used, "; pad %s from %d to %d",
                 inner ? "channels" : "filters", before, *count);
        return;
    }
}

enum tmap_status tmap_conv_make_plan(struct tmap_gemm *suite,
                                     const struct tmap_conv_problem *problem,
                                     const struct tmap_gemm_config *request,
                                     struct tmap_gemm_plan *out, struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_refusal why;
    if (!suite || !problem || !out)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "no suite, no convolution or no plan");
    memset(&why, 0, sizeof why);
    const enum tmap_status status = plan(suite, problem, request, out, &why);
    if (status == TMAP_E_ILLEGAL) propose(suite, problem, &why);
    if (status != TMAP_OK && refusal) *refusal = why;
    return status;
}
