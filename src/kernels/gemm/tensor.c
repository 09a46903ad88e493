/* A choice for tensor memory as a pipeline, which the rows about pipelines judge: instruction and
 * columns on this target, and the whole of shared memory. */
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/sm100/geometry.h"
#include "kernels/gemm/suite.h"
#include "tmap/solve.h"

enum { MOST_LOADS = 16, MOST_ROWS = 4 };

/* Of an operand's type: the instruction, the type's code and that of the sums in its descriptor
 * (PTX ISA, tcgen05: instruction descriptor). */
static const struct {
    uint32_t kind, type, d_type;
} types[GEMM_KINDS] = {
    [GEMM_BF16] = {TMAP_MMA_F16, 1, 1},    [GEMM_F16] = {TMAP_MMA_F16, 0, 1},
    [GEMM_TF32] = {TMAP_MMA_TF32, 2, 1},   [GEMM_E4M3] = {TMAP_MMA_F8F6F4, 0, 1},
    [GEMM_E5M2] = {TMAP_MMA_F8F6F4, 1, 1}, [GEMM_S8] = {TMAP_MMA_I8, 1, 2},
    [GEMM_E2M1] = {TMAP_MMA_MXF4, 1, 1},
};

/* The instruction of a kind: with scale factors another than its types alone have. */
static uint32_t instruction_of(int32_t kind)
{
    const uint32_t plain = types[gemm_operand_kind(kind, 0)].kind;
    if (kind == GEMM_NVF4) return TMAP_MMA_MXF4NVF4;
    return gemm_is_scaled(kind) && plain == TMAP_MMA_F8F6F4 ? TMAP_MMA_MXF8F6F4 : plain;
}

uint32_t gemm_tensor_types(int32_t kind)
{
    return types[gemm_operand_kind(kind, 0)].type << 7 | types[gemm_operand_kind(kind, 1)].type
                                                             << 10;
}

/* An operand's boxes of one stage: those of its sharers, or one for every span of rows. */
static size_t boxes(const struct tmap_desc *desc, bool mn_major, int32_t rows, int32_t sharers,
                    struct tmap_desc *out, size_t count)
{
    const int32_t n = mn_major ? rows / (int32_t)desc->box[0] : sharers;
    for (int32_t i = 0; i < n && count < MOST_LOADS; i++) out[count++] = *desc;
    return count;
}

static enum tmap_status refuse_row(const struct tmap_violation *v, const struct gemm_instance *g,
                                   struct tmap_gemm_refusal *refusal)
{
    if (!refusal) return TMAP_E_ILLEGAL;
    memset(refusal, 0, sizeof *refusal);
    refusal->violation = *v;
    snprintf(refusal->text, sizeof refusal->text, "%s %s: %s", tmap_row_id(v->row),
             tmap_row_name(v->row), g->name);
    return TMAP_E_ILLEGAL;
}

enum tmap_status gemm_check_tensor(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct gemm_choice *choice, const struct tmap_desc desc[3],
                                   struct tmap_gemm_refusal *refusal)
{
    const struct gemm_instance *g = choice->instance;
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t a = gemm_operand_kind(g->kind, 0), b = gemm_operand_kind(g->kind, 1);
    struct tmap_desc loads[MOST_LOADS];
    struct tmap_violation rows[MOST_ROWS];
    struct tmap_budget budget;
    size_t count = boxes(&desc[0], view->a.mn_major, gemm_a_rows(g), c->cluster_n, loads, 0);
    size_t found = 0;
    count = boxes(&desc[1], view->b.mn_major, gemm_b_rows(g), c->cluster_m, loads, count);
    const bool scaled = gemm_is_scaled(g->kind);
    const struct tmap_pipeline pipeline = {
        .loads = loads,
        .load_count = count,
        .store = &desc[2],
        .stages = (uint32_t)c->stages,
        .store_stages = (uint32_t)c->panels,
        .tmem_columns = scaled ? TENSOR_COLUMNS : (uint32_t)(TENSOR_BUFFERS * g->bn),
        .scale_stages = scaled ? (uint32_t)c->stages : 0,
        .cta_group = (uint32_t)g->ctas,
        .mma = {.kind = instruction_of(g->kind),
                .scale_block = (uint32_t)gemm_scale_block(g->kind),
                .scale_type = gemm_scale_block(g->kind) == 32, /* ue8m0; by 16 ue4m3 */
                .m = (uint32_t)c->tile_m,
                .n = (uint32_t)c->tile_n,
                .a_type = types[a].type,
                .b_type = types[b].type,
                .d_type = types[a].d_type},
        .accumulators = (uint32_t)gemm_accumulators(g),
        .alloc_group = (uint32_t)g->ctas,
        .reserve_bytes = gemm_smem_bytes(g, 0, 0)};
    const enum tmap_status status =
        tmap_pipeline_budget(&suite->checker, &pipeline, &budget, NULL, 0, rows, MOST_ROWS, &found);
    if (status != TMAP_OK)
        return gemm_refuse(refusal, status, "the rows about pipelines cannot be asked");
    return found > 0 ? refuse_row(&rows[0], g, refusal) : TMAP_OK;
}
