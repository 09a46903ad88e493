/* The steps between a product's sums and its output, as a problem asks for them. */
#include "kernels/gemm/suite.h"

#define ACTIVATION(word, NAME)                                                                     \
    _Static_assert((int)TMAP_GEMM_##NAME == (int)GEMM_ACTIVATION_##NAME, "the interface's "        \
                                                                         "numbers");
#define GATE(word, NAME)                                                                           \
    _Static_assert((int)TMAP_GEMM_GATE_##NAME == (int)GEMM_GATE_##NAME, "the interface's "         \
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
    return asked(&problem->epilogue) != 0 || gemm_is_narrow(problem->out);
}

bool gemm_is_quick(const struct tmap_gemm_problem *problem)
{
    const uint32_t steps = asked(&problem->epilogue);
    const uint32_t quick =
        1u << GEMM_STEP_row_bias | 1u << GEMM_STEP_col_bias | 1u << GEMM_STEP_activation;
    const bool biased = problem->epilogue.row_bias || problem->epilogue.col_bias;
    const bool has = problem->kind == TMAP_GEMM_BF16 || problem->kind == TMAP_GEMM_F16;
    const bool by_rows = problem->a.mn_major && problem->b.mn_major; /* a gradient: all steps */
    return has && !by_rows && problem->conv.images == 0 && steps && !(steps & ~quick) &&
           problem->alpha == 1.0f && problem->beta == 0.0f && gemm_out_bytes(problem->out) == 2 &&
           (!biased || problem->epilogue.bias_type != TMAP_GEMM_OUT_F32);
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

void gemm_fill_epilogue(const struct tmap_gemm_problem *problem, bool swapped,
                        struct gemm_epilogue *out)
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
                                  .gate = e.gate,
                                  .d_scale = e.d_scale,
                                  .narrow = gemm_is_narrow(problem->out) ? problem->out : 0};
    if (problem->alpha != 1.0f) out->steps |= 1u << GEMM_STEP_alpha;
    out->steps &= ~(1u << GEMM_STEP_addend);
    if (problem->beta != 0.0f) out->steps |= 1u << GEMM_STEP_addend;
}
