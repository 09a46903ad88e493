/* A problem as the kernels see it. */
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

struct gemm_view gemm_view_of(const struct tmap_gemm_problem *problem, bool swapped)
{
    struct gemm_view view = {.kind = swapped ? gemm_exchanged_kind(problem->kind) : problem->kind,
                             .out = problem->out,
                             .m = swapped ? problem->n : problem->m,
                             .n = swapped ? problem->m : problem->n,
                             .k = problem->k,
                             .batch = problem->batch,
                             .a = swapped ? problem->b : problem->a,
                             .b = swapped ? problem->a : problem->b,
                             .d = problem->d,
                             .a_scales = swapped ? problem->b_scales : problem->a_scales,
                             .b_scales = swapped ? problem->a_scales : problem->b_scales};
    view.transposed = problem->d.mn_major != swapped;
    view.adds_c = problem->beta != 0.0f;
    view.epilogue = gemm_wants_epilogue(problem);
    view.quick = gemm_is_quick(problem);
    view.second = problem->epilogue.second.address != 0;
    view.by_rows = view.second || view.adds_c || problem->epilogue.row_scale ||
                   problem->epilogue.row_bias || problem->epilogue.amax;
    view.early = problem->b_ready;
    view.gate = problem->epilogue.gate;
    view.blocks = problem->block_scale.a != 0;
    if (problem->conv.images > 0) {
        view.conv = gemm_conv_view_of(&problem->conv, problem->b.mn_major, problem->a.ld);
        view.epilogue = true; /* their kernels have one */
    }
    view.activates = problem->epilogue.activation > GEMM_ACTIVATION_RELU;
    view.precise_activation = view.activates && problem->out == GEMM_OUT_F32;
    view.promote = (problem->precise || view.blocks) && gemm_is_fp8(problem->kind);
    view.element_bits = gemm_element_bits(problem->kind);
    view.span = GEMM_SPAN_BYTES * 8 / view.element_bits;
    view.out_bytes = gemm_out_bytes(problem->out);
    view.torn = problem->d.ld * view.out_bytes % GEMM_SECTOR_BYTES != 0;
    return view;
}

int32_t gemm_d_columns(const struct gemm_view *view, int32_t columns)
{
    return view->gate ? columns / 2 : columns;
}

int32_t gemm_d_inner(const struct gemm_view *view)
{
    return view->transposed ? view->m : gemm_d_columns(view, view->n);
}

bool gemm_is_ragged(const struct gemm_view *view)
{
    return (int64_t)gemm_d_inner(view) * view->out_bytes % GEMM_CLIP_BYTES != 0;
}

int32_t gemm_panel_columns(const struct gemm_view *view)
{
    return view->out_bytes == 1 ? GEMM_SLAB_ROWS : GEMM_SPAN_BYTES / view->out_bytes;
}
