/* What one kernel of the family takes: rows, threads, shared memory. */
#include "kernels/gemm/sm100/geometry.h"
#include "kernels/gemm/sm120/geometry.h"
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

static bool has_tensor_memory(const struct gemm_instance *instance)
{
    return instance->family == GEMM_SM100;
}

int32_t gemm_tile_m(const struct gemm_instance *instance)
{
    return has_tensor_memory(instance) ? TENSOR_ROWS * instance->ctas
                                       : GEMM_SLAB_ROWS * instance->wgs;
}

int32_t gemm_panel_rows(const struct gemm_instance *instance)
{
    return has_tensor_memory(instance) ? TENSOR_ROWS : GEMM_SLAB_ROWS;
}

int32_t gemm_a_rows(const struct gemm_instance *instance)
{
    return gemm_tile_m(instance) / instance->ctas;
}

int32_t gemm_b_rows(const struct gemm_instance *instance)
{
    const int32_t each = instance->bn / instance->ctas;
    return instance->b_mn ? (each + GEMM_SLAB_ROWS - 1) / GEMM_SLAB_ROWS * GEMM_SLAB_ROWS : each;
}

/* Three consumers and no producer, nor room for a split's parts or other extras: S::TALL. */
bool gemm_is_tall(const struct gemm_instance *instance)
{
    return instance->family == GEMM_SM90 && !instance->pingpong && instance->wgs == GEMM_TALL_WGS &&
           instance->bn == GEMM_TALL_COLUMNS;
}

/* Three or four consumers beside a producer, which have few registers beyond their sums: S::HIGH.
 */
bool gemm_is_high(const struct gemm_instance *instance)
{
    return instance->family == GEMM_SM90 && !instance->pingpong && instance->wgs > 2 &&
           !gemm_is_tall(instance);
}

/* No C to add, no stores by the warps, and beside an epilogue no columns to write. */
bool gemm_is_bare(const struct gemm_instance *instance)
{
    return gemm_is_tall(instance) ||
           (instance->pingpong && instance->wgs * instance->bn >= 2 * GEMM_MANY_SUMS);
}

/* S::WRITES_COLUMNS. Rows are threads' in tensor memory. */
bool gemm_writes_columns(const struct gemm_instance *instance)
{
    if (instance->family == GEMM_SM90)
        return !gemm_is_tall(instance) && !(gemm_is_finished(instance) && gemm_is_bare(instance));
    return instance->family == GEMM_SM120 &&
           (!gemm_is_finished(instance) || instance->bn <= WARPS_WIDEST_EITHER_WAY);
}

bool gemm_adds_c(const struct gemm_instance *instance)
{
    return !gemm_is_bare(instance) && !gemm_is_high(instance);
}

enum gemm_image gemm_end_of(const struct gemm_instance *instance)
{
    switch (instance->image) {
    case GEMM_FINISHED_BY_ROWS:
        return GEMM_FINISHED;
    case GEMM_GATED_BY_ROWS:
        return GEMM_IMAGE_GATED;
    case GEMM_QUICK_BY_ROWS:
        return GEMM_QUICK;
    default:
        return instance->image;
    }
}

bool gemm_is_finished(const struct gemm_instance *instance)
{
    const enum gemm_image end = gemm_end_of(instance);
    return end == GEMM_FINISHED || end == GEMM_CONV || end == GEMM_IMAGE_GATED;
}

bool gemm_has_together(const struct gemm_instance *instance)
{
    return instance->family == GEMM_SM90 && !instance->pingpong &&
           instance->wgs <= GEMM_TOGETHER_WGS && !gemm_is_tall(instance) &&
           !gemm_is_finished(instance) && !instance->a_mn && !instance->b_mn &&
           instance->image != GEMM_BLOCKS && instance->image != GEMM_EARLY &&
           gemm_end_of(instance) != GEMM_QUICK;
}

bool gemm_stores_itself(const struct gemm_instance *instance)
{
    return gemm_adds_c(instance) && !gemm_is_finished(instance);
}

bool gemm_splits(const struct gemm_instance *instance)
{
    if (instance->family != GEMM_SM90) return true; /* in clusters of their own */
    return !gemm_is_tall(instance) && !gemm_is_high(instance) && instance->few == 0 &&
           !instance->patch && gemm_end_of(instance) != GEMM_IMAGE_GATED &&
           !(gemm_is_finished(instance) && instance->bn / 2 >= GEMM_WIDE_SUMS);
}

