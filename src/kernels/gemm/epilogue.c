/* The steps between a product's sums and its output, as a problem asks for them. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/suite.h"

#define ACTIVATION(word, NAME)                                                                     \
    _Static_assert((int)TMAP_GEMM_##NAME == (int)GEMM_ACTIVATION_##NAME, "the interface's "        \
                                                                         "numbers");
#include "kernels/gemm/epilogue.def"

/* The steps that an epilogue asks for; a row of epilogue.def a bit. */
static uint32_t asked(const struct tmap_gemm_epilogue *e)
{
    uint32_t steps = 0;
#define STEP(word, member, bytes)                                                                  \
    if (e->member) steps |= 1u << GEMM_STEP_##word;
#include "kernels/gemm/epilogue.def"
    return steps;
}

bool gemm_wants_epilogue(const struct tmap_gemm_problem *problem)
{
    return asked(&problem->epilogue) != 0;
}

static enum tmap_status refuse(struct tmap_gemm_refusal *refusal, const char *text)
{
    return gemm_refuse(refusal, TMAP_E_ARGUMENT, text);
}

static enum tmap_status misplaced(struct tmap_gemm_refusal *refusal, const char *member, int bytes)
{
    char text[sizeof refusal->text];
    snprintf(text, sizeof text, "epilogue: %s is not a multiple of %d", member, bytes);
    return refuse(refusal, text);
}

static enum tmap_status out_of_range(struct tmap_gemm_refusal *refusal, const char *member,
                                     int32_t value, int low, int high)
{
    char text[sizeof refusal->text];
    snprintf(text, sizeof text, "epilogue: %s is %" PRId32 ", not %d to %d", member, value, low,
             high);
    return refuse(refusal, text);
}

/* The second output lies as D does, one row after the other. */
static enum tmap_status check_second(const struct tmap_gemm_problem *p,
                                     struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_matrix *x = &p->epilogue.second;
    const int64_t bytes = p->out >= GEMM_OUT_F32 ? 4 : 2;
    const int64_t inner = p->d.mn_major ? p->m : p->n, rows = p->d.mn_major ? p->n : p->m;
    if (x->mn_major != p->d.mn_major) return refuse(refusal, "epilogue: second lies not as D does");
    if (x->ld < inner) return refuse(refusal, "epilogue: second's ld is less than its row");
    if (x->ld * bytes % 16 != 0) return misplaced(refusal, "second's ld in bytes", 16);
    if (p->batch == 1) return TMAP_OK;
    if (x->batch_stride / x->ld < rows)
        return refuse(refusal, "epilogue: second's batch_stride is less than a matrix");
    if (x->batch_stride * bytes % 16 != 0)
        return misplaced(refusal, "second's batch_stride in bytes", 16);
    return TMAP_OK;
}

enum tmap_status gemm_validate_epilogue(const struct tmap_gemm_problem *p,
                                        struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_epilogue *e = &p->epilogue;
#define EPILOGUE(member, low, high)                                                                \
    if (e->member < (low) || e->member > (high))                                                   \
        return out_of_range(refusal, #member, e->member, low, high);
#include "kernels/gemm/bounds.def"
#define STEP(word, member, bytes)                                                                  \
    if ((uint64_t)e->member % (bytes) != 0) return misplaced(refusal, #member, bytes);
#include "kernels/gemm/epilogue.def"
    if (gemm_wants_epilogue(p) && p->out > GEMM_OUT_F32)
        return refuse(refusal, "epilogue: there is none for an out of s32");
    return e->second.address ? check_second(p, refusal) : TMAP_OK;
}

/* A swapped product's rows are the kernel's columns. */
static struct tmap_gemm_epilogue turned(const struct tmap_gemm_epilogue *e, bool swapped)
{
    struct tmap_gemm_epilogue t = *e;
    if (!swapped) return t;
    t.row_scale = e->col_scale, t.col_scale = e->row_scale;
    t.row_bias = e->col_bias, t.col_bias = e->row_bias;
    return t;
}

void gemm_fill_epilogue(const struct gemm_view *view, const struct tmap_gemm_problem *problem,
                        bool swapped, struct gemm_epilogue *out)
{
    const struct tmap_gemm_epilogue e = turned(&problem->epilogue, swapped);
    *out = (struct gemm_epilogue){.steps = asked(&e),
                                  .activation = e.activation,
                                  .bias_type = e.bias_type,
                                  .alpha = e.alpha,
                                  .beta = e.beta,
                                  .row_scale = e.row_scale,
                                  .col_scale = e.col_scale,
                                  .row_bias = e.row_bias,
                                  .col_bias = e.col_bias,
                                  .amax = e.amax,
                                  .second = e.second.address,
                                  .second_row_bytes = e.second.ld * view->out_bytes,
                                  .second_batch_bytes = e.second.batch_stride * view->out_bytes};
    if (problem->alpha != 1.0f) out->steps |= 1u << GEMM_STEP_alpha;
    out->steps &= ~(1u << GEMM_STEP_addend);
    if (problem->beta != 0.0f) out->steps |= 1u << GEMM_STEP_addend;
}