bool gemm_is_precise(const struct gemm_instance *instance)
{
    if (!gemm_is_finished(instance)) return false;
    return has_tensor_memory(instance) ||
           (!instance->pingpong && instance->bn / 2 <= GEMM_PRECISE_SUMS);
}

bool gemm_is_dynamic(const struct gemm_instance *instance)
{
    return instance->family == GEMM_SM100 && instance->image == GEMM_RARE;
}

/* Warpgroups that multiply. */
static int32_t consumers_of(const struct gemm_instance *instance)
{
    return instance->pingpong ? 2 : instance->wgs;
}

int32_t gemm_accumulators(const struct gemm_instance *instance)
{
    if (!has_tensor_memory(instance)) return 1; /* the registers */
    return gemm_is_scaled(instance->kind) && instance->bn > TENSOR_WIDEST_SCALED ? 1
                                                                                 : TENSOR_BUFFERS;
}

uint32_t gemm_threads(const struct gemm_instance *instance)
{
    if (has_tensor_memory(instance)) return TENSOR_THREADS;
    return (uint32_t)(consumers_of(instance) + !gemm_is_tall(instance)) * 128;
}

uint32_t gemm_stage_bytes(const struct gemm_instance *instance)
{
    uint32_t scales = gemm_scale_bytes(instance);
    if (has_tensor_memory(instance))
        scales = (scales + TENSOR_SLOT_ALIGN - 1) / TENSOR_SLOT_ALIGN * TENSOR_SLOT_ALIGN;
    if (instance->patch)
        return (uint32_t)(GEMM_PATCH_ROWS + GEMM_PATCH_TAPS * gemm_b_rows(instance)) *
               (instance->few ? (uint32_t)(instance->few * gemm_element_bits(instance->kind) / 8)
                              : GEMM_SPAN_BYTES);
    return (uint32_t)(gemm_a_rows(instance) + gemm_b_rows(instance)) * GEMM_SPAN_BYTES + scales +
           (instance->image == GEMM_BLOCKS ? GEMM_BLOCKS_BYTES : 0);
}

uint32_t gemm_scale_bytes(const struct gemm_instance *instance)
{
    if (!gemm_is_scaled(instance->kind)) return 0;
    const int32_t span = GEMM_SPAN_BYTES * 8 / gemm_element_bits(instance->kind);
    const int32_t a = (gemm_a_rows(instance) + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS,
                  b = (instance->bn + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS;
    return (uint32_t)((a + b) * gemm_scale_tiles(instance->kind, span) * GEMM_SCALE_BYTES);
}

uint32_t gemm_smem_bytes(const struct gemm_instance *instance, int32_t stages, int32_t panels)
{
    if (has_tensor_memory(instance))
        return (uint32_t)stages * (gemm_stage_bytes(instance) + TENSOR_SLOT_BYTES) +
               (uint32_t)panels * TENSOR_PANEL_BYTES + TENSOR_NOTES_BYTES +
               (gemm_is_dynamic(instance) ? TENSOR_ANSWERS_BYTES : 0);
    return (uint32_t)stages * (gemm_stage_bytes(instance) + GEMM_BARRIERS_BYTES) +
           (uint32_t)(consumers_of(instance) * panels) * GEMM_PANEL_BYTES +
           (gemm_is_tall(instance) ? GEMM_NOTES_BYTES : 0) +
           (instance->pingpong ? GEMM_TURNS_BYTES : 0);
}

int32_t gemm_members(const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const int32_t split = choice->instance->family == GEMM_SM90 ? c->split_k : 1;
    return c->cluster_m * c->cluster_n * split * choice->instance->ctas;
}

bool gemm_stores_straight(const struct gemm_view *view, const struct gemm_instance *instance)
{
    const bool rows =
        instance->family == GEMM_SM90 && !view->transposed && !view->epilogue && !view->blocks;
    return view->out_bytes == 2 ||
           (rows && view->out == GEMM_PLAIN_WIDE(view->kind, instance->wgs, instance->bn));
}

bool gemm_is_from_registers(const struct gemm_view *view, const struct tmap_gemm_config *config)
{
    return view->out_bytes == 4 && config->pingpong > 0 && config->panels == 1;
}
